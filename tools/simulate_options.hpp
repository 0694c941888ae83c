// The options of a simulated machine.
#pragma once

#include <optional>
#include <string>

#include "hkpd/capture.hpp"
#include "hkpd/simulate.hpp"
#include "options.hpp"

namespace hkpd::command {

/// What was given; check it before it is used.
struct SimulateOptions {
    bool wanted = false;
    std::optional<std::string> seed, processes, threads, cpus;

    SimulationOptions machine;  ///< filled by `check_simulation`
};

/// Adds `--simulate` to a subcommand's options.
void describe_simulation(po::options_description& shown, SimulateOptions& o);
/// Adds what the machine is like.
void describe_simulated_machine(po::options_description& shown, SimulateOptions& o);

/// What is wrong with the options; else nothing, and `machine` is filled. Where no simulation is wanted, each of its
/// options is wrong.
std::string check_simulation(SimulateOptions& o);

/// What a capture has to say of the machine, so that it can be made again.
void add_provenance(CaptureWriter::Metadata& entries, const SimulateOptions& o);

}  // namespace hkpd::command
