// The series of a run, with the statistics of each: what summaries, `hkpd top` and reports show.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_budget.hpp"
#include "base/time.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/series.hpp"
#include "hkpd/statistics.hpp"
#include "hkpd/zone.hpp"
#include "statistics/series_table.hpp"
#include "statistics/statistics.hpp"
#include "statistics/value_block.hpp"

namespace hkpd {

/// One counter of one instance over the whole run.
struct RunSeries {
    std::uint32_t counter, identity;  ///< the numbers of `SeriesTable::key`
    std::uint32_t place;              ///< where it was before `SeriesCollector::sort`
    Reason last_reason = Reason::none;
    /// Times of the first and the last sample with this instance and counter, in nanoseconds since 1970 (UTC);
    /// `SeriesStatistics::no_time` if unknown.
    std::int64_t first_seen = SeriesStatistics::no_time, last_seen = SeriesStatistics::no_time;
    SeriesStatistics statistics{};
};

/// A series whose statistics are complete.
struct SeriesSummary {
    const RunCounter& counter;
    Identity identity;
    const RunSeries& series;
    Statistics statistics;
    CookedValue average;  ///< over the whole run, by the counter's formula; see `make_summary_writer`
};

/// Options of a `SeriesCollector`; their meaning is that in `Limits`.
struct SeriesOptions {
    std::uint64_t series = Limits{}.series, statistics = Limits{}.statistics;
    std::optional<Zone> zone{};  ///< the zone in which times are shown; none: that of the first sample, otherwise UTC
    std::uint64_t names = Limits{}.names;  ///< of what `take` returns
    bool by_name = false;                  ///< instances of one name are one series, that of their sum in each sample
    bool percentiles = true;               ///< whether percentiles are computed, which need most of the time and memory
};

/// Receives what a `SeriesCollector` finds in the samples. A series is identified by its place, which is below
/// `SeriesCollector::size()`.
class SeriesListener {
  public:
    virtual ~SeriesListener() = default;
    /// Returns whether the listener takes values of a series' counter.
    virtual bool takes(std::size_t /*place*/) { return true; }
    /// Receives each value of a series, also one that is missing (NaN) and has only a reason. A place that was not seen
    /// before is that of a new series.
    virtual void value(std::size_t place, CookedValue value) = 0;
};

/// Keeps the values of series, so that their statistics need not be computed before the run ends.
class ValueStore {
  public:
    virtual ~ValueStore() = default;
    /// Receives the values of a series in a block of samples. These are numbered from the first one after `end_block`.
    virtual void values(std::size_t place, std::span<const BlockValue> values) = 0;
    virtual void end_block() = 0;
    /// Appends all values of a series that were received, and the times of their samples.
    virtual void append_values(std::size_t place, std::vector<double>& values,
                               std::vector<std::int64_t>& times) const = 0;
};

/// Collects the series of a run. Memory is bounded by `SeriesOptions`.
class SeriesCollector {
  public:
    SeriesCollector(const SeriesOptions& options, const CookOptions& cook);

    /// Adds the selected parts of a sample. `listener`, unless it is null, receives their values.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker,
             SeriesListener* listener = nullptr);
    /// Passes all values to `store`, which must outlive the samples. Statistics are computed when the run ends.
    void set_store(ValueStore& store) noexcept {
        store_ = &store;
        waits_ = true;
    }
    /// Computes the statistics of all values so far from those that the store has. From now on, they are computed in
    /// each block. Must be called before the store forgets a value.
    void end_waiting();
    /// Does the same at the end of the run. No sample must be added afterwards.
    void finish();
    /// Ends the current block, so that the store or the statistics have all values. What needs statistics calls it,
    /// unless it is const.
    void end_block();
    /// Removes all series.
    void clear();
    /// Leaves out the percentiles of all series. There must be none yet.
    void skip_percentiles();
    /// Reports series that were left out.
    void report(Diagnostics& diagnostics) const;

