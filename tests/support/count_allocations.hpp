// The allocator of the test program: counts allocations, and lets them fail.
#pragma once

#include <cstddef>

namespace hkpd_test {

/// Returns the number of calls of operator new so far; always 0 under AddressSanitizer, which has its own allocator.
std::size_t allocations() noexcept;

/// The allocations that fail: the next one alone, or the next one and all after it.
enum class Fails : unsigned char { one, all };

/// Makes allocations of all threads fail with std::bad_alloc for as long as it exists: the one after the first
/// `succeeding` ones or, with `Fails::all`, that one and all later ones. One object at a time.
class FailingAllocations {
  public:
    FailingAllocations(std::size_t succeeding, Fails fails) noexcept;
    FailingAllocations(const FailingAllocations&) = delete;
    FailingAllocations& operator=(const FailingAllocations&) = delete;
    ~FailingAllocations();

    /// Returns whether an allocation has failed.
    static bool any() noexcept;
};

}  // namespace hkpd_test
