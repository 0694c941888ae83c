#include "v1/object_chain.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "v1/decode.hpp"

namespace hkpd::v1 {
namespace {

std::uint32_t length_at(Bytes input, ByteOrder order, std::uint64_t at) noexcept {
    return load<std::uint32_t>(input.at(at), order);
}

/// Whether the bytes read as the header of an object to the last field: what no other bytes do by chance. Its
/// structures have their usual lengths, or the first definition says of what length they are.
bool certain_object(Bytes input, ByteOrder order, std::uint64_t at, std::uint64_t end) noexcept {
    if (!plausible_object(input, order, at)) return false;
    const auto field = [&](std::uint64_t offset) { return std::uint64_t{length_at(input, order, at + offset)}; };
    const std::uint64_t header = field(8), definitions = field(4) - header, counters = field(32);
    if (counters == 0 || field(0) > end - at) return false;
    return (header == object_type_size && definitions == counters * counter_definition_size) ||
           definitions == counters * field(header);
}

/// Where in a damaged block objects begin: places that are certain, or from which a chain leads to the very end. Worked
/// out from the end backwards, once, so that a hostile block costs linear time.
class ResumePoints {
  public:
    // Provider output has to be a multiple of 8 (learn.microsoft.com, CollectPerformanceData); real providers have been
    // seen to add 4 bytes.
    static constexpr std::uint64_t step = 4;

    ResumePoints(const ChainPlan& plan, std::uint64_t end) : plan_(plan), start_(plan.start), end_(end) {
        counts_.resize(static_cast<std::size_t>((end - start_) / step + 1));
        for (std::size_t i = counts_.size(); i-- > 0;) counts_[i] = count_from(start_ + i * step);
    }

    /// The first place from `from` on. To be asked for places in ascending order.
    std::optional<std::uint64_t> first(std::uint64_t from) {
        next_ = std::max(next_, static_cast<std::size_t>((from - start_ + step - 1) / step));
        for (; next_ < counts_.size(); ++next_) {
            const std::uint64_t at = start_ + next_ * step;
            if (counts_[next_] != 0 || certain_object(plan_.input, plan_.order, at, end_)) return at;
        }
        return std::nullopt;
    }

    /// The first place of a chain of exactly so many objects that ends where the block does.
    std::optional<std::uint64_t> chain_of(std::uint32_t count) const {
        const auto found = std::ranges::find(counts_, count);
        if (count == 0 || found == counts_.end()) return std::nullopt;
        return start_ + static_cast<std::uint64_t>(found - counts_.begin()) * step;
    }

    /// How many objects the chain holds that begins here and ends where the block does; 0 where none does.
    std::uint32_t chain_at(std::uint64_t at) const {
        return (at - start_) % step == 0 ? counts_[static_cast<std::size_t>((at - start_) / step)] : 0;
    }

  private:
    std::uint32_t count_from(std::uint64_t at) const {
        if (end_ - at < object_type_size || !plausible_object(plan_.input, plan_.order, at)) return 0;
        const std::uint64_t next = at + length_at(plan_.input, plan_.order, at);
        // Less than 8 bytes behind the last object are padding, or a provider's odd length.
        if (next <= end_ && end_ - next < 8) return 1;
        // Where the input is cut short, the object that the cut goes through ends the chain.
        if (next > end_) return next <= plan_.end ? 1 : 0;
        const std::uint32_t behind = chain_at(next);
        return behind == 0 ? 0 : behind + 1;
    }

    const ChainPlan& plan_;
    std::uint64_t start_, end_;
    std::size_t next_ = 0;
    std::vector<std::uint32_t> counts_;
};

class Follower {
  public:
    Follower(const ChainPlan& plan, std::vector<ObjectEntry>& objects, const FaultSink& faults)
        : plan_(plan),
          end_(std::min<std::uint64_t>(plan.end, plan.input.size())),
          at_(plan.start),
          objects_(objects),
          faults_(faults) {}

