// Options shared by the subcommands that read samples: inputs, titles and filters.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "flags/options.hpp"
#include "flags/redact_option.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "terminal/live_input.hpp"

namespace hkpd {
class Diagnostics;
struct WriteOptions;
}  // namespace hkpd

namespace hkpd::command {

struct InputOptions {
    Strings inputs, titles, languages, objects, instances, counters, paths;
    Strings path_files;      ///< files with more paths, which `read_path_files` adds to `paths`
    Strings log_zone_texts;  ///< those of `--log-tz`, from which `check_inputs` makes `log_zones`
    LogZones log_zones;
    std::optional<std::string> encoding_name;  ///< that of `--encoding`, from which `check_inputs` makes `encoding`
    TextEncoding encoding;
    V2Files v2;
    LiveOptions live;
    RedactChoice redact;
    std::optional<std::string> limit_values, limit_expansion, limit_names;
    std::optional<std::string> jobs;   ///< number of inputs processed at the same time
    std::optional<SampleSource> only;  ///< interface whose samples are shown
    bool strict = false, verbose = false, recursive = false;
    bool english_names = false;  ///< show English names in place of those of the input
    bool progress = false;       ///< show the progress of reading files; set by the subcommand
};

/// The paragraphs on performance logs and on the names of inputs, for `HelpText::input_details`.
inline constexpr std::string_view log_details =
    "A performance log is a .blg, .csv or .tsv file, or samples of PowerShell's Get-Counter as text: as shown, by "
    "Format-List, Export-Csv or ConvertTo-Json. Values in texts are cooked already.\n"
    "An INPUT with * or ? that no shell has expanded is expanded, in any part of its path and in any letter case; a "
    "file "
    "of that name comes first. A file that is named twice, also by another path, through a link or in a directory that "
    "is "
    "an input, is read once.\n";

/// Adds the options for inputs and filters to a subcommand's options.
void describe_inputs(po::options_description& shown, InputOptions& options);
/// Adds the options for inputs to a subcommand's options, without filters for objects, instances and counters.
void describe_sources(po::options_description& shown, InputOptions& options);
/// Adds `--source` to a subcommand's options.
void describe_interface(po::options_description& shown, InputOptions& options);

/// Adds the counter paths in the `--cf` files to `options.paths`. If a file cannot be read or has no valid paths,
/// reports this and returns an exit code.
std::optional<Exit> read_path_files(std::string_view subcommand, InputOptions& options);

/// Returns what is wrong with the identifiers in `v2`; empty if nothing. `option` is the name of the option that gives
/// the V2 blocks, for the message.
std::string check_identifiers(const V2Files& v2, std::string_view option);

/// Returns what is wrong with the options; if nothing, returns an empty text and fills `limits`.
std::string check_inputs(InputOptions& options, Limits& limits);

/// Returns whether the options select objects, instances or counters.
bool selects_any(const InputOptions& options) noexcept;

/// Fills a filter from the options. Returns the error message; empty on success.
std::string make_filter(const InputOptions& options, Filter& filter);

/// Returns the paths of all inputs, including identifiers and registration info, but not title databases. A path can be
/// a file, a directory or `-`.
Strings all_inputs(const InputOptions& options);

/// Returns whether the directories below the directories among the inputs are read, too.
constexpr Subdirectories subdirectories_of(bool recursive) noexcept {
    return recursive ? Subdirectories::read : Subdirectories::skipped;
}

/// One pass over the inputs that the options name. If the options name title databases, titles in the inputs and the
/// built-in table are not used. Otherwise, both are used. Registration info from the options takes precedence over
/// registration info in the inputs.
class Input {
  public:
    Input(const InputOptions& options, ReaderOptions how, Diagnostics& diagnostics);

    Reader& reader() noexcept { return reader_; }
    /// Returns the live input; null if the inputs are files.
    const LiveInput* live() const noexcept { return live_; }

  private:
    Reader open(const InputOptions& options, ReaderOptions how, Diagnostics& diagnostics);

    LiveInput* live_ = nullptr;  // set by `open`
    Reader reader_;
};

/// Sets the limits on what a writer remembers over a run.
void use_limits(WriteOptions& write, const Limits& limits);

/// Returns the message for a text that is not a counter path, or that is too long for one.
std::string not_a_path(std::string_view text);

/// Adds a warning for each text log among the inputs: raw values were requested, and the log has only cooked ones.
void report_no_raw_values(const Reader& reader, Diagnostics& diagnostics);
/// Adds a warning for each text log among the inputs that states no zone: its local times were written as UTC.
void report_local_times(const Reader& reader, Diagnostics& diagnostics);

}  // namespace hkpd::command
