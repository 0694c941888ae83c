#include "simulate/machine_clock.hpp"

#include <chrono>

#include "filetime.hpp"

namespace hkpd::simulation {
namespace {

constexpr Ticks day = 86'400 * tick_second;

}  // namespace

MachineClock::MachineClock(std::uint64_t seed, std::int64_t start) noexcept
    : start_(pick(mix(seed, 1), day, 9 * day)),
      boot_(static_cast<std::uint64_t>(filetime_of_1970 + start / filetime_unit) - start_),
      performance_offset_(mix(seed, 3) % (10 * tick_second)) {}

Moment MachineClock::moment(Ticks time) const noexcept {
    using std::chrono::floor;
    const auto filetime = static_cast<std::int64_t>(this->filetime(time));
    const std::chrono::sys_time<std::chrono::milliseconds> now{
        floor<std::chrono::milliseconds>(std::chrono::nanoseconds{(filetime - filetime_of_1970) * filetime_unit})};
    const auto date_begin = floor<std::chrono::days>(now);
    const std::chrono::year_month_day date{date_begin};
    const std::chrono::hh_mm_ss clock{now - date_begin};
    const auto word = [](auto value) { return static_cast<std::uint16_t>(value); };
    const SystemTime system_time{.year = word(static_cast<int>(date.year())),
                                 .month = word(static_cast<unsigned>(date.month())),
                                 .day_of_week = word(std::chrono::weekday{date_begin}.c_encoding()),
                                 .day = word(static_cast<unsigned>(date.day())),
                                 .hour = word(clock.hours().count()),
                                 .minute = word(clock.minutes().count()),
                                 .second = word(clock.seconds().count()),
                                 .milliseconds = word(clock.subseconds().count())};
    return {.system_time = system_time,
            .perf_time = static_cast<std::int64_t>(performance_offset_ + time),
            .perf_frequency = tick_second,
            .perf_time_100ns = filetime};
}

std::uint32_t MachineClock::second(Ticks time) const noexcept { return moment(time).system_time.second; }

}  // namespace hkpd::simulation
