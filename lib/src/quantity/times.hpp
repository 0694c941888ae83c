// Local times and their zones as text for people, and times in databases.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hkpd/time.hpp"
#include "hkpd/zone.hpp"

namespace hkpd {

/// The last part of a time that is shown.
enum class TimePart : std::uint8_t { minute, second, millisecond };

/// Appends a date and time as `2007-08-14 15:40:38`, `2007-08-14 15:40:38.250` with milliseconds.
void append_date_time(std::string& out, const SystemTime& time, TimePart last);
/// Returns a time of day as `09:30` or `09:30:02`.
std::string clock_text(const SystemTime& time, TimePart last);

/// Stands for a zone that nothing states.
inline constexpr std::string_view unstated_zone_text = "local time (zone not stated)";

/// Returns an offset from UTC (local time minus UTC) in seconds, where a name would be too wide: `UTC-08:00`; `UTC`
/// for 0.
std::string offset_text(std::int32_t offset);
/// Returns the name that a zone has on a date, and its offset from UTC then: `Eastern Daylight Time (UTC-04:00)`, `UTC`
/// for UTC, and only the offset for a zone without a name.
std::string zone_text(const TimeZone& zone);
/// Returns this text for a zone at a time in nanoseconds since 1970 (UTC).
std::string zone_text(const Zone& zone, std::int64_t time);

}  // namespace hkpd
