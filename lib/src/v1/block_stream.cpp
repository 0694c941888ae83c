#include "v1/block_stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "v1/object_chain.hpp"

namespace hkpd {
namespace {

constexpr std::uint64_t block_header_size = 88;
/// Number of bytes that `v1::is_block` reads.
constexpr std::uint64_t block_start_size = 16;
constexpr std::uint64_t read_step = std::uint64_t{64} * 1024;

}  // namespace

std::optional<Bytes> BlockStream::next(const FaultSink& faults) {
    opened_ = false;
    window_.skip(std::exchange(given_, 0));
    window_.peek(block_header_size);
    if (started_) skip_to_block(faults);
    if (window_.held().empty()) return std::nullopt;
    const bool block = started_ || v1::has_signature(window_.held());
    started_ = true;
    if (!block) {
        foreign_ = true;
        given_ = find_block(1, block_header_size);
        return window_.held().clip(0, given_);
    }
    opened_ = valid_as_stated();
    if (opened_) return window_.held().clip(0, given_);
    const Bytes available = available_bytes(faults);
    const FaultSink discarded;  // the caller reports the block's faults when it opens the block again
    const bool opened = probe_.open(available, discarded).has_value();
    given_ = opened ? probe_.bytes().size() : std::min<std::uint64_t>(available.size(), block_header_size);
    return window_.held().clip(0, given_);
}

/// Returns whether the block at the start of the window has the length that its header states, and opens without any
/// fault or note. Most blocks satisfy this. `next` returns them without waiting for the following block, which a live
/// stream sends later.
bool BlockStream::valid_as_stated() {
    if (window_.held().size() < block_header_size) return false;
    const std::uint64_t total = stated_length();
    if (total < block_header_size || total > limits_.bytes) return false;
    if (window_.peek(total).size() < total) return false;
    // A hostile stream can contain many headers with large, wrong lengths. If each of these lengths were tried, the
    // time would be quadratic. `refused_end_` is the highest offset to which a rejected length has led. If this block
    // begins before that offset, its length is tried only if no other block begins in the bytes that the length covers.
    // The search for another block reads no byte after `total`, because a live stream sends these bytes later.
    const std::uint64_t last = total - block_start_size;
    if (window_.offset() < refused_end_ && find_block(block_start_size, last) < last) return false;
    Diagnostics found(0);
    const bool valid = probe_.open(window_.held().clip(0, total), found) && probe_.bytes().size() == total &&
                       !found.any_fault() && found.count(Severity::note) == 0;
    if (!valid) {
        refused_end_ = std::max(refused_end_, window_.offset() + total);
        return false;
    }
    given_ = total;
    return true;
}

/// Returns the bytes that may belong to the block at the start of the window. If the stream ends, or another block
/// begins, at the end that the header states, returns the bytes up to that end. Otherwise returns the bytes up to the
/// next block, but not more than the limit.
Bytes BlockStream::available_bytes(const FaultSink& faults) {
    window_.peek(block_header_size);
    const std::uint64_t total = window_.held().size() < block_header_size ? 0 : stated_length();
    window_.peek(std::min(total + block_start_size, limits_.bytes));
    if (total >= block_header_size && total <= window_.held().size() && total <= limits_.bytes &&
        (total == window_.held().size() ? window_.ended() : v1::is_block(window_.held().from(total))))
        return window_.held().clip(0, total);
    const std::uint64_t end =
        find_block(std::min<std::uint64_t>(block_start_size, window_.held().size()), limits_.bytes);
    if (end == limits_.bytes && (window_.held().size() > end || !window_.ended()))
        faults.add({Errc::byte_limit, window_.offset() + 20, "PERF_DATA_BLOCK", "TotalByteLength", limits_.bytes,
                    std::max(total, end)});
    return window_.held().clip(0, end);
}

std::uint64_t BlockStream::stated_length() const noexcept {
    const Bytes block = window_.held();
    const bool little = block.span().front() == std::byte{'P'};
    return load<std::uint32_t>(block.at(20), little ? ByteOrder::little : ByteOrder::big);
}

/// Returns the offset, in the window, of the first block at or after `from`. If no block begins before the offset
/// `most`, returns the end of the stream or `most`, whichever is smaller.
std::uint64_t BlockStream::find_block(std::uint64_t from, std::uint64_t most) {
    const auto have = [&](std::uint64_t at) {
        if (at + block_start_size > window_.held().size())
            window_.peek(std::min(at + read_step, most) + block_start_size);
        return at < std::min<std::uint64_t>(most, window_.held().size());
    };
    for (std::uint64_t at = from; have(at); ++at) {
        // The signature has a 'P' in its first two bytes, in both byte orders.
        const Bytes rest = window_.held().from(at);
        const void* letter = std::memchr(rest.data(), 'P', rest.size());
        const auto skip = letter == nullptr
                              ? rest.size()
                              : static_cast<std::size_t>(static_cast<const std::byte*>(letter) - rest.data());
        if (skip > 1) at += skip - 1;
        if (have(at) && v1::is_block(window_.held().from(at))) return at;
    }
    return std::min<std::uint64_t>(window_.held().size(), most);
}

/// Drops bytes that belong to no block, up to the next block or the end of the stream.
void BlockStream::skip_to_block(const FaultSink& faults) {
    const std::uint64_t from = window_.offset();
    bool zero = true;
    while (!window_.held().empty() && !v1::is_block(window_.held())) {
        const std::uint64_t next = find_block(0, read_step);
        zero = zero && v1::is_zero(window_.held().clip(0, next));
        window_.skip(next);
        window_.peek(block_start_size);
    }
    if (window_.offset() == from) return;
    // Wine leaves a gap of `block_header_size` bytes after the header, and does not count the gap in the block's
    // length. If a block has no objects, the gap therefore lies between this block and the next one.
    const std::uint64_t before = probe_.bytes().size();
    if (window_.offset() - from == block_header_size && before != 0 && probe_.objects().empty())
        return faults.add({Errc::gap_after_header, from - before + 24, "PERF_DATA_BLOCK", "HeaderLength",
                           before + block_header_size, before});
    // Bytes before the first block of a stream are not reported here. `next` has returned the stream's first bytes as
    // if they were a block, and `Block::open` has reported that they are not a block.
    if (!std::exchange(foreign_, false))
        faults.add(zero ? Severity::note : Severity::warning,
                   {Errc::leftover_bytes, from, "PERF_DATA_BLOCK", "", 0, window_.offset() - from});
}

}  // namespace hkpd
