#include <optional>
#include <utility>

#include "capture/reader_state.hpp"
#include "hkpd/capture.hpp"

namespace hkpd {
namespace {

using mcap::Op;

CaptureInfo::Channel channel_info(const mcap::Channel& channel, std::uint64_t messages) {
    return {channel.id, channel.topic, channel.message_encoding, channel.metadata, messages};
}

/// The record of this kind and size at this place; nothing of it where there is another.
Bytes record_at(StreamWindow& window, Op op, std::uint64_t offset, std::uint64_t size) {
    if (!window.seek(offset)) return {};
    const Bytes record = window.peek(size);
    if (record.size() < size || size < mcap::frame_size || *record.data() != static_cast<std::byte>(op) ||
        load<std::uint64_t>(record.at(1), ByteOrder::little) != size - mcap::frame_size)
        return {};
    return record.from(mcap::frame_size);
}

/// False where the file does not begin as it should.
bool fetch_header(CaptureInfo& info, StreamWindow& window) {
    if (!window.seek(0) || !mcap::is_magic(window.peek(mcap::magic.size()))) return false;
    window.skip(mcap::magic.size());
    const Bytes frame = window.peek(mcap::frame_size);
    if (frame.size() < mcap::frame_size) return false;
    const auto length = load<std::uint64_t>(frame.at(1), ByteOrder::little);
    if (length > largest_text_record) return false;
    auto header =
        mcap::parse<mcap::Header>(record_at(window, Op::header, mcap::magic.size(), mcap::frame_size + length));
    if (!header) return false;
    info.profile = std::move(header->profile);
    info.library = std::move(header->library);
    return true;
}

/// False where it does not say everything, or says what cannot be.
bool fill(CaptureInfo& info, const mcap::Summary& summary) {
    if (!summary.statistics || summary.statistics->chunk_count != summary.chunks.size() ||
        summary.statistics->metadata_count != summary.metadata.size())
        return false;
    const mcap::Statistics& statistics = *summary.statistics;
    for (const auto& [id, messages] : statistics.channel_message_counts)
        if (!summary.channels.contains(id)) return false;
    info.chunks = statistics.chunk_count;
    info.compressed_bytes = summary.compressed_size;
    info.uncompressed_bytes = summary.uncompressed_size;
    info.messages = statistics.message_count;
    info.attachments = statistics.attachment_count;
    if (info.messages != 0) {
        info.first_time = statistics.start_time;
        info.last_time = statistics.end_time;
    }
    for (const auto& [id, channel] : summary.channels) {
        const auto count = statistics.channel_message_counts.find(id);
        info.channels.push_back(
            channel_info(channel, count == statistics.channel_message_counts.end() ? 0 : count->second));
    }
    return true;
}

/// False where one of them is not where the index says.
bool fetch_metadata(CaptureInfo& info, const mcap::Summary& summary, StreamWindow& window) {
    std::uint64_t size = 0;
    for (const mcap::Summary::Place& place : summary.metadata) {
        size += place.length;
        if (size > largest_text_records) return false;
        auto record = mcap::parse<mcap::Metadata>(record_at(window, Op::metadata, place.offset, place.length));
        if (!record) return false;
        info.metadata.push_back({std::move(record->name), std::move(record->entries)});
    }
    return true;
}

}  // namespace

bool CaptureReader::State::info_from_summary(CaptureInfo& info, const FaultSink& faults) {
    if (begun || !window.size()) return false;
    std::optional<mcap::Summary> summary;
    if (auto read = mcap::read_summary(window, limits.chunk, use_of))
        summary = std::move(*read);
    else
        faults.add(Severity::warning, read.error());
    CaptureInfo found;
    const bool sound = summary.has_value() && fetch_header(found, window) && fill(found, *summary) &&
                       fetch_metadata(found, *summary, window);
    window.seek(0);
    if (!sound) return false;
    found.file_bytes = window.size().value_or(0);
    found.finished = found.indexed = true;
    info = std::move(found);
    return true;
}

void CaptureReader::State::info_from_reading(CaptureInfo& info, const FaultSink& faults) {
    while (next(faults)) {
    }
    info.profile = header.profile;
    info.library = header.library;
    info.finished = finished;
    info.file_bytes = window.size().value_or(window.offset());
    info.chunks = chunks;
    info.compressed_bytes = compressed;
    info.uncompressed_bytes = uncompressed;
    info.messages = messages;
    info.first_time = first_time;
    info.last_time = last_time;
    info.attachments = attachments;
    info.metadata = metadata;
    for (const auto& [id, known] : channels.all()) info.channels.push_back(channel_info(known.channel, known.messages));
}

}  // namespace hkpd
