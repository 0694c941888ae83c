// The simulated machine's clocks.
#pragma once

#include <cstdint>

#include "hkpd/time.hpp"
#include "simulate/activity.hpp"

namespace hkpd::simulation {

/// Clocks that count in ticks from the boot, which was one to nine days before the start.
class MachineClock {
  public:
    /// `start`: nanoseconds since 1970 (UTC).
    MachineClock(std::uint64_t seed, std::int64_t start) noexcept;

    /// Returns the time `elapsed` nanoseconds after the start.
    Ticks at(std::int64_t elapsed) const noexcept { return start_ + static_cast<Ticks>(elapsed) / 100; }
    /// Returns a time as FILETIME: 100 ns since 1601 (UTC).
    std::uint64_t filetime(Ticks time) const noexcept { return boot_ + time; }
    Moment moment(Ticks time) const noexcept;
    /// Returns the second of the minute.
    std::uint32_t second(Ticks time) const noexcept;
    /// Returns the time from which counters of 4 bytes count, as if they had wrapped then: an hour before the start. If
    /// they counted from the boot, they would soon wrap again.
    Ticks wrapped() const noexcept { return start_ - 3600 * tick_second; }

  private:
    Ticks start_;
    std::uint64_t boot_, performance_offset_;
};

}  // namespace hkpd::simulation
