// What the processes of a run use over time, beyond the statistics of their series: totals, when they used most, and
// how their memory and handles develop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "answers/process_rows.hpp"
#include "hkpd/answers.hpp"
#include "hkpd/cook.hpp"
#include "statistics/key_index.hpp"
#include "statistics/run_series.hpp"
#include "statistics/trend.hpp"

namespace hkpd {

/// One use of one process over a run.
struct ProcessTrack {
    /// Sum of the values, each times the seconds since the sample before: a rate holds for the time between two
    /// samples. NaN if no value has a sample before it.
    double total = std::numeric_limits<double>::quiet_NaN();
    double max = 0;
    std::int64_t max_time = SeriesStatistics::no_time;
    TrendPoints points;
};

/// Follows the series of processes while a `SeriesCollector` receives their values.
class ProcessTracks final : public SeriesListener {
  public:
    /// Keeps the reference.
    explicit ProcessTracks(const SeriesCollector& all) : all_(all) {}

    /// Makes the values that follow those of a sample.
    void begin(const Sample& sample);
    void value(std::size_t place, CookedValue value) override;
    /// Forgets all series, as `SeriesCollector::clear` does.
    void clear();

    /// Returns the track of a series; null if it has no value of a use that is followed. May be called after
    /// `SeriesCollector::sort` too.
    const ProcessTrack* find(const RunSeries& series) const;

  private:
    const SeriesCollector& all_;
    std::vector<std::uint32_t> tracks_;  // by place: the position in `followed_`, or `no_index`
    std::vector<ProcessTrack> followed_;
    std::vector<KeyIndex::Key> keys_;  // of `followed_`: counter and identity
    KeyIndex by_key_;
    ProcessCounters counters_;
    std::map<std::pair<std::string, SampleSource>, std::int64_t> before_;  // time of the last sample of a stream
    std::int64_t time_ = SeriesStatistics::no_time;
    double seconds_ = 0;  // since the sample before; 0 if it is unknown
};

}  // namespace hkpd
