// `--jobs`: each input is processed separately, as if the command had been run once for each input. Several inputs are
// processed at the same time.
#pragma once

#include <cstddef>
#include <string>

#include "flags/input_options.hpp"
#include "hkpd/format.hpp"

namespace hkpd::command {

/// Adds `--jobs` to a subcommand's options.
void describe_jobs(po::options_description& shown, InputOptions& options);

/// Returns what is wrong with `--jobs` in combination with the other options and the output format; empty if nothing.
std::string check_jobs(const InputOptions& options, Format format);

/// Returns the number of inputs that are processed at the same time, of options that `check_jobs` accepts.
std::size_t number_of_jobs(const InputOptions& options);

}  // namespace hkpd::command
