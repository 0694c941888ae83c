// The table of output formats. A new format is a row here, and a file with its writer.
#include <algorithm>
#include <array>

#include "hkpd/format.hpp"
#include "hkpd/write.hpp"
#include "write/writers.hpp"

namespace hkpd {

// The functions that create the writers. Each is defined in the file of its writer.
using Factory = std::unique_ptr<Writer>(const WriteOptions& options);
using SharedFactory = std::unique_ptr<Writer>(Format format, const WriteOptions& options);
Factory make_timeline_writer;
Factory make_json_writer;
SharedFactory make_value_writer;
SharedFactory make_bucket_writer;
SharedFactory make_pdh_writer;
Factory make_openmetrics_writer;
Factory make_sqlite_writer;

namespace {

using Syntax = FormatSpec::Syntax;
using Raw = FormatSpec::Raw;

/// Creates the writer of one of the formats that have a function in common.
template <SharedFactory* make, Format format>
std::unique_ptr<Writer> make_one_of(const WriteOptions& options) {
    return make(format, options);
}

/// In the order of `Format`, in which help lists them.
constexpr std::array format_rows{
    FormatSpec{.name = "text",
               .other_name = "table",
               .extension = ".txt",
               .has_raw = true,
               .has_summary = true,
               .make = make_table_writer},
    FormatSpec{.name = "timeline",
               .extension = ".txt",
               .needs_run = true,
               .needs_one_pass = true,
               .make = make_timeline_writer},
    FormatSpec{.name = "json",
               .extension = ".json",
               .syntax = Syntax::json,
               .has_raw = true,
               .has_all_values = true,
               .has_summary = true,
               .make = make_json_writer},
    FormatSpec{.name = "jsonl",
               .extension = ".jsonl",
               .syntax = Syntax::json_lines,
               .has_raw = true,
               .has_all_values = true,
               .has_summary = true,
               .options = "bucket file-column",
               .make = make_one_of<make_value_writer, Format::jsonl>,
               .make_buckets = make_one_of<make_bucket_writer, Format::jsonl>},
    FormatSpec{.name = "csv",
               .extension = ".csv",
               .syntax = Syntax::csv,
               .has_raw = true,
               .has_all_values = true,
               .has_summary = true,
               .options = "bucket file-column",
               .make = make_one_of<make_value_writer, Format::csv>,
               .make_buckets = make_one_of<make_bucket_writer, Format::csv>},
    FormatSpec{.name = "pdh-csv",
               .extension = ".csv",
               .needs_run = true,
               .options = "crlf",
               .make = make_one_of<make_pdh_writer, Format::pdh_csv>},
    FormatSpec{.name = "pdh-tsv",
               .extension = ".tsv",
               .syntax = Syntax::tabbed,
               .needs_run = true,
               .options = "crlf",
               .make = make_one_of<make_pdh_writer, Format::pdh_tsv>},
    FormatSpec{.name = "openmetrics",
               .extension = ".om",
               .syntax = Syntax::openmetrics,
               .raw = Raw::by_default,
               .needs_run = true,
               .options = "cooked metric-prefix textfile",
               .make = make_openmetrics_writer},
    FormatSpec{.name = "sqlite",
               .extension = ".db",
               .syntax = Syntax::binary,
               .raw = Raw::in_addition,
               .needs_file = true,
               .needs_run = true,
               .needs_one_pass = true,
               .options = "bucket name",
               .make = make_sqlite_writer,
               .make_buckets = make_sqlite_writer},
};

}  // namespace

std::span<const FormatSpec> output_formats() noexcept { return format_rows; }

const FormatSpec& spec_of(Format format) noexcept {
    const auto row = static_cast<std::size_t>(format);
    return row < format_rows.size() ? format_rows[row] : format_rows.front();
}

std::optional<Format> format_of(std::string_view name) noexcept {
    const auto found = std::ranges::find_if(format_rows, [name](const FormatSpec& row) {
        return row.name == name || (!name.empty() && row.other_name == name);
    });
    return found == format_rows.end() ? std::nullopt : std::optional(static_cast<Format>(found - format_rows.begin()));
}

std::unique_ptr<Writer> make_writer(Format format, const WriteOptions& options) {
    const FormatSpec& row = spec_of(format);
    const bool buckets = options.bucket_length != 0 && row.make_buckets != nullptr;
    return with_name_limit(buckets ? row.make_buckets(options) : row.make(options), options);
}

}  // namespace hkpd
