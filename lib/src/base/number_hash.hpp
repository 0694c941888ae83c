// A hash of 64-bit numbers for unordered containers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hkpd {

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
