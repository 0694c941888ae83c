// Memory for bytes that are about to be read, and a stream of which a part is held in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <istream>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include "hkpd/bytes.hpp"

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

/// A window on a stream. Offsets count from where the stream stood at first.
class StreamWindow {
  public:
    explicit StreamWindow(std::istream& stream);

    /// The next `want` bytes, fewer where the stream ends. Valid until the next call.
    Bytes peek(std::uint64_t want);
    /// What has been read of the stream and not been passed over. Valid until the next call that is not `const`.
    Bytes held() const noexcept { return Bytes(buffer_.span().subspan(begin_, end_ - begin_), offset_); }
    /// Moves on by so many bytes; how many of them there were. Seeks where that can be done.
    std::uint64_t skip(std::uint64_t count);
    /// Where the window begins.
    std::uint64_t offset() const noexcept { return offset_; }
    /// How long the stream is; nothing where it cannot seek.
    std::optional<std::uint64_t> size();
    /// To another place; only where `size` says something, and not behind it.
    bool seek(std::uint64_t offset);

  private:
    void reserve_amortized(std::size_t size);

    std::istream& stream_;
    std::istream::pos_type base_;
    bool sized_ = false;
    std::optional<std::uint64_t> size_;
    ReusableBytes buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t offset_ = 0;
};

}  // namespace hkpd
