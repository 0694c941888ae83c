#include "answers/process_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>
#include <string>
#include <utility>

#include "answers/process_tracks.hpp"
#include "base/text/names.hpp"
#include "base/time.hpp"
#include "identity/twins.hpp"
#include "quantity/unit.hpp"
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

bool is_other_io(SampleSource source, std::uint32_t object, std::uint32_t title, std::string_view name) {
    constexpr std::uint32_t other_title = 1426;
    const bool by_title = object == process_title && id_kind(source, object) == IdKind::title;
    return by_title ? title == other_title : compare_names(name, "io other bytes/sec") == 0;
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

std::optional<ProcessUse> process_use(const RunCounter& counter) {
    return use_of(counter.source, counter.object_number, counter.number, english_name(counter));
}

bool is_other_io(const RunCounter& counter) {
    return is_other_io(counter.source, counter.object_number, counter.number, english_name(counter));
}

const ProcessCounters::Counter& ProcessCounters::of(const SeriesCollector& all, std::size_t place) {
    const std::uint32_t number = all.series(place).counter;
    if (counters_.size() <= number) counters_.resize(number + std::size_t{1});
    Counter& found = counters_[number];
    if (found.known) return found;
    const RunCounter& counter = all.counter(place);
    found.known = true;
    found.use = process_use(counter);
    found.is_other_io = is_other_io(counter);
    found.object =
        objects_.try_emplace({counter.machine, counter.object_number}, static_cast<std::uint32_t>(objects_.size()))
            .first->second;
    return found;
}

std::vector<Selected> process_parts(const Sample& sample, std::span<const Selected> selected, ProcessObject& which,
                                    bool with_other_io) {
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
            const std::string_view name = english_name(object, column);
            if (use_of(sample.source, object.title_index, column.title_index, name) ||
                (with_other_io && is_other_io(sample.source, object.title_index, column.title_index, name)))
                shown.columns.push_back(position);
        }
        if (shown.columns.empty()) continue;
        any_process = any_process || (kind == ProcessObject::process && has_process(object, part.rows));
        (kind == ProcessObject::process ? processes : twins).push_back(std::move(shown));
    }
    which = any_process ? ProcessObject::process : twins.empty() ? ProcessObject::none : ProcessObject::twin;
    return which == ProcessObject::twin ? twins : processes;
}

std::uint32_t processors_of(const Sample& sample) {
    constexpr std::string_view processor = "Processor";
    std::uint32_t most = 0;
    for (const Object& object : sample.objects()) {
        const std::string_view name = english_name(object);
        if (compare_names(name, processor) != 0 && original_of(name) != processor) continue;
        const auto count = std::ranges::count_if(object.instances, [](const Instance& instance) {
            return instance.name && !is_aggregate_or_idle("", *instance.name, false);
        });
        most = std::max(most, static_cast<std::uint32_t>(count));
    }
    return most;
}

void ProcessRows::add(std::uint32_t place) {
    const ProcessCounters::Counter& counter = counters_.of(all_, place);
    if (!counter.use) return;
    bool added = false;
    const std::uint32_t number = numbers_.number(counter.object, all_.series(place).identity, added);
    if (added) rows_.push_back({.first = place});
    auto& known = rows_[number].places[static_cast<std::size_t>(*counter.use)];
    if (!known) known = place;
}

double ProcessRows::number(const Row& row, ProcessUse use, StatisticColumn column) const {
    const auto place = row.places[static_cast<std::size_t>(use)];
    return place ? value_of(all_[*place].statistics, column) : std::nan("");
}

const ProcessTrack* ProcessRows::track(const Row& row, ProcessUse use) const {
    const auto place = row.places[static_cast<std::size_t>(use)];
    return place ? tracks_.find(all_.series(*place)) : nullptr;
}

/// Returns the position of the machine of a process in `Top::machines`.
std::size_t ProcessRows::machine_of(const Row& row) const {
    return static_cast<std::size_t>(std::ranges::find(top_.run.machines, all_.counter(row.first).machine) -
                                    top_.run.machines.begin());
}

