// An MCAP file as a stream of records: where each begins and ends, in a file that may be damaged anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>

#include "base/byte_buffer.hpp"
#include "hkpd/bytes.hpp"
#include "mcap/records.hpp"

namespace hkpd::mcap {

/// A window on a stream. Offsets count from where the stream stood at first.
class Window {
  public:
    explicit Window(std::istream& stream);

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
    void make_room(std::size_t size);

    std::istream& stream_;
    std::istream::pos_type base_;
    bool sized_ = false;
    std::optional<std::uint64_t> size_;
    ByteRoom buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t offset_ = 0;
};

/// One record as it stands in the file.
struct Frame {
    std::uint8_t op = 0;
    std::uint64_t offset = 0, length = 0;  ///< where it begins, and how long its content is
    /// Of attachments, chunks beyond the limit and those that the file is known to hold: only what was looked at.
    Bytes content{};

    std::uint64_t size() const noexcept { return frame_size + length; }
    bool is(Op which) const noexcept { return op == static_cast<std::uint8_t>(which); }
};

/// Cuts a stream into records. A record's length is believed only where something else confirms it: the fields inside,
/// or that another record follows.
class FrameReader {
  public:
    FrameReader(Window& window, std::uint64_t limit) : window_(window), limit_(limit) {}

    enum class State : std::uint8_t {
        sound,    ///< `frame` is a record
        ended,    ///< there are no more bytes
        torn,     ///< the file ends inside `frame`
        damaged,  ///< what is here is no record
    };
    /// What is at the window's beginning. Moves nothing.
    State look(Frame& frame);

    /// Moves the window to the next place where a chunk, the end of the data or that of the file is for certain,
    /// at least one byte further. How many bytes were passed over; the window is empty where nothing was found.
    std::uint64_t resynchronise();

  private:
    State look_at_chunk(Frame& frame, Bytes head);
    State look_at_attachment(Frame& frame);
    bool followed_well(const Frame& frame);
    bool is_anchor(Bytes at, bool last) const;

    Window& window_;
    std::uint64_t limit_;
    std::uint64_t in_vain_ = 0;  // bytes of what proved to be no record
};

/// Whether these bytes, a content's first, are those of a chunk of this length.
bool is_chunk_of_length(Bytes content, std::uint64_t length);
/// Whether the magic is at the front.
bool is_magic(Bytes bytes) noexcept;

}  // namespace hkpd::mcap
