// The interface of every fuzz target: takes one input, and ends the program if a property does not hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace hkpd_fuzz {

/// Requires a property of the code under test, not of the input.
inline void require(bool holds, std::source_location place = std::source_location::current()) {
    if (holds) return;
    std::fprintf(stderr, "%s:%u: a property does not hold\n", place.file_name(), static_cast<unsigned>(place.line()));
    std::abort();
}

}  // namespace hkpd_fuzz
