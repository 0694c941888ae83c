// The meaning of a counter's values: how much of something there is, or only which one of several.
#pragma once

#include <cstdint>
#include <string_view>

namespace hkpd {

/// The meaning of a larger value of a counter.
enum class Meaning : std::uint8_t {
    amount,  ///< more of something
    code,    ///< something else: a state, a reason, a priority, an id or an address
    clock,   ///< that time has passed: Elapsed Time and System Up Time grow whatever happens
};

/// Returns the meaning of a counter's cooked values. `type`: the counter type. `name`: the counter's English name, in
/// any case. Rates, percentages and averages are amounts, whatever their names; a counter whose type and name
/// state nothing is one, too.
Meaning meaning_of(std::uint32_t type, std::string_view name) noexcept;

}  // namespace hkpd
