// The trend of a series, computed from a bounded number of points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hkpd/statistics.hpp"

namespace hkpd {

/// The points of a series from which its trend is computed: means of consecutive values. If there are 64 of them, each
/// two become one, and further points are means of twice as many values.
class TrendPoints {
  public:
    /// Adds a value that is not NaN, at a time in nanoseconds since 1970. A value at an earlier time than the one
    /// before is left out.
    void add(std::int64_t time, double value);
    /// Returns the trend. `run`: length of the run in nanoseconds.
    Trend trend(std::int64_t run) const;

  private:
    static constexpr std::size_t most = 64;

    /// The sum of some values and their times.
    struct Point {
        double time = 0, value = 0;  // time: since `begin_`, in nanoseconds
        std::uint64_t values = 0;
        double mean_hours() const noexcept;
        double mean() const noexcept { return value / static_cast<double>(values); }
    };

    std::vector<Point> points_;  // all but the last are of `per_point_` values
    std::uint64_t per_point_ = 1, values_ = 0;
    std::int64_t begin_ = 0, end_ = 0;
};

}  // namespace hkpd
