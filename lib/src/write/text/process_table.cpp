#include "write/text/process_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/text/names.hpp"
#include "hkpd/time.hpp"
#include "quantity/times.hpp"
#include "sample/display_name.hpp"
#include "write/cells.hpp"
#include "write/text/statistics_table.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t process_title = 230;
/// Title indices and names of the counters, in the order of `ProcessTable::Use`.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 5> use_counters{{{6, "% processor time"},
                                                                                  {180, "working set"},
                                                                                  {186, "private bytes"},
                                                                                  {952, "handle count"},
                                                                                  {1424, "io data bytes/sec"}}};
constexpr std::array<std::string_view, 5> use_names{"CPU", "working set", "private bytes", "handles", "I/O"};
constexpr std::array use_units{Unit::percent, Unit::bytes, Unit::bytes, Unit::none, Unit::bytes_per_second};

/// Cuts printable text to a number of terminal columns, with `…` at its end if anything was cut.
std::string cut_to(std::string text, std::size_t width) {
    constexpr std::size_t longest_character = 4;
    if (text.size() <= width || display_width(text) <= width) return text;
    text.resize(std::min(text.size(), width * longest_character));
    const auto is_continued = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    while (!text.empty() && display_width(text) + 1 > width) {
        while (is_continued(text.back()) && text.size() > 1) text.pop_back();
        text.pop_back();
    }
    return text + "…";
}

}  // namespace

bool is_process_object(SampleSource source, std::uint32_t number, std::string_view name) {
    if (id_kind(source, number) == IdKind::title) return number == process_title;
    return compare_names(name, "process") == 0 || compare_names(name, "process v2") == 0;
}

std::optional<ProcessTable::Use> ProcessTable::use_of(SampleSource source, std::uint32_t object, std::uint32_t title,
                                                      std::string_view name) {
    const bool by_title = id_kind(source, object) == IdKind::title;
    const auto found = std::ranges::find_if(use_counters, [&](const auto& counter) {
        return by_title ? counter.first == title : compare_names(name, counter.second) == 0;
    });
    return found == use_counters.end() ? std::nullopt : std::optional(static_cast<Use>(found - use_counters.begin()));
}

std::vector<Selected> process_parts(const Sample& sample, std::span<const Selected> selected) {
    std::vector<Selected> found;
    for (const Selected& part : selected) {
        const Object& object = sample.objects()[part.object];
        if (part.rows.empty() ||
            !is_process_object(sample.source, object.title_index, object.name ? object.name->text : std::string_view()))
            continue;
        if (!found.empty() && found.front().object != part.object) continue;  // Process and Process V2
        Selected shown{.object = part.object, .rows = part.rows, .columns = {}};
        for (const std::uint32_t position : part.columns) {
            const Column& column = object.columns[position];
            if (ProcessTable::use_of(sample.source, object.title_index, column.title_index,
                                     column.name ? column.name->text : std::string_view()))
                shown.columns.push_back(position);
        }
        if (!shown.columns.empty()) found.push_back(std::move(shown));
    }
    return found;
}

void ProcessTable::add(std::uint32_t place) {
    const RunCounter& counter = all_.counter(place);
    const auto use = use_of(counter.source, counter.object_number, counter.number, counter.name);
    if (!use) return;
    const auto [found, added] =
        by_process_.try_emplace({counter.machine, counter.object_number, all_.series(place).identity}, rows_.size());
    if (added) rows_.push_back({.first = place});
    auto& known = rows_[found->second].places[*use];
    if (!known) known = place;
}

double ProcessTable::number(const Row& row, Use use, StatisticColumn column) const {
    const auto place = row.places[use];
    return place ? value_of(all_[*place].statistics, column) : std::nan("");
}

bool ProcessTable::has(Use use) const {
    return std::ranges::any_of(rows_, [use](const Row& row) { return row.places[use].has_value(); });
}

void ProcessTable::sort() {
    processes_ = rows_.size();
    column_ = top_.sort.value_or(StatisticColumn::mean);
    const bool grows = column_ == StatisticColumn::delta || column_ == StatisticColumn::slope;
    // If no process has the number to sort by, such as a rate in a single sample, the next one that exists is used.
    for (const Use use : {grows ? private_bytes : processor, processor, working_set, private_bytes, handles, io}) {
        sorted_by_ = use;
        const auto exists = [&](const Row& row) { return !std::isnan(number(row, use, column_)); };
        if (std::ranges::any_of(rows_, exists)) break;
    }
    std::vector<std::pair<double, std::size_t>> order;
    order.reserve(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) order.emplace_back(number(rows_[i], sorted_by_, column_), i);
    std::ranges::stable_sort(order, largest_first, &std::pair<double, std::size_t>::first);
    if (column_ == StatisticColumn::slope)
        move_brief_to_end(all_, order, [&](const auto& key) {
            const Row& row = rows_[key.second];
            return row.places[sorted_by_].value_or(row.first);
        });
    if (order.size() > top_.top) order.resize(top_.top);
    std::vector<Row> sorted;
    sorted.reserve(order.size());
    for (const auto& [key, place] : order) sorted.push_back(rows_[place]);
    rows_ = std::move(sorted);
}

std::vector<std::uint32_t> ProcessTable::places() const {
    std::vector<std::uint32_t> all;
    for (const Row& row : rows_)
        for (const auto& place : row.places)
            if (place) all.push_back(*place);
    return all;
}

std::string ProcessTable::name_of(const Row& row) const {
    const SeriesSummary summary = all_[row.first];
    // With a column of process ids, no id is needed to distinguish processes of one name.
    return printable(summary.identity.pid ? std::string(summary.identity.name) : all_.display(row.first));
}

