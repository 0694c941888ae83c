#include "simulate/processors.hpp"

#include <algorithm>

namespace hkpd::simulation {
namespace {

/// Shares of a processor's time that the simulated system takes for its own work: `steady`, plus a share that changes
/// over time. The average of this second share over time differs from processor to processor, and is between
/// `least_varying` and `most_varying`.
constexpr Share steady = percent(3), least_varying = percent(2), most_varying = percent(6);
constexpr std::uint64_t clock_rate = 64'000;  // clock interrupts in 1000 seconds: one every 15.6 ms

}  // namespace

Processor total_of(std::span<const Processor> processors) noexcept {
    Processor total{.frequency_percent = 0};
    for (const Processor& each : processors) {
        for (const auto member :
             {&Processor::idle, &Processor::user, &Processor::privileged, &Processor::dpc, &Processor::interrupt,
              &Processor::c1, &Processor::c2, &Processor::c1_transitions, &Processor::c2_transitions,
              &Processor::interrupts, &Processor::clock_interrupts, &Processor::dpcs})
            total.*member += each.*member;
        total.dpc_rate += each.dpc_rate;
        total.frequency_percent += each.frequency_percent;
    }
    const std::uint64_t count = std::max<std::size_t>(processors.size(), 1);
    for (const auto member : {&Processor::idle, &Processor::user, &Processor::privileged, &Processor::dpc,
                              &Processor::interrupt, &Processor::c1, &Processor::c2})
        total.*member /= count;
    total.dpc_rate = static_cast<std::uint32_t>(total.dpc_rate / count);
    total.frequency_percent = static_cast<std::uint32_t>(total.frequency_percent / count);
    return total;
}

Processors::Processors(std::uint64_t seed, std::uint32_t count, const MachineClock& clock) : wrapped_(clock.wrapped()) {
    count = std::max(count, 1U);
    const auto weight = [seed](std::uint32_t i) { return pick(mix(seed, 1, i), 8'000, 12'000); };
    std::uint64_t weights = 0;
    for (std::uint32_t i = 0; i < count; ++i) weights += weight(i);
    each_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Activity activity(mix(seed, 2, i));
        each_.push_back({.activity = activity,
                         .level = Level(mix(seed, 3, i)),
                         .share = share_of(weight(i), weights),
                         .varying = static_cast<Share>(pick(mix(seed, 6, i), least_varying, most_varying)),
                         .interrupt_rate = pick(mix(seed, 4, i), 150'000, 900'000),
                         .dpc_rate = pick(mix(seed, 5, i), 60'000, 400'000),
                         .active_wrapped = activity.at(wrapped_)});
    }
}

Ticks Processors::own_time(const Each& each, Ticks now) noexcept {
    return part(now, steady) + part(each.activity.at(now), each.varying);
}

Ticks Processors::system_time(Ticks now) const noexcept {
    Ticks sum = 0;
    for (const Each& each : each_) sum += own_time(each, now);
    return sum;
}

std::vector<Processor> Processors::at(Ticks now, const Usage& processes) const {
    std::vector<Processor> processors;
    processors.reserve(each_.size());
    for (const Each& each : each_) {
        const Ticks own = own_time(each, now), active = each.activity.at(now), recent = active - each.active_wrapped;
        const Share level = each.level.at(now);
        Processor processor;
        processor.user = part(processes.user, each.share);
        processor.privileged = own + part(processes.privileged, each.share);
        processor.idle = now - processor.busy();
        processor.dpc = part(own, percent(18));
        processor.interrupt = part(own, percent(9));
        processor.c1 = part(processor.idle, percent(22));
        processor.c2 = part(processor.idle, percent(71));
        processor.c1_transitions = count(180'000, active);
        processor.c2_transitions = count(420'000, active);
        processor.clock_interrupts = count(clock_rate, now - wrapped_);
        processor.interrupts = processor.clock_interrupts + count(each.interrupt_rate, recent);
        processor.dpcs = count(each.dpc_rate, recent);
        processor.dpc_rate = static_cast<std::uint32_t>(part(24, level));
        processor.frequency_percent = static_cast<std::uint32_t>(55 + part(46, level));
        processors.push_back(processor);
    }
    return processors;
}

}  // namespace hkpd::simulation
