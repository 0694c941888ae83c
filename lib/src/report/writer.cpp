// The writer of a report: collects a run, or two, and writes the page at the end.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <span>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/report.hpp"
#include "hkpd/version.hpp"
#include "report/answer_sections.hpp"
#include "report/assets.hpp"
#include "report/charts.hpp"
#include "report/html.hpp"
#include "report/index.hpp"
#include "report/page.hpp"
#include "report/run.hpp"
#include "report/sections.hpp"
#include "report/values.hpp"
#include "source/selected_samples.hpp"
#include "write/series_lines.hpp"

namespace hkpd {
namespace {

constexpr auto themes = std::to_array<std::string_view>({"auto", "light", "dark"});

/// Groups findings by analysis, in the order of the first finding of each, and adds a chart for each group.
void add_findings(Page& page, PageSeriesList& list, ReportRun& run, std::uint32_t number, const ReportOptions& options,
                  const Rules& rule_set, const std::vector<RuleFinding>& findings) {
    constexpr std::size_t most_lines = 8;
    std::map<std::uint32_t, std::size_t> places;
    for (const RuleFinding& finding : findings) {
        const auto [place, added] = places.try_emplace(finding.analysis, page.findings.size());
        if (added) page.findings.emplace_back();
        page.findings[place->second].findings.push_back(finding);
    }
    for (PageFinding& group : page.findings) {
        const RuleAnalysis& analysis = rule_set.analyses()[group.findings.front().analysis];
        const ReportSeries first = run.series(group.findings.front().series);
        PageChart chart{.title = analysis.name, .unit = first.shown};
        if (group.findings.front().series < RuleRun::first_derived)
            chart.command = replay_command(options, first, run.streams() > 1);
        for (const RuleFinding& finding : group.findings) {
            const std::uint32_t series = list.add(number, finding.series, true);
            if (run.series(finding.series).shown != first.shown) chart.unit = {};
            if (std::ranges::find(chart.series, series) == chart.series.end() && chart.series.size() < most_lines)
                chart.series.push_back(series);
            const RuleThreshold& threshold = analysis.thresholds[finding.threshold];
            const auto same = [&](const PageLimit& limit) { return limit.value == finding.limit; };
            const bool has_line = !finding.slope && !std::isnan(finding.limit);
            if (has_line && std::ranges::none_of(chart.limits, same))
                chart.limits.push_back({finding.limit, threshold.name, threshold.severity});
        }
        group.chart = static_cast<std::uint32_t>(page.charts.size());
        page.charts.push_back(std::move(chart));
    }
}

/// Appends the beginning of the page, up to `<body>`.
void append_document_head(std::string& out, const PageContent& content) {
    out += "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"";
    out += themes[static_cast<std::size_t>(content.options.theme)];
    out +=
        "\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; script-src";
    for (const PageAsset& script : page_scripts()) out.append(" '").append(script.hash).append("'");
    out += "; style-src";
    for (const PageAsset& style : page_styles()) out.append(" '").append(style.hash).append("'");
    out +=
        "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" "
        "content=\"no-referrer\">\n<title>";
    append_html(out, page_title(content), 500);
    out += "</title>\n";
    for (const PageAsset& style : page_styles()) out.append("<style>").append(style.content).append("</style>\n");
    out += "</head>\n";
}

class HtmlReport final : public ReportWriter {
  public:
    HtmlReport(ReportOptions options, WriteOptions write, const CookOptions& cook, RuleRun evaluation)
        : options_(std::move(options)),
          write_(std::move(write)),
          cook_(cook),
          rules_(std::move(evaluation)),
          top_(answers(options_, write_), cook) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        if (runs_.empty()) add_run(*write_.titles);
        runs_.back().add(sample, selected, *cooker);
        if (runs_.size() > 1) runs_[compared_run].add(sample, selected, *cooker);
        if (!options_.has_baseline || runs_.size() > 1) top_.add(sample, selected, *cooker);
    }

    void end_baseline(const Titles& titles) override {
        if (runs_.empty()) add_run(*write_.titles);
        add_by_name(titles);
        add_run(titles);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        if (runs_.empty()) add_run(*write_.titles);
        for (ReportRun& run : runs_) {
            run.finish();
            run.report(diagnostics);
        }
        const auto number = static_cast<std::uint32_t>(runs_.size() - 1);
        ReportRun& run = runs_.back();
        Page page;
        PageSeriesList list(page);
        const auto found = rules_.finish([&run](std::uint32_t series) { return run.slope(series); });
        for (const RuleFinding& finding : found) findings_.push_back(named(finding, run));
        add_findings(page, list, run, number, options_, rules_.rules(), found);
        if (number != 0) add_changes(page, list, runs_.front(), runs_[compared_run], options_);
        add_overview(page, list, run, number, options_);
        add_counters(page, list, run, number, options_);
        page.top_command = input_command("hkpd top", options_);
        append_page(page, diagnostics, out);
    }

    std::span<const ReportFinding> findings() const noexcept override { return findings_; }

