// The options of reading a machine's counters now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hkpd/capture.hpp"
#include "hkpd/live.hpp"
#include "options.hpp"
#include "simulate_options.hpp"

namespace hkpd::command {

/// What was given; check it before it is used.
struct LiveOptions {
    bool live = false;
    SimulateOptions simulate;
    std::string query, machine, perflib;
    std::optional<std::string> count, interval, duration;

    LiveQuery wanted;          ///< its doors are for the subcommand to choose; the rest is filled by `check_live`
    bool v2_if_there = false;  ///< V2 is wanted where the system has it, and not missed elsewhere
    Schedule schedule;         ///< filled by `check_live`

    /// Whether samples come from a machine at all.
    bool any() const noexcept { return live || simulate.wanted; }
    /// What the machine is called whose place in the network is `\\HOST`.
    std::string machine_name() const;
};

/// Adds them to a subcommand's options.
void describe_live(po::options_description& shown, LiveOptions& o);

/// What is wrong with the options; else nothing. Where no machine is wanted, each of them is wrong. `usual_count` is
/// how many samples there are where nothing is said of it; 0: no end, but of a machine whose time passes at once.
std::string check_live(LiveOptions& o, std::uint64_t usual_count);

/// What is said of a query where V2 alone is wanted.
inline constexpr const char* query_without_registry =
    "--query is what the registry is asked for, which is left out: --object chooses countersets";

/// What a capture has to say of how it came to be.
void add_provenance(CaptureWriter::Metadata& entries, const LiveOptions& o);

}  // namespace hkpd::command
