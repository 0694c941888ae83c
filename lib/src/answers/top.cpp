// What stands out in a run: the processes that use most, or the instances with the largest numbers.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "answers/collect.hpp"
#include "answers/process_rows.hpp"
#include "answers/process_tracks.hpp"
#include "answers/verdict_builder.hpp"
#include "base/text/names.hpp"
#include "base/time.hpp"
#include "hkpd/answers.hpp"
#include "identity/twins.hpp"
#include "sample/display_name.hpp"

namespace hkpd {
namespace {

/// Returns whether an instance stands for several others, or for the absence of work.
bool stands_for_others(const RunCounter& counter, const Identity& identity) {
    return is_aggregate_or_idle(
        identity.parent.value_or(""), identity.name,
        process_object(counter.source, counter.object_number, english_object(counter)) != ProcessObject::none);
}

/// Returns how well a counter describes what an instance does: 0 for the counters that administrators look at first.
std::uint32_t rank_of(const RunCounter& counter) {
    constexpr std::array<std::string_view, 4> first{"% processor time", "% processor utility", "% disk time",
                                                    "bytes total/sec"};
    constexpr std::array<std::uint32_t, 3> titles{6, 200, 388};  // of % Processor Time, % Disk Time, Bytes Total/sec
    const bool by_title = id_kind(counter.source, counter.object_number) == IdKind::title;
    const bool is_first =
        std::ranges::any_of(first,
                            [&](std::string_view name) { return compare_names(english_name(counter), name) == 0; }) ||
        (by_title && std::ranges::find(titles, counter.number) != titles.end());
    return is_first ? 0 : counter.position + 1;
}

/// The series of one counter of an object, on all machines.
struct CounterGroup {
    std::uint32_t rank = 0;  ///< among the counters of the object
    bool of_list = false;
    std::uint32_t first = 0;                        ///< place of the first series
    std::vector<std::uint32_t> places{}, totals{};  ///< totals: what is left out by default
};

/// Chooses the series of a run that stand out.
class LargestInstances {
  public:
    /// Keeps the references.
    LargestInstances(const TopOptions& options, SeriesCollector& all) : top_(options), all_(all) {}

    /// Returns the series to show, of all machines together or of each.
    std::vector<std::uint32_t> find(std::span<const std::string> machines) {
        if (!top_.per_machine) return find(std::nullopt);
        std::vector<std::uint32_t> places;
        for (const std::string_view machine : machines) {
            const std::vector<std::uint32_t> of_machine = find(std::optional(machine));
            places.insert(places.end(), of_machine.begin(), of_machine.end());
        }
        return places;
    }

  private:
    /// Returns the series to show of a machine, or of all. Numbers of different counters cannot be compared, so that
    /// each counter gets an equal share of the rows, and what is left over goes to the first.
    std::vector<std::uint32_t> find(std::optional<std::string_view> machine) {
        std::vector<CounterGroup> all = groups(machine);
        const auto best = static_cast<std::size_t>(
            std::ranges::count_if(all, [](const CounterGroup& group) { return group.rank == 0 && group.of_list; }));
        const std::size_t share = std::max<std::size_t>(1, top_.top / std::max<std::size_t>(1, best));
        std::size_t left = top_.top;
        std::vector<std::size_t> taken(all.size());
        for (const std::size_t most : {share, left})
            for (std::size_t i = 0; i < all.size() && left != 0; ++i) {
                const std::size_t more = std::min(std::min(all[i].places.size(), most) - taken[i], left);
                taken[i] += more;
                left -= more;
            }
        std::vector<std::uint32_t> places;
        for (std::size_t i = 0; i < all.size(); ++i)
            places.insert(places.end(), all[i].places.begin(),
                          all[i].places.begin() + static_cast<std::ptrdiff_t>(taken[i]));
        return places;
    }

    /// Returns the groups of series with values of a machine, or of all. The best counter of each object comes first.
    std::vector<CounterGroup> groups(std::optional<std::string_view> machine) {
        std::map<std::pair<std::string_view, std::string_view>, CounterGroup> by_name;  // object, counter
        std::map<std::string_view, std::uint32_t> best;                                 // object → lowest rank
        for (std::uint32_t place = 0; place < all_.size(); ++place) {
            const SeriesSummary summary = all_[place];
            if (summary.statistics.count == 0) continue;
            const RunCounter& counter = summary.counter;
            if (machine && counter.machine != *machine) continue;
            const std::uint32_t rank = rank_of(counter);
            const auto [group, added] = by_name.try_emplace({counter.object, counter.name});
            if (added) group->second = {rank, counter.of_list, place};
            auto& places = !top_.all_instances && stands_for_others(counter, summary.identity) ? group->second.totals
                                                                                               : group->second.places;
            places.push_back(place);
            const auto lowest = best.try_emplace(counter.object, rank).first;
            lowest->second = std::min(lowest->second, rank);
        }
        std::vector<CounterGroup> all;
        for (auto& [name, group] : by_name) {
            if (group.rank == best[name.first]) group.rank = 0;
            if (group.places.empty()) group.places.swap(group.totals);  // a log can have nothing else
            sort_by(all_, group.places, top_.sort.value_or(StatisticColumn::mean));
            if (top_.sort == StatisticColumn::slope)
                move_brief_to_end(all_, group.places, [](std::uint32_t place) { return place; });
            all.push_back(std::move(group));
        }
        // Objects with a list of instances come first: the others have one row for each of many counters.
        std::ranges::sort(all, {}, [](const CounterGroup& group) {
            return std::tuple(group.rank != 0, !group.of_list, group.rank, group.first);
        });
        return all;
    }

