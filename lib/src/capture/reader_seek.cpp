// Which chunks can be passed over.
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "capture/channels.hpp"
#include "capture/reader_state.hpp"

namespace hkpd {
namespace {

using mcap::ChunkPlace;
using mcap::Op;

std::int64_t signed_time(std::uint64_t time) {
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>(time, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())));
}

/// The chunks that hold nothing of the range's time.
std::vector<ChunkPlace> outside(const mcap::Summary& summary, const Range& range) {
    std::vector<ChunkPlace> passed;
    for (const ChunkPlace& chunk : summary.chunks)
        if (!chunk.needed && (signed_time(chunk.end_time) < range.from || signed_time(chunk.start_time) > range.to))
            passed.push_back(chunk);
    return passed;
}

/// Returns the sequence of the first or the last message of samples in these records, which may be truncated.
std::optional<std::uint32_t> sequence_in(Bytes records, const mcap::Summary& summary, bool last) {
    constexpr std::uint64_t sequence_at = 2;
    std::optional<std::uint32_t> found;
    while ((last || !found) && records.size() > mcap::frame_size + sequence_at + sizeof(std::uint32_t)) {
        const mcap::Head head = mcap::head_of(records);
        const Bytes content = records.from(mcap::frame_size);
        if (head.is(Op::message)) {
            const auto channel = summary.channels.find(load<std::uint16_t>(content.data(), ByteOrder::little));
            if (channel != summary.channels.end() && use_of(channel->second.message_encoding) == mcap::Use::sample)
                found = load<std::uint32_t>(content.at(sequence_at), ByteOrder::little);
        }
        records = content.from(head.length);
    }
    return found;
}

}  // namespace

void CaptureReader::State::seek(const Range& range, const FaultSink& faults) {
    const bool by_number = range.first != 0 || range.last != std::numeric_limits<std::uint64_t>::max();
    if (begun || !window.size() || (!by_number && !range.has_time())) return;
    const auto read = mcap::read_summary(window, limits.chunk, use_of);
    if (!read) {
        faults.add(Severity::warning, read.error());
    } else if (const auto& summary = *read; summary.has_value()) {
        // Samples are counted in the file, so that none may be left out before those that are wanted by number.
        if (!by_number)
            passing = outside(*summary, range);
        else if (range.first != 0)
            pass_to_number(*summary, range.first);
        // The checksum may be absent, and the index of another file.
        const auto wrong = std::ranges::find_if_not(
            passing, [this](const ChunkPlace& chunk) { return mcap::is_chunk_at(window, chunk); });
        if (wrong != passing.end()) {
            faults.add(Severity::warning,
                       {Errc::capture_index, wrong->offset, "Chunk Index", "chunk_start_offset", 0, 0});
            passing.clear();
            skipped_samples = 0;
        }
    }
    window.seek(0);
}

/// Finds the last chunk that begins before the sample of this number, by halving. A sample may reach over the end of a
/// chunk, so the one that begins with this very number would not do.
void CaptureReader::State::pass_to_number(const mcap::Summary& summary, std::uint64_t first) {
    std::vector<ChunkPlace> places;
    std::ranges::copy_if(summary.chunks, std::back_inserter(places), &ChunkPlace::samples);
    if (places.empty() || !counts_once(summary, places)) return;
    std::map<std::size_t, std::uint32_t> probed;
    const auto probe = [&](std::size_t i) {
        const auto sequence = first_sequence(summary, places[i]);
        if (sequence) probed[i] = *sequence;
        return sequence;
    };
    if (!probe(0)) return;
    const std::uint64_t target = probed[0] + first;
    std::size_t low = 0, high = places.size();
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        const auto sequence = probe(middle);
        if (!sequence) return;
        (*sequence < target ? low : high) = middle;
    }
    if (!std::ranges::is_sorted(probed, {}, [](const auto& entry) { return entry.second; })) return;
    for (const ChunkPlace& chunk : summary.chunks)
        if (!chunk.needed && chunk.offset < places[low].offset) passing.push_back(chunk);
    skipped_samples = probed[low] - probed[0];
}

/// Whether the sequences are those of one run: what was merged from several counts more than once. Of several machines
/// or both doors that is known where each block is a sample of its own, as then they are as many as the sequences.
bool CaptureReader::State::counts_once(const mcap::Summary& summary, const std::vector<ChunkPlace>& places) {
    std::uint64_t blocks = 0;
    std::size_t block_channels = 0;
    for (const auto& [id, channel] : summary.channels) {
        const MessageKind* const kind = message_kind(channel.message_encoding);
        // Identifiers are in the sample of the block behind them.
        if (kind == nullptr || kind->reference || kind->kind == Record::Kind::v2_identifiers) continue;
        ++block_channels;
        if (!summary.statistics) continue;
        const auto count = summary.statistics->channel_message_counts.find(id);
        if (count != summary.statistics->channel_message_counts.end()) blocks += count->second;
    }
    if (block_channels == 1) return true;
    const auto first = first_sequence(summary, places.front());
    const auto last = last_sequence(summary, places.back());
    return first && last && *last >= *first && *last - *first == blocks - 1;
}

std::optional<std::uint32_t> CaptureReader::State::last_sequence(const mcap::Summary& summary,
                                                                 const ChunkPlace& place) {
    if (place.length > limits.chunk || !mcap::is_chunk_at(window, place)) return std::nullopt;
    const auto chunk = mcap::parse_chunk_prefix(window.peek(place.length).from(mcap::frame_size));
    if (!chunk) return std::nullopt;
    const auto records = decompressor.open(*chunk, place.offset, limits.chunk);
    if (!records) return std::nullopt;
    return sequence_in(*records, summary, true);
}

/// Decompresses no more of a chunk than it takes.
std::optional<std::uint32_t> CaptureReader::State::first_sequence(const mcap::Summary& summary,
                                                                  const ChunkPlace& place) {
    constexpr std::uint64_t first_try = std::uint64_t{16} * 1024, most = std::uint64_t{1} << 20;
    if (!mcap::is_chunk_at(window, place)) return std::nullopt;
    for (std::uint64_t size = first_try; size <= most; size *= 4) {
        const Bytes record = window.peek(std::min(place.length, mcap::chunk_prefix_size + size));
        const auto chunk = mcap::parse_chunk_prefix(record.from(mcap::frame_size));
        if (!chunk) return std::nullopt;
        if (const auto found = sequence_in(decompressor.begin(*chunk, most), summary, false)) return found;
        if (record.size() >= place.length) return std::nullopt;
    }
    return std::nullopt;
}

/// Whether a chunk that is not wanted begins where the window stands; it becomes the record at hand.
bool CaptureReader::State::pass_over() {
    while (next_passing < passing.size() && passing[next_passing].offset < window.offset()) ++next_passing;
    if (next_passing == passing.size() || passing[next_passing].offset != window.offset()) return false;
    at_hand_size = passing[next_passing].length;
    at_hand = {static_cast<std::uint8_t>(Op::chunk), window.offset(), at_hand_size - mcap::frame_size};
    return true;
}

}  // namespace hkpd
