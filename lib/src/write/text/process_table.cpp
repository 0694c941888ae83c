#include "write/text/process_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hkpd/time.hpp"
#include "write/cells.hpp"
#include "write/process_use.hpp"
#include "write/run_clock.hpp"
#include "write/text/statistics_table.hpp"

namespace hkpd {
namespace {

/// An order: its name in a title, and the heading of its column.
struct OrderText {
    std::string_view name, heading;
};
constexpr std::array<OrderText, 15> order_texts{{{"processor time", "CPU s"},
                                                 {"working set", "WorkSet"},
                                                 {"private bytes", "Private"},
                                                 {"handles", "Handles"},
                                                 {"I/O", "I/O"},
                                                 {"growth of private bytes", "growth/h"},
                                                 {"name", ""},
                                                 {"highest processor time", "max"},
                                                 {"time of the highest processor time", "at"},
                                                 {"largest working set", "WS peak"},
                                                 {"most private bytes", "PB peak"},
                                                 {"R2 of the growth of private bytes", "R2"},
                                                 {"start", "lifetime"},
                                                 {"PID", "PID"},
                                                 {"machine", "machine"}}};

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

std::string ProcessTable::clock_of(std::int64_t time) const { return clock_in(top_.run, time); }

std::string ProcessTable::lifetime_of(const Top::Process& row) const {
    const Series& series = first(row);
    const auto text = [&](const std::optional<std::int64_t>& time) { return time ? clock_of(*time) : "?"; };
    return text(series.from) + "-" + text(series.to);
}

bool ProcessTable::lives_throughout(const Top::Process& row) const {
    const Top::Machine* const machine = top_.machine(row);
    if (machine == nullptr) return true;
    return time_or_none(first(row).from) <= time_or_none(machine->from) &&
           time_or_none(first(row).to) >= time_or_none(machine->to);
}

std::vector<Grid::Column> ProcessTable::columns(std::span<const Top::Process> rows) const {
    using enum ProcessUse;
    std::vector<Grid::Column> all;
    const auto add = [&](std::string head, const auto& cell) {
        Grid::Column column{std::move(head), "", Grid::Align::right, {}, 0};
        for (const Top::Process& row : rows) column.cells.push_back(cell(row));
        for (const std::string& text : column.cells)
            column.least_width = std::max(column.least_width, display_width(text));
        all.push_back(std::move(column));
    };
    const auto add_number = [&](std::string head, Unit unit, const auto& number) {
        add(std::move(head), [&](const Top::Process& row) { return quantity_text(number(row), unit); });
    };
    const auto add_use = [&](ProcessUse use, StatisticColumn column, std::string head) {
        const Unit unit = use_units[static_cast<std::size_t>(use)];
        if (has(use)) add_number(std::move(head), unit, [&](const auto& row) { return top_.number(row, use, column); });
    };
    if (std::ranges::any_of(rows, [&](const Top::Process& row) { return first(row).instance->pid.has_value(); }))
        add("PID", [&](const Top::Process& row) {
            const auto id = first(row).instance->pid;
            return id ? std::to_string(*id) : "-";
        });
    // Of a single sample there is one value of each.
    const bool has_course = top_.run.samples > 1;
    if (has(processor) && has_course)
        add_number("CPU s", Unit::none, [&](const auto& row) { return top_.processor_seconds(row); });
    if (has(processor))
        add_number("CPU", Unit::percent, [&](const auto& row) { return top_.mean_of_run(row, processor); });
    if (has(processor) && std::ranges::any_of(rows, [this](const auto& row) { return processors_of(row) != 0; }))
        add_number("of all", Unit::percent, [&](const auto& row) {
            const std::uint32_t count = processors_of(row);
            return count == 0 ? std::nan("") : top_.mean_of_run(row, processor) / count;
        });
    if (has(processor) && has_course) {
        add_use(processor, StatisticColumn::max, "max");
        add("at", [&](const Top::Process& row) {
            const Top::Course* const course = top_.course(row, processor);
            return course != nullptr && course->max_time ? clock_of(*course->max_time) : std::string("-");
        });
    }
    // A column by which rows are sorted, but which the table does not have.
    if (top_.by_column && top_.sorted_column != StatisticColumn::max && top_.sorted_column != StatisticColumn::slope) {
        const Unit unit = use_units[static_cast<std::size_t>(top_.sorted_by)];
        add_number(std::string(statistic_name(top_.sorted_column)), unit,
                   [&](const auto& row) { return top_.number(row, top_.sorted_by, top_.sorted_column); });
    }
    add_use(working_set, StatisticColumn::last, "WorkSet");
    if (has_course) add_use(working_set, StatisticColumn::max, "WS peak");
    add_use(private_bytes, StatisticColumn::last, "Private");
    if (has_course) add_use(private_bytes, StatisticColumn::max, "PB peak");
    if (has(private_bytes) && has_course) {
        const auto trend_of = [&](const Top::Process& row) {
            const Top::Course* const course = top_.course(row, private_bytes);
            return course == nullptr ? Trend() : course->trend;
        };
        add("growth/h", [&](const Top::Process& row) {
            const double slope = trend_of(row).slope;
            return (slope > 0 ? "+" : "") + quantity_text(slope, Unit::bytes);
        });
        add_number("R2", Unit::none, [&](const auto& row) { return trend_of(row).r_squared; });
    }
    add_use(handles, StatisticColumn::last, "Handles");
    if (has(io)) add_number("I/O", Unit::bytes_per_second, [&](const auto& row) { return top_.mean_of_run(row, io); });
    if (!std::ranges::all_of(rows, [this](const auto& row) { return lives_throughout(row); }))
        add("lifetime", [&](const Top::Process& row) { return lives_throughout(row) ? "" : lifetime_of(row); });
    if (top_.run.machines.size() > 1 && !top_.per_machine)
        add("machine", [&](const Top::Process& row) { return cut_to(printable(first(row).counter->machine), 15); });
    return all;
}

/// Returns the number of processors of the machine of a process; 0 if it is unknown.
std::uint32_t ProcessTable::processors_of(const Top::Process& row) const {
    const Top::Machine* const machine = top_.machine(row);
    return machine == nullptr ? 0 : machine->processors;
}

std::string ProcessTable::title(std::size_t rows, std::uint64_t all) const {
    using enum ProcessUse;
    const bool has_last = top_.run.samples > 1 && (has(working_set) || has(private_bytes) || has(handles));
    const std::string order = top_.by_column
                                  ? fmt::format("{} ({})", use_names[static_cast<std::size_t>(top_.sorted_by)],
                                                statistic_name(top_.sorted_column))
                                  : std::string(order_texts[static_cast<std::size_t>(top_.order)].name);
    return fmt::format("{} of {} by {}{}", rows, all == 1 ? "1 process" : fmt::format("{} processes", all), order,
                       has_last ? "; memory and handles are the last ones" : "");
}

/// Appends rows under their headings.
void ProcessTable::append_rows(std::span<const Top::Process> rows, std::string& out) const {
    constexpr std::size_t narrowest_name = 12, unlimited = static_cast<std::size_t>(-1) / 2;
    // What is needed least is dropped first where the terminal is narrow, and what rows are sorted by last.
    std::vector<std::string_view> drop{"WS peak",  "PB peak", "I/O", "of all",   "Handles", "R2",     "at",
                                       "lifetime", "max",     "CPU", "growth/h", "machine", "WorkSet"};
    if (!top_.by_column)
        if (const auto kept = std::ranges::find(drop, order_texts[static_cast<std::size_t>(top_.order)].heading);
            kept != drop.end())
            std::rotate(kept, kept + 1, drop.end());
    Grid grid;
    grid.columns = columns(rows);
    drop_columns(grid.columns, narrowest_name, options_.width, drop, 2);
    std::size_t used = 0;
    for (const Grid::Column& column : grid.columns)
        used += Grid::gap + std::max(column.least_width, column.head.size());
    const std::size_t name_width = std::max(narrowest_name, options_.width - std::min(options_.width, used));
    for (const Top::Process& row : rows)
        grid.labels.push_back(cut_to(name_of(row), std::min(name_width, Grid::widest)));
    grid.append(out, unlimited);
}

void ProcessTable::append(std::string& out) const {
    using enum ProcessUse;
    append_run_line(top_.run, out);
    if (!top_.per_machine) {
        out += title(top_.processes.size(), top_.all_processes) + '\n';
        append_rows(top_.processes, out);
    }
    for (std::span<const Top::Process> rest = top_.processes; top_.per_machine && !rest.empty();) {
        const Top::Machine* const machine = top_.machine(rest.front());
        const auto is_other = [&](const Top::Process& row) { return top_.machine(row) != machine; };
        const auto rows = rest.first(static_cast<std::size_t>(std::ranges::find_if(rest, is_other) - rest.begin()));
        out += fmt::format("\n{}: {}\n", printable(first(rows.front()).counter->machine),
                           title(rows.size(), machine == nullptr ? 0 : machine->all_processes));
        append_rows(rows, out);
        rest = rest.subspan(rows.size());
    }
    const auto has_no_rate = [this](const Top::Process& row) {
        return std::ranges::any_of(std::array{processor, io}, [&](ProcessUse use) {
            const Series* const series = top_.use(row, use);
            return series != nullptr && series->statistics.count == 0;
        });
    };
    if (top_.run.samples < 2 && std::ranges::all_of(top_.processes, has_no_rate))
        out += "one sample: CPU and I/O need two, because they are rates\n";
}

}  // namespace hkpd
