// Reads and converts SYSTEMTIME and FILETIME, measures durations, and returns names such as `UTC-08:00` for the offsets
// of time zones.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "hkpd/bytes.hpp"
#include "hkpd/time.hpp"

namespace hkpd {

/// Returns the SYSTEMTIME at the front of `field`. The caller has checked that `field` has at least 16 bytes.
inline SystemTime read_system_time(Bytes field, ByteOrder order) noexcept {
    const auto part = [&](std::size_t i) { return load<std::uint16_t>(field.at(2 * i), order); };
    return {part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7)};
}

/// Returns a moment, with a resolution of milliseconds, as SYSTEMTIME.
inline SystemTime system_time_of(std::chrono::sys_time<std::chrono::milliseconds> moment) noexcept {
    const auto date_begin = std::chrono::floor<std::chrono::days>(moment);
    const std::chrono::year_month_day date{date_begin};
    const std::chrono::hh_mm_ss clock{moment - date_begin};
    const auto word = [](auto value) { return static_cast<std::uint16_t>(value); };
    return {.year = word(static_cast<int>(date.year())),
            .month = word(static_cast<unsigned>(date.month())),
            .day_of_week = word(std::chrono::weekday{date_begin}.c_encoding()),
            .day = word(static_cast<unsigned>(date.day())),
            .hour = word(clock.hours().count()),
            .minute = word(clock.minutes().count()),
            .second = word(clock.seconds().count()),
            .milliseconds = word(clock.subseconds().count())};
}

/// Returns the time from one moment to another in nanoseconds, limited to the range of 64 bits, which the difference of
/// two moments can exceed. 0 if `to` is before `from`.
constexpr std::int64_t time_between(std::int64_t from, std::int64_t to) noexcept {
    if (to <= from) return 0;
    const std::uint64_t difference = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(difference, most));
}

/// Returns the moment that is `by` nanoseconds after another (before it, if negative), limited to the range of 64 bits.
constexpr std::int64_t moved_time(std::int64_t time, std::int64_t by) noexcept {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           most = std::numeric_limits<std::int64_t>::max();
    if (by > 0) return time > most - by ? most : time + by;
    return time < least - by ? least : time + by;
}

// FILETIME: 100 ns since 1601-01-01 (UTC). Source: Microsoft Learn, FILETIME structure.
inline constexpr std::int64_t filetime_unit = 100;  ///< in nanoseconds
inline constexpr std::int64_t filetime_minute = 600'000'000;
inline constexpr std::int64_t filetime_of_1970 = 116'444'736'000'000'000;

/// Returns a FILETIME as nanoseconds since 1970 (UTC). A time before the range of 64-bit nanoseconds becomes the
/// earliest FILETIME in this range. Returns none for a time after the range, for a negative FILETIME, and for FILETIME
/// 0, which means that there is no time.
constexpr std::optional<std::int64_t> unix_nanoseconds(std::int64_t filetime) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / filetime_unit;
    if (filetime <= 0 || filetime - filetime_of_1970 > most) return std::nullopt;
    return std::max(filetime - filetime_of_1970, -most) * filetime_unit;
}

/// A timer that starts when it is constructed.
class Stopwatch {
  public:
    std::uint64_t nanoseconds() const {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - since_).count());
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point since_ = Clock::now();
};

/// Returns a name such as `UTC-08:00` for a bias (UTC minus local time) in minutes.
inline std::string offset_name(std::int32_t bias) {
    const std::int32_t ahead = std::abs(bias);
    return fmt::format("UTC{}{:02}:{:02}", bias > 0 ? '-' : '+', ahead / 60, ahead % 60);
}

}  // namespace hkpd
