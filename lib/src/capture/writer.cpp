#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "capture/channels.hpp"
#include "hkpd/capture.hpp"
#include "mcap/chunk.hpp"
#include "mcap/records.hpp"

namespace hkpd {
namespace {

using mcap::Op;
using mcap::RecordWriter;

constexpr std::string_view profile = "x-hkpd";
/// Maximum number of bytes of one sample in a chunk; a larger sample is divided among several chunks. A chunk has at
/// most twice as many bytes: those of earlier samples and those of the current one. Readers accept chunks of that size,
/// and one window of zstd covers such a chunk (mcap/chunk.hpp). Only a chunk that consists of a single large record may
/// be larger, because records are not divided.
constexpr std::uint64_t hard_limit = std::uint64_t{64} << 20;
/// A chunk whose only sample has at least this size stays open for the next sample, even if the chunk has reached the
/// size `CaptureOptions::bytes`.
constexpr std::uint64_t large_sample = std::uint64_t{8} << 20;
constexpr std::size_t most_channels = std::numeric_limits<std::uint16_t>::max();

mcap::Channel channel_of(const Record& record, std::uint16_t id) {
    const MessageKind& kind = *message_kind(record.kind);
    mcap::Channel channel{.id = id, .topic = std::string(kind.topic), .message_encoding = std::string(kind.encoding)};
    const auto add_part = [&](std::string_view part) {
        if (!part.empty()) channel.topic.append("/").append(part);
    };
    const auto add = [&](std::string_view key, std::string_view value) {
        if (!value.empty()) channel.metadata.emplace(key, value);
    };
    add_part(record.machine);
    add("machine", record.machine);
    if (record.log != Guid{}) {
        const std::string guid = guid_text(record.log);
        add_part(guid);
        add("log", guid);
    }
    if (!kind.reference) return channel;
    add("language", record.language);
    if (record.kind == Record::Kind::titles) {
        add_part(record.name);
        add("name", record.name);
    } else if (record.kind == Record::Kind::v2_registration) {
        const std::string guid = guid_text(record.counterset), request = std::to_string(record.request);
        for (const std::string_view part : {std::string_view(guid), std::string_view(request), record.language})
            add_part(part);
        add("counterset", guid);
        add("request", request);
        if (record.title_index) add("title_index", std::to_string(*record.title_index));
    }
    return channel;
}

}  // namespace

struct CaptureWriter::State {
    /// Earliest and latest time of messages so far.
    struct Times {
        std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), last = 0;

        void add(std::uint64_t time) {
            first = std::min(first, time);
            last = std::max(last, time);
        }
        std::uint64_t start() const { return first > last ? 0 : first; }
    };

    /// The chunk that is being filled with messages.
    struct OpenChunk {
        struct Entry {
            std::uint64_t time = 0;
            std::size_t offset = 0;
        };
        bool open = false, reference = false;
        std::string messages;
        std::map<std::uint16_t, std::vector<Entry>> index;  // by channel id: the channel's messages
        Times times;
        std::uint32_t samples = 0;
        std::size_t sample_at = 0;  // where in `messages` the current sample begins
        std::chrono::steady_clock::time_point since;
    };

    State(Sink to, const CaptureOptions& chosen) : sink(std::move(to)), options(chosen), compressor(chosen.level) {}

    bool write(std::string_view bytes) {
        if (!good || finished) return false;
        good = sink(std::as_bytes(std::span(bytes)));
        offset += bytes.size();
        crc = mcap::crc32(crc, bytes);
        return good;
    }

    void add(const Record& record) {
        const MessageKind* const kind = message_kind(record.kind);
        if (!good || finished || kind == nullptr) return;
        if (chunk.reference != kind->reference) close_chunk();
        const mcap::Channel* const channel = channel_for(record);
        good = channel != nullptr;
        if (!good) return;
        if (chunk.open && exceeds_limit(record.bytes.size())) close_chunk();
        if (!chunk.open) {
            chunk.open = true;
            chunk.reference = kind->reference;
            chunk.since = std::chrono::steady_clock::now();
        }
        const std::uint64_t time = record.time.value_or(0);
        chunk.index[channel->id].push_back({time, chunk.messages.size()});
        chunk.times.add(time);
        RecordWriter message(chunk.messages, Op::message);
        message.u16(channel->id).u32(kind->reference ? 0 : samples).u64(time).u64(time).bytes(record.bytes).end();
    }

    bool exceeds_limit(std::uint64_t more) const {
        const std::uint64_t size = chunk.messages.size() + more;
        return size - chunk.sample_at > hard_limit || size > 2 * hard_limit;
    }

