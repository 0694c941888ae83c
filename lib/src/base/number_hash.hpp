// Hashes of 64-bit numbers and of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hkpd {

/// Returns a hash of a hash and one more number. Different orders of the same numbers give different hashes.
constexpr std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t more) noexcept {
    constexpr std::uint64_t factor = 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
    hash = (hash ^ more) * factor;
    return hash ^ hash >> 32U;
}

/// The state of a hash FNV-1a (Fowler, Noll, Vo; RFC 9923) of 32 or 64 bits. It is the same on all systems.
template <class Number>
class FnvHash {
  public:
    /// Continues the hash with the bytes of a text.
    constexpr FnvHash& add(std::string_view text) noexcept {
        for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * prime;
        return *this;
    }
    constexpr Number value() const noexcept { return value_; }

  private:
    static constexpr bool is_wide = sizeof(Number) == sizeof(std::uint64_t);
    static constexpr auto prime = static_cast<Number>(is_wide ? 0x100'0000'01B3 : 0x0100'0193);
    Number value_ = static_cast<Number>(is_wide ? 0xCBF2'9CE4'8422'2325 : 0x811C'9DC5);
};

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
