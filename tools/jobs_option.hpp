// `--jobs`: each input by itself, as if the command had been started once for each, several at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "hkpd/write.hpp"
#include "input_options.hpp"
#include "ordered_jobs.hpp"

namespace hkpd {
class Diagnostics;
}

namespace hkpd::command {

/// Adds it to a subcommand's options.
void describe_jobs(po::options_description& shown, InputOptions& options);

/// What is wrong with it, beside the other options and a form of output; else nothing.
std::string check_jobs(const InputOptions& options, Format format);

/// What showing inputs has come to.
struct Shown {
    Exit exit = Exit::good;
    std::uint32_t samples = 0;         ///< that were shown
    std::uint32_t count = 0;           ///< that the input has, of several the longest
    std::vector<Unmatched> unmatched;  ///< as `Filter::unmatched` has it; of several inputs, what none of them has met
};

/// Shows the one input of the options, and adds what it finds to the diagnostics; `exit` is not its business.
using ShowInput = std::function<Shown(const InputOptions& options, Output& output, Diagnostics& diagnostics)>;

/// Shows each input of the options by itself, with `--jobs` threads, and reports what was found in each, in the order
/// of inputs; behind them what was wanted and is in none. With `strict` the first fault ends the program.
Shown show_each(std::string_view subcommand, const InputOptions& options, const ShowInput& show);

}  // namespace hkpd::command
