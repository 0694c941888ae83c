// The machine that the benchmarks decode, as V1 block bytes: 80 plain objects of 20 counters, Process with 28 counters
// and Thread with 13, sixteen threads a process. Written straight into memory, which takes less than a second for 49
// MB; for blocks with faults see blob_builder.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

using Blob = std::vector<std::byte>;

/// Values of the machine that fits the cache (250 processes, 4,000 threads; 650 KB), and of the one that does not
/// (49 MB).
inline constexpr std::size_t small_values = 60'600, large_values = 5'000'000;

/// A block of about so many values. The same bytes every time.
Blob machine(std::size_t values);
/// How many values a block of `machine` has.
std::size_t count_values(const Blob& block);

/// Makes a block of `machine` the next sample, about one second later: a quarter of the values of each object has gone
/// up a little, others every time, and all of them counters that count.
void advance(Blob& block);

/// A block with so many plain objects of 20 counters and nothing else.
Blob plain_objects(std::size_t objects);

}  // namespace bench
