// Options that have one name, one text and one meaning in several subcommands, and no module of their own.
#pragma once

#include <optional>
#include <string>

#include "flags/options.hpp"

namespace hkpd::command {

/// Adds `--titles`, which can be given several times, to a subcommand's options.
void describe_title_files(po::options_description& shown, Strings& paths);
/// Adds `--lang`, the languages of titles by preference, to a subcommand's options.
void describe_languages(po::options_description& shown, Strings& languages);
/// Adds `--limit-values` to a subcommand's options.
void describe_value_limit(po::options_description& shown, std::optional<std::string>& number);
/// The lists to which the names of files with V2 data are added.
struct V2Lists {
    Strings *blocks, *registrations, *identifiers;
};
/// Adds `--v2`, `--registration` and `--identifiers` to a subcommand's options.
void describe_v2_files(po::options_description& shown, const V2Lists& files);
/// Adds `--registration` and `--identifiers`, without `--v2`.
void describe_v2_names(po::options_description& shown, const V2Lists& files);
/// Adds `--verbose` to a subcommand's options.
void describe_verbose(po::options_description& shown, bool& verbose);
/// Adds `--all` to the options of a subcommand that shows less on terminals.
void describe_all(po::options_description& shown, bool& all);
/// Adds `--color`, a value for `use_color`, to a subcommand's options.
void describe_color(po::options_description& shown, std::string& when);

/// Adds `--recursive`, which makes directories below the inputs inputs too, to a subcommand's options.
void describe_recursive(po::options_description& shown, bool& recursive);

}  // namespace hkpd::command
