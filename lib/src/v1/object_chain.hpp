// The chain of objects in a V1 block: where each begins and ends, also where lengths lie.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hkpd/v1.hpp"

namespace hkpd {
class FaultSink;
}

namespace hkpd::v1 {

/// What `follow` has to know of the block.
struct ChainPlan {
    Bytes input;  ///< the whole input, from the block's header on
    ByteOrder order{};
    std::uint64_t start = 0;      ///< of the first object, from the start of the input
    std::uint64_t end = 0;        ///< of the block; may lie behind the input's end
    std::uint32_t announced = 0;  ///< NumObjectTypes
};

/// How far the TotalByteLength fields lead from `start`, over at most `count` plausible objects.
struct Walk {
    std::uint64_t end = 0;
    std::uint32_t count = 0;
};
Walk walk_lengths(Bytes input, ByteOrder order, std::uint64_t start, std::uint32_t count) noexcept;

/// Where a chain of objects begins that leads to the end of the plan, looked for from `plan.start` on: one of as many
/// objects as announced, or, if `any` is set, else of any number.
std::optional<std::uint64_t> find_chain(const ChainPlan& plan, bool any);

/// Whether the bytes at `at` read as the header of an object: its own lengths agree with each other.
bool plausible_object(Bytes input, ByteOrder order, std::uint64_t at) noexcept;

/// Fills `objects` and reports every fault of the chain. An object whose TotalByteLength is wrong, or that is ruined,
/// costs at most itself: those behind it are found by looking for a chain that ends where the block ends.
void follow_chain(const ChainPlan& plan, std::vector<ObjectEntry>& objects, const FaultSink& faults);

/// Reports bytes that no structure claims: a note where they are zero, a warning where they hold something.
void report_leftover(Bytes bytes, std::string_view structure, std::uint32_t object, const FaultSink& faults);

}  // namespace hkpd::v1