    void run() {
        while (objects_.size() < plan_.announced && at_ < end_ && end_ - at_ >= object_type_size) step();
        if (objects_.size() == plan_.announced && at_ < end_) unannounced();
        if (objects_.size() < plan_.announced) find_swallowed();
        if (truncated()) return;  // said already, and explains missing objects and a partial header at the end
        if (objects_.size() < plan_.announced) {
            // A count that is too high costs nothing, as long as nothing else says that bytes are missing.
            const bool all_there = at_ == end_ && !lost_ && !objects_.empty() &&
                                   (end_ == plan_.input.size() || is_block(plan_.input.from(end_)));
            count_differs(all_there ? Severity::warning : Severity::error);
        }
        if (at_ < end_) leftover(at_, end_);
    }

  private:
    bool truncated() const noexcept { return plan_.end > end_; }
    std::uint32_t remaining() const noexcept {
        return plan_.announced - static_cast<std::uint32_t>(objects_.size()) - 1;
    }
    bool plausible(std::uint64_t at) const noexcept {
        return plausible_object(plan_.input, plan_.order, at) &&
               length_at(plan_.input, plan_.order, at) <= plan_.end - at;
    }

    void step() {
        const std::uint64_t length = length_at(plan_.input, plan_.order, at_);
        const std::uint64_t next = at_ + length;
        const bool fits = length >= object_type_size && next <= end_;
        const bool last = remaining() == 0 || next == end_;
        if (fits && plausible(at_) && (last || (end_ - next >= object_type_size && plausible(next)))) return add(next);
        if (truncated() && plausible(at_) && next > end_) return add(end_);
        recover(next, fits);
    }

    /// The object at `at_` has a wrong length, or what follows it is no object.
    void recover(std::uint64_t next, bool fits) {
        if (!resume_) resume_.emplace(plan_, end_);
        const auto found = resume_->first(at_ + object_type_size);
        const bool sound = fits && plausible(at_);
        if (found && *found != next && (!sound || *found < next)) {
            wrong_length(*found);
        } else if (sound || (fits && (found || remaining() != 0))) {
            // What is no object behind it is stray bytes if all that are missing follow; else a ruined object, which is
            // dealt with when its turn comes.
            const bool stray = found && *found > next && resume_->chain_at(*found) == remaining();
            add(next);
            if (!stray) return;
            leftover(next, *found);
            at_ = *found;
        } else if (next != end_) {
            lost_ = remaining() != 0;
            wrong_length(end_);
        } else {
            add(next);
        }
    }

    void wrong_length(std::uint64_t next) {
        report_length(at_, next - at_);
        add(next);
    }

    void report_length(std::uint64_t at, std::uint64_t length) {
        faults_.add(Severity::error,
                    {Errc::object_length, plan_.input.offset() + at, "PERF_OBJECT_TYPE", "TotalByteLength", length,
                     length_at(plan_.input, plan_.order, at)},
                    title_at(at));
    }

    void add(std::uint64_t next) {
        const std::uint32_t length = length_at(plan_.input, plan_.order, at_);
        if (length % 8 != 0 && next - at_ == length)
            faults_.add(
                Severity::note,
                {Errc::length_uneven, plan_.input.offset() + at_, "PERF_OBJECT_TYPE", "TotalByteLength", 0, length},
                title_at(at_));
        push(at_, next);
        at_ = next;
    }

    /// Objects behind the last announced one, if they fill the block exactly.
    void unannounced() {
        const Walk walk = walk_lengths(plan_.input, plan_.order, at_, no_index);
        if (walk.count == 0 || walk.end != end_) return;
        while (at_ < end_) add(at_ + length_at(plan_.input, plan_.order, at_));
        count_differs(Severity::warning);
    }

    /// An object whose length reaches over others, to the very end of one, leaves no trace but a count that is too low.
    void find_swallowed() {
        auto missing = static_cast<std::uint32_t>(plan_.announced - objects_.size());
        for (const ObjectEntry& object : std::exchange(objects_, {})) {
            const std::uint64_t begin = object.bytes.offset() - plan_.input.offset();
            split(begin, begin + object.bytes.size(), missing);
        }
    }

