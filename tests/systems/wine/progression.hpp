// Values of the live tests' providers as a function of their place and of the number of collections.
#pragma once

#include <cstdint>

namespace live {

/// The value of instance `row` in collection `n` (1, 2, ...) is `first + row * by_row + n * by_collection`, modulo the
/// counter's size.
struct Progression {
    std::uint64_t first = 0, by_row = 0, by_collection = 0;

    constexpr std::uint64_t at(std::uint64_t row, std::uint64_t n, std::uint32_t size) const noexcept {
        const std::uint64_t value = first + row * by_row + n * by_collection;
        return size == 4 ? value & 0xFFFF'FFFF : value;
    }
};

/// Counts collections: the first counter of each object and counterset of these tests, so that it identifies the values
/// that belong together.
inline constexpr Progression collections{0, 0, 1};

/// Shared by an object of V1 and a counterset: values that do not depend on the time of collection.
inline constexpr Progression twin_level{1'000'000'007, 13, 0}, twin_total{0x1'2345'6789, 0x1'0000'0000, 0};

}  // namespace live