  private:
    /// Returns the options of the answers at the beginning of the page.
    static TopOptions answers(const ReportOptions& options, const WriteOptions& write) {
        TopOptions made;
        made.instances = made.percentiles = false;
        made.verdict = VerdictOptions{.whole = options.whole, .all_instances = options.all_instances};
        return with_limits(std::move(made), write);
    }
    /// Begins the baseline, for which no rules are evaluated, or the run that the page is about.
    void add_run(const Titles& titles) {
        const bool is_baseline = options_.has_baseline && runs_.empty();
        if (is_baseline) return add_by_name(titles);
        runs_.emplace_back(series_options(write_), cook_, &rules_, titles);
    }
    /// Begins a run that is compared with another: processes of both have no more in common than their names.
    void add_by_name(const Titles& titles) {
        SeriesOptions options = series_options(write_);
        options.by_name = true;
        runs_.emplace_back(options, cook_, nullptr, titles);
    }

    ReportFinding named(const RuleFinding& finding, ReportRun& run) const {
        const RuleAnalysis& analysis = rules_.rules().analyses()[finding.analysis];
        const RuleThreshold& threshold = analysis.thresholds[finding.threshold];
        const ReportSeries series = run.series(finding.series);
        return {.finding = finding,
                .analysis = analysis.name,
                .threshold = threshold.name,
                .severity = threshold.severity,
                .machine = std::string(series.machine),
                .object = std::string(series.object),
                .instance = series.instance,
                .counter = std::string(series.counter)};
    }

    void append_page(Page& page, const Diagnostics& diagnostics, std::string& out) {
        const StaticCharts pictures(page, runs_);
        const PageContent content{options_, page, runs_, rules_, diagnostics, pictures};
        append_document_head(out, content);
        out += "<body>\n<a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n";
        append_head_section(out, content);
        out +=
            "<main>\n<noscript><p class=\"noscript\">Without scripts, charts are pictures of the whole log, and of all "
            "other "
            "counters there is a table.</p></noscript>\n";
        append_machines_section(out, content);
        const Top top = top_.finish();
        append_verdict_section(out, content, top);
        append_processes_section(out, top);
        append_findings_section(out, content);
        append_changes_section(out, content);
        append_overview_section(out, content);
        append_counters_section(out, content);
        append_faults_section(out, content);
        append_not_evaluated_section(out, content);
        out += "</main>\n<footer><p>Made by hkpd ";
        out += linked_version();
        out += ". Charts by uPlot (MIT licence).</p></footer>\n";
        append_data(page, out);
        out += "</body>\n</html>\n";
    }

    void append_data(Page& page, std::string& out) {
        std::size_t used = out.size();
        for (const PageAsset& script : page_scripts()) used += script.content.size();
        const FittedValues fitted = fit_values(page, runs_, options_.page > used ? options_.page - used : 0,
                                               [&] { return page_index(page, runs_); });
        out += R"(<script type="application/octet-stream" id="hkpd-index">)";
        out += fitted.index;
        out +=
            "</script>\n"
            R"(<script type="application/octet-stream" id="hkpd-values">)";
        out += fitted.values;
        out += "</script>\n<!-- uPlot:\n";
        out += page_licence();
        out += "-->\n";
        for (const PageAsset& script : page_scripts())
            out.append("<script>").append(script.content).append("</script>\n");
    }

    ReportOptions options_;
    WriteOptions write_;
    CookOptions cook_;
    RuleRun rules_;
    std::vector<ReportFinding> findings_;
    TopCollector top_;  // of the run that the page is about
    /// The run that the page is about or, with a baseline: the baseline by names, the run by names, and the run.
    std::deque<ReportRun> runs_;
};

}  // namespace

std::optional<ReportTheme> report_theme_of(std::string_view name) noexcept {
    const auto found = std::ranges::find(themes, name);
    if (found == themes.end()) return std::nullopt;
    return static_cast<ReportTheme>(found - themes.begin());
}

std::unique_ptr<ReportWriter> make_report_writer(const ReportOptions& options, const WriteOptions& write,
                                                 const CookOptions& cook, RuleRun evaluation) {
    return std::make_unique<HtmlReport>(options, write, cook, std::move(evaluation));
}

namespace {

/// Passes what a filter selects in the samples of a reader to a writer. Returns the number of samples.
std::uint64_t pass_samples(Reader& reader, Filter& filter, Writer& writer) {
    std::string nothing;
    return each_selected(reader, filter, [&](const std::vector<Selected>& selected) {
        writer.sample(reader.sample(), selected, &reader.cooker(), nothing);
    });
}

}  // namespace

Report report(Reader& reader, Filter& filter, RuleRun rules, ReportOptions options, Reader* baseline) {
    WriteOptions write;
    write.titles = &(baseline != nullptr ? *baseline : reader).titles();
    write.cooked = write.one_pass = true;
    options.has_baseline = baseline != nullptr;
    const auto writer = make_report_writer(options, write, {}, std::move(rules));
    if (baseline != nullptr) {
        Filter earlier = filter;
        pass_samples(*baseline, earlier, *writer);
        writer->end_baseline(reader.titles());
    }
    Report made{.page = {}, .samples = pass_samples(reader, filter, *writer), .findings = {}};
    Diagnostics faults = reader.diagnostics();  // the page lists them
    writer->end(faults, made.page);
    made.findings.assign(writer->findings().begin(), writer->findings().end());
    return made;
}

}  // namespace hkpd
