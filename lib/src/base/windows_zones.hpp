// Windows' names of time zones and the IANA names that correspond to them, from Unicode's CLDR.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace hkpd {

/// A time zone of Windows.
struct WindowsZone {
    std::string_view windows;  ///< name of the key in Windows' registry: `Pacific Standard Time`
    /// The IANA zones with the same rules, separated by blanks. The first is the one to use for the zone if only its
    /// Windows name is known. A zone can have several names, joined by `=`: `Asia/Katmandu=Asia/Kathmandu`. Not every
    /// system has all of them: Debian 13 is without the older ones.
    std::string_view iana;
};

/// Returns all zones of Windows, sorted by name.
std::span<const WindowsZone> windows_zones() noexcept;

/// Calls `use` with each IANA name of a zone.
template <class Use>
void each_iana_name(const WindowsZone& zone, const Use& use) {
    for (std::string_view rest = zone.iana; !rest.empty();) {
        const std::string_view name = rest.substr(0, rest.find_first_of(" ="));
        use(name);
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
}

}  // namespace hkpd
