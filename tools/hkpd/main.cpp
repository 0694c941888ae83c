// The command hkpd: the table of its subcommands, and `main`.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>

#include "build_facts.hpp"
#include "commands/command.hpp"
#include "flags/help.hpp"
#include "terminal/cause.hpp"
#include "terminal/host.hpp"
#include "terminal/input_file.hpp"
#include "terminal/input_list.hpp"

namespace hkpd::command {
namespace {

constexpr Subcommand all_subcommands[] = {
#define HKPD_SUBCOMMAND(name, group, summary) {#name, group, summary, name, describe_##name},
#include "commands/subcommands.def"
#undef HKPD_SUBCOMMAND
};

/// Returns the message for a first argument that is not a subcommand.
std::string no_such_word(std::string_view word) {
    const bool option = word.starts_with('-');
    // A subcommand has none of these, and the person meant a file.
    if (word.find_first_of("./\\*") != std::string_view::npos && !option)
        return fmt::format("'{}' is neither a file nor a subcommand", word);
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
    std::string name = lower_case(file_name(*argv));
    if (constexpr std::string_view end = ".exe"; name.ends_with(end)) name.resize(name.size() - end.size());
    return name;
}

/// Runs a subcommand. `called` is the name of the program: a link with the name of a command of Windows is that
/// subcommand.
Exit run_command(std::string_view called, const std::vector<std::string>& arguments) {
    for (const std::string_view name : {"relog", "typeperf"})
        if (called == name) return find_subcommand(name)->run(arguments);
    if (arguments.empty()) {
        write_error(overview());
        return exit_of(Cause::wrong_usage);
    }
    const std::string& name = arguments.front();
    const std::vector<std::string> rest(std::next(arguments.begin()), arguments.end());
    if (const Subcommand* const found = find_subcommand(name)) return found->run(rest);
    if (name == "--help" || name == "-h") return help(rest);
    if (name == "--version" || name == "-V") return version(rest);
    if (is_input(name)) {
        complain("", fmt::format("this is hkpd info {}; other questions: hkpd --help", name));
        return info(arguments);
    }
    return usage_error("", no_such_word(name));
}

}  // namespace

std::span<const Subcommand> subcommands() { return all_subcommands; }

std::vector<std::string_view> subcommand_names() {
    std::vector<std::string_view> names(std::size(all_subcommands));
    std::ranges::transform(all_subcommands, names.begin(), &Subcommand::name);
    return names;
}

const Subcommand* find_subcommand(std::string_view name) {
    const auto found = std::ranges::find(all_subcommands, name, &Subcommand::name);
    return found == std::end(all_subcommands) ? nullptr : found;
}

std::string no_subcommand(std::string_view name) {
    return fmt::format("unknown subcommand '{}'{}", name, suggest(name, subcommand_names()));
}

}  // namespace hkpd::command

int main(int argc, char** argv) {
    namespace command = hkpd::command;
    std::set_terminate(command::end_uncaught);
    command::Exit found{};
    try {
        found = command::run_command(command::called_name(argc, argv), command::start(argc, argv));
    } catch (const std::exception& error) {  // most likely bad_alloc: a hostile input may request too much memory
        found = command::end_with_exception(error);
    }
    return static_cast<int>(command::last_exit(found));
}
