// Statistics of the values of a series over a run, and intervals of time over which means are computed.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "hkpd/zone.hpp"

namespace hkpd {

/// The statistics of a series: of the cooked values of one counter of one instance over a run. Missing and damaged
/// values do not count. A number that does not exist, or that a double cannot hold, is NaN: all numbers of a series
/// without values, `stddev` and `slope` of a single value, `slope` if the times of the values are equal or unknown. All
/// numbers have the unit of the values, except `slope`: units per hour.
struct Statistics {
    std::uint64_t count = 0;  ///< number of values
    double first = 0, last = 0, min = 0, max = 0, mean = 0;
    /// Percentiles, as `statistics.quantiles(values, n=100, method='inclusive')` of Python computes them: interpolated
    /// between the two nearest values.
    double p50 = 0, p95 = 0, p99 = 0;
    double stddev = 0;  ///< standard deviation of a sample (divided by count - 1)
    double delta = 0;   ///< last - first
    double slope = 0;   ///< units per hour: slope of the line with the least squares of distances over time
    /// Maximum relative error of each of the two values between which a percentile is interpolated; 0 if percentiles
    /// are exact. See `WriteOptions::statistics`.
    double percentile_error = 0;
};

/// Returns the statistics of all values of a series. `times`: the time of each value in nanoseconds since 1970 (UTC),
/// in any order. The two lists must have the same size.
Statistics statistics_of(std::span<const double> values, std::span<const std::int64_t> times);

/// A column of a summary by which its lines can be sorted.
enum class StatisticColumn : std::uint8_t { count, first, last, min, mean, p50, p95, p99, max, stddev, delta, slope };

/// Returns the column with this name. The names are the keys in JSON. Returns none for other names.
std::optional<StatisticColumn> statistic_column_of(std::string_view name) noexcept;
/// Returns the name of a column.
std::string_view statistic_name(StatisticColumn column) noexcept;
/// Returns the value in a column; NaN if it does not exist.
double value_of(const Statistics& statistics, StatisticColumn column) noexcept;

/// The line that the values of a series follow over time. Single steps and outliers do not turn it.
struct Trend {
    /// The reason why there is no line.
    enum class Doubt : std::uint8_t {
        none,
        few_values,  ///< fewer than `least_values`
        short_span,  ///< the values are of less than `least_share` of the run, or at one time
    };
    static constexpr std::uint64_t least_values = 10;
    static constexpr double least_share = 0.1;

    std::uint64_t values = 0;  ///< number of values
    double hours = 0;          ///< from the first to the last of them
    Doubt doubt = Doubt::few_values;
    /// Units per hour: the median of the slopes between all pairs of points (Theil and Sen), of up to 64 points that
    /// are means of the same number of consecutive values. NaN if there is a doubt, as the numbers below.
    double slope = std::numeric_limits<double>::quiet_NaN();
    /// Share of the variance of the points that the line explains, 0 to 1.
    double r_squared = std::numeric_limits<double>::quiet_NaN();
    /// Largest rise between two consecutive points, divided by the rise of the line; 1 if a single step made it.
    double largest_step = std::numeric_limits<double>::quiet_NaN();

    /// Returns whether the values grow steadily: the line rises, explains nine tenths of the variance, and no step
    /// makes more than a third of its rise.
    bool grows_steadily() const noexcept;
};
/// Returns the name of a doubt: `few_values`, `short_span`; empty for none.
std::string_view doubt_name(Trend::Doubt doubt) noexcept;

/// Intervals of time, one after another without gaps.
struct Buckets {
    std::int64_t length = 0;  ///< length of an interval in nanoseconds, above 0
    Zone zone{};              ///< intervals of a day begin at midnight of this zone
    /// Returns the beginning of the interval that contains a time, both in nanoseconds since 1970 (UTC). If clocks are
    /// changed within an interval, it is shorter or longer than others.
    std::int64_t begin(std::int64_t time) const;
};

/// Returns the length of an interval in nanoseconds. `text` is a number from 1 on and a unit: `30s`, `1min`, `2h`,
/// `1d`. Returns none for any other text, and for a length of more than 366 days.
std::optional<std::int64_t> parse_bucket(std::string_view text) noexcept;

}  // namespace hkpd
