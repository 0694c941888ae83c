// Windows' names of time zones and the IANA names that correspond to them, from Unicode's CLDR.
#pragma once

#include <span>
#include <string_view>

namespace hkpd {

/// A time zone of Windows.
struct WindowsZone {
    std::string_view windows;  ///< name of the key in Windows' registry: `Pacific Standard Time`
    /// The IANA names of the zones with the same rules, separated by blanks. The first is the one to use for the zone
    /// if only its Windows name is known: `America/Los_Angeles`.
    std::string_view iana;
};

/// Returns all zones of Windows, sorted by name.
std::span<const WindowsZone> windows_zones() noexcept;

}  // namespace hkpd
