// Parsing of a subcommand's command line with Boost.Program_options.
#pragma once

#include <boost/program_options.hpp>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands/command.hpp"
#include "flags/help.hpp"
#include "hkpd/limits.hpp"

namespace hkpd::command {

using Strings = std::vector<std::string>;

/// Parses the options among the arguments into the variables of `options`, and all other arguments into `words`.
/// Returns an exit code if nothing is left to do: either the arguments are wrong, and the error was reported, or help
/// was requested and was shown. The option `--cf` is also accepted as `-cf`, as in relog and typeperf.
std::optional<Exit> parse_options(std::string_view subcommand, const Strings& arguments,
                                  po::options_description options, Strings& words, const HelpText& text);

/// Returns the description of an option's value for Boost.Program_options. The value is stored in `to` as text, which
/// the functions below parse. `shown_as`: placeholder for the value in the help.
po::typed_value<std::string>* text_option(std::optional<std::string>& to, const char* shown_as);

/// Returns the number that the entire text represents in digits of the base; none for any other text, and if the number
/// does not fit the type.
template <std::unsigned_integral T>
std::optional<T> whole_number(std::string_view text, int base = 10) noexcept {
    T number = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number, base);
    return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

/// Parses a number from `least` to `most` into `value`. If no number was given, `value` is unchanged. Returns the error
/// message; empty on success.
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

/// Adds `--limit-expansion` to a subcommand's options. The given value is stored in `given`.
void describe_expansion(po::options_description& shown, std::optional<std::string>& given);
/// Parses the value of `--limit-expansion` into `limits`. Returns the error message; empty on success.
std::string read_expansion(const std::optional<std::string>& given, Limits& limits);

/// Parses seconds such as `0.1` into `value`, rounded to milliseconds. If no seconds were given, `value` is unchanged.
/// Returns the error message; empty on success.
std::string read_seconds(std::string_view option, const std::optional<std::string>& given, double least,
                         std::chrono::nanoseconds& value);

}  // namespace hkpd::command
