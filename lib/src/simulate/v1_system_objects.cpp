#include <algorithm>
#include <bit>
#include <string>

#include "simulate/v1_objects.hpp"

namespace hkpd::simulation {
namespace {

constexpr std::uint64_t kibibyte = 1024, gibibyte = 1 << 30;
constexpr std::uint64_t cache_peak = 220 * mebibyte;

Values<15> values_of(const Processor& processor) {
    return {processor.idle,  // % Processor Time, which is shown as 100 % minus idle time
            processor.user,
            processor.privileged,
            processor.interrupts,
            processor.dpc,
            processor.interrupt,
            processor.dpcs,
            processor.dpc_rate,
            processor.idle,
            processor.c1,
            processor.c2,
            0,  // % C3 Time
            processor.c1_transitions,
            processor.c2_transitions,
            0};  // C3 Transitions/sec
}

/// The use of memory in bytes. Each size is a multiple of the page size.
struct MemoryUse {
    std::uint64_t available = 0, committed = 0, commit_limit = 0, pool_paged = 0, pool_nonpaged = 0, cache = 0;
    std::uint64_t zero = 0, reserve = 0, normal = 0;  // sizes of the lists of available pages
};

MemoryUse memory_use(const MachineState& machine) {
    constexpr std::uint64_t system_code = 60 * mebibyte;
    const std::uint64_t ram =
        std::bit_ceil(std::max<std::uint64_t>(machine.model.workload.most_memory() + 2 * gibibyte, 4 * gibibyte));
    const auto whole_pages = [](std::uint64_t bytes) { return bytes / page_size * page_size; };
    MemoryUse use{.commit_limit = ram + ram / 4, .pool_paged = 90 * mebibyte, .pool_nonpaged = 60 * mebibyte};
    std::uint64_t working_sets = 0;
    for (const Process& process : machine.work.processes) {
        working_sets += process.working_set;
        use.committed += process.private_bytes;
        use.pool_paged += process.pool_paged;
        use.pool_nonpaged += process.pool_nonpaged;
    }
    use.pool_paged = whole_pages(use.pool_paged);
    use.pool_nonpaged = whole_pages(use.pool_nonpaged);
    use.cache = whole_pages(cache_peak / 2 + part(cache_peak / 2, Level(machine.model.seed).at(machine.now)));
    const std::uint64_t system = use.pool_paged + use.pool_nonpaged + use.cache + system_code;
    use.committed += system;
    use.available = ram - std::min(ram, working_sets + system);
    const auto available = [&use](Share share) { return part(use.available / page_size, share) * page_size; };
    use.zero = available(percent(30));
    use.reserve = available(percent(6));
    use.normal = available(percent(45));
    return use;
}

Values<36> values_of(const MemoryUse& use, std::uint64_t faults) {
    const std::uint64_t input = part(faults, percent(3)), output = part(faults, percent(1));
    return {faults,
            use.available,
            use.committed,
            use.commit_limit,
            part(faults, percent(2)),   // Write Copies/sec
            part(faults, percent(40)),  // Transition Faults/sec
            part(faults, percent(12)),  // Cache Faults/sec
            part(faults, percent(35)),  // Demand Zero Faults/sec
            input + output,
            input,
            part(input, percent(25)),  // Page Reads/sec
            output,
            use.pool_paged,
            use.pool_nonpaged,
            part(output, percent(10)),  // Page Writes/sec
            use.pool_paged / 400,       // Pool Paged Allocs
            use.pool_nonpaged / 400,    // Pool Nonpaged Allocs
            33'550'000,                 // Free System Page Table Entries
            use.cache,
            cache_peak,
            use.pool_paged / 5 * 4 / page_size * page_size,  // Pool Paged Resident Bytes
            4 * mebibyte,
            2 * mebibyte,  // System Code
            34 * mebibyte,
            12 * mebibyte,  // System Driver
            use.cache,
            use.committed / page_size,
            use.commit_limit / page_size,
            use.available / kibibyte,
            use.available / mebibyte,
            part(faults, percent(1)),  // Transition Pages RePurposed/sec
            use.zero,
            use.cache / 4 / page_size * page_size,  // Modified Page List Bytes
            use.reserve,
            use.normal,
            use.available - use.zero - use.reserve - use.normal};
}

}  // namespace

void append_processors(V1BlockWriter& out, const MachineState& machine) {
    begin_object(out, processor_object, processor_counters, machine);
    const auto add = [&out](std::string_view name, const Processor& processor) {
        out.add_instance(name);
        set_values(out, processor_counters, values_of(processor));
    };
    for (std::size_t i = 0; i < machine.processors.each.size(); ++i) add(std::to_string(i), machine.processors.each[i]);
    add("_Total", machine.processors.total);
    out.end_object();
}

void append_system(V1BlockWriter& out, const MachineState& machine) {
    const Events& events = machine.work.events;
    const std::uint64_t queue = mix(machine.model.seed, 1, machine.now / tick_second) % 8;
    constexpr std::uint64_t registry_used = 71 * mebibyte, registry_quota = 682 * mebibyte;
    begin_object(out, system_object, system_counters, machine);
    out.add_block();
    set_values(out, system_counters,
               {events.reads, events.writes, events.others, events.read_bytes, events.write_bytes, events.other_bytes,
                events.context_switches, events.system_calls, events.reads + events.writes,
                machine.model.clock.filetime(0),  // System Up Time
                queue > 4 ? queue - 4 : 0,        // Processor Queue Length
                machine.work.processes.size() + 1, machine.model.workload.threads() + machine.processors.each.size(),
                0,  // Alignment Fixups/sec
                events.exceptions,
                0,  // Floating Emulations/sec
                registry_used, registry_quota});
    out.end_object();
}

void append_memory(V1BlockWriter& out, const MachineState& machine) {
    begin_object(out, memory_object, memory_counters, machine);
    out.add_block();
    set_values(out, memory_counters, values_of(memory_use(machine), machine.work.events.page_faults));
    out.end_object();
}

}  // namespace hkpd::simulation
