// Linux provides memory in pages of 4 KiB, one by one, each at its first use. That takes a fifth of the time of a short
// run, which uses 1.5 MB, and up to half of one that uses 200 MB; on a virtual machine whose pages another system
// provides, up to nine tenths. Linux can provide 2 MiB at once.
#include "terminal/posix/heap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace hkpd::command {

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)

/// Returns by how much the heap grows at once: addresses, which take no memory before they are used. If addresses are
/// limited, most are left for what is larger than a block of the heap.
static int growth() noexcept {
    constexpr rlim_t most = sizeof(void*) > 4 ? 512U << 20U : 0U, share = 8;
    rlimit addresses{};
    if (getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur == RLIM_INFINITY) return static_cast<int>(most);
    return static_cast<int>(std::min(most, addresses.rlim_cur / share));
}

void place_heap_in_large_pages() noexcept {
    constexpr std::size_t page = std::size_t{2} << 20U;  // of x86-64, and of AArch64 with small pages of 4 KiB
    constexpr std::size_t header = 64;                   // more than the data of `malloc` in front of a block
    // Blocks below the threshold are in the heap. Setting it also stops glibc from raising it to the size of freed
    // blocks, so that larger blocks are always returned to the system. The heap itself is never returned.
    constexpr int threshold = 8 << 20, never = 1 << 30;
    if (mallopt(M_MMAP_THRESHOLD, threshold) == 0 || mallopt(M_TRIM_THRESHOLD, never) == 0) return;
    mallopt(M_TOP_PAD, growth());
    // A block that contains an entire large page is shrunk, so that it ends where the page begins, and is then kept. No
    // byte of it is ever written, so it takes addresses but no memory; what is allocated next is in the large pages.
    void* const block = std::malloc(2 * page);
    if (block == nullptr) return;
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const std::size_t before_page = page - address % page;
    void* const large = std::next(static_cast<char*>(block), static_cast<std::ptrdiff_t>(before_page));
    const auto begin = reinterpret_cast<std::uintptr_t>(large), end = reinterpret_cast<std::uintptr_t>(sbrk(0));
    // If the heap could not grow, the block is elsewhere, at a higher address.
    const std::size_t pages = end > begin ? std::max<std::size_t>((end - begin) / page, 1) : 1;
    madvise(large, pages * page, MADV_HUGEPAGE);  // without large pages, or on failure, the heap is as it would be
    [[maybe_unused]] static void* volatile kept = nullptr;
    kept = std::realloc(block, before_page > header ? before_page - header : before_page);
}

#else

void place_heap_in_large_pages() noexcept {}

#endif

}  // namespace hkpd::command
