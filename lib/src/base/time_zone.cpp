// Reads TIME_ZONE_INFORMATION (learn.microsoft.com, timezoneapi.h), and returns the names of the zones in it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/text/encoding.hpp"
#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "base/time.hpp"
#include "hkpd/time.hpp"

namespace hkpd {
namespace {

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

std::string_view zone_name(std::string_view name) noexcept {
    const auto id = resource_id(name);
    if (!id) return name;
    const auto* const found = std::ranges::lower_bound(zone_resources, *id, {}, &ZoneResource::id);
    return found != zone_resources.end() && found->id == *id ? found->name : name;
}

}  // namespace hkpd
