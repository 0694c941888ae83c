// The records of an MCAP file, which may be damaged anywhere, and the summary at the file's end, if it is credible.
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

/// A record in the file.
struct Frame : Head {
    std::uint64_t offset = 0;  ///< where the record begins
    /// Incomplete for attachments, for chunks beyond the limit, and for chunks that are known to lie entirely in the
    /// file.
    Bytes content{};

    std::uint64_t size() const noexcept { return frame_size + length; }
};

/// Splits a stream into records. A record's length is trusted only if its fields or the next record confirm it.
class FrameReader {
  public:
    FrameReader(StreamWindow& window, std::uint64_t limit) : window_(window), limit_(limit) {}

    enum class State : std::uint8_t {
        valid,      ///< `frame` is a record
        ended,      ///< there are no more bytes
        truncated,  ///< the file ends inside `frame`
        damaged,    ///< there is no record here
    };
    /// Reads the record at the window's beginning into `frame`, without moving the window.
    State look(Frame& frame);

    /// Moves the window, by at least one byte, to the next place that certainly begins a chunk, the data-end record or
    /// the end of the file. Returns the number of bytes skipped. If no such place was found, the window is then empty.
    std::uint64_t resynchronise();

  private:
    State look_at_chunk(Frame& frame, Bytes head);
    State look_at_attachment(Frame& frame);
    bool has_valid_successor(const Frame& frame);
    bool is_anchor(Bytes at, bool last) const;

    StreamWindow& window_;
    std::uint64_t limit_;
    std::uint64_t rejected_ = 0;  // bytes that were read but turned out not to be records
};

/// Returns whether `content` may be the beginning of a chunk's content that has `length` bytes in total.
bool is_chunk_of_length(Bytes content, std::uint64_t length);
/// Returns whether the bytes begin with the magic.
bool is_magic(Bytes bytes) noexcept;

/// The part of a chunk index that is kept in memory; a file may have many chunks.
struct ChunkPlace {
    std::uint64_t offset = 0, length = 0;  ///< offset and length of the chunk's record
    std::uint64_t start_time = 0, end_time = 0;
    bool needed = true;  ///< whether it contains titles or registrations, or may contain them
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

/// Returns whether messages of this encoding are titles or registrations, which name the counters of all samples.
using IsReference = bool (*)(std::string_view encoding) noexcept;

/// Returns the summary of a seekable file; none if the file was not finished or was written without a summary. Fails
/// with `capture_index` if the summary's checksum or an offset in it is wrong. The position of the window afterwards is
/// unspecified.
std::expected<std::optional<Summary>, Error> read_summary(StreamWindow& window, std::uint64_t limit,
                                                          IsReference is_reference);

/// Returns at most `most` bytes of the content of the record at `offset`; empty if no record of this kind and size is
/// at `offset`. Leaves the window at the record.
Bytes record_at(StreamWindow& window, Op op, std::uint64_t offset, std::uint64_t size,
                std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// Returns whether a chunk with this length and these times is at this place. Leaves the window at that place.
bool is_chunk_at(StreamWindow& window, const ChunkPlace& place);

}  // namespace hkpd::mcap
