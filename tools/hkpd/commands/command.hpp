// The declarations that all subcommands share: the table of subcommands, the exit codes, and functions that report
// errors, read title databases and write the output.
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

/// The exit codes, documented in README.md and --help.
enum class Exit : std::uint8_t {
    good = 0,
    damaged = 1,     ///< the input is damaged; the valid part has been written
    usage = 2,       ///< usage error, or nothing matches the filters
    unreadable = 3,  ///< an input or output could not be read or written
};

struct Description;  // help.hpp

/// A subcommand: its name, its heading and line in the overview, the function that runs it with the arguments after its
/// name, and its help.
struct Subcommand {
    std::string_view name, group, summary;
    Exit (*run)(const std::vector<std::string>& arguments);
    Description (*describe)();
};

/// Returns all subcommands in the order in which they are shown.
std::span<const Subcommand> subcommands();
std::vector<std::string_view> subcommand_names();
/// Returns the subcommand with this name; null if there is none.
const Subcommand* find_subcommand(std::string_view name);
/// Returns the message for a name that is not a subcommand.
std::string no_subcommand(std::string_view name);

#define HKPD_SUBCOMMAND(name, group, summary)             \
    Exit name(const std::vector<std::string>& arguments); \
    Description describe_##name();
#include "commands/subcommands.def"
#undef HKPD_SUBCOMMAND

/// Writes a text to standard error. Needs no memory. If writing fails, the program ends with `Exit::unreadable`, unless
/// it would end with it anyway (`last_exit`).
void write_error(std::string_view text) noexcept;

/// Writes `hkpd SUBCOMMAND: MESSAGE` to standard error, or `hkpd: MESSAGE` if `subcommand` is empty. Control characters
/// in the message are escaped, because file names can contain them.
void complain(std::string_view subcommand, std::string_view message);

/// Writes `hkpd SUBCOMMAND: MESSAGE (see hkpd SUBCOMMAND --help)` to standard error. If `subcommand` is empty, refers
/// to `hkpd --help`. Returns `Exit::usage`.
Exit usage_error(std::string_view subcommand, std::string_view message);

/// Returns `: did you mean 'NAME'?`, or an empty text if the name is empty.
std::string did_you_mean(std::string_view name);
/// Returns the known word most similar to `wrong`; letter case matters. Returns an empty text if no word is similar.
std::string nearest_word(std::string_view wrong, const std::vector<std::string_view>& known);
/// Returns `: did you mean 'WORD'?` with the word that `nearest_word` returns; empty if no word is similar.
std::string suggest(std::string_view wrong, const std::vector<std::string_view>& known);

/// Writes the buffer to standard output and empties it. If writing fails, reports why and ends the program at once with
/// `Exit::unreadable`.
void write_out(std::string& buffer);

/// The faults that `report` writes.
enum class Verbosity : std::uint8_t { faults, notes_too, first_fault };

/// Writes the faults to standard error and returns the exit code for them. Writes only the first faults of each kind,
/// and the number of further faults. With `Verbosity::notes_too`, writes all faults and notes. With
/// `Verbosity::first_fault`, writes one fault.
Exit report(const Diagnostics& diagnostics, Verbosity verbosity);

/// Returns whether a text is a language id of Windows: at most three hexadecimal digits.
bool is_language(std::string_view text) noexcept;
/// Returns the message for a text that is not a language id.
std::string not_a_language(std::string_view text);

/// Returns the width of the output in columns, at least 40. If the environment variable COLUMNS is set, it states the
/// width. Otherwise, the width is that of the terminal; if standard output is not a terminal, it is `elsewhere`.
std::size_t output_width(std::size_t elsewhere = 100);
/// Returns the height of the terminal in lines; 0 if standard output is not a terminal. If the environment variable
/// LINES is set, it states the height.
std::size_t output_height();
/// Returns whether the output has colours. `when` is the value of `--color`. With `auto`, a terminal has colours,
/// unless the environment variable NO_COLOR is not empty (no-color.org), TERM is `dumb`, or the terminal does not
/// support them. `terminal`: whether the output is shown on a terminal.
bool use_color(std::string_view when, bool terminal);

}  // namespace hkpd::command
