#include "v2/block_stream.hpp"

#include <algorithm>
#include <utility>

#include "v2/decode.hpp"

namespace hkpd {
namespace {

constexpr std::string_view total_size_field = "dwTotalSize";

bool has_sound_clocks(const v2::DataHeader& header) { return header.SystemTime.valid() && header.PerfFreq > 0; }

std::uint64_t stated_size(Bytes header) { return load<std::uint32_t>(header.data(), ByteOrder::little); }

}  // namespace

std::optional<Bytes> V2BlockStream::next(const FaultSink& faults) {
    window_.skip(std::exchange(given_, 0));
    if (ended_) return std::nullopt;
    skip_padding(faults);
    if (window_.peek(1).empty()) {
        ended_ = true;
        if (window_.offset() == 0) faults.add(Severity::error, {Errc::no_data, 0, "", "", 0, 0});
        return std::nullopt;
    }
    if (sound_as_stated()) return window_.peek(given_);
    return doubtful(faults);
}

/// Blocks may have been written with zeros up to a round length; none begins with them.
void V2BlockStream::skip_padding(const FaultSink& faults) {
    constexpr std::uint64_t step = 8;
    const std::uint64_t from = window_.offset();
    if (from == 0) return;
    for (Bytes ahead = window_.peek(step); !ahead.empty() && v1::is_zero(ahead); ahead = window_.peek(step))
        window_.skip(ahead.size());
    if (window_.offset() != from)
        faults.add(Severity::note,
                   {Errc::leftover_bytes, from, v2::data_header_structure, "", 0, window_.offset() - from});
}

/// Whether the block is as long as it says and nothing is odd about it. Most are: they need not wait for the next one,
/// which a live stream sends later.
bool V2BlockStream::sound_as_stated() {
    const Bytes header = window_.peek(v2::data_header_size);
    if (header.size() < v2::data_header_size) return false;
    const std::uint64_t total = stated_size(header);
    if (total < v2::data_header_size || total > limits_.bytes) return false;
    const Bytes block = window_.peek(total);
    if (block.size() < total) return false;
    Diagnostics found(0);
    const bool sound = probe_.open(block, found) && !found.any_fault() && found.count(Severity::note) == 0;
    if (sound || confirmed(total)) given_ = total;
    return given_ != 0;
}

/// Whether a block ends there: the stream does, or another block begins.
bool V2BlockStream::confirmed(std::uint64_t end) {
    const Bytes next = window_.peek(end + v2::data_header_size).from(end);
    if (next.empty()) return v2::is_data_block(window_.peek(end));
    const FaultSink discarded;
    return probe_.open(next, discarded) && has_sound_clocks(probe_.header());
}

/// What a doubtful block may take: all that is left, since its length may be too low. Where so much was looked through
/// that a hostile stream would take quadratic time, a length that is possible has to do.
Bytes V2BlockStream::doubtful_bytes() {
    constexpr std::uint64_t most_passes = 16;
    const Bytes header = window_.peek(v2::data_header_size);
    const std::uint64_t total = header.size() < v2::data_header_size ? 0 : stated_size(header);
    if (looked_through_ / most_passes > seen_ && total >= v2::data_header_size && total <= limits_.bytes)
        return window_.peek(total);
    const Bytes rest = window_.peek(limits_.bytes);
    looked_through_ += rest.size();
    seen_ = std::max(seen_, rest.end());
    return rest;
}

/// A block that is not as long as it says, or none.
std::optional<Bytes> V2BlockStream::doubtful(const FaultSink& faults) {
    const Bytes rest = doubtful_bytes();
    const std::uint64_t size = rest.size(), total = size < v2::data_header_size ? 0 : stated_size(rest);
    const FaultSink discarded;
    const bool opened = probe_.open(rest, discarded).has_value();
    if (opened && (has_sound_clocks(probe_.header()) || v2::is_data_block(probe_.bytes()))) {
        given_ = probe_.bytes().size();
        if (given_ < limits_.bytes || window_.peek(given_ + 1).size() == given_) return window_.peek(given_);
        faults.add(Severity::error, {Errc::byte_limit, window_.offset(), v2::data_header_structure, total_size_field,
                                     std::max(given_ + 1, total), limits_.bytes});
    } else {
        faults.add(Severity::error,
                   {Errc::not_perflib_data, window_.offset(), v2::data_header_structure,
                    total == 0 ? "" : total_size_field, v2::data_header_size, total == 0 ? size : total});
    }
    given_ = 0;
    ended_ = true;
    return std::nullopt;
}

}  // namespace hkpd
