// Memory that is kept from one sample for the next.
#pragma once

#include <cstddef>
#include <vector>

namespace hkpd {

/// Reserves `size` elements, where there is memory for fewer: the first time nothing is spare, from then on a sixteenth
/// is, for a machine whose instances come and go. Keeps what is there.
template <class T>
void reserve_amortized(std::vector<T>& cells, std::size_t size) {
    if (cells.capacity() < size) cells.reserve(size + (cells.capacity() == 0 ? 0 : size / 16));
}

/// Reserves as `reserve_amortized` does, in memory of its own: what was there is lost, so that old and new are never
/// held together.
template <class T>
void reserve_discarding(std::vector<T>& cells, std::size_t size) {
    if (cells.capacity() >= size) return;
    const std::size_t spare = cells.capacity() == 0 ? 0 : size / 16;
    cells = {};
    cells.reserve(size + spare);
}

}  // namespace hkpd
