#include "hkpd/v2.hpp"
#include "v2/decode.hpp"

namespace hkpd::v2 {
namespace {

using v1::Walk;

/// The least that a result of this type takes; none for types that are unknown.
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
    // Blocks are aligned to 8 bytes (learn.microsoft.com, PERF_COUNTER_HEADER).
    static constexpr std::uint64_t step = 8;
    static constexpr std::uint64_t tail = 1;
    static constexpr bool recognisable = false;
    static constexpr Severity uneven = Severity::warning;
    static constexpr v1::ChainField length{Errc::result_length, 8, result_structure, "dwSize"};
    static constexpr v1::ChainField count{Errc::result_count, 4, data_header_structure, "dwNumCounters"};

    Bytes input;
    ByteOrder order = ByteOrder::little;

    CounterHeader header_at(std::uint64_t at) const noexcept { return counter_header_at(input.at(at)); }
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
    /// Nothing states that Reserved is zero. Where it is not, a better chain is looked for, and need not be found.
    bool continues(std::uint64_t at) const noexcept { return plausible(at) && header_at(at).Reserved == 0; }
};

class Follower : v1::Chain<ResultFormat> {
  public:
    Follower(const v1::ChainPlan& plan, std::vector<ResultEntry>& results, const FaultSink& faults)
        : Chain(plan, results, faults) {}

    /// Fills the results and reports every fault of the chain. A result whose dwSize is wrong costs at most itself if
    /// after it a chain is found that ends where the block ends.
    void run() {
        while (at_entry()) step();
        add_unannounced();
        if (missing() != 0 && !truncated()) split_entries();
        for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].ordinal = static_cast<std::uint32_t>(i);
        if (truncated()) return;  // was reported, and explains what is missing
        // A count that is too high costs nothing, as long as nothing else shows that bytes are missing.
        if (missing() != 0) report_count(at_ == end_ && !lost_ ? Severity::warning : Severity::error);
        if (at_ < end_) report_rest(plan_.input.slice(at_, end_ - at_), data_header_structure, faults_);
    }

  private:
    bool fits(std::uint64_t at) const noexcept {
        const std::uint64_t length = format_.length_at(at);
        return length >= counter_header_size && length <= plan_.end - at;
    }
    /// Whether what stands at `next` can be the next result, or need not be one.
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
        // Where all the others stand after a gap, this result is longer than it states; else it is the next one that is
        // damaged, which is dealt with when its turn comes.
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

/// Where the block ends, from the start of the input; none where nothing in it reads as a data block.
std::optional<std::uint64_t> find_end(Bytes input, const DataHeader& header, const FaultSink& faults) {
    const std::uint64_t total = header.dwTotalSize, size = input.size();
    const Walk natural = walk_results(input, header.dwNumCounters);
    const bool all = natural.count != 0 && natural.count == header.dwNumCounters && natural.end == size;
    const auto fault = [&](Severity severity, Errc code, std::uint64_t need) {
        faults.add(severity, {code, input.offset(), data_header_structure, "dwTotalSize", need,
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
        faults.add(Severity::warning,
                   {Errc::system_time, input.offset() + 32, data_header_structure, "SystemTime", 0, 0});
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
    // A cut goes through the last result that can be read, or through the header of the one behind it.
    const bool cut =
        walk.count != 0 && total > input.size() && walk.end <= total && walk.end + counter_header_size > input.size();
    // Two of three, so that a block with one damaged field is still known for what it is.
    const int signs = static_cast<int>(header.SystemTime.valid() && header.PerfFreq > 0) +
                      static_cast<int>(total == input.size()) + static_cast<int>(whole || cut);
    return signs >= 2;
}

}  // namespace hkpd::v2
