#include "report/sections.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "base/time.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/version.hpp"
#include "quantity/times.hpp"
#include "report/html.hpp"
#include "write/cells.hpp"

namespace hkpd {
namespace {

/// Appends a term of the list of facts; `append` appends its description.
template <class Append>
void append_fact(std::string& out, std::string_view term, const Append& append) {
    out.append("<div><dt>").append(term).append("</dt><dd>");
    append();
    out += "</dd></div>\n";
}

std::string counted(std::uint64_t count, std::string_view thing) {
    return fmt::format("<data value=\"{}\">{}</data>", count, count_of(count, thing));
}

class Facts {
  public:
    Facts(std::string& out, const PageContent& content)
        : out_(out), content_(content), overview_(content.run().overview()) {}

    void append() {
        out_ += "<dl class=\"facts\">\n";
        append_inputs();
        append_machines();
        append_times();
        append_fact(out_, "Series", [this] {
            out_ += fmt::format(R"(<data value="{0}">{0}</data>, of which <data value="{1}">{1}</data> varied)",
                                content_.run().size(), content_.page.varied);
        });
        append_fact(out_, "Faults", [this] {
            const Diagnostics& faults = content_.diagnostics;
            if (!faults.any_fault()) {
                out_ += "none";
                if (const auto notes = faults.count(Severity::note); notes != 0)
                    out_ += ", " + count_of(notes, "note") + " (hkpd check --verbose shows notes)";
                return;
            }
            out_ += "<a href=\"#faults\">" + count_of(faults.count(Severity::error), "error") + ", " +
                    count_of(faults.count(Severity::warning), "warning") + "</a>";
        });
        append_rules();
        out_ += "</dl>\n";
    }

  private:
    void append_inputs() {
        const std::vector<std::string>& inputs = content_.options.inputs;
        if (inputs.empty()) return;
        append_fact(out_, inputs.size() == 1 ? "Input" : "Inputs", [&] {
            constexpr std::size_t most = 5;
            for (std::size_t i = 0; i < std::min(inputs.size(), most); ++i) {
                if (i != 0) out_ += ", ";
                append_html(out_, inputs[i], most_of_a_name);
            }
            if (inputs.size() > most) out_ += fmt::format(" and {} more", inputs.size() - most);
        });
    }

    void append_machines() {
        append_fact(out_, overview_.machines.size() == 1 ? "Machine" : "Machines", [this] {
            constexpr std::size_t most = 10;
            if (overview_.machines.empty()) out_ += "none: no sample";
            for (std::size_t i = 0; i < std::min(overview_.machines.size(), most); ++i) {
                if (i != 0) out_ += ", ";
                append_html(out_, overview_.machines[i].empty() ? "(no name)" : overview_.machines[i], most_of_a_name);
            }
            if (overview_.machines.size() > most) out_ += fmt::format(" and {} more", overview_.machines.size() - most);
        });
    }

    void append_times() {
        if (overview_.time) {
            append_fact(out_, "Time", [this] {
                append_moment_html(out_, overview_.time->from, content_.zone());
                out_ += " to ";
                append_moment_html(out_, overview_.time->to, content_.zone());
                out_ += ", ";
                append_duration_html(out_, time_between(overview_.time->from, overview_.time->to));
            });
            append_fact(out_, "Time zone", [this] {
                if (!content_.zone().is_stated()) {
                    out_ += "not stated: times are local times of the machine; --log-tz states it";
                    return;
                }
                const std::string first = zone_text(content_.zone(), overview_.time->from),
                                  last = zone_text(content_.zone(), overview_.time->to);
                append_html(out_, first == last ? first : first + ", at the end " + last, 2 * most_of_a_name);
            });
        }
        append_fact(out_, "Samples", [this] {
            out_ += fmt::format("<data value=\"{}\">{}</data>", overview_.samples, overview_.samples);
            if (!overview_.interval) return;
            out_ += ", every ";
            append_duration_html(out_, *overview_.interval);
        });
        if (!overview_.interval) return;
        append_fact(out_, "Gaps", [this] {
            if (!overview_.longest_gap) {
                out_ += "none";
                return;
            }
            out_ += fmt::format("<data value=\"{}\">{}</data>, the longest ", overview_.gaps, overview_.gaps);
            append_duration_html(out_, time_between(overview_.longest_gap->from, overview_.longest_gap->to));
            out_ += " after ";
            append_moment_html(out_, overview_.longest_gap->from, content_.zone());
        });
    }

