#include "answers/verdict_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "hkpd/identity.hpp"
#include "identity/twins.hpp"
#include "quantity/unit.hpp"
#include "statistics/series_table.hpp"

namespace hkpd {
namespace {

// Of one processor, what a single thread uses that could use more; more than that, others have a part in.
constexpr double least_thread = 90, most_thread = 105;  // % of one processor that a process uses
constexpr double least_busy_share = 0.05;               // of the run, of a process that uses a whole processor
constexpr double least_user_share = 0.2;                // of what a process must use to be named
constexpr double least_network_part = 0.5;              // of a network's bytes that a process' I/O must amount to
constexpr double least_risen_share = 0.05;  // of all I/O during a spell, what is of processes whose I/O rose
constexpr double least_rise_share = 0.5;    // of its I/O during a spell, what a process did not do otherwise
constexpr std::size_t most_machines = 1024, most_users = 3;

/// The watches of each area.
constexpr auto area_watches = std::to_array<std::pair<Watch, VerdictArea>>({
    {Watch::processor, VerdictArea::processor},
    {Watch::memory, VerdictArea::memory},
    {Watch::commit, VerdictArea::memory},
    {Watch::disk, VerdictArea::disk},
    {Watch::network, VerdictArea::network},
});

/// Returns the use by which processes are named that cause what is watched.
ProcessUse use_of(Watch watch) noexcept {
    switch (watch) {
        case Watch::memory:
        case Watch::commit:
            return ProcessUse::private_bytes;
        case Watch::disk:
        case Watch::network:
            return ProcessUse::io;
        default:
            return ProcessUse::processor;
    }
}

/// Returns the counter of a measure, as the input has it: of alternatives, the first that it has.
std::string path_of(const FactReader& facts, FactObject object, Fact fact) {
    const auto first_of = [&](std::initializer_list<Fact> all) {
        for (const Fact each : all)
            if (std::string path = facts.path(object, each); !path.empty()) return path;
        return std::string();
    };
    switch (fact) {
        case Fact::processor_time:
            return first_of({Fact::processor_time, Fact::processor_idle});
        case Fact::pages_input:
            return first_of({Fact::pages_input, Fact::page_reads, Fact::pages});
        case Fact::committed_share:
            return first_of({Fact::committed_share, Fact::committed});
        case Fact::transfer_time:
            return first_of({Fact::transfer_time, Fact::read_time, Fact::write_time});
        case Fact::disk_queue:
            return first_of({Fact::disk_queue, Fact::current_disk_queue});
        default:
            return facts.path(object, fact);
    }
}

/// Returns the numbers of what is watched as evidence: those that have values.
std::vector<VerdictEvidence> evidence_of(const FactReader& facts, const AreaWatch& areas, Watch watch,
                                         std::span<const Level, most_levels> levels) {
    std::vector<VerdictEvidence> all;
    const auto measures = measures_of(watch);
    for (std::size_t i = 0; i < measures.size(); ++i) {
        if (!levels[i].has_value()) continue;
        const bool is_other = measures[i].object == FactObject::system || measures[i].object == FactObject::memory;
        VerdictEvidence each{
            .measure = measures[i].measure,
            .counter = path_of(facts, is_other ? measures[i].object : areas.object(watch), measures[i].fact),
            .mean = levels[i].mean(),
            .worst = levels[i].worst,
            .threshold = measures[i].threshold};
        if (each.measure == VerdictMeasure::available_memory) each.threshold = areas.low_memory();
        all.push_back(std::move(each));
    }
    return all;
}

}  // namespace

bool VerdictBuilder::Machine::is_short() const noexcept {
    return samples < RunVerdict::least_samples || seconds < RunVerdict::least_seconds;
}

void VerdictBuilder::begin(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    now_ = nullptr;
    const std::string_view name = sample.machine ? std::string_view(*sample.machine) : std::string_view();
    auto found = machines_.find(name);
    if (found == machines_.end()) {
        if (machines_.size() >= most_machines) return;
        found = machines_.try_emplace(std::string(name)).first;
        found->second.source = sample.source;
    }
    Machine& machine = found->second;
    const auto time = unix_time(sample);
    if (machine.source != sample.source || !time || (machine.last_time && *time <= *machine.last_time)) return;
    double seconds = 0;
    machine.after_gap = false;
    if (machine.last_time) {
        seconds = (static_cast<double>(*time) - static_cast<double>(*machine.last_time)) / nanoseconds_of_second;
        machine.after_gap = machine.usual.is_gap(seconds);
        machine.seconds = (static_cast<double>(*time) - static_cast<double>(machine.first_time.value_or(*time))) /
                          nanoseconds_of_second;
        if (machine.after_gap) seconds = 0;
    } else {
        machine.first_time = time;
    }
    machine.last_time = time;
    machine.time = *time;
    ++machine.samples;
    now_ = &machine;
    if (!options_.all_instances) return;
    machine.facts.read(sample, selected, cooker);
    machine.areas.add(machine.facts, *time, seconds, machine.after_gap);
}

VerdictBuilder::Role VerdictBuilder::role_of(const SeriesCollector& all, std::size_t place) {
    Role role{.known = true};
    const ProcessCounters::Counter& counter = counters_.of(all, place);
    role.is_other_io = counter.is_other_io;
    const Identity identity = all.identity(place);
    if ((!counter.use && !role.is_other_io) || identity.is_damaged ||
        is_aggregate_or_idle(identity.parent.value_or(""), identity.name, true))
        return role;
    role.counts = true;
    role.use = counter.use.value_or(ProcessUse::io);
    bool added = false;
    role.process = numbers_.number(counter.object, all.series(place).identity, added);
    if (added) processes_.push_back({.place = place});
    return role;
}

void VerdictBuilder::value(const SeriesCollector& all, std::size_t place, CookedValue value) {
    if (now_ == nullptr) return;
    if (place >= roles_.size()) roles_.resize(place + 1);
    if (!roles_[place].known) roles_[place] = role_of(all, place);
    const Role& role = roles_[place];
    if (!role.counts) return;
    Machine& machine = *now_;
    Process& process = processes_[role.process];
    if (process.first == SeriesStatistics::no_time) process.first = machine.time;
    process.last = machine.time;
    machine.has_processes = true;
    if (!value.has_value()) return;
    const double number = value.value;
    AreaWatch& areas = machine.areas;
    switch (role.use) {
        case ProcessUse::processor: {
            areas.spells(Watch::processor).add_use(role.process, number);
            areas.spells(Watch::single_processor).add_use(role.process, number);
            process.uses_several = process.uses_several || number > most_thread;
            auto busy = machine.busy.find(role.process);
            if (busy == machine.busy.end() && number >= least_thread && number <= most_thread)
                busy = machine.busy.try_emplace(role.process).first;
            if (busy == machine.busy.end()) return;
            const WatchedInstance one{"", number >= least_thread && number <= most_thread, {number}};
            busy->second.add(machine.time, areas.seconds(), machine.after_gap, {&one, 1});
            return;
        }
        case ProcessUse::io:
            if (!role.is_other_io) {
                areas.spells(Watch::disk).add_use(role.process, number);
                process.io += number * areas.seconds();
                process.io_seconds += areas.seconds();
            }
            areas.spells(Watch::network).add_use(role.process, number);
            return;
        case ProcessUse::private_bytes:
        case ProcessUse::working_set: {
            machine.has_sizes = machine.has_sizes || role.use == ProcessUse::private_bytes;
            // Private bytes are at odd places: working sets are used if there are none.
            const std::size_t at = 2 * std::size_t{role.process} + (role.use == ProcessUse::private_bytes ? 1 : 0);
            areas.spells(Watch::memory).add_use(at, number);
            areas.spells(Watch::commit).add_use(at, number);
            return;
        }
        case ProcessUse::handles:
            machine.has_sizes = true;
            return;
    }
}

bool VerdictBuilder::wants_other_io() const noexcept {
    return now_ != nullptr && now_->areas.spells(Watch::network).is_beyond();
}

void VerdictBuilder::clear() {
    roles_.clear();
    processes_.clear();
    numbers_.clear();
}

namespace {

/// Returns the name of a process, without the id that Process V2 has in it.
std::string name_of(const RunCounter& counter, std::string_view name) {
    return std::string(split_name(name_form(english_object(counter)), name).name);
}

}  // namespace

VerdictProcess VerdictBuilder::process_of(const SeriesCollector& all, std::uint32_t number) const {
    const Process& process = processes_[number];
    const Identity identity = all.identity(process.place);
    return {.name = name_of(all.counter(process.place), identity.name),
            .pid = identity.pid,
            .from = known_time(process.first),
            .to = known_time(process.last)};
}

/// Returns by how much the I/O of a process was more during a spell than it would have been by its mean of the other
/// time.
double VerdictBuilder::rise_of_io(std::uint32_t number, double used, const Spell& spell) const {
    const Process& process = processes_[number];
    const double seconds = process.io_seconds - spell.seconds;
    return seconds > 0 ? used - std::max(0.0, process.io - used) / seconds * spell.seconds : used;
}

/// Names the processes that used most during the longest spell.
void VerdictBuilder::name_users(const SeriesCollector& all, const Machine& machine, Watch watch,
                                VerdictStatement& statement) const {
    const Spell& spell = machine.areas.spells(watch).longest();
    ProcessUse use = use_of(watch);
    std::vector<std::pair<double, std::uint32_t>> users;
    const auto add_users = [&](std::size_t first, std::size_t step) {
        for (std::size_t at = first; at < spell.uses.size(); at += step)
            if (spell.uses[at] > 0) users.emplace_back(spell.uses[at], static_cast<std::uint32_t>(at / step));
    };
    if (use == ProcessUse::private_bytes) {
        add_users(1, 2);
        if (users.empty()) {
            use = ProcessUse::working_set;
            add_users(0, 2);
        }
    } else {
        add_users(0, 1);
    }
    double whole = 0;
    for (const auto& each : users) whole += each.first;
    const auto levels = spell.instances.find(statement.instance);
    if (levels == spell.instances.end() || !(spell.seconds > 0)) return;
    if (watch == Watch::processor && machine.areas.processors() != 0)
        whole = std::max(whole, levels->second.levels[0].sum * machine.areas.processors());
    std::ranges::stable_sort(users, std::greater{}, [](const auto& user) { return user.first; });
    // Windows counts no network bytes of a process: its I/O, of which they are a part, must be enough.
    if (watch == Watch::network)
        std::erase_if(users, [&](const auto& user) {
            return user.first < least_network_part * levels->second.levels[network_bytes].mean() * spell.seconds;
        });
    double least = least_user_share * whole;
    if (use == ProcessUse::io) {
        // Windows does not count which disk a process uses: the one whose use rose is the cause, not one that always
        // uses as much, of other disks or the network.
        const auto rose = [&](const auto& user) {
            return rise_of_io(user.second, user.first, spell) >= least_rise_share * user.first;
        };
        const auto rise = [&](double sum, const auto& user) { return rose(user) ? sum + user.first : sum; };
        const double all_risen = std::accumulate(users.begin(), users.end(), 0.0, rise);
        if (all_risen >= least_risen_share * whole) {
            std::erase_if(users, [&](const auto& user) { return !rose(user); });
            least = least_user_share * all_risen;
        }
    }
    std::erase_if(users, [&](const auto& user) { return user.first < least; });
    for (const auto& [used, number] : users) {
        if (statement.processes.size() >= most_users) break;
        VerdictProcess process = process_of(all, number);
        process.use = use;
        process.mean = used / spell.seconds;
        process.share = std::min(1.0, used / whole);
        statement.processes.push_back(std::move(process));
    }
}

/// Returns the statement on what limited a machine; none if it did not.
std::optional<VerdictStatement> VerdictBuilder::limit(const SeriesCollector& all, const std::string& name,
                                                      const Machine& machine, Watch watch, VerdictArea area) const {
    const SpellWatch& spells = machine.areas.spells(watch);
    if (!spells.is_sustained()) return std::nullopt;
    const Spell& spell = spells.longest();
    VerdictStatement statement{.area = area,
                               .kind = VerdictKind::limit,
                               .machine = name,
                               .from = spell.from,
                               .to = spell.to,
                               .seconds = spells.seconds_beyond(),
                               .share = spells.seconds() > 0 ? spells.seconds_beyond() / spells.seconds() : 0,
                               .spells = spells.spells(),
                               .instances = spell.instances.size(),
                               .processors = machine.areas.processors()};
    const auto worst = std::ranges::max_element(spell.instances, {}, [](const auto& instance) {
        return std::pair(instance.second.seconds, instance.second.samples);
    });
    statement.instance = worst->first;
    statement.evidence = evidence_of(machine.facts, machine.areas, watch, worst->second.levels);
    name_users(all, machine, watch, statement);
    return statement;
}

/// Returns the statement on the process, or on the processor, that was busy while others were idle.
std::optional<VerdictStatement> VerdictBuilder::one_processor(const SeriesCollector& all, const std::string& name,
                                                              const Machine& machine) const {
    const std::pair<const std::uint32_t, SpellWatch>* busiest = nullptr;
    std::uint64_t count = 0;
    for (const auto& each : machine.busy) {
        if (processes_[each.first].uses_several || !each.second.is_sustained(least_busy_share, machine.seconds))
            continue;
        ++count;
        const auto rank = [](const auto& one) { return std::pair(one.second.longest().seconds, ~one.first); };
        if (busiest == nullptr || rank(each) > rank(*busiest)) busiest = &each;
    }
    if (busiest == nullptr) {
        const SpellWatch& single = machine.areas.spells(Watch::single_processor);
        if (!single.is_sustained(least_busy_share, machine.seconds)) return std::nullopt;
        auto statement = limit(all, name, machine, Watch::single_processor, VerdictArea::processor);
        if (statement) statement->kind = VerdictKind::one_processor;
        return statement;
    }
    const SpellWatch& spells = busiest->second;
    const Spell& spell = spells.longest();
    const Level& level = spell.instances.begin()->second.levels[0];
    VerdictProcess process = process_of(all, busiest->first);
    process.mean = level.mean();
    const double processors = machine.areas.processors();
    process.share = processors > 0 ? std::min(1.0, process.mean / all_percent / processors) : 0;
    const double run = machine.seconds;
    return VerdictStatement{.area = VerdictArea::processor,
                            .kind = VerdictKind::one_processor,
                            .machine = name,
                            .from = spell.from,
                            .to = spell.to,
                            .seconds = spells.seconds_beyond(),
                            .share = run > 0 ? spells.seconds_beyond() / run : 0,
                            .spells = spells.spells(),
                            .instances = count,
                            .processors = machine.areas.processors(),
                            .evidence = {{.measure = VerdictMeasure::one_processor,
                                          .counter = machine.facts.path(FactObject::process, Fact::processor_time),
                                          .mean = level.mean(),
                                          .worst = level.worst,
                                          .threshold = least_thread}},
                            .processes = {std::move(process)}};
}

/// Returns the statement on the areas that were recorded and are no limit; none if there is none.
std::optional<VerdictStatement> VerdictBuilder::no_limit(const std::string& name, const Machine& machine) const {
    VerdictStatement statement{.area = VerdictArea::missing, .kind = VerdictKind::no_limit, .machine = name};
    for (const auto& [watch, area] : area_watches) {
        const SpellWatch& spells = machine.areas.spells(watch);
        if (spells.samples() == 0 || spells.is_sustained()) continue;
        auto evidence = evidence_of(machine.facts, machine.areas, watch, machine.areas.levels(watch));
        if (evidence.empty()) continue;
        if (statement.evidence.empty()) statement.area = area;
        statement.evidence.push_back(std::move(evidence.front()));
    }
    return statement.evidence.empty() ? std::nullopt : std::optional(std::move(statement));
}

/// Returns the statement on what the input has no counters of; none if it has all.
std::optional<VerdictStatement> VerdictBuilder::not_recorded(const std::string& name, const Machine& machine) const {
    VerdictStatement statement{.area = VerdictArea::missing, .kind = VerdictKind::not_recorded, .machine = name};
    const auto has = [&](Watch watch) { return machine.areas.spells(watch).samples() != 0; };
    if (!has(Watch::processor)) statement.areas.push_back(VerdictArea::processor);
    if (!has(Watch::memory)) statement.areas.push_back(VerdictArea::memory);
    if (!has(Watch::disk)) statement.areas.push_back(VerdictArea::disk);
    if (!has(Watch::network)) statement.areas.push_back(VerdictArea::network);
    if (!machine.has_processes) statement.areas.push_back(VerdictArea::growth);
    return statement.areas.empty() ? std::nullopt : std::optional(std::move(statement));
}

void VerdictBuilder::judge(const SeriesCollector& all) {
    const auto add = [](Machine& machine, std::optional<VerdictStatement> statement) {
        if (statement) machine.statements.push_back(*std::move(statement));
    };
    for (auto& [name, machine] : machines_) {
        if (machine.is_short()) continue;
        machine.areas.finish();
        for (auto& [process, spells] : machine.busy) spells.finish();
        for (const auto& [watch, area] : area_watches) {
            add(machine, limit(all, name, machine, watch, area));
            if (watch != Watch::processor) continue;
            auto one = one_processor(all, name, machine);
            const auto is_same = [&](const VerdictStatement& known) {  // the limit by this process
                return !known.processes.empty() && !one->processes.empty() &&
                       known.processes.front().pid == one->processes.front().pid &&
                       known.processes.front().name == one->processes.front().name;
            };
            if (one && std::ranges::none_of(machine.statements, is_same)) add(machine, std::move(one));
        }
        add(machine, no_limit(name, machine));
    }
}

namespace {

/// Returns whether a process ended before the other one began.
bool is_after(const Series& later, const VerdictProcess& earlier) {
    return later.from && later.to && earlier.from && earlier.to &&
           (*later.from > *earlier.to || *later.to < *earlier.from);
}

/// Returns a life of a process that grows.
VerdictProcess life_of(const Top::Growth& growth) {
    return {.name = name_of(*growth.series.counter, growth.series.instance->name),
            .pid = growth.series.instance->pid,
            .use = growth.use,
            .mean = growth.series.statistics.last,
            .from = growth.series.from,
            .to = growth.series.to};
}

}  // namespace

/// Adds what grows steadily. A program that was restarted, and grows in each life, is one statement.
void VerdictBuilder::add_growth(const std::string& name, const Machine& machine, const Top& top,
                                std::vector<VerdictStatement>& statements) {
    constexpr double least_share = 0.1;
    const std::size_t first = statements.size();
    bool memory_grows = false;
    for (const Top::Growth& growth : top.growing) {
        if (growth.series.counter->machine != name) continue;
        memory_grows = memory_grows || growth.use == ProcessUse::private_bytes;
        const auto known = std::find_if(
            statements.begin() + static_cast<std::ptrdiff_t>(first), statements.end(),
            [&](const VerdictStatement& each) {
                return each.processes.front().use == growth.use &&
                       each.processes.front().name == name_of(*growth.series.counter, growth.series.instance->name) &&
                       std::ranges::all_of(each.processes,
                                           [&](const auto& life) { return is_after(growth.series, life); });
            });
        if (known != statements.end()) {
            known->processes.push_back(life_of(growth));
            continue;
        }
        statements.push_back(
            {.area = VerdictArea::growth,
             .kind = VerdictKind::growing,
             .machine = name,
             .from = growth.series.from,
             .to = growth.series.to,
             .evidence = {{.measure = VerdictMeasure::process_use,
                           .counter = "\\" + growth.series.counter->object + "(*)\\" + growth.series.counter->name,
                           .mean = growth.series.statistics.mean,
                           .worst = growth.series.statistics.max}},
             .processes = {life_of(growth)},
             .trend = growth.trend});
    }
    struct Pool {
        VerdictMeasure measure;
        Fact fact;
        double least_rise;
    };
    constexpr auto pools =
        std::to_array<Pool>({{VerdictMeasure::committed_memory, Fact::committed, 64 * bytes_of_mebibyte},
                             {VerdictMeasure::paged_pool, Fact::paged_pool, 32 * bytes_of_mebibyte},
                             {VerdictMeasure::nonpaged_pool, Fact::nonpaged_pool, 16 * bytes_of_mebibyte}});
    for (std::size_t i = 0; i < pools.size(); ++i) {
        const Trend trend = machine.areas.kernel_memory()[i].trend(nanoseconds_of(machine.seconds));
        if (!trend.grows_steadily() || (i == 0 && memory_grows)) continue;
        const double rise = trend.slope * trend.hours, last = machine.areas.kernel_ends()[i].first;
        if (rise < pools[i].least_rise || rise < least_share * (last - rise)) continue;
        statements.push_back({.area = VerdictArea::growth,
                              .kind = VerdictKind::growing,
                              .machine = name,
                              .from = machine.first_time,
                              .to = machine.last_time,
                              .evidence = {{.measure = pools[i].measure,
                                            .counter = machine.facts.path(FactObject::memory, pools[i].fact),
                                            .mean = last,
                                            .worst = last}},
                              .trend = trend});
    }
    if (statements.size() == first && (machine.has_sizes || machine.areas.kernel_ends()[0].second != 0))
        statements.push_back({.area = VerdictArea::growth, .kind = VerdictKind::not_growing, .machine = name});
}

RunVerdict VerdictBuilder::finish(const Top& top) {
    RunVerdict verdict;
    for (auto& [name, machine] : machines_) {
        if (machine.samples == 0) continue;
        if (machine.is_short()) {
            verdict.statements.push_back({.area = VerdictArea::missing,
                                          .kind = VerdictKind::too_short,
                                          .machine = name,
                                          .from = machine.first_time,
                                          .to = machine.last_time,
                                          .seconds = machine.seconds,
                                          .instances = machine.samples});
            continue;
        }
        add_growth(name, machine, top, machine.statements);
        if (options_.whole && options_.all_instances)
            if (auto missing = not_recorded(name, machine)) machine.statements.push_back(*std::move(missing));
        std::ranges::move(machine.statements, std::back_inserter(verdict.statements));
    }
    return verdict;
}

}  // namespace hkpd
