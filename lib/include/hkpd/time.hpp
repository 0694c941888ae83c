// Points in time, clocks and time zones, as Windows' structures hold them and as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/bytes.hpp"

namespace hkpd {

/// SYSTEMTIME (minwinbase.h), in UTC. Years are 1601 to 30827. Months and days count from 1. Sunday is day 0 of the
/// week. In damaged input, the members can have other values; `valid` checks them.
struct SystemTime {
    std::uint16_t year, month, day_of_week, day, hour, minute, second, milliseconds;
    /// Returns whether the members are a date and time of the calendar; `day_of_week` is not checked.
    bool valid() const noexcept;
};

/// Converts a SystemTime to nanoseconds since 1970 (UTC), clamped to the range of 64 bits (years 1677 to 2262). `time`
/// must be valid (`SystemTime::valid`).
std::int64_t unix_time(const SystemTime& time) noexcept;

/// Returns the SystemTime of a moment in nanoseconds since 1970 (UTC), rounded down to the millisecond.
SystemTime system_time_at(std::int64_t unix_nanoseconds) noexcept;

/// The relation between the two times of a block, SystemTime and PerfTime100nSec. Windows sets both to the same time in
/// UTC.
enum class BlockTimes : std::uint8_t {
    equal,  ///< the times differ by at most 2 s, or one of them is not valid (PerfTime100nSec: before 1970)
    /// SystemTime seems to be a local time. The difference of the times is a multiple of 15 minutes (with a tolerance
    /// of 2 s), and at most 26 hours.
    local,
    different,  ///< any other difference
};
/// Returns the relation between SystemTime and PerfTime100nSec (100 ns since 1601, UTC).
BlockTimes compare_block_times(const SystemTime& system_time, std::int64_t perf_time_100ns) noexcept;
/// Returns the time of a block in UTC: SystemTime or, if SystemTime is a local time (`BlockTimes::local`),
/// PerfTime100nSec. SystemTime is a local time in blocks that a program has taken from a log. Returns none if
/// SystemTime is not a date and time of the calendar.
std::optional<SystemTime> block_time(const SystemTime& system_time, std::int64_t perf_time_100ns) noexcept;

/// The reading of a clock and the frequency of that clock. A frequency of 0 means that the producer has no such clock.
struct Clock {
    std::int64_t time = 0;       ///< ticks
    std::int64_t frequency = 0;  ///< ticks per second
};

/// The time stamps of a data block, V1 or V2.
struct Moment {
    SystemTime system_time{};                                             ///< UTC
    std::int64_t perf_time = 0, perf_frequency = 0, perf_time_100ns = 0;  ///< ticks, ticks/s, 100 ns since 1601 (UTC)
};

/// The name and offset of a time zone at one time, as the header of Windows' text logs states it. The time stamps of
/// these logs are in local time. If daylight time begins or ends within a log, the log does not state the second
/// offset. `Zone` (zone.hpp) has the rules for all times.
struct TimeZone {
    std::string name = "Coordinated Universal Time";
    std::int32_t bias = 0;  ///< UTC minus local time, in minutes
    bool operator==(const TimeZone&) const = default;
};

/// A time as a text states it. The kind determines what else is needed to know the moment.
struct StatedTime {
    /// The form in which a time is stated.
    enum class Kind : std::uint8_t {
        utc,          ///< a moment: `time` is in nanoseconds since 1970 (UTC)
        local,        ///< a date and time in a zone: `time` is in nanoseconds since 1970-01-01 00:00 of local time
        time_of_day,  ///< a time of any day in a zone: `time` is in nanoseconds since midnight
        before_end,   ///< a time before the end of a run: `time` is the distance in nanoseconds
    };
    Kind kind = Kind::utc;
    std::int64_t time = 0;
    bool operator==(const StatedTime&) const = default;
};

/// Returns the time that a text states. The text must have one of these forms:
///
///       2024-05-14   2024-05-14T09:30   2024-05-14 09:30:02.500   2024-05-14T09:30:02Z   2024-05-14T09:30:02+02:00
///       5/14/2024    5/14/2024 9:30     05/14/2024 09:30:02.500   5/14/2024 9:30:02AM    5/14/2024 1:46 PM
///       9:30         09:30:02.500       9:30PM                                           (a time of day)
///       @1715679002.5                                                                    (seconds since 1970)
///       -5min        -90s   -1.5h   -2d                                                  (before the end)
///
/// The units of the last form are `s`, `sec`, `min`, `h` and `d`. Returns none for any other form, for a date or time
/// that the calendar does not have, and for a time outside the years 1677 to 2262. `5/14/2024 9:30` has hours and
/// minutes, as people mean it; relog reads such a text as minutes and seconds.
std::optional<StatedTime> parse_stated_time(std::string_view text);

/// Returns the time that a text states, in nanoseconds since 1970 (UTC), if the text states a date. Forms are those of
/// `parse_stated_time`. If the text states no zone, the time is local time, and `bias_minutes` is UTC minus local time.
/// Returns none for any other text, and for a time outside the years 1677 to 2262.
std::optional<std::int64_t> parse_time(std::string_view text, std::int32_t bias_minutes = 0);

/// The rules of a time zone: TIME_ZONE_INFORMATION (learn.microsoft.com, timezoneapi.h).
struct TimeZoneRules {
    /// A season of the zone: standard time or daylight time. The member `begins` has one of three forms:
    ///
    /// - The year is not 0: `begins` is a date, and the season begins only in this year.
    /// - The year is 0 and the month is not 0: the season begins every year in this month, on the weekday
    ///   `day_of_week`. `day` counts such weekdays in the month: 1 is the first, and 5 is the last.
    /// - The year and the month are 0: the zone has no daylight time.
    struct Season {
        std::string name;  ///< UTF-8: the name, or a reference to a resource with the name: `@tzres.dll,-212`
        SystemTime begins{};
        std::int32_t bias = 0;  ///< minutes that are added to `TimeZoneRules::bias` during the season
    };
    std::int32_t bias = 0;  ///< UTC minus local time, in minutes, without the bias of the season
    Season standard, daylight;

    static constexpr std::size_t size = 172;  ///< size of the structure in bytes
    /// Reads a TIME_ZONE_INFORMATION. Returns none if `bytes` has fewer than `size` bytes, or if a bias is longer than
    /// a day in either direction.
    static std::optional<TimeZoneRules> read(Bytes bytes);

    /// Returns the name and the bias (UTC minus local time) of the zone at a local time. `local_filetime` is in units
    /// of 100 ns since 1601. When daylight time ends, the clock shows an hour twice; a time in this hour counts as
    /// daylight time.
    TimeZone at(std::int64_t local_filetime) const;
};

/// Returns the English name of a time zone. `name` is a reference to a resource of tzres.dll: the result for
/// `@tzres.dll,-212` is `Pacific Standard Time`. Returns `name` unchanged if it is not such a reference, or if the
/// resource is not in hkpd's list.
std::string_view zone_name(std::string_view name) noexcept;

/// Appends a time as `2020-09-13T12:26:40.123Z`.
void append_time(std::string& out, const SystemTime& time);
/// Appends a time in 100 ns since 1601 as `2020-09-13T12:26:40.1234567Z`. `filetime` must be below 2^63, so that its
/// year is in the range of std::chrono::year.
void append_filetime(std::string& out, std::uint64_t filetime);

}  // namespace hkpd
