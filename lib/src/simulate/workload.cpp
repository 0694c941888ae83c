#include "simulate/workload.hpp"

#include <algorithm>
#include <bit>

#include "simulate/programs.hpp"

namespace hkpd::simulation {
namespace {

constexpr std::uint64_t mean_intensity = 250;
/// Average use of all processors by all processes together, in percent, and largest use of one processor by one
/// process, in percent.
constexpr std::uint64_t load_percent = 30, most_percent = 50;
/// Number of process ids for each slot (position in the list of processes). After this many processes in a slot, its
/// ids are used again, because Windows reuses ids, too.
constexpr std::uint64_t id_rounds = 16;
constexpr std::uint32_t id_step = 4;

std::uint64_t pages(std::uint64_t bytes) { return bytes / page_size * page_size; }

/// Returns the rates of events in a process. `intensity`: how active the process is, relative to `mean_intensity`; the
/// rates increase with the intensity.
Events rates_of(std::uint64_t seed, std::uint64_t intensity) {
    const auto rate = [&](std::uint64_t which, std::uint64_t mean) {
        return mean * (intensity + 30) / mean_intensity * pick(mix(seed, which), 70, 130) / 100;
    };
    Events rates{.context_switches = rate(1, 90'000),
                 .system_calls = rate(2, 500'000),
                 .page_faults = rate(3, 25'000),
                 .exceptions = rate(4, 80),
                 .reads = rate(5, 6'000),
                 .writes = rate(6, 3'000),
                 .others = rate(7, 10'000)};
    rates.read_bytes = rates.reads * pick(mix(seed, 8), 1'200, 9'000);
    rates.write_bytes = rates.writes * pick(mix(seed, 9), 500, 5'000);
    rates.other_bytes = rates.others * pick(mix(seed, 10), 40, 200);
    return rates;
}

/// Returns the numbers of events that occur in `active` ticks of activity. Events that are counted in 4 bytes are
/// counted only in the last `recent` of these ticks, because counters of 4 bytes count from `MachineClock::wrapped` on.
Events happened(const Events& rates, Ticks active, Ticks recent) {
    return {.context_switches = count(rates.context_switches, recent),
            .system_calls = count(rates.system_calls, recent),
            .page_faults = count(rates.page_faults, recent),
            .exceptions = count(rates.exceptions, recent),
            .reads = count(rates.reads, active),
            .writes = count(rates.writes, active),
            .others = count(rates.others, active),
            .read_bytes = count(rates.read_bytes, active),
            .write_bytes = count(rates.write_bytes, active),
            .other_bytes = count(rates.other_bytes, active)};
}

void add(Events& sum, const Events& more) {
    sum.context_switches += more.context_switches;
    sum.system_calls += more.system_calls;
    sum.page_faults += more.page_faults;
    sum.exceptions += more.exceptions;
    sum.reads += more.reads;
    sum.writes += more.writes;
    sum.others += more.others;
    sum.read_bytes += more.read_bytes;
    sum.write_bytes += more.write_bytes;
    sum.other_bytes += more.other_bytes;
}

constexpr std::uint64_t largest_base = 30 * mebibyte, bytes_of_intensity = 100'000;

/// Returns the largest size that a process's working set reaches.
std::uint64_t working_set_of(std::uint64_t random, std::uint64_t intensity) {
    return pages(pick(random, 2 * mebibyte, largest_base) + intensity * bytes_of_intensity);
}

void fill_memory(Process& process, std::uint64_t random, std::uint64_t most, Share level) {
    const auto varying = [level](std::uint64_t peak) { return pages(peak / 4 * 3 + part(peak / 4, level)); };
    process.working_set_peak = most;
    process.working_set = varying(most);
    process.working_set_private = pages(part(process.working_set, percent(pick(mix(random, 1), 30, 70))));
    process.private_peak = pages(part(most, percent(pick(mix(random, 2), 50, 95))));
    process.private_bytes = varying(process.private_peak);
    process.virtual_peak = pages(3 * most + pick(mix(random, 3), 30, 90) * mebibyte);
    process.virtual_bytes = varying(process.virtual_peak);
    process.pool_paged = static_cast<std::uint32_t>(pick(mix(random, 4), 20'000, 400'000));
    process.pool_nonpaged = static_cast<std::uint32_t>(pick(mix(random, 5), 2'000, 40'000));
    process.handles = static_cast<std::uint32_t>(pick(mix(random, 6), 40, 900) + part(30, level));
}

}  // namespace

Workload::Workload(std::uint64_t seed, std::uint32_t cpus, std::uint32_t processes, std::uint32_t threads,
                   const MachineClock& clock)
    : wrapped_(clock.wrapped()) {
    processes = std::max(processes, 1U);
    id_places_ = std::bit_ceil(processes);
    id_shift_ = static_cast<std::uint32_t>(mix(seed, 1));
    slots_.reserve(processes);
    for (std::uint32_t i = 0; i < processes; ++i) slots_.push_back(make_slot(mix(seed, 2, i), i, clock));
    share_processors(cpus);
    share_threads(std::max(threads, processes));
}

Workload::Slot Workload::make_slot(std::uint64_t seed, std::uint32_t index, const MachineClock& clock) const noexcept {
    Slot slot;
    slot.seed = seed;
    // The third power of `random` makes a few processes very active and most of them hardly active.
    const std::uint64_t random = pick(mix(seed, 1), 1, 1000);
    slot.intensity = index == system_slot ? 600 : 1 + random * random * random / 1'000'000;
    slot.activity = Activity(mix(seed, 2));
    slot.level = Level(mix(seed, 3));
    slot.privileged = percent(pick(mix(seed, 4), 15, 45));
    slot.rates = rates_of(mix(seed, 5), slot.intensity);
    if (is_short_lived(index)) {
        slot.period = pick(mix(seed, 6), 20 * tick_second, 180 * tick_second);
        slot.phase = mix(seed, 7) % slot.period;
    } else if (index != system_slot) {
        slot.started =
            std::min<Ticks>(5 * tick_second + index * pick(mix(seed, 8), 1, tick_second / 2), clock.wrapped() / 2);
    }
    slot.active_wrapped = slot.activity.at(wrapped_);
    return slot;
}

void Workload::share_processors(std::uint32_t cpus) noexcept {
    std::uint64_t sum = 0;
    for (const Slot& slot : std::span(slots_).subspan(1)) sum += slot.intensity;
    for (Slot& slot : std::span(slots_).subspan(1))
        slot.processor = static_cast<Share>(std::min<std::uint64_t>(
            percent(most_percent), std::uint64_t{share_of(slot.intensity, sum)} * cpus * load_percent / 100));
}

void Workload::share_threads(std::uint32_t threads) {
    std::uint64_t sum = 0;
    for (const Slot& slot : slots_) sum += slot.intensity;
    const std::uint64_t more = threads - slots_.size();
    std::uint64_t left = more;
    for (Slot& slot : slots_) {
        const std::uint64_t own = more * slot.intensity / sum;
        slot.threads = static_cast<std::uint32_t>(1 + own);
        left -= own;
    }
    for (std::size_t i = 0; left > 0; --left, ++i) ++slots_[i % slots_.size()].threads;

    threads_.reserve(threads);
    for (Slot& slot : slots_) {
        slot.first_thread = static_cast<std::uint32_t>(threads_.size());
        std::uint64_t weights = 0;
        const auto weight = [](std::uint64_t random) { return 1 + random % 64; };
        for (std::uint32_t i = 0; i < slot.threads; ++i) weights += weight(mix(slot.seed, 9, i));
        for (std::uint32_t i = 0; i < slot.threads; ++i) {
            const std::uint64_t random = mix(slot.seed, 9, i);
            threads_.push_back({share_of(weight(random), weights), random});
        }
    }
}

Usage Workload::usage(Ticks now) const noexcept {
    Usage usage;
    for (const Slot& slot : slots_) {
        const Ticks used = part(slot.activity.at(now), slot.processor), privileged = part(used, slot.privileged);
        usage.privileged += privileged;
        usage.user += used - privileged;
    }
    return usage;
}

WorkloadState Workload::at(Ticks now, Ticks system_time) const {
    WorkloadState state;
    state.processes.reserve(slots_.size());
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
        const Slot& slot = slots_[i];
        const Ticks active = slot.activity.at(now);
        state.processes.push_back(process(i, now, active));
        add(state.events, happened(slot.rates, active, active - slot.active_wrapped));
    }
    state.processes[system_slot].privileged = system_time;
    return state;
}

Process Workload::process(std::uint32_t index, Ticks now, Ticks active) const noexcept {
    const Slot& slot = slots_[index];
    const std::uint64_t life = slot.period == 0 ? 0 : (now + slot.phase) / slot.period;
    const std::uint64_t random = mix(slot.seed, 10, life);
    const Program& program = program_at(index, random);
    Process process;
    process.name = program.name;
    process.priority = program.priority;
    process.id = process_id(index, life);
    const std::uint32_t creator = creator_of(index, program);
    if (index != system_slot) process.creator = process_id(creator < slots_.size() ? creator : system_slot, 0);
    process.started = slot.period == 0 ? slot.started : life * slot.period - slot.phase;
    process.threads = std::span(threads_).subspan(slot.first_thread, slot.threads);
    process.first_thread_id = thread_id(index, life);

    const Ticks active_before = slot.activity.at(process.started);
    const Ticks used = part(active, slot.processor) - part(active_before, slot.processor);
    process.privileged = part(used, slot.privileged);
    process.user = used - process.privileged;
    process.events =
        happened(slot.rates, active - active_before, active - std::max(active_before, slot.active_wrapped));
    fill_memory(process, random, working_set_of(mix(random), slot.intensity), slot.level.at(now));
    return process;
}

// As in Windows, no process has the same id as a thread. In the simulation, all thread ids are larger than all process
// ids.
std::uint32_t Workload::process_id(std::uint32_t index, std::uint64_t life) const noexcept {
    if (index == system_slot) return id_step;
    // No two slots get the same `place`: multiplication by an odd factor, modulo the power of two `id_places_`, maps
    // different indices below `id_places_` to different numbers.
    const std::uint64_t place = (index * 0x9E37'79B1U + id_shift_) & (id_places_ - 1);
    return static_cast<std::uint32_t>(id_step * (2 + place + id_places_ * (life % id_rounds)));
}

std::uint32_t Workload::thread_id(std::uint32_t index, std::uint64_t life) const noexcept {
    const std::uint64_t after = 2 + id_places_ * id_rounds;
    return static_cast<std::uint32_t>(id_step *
                                      (after + slots_[index].first_thread + threads_.size() * (life % id_rounds)));
}

std::uint64_t Workload::most_memory() const noexcept {
    std::uint64_t most = 0;
    for (const Slot& slot : slots_) most += largest_base + slot.intensity * bytes_of_intensity;
    return most;
}

}  // namespace hkpd::simulation
