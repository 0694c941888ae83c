// Moments and zones as people write them on a command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hkpd {

/// A zone as Windows' logs name it. Their time stamps are local; a change of daylight saving cannot be told in them.
struct TimeZone {
    std::string name = "Coordinated Universal Time";
    std::int32_t bias = 0;  ///< UTC - local, in minutes
};

/// Nanoseconds since 1970 (UTC) of one of
///
///       2024-05-14   2024-05-14T09:30   2024-05-14 09:30:02.500   2024-05-14T09:30:02Z   2024-05-14T09:30:02+02:00
///       5/14/2024    5/14/2024 9:30:02  05/14/2024 09:30:02.500   5/14/2024 9:30:02AM     (relog, logman and their
///       logs)
///       @1715679002.5                                                                     (seconds since 1970)
///
/// What names no zone is local: `bias_minutes` is UTC - local. None for anything else, for what is no moment of the
/// calendar, and outside of the years 1677 to 2262. `5/14/2024 9:30` is none: relog would take it for minutes and
/// seconds, a reader for hours and minutes.
std::optional<std::int64_t> parse_time(std::string_view text, std::int32_t bias_minutes = 0);

/// `Pacific Standard Time,480`: a name, and UTC - local in minutes (-1440 to 1440); or `UTC` alone.
std::optional<TimeZone> parse_zone(std::string_view text);

}  // namespace hkpd
