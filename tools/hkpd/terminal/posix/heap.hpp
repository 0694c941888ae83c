// The memory that the command allocates first.
#pragma once

namespace hkpd::command {

/// Places the heap in large pages of memory, if the system has them. Must be called before other threads start.
void place_heap_in_large_pages() noexcept;

}  // namespace hkpd::command
