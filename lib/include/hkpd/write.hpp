// Writes samples as text or into a database. Functions append text to a string of the caller. The caller decides when
// and where to write the content of this string.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "hkpd/error.hpp"
#include "hkpd/format.hpp"
#include "hkpd/zone.hpp"

namespace hkpd {

class Cooker;
class Diagnostics;
class Pattern;
class Sample;
class Titles;
class TitleTable;
struct CookOptions;
struct Diagnostic;
struct Limits;
struct Selected;

/// Options of writers. If a comment begins with the names of formats, the option applies only to these formats.
struct WriteOptions {
    const Titles* titles = nullptr;  ///< titles that name the samples; must outlive the writer
    bool help_text = false;          ///< table, json: show the help texts of counters, if known
    bool type_names = false;         ///< table: show the types of counters
    std::size_t width = 100;         ///< table: width of the terminal, in columns
    /// timeline: height of the terminal in lines. The heading is repeated once for each screen. If the height is 0, the
    /// heading is written only where the columns change.
    std::size_t height = 0;
    bool color = false;  ///< table, timeline: show damaged and missing values in colour (ANSI escape sequences)
    /// table, timeline, pdh_csv, pdh_tsv: write cooked values instead of raw values. json, jsonl, csv: write both. If
    /// true, `Writer::sample` needs a cooker.
    bool cooked = false;
    bool one_pass = false;       ///< the caller passes each sample only once, and does not call `Writer::again`
    bool cooked_gauges = false;  ///< openmetrics: write cooked values instead of raw counters
    std::string metric_prefix = "hkpd_";  ///< openmetrics: prefix of all metric names; see `is_metric_prefix`
    /// The time zone of times: in table, timeline, csv, pdh_csv and pdh_tsv. Each time has the zone's offset at that
    /// time. If this option has no value:
    ///
    /// - table, timeline: each sample of a log is in the zone of the log, all other samples are in UTC.
    /// - csv: all samples are in UTC; with `log_zone`, as in a table.
    /// - pdh_csv, pdh_tsv: the header states the zone of the first sample that has one (`Sample::zone`), or UTC if no
    ///   sample has a zone. Rows from the same input as that sample are in the zone of their own sample, all other rows
    ///   have the offset of the header.
    ///
    /// sqlite: the time zone that is stored with the run, as it is at the time of the first sample. If this option has
    /// no value, it is the zone of the first sample, or UTC if the first sample has no zone. Times in the database are
    /// always in UTC, and so are those of json, jsonl and openmetrics.
    std::optional<Zone> zone{};
    bool log_zone = false;  ///< csv: if `zone` has no value, samples of a log are in the zone of the log
    bool crlf = false;      ///< pdh_csv, pdh_tsv: end lines with CR LF, as on Windows
    /// Returns the name of an input (`Sample::origin`), such as that of `Diagnostics::inputs`; none for samples of no
    /// input. csv, jsonl: if there is a function, each line of a value has this name as its column `file`, after the
    /// machine.
    std::function<std::optional<std::string_view>(std::uint32_t input)> file_of_input{};
    /// pdh_csv, pdh_tsv: write what typeperf writes to the console. The header states no time zone, and values have six
    /// decimals.
    bool console = false;
    /// Receives the caller's string whenever the text in it has reached a quarter of a MiB, even within a sample,
    /// header or summary. The function must write the text and empty the string. This limits memory: the text of a
    /// sample can be thousands of times larger than the input, because names are repeated for each value. If there is
    /// no function, the string receives the complete text of each sample. Formats: table, timeline, json, jsonl, csv,
    /// pdh_csv, pdh_tsv, openmetrics and summaries.
    std::function<void(std::string&)> drain{};
    std::uint64_t series = 1'000'000;  ///< maximum number of series (one counter of one instance) in memory
    /// Maximum number of bytes of the names of counters and instances. The number is used for two limits. In memory,
    /// the writer stores at most this number of bytes of names. In the output, names may take this number of bytes in
    /// total, plus 64 bytes for each byte of the samples so far; a name counts once for each value with which it is
    /// written. Instances and counters whose names exceed one of the limits are left out.
    std::uint64_t names = 256ULL << 20U;
    /// Summaries: maximum number of bytes for the values from which percentiles are computed, for all series together
    /// (at least 64 bytes for each series are always allowed). Series with the most values are the first that keep,
    /// instead of values, the number of values in each of many ranges; their percentiles are approximate
    /// (`Statistics::percentile_error`).
    std::uint64_t statistics = 32ULL << 20U;
    /// csv, jsonl, sqlite: if the length is not 0, write for each series and interval of time the mean, minimum and
    /// maximum and the number of its cooked values, instead of the values. Intervals without a value are left out, and
    /// so are samples without a time. `Writer::sample` needs a cooker.
    std::int64_t bucket_length = 0;       ///< nanoseconds; see `Buckets` in summary.hpp
    std::uint64_t buffer = 64ULL << 20U;  ///< openmetrics: maximum number of bytes of points in memory; more are kept
                                          ///< in a temporary file. Textfiles: more are left out
    /// sqlite: path of the database file. If the file does not exist, the first sample creates it. If the file exists,
    /// the run is added to it; other tables and earlier runs in the database do not change.
    std::string database{};
    bool raw_values = false;  ///< sqlite: whether raw values are stored in addition to cooked ones
    std::string run_name{};   ///< sqlite: name of the run (DisplayString); empty: name of the first machine
    /// sqlite: maximum time to wait while another process locks the database. After this time, writing fails
    /// (`Writer::failure`).
    std::chrono::milliseconds timeout = std::chrono::minutes(1);
    /// sqlite: time from the first record of a transaction after which a record that ends is committed, with those
    /// before it. Other programs see committed records only, and wait for the transaction before they write. 0: each
    /// record is committed when it ends, as samples that arrive over time require; many small records then take ten
    /// times as long.
    std::chrono::milliseconds commit_after{};
};

/// Returns whether a file is an SQLite database that has content.
bool is_database(const std::string& path);

/// Returns whether metric names can begin with this prefix. The prefix may contain letters, digits, `_` and `:`, and
/// must not begin with a digit. It may be empty; metric names then begin with a letter or `_`.
bool is_metric_prefix(std::string_view prefix) noexcept;

/// A writer of one output format. The caller calls `begin`, and then `sample` for each sample. After all samples, the
/// caller calls `again`. As long as `again` returns true, the caller calls `sample` for all samples once more, and then
/// `again`. Finally, the caller calls `end`. If `WriteOptions::one_pass` is set, the caller never calls `again`.
class Writer {
  public:
    virtual ~Writer() = default;

