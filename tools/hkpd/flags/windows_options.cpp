#include "flags/windows_options.hpp"

#include <fmt/format.h>

#include <array>

#include "terminal/capture_output.hpp"
#include "terminal/input_file.hpp"

namespace hkpd::command {

void describe_windows_options(po::options_description& shown, WindowsOptions& options, const char* formats) {
    auto add = shown.add_options();
    add("cf", po::value(&options.counter_files)->value_name("FILE"), "counter paths from a file, one per line");
    add("f", po::value(&options.format)->value_name(formats), "format of the output");
    add("o", po::value(&options.output)->value_name("FILE"), "output; SQL: FILE!NAME, a database of SQLite and a run");
    add("config", po::value(&options.settings)->value_name("FILE"),
        "take arguments from a file, where -i stands for the arguments before -config");
    // Options are described again for a settings file, and keep what the command line states.
    add("y", po::bool_switch(&options.yes)->default_value(options.yes), "overwrite without a question");
}

Strings take_passed(const Strings& arguments, Strings& passed) {
    Strings rest;
    for (const std::string& word : arguments) {
        const bool is_help = word == "--help" || word == "--help-all";
        (word.starts_with("--") && word.size() > 2 && !is_help ? passed : rest).push_back(word);
    }
    return rest;
}

std::optional<WindowsSettings> read_settings(std::string_view subcommand, const std::string& path,
                                             const Strings& words) {
    const auto content = read_file(path);
    if (!content) {
        complain(subcommand, content.error());
        return std::nullopt;
    }
    WindowsSettings all;
    for (const std::string& word : po::split_unix(*content, " \t\r\n", "\"", "")) {
        if (word.empty()) continue;
        if (word == "-i" || word == "/i") {
            all.arguments.insert(all.arguments.end(), words.begin(), words.end());
            all.takes_words = true;
        } else {
            all.arguments.push_back(word);
        }
    }
    return all;
}

std::optional<ClockTime> parse_clock_time(std::string_view text) {
    constexpr std::size_t most_parts = 3;
    const auto parts = split(text, ':');
    if (parts.empty() || parts.size() > most_parts || text.ends_with(':')) return std::nullopt;
    std::array<std::uint32_t, most_parts> numbers{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto number = whole_number<std::uint32_t>(parts[i]);
        if (!number) return std::nullopt;
        numbers[most_parts - parts.size() + i] = *number;
    }
    return ClockTime{numbers[0], numbers[1], numbers[2]};
}

std::string unused_words(const WindowsOptions& options) {
    return fmt::format("'{}' is not used: '{}' has no -i, which stands for it", options.words.front(),
                       options.settings);
}

bool writes_sql(const WindowsOptions& options) { return lower_case(options.format) == "sql"; }

std::string add_format(const WindowsOptions& options, std::string_view usual, Strings& arguments) {
    const std::string format = lower_case(options.format.empty() ? usual : std::string_view(options.format));
    if (format == "bin")
        return fmt::format(
            "{}: binary logs (.blg) can be read, but not written: -f csv, tsv or SQL, or "
            "hkpd capture for a file with all that the log holds",
            options.format.empty() ? "without -f the format is bin" : "-f bin");
    if (format == "csv" || format == "tsv") {
        arguments.insert(arguments.end(), {"--format", format == "csv" ? "pdh-csv" : "pdh-tsv"});
        if (!options.output.empty()) arguments.insert(arguments.end(), {"--output", options.output});
        return {};
    }
    if (!writes_sql(options)) return fmt::format("-f: expected bin, csv, tsv or SQL, found '{}'", options.format);
    std::string_view output = options.output;
    if (lower_case(output.substr(0, 4)) == "sql:") output.remove_prefix(4);
    const std::size_t mark = output.find('!');
    if (mark == 0 || output.empty()) return "-f SQL requires -o FILE!NAME, a database of SQLite and the name of a run";
    arguments.insert(arguments.end(), {"--format", "sqlite", "--output", std::string(output.substr(0, mark))});
    if (mark < output.size()) arguments.insert(arguments.end(), {"--name", std::string(output.substr(mark + 1))});
    return {};
}

std::string check_files(const WindowsOptions& options) {
    Strings read = options.words;
    read.insert(read.end(), options.counter_files.begin(), options.counter_files.end());
    if (!options.settings.empty()) read.push_back(options.settings);
    return check_output(read, options.output);
}

bool may_overwrite(const WindowsOptions& options) {
    if (!is_file(options.output) || options.yes || writes_sql(options)) return true;
    write_error(fmt::format("File '{}' already exists. Do you want to overwrite it? [y/n] ", options.output));
    const std::string answer = read_answer();
    return answer.starts_with('y') || answer.starts_with('Y');
}

}  // namespace hkpd::command
