#include "simulate/machine_clock.hpp"

#include "base/time.hpp"

namespace hkpd::simulation {
namespace {

constexpr Ticks day = 86'400 * tick_second;

}  // namespace

MachineClock::MachineClock(std::uint64_t seed, std::int64_t start) noexcept
    : start_(pick(mix(seed, 1), day, 9 * day)),
      boot_(static_cast<std::uint64_t>(filetime_of_1970 + start / filetime_unit) - start_),
      performance_offset_(mix(seed, 3) % (10 * tick_second)) {}

Moment MachineClock::moment(Ticks time) const noexcept {
    const auto filetime = static_cast<std::int64_t>(this->filetime(time));
    return {.system_time = system_time_at((filetime - filetime_of_1970) * filetime_unit),
            .perf_time = static_cast<std::int64_t>(performance_offset_ + time),
            .perf_frequency = tick_second,
            .perf_time_100ns = filetime};
}

std::uint32_t MachineClock::second(Ticks time) const noexcept { return moment(time).system_time.second; }

}  // namespace hkpd::simulation
