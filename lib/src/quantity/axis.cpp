#include "quantity/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "base/time.hpp"
#include "quantity/quantity.hpp"
#include "quantity/times.hpp"

namespace hkpd {
namespace {

constexpr std::int64_t one_second = 1'000'000'000, one_minute = 60 * one_second, one_hour = 60 * one_minute,
                       one_day = 24 * one_hour;

/// Returns the smallest round number that is not below a positive number. `few_digits`: it has one digit.
double round_up(double number, bool few_digits) noexcept {
    const double power = std::pow(10.0, std::floor(std::log10(number)));
    for (const double round : {1.0, 2.0, 2.5, 5.0})
        if (number <= round * power * (1 + 1e-9) && !(few_digits && round == 2.5)) return round * power;
    return 10 * power;
}

/// Returns a distance between labels, so that there are at most `most` between two values that far apart.
double round_step(double range, UnitStep unit, unsigned most, bool few_digits) noexcept {
    constexpr double sixtieth = 60, per_day = 86400;
    const double least = range / unit.factor / most;
    // Minutes and hours; those of days are as other numbers.
    if (unit.factor >= sixtieth && unit.factor < per_day && unit.suffix.starts_with(' ') && least > 1)
        for (const double round : {2.0, 5.0, 10.0, 15.0, 30.0, 60.0})
            if (least <= round) return round * unit.factor;
    return round_up(least, few_digits) * unit.factor;
}

std::string tick_text(double value, double step, UnitStep unit, Unit of) {
    constexpr int most_decimals = 3;
    if (value == 0) return of == Unit::percent ? "0 %" : "0";
    const double in_unit = step / unit.factor;
    int decimals = 0;
    double power = 1;
    while (decimals <= most_decimals && std::abs(in_unit * power - std::round(in_unit * power)) > 1e-6) {
        ++decimals;
        power *= 10;
    }
    if (decimals > most_decimals || std::abs(value) / unit.factor >= 1e6) return quantity_text(value, of);
    std::string text = fmt::format("{:.{}f}", value / unit.factor, decimals);
    if (decimals > 0) {
        while (text.ends_with('0')) text.pop_back();
        if (text.ends_with('.')) text.pop_back();
    }
    return text.append(unit.suffix).append(unit.end);
}

/// Distances between times on an axis.
constexpr auto time_steps = std::to_array<std::int64_t>(
    {one_second / 1000, one_second / 500, one_second / 200, one_second / 100, one_second / 50, one_second / 20,
     one_second / 10,   one_second / 5,   one_second / 2,   one_second,       2 * one_second,  5 * one_second,
     10 * one_second,   15 * one_second,  30 * one_second,  one_minute,       2 * one_minute,  5 * one_minute,
     10 * one_minute,   15 * one_minute,  30 * one_minute,  one_hour,         2 * one_hour,    3 * one_hour,
     6 * one_hour,      12 * one_hour,    one_day,          2 * one_day,      7 * one_day,     14 * one_day,
     30 * one_day,      90 * one_day,     365 * one_day,    3650 * one_day});

/// Times beyond have no labels: 146 years before and after 1970.
constexpr std::int64_t farthest = std::numeric_limits<std::int64_t>::max() / 2;

std::int64_t time_step(std::int64_t length, unsigned most) noexcept {
    const auto found =
        std::ranges::find_if(time_steps, [&](std::int64_t step) { return length / step <= std::int64_t{most}; });
    return found == time_steps.end() ? time_steps.back() * 10 : *found;
}

}  // namespace

ValueAxis value_axis(const AxisValues& values, unsigned most) {
    constexpr double least_to_whole = 30, whole = 100, narrow = 0.1, around = 0.2, distinct = 0.005;
    constexpr double largest = 1e300;
    ValueAxis axis;
    const double min = std::clamp(values.min, -largest, largest), max = std::clamp(values.max, -largest, largest);
    if (!(min <= max)) return axis;
    const bool is_percent = values.unit == Unit::percent;
    const bool is_narrow = !values.from_zero && !is_percent && min > 0 && max - min < narrow * max;
    if (is_narrow) {
        const double margin = std::max(around * (max - min), distinct * max);
        axis.low = std::max(0.0, min - margin);
        axis.high = max + margin;
    } else {
        axis.low = std::min(0.0, min);
        axis.high = std::max(0.0, max);
        if (is_percent && axis.high > least_to_whole && axis.high <= whole) axis.high = whole;
        if (axis.low == axis.high) axis.high = 1;
    }
    const UnitStep unit = unit_step(std::max(std::abs(axis.low), std::abs(axis.high)), values.unit);
    // Steps of one digit are farther apart.
    const double step = round_step(axis.high - axis.low, unit, is_narrow ? most + 2 : most, is_narrow);
    constexpr double rounding = 1e-9;  // of a step
    if (!is_narrow) {
        axis.low = std::floor(axis.low / step + rounding) * step;
        axis.high = std::ceil(axis.high / step - rounding) * step;
    }
    const double first = std::ceil(axis.low / step - rounding);
    for (int i = 0;; ++i) {
        const double value = (first + i) * step;
        if (!(value <= axis.high + rounding * step)) break;
        axis.ticks.push_back({value, tick_text(value, step, unit, values.unit)});
    }
    return axis;
}

std::vector<TimeTick> time_ticks(std::int64_t from, std::int64_t to, const Zone& zone, unsigned most) {
    std::vector<TimeTick> ticks;
    if (from < -farthest || to > farthest) return ticks;
    const std::int64_t step = time_step(time_between(from, to), most);
    const auto offset = [&zone](std::int64_t time) { return std::int64_t{zone.offset_at(time)} * one_second; };
    const std::int64_t first_offset = offset(from);
    std::string date;
    // From one local time to the next: daylight saving may begin or end between them.
    for (std::int64_t local = (from + first_offset) / step * step; ticks.size() <= most + 1; local += step) {
        const std::int64_t time = local - offset(local - first_offset);
        if (time > to) break;
        if (time < from || (!ticks.empty() && time <= ticks.back().time)) continue;
        std::string text;
        append_date_time(text, local_time(system_time_at(time), zone.offset_at(time)),
                         step < one_second   ? TimePart::millisecond
                         : step < one_minute ? TimePart::second
                                             : TimePart::minute);
        constexpr std::size_t length_of_date = 10, length_of_year = 5;
        std::string day_of = text.substr(0, length_of_date);
        // A year is not repeated.
        const bool is_same_year = date.starts_with(std::string_view(day_of).substr(0, length_of_year));
        std::string shown = day_of == date ? "" : day_of.substr(is_same_year ? length_of_year : 0);
        ticks.push_back({time, step >= one_day ? "" : text.substr(length_of_date + 1), std::move(shown)});
        date = std::move(day_of);
    }
    return ticks;
}

std::vector<TimeTick> elapsed_ticks(std::int64_t length, unsigned most) {
    std::vector<TimeTick> ticks;
    if (length > farthest) return ticks;
    const std::int64_t step = std::max(one_second, time_step(length, most));
    for (std::int64_t time = 0; time <= length; time += step)
        ticks.push_back({time, elapsed_text(time, step < one_minute), ""});
    return ticks;
}

std::string elapsed_text(std::int64_t nanoseconds, bool with_seconds) {
    const std::int64_t seconds = nanoseconds / one_second;
    std::string text = fmt::format("+{}:{:02}", seconds / 3600, seconds / 60 % 60);
    if (with_seconds) text += fmt::format(":{:02}", seconds % 60);
    return text;
}

}  // namespace hkpd