    /// Appends the text that precedes the first sample.
    virtual void begin(std::string& out);
    /// Writes the selected parts of a sample. `cooker` must be the cooker of the sample in these cases:
    /// `WriteOptions::cooked` is set; `FormatSpec::needs_run` is true for the format; this is a summary writer or a
    /// textfile writer. In all other cases, it may be null.
    virtual void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) = 0;
    /// Ends a pass over all samples. Returns whether the caller must pass all samples to `sample` once more. Some
    /// formats collect information in the first pass and write in the second pass. Other formats write a part of the
    /// output in each pass.
    virtual bool again(std::string& out);
    /// Appends the text that follows the last sample. Reports data that was left out to `diagnostics`. A JSON document
    /// includes all faults in `diagnostics`.
    virtual void end(Diagnostics& diagnostics, std::string& out);
    /// Returns a message that states why the writer cannot write any more; empty if it can. If the message is not
    /// empty, the caller need not pass more samples. Text formats always return an empty message.
    virtual std::string_view failure() const noexcept;
};

/// Creates a writer of a format; never null.
std::unique_ptr<Writer> make_writer(Format format, const WriteOptions& options);

/// Creates a writer for a terminal; never null. If the counters that are selected in the first sample with any fit as
/// columns into `WriteOptions::width`, the writer is that of a timeline, otherwise that of a table. `Writer::sample`
/// always needs a cooker.
std::unique_ptr<Writer> make_terminal_writer(const WriteOptions& options);

