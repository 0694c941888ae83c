// The simulated machine's clocks.
#pragma once

#include <cstdint>

#include "hkpd/time.hpp"
#include "simulate/activity.hpp"

namespace hkpd::simulation {

/// Counts in ticks from the boot, which was one to nine days before the start.
class MachineClock {
  public:
    /// `start`: nanoseconds since 1970 (UTC).
    MachineClock(std::uint64_t seed, std::int64_t start) noexcept;

    /// The time that is `elapsed` nanoseconds behind the start.
    Ticks at(std::int64_t elapsed) const noexcept { return start_ + static_cast<Ticks>(elapsed) / 100; }
    /// As FILETIME: 100 ns since 1601 (UTC).
    std::uint64_t filetime(Ticks time) const noexcept { return boot_ + time; }
    Moment moment(Ticks time) const noexcept;
    /// Second of the minute.
    std::uint32_t second(Ticks time) const noexcept;
    /// From when on counters of 4 bytes count, as though they had wrapped around then: an hour before the start. They
    /// would soon wrap again if they counted from the boot on.
    Ticks wrapped() const noexcept { return start_ - 3600 * tick_second; }

  private:
    Ticks start_;
    std::uint64_t boot_, performance_offset_;
};

}  // namespace hkpd::simulation
