// The programs that run on the simulated machine: those that every Windows runs, and some that users start.
#pragma once

#include <cstdint>
#include <string_view>

namespace hkpd::simulation {

struct Program {
    std::string_view name;   ///< as in the object Process, without `.exe`
    std::uint32_t priority;  ///< Priority Base
};

/// Slots in the list of processes whose processes create others.
inline constexpr std::uint32_t system_slot = 0, session_manager_slot = 1, init_slot = 3, services_slot = 6,
                               explorer_slot = 9;

/// Returns whether the processes in a slot end and are replaced by new ones.
constexpr bool is_short_lived(std::uint32_t slot) noexcept { return slot > explorer_slot && slot % 8 == 5; }

/// Returns the program in a slot: for a lasting process always the same, otherwise chosen by a random number.
const Program& program_at(std::uint32_t slot, std::uint64_t random) noexcept;
/// Returns the slot of the process that started it.
std::uint32_t creator_of(std::uint32_t slot, const Program& program) noexcept;

}  // namespace hkpd::simulation
