// Splits an MCAP file into records, even if the file is damaged. Also reads the summary at the end of the file, and
// detects a damaged summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <map>
#include <optional>
#include <span>
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
    /// The content of the record. For three kinds of records, `content` can have only the beginning of the record's
    /// content: attachments, chunks that exceed the reader's limit, and chunks that the file is known to contain
    /// completely. The user of FrameReader reads the rest of such a chunk.
    Bytes content{};

    std::uint64_t size() const noexcept { return frame_size + length; }
};

/// Splits a stream into records. A record's length is trusted only if its fields or the next record confirm it. A
/// record whose content exceeds `limit` bytes counts as damaged, unless the record is a chunk or an attachment: then
/// only the beginning of its content is read.
class FrameReader {
  public:
    FrameReader(StreamWindow& window, std::uint64_t limit) : window_(window), limit_(limit) {}

    enum class State : std::uint8_t {
        valid,      ///< `frame` is a record
        ended,      ///< there are no more bytes
        truncated,  ///< the file ends inside `frame`
        damaged,    ///< no valid record begins at the window's beginning
    };
    /// Reads the record at the window's beginning into `frame`, without moving the window.
    State look(Frame& frame);

    /// Moves the window, by at least one byte, to the next position where a chunk, the data-end record or the end of
    /// the file (footer or magic) certainly begins. If there is no such position, moves the window to the end of the
    /// stream. Returns the number of bytes skipped.
    std::uint64_t resynchronise();

  private:
    State look_at_chunk(Frame& frame, Bytes head);
    State look_at_attachment(Frame& frame);
    bool has_valid_successor(const Frame& frame);
    bool is_anchor(Bytes at, bool last) const;

    StreamWindow& window_;
    std::uint64_t limit_;
    std::uint64_t rejected_ = 0;  // number of bytes that were read but are not records
};

/// Returns whether `content` begins with the fields of a chunk, and these fields state that the chunk's content has
/// `length` bytes in total. `content` may end inside the chunk's records.
bool is_chunk_of_length(Bytes content, std::uint64_t length);
/// Returns whether the bytes begin with `magic`.
bool is_magic(Bytes bytes) noexcept;

/// The part of a chunk index that is kept in memory. Small, because a file may have many chunks.
struct ChunkPlace {
    std::uint64_t offset = 0, length = 0;  ///< offset and length of the chunk's record
    std::uint64_t start_time = 0, end_time = 0;
    std::uint64_t size = 0;                         ///< of the records, uncompressed
    std::uint32_t first_channel = 0, channels = 0;  ///< its channels, in `Summary::chunk_channels`
    bool needed = true;                             ///< whether the chunk may contain titles or registrations
};

struct Summary {
    std::map<std::uint16_t, Channel> channels;
    std::vector<ChunkPlace> chunks;             ///< in the order of the file
    std::vector<std::uint16_t> chunk_channels;  ///< ids of the channels of all chunks, chunk by chunk

    /// Returns the ids of the channels that have messages in a chunk of `chunks`.
    std::span<const std::uint16_t> channels_of(const ChunkPlace& chunk) const noexcept {
        return std::span(chunk_channels).subspan(chunk.first_channel, chunk.channels);
    }
    std::uint64_t compressed_size = 0, uncompressed_size = 0;
    std::optional<Statistics> statistics;
    struct Place {
        std::uint64_t offset = 0, length = 0;
    };
    std::vector<Place> metadata;
};

/// A function that returns whether messages of an encoding are titles or registrations, which name the counters of all
/// samples.
using IsReference = bool (*)(std::string_view encoding) noexcept;

/// Returns the summary of a file; none if the file is not seekable, was not finished or was written without a summary.
/// Fails with `capture_index` if the summary is damaged: its checksum, a record or an offset in it is wrong, or a
/// record exceeds `limit` bytes. The position of the window afterwards is unspecified.
std::expected<std::optional<Summary>, Error> read_summary(StreamWindow& window, std::uint64_t limit,
                                                          IsReference is_reference);

/// Returns at most `most` bytes of the content of the record at `offset`; empty if no record with opcode `op` and
/// `size` bytes in total is at `offset`. Leaves the window at the record.
Bytes record_at(StreamWindow& window, Op op, std::uint64_t offset, std::uint64_t size,
                std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// Returns whether the file has, at the offset in `place`, a chunk with the length and the times in `place`. Leaves the
/// window at this offset.
bool is_chunk_at(StreamWindow& window, const ChunkPlace& place);

}  // namespace hkpd::mcap
