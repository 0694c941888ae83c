// Names and units of what processes use.
#pragma once

#include <array>
#include <string_view>

#include "hkpd/answers.hpp"
#include "quantity/unit.hpp"

namespace hkpd {

/// Names and units of uses, in the order of `ProcessUse`.
inline constexpr std::array<std::string_view, process_uses> use_names{"CPU", "working set", "private bytes", "handles",
                                                                      "I/O"};
inline constexpr std::array use_units{Unit::percent, Unit::bytes, Unit::bytes, Unit::none, Unit::bytes_per_second};

}  // namespace hkpd