/// Returns the trend of a use over the run, which is computed once.
const Trend& ProcessRows::trend(const Row& row, ProcessUse use) const {
    static constexpr Trend none{};
    const std::optional<std::uint32_t>& place = row.places[static_cast<std::size_t>(use)];
    const ProcessTrack* const found = track(row, use);
    if (found == nullptr || !place) return none;
    trends_.resize(all_.size());
    std::optional<Trend>& known = trends_[*place];
    if (known) return *known;
    const Top::Machine& machine = top_.machines[machine_of(row)];
    return known.emplace(
        found->points.trend(machine.from && machine.to ? time_between(*machine.from, *machine.to) : 0));
}

/// Returns the course of a use over the run.
Top::Course ProcessRows::course(const Row& row, ProcessUse use) const {
    const ProcessTrack* const found = track(row, use);
    if (found == nullptr) return {};
    return {found->total, known_time(found->max_time), trend(row, use)};
}

/// Returns a time as a number to sort by.
static double time_of(const std::optional<std::int64_t>& time) {
    return time ? static_cast<double>(*time) : std::nan("");
}

/// Returns the number by which rows are sorted; NaN for an order that is not by a number.
double ProcessRows::number(const Row& row, ProcessOrder order) const {
    const auto total = [&](ProcessUse use) {
        const ProcessTrack* const found = track(row, use);
        return found == nullptr ? std::nan("") : found->total;
    };
    const auto max_time = [&](ProcessUse use) {
        const ProcessTrack* const found = track(row, use);
        return found == nullptr ? std::nullopt : known_time(found->max_time);
    };
    switch (order) {
        case ProcessOrder::processor: {
            const double seconds = total(ProcessUse::processor);  // unknown for a rate in a single sample
            return all_.begin() < all_.end() ? seconds : number(row, ProcessUse::processor, StatisticColumn::mean);
        }
        case ProcessOrder::max:
            return number(row, ProcessUse::processor, StatisticColumn::max);
        case ProcessOrder::max_time:
            return time_of(max_time(ProcessUse::processor));
        case ProcessOrder::working_set_peak:
            return number(row, ProcessUse::working_set, StatisticColumn::max);
        case ProcessOrder::private_peak:
            return number(row, ProcessUse::private_bytes, StatisticColumn::max);
        case ProcessOrder::evidence:
            return trend(row, ProcessUse::private_bytes).r_squared;
        case ProcessOrder::start:
            return time_of(known_time(all_[row.first].series.first_seen));
        case ProcessOrder::pid:
            return static_cast<double>(all_.identity(row.first).pid.value_or(0));
        case ProcessOrder::working_set:
            return number(row, ProcessUse::working_set, StatisticColumn::last);
        case ProcessOrder::private_bytes:
            return number(row, ProcessUse::private_bytes, StatisticColumn::last);
        case ProcessOrder::handles:
            return number(row, ProcessUse::handles, StatisticColumn::last);
        case ProcessOrder::io:
            return total(ProcessUse::io);
        default:
            return std::nan("");
    }
}

namespace {

/// Returns the positions of numbers, the largest first, those of NaN last.
std::vector<std::uint32_t> largest_positions(std::span<const double> numbers) {
    std::vector<std::uint32_t> order(numbers.size());
    std::ranges::copy(std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(numbers.size())), order.begin());
    std::ranges::stable_sort(order, largest_first, [&](std::uint32_t position) { return numbers[position]; });
    return order;
}

}  // namespace

/// Returns the rows in the order of a column of their statistics.
std::vector<std::uint32_t> ProcessRows::sorted_by_column(Top& top) const {
    using enum ProcessUse;
    const bool grows = top.sorted_column == StatisticColumn::delta || top.sorted_column == StatisticColumn::slope;
    std::vector<double> numbers;
    // If no process has the number to sort by, such as a rate in a single sample, the next one that exists is used.
    for (const ProcessUse use :
         {grows ? private_bytes : processor, processor, working_set, private_bytes, handles, io}) {
        top.sorted_by = use;
        numbers.clear();
        for (const Row& row : rows_) numbers.push_back(number(row, use, top.sorted_column));
        if (std::ranges::any_of(numbers, [](double value) { return !std::isnan(value); })) break;
    }
    std::vector<std::uint32_t> order = largest_positions(numbers);
    if (top.sorted_column == StatisticColumn::slope)
        move_brief_to_end(all_, order, [&](std::uint32_t position) {
            const Row& row = rows_[position];
            return row.places[static_cast<std::size_t>(top.sorted_by)].value_or(row.first);
        });
    return order;
}