    void append_rules() {
        append_fact(out_, "Rules", [this] {
            const std::uint64_t all = count_thresholds(content_.rules.rules());
            const std::uint64_t evaluated = all - not_evaluated(content_.rules).size();
            append_html(out_, content_.rules.rules().name(), most_of_a_name);
            out_ += fmt::format(R"(: <data value="{}">{}</data> of <data value="{}">{}</data> evaluated)", evaluated,
                                evaluated, all, count_of(all, "threshold"));
            if (evaluated != all) out_ += " (<a href=\"#not-evaluated\">which not, and why</a>)";
        });
        const auto answers = content_.rules.answers();
        if (answers.empty()) return;
        append_fact(out_, "Assumed", [&] {
            for (const RuleRun::Answered& answer : answers) {
                if (&answer != answers.data()) out_ += "; ";
                append_html(out_, answer.name + " = " + answer.value, most_of_a_name);
                out_.append(" (").append(answer.origin).append(")");
            }
        });
    }

    std::string& out_;
    const PageContent& content_;
    Overview overview_;
};

/// The findings of one analysis.
class FindingSection {
  public:
    FindingSection(std::string& out, const PageContent& content, std::size_t number)
        : out_(out),
          content_(content),
          number_(number),
          finding_(content.page.findings[number]),
          analysis_(content.rules.rules().analyses()[finding_.findings.front().analysis]) {}

    void append() {
        const RuleFinding& worst = finding_.findings.front();
        const std::string_view severity = rule_severity_name(threshold(worst).severity);
        fmt::format_to(std::back_inserter(out_),
                       "<article class=\"finding {}\" id=\"finding-{}\">\n<h3><span class=\"severity\">{}</span> ",
                       severity, number_ + 1, severity);
        append_html(out_, analysis_.name, most_of_a_name);
        out_ += "</h3>\n<p class=\"summary\">";
        append_summary(worst);
        out_ += "</p>\n";
        if (finding_.chart) append_figure(out_, content_, *finding_.chart);
        append_table();
        append_explanation();
        out_ += "</article>\n";
    }

  private:
    const RuleThreshold& threshold(const RuleFinding& finding) const {
        return content_.rules.rules().analyses()[finding.analysis].thresholds[finding.threshold];
    }

    void append_name(const ReportSeries& series, std::size_t most) {
        append_html(out_, series.of_list ? std::string_view(series.instance) : series.object, most);
    }

    /// Appends a sentence about the most severe finding.
    void append_summary(const RuleFinding& worst) {
        const ReportSeries series = content_.run().series(worst.series);
        append_html(out_, threshold(worst).name, 4 * most_of_a_name);
        out_ += ": <strong>";
        append_name(series, most_of_a_name);
        out_ += "</strong> ";
        if (worst.slope) {
            out_ += *worst.slope > 0 ? "grows by " : "falls by ";
            append_value(out_, std::abs(*worst.slope), series.shown);
            out_ += " per hour.";
        } else {
            out_ += "for ";
            append_duration_html(out_, worst.exceeding_time);
            out_ += fmt::format(" ({:.0f} % of the time), at worst ",
                                worst.time > 0
                                    ? 100 * static_cast<double>(worst.exceeding_time) / static_cast<double>(worst.time)
                                    : 0.0);
            append_value(out_, worst.worst, series.shown);
            out_ += " at ";
            append_moment_html(out_, worst.worst_time, content_.zone());
            out_ += '.';
        }
        if (finding_.findings.size() > 1)
            out_ += fmt::format(" {} in all.", count_of(finding_.findings.size(), "finding"));
    }

