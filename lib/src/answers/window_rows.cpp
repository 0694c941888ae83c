#include "answers/window_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/text/names.hpp"
#include "hkpd/cook.hpp"
#include "identity/twins.hpp"
#include "quantity/unit.hpp"

namespace hkpd {
namespace {

double or_zero(double number) noexcept { return std::isnan(number) ? 0 : number; }

}  // namespace

bool WindowRows::stands_for_others(std::size_t place) const {
    const Identity identity = all_.identity(place);
    return is_aggregate_or_idle(identity.parent.value_or(""), identity.name, kind_at(place).of == Kind::Of::process);
}

/// Finds what is known of the counters. An object that another one replaces, as Process replaces Process V2, is left
/// out if its machine has both.
void WindowRows::find_kinds() {
    using Name = std::tuple<std::string_view, std::string_view, std::string_view>;  // machine, object, counter
    std::map<Name, std::uint32_t> known;
    std::set<std::pair<std::string_view, std::string>> objects;  // machine, folded object
    for (std::size_t place = 0; place < all_.size(); ++place) {
        const RunCounter& counter = all_.counter(place);
        const std::uint32_t number = all_.series(place).counter;
        if (number >= kind_numbers_.size()) kind_numbers_.resize(number + std::size_t{1}, no_index);
        if (kind_numbers_[number] == no_index) {
            const auto [found, added] = known.try_emplace({counter.machine, counter.object, counter.name},
                                                          static_cast<std::uint32_t>(kinds_.size()));
            if (added) kinds_.push_back({window_kind(counter)});
            kind_numbers_[number] = found->second;
            Kind& kind = kinds_[found->second];
            kind.rest_samples = std::max(kind.rest_samples, values_.rest_samples(number));
            objects.emplace(counter.machine, fold_case(english_object(counter)));
        }
        if (values_.inside(place).count == 0 && values_.rest(place).count == 0) continue;
        Kind& kind = kinds_[kind_numbers_[number]];
        (stands_for_others(place) ? kind.has_total : kind.has_single) = true;
    }
    for (std::size_t place = 0; place < all_.size(); ++place) {
        const RunCounter& counter = all_.counter(place);
        const std::string_view original = original_of(english_object(counter));
        if (!original.empty() && objects.contains({counter.machine, fold_case(original)}))
            kinds_[kind_numbers_[all_.series(place).counter]].of = Kind::Of::nothing;
    }
}

WindowRows::Numbers WindowRows::numbers(std::uint32_t place) {
    Numbers found{.inside = values_.inside(place), .rest = values_.rest(place)};
    const auto present = static_cast<double>(found.rest.count);
    const auto all = static_cast<double>(kind_at(place).rest_samples);
    if (all == 0) {
        found.usual = std::nan("");
        return found;
    }
    const double mean = or_zero(found.rest.mean), deviation = or_zero(found.rest.stddev), share = present / all;
    found.usual = mean * share;
    found.spread = std::sqrt(std::max(0.0, share * (deviation * deviation + mean * mean) - found.usual * found.usual));
    return found;
}

bool WindowRows::is_new(const std::optional<std::int64_t>& first) const {
    return first && values_.from && values_.to && *first >= *values_.from && *first <= *values_.to &&
           *first > all_.begin();
}

bool WindowRows::is_gone(const std::optional<std::int64_t>& last) const {
    return last && values_.from && values_.to && *last >= values_.before.value_or(*values_.from) &&
           *last <= *values_.to && *last < all_.end();
}

/// Finds the processes, and what their machines have.
void WindowRows::find_processes(const WindowTop& top) {
    std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t>, std::size_t> known;
    for (std::size_t i = 0; i < top.run.machines.size(); ++i)
        machines_[top.run.machines[i]].capacity = 100.0 * top.processors[i];
    for (std::uint32_t place = 0; place < all_.size(); ++place) {
        const RunSeries& series = all_.series(place);
        const Kind& kind = kind_at(place);
        if (kind.of != Kind::Of::process) continue;
        if (kind.has_single && !options_.all_instances && stands_for_others(place)) continue;
        const RunCounter& counter = all_.counter(place);
        const auto use = static_cast<std::size_t>(kind.use);
        const auto [found, added] =
            known.try_emplace({counter.machine, counter.object_number, series.identity}, processes_.size());
        if (added) processes_.push_back({.first = place, .counter = series.counter});
        Process& process = processes_[found->second];
        if (!process.places[use]) process.places[use] = place;
        // A rate has its first value one sample after the process began.
        const WindowValues::Extent extent = values_.extent(place);
        const bool is_level = !kind.is_rate;
        const auto first = is_level ? extent.first : known_time(series.first_seen);
        const auto last = is_level ? extent.last : known_time(series.last_seen);
        const auto widen = [](std::optional<std::int64_t>& time, const std::optional<std::int64_t>& other,
                              auto better) {
            if (other && (!time || better(*other, *time))) time = other;
        };
        widen(process.from, first, std::less<>());
        widen(process.to, last, std::greater<>());
        Machine& machine = machines_[counter.machine];
        const Numbers found_numbers = numbers(place);
        if (!stands_for_others(place)) {
            machine.inside[use] += or_zero(found_numbers.inside.mean);
            machine.rest[use] += or_zero(found_numbers.usual);
        }
    }
}

/// Computes by which use a process stands out.
void WindowRows::rate_process(Process& process) {
    constexpr double least_memory = 256 * bytes_of_mebibyte, least_handles = 5000, least_io = 10 * bytes_of_mebibyte,
                     least_threads = 1000, least_processor = 100, of_less = 0.5, least_part = 0.01, least_change = 0.25;
    constexpr std::array<double, window_uses> least{least_processor, least_memory, least_memory, least_handles,
                                                    least_io,        least_io,     least_threads};
    const Machine& machine = machines_[all_.counter(process.first).machine];
    for (std::size_t use = 0; use < window_uses; ++use) {
        const std::optional<std::uint32_t>& place = process.places[use];
        if (!place) continue;
        const Numbers found = numbers(*place);
        if (found.inside.count == 0) continue;
        double whole = std::max({least[use], machine.inside[use], machine.rest[use]});
        if (static_cast<WindowUse>(use) == WindowUse::processor && machine.capacity > 0) whole = machine.capacity;
        const double change = found.inside.mean - or_zero(found.usual);
        if (std::abs(change) < least_change * or_zero(found.usual)) continue;
        const double distance = std::abs(change) / std::max(found.spread, least_part * whole);
        process.effects[use] = change / whole * distance * distance / (1 + distance * distance);
        // A working set follows the private bytes, and files that are mapped.
        if (static_cast<WindowUse>(use) == WindowUse::working_set && process.places[use + 1]) continue;
        const double score = process.effects[use] >= 0 ? process.effects[use] : -of_less * process.effects[use];
        if (score <= process.score) continue;
        process.score = score;
        process.leading = static_cast<WindowUse>(use);
    }
}

std::optional<std::uint32_t> WindowRows::add_row(std::uint32_t place, double effect, double share, WindowTop& top) {
    auto series = all_.take(place);
    if (!series) return std::nullopt;
    const Numbers found = numbers(place);
    series->statistics = found.inside;
    series->average = {};
    WindowTop::Row row{.series = *std::move(series), .rest = found.rest};
    const bool is_process = kind_at(place).of == Kind::Of::process;
    row.usual = is_process ? found.usual : found.rest.mean;
    if (row.usual > 0 && found.inside.count != 0) row.times = found.inside.mean / row.usual;
    row.effect = effect;
    row.share = share;
    const WindowValues::Extent extent = values_.extent(place);
    row.max_time = extent.max_time;
    row.is_new = is_new(extent.first) && found.rest.count + found.inside.count != 0 &&
                 !needs_two_samples(row.series.counter->type);
    row.is_gone = is_gone(extent.last);
    top.rows.push_back(std::move(row));
    return static_cast<std::uint32_t>(top.rows.size() - 1);
}

void WindowRows::add_processes(WindowTop& top) {
    for (Process& process : processes_) rate_process(process);
    double highest = 0;
    for (const Process& process : processes_) highest = std::max(highest, process.score);
    const double least = std::max(WindowTop::least_share, WindowTop::least_of_first * highest);
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < processes_.size(); ++i)
        if (processes_[i].score >= least) order.push_back(i);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t i) { return processes_[i].score; });
    if (order.size() > options_.top) order.resize(options_.top);
    for (const std::uint32_t position : order) {
        const Process& process = processes_[position];
        const Machine& machine = machines_[all_.counter(process.first).machine];
        WindowTop::Process row{.leading = process.leading};
        bool any = false;
        for (std::size_t use = 0; use < window_uses; ++use) {
            const std::optional<std::uint32_t>& place = process.places[use];
            if (!place) continue;
            const double mean = values_.inside(*place).mean;
            const bool is_time = static_cast<WindowUse>(use) == WindowUse::processor && machine.capacity > 0;
            const double whole = is_time ? machine.capacity : machine.inside[use];
            const auto at = add_row(*place, process.effects[use], whole > 0 ? mean / whole : std::nan(""), top);
            if (!at) continue;
            if (!std::exchange(any, true)) row.first = *at;
            row.uses[use] = at;
            top.rows[*at].is_new = is_new(process.from);
            top.rows[*at].is_gone = is_gone(process.to);
        }
        if (any) top.processes.push_back(row);
    }
}

