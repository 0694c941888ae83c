// Blocks of both interfaces as one input: read by the target `compare`, written by its seeds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd_fuzz {

/// A block of V1 or V2.
struct BlockPart {
    bool v2 = false;
    std::span<const std::uint8_t> bytes;
};
inline constexpr std::size_t most_blocks = 8;

/// Returns a part as `split_blocks` reads it: its interface in one byte, its size in two, and the block.
inline std::string block_part(bool v2, std::span<const std::byte> block) {
    std::string part{static_cast<char>(v2 ? 1 : 0), static_cast<char>(block.size() & 0xFFU),
                     static_cast<char>(block.size() >> 8U)};
    return part.append(reinterpret_cast<const char*>(block.data()), block.size());
}

/// Returns the parts of any bytes; the last one ends where they end.
inline std::vector<BlockPart> split_blocks(std::span<const std::uint8_t> input) {
    constexpr std::size_t head = 3;
    std::vector<BlockPart> parts;
    while (input.size() >= head && parts.size() < most_blocks) {
        const bool v2 = (input[0] & 1U) != 0;
        const std::size_t size = input[1] + std::size_t{256} * input[2];
        input = input.subspan(head);
        parts.push_back({v2, input.first(std::min(size, input.size()))});
        input = input.subspan(parts.back().bytes.size());
    }
    return parts;
}

}  // namespace hkpd_fuzz
