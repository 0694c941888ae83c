#include "write/text/window_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "quantity/times.hpp"
#include "statistics/series_table.hpp"
#include "write/cells.hpp"
#include "write/text/statistics_table.hpp"

namespace hkpd {
namespace {

/// Columns of the table.
enum : std::uint8_t { then, usual, times, of_all, at, note, columns };

/// Returns the name of a process with its id.
std::string name_of(const RunInstance& process) {
    return printable(process.pid ? fmt::format("{} ({})", process.name, *process.pid) : process.display);
}

std::string times_text(const WindowTop::Row& row) {
    constexpr double most = 9999;
    if (!(row.times == row.times)) return "";
    return row.times > most ? fmt::format("> {:.0f} x", most) : fmt::format("{:.3g} x", row.times);
}

}  // namespace

WindowTable::WindowTable(const WriteOptions& options, const WindowTop& top) : options_(options), top_(top) {
    using enum Grid::Align;
    grid_.columns = {{"then", "", right, {}},   {"rest", "", right, {}},   {"then/rest", "", right, {}},
                     {"of all", "", right, {}}, {"max at", "", right, {}}, {"", "", left, {}}};
}

/// Returns a time of day; with the day if the run has several.
std::string WindowTable::clock_of(std::int64_t time) const {
    const SystemTime local = local_time_of(top_.run, time);
    const SystemTime begin = local_time_of(top_.run, top_.run.from.value_or(time)),
                     end = local_time_of(top_.run, top_.run.to.value_or(time));
    const std::string clock = clock_text(local, TimePart::second);
    const bool one_day = begin.day == end.day && begin.month == end.month && begin.year == end.year;
    return one_day ? clock : fmt::format("{:02} {}", local.day, clock);
}

void WindowTable::append_window(std::string& out) const {
    if (top_.samples == 0) {
        out += "window: no sample is in it\n";
        return;
    }
    std::string from = "?", to = "?";
    if (top_.from && top_.to) {
        from.clear();
        append_date_time(from, local_time_of(top_.run, *top_.from), TimePart::second);
        to.clear();
        append_date_time(to, local_time_of(top_.run, *top_.to), TimePart::second);
        const std::size_t day = std::string_view("2007-08-14 ").size();
        if (std::string_view(from).substr(0, day) == std::string_view(to).substr(0, day)) to.erase(0, day);
    }
    fmt::format_to(std::back_inserter(out), "window: {} - {}, {}; the rest: {}\n", from, to,
                   count_of(top_.samples, "sample"), count_of(top_.rest_samples, "sample"));
}

void WindowTable::add_heading(std::string_view text) {
    grid_.labels.emplace_back(text);
    for (Grid::Column& column : grid_.columns) column.cells.emplace_back();
}

void WindowTable::add(std::string label, const WindowTop::Row& row, std::string text) {
    constexpr double percent = 100;
    const Unit unit = unit_of(*row.series.counter);
    grid_.labels.push_back("  " + std::move(label));
    std::array<std::string, columns> cells;
    cells[then] = quantity_text(row.series.statistics.mean, unit);
    cells[usual] = quantity_text(row.usual, unit);
    cells[times] = times_text(row);
    if (row.share == row.share) cells[of_all] = quantity_text(percent * row.share, Unit::percent);
    if (row.max_time) cells[at] = clock_of(*row.max_time);
    cells[note] = std::move(text);
    for (std::size_t i = 0; i < columns; ++i) grid_.columns[i].cells.push_back(std::move(cells[i]));
    is_empty_ = false;
}

void WindowTable::add_processes() {
    constexpr std::size_t most_uses = 3;
    if (!top_.processes.empty()) add_heading("processes");
    for (const WindowTop::Process& process : top_.processes) {
        std::vector<const WindowTop::Row*> uses;
        for (std::size_t use = 0; use < window_uses; ++use) {
            const WindowTop::Row* const row = top_.use(process, static_cast<WindowUse>(use));
            const bool leads = static_cast<WindowUse>(use) == process.leading;
            if (row != nullptr && (leads || std::abs(row->effect) >= WindowTop::least_share)) uses.push_back(row);
        }
        const WindowTop::Row* const leading = top_.use(process, process.leading);
        std::ranges::stable_sort(uses, [&](const WindowTop::Row* a, const WindowTop::Row* b) {
            return std::pair(a == leading, std::abs(a->effect)) > std::pair(b == leading, std::abs(b->effect));
        });
        if (uses.size() > most_uses) uses.resize(most_uses);
        for (const WindowTop::Row* const row : uses) {
            std::string text;
            if (row == uses.front() && row->is_new) text = "new";
            if (row == uses.front() && row->is_gone) text += text.empty() ? "gone" : ", gone";
            add(name_of(*row->series.instance) + " " + printable(row->series.counter->name), *row, std::move(text));
        }
    }
}

void WindowTable::add_counters(std::string_view heading, std::span<const std::uint32_t> rows) {
    if (!rows.empty()) add_heading(heading);
    for (const std::uint32_t position : rows) {
        const WindowTop::Row& row = top_.rows[position];
        const RunCounter& counter = *row.series.counter;
        const std::string& instance = row.series.instance->display;
        const std::string machine = top_.run.machines.size() > 1 ? "\\\\" + counter.machine : "";
        const std::string path = counter.of_list
                                     ? fmt::format("{}\\{}({})\\{}", machine, counter.object, instance, counter.name)
                                     : fmt::format("{}\\{}\\{}", machine, counter.object, counter.name);
        add(printable(path), row, row.rest.count == 0 ? "only then" : "");
    }
}

void WindowTable::append_lives(std::string_view what, std::span<const std::shared_ptr<const RunInstance>> list,
                               std::uint64_t all, std::string& out) const {
    constexpr std::size_t most = 5;
    if (list.empty()) return;
    out += what;
    for (std::size_t i = 0; i < std::min(most, list.size()); ++i)
        out.append(i == 0 ? ": " : ", ").append(name_of(*list[i]));
    if (all > most) out += fmt::format(" and {} more", all - most);
    out += '\n';
}

void WindowTable::append(std::string& out) {
    constexpr std::size_t unlimited = static_cast<std::size_t>(-1) / 2;
    constexpr std::array<std::string_view, 2> drop{"max at", "of all"};
    append_run_line(top_.run, out);
    append_window(out);
    if (top_.samples == 0) return;
    if (top_.rest_samples == 0) out += "the window is the whole run: there is nothing to compare it with\n";
    add_processes();
    add_counters("disks", top_.disks);
    add_counters("interfaces", top_.interfaces);
    add_counters("counters", top_.counters);
    if (is_empty_ && top_.rest_samples != 0) out += "nothing stands out in it\n";
    for (const std::size_t column : {note, at, of_all, times})
        if (std::ranges::all_of(grid_.columns[column].cells, [](const std::string& cell) { return cell.empty(); }))
            grid_.columns.erase(grid_.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (Grid::Column& column : grid_.columns)
        for (const std::string& cell : column.cells)
            column.least_width = std::max(column.least_width, display_width(cell));
    std::size_t labels = 0;
    for (const std::string& label : grid_.labels)
        labels = std::max(labels, std::min(display_width(label), Grid::widest));
    drop_columns(grid_.columns, labels, options_.width, drop, 2);
    if (!is_empty_) grid_.append(out, unlimited);
    append_lives("started then", top_.started, top_.all_started, out);
    append_lives("gone then", top_.ended, top_.all_ended, out);
}

}  // namespace hkpd