    void append_table() {
        constexpr std::size_t most = 200;
        const bool machines = content_.run().streams() > 1;
        out_ +=
            "<details><summary>All findings of this rule</summary>\n<div class=\"scroll\" tabindex=\"0\" "
            "role=\"group\" aria-label=\"All findings of this rule\"><table>\n<thead><tr>";
        if (machines) out_ += "<th scope=\"col\">Machine</th>";
        for (const std::string_view head :
             {"Instance", "Threshold", "Condition", "Limit", "Values beyond the limit", "For", "Of", "First", "Last",
              "Longest period from", "to", "Worst", "at", "Growth per hour"})
            out_.append("<th scope=\"col\">").append(head).append("</th>");
        out_ += "</tr></thead>\n<tbody>\n";
        for (std::size_t i = 0; i < std::min(finding_.findings.size(), most); ++i)
            append_row(finding_.findings[i], machines);
        out_ += "</tbody>\n</table></div>\n";
        if (finding_.findings.size() > most)
            out_ += fmt::format("<p>{} more are not listed; hkpd check --rules lists all.</p>\n",
                                finding_.findings.size() - most);
        out_ += "</details>\n";
    }

    void append_row(const RuleFinding& finding, bool machines) {
        const ReportSeries series = content_.run().series(finding.series);
        const RuleThreshold& rule = threshold(finding);
        const auto cell = [this](const auto& append) {
            out_ += "<td>";
            append();
            out_ += "</td>";
        };
        const auto moment = [&](std::int64_t time) {
            cell([&] {
                if (!finding.slope) append_moment_html(out_, time, content_.zone());
            });
        };
        out_ += fmt::format("<tr class=\"{}\">", rule_severity_name(rule.severity));
        if (machines) cell([&] { append_html(out_, series.machine, 1024); });
        out_ += "<th scope=\"row\">";
        append_name(series, 1024);
        out_ += "</th>";
        cell([&] { append_html(out_, rule.name, 1024); });
        cell([&] { append_html(out_, rule.condition, 1024); });
        cell([&] { append_value(out_, finding.limit, series.shown); });
        cell([&] {
            if (!finding.slope)
                out_ += fmt::format(R"(<data value="{0}">{0}</data> of <data value="{1}">{1}</data>)",
                                    finding.exceeding, finding.values);
        });
        cell([&] {
            if (!finding.slope) append_duration_html(out_, finding.exceeding_time);
        });
        cell([&] {
            if (!finding.slope) append_duration_html(out_, finding.time);
        });
        moment(finding.first);
        moment(finding.last);
        moment(finding.longest_from);
        moment(finding.longest_to);
        cell([&] {
            if (!finding.slope) append_value(out_, finding.worst, series.shown);
        });
        moment(finding.worst_time);
        cell([&] {
            if (finding.slope) append_value(out_, *finding.slope, series.shown);
        });
        out_ += "</tr>\n";
    }

    void append_explanation() {
        if (analysis_.description_html.empty()) return;
        out_ += "<details><summary>What this rule means</summary>\n<div class=\"explanation\">";
        out_ += analysis_.description_html;
        out_ += "</div>\n<p class=\"source\">Rule: ";
        append_html(out_, analysis_.path, most_of_a_name);
        out_ += ", file ";
        append_html(out_, analysis_.file, most_of_a_name);
        out_ += "</p>\n</details>\n";
    }

