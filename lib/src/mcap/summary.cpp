#include "mcap/summary.hpp"

#include <algorithm>
#include <utility>

namespace hkpd::mcap {
namespace {

/// Takes the records of a summary one by one.
class SummaryReader {
  public:
    SummaryReader(StreamWindow& window, std::uint64_t limit, UseOf use_of)
        : window_(window), limit_(limit), use_of_(use_of) {}

    /// The records up to the footer; false where one of them does not fit.
    bool read(std::uint64_t start, std::uint64_t footer_at) {
        if (!window_.seek(start)) return false;
        while (window_.offset() < footer_at) {
            const Bytes front = window_.peek(frame_size);
            if (front.size() < frame_size) return false;
            const std::uint64_t length = head_of(front).length, left = footer_at - window_.offset();
            if (left < frame_size || length > left - frame_size || length > limit_) return false;
            const Bytes record = window_.peek(frame_size + length);
            if (record.size() < frame_size + length) return false;
            crc_ = crc32(crc_, record);
            if (!take(static_cast<Op>(*record.data()), record.from(frame_size))) return false;
            window_.skip(record.size());
        }
        return true;
    }

    /// Checksum, and all the offsets in the records.
    bool check(const Footer& footer, std::uint64_t footer_at) {
        if (!window_.seek(footer_at)) return false;
        crc_ = crc32(crc_, window_.peek(frame_size + footer_size - sizeof(std::uint32_t)));
        if (footer.summary_crc != 0 && footer.summary_crc != crc_) return false;
        std::ranges::sort(summary_.chunks, {}, &ChunkPlace::offset);
        std::uint64_t end = magic.size();
        for (const ChunkPlace& chunk : summary_.chunks) {
            if (chunk.offset < end || chunk.offset > footer.summary_start ||
                chunk.length < frame_size + chunk_fixed_size || chunk.length > footer.summary_start - chunk.offset)
                return false;
            end = chunk.offset + chunk.length;
        }
        return std::ranges::all_of(summary_.metadata, [&](const Summary::Place& place) {
            return place.offset <= footer.summary_start && place.length <= footer.summary_start - place.offset &&
                   place.length >= frame_size && place.length <= limit_;
        });
    }

    Summary summary() { return std::move(summary_); }

  private:
    bool take(Op op, Bytes content) {
        switch (op) {
            case Op::channel: {
                auto channel = parse<Channel>(content);
                if (channel) summary_.channels.insert_or_assign(channel->id, std::move(*channel));
                return channel.has_value();
            }
            case Op::chunk_index: {
                const auto index = parse<ChunkIndex>(content);
                if (index) take_chunk(*index);
                return index.has_value();
            }
            case Op::statistics: {
                auto statistics = parse<Statistics>(content);
                if (statistics) summary_.statistics = std::move(*statistics);
                return statistics.has_value();
            }
            case Op::metadata_index: {
                const auto index = parse<MetadataIndex>(content);
                if (index) summary_.metadata.push_back({index->offset, index->length});
                return index.has_value();
            }
            default:
                return true;
        }
    }

    void take_chunk(const ChunkIndex& index) {
        ChunkPlace place{index.chunk_start, index.chunk_length, index.start_time, index.end_time};
        // Without message indexes nothing is known of what is inside.
        place.needed = index.message_index_offsets.empty();
        for (const auto& [id, offset] : index.message_index_offsets) {
            const auto channel = summary_.channels.find(id);
            const Use use =
                channel == summary_.channels.end() ? Use::reference : use_of_(channel->second.message_encoding);
            if (use == Use::reference) place.needed = true;
            if (use == Use::sample) place.samples = true;
        }
        summary_.chunks.push_back(place);
        summary_.compressed_size += index.compressed_size;
        summary_.uncompressed_size += index.uncompressed_size;
    }

    StreamWindow& window_;
    std::uint64_t limit_;
    UseOf use_of_;
    Summary summary_;
    std::uint32_t crc_ = 0;
};

}  // namespace

std::expected<std::optional<Summary>, Error> read_summary(StreamWindow& window, std::uint64_t limit, UseOf use_of) {
    constexpr std::uint64_t end_size = frame_size + footer_size + magic.size();
    const std::uint64_t size = window.size().value_or(0);
    if (size < end_size || !window.seek(size - end_size)) return std::nullopt;
    const std::uint64_t footer_at = window.offset();
    const Bytes end = window.peek(end_size);
    if (end.size() < end_size || !head_of(end).is(Op::footer) || head_of(end).length != footer_size ||
        !is_magic(end.from(frame_size + footer_size)))
        return std::nullopt;
    const Footer footer = *parse<Footer>(end.slice(frame_size, footer_size));
    if (footer.summary_start == 0) return std::nullopt;
    const Error wrong{Errc::capture_index, footer_at, "Footer", "summary_start", 0, 0};
    SummaryReader reader(window, limit, use_of);
    if (footer.summary_start < magic.size() || footer.summary_start > footer_at ||
        !reader.read(footer.summary_start, footer_at) || !reader.check(footer, footer_at))
        return std::unexpected(wrong);
    return reader.summary();
}

Bytes record_at(StreamWindow& window, Op op, std::uint64_t offset, std::uint64_t size, std::uint64_t most) {
    if (size < frame_size || !window.seek(offset)) return {};
    const std::uint64_t wanted = frame_size + std::min(size - frame_size, most);
    const Bytes record = window.peek(wanted);
    if (record.size() < wanted || !head_of(record).is(op) || head_of(record).length != size - frame_size) return {};
    return record.from(frame_size);
}

bool is_chunk_at(StreamWindow& window, const ChunkPlace& place) {
    const Bytes content = record_at(window, Op::chunk, place.offset, place.length, chunk_prefix_size - frame_size);
    if (!is_chunk_of_length(content, place.length - frame_size)) return false;
    const Chunk chunk = *parse_chunk_prefix(content);
    return chunk.start_time == place.start_time && chunk.end_time == place.end_time;
}

}  // namespace hkpd::mcap
