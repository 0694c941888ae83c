// Mutates inputs that hold V1 blocks: one block is walked by its stored lengths, as far as they make sense, and a
// field, a structure or its byte order is changed. Offsets: winperf.h.
#include <array>

#include "mutation.hpp"

namespace {

using namespace hkpd_fuzz;

constexpr std::size_t most_parts = 512;

/// Returns where blocks begin.
std::vector<std::size_t> find_blocks(std::span<const std::uint8_t> bytes) {
    static constexpr std::array<std::uint8_t, 8> little{'P', 0, 'E', 0, 'R', 0, 'F', 0},
        big{0, 'P', 0, 'E', 0, 'R', 0, 'F'};
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at + 88 <= bytes.size(); ++at) {
        const auto here = bytes.subspan(at, 8);
        if (std::ranges::equal(here, little) || std::ranges::equal(here, big)) found.push_back(at);
    }
    return found;
}

/// Fields and parts of one block.
class BlockWalk {
  public:
    BlockWalk(const Mutant& mutant, std::size_t block) : mutant_(mutant), block_(block) {
        for (const std::size_t at : {8U, 12U, 16U, 20U, 24U, 28U, 32U, 80U, 84U}) field(block + at);
        for (const std::size_t at : {56U, 64U, 72U}) field(block + at, 8);
        for (std::size_t at = 36; at < 52; at += 2) field(block + at, 2);
        std::size_t at = block + mutant.u32(block + 24);
        for (std::uint32_t left = mutant.u32(block + 28); left != 0; --left) {
            const std::size_t length = mutant.u32(at);
            if (length < 64 || at + length > mutant.size() || outline.parts.size() > most_parts) break;
            outline.parts.push_back({at, length, {block + 20}, {block + 28}, 0});
            walk_object(at, at + length);
            at += length;
        }
    }

    Outline outline;
    std::vector<Field> values;  ///< numbers that are no fields, for the byte order

  private:
    void field(std::size_t at, std::size_t width = 4) { outline.fields.push_back({at, width}); }

    void walk_object(std::size_t object, std::size_t end) {
        for (const std::size_t at : {0U, 4U, 8U, 12U, 20U, 28U, 32U, 36U, 40U, 44U}) field(object + at);
        for (const std::size_t at : {48U, 56U}) field(object + at, 8);
        counters_.clear();
        std::size_t at = object + mutant_.u32(object + 8);
        for (std::uint32_t left = mutant_.u32(object + 32); left != 0 && at + 40 <= end; --left) {
            const std::size_t length = mutant_.u32(at);
            if (length < 40 || at + length > end || outline.parts.size() > most_parts) break;
            for (const std::size_t part : {0U, 4U, 12U, 20U, 24U, 28U, 32U, 36U}) field(at + part);
            outline.parts.push_back({at, length, {block_ + 20, object, object + 4}, {object + 32}, 1});
            counters_.push_back({mutant_.u32(at + 36), mutant_.u32(at + 32)});
            at += length;
        }
        at = object + mutant_.u32(object + 4);
        const std::uint32_t instances = mutant_.u32(object + 40);
        if (instances == 0xFFFFFFFF) return walk_block(at, end);
        if (instances > 0x7FFFFFFF) return;
        for (std::uint32_t left = instances; left != 0 && at + 28 <= end; --left) {
            const std::size_t definition = mutant_.u32(at), block = at + definition;
            if (definition < 24 || block + 4 > end || outline.parts.size() > most_parts) break;
            const std::size_t length = definition + mutant_.u32(block);
            if (length < definition + 4 || at + length > end) break;
            for (const std::size_t part : {0U, 4U, 8U, 12U, 16U, 20U}) field(at + part);
            outline.parts.push_back({at, length, {block_ + 20, object}, {object + 40}, 2});
            walk_block(block, end);
            at += length;
        }
    }
    void walk_block(std::size_t block, std::size_t end) {
        if (block + 4 > end) return;
        field(block);
        for (const auto& [offset, size] : counters_)
            if ((size == 4 || size == 8) && values.size() < 4 * most_parts) values.push_back({block + offset, size});
    }

    struct Value {
        std::size_t offset, size;
    };
    const Mutant& mutant_;
    std::size_t block_;
    std::vector<Value> counters_;
};

void turn_byte_order(Mutant& mutant, std::size_t block, const BlockWalk& walk) {
    for (std::size_t at = 0; at < 8; at += 2) mutant.reverse(block + at, 2);
    for (const Field& field : walk.outline.fields) mutant.reverse(field.at, field.width);
    for (const Field& value : walk.values) mutant.reverse(value.at, value.width);
    mutant.put(block + 8, 4, mutant.big_endian ? 0x01000000 : 0);  // LittleEndian, in the previous order
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
    Mutant mutant({data, size}, seed);
    const std::vector<std::size_t> blocks = find_blocks(mutant.bytes());
    if (blocks.empty() || mutant.below(5) == 0) return LLVMFuzzerMutate(data, size, max_size);
    const std::size_t block = mutant.one_of(blocks);
    mutant.big_endian = mutant.bytes()[block] == 0;
    const BlockWalk walk(mutant, block);
    if (mutant.below(64) == 0)
        turn_byte_order(mutant, block, walk);
    else
        change_structure(mutant, walk.outline);
    return mutant.give(data, max_size);
}
