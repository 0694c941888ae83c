// Turns a block into what producers with a mind of their own make of it: Samba, Wine, and a provider of XP's days.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/blob_builder.hpp"

namespace blob {

/// As Samba writes it: 8 bytes too much of header where the name ends on a multiple of 8, and a TotalByteLength that
/// leaves the header out.
inline Blob samba_like(const Block& block) {
    const std::size_t name = block.machine.empty() ? 0 : 2 * block.machine.size() + 2;
    Blob blob = Builder(block).build(name % 8 == 0 ? 8 : 0);
    blob.add32(data_block::TotalByteLength, 0 - blob.get32(data_block::HeaderLength));
    return blob;
}

/// As Wine writes it: the objects begin 88 bytes behind HeaderLength, and TotalByteLength does not count these.
inline Blob wine_like(const Block& block, std::uint8_t stray = 0xCC) {
    Blob blob = build(block);
    blob.insert(blob.get32(data_block::HeaderLength), data_block::size, stray);
    return blob;
}

/// As some provider of XP's days did: the last counter block of object `k` claims to be `length` bytes long, and its
/// values go on behind that.
inline Blob xp_like(const Block& block, std::size_t k, std::size_t instance, std::uint32_t length) {
    Blob blob = build(block);
    blob.put32(blob.counter_block(k, instance), length);
    return blob;
}

}  // namespace blob
