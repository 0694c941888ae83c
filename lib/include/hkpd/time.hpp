// Moments, clocks and time zones, as Windows' structures hold them and as people write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/bytes.hpp"

namespace hkpd {

/// SYSTEMTIME (minwinbase.h), in UTC: years 1601 to 30827, months and days from 1, Sunday is 0. May hold anything.
struct SystemTime {
    std::uint16_t year, month, day_of_week, day, hour, minute, second, milliseconds;
    /// Whether it names a moment of the calendar.
    bool valid() const noexcept;
};

/// A clock with its rate in ticks a second; a rate of 0 is a clock that the producer does not keep.
struct Clock {
    std::int64_t time = 0;       ///< ticks
    std::int64_t frequency = 0;  ///< ticks a second
};

/// What data blocks of both kinds say of when they were taken.
struct Moment {
    SystemTime system_time{};                                             ///< UTC
    std::int64_t perf_time = 0, perf_frequency = 0, perf_time_100ns = 0;  ///< ticks, ticks a second, 100 ns since 1601
};

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

/// TIME_ZONE_INFORMATION (learn.microsoft.com, timezoneapi.h).
struct TimeZoneRules {
    /// Standard or daylight time. `begins` is a date in the first form of the documentation (a year), or in the second:
    /// year 0, `day` the how-manieth `day_of_week` of the month, 5 the last one. Month 0: the zone has no daylight
    /// time.
    struct Season {
        std::string name;  ///< UTF-8, or a resource: `@tzres.dll,-212`
        SystemTime begins{};
        std::int32_t bias = 0;  ///< added to that of the zone while the season lasts, in minutes
    };
    std::int32_t bias = 0;  ///< UTC - local, in minutes
    Season standard, daylight;

    static constexpr std::size_t size = 172;  ///< bytes of the structure
    /// None where there are fewer bytes, or a bias is beyond a day.
    static std::optional<TimeZoneRules> read(Bytes bytes);

    /// The zone's name and UTC - local at a local time, in 100 ns since 1601. Of an hour that comes twice it is the
    /// first one.
    TimeZone at(std::int64_t local_filetime) const;
};

/// What tzres.dll of an English Windows has for a name that is a resource (`Pacific Standard Time` for
/// `@tzres.dll,-212`); the name itself for any other.
std::string_view zone_name(std::string_view name) noexcept;

/// Appends a moment as `2020-09-13T12:26:40.123Z`.
void append_time(std::string& out, const SystemTime& time);
/// Appends 100 ns since 1601 as `2020-09-13T12:26:40.1234567Z`. All that are positive have a date.
void append_filetime(std::string& out, std::uint64_t filetime);

}  // namespace hkpd
