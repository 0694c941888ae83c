// The options for reading the current counters of a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hkpd/capture.hpp"
#include "hkpd/live.hpp"
#include "options.hpp"
#include "simulate_options.hpp"

namespace hkpd::command {

/// The given options, to be checked before use.
struct LiveOptions {
    bool live = false;
    SimulateOptions simulate;
    std::string query, machine, perflib;
    std::optional<std::string> count, interval, duration;

    LiveQuery wanted;          ///< the subcommand sets the interfaces, `check_live` sets the rest
    bool v2_if_there = false;  ///< V2 is read if the system has it; if not, no fault is reported
    Schedule schedule;         ///< filled by `check_live`

    /// Returns whether samples come from a machine.
    bool any() const noexcept { return live || simulate.wanted; }
    /// Returns the name of the machine, without the backslashes of a network name `\\HOST`.
    std::string machine_name() const;
};

/// Adds the live options to a subcommand's options.
void describe_live(po::options_description& shown, LiveOptions& o);

/// Returns what is wrong with the options; empty if nothing. If samples do not come from a machine, it is wrong to give
/// any of these options. `usual_count` is the default number of samples. If it is 0, there is no limit, but only one
/// sample of a simulated machine that does not run in real time.
std::string check_live(LiveOptions& o, std::uint64_t usual_count);

/// The message for a `--query` that has no effect because only V2 is read.
inline constexpr const char* query_without_registry =
    "--query applies to the registry, which is not read: select countersets with --object";

/// Adds the origin of a capture to its metadata.
void add_provenance(CaptureWriter::Metadata& entries, const LiveOptions& o);

}  // namespace hkpd::command
