// The model of the simulated machine, independent of V1 and V2: the parts of the machine, and the state of each part at
// a time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hkpd/simulate.hpp"
#include "simulate/devices.hpp"
#include "simulate/machine_clock.hpp"
#include "simulate/processors.hpp"
#include "simulate/workload.hpp"

namespace hkpd::simulation {

/// The parts of the machine, which never change. All state derived from them depends only on the options and the time.
struct MachineModel {
    explicit MachineModel(const SimulationOptions& options)
        : seed(mix(options.seed)),
          clock(mix(seed, 1), options.start),
          processors(mix(seed, 2), options.cpus, clock),
          workload(mix(seed, 3), processors.size(), options.processes, options.threads, clock),
          disks{Disk(mix(seed, 4), "0 C:", clock), Disk(mix(seed, 5), "1 D:", clock)},
          adapters{Adapter(mix(seed, 6), "Simulated Gigabit Ethernet Adapter", 1'000'000'000),
                   Adapter(mix(seed, 7), "Simulated Wireless Adapter", 300'000'000)} {}

    std::uint64_t seed;
    MachineClock clock;
    Processors processors;
    Workload workload;
    std::array<Disk, 2> disks;
    std::array<Adapter, 2> adapters;
};

/// The state of each processor at one moment, and the total of all processors.
struct ProcessorsState {
    ProcessorsState(const MachineModel& model, Ticks now)
        : each(model.processors.at(now, model.workload.usage(now))), total(total_of(each)) {}

    std::vector<Processor> each;
    Processor total;
};

/// The state of the whole machine at a time. Keeps a reference to the model.
struct MachineState {
    MachineState(const MachineModel& machine, Ticks time)
        : model(machine),
          now(time),
          processors(machine, time),
          work(machine.workload.at(time, machine.processors.system_time(time))) {}

    const MachineModel& model;
    Ticks now;
    ProcessorsState processors;
    WorkloadState work;
};

}  // namespace hkpd::simulation
