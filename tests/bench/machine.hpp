// The machine that the benchmarks decode, as V1 block bytes: 80 plain objects of 20 counters, Process with 28 counters
// and Thread with 13, sixteen threads per process. Written directly into memory, which takes less than a second for 49
// MB; for blocks with faults see blob_builder.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

using Blob = std::vector<std::byte>;

/// Values of the machine that fits the cache (250 processes, 4,000 threads; 650 KB), and of the one that does not (49
/// MB).
inline constexpr std::size_t small_values = 60'600, large_values = 5'000'000;

/// Returns a block of about `values` values. The same bytes every time.
Blob machine(std::size_t values);
/// Returns the number of values in a block of `machine`.
std::size_t count_values(const Blob& block);

/// Turns a block of `machine` into the next sample, about one second later: a quarter of the values of each object has
/// increased a little, others each time, and all of them of increasing counters.
void advance(Blob& block);

/// Returns a block of `objects` plain objects of 20 counters and nothing else.
Blob plain_objects(std::size_t objects);

}  // namespace bench
