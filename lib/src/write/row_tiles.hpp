// Rows that are written together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hkpd/cook.hpp"

namespace hkpd {

/// The first of some rows, so many that their values in all columns fit the cache.
inline std::span<const std::uint32_t> first_tile(std::span<const std::uint32_t> rows) noexcept {
    constexpr std::uint32_t most = 1024;
    const auto is_outside = [&rows](std::uint32_t row) { return row < rows.front() || row - rows.front() >= most; };
    return rows.first(static_cast<std::size_t>(std::ranges::find_if(rows, is_outside) - rows.begin()));
}

/// Calls `take` with each tile of some rows and the place of its first row among them.
template <class Take>
void for_each_tile(std::span<const std::uint32_t> rows, Take take) {
    for (std::size_t first = 0; first < rows.size();) {
        const auto tile = first_tile(rows.subspan(first));
        take(tile, first);
        first += tile.size();
    }
}

/// The cooked values of a column in a tile; value i is that of row `tile.front() + i`.
inline CookedColumn cook_tile(Cooker& cooker, std::size_t object, std::size_t column,
                              std::span<const std::uint32_t> tile) {
    return cooker.rows(object, column, tile.front(), std::ranges::max(tile) - tile.front() + std::size_t{1});
}

}  // namespace hkpd
