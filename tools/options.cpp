#include "options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <sstream>

namespace hkpd::command {

po::typed_value<std::string>* text_option(std::optional<std::string>& to, const char* shown_as) {
    return po::value<std::string>()->value_name(shown_as)->notifier([&to](const std::string& text) { to = text; });
}

template <>
std::string read_number(std::string_view option, const std::optional<std::string>& given, std::uint64_t least,
                        std::uint64_t most, std::uint64_t& value) {
    if (!given) return {};
    std::uint64_t number = 0;
    const char* const end = std::to_address(given->end());
    const auto parsed = std::from_chars(given->data(), end, number);
    if (parsed.ec != std::errc{} || parsed.ptr != end || number < least || number > most)
        return fmt::format("{} takes a number, {} to {}, not '{}'", option, least, most, *given);
    value = number;
    return {};
}

std::string read_seconds(std::string_view option, const std::optional<std::string>& given, double least,
                         std::chrono::nanoseconds& value) {
    if (!given) return {};
    constexpr double most = 1e6, milliseconds_per_second = 1000;
    double seconds = 0;
    const char* const end = std::to_address(given->end());
    const auto parsed = std::from_chars(given->data(), end, seconds);
    if (parsed.ec != std::errc{} || parsed.ptr != end || !(seconds >= least && seconds <= most))
        return fmt::format("{} takes seconds, {} to {:.0f}, not '{}'", option, least, most, *given);
    value = std::chrono::milliseconds(std::llround(seconds * milliseconds_per_second));
    return {};
}

po::options_description new_options() {
    constexpr unsigned width = 100;
    return {"options", width};
}

std::optional<Exit> parse_options(std::string_view subcommand, const Strings& arguments,
                                  po::options_description options, Strings& words, const HelpText& help) {
    bool help_wanted = false;
    options.add_options()("help,h", po::bool_switch(&help_wanted), "this text");
    try {
        po::options_description all;
        all.add(options).add_options()("word", po::value(&words));
        po::positional_options_description positional;
        positional.add("word", -1);
        // An abbreviation that works today would be ambiguous tomorrow.
        const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
        po::variables_map map;
        po::store(po::command_line_parser(arguments).options(all).positional(positional).style(style).run(), map);
        po::notify(map);
    } catch (const po::error& error) {
        return usage_error(subcommand, error.what());
    }
    if (!help_wanted) return std::nullopt;
    std::ostringstream text;
    text << help.before << options << help.after;
    std::string out = text.str();
    write_out(out);
    return Exit::good;
}

}  // namespace hkpd::command