/// Returns the rows in the order of their growth: first those that grow steadily.
std::vector<std::uint32_t> ProcessRows::sorted_by_growth() const {
    std::vector<double> slopes;
    std::vector<bool> is_steady;
    for (const Row& row : rows_) {
        const Trend& found = trend(row, ProcessUse::private_bytes);
        slopes.push_back(found.slope);
        is_steady.push_back(found.grows_steadily());
    }
    std::vector<std::uint32_t> order = largest_positions(slopes);
    std::ranges::stable_partition(order, [&](std::uint32_t position) { return is_steady[position]; });
    return order;
}

/// Returns the rows in their order, and states it in `top`.
std::vector<std::uint32_t> ProcessRows::sorted(Top& top) const {
    using enum ProcessOrder;
    top.by_column = options_.sort.has_value();
    if (top.by_column) return sorted_by_column(top);
    top.order = options_.order;
    if (top.order == growth) return sorted_by_growth();
    std::vector<double> numbers(rows_.size());
    if (top.order == name || top.order == machine) {
        std::vector<std::uint32_t> order = largest_positions(numbers);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t position) {
            const std::uint32_t place = rows_[position].first;
            return fold_case(top.order == name ? std::string_view(all_.identity(place).name)
                                               : std::string_view(all_.counter(place).machine));
        });
        return order;
    }
    // If no process has the number to sort by, such as a rate in a single sample, the next one that exists is used.
    for (const ProcessOrder each : {options_.order, processor, working_set, private_bytes, handles, io}) {
        top.order = each;
        std::ranges::transform(rows_, numbers.begin(), [&](const Row& row) { return number(row, each); });
        if (std::ranges::any_of(numbers, [](double value) { return !std::isnan(value); })) break;
    }
    return largest_positions(numbers);
}

/// Adds the processes whose use grows steadily, by at least `least_rise`.
void ProcessRows::add_growing(ProcessUse use, double least_rise, Top& top) {
    constexpr std::size_t most = 10;
    constexpr double least_share = 0.1;
    std::vector<std::pair<Trend, std::uint32_t>> found;
    for (const Row& row : rows_) {
        const std::optional<std::uint32_t>& place = row.places[static_cast<std::size_t>(use)];
        const Trend& each = trend(row, use);
        if (!place || !each.grows_steadily()) continue;
        const double rise = each.slope * each.hours, last = number(row, use, StatisticColumn::last);
        if (rise < least_rise || rise < least_share * (last - rise)) continue;
        found.emplace_back(each, *place);
    }
    std::ranges::stable_sort(found, std::greater{}, [](const auto& each) { return each.first.slope; });
    for (const auto& [each, place] : found) {
        if (top.growing.size() >= most) return;
        if (auto series = all_.take(place)) top.growing.push_back({*std::move(series), use, each});
    }
}

/// Returns the rows to show, in their order.
std::vector<std::uint32_t> ProcessRows::chosen(Top& top) const {
    std::vector<std::uint32_t> order = sorted(top), shown;
    for (const Row& row : rows_) ++top.machines[machine_of(row)].all_processes;
    if (!options_.per_machine) {
        if (order.size() > options_.top) order.resize(options_.top);
        return order;
    }
    top.per_machine = true;
    for (std::size_t machine = 0; machine < top.machines.size(); ++machine)
        for (std::size_t left = options_.top; const std::uint32_t position : order) {
            if (left == 0) break;
            if (machine_of(rows_[position]) != machine) continue;
            shown.push_back(position);
            --left;
        }
    return shown;
}

/// Removes the rows without any value, which text logs have before a process starts, unless all are so.
void ProcessRows::remove_empty() {
    const auto has_values = [this](const Row& row) {
        return std::ranges::any_of(row.places, [this](const auto& place) { return place && all_.count(*place) != 0; });
    };
    if (std::ranges::any_of(rows_, has_values)) std::erase_if(rows_, std::not_fn(has_values));
}

