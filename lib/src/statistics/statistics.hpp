// The statistics of a series, computed while its values arrive.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

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
    /// percentiles has grown. `most`: see `Percentiles::add`.
    std::size_t add(double value, std::int64_t time, std::size_t most);
    /// Reduces the memory for percentiles, see `Percentiles::shrink`.
    std::size_t shrink(std::size_t most) { return percentiles_.shrink(most); }
    std::size_t capacity() const noexcept { return percentiles_.capacity(); }
    std::uint64_t count() const noexcept { return count_; }

    /// Returns the statistics. No value must be added afterwards. May be called again, with the same result.
    Statistics finish();

  private:
    std::uint64_t count_ = 0;
    double first_ = 0, last_ = 0, min_ = 0, max_ = 0;
    double mean_ = 0, squares_ = 0;            // squares_: sum of squared distances of the values to their mean
    std::int64_t begin_ = no_time;             // time of the first value; `no_time` if any value has no time
    double mean_time_ = 0, time_squares_ = 0;  // times in seconds since `begin_`
    double products_ = 0;                      // sum of products of distances of times and values to their means
    Percentiles percentiles_;                  // of all values; empty if there is only one
};

/// A bound on the memory for percentiles of all series together. If it is exceeded, the series with the most entries
/// are shrunk to half of that number, again until the memory fits in half of the bound. The work for this is
/// proportional to the number of values: between two times, at least half of the bound was filled.
class StatisticsMemory {
  public:
    /// `most`: maximum number of bytes. The bound is exceeded if series need more with `Percentiles::least_entries`.
    explicit StatisticsMemory(std::uint64_t most) noexcept : bound_(most / Percentiles::entry_size) {}

    /// Adds a value to one of the series. `all` are all series; `of` returns the statistics of a series.
    template <class All, class Of>
    void add(SeriesStatistics& to, double value, std::int64_t time, All& all, const Of& of) {
        used_ += to.add(value, time, most_) / Percentiles::entry_size;
        if (used_ <= bound_ || most_ == Percentiles::least_entries) return;
        while (used_ > bound_ / 2 && most_ > Percentiles::least_entries) {
            std::size_t largest = 0;
            for (auto& series : all) largest = std::max(largest, of(series).capacity());
            most_ = std::max(std::min(largest, most_) / 2, Percentiles::least_entries);
            for (auto& series : all) used_ -= of(series).shrink(most_) / Percentiles::entry_size;
        }
    }

  private:
    std::uint64_t bound_, used_ = 0;                                                        // entries
    std::size_t most_ = std::numeric_limits<std::size_t>::max() / Percentiles::entry_size;  // entries of a series
};

}  // namespace hkpd
