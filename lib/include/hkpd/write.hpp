// Writes samples as text or into a database. Text is appended to a buffer of the caller; the caller decides when and
// where to write the buffer.
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
#include "hkpd/time.hpp"

namespace hkpd {

class Cooker;
class Diagnostics;
class Sample;
class Titles;
class TitleTable;
struct CookOptions;
struct Diagnostic;
struct Selected;

/// The output formats. Their contents are described by `hkpd dump --help` and `hkpd replay --help`.
enum class Format : std::uint8_t {
    table,        ///< text for people
    json,         ///< one document: samples and diagnostics
    jsonl,        ///< one line for each value
    csv,          ///< one line for each value: RFC 4180, with a header
    pdh_csv,      ///< one row for each sample, one column for each counter of an instance, like `relog -f csv`
    pdh_tsv,      ///< one row for each sample, one column for each counter of an instance, like `relog -f tsv`
    openmetrics,  ///< OpenMetrics text with timestamps
    sqlite,       ///< SQLite database with the tables that `relog -o SQL:` fills; no text is appended
};

/// Returns the format with the name that `--format` accepts for it; none if there is no such format.
std::optional<Format> format_of(std::string_view name) noexcept;

/// Output options. If a comment begins with the names of formats, the option applies only to these formats.
struct WriteOptions {
    const Titles* titles = nullptr;  ///< titles from which samples were named; must outlive the writer
    bool help_text = false;          ///< table, json: show the help texts of counters, if known
    bool type_names = false;         ///< table: show the types of counters
    std::size_t width = 100;         ///< table: width of the terminal, in columns
    bool cooked = false;             ///< write cooked values (some formats: also raw); `Writer::sample` needs a cooker
    bool one_pass = false;           ///< samples can be passed only once; `Writer::again` is not called
    bool cooked_gauges = false;      ///< openmetrics: write cooked values instead of the underlying counters
    std::string metric_prefix = "hkpd_";  ///< openmetrics: prefix of all metric names; see `is_metric_prefix`
    /// pdh_csv, pdh_tsv: the time zone of the header and of all rows. If no zone is given:
    ///
    /// - The header has the zone of the first sample with a zone, or UTC if no sample has a zone.
    /// - A row from the same input as that first sample has the zone of its own sample, because the offset from UTC
    ///   changes within a log when daylight time begins or ends.
    /// - All other rows have the zone of the header.
    ///
    /// sqlite: the time zone that is recorded for the run. Times in the database are always UTC. If no zone is given,
    /// the zone of the first sample is recorded, or UTC if the first sample has no zone.
    std::optional<TimeZone> zone{};
    bool crlf = false;  ///< pdh_csv, pdh_tsv: end lines as on Windows
    /// Takes the text of an unfinished sample, header or summary and empties the buffer. Applies to table, json, jsonl,
    /// csv, pdh_csv, pdh_tsv and summaries. Called each time the text reaches a quarter of a MiB. The text of a sample
    /// may be thousands of times larger than the input, because names are repeated for each value. If no function is
    /// given, the buffer receives the complete text of each sample.
    std::function<void(std::string&)> drain{};
    std::uint64_t series = 1'000'000;  ///< maximum number of series (one counter of one instance) that are remembered
    /// Limit for names, in bytes. At most this many bytes of names are remembered. The names that are written have a
    /// limit of their own: this number plus 64 bytes for each byte of the samples so far. A name counts once for each
    /// value with which it is written. Rows beyond the limit are left out.
    std::uint64_t names = 256ULL << 20U;
    std::uint64_t buffer = 64ULL << 20U;  ///< openmetrics: maximum number of bytes of text in memory
    /// sqlite: path of the file. It is created with the first sample if it does not exist. An existing database may
    /// hold other tables and earlier runs.
    std::string database{};
    std::string run_name{};  ///< sqlite: DisplayString of the run; empty: the name of its first machine
    /// sqlite: maximum time to wait while another process locks the database. After this time, the run fails.
    std::chrono::milliseconds timeout = std::chrono::minutes(1);
};

/// Returns whether metric names can begin with this prefix: it may contain letters, digits, `_` and `:`, and must not
/// begin with a digit. An empty prefix is allowed; metric names then begin with a letter or `_`.
bool is_metric_prefix(std::string_view prefix) noexcept;

/// A writer of one output format. Call `begin`, then `sample` for each sample, then `again`. As long as `again` returns
/// true, call `sample` for all samples once more and then `again`. At last, call `end`.
class Writer {
  public:
    virtual ~Writer() = default;

