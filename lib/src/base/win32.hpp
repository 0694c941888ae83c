// Win32 status codes that the registry (V1 counters) and the functions of PerfLib (V2 counters) return.
#pragma once

#include <cstdint>
#include <string>

namespace hkpd::win32 {

/// Numbers from winerror.h.
/// @{
inline constexpr std::uint32_t success = 0;
inline constexpr std::uint32_t file_not_found = 2;
inline constexpr std::uint32_t access_denied = 5;
inline constexpr std::uint32_t invalid_handle = 6;
inline constexpr std::uint32_t not_enough_memory = 8;  ///< PerfLib: buffer too small; the needed size is returned
inline constexpr std::uint32_t not_ready = 21;
inline constexpr std::uint32_t bad_net_path = 53;
inline constexpr std::uint32_t invalid_parameter = 87;
inline constexpr std::uint32_t call_not_implemented = 120;
inline constexpr std::uint32_t proc_not_found = 127;
inline constexpr std::uint32_t lock_failed = 167;
inline constexpr std::uint32_t busy = 170;
inline constexpr std::uint32_t more_data = 234;  ///< RegQueryValueEx: buffer too small; no size is returned
inline constexpr std::uint32_t cancelled = 1223;
inline constexpr std::uint32_t not_found = 1168;
inline constexpr std::uint32_t wmi_guid_not_found = 4200;
inline constexpr std::uint32_t wmi_instance_not_found = 4201;
inline constexpr std::uint32_t wmi_itemid_not_found = 4202;
/// @}

/// Returns whether a call that failed with this status may succeed later.
constexpr bool is_passing(std::uint32_t status) noexcept {
    return status == busy || status == lock_failed || status == not_ready;
}

/// Appends the meaning of a status and, if there is any, advice on what to do: `access denied (5): run as administrator
/// or ...`. Appends only the number of an unknown status.
void append_status(std::string& out, std::uint32_t status);

}  // namespace hkpd::win32