    /// Returns hints for the compressor, one for each message. A hint states the position of the message in the chunk,
    /// and the message's distance in bytes from the previous message of the same channel. The distance is 0 if there is
    /// no previous message. In the chunk, `shift` bytes precede the first message.
    std::vector<mcap::Likeness> likenesses_from(std::size_t shift) const {
        std::vector<mcap::Likeness> likenesses;
        for (const auto& [id, entries] : chunk.index)
            for (std::size_t i = 0; i < entries.size(); ++i)
                likenesses.push_back(
                    {shift + entries[i].offset, i == 0 ? 0 : entries[i].offset - entries[i - 1].offset});
        std::ranges::sort(likenesses, {}, &mcap::Likeness::at);
        return likenesses;
    }

    /// Writes the open chunk and its message indexes with a single `write`, so that a killed process leaves complete
    /// chunks.
    void close_chunk() {
        if (!chunk.open) return;
        out.clear();
        for (const auto& [id, entries] : chunk.index) mcap::append_channel(out, *channels_by_id[id - 1U]);
        const std::size_t shift = out.size();
        std::string& records = chunk.messages.insert(0, out);
        const std::string_view compressed = compressor.compress(records, likenesses_from(shift));

        out.clear();
        append_chunk(out, records, compressed);
        const std::uint64_t length = out.size(), at = offset;
        const auto index_offsets = append_message_indexes(out, shift);
        RecordWriter index(chunk_indexes, Op::chunk_index);
        index.u64(chunk.times.start()).u64(chunk.times.last).u64(at).u64(length).numbers(index_offsets);
        index.u64(out.size() - length).string(compressed.empty() ? "" : "zstd");
        index.u64(compressed.empty() ? records.size() : compressed.size()).u64(records.size()).end();
        ++chunk_count;
        write(out);

        std::string kept = std::move(chunk.messages);  // the next chunk reuses this memory
        kept.clear();
        chunk = {};
        chunk.messages = std::move(kept);
    }

    void append_chunk(std::string& to, std::string_view plain, std::string_view compressed) const {
        RecordWriter record(to, Op::chunk);
        record.u64(chunk.times.start()).u64(chunk.times.last).u64(plain.size()).u32(mcap::crc32(0, plain));
        const std::string_view stored = compressed.empty() ? plain : compressed;
        record.string(compressed.empty() ? "" : "zstd").u64(stored.size()).bytes(stored).end();
    }

    /// Appends a message index (an MCAP record) for each channel of the open chunk, and counts the messages. Returns,
    /// for each channel id, the file offset of its message index. `shift`: number of bytes in the chunk before the
    /// first message.
    std::map<std::uint16_t, std::uint64_t> append_message_indexes(std::string& to, std::uint64_t shift) {
        std::map<std::uint16_t, std::uint64_t> offsets;
        for (const auto& [id, entries] : chunk.index) {
            offsets[id] = offset + to.size();
            RecordWriter record(to, Op::message_index);
            record.u16(id).u32(static_cast<std::uint32_t>(entries.size() * 2 * sizeof(std::uint64_t)));
            for (const OpenChunk::Entry& entry : entries) {
                record.u64(entry.time).u64(shift + entry.offset);
                times.add(entry.time);
            }
            record.end();
            message_counts[id] += entries.size();
            message_count += entries.size();
        }
        return offsets;
    }

    /// Appends summary, summary offsets and footer, which follow the end of the data.
    void append_summary(std::string& to) const {
        struct Group {
            Op op;
            std::uint64_t start, length;
        };
        std::vector<Group> groups;
        const std::uint64_t start = offset;
        const auto end_group = [&](Op op) {
            const std::uint64_t from = groups.empty() ? start : groups.back().start + groups.back().length;
            if (start + to.size() != from) groups.push_back({op, from, start + to.size() - from});
        };
        for (const auto& [key, channel] : channels) mcap::append_channel(to, channel);
        end_group(Op::channel);
        RecordWriter counts(to, Op::statistics);
        counts.u64(message_count).u16(0).u32(static_cast<std::uint32_t>(channels.size())).u32(0).u32(metadata_count);
        counts.u32(chunk_count).u64(times.start()).u64(times.last).numbers(message_counts).end();
        end_group(Op::statistics);
        to += chunk_indexes;
        end_group(Op::chunk_index);
        to += metadata_indexes;
        end_group(Op::metadata_index);
        const std::uint64_t offset_start = start + to.size();
        for (const Group& group : groups) {
            RecordWriter record(to, Op::summary_offset);
            record.u8(static_cast<std::uint8_t>(group.op)).u64(group.start).u64(group.length).end();
        }
        // The checksum covers the summary, the opcode and length of the footer, and the footer's fields before the
        // checksum.
        RecordWriter footer(to, Op::footer);
        footer.u64(start).u64(offset_start).u32(0).end();
        const std::string_view covered = std::string_view(to).substr(0, to.size() - sizeof(std::uint32_t));
        const std::uint32_t summary_crc = mcap::crc32(0, covered);
        to.resize(covered.size());
        footer.u32(summary_crc);
    }

