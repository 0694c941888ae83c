#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "capture/channels.hpp"
#include "capture/range_chunks.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/limits.hpp"
#include "mcap/chunk.hpp"

namespace hkpd {

using mcap::ChunkPlace;
using mcap::Op;

namespace {

/// The profile that `CaptureWriter` states.
constexpr std::string_view own_profile = "x-hkpd";

CaptureInfo::Channel channel_info(const mcap::Channel& channel, std::uint64_t messages) {
    return {channel.id, channel.topic, channel.message_encoding, channel.metadata, messages};
}

/// Reports a record's error at the offset where the record begins.
void add_at(std::uint64_t at, Error error, const FaultSink& faults) {
    error.offset = at;
    faults.add(error);
}

/// Returns the index at the end of a capture; none if there is none, or if it is damaged, which is a fault.
std::optional<mcap::Summary> summary_of(StreamWindow& window, const Limits& limits, const FaultSink& faults) {
    auto read = mcap::read_summary(window, limits.chunk, is_reference);
    if (read) return *std::move(read);
    faults.add(read.error());
    return std::nullopt;
}

/// Reads the header record of the file into `info`. Returns false if the file does not begin with the magic bytes and a
/// header record.
bool fetch_header(CaptureInfo& info, StreamWindow& window) {
    if (!window.seek(0) || !mcap::is_magic(window.peek(mcap::magic.size()))) return false;
    window.skip(mcap::magic.size());
    const Bytes front = window.peek(mcap::frame_size);
    const std::uint64_t length = front.size() < mcap::frame_size ? 0 : mcap::head_of(front).length;
    if (length > largest_text_record) return false;
    auto header =
        mcap::parse<mcap::Header>(mcap::record_at(window, Op::header, mcap::magic.size(), mcap::frame_size + length));
    if (!header) return false;
    info.profile = std::move(header->profile);
    info.library = std::move(header->library);
    return true;
}

/// Copies the counts, times and channels of the summary to `info`. Returns false if the summary is incomplete or
/// contradicts itself.
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

/// Reads the metadata records into `info`. Returns false if a record is not at the place that the summary states, or if
/// the records together exceed `largest_text_records`.
bool fetch_metadata(CaptureInfo& info, const mcap::Summary& summary, StreamWindow& window) {
    std::uint64_t size = 0;
    for (const mcap::Summary::Place& place : summary.metadata) {
        size += place.length;
        if (size > largest_text_records) return false;
        auto record = mcap::parse<mcap::Metadata>(mcap::record_at(window, Op::metadata, place.offset, place.length));
        if (!record) return false;
        info.metadata.push_back({std::move(record->name), std::move(record->entries)});
    }
    return true;
}

}  // namespace

/// The position of a reader in the file, and what the reader has read so far.
struct CaptureReader::State {
    State(StreamWindow&& input, const Limits& chosen)
        : limits(chosen), window(std::move(input)), frames(window, chosen.chunk + mcap::chunk_prefix_size) {}

    std::optional<CaptureInfo> info_from_summary(const FaultSink& faults) {
        if (begun || !window.size()) return std::nullopt;
        const auto summary = summary_of(window, limits, faults);
        CaptureInfo found;
        const bool valid = summary.has_value() && fetch_header(found, window) && fill(found, *summary) &&
                           fetch_metadata(found, *summary, window);
        window.seek(0);
        if (!valid) return std::nullopt;
        found.file_bytes = window.size().value_or(0);
        found.finished = found.indexed = true;
        return found;
    }

    std::optional<Record> next(const FaultSink& faults) {
        if (!begun && !begin(faults)) return std::nullopt;
        while (true) {
            while (!rest.empty())
                if (auto record = take_inner(faults)) return record;
            if (!step(faults)) return std::nullopt;
        }
    }

    bool begin(const FaultSink& faults) {
        begun = true;
        const Bytes first = window.peek(mcap::magic.size());
        if (!mcap::is_magic(first)) {
            done = true;
            faults.add(Severity::error, {Errc::not_recognised, 0, "Magic", "", 0, 0});
            return false;
        }
        window.skip(first.size());
        return true;
    }

