// Reads V2 data blocks, and finds where each block in a stream begins and ends.
#include <algorithm>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "hkpd/v2.hpp"
#include "v2/block_stream.hpp"
#include "v2/decode.hpp"

namespace hkpd::v2 {
namespace {

using v1::Walk;

/// Returns the least size of a result of this type, in bytes; none for unknown types.
std::optional<std::uint64_t> least_size_of(std::uint32_t type) noexcept {
    switch (static_cast<ResultType>(type)) {
        case ResultType::error:
            return counter_header_size;
        case ResultType::single_counter:
            return counter_header_size + counter_data_size;
        case ResultType::multiple_counters:
            return counter_header_size + multi_counters_size;
        case ResultType::multiple_instances:
            return counter_header_size + multi_instances_size;
        case ResultType::counterset:
            return counter_header_size + multi_counters_size + multi_instances_size;
    }
    return std::nullopt;
}

struct ResultFormat {
    using Entry = ResultEntry;
    static constexpr std::uint64_t header_size = counter_header_size;
    // Results are aligned to 8 bytes (learn.microsoft.com, PERF_COUNTER_HEADER).
    static constexpr std::uint64_t step = 8;
    static constexpr std::uint64_t tail = 1;
    static constexpr bool recognisable = false;
    static constexpr Severity uneven = Severity::warning;
    static constexpr v1::ChainField length{Errc::result_length, 8, result_structure, "dwSize"};
    static constexpr v1::ChainField count{Errc::result_count, 4, data_header_structure, "dwNumCounters"};

    Bytes input;
    ByteOrder order = ByteOrder::little;

    CounterHeader header_at(std::uint64_t at) const noexcept {
        return decode(wire_at<layout::PERF_COUNTER_HEADER>(input.at(at)));
    }
    std::uint32_t length_at(std::uint64_t at) const noexcept { return header_at(at).dwSize; }
    std::uint32_t title_at(std::uint64_t /*at*/) const noexcept { return no_index; }
    Entry entry(std::uint64_t at, std::uint64_t size) const noexcept {
        return {input.slice(at, size), header_at(at), 0};
    }
    std::uint64_t least_size(std::uint64_t at) const noexcept {
        return least_size_of(header_at(at).dwType).value_or(header_size);
    }
    bool plausible(std::uint64_t at) const noexcept {
        if (!input.contains(at, header_size)) return false;
        const auto least = least_size_of(header_at(at).dwType);
        return least && length_at(at) >= *least;
    }
    /// Returns whether the bytes at `at` look like the header of the next result. Reserved is usually 0, but Microsoft
    /// does not document its value. If Reserved is not 0, the caller searches for another position at which the next
    /// result can begin. If there is no other position, the caller reads the result at `at`.
    bool continues(std::uint64_t at) const noexcept { return plausible(at) && header_at(at).Reserved == 0; }
};

class Follower : v1::Chain<ResultFormat> {
  public:
    Follower(const v1::ChainPlan& plan, std::vector<ResultEntry>& results, const FaultSink& faults)
        : Chain(plan, results, faults) {}

    /// Fills the results and reports every fault of the chain. After a result with a wrong dwSize, reading continues at
    /// the next position from which the sizes of results add up to the block's end. Only results that begin before that
    /// position can be lost.
    void run() {
        while (at_entry()) step();
        add_unannounced();
        if (missing() != 0 && !truncated()) split_entries();
        for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].ordinal = static_cast<std::uint32_t>(i);
        if (truncated()) return;  // the truncation was reported already and explains the missing results
        // There are fewer results than the header states. If they fill the block and none was lost, only the stated
        // number is wrong, which is a warning.
        if (missing() != 0) report_count(at_ == end_ && !lost_ ? Severity::warning : Severity::error);
        if (at_ < end_) report_rest(plan_.input.slice(at_, end_ - at_), data_header_structure, faults_);
    }

  private:
    bool fits(std::uint64_t at) const noexcept {
        const std::uint64_t length = format_.length_at(at);
        return length >= counter_header_size && length <= plan_.end - at;
    }
    /// Returns whether the chain can continue at `next`: a result can begin there, or no further result is expected.
    bool can_go_on(std::uint64_t next) const noexcept {
        if (next >= end_ || missing() == 1) return true;
        if (end_ - next < counter_header_size) return truncated();
        return fits(next) && format_.continues(next);
    }

