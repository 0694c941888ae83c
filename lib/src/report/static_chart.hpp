// Pictures of charts in SVG, which a page shows without scripts and on paper. Their form is described in
// lib/src/report/README.md.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "quantity/axis.hpp"
#include "report/page.hpp"

namespace hkpd {

/// The times that all charts of a kind show.
struct ChartTimes {
    bool elapsed = false;           ///< whether times are counted from the beginning of each run
    std::int64_t from = 0, to = 0;  ///< in nanoseconds; since 1970 (UTC) if they are not elapsed
};

/// Draws the charts of a page. Keeps references to the page and its runs.
class StaticCharts {
  public:
    StaticCharts(const Page& page, std::deque<ReportRun>& runs);

    /// Appends a chart and its legend: each line with its minimum, mean and maximum, and the limits.
    void append(std::string& out, std::uint32_t chart) const;
    /// Appends a small chart of one series of the page's run, without a legend. `title`: what it shows, as text.
    /// `values`: the range of its axis, in the unit that is shown.
    void append_small(std::string& out, std::string_view title, std::uint32_t series, const AxisValues& values) const;

  private:
    const Page& page_;
    std::deque<ReportRun>& runs_;
    std::optional<std::int64_t> interval_;  // usual time between samples
    ChartTimes log_{}, elapsed_{.elapsed = true};
    std::size_t most_points_ = 0;  // of a line
};

}  // namespace hkpd
