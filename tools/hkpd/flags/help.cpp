#include "flags/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hkpd::command {
namespace {

/// Maximum length, in characters, of the list of accepted words (`text|json`) that help shows next to an option: with a
/// longer one, `--format` would take two lines. If the list is longer, help shows `WORD` next to the option and lists
/// the words in the description.
constexpr std::size_t longest_value = 9;

/// Number of examples that --help shows.
constexpr std::size_t usual_examples = 3;

constexpr std::size_t usual_indent = 2, text_column = 26;

void append_paragraphs(std::string& out, std::string_view text, std::size_t width) {
    for (const std::string_view paragraph : split(text, '\n')) {
        append_wrapped(out, paragraph, 0, width);
        out += '\n';
    }
}

void append_option(std::string& out, const ShownOption& option, std::size_t width) {
    std::string names(usual_indent, ' ');
    names += option.letter.empty() ? "    " : option.letter + ", ";
    names += option.name;
    if (!option.value.empty()) names += ' ' + option.value;
    if (names.size() + 2 > text_column) names += '\n' + std::string(text_column, ' ');
    out += fmt::format("{:<{}}", names, text_column);
    append_wrapped(out, option.text, text_column, width);
}

void append_groups(std::string& out, const std::vector<OptionGroup>& groups, std::size_t width) {
    bool first = true;
    for (const auto& [heading, options] : groups) {
        if (!std::exchange(first, false)) out += '\n';
        if (!heading.empty()) out += fmt::format("{}:\n", heading);
        for (const ShownOption& option : options) append_option(out, option, width);
    }
}

/// Returns the width of help in columns. On a wide terminal, the width is limited, because very long lines are hard to
/// read.
std::size_t help_width() {
    constexpr std::size_t most = 100;
    return std::min(output_width(), most);
}

/// Returns the dashes before an option. The options that every subcommand has keep two in the style of Windows.
std::string dashes(OptionStyle style, std::string_view name) {
    return style == OptionStyle::windows && !name.starts_with("help") ? "-" : "--";
}

ArgumentKind what_it_takes(const ShownOption& option) {
    if (option.value.empty()) return ArgumentKind::nothing;
    if (!option.words.empty()) return ArgumentKind::word;
    if (option.value.starts_with("DIRECTORY")) return ArgumentKind::directory;
    const bool file = std::ranges::any_of(split("FILE INPUT DLL", ' '),
                                          [&](std::string_view word) { return option.value.starts_with(word); });
    return file ? ArgumentKind::file : ArgumentKind::text;
}

}  // namespace

void append_wrapped(std::string& out, std::string_view text, std::size_t indent, std::size_t width) {
    std::size_t column = indent;
    bool first = true;
    for (const std::string_view word : split(text, ' ')) {
        if (!first && column + 1 + word.size() > width) {
            out += '\n';
            out.append(indent, ' ');
            column = indent;
        } else if (!first) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        first = false;
    }
    out += '\n';
}

std::vector<std::string_view> split(std::string_view text, std::string_view::value_type between) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = text.find(between);
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return parts;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

namespace {

/// Returns the words as a list, with `conjunction` before the last one.
std::string list(const std::vector<std::string_view>& words, std::string_view conjunction) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i != 0) text += i + 1 == words.size() ? conjunction : ", ";
        text += words[i];
    }
    return text;
}

}  // namespace

std::string one_of(const std::vector<std::string_view>& words) { return list(words, " or "); }
std::string all_of(const std::vector<std::string_view>& words) { return list(words, " and "); }

Choice::Choice(std::string* to, std::vector<std::string_view> words, std::vector<std::string_view> synonyms)
    : po::typed_value<std::string>(to), words_(std::move(words)), synonyms_(std::move(synonyms)) {
    const std::string shown = fmt::format("{}", fmt::join(words_, "|"));
    value_name(shown.size() <= longest_value ? shown : "WORD");
}

bool Choice::accepts(std::string_view word) const noexcept {
    return std::ranges::find(words_, word) != words_.end() || std::ranges::find(synonyms_, word) != synonyms_.end();
}

// Boost takes ownership of the objects returned by `choice`.
Choice* choice(std::string& to, std::string_view words) { return new Choice(&to, split(words, ' ')); }
Choice* choice(std::string_view words) { return new Choice(nullptr, split(words, ' ')); }

