#include "flags/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/lexical_cast/try_lexical_convert.hpp>
#include <cmath>
#include <utility>

#include "flags/parse_words.hpp"

namespace hkpd::command {

po::typed_value<std::string>* text_option(std::optional<std::string>& to, const char* shown_as) {
    return po::value<std::string>()->value_name(shown_as)->notifier([&to](const std::string& text) { to = text; });
}

template <>
std::string read_number(std::string_view option, const std::optional<std::string>& given, std::uint64_t least,
                        std::uint64_t most, std::uint64_t& value) {
    if (!given) return {};
    const auto number = whole_number<std::uint64_t>(*given);
    if (!number || *number < least || *number > most)
        return fmt::format("{}: expected a number from {} to {}, found '{}'", option, least, most, *given);
    value = *number;
    return {};
}

void describe_expansion(po::options_description& shown, std::optional<std::string>& given) {
    shown.add_options()("limit-expansion", text_option(given, "N"),
                        "maximum expansion ratio of a compressed capture (default 1000): N bytes of content per byte "
                        "of file, but at least 16 MiB; for .gz, .zst and .zip a quarter of N");
}

std::string read_expansion(const std::optional<std::string>& given, Limits& limits) {
    constexpr std::uint64_t most = 1'000'000;
    return read_number("--limit-expansion", given, 1, most, limits.expansion);
}

std::string read_seconds(std::string_view option, const std::optional<std::string>& given, double least,
                         std::chrono::nanoseconds& value) {
    if (!given) return {};
    constexpr double most = 1e6, milliseconds_per_second = 1000;
    double seconds = -1;
    const bool is_number = !given->starts_with('+') && boost::conversion::try_lexical_convert(*given, seconds);
    if (!is_number || !(seconds >= least && seconds <= most))
        return fmt::format("{}: expected seconds from {} to {:.0f}, found '{}'", option, least, most, *given);
    value = std::chrono::milliseconds(std::llround(seconds * milliseconds_per_second));
    return {};
}

namespace {

/// Returns a hint that names another subcommand with the option `name`; empty if there is none. If `word` is not empty,
/// only a subcommand whose option accepts `word` as a value is named.
std::string elsewhere(const std::string& name, std::string_view word) {
    for (const Subcommand& subcommand : subcommands()) {
        const Description description = subcommand.describe();
        const auto* option = description.options.find_nothrow(name, false);
        if (option == nullptr || !is_shown(*option)) continue;
        const auto* known = dynamic_cast<const Choice*>(option->semantic().get());
        if (word.empty() || (known != nullptr && known->accepts(word)))
            return fmt::format(": supported by hkpd {}", subcommand.name);
    }
    return {};
}

/// Returns the message for the first given value that is not accepted by its option; empty if all are accepted.
std::string check_choices(const po::options_description& options, const po::variables_map& map) {
    for (const auto& option : options.options()) {
        const auto* known = dynamic_cast<const Choice*>(option->semantic().get());
        if (known == nullptr || map.count(option->long_name()) == 0) continue;
        const auto& given = map[option->long_name()].as<std::string>();
        if (known->accepts(given)) continue;
        std::string meant = elsewhere(option->long_name(), given);
        if (meant.empty()) meant = suggest(given, known->words());
        return fmt::format("--{}: expected {}, found '{}'{}", option->long_name(), one_of(known->words()), given,
                           meant);
    }
    return {};
}

/// Returns the names of the options that are shown.
std::vector<std::string_view> names_of(const po::options_description& options) {
    std::vector<std::string_view> names;
    for (const auto& option : options.options())
        if (is_shown(*option)) names.emplace_back(option->long_name());
    return names;
}

/// Returns a hint for an unknown option: the name of a similar option, or of another subcommand that has this option.
std::string hint(const po::options_description& options, std::string_view unknown) {
    const std::string_view name = unknown.substr(std::min(unknown.find_first_not_of('-'), unknown.size()));
    const std::string nearest = nearest_word(name, names_of(options));
    return nearest.empty() ? elsewhere(std::string(name), "") : did_you_mean("--" + nearest);
}

/// Returns the arguments with `-name` for each `/name` that is one of the options, and `--help` for `/?` and `-?`.
Strings with_dashes(Strings arguments, const po::options_description& options) {
    for (std::string& word : arguments) {
        if (word == "/?" || word == "-?") word = "--help";
        if (!word.starts_with('/')) continue;
        const std::string name = lower_case(std::string_view(word).substr(1));
        const auto is_it = [&name](const auto& option) { return lower_case(option->long_name()) == name; };
        if (std::ranges::any_of(options.options(), is_it)) word.front() = '-';
    }
    return arguments;
}

/// Returns the message for the first word that is an unknown option in the style of Windows; empty if there is none.
/// Boost takes such an option for an argument. After `--`, words are arguments.
std::string check_words(const po::options_description& options, const Strings& arguments,
                        const po::variables_map& map) {
    if (map.count("word") == 0 || std::ranges::count(arguments, "--") != 0) return {};
    for (const auto& word : map["word"].as<Strings>()) {
        if (!word.starts_with('-') || word.size() == 1) continue;
        const std::string nearest = nearest_word(std::string_view(word).substr(1), names_of(options));
        return fmt::format("unrecognised option '{}'{}", word, nearest.empty() ? "" : did_you_mean("-" + nearest));
    }
    return {};
}

/// Returns the style that Boost.Program_options parses. Abbreviated options are rejected: an abbreviation that is
/// unique now can become ambiguous when an option is added.
int boost_style(OptionStyle style) {
    namespace is = po::command_line_style;
    if (style == OptionStyle::windows)
        return is::allow_long | is::allow_long_disguise | is::long_allow_next | is::long_allow_adjacent |
               is::long_case_insensitive;
    return is::unix_style & ~is::allow_guessing;
}

}  // namespace

std::optional<Exit> parse_options(std::string_view subcommand, const Strings& arguments,
                                  po::options_description options, Strings& words, const HelpText& text) {
    add_help(options);
    bool usual = false, whole = false;
    try {
        po::options_description all;
        all.add(options).add_options()("word", po::value(&words));
        const bool windows = text.style == OptionStyle::windows;
        WordStyle style{.style = boost_style(text.style)};
        style.words.add("word", -1);
        // Boost does not call this parser for words after `--`, which are never options.
        const bool has_cf = options.find_nothrow("cf", false) != nullptr;
        style.parser = [has_cf](const std::string& word) {
            return std::pair(std::string(has_cf && word == "-cf" ? "cf" : ""), std::string());
        };
        po::variables_map map;
        po::store(parse_words(windows ? with_dashes(arguments, options) : arguments, all, style), map);
        usual = map["help"].as<bool>();
        whole = map["help-all"].as<bool>();
        if (windows && !usual && !whole)
            if (const std::string wrong = check_words(options, arguments, map); !wrong.empty())
                return usage_error(subcommand, wrong);
        if (const std::string wrong = check_choices(options, map); !wrong.empty() && !usual && !whole)
            return usage_error(subcommand, wrong);
        po::notify(map);
    } catch (const po::unknown_option& error) {
        return usage_error(subcommand, error.what() + hint(options, error.get_option_name()));
    } catch (const po::error& error) {
        return usage_error(subcommand, error.what());
    }
    if (!usual && !whole) return std::nullopt;
    std::string out = screen_help(subcommand, {text, options}, whole ? Extent::all : Extent::usual);
    write_out(out);
    return Exit::good;
}

}  // namespace hkpd::command
