#include "simulate/v1_objects.hpp"

#include <algorithm>

namespace hkpd::simulation {

void begin_object(V1BlockWriter& out, const ObjectDefinition& object, std::span<const Counter> counters,
                  const MachineState& machine) {
    V1BlockWriter::Object header{.title_index = object.title,
                                 .help_index = object.help,
                                 .detail_level = object.detail_level,
                                 .default_counter = object.default_counter,
                                 .is_list = object.is_list};
    if (object.has_clock) {
        header.perf_time = static_cast<std::int64_t>(machine.model.clock.filetime(machine.now));
        header.perf_frequency = tick_second;
    }
    out.begin_object(header, counters, object.block_size);
}

void append_v1_objects(V1BlockWriter& out, const MachineState& machine, std::span<const std::uint32_t> objects) {
    const auto wanted = [objects](const ObjectDefinition& object) {
        return objects.empty() || std::ranges::find(objects, object.title) != objects.end();
    };
    const bool threads = wanted(thread_object);
    if (wanted(system_object)) append_system(out, machine);
    if (wanted(memory_object)) append_memory(out, machine);
    if (wanted(process_object) || threads) append_processes(out, machine);
    if (threads) append_threads(out, machine);
    if (wanted(disk_object)) append_disks(out, machine);
    if (wanted(processor_object)) append_processors(out, machine);
    if (wanted(adapter_object)) append_adapters(out, machine);
}

}  // namespace hkpd::simulation
