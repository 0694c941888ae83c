// Axes of charts: which range of values or times they show, and which round numbers stand on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/zone.hpp"
#include "quantity/unit.hpp"

namespace hkpd {

/// The axis of the values of a chart.
struct ValueAxis {
    struct Tick {
        double value;
        std::string text;
    };
    double low = 0, high = 1;
    std::vector<Tick> ticks{};
};

/// The values that an axis has to show.
struct AxisValues {
    double min = 0, max = 0;
    Unit unit = Unit::none;
    bool from_zero = false;  ///< whether zero must be on the axis
};

/// Returns the axis for values: from zero to a round number, or around them if they vary by less than a tenth; then it
/// is wide enough that labels of four digits differ. Percentages above 30 have an axis up to 100. All labels are in the
/// unit that the largest value needs: `0.5 GiB`, `1 GiB`. `most`: maximum number of steps between labels. The page of a
/// report has the same rules in JavaScript (axis.js).
ValueAxis value_axis(const AxisValues& values, unsigned most);

/// A label on an axis of time. `date` is set where the day is another than at the label before: `2016-11-26`, or
/// `11-27` if that has the same year.
struct TimeTick {
    std::int64_t time;
    std::string clock, date;
};
/// Returns labels at round local times between two times, in nanoseconds since 1970 (UTC). `most`: maximum number of
/// steps between them, at least 1.
std::vector<TimeTick> time_ticks(std::int64_t from, std::int64_t to, const Zone& zone, unsigned most);
/// Returns labels of the time since a beginning: `+0:15`, or `+0:00:30` if they are less than a minute apart. Times are
/// nanoseconds from then on.
std::vector<TimeTick> elapsed_ticks(std::int64_t length, unsigned most);
/// Returns the time since a beginning, in nanoseconds: `+0:15:00`, without seconds `+0:15`.
std::string elapsed_text(std::int64_t nanoseconds, bool with_seconds = true);

}  // namespace hkpd
