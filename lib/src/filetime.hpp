// FILETIME, the time of both doors: 100 ns since 1601-01-01 (UTC). Source: Microsoft Learn, FILETIME structure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace hkpd {

inline constexpr std::int64_t filetime_unit = 100;  ///< nanoseconds
inline constexpr std::int64_t filetime_minute = 600'000'000;
inline constexpr std::int64_t filetime_of_1970 = 116'444'736'000'000'000;

/// Nanoseconds since 1970 (UTC) of a time since 1601, the earliest that there is for what lies before; none of 0, which
/// stands for no time, of what is negative, and of what is too late for the type.
constexpr std::optional<std::int64_t> unix_nanoseconds(std::int64_t filetime) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / filetime_unit;
    if (filetime <= 0 || filetime - filetime_of_1970 > most) return std::nullopt;
    return std::max(filetime - filetime_of_1970, -most) * filetime_unit;
}

}  // namespace hkpd
