// SYSTEMTIME: as it lies in a structure, eight 16-bit fields, and of a moment.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "hkpd/bytes.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

/// The SYSTEMTIME at the front of `field`, whose 16 bytes the caller has checked.
inline SystemTime read_system_time(Bytes field, ByteOrder order) noexcept {
    const auto part = [&](std::size_t i) { return load<std::uint16_t>(field.at(2 * i), order); };
    return {part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7)};
}

/// Of a moment in nanoseconds since 1970 (UTC), to the millisecond.
inline SystemTime system_time_at(std::int64_t unix_nanoseconds) noexcept {
    using std::chrono::floor;
    const std::chrono::sys_time<std::chrono::milliseconds> now{
        floor<std::chrono::milliseconds>(std::chrono::nanoseconds{unix_nanoseconds})};
    const auto date_begin = floor<std::chrono::days>(now);
    const std::chrono::year_month_day date{date_begin};
    const std::chrono::hh_mm_ss clock{now - date_begin};
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

}  // namespace hkpd
