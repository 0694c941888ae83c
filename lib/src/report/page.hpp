// The content of a report's page as data, before it becomes text.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/changes.hpp"
#include "hkpd/rules.hpp"
#include "report/run.hpp"

namespace hkpd {

/// The slots of a stream, at the resolution of some of its series.
struct PageGrid {
    std::uint32_t run = 0, stream = 0;
    std::uint32_t joined = 1;  ///< number of neighbouring slots that are joined
    bool elapsed = false;      ///< whether times are counted from the beginning of the run
};

/// A series on the page.
struct PageSeries {
    std::uint32_t run = 0, number = 0;  ///< number of the series in the run
    bool fine = false;                  ///< whether it has the highest resolution
    bool elapsed = false;               ///< whether its times are counted from the beginning of its run
    std::uint64_t at = 0;               ///< offset of its values on the page
    std::uint32_t grid = 0;
};

/// A threshold that a chart shows.
struct PageLimit {
    double value = 0;
    std::string label;
    RuleSeverity severity = RuleSeverity::warning;
};

/// A chart. Series are positions in `Page::series`.
struct PageChart {
    std::string title;
    ScaledUnit unit{};
    std::string counters{};  ///< paths of the counters that it shows; empty where the title has them
    bool stacked = false, elapsed = false;
    std::vector<std::uint32_t> series{};
    std::vector<PageLimit> limits{};
    std::string command{};
};

/// The series of a counter, of which at least one has values that differ.
struct PageCounter {
    std::uint32_t example = 0;            ///< a series of the counter in the run
    std::vector<std::uint32_t> series{};  ///< those with the largest means and maxima, if there are too many
    std::uint64_t instances = 0;          ///< number of series
    std::string command{};
    /// Over all series: the smallest value, the largest mean and the largest value.
    double min = std::numeric_limits<double>::quiet_NaN(), mean = min, max = min;
};

/// A counter with no series whose values differ.
struct PageConstant {
    std::uint32_t example = 0;
    std::uint64_t instances = 0;
    /// Over the instances; NaN if none has a value.
    double min = std::numeric_limits<double>::quiet_NaN(), max = std::numeric_limits<double>::quiet_NaN();
};

/// A part of a machine's overview, such as its memory.
struct PageArea {
    /// Counters that are 0 in all samples.
    struct Zero {
        std::string title, counters;
        std::size_t series = 0;  ///< number of series
    };
    std::string_view id, title;
    std::vector<std::uint32_t> charts{};  ///< positions in `Page::charts`
    std::vector<Zero> zeros{};
    /// Paths of counters to add to a log that has none of the area, separated by line feeds.
    std::string_view missing{};
};

/// A machine of the run. Series are numbers in the run.
struct PageMachine {
    std::string name;
    std::uint32_t stream = 0;
    std::vector<PageArea> areas{};             ///< empty if there are too many machines
    std::optional<std::uint32_t> processor{};  ///< the share of time in which its processors were busy
    std::optional<std::uint32_t> idle{};       ///< in place of it, the share in which they were not
    std::optional<std::uint32_t> memory{};     ///< the memory that was available
};

/// The findings of one analysis, the first of which is the most severe one.
struct PageFinding {
    std::vector<RuleFinding> findings;
    std::optional<std::uint32_t> chart;
};

/// The changes since the baseline; `charts` has those of the first of `RunChanges::changed`.
struct PageChanges {
    RunChanges all;
    std::vector<std::uint32_t> charts;
};

/// The content of a page.
struct Page {
    std::vector<PageGrid> grids;
    std::vector<PageSeries> series;
    std::vector<PageChart> charts;
    std::vector<PageFinding> findings;
    std::vector<PageMachine> machines;
    std::optional<PageChanges> changes;
    std::vector<PageCounter> counters;
    std::vector<PageConstant> constants;
    std::uint64_t varied = 0;  ///< number of all series whose values differ; each belongs to one of `counters`
    std::string top_command;   ///< `hkpd top` with the inputs of the page
    std::string values;        ///< the values of all series, as the page contains them before compression
};

/// Adds series to a page, each once.
class PageSeriesList {
  public:
    explicit PageSeriesList(Page& page) : page_(page) {}
    /// Returns the position of a series of a run. `fine`: it needs the highest resolution.
    /// `elapsed`: its times are to be counted from the beginning of the run.
    std::uint32_t add(std::uint32_t run, std::uint32_t number, bool fine, bool elapsed = false) {
        const auto [found, added] =
            places_.try_emplace({run, number, elapsed}, static_cast<std::uint32_t>(page_.series.size()));
        if (added) page_.series.push_back({.run = run, .number = number, .elapsed = elapsed});
        PageSeries& series = page_.series[found->second];
        series.fine = series.fine || fine;
        return found->second;
    }

  private:
    Page& page_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::uint32_t> places_;
};

}  // namespace hkpd
