#include "write/text/statistics_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "hkpd/counter_type.hpp"
#include "quantity/times.hpp"
#include "statistics/series_table.hpp"
#include "write/cells.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

constexpr std::array heads = {"pid", "count", "first", "last",   "min",   "mean",    "p50",
                              "p95", "p99",   "max",   "stddev", "delta", "slope/h", "average"};
constexpr std::array<std::string_view, 11> drop_order = {"average", "first", "stddev",  "p50",   "p99", "min",
                                                         "delta",   "pid",   "slope/h", "count", "p95"};
/// Fewest columns next to the paths: with fewer, a line of its own for each path is easier to read.
constexpr std::size_t fewest_on_a_line = 5;
/// Number of rows from which the widths of columns are computed. A longer cell further down makes only its own line
/// longer; few runs have so many series, and people read none of their tables to the end.
constexpr std::size_t rows_measured = 16'384;
/// Number of rows whose text is in memory at a time.
constexpr std::size_t rows_at_once = 1024;

using Cells = std::array<std::string, heads.size()>;

Cells cells_of(const Series& summary) {
    const Statistics& s = summary.statistics;
    const RunInstance& instance = *summary.instance;
    const bool hex = shows_hex(summary.counter->type, summary.counter->attributes);
    const Unit unit = unit_of(*summary.counter);
    const auto whole = [&](double value) { return cooked_text(value, unit, hex); };      // a value of the counter
    const auto derived = [&](double value) { return cooked_text(value, unit, false); };  // computed from several values
    const auto percentile = [&](double value) { return (s.percentile_error != 0 ? "~" : "") + whole(value); };
    return {
        instance.pid ? std::to_string(*instance.pid) : "",
        std::to_string(s.count),
        whole(s.first),
        whole(s.last),
        whole(s.min),
        whole(s.mean),
        percentile(s.p50),
        percentile(s.p95),
        percentile(s.p99),
        whole(s.max),
        derived(s.stddev),
        derived(s.delta),
        derived(s.slope),
        summary.average.has_value() ? whole(summary.average.value) : std::string(reason_name(summary.average.reason))};
}

std::string label_of(const Series& series, SeriesLabel label) {
    const RunCounter& counter = *series.counter;
    const std::string path = counter.of_list ? series.instance->display : "";
    if (label == SeriesLabel::instance) return printable(path);
    const std::string machine = label == SeriesLabel::machine_path ? "\\\\" + counter.machine : "";
    return printable(path.empty() ? fmt::format("{}\\{}\\{}", machine, counter.object, counter.name)
                                  : fmt::format("{}\\{}({})\\{}", machine, counter.object, path, counter.name));
}

/// Returns a time as `2007-08-14 15:40:38`, in the zone of the run; `?` if it is unknown.
std::string second_text(const RunFacts& run, const std::optional<std::int64_t>& time) {
    if (!time) return "?";
    std::string text;
    append_date_time(text, local_time_of(run, *time), TimePart::second);
    return text;
}

/// Returns the run's zone at a time: `Eastern Daylight Time (UTC-04:00)`.
std::string zone_at(const RunFacts& run, const std::optional<std::int64_t>& time) {
    return time ? zone_text(run.zone, *time) : "UTC";
}

std::size_t width_of(const std::vector<Grid::Column>& columns, std::size_t labels_width) {
    std::size_t width = labels_width;
    for (const Grid::Column& column : columns) width += Grid::gap + std::max(column.least_width, column.head.size());
    return width;
}

/// A table that is written in pages of at most `rows_at_once` rows each, all with the same layout.
class StatisticsTable {
  public:
    StatisticsTable(const WriteOptions& options, const SeriesRows& rows, SeriesLabel label,
                    std::optional<StatisticColumn> sorted)
        : options_(options), rows_(rows), label_(label) {
        if (label == SeriesLabel::instance) drop_last("pid");
        if (sorted) drop_last(*sorted == StatisticColumn::slope ? "slope/h" : statistic_name(*sorted));
    }

    double append(std::string& out) {
        lay_out();
        for (std::size_t begin = 0; begin < rows_.size; begin += rows_at_once) {
            append_page(begin, std::min(begin + rows_at_once, rows_.size), out);
            page_.has_heading = false;
            drain_much(options_, out);
        }
        return error_;
    }

  private:
    /// Moves a column to the end of the order in which columns are left out.
    void drop_last(std::string_view head) {
        if (const auto found = std::ranges::find(drop_, head); found != drop_.end())
            std::ranges::rotate(found, std::next(found), drop_.end());
    }