    /// Handles the next record of the file: a chunk, or another record that is not inside a chunk. Returns false at the
    /// end of the file.
    bool step(const FaultSink& faults) {
        if (done) return false;
        const std::uint64_t there = window.skip(current_size);
        if (there < std::exchange(current_size, 0)) return recover(true, faults);
        if (skip_unwanted()) return true;
        // Magic bytes end the capture if a footer precedes them or if nothing follows them.
        const Bytes ahead = window.peek(mcap::magic.size() + 1);
        if (mcap::is_magic(ahead) && (current.is(Op::footer) || ahead.size() == mcap::magic.size())) {
            info.finished = true;
            return end(faults);
        }
        switch (frames.look(current)) {
            case mcap::FrameReader::State::ended:
                return end(faults);
            case mcap::FrameReader::State::valid:
                current_size = current.size();
                take(current, faults);
                return true;
            case mcap::FrameReader::State::truncated:
                return recover(true, faults);
            default:
                return recover(false, faults);
        }
    }

    /// Reports the faults that are known only at the end of the file; returns false.
    bool end(const FaultSink& faults) {
        done = true;
        if (!info.finished) {
            faults.add({Errc::capture_unfinished, window.offset(), "Footer", "", 0, 0});
        } else {
            window.skip(mcap::magic.size());
            const std::uint64_t at = window.offset();
            if (const std::uint64_t more = window.skip(std::numeric_limits<std::uint64_t>::max()); more != 0)
                faults.add(Severity::error, {Errc::capture_leftover, at, "Magic", "", 0, more});
        }
        if (statistics && unwanted.empty() && statistics->message_count != info.messages)
            faults.add({Errc::capture_count, statistics_at, "Statistics", "message_count", info.messages,
                        statistics->message_count});
        return false;
    }

    /// Continues after a record that is damaged or truncated, at the next position where a record certainly begins.
    /// Returns false if a truncated record is the last of the file.
    bool recover(bool truncated, const FaultSink& faults) {
        const mcap::Frame frame = std::exchange(current, {});
        // A record seems truncated if its length leads beyond the end of the file. The length may be wrong, so the next
        // record is searched for. For two kinds of record, no search is needed: the length of a chunk was checked
        // against the chunk's fields, and an attachment has already been skipped up to the end of the file.
        const bool sure = truncated && (frame.is(Op::chunk) || frame.is(Op::attachment));
        const std::uint64_t skipped =
            sure ? window.skip(std::numeric_limits<std::uint64_t>::max()) : frames.resynchronise();
        const bool found = !window.peek(1).empty();
        if (truncated && !found) {
            done = true;
            const std::uint64_t left = window.offset() - frame.offset;
            const std::uint64_t expected = left < mcap::frame_size ? mcap::frame_size : frame.size();
            faults.add({Errc::capture_torn, frame.offset, "Record", "", expected, left});
            return false;
        }
        // After the end of the data, only the index of the file can be lost, which is a warning.
        faults.add(data_ended ? Severity::warning : Severity::error,
                   {Errc::capture_leftover, frame.offset, "Record", "", 0, skipped});
        return true;
    }

    /// Handles the next record in a chunk. If the record is a message that hkpd understands, returns the message;
    /// otherwise returns none.
    std::optional<Record> take_inner(const FaultSink& faults) {
        mcap::Fields in(rest, "Chunk");
        const std::uint8_t op = in.u8("records");
        const Bytes content = in.take(in.u64("records"), "records");
        rest = in.rest();
        if (!in.good()) {
            rest = {};
            faults.add({Errc::capture_record, rest_at, "Chunk", "records", in.error().expected, in.error().found});
        } else if (op == static_cast<std::uint8_t>(Op::message)) {
            return take_message(content, rest_at, faults);
        } else if (op == static_cast<std::uint8_t>(Op::channel)) {
            take_channel(content, rest_at, faults);
        } else if (op != static_cast<std::uint8_t>(Op::schema) && op < mcap::first_application_op) {
            faults.add(Severity::warning, {Errc::capture_unknown_record, rest_at, "Chunk", "records", 0, op});
        }
        return std::nullopt;
    }