    void step() {
        const std::uint64_t next = at_ + format_.length_at(at_);
        const bool good = fits(at_);
        if (good && can_go_on(next)) return add(next);
        if (!resume_) resume_.emplace(v1::ChainPlan{plan_.input, plan_.order, at_, plan_.end, plan_.announced});
        const auto found = resume_->first(at_ + counter_header_size, missing() - 1);
        // If `*found` is after the stated end of the current result (`next`), there is a gap between them. If all
        // results that are still missing follow the gap, the gap belongs to the current result, which is longer than it
        // states. Otherwise, the bytes in the gap are a damaged result, and the next call of `step` handles it.
        const bool longer = found && *found > next && resume_->chain_at(*found) == missing() - 1;
        if (good && !longer && (!found || *found >= next)) return add(next);
        lost_ = lost_ || !found;
        add_with_wrong_length(found.value_or(end_));
    }

    std::optional<v1::ResumePoints<ResultFormat>> resume_;
};

Walk walk_results(Bytes input, std::uint32_t most) noexcept {
    return v1::walk_chain(ResultFormat{input}, data_header_size, most);
}

/// Returns the block's end, in bytes from the start of the input. Returns none if dwTotalSize is impossible and no
/// result follows the header: the input is then not a data block.
std::optional<std::uint64_t> find_end(Bytes input, const DataHeader& header, const FaultSink& faults) {
    const std::uint64_t total = header.dwTotalSize, size = input.size();
    const Walk natural = walk_results(input, header.dwNumCounters);
    const bool all = natural.count != 0 && natural.count == header.dwNumCounters && natural.end == size;
    const auto fault = [&](Severity severity, Errc code, std::uint64_t expected) {
        faults.add(severity, {code, input.offset(), data_header_structure, "dwTotalSize", expected,
                              code == Errc::block_truncated ? size : total});
    };
    if (total < data_header_size) {
        if (natural.count == 0) return std::nullopt;
        fault(all ? Severity::warning : Severity::error, Errc::block_length, size);
        return size;
    }
    if (total > size) {
        fault(Severity::error, Errc::block_truncated, total);
    } else if (total < size && all) {
        fault(Severity::warning, Errc::block_length, size);
        return size;
    }
    return total;
}

}  // namespace

std::expected<void, Error> DataBlock::open(Bytes input, const FaultSink& faults) {
    results_.clear();
    bytes_ = {};
    if (input.size() < data_header_size) return too_short(input, data_header_structure, data_header_size);
    header_ = decode(wire_at<layout::PERF_DATA_HEADER>(input.data()));
    const auto end = find_end(input, header_, faults);
    if (!end)
        return std::unexpected(Error{Errc::not_perflib_data, input.offset(), data_header_structure, "dwTotalSize",
                                     data_header_size, header_.dwTotalSize});
    if (!header_.SystemTime.valid())
        faults.add({Errc::system_time, input.offset() + system_time_at, data_header_structure, "SystemTime", 0, 0});
    if (*end % 8 != 0 && *end == header_.dwTotalSize)
        faults.add(Severity::warning,
                   {Errc::length_uneven, input.offset(), data_header_structure, "dwTotalSize", 0, header_.dwTotalSize});
    Follower({input, ByteOrder::little, data_header_size, *end, header_.dwNumCounters}, results_, faults).run();
    bytes_ = input.clip(0, *end);
    if (*end < input.size() && !is_data_block(input.from(*end)))
        v1::report_leftover(input.from(*end), data_header_structure, no_index, faults);
    return {};
}

