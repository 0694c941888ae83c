// A short run of hkpd decodes and writes a block in two milliseconds. Another half of a millisecond would pass while
// the system provides 1.5 MB of memory in 400 pages, one by one, each at its first use. Linux can provide 2 MiB at
// once.
#include "terminal/posix/heap.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace hkpd::command {

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)

void place_heap_in_large_page() noexcept {
    constexpr std::size_t page = std::size_t{2} << 20U;  // of x86-64, and of AArch64 with small pages of 4 KiB
    constexpr std::size_t header = 64;                   // more than the data of `malloc` in front of a block
    // Blocks below the threshold are in the heap. Setting it also stops glibc from raising it to the size of freed
    // blocks, so that larger blocks are always returned to the system. The heap itself is never returned.
    constexpr int threshold = 8 << 20, never = 1 << 30;
    if (mallopt(M_MMAP_THRESHOLD, threshold) == 0 || mallopt(M_TRIM_THRESHOLD, never) == 0) return;
    // A block that contains an entire large page is shrunk, so that it ends where the page begins, and is then kept. No
    // byte of it is ever written, so it takes addresses but no memory; what is allocated next is in the large page.
    void* const block = std::malloc(2 * page);
    if (block == nullptr) return;
    const std::size_t before_page = page - reinterpret_cast<std::uintptr_t>(block) % page;
    void* const large = std::next(static_cast<char*>(block), static_cast<std::ptrdiff_t>(before_page));
    madvise(large, page, MADV_HUGEPAGE);  // without large pages, or on failure, the heap is as it would be otherwise
    [[maybe_unused]] static void* volatile kept = nullptr;
    kept = std::realloc(block, before_page > header ? before_page - header : before_page);
}

#else

void place_heap_in_large_page() noexcept {}

#endif

}  // namespace hkpd::command
