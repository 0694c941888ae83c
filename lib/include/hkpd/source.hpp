// Sources of records: files of every format that hkpd reads, and several sources one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/log_zones.hpp"
#include "hkpd/names.hpp"
#include "hkpd/record.hpp"
#include "hkpd/text_encoding.hpp"

namespace hkpd {

class Diagnostics;
class FaultSink;

/// A stream of records (`Record`): V1 and V2 blocks, identifiers of V2 queries, title databases, registrations, rows of
/// logs. Each record is returned exactly as its producer wrote it.
class Source {
  public:
    virtual ~Source() = default;

    /// Returns the next record; none at the end of the source. The record is valid until the next call. Input that
    /// cannot be read or is not part of a record is reported to `diagnostics` and skipped. Before the first record of
    /// each input, `next` adds the name of the input to `diagnostics` (`Diagnostics::add_input`). `Record::place`
    /// states the input by its position in `Diagnostics::inputs()`.
    virtual std::optional<Record> next(Diagnostics& diagnostics) = 0;

    /// The part of the input that has been read, in bytes of its files.
    struct Position {
        std::uint64_t read = 0;
        std::uint64_t size = 0;  ///< size of all files; 0 if it is unknown, as for pipes and machines
    };
    /// Returns the part of the input that has been read. It is an estimate for showing progress: files are read ahead.
    virtual Position position() { return {}; }

    /// The times of the earliest and of the latest record, in nanoseconds since 1970 (UTC).
    struct Span {
        std::int64_t first = 0, last = 0;
    };
    /// Returns the span of the source, if it can be found without reading everything: of captures with an index, of
    /// performance logs and of text logs. Returns none for other inputs, and if one input has none. Reads the inputs
    /// apart from `next`.
    virtual std::optional<Span> span() { return std::nullopt; }

