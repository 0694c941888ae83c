// What the speed targets are measured against: the walk of a careless reader over a sound block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

/// The sum of all values of a little-endian V1 block with counters of 4 and 8 bytes only. Believes every length and
/// offset, and reads each definition anew for each instance. Never inlined.
std::uint64_t unchecked_walk(const std::byte* block);

}  // namespace bench
