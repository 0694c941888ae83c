// Memory that is reused from sample to sample.
#pragma once

#include <cstddef>
#include <vector>

namespace hkpd {

/// Reserves `size` elements if the capacity is smaller: exactly, the first time; later with a sixteenth to spare, for a
/// machine whose instances come and go. Keeps the contents.
template <class T>
void reserve_amortized(std::vector<T>& cells, std::size_t size) {
    if (cells.capacity() < size) cells.reserve(size + (cells.capacity() == 0 ? 0 : size / 16));
}

/// Reserves as `reserve_amortized` does, but discards the contents, so that old and new memory are never held together.
template <class T>
void reserve_discarding(std::vector<T>& cells, std::size_t size) {
    if (cells.capacity() >= size) return;
    const std::size_t spare = cells.capacity() == 0 ? 0 : size / 16;
    cells = {};
    cells.reserve(size + spare);
}

}  // namespace hkpd
