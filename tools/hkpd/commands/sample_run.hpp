// What the subcommands that read samples share: the run over their inputs, and how it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "flags/input_options.hpp"
#include "flags/time_options.hpp"
#include "hkpd/run.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {

/// The options of a subcommand from which the end of a run is decided.
struct RunRequest {
    std::string_view subcommand;
    const InputOptions& input;
    const TimeOptions& times;
    std::optional<std::int64_t> sample{};  ///< the only sample that is shown, if one was requested
};

/// Reports the faults of the inputs and returns the exit code for them. `samples` is the number of samples shown.
Exit report_faults(const InputOptions& options, const Diagnostics& diagnostics, std::uint64_t samples);

/// Reports why nothing was selected, and the filters that matched nothing. Returns the exit code for this.
Exit report_selection(const RunRequest& request, const RunCount& count);

/// Reports the faults of a run and returns the exit code for them. If it is `Exit::good`, does the same for what was
/// selected.
Exit conclude(const RunRequest& request, const Diagnostics& diagnostics, const RunCount& count);

/// A run whose text goes to a file.
struct SampleRun {
    RunRequest request;
    ReaderOptions how;
    /// The writer, the filter and what else the subcommand sets. `run_samples` sets how inputs are opened, their
    /// number, the number of jobs and `strict`.
    Run run{};
    bool shows_samples = true;  ///< the text has each sample, so that it shows the progress
    /// Receives the exit code and the amount of data before the file is completed, and returns the exit code. May be
    /// empty.
    std::function<Exit(Exit found, const RunCount& count)> before_finish{};
    std::string_view database{};  ///< the file that the writer itself writes; for messages
};

/// Runs a subcommand: with `--jobs`, each input by itself. Reports the faults of each input in the order of the inputs,
/// then what matched nothing in any, and completes the file. Returns the exit code. Ends the program at once if a
/// provider was abandoned or, with `--jobs` and `--strict`, at the first fault: later parts are possibly waiting for
/// input that never comes.
Exit run_samples(SampleRun& o, OutputFile& file);

}  // namespace hkpd::command
