// The simulated machine's clocks.
#pragma once

#include <cstdint>

#include "hkpd/time.hpp"
#include "simulate/activity.hpp"

namespace hkpd::simulation {

/// The clocks of a machine. They count in ticks from the boot, which was one to nine days before the start of the
/// simulation.
class MachineClock {
  public:
    /// `start`: the start of the simulation, in nanoseconds since 1970 (UTC).
    MachineClock(std::uint64_t seed, std::int64_t start) noexcept;

    /// Returns the time that is `elapsed` nanoseconds after the start of the simulation.
    Ticks at(std::int64_t elapsed) const noexcept { return start_ + static_cast<Ticks>(elapsed) / 100; }
    /// Returns a time as FILETIME: 100 ns since 1601 (UTC).
    std::uint64_t filetime(Ticks time) const noexcept { return boot_ + time; }
    Moment moment(Ticks time) const noexcept;
    /// Returns the seconds of a time within the minute, 0 to 59.
    std::uint32_t second(Ticks time) const noexcept;
    /// Returns the time from which counters of 4 bytes count: one hour before the start of the simulation. These
    /// counters behave as if they had wrapped to 0 at that time. If they counted from the boot, some of them would wrap
    /// soon after the start of the simulation.
    Ticks wrapped() const noexcept { return start_ - 3600 * tick_second; }

  private:
    Ticks start_;
    std::uint64_t boot_, performance_offset_;
};

}  // namespace hkpd::simulation
