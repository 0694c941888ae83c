// Shows what inputs are: the summary of `hkpd info` and `hkpd capture --info`.
#pragma once

#include "commands/command.hpp"
#include "flags/options.hpp"
#include "hkpd/overview.hpp"

namespace hkpd::command {

/// Writes the summary of each input to standard output, and its faults to standard error. `all`: all objects, and the
/// channels of captures. An input that cannot be read does not stop the others. Returns the highest exit code.
Exit show_overviews(const Strings& inputs, const OverviewOptions& options, bool all, Verbosity verbosity);

}  // namespace hkpd::command
