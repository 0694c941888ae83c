// The sections of a report's page that are HTML: everything but the charts, which scripts draw.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "hkpd/report.hpp"
#include "report/page.hpp"

namespace hkpd {

class Diagnostics;

/// Position of the run that is compared with a baseline.
inline constexpr std::size_t compared_run = 1;

/// The content of the sections.
struct PageContent {
    const ReportOptions& options;
    const Page& page;
    /// The last one is that which the page is about. With a baseline, the first is the baseline, and the one at
    /// `compared_run` the run by names, which is compared with it.
    std::deque<ReportRun>& runs;
    const RuleRun& rules;
    const Diagnostics& diagnostics;

    ReportRun& run() const noexcept { return runs.back(); }
    const Zone& zone() const noexcept { return run().all().zone(); }
};

/// Returns the heading of the page.
std::string page_title(const PageContent& content);
void append_head_section(std::string& out, const PageContent& content);
void append_findings_section(std::string& out, const PageContent& content);
void append_changes_section(std::string& out, const PageContent& content);
void append_overview_section(std::string& out, const PageContent& content);
void append_counters_section(std::string& out, const PageContent& content);
void append_faults_section(std::string& out, const PageContent& content);
void append_not_evaluated_section(std::string& out, const PageContent& content);

/// Appends the place of a chart.
void append_figure(std::string& out, const Page& page, std::uint32_t chart);

}  // namespace hkpd
