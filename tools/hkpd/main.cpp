// The command hkpd: the table of its subcommands, and `main`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <iterator>

#include "base/path.hpp"
#include "base/text/names.hpp"
#include "build_facts.hpp"
#include "commands/command.hpp"
#include "flags/help.hpp"
#include "terminal/host.hpp"

namespace hkpd::command {
namespace {

constexpr std::array all_subcommands{
    Subcommand{"info", "show what an input is: machines, times, objects, counter paths", info, describe_info},
    Subcommand{"dump", "show objects, instances and raw counters", dump, describe_dump},
    Subcommand{"replay", "show samples in order, with cooked values", replay, describe_replay},
    Subcommand{"top", "show the processes or instances that use most", top, describe_top},
    Subcommand{"report", "write an HTML page with findings and charts", report, describe_report},
    Subcommand{"relog", "do what relog of Windows does, with its arguments", relog, describe_relog},
    Subcommand{"typeperf", "do what typeperf of Windows does, with its arguments", typeperf, describe_typeperf},
    Subcommand{"capture", "create, list and unpack captures", capture, describe_capture},
    Subcommand{"check", "check blobs, captures, logs and title databases for faults", check, describe_check},
    Subcommand{"compare", "compare the counters of the registry (V1) and PerfLib (V2)", compare, describe_compare},
    Subcommand{"map", "show the structure and field of every byte of a block", map, describe_map},
    Subcommand{"titles", "list, look up and export title databases", titles, describe_titles},
    Subcommand{"completion", "print a shell completion script", completion, describe_completion},
    Subcommand{"help", "show the help of a subcommand", help, describe_help},
};

/// Returns the message for a first argument that is not a subcommand.
std::string no_such_word(std::string_view word) {
    const bool option = word.starts_with('-');
    auto known = subcommand_names();
    if (option)
        known = {"--help", "--version", "-h", "-V"};
    else
        known.insert(known.end(), {"--help", "--version"});
    return fmt::format("{} '{}'{}", option ? "unrecognised option" : "unknown subcommand", word, suggest(word, known));
}

Exit version(const std::vector<std::string>& rest) {
    if (!rest.empty()) return usage_error("", fmt::format("--version takes no argument, found '{}'", rest.front()));
    std::string out = build_facts();
    write_out(out);
    return Exit::good;
}

/// Returns the file name by which the program was called, without `.exe`, in lower case.
std::string called_name(int argc, char** argv) {
    if (argc < 1) return {};
    std::string name = fold_case(path_text(path_of(*argv).filename()));
    if (const std::string_view end = ".exe"; fold_case(name).ends_with(fold_case(end)))
        name.resize(name.size() - end.size());
    return name;
}

/// Runs a subcommand. `called` is the name of the program: a link with the name of a command of Windows is that
/// subcommand.
Exit run_command(std::string_view called, const std::vector<std::string>& arguments) {
    for (const std::string_view name : {"relog", "typeperf"})
        if (called == fold_case(name)) return find_subcommand(name)->run(arguments);
    if (arguments.empty()) {
        std::fputs(overview().c_str(), stderr);
        return Exit::usage;
    }
    const std::string& name = arguments.front();
    const std::vector<std::string> rest(std::next(arguments.begin()), arguments.end());
    if (const Subcommand* const found = find_subcommand(name)) return found->run(rest);
    if (name == "--help" || name == "-h") return help(rest);
    if (name == "--version" || name == "-V") return version(rest);
    return usage_error("", no_such_word(name));
}

}  // namespace

std::span<const Subcommand> subcommands() { return all_subcommands; }

std::vector<std::string_view> subcommand_names() {
    std::vector<std::string_view> names(all_subcommands.size());
    std::ranges::transform(all_subcommands, names.begin(), &Subcommand::name);
    return names;
}

const Subcommand* find_subcommand(std::string_view name) {
    const auto found = std::ranges::find(all_subcommands, name, &Subcommand::name);
    return found == all_subcommands.end() ? nullptr : &*found;
}

std::string no_subcommand(std::string_view name) {
    return fmt::format("unknown subcommand '{}'{}", name, suggest(name, subcommand_names()));
}

}  // namespace hkpd::command

int main(int argc, char** argv) {
    namespace command = hkpd::command;
    try {
        return static_cast<int>(command::run_command(command::called_name(argc, argv), command::start(argc, argv)));
    } catch (const std::exception& error) {  // most likely bad_alloc: a hostile input may request too much memory
        hkpd::command::complain("", error.what());
        return static_cast<int>(hkpd::command::Exit::unreadable);
    }
}
