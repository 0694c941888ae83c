#include "../large_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace hkpd {

#ifdef MADV_HUGEPAGE  // Linux

void prefer_large_pages(std::span<std::byte> bytes) noexcept {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    // The system takes whole pages.
    const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(bytes.data()) % page) % page;
    if (bytes.size() <= before) return;
    const auto inside = bytes.subspan(before);
    madvise(inside.data(), inside.size() / page * page, MADV_HUGEPAGE);
}

#else

void prefer_large_pages(std::span<std::byte> /*bytes*/) noexcept {}

#endif

}  // namespace hkpd
