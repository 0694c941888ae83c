// Number of allocations of the test program.
#pragma once

#include <cstddef>

namespace hkpd_test {

/// Returns the number of calls of operator new so far; always 0 under AddressSanitizer, which has its own allocator.
std::size_t allocations() noexcept;

}  // namespace hkpd_test
