// What a CaptureReader holds: where it is in the file, and what it has seen so far.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "capture/channels.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"
#include "mcap/chunk.hpp"
#include "mcap/frame_reader.hpp"
#include "mcap/records.hpp"
#include "mcap/summary.hpp"

namespace hkpd {

struct CaptureReader::State {
    State(std::istream& stream, const Limits& chosen)
        : limits(chosen), window(stream), frames(window, chosen.chunk + mcap::chunk_prefix_size) {}

    // reader.cpp
    std::optional<Record> next(const FaultSink& faults);
    bool begin(const FaultSink& faults);
    bool step(const FaultSink& faults);
    bool end(const FaultSink& faults);
    bool recover(bool truncated, const FaultSink& faults);
    std::optional<Record> take_inner(const FaultSink& faults);
    std::optional<Record> take_message(Bytes content, std::uint64_t at, const FaultSink& faults);
    void take(const mcap::Frame& frame, const FaultSink& faults);
    void take_chunk(const mcap::Frame& frame, const FaultSink& faults);
    std::expected<Bytes, Error> open_chunk(const mcap::Frame& frame, mcap::Chunk chunk);
    std::optional<Bytes> read_in_pieces(const mcap::Frame& frame, const mcap::Chunk& chunk);
    void take_channel(Bytes content, std::uint64_t at, const FaultSink& faults);
    void take_metadata(const mcap::Frame& frame, const FaultSink& faults);
    std::optional<CaptureInfo> info_from_summary(const FaultSink& faults);
    // reader_seek.cpp
    void seek(const Range& range, const FaultSink& faults);
    void pass_to_number(const mcap::Summary& summary, std::uint64_t first);
    bool counts_once(const mcap::Summary& summary, const std::vector<mcap::ChunkPlace>& places);
    std::optional<std::uint32_t> last_sequence(const mcap::Summary& summary, const mcap::ChunkPlace& place);
    std::optional<std::uint32_t> first_sequence(const mcap::Summary& summary, const mcap::ChunkPlace& place);
    bool pass_over();

    Limits limits;
    StreamWindow window;
    mcap::FrameReader frames;
    mcap::Decompressor decompressor;
    CaptureChannels channels;
    CaptureInfo info;  // what was read so far, but for `channels`
    std::size_t metadata_size = 0;

    bool begun = false, data_ended = false, done = false;
    mcap::Frame at_hand;             // the record that the window stands on
    std::uint64_t at_hand_size = 0;  // what of it has to be passed over before the next
    Bytes rest;                      // records not yet taken: of a chunk, or a message that stands outside of any
    std::uint64_t rest_at = 0;       // where in the file the record begins that holds them
    bool no_channel_reported = false;
    std::uint32_t given = 0;

    std::optional<mcap::Statistics> statistics;
    std::uint64_t statistics_at = 0;

    std::vector<mcap::ChunkPlace> passing;  // chunks to be passed over, in the order of the file
    std::size_t next_passing = 0;
    std::uint64_t skipped_samples = 0;
};

}  // namespace hkpd
