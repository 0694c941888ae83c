#include "v2/result_chain.hpp"

#include <algorithm>
#include <optional>

#include "hkpd/diagnostics.hpp"
#include "v1/object_chain.hpp"
#include "v2/decode.hpp"

namespace hkpd::v2 {
namespace {

/// The least that a result of this type takes; none for types that are unknown.
std::optional<std::uint64_t> least_size(std::uint32_t type) noexcept {
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

bool plausible(const CounterHeader& header) noexcept {
    const auto least = least_size(header.dwType);
    return least && header.dwSize >= *least;
}

/// Places behind a wrong length from which a chain of results leads exactly to the end. Worked out from the end
/// backwards, once, so that a hostile block costs linear time.
class ResumePoints {
  public:
    // Blocks are aligned to 8 bytes (learn.microsoft.com, PERF_COUNTER_HEADER).
    static constexpr std::uint64_t step = 8;

    /// Chains may lead to `limit`, behind the end, where the input is cut.
    ResumePoints(Bytes input, std::uint64_t start, std::uint64_t end, std::uint64_t limit)
        : input_(input), start_(start), end_(end), limit_(limit) {
        counts_.resize(static_cast<std::size_t>((end - start) / step + 1));
        for (std::size_t i = counts_.size(); i-- > 0;) counts_[i] = count_from(start + i * step);
    }

    /// The first place from `from` on with at most so many results behind it. From one call to the next `from` does
    /// not fall and `most` does not rise: what was passed over once need not be looked at again.
    std::optional<std::uint64_t> first(std::uint64_t from, std::uint32_t most) noexcept {
        const std::uint64_t skipped = from <= start_ ? 0 : (from - start_ + step - 1) / step;
        cursor_ = std::max(cursor_, static_cast<std::size_t>(skipped));
        for (; cursor_ < counts_.size(); ++cursor_)
            if (counts_[cursor_] != 0 && counts_[cursor_] <= most) return start_ + cursor_ * step;
        return std::nullopt;
    }

    /// How many results the chain holds that begins at a place from `first`.
    std::uint32_t count_at(std::uint64_t at) const noexcept {
        return counts_[static_cast<std::size_t>((at - start_) / step)];
    }

  private:
    std::uint32_t count_from(std::uint64_t at) const noexcept {
        if (at > end_ || end_ - at < counter_header_size) return 0;
        const CounterHeader header = counter_header_at(input_.at(at));
        if (!plausible(header) || header.Reserved != 0) return 0;
        const std::uint64_t next = at + header.dwSize;
        if (next == end_) return 1;
        if (next > end_) return next <= limit_ ? 1 : 0;
        if ((next - start_) % step != 0) return 0;
        const std::uint32_t behind = counts_[static_cast<std::size_t>((next - start_) / step)];
        return behind == 0 ? 0 : behind + 1;
    }

    Bytes input_;
    std::uint64_t start_, end_, limit_;
    std::vector<std::uint32_t> counts_;
    std::size_t cursor_ = 0;  // places before it are of no use any more
};

class Follower {
  public:
    Follower(const ResultPlan& plan, std::vector<ResultEntry>& results, const FaultSink& faults)
        : plan_(plan), end_(std::min<std::uint64_t>(plan.end, plan.input.size())), results_(results), faults_(faults) {}

    void run() {
        while (results_.size() < plan_.announced && at_ < end_ && end_ - at_ >= counter_header_size) step();
        if (results_.size() == plan_.announced && at_ < end_) unannounced();
        if (results_.size() < plan_.announced && !truncated()) find_swallowed();
        for (std::size_t i = 0; i < results_.size(); ++i) results_[i].ordinal = static_cast<std::uint32_t>(i);
        if (truncated()) return;  // said already, and explains what is missing
        // A count that is too high costs nothing, as long as nothing else says that bytes are missing.
        if (results_.size() < plan_.announced)
            count_differs(at_ == end_ && !lost_ ? Severity::warning : Severity::error);
        // Fewer than 8 bytes are padding.
        if (at_ < end_ && end_ - at_ >= 8)
            v1::report_leftover(plan_.input.slice(at_, end_ - at_), "PERF_DATA_HEADER", no_index, faults_);
    }

  private:
    bool truncated() const noexcept { return plan_.end > end_; }
    std::uint32_t missing() const noexcept { return plan_.announced - static_cast<std::uint32_t>(results_.size()); }
    CounterHeader header_at(std::uint64_t at) const noexcept { return counter_header_at(plan_.input.at(at)); }
    bool fits(std::uint64_t at, const CounterHeader& header) const noexcept {
        return header.dwSize >= counter_header_size && header.dwSize <= plan_.end - at;
    }
    /// Whether what stands at `next` can be the next result, or need not be one.
    bool sound_behind(std::uint64_t next) const noexcept {
        if (next >= end_ || missing() == 1) return true;
        if (end_ - next < counter_header_size) return truncated();
        const CounterHeader header = header_at(next);
        // Nothing says that Reserved is zero. Where it is not, a better chain is looked for, and need not be found.
        return fits(next, header) && plausible(header) && header.Reserved == 0;
    }

    void step() {
        const CounterHeader header = header_at(at_);
        const std::uint64_t next = at_ + header.dwSize;
        const bool good = fits(at_, header);
        if (good && sound_behind(next)) return add(next);
        if (!resume_) resume_.emplace(plan_.input, at_, end_, plan_.end);
        const auto found = resume_->first(at_ + counter_header_size, missing() - 1);
        // Where all the others stand behind a gap, this result is longer than it says; else it is the next one that is
        // damaged, which is dealt with when its turn comes.
        const bool longer = found && *found > next && resume_->count_at(*found) == missing() - 1;
        if (good && !longer && (!found || *found >= next)) return add(next);
        lost_ = lost_ || !found;
        report_length(at_, found.value_or(end_) - at_);
        add(found.value_or(end_));
    }

    void add(std::uint64_t next) {
        const std::uint64_t end = std::min(next, end_);
        const CounterHeader header = header_at(at_);
        if (header.dwSize % 8 != 0 && next == at_ + header.dwSize)
            faults_.add(Severity::warning, {Errc::length_uneven, plan_.input.offset() + at_ + 8, result_structure,
                                            "dwSize", 0, header.dwSize});
        results_.push_back({plan_.input.slice(at_, end - at_), header, 0});
        at_ = end;
    }

    void report_length(std::uint64_t at, std::uint64_t length) {
        faults_.add(Severity::error, {Errc::result_length, plan_.input.offset() + at + 8, result_structure, "dwSize",
                                      length, header_at(at).dwSize});
    }

    /// Results behind the last announced one, if they fill the block exactly.
    void unannounced() {
        const Walk walk = walk_results(plan_.input, at_, no_index);
        if (walk.count == 0 || walk.end != end_) return;
        while (at_ < end_) add(at_ + header_at(at_).dwSize);
        count_differs(Severity::warning);
    }

    /// A result whose dwSize reaches over the next ones, to the very end of one, leaves no trace but a count that is
    /// too low.
    void find_swallowed() {
        std::vector<ResultEntry> all;
        std::uint32_t wanted = missing();
        for (const ResultEntry& entry : results_) {
            const std::uint64_t begin = entry.bytes.offset() - plan_.input.offset();
            const std::uint64_t end = begin + entry.bytes.size();
            const auto found = wanted == 0 ? std::nullopt : swallowed(entry, begin, end, wanted);
            all.push_back(entry);
            if (!found) continue;
            report_length(begin, *found - begin);
            all.back().bytes = plan_.input.slice(begin, *found - begin);
            for (std::uint64_t at = *found; at < end; at += header_at(at).dwSize, --wanted)
                all.push_back({plan_.input.slice(at, header_at(at).dwSize), header_at(at), 0});
        }
        if (wanted != missing()) results_.swap(all);
    }

    /// Where in a result a chain of others begins that ends where it does.
    std::optional<std::uint64_t> swallowed(const ResultEntry& entry, std::uint64_t begin, std::uint64_t end,
                                           std::uint32_t most) const {
        const std::uint64_t from = begin + least_size(entry.header.dwType).value_or(counter_header_size);
        if (from > end || end - from < counter_header_size) return std::nullopt;
        return ResumePoints(plan_.input, begin, end, end).first(from, most);
    }

    void count_differs(Severity severity) {
        faults_.add(severity, {Errc::result_count, plan_.input.offset() + 4, "PERF_DATA_HEADER", "dwNumCounters",
                               results_.size(), plan_.announced});
    }

    const ResultPlan& plan_;
    std::uint64_t end_;
    std::uint64_t at_ = data_header_size;
    bool lost_ = false;
    std::vector<ResultEntry>& results_;
    FaultSink faults_;
    std::optional<ResumePoints> resume_;
};

}  // namespace

Walk walk_results(Bytes input, std::uint64_t at, std::uint32_t count) noexcept {
    Walk walk{at, 0};
    while (walk.count < count && input.contains(walk.end, counter_header_size)) {
        const CounterHeader header = counter_header_at(input.at(walk.end));
        if (!plausible(header)) break;
        walk.end += header.dwSize;
        ++walk.count;
    }
    return walk;
}

void follow_results(const ResultPlan& plan, std::vector<ResultEntry>& results, const FaultSink& faults) {
    Follower(plan, results, faults).run();
}

}  // namespace hkpd::v2
