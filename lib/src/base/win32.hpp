// Win32 statuses, as the functions of V1 (the registry) and of V2 (PerfLib) return them.
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

/// Returns whether trying again later may help.
constexpr bool is_passing(std::uint32_t status) noexcept {
    return status == busy || status == lock_failed || status == not_ready;
}

/// Appends what a status means and what to do about it: `access denied (5): run as administrator or ...`. An unknown
/// status is appended as its number.
void append_status(std::string& out, std::uint32_t status);

}  // namespace hkpd::win32