    /// Adds the object, cut where it reaches over others: where a certain one begins from which a chain leads to the
    /// object's end, of no more objects than are missing. One pass over the bytes.
    void split(std::uint64_t begin, std::uint64_t end, std::uint32_t& missing) {
        const ChainPlan inside{plan_.input, plan_.order, begin + object_type_size, end, missing};
        std::optional<ResumePoints> points;
        if (missing != 0 && end - begin >= 2 * object_type_size) points.emplace(inside, end);
        std::uint64_t next = end;  // where the object that begins at `begin` says that it ends
        for (std::uint64_t at = inside.start; points && at < end; at += ResumePoints::step) {
            const std::uint32_t count = points->chain_at(at), behind = points->chain_at(next);
            const bool swallowed = count > behind && count - behind <= missing && at < next &&
                                   certain_object(plan_.input, plan_.order, at, end);
            if (!swallowed && (at != next || count == 0)) continue;
            if (swallowed) {
                report_length(begin, at - begin);
                missing -= count - behind;
            }
            push(begin, at);
            begin = at;
            next = at + length_at(plan_.input, plan_.order, at);
            at += object_type_size - ResumePoints::step;
        }
        push(begin, end);
    }

    void push(std::uint64_t from, std::uint64_t to) {
        objects_.push_back({plan_.input.slice(from, to - from), title_at(from)});
    }

    void count_differs(Severity severity) {
        faults_.add(severity, {Errc::object_count, plan_.input.offset() + 28, "PERF_DATA_BLOCK", "NumObjectTypes",
                               objects_.size(), plan_.announced});
    }

    void leftover(std::uint64_t from, std::uint64_t to) {
        // What a provider returns has to be a multiple of 8 (learn.microsoft.com, CollectPerformanceData); Wine, unlike
        // Windows, takes it as it comes.
        if (const std::uint64_t size = to - from; size < 8 && !objects_.empty())
            return faults_.add(Severity::warning,
                               {Errc::provider_length, plan_.input.offset() + from, "PERF_DATA_BLOCK", "", 0, size},
                               objects_.back().title_index);
        report_leftover(plan_.input.slice(from, to - from), "PERF_DATA_BLOCK", no_index, faults_);
    }

    std::uint32_t title_at(std::uint64_t at) const noexcept {
        return load<std::uint32_t>(plan_.input.at(at + 12), plan_.order);
    }

    const ChainPlan& plan_;
    std::uint64_t end_;
    std::uint64_t at_;
    bool lost_ = false;
    std::vector<ObjectEntry>& objects_;
    FaultSink faults_;
    std::optional<ResumePoints> resume_;
};

}  // namespace

bool plausible_object(Bytes input, ByteOrder order, std::uint64_t at) noexcept {
    if (!input.contains(at, object_type_size)) return false;
    const Bytes object = input.from(at);
    const auto field = [&](std::size_t offset) { return load<std::uint32_t>(object.at(offset), order); };
    const std::uint64_t total = field(0), definition = field(4), header = field(8), counters = field(32);
    const auto instances = static_cast<std::int32_t>(field(40));
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();  // stale bytes (0xCC, 0xFF) read as more
    return header >= object_type_size && definition >= header && total >= definition && total <= most &&
           counters <= (definition - header) / counter_definition_size && instances >= metadata_no_instances;
}

Walk walk_lengths(Bytes input, ByteOrder order, std::uint64_t start, std::uint32_t count) noexcept {
    Walk walk{start, 0};
    while (walk.count < count && plausible_object(input, order, walk.end)) {
        walk.end += length_at(input, order, walk.end);
        ++walk.count;
    }
    return walk;
}

std::optional<std::uint64_t> find_chain(const ChainPlan& plan, bool any) {
    const std::uint64_t end = std::min<std::uint64_t>(plan.end, plan.input.size());
    if (plan.start >= end) return std::nullopt;
    ResumePoints points(plan, end);
    if (const auto exact = points.chain_of(plan.announced)) return exact;
    return any ? points.first(plan.start) : std::nullopt;
}

void follow_chain(const ChainPlan& plan, std::vector<ObjectEntry>& objects, const FaultSink& faults) {
    Follower(plan, objects, faults).run();
}

void report_leftover(Bytes bytes, std::string_view structure, std::uint32_t object, const FaultSink& faults) {
    const auto all = bytes.span();
    const bool zero = std::ranges::all_of(all, [](std::byte b) { return b == std::byte{0}; });
    faults.add(zero ? Severity::note : Severity::warning,
               {Errc::leftover_bytes, bytes.offset(), structure, "", 0, bytes.size()}, object);
}

}  // namespace hkpd::v1
