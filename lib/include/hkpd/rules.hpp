// What stands behind a fault: the rule that it breaks, and what Windows itself logs of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hkpd/error.hpp"

namespace hkpd {

/// The rule that faults of a code break, as a sentence for people; empty where the code is about the reading itself
/// (limits, files that cannot be read), not about what was read. A string literal.
std::string_view rule_of(Errc code) noexcept;

/// The id of the event that Perflib writes to Windows' application log when it finds such a fault in what an extensible
/// counter DLL has returned; none where it does not look for it. Perflib adds up lengths (Microsoft, "Performance
/// Library Availability"): 1003 is about objects, 1004 about instances with their counter blocks.
std::optional<std::uint32_t> perflib_event(const Error& error) noexcept;

}  // namespace hkpd
