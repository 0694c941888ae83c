// The options for reading the current counters of a machine.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "flags/options.hpp"
#include "flags/simulate_options.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/live.hpp"

namespace hkpd::command {

/// A list of what a query requests and the machine does not have. The thread that reads the machine adds to it.
class UnmatchedQueries {
  public:
    void add(UnmatchedQuery unmatched);
    /// Returns a copy of what was added.
    std::vector<UnmatchedQuery> all() const;

  private:
    mutable std::mutex mutex_;
    std::vector<UnmatchedQuery> all_;
};

/// Returns an unmatched part of a query as a message names it: `object 'Procesor'`.
std::string text_of(const UnmatchedQuery& unmatched);

/// The options as given on the command line. `check_live` must be called before they are used.
struct LiveOptions {
    bool live = false;
    SimulateOptions simulate;
    std::string query, machine, perflib;
    std::optional<std::string> count, interval, duration;
    /// Number of samples if neither --count nor --duration is given; 0 means no limit. A simulated machine without
    /// --live would then produce samples forever without waiting, so it has one sample instead.
    std::uint64_t usual_count = 1;

    LiveQuery wanted;          ///< `check_live` sets `value`, the subcommand sets all other members
    bool v2_if_there = false;  ///< V2 is read if the system has it; if not, no fault is reported
    Schedule schedule;         ///< filled by `check_live`
    /// Filled when the first sample has been read. Copies of the options share it.
    std::shared_ptr<UnmatchedQueries> unmatched = std::make_shared<UnmatchedQueries>();

    /// Returns whether samples come from a machine, real or simulated, instead of from files.
    bool any() const noexcept { return live || simulate.wanted; }
    /// Returns the name of the machine, without the backslashes of a network name `\\HOST`.
    std::string machine_name() const;
};

/// Adds the live options to a subcommand's options. `o.usual_count` must be set before.
void describe_live(po::options_description& shown, LiveOptions& o);

/// Checks the options and completes them. Returns the error message; empty on success. If samples come neither from a
/// real nor from a simulated machine, --count, --interval, --duration, --query and the options of the simulated machine
/// are errors.
std::string check_live(LiveOptions& o);

/// The message for a `--query` that has no effect because only V2 is read.
inline constexpr const char* query_without_registry =
    "--query applies to the registry, which is not read: select countersets with --object";

/// Adds the origin of a capture to its metadata.
void add_provenance(CaptureWriter::Metadata& entries, const LiveOptions& o);

}  // namespace hkpd::command
