// `--format`, and the names of formats in messages and help, from the table in hkpd/format.hpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "flags/options.hpp"
#include "hkpd/format.hpp"

namespace hkpd {
class Diagnostics;
}

namespace hkpd::command {

using FormatNames = std::vector<std::string_view>;

/// Returns the names of the output formats for which `allows` is true.
template <class Allows>
FormatNames format_names(const Allows& allows) {
    FormatNames names;
    for (const FormatSpec& row : output_formats())
        if (std::invoke(allows, row)) names.push_back(row.name);
    return names;
}

/// Returns whether outputs in the format can follow each other in one file, and show each input by itself.
inline bool has_separate_inputs(const FormatSpec& row) noexcept {
    return !row.needs_run && row.syntax != FormatSpec::Syntax::json;
}

/// Returns whether an option applies to a format and not to all (`FormatSpec::options`).
bool has_option(const FormatSpec& row, std::string_view option);
/// Returns the names of the formats to which an option applies.
FormatNames formats_with(std::string_view option);
/// Returns the text of an option's help, after the names of the formats to which it applies: `pdh-csv, pdh-tsv: text`.
std::string help_of_formats(std::string_view option, std::string_view text);
/// Returns the message for an option that does not apply to the format: `--crlf requires --format pdh-csv or pdh-tsv`.
std::string requires_format(std::string_view option);

/// Adds `--format` to a subcommand's options. `names` lists the formats. The format for people is `text` in all
/// subcommands. Second names of formats are accepted, too, and stored as the first ones.
void describe_format(po::options_description& shown, std::string& to, const FormatNames& names);

/// Adds `--file-column` to a subcommand's options.
void describe_file_column(po::options_description& shown, bool& wanted);
/// Returns what is wrong with `--file-column`; empty if nothing. `has_lines_of_values`: the output has a line for each
/// value, and not for each series.
std::string check_file_column(bool wanted, Format format, bool has_lines_of_values);
/// Sets the function of a writer that names the inputs in `diagnostics`, which must outlive the writer.
void use_file_column(WriteOptions& write, const Diagnostics& diagnostics);

}  // namespace hkpd::command
