// Samples as text, or in a database. Text is appended to a buffer of the caller's, which decides when and where it
// goes.
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

/// The forms of output. What is in them: `hkpd dump --help`, `hkpd replay --help`.
enum class Format : std::uint8_t {
    table,        ///< for people
    json,         ///< one document: samples and diagnostics
    jsonl,        ///< a line for each value
    csv,          ///< likewise, RFC 4180 with a header
    pdh_csv,      ///< a row for each sample, a column for each counter of an instance: as `relog -f csv`
    pdh_tsv,      ///< likewise, as `relog -f tsv`
    openmetrics,  ///< OpenMetrics text with time stamps
    sqlite,       ///< no text: the tables that `relog -o SQL:` fills, in a database of SQLite
};

/// The format of a name as `--format` takes it.
std::optional<Format> format_of(std::string_view name) noexcept;

/// How samples are shown. Fields without a form in front are for all of them.
struct WriteOptions {
    const Titles* titles = nullptr;  ///< the tables that samples were named from; must outlive the writer
    bool help_text = false;          ///< table, json: what counters mean, where titles tell it
    bool type_names = false;         ///< table: show the types of counters
    std::size_t width = 100;         ///< table: columns of the terminal
    bool cooked = false;         ///< cooked values, beside or instead of the raw ones; then `sample` is given a cooker
    bool one_pass = false;       ///< the samples can be shown once only: `again` is not asked
    bool cooked_gauges = false;  ///< openmetrics: cooked values instead of the counters underneath
    std::string metric_prefix = "hkpd_";  ///< openmetrics: what all names begin with; see `is_metric_prefix`
    /// pdh_csv, pdh_tsv: that of the header and of all rows. None: the header has that of the first sample that has
    /// one, else UTC, and a row the sample's own, as the clock of a log is put back and forth. sqlite: that which is
    /// noted for the run, whose times are UTC; none: likewise.
    std::optional<TimeZone> zone{};
    bool crlf = false;  ///< pdh_csv, pdh_tsv: lines end as on Windows
    /// json, jsonl, csv: takes what there is of a sample, and empties it, when it has come to a quarter of a MiB or
    /// more: names are repeated for each value, so output may be thousands of times its input. Empty: the caller takes
    /// whole samples.
    std::function<void(std::string&)> drain{};
    std::uint64_t series = 1'000'000;     ///< most series that are remembered
    std::uint64_t buffer = 64ULL << 20U;  ///< openmetrics: most bytes of text that are held back
    /// sqlite: the file, made with the first sample where it is not there. A database may hold other tables, and runs
    /// that came before.
    std::string database{};
    std::string run_name{};  ///< sqlite: DisplayString of the run; empty: its first machine's name
    /// sqlite: for so long others that have the database locked are waited for, before the run fails.
    std::chrono::milliseconds timeout = std::chrono::minutes(1);
};

/// Whether names of metrics can begin with this: letters, digits, `_` and `:`, the first one no digit. Or with nothing;
/// then names begin with a letter or `_` all the same.
bool is_metric_prefix(std::string_view prefix) noexcept;

/// One form of output. `begin`, then `sample` for each, then `again`: while it says so, all samples are shown once
/// more. Then `end`.
class Writer {
  public:
    virtual ~Writer() = default;

    /// What stands in front of the first sample.
    virtual void begin(std::string& out);
    /// The selected parts of a sample. `cooker` is null where `WriteOptions::cooked` is not set and nothing remembers
    /// instances.
    virtual void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) = 0;
    /// All samples were shown. Whether they have to be shown once more, before anything can be written or to write
    /// more.
    virtual bool again(std::string& out);
    /// What is to follow the last sample. Adds what the form could not hold to the diagnostics, which are part of the
    /// JSON document themselves.
    virtual void end(Diagnostics& diagnostics, std::string& out);
    /// Why nothing can be written any more, in words; then the run may end. Empty for text, and as long as all is well.
    virtual std::string_view failure() const noexcept;
};

/// Whether a form remembers instances over the whole run, and so needs a cooker always.
bool remembers_instances(Format format) noexcept;

/// A writer of this form; never null.
std::unique_ptr<Writer> make_writer(Format format, const WriteOptions& options);

/// One line for each counter of each instance, at the end: count, min, mean, max and last of its cooked values, and the
/// average over the whole run by its formula on the first and the last sample, as PerfMon and relog compute it (for
/// types of one sample, the mean). Formats: table, jsonl, csv; any other is a table.
std::unique_ptr<Writer> make_summary_writer(Format format, const WriteOptions& options, const CookOptions& cook);

