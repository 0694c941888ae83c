// What the subcommands share: how they are called, what they return, how they report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/names.hpp"

namespace hkpd {
class Diagnostics;
}

namespace hkpd::command {

/// Exit codes; README and --help state them.
enum class Exit : std::uint8_t {
    good = 0,
    damaged = 1,     ///< the input was damaged; what was sound has been written
    usage = 2,       ///< the command line asks for something that is not there
    unreadable = 3,  ///< something could not be read or written
};

struct Description;  // help.hpp

/// A subcommand's name, its line in the overview, what runs it with the arguments behind its name, and its help.
struct Subcommand {
    std::string_view name, summary;
    Exit (*run)(const std::vector<std::string>& arguments);
    Description (*describe)();
};

/// All of them, in the order in which they are shown.
std::span<const Subcommand> subcommands();
std::vector<std::string_view> subcommand_names();
/// One by its name; null where there is none.
const Subcommand* find_subcommand(std::string_view name);
/// What is said of a name that is none.
std::string no_subcommand(std::string_view name);

Exit capture(const std::vector<std::string>& arguments);
Exit check(const std::vector<std::string>& arguments);
Exit compare(const std::vector<std::string>& arguments);
Exit completion(const std::vector<std::string>& arguments);
Exit dump(const std::vector<std::string>& arguments);
Exit help(const std::vector<std::string>& arguments);
Exit map(const std::vector<std::string>& arguments);
Exit replay(const std::vector<std::string>& arguments);
Exit titles(const std::vector<std::string>& arguments);

Description describe_capture();
Description describe_check();
Description describe_compare();
Description describe_completion();
Description describe_dump();
Description describe_help();
Description describe_map();
Description describe_replay();
Description describe_titles();

/// `hkpd dump: MESSAGE` on standard error, so that no terminal acts on it: names of files may hold anything.
void complain(std::string_view subcommand, std::string_view message);

/// The same, and where help is to be found.
Exit usage_error(std::string_view subcommand, std::string_view message);

/// `: did you mean 'NAME'?`; nothing where there is no name.
std::string did_you_mean(std::string_view name);
/// The same of the known word that is most like one which is none of them; case matters in all words of the command.
std::string suggest(std::string_view wrong, const std::vector<std::string_view>& known);

/// Writes to standard output; ends the program at once, with `Exit::unreadable` and a word on why, where that fails.
void write_out(std::string& buffer);

/// How `report` treats what was found.
enum class Verbosity : std::uint8_t { faults, notes_too, first_fault };

/// Writes what was found to standard error, many of a kind shortened, and says which exit code it calls for.
Exit report(const Diagnostics& diagnostics, Verbosity verbosity);

/// As above, where nothing could be had at all: what a live query failed with leaves nothing to show.
Exit report_nothing(const Diagnostics& diagnostics, Verbosity verbosity, bool live);

/// A title database as a file, and what is in it.
struct TitleFile {
    std::string name, content;
    std::vector<TitleTable> tables;
};
/// Reads title databases from files, captures, performance logs, and all files of directories that are any.
std::vector<TitleFile> read_title_files(const std::vector<std::string>& paths, Diagnostics& diagnostics);

/// Loads title tables from files, and from all files of directories that are any. None given: the built-in table.
Titles load_titles(const std::vector<std::string>& paths, const std::vector<std::string>& languages,
                   Diagnostics& diagnostics);

/// Whether a file begins as a performance log does. It is at its beginning afterwards.
bool is_log(std::istream& file);

/// Reads a whole file into memory, or says what is wrong with that.
std::string read_whole(const std::string& path, std::string& content);

/// Whether a text names a language as Windows does, by three hexadecimal digits or fewer.
bool is_language(std::string_view text) noexcept;
/// What is said of one that does not.
std::string not_a_language(std::string_view text);

/// Columns of the terminal that standard output is, or a fixed width where it is none.
std::size_t output_width();

}  // namespace hkpd::command
