// Orders lists of numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hkpd {

/// Orders lists element by element, for ordered containers. On big-endian machines, the operators of `std::vector`
/// cannot be used for numbers of more than one byte: GCC 12's library compares as many bytes as there are elements, so
/// that it takes lists for equal that differ only after these bytes.
struct ListOrder {
    bool operator()(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) const noexcept {
        return std::ranges::lexicographical_compare(a, b);
    }
};

}  // namespace hkpd
