// The values of all series of a run, reduced to a bounded number of intervals of time, in each of which the minimum,
// the mean and the maximum are kept: what charts show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "hkpd/cook.hpp"
#include "statistics/value_block.hpp"

namespace hkpd {

/// The values of a series in a slot. `missing` is the reason of the last value that is missing in it.
struct ReducedValues {
    double min = 0, max = 0, sum = 0;
    std::uint32_t count = 0;
    std::uint16_t slot = 0;  ///< position of the slot in the stream
    Reason missing = Reason::none;

    void add(double value) noexcept {
        min = count == 0 || value < min ? value : min;
        max = count == 0 || value > max ? value : max;
        sum += value;
        ++count;
    }
    void add(const ReducedValues& later) noexcept;
    bool empty() const noexcept { return count == 0 && missing == Reason::none; }
    /// Returns the mean; there must be a value.
    double mean() const noexcept;
};

/// An interval of time of a stream, in nanoseconds since 1970 (UTC): from its first to its last sample.
struct HistorySlot {
    std::int64_t from = 0, to = 0;
    std::uint64_t begin = 0, samples = 0;  ///< number of samples of the stream before the slot, and in it
};

/// Returns whether the time between two samples is longer than one and a half intervals.
inline bool is_gap(std::int64_t from, std::int64_t to, std::int64_t interval) noexcept {
    return time_between(from, to) / 3 > interval / 2;
}

/// The histories of all series of a run. Each machine is a stream of samples. A stream begins with a slot for each
/// sample, in which a value has the memory of a number. When it has four times too many slots, and at the end when it
/// has too many, neighbours are joined to slots of a length of time, which doubles from one time to the next. Slots on
/// both sides of a gap are joined last. Nothing is lost of minima and maxima. A series whose value never changes needs
/// no memory for slots, and a series that comes and goes only for those from its first to its last value.
class History {
  public:
    /// `most_slots`: maximum number of slots of a stream, at most 16,383. `most_values`: maximum number of
    /// `ReducedValues` of all series together; if their memory is exceeded, `most_slots` is halved.
    History(std::size_t most_slots, std::uint64_t most_values)
        : most_slots_(most_slots), most_bytes_(most_values * sizeof(ReducedValues)) {}

    /// Begins a sample of a stream, the next of the block. Numbers of streams ascend from 0. If `is_full`, the block
    /// must have been ended.
    void begin(std::uint32_t stream, std::int64_t time);
    bool is_full(std::uint32_t stream, std::int64_t time) const noexcept;
    /// Counts a sample whose values are not kept in the block.
    void skip() { block_.emplace_back(); }
    /// Adds the values of a series in the block, in the order of the samples. Numbers of series ascend from 0, with or
    /// without gaps. A value that is missing because there is no sample before it (`first_sample`) is not kept.
    void add(std::size_t series, std::span<const BlockValue> values);
    /// Ends the block, of which all values were added.
    void end_block() noexcept { block_.clear(); }
    /// Appends the values of a series, and the times of their samples. No slot must have been joined, and no sample
    /// skipped.
    void append_values(std::size_t series, std::vector<double>& values, std::vector<std::int64_t>& times) const;
    /// Joins slots of streams that have too many. No sample must be added afterwards.
    void finish();

    /// The stream of a series without values.
    static constexpr std::uint32_t no_stream = static_cast<std::uint32_t>(-1);

    /// Returns the slots of a stream; empty if it has no samples.
    std::span<const HistorySlot> slots(std::uint32_t stream) const noexcept {
        return stream < streams_.size() ? std::span<const HistorySlot>(streams_[stream].slots)
                                        : std::span<const HistorySlot>();
    }
    std::uint32_t stream(std::size_t series) const noexcept {
        return series < series_.size() ? series_[series].stream : no_stream;
    }
    /// Returns whether the values of a series are equal, and none is missing or not in a sample between two others.
    /// True for a series without values and reasons.
    bool is_constant(std::size_t series) const noexcept {
        return series >= series_.size() || series_[series].changed == nullptr;
    }
    /// Returns the time of the first of the largest values of a series; none if it has no values.
    std::optional<std::int64_t> time_of_max(std::size_t series) const noexcept {
        return stream(series) != no_stream && series_[series].has_value ? std::optional(series_[series].max_time)
                                                                        : std::nullopt;
    }
    /// Fills `values` with the values of a series in each slot of its stream.
    void read(std::size_t series, std::vector<ReducedValues>& values) const;

  private:
    /// A sample of the block: its slot when it began, its number in the stream, and its time.
    struct BlockSample {
        std::uint32_t stream = no_stream;
        std::uint16_t slot = 0;
        std::uint64_t number = 0;
        std::int64_t time = 0;
    };
    /// The values of a series that is not constant, in one of two lists.
    struct Values {
        // Of slots of one sample each, from one slot on: the bits of a value, or of NaN and the reason why there is
        // none.
        std::uint16_t first_single = 0;
        std::vector<std::uint64_t> singles{};
        // Of slots with any value, in their order. `now`: those of the slot added to last, which are not in the list
        // yet.
        std::vector<ReducedValues> reduced{};
        ReducedValues now{};

        std::uint64_t bytes() const noexcept;
        void store();
        void reduce();
        void join(std::span<const std::uint32_t> places);
    };
    /// Most series of a long run are those of processes and threads that have ended, and most of these are constant.
    struct Series {
        std::uint32_t stream = no_stream;
        bool has_value = false;
        double max = 0;  // while it is constant, each value
        std::int64_t max_time = 0;
        std::uint64_t first = 0, end = 0;   // while it is constant: samples of the stream with a value
        std::unique_ptr<Values> changed{};  // null while it is constant

        std::vector<ReducedValues> in(std::span<const HistorySlot> slots) const;
    };
    struct Stream {
        std::vector<HistorySlot> slots{};
        std::int64_t length = 0;  // of a slot in nanoseconds; 0: no samples are joined
        std::uint64_t samples = 0;
        std::vector<std::size_t> series{};
        std::vector<std::uint32_t> joined{};  // by `finish`: from the slots of `Values::singles` to those of the stream
    };

    std::size_t most_slots(const Stream& stream) const noexcept;
    static bool continues(const Stream& stream, std::int64_t time) noexcept;
    std::size_t add_singles(Series& series, std::span<const BlockValue> values);
    void add(Series& to, const BlockSample& sample, CookedValue value);
    void add_changed(Series& series, const BlockSample& sample, CookedValue value);
    std::vector<std::uint32_t> join_slots(Stream& stream) const;
    void join(Stream& stream);
    void join(Series& series, std::span<const std::uint32_t> places);
    void limit_values();

    std::size_t most_slots_;
    std::uint64_t most_bytes_, bytes_ = 0;
    std::vector<BlockSample> block_;
    std::vector<Stream> streams_;
    std::deque<Series> series_;  // whose memory does not move
};

}  // namespace hkpd
