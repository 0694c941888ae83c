#include "commands/completion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/command.hpp"
#include "flags/options.hpp"

namespace hkpd::command {
namespace {

constexpr HelpText completion_help{.question = "How does the Tab key complete the subcommands and options of hkpd?",
                                   .usage = "bash|zsh|fish|powershell",
                                   .prose =
                                       "Prints a script that makes a shell complete subcommands, options and their "
                                       "values. Packages of hkpd install the "
                                       "scripts for bash, zsh and fish.",
                                   .usual = "",
                                   .examples =
                                       "source <(hkpd completion bash)\n"
                                       "hkpd completion zsh > ~/.zsh/completions/_hkpd     # a directory in $fpath\n"
                                       "hkpd completion fish > ~/.config/fish/completions/hkpd.fish\n"
                                       "hkpd completion powershell | Out-String | Invoke-Expression\n",
                                   .words = "bash zsh fish powershell"};

std::vector<Completed> completed_subcommands() {
    std::vector<Completed> all;
    for (const Subcommand& subcommand : subcommands()) {
        const Description description = whole_description(subcommand);
        all.push_back({subcommand.name, subcommand.summary, shown_options(description),
                       subcommand.name == "help" ? subcommand_names() : split(description.text.words, ' ')});
    }
    return all;
}

}  // namespace

std::string short_text(std::string_view text) {
    std::string out(text);
    for (std::size_t at = 0; (at = out.find(" (", at)) != std::string::npos;) out.erase(at, out.find(')', at) - at + 1);
    return out.substr(0, std::min(out.find("; "), out.find(". ")));
}

std::string quoted(std::string_view text, std::string_view quote) {
    std::string out = "'";
    for (const std::string_view::value_type c : text)
        if (c == '\'')
            out += quote;
        else
            out += c;
    return out += '\'';
}

Description describe_completion() { return {completion_help, {}}; }

Exit completion(const Strings& arguments) {
    Strings words;
    if (const auto done = parse_options("completion", arguments, {}, words, completion_help)) return *done;
    const auto shells = split(completion_help.words, ' ');
    if (words.size() != 1 || std::ranges::count(shells, words.front()) == 0)
        return usage_error("completion", fmt::format("expected a shell: {}{}", one_of(shells),
                                                     words.size() == 1 ? suggest(words.front(), shells) : ""));
    const std::vector<Completed> subcommands = completed_subcommands();
    const std::string& shell = words.front();
    std::string out = shell == "bash"   ? bash_completion(subcommands)
                      : shell == "zsh"  ? zsh_completion(subcommands)
                      : shell == "fish" ? fish_completion(subcommands)
                                        : powershell_completion(subcommands);
    write_out(out);
    return Exit::good;
}

}  // namespace hkpd::command