    std::optional<Record> take_message(Bytes content, std::uint64_t at, const FaultSink& faults) {
        const auto message = mcap::parse<mcap::Message>(content);
        if (!message) {
            add_at(at, message.error(), faults);
            return std::nullopt;
        }
        ++info.messages;
        info.first_time = std::min(info.first_time.value_or(message->log_time), message->log_time);
        info.last_time = std::max(info.last_time.value_or(0), message->log_time);
        CaptureChannels::Known* const known = channels.find(message->channel_id);
        if (known == nullptr) {
            if (!std::exchange(no_channel_reported, true))
                faults.add({Errc::capture_no_channel, at, "Message", "channel_id", 0, message->channel_id});
            return std::nullopt;
        }
        ++known->messages;
        if (known->kind == nullptr) return std::nullopt;
        Record record = known->record;
        record.bytes = Bytes(message->data.span());
        if (!known->kind->reference || message->log_time != 0) record.time = message->log_time;
        if (!known->kind->reference) number(record, message->sequence);
        return record;
    }

    /// Sets the sequence of a sample's record, and the number of samples passed over before it.
    void number(Record& record, std::uint32_t sequence) {
        record.sequence = sequence;
        if (std::exchange(passed_over, false) && sequence > following) record.passed = sequence - following;
        following = sequence + 1;
        if (!first_sequence) first_sequence = sequence;
        if (!times_agree && record.kind != Record::Kind::v2_identifiers) times_agree = has_time_of_sample(record);
    }

    void take(const mcap::Frame& frame, const FaultSink& faults) {
        switch (static_cast<Op>(frame.op)) {
            case Op::header:
                if (auto found = mcap::parse<mcap::Header>(frame.content); found && info.library.empty()) {
                    info.profile = std::move(found->profile);
                    info.library = std::move(found->library);
                }
                return;
            case Op::chunk:
                return take_chunk(frame, faults);
            case Op::channel:
                if (!data_ended) take_channel(frame.content, frame.offset, faults);
                return;
            case Op::message:
                if (data_ended) break;  // messages are not allowed after the data
                // A message outside chunks is treated as a chunk of one message, uncompressed and without a checksum.
                rest = window.peek(frame.size());
                rest_at = frame.offset;
                return;
            case Op::statistics:
                if (auto found = mcap::parse<mcap::Statistics>(frame.content)) statistics = std::move(*found);
                statistics_at = frame.offset;
                return;
            case Op::metadata:
                return take_metadata(frame, faults);
            case Op::data_end:
                data_ended = true;
                return;
            case Op::attachment:
                ++info.attachments;
                return faults.add(Severity::note,
                                  {Errc::capture_unknown_record, frame.offset, "Attachment", "", 0, frame.op});
            default:
                // Records of MCAP that are not needed here, and records that applications define, are ignored. A record
                // with an opcode that the format reserves is reported below.
                if (frame.op <= static_cast<std::uint8_t>(Op::data_end) || frame.op >= mcap::first_application_op)
                    return;
        }
        faults.add(Severity::warning, {Errc::capture_unknown_record, frame.offset, "Record", "", 0, frame.op});
    }

    void take_chunk(const mcap::Frame& frame, const FaultSink& faults) {
        const auto chunk = mcap::parse<mcap::Chunk>(frame.content);
        if (!chunk) return;  // cannot happen: `FrameReader::look` has parsed the same fields before
        ++info.chunks;
        info.compressed_bytes += chunk->records_size;
        info.uncompressed_bytes += chunk->uncompressed_size;
        if (chunk->records_size > limits.chunk && chunk->uncompressed_size <= limits.chunk)
            return faults.add({Errc::chunk_limit, frame.offset, "Chunk", "records", limits.chunk, chunk->records_size});
        // All compressed chunks together may expand to `limits.expansion` times the bytes in `packed`, and in any case
        // to `always_allowed` bytes. `packed` also counts the compressed bytes of chunks that this check rejects.
        // `unpacked` counts the expanded bytes only of chunks that it accepts.
        constexpr std::uint64_t always_allowed = std::uint64_t{16} << 20;
        if (!chunk->compression.empty() && chunk->uncompressed_size <= limits.chunk) {
            packed += chunk->records_size;
            const std::uint64_t allowed = std::max(always_allowed, packed * limits.expansion);
            if (chunk->uncompressed_size > allowed - std::min(unpacked, allowed))
                return faults.add({Errc::expansion_limit, frame.offset, "Chunk", "uncompressed_size",
                                   allowed - std::min(unpacked, allowed), chunk->uncompressed_size});
            unpacked += chunk->uncompressed_size;
        }
        const auto records = open_chunk(frame, *chunk);
        if (!records) return faults.add(Severity::error, records.error());
        rest = *records;
        rest_at = frame.offset;
        no_channel_reported = false;
    }

