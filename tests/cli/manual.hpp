// What the manual pages state: the options of each subcommand, and the causes of exit codes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run_command.hpp"

namespace hkpd_test {

/// An option as a manual page shows it. `name`: `--object`, of relog and typeperf `-c`.
struct ManualOption {
    std::string group, name, text;
};

/// Returns a line of a manual page without the escapes of roff.
inline std::string plain(std::string line) {
    for (const auto& [escape, character] : std::vector<std::pair<std::string, std::string>>{
             {"\\-", "-"}, {"\\e", "\\"}, {"\\(aq", "'"}, {"\\fB", ""}, {"\\fI", ""}, {"\\fR", ""}})
        for (std::size_t at = 0; (at = line.find(escape, at)) != std::string::npos; at += character.size())
            line.replace(at, escape.size(), character);
    return line;
}

/// Returns the options in the manual page of a subcommand.
inline std::vector<ManualOption> options_in_manual(const std::string& subcommand) {
    std::vector<ManualOption> options;
    std::string group;
    bool inside = false, begins = false;
    for (const std::string& line : lines(run({"help", subcommand, "--man"}).out)) {
        if (line.starts_with(".SH ")) inside = line == ".SH OPTIONS";
        if (!inside) continue;
        if (line.starts_with(".SS ")) {
            group = line.substr(4);
        } else if (line == ".TP") {
            begins = true;
        } else if (std::exchange(begins, false)) {
            const std::string shown = plain(line);
            const std::size_t at = shown.find("--");
            const std::string name = at == std::string::npos ? shown : shown.substr(at);
            options.push_back({group, name.substr(0, name.find(' ')), ""});
        } else if (!options.empty() && !line.starts_with('.')) {
            options.back().text += (options.back().text.empty() ? "" : " ") + plain(line);
        }
    }
    return options;
}

/// Returns the manual page of the command, which lists the causes of exit codes, without backslashes.
inline std::string causes_in_manual() {
    std::string manual = run({"help", "--man"}).out;
    std::erase(manual, '\\');
    return manual;
}

/// Returns the exit status in a manual page under which a text stands; -1 if there is none.
inline int code_in_manual(const std::string& page, std::string_view meaning) {
    const std::size_t at = page.find(meaning);
    const std::size_t code = page.rfind("\n.B ", at);
    return at == std::string::npos || code == std::string::npos ? -1 : page[code + 4] - '0';
}

}  // namespace hkpd_test
