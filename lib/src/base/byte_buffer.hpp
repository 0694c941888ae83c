// Memory for bytes that are about to be read.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace hkpd {

/// Room whose bytes are whatever they are until something is put there. What has never been written to costs address
/// space alone, so that it may be as large as a length says that may lie.
class ReusableBytes {
  public:
    std::size_t size() const noexcept { return size_; }
    std::span<std::byte> span() noexcept { return {bytes_.get(), size_}; }
    std::span<const std::byte> span() const noexcept { return {bytes_.get(), size_}; }

    /// At least so large; what is in it stays. Large rooms are not copied where the system can move their pages.
    void grow(std::size_t size) {
        if (size <= size_) return;
        std::byte* const smaller = bytes_.release();  // realloc's to free
        void* const larger = std::realloc(smaller, size);
        bytes_.reset(larger == nullptr ? smaller : static_cast<std::byte*>(larger));
        if (larger == nullptr) throw std::bad_alloc();
        size_ = size;
    }
    /// At least so large, without what was in it: old and new are never there at once.
    void renew(std::size_t size) {
        if (size <= size_) return;
        bytes_.reset();
        size_ = 0;
        grow(size);
    }

  private:
    struct Free {
        void operator()(std::byte* bytes) const noexcept { std::free(bytes); }
    };
    std::unique_ptr<std::byte, Free> bytes_;
    std::size_t size_ = 0;
};

}  // namespace hkpd
