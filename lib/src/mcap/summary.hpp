// The summary at the end of an MCAP file, and whether it can be believed.
#pragma once

#include <cstdint>
#include <expected>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"
#include "mcap/frame_reader.hpp"
#include "mcap/records.hpp"

namespace hkpd::mcap {

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