std::string ProcessTable::lifetime_of(const Row& row) const {
    constexpr std::int64_t short_run = 600'000'000'000;  // ten minutes
    const RunSeries& series = all_.series(row.first);
    const SystemTime begin = all_.local(all_.begin()), end = all_.local(all_.end());
    const bool with_day = begin.day != end.day || begin.month != end.month || begin.year != end.year;
    const bool with_seconds = !with_day && all_.end() / 2 - all_.begin() / 2 < short_run / 2;
    const auto text_of = [&](const SystemTime& local) {
        const std::string clock = clock_text(local, with_seconds ? TimePart::second : TimePart::minute);
        return with_day ? fmt::format("{:02} {}", local.day, clock) : clock;
    };
    const auto text = [&](std::int64_t time) {
        return time == SeriesStatistics::no_time ? "?" : text_of(all_.local(time));
    };
    return text(series.first_seen) + "-" + text(series.last_seen);
}

/// Returns whether processes of one name are among the rows, and whether any of them began or ended during the run.
ProcessTable::Namesakes ProcessTable::namesakes() const {
    std::map<std::string, std::vector<const RunSeries*>> by_name;
    for (const Row& row : rows_) by_name[name_of(row)].push_back(&all_.series(row.first));
    Namesakes found;
    for (const auto& [name, all] : by_name) {
        if (all.size() < 2) continue;
        found.any = true;
        found.changed = found.changed || std::ranges::any_of(all, [this](const RunSeries* series) {
                            return series->first_seen > all_.begin() || series->last_seen < all_.end();
                        });
    }
    return found;
}

std::vector<Grid::Column> ProcessTable::columns() const {
    std::vector<Grid::Column> all;
    const auto add = [&](std::string head, const auto& cell) {
        Grid::Column column{std::move(head), "", Grid::Align::right, {}, 0};
        for (const Row& row : rows_) column.cells.push_back(cell(row));
        for (const std::string& text : column.cells)
            column.least_width = std::max(column.least_width, display_width(text));
        all.push_back(std::move(column));
    };
    const auto add_use = [&](Use use, StatisticColumn column, std::string head, bool sign = false) {
        const auto cell = [&](const Row& row) {
            const double value = number(row, use, column);
            const std::string text = quantity_text(value, use_units[use]);
            return sign && value > 0 ? "+" + text : text;
        };
        if (has(use)) add(std::move(head), cell);
    };
    if (std::ranges::any_of(rows_, [&](const Row& row) { return all_[row.first].identity.pid.has_value(); }))
        add("PID", [&](const Row& row) {
            const auto id = all_[row.first].identity.pid;
            return id ? fmt::to_string(*id) : "-";
        });
    const bool grows = column_ == StatisticColumn::delta || column_ == StatisticColumn::slope;
    const bool other = !grows && column_ != StatisticColumn::mean && column_ != StatisticColumn::max;
    add_use(processor, StatisticColumn::mean, "CPU");
    const StatisticColumn second = other ? column_ : StatisticColumn::max;
    add_use(processor, second, std::string(statistic_name(second)));
    add_use(working_set, StatisticColumn::last, "WorkSet");
    add_use(private_bytes, StatisticColumn::last, "Private");
    const StatisticColumn growth = column_ == StatisticColumn::delta ? column_ : StatisticColumn::slope;
    add_use(private_bytes, growth, growth == StatisticColumn::slope ? "growth/h" : "growth", true);
    add_use(handles, StatisticColumn::last, "Handles");
    add_use(io, StatisticColumn::mean, "I/O");
    if (namesakes().any) add("lifetime", [&](const Row& row) { return lifetime_of(row); });
    if (has_machines(all_))
        add("machine", [&](const Row& row) { return cut_to(printable(all_.counter(row.first).machine), 15); });
    return all;
}

std::string ProcessTable::title() const {
    const bool has_last = has(working_set) || has(private_bytes) || has(handles);
    return fmt::format("{} of {} by {} ({}){}\n", rows_.size(),
                       processes_ == 1 ? "1 process" : fmt::format("{} processes", processes_), use_names[sorted_by_],
                       statistic_name(column_), has_last ? "; memory and handles are the last ones" : "");
}

void ProcessTable::append(std::string& out) {
    constexpr std::size_t narrowest_name = 12, unlimited = static_cast<std::size_t>(-1) / 2;
    // The lifetime is most useful if it is not that of the run.
    std::vector<std::string_view> drop{"max", "Handles", "I/O", "lifetime", "growth/h", "machine", "WorkSet"};
    if (!namesakes().changed) std::ranges::rotate(drop, drop.begin() + 3);
    append_run_line(all_, out);
    out += title();
    Grid grid;
    grid.columns = columns();
    drop_columns(grid.columns, narrowest_name, options_.width, drop, 2);
    std::size_t used = 0;
    for (const Grid::Column& column : grid.columns)
        used += Grid::gap + std::max(column.least_width, column.head.size());
    const std::size_t name_width = std::max(narrowest_name, options_.width - std::min(options_.width, used));
    for (const Row& row : rows_) grid.labels.push_back(cut_to(name_of(row), std::min(name_width, Grid::widest)));
    grid.append(out, unlimited);
    const auto has_no_rate = [this](const Row& row) {
        return std::ranges::any_of(std::array{processor, io}, [&](Use use) {
            return row.places[use] && all_.series(*row.places[use]).statistics.count() == 0;
        });
    };
    if (all_.samples() < 2 && std::ranges::any_of(rows_, has_no_rate))
        out += "one sample: CPU and I/O need two, because they are rates\n";
}

}  // namespace hkpd
