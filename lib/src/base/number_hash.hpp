// A hash of 64-bit numbers for unordered containers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hkpd {

/// Returns a hash of a hash and one more number. Different orders of the same numbers give different hashes.
constexpr std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t more) noexcept {
    constexpr std::uint64_t factor = 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
    hash = (hash ^ more) * factor;
    return hash ^ hash >> 32U;
}

/// Hashes a number of 64 bits, all of which count. Where `std::size_t` has 32 bits, `std::hash` ignores the upper half,
/// so that all keys that differ only there have the same hash.
struct NumberHash {
    std::size_t operator()(std::uint64_t number) const noexcept {
        if constexpr (sizeof(std::size_t) >= sizeof number) return static_cast<std::size_t>(number);
        constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio
        return static_cast<std::size_t>((number * factor) >> 32U);
    }
};

}  // namespace hkpd
