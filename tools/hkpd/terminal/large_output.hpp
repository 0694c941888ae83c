// How large the output of a run will be: stated before it begins, if that is more than people expect.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "commands/sample_run.hpp"

namespace hkpd::command {

/// Returns the size of the text that a run will write, in bytes. It is an estimate from the number of samples of the
/// inputs, which large captures and logs state, and from the text of the first samples that are selected. Of many
/// files, only some are looked at. Returns none if nothing is known: of a machine, of standard input, and of V2 files.
std::optional<std::uint64_t> estimate_output(const SampleRun& run);

/// Writes a line to standard error, if that is a terminal, which states the size of the output and names smaller forms.
/// Writes nothing for an output of less than 100 MB.
void state_large_output(const SampleRun& run, std::string_view format);

}  // namespace hkpd::command
