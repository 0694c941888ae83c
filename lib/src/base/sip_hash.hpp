// SipHash-2-4, a keyed hash: without the key, neither the hash of a text nor two texts with equal hashes can be
// found. Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), whose test vectors the test has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hkpd {

/// A key of 128 bits: k0 and k1 of the paper.
struct SipKey {
    std::uint64_t k0 = 0, k1 = 0;
};

/// Returns the hash of some bytes.
std::uint64_t sip_hash(const SipKey& key, std::span<const std::byte> bytes) noexcept;

}  // namespace hkpd