/// Adds the processes that began or ended.
void WindowRows::add_lives(WindowTop& top) {
    for (const Process& process : processes_) {
        const auto add = [&](bool is_one, std::uint64_t& count, auto& list) {
            if (!is_one) return;
            ++count;
            if (list.size() >= options_.top) return;
            if (auto series = all_.take(process.first)) list.push_back(std::move(series->instance));
        };
        add(is_new(process.from), top.all_started, top.started);
        add(is_gone(process.to), top.all_ended, top.ended);
    }
}

/// Returns how much a series stands out; none if it does not.
std::optional<WindowRows::Counter> WindowRows::rated(std::uint32_t place) {
    constexpr double of_quartiles = 1.22, part_of_deviation = 0.25, part_of_median = 0.05, of_less = 0.5,
                     most_without_rest = 5;
    const Numbers found = numbers(place);
    if (found.inside.count == 0 || !std::isfinite(found.inside.mean)) return std::nullopt;
    const double median = or_zero(found.rest.p50);
    const double spread =
        std::max({of_quartiles * values_.rest_quartile_distance(place), part_of_deviation * or_zero(found.rest.stddev),
                  part_of_median * std::abs(median), kind_at(place).least_spread});
    const double from_median = found.inside.mean - median, from_mean = found.inside.mean - or_zero(found.rest.mean);
    if ((from_median < 0) != (from_mean < 0)) return std::nullopt;
    double effect = (std::abs(from_median) < std::abs(from_mean) ? from_median : from_mean) / spread;
    if (found.rest.count == 0) effect = std::clamp(effect, -most_without_rest, most_without_rest);
    if (!(std::abs(effect) >= WindowTop::least_effect)) return std::nullopt;
    const Kind& kind = kind_at(place);
    const double factor = kind.weight * (effect < 0 && !kind.is_headline ? of_less : 1);
    return Counter{effect, factor * std::min(std::abs(effect), WindowTop::most_effect), place};
}

