// The programs that run on the simulated machine: system processes, services, and programs that users start.
#pragma once

#include <cstdint>
#include <string_view>

namespace hkpd::simulation {

struct Program {
    std::string_view name;   ///< instance name in the object Process, without `.exe`
    std::uint32_t priority;  ///< value of the counter Priority Base
};

/// Slots (positions in the list of processes) of the processes that start other processes.
inline constexpr std::uint32_t system_slot = 0, session_manager_slot = 1, init_slot = 3, services_slot = 6,
                               explorer_slot = 9;

/// Returns whether processes in a slot end, each replaced by a new process in the same slot.
constexpr bool is_short_lived(std::uint32_t slot) noexcept { return slot > explorer_slot && slot % 8 == 5; }

/// Returns the program in a slot. For slots up to `explorer_slot`, the program is always the same; for other slots,
/// `random` selects it.
const Program& program_at(std::uint32_t slot, std::uint64_t random) noexcept;
/// Returns the slot of a process's creator. The process runs `program` in `slot`; the creator is the process that
/// started it.
std::uint32_t creator_of(std::uint32_t slot, const Program& program) noexcept;

}  // namespace hkpd::simulation
