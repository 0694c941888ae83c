// Whether memory comes from the system in large pages.
#pragma once

#include <cstddef>
#include <span>

namespace hkpd {

/// Rooms of this size the allocator has from the system for them alone.
inline constexpr std::size_t worth_large_pages = std::size_t{32} << 20;

/// Asks for large pages in memory that is about to be written to for the first time: the system then clears and maps a
/// hundred megabytes in some milliseconds instead of tens. Takes no more memory, as only whole large pages inside the
/// bytes become such. Does nothing where the system has no such wish.
void prefer_large_pages(std::span<std::byte> bytes) noexcept;

}  // namespace hkpd