/// A writer of files for the textfile collectors of node_exporter and windows_exporter, in Prometheus' text format
/// without timestamps. The text contains only the last sample of each machine. `sample` appends nothing. `end` appends
/// the complete text.
class TextfileWriter : public Writer {
  public:
    /// Appends the complete text for the samples that were passed to `sample` so far.
    virtual void write(std::string& out) const = 0;
};

/// Creates a textfile writer. The options for openmetrics apply to it. Metrics that do not fit into
/// `WriteOptions::buffer` are left out.
std::unique_ptr<TextfileWriter> make_textfile_writer(const WriteOptions& options);

/// Appends a diagnostic as one line for people, without a line end:
///
///     FILE: offset 0x14: error: PERF_DATA_BLOCK.TotalByteLength: ...
void append_diagnostic(std::string& out, const Diagnostics& diagnostics, const Diagnostic& diagnostic);

/// Appends text in a form that is safe to show on a terminal: bytes that are not UTF-8, and characters without a shape
/// of their own, become escapes such as `\x1B` and `\u202E`. Such characters are controls, line ends, format
/// characters, those that Unicode lets programs ignore (U+00AD, fillers, variation selectors), and codes that are no
/// characters.
void append_printable(std::string& out, std::string_view text);

/// Appends each title of the tables as a line for people, with its index. If there are several tables, their names
/// stand above their titles.
void append_titles(std::string& out, std::span<const TitleTable* const> tables);
/// Appends each title that matches a pattern, by its text or its index, as a line for people. If there are several
/// tables, the line has the name of the table, too.
void append_matching_titles(std::string& out, std::span<const TitleTable* const> tables, const Pattern& pattern);
/// Appends each title as a line that `parse_titles` reads: index, tab, title.
void append_title_lines(std::string& out, std::span<const TitleTable* const> tables);
/// Appends the tables as one JSON document, with all titles or, if `pattern` is not null, those that match. Returns the
/// number of titles.
std::size_t append_titles_json(std::string& out, std::span<const TitleTable* const> tables, const Pattern* pattern);

struct CollectionCost;
struct Comparison;

/// Appends a comparison of V1 with V2 as text for people. The text states the number of pairs of a V1 and a V2 sample.
/// It has a line for each counter that differs, with the first example of the difference, and for each instance that
/// only V1 or only V2 has. After these lines, the text states how many counters agree, which objects only V1 or only V2
/// has, the average size of a sample, and the time that collecting a sample took (`costs`). If `all` is true, the text
/// also has a line for each counter that agrees, and for each counter that only V1 or only V2 has.
void append_comparison(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs, bool all);

/// Appends the complete comparison, and the costs of collecting the samples, as one JSON document.
void append_comparison_json(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs);

struct Overview;

/// A summary of an input as text for people.
struct OverviewText {
    std::string_view name;   ///< of the input
    std::string_view check;  ///< the command that shows the input's faults
    std::size_t width = 80;  ///< of the terminal, in columns
    bool all = false;        ///< all objects, and the channels of a capture; otherwise the largest objects
};
/// Appends a summary as text: what the input is, machines, times, samples, size, languages of titles, faults, and a
/// line for each object. `diagnostics` has the faults of this input.
void append_overview(std::string& out, const Overview& overview, const Diagnostics& diagnostics,
                     const OverviewText& options);
/// Appends a time in nanoseconds since 1970 (UTC) for people. With a zone, appends the local time, its offset from UTC
/// and the time in UTC: `2016-11-26 13:46:30.874 UTC-08:00 (2016-11-26T21:46:30.874Z)`; otherwise only the latter.
void append_moment(std::string& out, std::int64_t time, const std::optional<TimeZone>& zone);

/// Appends a summary as one JSON object, without a line end. `name`: the input's name, for the member `path`. Times are
/// in UTC, the interval is in seconds.
void append_overview_json(std::string& out, std::string_view name, const Overview& overview,
                          const Diagnostics& diagnostics);

/// Writes the counter paths of a summary, one per line, and reports an error if some are left out. The number of paths
/// is that of counters times instances, so that a small input can have very many: at most `Limits::series` are written,
/// and about `Limits::names` bytes. `write` takes all of the text and leaves it empty. Requires
/// `OverviewOptions::paths`.
void write_paths(const Overview& overview, const Limits& limits, const std::function<void(std::string&)>& write,
                 Diagnostics& diagnostics);

