// Writes samples as text or into a database. Text is appended to a buffer of the caller, who decides when and where to
// write it.
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
    pdh_csv,      ///< one row for each sample, one column for each counter of an instance, as `relog -f csv`
    pdh_tsv,      ///< one row for each sample, one column for each counter of an instance, as `relog -f tsv`
    openmetrics,  ///< OpenMetrics text with timestamps
    sqlite,       ///< an SQLite database with the tables that `relog -o SQL:` fills, and no text
};

/// Returns the format with a name, as `--format` takes it; none if there is no such format.
std::optional<Format> format_of(std::string_view name) noexcept;

/// Output options. Where a comment begins with formats, the option applies only to those.
struct WriteOptions {
    const Titles* titles = nullptr;  ///< titles from which samples were named; must outlive the writer
    bool help_text = false;          ///< table, json: show the help texts of counters, if titles have them
    bool type_names = false;         ///< table: show the types of counters
    std::size_t width = 100;         ///< table: width of the terminal, in columns
    bool cooked = false;         ///< write cooked values, with or instead of raw ones; `sample` is then given a cooker
    bool one_pass = false;       ///< samples can be shown only once; `again` is not called
    bool cooked_gauges = false;  ///< openmetrics: write cooked values instead of the underlying counters
    std::string metric_prefix = "hkpd_";  ///< openmetrics: prefix of all metric names; see `is_metric_prefix`
    /// pdh_csv, pdh_tsv: the time zone of the header and all rows. If none, the header has the zone of the first sample
    /// that has one, or else UTC; rows from the same input as that sample have their own zone, because the clock of a
    /// log may be set forward and back. sqlite: the zone recorded for the run, whose times are UTC; if none, that of
    /// the first sample, or else UTC.
    std::optional<TimeZone> zone{};
    bool crlf = false;  ///< pdh_csv, pdh_tsv: end lines as on Windows
    /// Takes the text of an unfinished sample and empties the buffer (json, jsonl, csv), each time the text reaches a
    /// quarter of a MiB: names are repeated for each value, so output may be thousands of times larger than its input.
    /// If empty, the caller receives complete samples.
    std::function<void(std::string&)> drain{};
    std::uint64_t series = 1'000'000;     ///< most series that are remembered
    std::uint64_t buffer = 64ULL << 20U;  ///< openmetrics: most bytes of text that are held back
    /// sqlite: path of the file. It is created with the first sample if it does not exist. An existing database may
    /// hold other tables and earlier runs.
    std::string database{};
    std::string run_name{};  ///< sqlite: DisplayString of the run; empty: the name of its first machine
    /// sqlite: longest wait for other processes that have locked the database, after which the run fails.
    std::chrono::milliseconds timeout = std::chrono::minutes(1);
};

/// Returns whether metric names can begin with this prefix: letters, digits, `_` and `:`, the first not a digit. An
/// empty prefix is allowed; names then begin with a letter or `_` all the same.
bool is_metric_prefix(std::string_view prefix) noexcept;

/// A writer of one output format. Call `begin`; `sample` for each sample; then `again`, and as long as it returns true,
/// `sample` for all samples once more; then `end`.
class Writer {
  public:
    virtual ~Writer() = default;

    /// Appends the text before the first sample.
    virtual void begin(std::string& out);
    /// Writes the selected parts of a sample. `cooker` is null unless `WriteOptions::cooked` is set or the format
    /// remembers instances.
    virtual void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) = 0;
    /// Ends a pass over all samples. Returns whether they must all be shown once more, either before anything can be
    /// written or to write more.
    virtual bool again(std::string& out);
    /// Appends the text after the last sample. Adds what the format could not hold to the diagnostics, which are
    /// themselves part of a JSON document.
    virtual void end(Diagnostics& diagnostics, std::string& out);
    /// Returns the reason, in words, why nothing can be written any more; the run may then end. Empty for text formats,
    /// and while there is no failure.
    virtual std::string_view failure() const noexcept;
};

/// Returns whether a format remembers instances over the whole run, and so always needs a cooker.
bool remembers_instances(Format format) noexcept;

/// Creates a writer of a format; never null.
std::unique_ptr<Writer> make_writer(Format format, const WriteOptions& options);

/// Creates a writer of a summary: at the end, one line for each counter of each instance with count, min, mean, max and
/// last of its cooked values, and the average over the whole run. The average applies the counter's formula to the
/// first and the last sample, as PerfMon and relog do (for types that need one sample, it is the mean). Formats: table,
/// jsonl, csv; any other format gives a table.
std::unique_ptr<Writer> make_summary_writer(Format format, const WriteOptions& options, const CookOptions& cook);

/// A writer of files for the textfile collectors of node_exporter and windows_exporter: Prometheus' text format,
/// without timestamps. The text holds the last sample of each machine; instances that have ended are not in it.
/// `sample` appends nothing, and `end` everything.
class TextfileWriter : public Writer {
  public:
    /// Appends the complete text in its current state.
    virtual void write(std::string& out) const = 0;
};

