// The processes of the simulated machine and what they do.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simulate/activity.hpp"
#include "simulate/machine_clock.hpp"

namespace hkpd::simulation {

/// The size of a page of memory, and a mebibyte, in bytes. The simulated processes allocate memory in pages.
inline constexpr std::uint64_t page_size = 4096, mebibyte = 1 << 20;

/// Numbers of events: rates (in 1000 seconds of activity) or counts.
struct Events {
    std::uint64_t context_switches = 0, system_calls = 0, page_faults = 0, exceptions = 0;
    std::uint64_t reads = 0, writes = 0, others = 0;
    std::uint64_t read_bytes = 0, write_bytes = 0, other_bytes = 0;
};

/// A thread of a process.
struct Thread {
    Share share = 0;           ///< share of the activity of the process
    std::uint64_t random = 0;  ///< random number from which other properties follow
};

/// A process at one moment.
struct Process {
    std::string_view name;
    std::uint32_t id = 0, creator = 0, priority = 0;
    Ticks started = 0;
    Ticks user = 0, privileged = 0;  ///< processor time
    /// Numbers of system calls, page faults and other events since the start of the process. Events that are counted in
    /// 4 bytes are counted from `MachineClock::wrapped` on if the process started before that time.
    Events events;
    std::uint64_t working_set = 0, working_set_peak = 0, working_set_private = 0;
    std::uint64_t private_bytes = 0, private_peak = 0, virtual_bytes = 0, virtual_peak = 0;
    std::uint32_t pool_paged = 0, pool_nonpaged = 0, handles = 0;
    std::span<const Thread> threads;
    std::uint32_t first_thread_id = 0;  ///< id of thread 0; thread i has this id + 4 × i
};

/// The state of the simulated work: the processes, except Idle, and what the counters of the system count, such as page
/// faults and reads. These counts include those of processes that have ended.
struct WorkloadState {
    std::vector<Process> processes;  ///< all processes; System is the first
    /// Events since the boot. Events that are counted in 4 bytes are counted from `MachineClock::wrapped` on.
    Events events;
};

/// Processor time that all processes except System have used since the boot.
struct Usage {
    Ticks user = 0, privileged = 0;
};

/// The processes of the machine, each in a slot. When a process ends, another process starts in the same slot. The load
/// is a property of the slot, not of the process that runs in it. Totals since the boot can therefore be computed
/// without the processes that have ended.
class Workload {
  public:
    /// Creates `processes` slots, at least one, and `threads` threads, at least one for each slot.
    Workload(std::uint64_t seed, std::uint32_t cpus, std::uint32_t processes, std::uint32_t threads,
             const MachineClock& clock);

    Usage usage(Ticks now) const noexcept;
    /// Returns the state at a time. `system_time`: time that the processors have spent on the system's own work since
    /// the boot.
    WorkloadState at(Ticks now, Ticks system_time) const;

    std::uint32_t processes() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }
    std::uint32_t threads() const noexcept { return static_cast<std::uint32_t>(threads_.size()); }
    /// Returns a size that the sum of all working sets never exceeds.
    std::uint64_t most_memory() const noexcept;

  private:
    struct Slot {
        std::uint64_t seed = 0, intensity = 0;
        Activity activity;
        Level level;
        Share processor = 0;   // average use of one processor by the process in the slot
        Share privileged = 0;  // share of the used processor time that is in privileged mode
        Events rates;
        // Each process in the slot lives for `period`. A process starts whenever the time plus `phase` is a multiple of
        // `period`. If `period` is 0, the process in the slot never ends.
        Ticks period = 0, phase = 0;
        Ticks started = 0;  // start of a process that never ends
        std::uint32_t first_thread = 0, threads = 0;
        Ticks active_wrapped = 0;
    };
    Slot make_slot(std::uint64_t seed, std::uint32_t index, const MachineClock& clock) const noexcept;
    void share_processors(std::uint32_t cpus) noexcept;
    void share_threads(std::uint32_t threads);
    Process process(std::uint32_t index, Ticks now, Ticks active) const noexcept;
    std::uint32_t process_id(std::uint32_t index, std::uint64_t life) const noexcept;
    std::uint32_t thread_id(std::uint32_t index, std::uint64_t life) const noexcept;

    Ticks wrapped_;
    std::uint32_t id_places_, id_shift_;
    std::vector<Slot> slots_;
    std::vector<Thread> threads_;
};

}  // namespace hkpd::simulation
