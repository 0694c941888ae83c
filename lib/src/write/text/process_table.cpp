#include "write/text/process_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hkpd/time.hpp"
#include "quantity/times.hpp"
#include "write/cells.hpp"
#include "write/text/statistics_table.hpp"

namespace hkpd {
namespace {

/// Names and units of uses, in the order of `ProcessUse`.
constexpr std::array<std::string_view, process_uses> use_names{"CPU", "working set", "private bytes", "handles", "I/O"};
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

/// Returns a time that is before all others if it is unknown.
std::int64_t time_or_none(const std::optional<std::int64_t>& time) noexcept {
    return time.value_or(std::numeric_limits<std::int64_t>::min());
}

}  // namespace

bool ProcessTable::has(ProcessUse use) const {
    return std::ranges::any_of(top_.processes, [&](const Top::Process& row) { return top_.use(row, use) != nullptr; });
}

std::string ProcessTable::name_of(const Top::Process& row) const {
    const RunInstance& process = *first(row).instance;
    // With a column of process ids, no id is needed to distinguish processes of one name.
    return printable(process.pid ? process.name : process.display);
}

std::string ProcessTable::lifetime_of(const Top::Process& row) const {
    constexpr std::int64_t short_run = 600'000'000'000;  // ten minutes
    const Series& series = first(row);
    const std::int64_t run_begin = time_or_none(top_.run.from), run_end = time_or_none(top_.run.to);
    const SystemTime begin = local_time_of(top_.run, run_begin), end = local_time_of(top_.run, run_end);
    const bool with_day = begin.day != end.day || begin.month != end.month || begin.year != end.year;
    const bool with_seconds = !with_day && run_end / 2 - run_begin / 2 < short_run / 2;
    const auto text_of = [&](const SystemTime& local) {
        const std::string clock = clock_text(local, with_seconds ? TimePart::second : TimePart::minute);
        return with_day ? fmt::format("{:02} {}", local.day, clock) : clock;
    };
    const auto text = [&](const std::optional<std::int64_t>& time) {
        return time ? text_of(local_time_of(top_.run, *time)) : "?";
    };
    return text(series.from) + "-" + text(series.to);
}

/// Returns whether processes of one name are among the rows, and whether any of them began or ended during the run.
ProcessTable::Namesakes ProcessTable::namesakes() const {
    std::map<std::string, std::vector<const Series*>> by_name;
    for (const Top::Process& row : top_.processes) by_name[name_of(row)].push_back(&first(row));
    Namesakes found;
    for (const auto& [name, all] : by_name) {
        if (all.size() < 2) continue;
        found.any = true;
        found.changed = found.changed || std::ranges::any_of(all, [this](const Series* series) {
                            return time_or_none(series->from) > time_or_none(top_.run.from) ||
                                   time_or_none(series->to) < time_or_none(top_.run.to);
                        });
    }
    return found;
}

std::vector<Grid::Column> ProcessTable::columns() const {
    using enum ProcessUse;
    std::vector<Grid::Column> all;
    const auto add = [&](std::string head, const auto& cell) {
        Grid::Column column{std::move(head), "", Grid::Align::right, {}, 0};
        for (const Top::Process& row : top_.processes) column.cells.push_back(cell(row));
        for (const std::string& text : column.cells)
            column.least_width = std::max(column.least_width, display_width(text));
        all.push_back(std::move(column));
    };
    const auto add_use = [&](ProcessUse use, StatisticColumn column, std::string head, bool sign = false) {
        const auto cell = [&](const Top::Process& row) {
            const double value = top_.number(row, use, column);
            const std::string text = quantity_text(value, use_units[static_cast<std::size_t>(use)]);
            return sign && value > 0 ? "+" + text : text;
        };
        if (has(use)) add(std::move(head), cell);
    };
    if (std::ranges::any_of(top_.processes,
                            [&](const Top::Process& row) { return first(row).instance->pid.has_value(); }))
        add("PID", [&](const Top::Process& row) {
            const auto id = first(row).instance->pid;
            return id ? std::to_string(*id) : "-";
        });
    const bool grows = top_.sorted_column == StatisticColumn::delta || top_.sorted_column == StatisticColumn::slope;
    const bool other =
        !grows && top_.sorted_column != StatisticColumn::mean && top_.sorted_column != StatisticColumn::max;
    add_use(processor, StatisticColumn::mean, "CPU");
    const StatisticColumn second = other ? top_.sorted_column : StatisticColumn::max;
    add_use(processor, second, std::string(statistic_name(second)));
    add_use(working_set, StatisticColumn::last, "WorkSet");
    add_use(private_bytes, StatisticColumn::last, "Private");
    const StatisticColumn growth =
        top_.sorted_column == StatisticColumn::delta ? top_.sorted_column : StatisticColumn::slope;
    add_use(private_bytes, growth, growth == StatisticColumn::slope ? "growth/h" : "growth", true);
    add_use(handles, StatisticColumn::last, "Handles");
    add_use(io, StatisticColumn::mean, "I/O");
    if (namesakes().any) add("lifetime", [&](const Top::Process& row) { return lifetime_of(row); });
    if (top_.run.machines.size() > 1)
        add("machine", [&](const Top::Process& row) { return cut_to(printable(first(row).counter->machine), 15); });
    return all;
}

std::string ProcessTable::title() const {
    using enum ProcessUse;
    const bool has_last = has(working_set) || has(private_bytes) || has(handles);
    return fmt::format("{} of {} by {} ({}){}\n", top_.processes.size(),
                       top_.all_processes == 1 ? "1 process" : fmt::format("{} processes", top_.all_processes),
                       use_names[static_cast<std::size_t>(top_.sorted_by)], statistic_name(top_.sorted_column),
                       has_last ? "; memory and handles are the last ones" : "");
}

void ProcessTable::append(std::string& out) const {
    using enum ProcessUse;
    constexpr std::size_t narrowest_name = 12, unlimited = static_cast<std::size_t>(-1) / 2;
    // The lifetime is most useful if it is not that of the run.
    std::vector<std::string_view> drop{"max", "Handles", "I/O", "lifetime", "growth/h", "machine", "WorkSet"};
    if (!namesakes().changed) std::ranges::rotate(drop, drop.begin() + 3);
    append_run_line(top_.run, out);
    out += title();
    Grid grid;
    grid.columns = columns();
    drop_columns(grid.columns, narrowest_name, options_.width, drop, 2);
    std::size_t used = 0;
    for (const Grid::Column& column : grid.columns)
        used += Grid::gap + std::max(column.least_width, column.head.size());
    const std::size_t name_width = std::max(narrowest_name, options_.width - std::min(options_.width, used));
    for (const Top::Process& row : top_.processes)
        grid.labels.push_back(cut_to(name_of(row), std::min(name_width, Grid::widest)));
    grid.append(out, unlimited);
    const auto has_no_rate = [this](const Top::Process& row) {
        return std::ranges::any_of(std::array{processor, io}, [&](ProcessUse use) {
            const Series* const series = top_.use(row, use);
            return series != nullptr && series->statistics.count == 0;
        });
    };
    if (top_.run.samples < 2 && std::ranges::any_of(top_.processes, has_no_rate))
        out += "one sample: CPU and I/O need two, because they are rates\n";
}

}  // namespace hkpd
