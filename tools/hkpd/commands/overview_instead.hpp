// What `dump` and `replay` show on a terminal instead of everything in an input.
#pragma once

#include <string_view>

#include "flags/input_options.hpp"

namespace hkpd::command {

/// Returns whether all the samples of files would be shown: no option selects objects, instances or counters, and the
/// samples are those of files.
bool shows_everything(const InputOptions& options);

/// Writes the summary of each input, as `hkpd info` does, and the command that shows everything. `subcommand`: `dump`
/// or `replay`. Returns the exit code for the faults that were found.
Exit overview_instead(std::string_view subcommand, const InputOptions& options);

}  // namespace hkpd::command
