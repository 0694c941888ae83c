// Sources of records: files of every format, and several sources combined into one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"

namespace hkpd {

class Diagnostics;
class FaultSink;
class Titles;

/// A stream of records, each exactly as its producer wrote it: V1 and V2 data blocks, identifiers of V2 queries, title
/// databases and registrations.
class Source {
  public:
    virtual ~Source() = default;

    /// Returns the next record, without any bytes that follow it in the input; none at the end of the source. The
    /// record is valid until the next call. Input that cannot be read or is not part of a record is reported and
    /// skipped. Calls `Diagnostics::add_input` before the first record of each input, and sets `Record::place` to the
    /// position of that input.
    virtual std::optional<Record> next(Diagnostics& diagnostics) = 0;
};

/// Opens files and directories. A file may contain blocks end to end, a capture, or a binary performance log (.blg),
/// and is recognised by its content; `-` is standard input. The files of a directory are read in the order of their
/// names. Title databases in a directory are returned before the first V1 block of that directory, with the machine
/// name of that block. If a block of another machine follows, the title databases are returned once more, without a
/// machine name, and then apply to any machine.
std::unique_ptr<Source> open_files(std::vector<std::string> paths, const Limits& limits);

/// Opens bytes in memory that are the content of one file (blocks end to end, a capture, or a performance log). The
/// bytes must outlive the source.
std::unique_ptr<Source> open_bytes(std::span<const std::byte> bytes, const Limits& limits);

/// Removes the title databases from a list of files and returns their paths. Title databases are recognised by content.
std::vector<std::string> take_title_files(std::vector<std::string>& files, const Limits& limits);

/// Paths of files with the results of the PerfLib consumer functions. One of the paths may be `-`, standard input.
struct V2Files {
    /// Results of PerfQueryCounterData: each file holds one block, or several end to end.
    std::vector<std::string> blocks{};
    /// Results of PerfQueryCounterInfo. File i has the identifiers for file i of `blocks`. A single file has the
    /// identifiers for all files of `blocks`.
    std::vector<std::string> identifiers{};
    /// Results of PerfQueryCounterSetRegistrationInfo. A file whose name has the form of `registration_file_name` is
    /// identified by that name. Any other file is identified by its content and its position in the list. A file with a
    /// PERF_COUNTERSET_REG_INFO begins a counterset. The next files that are identified by content belong to that
    /// counterset, until another counterset begins:
    ///
    /// - The first string buffer has the names of the counters. The second has the help texts of the counters.
    /// - The first string (NUL-terminated) is the name of the counterset. The second is the help text of the
    ///   counterset. The third is the name of the provider.
    /// - A file of 16 bytes is the GUID of the provider.
    std::vector<std::string> registrations{};
};
/// Returns a file name that identifies the counterset, the request and the language of a registration:
/// `GUID-01-009.v2-registration`. If such names are sorted, the PERF_COUNTERSET_REG_INFO of a counterset precedes the
/// other registrations of that counterset.
std::string registration_file_name(const Record& registration);
/// Opens V2 files as a source. The source returns first all registrations, then all blocks. Each block is preceded by
/// the identifiers of its query.
std::unique_ptr<Source> open_v2_files(V2Files files, const Limits& limits);

/// Returns a source that reads the given sources one after another. Sample numbers continue from one source to the
/// next. Therefore, if a source was opened with a range that skips samples by number, no source before it must have
/// samples.
std::unique_ptr<Source> chain(std::vector<std::unique_ptr<Source>> sources);

/// Adds the tables of a title database record to `titles`. Tables that `titles` already holds are not added again, and
/// `titles` holds at most `Limits::tables` tables.
void add_titles(Titles& titles, const Record& record, const Limits& limits, const FaultSink& faults);

}  // namespace hkpd