    std::expected<Bytes, Error> open_chunk(const mcap::Frame& frame, mcap::Chunk chunk) {
        if (chunk.records.size() < chunk.records_size && chunk.records_size <= limits.chunk) {
            if (const auto records = read_in_pieces(frame, chunk)) return *records;
            const Bytes all = window.peek(frame.size());
            // If the chunk cannot be read from the stream a second time, `parse` fails. An empty chunk then replaces
            // it, and the next call of `step` reports that the record is truncated.
            chunk = mcap::parse<mcap::Chunk>(all.from(mcap::frame_size)).value_or(mcap::Chunk{});
        }
        return decompressor.open(chunk, frame.offset, limits.chunk);
    }

    /// Reads a chunk that the window does not hold completely. Reads and decompresses the chunk in pieces, and returns
    /// its records. On failure, returns none and moves the window back to the beginning of the chunk. The caller then
    /// opens the whole chunk with `Decompressor::open`.
    std::optional<Bytes> read_in_pieces(const mcap::Frame& frame, const mcap::Chunk& chunk) {
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
            current_size = left;
        else if (left != frame.size())
            window.seek(frame.offset);
        return records;
    }

    void take_channel(Bytes content, std::uint64_t at, const FaultSink& faults) {
        if (content.size() > largest_text_record)
            return faults.add({Errc::byte_limit, at, "Channel", "", largest_text_record, content.size()});
        auto channel = mcap::parse<mcap::Channel>(content);
        if (!channel) return add_at(at, channel.error(), faults);
        define(*std::move(channel), at, faults);
    }

    void define(mcap::Channel described, std::uint64_t at, const FaultSink& faults) {
        const auto known = channels.define(std::move(described));
        if (!known) return add_at(at, known.error(), faults);
        CaptureChannels::Known& channel = **known;
        // If a channel of another program cannot be read, no performance data is lost, so this is a warning. If a
        // channel of hkpd cannot be read, performance data is lost, so this is an error.
        const bool own = channel.channel.message_encoding.starts_with(capture_encoding::prefix);
        if (channel.kind == nullptr && !std::exchange(channel.reported, true))
            faults.add(own ? Severity::error : Severity::warning,
                       {Errc::capture_foreign_channel, at, "Channel", channel.unknown, 0, channel.channel.id});
    }

    void take_metadata(const mcap::Frame& frame, const FaultSink& faults) {
        metadata_size += frame.content.size();
        if (metadata_size > largest_text_records) {
            metadata_size -= frame.content.size();
            return faults.add(
                {Errc::byte_limit, frame.offset, "Metadata", "", largest_text_records, frame.content.size()});
        }
        if (auto found = mcap::parse<mcap::Metadata>(frame.content))
            info.metadata.push_back({std::move(found->name), std::move(found->entries)});
    }

    /// Reads the summary, and makes `step` skip chunks that contain nothing but samples. `choose` removes those that
    /// must not be skipped. Returns the summary if any chunk is skipped.
    template <class Choose>
    std::optional<mcap::Summary> skip_chunks(const Choose& choose, const FaultSink& faults) {
        if (begun || !window.size()) return std::nullopt;
        auto summary = summary_of(window, limits, faults);
        if (summary) {
            std::ranges::copy_if(summary->chunks, std::back_inserter(unwanted), std::not_fn(&ChunkPlace::needed));
            choose(*summary, unwanted);
            // The summary may have no checksum, and its index may belong to another file. Each chunk to skip is
            // therefore checked.
            const auto wrong = std::ranges::find_if_not(
                unwanted, [this](const ChunkPlace& chunk) { return mcap::is_chunk_at(window, chunk); });
            if (wrong != unwanted.end()) {
                faults.add({Errc::capture_index, wrong->offset, "Chunk Index", "chunk_start_offset", 0, 0});
                unwanted.clear();
            } else {
                // The chunks to skip may contain the only description of a channel that other chunks use
                // (mcap.dev/spec, "Channel"). Therefore all channels are taken from the summary.
                for (const auto& [id, channel] : summary->channels) define(channel, window.offset(), faults);
            }
        }
        window.seek(0);
        return unwanted.empty() ? std::nullopt : std::move(summary);
    }

