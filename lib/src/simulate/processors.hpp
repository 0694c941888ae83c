// The processors of the simulated machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/activity.hpp"
#include "simulate/machine_clock.hpp"
#include "simulate/workload.hpp"

namespace hkpd::simulation {

/// The state of a processor. Times and transitions are totals since the boot.
struct Processor {
    Ticks idle = 0, user = 0, privileged = 0;  ///< sum: the time since the boot
    Ticks dpc = 0, interrupt = 0;              ///< parts of `privileged`
    Ticks c1 = 0, c2 = 0;                      ///< parts of `idle`
    std::uint64_t c1_transitions = 0, c2_transitions = 0;
    std::uint64_t interrupts = 0, clock_interrupts = 0, dpcs = 0;  ///< since `MachineClock::wrapped`
    std::uint32_t dpc_rate = 0;                                    ///< in the last clock interval
    std::uint32_t frequency_percent = 100;

    Ticks busy() const noexcept { return user + privileged; }
};

/// Returns the total of all processors, computed as Windows does: times, percentages and rates are means, counts are
/// sums.
Processor total_of(std::span<const Processor> processors) noexcept;

/// The processors. Each processor runs its share of the processes, and the system's own work: interrupts, deferred
/// procedure calls and kernel threads.
class Processors {
  public:
    /// Creates `count` processors, or one if `count` is 0.
    Processors(std::uint64_t seed, std::uint32_t count, const MachineClock& clock);

    std::vector<Processor> at(Ticks now, const Usage& processes) const;
    /// Returns the time that all processors together have spent on the system's own work from the boot to `now`.
    Ticks system_time(Ticks now) const noexcept;
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(each_.size()); }

  private:
    struct Each {
        Activity activity;  // of the system's own work
        Level level;
        Share share = 0;    // this processor's share of the processor time of all processes
        Share varying = 0;  // average share of the time that the varying part of the system's own work takes
        std::uint64_t interrupt_rate = 0, dpc_rate = 0;
        Ticks active_wrapped = 0;
    };
    static Ticks own_time(const Each& each, Ticks now) noexcept;

    Ticks wrapped_;
    std::vector<Each> each_;
};

}  // namespace hkpd::simulation
