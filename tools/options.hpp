// The command line of a subcommand, by Boost.Program_options.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace hkpd::command {

namespace po = boost::program_options;
using Strings = std::vector<std::string>;

/// What `--help` shows around the options.
struct HelpText {
    std::string_view before, after;
};

/// An empty description of options, as wide as help is shown.
po::options_description new_options();

/// Parses the arguments into the variables that `options` names, and what is no option into `words`. An exit code where
/// nothing is left to do: the arguments were wrong (it has been said), or help was asked for (it has been shown).
std::optional<Exit> parse_options(std::string_view subcommand, const Strings& arguments,
                                  po::options_description options, Strings& words, const HelpText& help);

}  // namespace hkpd::command
