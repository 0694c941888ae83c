// One run of samples as a report needs it: series, their statistics and histories, the findings of rules, and times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/overview.hpp"
#include "hkpd/rules.hpp"
#include "report/history.hpp"
#include "rules/collector.hpp"
#include "source/head_and_tail.hpp"
#include "source/time_tally.hpp"
#include "statistics/run_series.hpp"

namespace hkpd {

/// A series of a run: one that was read, or one that rules have computed.
struct ReportSeries {
    std::string_view machine, object, counter;
    std::string instance;  ///< as in counter paths
    Unit unit = Unit::none;
    ScaledUnit shown{};  ///< the unit in which people read it
    bool of_list = false;
    std::optional<std::uint32_t> process_id{};
    Statistics statistics{};
};

/// A run whose samples are added one after another. The number of a series is its place in the collector or, for a
/// series that rules have computed, from `RuleRun::first_derived` on.
class ReportRun : private ValueStore {
  public:
    /// Keeps references to `rules`, unless it is null, and to `titles`.
    ReportRun(const SeriesOptions& options, const CookOptions& cook, RuleRun* rules, const Titles& titles);

    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// Ends the run. No sample must be added afterwards, and nothing must be read before.
    void finish();
    /// Adds faults about series that were left out.
    void report(Diagnostics& diagnostics) const { all().report(diagnostics); }

    /// Returns the numbers of all series that were read.
    std::size_t size() const noexcept { return all().size(); }
    ReportSeries series(std::uint32_t number);
    Statistics statistics(std::uint32_t number);
    const EnglishCounter& english(std::uint32_t number) const { return series_.english(number); }
    /// Returns the counter to which a series that was read belongs.
    const RunCounter& counter(std::uint32_t number) const { return all().counter(number); }
    /// Returns the number of that counter in the run.
    std::uint32_t counter_number(std::uint32_t number) const { return all().series(number).counter; }

    bool is_constant(std::uint32_t number) const;
    std::optional<std::int64_t> time_of_max(std::uint32_t number) const;
    std::uint32_t stream(std::uint32_t number) const;
    void read(std::uint32_t number, std::vector<ReducedValues>& values) const;
    std::span<const HistorySlot> slots(std::uint32_t stream) const noexcept { return history_.slots(stream); }
    /// Returns the times between two slots of a stream that are longer than one and a half intervals. `interval`: the
    /// usual time between samples.
    std::vector<std::pair<std::int64_t, std::int64_t>> gaps(std::uint32_t stream, std::int64_t interval) const;
    std::size_t streams() const noexcept { return machines_.size(); }

    /// Returns the streams of machines by their names.
    const std::map<std::string, std::uint32_t>& machines() const noexcept { return machines_; }

    /// Returns machines, times, interval and gaps of the run.
    Overview overview() const;
    const SeriesCollector& all() const noexcept { return series_.all(); }
    SeriesCollector& all() noexcept { return series_.all(); }
    /// Returns the slope of a series in units per hour; NaN if it has none.
    double slope(std::uint32_t number) { return statistics(number).slope; }

  private:
    static const Skipped& nothing_skipped();
    void values(std::size_t place, std::span<const BlockValue> values) override;
    void end_block() override { history_.end_block(); }
    void append_values(std::size_t place, std::vector<double>& values,
                       std::vector<std::int64_t>& times) const override {
        history_.append_values(place, values, times);
    }
    void add_derived(std::int64_t time);

    /// A history, and the number of a series in it.
    struct Place {
        const History& history;
        std::size_t series;
    };
    Place place_of(std::uint32_t number) const noexcept {
        if (is_derived(number)) return {derived_history_, derived_place(number)};
        return {history_, number};
    }
    static bool is_derived(std::uint32_t number) noexcept { return number >= RuleRun::first_derived; }
    static std::uint32_t derived_place(std::uint32_t number) noexcept { return number - RuleRun::first_derived; }

    static constexpr std::size_t most_slots = 960;
    static constexpr std::uint64_t most_values = 4'000'000;  // of 32 bytes

    RuleCollector series_;
    RuleRun* rules_;
    std::map<std::string, std::uint32_t> machines_;  // and their streams
    History history_{most_slots, most_values}, derived_history_{most_slots, most_values};
    std::vector<SeriesStatistics> derived_;
    TimeTally times_;
};

}  // namespace hkpd
