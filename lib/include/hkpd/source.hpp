// Where samples come from, and how records become samples.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/countersets.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"
#include "sample/build/log_builder.hpp"
#include "sample/build/v2_builder.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

class KeptQueries;
class SampleBoundary;

/// A stream of records, each as its producer wrote it: data blocks of both kinds, identifiers of V2 queries, title
/// databases and registrations, one by one.
class Source {
  public:
    virtual ~Source() = default;

    /// The next record, cut where it ends; none at the end. Valid until the next call. What cannot be read or belongs
    /// to no record is reported, and skipped. Says `Diagnostics::enter_input` before the first record of each input.
    virtual std::optional<Record> next(Diagnostics& diagnostics) = 0;

    /// How many samples were passed over unread, because they were not wanted.
    virtual std::uint64_t skipped_samples() const noexcept { return 0; }
};

/// Files of blocks end to end, captures, binary performance logs (.blg), directories of such files (in the order of
/// their names), and `-` for standard input; told by content. Title databases in a directory come ahead of its first V1
/// block, as those of its machine, and once more as anybody's if another machine's block follows. `wanted` lets
/// captures pass over what is not wanted; what comes has to be compared with it.
std::unique_ptr<Source> open_files(std::vector<std::string> paths, const Limits& limits, const Range& wanted = {});

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
void add_titles(Titles& titles, const Record& record, const Limits& limits, Diagnostics& diagnostics);

/// Puts the blocks of a source together into samples. Neighbouring V1 blocks of one machine with equal PerfTime and
/// PerfTime100nSec are one sample, as agents and logs ask object by object; an object that repeats begins a new one.
/// Each V2 block is a sample; it answers the identifiers that came last of its machine. A row of a performance log is
/// a sample of each machine in it; these count as one.
class SampleReader {
  public:
    /// Keeps references to `source` and `titles` (which may be null).
    SampleReader(Source& source, const Titles* titles, const Limits& limits);
    ~SampleReader();
    SampleReader(const SampleReader&) = delete;
    SampleReader& operator=(const SampleReader&) = delete;

    /// Title databases among the records are added to `titles`, at most `Limits::tables` of them: those that samples
    /// are named from. Without it they are passed over.
    void take_titles(Titles& titles) noexcept { taken_titles_ = &titles; }
    /// Registrations among the records are added to these, which name the samples from V2 and must outlive them;
    /// without it the reader has its own. To be called before `next`.
    void take_countersets(Countersets& countersets);
    /// What is known of V2 countersets so far.
    const Countersets& countersets() const noexcept { return *countersets_; }
    /// Gives samples of one door only. The others are passed over, but count.
    void take_only(SampleSource source) noexcept { only_ = source; }
    /// What captures say of where they come from is told to `heard` when it is met; without it it is passed over.
    void tell_provenance(std::function<void(const Record&)> heard) { provenance_heard_ = std::move(heard); }

    /// Builds the next sample; false at the end.
    bool next(Sample& sample, Diagnostics& diagnostics);

    const Limits& limits() const noexcept { return limits_; }
    /// How many samples there were so far, with those that the source or the reader has passed over.
    std::uint32_t count() const noexcept { return count_; }

  private:
    /// Diagnostics that were added while it was not known which sample they belong to, as sizes of `kept()`.
    struct Found {
        std::size_t first = 0, end = 0;
    };
    bool fetch(Diagnostics& diagnostics);
    bool open_block(const Record& record, Diagnostics& diagnostics);
    void open_row(const Record& record, Diagnostics& diagnostics);
    void keep_query(const Record& record, Diagnostics& diagnostics);
    void add_registration(const Record& record, Diagnostics& diagnostics);
    bool wants(SampleSource source) const noexcept { return !only_ || *only_ == source; }
    void enter(Found found, Diagnostics& diagnostics) const;
    bool take_v1(Sample& sample, Diagnostics& diagnostics);
    bool take_v2(Sample& sample, Diagnostics& diagnostics);
    bool take_row(Sample& sample, Diagnostics& diagnostics);

    Source& source_;
    SampleBuilder builder_;
    Limits limits_;
    Titles* taken_titles_ = nullptr;
    std::unique_ptr<Countersets> own_countersets_;
    Countersets* countersets_;
    std::unique_ptr<CountersetSampleBuilder> v2_builder_;
    std::optional<SampleSource> only_;
    std::function<void(const Record&)> provenance_heard_;
    std::unique_ptr<SampleBoundary> boundary_;
    std::unique_ptr<KeptQueries> queries_;
    std::unique_ptr<LogSampleBuilder> logs_;
    std::size_t row_next_ = 0, row_machines_ = 0;  // machines of the row at hand
    bool whole_sample_ = false;                    // the block that was opened last is one
    std::optional<SampleSource> pending_;          // the kind of the next block, which is opened and not yet added
    v1::Block block_;
    v2::DataBlock v2_block_;
    std::string machine_;              // of the V2 block
    Found block_found_, query_found_;  // by opening it, and the identifiers that came last
    std::uint32_t count_ = 0;
};

}  // namespace hkpd
