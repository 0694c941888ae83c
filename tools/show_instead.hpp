// What `dump` and `replay` show on a terminal instead of everything in an input.
#pragma once

#include <string_view>

#include "hkpd/reader.hpp"
#include "input_options.hpp"
#include "jobs_option.hpp"

namespace hkpd::command {

/// Writes a short overview of the inputs to standard output, and three commands that show more. Reads as much of the
/// inputs as can be read in about two seconds. `subcommand`: `dump` or `replay`. Reports the faults that were found.
/// Returns the exit code for them, and the number of samples. Writes nothing if there is no sample.
Shown show_instead(std::string_view subcommand, const InputOptions& options, ReaderOptions how);

}  // namespace hkpd::command
