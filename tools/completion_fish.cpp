#include <fmt/format.h>

#include "completion.hpp"

namespace hkpd::command {
namespace {

std::string quoted_for_fish(std::string_view text) {
    std::string escaped;
    for (const std::string_view::value_type c : text) {
        if (c == '\\') escaped += '\\';
        escaped += c;
    }
    return quoted(escaped, "\\'");
}

std::string value_for_fish(const ShownOption& option) {
    switch (option.takes) {
        case ArgumentKind::nothing:
            return {};
        case ArgumentKind::word:
            return fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
        case ArgumentKind::file:
            return " -r -F";
        case ArgumentKind::directory:
            return " -x -a '(__fish_complete_directories)'";
        case ArgumentKind::text:
            return " -x";
    }
    return {};
}

}  // namespace

std::string fish_completion(const std::vector<Completed>& subcommands) {
    std::string out =
        "# fish completion for hkpd, as `hkpd completion fish` writes it\n"
        "# Whether the first word is this subcommand.\n"
        "function __hkpd_is\n"
        "    set -l words (commandline -opc)\n"
        "    test \"$words[2]\" = $argv[1]\n"
        "end\n"
        "complete -c hkpd -n __fish_use_subcommand -f\n"
        "complete -c hkpd -n __fish_use_subcommand -l help -d 'the subcommands'\n"
        "complete -c hkpd -n __fish_use_subcommand -l version -d 'version, and how it was built'\n";
    for (const Completed& subcommand : subcommands)
        out += fmt::format("complete -c hkpd -n __fish_use_subcommand -a {} -d {}\n", subcommand.name,
                           quoted_for_fish(subcommand.summary));
    for (const Completed& subcommand : subcommands) {
        const std::string line = fmt::format("complete -c hkpd -n '__hkpd_is {}'", subcommand.name);
        if (!subcommand.words.empty())
            out += fmt::format(
                "complete -c hkpd -n '__hkpd_is {}; and test (count (commandline -opc)) -eq 2' -f -a '{}'\n",
                subcommand.name, fmt::join(subcommand.words, " "));
        for (const ShownOption& option : subcommand.options) {
            out += fmt::format("{} -l {}", line, option.name.substr(2));
            if (!option.letter.empty()) out += fmt::format(" -s {}", option.letter.substr(1));
            out += fmt::format("{} -d {}\n", value_for_fish(option), quoted_for_fish(short_text(option.text)));
        }
    }
    return out;
}

}  // namespace hkpd::command
