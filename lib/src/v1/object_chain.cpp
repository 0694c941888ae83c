#include "v1/object_chain.hpp"

#include <limits>

#include "v1/decode.hpp"

namespace hkpd::v1 {
namespace {

struct ObjectFormat {
    using Entry = ObjectEntry;
    static constexpr std::uint64_t header_size = object_type_size;
    // The distance in bytes between the positions at which objects are searched for. The size of a provider's data must
    // be a multiple of 8 (learn.microsoft.com, CollectPerformanceData), but for some real providers it is only a
    // multiple of 4.
    static constexpr std::uint64_t step = 4;
    // Fewer than 8 bytes after the last object are accepted: they are padding, or the size of a provider's data is no
    // multiple of 8.
    static constexpr std::uint64_t tail = 8;
    static constexpr bool recognisable = true;
    static constexpr Severity uneven = Severity::note;
    static constexpr ChainField length{Errc::object_length, 0, "PERF_OBJECT_TYPE", "TotalByteLength"};
    static constexpr ChainField count{Errc::object_count, 28, "PERF_DATA_BLOCK", "NumObjectTypes"};

    Bytes input;
    ByteOrder order{};

    std::uint32_t field(std::uint64_t at) const noexcept { return load<std::uint32_t>(input.at(at), order); }
    std::uint32_t length_at(std::uint64_t at) const noexcept { return field(at); }
    std::uint32_t title_at(std::uint64_t at) const noexcept { return field(at + 12); }
    Entry entry(std::uint64_t at, std::uint64_t size) const noexcept { return {input.slice(at, size), title_at(at)}; }
    std::uint64_t least_size(std::uint64_t /*at*/) const noexcept { return header_size; }
    bool continues(std::uint64_t at) const noexcept { return plausible(at); }

    /// Returns whether the bytes at `at` look like the header of an object, with lengths that are consistent.
    bool plausible(std::uint64_t at) const noexcept {
        if (!input.contains(at, object_type_size)) return false;
        const std::uint64_t total = field(at), definition = field(at + 4), header = field(at + 8),
                            counters = field(at + 32);
        const auto instances = static_cast<std::int32_t>(field(at + 40));
        constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();  // stale bytes (0xCC, 0xFF) exceed it
        return header >= object_type_size && definition >= header && total >= definition && total <= most &&
               counters <= (definition - header) / counter_definition_size && instances >= metadata_no_instances;
    }

    /// Returns whether the bytes at `at` are almost certainly the header of an object that ends at or before `end`;
    /// other bytes hardly ever pass this check. The header and all counter definitions must have their usual lengths,
    /// or all definitions must have the length that the first one states.
    bool certain(std::uint64_t at, std::uint64_t end) const noexcept {
        if (!plausible(at)) return false;
        const std::uint64_t header = field(at + 8), definitions = field(at + 4) - header, counters = field(at + 32);
        if (counters == 0 || field(at) > end - at) return false;
        return (header == object_type_size && definitions == counters * counter_definition_size) ||
               definitions == counters * field(at + header);
    }
};

class Follower : Chain<ObjectFormat> {
  public:
    Follower(const ChainPlan& plan, std::vector<ObjectEntry>& objects, const FaultSink& faults)
        : Chain(plan, objects, faults) {}

    void run() {
        while (at_entry()) step();
        add_unannounced();
        if (missing() != 0) split_entries();
        if (truncated()) return;  // the reported truncation explains missing objects and a partial header
        if (missing() != 0) {
            // NumObjectTypes is higher than the number of objects found. This is only a warning if nothing else shows
            // that bytes are missing.
            const bool all_there = at_ == end_ && !lost_ && !entries_.empty() &&
                                   (end_ == plan_.input.size() || is_block(plan_.input.from(end_)));
            report_count(all_there ? Severity::warning : Severity::error);
        }
        if (at_ < end_) leftover(at_, end_);
    }

  private:
    bool plausible(std::uint64_t at) const noexcept {
        return format_.plausible(at) && format_.length_at(at) <= plan_.end - at;
    }

    void step() {
        const std::uint64_t length = format_.length_at(at_), next = at_ + length;
        const bool fits = length >= object_type_size && next <= end_;
        const bool last = missing() == 1 || next == end_;
        if (fits && plausible(at_) && (last || (end_ - next >= object_type_size && plausible(next)))) return add(next);
        if (truncated() && plausible(at_) && next > end_) return add(end_);
        recover(next, fits);
    }

    /// Adds the object at `at_` and finds where reading continues. Called if the length of this object may be wrong:
    /// the object or the one after it is not plausible. `next`: the offset at which the object ends according to its
    /// length; `fits`: whether this length is possible.
    void recover(std::uint64_t next, bool fits) {
        if (!resume_) resume_.emplace(plan_);
        const auto found = resume_->first(at_ + object_type_size);
        const bool valid = fits && plausible(at_);
        if (found && *found != next && (!valid || *found < next)) {
            add_with_wrong_length(*found);
        } else if (valid || (fits && (found || missing() != 1))) {
            // The bytes from `next` to `*found` are stray bytes if all missing objects follow them. Otherwise, these
            // bytes are a damaged object, and the next call of `step` handles it.
            const bool stray = found && *found > next && resume_->chain_at(*found) == missing() - 1;
            add(next);
            if (!stray) return;
            leftover(next, *found);
            at_ = *found;
        } else if (next != end_) {
            lost_ = missing() != 1;
            add_with_wrong_length(end_);
        } else {
            add(next);
        }
    }

    void leftover(std::uint64_t from, std::uint64_t to) {
        // Fewer than 8 bytes remain if the size of a provider's data is not a multiple of 8. Such a size is not allowed
        // (learn.microsoft.com, CollectPerformanceData), but unlike Windows, Wine accepts it.
        if (const std::uint64_t size = to - from; size < 8 && !entries_.empty())
            return faults_.add({Errc::provider_length, plan_.input.offset() + from, "PERF_DATA_BLOCK", "", 0, size},
                               entries_.back().title_index);
        report_leftover(plan_.input.slice(from, to - from), "PERF_DATA_BLOCK", no_index, faults_);
    }

    std::optional<ResumePoints<ObjectFormat>> resume_;
};

}  // namespace

Walk walk_objects(const Bytes& input, ByteOrder order, std::uint64_t start, std::uint32_t most) noexcept {
    return walk_chain(ObjectFormat{input, order}, start, most);
}

std::optional<std::uint64_t> find_chain(const ChainPlan& plan, bool any) {
    if (plan.start >= plan.present_end()) return std::nullopt;
    ResumePoints<ObjectFormat> points(plan);
    if (const auto exact = points.chain_of(plan.announced)) return exact;
    return any ? points.first(plan.start) : std::nullopt;
}

void follow_chain(const ChainPlan& plan, std::vector<ObjectEntry>& objects, const FaultSink& faults) {
    Follower(plan, objects, faults).run();
}

void report_leftover(Bytes bytes, std::string_view structure, std::uint32_t object, const FaultSink& faults) {
    faults.add(is_zero(bytes) ? Severity::note : Severity::warning,
               {Errc::leftover_bytes, bytes.offset(), structure, "", 0, bytes.size()}, object);
}

}  // namespace hkpd::v1