/// Returns whether a row repeats one in a list: its numbers are those of another counter of the object, times
/// a constant, as Available MBytes are Available Bytes, and the counters of a LogicalDisk those of its PhysicalDisk.
bool WindowRows::repeats(std::uint32_t place, const std::vector<std::uint32_t>& list, const WindowTop& top) {
    constexpr double close = 0.005;
    const Numbers found = numbers(place);
    const RunCounter& counter = all_.counter(place);
    return std::ranges::any_of(list, [&](std::uint32_t position) {
        const WindowTop::Row& row = top.rows[position];
        const RunCounter& other = *row.series.counter;
        const bool of_disks = kind_at(place).of == Kind::Of::disk;
        if (other.machine != counter.machine || (other.object != counter.object && !of_disks)) return false;
        const double a = found.inside.mean * row.rest.mean, b = found.rest.mean * row.series.statistics.mean;
        return found.rest.count != 0 && a != 0 && std::abs(a - b) <= close * std::abs(b);
    });
}

/// Adds the series of a kind that stand out: of each instance, or of an object without instances, only the first few,
/// because its counters express the same in several ways.
void WindowRows::add_counters(Kind::Of of, std::size_t most, std::vector<std::uint32_t>& list, WindowTop& top) {
    constexpr std::size_t most_of_instance = 4, most_of_counter = 3;
    std::vector<Counter> found;
    for (std::uint32_t place = 0; place < all_.size(); ++place) {
        const Kind& kind = kind_at(place);
        if (kind.of != of) continue;
        const bool wants_total = kind.prefers_total ? kind.has_total : !kind.has_single;
        if (!options_.all_instances && stands_for_others(place) != wants_total) continue;
        if (const auto one = rated(place)) found.push_back(*one);
    }
    std::ranges::stable_sort(found, std::greater<>(),
                             [](const Counter& each) { return std::pair(each.score, std::abs(each.effect)); });
    std::map<std::tuple<std::string_view, std::string_view, std::uint32_t>, std::size_t> of_instance;
    std::map<std::uint32_t, std::size_t> of_counter;
    for (const Counter& each : found) {
        if (list.size() >= most) return;
        const RunSeries& series = all_.series(each.place);
        const RunCounter& counter = all_.counter(each.place);
        if (repeats(each.place, list, top)) continue;
        if (++of_instance[{counter.machine, counter.object, series.identity}] > most_of_instance) continue;
        if (++of_counter[series.counter] > most_of_counter) continue;
        if (const auto at = add_row(each.place, each.effect, std::nan(""), top)) list.push_back(*at);
    }
}

void WindowRows::finish(WindowTop& top) {
    find_kinds();
    find_processes(top);
    add_processes(top);
    add_lives(top);
    add_counters(Kind::Of::disk, (options_.top + 1) / 2, top.disks, top);
    add_counters(Kind::Of::network, (options_.top + 1) / 2, top.interfaces, top);
    add_counters(Kind::Of::other, options_.top, top.counters, top);
}

}  // namespace hkpd
