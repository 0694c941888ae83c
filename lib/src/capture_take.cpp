// The records that stand outside of chunks.
#include <utility>

#include "capture_state.hpp"

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
    const auto records = decompressor.open(*chunk, frame.offset, limits.chunk);
    if (!records) return report(Severity::error, records.error(), diagnostics);
    rest = *records;
    rest_at = frame.offset;
    no_channel_told = false;
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