/// What the textfile collectors of node_exporter and windows_exporter read: Prometheus' text format, without times. It
/// has the last sample of each machine; an instance that has ended is not in it any more. `sample` writes nothing, and
/// `end` all there is.
class TextfileWriter : public Writer {
  public:
    /// Appends the whole text as it is now.
    virtual void write(std::string& out) const = 0;
};

/// Of the options those of openmetrics count. What does not fit `WriteOptions::buffer` is left out.
std::unique_ptr<TextfileWriter> make_textfile_writer(const WriteOptions& options);

/// A diagnostic as a line for people: `FILE: offset 0x14: error: PERF_DATA_BLOCK.TotalByteLength: ...`, no line end.
void append_diagnostic(std::string& out, const Diagnostics& diagnostics, const Diagnostic& diagnostic);

/// What a diagnostic says of its object: `object 238`, `counterset {b4fc721a-…}`, `result 2`.
void append_object_place(std::string& out, const Diagnostics& diagnostics, std::uint32_t object);

/// Where a title table comes from, and its language: `perfc009.dat (language 009)`. Printable.
void append_table_name(std::string& out, const TitleTable& table);

/// Appends text so that no terminal acts on it: control and formatting characters are shown as `\x1B`, `\u202E`.
void append_printable(std::string& out, std::string_view text);

/// The same for forms without escapes, which have one line for it: blanks stand for control characters, for line ends,
/// and for what turns the direction of text around.
void append_one_line(std::string& out, std::string_view text);

/// The same for JSON, from `from` on: what RapidJSON leaves as it is becomes `\u009B`, which readers give back. What is
/// below U+0020 stays: in strings it has been escaped, elsewhere it is the line's end.
void escape_json(std::string& json, std::size_t from);

struct CollectionCost;
struct Comparison;

/// For people: a line for each difference with its first example, then how many agree and what only one door has.
/// `all`: also a line for each counter that agrees or that only one door has.
void append_comparison(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs, bool all);

/// One JSON document with everything.
void append_comparison_json(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs);

class Findings;

/// Tells the first few faults of a kind from the others: a damaged list says the same of each instance.
class KindCounter {
  public:
    /// Counts a fault; whether it is among the first few of its kind: severity, code, field and object.
    bool is_among_first(const Diagnostic& diagnostic);
    /// A line for each kind of which there were more: `7 more: warning counter_size in object 238 (...)`.
    void append_rest(std::string& out, const Diagnostics& diagnostics) const;

  private:
    using Kind = std::tuple<Severity, Errc, std::string_view, std::uint32_t>;
    std::map<Kind, std::uint64_t> counts_;
};

/// How much was looked at.
struct CheckedInputs {
    std::uint64_t samples = 0, title_tables = 0, services = 0;  ///< each counts what was read of the kind
};

/// A line for each fault, and below it the rule that it breaks (once for each rule), the provider, the event that
/// Perflib logs and what repairs it; a summary in the end. With `notes` also what is odd but legal, and all of a kind.
void append_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes);

/// One JSON document: {"findings": [...], "summary": {...}}. All that was kept is in it.
void append_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked);

/// A log in the Static Analysis Results Interchange Format 2.1.0 (OASIS), which code scanners read: each code is a
/// rule, each fault a result with its byte offset. `version` is hkpd's own.
void append_findings_sarif(std::string& out, const Findings& findings, std::string_view version);

enum class MapForm : std::uint8_t;
struct MapEntry;
struct MapTotals;

/// One input that a map is drawn of: a file, or a record of a capture.
struct MapInput {
    std::string_view file;            ///< its name, or `-`
    std::uint32_t record = no_index;  ///< of a capture; `no_index`: the whole file
    MapForm form{};
    std::uint64_t size = 0;
};

/// One form of output. `begin`; for each input `begin_input`, its entries, `end_input`; then `end`. All is appended to
/// a buffer of the caller's.
class MapWriter {
  public:
    virtual ~MapWriter() = default;

    /// Each appends what there is to say so far. `totals` are those that `visit_map` has returned.
    virtual void begin(std::string& out);
    virtual void begin_input(const MapInput& input, std::string& out) = 0;
    virtual void entry(const MapEntry& entry, std::string& out) = 0;
    virtual void end_input(const MapTotals& totals, std::string& out) = 0;
    virtual void end(const Diagnostics& diagnostics, std::string& out);
};

/// For people: a line for each field with its bytes, and the totals. `all`: also all bytes of long runs.
std::unique_ptr<MapWriter> make_map_listing(bool all);
/// One JSON document.
std::unique_ptr<MapWriter> make_map_json();

/// What an entry is that has the byte at `offset`, with all that it is part of, in a few lines.
void append_map_place(std::string& out, MapForm form, const MapEntry& entry, std::uint64_t offset);

}  // namespace hkpd
