// Mutates inputs of the target v2_data: identifiers and block are walked by their stored lengths, as far as they make
// sense, and a field or a structure is changed. Offsets: perflib.h.
#include "mutation.hpp"

namespace {

using namespace hkpd_fuzz;

constexpr std::size_t most_parts = 512;

class BlockWalk {
  public:
    explicit BlockWalk(const Mutant& mutant) : mutant_(mutant) {
        const bool identified = (mutant.number(0, 1) & 2U) != 0;
        const std::size_t block = 2 + (identified ? mutant.number(1, 1) * 8 : 0);
        walk_identifiers(2, block);
        for (const std::size_t at : {0U, 4U}) field(block + at);
        for (const std::size_t at : {8U, 16U, 24U}) outline.fields.push_back({block + at, 8});
        std::size_t at = block + 48;
        for (std::uint32_t left = mutant.u32(block + 4); left != 0; --left) {
            const std::size_t length = mutant.u32(at + 8);
            if (length < 16 || at + length > mutant.size() || full()) break;
            outline.parts.push_back({at, length, {block}, {block + 4}, 0});
            for (const std::size_t part : {0U, 4U, 8U}) field(at + part);
            walk_result(block, at, at + length);
            at += length;
        }
    }
    Outline outline;

  private:
    void field(std::size_t at) { outline.fields.push_back({at, 4}); }
    bool full() const { return outline.parts.size() > most_parts; }

    /// Walks PERF_COUNTER_IDENTIFIER.
    void walk_identifiers(std::size_t at, std::size_t end) {
        while (at + 40 <= end) {
            for (const std::size_t part : {0U, 16U, 20U, 24U, 28U, 32U}) field(at + part);
            const std::size_t length = mutant_.u32(at + 20);
            if (length < 40) break;
            at += length;
        }
    }

    void walk_result(std::size_t block, std::size_t result, std::size_t end) {
        const std::uint32_t type = mutant_.u32(result + 4);
        std::size_t at = result + 16;
        std::uint32_t values = 1;
        if (type == 2 || type == 6) {  // PERF_MULTI_COUNTERS
            for (const std::size_t part : {0U, 4U}) field(at + part);
            values = mutant_.u32(at + 4);
            for (std::uint32_t i = 0; i < std::min(values, 64U); ++i) field(at + 8 + 4 * i);
            at += mutant_.u32(at);
        }
        if (type == 1 || type == 2) walk_values(at, end, values);
        if (type != 4 && type != 6) return;
        const std::size_t list = at;  // PERF_MULTI_INSTANCES
        for (const std::size_t part : {0U, 4U}) field(list + part);
        at += 8;
        for (std::uint32_t left = mutant_.u32(list + 4); left != 0 && at + 8 <= end && !full(); --left) {
            const std::size_t header = mutant_.u32(at);
            if (header < 8 || at + header > end) break;
            for (const std::size_t part : {0U, 4U}) field(at + part);
            const std::size_t after = walk_values(at + header, end, values);
            outline.parts.push_back({at, after - at, {block, result + 8, list}, {list + 4}, 1});
            at = after;
        }
    }

    /// Walks PERF_COUNTER_DATA; returns where the last one ends.
    std::size_t walk_values(std::size_t at, std::size_t end, std::uint32_t count) {
        for (; count != 0 && at + 8 <= end && !full(); --count) {
            const std::size_t length = mutant_.u32(at + 4);
            if (length < 8 || at + length > end) break;
            for (const std::size_t part : {0U, 4U, 8U}) field(at + part);
            at += length;
        }
        return at;
    }

    const Mutant& mutant_;
};

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
    Mutant mutant({data, size}, seed);
    if (size < 2 || mutant.below(5) == 0) return LLVMFuzzerMutate(data, size, max_size);
    change_structure(mutant, BlockWalk(mutant).outline);
    return mutant.give(data, max_size);
}