    void skip_samples(const FaultSink& faults) {
        skip_chunks([](const mcap::Summary&, const std::vector<ChunkPlace>&) {}, faults);
    }

    std::optional<SkippedMiddle> skip_middle(std::uint64_t sample_above_bytes, const FaultSink& faults) {
        constexpr std::size_t ends = 3;  // chunks; one may have only one sample, and an interval needs two
        const auto choose = [sample_above_bytes](const mcap::Summary& summary, std::vector<ChunkPlace>& chosen) {
            if (!summary.statistics || summary.uncompressed_size <= sample_above_bytes || chosen.size() <= 2 * ends)
                return chosen.clear();
            chosen.erase(chosen.end() - ends, chosen.end());
            chosen.erase(chosen.begin(), chosen.begin() + ends);
        };
        const auto summary = skip_chunks(choose, faults);
        if (!summary || !summary->statistics) return std::nullopt;
        const auto& counts = summary->statistics->channel_message_counts;
        SkippedMiddle skipped{unwanted.front().start_time, unwanted.back().end_time, 0, 0, 0, {}};
        for (std::size_t i = 1; i < unwanted.size(); ++i)
            if (unwanted[i].start_time > unwanted[i - 1].end_time)
                skipped.pauses.push_back({unwanted[i - 1].end_time, unwanted[i].start_time});
        for (const auto& [id, channel] : summary->channels) {
            const auto count = counts.find(id);
            if (count == counts.end()) continue;
            if (channel.message_encoding == capture_encoding::v1_block) skipped.v1_blocks += count->second;
            if (channel.message_encoding == capture_encoding::v2_block) skipped.v2_blocks += count->second;
            if (channel.message_encoding == capture_encoding::log_row) skipped.log_rows += count->second;
        }
        return skipped;
    }

    bool seek(std::istream& again, Range range, std::uint64_t first) {
        // The numbers and times of a capture are those of its samples only if a recorder of hkpd wrote it whole.
        const bool own = info.profile == own_profile && info.library.starts_with("hkpd") && first_sequence == 0U;
        if (!own || !unwanted.empty() || data_ended ||
            (range.has_time() && (!times_agree.value_or(false) || range.to < 0)))
            return false;
        range.first -= std::min(range.first, first);
        StreamWindow other(again);
        const auto summary = summary_of(other, limits, {});
        if (!summary) return false;
        auto outside = RangeChunks(*summary, other, limits.chunk).outside(range);
        if (!outside || outside->empty()) return false;
        for (const auto& [id, channel] : summary->channels)
            if (channels.find(id) == nullptr) define(channel, window.offset(), {});
        unwanted = *std::move(outside);
        seeks = true;
        return true;
    }

    /// Returns whether a chunk of `unwanted` begins at the window's position. If so, that chunk becomes the current
    /// record.
    bool skip_unwanted() {
        while (next_unwanted < unwanted.size() && unwanted[next_unwanted].offset < window.offset()) ++next_unwanted;
        if (next_unwanted == unwanted.size() || unwanted[next_unwanted].offset != window.offset()) return false;
        passed_over = seeks;
        current_size = unwanted[next_unwanted].length;
        current = {{static_cast<std::uint8_t>(Op::chunk), current_size - mcap::frame_size}, window.offset()};
        return true;
    }

    Limits limits;
    StreamWindow window;
    mcap::FrameReader frames;
    mcap::Decompressor decompressor;
    std::uint64_t packed = 0, unpacked = 0;  // bytes of compressed chunks so far, as `take_chunk` counts them
    CaptureChannels channels;
    CaptureInfo info;  // what was read so far, without the channels
    std::size_t metadata_size = 0;

    bool begun = false, data_ended = false, done = false;
    mcap::Frame current;             // the record at the window's position
    std::uint64_t current_size = 0;  // bytes of `current` to skip before the next record
    Bytes rest;                      // unread records of a chunk, or a message outside chunks
    std::uint64_t rest_at = 0;       // file offset of the record that contains `rest`
    bool no_channel_reported = false;
    std::uint32_t given = 0;

