// By zsh's own _arguments (zshcompsys(1)).
#include <fmt/format.h>

#include "completion.hpp"

namespace hkpd::command {
namespace {

constexpr std::string_view zsh_quote = "'\\''";

/// In what _arguments reads, brackets and colons end a part.
std::string part(std::string_view text) {
    std::string out;
    for (const std::string_view::value_type c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string value_for_zsh(const ShownOption& option) {
    switch (option.takes) {
        case ArgumentKind::nothing:
            return {};
        case ArgumentKind::word:
            return fmt::format(":{}:({})", part(option.value), fmt::join(option.words, " "));
        case ArgumentKind::file:
            return fmt::format(":{}:_files", part(option.value));
        case ArgumentKind::directory:
            return fmt::format(":{}:_files -/", part(option.value));
        case ArgumentKind::text:
            return fmt::format(":{}: ", part(option.value));
    }
    return {};
}

void append_subcommand_for_zsh(std::string& out, const Completed& subcommand) {
    out += fmt::format("        {})\n            _arguments -S : \\\n", subcommand.name);
    for (const ShownOption& option : subcommand.options) {
        const std::string rest = fmt::format("[{}]{}", part(short_text(option.text)), value_for_zsh(option));
        const bool takes = option.takes != ArgumentKind::nothing;
        out += fmt::format("                {} \\\n",
                           quoted(fmt::format("*{}{}{}", option.name, takes ? "=" : "", rest), zsh_quote));
        if (!option.letter.empty())
            out += fmt::format("                {} \\\n",
                               quoted(fmt::format("*{}{}{}", option.letter, takes ? "+" : "", rest), zsh_quote));
    }
    if (!subcommand.words.empty())
        out += fmt::format("                '1:word:({})' \\\n", fmt::join(subcommand.words, " "));
    out += "                '*:file:_files'\n            ;;\n";
}

}  // namespace

std::string zsh_completion(const std::vector<Completed>& subcommands) {
    std::string out =
        "#compdef hkpd\n"
        "# zsh completion for hkpd, as `hkpd completion zsh` writes it\n"
        "_hkpd() {\n"
        "    if (( CURRENT == 2 )); then\n"
        "        local -a subcommands=(\n";
    for (const Completed& subcommand : subcommands)
        out += fmt::format("            {}\n",
                           quoted(fmt::format("{}:{}", subcommand.name, part(subcommand.summary)), zsh_quote));
    out +=
        "        )\n"
        "        _describe subcommand subcommands\n"
        "        return\n"
        "    fi\n"
        "    shift words\n"
        "    (( CURRENT-- ))\n"
        "    case $words[1] in\n";
    for (const Completed& subcommand : subcommands) append_subcommand_for_zsh(out, subcommand);
    out +=
        "    esac\n}\n"
        "# Loaded from $fpath this file is the function itself.\n"
        "if [[ $funcstack[1] == _hkpd ]]; then\n    _hkpd \"$@\"\nelse\n    compdef _hkpd hkpd\nfi\n";
    return out;
}

}  // namespace hkpd::command
