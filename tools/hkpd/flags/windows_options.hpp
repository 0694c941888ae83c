// What the subcommands `relog` and `typeperf` share: the options of Windows' commands of these names, as
// learn.microsoft.com documents them, and their translation to options of hkpd.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flags/options.hpp"

namespace hkpd::command {

/// The options that both commands have.
struct WindowsOptions {
    Strings words;          ///< arguments that are not options: log files of relog, counter paths of typeperf
    Strings counter_files;  ///< -cf
    Strings passed;         ///< options of `hkpd replay`, written `--name` or `--name=value`
    std::string format, output, settings;
    bool yes = false;
};

/// Adds the options that both commands have.
void describe_windows_options(po::options_description& shown, WindowsOptions& options, const char* formats);

/// Returns the arguments without those that begin with two dashes, which are moved to `passed`: they are options of
/// `hkpd replay`. `--help` and `--help-all` stay.
Strings take_passed(const Strings& arguments, Strings& passed);

/// The words of a settings file (-config), which holds arguments of the command line.
struct WindowsSettings {
    Strings arguments;
    bool takes_words = false;  ///< the file has the word `-i`, which stands for the arguments before -config
};
/// Reads a settings file. Its words are separated by blanks and line ends; double quotes hold words together. The word
/// `-i` is replaced by `words`. Returns none, and reports why, if the file cannot be read.
std::optional<WindowsSettings> read_settings(std::string_view subcommand, const std::string& path,
                                             const Strings& words);

/// The parts of a time `[[HH:]MM:]SS`, as both commands take it.
struct ClockTime {
    std::uint32_t hours = 0, minutes = 0, seconds = 0;
};
/// Parses `[[HH:]MM:]SS`. One number is seconds, two are minutes and seconds. Returns none for any other text.
std::optional<ClockTime> parse_clock_time(std::string_view text);

/// Returns the message for arguments before -config that the settings file does not use.
std::string unused_words(const WindowsOptions& options);

/// Returns whether the output is a database (-f SQL).
bool writes_sql(const WindowsOptions& options);

/// Sets the format for `hkpd replay` in `arguments`: csv and tsv are PDH's, SQL is a database of SQLite, whose file and
/// run the output names: `FILE!RUN` or `SQL:FILE!RUN`. Returns the error message; empty on success. `usual` is the
/// format that the command has without -f.
std::string add_format(const WindowsOptions& options, std::string_view usual, Strings& arguments);

/// Returns the error message if the output is a file that the command reads: a log, a file of counter paths or of
/// settings. Returns an empty text if it is not.
std::string check_files(const WindowsOptions& options);

/// Returns whether the output may be written: it does not exist, -y was given, or the answer to the question is yes.
bool may_overwrite(const WindowsOptions& options);

/// The last line of both commands on success.
inline constexpr std::string_view completed = "The command completed successfully.\n";

}  // namespace hkpd::command
