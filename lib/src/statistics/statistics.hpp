// The statistics of a series, computed while its values arrive.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "hkpd/statistics.hpp"
#include "statistics/percentiles.hpp"

namespace hkpd {

/// The statistics of one series. The mean, the standard deviation and the slope are computed by Welford's method, from
/// distances to the mean of the values so far, so that they keep their precision if the values are large and differ
/// little. (B. P. Welford, "Note on a Method for Calculating Corrected Sums of Squares and Products", 1962)
class SeriesStatistics {
  public:
    /// The time of a value whose sample has no time.
    static constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::min();

    /// Adds a value that is not NaN, and its time in nanoseconds since 1970. Returns by how many bytes the memory for
    /// percentiles has grown. `most`: see `Percentiles::add`; 0 for all values: there are no percentiles.
    std::size_t add(double value, std::int64_t time, std::size_t most);
    /// Adds all values of a series at once, of which there must be none before, and computes the percentiles.
    void set(std::span<const double> values, std::span<const std::int64_t> times, bool percentiles);
    /// Reduces the memory for percentiles, see `Percentiles::shrink`.
    std::size_t shrink(std::size_t most) { return more_ == nullptr ? 0 : more_->percentiles.shrink(most); }
    std::size_t capacity() const noexcept { return more_ == nullptr ? 0 : more_->percentiles.capacity(); }
    std::uint64_t count() const noexcept { return count_; }

    /// Returns the distance of the 75th percentile from the 25th; 0 for fewer than two values. Must be called before
    /// `finish`, and needs the memory for percentiles.
    double quartile_distance();
    /// Returns the statistics. No value must be added afterwards. May be called again, with the same result.
    Statistics finish();

  private:
    /// The numbers that a second value needs. Many runs have one sample and a great number of series, which have one
    /// value each.
    struct More {
        double last = 0, min = 0, max = 0;
        double mean = 0, squares = 0;            // squares: sum of squared distances of the values to their mean
        double mean_time = 0, time_squares = 0;  // times in seconds since `begin_`
        double products = 0;                     // sum of products of distances of times and values to their means
        Percentiles percentiles;                 // of all values

        void add(double value, std::int64_t time, std::uint64_t count, std::int64_t& begin);
    };

    std::uint64_t count_ = 0;
    double first_ = 0;
    std::int64_t begin_ = no_time;  // time of the first value; `no_time` if any value has no time
    std::unique_ptr<More> more_;    // null: there is no second value
};

/// A bound on the memory for percentiles of all series together. If it is exceeded, the series with the most entries
/// are shrunk to half of that number, again until the memory fits in half of the bound. The work for this is
/// proportional to the number of values: between two times, at least half of the bound was filled.
class StatisticsMemory {
  public:
    /// `most`: maximum number of bytes. The bound is exceeded if series need more with `Percentiles::least_entries`.
    /// `percentiles`: whether there are percentiles.
    explicit StatisticsMemory(std::uint64_t most, bool percentiles = true) noexcept
        : bound_(most / Percentiles::entry_size), most_(percentiles ? unbounded : 0) {}

    /// Adds a value to one of the series. `all` are all series; `of` returns the statistics of a series.
    template <class All, class Of>
    void add(SeriesStatistics& to, double value, std::int64_t time, All& all, const Of& of) {
        used_ += to.add(value, time, most_) / Percentiles::entry_size;
        if (used_ <= bound_ || most_ <= Percentiles::least_entries) return;
        while (used_ > bound_ / 2 && most_ > Percentiles::least_entries) {
            std::size_t largest = 0;
            for (auto& series : all) largest = std::max(largest, of(series).capacity());
            most_ = std::max(std::min(largest, most_) / 2, Percentiles::least_entries);
            for (auto& series : all) used_ -= of(series).shrink(most_) / Percentiles::entry_size;
        }
    }

  private:
    static constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max() / Percentiles::entry_size;

    std::uint64_t bound_, used_ = 0;  // entries
    std::size_t most_;                // entries of a series
};

}  // namespace hkpd