bool is_shown(const po::option_description& option) { return !option.description().empty(); }

std::vector<ShownOption> shown_options(const Description& description) {
    std::vector<ShownOption> all;
    for (const auto& given : description.options.options()) {
        if (!is_shown(*given)) continue;
        ShownOption shown{.letter = given->canonical_display_name(po::command_line_style::allow_dash_for_short),
                          .name = dashes(description.text.style, given->long_name()) + given->long_name(),
                          .value = given->format_parameter(),
                          .text = given->description()};
        if (!shown.letter.starts_with('-') || shown.letter.starts_with("--")) shown.letter.clear();
        if (const auto* known = dynamic_cast<const Choice*>(given->semantic().get())) {
            shown.words = known->words();
            if (shown.value == "WORD") shown.text += ": " + one_of(shown.words);
        }
        if (!shown.value.empty() && given->semantic()->max_tokens() > 1) shown.value += "...";
        shown.takes = what_it_takes(shown);
        all.push_back(std::move(shown));
    }
    return all;
}

void add_help(po::options_description& options) {
    options.add_options()("help,h", po::bool_switch(), "show the most used options and examples");
    options.add_options()("help-all", po::bool_switch(), "show all options");
}

Description whole_description(const Subcommand& subcommand) {
    Description description = subcommand.describe();
    add_help(description.options);
    return description;
}

std::string screen_help(std::string_view subcommand, const Description& description, Extent extent) {
    const HelpText& text = description.text;
    const std::size_t width = help_width();
    std::string out;
    append_wrapped(out, text.question, 0, width);
    out += '\n';
    std::vector<std::string_view> examples = split(text.examples, '\n');
    if (extent == Extent::usual) examples.resize(std::min(examples.size(), usual_examples));
    for (const std::string_view example : examples) out += fmt::format("  {}\n", example);
    out += '\n';
    append_paragraphs(out, text.prose, width);
    for (bool first = true; const std::string_view usage : split(text.usage, '\n'))
        out += fmt::format("{} hkpd {} {}\n", std::exchange(first, false) ? "usage:" : "      ", subcommand, usage);
    out += '\n';
    const std::vector<ShownOption> options = shown_options(description);
    const auto usual = split(text.usual, ' ');
    const bool all = extent == Extent::all || usual.empty();
    if (extent == Extent::all)
        append_groups(out, in_groups(options), width);
    else if (all)
        for (const ShownOption& option : options) append_option(out, option, width);
    else
        for (const std::string_view name : usual)
            append_option(out, *std::ranges::find(options, fmt::format("--{}", name), &ShownOption::name), width);
    const std::size_t left_out = all ? 0 : options.size() - usual.size();
    if (left_out != 0)
        out += fmt::format("\n{} more options: hkpd {} --help-all, or man hkpd-{}\n", left_out, subcommand, subcommand);
    if (extent == Extent::usual) return out;
    out += '\n';
    for (const std::string_view details : {text.details, text.input_details, text.shared_details, text.redact_details})
        append_paragraphs(out, details, width);
    while (out.ends_with("\n\n")) out.pop_back();
    return out;
}

std::string overview() {
    const std::size_t width = help_width();
    std::string out;
    append_wrapped(out, about_hkpd, 0, width);
    out += '\n';
    for (const auto& [command, question] : first_examples) out += fmt::format("  {:<38}{}\n", command, question);
    out += "\nusage: hkpd SUBCOMMAND [OPTION]... INPUT...\n\n";
    std::string_view group;
    for (const Subcommand& subcommand : subcommands()) {
        if (subcommand.group != std::exchange(group, subcommand.group)) out += fmt::format("{}:\n", group);
        out += fmt::format("  {:<12}{}\n", subcommand.name, subcommand.summary);
    }
    out += '\n';
    append_wrapped(out, fmt::format("{} hkpd SUBCOMMAND --help: examples and options.", about_input_alone), 0, width);
    out += "\nexit codes:\n";
    for (const auto& [code, meaning] : exit_meanings) {
        out += fmt::format("  {}  ", code);
        append_wrapped(out, meaning, 5, width);
    }
    return out;
}

}  // namespace hkpd::command
