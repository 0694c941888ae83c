// Shows what inputs are: the summary of `hkpd info` and `hkpd capture --info`.
#pragma once

#include <functional>
#include <string>

#include "commands/command.hpp"
#include "flags/options.hpp"
#include "hkpd/overview.hpp"

namespace hkpd::command {

/// Writes the summary of each input to standard output, and its faults to standard error. `all`: all objects, and the
/// channels of captures. An input that cannot be read does not stop the others. Returns the highest exit code.
Exit show_overviews(const Strings& inputs, const OverviewOptions& options, bool all, Verbosity verbosity);

/// Writes the counter paths of an input, one per line, and reports an error if some are left out. The number of paths
/// is that of counters times instances, so that a small input can have very many: at most `Limits::series` are written,
/// and about `Limits::names` bytes. `write` takes all of the text and leaves it empty.
void write_paths(const Overview& overview, const Limits& limits, const std::function<void(std::string&)>& write,
                 Diagnostics& diagnostics);

}  // namespace hkpd::command
