#include "simulate/v1_objects.hpp"

namespace hkpd::simulation {
namespace {

constexpr std::uint32_t precision_100ns_timer = 0x20570500;  // PERF_PRECISION_100NS_TIMER

/// Returns the values of a disk. `time`: time of the sample in units of 100 ns, which is the base of the counters that
/// are percentages of time.
Values<31> values_of(const DiskState& disk, std::uint64_t time) {
    const Ticks busy = disk.reading + disk.writing;
    const std::uint64_t transfers = disk.reads + disk.writes, bytes = disk.read_bytes + disk.write_bytes;
    // The counters whose names begin with "Avg. Disk sec" measure time in ticks of the clock that
    // QueryPerformanceCounter reads. In the simulation, such a tick is 100 ns, so these times have the same unit as the
    // others.
    return {disk.queue,  // Current Disk Queue Length
            busy,
            time,  // % Disk Time
            busy,  // Avg. Disk Queue Length
            disk.reading,
            time,          // % Disk Read Time
            disk.reading,  // Avg. Disk Read Queue Length
            disk.writing,
            time,          // % Disk Write Time
            disk.writing,  // Avg. Disk Write Queue Length
            busy,
            transfers,  // Avg. Disk sec/Transfer
            disk.reading,
            disk.reads,  // Avg. Disk sec/Read
            disk.writing,
            disk.writes,  // Avg. Disk sec/Write
            transfers,
            disk.reads,
            disk.writes,  // Disk Transfers, Reads, Writes/sec
            bytes,
            disk.read_bytes,
            disk.write_bytes,  // Disk Bytes, Read Bytes, Write Bytes/sec
            bytes,
            transfers,  // Avg. Disk Bytes/Transfer
            disk.read_bytes,
            disk.reads,  // Avg. Disk Bytes/Read
            disk.write_bytes,
            disk.writes,  // Avg. Disk Bytes/Write
            disk.idle,
            time,          // % Idle Time
            disk.splits};  // Split IO/Sec
}

Values<17> values_of(const AdapterState& adapter, std::uint64_t bandwidth) {
    const std::uint64_t received = adapter.received_unicast + adapter.received_other,
                        sent = adapter.sent_unicast + adapter.sent_other;
    return {adapter.received_bytes + adapter.sent_bytes,
            received + sent,
            received,
            sent,
            bandwidth,
            adapter.received_bytes,
            adapter.received_unicast,
            adapter.received_other,
            adapter.discarded,  // Packets Received Discarded
            0,                  // Packets Received Errors
            0,                  // Packets Received Unknown
            adapter.sent_bytes,
            adapter.sent_unicast,
            adapter.sent_other,
            0,   // Packets Outbound Discarded
            0,   // Packets Outbound Errors
            0};  // Output Queue Length
}

}  // namespace

void append_disks(V1BlockWriter& out, const MachineState& machine) {
    begin_object(out, disk_object, disk_counters, machine);
    const std::uint64_t time = machine.model.clock.filetime(machine.now);
    DiskState total;
    for (const Disk& disk : machine.model.disks) {
        const DiskState state = disk.at(machine.now);
        out.add_instance(disk.name());
        set_values(out, disk_counters, values_of(state, time));
        total.queue += state.queue;
        for (const auto member : {&DiskState::reads, &DiskState::writes, &DiskState::splits, &DiskState::read_bytes,
                                  &DiskState::write_bytes, &DiskState::reading, &DiskState::writing, &DiskState::idle})
            total.*member += state.*member;
    }
    out.add_instance("_Total");
    Values<31> values = values_of(total, time);
    // In the total, percentages are averages over the disks.
    for (std::size_t i = 0; i < values.size(); ++i)
        if (disk_counters[i].type == precision_100ns_timer) values[i] /= machine.model.disks.size();
    set_values(out, disk_counters, values);
    out.end_object();
}

void append_adapters(V1BlockWriter& out, const MachineState& machine) {
    begin_object(out, adapter_object, adapter_counters, machine);
    for (const Adapter& adapter : machine.model.adapters) {
        out.add_instance(adapter.name());
        set_values(out, adapter_counters, values_of(adapter.at(machine.now), adapter.bandwidth()));
    }
    out.end_object();
}

}  // namespace hkpd::simulation
