#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "simulate/countersets.hpp"

namespace hkpd::simulation {
namespace {

/// The fields of PCW_PROCESSOR_INFO that Windows' manifest of Processor Information names. Their order is chosen for
/// the simulation. Two counters can show the same field.
struct ProcessorInfo {
    std::uint64_t idle_time, user_time, kernel_time, dpc_time, interrupt_time, c1_time, c2_time, c3_time;
    std::uint64_t c1_transitions, c2_transitions, c3_transitions, available_time, average_idle_time, idle_break_events;
    std::uint64_t scaled_throughput, scaled_kernel_throughput;
    std::uint32_t interrupts, dpc_count, dpc_rate, parking_status, current_frequency, percent_max_frequency;
    std::uint32_t state_flags, clock_interrupts, active_throughput, nominal_throughput;
    std::uint32_t performance_limit, performance_limit_flags;
};

struct ProcessorInfoCounter {
    std::uint32_t id, type;
    std::size_t offset;
    std::string_view name;
    std::uint32_t base = v2::no_id;
    std::string_view help{};
};

// Counter types (winperf.h).
constexpr std::uint32_t timer_100ns = 0x2051'0500, timer_100ns_inverse = 0x2151'0500, count_rate = 0x1041'0400,
                        bulk_count = 0x1041'0500, rawcount = 0x0001'0000, precision_timer = 0x2057'0500,
                        large_raw_base = 0x4003'0500, average_bulk = 0x4002'0500, average_base = 0x4003'0402;

/// The counters of Processor Information. The manifest also has a counter with id 29, which is another base. This
/// counter is not simulated. The counters with ids 30 and 31 are from later Windows versions.
constexpr auto processor_info_counters = std::to_array<ProcessorInfoCounter>({
    {0, timer_100ns_inverse, offsetof(ProcessorInfo, idle_time), "% Processor Time", v2::no_id,
     "How much of the time the processor was busy: all but the time of its idle thread."},
    {1, timer_100ns, offsetof(ProcessorInfo, user_time), "% User Time", v2::no_id,
     "How much of the time it ran in user mode."},
    {2, timer_100ns, offsetof(ProcessorInfo, kernel_time), "% Privileged Time", v2::no_id,
     "How much of the time it ran in privileged mode, its idle thread left out."},
    {3, count_rate, offsetof(ProcessorInfo, interrupts), "Interrupts/sec", v2::no_id,
     "Hardware interrupts that it served."},
    {4, timer_100ns, offsetof(ProcessorInfo, dpc_time), "% DPC Time", v2::no_id, "Time in deferred procedure calls."},
    {5, timer_100ns, offsetof(ProcessorInfo, interrupt_time), "% Interrupt Time", v2::no_id,
     "Time in hardware interrupts."},
    {6, count_rate, offsetof(ProcessorInfo, dpc_count), "DPCs Queued/sec"},
    {7, rawcount, offsetof(ProcessorInfo, dpc_rate), "DPC Rate"},
    {8, timer_100ns, offsetof(ProcessorInfo, idle_time), "% Idle Time", v2::no_id, "How much of the time it was idle."},
    {9, timer_100ns, offsetof(ProcessorInfo, c1_time), "% C1 Time"},
    {10, timer_100ns, offsetof(ProcessorInfo, c2_time), "% C2 Time"},
    {11, timer_100ns, offsetof(ProcessorInfo, c3_time), "% C3 Time"},
    {12, bulk_count, offsetof(ProcessorInfo, c1_transitions), "C1 Transitions/sec"},
    {13, bulk_count, offsetof(ProcessorInfo, c2_transitions), "C2 Transitions/sec"},
    {14, bulk_count, offsetof(ProcessorInfo, c3_transitions), "C3 Transitions/sec"},
    {15, timer_100ns_inverse, offsetof(ProcessorInfo, available_time), "% Priority Time"},
    {16, rawcount, offsetof(ProcessorInfo, parking_status), "Parking Status"},
    {17, rawcount, offsetof(ProcessorInfo, current_frequency), "Processor Frequency", v2::no_id, "In megahertz."},
    {18, rawcount, offsetof(ProcessorInfo, percent_max_frequency), "% of Maximum Frequency"},
    {19, rawcount, offsetof(ProcessorInfo, state_flags), "Processor State Flags"},
    {20, count_rate, offsetof(ProcessorInfo, clock_interrupts), "Clock Interrupts/sec"},
    {21, precision_timer, offsetof(ProcessorInfo, average_idle_time), "Average Idle Time", 22},
    {22, large_raw_base, offsetof(ProcessorInfo, idle_break_events), ""},
    {23, bulk_count, offsetof(ProcessorInfo, idle_break_events), "Idle Break Events/sec"},
    {24, average_bulk, offsetof(ProcessorInfo, scaled_throughput), "% Processor Performance", 25,
     "How fast it was while it was busy, as a percentage of its nominal performance."},
    {25, average_base, offsetof(ProcessorInfo, active_throughput), ""},
    {26, average_bulk, offsetof(ProcessorInfo, scaled_throughput), "% Processor Utility", 27,
     "What it has done, as a percentage of what it would have done without a pause at its nominal performance."},
    {27, average_base, offsetof(ProcessorInfo, nominal_throughput), ""},
    {28, average_bulk, offsetof(ProcessorInfo, scaled_kernel_throughput), "% Privileged Utility", 27},
    {30, rawcount, offsetof(ProcessorInfo, performance_limit), "% Performance Limit"},
    {31, rawcount, offsetof(ProcessorInfo, performance_limit_flags), "Performance Limit Flags"},
});

CountersetDescriptor processor_information_counterset() {
    CountersetDescriptor set;
    set.guid = guid_of("{b4fc721a-0378-476f-89ba-a5a79f810b36}");
    set.provider_guid = guid_of("{383487A6-3676-4870-A4E7-D45B30C35629}");
    set.name = "Processor Information";
    set.help = "What each processor does. Instances are named by NUMA node and by processor in it.";
    set.instances = v2::InstanceType::multi;
    for (const ProcessorInfoCounter& row : processor_info_counters)
        set.counters.push_back(
            {.id = row.id,
             .type = row.type,
             .name = std::string(row.name),
             .help = std::string(row.help),
             .offset = static_cast<std::uint16_t>(row.offset),
             .size = static_cast<std::uint16_t>(CounterType{row.type}.size() == CounterType::Size::large ? 8 : 4),
             .base_id = row.base});
    return set;
}

/// Returns the values of a processor. `now`: time since the boot.
ProcessorInfo processor_values(const Processor& processor, Ticks now) {
    constexpr std::uint32_t megahertz = 2600, performance = 92;  // `performance`: percentage
    constexpr Ticks millisecond = tick_second / 1000;
    const auto low_half = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    ProcessorInfo values{};
    values.idle_time = processor.idle;
    values.user_time = processor.user;
    values.kernel_time = processor.privileged;
    values.dpc_time = processor.dpc;
    values.interrupt_time = processor.interrupt;
    values.c1_time = processor.c1;
    values.c2_time = processor.c2;
    values.c1_transitions = processor.c1_transitions;
    values.c2_transitions = processor.c2_transitions;
    values.available_time = processor.idle + part(processor.busy(), percent(4));
    values.average_idle_time = processor.idle;
    values.idle_break_events = processor.c1_transitions + processor.c2_transitions;
    values.scaled_throughput = processor.busy() / millisecond * performance;
    values.scaled_kernel_throughput = processor.privileged / millisecond * performance;
    values.interrupts = low_half(processor.interrupts);
    values.dpc_count = low_half(processor.dpcs);
    values.dpc_rate = processor.dpc_rate;
    values.current_frequency = megahertz * processor.frequency_percent / 100;
    values.percent_max_frequency = processor.frequency_percent;
    values.clock_interrupts = low_half(processor.clock_interrupts);
    values.active_throughput = low_half(processor.busy() / millisecond);
    values.nominal_throughput = low_half(now / millisecond);
    values.performance_limit = 100;
    return values;
}

}  // namespace

ProcessorInformation::ProcessorInformation(Provider& provider, std::uint32_t processors) {
    const CountersetDescriptor set = processor_information_counterset();
    [[maybe_unused]] const auto added = provider.add(set);
    assert(added);
    const auto add = [&](std::string_view name) {
        const auto id = static_cast<std::uint32_t>(instances_.size());
        if (auto instance = provider.create_instance(set.guid, name, id)) instances_.push_back(*std::move(instance));
    };
    for (std::uint32_t i = 0; i < processors; ++i) add("0," + std::to_string(i));
    add("0,_Total");
    add("_Total");
}

void ProcessorInformation::set(const ProcessorsState& processors, Ticks now) {
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        const bool is_one = i < processors.each.size();
        const ProcessorInfo values = processor_values(is_one ? processors.each[i] : processors.total, now);
        const std::span<const std::byte> data = std::as_bytes(std::span(&values, 1));
        // `ProviderInstance::set` fails only if a program that uses the library has removed the counterset from the
        // provider. There is then nothing to set, so the result is ignored.
        [[maybe_unused]] const auto done = instances_[i].set({&data, 1});
    }
}

}  // namespace hkpd::simulation
