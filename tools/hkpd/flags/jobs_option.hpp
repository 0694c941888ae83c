// `--jobs`: each input is processed separately, as if the command had been run once for each input. Several inputs are
// processed at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "flags/input_options.hpp"
#include "hkpd/write.hpp"
#include "terminal/ordered_jobs.hpp"
#include "terminal/output_file.hpp"

namespace hkpd {
class Diagnostics;
}

namespace hkpd::command {

/// Adds `--jobs` to a subcommand's options.
void describe_jobs(po::options_description& shown, InputOptions& options);

/// Returns what is wrong with `--jobs` in combination with the other options and the output format; empty if nothing.
std::string check_jobs(const InputOptions& options, Format format);

/// The result of showing one or several inputs.
struct Shown {
    Exit exit = Exit::good;
    std::uint32_t samples = 0;         ///< number of samples shown
    std::uint64_t values = 0;          ///< number of values shown
    std::uint32_t count = 0;           ///< number of samples in the input, or in the longest of several inputs
    std::vector<Unmatched> unmatched;  ///< filters that matched in no input, see `Filter::unmatched`
};

/// A function that shows the single input of `options`, and adds the faults of the input to `diagnostics`. The function
/// does not set `Shown::exit`.
using ShowInput = std::function<Shown(const InputOptions& options, Output& output, Diagnostics& diagnostics)>;

/// Shows each input of the options separately, with `--jobs` threads. Reports the faults of each input in the order of
/// the inputs. Then reports the filters that matched nothing in any input. Returns the result of all inputs together.
/// With `strict`, the first fault ends the program. The text of all inputs goes to `file`.
Shown show_each(std::string_view subcommand, const InputOptions& options, OutputFile& file, const ShowInput& show);

}  // namespace hkpd::command
