// What changed from one run to another, as a table for people or as JSON.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
    void continue_with(ComparedRun run) override { all_.continue_with(run); }

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

    /// Returns whether the two runs have the same series with the same numbers.
    static bool are_equal(const Changes& changes) noexcept {
        return changes.changed.empty() && changes.only_before.empty() && changes.only_after.empty() &&
               changes.unchanged != 0;
    }

    /// Appends the table of the first changes. Paths are last, so that a long one does not move the numbers.
    void write_table(const Changes& changes, std::size_t shown, std::string& out) const {
        Grid grid;
        const bool any_brief = std::ranges::any_of(std::span(changes.changed).first(shown), &Change::is_brief);
        const std::string blank(any_brief ? 1 : 0, ' ');  // where others have a question mark
        grid.columns = {{"effect", "", Grid::Align::right, {}}, {"", "", Grid::Align::left, {}},
                        {"before", "", Grid::Align::right, {}}, {"after", "", Grid::Align::right, {}},
                        {"", "", Grid::Align::right, {}},       {"values", "", Grid::Align::right, {}},
                        {"", "", Grid::Align::left, {}}};
        for (std::size_t i = 0; i < shown; ++i) {
            const Change& change = changes.changed[i];
            const Statistics &a = change.before.statistics, &b = change.after.statistics;
            const bool of_median = change.effect() == change.median_effect;
            const double x = of_median ? a.p50 : a.p95, y = of_median ? b.p50 : b.p95;
            const Unit unit = unit_of(*change.after.counter);
            grid.labels.emplace_back();
            const std::string cells[] = {fmt::format("{:+.1f}", change.effect()) + (change.is_brief ? "?" : blank),
                                         of_median ? "median" : "p95",
                                         quantity_text(x, unit),
                                         quantity_text(y, unit),
                                         growth(x, y),
                                         fmt::format("{}, {}", a.count, b.count),
                                         path_of(change.after)};
            for (std::size_t column = 0; column < grid.columns.size(); ++column)
                grid.columns[column].cells.push_back(cells[column]);
        }
        grid.append(out, static_cast<std::size_t>(-1));
        if (shown < changes.changed.size())
            fmt::format_to(std::back_inserter(out),
                           "{} more changed, {} of them by less than the deviation (--all shows them)\n",
                           changes.changed.size() - shown,
                           std::ranges::count_if(std::span(changes.changed).subspan(shown),
                                                 [](const Change& change) { return std::abs(change.effect()) < 1; }));
        out +=
            "effect: difference of the medians, or of p95 if that is larger, divided by the standard deviation of the "
            "values\n";
        if (any_brief) out += "?: few values, so that little is known of their deviation; these are last\n";
    }

    void write_text(const Changes& changes, std::string& out) {
        for (const auto& [name, all] :
             {std::pair("before: ", &changes.before), std::pair("after:  ", &changes.after)}) {
            out += name;
            append_run_line(*all, out);
        }
        out += '\n';
        const std::size_t shown = std::min(top_, changes.changed.size());
        if (shown != 0) write_table(changes, shown, out);
        if (are_equal(changes))
            out += "no series changed: all values that are compared are the same before and after\n";
        else if (shown == 0)
            out += "no series changed\n";
        fmt::format_to(std::back_inserter(out), "\n{} series unchanged, {} only before, {} only after\n",
                       changes.unchanged, changes.only_before.size(), changes.only_after.size());
        if (changes.sums != 0)
            fmt::format_to(std::back_inserter(out),
                           "{} series are sums: instances of one name are compared as their sum, name#*\n",
                           changes.sums);
        if (changes.not_compared != 0)
            fmt::format_to(std::back_inserter(out),
                           "{} series are not compared: ids, states, priorities and elapsed times are no amounts\n",
                           changes.not_compared);
        write_doubt(std::min(changes.before.samples, changes.after.samples), out);
    }

    /// Appends a note if a run has so few samples that the deviation of its values is hardly known.
    static void write_doubt(std::uint64_t samples, std::string& out) {
        constexpr std::uint64_t few = 5;
        if (samples != 0 && samples < few)
            fmt::format_to(std::back_inserter(out), "only {} sample{} on one side: effects are not reliable\n", samples,
                           samples == 1 ? "" : "s");
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

    /// Returns a time of a run as text; empty if it is unknown.
    static std::string time_text(const RunFacts& run, const std::optional<std::int64_t>& time) {
        std::string text;
        if (time) append_time(text, system_time_at(*time), utc_if_stated(run.zone));
        return text;
    }

    void write_json(const Changes& changes, const Diagnostics& diagnostics, std::string& out) {
        JsonStream json(out);
        json.StartObject();
        json.member("samples_before", changes.before.samples);
        json.member("samples_after", changes.after.samples);
        json.text_or_null("from_before", time_text(changes.before, changes.before.from));
        json.text_or_null("to_before", time_text(changes.before, changes.before.to));
        json.text_or_null("from_after", time_text(changes.after, changes.after.from));
        json.text_or_null("to_after", time_text(changes.after, changes.after.to));
        json.member("unchanged", changes.unchanged);
        json.member("sums", changes.sums);
        json.member("not_compared", changes.not_compared);
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
                json.member("is_brief", change.is_brief);
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
