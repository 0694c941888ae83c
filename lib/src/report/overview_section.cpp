// The sections of a page about machines: a table of all of them, and the charts of each.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "report/html.hpp"
#include "report/sections.hpp"

namespace hkpd {
namespace {

std::string_view shown_name(const PageMachine& machine) {
    return machine.name.empty() ? std::string_view("(no name)") : std::string_view(machine.name);
}

/// Appends the name of a machine, which refers to its charts if it has any.
void append_link(std::string& out, const PageMachine& machine, std::size_t number) {
    if (!machine.areas.empty()) out += fmt::format("<a href=\"#machine-{}\">", number);
    append_html(out, shown_name(machine), most_of_a_name);
    if (!machine.areas.empty()) out += "</a>";
}

/// The table of machines, and small charts of each.
class MachinesSection {
  public:
    MachinesSection(std::string& out, const PageContent& content) : out_(out), content_(content) {}

    void append() {
        out_ +=
            "<section id=\"machines\">\n<h2>Machines</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
            "aria-label=\"Machines\"><table>\n<thead><tr><th scope=\"col\">Machine</th>";
        for (const std::string_view head : {"Samples", "First", "Last", "Processor mean", "Processor p95",
                                            "Least available memory", "Critical findings", "Warnings"})
            out_.append(R"(<th scope="col" class="number">)").append(head).append("</th>");
        out_ += "</tr></thead>\n<tbody>\n";
        const std::vector<PageMachine>& all = content_.page.machines;
        for (std::size_t i = 0; i < std::min(all.size(), most_rows); ++i) append_row(all[i], i + 1);
        out_ += "</tbody>\n</table></div>\n";
        if (all.size() > most_rows)
            out_ += fmt::format("<p>{} more machines are not listed.</p>\n", all.size() - most_rows);
        append_small("Processor time", &PageMachine::processor);
        append_small("Available memory", &PageMachine::memory);
        out_ += "</section>\n";
    }

  private:
    template <class Append>
    void append_cell(const Append& append) {
        out_ += "<td class=\"number\">";
        append();
        out_ += "</td>";
    }

    void append_row(const PageMachine& machine, std::size_t number) {
        ReportRun& run = content_.run();
        out_ += "<tr><th scope=\"row\">";
        append_link(out_, machine, number);
        out_ += "</th>";
        std::uint64_t samples = 0;
        const auto slots = run.slots(machine.stream);
        for (const HistorySlot& slot : slots) samples += slot.samples;
        append_cell([&] { append_value(out_, static_cast<double>(samples), {Unit::identifier, 1}); });
        append_cell([&] {
            if (!slots.empty()) append_moment_html(out_, slots.front().from, content_.zone());
        });
        append_cell([&] {
            if (!slots.empty()) append_moment_html(out_, slots.back().to, content_.zone());
        });
        const auto number_of = [&](std::optional<std::uint32_t> series, double Statistics::* of) {
            append_cell([&] {
                if (!series) {
                    out_ += "not recorded";
                    return;
                }
                const ReportSeries shown = run.series(*series);
                append_value(out_, shown.statistics.*of, shown.shown);
            });
        };
        if (!machine.processor && machine.idle)
            append_cell([&] {
                append_value(out_, run.statistics(*machine.idle).mean, {Unit::percent, 1});
                out_ += " idle";
            });
        else
            number_of(machine.processor, &Statistics::mean);
        number_of(machine.processor, &Statistics::p95);
        number_of(machine.memory, &Statistics::min);
        for (const RuleSeverity severity : {RuleSeverity::critical, RuleSeverity::warning})
            append_cell([&] { append_value(out_, count_findings(machine, severity), {Unit::identifier, 1}); });
        out_ += "</tr>\n";
    }

    double count_findings(const PageMachine& machine, RuleSeverity severity) const {
        double count = 0;
        for (const PageFinding& group : content_.page.findings)
            for (const RuleFinding& finding : group.findings) {
                const RuleAnalysis& analysis = content_.rules.rules().analyses()[finding.analysis];
                if (analysis.thresholds[finding.threshold].severity == severity &&
                    content_.run().series(finding.series).machine == machine.name)
                    ++count;
            }
        return count;
    }