    /// Identity of a channel: kind, machine, name, language, counterset or log, request, title index.
    using Key = std::tuple<Record::Kind, std::string, std::string, std::string, Guid, std::uint32_t,
                           std::optional<std::uint32_t>>;

    /// Returns the channel for a record, whose kind must be one of `message_kinds`. The first record for a channel
    /// creates the channel. Channels are numbered from 1. Returns null if all numbers are in use.
    const mcap::Channel* channel_for(const Record& record) {
        const bool titles = record.kind == Record::Kind::titles,
                   registration = record.kind == Record::Kind::v2_registration;
        const auto key = std::tuple(record.kind, record.machine, titles ? record.name : std::string_view{},
                                    titles || registration ? record.language : std::string_view{},
                                    registration ? record.counterset : record.log, registration ? record.request : 0,
                                    registration ? record.title_index : std::nullopt);
        if (const auto found = channels.find(key); found != channels.end()) return &found->second;
        if (channels.size() == most_channels) return nullptr;
        const auto id = static_cast<std::uint16_t>(channels.size() + 1);
        return channels_by_id.emplace_back(&channels.emplace(Key(key), channel_of(record, id)).first->second);
    }

    Sink sink;
    CaptureOptions options;
    mcap::Compressor compressor;
    bool good = true, finished = false;
    std::uint64_t offset = 0;  // offset of the next byte to write
    std::uint32_t crc = 0;     // CRC-32 of all bytes written

    std::map<Key, mcap::Channel, std::less<>> channels;  // `capture_encoding` describes the channels
    std::vector<const mcap::Channel*> channels_by_id;    // entries of `channels`; ids begin with 1
    std::map<std::uint16_t, std::uint64_t> message_counts;
    OpenChunk chunk;
    std::uint32_t samples = 0;  // number of complete samples
    std::string chunk_indexes, metadata_indexes;
    std::uint32_t chunk_count = 0, metadata_count = 0;
    std::uint64_t message_count = 0;
    Times times;
    std::string out;  // the bytes to write next; a member so that its memory is reused
};

CaptureWriter::CaptureWriter(Sink sink, const CaptureOptions& options)
    : state_(std::make_unique<State>(std::move(sink), options)) {
    std::string begin(reinterpret_cast<const char*>(mcap::magic.data()), mcap::magic.size());
    RecordWriter(begin, Op::header).string(profile).string(options.library).end();
    state_->write(begin);
}

CaptureWriter::~CaptureWriter() = default;

bool CaptureWriter::good() const noexcept { return state_->good; }

void CaptureWriter::add_metadata(std::string_view name, const Metadata& entries) {
    State& state = *state_;
    state.out.clear();
    RecordWriter(state.out, Op::metadata).string(name).strings(entries).end();
    const std::uint64_t at = state.offset;
    if (!state.write(state.out)) return;
    ++state.metadata_count;
    RecordWriter index(state.metadata_indexes, Op::metadata_index);
    index.u64(at).u64(state.out.size()).string(name).end();
}

void CaptureWriter::add_reference(const Record& reference) { state_->add(reference); }

void CaptureWriter::add_block(const Record& block) { state_->add(block); }

void CaptureWriter::end_sample() {
    State& state = *state_;
    ++state.samples;
    State::OpenChunk& chunk = state.chunk;
    if (!chunk.open) return;
    ++chunk.samples;
    chunk.sample_at = chunk.messages.size();
    const CaptureOptions& options = state.options;
    const bool alone = chunk.samples == 1 && chunk.messages.size() >= large_sample;
    if (chunk.reference || chunk.samples >= options.samples || (chunk.messages.size() >= options.bytes && !alone) ||
        options.time.count() == 0 || std::chrono::steady_clock::now() - chunk.since >= options.time)
        state.close_chunk();
}

void CaptureWriter::finish() {
    State& state = *state_;
    if (state.finished) return;
    state.close_chunk();
    std::string end;
    RecordWriter(end, Op::data_end).u32(state.crc).end();
    if (!state.write(end)) return;
    end.clear();
    state.append_summary(end);
    end.append(reinterpret_cast<const char*>(mcap::magic.data()), mcap::magic.size());
    state.write(end);
    state.finished = true;
}

}  // namespace hkpd
