// Files are bash's own business (-o default): a case that ends without words leaves them to it.
#include <fmt/format.h>

#include "completion.hpp"

namespace hkpd::command {
namespace {

std::string names_of(const Completed& subcommand, ArgumentKind takes) {
    std::string names;
    for (const ShownOption& option : subcommand.options) {
        if (option.takes != takes) continue;
        for (const std::string* name : {&option.letter, &option.name})
            if (!name->empty()) names += (names.empty() ? "" : " | ") + *name;
    }
    return names;
}

void append_subcommand_for_bash(std::string& out, const Completed& subcommand) {
    out += fmt::format("    {})\n        case $before in\n", subcommand.name);
    for (const ShownOption& option : subcommand.options)
        if (option.takes == ArgumentKind::word)
            out += fmt::format("        {}) words='{}' ;;\n", option.name, fmt::join(option.words, " "));
    if (const std::string names = names_of(subcommand, ArgumentKind::file); !names.empty())
        out += fmt::format("        {}) return ;;\n", names);
    if (const std::string names = names_of(subcommand, ArgumentKind::directory); !names.empty())
        out += fmt::format("        {}) compopt -o dirnames +o default 2>/dev/null; return ;;\n", names);
    if (const std::string names = names_of(subcommand, ArgumentKind::text); !names.empty())
        out += fmt::format("        {}) compopt +o default 2>/dev/null; return ;;\n", names);
    std::string options;
    for (const ShownOption& option : subcommand.options) options += (options.empty() ? "" : " ") + option.name;
    out += fmt::format("        *) if [[ $current == -* ]]; then words='{}'", options);
    if (!subcommand.words.empty())
        out += fmt::format("; elif ((COMP_CWORD == 2)); then words='{}'", fmt::join(subcommand.words, " "));
    out += "; fi ;;\n        esac\n        ;;\n";
}

}  // namespace

std::string bash_completion(const std::vector<Completed>& subcommands) {
    std::string names;
    for (const Completed& subcommand : subcommands) names += fmt::format("{} ", subcommand.name);
    std::string out =
        "# bash completion for hkpd, as `hkpd completion bash` writes it\n"
        "_hkpd() {\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=''\n"
        "    # --format=json comes as three words\n"
        "    if [[ $current == '=' ]]; then\n"
        "        current=''\n"
        "    elif [[ $before == '=' ]] && ((COMP_CWORD > 1)); then\n"
        "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "    fi\n"
        "    COMPREPLY=()\n"
        "    if ((COMP_CWORD == 1)); then\n";
    out += fmt::format("        words='{}--help --version'\n    else\n    case ${{COMP_WORDS[1]}} in\n", names);
    for (const Completed& subcommand : subcommands) append_subcommand_for_bash(out, subcommand);
    out +=
        "    esac\n    fi\n"
        "    # shellcheck disable=SC2207 # none of the words has a blank\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
        "}\n"
        "complete -o default -F _hkpd hkpd\n";
    return out;
}

}  // namespace hkpd::command
