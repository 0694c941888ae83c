// The sections of a report's page as HTML. Charts are pictures (static_chart.hpp), which scripts replace.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "hkpd/report.hpp"
#include "report/page.hpp"
#include "report/static_chart.hpp"

namespace hkpd {

class Diagnostics;

/// Position of the run that is compared with a baseline.
inline constexpr std::size_t compared_run = 1;
/// Maximum length of a name in a sentence or heading; tables have the full name.
inline constexpr std::size_t most_of_a_name = 120;

/// The content of the sections.
struct PageContent {
    const ReportOptions& options;
    const Page& page;
    /// The last one is that which the page is about. With a baseline, the first is the baseline, and the one at
    /// `compared_run` the run by names, which is compared with it.
    std::deque<ReportRun>& runs;
    const RuleRun& rules;
    const Diagnostics& diagnostics;
    const StaticCharts& pictures;

    ReportRun& run() const noexcept { return runs.back(); }
    const Zone& zone() const noexcept { return run().all().zone(); }
};

/// Returns the heading of the page.
std::string page_title(const PageContent& content);
void append_head_section(std::string& out, const PageContent& content);
/// Appends a table of the machines and small charts of each, if there are several.
void append_machines_section(std::string& out, const PageContent& content);
void append_findings_section(std::string& out, const PageContent& content);
void append_changes_section(std::string& out, const PageContent& content);
void append_overview_section(std::string& out, const PageContent& content);
void append_counters_section(std::string& out, const PageContent& content);
void append_faults_section(std::string& out, const PageContent& content);
void append_not_evaluated_section(std::string& out, const PageContent& content);

/// Appends the figure of a chart, `chart-N`, with a picture that scripts replace.
void append_figure(std::string& out, const PageContent& content, std::uint32_t chart);

}  // namespace hkpd
