// The options of a simulated machine.
#pragma once

#include <optional>
#include <string>

#include "flags/options.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/simulate.hpp"

namespace hkpd::command {

/// The options as given on the command line. `check_simulation` must be called before they are used.
struct SimulateOptions {
    bool wanted = false;
    std::optional<std::string> seed, processes, threads, cpus;

    SimulationOptions machine;  ///< filled by `check_simulation`
};

/// Adds `--simulate` to a subcommand's options.
void describe_simulation(po::options_description& shown, SimulateOptions& o);
/// Adds the options that describe the simulated machine.
void describe_simulated_machine(po::options_description& shown, SimulateOptions& o);

/// Returns what is wrong with the options; if nothing, returns an empty text and fills `machine`. If --simulate is not
/// given, each of the other options is wrong.
std::string check_simulation(SimulateOptions& o);

/// Adds the options of the simulated machine to the metadata of a capture, so that the capture can be reproduced.
void add_provenance(CaptureWriter::Metadata& entries, const SimulateOptions& o);

}  // namespace hkpd::command
