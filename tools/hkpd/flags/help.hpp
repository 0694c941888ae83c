// The description of a subcommand. It is written once and used three times: --help shows it on the screen, `hkpd help
// --man` prints it as a manual page, and `hkpd completion` makes shell scripts from its options.
#pragma once

#include <boost/program_options.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"

namespace hkpd::command {

namespace po = boost::program_options;

/// The form in which options are written: `--name` and `-n`, or `-name` and `/name` in any letter case, as in the
/// commands of Windows.
enum class OptionStyle : std::uint8_t { posix, windows };

/// The text around the options, in ASCII. `usual` and `words` are lists of words separated by spaces. All other members
/// have one item per line. Paragraphs are wrapped when they are shown. --help shows one screen: the question, the first
/// examples, the most used options, and no details.
struct HelpText {
    std::string_view question;          ///< of a person whom the subcommand answers, in one line
    std::string_view usage;             ///< synopses after `hkpd SUBCOMMAND`, one per line
    std::string_view prose;             ///< paragraphs, one per line
    std::string_view usual;             ///< names of the options that --help shows; empty for all, as in --help-all
    std::string_view examples;          ///< complete commands, one per line
    std::string_view details{};         ///< paragraphs after the options, shown with all options
    std::string_view input_details{};   ///< further paragraphs of that kind, on inputs; shared by several subcommands
    std::string_view shared_details{};  ///< others that several subcommands have
    std::string_view redact_details{};  ///< those on --redact
    std::string_view words{};           ///< values accepted as the first argument; empty if all arguments are files
    OptionStyle style = OptionStyle::posix;
};

/// A subcommand's help. The options can only be shown, not parsed, because the variables in which they would store
/// values no longer exist.
struct Description {
    HelpText text;
    po::options_description options;
};

/// The value of an option that accepts only certain words. Help and completion list these words.
class Choice final : public po::typed_value<std::string> {
  public:
    /// `synonyms`: words that are accepted, too, but not listed. The texts must outlive the object.
    Choice(std::string* to, std::vector<std::string_view> words, std::vector<std::string_view> synonyms = {});

    const std::vector<std::string_view>& words() const noexcept { return words_; }
    bool accepts(std::string_view word) const noexcept;

  private:
    std::vector<std::string_view> words_;
    std::vector<std::string_view> synonyms_;
};

/// Returns the value of an option that accepts only certain words. `words` lists them, separated by spaces. The given
/// word is stored in `to`.
Choice* choice(std::string& to, std::string_view words);
/// Returns the value of an option that accepts only certain words. `words` lists them, separated by spaces. The given
/// word is not stored: the caller adds a notifier (Boost.Program_options), which gets the word.
Choice* choice(std::string_view words);

/// Returns whether help, manual pages and completion show an option. Options without a description are earlier names of
/// others: they are accepted, and not shown.
bool is_shown(const po::option_description& option);

/// The kind of value that completion offers for an option.
enum class ArgumentKind : std::uint8_t { nothing, text, word, file, directory };

/// An option as help shows it.
struct ShownOption {
    /// The short name such as `-o` (empty if the option has none), and the long name such as `--output` or, with
    /// `OptionStyle::windows`, `-o`.
    std::string letter, name;
    /// The placeholder of the value such as `FILE` or `table|json` (empty if the option takes no value), and the
    /// description of the option.
    std::string value, text;
    ArgumentKind takes = ArgumentKind::nothing;
    std::vector<std::string_view> words{};  ///< all accepted words; empty if any text is accepted
};

std::vector<ShownOption> shown_options(const Description& description);

/// Options with a common heading, such as `Output`. The heading is empty if there is only one group.
struct OptionGroup {
    std::string_view heading;
    std::vector<ShownOption> options;
};

/// Returns the options in groups, without empty groups. Options of no group are in the last one, `Other`.
std::vector<OptionGroup> in_groups(std::vector<ShownOption> options);

/// Adds the options that every subcommand has: --help and --help-all.
void add_help(po::options_description& options);

/// Returns the description of a subcommand, including the options that every subcommand has.
Description whole_description(const Subcommand& subcommand);

/// The options that the help on a screen shows: the usual ones or all.
enum class Extent : std::uint8_t { usual, all };
std::string screen_help(std::string_view subcommand, const Description& description, Extent extent);

/// Returns the manual page of a subcommand.
std::string man_page(const Subcommand& subcommand);
/// Returns the manual page of the command `hkpd` itself.
std::string man_page_of_all();

/// Returns the help of the command `hkpd` itself, as it is shown on the screen.
std::string overview();

/// Appends words to a line with `indent` columns already used, wrapping at `width`; further lines are indented.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent, std::size_t width);
/// Splits a text at each character `between`.
std::vector<std::string_view> split(std::string_view text, std::string_view::value_type between);
/// Returns a text with the ASCII letters in lower case.
std::string lower_case(std::string_view text);
/// Returns the words as a list: `table, json or csv`.
std::string one_of(const std::vector<std::string_view>& words);
/// Returns the words as a list: `table, json and csv`.
std::string all_of(const std::vector<std::string_view>& words);

/// The description of the command, complete commands for any log with the question that each answers, and the meaning
/// of the exit codes, for the screen and the manual.
inline constexpr std::string_view about_hkpd =
    "Reads PerfMon logs (.blg, .csv), captures and raw performance data of Windows, on any system; answers what "
    "limited a machine, which process it was, what changed, and what is wrong with the data.";
inline constexpr std::string_view about_input_alone = "hkpd INPUT is hkpd info INPUT.";
struct FirstExample {
    std::string_view command, question;
};
inline constexpr FirstExample first_examples[] = {
    {"hkpd perf.blg", "what is in it, from when to when?"},
    {"hkpd top perf.blg", "which process was it?"},
    {"hkpd report perf.blg -o report.html", "what was wrong, on one page?"},
};
struct ExitMeaning {
    std::string_view code, meaning;
};
inline constexpr ExitMeaning exit_meanings[] = {
    {"0", "success"},
    {"1", "damaged input (its valid parts were written), findings (check) or differences (compare)"},
    {"2", "wrong usage, or nothing to do: a filter that matches nothing, an input without samples"},
    {"3", "an input is missing or no performance data, or something could not be read or written"},
};

}  // namespace hkpd::command
