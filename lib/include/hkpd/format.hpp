// The output formats as a table: a row for each format states its name, what it needs, what it can show and how its
// writer is created. Programs check their options against the row, and list the formats that a purpose allows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace hkpd {

class Writer;
struct WriteOptions;

/// An output format: the position of its row in `output_formats`. The constants are for programs that choose a format
/// themselves. A format without a constant is found by its name, with `format_of`.
enum class Format : std::uint8_t {
    table,        ///< text for people
    timeline,     ///< text for people: one line for each sample, one aligned column for each counter of an instance
    json,         ///< one JSON document with all samples and the diagnostics
    jsonl,        ///< one line with a JSON object for each value
    csv,          ///< one line for each value, as in RFC 4180, after a header line
    pdh_csv,      ///< one row for each sample, one column for each counter of an instance, like `relog -f csv`
    pdh_tsv,      ///< one row for each sample, one column for each counter of an instance, like `relog -f tsv`
    openmetrics,  ///< OpenMetrics text, with a timestamp for each value
    sqlite,       ///< SQLite database with views in the form of the tables that `relog -o SQL:` fills; no text
};

/// A row of the table of output formats.
struct FormatSpec {
    /// The form of the output, on which readers can rely whatever the input was.
    enum class Syntax : std::uint8_t {
        text,         ///< printable lines
        tabbed,       ///< printable lines with tabs between cells
        csv,          ///< RFC 4180; no cell is a formula
        json,         ///< one JSON document, so that outputs cannot follow each other in one file
        json_lines,   ///< a JSON document on each line
        openmetrics,  ///< ends with `# EOF`
        binary,       ///< bytes, not text
    };
    /// The effect of a request for raw values.
    enum class Raw : std::uint8_t {
        instead,      ///< raw values instead of cooked ones
        in_addition,  ///< raw values in addition to cooked ones (`WriteOptions::raw_values`)
        by_default,   ///< nothing: values are raw unless cooked ones are requested (`WriteOptions::cooked_gauges`)
    };
    using Make = std::unique_ptr<Writer> (*)(const WriteOptions& options);

    std::string_view name{};        ///< the value of `--format`
    std::string_view other_name{};  ///< a second name that is accepted, too; empty if there is none
    std::string_view extension{};   ///< usual ending of file names, such as `.csv`
    Syntax syntax = Syntax::text;
    Raw raw = Raw::instead;
    bool needs_file = false;  ///< the writer opens the file `WriteOptions::database`, and appends no text
    /// The writer matches the instances of all samples of a run, so that each instance has the same column, series or
    /// id in all samples. It always needs a cooker, which knows the matches, and the samples of one interface of each
    /// machine.
    bool needs_run = false;
    bool needs_one_pass = false;  ///< the writer must get each sample only once (`WriteOptions::one_pass`)
    bool has_raw = false;         ///< shows samples one by one, without a cooker: `hkpd dump`
    bool has_all_values = false;  ///< shows bases and texts, too, which have no cooked value
    bool has_summary = false;     ///< `make_summary_writer` and `make_top_writer` have it
    std::string_view options{};   ///< names of the options of `hkpd replay` that apply to this format, and not to all
    Make make = nullptr;          ///< creates the writer
    Make make_buckets = nullptr;  ///< creates the writer for `WriteOptions::bucket_length`; null if there is none
};

/// Returns the table of output formats. The first is the one that is used if none is requested.
std::span<const FormatSpec> output_formats() noexcept;

/// Returns the row of a format.
const FormatSpec& spec_of(Format format) noexcept;

/// Returns the format with this name or second name; none if there is no such format.
std::optional<Format> format_of(std::string_view name) noexcept;

}  // namespace hkpd
