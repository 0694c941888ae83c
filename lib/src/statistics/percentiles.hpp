// The values of a series for percentiles: all values or, if there are too many, the number of values in each of many
// ranges.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hkpd {

/// The values of one series. At first, every value is kept, and percentiles are exact. `shrink` replaces the values by
/// counts in ranges, which are those of HdrHistogram (hdrhistogram.org): each power of two is divided into 2^s equal
/// ranges, so that a range is the set of doubles whose highest bits are equal. This needs no logarithm, and the result
/// is the same on every system. A range [a, b] is represented by 2ab/(a + b), whose relative error is largest at the
/// ends: (b - a)/(b + a). The error is largest if a is a power of two; then it is 1/(2^(s+1) + 1), 0.8 % for s = 6.
/// Each further `shrink` that needs it joins pairs of neighbouring ranges: s becomes s - 1. Below s = 0, a range has
/// several powers of two: 2^n of them have the error (2^(2^n) - 1)/(2^(2^n) + 1).
class Percentiles {
  public:
    /// Adds a value that is not NaN. Returns by how many bytes the memory of this object has grown. `most` is the
    /// number of entries that the series may have, at least `least_entries`.
    std::size_t add(double value, std::size_t most);
    /// Reduces the memory to at most `most` entries, at least `least_entries`. Returns by how many bytes it has fallen.
    std::size_t shrink(std::size_t most);
    std::size_t capacity() const noexcept { return entries_.capacity(); }

    /// Adds all values of a series at once, of which there must be none before, and computes their percentiles, as
    /// `finish` does.
    void set(std::span<const double> values, double min, double max);

    /// Percentile 50, 95 and 99.
    using Result = std::array<double, 3>;
    /// Computes the percentiles of all values that were added, and frees the memory of the values. `min`, `max`:
    /// smallest and largest of the values; used for bounds. `add` must not be called any more; further calls return
    /// the same result.
    Result finish(double min, double max);
    /// Computes other percentiles of all values that were added, of which there must be at least one, before `finish`
    /// is called. `percents`: numbers from 0 to 100 in ascending order; `result` gets one number for each.
    void at(std::span<const std::uint64_t> percents, double min, double max, std::span<double> result);
    /// Returns the maximum relative error of the two values between which a percentile is interpolated.
    double error() const noexcept;

    static constexpr std::size_t least_entries = 8, entry_size = sizeof(std::uint64_t);
    /// Maximum number of ranges of a series. They have all values between x and 10^9·x with an error of 0.8 %.
    static constexpr std::size_t most_ranges = 2048;

  private:
    static constexpr std::int8_t exact = -1;

    void count_in_range(double value, std::uint32_t count);
    void join_ranges(std::size_t most);
    void reserve(std::size_t most);
    void to_ranges(std::size_t most);
    double at_rank(std::uint64_t rank) const noexcept;

    // Exact: the bits of the values, in the order in which they were added. Otherwise, in ascending order: the number
    // of a range, which has the sign of its values, in the upper half, and the number of its values in the lower half.
    std::vector<std::uint64_t> entries_;
    std::int8_t level_ = exact;  // otherwise: s = 6 - level_
    bool finished_ = false;
};

}  // namespace hkpd
