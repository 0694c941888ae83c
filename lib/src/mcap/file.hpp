// An MCAP file: where each record begins and ends, in a file that may be damaged anywhere, and the summary at its end,
// where that can be believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/stream_window.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "mcap/records.hpp"

namespace hkpd::mcap {

/// One record as it stands in the file.
struct Frame : Head {
    std::uint64_t offset = 0;  ///< where it begins
    /// Of attachments, chunks beyond the limit and those that the file is known to hold: only what was looked at.
    Bytes content{};

    std::uint64_t size() const noexcept { return frame_size + length; }
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

/// What is needed of a chunk index: there may be many.
struct ChunkPlace {
    std::uint64_t offset = 0, length = 0;  ///< of the chunk's record
    std::uint64_t start_time = 0, end_time = 0;
    bool samples = false;  ///< whether there are messages of a channel with samples in it
    bool needed = true;    ///< whether there are titles or registrations in it, or may be
};

struct Summary {
    std::map<std::uint16_t, Channel> channels;
    std::vector<ChunkPlace> chunks;  ///< in the order of the file
    std::uint64_t compressed_size = 0, uncompressed_size = 0;
    std::optional<Statistics> statistics;
    struct Place {
        std::uint64_t offset = 0, length = 0;
    };
    std::vector<Place> metadata;
};

/// What readers need a channel's messages for.
enum class Use : std::uint8_t {
    none,       ///< another program's
    sample,     ///< parts of samples
    reference,  ///< names for all samples
};
/// Returns what messages of an encoding are for.
using UseOf = Use (*)(std::string_view encoding) noexcept;

/// Reads the summary of a file that can seek; nothing where there is none (it was not finished, or written without).
/// `capture_index` where its checksum or an offset in it is wrong. Leaves the window anywhere.
std::expected<std::optional<Summary>, Error> read_summary(StreamWindow& window, std::uint64_t limit, UseOf use_of);

/// Returns the content of the record of this kind and size at this place, at most `most` bytes; nothing of it where
/// there is another. Leaves the window there.
Bytes record_at(StreamWindow& window, Op op, std::uint64_t offset, std::uint64_t size,
                std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// Whether there is a chunk's record at this place, of this length and these times. Leaves the window there.
bool is_chunk_at(StreamWindow& window, const ChunkPlace& place);

}  // namespace hkpd::mcap
