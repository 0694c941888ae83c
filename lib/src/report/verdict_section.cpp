// The verdict at the beginning of a page: sentences, each of which refers to the chart that shows its numbers.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/answer_sections.hpp"
#include "report/html.hpp"
#include "write/verdict_text.hpp"

namespace hkpd {
namespace {

/// Finds the charts of statements.
class StatementCharts {
  public:
    explicit StatementCharts(const PageContent& content) : content_(content) {}

    /// Returns the chart that fits a statement best; none if no chart has its counters, nor others of their objects.
    std::optional<std::uint32_t> of(const VerdictStatement& statement) const {
        std::optional<std::uint32_t> found;
        int best = 0;
        const std::vector<PageChart>& charts = content_.page.charts;
        for (std::uint32_t chart = 0; chart < charts.size(); ++chart) {
            if (charts[chart].elapsed) continue;  // compares two runs
            const int fit = fit_of(charts[chart], statement);
            if (fit <= best) continue;
            best = fit;
            found = chart;
        }
        return found;
    }

  private:
    /// Returns how well a chart fits: the counter weighs more than the instance, and the object alone is better than
    /// nothing.
    int fit_of(const PageChart& chart, const VerdictStatement& statement) const {
        constexpr int object_fits = 1, instance_fits = 1, counter_fits = 4;
        int best = 0;
        for (const std::uint32_t position : chart.series) {
            const PageSeries& shown = content_.page.series[position];
            if (shown.run + 1 != content_.runs.size() || shown.number >= content_.run().size()) continue;
            const RunCounter& counter = content_.run().counter(shown.number);
            if (counter.machine != statement.machine) continue;
            for (const VerdictEvidence& evidence : statement.evidence) {
                const std::string_view path = evidence.counter;
                const std::string object = "\\" + counter.object;
                if (!path.starts_with(object + "\\") && !path.starts_with(object + "(*)\\")) continue;
                int fit = object_fits;
                if (path.ends_with("\\" + counter.name)) fit += counter_fits;
                const RunInstance instance = instance_of(shown.number);
                if (is_named(instance, statement)) fit += instance_fits;
                best = std::max(best, fit);
            }
        }
        return best;
    }

    RunInstance instance_of(std::uint32_t number) const {
        const Identity identity = content_.run().all().identity(number);
        RunInstance made;
        made.name = identity.name;
        made.pid = identity.pid;
        return made;
    }

    static bool is_named(const RunInstance& instance, const VerdictStatement& statement) {
        if (!statement.instance.empty()) return instance.name == statement.instance;
        return std::ranges::any_of(statement.processes, [&](const VerdictProcess& process) {
            return process.name == instance.name && process.pid == instance.pid;
        });
    }

    const PageContent& content_;
};

}  // namespace

void append_verdict_section(std::string& out, const PageContent& content, const Top& top) {
    const VerdictText text(top.verdict, top.run);
    out += "<section id=\"verdict\">\n<h2>Verdict</h2>\n";
    if (top.verdict.statements.empty()) out += "<p>No sample has a time.</p>\n";
    const StatementCharts charts(content);
    bool any = false;
    for (const VerdictStatement& statement : top.verdict.statements) {
        if (!text.is_shown(statement)) continue;
        if (!any) out += "<ul>\n";
        any = true;
        const auto chart = charts.of(statement);
        out.append("<li class=\"").append(kind_name(statement.kind)).append("\">");
        if (chart) out += fmt::format("<a href=\"#chart-{}\">", *chart);
        append_html(out, text.sentence(statement));
        if (chart) out += "</a>";
        out += "</li>\n";
    }
    if (any) out += "</ul>\n";
    if (const std::string rest = text.rest(); !rest.empty()) {
        out += "<p>";
        append_html(out, rest);
        out += "</p>\n";
    }
    out += "</section>\n";
}

}  // namespace hkpd