    std::size_t size() const noexcept { return series_.size(); }
    /// Returns a summary of the series in this place. Series are in the order of their counters, then of their
    /// instances, after `sort` was called. No sample must be added afterwards.
    SeriesSummary operator[](std::size_t place);
    /// Returns the series in this place as a value; none if its names exceed the limit.
    std::optional<Series> take(std::size_t place);
    /// Returns what is true of the whole run. `is_complete` does not know of series that `take` leaves out afterwards.
    RunFacts facts() const;
    /// Returns whether no limit has left out series, neither while they were collected nor when `take` was called.
    bool is_complete() const noexcept { return !table_.overflowed() && !names_left_out_; }
    /// Sorts the series by counter, then by instance.
    void sort();
    /// Returns a series; its counter and its identity are known at once, the rest when its block has ended.
    const RunSeries& series(std::size_t place) const noexcept { return series_[place]; }
    Identity identity(std::size_t place) const { return table_.identity(series_[place].identity); }
    /// Returns the text of the instance of the series in this place (`SeriesTable::display`).
    std::string display(std::size_t place) const { return table_.display(series_[place].identity); }
    /// Returns whether the series in this place is the sum of several instances.
    bool is_sum(std::size_t place) const noexcept { return table_.is_shared(series_[place].identity); }
    /// Returns the number of values of the series in this place.
    std::uint64_t count(std::size_t place) {
        end_block();
        return series_[place].statistics.count();
    }
    const RunCounter& counter(std::size_t place) const noexcept { return table_.counter(series_[place].counter); }
    /// Returns the number of samples that have been added since the last `clear`.
    std::uint64_t samples() const noexcept { return samples_; }
    /// Returns the times of the earliest and the latest of these samples; `SeriesStatistics::no_time` if unknown.
    std::int64_t begin() const noexcept { return begin_; }
    std::int64_t end() const noexcept { return end_; }
    /// Returns the zone in which times are shown: the requested one, or that of the first sample.
    const Zone& zone() const noexcept { return zone_; }
    /// Returns a time as local time of that zone. `time`: nanoseconds since 1970 (UTC).
    SystemTime local(std::int64_t time) const { return local_time(system_time_at(time), zone_.offset_at(time)); }

  private:
    void start_statistics();
    void read_stored(std::size_t place, std::vector<double>& values, std::vector<std::int64_t>& times) const;
    void add_to_statistics(RunSeries& series, double value, std::int64_t time);
    void add_values(std::span<const std::size_t> places, const Selected& part, const CookedColumn& cooked,
                    SeriesListener* listener);
    void add_readings(const Sample& sample, const Selected& part, std::uint32_t position,
                      std::span<const std::size_t> places, const CookedColumn& cooked);
    void add_reading(std::size_t place, const Reading& reading);
    void add_sums(std::span<const std::size_t> places, const Selected& part, const CookedColumn& cooked,
                  SeriesListener* listener);
    std::shared_ptr<const RunInstance> instance(std::uint32_t number);

    SeriesOptions options_;
    CookOptions cook_;
    SeriesTable table_;
    std::deque<RunSeries> series_;  // whose memory does not move: a vector would need twice the memory to grow
    /// The number of readings of a series, and the places of the first and, if there are several, of the last one;
    /// `no_index` if there was none.
    struct Readings {
        std::uint32_t count = 0, first = no_index, last = no_index;
    };
    std::vector<Readings> readings_of_;  // by `RunSeries::place`
    std::deque<Reading> readings_;       // of the series of counters that need two samples
    ValueBlock block_;
    std::vector<std::int64_t> block_times_;
    ValueStore* store_ = nullptr;
    bool waits_ = false;  // whether statistics are computed later, from the values of the store
    std::vector<std::pair<std::size_t, CookedValue>> sums_;
    StatisticsMemory memory_;
    NameBudget budget_;
    bool names_left_out_ = false;
    std::vector<std::shared_ptr<const RunInstance>> instances_;  // by number, of the series that were taken
    std::int64_t time_ = SeriesStatistics::no_time;
    std::int64_t begin_ = SeriesStatistics::no_time, end_ = SeriesStatistics::no_time;
    std::uint64_t samples_ = 0;
    Zone zone_;
};

/// Moves elements whose series has less than a quarter of the values of the longest one to the end, and keeps the order
/// otherwise: the slope of a few values is not that of a run, and would hide a leak. `place_of` returns the place of an
/// element's series.
template <class Element>
void move_brief_to_end(SeriesCollector& all, std::vector<Element>& elements, const auto& place_of) {
    constexpr std::uint64_t part = 4;
    std::uint64_t most = 0;
    for (const Element& element : elements) most = std::max(most, all.count(place_of(element)));
    std::ranges::stable_partition(elements,
                                  [&](const Element& element) { return all.count(place_of(element)) >= most / part; });
}

/// Returns a time; none if it is `SeriesStatistics::no_time`.
inline std::optional<std::int64_t> known_time(std::int64_t time) noexcept {
    return time == SeriesStatistics::no_time ? std::nullopt : std::optional(time);
}

/// Returns whether a number comes before another one: the larger one first, NaN last.
inline bool largest_first(double a, double b) noexcept { return a == a && (b != b || a > b); }

/// Sorts places of series by a column: the largest number first, series without a number last, equal ones in the given
/// order.
void sort_by(SeriesCollector& all, std::span<std::uint32_t> places, StatisticColumn column);

}  // namespace hkpd
