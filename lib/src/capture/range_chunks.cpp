#include "capture/range_chunks.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "base/time.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"
#include "mcap/chunk.hpp"
#include "sample/grouping.hpp"

namespace hkpd {
namespace {

/// Difference in nanoseconds that the time of a record may have from the time of its sample, which is in milliseconds.
constexpr std::int64_t tolerance = 1'000'000'000;
/// Two neighbouring chunks that are together larger than this may share a sample: writers divide samples above 64 MiB.
constexpr std::uint64_t shared_sample = std::uint64_t{64} << 20U;

/// Returns a time of the index as a time of samples. Times beyond 64 bits with a sign become the last one.
std::int64_t moment(std::uint64_t time) noexcept {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(time, std::numeric_limits<std::int64_t>::max()));
}

bool is_before(std::int64_t time, std::int64_t from) noexcept { return time < from && from - time > tolerance; }

}  // namespace

std::optional<std::uint64_t> time_of_block(const SystemTime& time, std::int64_t perf_time_100ns) {
    // A capture cannot represent times before 1970. They become 0, the beginning of 1970.
    if (const auto utc = block_time(time, perf_time_100ns))
        return static_cast<std::uint64_t>(std::max<std::int64_t>(0, unix_time(*utc)));
    const auto utc = unix_nanoseconds(perf_time_100ns);
    return utc && *utc > 0 ? std::optional(static_cast<std::uint64_t>(*utc)) : std::nullopt;
}

bool has_time_of_sample(const Record& record) {
    if (record.kind == Record::Kind::log_row) return true;  // its sample has the time of the record
    if (record.kind == Record::Kind::v1_block) {
        v1::Block block;
        return block.open(record.bytes, {}) &&
               time_of_block(block.header().SystemTime, block.header().PerfTime100nSec) == record.time;
    }
    v2::DataBlock block;
    return block.open(record.bytes, {}) &&
           time_of_block(block.header().SystemTime, block.header().PerfTime100NSec) == record.time;
}

RangeChunks::RangeChunks(const mcap::Summary& summary, StreamWindow& window, std::uint64_t limit)
    : summary_(summary), window_(window), limit_(limit) {
    std::ranges::copy_if(summary.chunks, std::back_inserter(chunks_), std::not_fn(&mcap::ChunkPlace::needed));
}

/// Returns the number of samples that precede a chunk, which its first message states.
std::optional<std::uint32_t> RangeChunks::first_number(const mcap::ChunkPlace& chunk) {
    // The first block of zstd has at most 128 KiB, and the descriptions of channels are before the first message.
    constexpr std::uint64_t stored = std::uint64_t{192} * 1024, most = std::uint64_t{1} << 20U;
    const std::uint64_t prefix = mcap::chunk_prefix_size + stored;
    const Bytes content = mcap::record_at(window_, mcap::Op::chunk, chunk.offset, chunk.length, prefix);
    const auto parsed = mcap::parse<mcap::Chunk>(content);
    if (!parsed || parsed->uncompressed_size > limit_) return std::nullopt;
    mcap::Decompressor decompressor;
    mcap::Fields in(decompressor.beginning(*parsed, most), mcap::Chunk::structure);
    while (true) {
        const std::uint8_t op = in.u8("records");
        const std::uint64_t length = in.u64("records");
        if (!in.good()) return std::nullopt;
        if (op == static_cast<std::uint8_t>(mcap::Op::message)) {
            in.u16("records");
            const std::uint32_t number = in.u32("records");
            return in.good() ? std::optional(number) : std::nullopt;
        }
        in.take(length, "records");
    }
}

std::uint32_t RangeChunks::count_samples() {
    if (chunks_.empty()) return 0;
    const mcap::ChunkPlace& last = chunks_.back();
    const auto chunk = mcap::parse<mcap::Chunk>(mcap::record_at(window_, mcap::Op::chunk, last.offset, last.length));
    mcap::Decompressor decompressor;
    const auto records = chunk ? decompressor.open(*chunk, last.offset, limit_) : std::unexpected(chunk.error());
    std::uint32_t count = 0;
    for (mcap::Fields in(records.value_or(Bytes()), mcap::Chunk::structure); !in.rest().empty();) {
        const std::uint8_t op = in.u8("records");
        const Bytes content = in.take(in.u64("records"), "records");
        if (!in.good()) break;
        const auto message = op == static_cast<std::uint8_t>(mcap::Op::message)
                                 ? mcap::parse<mcap::Message>(content).value_or(mcap::Message{})
                                 : mcap::Message{};
        if (!message.data.empty()) count = std::max(count, message.sequence + 1);
    }
    return count;
}

