#include "mcap/file.hpp"

#include <algorithm>
#include <utility>

namespace hkpd::mcap {
namespace {

constexpr std::uint64_t step = std::uint64_t{64} * 1024;
/// Maximum number of bytes of an attachment's content that are read. They must contain the attachment's name and media
/// type.
constexpr std::uint64_t attachment_prefix = step;
/// Number of bytes that suffice to recognise the beginning of any record, or a footer with the magic after it.
constexpr std::uint64_t head_size = std::max<std::uint64_t>(chunk_prefix_size, frame_size + footer_size + magic.size());

/// Limits of the work for damaged files. Each position in such a file may seem to begin a long record, and reading all
/// these records would take quadratic time. After more than `most_rejected` bytes have been read for records that were
/// then rejected, a record whose content exceeds `small` bytes counts as damaged. This does not apply to chunks and
/// attachments.
constexpr std::uint64_t most_rejected = std::uint64_t{256} << 20, small = 4096;

/// Returns whether `content` may be the beginning of a chunk's content that has `length` bytes in total. The end of the
/// stream may have truncated `content`.
bool may_be_chunk(Bytes content, std::uint64_t length) {
    if (length < chunk_fixed_size) return false;
    Fields in(content, "Chunk");
    in.take(28, "");
    const std::uint64_t name = in.u32("compression");
    if (in.good() && name > longest_compression) return false;
    return content.size() < chunk_fixed_size + name || is_chunk_of_length(content, length);
}

/// Returns whether a record may begin with these bytes. The end of the stream may have truncated `bytes`.
bool may_begin(Bytes bytes, std::uint64_t limit) {
    if (bytes.empty()) return true;
    if (bytes.span().front() == std::byte{0}) return false;
    if (bytes.size() < frame_size) return true;
    const Head head = head_of(bytes);
    const Bytes content = bytes.from(frame_size).clip(0, head.length);
    switch (static_cast<Op>(head.op)) {
        case Op::chunk:
            return may_be_chunk(content, head.length);
        case Op::footer:
            return head.length == footer_size;
        case Op::attachment:
            return true;
        case Op::data_end:
            return head.length == sizeof(std::uint32_t);
        default:
            return head.length <= limit;
    }
}

/// Reads a summary, record by record.
class SummaryReader {
  public:
    SummaryReader(StreamWindow& window, std::uint64_t limit, IsReference is_reference)
        : window_(window), limit_(limit), is_reference_(is_reference) {}

    /// Reads the records of the summary, from `start` to the footer. Returns false if a record is damaged or too large.
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

    /// Sorts the chunks by offset. Returns whether the summary is consistent: its checksum is right or not stored, the
    /// chunks do not overlap, and all chunks and metadata records that it lists are before the summary and have
    /// possible lengths.
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
        place.size = index.uncompressed_size;
        place.first_channel = static_cast<std::uint32_t>(summary_.chunk_channels.size());
        place.channels = static_cast<std::uint32_t>(index.message_index_offsets.size());
        // Without message indexes, it is unknown which channels the chunk has. The chunk then counts as needed.
        place.needed = index.message_index_offsets.empty();
        for (const auto& [id, offset] : index.message_index_offsets) {
            summary_.chunk_channels.push_back(id);
            const auto channel = summary_.channels.find(id);
            if (channel == summary_.channels.end() || is_reference_(channel->second.message_encoding))
                place.needed = true;
        }
        summary_.chunks.push_back(place);
        summary_.compressed_size += index.compressed_size;
        summary_.uncompressed_size += index.uncompressed_size;
    }

    StreamWindow& window_;
    std::uint64_t limit_;
    IsReference is_reference_;
    Summary summary_;
    std::uint32_t crc_ = 0;
};

}  // namespace

bool is_chunk_of_length(Bytes content, std::uint64_t length) {
    const auto chunk = parse<Chunk>(content);
    return chunk && chunk->compression.size() <= longest_compression && chunk->records_size <= length &&
           chunk->content_size() == length;
}

bool is_magic(Bytes bytes) noexcept {
    return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.data());
}

