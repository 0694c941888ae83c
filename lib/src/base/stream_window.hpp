// A stream of bytes, of which a part is held in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>

#include "base/byte_buffer.hpp"
#include "hkpd/bytes.hpp"

namespace hkpd {

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