    const TopOptions& top_;
    SeriesCollector& all_;
};

}  // namespace

struct TopCollector::State : SeriesListener {
    State(const TopOptions& given, const CookOptions& cook) : options(given), all(collected(given), cook) {
        if (given.verdict && given.processes) verdict.emplace(*given.verdict);
    }

    static SeriesOptions collected(const TopOptions& given) {
        SeriesOptions made = series_options(given.limits, given.zone);
        made.percentiles = given.percentiles;
        return made;
    }

    void value(std::size_t place, CookedValue value) override {
        tracks.value(place, value);
        if (verdict) verdict->value(all, place, value);
    }

    TopOptions options;
    SeriesCollector all;
    ProcessTracks tracks{all};
    std::optional<VerdictBuilder> verdict;
    std::map<std::string, Top::Machine, std::less<>> machines;
    bool has_processes = false;
    std::set<std::string, std::less<>> with_process;  // the machines that have Process, and need no Process V2
};

TopCollector::TopCollector(const TopOptions& options, const CookOptions& cook)
    : state_(std::make_unique<State>(options, cook)) {}
TopCollector::TopCollector(TopCollector&&) noexcept = default;
TopCollector& TopCollector::operator=(TopCollector&&) noexcept = default;
TopCollector::~TopCollector() = default;

void TopCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    State& state = *state_;
    if (!state.options.processes) return state.all.add(sample, selected, cooker);
    if (state.verdict) state.verdict->begin(sample, selected, cooker);
    ProcessObject which = ProcessObject::none;
    std::vector<Selected> processes =
        process_parts(sample, selected, which, state.verdict && state.verdict->wants_other_io());
    const std::string_view machine = sample.machine ? std::string_view(*sample.machine) : std::string_view();
    const bool has_process = state.with_process.contains(machine);
    if (which == ProcessObject::process && !has_process) state.with_process.emplace(machine);
    if (which == ProcessObject::twin && has_process) processes.clear();
    // Until a process was seen, it is unknown whether the input has any.
    if (!processes.empty() && !state.has_processes) {
        state.has_processes = true;
        state.all.clear();
        if (!state.options.process_percentiles) state.all.skip_percentiles();
        state.tracks.clear();
        if (state.verdict) state.verdict->clear();
    }
    if (!state.has_processes) {
        if (state.options.instances) state.all.add(sample, selected, cooker);
        return;
    }
    Top::Machine& known = state.machines[std::string(machine)];
    known.processors = std::max(known.processors, processors_of(sample));
    if (sample.system_time) {
        const std::int64_t time = unix_time(*sample.system_time);
        known.from = std::min(known.from.value_or(time), time);
        known.to = std::max(known.to.value_or(time), time);
    }
    state.tracks.begin(sample);
    state.all.add(sample, processes, cooker, &state);
}

Top TopCollector::finish() {
    State& state = *state_;
    TopOptions& options = state.options;
    SeriesCollector& all = state.all;
    if (state.verdict) state.verdict->judge(all);
    all.sort();
    Top top;
    top.run = all.facts();
    top.sorted_column = options.sort.value_or(StatisticColumn::mean);
    if (state.has_processes) {
        for (const std::string& machine : top.run.machines) top.machines.push_back(state.machines[machine]);
        ProcessRows rows(options, all, state.tracks, top);
        const auto is_second = [&](std::uint32_t place) {  // Process came in a later sample than Process V2
            const RunCounter& counter = all.counter(place);
            return process_object(counter.source, counter.object_number, english_object(counter)) ==
                       ProcessObject::twin &&
                   state.with_process.contains(counter.machine);
        };
        std::vector<std::uint32_t> places;
        for (std::uint32_t place = 0; place < all.size(); ++place)
            if (!is_second(place)) places.push_back(place);
        for (const std::uint32_t place : places)
            if (options.all_instances || !stands_for_others(all.counter(place), all.identity(place))) rows.add(place);
        const bool all_left_out = rows.empty();  // a log can have nothing but _Total
        for (const std::uint32_t place : places)
            if (all_left_out) rows.add(place);
        rows.finish(top);
    } else {
        for (const std::uint32_t place : LargestInstances(options, all).find(top.run.machines))
            if (auto series = all.take(place)) top.series.push_back(*std::move(series));
    }
    top.run.is_complete = all.is_complete();
    if (state.verdict) top.verdict = state.verdict->finish(top);
    return top;
}

Top top(Reader& reader, Filter& filter, const TopOptions& options) {
    return answer<TopCollector>(reader, filter, options);
}

}  // namespace hkpd
