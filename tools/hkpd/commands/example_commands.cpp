#include "commands/example_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "hkpd/write.hpp"

namespace hkpd::command {
namespace {

/// Returns a text as one argument of a shell: in single quotes if it has other characters than those of usual names.
std::string shell_quoted(std::string_view text) {
    constexpr std::string_view usual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,@%";
    std::string shown;
    append_printable(shown, text);
    if (!shown.empty() && shown.find_first_not_of(usual) == std::string::npos) return shown;
    std::string out = "'";
    for (const std::string_view::value_type c : shown) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + "'";
}

/// Returns an input as an argument. A name that begins with `-` would be an option.
std::string argument(const std::string& input) {
    return shell_quoted(input.starts_with('-') && input != "-" ? "./" + input : input);
}
std::string argument(const std::string& input, const Overview& overview, Subdirectories subdirectories) {
    const bool below = subdirectories == Subdirectories::read && overview.kind == InputKind::directory;
    return (overview.kind == InputKind::v2 ? "--v2 " : below ? "-r " : "") + argument(input);
}

/// Returns whether a part of a path is shown as it is, and has no character with a meaning in paths.
bool is_usable(const std::string& text) {
    std::string shown;
    append_printable(shown, text);
    return !text.empty() && shown == text && text.find_first_of("*?\\") == std::string::npos && text.size() <= 64;
}

/// Returns the path of a counter that interests most people, if the input has one of these; otherwise of the first
/// counter. Empty if the input has none that a path can name.
std::string usual_path(const Overview& overview) {
    constexpr std::array<std::array<std::string_view, 3>, 4> usual{
        {{"Processor", "(*)", "% Processor Time"},
         {"Processor Information", "(*)", "% Processor Time"},
         {"Process", "(*)", "% Processor Time"},
         {"Memory", "", "Available MBytes"}}};
    const auto equal = [](std::string_view a, std::string_view b) { return lower_case(a) == lower_case(b); };
    for (const auto& [object, instances, counter] : usual)
        for (const Overview::Object& found : overview.objects)
            for (const Overview::Object::Part& part : found.parts)
                if (equal(found.path_name, object) &&
                    std::ranges::any_of(part.counters, [&](const std::string& name) { return equal(name, counter); }))
                    return fmt::format("\\{}{}\\{}", found.path_name, found.is_list ? instances : "", counter);
    for (const Overview::Object& found : overview.objects)
        for (const Overview::Object::Part& part : found.parts)
            for (const std::string& counter : part.counters)
                if (is_usable(counter) && is_usable(found.path_name) && found.instances != 0)
                    return fmt::format("\\{}{}\\{}", found.path_name, found.is_list ? "(*)" : "", counter);
    return {};
}

std::vector<std::string> commands_for(const std::string& input, const Overview& overview,
                                      Subdirectories subdirectories) {
    const std::string name = argument(input, overview, subdirectories);
    const std::string check = check_command(input, overview, subdirectories);
    if (overview.kind == InputKind::titles)
        return {"hkpd titles list " + name, "hkpd titles find '*processor*' " + name, check};
    const std::string path = usual_path(overview);
    const std::string filter = path.empty() ? "" : " --path " + shell_quoted(path);
    if (overview.samples < 2) return {"hkpd dump " + name + filter, "hkpd dump " + name + " --format json", check};
    const std::string table = overview.kind == InputKind::log ? " --format pdh-csv" : " --format csv";
    return {"hkpd top " + name, "hkpd replay " + name + filter, "hkpd replay " + name + table};
}

}  // namespace

std::string check_command(const std::string& input, const Overview& overview, Subdirectories subdirectories) {
    return "hkpd check " + argument(input, overview, subdirectories);
}

void append_example_commands(std::string& out, const std::string& input, const Overview& overview,
                             Subdirectories subdirectories) {
    const bool titles = overview.kind == InputKind::titles && !overview.languages.empty();
    if (input == "-" || (overview.samples == 0 && !titles)) return;
    out += '\n';
    for (const std::string& command : commands_for(input, overview, subdirectories)) out += "  " + command + "\n";
}

std::string command_for_all(std::string_view subcommand, const Strings& inputs, Subdirectories subdirectories) {
    std::string command = fmt::format("hkpd {}{}", subcommand, subdirectories == Subdirectories::read ? " -r" : "");
    for (const std::string& input : inputs) command += ' ' + argument(input);
    return command + " --all";
}

}  // namespace hkpd::command