    /// Makes `next` pass over records of the current input that lie outside `range` and need not be read. Never passes
    /// over titles and other records that later ones need, nor over the last sample before the range of each machine.
    /// Does nothing if that cannot be found without reading, as in pipes, or if the times of the input run backwards.
    /// `input`: the position in `Diagnostics::inputs()` of the input to which this applies. It has no effect if `next`
    /// is in another one. `first`: the number of the first sample of this input, for ranges by number.
    virtual void seek(const Range& range, std::uint32_t input, std::uint64_t first) {
        static_cast<void>(range);
        static_cast<void>(input);
        static_cast<void>(first);
    }
    /// Returns the number of samples passed over since the last call, where the records after them state
    /// `Record::uncounted`. Reads the inputs apart from `next`, to count them.
    virtual std::uint64_t count_passed() { return 0; }
};

/// States whether a source also reads the directories below the directories that it is given.
enum class Subdirectories : std::uint8_t {
    skipped,
    /// All directories below a given one are read too, in the order of their paths. Symbolic links to directories are
    /// not followed. Files that hold no performance data are skipped, and one note states their number.
    read,
};

/// Opens files and directories. A file may contain V1 blocks end to end, a capture, a binary performance log (.blg), or
/// a text log (CSV or TSV). The values of a text log are cooked already; its records are those of the binary log into
/// which relog would convert it, whose counters have the type PERF_DOUBLE_RAW. A file can be compressed: gzip, zstd, or
/// a zip archive, which is read like a directory. The format of a file is recognised by its content. The path `-` is
/// standard input. `log_zones` states the time zones of text logs whose times would otherwise be local times of an
/// unknown zone, `encoding` that of the text without a byte order mark. The files of a directory are read in the order
/// of their names. The title databases in a directory are returned before the directory's first V1 block, with the name
/// of the machine that this block comes from. If the directory also has V1 blocks of other machines, the title
/// databases are returned once more, before the first of those blocks. They then have no machine name and apply to any
/// machine.
std::unique_ptr<Source> open_files(std::vector<std::string> paths, const Limits& limits,
                                   Subdirectories subdirectories = Subdirectories::skipped, LogZones log_zones = {},
                                   TextEncoding encoding = {});

/// Returns whether files can be read a second time, which pipes and devices cannot. `-` is standard input, of which the
/// caller sets the position.
bool are_repeatable(const std::vector<std::string>& paths);

/// Opens bytes in memory that are the content of one file of any format that `open_files` reads. The bytes must outlive
/// the source.
std::unique_ptr<Source> open_bytes(std::span<const std::byte> bytes, const Limits& limits, LogZones log_zones = {},
                                   TextEncoding encoding = {});

/// Removes the title databases from a list of files and returns their paths. Title databases are recognised by content.
std::vector<std::string> take_title_files(std::vector<std::string>& files, const Limits& limits);

/// Paths of files with the results of the PerfLib consumer functions. One of the paths may be `-`, standard input.
struct V2Files {
    /// Files with results of PerfQueryCounterData: each file holds one block, or several end to end.
    std::vector<std::string> blocks{};
    /// Files with results of PerfQueryCounterInfo. File i has the identifiers for file i of `blocks`. If this list has
    /// only one file, that file has the identifiers for all files of `blocks`.
    std::vector<std::string> identifiers{};
    /// Files with results of PerfQueryCounterSetRegistrationInfo. If the name of a file has the form that
    /// `registration_file_name` returns, the name states the counterset and the request. Any other file is identified
    /// by its content and its position in the list. A file with a PERF_COUNTERSET_REG_INFO begins a counterset. The
    /// next files that are identified by content belong to that counterset, until another counterset begins or a file
    /// cannot be identified. Their contents are recognised as follows:
    ///
    /// - The first file with a string buffer (PERF_STRING_BUFFER_HEADER and strings) has the names of the counters. The
    ///   second such file has their help texts.
    /// - The first file with a single string (NUL-terminated) has the name of the counterset. The second such file has
    ///   the help text of the counterset, the third the name of the provider.
    /// - A file of 16 bytes is the GUID of the provider.
    std::vector<std::string> registrations{};
};
/// Returns a file name for a registration record: `GUID-01-009.v2-registration`. The name identifies the counterset,
/// the request and the language of the registration. If such names are sorted, the PERF_COUNTERSET_REG_INFO of a
/// counterset precedes the other registrations of that counterset.
std::string registration_file_name(const Record& registration);
/// Opens V2 files as a source. The source returns all registrations first. Then it returns the blocks, and before each
/// block the identifiers of the query that returned the block, if `V2Files::identifiers` has them.
std::unique_ptr<Source> open_v2_files(V2Files files, const Limits& limits);

/// Opens files and V2 files together: first the registrations, which name the contents of the blocks that follow, then
/// the files, then the V2 blocks.
std::unique_ptr<Source> open_inputs(std::vector<std::string> files, const V2Files& v2, const Limits& limits,
                                    Subdirectories subdirectories = Subdirectories::skipped, LogZones log_zones = {},
                                    TextEncoding encoding = {});

/// Returns a source that reads `sources` one after another. A reader of this source numbers the samples of all sources
/// continuously.
std::unique_ptr<Source> chain(std::vector<std::unique_ptr<Source>> sources);

/// Adds the tables of a title database record to `titles`. Tables that `titles` already contains are not added again.
/// Tables beyond `Limits::tables` or `Limits::title_bytes` are not added, and are reported to `faults`.
void add_titles(Titles& titles, const Record& record, const Limits& limits, const FaultSink& faults);

/// A title database: its name, its bytes and the title tables that it contains.
struct TitleFile {
    std::string name, content;
    std::vector<TitleTable> tables;
};
/// Reads title databases from files, captures, performance logs and directories of these.
std::vector<TitleFile> read_title_files(const std::vector<std::string>& paths, Diagnostics& diagnostics);

/// Loads title tables from files, and from the files in directories. Without paths, loads the built-in table.
Titles load_titles(const std::vector<std::string>& paths, const std::vector<std::string>& languages,
                   Diagnostics& diagnostics);

}  // namespace hkpd