    /// Appends a small chart for each machine that has a series, all with the same axes.
    void append_small(std::string_view title, std::optional<std::uint32_t> PageMachine::* series) {
        const std::vector<PageMachine>& all = content_.page.machines;
        AxisValues values{.from_zero = true};
        std::size_t count = 0;
        for (const PageMachine& machine : all) {
            const std::optional<std::uint32_t> own = machine.*series;
            if (!own || ++count > most_small) continue;
            const ReportSeries shown = content_.run().series(*own);
            values.unit = shown.shown.unit;
            values.max = std::max(values.max, shown.statistics.max * shown.shown.factor);
        }
        if (count == 0) return;
        if (values.unit == Unit::percent) values.max = std::max(values.max, 100.0);
        out_.append("<h3>").append(title).append("</h3>\n<div class=\"multiples\">\n");
        std::size_t number = 0;
        count = 0;
        for (const PageMachine& machine : all) {
            ++number;
            const std::optional<std::uint32_t> own = machine.*series;
            if (!own || ++count > most_small) continue;
            out_ += "<figure class=\"static\"><figcaption>";
            append_link(out_, machine, number);
            out_ += "</figcaption>";
            content_.pictures.append_small(out_, fmt::format("{} of {}", title, shown_name(machine)), *own, values);
            out_ += "</figure>\n";
        }
        out_ += "</div>\n";
    }

    static constexpr std::size_t most_rows = 500, most_small = 48;

    std::string& out_;
    const PageContent& content_;
};

void append_area(std::string& out, const PageContent& content, const PageArea& area, std::string_view prefix,
                 std::string_view heading) {
    out += fmt::format("<section id=\"{}{}\" class=\"area\">\n<{}>{}</{}>\n", prefix, area.id, heading, area.title,
                       heading);
    if (!area.missing.empty()) {
        out += "<p class=\"missing\">Not recorded: add ";
        for (std::string_view left = area.missing; !left.empty();) {
            const std::size_t end = left.find('\n');
            out += "<code>";
            append_html(out, left.substr(0, end));
            out += "</code>";
            left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
            if (!left.empty()) out += ", ";
        }
        out += ".</p>\n";
    }
    if (!area.charts.empty()) {
        out += "<div class=\"charts\">\n";
        for (const std::uint32_t chart : area.charts) append_figure(out, content, chart);
        out += "</div>\n";
    }
    for (const PageArea::Zero& zero : area.zeros) {
        out.append("<p class=\"zero\">").append(zero.title).append(" <span class=\"path\">");
        append_html(out, zero.counters, 2 * most_of_a_name);
        out += "</span>: 0 throughout";
        if (zero.series > 1) out += fmt::format(" in {} series", zero.series);
        out += ".</p>\n";
    }
    out += "</section>\n";
}

}  // namespace

void append_machines_section(std::string& out, const PageContent& content) {
    if (content.page.machines.size() > 1) MachinesSection(out, content).append();
}

void append_overview_section(std::string& out, const PageContent& content) {
    const std::vector<PageMachine>& all = content.page.machines;
    if (all.empty()) return;
    out += "<section id=\"overview\">\n<h2>Overview</h2>\n";
    if (all.size() == 1)
        for (const PageArea& area : all.front().areas) append_area(out, content, area, "", "h3");
    std::size_t number = 0;
    for (const PageMachine& machine : all) {
        ++number;
        if (all.size() == 1 || machine.areas.empty()) continue;
        out += fmt::format("<section id=\"machine-{}\" class=\"machine\">\n<h3>", number);
        append_html(out, shown_name(machine), most_of_a_name);
        out += "</h3>\n";
        for (const PageArea& area : machine.areas)
            append_area(out, content, area, fmt::format("machine-{}-", number), "h4");
        out += "</section>\n";
    }
    if (all.back().areas.empty())
        out += fmt::format("<p>Charts of the first {} machines; --path chooses others.</p>\n",
                           std::ranges::count_if(all, [](const PageMachine& each) { return !each.areas.empty(); }));
    out += "</section>\n";
}

}  // namespace hkpd
