// An uninitialised byte buffer, and a window on a stream or on bytes in memory: the bytes that were read but not yet
// skipped.
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
#include "hkpd/error.hpp"

namespace hkpd {

/// An uninitialised byte buffer. The operating system provides memory only for the parts of a large buffer that have
/// been written. A buffer size that comes from the input is therefore harmless even if it is far too high.
class ReusableBytes {
  public:
    std::size_t size() const noexcept { return size_; }
    std::span<std::byte> span() noexcept { return {bytes_.get(), size_}; }
    std::span<const std::byte> span() const noexcept { return {bytes_.get(), size_}; }

    /// Grows to at least `size` bytes and keeps the contents. Where the system can move pages of memory, a large buffer
    /// is not copied.
    void grow(std::size_t size) {
        if (size <= size_) return;
        std::byte* const smaller = bytes_.release();  // `realloc` frees the old memory if it succeeds
        void* const larger = std::realloc(smaller, size);
        bytes_.reset(larger == nullptr ? smaller : static_cast<std::byte*>(larger));
        if (larger == nullptr) throw std::bad_alloc();
        size_ = size;
    }
    /// Grows to at least `size` bytes and discards the contents. Frees the old memory before it allocates the new.
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

/// The number of bytes that may still be read before anything is found in them. An input can be endless, such as
/// `/dev/zero`, and a search for a block or record in it would be, too.
class SearchBudget {
  public:
    explicit SearchBudget(std::uint64_t limit) noexcept : limit_(limit), left_(limit) {}

    /// Begins again, because something was found.
    void renew() noexcept { left_ = limit_; }
    void spend(std::uint64_t bytes) noexcept { left_ -= bytes < left_ ? bytes : left_; }
    std::uint64_t limit() const noexcept { return limit_; }
    std::uint64_t left() const noexcept { return left_; }
    /// Notes that the stream was treated as ended for the sake of the budget.
    void set_exceeded(bool exceeded) noexcept { exceeded_ = exceeded; }
    bool exceeded() const noexcept { return exceeded_; }

  private:
    std::uint64_t limit_, left_;
    bool exceeded_ = false;
};

/// Returns the error of an input in which nothing was found within a budget.
inline Error search_error(const SearchBudget& budget) noexcept {
    return {Errc::byte_limit, 0, "search for a record", "", budget.limit(), budget.limit() + 1};
}

/// A window on a stream or on bytes in memory: the bytes that were read but not yet skipped. Bytes in memory are not
/// copied. Offsets count from the stream's position at construction, or from the first byte in memory.
class StreamWindow {
  public:
    explicit StreamWindow(std::istream& stream);
    /// Constructs a window on bytes in memory, which must outlive the window.
    explicit StreamWindow(std::span<const std::byte> bytes) noexcept : memory_(bytes) {}

    /// Ends the stream where a budget, which must outlive the window, is spent. Bytes that `skip` seeks over cost
    /// nothing.
    void limit_search(SearchBudget& budget) noexcept { budget_ = &budget; }

    /// Returns the next `want` bytes without skipping them; fewer only at the end of the stream. The result is valid
    /// until the next call that is not `const`.
    Bytes peek(std::uint64_t want);
    /// Returns the bytes that were read but not yet skipped. The result is valid until the next call that is not
    /// `const`.
    Bytes held() const noexcept { return Bytes(bytes().subspan(begin_, end_ - begin_), offset_); }
    /// Skips `count` bytes, or fewer if the stream ends first. Returns the number of bytes skipped. Seeks instead of
    /// reading where possible.
    std::uint64_t skip(std::uint64_t count);
    /// Returns the offset of the window's first byte.
    std::uint64_t offset() const noexcept { return offset_; }
    /// Returns the number of bytes from offset 0 to the end of the stream; none if the stream cannot seek.
    std::optional<std::uint64_t> size();
    /// Returns whether the stream ends directly after the bytes that `held` returns. May wait for the stream's next
    /// byte.
    bool ended();
    /// Moves the window to an offset. `held` then returns no bytes until `peek` is called. Returns false if the
    /// stream's length is unknown or less than the offset, or if seeking fails.
    bool seek(std::uint64_t offset);

  private:
    void reserve_amortized(std::size_t size);
    bool may_read() noexcept;
    std::span<const std::byte> bytes() const noexcept { return stream_ == nullptr ? memory_ : buffer_.span(); }

    std::istream* stream_ = nullptr;  // null: the bytes are in `memory_`
    std::span<const std::byte> memory_;
    std::istream::pos_type base_;
    bool sized_ = false;
    std::optional<std::uint64_t> size_;
    ReusableBytes buffer_;
    std::size_t begin_ = 0, end_ = 0;  // positions of the held bytes in `bytes()`
    std::uint64_t offset_ = 0;
    SearchBudget* budget_ = nullptr;  // null: no limit
};

}  // namespace hkpd
