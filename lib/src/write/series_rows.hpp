// Series that a writer reads one by one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "hkpd/series.hpp"

namespace hkpd {

/// Series, each of which is made when a writer reads it: a million in memory would take 200 MB.
struct SeriesRows {
    std::size_t size = 0;
    std::function<std::optional<Series>(std::size_t)> at;  ///< by the number of the row; none: it is left out
};

/// Returns the rows of a list, which must outlive them.
inline SeriesRows rows_of(const SeriesList& list) {
    return {list.size(), [&list](std::size_t row) { return list[row]; }};
}

}  // namespace hkpd
