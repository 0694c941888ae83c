// Writes into a block the objects of the simulated machine that are available only through V1.
#pragma once

#include <cstdint>
#include <span>

#include "hkpd/v1_writer.hpp"
#include "simulate/machine_model.hpp"
#include "simulate/v1_counters.hpp"

namespace hkpd::simulation {

void begin_object(V1BlockWriter& out, const ObjectDefinition& object, std::span<const Counter> counters,
                  const MachineState& machine);

void append_system(V1BlockWriter& out, const MachineState& machine);
void append_memory(V1BlockWriter& out, const MachineState& machine);
void append_processes(V1BlockWriter& out, const MachineState& machine);
/// Appends the object Thread. The parents of its instances are the instances of the object Process.
void append_threads(V1BlockWriter& out, const MachineState& machine);
void append_disks(V1BlockWriter& out, const MachineState& machine);
void append_processors(V1BlockWriter& out, const MachineState& machine);
void append_adapters(V1BlockWriter& out, const MachineState& machine);

/// Appends the objects whose title indices are in `objects`, or all objects if `objects` is empty, in ascending order
/// of title indices. As in Windows, Process is also appended if Thread is requested.
void append_v1_objects(V1BlockWriter& out, const MachineState& machine, std::span<const std::uint32_t> objects);

}  // namespace hkpd::simulation
