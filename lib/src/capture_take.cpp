// The records that stand outside of chunks.
#include <algorithm>
#include <utility>

#include "capture/reader_state.hpp"

namespace hkpd {

using mcap::Op;

void CaptureReader::State::take(const mcap::Frame& frame, Diagnostics& diagnostics) {
    switch (static_cast<Op>(frame.op)) {
        case Op::header:
            if (auto found = mcap::parse<mcap::Header>(frame.content); found && header.library.empty())
                header = std::move(*found);
            return;
        case Op::chunk:
            return take_chunk(frame, diagnostics);
        case Op::channel:
            if (!data_ended) take_channel(frame.content, frame.offset, diagnostics);
            return;
        case Op::message:
            if (data_ended) break;  // none can be there
            // As if it were a chunk of one message, uncompressed and unchecked.
            rest = window.peek(frame.size());
            rest_at = frame.offset;
            return;
        case Op::statistics:
            if (auto found = mcap::parse<mcap::Statistics>(frame.content)) statistics = std::move(*found);
            statistics_at = frame.offset;
            return;
        case Op::metadata:
            return take_metadata(frame, diagnostics);
        case Op::data_end:
            data_ended = true;
            return;
        case Op::attachment:
            ++attachments;
            return report(Severity::note, {Errc::capture_unknown_record, frame.offset, "Attachment", "", 0, frame.op},
                          diagnostics);
        default:
            // Of the others nothing is needed here; applications may have records of their own.
            if (frame.op <= static_cast<std::uint8_t>(Op::data_end) || frame.op >= mcap::first_application_op) return;
    }
    report(Severity::warning, {Errc::capture_unknown_record, frame.offset, "Record", "", 0, frame.op}, diagnostics);
}

void CaptureReader::State::take_chunk(const mcap::Frame& frame, Diagnostics& diagnostics) {
    const auto chunk = mcap::parse_chunk_prefix(frame.content);
    if (!chunk) return;  // its length has been confirmed by these fields
    ++chunks;
    compressed += chunk->records_size;
    uncompressed += chunk->uncompressed_size;
    if (chunk->records_size > limits.chunk && chunk->uncompressed_size <= limits.chunk)
        return report(Severity::error,
                      {Errc::chunk_limit, frame.offset, "Chunk", "records", chunk->records_size, limits.chunk},
                      diagnostics);
    const auto records = open_chunk(frame, *chunk);
    if (!records) return report(Severity::error, records.error(), diagnostics);
    rest = *records;
    rest_at = frame.offset;
    no_channel_told = false;
}

std::expected<Bytes, Error> CaptureReader::State::open_chunk(const mcap::Frame& frame, mcap::Chunk chunk) {
    if (chunk.records.size() < chunk.records_size && chunk.records_size <= limits.chunk) {
        if (const auto records = read_in_pieces(frame, chunk)) return *records;
        const Bytes all = window.peek(frame.size());
        // Where it is no longer there, the next step says so.
        chunk = mcap::parse_chunk_prefix(all.from(mcap::frame_size)).value_or(mcap::Chunk{});
    }
    return decompressor.open(chunk, frame.offset, limits.chunk);
}

/// The records of a chunk that the window does not hold, decompressed as they are read. Nothing, and the window where
/// it was, where it takes all of them to know what they are.
std::optional<Bytes> CaptureReader::State::read_in_pieces(const mcap::Frame& frame, const mcap::Chunk& chunk) {
    constexpr std::uint64_t piece = std::uint64_t{64} * 1024;
    std::uint64_t left = frame.size(), held = frame.size() - chunk.records_size;
    const auto next = [&] {
        left -= window.skip(held);
        const Bytes bytes = window.peek(std::min(piece, left));
        held = bytes.size();
        return bytes;
    };
    const auto records = decompressor.open_in_pieces(chunk, limits.chunk, next);
    if (records)
        at_hand_size = left;
    else if (left != frame.size())
        window.seek(frame.offset);
    return records;
}

void CaptureReader::State::take_channel(Bytes content, std::uint64_t at, Diagnostics& diagnostics) {
    const auto known = channels.define(content);
    if (!known) {
        Error error = known.error();
        error.offset = at;
        return report(Severity::error, error, diagnostics);
    }
    CaptureChannels::Known& channel = **known;
    // What is hkpd's own and cannot be understood is lost.
    const bool own = channel.channel.message_encoding.starts_with(capture_encoding::prefix);
    if (channel.kind == nullptr && !std::exchange(channel.told, true))
        report(own ? Severity::error : Severity::warning,
               {Errc::capture_foreign_channel, at, "Channel", channel.unknown, 0, channel.channel.id}, diagnostics);
}

void CaptureReader::State::take_metadata(const mcap::Frame& frame, Diagnostics& diagnostics) {
    metadata_size += frame.content.size();
    if (metadata_size > largest_text_records) {
        metadata_size -= frame.content.size();
        return report(Severity::error,
                      {Errc::byte_limit, frame.offset, "Metadata", "", frame.content.size(), largest_text_records},
                      diagnostics);
    }
    if (auto found = mcap::parse<mcap::Metadata>(frame.content))
        metadata.push_back({std::move(found->name), std::move(found->entries)});
}

}  // namespace hkpd