    std::string& out_;
    const PageContent& content_;
    std::size_t number_;
    const PageFinding& finding_;
    const RuleAnalysis& analysis_;
};

}  // namespace

std::string page_title(const PageContent& content) {
    if (!content.options.title.empty()) return content.options.title;
    const Overview overview = content.run().overview();
    std::string title = "Performance";
    if (overview.machines.size() == 1 && !overview.machines.front().empty())
        title += " of " + overview.machines.front();
    else if (overview.machines.size() > 1)
        title += fmt::format(" of {}", count_of(overview.machines.size(), "machine"));
    return title;
}

void append_figure(std::string& out, const PageContent& content, std::uint32_t chart) {
    const PageChart& shown = content.page.charts[chart];
    out += fmt::format(R"(<figure class="chart" id="chart-{0}" data-chart="{0}"><figcaption>)", chart);
    append_html(out, shown.title, most_of_a_name);
    if (!shown.counters.empty()) {
        out += " <span class=\"path\">";
        append_html(out, shown.counters, 2 * most_of_a_name);
        out += "</span>";
    }
    out += "</figcaption>\n";
    content.pictures.append(out, chart);
    out += "</figure>\n";
}

void append_head_section(std::string& out, const PageContent& content) {
    out += "<header>\n<h1>";
    append_html(out, page_title(content), 4 * most_of_a_name);
    out += "</h1>\n";
    Facts(out, content).append();
    out += "</header>\n";
}

void append_findings_section(std::string& out, const PageContent& content) {
    const std::vector<PageFinding>& all = content.page.findings;
    out += "<section id=\"findings\">\n<h2>Findings</h2>\n";
    if (all.empty()) {
        const std::uint64_t evaluated = count_thresholds(content.rules.rules()) - not_evaluated(content.rules).size();
        out += evaluated == 0 ? "<p>No threshold could be evaluated: the input has none of the counters.</p>\n"
                              : fmt::format("<p>None of {} was exceeded.</p>\n", count_of(evaluated, "threshold"));
    }
    for (std::size_t i = 0; i < all.size(); ++i) FindingSection(out, content, i).append();
    out += "</section>\n";
}

void append_changes_section(std::string& out, const PageContent& content) {
    if (!content.page.changes) return;
    constexpr std::size_t most = 100;
    const auto& [all, charts] = *content.page.changes;
    ReportRun& before = content.runs.front();
    ReportRun& after = content.runs[compared_run];
    out += "<section id=\"changes\">\n<h2>What changed most since the baseline</h2>\n<p>Baseline: ";
    append_html(out, content.options.baseline, most_of_a_name);
    out += fmt::format(
        ". Series: {} changed, {} unchanged, {} only in the baseline, {} only in the log. Effect: the difference "
        "of the medians, or of the 95th percentiles if that is larger, divided by the standard "
        "deviation; series with few values on one side are last. Ids, states, priorities and elapsed times are not "
        "compared.</p>\n",
        all.changed.size(), all.unchanged, all.only_before.size(), all.only_after.size());
    if (all.sums != 0)
        out += fmt::format("<p>{} series are sums: instances of one name are compared as their sum, name#*.</p>\n",
                           all.sums);
    if (all.changed.empty()) {
        out += "</section>\n";
        return;
    }
    out += "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"What changed\"><table>\n<thead><tr>";
    for (const std::string_view head :
         {"Object", "Instance", "Counter", "Median before", "Median after", "95th percentile before",
          "95th percentile after", "Peak before", "Peak after", "Effect"})
        out.append("<th scope=\"col\">").append(head).append("</th>");
    out += "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < std::min(most, all.changed.size()); ++i) {
        const SeriesChange& change = all.changed[i];
        const ReportSeries a = before.series(change.before), b = after.series(change.after);
        out += "<tr>";
        for (const std::string_view name : {b.object, std::string_view(b.instance)}) {
            out += "<td>";
            append_html(out, name, 1024);
            out += "</td>";
        }
        out += "<th scope=\"row\">";
        append_html(out, b.counter, 1024);
        out += "</th>";
        const Statistics &x = a.statistics, &y = b.statistics;
        for (const double value : {x.p50, y.p50, x.p95, y.p95, x.max, y.max}) {
            out += "<td>";
            append_value(out, value, b.shown);
            out += "</td>";
        }
        const double effect =
            std::abs(change.median_effect) >= change.size() ? change.median_effect : change.p95_effect;
        out += "<td>";
        append_value(out, effect);
        out += "</td></tr>\n";
    }
    out += "</tbody>\n</table></div>\n<div class=\"charts\">\n";
    for (const std::uint32_t chart : charts) append_figure(out, content, chart);
    out += "</div>\n</section>\n";
}

