// Prefetch hints, where the compiler supports them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hkpd {

inline constexpr std::size_t cache_line = 64;
/// Smaller data is mostly in a near cache, where hints cost more than they gain.
inline constexpr std::size_t near_enough = std::size_t{1} << 20;

#if defined(__GNUC__)
// NOLINTBEGIN(performance-no-int-to-ptr): the address may be outside any object, where pointer arithmetic is undefined.
/// Prefetches memory that will be written: as many bytes as the cells have, one such length after their end.
template <class T>
void prefetch_after(std::span<T> cells) noexcept {
    const auto end = reinterpret_cast<std::uintptr_t>(cells.data()) + 2 * cells.size_bytes();
    for (std::size_t i = 0; i < cells.size_bytes(); i += cache_line)
        __builtin_prefetch(reinterpret_cast<const void*>(end + i), 1);
}
// NOLINTEND(performance-no-int-to-ptr)
#else
template <class T>
void prefetch_after(std::span<T> /*cells*/) noexcept {}
#endif

}  // namespace hkpd
