// The command line of a subcommand, by Boost.Program_options.
#pragma once

#include <boost/program_options.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "help.hpp"

namespace hkpd::command {

using Strings = std::vector<std::string>;

/// Parses the arguments into the variables that `options` names, and what is no option into `words`. An exit code where
/// nothing is left to do: the arguments were wrong (it has been said), or help was asked for (it has been shown). One
/// option may be typed with a single dash too, as other programs have it: `one_dash`, its name without any.
std::optional<Exit> parse_options(std::string_view subcommand, const Strings& arguments,
                                  po::options_description options, Strings& words, const HelpText& text,
                                  std::string_view one_dash = {});

/// An option whose text is kept as it is given, to be read by one of those below.
po::typed_value<std::string>* text_option(std::optional<std::string>& to, const char* shown_as);

/// Reads a number between these into `value`, which stays as it is where none was given; or says what is wrong with it.
template <class T>
std::string read_number(std::string_view option, const std::optional<std::string>& given, std::uint64_t least,
                        std::uint64_t most, T& value) {
    auto number = static_cast<std::uint64_t>(value);
    std::string wrong = read_number<std::uint64_t>(option, given, least, most, number);
    value = static_cast<T>(number);
    return wrong;
}
template <>
std::string read_number(std::string_view option, const std::optional<std::string>& given, std::uint64_t least,
                        std::uint64_t most, std::uint64_t& value);

/// Likewise seconds, such as `0.1`, to the millisecond.
std::string read_seconds(std::string_view option, const std::optional<std::string>& given, double least,
                         std::chrono::nanoseconds& value);

}  // namespace hkpd::command
