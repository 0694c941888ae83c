// The global allocator with a counter. In a file of its own, so that no caller's new and delete are inlined into each
// other.
#include "support/count_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

std::atomic<std::size_t> calls = 0;
std::atomic<std::size_t> first_failure = never;  // number of the call that fails
std::atomic<bool> fails_later = false;           // later calls fail, too
std::atomic<bool> any_failed = false;

}  // namespace

std::size_t hkpd_test::allocations() noexcept { return calls; }

hkpd_test::FailingAllocations::FailingAllocations(std::size_t succeeding, Fails fails) noexcept {
    any_failed = false;
    fails_later = fails == Fails::all;
    first_failure = calls + succeeding;
}

hkpd_test::FailingAllocations::~FailingAllocations() { first_failure = never; }

bool hkpd_test::FailingAllocations::any() noexcept { return any_failed; }

#ifndef HKPD_SANITIZED
// All other forms of the operators call these.
void* operator new(std::size_t size) {
    const std::size_t call = calls++;
    if (const std::size_t first = first_failure; call == first || (call > first && fails_later)) {
        any_failed = true;
        throw std::bad_alloc();
    }
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
#endif