class Findings;

/// Counts faults of the same kind, so that a program can show only the first few of them. A damaged list may have the
/// same fault in each instance, and a program would otherwise show thousands of lines.
class KindCounter {
  public:
    /// Counts a fault. Returns whether it is one of the first 5 faults of its kind. Faults are of the same kind if they
    /// have the same severity, code, field and object.
    bool is_among_first(const Diagnostic& diagnostic);
    /// Appends a line for each kind with more than 5 faults. The line states the number of faults after the first 5:
    /// `7 more: warning counter_size in object 238 (...)`.
    void append_rest(std::string& out, const Diagnostics& diagnostics) const;

  private:
    using Kind = std::tuple<Severity, Errc, std::string_view, std::uint32_t>;
    std::map<Kind, std::uint64_t> counts_;
};

struct CheckedInputs;

/// Appends each fault with its details, and a summary at the end. The details are the rule that the fault breaks, the
/// repair, the provider, and the id of the event that Perflib writes to the Windows application log when it finds such
/// a fault (`perflib_event`). A rule and its repair are shown only with the first fault that breaks the rule. If
/// `notes` is true, all faults are shown, including notes (`Severity::note`). If `notes` is false, only the first 5
/// faults of each kind (`KindCounter`) are shown, and no notes. report.hpp has the same documents with findings of
/// rules.
void append_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes);

/// Appends the findings as one JSON document: {"findings": [...], "summary": {...}}. The document contains a finding
/// for each fault in `Diagnostics::kept`.
void append_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked);

/// Appends the findings in the Static Analysis Results Interchange Format 2.1.0 (OASIS), which code scanning tools
/// read. In this format, each fault code is a rule, and each fault is a result with a byte offset. `version` is the
/// version of hkpd.
void append_findings_sarif(std::string& out, const Findings& findings, std::string_view version);

enum class MapForm : std::uint8_t;
struct MapEntry;
struct MapTotals;

/// An input of which a map is made: a file, or a record of a capture. For each byte of the input, the map shows the
/// structure and the field to which the byte belongs (hkpd/map.hpp).
struct MapInput {
    std::string_view file;            ///< name of the file, or `-`
    std::uint32_t record = no_index;  ///< number of the record in a capture; `no_index` if the input is a file
    MapForm form{};
    std::uint64_t size = 0;
};

/// A writer of maps (hkpd/map.hpp) in one output format. The caller calls `begin`. For each input, the caller calls
/// `begin_input`, then `entry` for each entry of the map, then `end_input`. Finally, the caller calls `end`. All
/// functions append text to `out`.
class MapWriter {
  public:
    virtual ~MapWriter() = default;

    /// Appends the text that precedes the first input.
    virtual void begin(std::string& out);
    /// Appends the text that precedes the entries of an input.
    virtual void begin_input(const MapInput& input, std::string& out) = 0;
    /// Appends the text of an entry.
    virtual void entry(const MapEntry& entry, std::string& out) = 0;
    /// Appends the text that follows the entries of an input. `totals` is the result of `visit_map` for this input.
    virtual void end_input(const MapTotals& totals, std::string& out) = 0;
    /// Appends the text that follows the last input.
    virtual void end(const Diagnostics& diagnostics, std::string& out);
};

/// Creates a map writer whose output is text for people: the entries with their bytes, 8 on a line, and the totals at
/// the end. If `all` is false, only the first 24 bytes are shown of an entry that has more than 32 bytes.
std::unique_ptr<MapWriter> make_map_listing(bool all);
/// Creates a map writer whose output is one JSON document.
std::unique_ptr<MapWriter> make_map_json();

/// Appends a few lines that describe the byte at `offset` in the input. `entry` must be the entry of the map that
/// contains this byte. The lines show the entry, and the block, object, instance, counter and structure that contain
/// it.
void append_map_place(std::string& out, MapForm form, const MapEntry& entry, std::uint64_t offset);

}  // namespace hkpd
