// The change between standard time and daylight time by rules that name months and weekdays. Source:
// TIME_ZONE_INFORMATION and SYSTEMTIME (learn.microsoft.com, timezoneapi.h).
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ratio>

#include "base/time.hpp"
#include "base/zone_rules.hpp"

namespace hkpd {
namespace {

namespace chrono = std::chrono;

using LocalMoment = chrono::local_time<chrono::milliseconds>;

/// Converts a local FILETIME to milliseconds. SYSTEMTIME, which states the changes of season, has this resolution.
LocalMoment local_moment(std::int64_t filetime) noexcept {
    using Ticks = chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>;
    constexpr chrono::local_days start{chrono::year{1601} / chrono::January / 1};
    return start + chrono::floor<chrono::milliseconds>(Ticks{filetime});
}

/// Returns whether a SYSTEMTIME is a valid date, with or without a year, of a change between standard time and daylight
/// time. A date with month 0 is not valid: it means that the zone has no such change.
bool is_change(const SystemTime& date) noexcept {
    if (date.year != 0) return date.valid();
    SystemTime in_a_year = date;
    in_a_year.year = 2000;
    return in_a_year.valid() && date.day <= 5 && date.day_of_week <= 6;
}

/// Returns whether the zone has daylight time. Unless both dates are valid, it has none.
bool has_daylight(const TimeZoneRules& rules) noexcept {
    return is_change(rules.standard.begins) && is_change(rules.daylight.begins);
}

/// Returns the moment in `year` of a change between standard time and daylight time; none if `date` states another
/// year. In a date without a year, `day` is not a day of the month: the change is on the `day`-th weekday `day_of_week`
/// of the month, or on the last such weekday if `day` is 5.
std::optional<LocalMoment> change_in(chrono::year year, const SystemTime& date) noexcept {
    if (date.year != 0 && chrono::year{date.year} != year) return std::nullopt;
    const auto month = year / chrono::month{date.month};
    const chrono::weekday weekday{date.day_of_week};
    const chrono::local_days day = date.year != 0  ? chrono::local_days{month / chrono::day{date.day}}
                                   : date.day == 5 ? chrono::local_days{month / weekday[chrono::last]}
                                                   : chrono::local_days{month / weekday[date.day]};
    return day + chrono::hours{date.hour} + chrono::minutes{date.minute} + chrono::seconds{date.second} +
           chrono::milliseconds{date.milliseconds};
}

/// Returns whether a local time is daylight time. The rules give the moment of each change as the local time that a
/// clock shows immediately before the change. When the clock goes back, the hour that occurs twice therefore counts as
/// before the change. When the clock goes forward, the times that are skipped count as after the change.
bool is_daylight(const TimeZoneRules& rules, LocalMoment local) noexcept {
    const chrono::year year = chrono::year_month_day{chrono::floor<chrono::days>(local)}.year();
    const auto begins = change_in(year, rules.daylight.begins), ends = change_in(year, rules.standard.begins);
    const bool begun = begins && *begins <= local, ended = ends && *ends <= local;
    if (!ends) return begun;
    if (!begins) return !ended;
    const bool southern = *ends < *begins;  // daylight time lasts over the turn of the year
    return southern ? begun || !ended : begun && !ended;
}

/// Returns UTC minus local time, in minutes, in a season of the zone. If the zone has no daylight time, StandardBias
/// "is ignored", as its documentation states.
std::int32_t bias_in(const TimeZoneRules& rules, bool daylight) noexcept {
    if (!has_daylight(rules)) return rules.bias;
    return rules.bias + (daylight ? rules.daylight.bias : rules.standard.bias);
}

/// Steps through the changes of a zone in order, up to a moment, and keeps the period that has been reached.
class PeriodSearch {
  public:
    PeriodSearch(std::int64_t seconds, ZonePeriod first) noexcept : moment_(seconds), period_(first) {}

    /// Adds a change of the clocks at a local time, the time that they show before the change. Returns whether the
    /// period that contains the moment is complete. By damaged rules a change can be before the previous one; it then
    /// happens at the same moment.
    bool change(LocalMoment local, std::int32_t offset, bool daylight) noexcept {
        const std::int64_t shown = chrono::floor<chrono::seconds>(local).time_since_epoch().count();
        const std::int64_t at = std::max(shown - period_.offset, period_.begin);
        if (offset == period_.offset && daylight == period_.daylight) return false;
        if (at > moment_) return end(at);
        period_ = {at, at, offset, daylight};
        return false;
    }
    bool end(std::int64_t seconds) noexcept {
        period_.end = seconds;
        return true;
    }
    const ZonePeriod& period() const noexcept { return period_; }

  private:
    std::int64_t moment_;
    ZonePeriod period_;
};

LocalMoment begin_of(chrono::year year) noexcept { return chrono::local_days{year / chrono::January / 1}; }

}  // namespace

TimeZone TimeZoneRules::at(std::int64_t local_filetime) const {
    const bool is_summer = has_daylight(*this) && is_daylight(*this, local_moment(local_filetime));
    const Season& season = is_summer ? daylight : standard;
    const std::int32_t total = bias_in(*this, is_summer);
    return {season.name.empty() ? offset_name(total) : std::string(zone_name(season.name)), total};
}

ZonePeriod YearlyRules::at(std::int64_t seconds) const {
    const chrono::sys_seconds moment{chrono::seconds{seconds}};
    const chrono::year year = chrono::year_month_day{chrono::floor<chrono::days>(moment)}.year();
    const auto offset_in = [](const TimeZoneRules& rules, bool daylight) { return -60 * bias_in(rules, daylight); };
    const auto season_at = [](const TimeZoneRules& rules, LocalMoment local) {
        return has_daylight(rules) && is_daylight(rules, local);
    };
    // The local year of the moment can be the one before or after its year in UTC.
    chrono::year current = year - chrono::years{1};
    const TimeZoneRules earliest = of_year_(static_cast<int>(current));
    const bool summer = season_at(earliest, begin_of(current));
    const std::int32_t offset = offset_in(earliest, summer);
    const std::int64_t first = chrono::floor<chrono::seconds>(begin_of(current)).time_since_epoch().count() - offset;
    PeriodSearch search(seconds, {first, first, offset, summer});
    for (; current <= year + chrono::years{1}; ++current) {
        const TimeZoneRules rules = of_year_(static_cast<int>(current));
        std::array<std::optional<LocalMoment>, 3> changes{begin_of(current)};
        if (has_daylight(rules)) {
            changes[1] = change_in(current, rules.daylight.begins);
            changes[2] = change_in(current, rules.standard.begins);
            if (changes[2] < changes[1]) std::swap(changes[1], changes[2]);
        }
        for (const auto& change : changes) {
            if (!change) continue;
            const bool daylight = season_at(rules, *change);
            if (search.change(*change, offset_in(rules, daylight), daylight)) return search.period();
        }
    }
    const std::int64_t last = chrono::floor<chrono::seconds>(begin_of(current)).time_since_epoch().count();
    search.end(std::max(last - search.period().offset, seconds + 1));
    return search.period();
}

}  // namespace hkpd