void ProcessRows::finish(Top& top) {
    remove_empty();
    constexpr double hundred = 100;
    add_growing(ProcessUse::private_bytes, bytes_of_mebibyte, top);
    add_growing(ProcessUse::handles, hundred, top);
    top.has_processes = true;
    top.all_processes = rows_.size();
    for (const std::uint32_t position : chosen(top)) {
        const Row& row = rows_[position];
        Top::Process process;
        bool any = false;
        for (std::size_t use = 0; use < process_uses; ++use) {
            const std::optional<std::uint32_t>& place = row.places[use];
            if (!place) continue;
            auto series = all_.take(*place);
            if (!series) continue;
            const auto at = static_cast<std::uint32_t>(top.series.size());
            if (!std::exchange(any, true) || *place == row.first) process.first = at;
            process.uses[use] = at;
            top.series.push_back(*std::move(series));
            top.courses.push_back(course(row, static_cast<ProcessUse>(use)));
        }
        if (any) top.processes.push_back(process);
    }
}

const Series* Top::use(const Process& process, ProcessUse use) const noexcept {
    const auto position = process.uses[static_cast<std::size_t>(use)];
    return position ? &series[*position] : nullptr;
}

namespace {

/// A name of an order: a word of `hkpd top --sort`, or a heading of its table.
struct OrderName {
    std::string_view name;
    ProcessOrder order{};
    bool is_heading = true;
};
constexpr std::array order_names{
    OrderName{"cpu", ProcessOrder::processor, false},
    OrderName{"memory", ProcessOrder::working_set, false},
    OrderName{"private", ProcessOrder::private_bytes, false},
    OrderName{"handles", ProcessOrder::handles, false},
    OrderName{"io", ProcessOrder::io, false},
    OrderName{"growth", ProcessOrder::growth, false},
    OrderName{"name", ProcessOrder::name, false},
    OrderName{"PID", ProcessOrder::pid},
    OrderName{"CPU s", ProcessOrder::processor},
    OrderName{"CPU", ProcessOrder::processor},
    OrderName{"of all", ProcessOrder::processor},
    OrderName{"max", ProcessOrder::max},
    OrderName{"at", ProcessOrder::max_time},
    OrderName{"WorkSet", ProcessOrder::working_set},
    OrderName{"WS peak", ProcessOrder::working_set_peak},
    OrderName{"Private", ProcessOrder::private_bytes},
    OrderName{"PB peak", ProcessOrder::private_peak},
    OrderName{"growth/h", ProcessOrder::growth},
    OrderName{"R2", ProcessOrder::evidence},
    OrderName{"Handles", ProcessOrder::handles},
    OrderName{"I/O", ProcessOrder::io},
    OrderName{"lifetime", ProcessOrder::start},
    OrderName{"machine", ProcessOrder::machine},
};

}  // namespace

std::optional<ProcessOrder> process_order_of(std::string_view name) noexcept {
    const auto found = std::ranges::find(order_names, name, &OrderName::name);
    return found == order_names.end() ? std::nullopt : std::optional(found->order);
}

std::vector<std::string_view> process_headings() {
    std::vector<std::string_view> headings;
    for (const OrderName& each : order_names)
        if (each.is_heading) headings.push_back(each.name);
    return headings;
}

double Top::Machine::seconds() const noexcept {
    constexpr double nanoseconds = 1e9;
    return from && to ? static_cast<double>(*to - *from) / nanoseconds : 0;
}

const Top::Machine* Top::machine(const Process& process) const noexcept {
    const auto found = std::ranges::find(run.machines, series[process.first].counter->machine);
    const auto place = static_cast<std::size_t>(found - run.machines.begin());
    return place < machines.size() ? &machines[place] : nullptr;
}

const Top::Course* Top::course(const Process& process, ProcessUse use) const noexcept {
    const auto position = process.uses[static_cast<std::size_t>(use)];
    return position ? &courses[*position] : nullptr;
}

double Top::processor_seconds(const Process& process) const noexcept {
    constexpr double percent = 100;
    const Course* const found = course(process, ProcessUse::processor);
    return found != nullptr ? found->total / percent : std::nan("");
}

double Top::mean_of_run(const Process& process, ProcessUse use) const noexcept {
    const Course* const found = course(process, use);
    const Machine* const of = machine(process);
    const double seconds = of == nullptr ? 0 : of->seconds();
    if (seconds <= 0) return number(process, use, StatisticColumn::mean);
    return found != nullptr ? found->total / seconds : std::nan("");
}

double Top::number(const Process& process, ProcessUse use, StatisticColumn column) const noexcept {
    const Series* const found = this->use(process, use);
    return found != nullptr ? value_of(found->statistics, column) : std::nan("");
}

}  // namespace hkpd