    std::optional<mcap::Statistics> statistics;
    std::uint64_t statistics_at = 0;

    std::vector<ChunkPlace> unwanted;  // chunks to skip, in the order of the file
    std::size_t next_unwanted = 0;
    bool seeks = false;                           // whether `seek` has chosen these chunks
    bool passed_over = false;                     // whether such chunks were skipped since the last record of a sample
    std::uint32_t following = 0;                  // the sequence after that of the last record of a sample
    std::optional<std::uint32_t> first_sequence;  // of the first record of a sample
    std::optional<bool> times_agree;              // whether the first block has the time of its sample
};

bool CaptureReader::is_capture(Bytes first_bytes) noexcept { return mcap::is_magic(first_bytes); }

bool CaptureReader::is_capture(std::istream& stream) {
    // The first byte of the magic excludes most other inputs. No block begins with this byte. No text does either,
    // because no UTF-8 character begins with it.
    if (stream.peek() != std::to_integer<int>(mcap::magic[0])) return false;
    const std::streampos start = stream.tellg();
    if (start == std::streampos(-1)) {
        stream.clear();
        return true;
    }
    std::array<char, magic_size> first{};
    stream.read(first.data(), first.size());
    const auto got = static_cast<std::size_t>(stream.gcount());
    stream.clear();
    stream.seekg(start);
    return is_capture(Bytes(std::as_bytes(std::span(first)).first(got)));
}

std::optional<CaptureReader::Times> CaptureReader::times(std::istream& stream, const Limits& limits) {
    StreamWindow window(stream);
    const auto summary = summary_of(window, limits, {});
    if (!summary || !summary->statistics || summary->statistics->message_count == 0) return std::nullopt;
    Times times{std::numeric_limits<std::uint64_t>::max(), 0};
    for (const ChunkPlace& chunk : summary->chunks) {
        if (chunk.needed) continue;
        times.first = std::min(times.first, chunk.start_time);
        times.last = std::max(times.last, chunk.end_time);
    }
    return times.first <= times.last ? std::optional(times) : std::nullopt;
}

CaptureReader::CaptureReader(std::istream& stream, const Limits& limits)
    : CaptureReader(StreamWindow(stream), limits) {}
CaptureReader::CaptureReader(StreamWindow&& window, const Limits& limits)
    : state_(std::make_unique<State>(std::move(window), limits)) {}

CaptureReader::~CaptureReader() = default;

void CaptureReader::skip_samples(const FaultSink& faults) { state_->skip_samples(faults); }

std::optional<CaptureReader::SkippedMiddle> CaptureReader::skip_middle(std::uint64_t sample_above_bytes,
                                                                       const FaultSink& faults) {
    return state_->skip_middle(sample_above_bytes, faults);
}

std::optional<std::uint32_t> CaptureReader::cut_at() const noexcept {
    return state_->passed_over ? std::optional(state_->following) : std::nullopt;
}

std::uint32_t CaptureReader::count_samples(std::istream& stream, const Limits& limits) {
    StreamWindow window(stream);
    const auto summary = summary_of(window, limits, {});
    return summary ? RangeChunks(*summary, window, limits.chunk).count_samples() : 0;
}

bool CaptureReader::seek(std::istream& again, const Range& range, std::uint64_t first) {
    return state_->seek(again, range, first);
}

std::optional<Record> CaptureReader::next(const FaultSink& faults) {
    auto record = state_->next(faults);
    if (record) record->place = {.input = faults.place().input, .record = state_->given++};
    return record;
}

std::span<const CaptureInfo::MetadataRecord> CaptureReader::metadata() const noexcept { return state_->info.metadata; }

CaptureInfo CaptureReader::info(const FaultSink& faults) {
    if (auto info = state_->info_from_summary(faults)) return *std::move(info);
    while (state_->next(faults)) {
    }
    CaptureInfo info = state_->info;
    info.file_bytes = state_->window.size().value_or(state_->window.offset());
    for (const auto& [id, known] : state_->channels.all())
        info.channels.push_back(channel_info(known.channel, known.messages));
    return info;
}

}  // namespace hkpd
