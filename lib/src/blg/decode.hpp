// Structures of performance logs, copied out of checked slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "blg/layout.hpp"
#include "hkpd/bytes.hpp"

namespace hkpd::blg {

/// Structure that all faults of records name.
inline constexpr std::string_view record_structure = "performance log record";

/// Returns the structure at `offset`; none if the input does not hold all of it.
template <class Wire>
    requires std::is_trivially_copyable_v<Wire>
std::optional<Wire> wire_at(Bytes input, std::uint64_t offset) noexcept {
    if (!input.contains(offset, sizeof(Wire))) return std::nullopt;
    Wire wire;
    std::memcpy(&wire, input.at(offset), sizeof wire);
    return wire;
}

/// Returns a FILETIME that is stored as two halves, unaligned.
inline std::int64_t filetime(const layout::lu32& low, const layout::lu32& high) noexcept {
    return static_cast<std::int64_t>(std::uint64_t{high.value()} << 32U | low.value());
}

/// Returns `size` rounded up to a multiple of 8.
constexpr std::uint64_t aligned(std::uint64_t size) noexcept { return (size + 7) & ~std::uint64_t{7}; }

}  // namespace hkpd::blg
