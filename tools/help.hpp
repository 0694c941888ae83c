// What there is to say of a subcommand, once: --help shows it on a screen, `hkpd help --man` as a manual page, and
// `hkpd completion` turns it into scripts for shells.
#pragma once

#include <boost/program_options.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace hkpd::command {

namespace po = boost::program_options;

/// What is said beside the options. ASCII; lines end only where it says so here, paragraphs are broken where they are
/// shown.
struct HelpText {
    std::string_view usage;      ///< a line for each way to call it, behind `hkpd SUBCOMMAND`
    std::string_view prose;      ///< a line for each paragraph
    std::string_view usual;      ///< names of the options that --help shows, --help-all shows all; empty: all
    std::string_view examples;   ///< a line for each: whole commands
    std::string_view details{};  ///< paragraphs behind the options, where all of them are shown
    std::string_view words{};    ///< what the first word may be; empty: a file like all others
};

/// A subcommand's help. Its options tell of themselves and take nothing: what they write to is gone.
struct Description {
    HelpText text;
    po::options_description options;
};

/// The text of an option that is one of a few words, which are known to help and to completion.
class Choice final : public po::typed_value<std::string> {
  public:
    Choice(std::string* to, std::string_view words);

    const std::vector<std::string_view>& words() const noexcept { return words_; }

  private:
    std::vector<std::string_view> words_;
};

/// One of these words, which stand in a row, as text of an option's value.
Choice* choice(std::string& to, std::string_view words);
/// Likewise where a notifier takes it.
Choice* choice(std::string_view words);

/// What completion may offer as an option's value.
enum class ArgumentKind : std::uint8_t { nothing, text, word, file, directory };

/// An option as it is shown.
struct ShownOption {
    std::string letter, name;  ///< `-o`, or empty; `--output`
    std::string value, text;   ///< `FILE`, `table|json`, or empty; what it does
    ArgumentKind takes = ArgumentKind::nothing;
    std::vector<std::string_view> words{};  ///< values that it may have, where that is known
};

std::vector<ShownOption> shown_options(const po::options_description& options);

/// Adds those that every subcommand has.
void add_help(po::options_description& options);

/// All that there is to say of a subcommand, with the options that every one has.
Description whole_description(const Subcommand& subcommand);

/// For a screen: what most people need, or all.
enum class Extent : std::uint8_t { usual, all };
std::string screen_help(std::string_view subcommand, const Description& description, Extent extent);

/// For `man`: that of a subcommand, or of the command itself.
std::string man_page(const Subcommand& subcommand);
std::string man_page_of_all();

/// The command's own help for a screen.
std::string overview();

/// Appends words where `indent` columns are full, until the line is; and further lines below them.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent, std::size_t width);
/// Paragraphs, lines or words.
std::vector<std::string_view> split(std::string_view text, std::string_view::value_type between);
/// `table, json or csv`
std::string one_of(const std::vector<std::string_view>& words);

/// What the command is, and what its exit codes mean: on the screen and in the manual.
inline constexpr std::string_view about_hkpd =
    "hkpd decodes Windows performance data: what RegQueryValueEx(HKEY_PERFORMANCE_DATA) (V1) and the PerfLib functions "
    "(V2) returned, from any machine, on any machine.";
struct ExitMeaning {
    std::string_view code, meaning;
};
inline constexpr ExitMeaning exit_meanings[] = {
    {"0", "good"},
    {"1", "the input was damaged (what was sound has been written); of check: faults; of compare: something differs"},
    {"2", "wrong usage, or a filter that nothing matches"},
    {"3", "something could not be read or written"},
};

}  // namespace hkpd::command
