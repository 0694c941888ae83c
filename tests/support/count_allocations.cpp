// The global allocator with a counter. In a file of its own, so that no caller's new and delete are inlined into each
// other.
#include "support/count_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> calls = 0;

}  // namespace

std::size_t hkpd_test::allocations() noexcept { return calls; }

#ifndef HKPD_SANITIZED
// All other forms of the operators call these.
void* operator new(std::size_t size) {
    ++calls;
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
#endif
