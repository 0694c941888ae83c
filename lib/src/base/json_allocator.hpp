// The memory of RapidJSON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

namespace hkpd {

/// An allocator for RapidJSON that throws std::bad_alloc. RapidJSON's own returns null, which RapidJSON then writes to.
// NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's.
class JsonAllocator {
  public:
    static constexpr bool kNeedFree = true;

    void* Malloc(std::size_t size) { return size == 0 ? nullptr : ::operator new(size); }
    void* Realloc(void* old, std::size_t old_size, std::size_t size) {
        void* const made = Malloc(size);
        if (old != nullptr && made != nullptr) std::memcpy(made, old, std::min(old_size, size));
        Free(old);
        return made;
    }
    static void Free(void* memory) noexcept { ::operator delete(memory); }
    bool operator==(const JsonAllocator& /*other*/) const noexcept { return true; }
};
// NOLINTEND(readability-identifier-naming)

}  // namespace hkpd
