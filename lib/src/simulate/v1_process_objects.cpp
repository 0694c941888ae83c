#include <algorithm>
#include <string>

#include "simulate/v1_objects.hpp"

namespace hkpd::simulation {
namespace {

using ProcessValues = Values<28>;
using ThreadValues = Values<12>;

// States (KTHREAD_STATE) and wait reasons (KWAIT_REASON), as the help texts of Thread State and Thread Wait Reason list
// them.
constexpr std::uint64_t ready = 1, running = 2, waiting = 5;
constexpr std::uint64_t executive = 0, user_request = 6, worker_queue = 15;

ProcessValues values_of(const Process& process, const MachineClock& clock) {
    const Events& events = process.events;
    return {process.user + process.privileged,
            process.user,
            process.privileged,
            process.virtual_peak,
            process.virtual_bytes,
            events.page_faults,
            process.working_set_peak,
            process.working_set,
            process.private_peak,   // Page File Bytes Peak
            process.private_bytes,  // Page File Bytes
            process.private_bytes,
            process.threads.size(),
            process.priority,
            clock.filetime(process.started),  // Elapsed Time
            process.id,
            process.creator,
            process.pool_paged,
            process.pool_nonpaged,
            process.handles,
            events.reads,
            events.writes,
            events.reads + events.writes,
            events.others,
            events.read_bytes,
            events.write_bytes,
            events.read_bytes + events.write_bytes,
            events.other_bytes,
            process.working_set_private};
}

/// The values of the instance `_Total`: sums over all instances. Counters that describe a single process or thread are
/// 0 instead, and Elapsed Time is the time of the sample.
template <std::size_t Count>
class Total {
  public:
    explicit Total(const Counter (&counters)[Count]) : counters_(counters) {}
    void add(const Values<Count>& values) {
        for (std::size_t i = 0; i < Count; ++i) sum_[i] += values[i];
    }
    /// Returns the values of `_Total`. `now`: time of the sample, which becomes the value of the counter Elapsed Time.
    Values<Count> values(std::uint64_t now) const {
        constexpr std::uint32_t elapsed_time = 684;
        constexpr std::uint32_t of_one[] = {46, 336, 682, 694, 706, 784, 804, 1410};  // title indices
        Values<Count> values = sum_;
        for (std::size_t i = 0; i < Count; ++i) {
            if (counters_[i].title_index == elapsed_time) values[i] = now;
            if (std::ranges::find(of_one, counters_[i].title_index) != std::end(of_one)) values[i] = 0;
        }
        return values;
    }

  private:
    const Counter (&counters_)[Count];
    Values<Count> sum_{};
};

/// Returns the process Idle without its threads. Windows runs Idle when no other process runs.
Process idle_process(const MachineState& machine) {
    Process idle;
    idle.name = "Idle";
    idle.working_set = idle.working_set_peak = idle.working_set_private = 8192;
    for (const Processor& processor : machine.processors.each) idle.privileged += processor.idle;
    return idle;
}

ThreadValues values_of(const Process& process, std::size_t place, const MachineState& machine) {
    const Thread& thread = process.threads[place];
    const Ticks user = part(process.user, thread.share), privileged = part(process.privileged, thread.share);
    const bool is_system = process.creator == 0;
    const bool is_ready = mix(thread.random, machine.now / tick_second) % 64 == 0;
    const std::uint64_t boost = is_ready ? 0 : thread.random % 3;
    return {user + privileged,
            user,
            privileged,
            part(process.events.context_switches, thread.share),
            machine.model.clock.filetime(process.started),  // Elapsed Time: threads start with their process
            process.priority + boost,
            process.priority,
            is_system ? 0x8000'0000 | (thread.random & 0x0FFF'FFF0) : 0x7700'0000 | (thread.random & 0xFF'FFF0),
            is_ready ? ready : waiting,
            is_ready    ? executive
            : is_system ? executive
                        : (thread.random % 4 == 0 ? worker_queue : user_request),
            process.id,
            process.first_thread_id + 4 * place};
}

/// Returns the values of a thread of the process Idle. This process has one thread for each processor.
ThreadValues idle_thread(const Processor& processor, const MachineState& machine) {
    return {processor.idle,
            0,
            processor.idle,
            processor.c1_transitions + processor.c2_transitions,  // Context Switches/sec
            machine.model.clock.filetime(0),
            0,
            0,
            0x8000'0000,  // Start Address
            running,
            executive,
            0,
            0};
}

}  // namespace

void append_processes(V1BlockWriter& out, const MachineState& machine) {
    constexpr std::size_t thread_count = 11;
    static_assert(process_counters[thread_count].title_index == 680);
    const MachineClock& clock = machine.model.clock;
    begin_object(out, process_object, process_counters, machine);
    Total total(process_counters);
    const auto add = [&](std::string_view name, const ProcessValues& values) {
        out.add_instance(name);
        set_values(out, process_counters, values);
        total.add(values);
    };
    const Process idle = idle_process(machine);
    ProcessValues idle_values = values_of(idle, clock);
    idle_values[thread_count] = machine.processors.each.size();
    add(idle.name, idle_values);
    for (const Process& process : machine.work.processes) add(process.name, values_of(process, clock));
    add("_Total", total.values(clock.filetime(machine.now)));
    out.end_object();
}

void append_threads(V1BlockWriter& out, const MachineState& machine) {
    begin_object(out, thread_object, thread_counters, machine);
    Total total(thread_counters);
    std::uint32_t parent = 0;
    const auto add = [&](std::string_view name, const ThreadValues& values) {
        out.add_instance(name, -1, process_object.title, parent);
        set_values(out, thread_counters, values);
        total.add(values);
    };
    for (std::size_t i = 0; i < machine.processors.each.size(); ++i)
        add(std::to_string(i), idle_thread(machine.processors.each[i], machine));
    for (const Process& process : machine.work.processes) {
        ++parent;
        for (std::size_t i = 0; i < process.threads.size(); ++i) add(std::to_string(i), values_of(process, i, machine));
    }
    ++parent;
    add("_Total", total.values(machine.model.clock.filetime(machine.now)));
    out.end_object();
}

}  // namespace hkpd::simulation
