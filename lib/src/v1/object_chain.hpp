// Finds the entries of a chain in a block. The header of each entry states the entry's length, and the next entry
// begins where this entry ends. Entries are found even if lengths are wrong. V1 objects and V2 results share this
// algorithm; a `Format` class describes the entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/v1.hpp"

namespace hkpd::v1 {

/// The extent of a chain in its block.
struct ChainPlan {
    Bytes input;  ///< whole input, starting with the block's header
    ByteOrder order{};
    std::uint64_t start = 0;      ///< offset of the first entry from the start of the input
    std::uint64_t end = 0;        ///< offset of the block's end; may lie beyond the end of the input
    std::uint32_t announced = 0;  ///< number of entries that the block's header states

    /// Returns the offset at which the block's bytes end: the block's end or the input's end, whichever is first.
    std::uint64_t present_end() const noexcept { return std::min<std::uint64_t>(end, input.size()); }
};

/// A field of a block or an entry, and the code of the faults that are reported for this field.
struct ChainField {
    Errc code{};
    std::uint64_t offset = 0;  ///< offset in the structure
    std::string_view structure, field;
};

/// Extent of a chain of plausible entries: the offset of its end and the number of entries.
struct Walk {
    std::uint64_t end = 0;
    std::uint32_t count = 0;
};
template <class Format>
Walk walk_chain(const Format& format, std::uint64_t start, std::uint32_t most) noexcept {
    Walk walk{start, 0};
    for (; walk.count < most && format.plausible(walk.end); ++walk.count) walk.end += format.length_at(walk.end);
    return walk;
}

/// The positions in a damaged block at which an entry may begin. At such a position, either a chain of entries begins
/// that leads to the block's end, or the bytes are certainly a header. All chains are found in one pass, from the
/// block's end backwards, so that a hostile block takes linear time.
template <class Format>
class ResumePoints {
  public:
    static constexpr std::uint64_t step = Format::step;

    explicit ResumePoints(const ChainPlan& plan) : ResumePoints(plan, {plan.input, plan.order}) {}

    ResumePoints(const ChainPlan& plan, const Format& format)
        : format_(format), start_(plan.start), end_(plan.present_end()), limit_(plan.end) {
        counts_.resize(static_cast<std::size_t>((end_ - start_) / step + 1));
        for (std::size_t i = counts_.size(); i-- > 0;) counts_[i] = count_from(start_ + i * step);
    }

    /// Returns the first position, at or after `from`, that certainly holds a header or begins a chain of at most
    /// `most` entries; none if there is no such position. From one call to the next, `from` must not decrease and
    /// `most` must not increase.
    std::optional<std::uint64_t> first(std::uint64_t from, std::uint32_t most = no_index) {
        const std::uint64_t skipped = from <= start_ ? 0 : (from - start_ + step - 1) / step;
        next_ = std::max(next_, static_cast<std::size_t>(skipped));
        for (; next_ < counts_.size(); ++next_) {
            const std::uint64_t at = start_ + next_ * step;
            if (counts_[next_] != 0 && counts_[next_] <= most) return at;
            if constexpr (Format::recognisable)
                if (format_.certain(at, end_)) return at;
        }
        return std::nullopt;
    }

    /// Returns the first position that begins a chain of exactly `count` entries ending where the block ends; none if
    /// there is no such position.
    std::optional<std::uint64_t> chain_of(std::uint32_t count) const {
        const auto found = std::ranges::find(counts_, count);
        if (count == 0 || found == counts_.end()) return std::nullopt;
        return start_ + static_cast<std::uint64_t>(found - counts_.begin()) * step;
    }

    /// Returns the number of entries in the chain that begins at `at` and ends where the block ends; 0 if no such chain
    /// begins at `at`.
    std::uint32_t chain_at(std::uint64_t at) const {
        return (at - start_) % step == 0 ? counts_[static_cast<std::size_t>((at - start_) / step)] : 0;
    }

  private:
    std::uint32_t count_from(std::uint64_t at) const {
        if (end_ - at < Format::header_size || !format_.continues(at)) return 0;
        const std::uint64_t next = at + format_.length_at(at);
        if (next <= end_ && end_ - next < Format::tail) return 1;
        // If the input is truncated, the truncated entry is the last one of the chain.
        if (next > end_) return next <= limit_ ? 1 : 0;
        const std::uint32_t after = chain_at(next);
        return after == 0 ? 0 : after + 1;
    }

    Format format_;
    std::uint64_t start_, end_, limit_;  // if the input is truncated, chains may extend beyond `end_`, up to `limit_`
    std::size_t next_ = 0;               // positions before this one need not be searched again
    std::vector<std::uint32_t> counts_;
};

/// A chain that is being read: the entries found so far, and the steps that all formats share. If the length of an
/// entry leads to no other entry, the derived class decides where to continue.
template <class Format>
class Chain {
  protected:
    using Entry = typename Format::Entry;

    Chain(const ChainPlan& plan, std::vector<Entry>& entries, const FaultSink& faults)
        : plan_(plan),
          format_{plan.input, plan.order},
          end_(plan.present_end()),
          at_(plan.start),
          entries_(entries),
          faults_(faults) {}

    bool truncated() const noexcept { return plan_.end > end_; }
    /// Returns the number of announced entries that have not been found yet.
    std::uint32_t missing() const noexcept {
        return plan_.announced - std::min(plan_.announced, static_cast<std::uint32_t>(entries_.size()));
    }
    bool at_entry() const noexcept { return missing() != 0 && at_ < end_ && end_ - at_ >= Format::header_size; }

