// What changed from one run to another: the series that both have, by how much their values differ.
#pragma once

#include <cstdint>
#include <vector>

#include "statistics/run_series.hpp"

namespace hkpd {

/// A series of both runs. `before` and `after` are its places in the two collectors.
struct SeriesChange {
    std::uint32_t before = 0, after = 0;
    double noise = 0;  ///< what values of the series differ by anyway, see `find_changes`
    /// Differences of the medians and of the 95th percentiles, divided by the noise.
    double median_effect = 0, p95_effect = 0;
    bool is_brief = false;  ///< whether either run has few values of it, see `find_changes`

    /// Returns the larger of the two effects, regardless of its sign.
    double size() const noexcept;
};

/// The series of two runs, side by side.
struct RunChanges {
    std::vector<SeriesChange> changed;  ///< those whose statistics differ, the largest effect first, brief ones last
    std::uint64_t unchanged = 0;        ///< number of series whose statistics are equal
    std::uint64_t sums = 0;             ///< number of series of both runs that are sums in either
    std::uint64_t not_compared = 0;     ///< number of series that are no amounts, of the run that has more of them
    std::vector<std::uint32_t> only_before, only_after;  ///< places of the series that only one run has
};

/// Compares two runs, whose series are by name (`SeriesOptions::by_name`). Series are the same if machine, object,
/// counter and instance have the same names, ignoring case; if each run has one machine, its name does not matter.
/// Series without values are left out, and those of which a larger value is not more of anything (`Meaning`): ids,
/// states, priorities, elapsed times. The noise of a series is the square root of the mean of both variances (if one
/// run has a single value, the deviation of the other), at least 1 % of the larger median or 95th percentile, so that a
/// constant that changed slightly is not the largest change of all. A series is brief if a run has less than a quarter
/// of the values of it that it has of its longest series: little is known of their noise.
RunChanges find_changes(SeriesCollector& before, SeriesCollector& after);

}  // namespace hkpd
