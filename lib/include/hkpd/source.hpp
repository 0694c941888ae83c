// Where records come from: files of every form, several of them as one run.
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

/// A stream of records, each as its producer wrote it: data blocks of both kinds, identifiers of V2 queries, title
/// databases and registrations, one by one.
class Source {
  public:
    virtual ~Source() = default;

    /// The next record, cut where it ends; none at the end. Valid until the next call. What cannot be read or belongs
    /// to no record is reported, and skipped. Calls `Diagnostics::add_input` before the first record of each input, and
    /// gives the records its position as their place.
    virtual std::optional<Record> next(Diagnostics& diagnostics) = 0;

    /// How many samples were passed over unread, because they were not wanted.
    virtual std::uint64_t skipped_samples() const noexcept { return 0; }
};

/// Files of blocks end to end, captures, binary performance logs (.blg), directories of such files (in the order of
/// their names), and `-` for standard input; told by content. Title databases in a directory come ahead of its first V1
/// block, as those of its machine, and once more as anybody's if another machine's block follows. `wanted` lets
/// captures pass over what is not wanted; what comes has to be compared with it.
std::unique_ptr<Source> open_files(std::vector<std::string> paths, const Limits& limits, const Range& wanted = {});

/// What one such file has in it, from memory. The bytes must outlive the source.
std::unique_ptr<Source> open_bytes(std::span<const std::byte> bytes, const Limits& limits, const Range& wanted = {});

/// Takes those that are title databases out of a list of files, told by content.
std::vector<std::string> take_title_files(std::vector<std::string>& files, const Limits& limits);

/// What the PerfLib consumer functions returned, as files. `-` is standard input, for one of them.
struct V2Files {
    /// PerfQueryCounterData: each holds one block or several end to end.
    std::vector<std::string> blocks{};
    /// PerfQueryCounterInfo: the first goes with the first file of blocks, and so on; a single one with all of them.
    std::vector<std::string> identifiers{};
    /// PerfQueryCounterSetRegistrationInfo, told by content. The struct of a counterset begins one; what follows
    /// belongs to it: of string buffers the first holds the counters' names and the second their help; of strings
    /// (ended by NUL) the first is the set's name, the second its help and the third its provider's name; 16 bytes are
    /// the provider's GUID. Of files with names as `registration_file_name` makes them the name tells.
    std::vector<std::string> registrations{};
};
/// A name for the file of a registration that says what it is an answer on: `GUID-01-009.v2-registration`. In the order
/// of such names the struct of a counterset comes first.
std::string registration_file_name(const Record& registration);
/// The registrations, then each block with the identifiers that go with it in front.
std::unique_ptr<Source> open_v2_files(V2Files files, const Limits& limits);

/// One source after the other. Of those behind the first that has samples none may have been told to pass over samples
/// by their number: numbers count over all.
std::unique_ptr<Source> chain(std::vector<std::unique_ptr<Source>> sources);

/// Adds the tables of a title database that came as a record, at most `Limits::tables` in all, and none twice.
void add_titles(Titles& titles, const Record& record, const Limits& limits, const FaultSink& faults);

}  // namespace hkpd
