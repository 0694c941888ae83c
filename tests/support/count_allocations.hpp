// How often the test program has asked for memory.
#pragma once

#include <cstddef>

namespace hkpd_test {

/// Calls of operator new so far; always 0 under AddressSanitizer, which has an allocator of its own.
std::size_t allocations() noexcept;

}  // namespace hkpd_test
