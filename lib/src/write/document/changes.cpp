// What changed from one run to another, as a table for people or as JSON.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/answers.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/summary.hpp"
#include "statistics/series_table.hpp"
#include "write/cells.hpp"
#include "write/series_lines.hpp"
#include "write/text/grid.hpp"
#include "write/text/statistics_table.hpp"

namespace hkpd {
namespace {

class ChangesWriter final : public ChangeWriter {
  public:
    ChangesWriter(Format format, const WriteOptions& options, const CookOptions& cook, std::size_t top)
        : format_(format), options_(options), top_(top), all_(with_limits(ChangeOptions{}, options), cook) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker,
                std::string& /*out*/) override {
        all_.add(sample, selected, *cooker);
    }
    void end_baseline() override { all_.end_baseline(); }

    void end(Diagnostics& diagnostics, std::string& out) override {
        const Changes changes = all_.finish();
        report_limit(changes.before.is_complete, options_, diagnostics);
        report_limit(changes.after.is_complete, options_, diagnostics);
        if (format_ == Format::json)
            write_json(changes, diagnostics, out);
        else
            write_text(changes, out);
    }

  private:
    static std::string path_of(const Series& series) {
        const std::string& instance = series.instance->display;
        return printable(fmt::format("\\{}{}\\{}", series.counter->object, instance.empty() ? "" : "(" + instance + ")",
                                     series.counter->name));
    }

    /// Returns how much larger a number has become in percent of the earlier one: `+25 %`, `× 3.2`; empty if unknown.
    static std::string growth(double before, double after) {
        constexpr double percent = 100, large = 3;
        if (before == after) return "=";
        if (!(before > 0) || !(after >= 0)) return "";
        const double ratio = after / before;
        return ratio >= large ? fmt::format("× {:.3g}", ratio) : fmt::format("{:+.3g} %", (ratio - 1) * percent);
    }

    void write_text(const Changes& changes, std::string& out) {
        for (const auto& [name, all] :
             {std::pair("before: ", &changes.before), std::pair("after:  ", &changes.after)}) {
            out += name;
            append_run_line(*all, out);
        }
        const std::size_t shown = std::min(top_, changes.changed.size());
        Grid grid;
        grid.columns = {{"median before", "", Grid::Align::right, {}},
                        {"after", "", Grid::Align::right, {}},
                        {"", "", Grid::Align::right, {}},
                        {"p95 before", "", Grid::Align::right, {}},
                        {"after", "", Grid::Align::right, {}},
                        {"max before", "", Grid::Align::right, {}},
                        {"after", "", Grid::Align::right, {}},
                        {"effect", "", Grid::Align::right, {}}};
        for (std::size_t i = 0; i < shown; ++i) {
            const Change& change = changes.changed[i];
            const Statistics &a = change.before.statistics, &b = change.after.statistics;
            const Unit unit = unit_of(*change.after.counter);
            grid.labels.push_back(path_of(change.after));
            const std::string cells[] = {quantity_text(a.p50, unit), quantity_text(b.p50, unit),
                                         growth(a.p50, b.p50),       quantity_text(a.p95, unit),
                                         quantity_text(b.p95, unit), quantity_text(a.max, unit),
                                         quantity_text(b.max, unit), fmt::format("{:+.1f}", change.effect())};
            for (std::size_t column = 0; column < grid.columns.size(); ++column)
                grid.columns[column].cells.push_back(cells[column]);
        }
        out += '\n';
        if (shown != 0) grid.append(out, options_.width);
        if (shown == 0) out += "no series changed\n";
        if (shown < changes.changed.size())
            fmt::format_to(std::back_inserter(out), "{} more changed (--all shows them)\n",
                           changes.changed.size() - shown);
        fmt::format_to(std::back_inserter(out), "\n{} series unchanged, {} only before, {} only after\n",
                       changes.unchanged, changes.only_before.size(), changes.only_after.size());
        if (changes.sums != 0)
            fmt::format_to(std::back_inserter(out),
                           "{} series are sums: instances of one name are compared as their sum, name#*\n",
                           changes.sums);
        out += "effect: difference of the medians, or of p95 if larger, divided by the standard deviation\n";
    }

    static void write_names(JsonStream& json, const Series& series) {
        json.member("machine", series.counter->machine);
        json.member("object", series.counter->object);
        json.member("instance", series.instance->display);
        json.member("is_sum", series.instance->is_sum);
        json.member("counter", series.counter->name);
    }

    static void write_statistics(JsonStream& json, std::string_view name, const Statistics& statistics) {
        json.object(name, [&] {
            for (const StatisticColumn column :
                 {StatisticColumn::count, StatisticColumn::p50, StatisticColumn::p95, StatisticColumn::max,
                  StatisticColumn::min, StatisticColumn::mean, StatisticColumn::stddev})
                json.member(statistic_name(column), value_of(statistics, column));
        });
    }

    void write_json(const Changes& changes, const Diagnostics& diagnostics, std::string& out) {
        JsonStream json(out);
        json.StartObject();
        json.member("samples_before", changes.before.samples);
        json.member("samples_after", changes.after.samples);
        json.member("unchanged", changes.unchanged);
        json.member("sums", changes.sums);
        json.objects("only_before", changes.only_before, [&](const Series& one) { write_names(json, one); });
        json.objects("only_after", changes.only_after, [&](const Series& one) { write_names(json, one); });
        json.key("changes");
        json.StartArray();
        for (const Change& change : changes.changed)
            json.object([&] {
                write_names(json, change.after);
                json.member("unit", cooked_unit(change.after.counter->type));
                json.member("median_effect", change.median_effect);
                json.member("p95_effect", change.p95_effect);
                json.member("noise", change.noise);
                write_statistics(json, "before", change.before.statistics);
                write_statistics(json, "after", change.after.statistics);
            });
        json.end_document(diagnostics, out);
    }

    Format format_;
    WriteOptions options_;
    std::size_t top_;
    ChangeCollector all_;
};

}  // namespace

std::unique_ptr<ChangeWriter> make_change_writer(Format format, const WriteOptions& options, const CookOptions& cook,
                                                 std::size_t top) {
    return std::make_unique<ChangesWriter>(format, options, cook, top);
}

}  // namespace hkpd
