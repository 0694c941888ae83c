// The chain of results in a V2 block: where each begins and ends, also where lengths lie.
#pragma once

#include <cstdint>
#include <vector>

#include "hkpd/v2.hpp"

namespace hkpd {
class FaultSink;
}

namespace hkpd::v2 {

/// What `follow_results` has to know of the block.
struct ResultPlan {
    Bytes input;                  ///< the whole input, from the block's header on
    std::uint64_t end = 0;        ///< of the block; may lie behind the input's end
    std::uint32_t announced = 0;  ///< dwNumCounters
};

/// How far the dwSize fields lead from `at`, over at most `count` plausible results.
struct Walk {
    std::uint64_t end = 0;
    std::uint32_t count = 0;
};
Walk walk_results(Bytes input, std::uint64_t at, std::uint32_t count) noexcept;

/// Fills `results` and reports every fault of the chain. A result whose dwSize is wrong costs at most itself if behind
/// it a chain is found that ends where the block ends.
void follow_results(const ResultPlan& plan, std::vector<ResultEntry>& results, const FaultSink& faults);

}  // namespace hkpd::v2