namespace {

/// Appends a table of the counters, in place of the charts that scripts make.
void append_counters_table(std::string& out, const PageContent& content) {
    constexpr std::size_t most = 300;
    const std::vector<PageCounter>& all = content.page.counters;
    const bool machines = content.page.machines.size() > 1;
    out += "<noscript><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Counters\"><table>\n<thead><tr>";
    if (machines) out += "<th scope=\"col\">Machine</th>";
    for (const std::string_view head : {"Object", "Counter", "Series", "Smallest", "Largest mean", "Largest"})
        out.append("<th scope=\"col\">").append(head).append("</th>");
    out += "</tr></thead>\n<tbody>\n";
    for (const PageCounter& counter : std::span(all).first(std::min(most, all.size()))) {
        const ReportSeries example = content.run().series(counter.example);
        out += "<tr>";
        if (machines) {
            out += "<td>";
            append_html(out, example.machine, most_of_a_name);
            out += "</td>";
        }
        out += "<td>";
        append_html(out, example.object, most_of_a_name);
        out += "</td><th scope=\"row\">";
        append_html(out, example.counter, most_of_a_name);
        out += fmt::format("</th><td><data value=\"{0}\">{0}</data></td>", counter.instances);
        for (const double value : {counter.min, counter.mean, counter.max}) {
            out += "<td>";
            append_value(out, value, example.shown);
            out += "</td>";
        }
        out += "</tr>\n";
    }
    out += "</tbody>\n</table></div>\n";
    if (all.size() > most)
        out +=
            fmt::format("<p>{} more; hkpd replay --summary lists all.</p>\n", count_of(all.size() - most, "counter"));
    out += "</noscript>\n";
}

}  // namespace

void append_counters_section(std::string& out, const PageContent& content) {
    out += "<section id=\"counters\">\n<h2>All counters that varied</h2>\n";
    if (content.page.counters.empty())
        out += "<p>No counter varied.</p>\n";
    else
        append_counters_table(out, content);
    out += "</section>\n";
}

void append_faults_section(std::string& out, const PageContent& content) {
    const Diagnostics& faults = content.diagnostics;
    if (!faults.any_fault()) return;
    out += "<section id=\"faults\">\n<h2>Faults of the input</h2>\n<ul>\n";
    constexpr std::size_t most = 100;
    std::size_t shown = 0;
    KindCounter kinds;
    std::string line;
    for (const Diagnostic& fault : faults.kept()) {
        if (fault.severity == Severity::note || !kinds.is_among_first(fault) || shown == most) continue;
        ++shown;
        line.clear();
        append_diagnostic(line, faults, fault);
        out.append("<li class=\"").append(severity_name(fault.severity)).append("\">");
        append_html(out, line);
        out += "</li>\n";
    }
    const std::uint64_t all = faults.count(Severity::error) + faults.count(Severity::warning);
    if (all > shown) out += fmt::format("<li>{} more; hkpd check lists all</li>\n", all - shown);
    out += "</ul>\n</section>\n";
}

void append_not_evaluated_section(std::string& out, const PageContent& content) {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const RuleResults::NotEvaluated& one : not_evaluated(content.rules)) {
        const RuleAnalysis& analysis = content.rules.rules().analyses()[one.analysis];
        by_reason[one.why].push_back(analysis.name + ": " + analysis.thresholds[one.threshold].name);
    }
    for (const std::string& file : content.rules.rules().missing_files())
        by_reason["inherited rule file not found"].push_back(file);
    if (by_reason.empty()) return;
    out += "<section id=\"not-evaluated\">\n<h2>Not evaluated</h2>\n";
    for (const auto& [why, named] : by_reason) {
        out += fmt::format("<details><summary>{}: ", counted(named.size(), "rule"));
        append_html(out, why, most_of_a_name);
        out += "</summary>\n<ul>\n";
        for (const std::string& rule : named) {
            out += "<li>";
            append_html(out, rule, 4 * most_of_a_name);
            out += "</li>\n";
        }
        out += "</ul>\n</details>\n";
    }
    out += "</section>\n";
}

}  // namespace hkpd
