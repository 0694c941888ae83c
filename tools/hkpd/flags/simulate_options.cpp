#include "flags/simulate_options.hpp"

#include <fmt/format.h>

#include <limits>

namespace hkpd::command {
namespace {

/// Maximum values of the options. They limit the memory that a simulation needs, and exclude numbers that no real
/// machine has.
constexpr std::uint64_t most_processes = 100'000, most_threads = 1'000'000, most_cpus = 1'024;

}  // namespace

void describe_simulation(po::options_description& shown, SimulateOptions& o) {
    shown.add_options()("simulate", po::bool_switch(&o.wanted),
                        "counters of a simulated machine; --live: in real time");
}

void describe_simulated_machine(po::options_description& shown, SimulateOptions& o) {
    auto add = shown.add_options();
    add("seed", text_option(o.seed, "N"), "simulated: seed (default 1)");
    add("processes", text_option(o.processes, "N"), "simulated: number of processes (default 40)");
    add("threads", text_option(o.threads, "N"), "simulated: number of threads (default 300)");
    add("cpus", text_option(o.cpus, "N"), "simulated: number of processors (default 4)");
}

std::string check_simulation(SimulateOptions& o) {
    if (!o.wanted)
        return o.seed || o.processes || o.threads || o.cpus
                   ? "--seed, --processes, --threads and --cpus require --simulate"
                   : "";
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    for (const std::string& wrong : {read_number("--seed", o.seed, 0, any, o.machine.seed),
                                     read_number("--processes", o.processes, 1, most_processes, o.machine.processes),
                                     read_number("--threads", o.threads, 1, most_threads, o.machine.threads),
                                     read_number("--cpus", o.cpus, 1, most_cpus, o.machine.cpus)})
        if (!wrong.empty()) return wrong;
    if (o.machine.threads >= o.machine.processes) return {};
    if (o.threads) return fmt::format("--threads: expected at least {}, one for each process", o.machine.processes);
    o.machine.threads = o.machine.processes;
    return {};
}

void add_provenance(CaptureWriter::Metadata& entries, const SimulateOptions& o) {
    entries["source"] = "simulated machine";
    entries["seed"] = fmt::to_string(o.machine.seed);
    entries["processes"] = fmt::to_string(o.machine.processes);
    entries["threads"] = fmt::to_string(o.machine.threads);
    entries["cpus"] = fmt::to_string(o.machine.cpus);
}

}  // namespace hkpd::command
