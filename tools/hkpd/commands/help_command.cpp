// The subcommand `hkpd help`.
#include <fmt/format.h>

#include "commands/command.hpp"
#include "flags/options.hpp"

namespace hkpd::command {
namespace {

constexpr HelpText help_help{
    .question = "How is a subcommand used?",
    .usage = "[SUBCOMMAND]",
    .prose = "Shows the help of a subcommand, as hkpd SUBCOMMAND --help does, or an overview of all subcommands.",
    .usual = "",
    .examples = "hkpd help replay\nhkpd help replay --man | man -l -\n"};

po::options_description describe(bool& man) {
    po::options_description shown;
    shown.add_options()("man", po::bool_switch(&man), "print the manual page, for man and groff");
    return shown;
}

}  // namespace

Description describe_help() {
    bool man = false;
    return {help_help, describe(man)};
}

Exit help(const Strings& arguments) {
    bool man = false;
    Strings words;
    if (const auto done = parse_options("help", arguments, describe(man), words, help_help)) return *done;
    if (words.size() > 1) return usage_error("help", "only one subcommand can be given");
    std::string out;
    if (words.empty()) {
        out = man ? man_page_of_all() : overview();
    } else {
        const Subcommand* const found = find_subcommand(words.front());
        if (found == nullptr) return usage_error("", no_subcommand(words.front()));
        out = man ? man_page(*found) : screen_help(found->name, whole_description(*found), Extent::usual);
    }
    write_out(out);
    return Exit::good;
}

}  // namespace hkpd::command
