// The statistics of all series of a run in a window of time and in the rest of the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answers/window_samples.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/window.hpp"
#include "statistics/run_series.hpp"

namespace hkpd {

/// Statistics of series inside and outside of a window, by the places of a `SeriesCollector`.
class WindowValues final : public SeriesListener {
  public:
    /// Keeps the references.
    WindowValues(const WindowOptions& options, const SeriesCollector& all)
        : options_(options), all_(all), memory_(options.limits.statistics) {}

    /// Makes the values that follow those of a sample.
    void begin(const Sample& sample);
    void value(std::size_t place, CookedValue value) override;
    /// Ends the sample.
    void end();
    /// Decides on the samples that are still held. No sample can be added afterwards.
    void finish();

    /// The extent of a series in time, and its maximum; times as in `Series`.
    struct Extent {
        std::optional<std::int64_t> first{}, last{};  ///< times of the first and the last value
        std::optional<std::int64_t> max_time{};       ///< of the first maximum in the window
        double max = 0;
    };
    /// Returns the statistics of a series in the window and in the rest.
    Statistics inside(std::size_t place) { return statistics(2 * place); }
    Statistics rest(std::size_t place) { return statistics(2 * place + 1); }
    /// Returns the distance of the quartiles of the values in the rest. To be called after `finish`.
    double rest_quartile_distance(std::size_t place) const {
        return place < quartile_distances_.size() ? quartile_distances_[place] : 0;
    }
    Extent extent(std::size_t place) const { return place < extents_.size() ? extents_[place] : Extent(); }
    /// Returns the number of samples of the rest in which any series of a counter has a value.
    std::uint64_t rest_samples(std::uint32_t counter) const noexcept {
        return counter < counters_.size() ? counters_[counter].rest : 0;
    }

    std::uint64_t samples = 0, all_rest_samples = 0;  ///< number of samples in the window and in the rest
    std::optional<std::int64_t> from{}, to{};         ///< times of the first and the last sample in the window
    /// Time of the last sample before the window, of the same machine as the first sample in it.
    std::optional<std::int64_t> before{};

  private:
    /// The samples of one machine.
    struct Stream {
        WindowSamples samples;
        std::optional<std::int64_t> last_rest{};  // time of the last sample that is not in the window
        bool was_inside = false;
    };
    struct Counter {
        std::uint64_t rest = 0;
        std::uint64_t last = static_cast<std::uint64_t>(-1);  // number of the last sample of the rest with a value
    };

    Statistics statistics(std::size_t position) {
        return position < statistics_.size() ? statistics_[position].finish() : SeriesStatistics().finish();
    }
    void take(const WindowSample& sample, bool in_window, Stream& stream);

    const WindowOptions& options_;
    const SeriesCollector& all_;
    StatisticsMemory memory_;
    std::optional<Range> window_;
    std::uint64_t number_ = 0;
    WindowSample current_;
    std::map<std::pair<std::string, SampleSource>, Stream> streams_;
    Stream* stream_ = nullptr;                 // of the current sample; null: the window is not known yet
    std::deque<SeriesStatistics> statistics_;  // by place: in the window, and in the rest
    std::deque<Extent> extents_;
    std::vector<double> quartile_distances_;
    std::vector<Counter> counters_;
};

}  // namespace hkpd