FrameReader::State FrameReader::look(Frame& frame) {
    const Bytes head = window_.peek(head_size);
    frame = {{}, window_.offset()};
    if (head.empty()) return State::ended;
    frame.op = static_cast<std::uint8_t>(head.span().front());
    if (head.size() < frame_size) return frame.op == 0 ? State::damaged : State::truncated;
    frame.length = head_of(head).length;
    const Bytes content = head.from(frame_size).clip(0, frame.length);
    if (frame.is(Op::chunk)) return look_at_chunk(frame, content);
    // If a record has the content of a chunk but another opcode, this opcode is damaged. One wrong bit can result in an
    // opcode that readers must ignore. Without this check, the chunk would then be skipped without a report.
    if (frame.op == 0 || is_chunk_of_length(content, frame.length)) return State::damaged;
    if (frame.is(Op::attachment)) return look_at_attachment(frame);
    if (frame.length > limit_ || (frame.length > small && rejected_ > most_rejected)) return State::damaged;
    const Bytes all = window_.peek(frame.size());
    if (all.size() < frame.size()) return State::truncated;
    frame.content = all.from(frame_size);
    const Fit how = fit(frame.op, frame.content);
    if (!how.fits || (!how.exact && !has_valid_successor(frame))) {
        rejected_ += frame.size();
        return State::damaged;
    }
    frame.content = window_.peek(frame.size()).from(frame_size);
    return State::valid;
}

FrameReader::State FrameReader::look_at_chunk(Frame& frame, Bytes head) {
    if (!may_be_chunk(head, frame.length)) return State::damaged;
    if (const std::uint64_t end = window_.size().value_or(0);
        end >= frame.offset && end - frame.offset >= frame.size()) {
        frame.content = head;
        return State::valid;
    }
    const std::uint64_t wanted = std::min(frame.size(), frame_size + chunk_fixed_size + longest_compression + limit_);
    const Bytes all = window_.peek(wanted);
    if (all.size() < wanted) return State::truncated;
    frame.content = all.from(frame_size);
    return State::valid;
}

FrameReader::State FrameReader::look_at_attachment(Frame& frame) {
    const Bytes begin = window_.peek(frame_size + std::min(frame.length, attachment_prefix));
    frame.content = begin.from(frame_size);
    return attachment_size(frame.content) == frame.length ? State::valid : State::damaged;
}

/// Returns whether the bytes after the record may be another record or the end of the stream. After a footer, these
/// bytes must be the magic or fewer bytes than the magic has.
bool FrameReader::has_valid_successor(const Frame& frame) {
    const Bytes both = window_.peek(frame.size() + head_size);
    const Bytes next = both.from(frame.size());
    return frame.is(Op::footer) ? next.size() < magic.size() || is_magic(next) : may_begin(next, limit_);
}

std::uint64_t FrameReader::resynchronise() {
    const std::uint64_t from = window_.offset();
    window_.skip(1);
    while (true) {
        const Bytes here = window_.peek(step);
        const bool last = here.size() < step;
        const std::uint64_t most = last ? here.size() : step - 2 * head_size;
        for (std::uint64_t at = 0; at < most; ++at) {
            if (!is_anchor(here.from(at), last)) continue;
            window_.skip(at);
            return window_.offset() - from;
        }
        window_.skip(most);
        if (last) return window_.offset() - from;
    }
}

/// Returns whether a chunk, the data-end record or the end of the file (footer or magic) certainly begins here. `at`:
/// the bytes from here on; at least enough to recognise a record. `last`: whether these bytes reach the end of the
/// stream.
bool FrameReader::is_anchor(Bytes at, bool last) const {
    const std::byte first = at.span().front();
    if (first == magic[0]) return last && at.size() == magic.size() && is_magic(at);
    if (at.size() < frame_size) return false;
    const Head head = head_of(at);
    const Bytes content = at.from(frame_size).clip(0, head.length);
    switch (static_cast<Op>(head.op)) {
        case Op::chunk: {
            if (!is_chunk_of_length(content, head.length)) return false;
            const std::string_view compression = parse<Chunk>(content)->compression;
            return compression.empty() || compression == "zstd" || compression == "lz4";
        }
        case Op::data_end: {
            const Bytes next = at.from(frame_size + sizeof(std::uint32_t));
            return head.length == sizeof(std::uint32_t) && next.size() >= frame_size && may_begin(next, limit_);
        }
        case Op::footer:
            return head.length == footer_size && is_magic(at.from(frame_size + footer_size));
        default:
            return false;
    }
}

std::expected<std::optional<Summary>, Error> read_summary(StreamWindow& window, std::uint64_t limit,
                                                          IsReference is_reference) {
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
    SummaryReader reader(window, limit, is_reference);
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
    const Chunk chunk = *parse<Chunk>(content);
    return chunk.start_time == place.start_time && chunk.end_time == place.end_time;
}

}  // namespace hkpd::mcap