    /// Appends the text before the first sample.
    virtual void begin(std::string& out);
    /// Writes the selected parts of a sample. `cooker` is null unless `WriteOptions::cooked` is set or the format
    /// remembers instances.
    virtual void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) = 0;
    /// Ends a pass over all samples. Returns whether all samples must be passed to `sample` once more. Some formats
    /// need a first pass before they can write anything; other formats write one part of the output in each pass.
    virtual bool again(std::string& out);
    /// Appends the text after the last sample. Reports to `diagnostics` what the format could not represent. A JSON
    /// document includes the diagnostics.
    virtual void end(Diagnostics& diagnostics, std::string& out);
    /// Returns the reason, in words, why no more can be written; empty if writing can continue. If there is a reason,
    /// the caller may end the run. Always empty for text formats.
    virtual std::string_view failure() const noexcept;
};

/// Returns whether a format remembers instances over the whole run, and so always needs a cooker.
bool remembers_instances(Format format) noexcept;

/// Creates a writer of a format; never null.
std::unique_ptr<Writer> make_writer(Format format, const WriteOptions& options);

/// Creates a writer of a summary. `end` appends one line for each counter of each instance, with the count, min, mean,
/// max and last of the cooked values, and the average over the whole run. As in PerfMon and relog, the average is the
/// result of the counter's formula for the first and the last sample; for types that need only one sample, the average
/// is the mean. Formats: table, jsonl, csv; any other format gives a table.
std::unique_ptr<Writer> make_summary_writer(Format format, const WriteOptions& options, const CookOptions& cook);

/// A writer of files for the textfile collectors of node_exporter and windows_exporter: Prometheus' text format,
/// without timestamps. The text contains the last sample of each machine, without instances that have ended. `sample`
/// appends nothing; `end` appends the complete text.
class TextfileWriter : public Writer {
  public:
    /// Appends the complete text for the samples so far.
    virtual void write(std::string& out) const = 0;
};

/// Creates a textfile writer. The options of openmetrics apply. Metrics that do not fit into `WriteOptions::buffer` are
/// left out.
std::unique_ptr<TextfileWriter> make_textfile_writer(const WriteOptions& options);

/// Appends a diagnostic as one line for people, without a line end:
///
///     FILE: offset 0x14: error: PERF_DATA_BLOCK.TotalByteLength: ...
void append_diagnostic(std::string& out, const Diagnostics& diagnostics, const Diagnostic& diagnostic);

/// Appends a text that identifies the object of a diagnostic: `object 238`, `counterset {b4fc721a-…}` or `result 2`.
void append_object_place(std::string& out, const Diagnostics& diagnostics, std::uint32_t object);

/// Appends the origin and language of a title table as printable text: `perfc009.dat (language 009)`.
void append_table_name(std::string& out, const TitleTable& table);

/// Appends text in a form that is safe to show on a terminal: control and formatting characters become escapes such as
/// `\x1B` and `\u202E`.
void append_printable(std::string& out, std::string_view text);

/// Appends text as one line, for formats that have no escapes. Control characters, line ends, and characters that
/// change the direction of text become blanks.
void append_one_line(std::string& out, std::string_view text);

/// Escapes the part of `json` from `from` on. Control and formatting characters that RapidJSON does not escape become
/// escapes such as `\u009B`, which readers convert back. Characters below U+0020 are not changed: RapidJSON has escaped
/// them in strings, and outside strings they are line ends.
void escape_json(std::string& json, std::size_t from);

