// What runs on the simulated machine: the programs that every Windows runs, and some that people start.
#pragma once

#include <cstdint>
#include <string_view>

namespace hkpd::simulation {

struct Program {
    std::string_view name;   ///< as Process shows it, without `.exe`
    std::uint32_t priority;  ///< Priority Base
};

/// Places in the list of processes behind which creators are found.
inline constexpr std::uint32_t system_slot = 0, session_manager_slot = 1, init_slot = 3, services_slot = 6,
                               explorer_slot = 9;

/// Whether the processes of a place end, and new ones take it.
constexpr bool is_short_lived(std::uint32_t slot) noexcept { return slot > explorer_slot && slot % 8 == 5; }

/// The program at a place: of the lasting ones always the same, else by a random number.
const Program& program_at(std::uint32_t slot, std::uint64_t random) noexcept;
/// The place of the process that has started it.
std::uint32_t creator_of(std::uint32_t slot, const Program& program) noexcept;

}  // namespace hkpd::simulation
