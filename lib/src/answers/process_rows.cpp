#include "answers/process_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/text/names.hpp"
#include "identity/twins.hpp"
#include "sample/display_name.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t process_title = 230;
/// Title indices and names of the counters, in the order of `ProcessUse`.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, process_uses> use_counters{
    {{6, "% processor time"},
     {180, "working set"},
     {186, "private bytes"},
     {952, "handle count"},
     {1424, "io data bytes/sec"}}};

/// Returns what a counter of a process states the use of; none for other counters.
std::optional<ProcessUse> use_of(SampleSource source, std::uint32_t object, std::uint32_t title,
                                 std::string_view name) {
    const bool by_title = object == process_title && id_kind(source, object) == IdKind::title;
    const auto found = std::ranges::find_if(use_counters, [&](const auto& counter) {
        return by_title ? counter.first == title : compare_names(name, counter.second) == 0;
    });
    return found == use_counters.end() ? std::nullopt
                                       : std::optional(static_cast<ProcessUse>(found - use_counters.begin()));
}

}  // namespace

/// Returns whether any of the rows is a process, and not a total alone.
static bool has_process(const Object& object, std::span<const std::uint32_t> rows) {
    return std::ranges::any_of(rows, [&](std::uint32_t row) {
        return !is_aggregate_or_idle("", object.instances[row].name.value_or(""), true);
    });
}

ProcessObject process_object(SampleSource source, std::uint32_t number, std::string_view name) {
    constexpr std::string_view process = "Process";
    const bool by_title = id_kind(source, number) == IdKind::title;
    if (by_title ? number == process_title : compare_names(name, process) == 0) return ProcessObject::process;
    return original_of(name) == process ? ProcessObject::twin : ProcessObject::none;
}

std::vector<Selected> process_parts(const Sample& sample, std::span<const Selected> selected, ProcessObject& which) {
    std::vector<Selected> processes, twins;
    bool any_process = false;
    for (const Selected& part : selected) {
        const Object& object = sample.objects()[part.object];
        if (part.rows.empty()) continue;
        const ProcessObject kind = process_object(sample.source, object.title_index, english_name(object));
        if (kind == ProcessObject::none) continue;
        Selected shown{.object = part.object, .rows = part.rows, .columns = {}};
        for (const std::uint32_t position : part.columns) {
            const Column& column = object.columns[position];
            if (use_of(sample.source, object.title_index, column.title_index, english_name(object, column)))
                shown.columns.push_back(position);
        }
        if (shown.columns.empty()) continue;
        any_process = any_process || (kind == ProcessObject::process && has_process(object, part.rows));
        (kind == ProcessObject::process ? processes : twins).push_back(std::move(shown));
    }
    which = any_process ? ProcessObject::process : twins.empty() ? ProcessObject::none : ProcessObject::twin;
    return which == ProcessObject::twin ? twins : processes;
}

void ProcessRows::add(std::uint32_t place) {
    const RunCounter& counter = all_.counter(place);
    const auto use = use_of(counter.source, counter.object_number, counter.number, english_name(counter));
    if (!use) return;
    const auto [found, added] =
        by_process_.try_emplace({counter.machine, counter.object_number, all_.series(place).identity}, rows_.size());
    if (added) rows_.push_back({.first = place});
    auto& known = rows_[found->second].places[static_cast<std::size_t>(*use)];
    if (!known) known = place;
}

double ProcessRows::number(const Row& row, ProcessUse use, StatisticColumn column) const {
    const auto place = row.places[static_cast<std::size_t>(use)];
    return place ? value_of(all_[*place].statistics, column) : std::nan("");
}

/// Returns the rows to show, in their order, and states the order in `top`.
std::vector<ProcessRows::Row> ProcessRows::sorted(Top& top) const {
    using enum ProcessUse;
    const bool grows = top.sorted_column == StatisticColumn::delta || top.sorted_column == StatisticColumn::slope;
    // If no process has the number to sort by, such as a rate in a single sample, the next one that exists is used.
    for (const ProcessUse use :
         {grows ? private_bytes : processor, processor, working_set, private_bytes, handles, io}) {
        top.sorted_by = use;
        const auto exists = [&](const Row& row) { return !std::isnan(number(row, use, top.sorted_column)); };
        if (std::ranges::any_of(rows_, exists)) break;
    }
    std::vector<std::pair<double, std::size_t>> order;
    order.reserve(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i)
        order.emplace_back(number(rows_[i], top.sorted_by, top.sorted_column), i);
    std::ranges::stable_sort(order, largest_first, &std::pair<double, std::size_t>::first);
    if (top.sorted_column == StatisticColumn::slope)
        move_brief_to_end(all_, order, [&](const auto& key) {
            const Row& row = rows_[key.second];
            return row.places[static_cast<std::size_t>(top.sorted_by)].value_or(row.first);
        });
    if (order.size() > options_.top) order.resize(options_.top);
    std::vector<Row> shown;
    shown.reserve(order.size());
    for (const auto& [key, place] : order) shown.push_back(rows_[place]);
    return shown;
}

void ProcessRows::finish(Top& top) {
    top.has_processes = true;
    top.all_processes = rows_.size();
    for (const Row& row : sorted(top)) {
        Top::Process process;
        bool any = false;
        for (std::size_t use = 0; use < process_uses; ++use) {
            const std::optional<std::uint32_t>& place = row.places[use];
            if (!place) continue;
            auto series = all_.take(*place);
            if (!series) continue;
            const auto position = static_cast<std::uint32_t>(top.series.size());
            if (!std::exchange(any, true) || *place == row.first) process.first = position;
            process.uses[use] = position;
            top.series.push_back(*std::move(series));
        }
        if (any) top.processes.push_back(process);
    }
}

const Series* Top::use(const Process& process, ProcessUse use) const noexcept {
    const auto position = process.uses[static_cast<std::size_t>(use)];
    return position ? &series[*position] : nullptr;
}

double Top::number(const Process& process, ProcessUse use, StatisticColumn column) const noexcept {
    const Series* const found = this->use(process, use);
    return found != nullptr ? value_of(found->statistics, column) : std::nan("");
}

}  // namespace hkpd