    void push(std::uint64_t from, std::uint64_t to) { entries_.push_back(format_.entry(from, to - from)); }

    /// Adds the entry that begins at `at_` and ends at `next`, or at the end of the input if that comes first. Reading
    /// continues at this end.
    void add(std::uint64_t next) {
        const std::uint64_t length = format_.length_at(at_), end = std::min(next, end_);
        if (length % 8 != 0 && next == at_ + length) report(Format::uneven, Errc::length_uneven, at_, 0);
        push(at_, end);
        at_ = end;
    }

    void add_with_wrong_length(std::uint64_t next) {
        report(Severity::error, Format::length.code, at_, next - at_);
        add(next);
    }

    /// Adds the entries after the last announced entry if they fill the rest of the block exactly.
    void add_unannounced() {
        if (missing() != 0 || at_ >= end_) return;
        const Walk walk = walk_chain(format_, at_, no_index);
        if (walk.count == 0 || walk.end != end_) return;
        while (at_ < end_) add(at_ + format_.length_at(at_));
        report_count(Severity::warning);
    }

    /// Splits entries that contain other entries. A wrong length can span the following entries and end exactly where
    /// one of them ends. The only sign of this is that fewer entries are found than announced.
    void split_entries() {
        std::uint32_t left = missing();
        for (const Entry& entry : std::exchange(entries_, {})) {
            const std::uint64_t begin = entry.bytes.offset() - plan_.input.offset();
            split(begin, begin + entry.bytes.size(), left);
        }
    }

    void report_count(Severity severity) {
        faults_.add(severity, {Format::count.code, plan_.input.offset() + Format::count.offset, Format::count.structure,
                               Format::count.field, entries_.size(), plan_.announced});
    }

  private:
    void report(Severity severity, Errc code, std::uint64_t at, std::uint64_t length) {
        faults_.add(severity,
                    {code, plan_.input.offset() + at + Format::length.offset, Format::length.structure,
                     Format::length.field, length, format_.length_at(at)},
                    format_.title_at(at));
    }

    /// Adds the bytes from `begin` to `end` as one entry, or as several if headers of more entries are found within
    /// them. A header counts as found if its length, and the lengths in the headers that follow, lead exactly to `end`.
    /// `left` is the number of announced entries that are still missing. At most this many are added besides the first,
    /// and their number is subtracted from `left`. Makes one pass over the bytes.
    void split(std::uint64_t begin, std::uint64_t end, std::uint32_t& left) {
        const std::uint64_t start = begin + format_.least_size(begin);
        std::optional<ResumePoints<Format>> points;
        if (left != 0 && start <= end && end - start >= Format::header_size)
            points.emplace(ChainPlan{plan_.input, plan_.order, start, end, left});
        const std::uint64_t first = begin;
        std::uint64_t next = end;  // end of the entry at `begin` according to its own length
        for (std::uint64_t at = start; points && at < end; at += Format::step) {
            const std::uint32_t count = points->chain_at(at), after = points->chain_at(next);
            bool found = count > after && count - after <= left && at < next;
            if constexpr (Format::recognisable)
                found = found && format_.certain(at, end);
            else
                found = found && begin == first;  // splits only once, because values may look like headers
            if (!found && (at != next || count == 0)) continue;
            if (found) {
                report(Severity::error, Format::length.code, begin, at - begin);
                left -= count - after;
            }
            push(begin, at);
            begin = at;
            next = at + format_.length_at(at);
            at += Format::header_size - Format::step;
        }
        push(begin, end);
    }

  protected:
    ChainPlan plan_;
    Format format_;
    std::uint64_t end_, at_;
    bool lost_ = false;
    std::vector<Entry>& entries_;
    FaultSink faults_;
};

/// Follows the TotalByteLength fields from `start` through at most `most` plausible objects. Returns the number of
/// these objects and the offset at which the last one ends.
Walk walk_objects(const Bytes& input, ByteOrder order, std::uint64_t start, std::uint32_t most) noexcept;

/// Returns the first offset, at or after `plan.start`, at which a chain begins that has `plan.announced` objects and
/// ends where the block ends. If there is no such chain and `any` is true, returns the first position at which an
/// object can begin. Returns none if nothing is found.
std::optional<std::uint64_t> find_chain(const ChainPlan& plan, bool any);

/// Fills `objects` with the block's objects and reports every fault of their chain. At most one object is lost by a
/// damaged object or a wrong TotalByteLength: the objects after it are found by a search for a chain that ends where
/// the block ends.
void follow_chain(const ChainPlan& plan, std::vector<ObjectEntry>& objects, const FaultSink& faults);

/// Returns whether all bytes are zero.
inline bool is_zero(Bytes bytes) noexcept {
    const std::span<const std::byte> all = bytes.span();
    // Bytes that are each equal to the one after are all equal to the first. `memcmp` compares many at once.
    return all.empty() ||
           (all.front() == std::byte{0} && std::memcmp(all.data(), all.subspan(1).data(), all.size() - 1) == 0);
}

/// Reports bytes that no structure claims: as a note if they are all zero, otherwise as a warning.
void report_leftover(Bytes bytes, std::string_view structure, std::uint32_t object, const FaultSink& faults);

}  // namespace hkpd::v1
