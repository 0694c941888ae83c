// How the values of the live tests' providers follow from where they stand and from how often was collected.
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

/// Counts collections: the first counter of each object and counterset of these tests, so that its values tell which
/// others belong to them.
inline constexpr Progression collections{0, 0, 1};

/// What an object of V1 and a counterset both have: values that do not depend on when they are collected.
inline constexpr Progression twin_level{1'000'000'007, 13, 0}, twin_total{0x1'2345'6789, 0x1'0000'0000, 0};

}  // namespace live