/// Returns the position of the chunk with a sample: the last one whose first number is not above `number`.
std::optional<std::size_t> RangeChunks::chunk_of(std::uint64_t number) {
    std::size_t low = 0, high = chunks_.size();
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        const auto first = first_number(chunks_[middle]);
        if (!first) return std::nullopt;
        (*first <= number ? low : high) = middle;
    }
    return low;
}

/// Marks in `read` the last of the chunks `before`, up to position `end`, that have messages of each channel.
void RangeChunks::add_last_of_channels(const std::vector<bool>& before, std::size_t end,
                                       std::vector<bool>& read) const {
    std::set<std::uint16_t> found;
    for (std::size_t i = end; i-- > 0;)
        if (before[i])
            for (const std::uint16_t channel : summary_.channels_of(chunks_[i]))
                if (found.insert(channel).second) read[i] = true;
}

/// Joins chunks that follow one another in the file to one place, so that the message indexes between them are not
/// read.
std::vector<mcap::ChunkPlace> RangeChunks::joined(const std::vector<mcap::ChunkPlace>& places) const {
    if (!summary_.statistics || summary_.statistics->attachment_count != 0) return places;
    std::vector<std::uint64_t> others;  // offsets of what must be read
    others.reserve(summary_.metadata.size());
    for (const mcap::Summary::Place& metadata : summary_.metadata) others.push_back(metadata.offset);
    for (const mcap::ChunkPlace& chunk : summary_.chunks)
        if (!std::ranges::binary_search(places, chunk.offset, {}, &mcap::ChunkPlace::offset))
            others.push_back(chunk.offset);
    std::ranges::sort(others);
    std::vector<mcap::ChunkPlace> all;
    for (const mcap::ChunkPlace& place : places) {
        const auto next = all.empty() ? others.end() : std::ranges::lower_bound(others, all.back().offset);
        if (all.empty() || (next != others.end() && *next < place.offset))
            all.push_back(place);
        else
            all.back().length = place.offset + place.length - all.back().offset;
    }
    return all;
}

std::optional<std::vector<mcap::ChunkPlace>> RangeChunks::outside(const Range& range) {
    std::vector<mcap::ChunkPlace> outside;
    if (chunks_.empty()) return outside;
    const auto number = range.first == 0 ? std::size_t{0} : chunk_of(range.first);
    if (!number) return std::nullopt;
    const std::size_t count = chunks_.size();
    std::vector<bool> before(count), read(count);
    std::size_t first = count, last = 0;  // of the chunks with samples in the range
    for (std::size_t i = 0; i < count; ++i) {
        before[i] = i < *number || (range.has_time() && is_before(moment(chunks_[i].end_time), range.from));
        if (before[i] || (range.has_time() && is_before(range.to, moment(chunks_[i].start_time)))) continue;
        first = std::min(first, i);
        last = i;
    }
    // In a capture whose times run backwards, chunks between these have none of its samples, and are read nevertheless.
    for (std::size_t i = first; i < count && i <= last; ++i) read[i] = true;
    read.front() = true;
    read[*number] = true;  // may have samples before the first number
    add_last_of_channels(before, first, read);
    add_last_of_channels(before, count, read);
    for (std::size_t i = count; --i > 0;)
        if (read[i] && chunks_[i - 1].size > shared_sample - std::min(chunks_[i].size, shared_sample))
            read[i - 1] = true;
    for (std::size_t i = 0; i < count; ++i)
        if (!read[i]) outside.push_back(chunks_[i]);
    // The index may belong to another file. Few chunks suffice to see that, and a large file has many.
    constexpr std::size_t most_checked = 16;
    for (std::size_t i = 0; i < outside.size(); i += outside.size() / most_checked + 1)
        if (!mcap::is_chunk_at(window_, outside[i])) return std::nullopt;
    return joined(outside);
}

}  // namespace hkpd