/// Creates a textfile writer. The options of openmetrics apply. What does not fit into `WriteOptions::buffer` is left
/// out.
std::unique_ptr<TextfileWriter> make_textfile_writer(const WriteOptions& options);

/// Appends a diagnostic as one line for people, without a line end:
///
///     FILE: offset 0x14: error: PERF_DATA_BLOCK.TotalByteLength: ...
void append_diagnostic(std::string& out, const Diagnostics& diagnostics, const Diagnostic& diagnostic);

/// Appends the object of a diagnostic: `object 238`, `counterset {b4fc721a-…}`, `result 2`.
void append_object_place(std::string& out, const Diagnostics& diagnostics, std::uint32_t object);

/// Appends the origin and language of a title table as printable text: `perfc009.dat (language 009)`.
void append_table_name(std::string& out, const TitleTable& table);

/// Appends text in a form on which no terminal acts: control and formatting characters become `\x1B`, `\u202E`.
void append_printable(std::string& out, std::string_view text);

/// Appends text to a format that has no escapes and allows it one line: control characters, line ends, and characters
/// that change the direction of text become blanks.
void append_one_line(std::string& out, std::string_view text);

/// Escapes the part of `json` from `from` on: control and formatting characters that RapidJSON leaves as they are
/// become escapes such as `\u009B`, which readers convert back. Characters below U+0020 stay: those in strings are
/// escaped already, and elsewhere they are line ends.
void escape_json(std::string& json, std::size_t from);

struct CollectionCost;
struct Comparison;

/// Appends a comparison for people: one line for each difference with its first example, then the number of counters
/// that agree, and what only one interface has. `all` adds a line for each counter that agrees or that only one
/// interface has.
void append_comparison(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs, bool all);

/// Appends a comparison as one JSON document with everything.
void append_comparison_json(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs);

class Findings;

/// Separates the first few faults of a kind from the rest: a damaged list has the same fault in each instance.
class KindCounter {
  public:
    /// Counts a fault and returns whether it is among the first few of its kind: severity, code, field and object.
    bool is_among_first(const Diagnostic& diagnostic);
    /// Appends a line for each kind that had more faults: `7 more: warning counter_size in object 238 (...)`.
    void append_rest(std::string& out, const Diagnostics& diagnostics) const;

  private:
    using Kind = std::tuple<Severity, Errc, std::string_view, std::uint32_t>;
    std::map<Kind, std::uint64_t> counts_;
};

/// The amount of input that was checked.
struct CheckedInputs {
    std::uint64_t samples = 0, title_tables = 0, services = 0;  ///< number of each that were read
};

/// Appends a line for each fault, followed by the rule that it breaks and its repair (once for each rule), the
/// provider, and the event that Perflib logs; and a summary at the end. `notes` also includes what is odd but legal,
/// and all faults of a kind.
void append_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes);

/// Appends the findings as one JSON document: {"findings": [...], "summary": {...}}. It has everything that was kept.
void append_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked);

/// Appends the findings in the Static Analysis Results Interchange Format 2.1.0 (OASIS), which code scanners read: each
/// code is a rule, each fault a result with its byte offset. `version` is hkpd's own version.
void append_findings_sarif(std::string& out, const Findings& findings, std::string_view version);

enum class MapForm : std::uint8_t;
struct MapEntry;
struct MapTotals;

/// An input of a map: a file, or a record of a capture.
struct MapInput {
    std::string_view file;            ///< name of the file, or `-`
    std::uint32_t record = no_index;  ///< number of the record in a capture; `no_index`: the whole file
    MapForm form{};
    std::uint64_t size = 0;
};

/// A writer of maps in one output format. Call `begin`; for each input `begin_input`, `entry` for each of its entries,
/// and `end_input`; then `end`. All text is appended to a buffer of the caller.
class MapWriter {
  public:
    virtual ~MapWriter() = default;

    /// Appends the text before the first input.
    virtual void begin(std::string& out);
    /// Appends the text before the entries of an input.
    virtual void begin_input(const MapInput& input, std::string& out) = 0;
    /// Appends an entry.
    virtual void entry(const MapEntry& entry, std::string& out) = 0;
    /// Appends the text after the entries of an input. `totals` are those that `visit_map` returned.
    virtual void end_input(const MapTotals& totals, std::string& out) = 0;
    /// Appends the text after the last input.
    virtual void end(const Diagnostics& diagnostics, std::string& out);
};

/// Creates a map writer for people: one line for each field with its bytes, and the totals. `all` shows all bytes of
/// long runs too.
std::unique_ptr<MapWriter> make_map_listing(bool all);
/// Creates a map writer of one JSON document.
std::unique_ptr<MapWriter> make_map_json();

/// Appends a description, in a few lines, of the entry that contains the byte at `offset`, and of everything that
/// contains the entry.
void append_map_place(std::string& out, MapForm form, const MapEntry& entry, std::uint64_t offset);

}  // namespace hkpd
