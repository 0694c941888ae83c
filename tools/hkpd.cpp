// The command: a table of subcommands.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>

#include "command.hpp"
#include "hkpd/version.hpp"
#include "host.hpp"

namespace hkpd::command {
namespace {

constexpr std::array subcommands{
    Subcommand{"dump", "show objects, instances and raw counters", dump},
    Subcommand{"replay", "show samples in order, cooked between neighbours", replay},
    Subcommand{"capture", "make, list and unpack captures", capture},
    Subcommand{"check", "find every fault of blobs, captures, logs and title databases", check},
    Subcommand{"compare", "compare what both doors gave: the registry (V1) and PerfLib (V2)", compare},
    Subcommand{"map", "show what every byte of a block is", map},
    Subcommand{"titles", "list, look up and export title databases", titles},
};

std::string overview() {
    std::string text =
        "hkpd decodes Windows performance data: what RegQueryValueEx(HKEY_PERFORMANCE_DATA) (V1) and\n"
        "the PerfLib functions (V2) returned, from any machine, on any machine.\n\nusage: hkpd SUBCOMMAND [OPTION]... "
        "INPUT...\n\n";
    for (const Subcommand& subcommand : subcommands)
        text += fmt::format("  {:<10}{}\n", subcommand.name, subcommand.summary);
    text +=
        "\nhkpd SUBCOMMAND --help tells more. Exit codes: 0 good, 1 the input was damaged (what was\n"
        "sound has been written), 2 wrong usage, 3 something could not be read or written.\n";
    return text;
}

Exit run(const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        std::fputs(overview().c_str(), stderr);
        return Exit::usage;
    }
    std::string out;
    const std::string& name = arguments.front();
    if (name == "--version") {
        out = fmt::format("hkpd {}\n", linked_version());
    } else if (name == "--help" || name == "-h" || (name == "help" && arguments.size() == 1)) {
        out = overview();
    } else {
        const bool help = name == "help";
        const std::string& wanted = help ? arguments[1] : name;
        const auto found = std::ranges::find(subcommands, wanted, &Subcommand::name);
        if (found == subcommands.end()) return usage_error("", fmt::format("there is no subcommand '{}'", wanted));
        return found->run(help ? std::vector<std::string>{"--help"}
                               : std::vector<std::string>(arguments.begin() + 1, arguments.end()));
    }
    write_out(out);
    return Exit::good;
}

}  // namespace
}  // namespace hkpd::command

int main(int argc, char** argv) {
    try {
        return static_cast<int>(hkpd::command::run(hkpd::command::start(argc, argv)));
    } catch (const std::exception& error) {  // bad_alloc, most likely: a hostile input may ask for more than there is
        hkpd::command::complain("", error.what());
        return static_cast<int>(hkpd::command::Exit::unreadable);
    }
}
