// Hints to the processor, where the compiler has a word for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hkpd {

inline constexpr std::size_t cache_line = 64;
/// What is smaller is mostly in a cache that is near enough: hints cost more than they give.
inline constexpr std::size_t near_enough = std::size_t{1} << 20;

#if defined(__GNUC__)
// NOLINTBEGIN(performance-no-int-to-ptr): such a place may be in no object, where no pointer may go.
/// The cells behind these will be written.
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
