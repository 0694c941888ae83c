// English names of zones, by their resources in tzres.dll.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "hkpd/time.hpp"

namespace hkpd {
namespace {

struct ZoneResource {
    std::uint16_t id;
    std::string_view name;
};

// Sources: two logs of Windows, one of which relog turned into text with the zone's name (Eastern, Pacific), and the
// documentation of python-dateutil, tz/win.py (112, 251). Both logs have daylight time beside standard time: n1, n2; so
// is 252. Windows has more of them, and [?] nobody has published a list that could be used here. Wine's tzres.dll has
// the same names under ids of its own: they come from hashes of the names (tools/make_unicode).
constexpr std::array zone_resources{
    ZoneResource{111, "Eastern Daylight Time"},  ZoneResource{112, "Eastern Standard Time"},
    ZoneResource{211, "Pacific Daylight Time"},  ZoneResource{212, "Pacific Standard Time"},
    ZoneResource{251, "Dateline Daylight Time"}, ZoneResource{252, "Dateline Standard Time"},
};
static_assert(std::ranges::is_sorted(zone_resources, {}, &ZoneResource::id));

/// The id in `@tzres.dll,-212`; a path may stand before the name, and a comment behind the id (`;`, as
/// RegLoadMUIString has it, or `#`).
std::optional<std::uint16_t> resource_id(std::string_view name) noexcept {
    constexpr std::string_view file = "tzres.dll";
    const std::size_t comma = name.find(",-");
    if (!name.starts_with('@') || comma == std::string_view::npos) return std::nullopt;
    std::string_view path = name.substr(1, comma - 1);
    path.remove_prefix(path.find_last_of("\\/") + 1);  // npos + 1 is 0
    if (compare_names(path, file) != 0) return std::nullopt;
    const std::string_view id = name.substr(comma + 2);
    return parse_number<std::uint16_t>(id.substr(0, id.find_first_of(";#")));
}

}  // namespace

std::string_view zone_name(std::string_view name) noexcept {
    const auto id = resource_id(name);
    if (!id) return name;
    const auto* const found = std::ranges::lower_bound(zone_resources, *id, {}, &ZoneResource::id);
    return found != zone_resources.end() && found->id == *id ? found->name : name;
}

}  // namespace hkpd
