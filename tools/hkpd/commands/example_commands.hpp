// Commands that show more of an input, to be copied from the end of its summary.
#pragma once

#include <string>

#include "flags/options.hpp"
#include "hkpd/overview.hpp"
#include "hkpd/source.hpp"

namespace hkpd::command {

/// Returns the command that shows the faults of an input. `subdirectories`: how the overview was made.
std::string check_command(const std::string& input, const Overview& overview, Subdirectories subdirectories);

/// Appends three commands that fit an input, with counter paths that it has. Appends nothing for standard input, which
/// can be read only once, and for an input without samples and titles.
void append_example_commands(std::string& out, const std::string& input, const Overview& overview,
                             Subdirectories subdirectories);

/// Returns the command that shows everything in the inputs.
std::string command_for_all(std::string_view subcommand, const Strings& inputs, Subdirectories subdirectories);

}  // namespace hkpd::command
