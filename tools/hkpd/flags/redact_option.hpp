// The options that replace names by pseudonyms: --redact and those that adjust it.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "flags/options.hpp"
#include "hkpd/redact.hpp"

namespace hkpd::command {

/// The options of --redact, and the pseudonyms of the run.
struct RedactChoice {
    bool wanted = false, keep_counters = false;
    std::optional<std::string> key, key_file, map;
    Strings keep;
    std::shared_ptr<Pseudonyms> names;  ///< set by `prepare_redaction`; null without --redact
};

/// Adds --redact and the options that require it to a subcommand's options.
void describe_redact(po::options_description& shown, RedactChoice& choice);

/// The paragraphs on --redact, for `HelpText::redact_details`.
inline constexpr std::string_view redact_details =
    "--redact replaces the names of machines, instances (processes, users, adapters, printers, databases, paths ...) "
    "and input files, and names of objects and counters that Windows does not have, by pseudonyms such as "
    "name-8y3k2mz0qd. Letter case does not matter; equal names have equal letters. Kept are numbers, times, time zones "
    "and GUIDs, names of Windows' objects and counters in any language, letters of drives, extensions such as .exe, "
    "and the instances _Total, Idle, System and others that every Windows has. Help texts and values that are texts "
    "are left out. What you type, such as --title, --name and --meta, is kept.\n"
    "Without a key, pseudonyms differ in each run. A key on the command line can be seen by other users: prefer "
    "--redact-key-file. Who knows the key can test guesses. --redact-map writes, for you, which name is which.\n";

/// Makes the pseudonyms that the options request. Reports what is wrong with them and returns an exit code; none on
/// success.
std::optional<Exit> prepare_redaction(std::string_view subcommand, RedactChoice& choice);

/// Writes what was replaced and kept to standard error, and the file of --redact-map. Returns the exit code: `found`,
/// or `Exit::unreadable` if the file cannot be written. Does nothing without --redact.
Exit conclude_redaction(std::string_view subcommand, const RedactChoice& choice, Exit found);

/// Returns the name of an input, as it is in the output.
std::string shown_input(const RedactChoice& choice, const std::string& name);

/// Return a pattern or path with which a user selects by the original names, in the form that selects by pseudonyms.
/// Pseudonyms stay as they are. An error message is returned for a name with a wildcard in it: it would match none.
/// @{
std::expected<std::string, std::string> redacted_pattern(const RedactChoice& choice, NameKind kind,
                                                         const std::string& pattern);
std::expected<std::string, std::string> redacted_path(const RedactChoice& choice, const std::string& path);
/// @}

/// Returns a message with the original names in place of pseudonyms, for the one who typed them.
std::string with_typed_names(const RedactChoice& choice, std::string text);

}  // namespace hkpd::command
