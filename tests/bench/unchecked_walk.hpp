// The baseline of the speed targets: a walk of a careless reader over a valid block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

/// Returns the sum of all values of a little-endian V1 block with counters of 4 and 8 bytes only. Believes every length
/// and offset, and reads each definition again for each instance. Never inlined.
std::uint64_t unchecked_walk(const std::byte* block);

}  // namespace bench
