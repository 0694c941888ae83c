// An MCAP file as a stream of records: where each begins and ends, in a file that may be damaged anywhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/stream_window.hpp"
#include "hkpd/bytes.hpp"
#include "mcap/records.hpp"

namespace hkpd::mcap {

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
    FrameReader(StreamWindow& window, std::uint64_t limit) : window_(window), limit_(limit) {}

    enum class State : std::uint8_t {
        valid,      ///< `frame` is a record
        ended,      ///< there are no more bytes
        truncated,  ///< the file ends inside `frame`
        damaged,    ///< what is here is no record
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

    StreamWindow& window_;
    std::uint64_t limit_;
    std::uint64_t in_vain_ = 0;  // bytes of what proved to be no record
};

/// Whether these bytes, a content's first, are those of a chunk of this length.
bool is_chunk_of_length(Bytes content, std::uint64_t length);
/// Whether the magic is at the front.
bool is_magic(Bytes bytes) noexcept;

}  // namespace hkpd::mcap
