// The series of a run, with the statistics of each: what summaries, `hkpd top` and reports show.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/number_hash.hpp"
#include "base/time.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/statistics.hpp"
#include "hkpd/zone.hpp"
#include "identity/identity.hpp"
#include "sample/display_name.hpp"
#include "sample/title_repeats.hpp"
#include "statistics/statistics.hpp"

namespace hkpd {

/// A counter of an object on a machine, with the counter's properties.
struct RunCounter {
    SampleSource source{};
    std::string machine, object, name;
    std::uint32_t object_number = 0;  ///< `Object::title_index`
    std::uint32_t number = 0;         ///< `Column::title_index`
    std::uint32_t position = 0;       ///< position in the columns of the object when the counter was first seen
    std::optional<std::string> counterset;
    std::uint32_t type = 0;
    std::uint64_t attributes = 0;
    std::int32_t scale = 0;
    bool of_list = false;  ///< whether the object has a list of instances
};

/// Returns the unit of a counter's values.
inline Unit unit_of(const RunCounter& counter) noexcept {
    return unit_of(counter.source, counter.object_number, counter.number, counter.type, counter.name);
}

/// Finds the column of an object that has the id of the process to which each instance belongs: ID Process, also in
/// logs and in V2, where only its name identifies it. Returns null if there is none.
const Column* find_process_id(SampleSource source, const Object& object);

/// The counters of a run, numbered in the order in which they appeared.
class RunCounters {
  public:
    /// Prepares `number` for the columns of an object.
    void begin(const Object& object) { repeats_.count(std::span<const Column>(object.columns)); }
    /// Returns the number of a counter of the object that was passed to `begin`. Counters with the same title are
    /// distinguished by their order. A counter whose type changes counts as a new counter.
    std::uint32_t number(const Sample& sample, const Object& object, std::uint32_t position);
    const RunCounter& operator[](std::uint32_t number) const noexcept { return all_[number]; }
    std::size_t size() const noexcept { return all_.size(); }

  private:
    std::vector<RunCounter> all_;
    std::map<std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t>
        numbers_;
    TitleRepeats repeats_;  // of the current object
};

/// One counter of one instance over the whole run.
struct RunSeries {
    std::uint32_t counter, identity;
    std::uint32_t readings = 0;
    Reason last_reason = Reason::none;
    /// Times of the first and the last sample with this instance and counter, in nanoseconds since 1970 (UTC);
    /// `SeriesStatistics::no_time` if unknown.
    std::int64_t first_seen = SeriesStatistics::no_time, last_seen = SeriesStatistics::no_time;
    SeriesStatistics statistics{};
    Reading first_reading{}, last_reading{};
};

/// A series whose statistics are complete.
struct SeriesSummary {
    const RunCounter& counter;
    const Identities::Identity& identity;
    const RunSeries& series;
    std::optional<std::uint32_t> process_id;
    Statistics statistics;
    CookedValue average;  ///< over the whole run, by the counter's formula; see `make_summary_writer`
};

/// Options of a `SeriesCollector`; their meaning is that in `Limits`.
struct SeriesOptions {
    std::uint64_t series = Limits{}.series, names = Limits{}.names, statistics = Limits{}.statistics;
    std::optional<Zone> zone{};  ///< the zone in which times are shown; none: that of the first sample, otherwise UTC
};

/// Receives what a `SeriesCollector` finds in the samples. A series is identified by its place, which is below
/// `SeriesCollector::size()`.
class SeriesListener {
  public:
    virtual ~SeriesListener() = default;
    /// Receives each value of a series, also one that is missing (NaN) and has only a reason. A place that was not seen
    /// before is that of a new series.
    virtual void value(std::size_t place, CookedValue value) = 0;
};

/// Collects the series of a run. Memory is bounded by `SeriesOptions`.
class SeriesCollector {
  public:
    SeriesCollector(const SeriesOptions& options, const CookOptions& cook);

    /// Adds the selected parts of a sample. `listener`, unless it is null, receives their values.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker,
             SeriesListener* listener = nullptr);
    /// Removes all series, but not the identities of instances.
    void clear();
    /// Reports series that were left out.
    void report(Diagnostics& diagnostics) const;

    std::size_t size() const noexcept { return series_.size(); }
    /// Returns a summary of the series in this place. Series are in the order of their counters, then of their
    /// instances, after `sort` was called. No sample must be added afterwards.
    SeriesSummary operator[](std::size_t place);
    /// Sorts the series by counter, then by instance.
    void sort();
    const RunSeries& series(std::size_t place) const noexcept { return series_[place]; }
    const Identities::Identity& identity(std::size_t place) const noexcept {
        return identities_[series_[place].identity];
    }
    /// Returns the number of values of the series in this place.
    std::uint64_t count(std::size_t place) const noexcept { return series_[place].statistics.count(); }
    const RunCounter& counter(std::size_t place) const noexcept { return counters_[series_[place].counter]; }
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
    std::size_t find(std::uint32_t counter, std::uint32_t identity);
    void add_values(const Sample& sample, const Selected& part, std::uint32_t position, Cooker& cooker,
                    SeriesListener* listener);
    void take_process_ids(const Sample& sample, const Selected& part);

    static constexpr std::size_t no_place = static_cast<std::size_t>(-1);

    SeriesOptions options_;
    CookOptions cook_;
    Identities identities_;
    RunCounters counters_;
    std::deque<RunSeries> series_;  // whose memory does not move: a vector would need twice the memory to grow
    std::unordered_map<std::uint64_t, std::size_t, NumberHash> places_;  // counter and identity → place in `series_`
    std::size_t next_ = 0;                                               // place after that of the series found last
    StatisticsMemory memory_;
    std::vector<std::uint32_t> process_ids_;  // by identity; `no_index` if unknown
    std::int64_t time_ = SeriesStatistics::no_time;
    std::int64_t begin_ = SeriesStatistics::no_time, end_ = SeriesStatistics::no_time;
    std::uint64_t left_out_ = 0, samples_ = 0;
    Zone zone_;
};

/// Moves elements whose series has less than a quarter of the values of the longest one to the end, and keeps the order
/// otherwise: the slope of a few values is not that of a run, and would hide a leak. `place_of` returns the place of an
/// element's series.
template <class Element>
void move_brief_to_end(const SeriesCollector& all, std::vector<Element>& elements, const auto& place_of) {
    constexpr std::uint64_t part = 4;
    std::uint64_t most = 0;
    for (const Element& element : elements) most = std::max(most, all.count(place_of(element)));
    std::ranges::stable_partition(elements,
                                  [&](const Element& element) { return all.count(place_of(element)) >= most / part; });
}

/// Returns whether a number comes before another one: the larger one first, NaN last.
inline bool largest_first(double a, double b) noexcept { return a == a && (b != b || a > b); }

/// Sorts places of series by a column: the largest number first, series without a number last, equal ones in the given
/// order.
void sort_by(SeriesCollector& all, std::span<std::uint32_t> places, StatisticColumn column);

}  // namespace hkpd
