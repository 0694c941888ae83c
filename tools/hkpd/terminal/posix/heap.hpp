// The memory that the command allocates first.
#pragma once

namespace hkpd::command {

/// Places the heap in one large page of memory, if the system has them. Must be called before other threads start.
void place_heap_in_large_page() noexcept;

}  // namespace hkpd::command