struct CollectionCost;
struct Comparison;

/// Appends a comparison as text for people: one line for each difference, with the first example of the difference;
/// then the number of counters that agree, and a summary of what only one interface has. If `all` is true, also appends
/// a line for each counter that agrees and for each counter that only one interface has.
void append_comparison(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs, bool all);

/// Appends the complete comparison as one JSON document.
void append_comparison_json(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs);

class Findings;

/// Separates the first few faults of each kind from the rest, because a damaged list may have the same fault in each
/// instance.
class KindCounter {
  public:
    /// Counts a fault and returns whether it is among the first few faults of the same kind. Faults are of the same
    /// kind if they have the same severity, code, field and object.
    bool is_among_first(const Diagnostic& diagnostic);
    /// Appends a line for each kind with more faults than the first few: `7 more: warning counter_size in object 238
    /// (...)`.
    void append_rest(std::string& out, const Diagnostics& diagnostics) const;

  private:
    using Kind = std::tuple<Severity, Errc, std::string_view, std::uint32_t>;
    std::map<Kind, std::uint64_t> counts_;
};

/// The amount of input that was checked.
struct CheckedInputs {
    std::uint64_t samples = 0, title_tables = 0, services = 0;  ///< number of each that were read
};

/// Appends each fault with its details, and a summary at the end. The details are the rule that the fault breaks, the
/// repair, the provider, and the event that Perflib logs. The same rule and repair are shown only once. If `notes` is
/// false, only the first few faults of each kind are shown, and no notes (faults that are odd but legal). If `notes` is
/// true, all faults and notes are shown.
void append_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes);

/// Appends the findings as one JSON document: {"findings": [...], "summary": {...}}. The document contains all findings
/// that were kept (`Diagnostics::kept`).
void append_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked);

/// Appends the findings in the Static Analysis Results Interchange Format 2.1.0 (OASIS), which code scanning tools
/// read. Each fault code is a rule, and each fault is a result with a byte offset. `version` is the version of hkpd.
void append_findings_sarif(std::string& out, const Findings& findings, std::string_view version);

enum class MapForm : std::uint8_t;
struct MapEntry;
struct MapTotals;

/// An input of a map: a file, or a record of a capture.
struct MapInput {
    std::string_view file;            ///< name of the file, or `-`
    std::uint32_t record = no_index;  ///< number of the record in a capture; `no_index` for a whole file
    MapForm form{};
    std::uint64_t size = 0;
};

/// A writer of maps in one output format. Call `begin`. For each input, call `begin_input`, then `entry` for each entry
/// of the input, then `end_input`. At last, call `end`. All text is appended to a buffer of the caller.
class MapWriter {
  public:
    virtual ~MapWriter() = default;

    /// Appends the text before the first input.
    virtual void begin(std::string& out);
    /// Appends the text before the entries of an input.
    virtual void begin_input(const MapInput& input, std::string& out) = 0;
    /// Appends an entry.
    virtual void entry(const MapEntry& entry, std::string& out) = 0;
    /// Appends the text after the entries of an input. `totals` is the result of `visit_map` for this input.
    virtual void end_input(const MapTotals& totals, std::string& out) = 0;
    /// Appends the text after the last input.
    virtual void end(const Diagnostics& diagnostics, std::string& out);
};

/// Creates a map writer of text for people: one line for each field with the bytes of the field, and the totals. If
/// `all` is true, long runs of bytes are shown in full.
std::unique_ptr<MapWriter> make_map_listing(bool all);
/// Creates a map writer of one JSON document.
std::unique_ptr<MapWriter> make_map_json();

/// Appends a few lines that describe the byte at `offset`: `entry`, which must contain this byte, and the block,
/// object, instance, counter and structure that contain `entry`.
void append_map_place(std::string& out, MapForm form, const MapEntry& entry, std::uint64_t offset);

}  // namespace hkpd
