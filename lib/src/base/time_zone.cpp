// Names of time zones, and the change between their seasons: standard time and daylight time. Source:
// TIME_ZONE_INFORMATION and SYSTEMTIME (learn.microsoft.com, timezoneapi.h).
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ratio>

#include "base/text/encoding.hpp"
#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "base/time.hpp"
#include "hkpd/time.hpp"

namespace hkpd {
namespace {

namespace chrono = std::chrono;

constexpr std::size_t name_size = 64, season_size = 84;  // StandardName, StandardDate and StandardBias
constexpr std::size_t standard_at = 4, daylight_at = standard_at + season_size;
static_assert(daylight_at + season_size == TimeZoneRules::size);

std::int32_t bias_at(Bytes bytes, std::uint64_t offset) noexcept {
    return static_cast<std::int32_t>(load<std::uint32_t>(bytes.at(offset), ByteOrder::little));
}

bool is_within_a_day(std::int32_t bias) noexcept {
    constexpr std::int32_t day = 1440;
    return bias >= -day && bias <= day;
}

TimeZoneRules::Season season_at(Bytes bytes, std::uint64_t offset) {
    const Bytes all = bytes.slice(offset, season_size);
    TimeZoneRules::Season season;
    append_utf16(season.name, name_text(all.slice(0, name_size), 0, ByteOrder::little).bytes.span(), ByteOrder::little);
    season.begins = read_system_time(all.from(name_size), ByteOrder::little);
    season.bias = bias_at(all, season_size - sizeof season.bias);
    return season;
}

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

struct ZoneResource {
    std::uint16_t id;
    std::string_view name;
};

// English names of time zones, by their resource ids in tzres.dll. There are two sources. The two logs that
// blg/layout.hpp describes contain the ids of Eastern and Pacific time; relog's output for one of the logs contains the
// name of the zone. The documentation of python-dateutil, tz/win.py, has the ids 112 and 251. In both logs, the id of
// daylight time ends in 1 and the id of standard time ends in 2; id 252 is derived from this pattern. Windows has more
// zones, but apparently no usable list of their ids is published. Wine's tzres.dll has the same names, but its ids are
// hashes of the names (tools/make_unicode).
constexpr std::array zone_resources{
    ZoneResource{111, "Eastern Daylight Time"},  ZoneResource{112, "Eastern Standard Time"},
    ZoneResource{211, "Pacific Daylight Time"},  ZoneResource{212, "Pacific Standard Time"},
    ZoneResource{251, "Dateline Daylight Time"}, ZoneResource{252, "Dateline Standard Time"},
};
static_assert(std::ranges::is_sorted(zone_resources, {}, &ZoneResource::id));

/// Returns the resource id in a text such as `@tzres.dll,-212` (here 212); none for any other text. A path may precede
/// the file name. A comment may follow the id, after `;` (as in RegLoadMUIString) or `#`.
std::optional<std::uint16_t> resource_id(std::string_view name) noexcept {
    constexpr std::string_view file = "tzres.dll";
    const std::size_t comma = name.find(",-");
    if (!name.starts_with('@') || comma == std::string_view::npos) return std::nullopt;
    std::string_view path = name.substr(1, comma - 1);
    path.remove_prefix(path.find_last_of("\\/") + 1);  // npos + 1 is 0: without a separator, removes nothing
    if (compare_names(path, file) != 0) return std::nullopt;
    const std::string_view id = name.substr(comma + 2);
    return parse_number<std::uint16_t>(id.substr(0, id.find_first_of(";#")));
}

}  // namespace

std::optional<TimeZoneRules> TimeZoneRules::read(Bytes bytes) {
    if (!bytes.contains(0, size)) return std::nullopt;
    TimeZoneRules rules{bias_at(bytes, 0), season_at(bytes, standard_at), season_at(bytes, daylight_at)};
    if (!is_within_a_day(rules.bias) || !is_within_a_day(rules.standard.bias) || !is_within_a_day(rules.daylight.bias))
        return std::nullopt;
    return rules;
}

TimeZone TimeZoneRules::at(std::int64_t local_filetime) const {
    // Unless both dates are valid, the zone has no daylight time. In this case, StandardBias "is ignored", as its
    // documentation states.
    const bool changes = is_change(standard.begins) && is_change(daylight.begins);
    const Season& season = changes && is_daylight(*this, local_moment(local_filetime)) ? daylight : standard;
    const std::int32_t total = changes ? bias + season.bias : bias;
    return {season.name.empty() ? offset_name(total) : std::string(zone_name(season.name)), total};
}

std::string_view zone_name(std::string_view name) noexcept {
    const auto id = resource_id(name);
    if (!id) return name;
    const auto* const found = std::ranges::lower_bound(zone_resources, *id, {}, &ZoneResource::id);
    return found != zone_resources.end() && found->id == *id ? found->name : name;
}

}  // namespace hkpd