    void lay_out() {
        for (const std::string_view head : heads)
            page_.columns.push_back({std::string(head), "", Grid::Align::right, {}, head.size()});
        std::size_t longest_label = 0;
        bool any_process = false;
        for (std::size_t i = 0; i < std::min(rows_measured, rows_.size); ++i) {
            const std::optional<Series> row = rows_.at(i);
            if (!row) continue;
            any_process = any_process || row->instance->pid;
            longest_label = std::max(longest_label, display_width(label_of(*row, label_)));
            const Cells cells = cells_of(*row);
            for (std::size_t cell = 0; cell < cells.size(); ++cell)
                page_.columns[cell].least_width = std::max(page_.columns[cell].least_width, display_width(cells[cell]));
        }
        std::vector<Grid::Column>& columns = page_.columns;
        if (!any_process) std::erase_if(columns, [](const Grid::Column& column) { return column.head == "pid"; });
        std::vector<Grid::Column> on_a_line = columns;
        drop_columns(on_a_line, longest_label, options_.width, drop_, fewest_on_a_line);
        labels_above_ = width_of(on_a_line, longest_label) > options_.width;
        if (labels_above_)
            drop_columns(columns, 0, options_.width, drop_, 0);
        else
            columns = std::move(on_a_line);
        if (!labels_above_) page_.least_label_width = longest_label;
        for (const Grid::Column& column : columns)
            shown_.push_back(static_cast<std::size_t>(std::ranges::find(heads, column.head) - heads.begin()));
    }

    void append_page(std::size_t begin, std::size_t end, std::string& out) {
        constexpr std::size_t unlimited = static_cast<std::size_t>(-1) / 2;
        Grid page = page_;
        std::vector<std::string> labels;
        for (std::size_t number = begin; number < end; ++number) {
            const std::optional<Series> row = rows_.at(number);
            if (!row) continue;
            error_ = std::max(error_, row->statistics.percentile_error);
            labels.push_back(label_of(*row, label_));
            Cells cells = cells_of(*row);
            for (std::size_t i = 0; i < shown_.size(); ++i)
                page.columns[i].cells.push_back(std::move(cells[shown_[i]]));
        }
        if (!labels_above_) {
            page.labels = std::move(labels);
            page.append(out, unlimited);
            return;
        }
        page.labels.resize(labels.size());
        std::string text;
        page.append(text, unlimited);
        auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));  // lines still to be written
        for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1), --lines) {
            if (lines <= labels.size()) out.append(labels[labels.size() - lines]) += '\n';
            out.append(rest.substr(0, rest.find('\n') + 1));
        }
    }

    const WriteOptions& options_;
    const SeriesRows& rows_;
    SeriesLabel label_;
    std::array<std::string_view, drop_order.size()> drop_ = drop_order;
    Grid page_;                       // without rows; its columns have the widths of the whole table
    bool labels_above_ = false;       // each label has a line of its own
    std::vector<std::size_t> shown_;  // for each column of `page_`: its place in `heads`
    double error_ = 0;
};

}  // namespace

void drop_columns(std::vector<Grid::Column>& columns, std::size_t labels_width, std::size_t width,
                  std::span<const std::string_view> drop, std::size_t least) {
    for (const std::string_view head : drop) {
        if (columns.size() <= least || width_of(columns, labels_width) <= width) return;
        std::erase_if(columns, [head](const Grid::Column& column) { return column.head == head; });
    }
}

double append_statistics_table(const WriteOptions& options, const SeriesRows& rows, SeriesLabel label,
                               std::optional<StatisticColumn> sorted, std::string& out) {
    return StatisticsTable(options, rows, label, sorted).append(out);
}

void append_run_line(const RunFacts& run, std::string& out) {
    const std::vector<std::string>& machines = run.machines;
    constexpr std::size_t most = 5;
    std::string names;
    for (std::size_t i = 0; const std::string_view machine : machines) {
        if (i++ == most) break;
        names.append(names.empty() ? "" : ", ");
        append_printable(names, machine.empty() ? "(no name)" : machine);
    }
    if (machines.size() > most) names += fmt::format(" and {} more", machines.size() - most);
    if (!machines.empty())
        out.append(machines.size() == 1 ? "machine " : fmt::format("{} machines (", machines.size()))
            .append(names)
            .append(machines.size() == 1 ? ", " : "), ");
    const std::string zone = zone_at(run, run.to), first_zone = zone_at(run, run.from);
    if (run.from == run.to) {
        fmt::format_to(std::back_inserter(out), "{}, {} {}\n", count_of(run.samples, "sample"),
                       second_text(run, run.to), zone);
        return;
    }
    fmt::format_to(std::back_inserter(out), "{}, {}{} - {} {}\n", count_of(run.samples, "sample"),
                   second_text(run, run.from), first_zone == zone ? "" : " " + first_zone, second_text(run, run.to),
                   zone);
}

void append_percentile_note(double error, std::string& out) {
    constexpr double percent = 100;
    if (error == 0) return;
    fmt::format_to(std::back_inserter(out),
                   "\n~ approximate, because of the number of values: error of at most {:.2g} %\n", error * percent);
}

}  // namespace hkpd
