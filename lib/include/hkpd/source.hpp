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

    /// Returns the next record, cut at its end; none at the end of the source. Valid until the next call. Anything that
    /// cannot be read or is not part of a record is reported and skipped. Calls `Diagnostics::add_input` before the
    /// first record of each input and sets `Record::place` to the input's position.
    virtual std::optional<Record> next(Diagnostics& diagnostics) = 0;

    /// Returns the number of samples that were skipped unread because they were not wanted.
    virtual std::uint64_t skipped_samples() const noexcept { return 0; }
};

/// Opens files of blocks end to end, captures, binary performance logs (.blg), directories of such files (in the order
/// of their names), and `-` for standard input. Files are recognised by content. Title databases in a directory are
/// returned before its first V1 block, as belonging to that block's machine, and once more, as belonging to any
/// machine, if a block of another machine follows. `wanted` lets captures skip samples outside the range; records that
/// are returned must still be compared with it.
std::unique_ptr<Source> open_files(std::vector<std::string> paths, const Limits& limits, const Range& wanted = {});

/// Opens the content of one such file in memory. The bytes must outlive the source.
std::unique_ptr<Source> open_bytes(std::span<const std::byte> bytes, const Limits& limits, const Range& wanted = {});

/// Removes the title databases from a list of files and returns them. They are recognised by content.
std::vector<std::string> take_title_files(std::vector<std::string>& files, const Limits& limits);

/// Files with the results of the PerfLib consumer functions. One of them may be `-`, standard input.
struct V2Files {
    /// Results of PerfQueryCounterData: each file holds one block, or several end to end.
    std::vector<std::string> blocks{};
    /// Results of PerfQueryCounterInfo: the first file goes with the first file of blocks, and so on; a single file
    /// goes with all of them.
    std::vector<std::string> identifiers{};
    /// Results of PerfQueryCounterSetRegistrationInfo. A file whose name has the form of `registration_file_name` is
    /// identified by that name, any other by its content. The struct of a counterset begins a counterset; the files
    /// that follow belong to it. The first string buffer holds the counters' names and the second their help. The first
    /// string (NUL-terminated) is the set's name, the second its help, and the third its provider's name. 16 bytes are
    /// the provider's GUID.
    std::vector<std::string> registrations{};
};
/// Returns a file name for a registration that identifies its counterset, request and language:
/// `GUID-01-009.v2-registration`. In the order of such names, the struct of a counterset comes first.
std::string registration_file_name(const Record& registration);
/// Opens V2 files as a source: first the registrations, then each block, preceded by the identifiers that go with it.
std::unique_ptr<Source> open_v2_files(V2Files files, const Limits& limits);

/// Returns a source that reads one source after the other. Of the sources after the first that has samples, none may
/// have been opened to skip samples by number, because numbers count over all sources.
std::unique_ptr<Source> chain(std::vector<std::unique_ptr<Source>> sources);

/// Adds the tables of a title database record to `titles`: at most `Limits::tables` in all, and none twice.
void add_titles(Titles& titles, const Record& record, const Limits& limits, const FaultSink& faults);

}  // namespace hkpd
