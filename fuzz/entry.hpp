// What every fuzz target defines: takes one input, and ends the program where a property does not hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace hkpd_fuzz {

/// A property of the code under test, not of the input.
inline void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace hkpd_fuzz