bool is_data_block(Bytes input) noexcept {
    if (input.size() < data_header_size) return false;
    const DataHeader header = decode(wire_at<layout::PERF_DATA_HEADER>(input.data()));
    const std::uint64_t total = header.dwTotalSize;
    if (total < data_header_size) return false;
    const Walk walk = walk_results(input, header.dwNumCounters);
    const bool whole = walk.count == header.dwNumCounters && walk.end == total;
    // A truncated block ends inside the last readable result, or inside the header of the one after it.
    const bool cut =
        walk.count != 0 && total > input.size() && walk.end <= total && walk.end + counter_header_size > input.size();
    // A block has three signs: its clocks are valid, its dwTotalSize is the size of the input, and its results lead to
    // its end. Two of the signs suffice, because a field may be damaged.
    const int signs = static_cast<int>(header.SystemTime.valid() && header.PerfFreq > 0) +
                      static_cast<int>(total == input.size()) + static_cast<int>(whole || cut);
    return signs >= 2;
}

}  // namespace hkpd::v2

namespace hkpd {
namespace {

constexpr std::string_view total_size_field = "dwTotalSize";

bool has_valid_clocks(const v2::DataHeader& header) { return header.SystemTime.valid() && header.PerfFreq > 0; }

std::uint64_t stated_size(Bytes header) { return load<std::uint32_t>(header.data(), ByteOrder::little); }

}  // namespace

std::optional<Bytes> V2BlockStream::next(const FaultSink& faults) {
    window_.skip(std::exchange(given_, 0));
    if (ended_) return std::nullopt;
    skip_padding(faults);
    if (window_.peek(1).empty()) {
        ended_ = true;
        if (window_.offset() == 0) faults.add({Errc::no_data, 0, "", "", 0, 0});
        return std::nullopt;
    }
    if (valid_as_stated()) return window_.peek(given_);
    return doubtful(faults);
}

/// Skips zeros, which can be padding after a block. No block begins with zeros.
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

/// Returns whether the next block has the length that its header states. This is the case if the block has no faults,
/// or if the bytes after the block confirm the length. If the block has no faults, the bytes after it are not read,
/// because a live stream sends them only with the following block.
bool V2BlockStream::valid_as_stated() {
    const Bytes header = window_.peek(v2::data_header_size);
    if (header.size() < v2::data_header_size) return false;
    const std::uint64_t total = stated_size(header);
    if (total < v2::data_header_size || total > limits_.bytes) return false;
    const Bytes block = window_.peek(total);
    if (block.size() < total) return false;
    Diagnostics found(0);
    const bool valid = probe_.open(block, found) && !found.any_fault() && found.count(Severity::note) == 0;
    if (valid || confirmed(total)) given_ = total;
    return given_ != 0;
}

/// Returns whether a block ends at the offset `end` in the window: the stream ends there, or another block begins.
bool V2BlockStream::confirmed(std::uint64_t end) {
    const Bytes next = window_.peek(end + v2::data_header_size).from(end);
    if (next.empty()) return v2::is_data_block(window_.peek(end));
    return probe_.open(next, {}) && has_valid_clocks(probe_.header());
}

/// Returns the bytes that may belong to a doubtful block, whose stated length is not confirmed. The stated length may
/// be too low, so these are all bytes that are left, up to the limit. If a hostile stream has many doubtful blocks,
/// examining all these bytes for each block would take quadratic time. After `most_passes` passes over the same bytes,
/// the result is therefore only as long as the stated length, if this length is possible.
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

/// Returns the next block, whose stated length is not confirmed. If the bytes do not form a block, or the block exceeds
/// the limit, reports an error, ends the stream and returns none.
std::optional<Bytes> V2BlockStream::doubtful(const FaultSink& faults) {
    const Bytes rest = doubtful_bytes();
    const std::uint64_t size = rest.size(), total = size < v2::data_header_size ? 0 : stated_size(rest);
    const bool opened = probe_.open(rest, {}).has_value();
    if (opened && (has_valid_clocks(probe_.header()) || v2::is_data_block(probe_.bytes()))) {
        given_ = probe_.bytes().size();
        if (given_ < limits_.bytes || window_.peek(given_ + 1).size() == given_) return window_.peek(given_);
        faults.add({Errc::byte_limit, window_.offset(), v2::data_header_structure, total_size_field, limits_.bytes,
                    std::max(given_ + 1, total)});
    } else {
        faults.add({Errc::not_perflib_data, window_.offset(), v2::data_header_structure,
                    total == 0 ? "" : total_size_field, v2::data_header_size, total == 0 ? size : total});
    }
    given_ = 0;
    ended_ = true;
    return std::nullopt;
}

}  // namespace hkpd
