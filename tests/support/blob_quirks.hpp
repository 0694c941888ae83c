// Turns a block into the variants that unusual producers write: Samba, Wine, and a provider of the Windows XP era.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/blob_builder.hpp"

namespace blob {

/// Returns the block as Samba writes it: the header is 8 bytes too long if the name ends on a multiple of 8, and
/// TotalByteLength does not count the header.
inline Blob samba_like(const Block& block) {
    const std::size_t name = block.machine.empty() ? 0 : 2 * block.machine.size() + 2;
    Blob blob = Builder(block).build(name % 8 == 0 ? 8 : 0);
    blob.add32(data_block::TotalByteLength, 0 - blob.get32(data_block::HeaderLength));
    return blob;
}

/// Returns the block as Wine writes it: the objects begin 88 bytes after HeaderLength, and TotalByteLength does not
/// count these bytes.
inline Blob wine_like(const Block& block, std::uint8_t stray = 0xCC) {
    Blob blob = build(block);
    blob.insert(blob.get32(data_block::HeaderLength), data_block::size, stray);
    return blob;
}

/// Returns the block as a provider of the Windows XP era wrote it: the last counter block of object `k` claims to be
/// `length` bytes long, and its values continue after that.
inline Blob xp_like(const Block& block, std::size_t k, std::size_t instance, std::uint32_t length) {
    Blob blob = build(block);
    blob.put32(blob.counter_block(k, instance), length);
    return blob;
}

}  // namespace blob
