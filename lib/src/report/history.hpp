// The values of all series of a run, reduced to a bounded number of intervals of time, in each of which the minimum,
// the mean and the maximum are kept: what charts show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "hkpd/cook.hpp"

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
/// sample. When it has too many slots, neighbours are joined to slots of a length of time, which doubles from one time
/// to the next. Slots on both sides of a gap are joined last. Nothing is lost of minima and maxima. A series whose
/// value never changes needs no memory for slots, and a series that comes and goes only for those in which it has
/// values.
class History {
  public:
    /// `most_slots`: maximum number of slots of a stream, at most 65,535. `most_values`: maximum number of
    /// `ReducedValues` of all series together; if it is exceeded, `most_slots` is halved.
    History(std::size_t most_slots, std::uint64_t most_values) : most_slots_(most_slots), most_values_(most_values) {}

    /// Begins a sample of a stream. Numbers of streams ascend from 0.
    void begin(std::uint32_t stream, std::int64_t time);
    /// Adds a value of a series in the current sample. Numbers of series ascend from 0, with or without gaps. A value
    /// that is missing because there is no sample before it (`first_sample`) is not kept.
    void add(std::size_t series, CookedValue value);

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
    bool is_constant(std::size_t series) const noexcept { return series >= series_.size() || series_[series].constant; }
    /// Returns the time of the first of the largest values of a series; none if it has no values.
    std::optional<std::int64_t> time_of_max(std::size_t series) const noexcept {
        return stream(series) != no_stream && series_[series].has_value ? std::optional(series_[series].max_time)
                                                                        : std::nullopt;
    }
    /// Fills `values` with the values of a series in each slot of its stream.
    void read(std::size_t series, std::vector<ReducedValues>& values) const;

  private:
    struct Series {
        std::uint32_t stream = no_stream;
        bool constant = true, has_value = false;
        double value = 0;                  // while it is constant
        std::uint64_t first = 0, end = 0;  // samples of the stream in which it has this value
        ReducedValues now{};               // values of the slot added to last, which are not in `values` yet
        double max = 0;
        std::int64_t max_time = 0;
        std::vector<ReducedValues> values{};  // once it is no longer constant: of slots with any, in their order
    };
    struct Stream {
        std::vector<HistorySlot> slots{};
        std::int64_t length = 0;  // of a slot in nanoseconds; 0: no samples are joined
        std::uint64_t samples = 0;
        std::vector<std::size_t> series{};
    };

    void count_max(Series& series, double value) const noexcept;
    ReducedValues& current(Series& series);
    void store(Series& series);
    void join_slots(Stream& stream);
    void join_values(Series& series, std::span<const std::uint32_t> place);
    static void fill_constant(const Series& series, std::span<const HistorySlot> slots,
                              std::vector<ReducedValues>& values);
    void limit_values();

    std::size_t most_slots_;
    std::uint64_t most_values_, values_ = 0;
    std::vector<Stream> streams_;
    std::vector<Series> series_;
    std::uint32_t stream_ = 0;
    std::int64_t time_ = 0;
};

}  // namespace hkpd
