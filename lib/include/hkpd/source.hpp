// Where samples come from, and how records become samples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/titles.hpp"

namespace hkpd {

class SampleBoundary;

/// A stream of records, each as its producer wrote it: V1 data blocks and title databases, one by one.
class Source {
  public:
    virtual ~Source() = default;

    /// The next record, cut where it ends; none at the end. Valid until the next call. What cannot be read or belongs
    /// to no record is reported, and skipped. Says `Diagnostics::enter_input` before the first record of each input.
    virtual std::optional<Record> next(Diagnostics& diagnostics) = 0;

    /// How many samples were passed over unread, because they were not wanted.
    virtual std::uint64_t skipped_samples() const noexcept { return 0; }
};

/// The regular files of a directory, in the order of their names: all that could be listed, and why not more.
std::vector<std::string> files_in(const std::string& directory, std::error_code& error);

/// Files of blocks end to end, captures, directories of such files (in the order of their names), and `-` for standard
/// input; told by content. `wanted` lets captures pass over what is not wanted; what comes has to be compared with it.
std::unique_ptr<Source> open_files(std::vector<std::string> paths, const Limits& limits, const Range& wanted = {});

/// Adds the tables of a title database that came as a record, at most `Limits::tables` in all, and none twice.
void add_titles(Titles& titles, const Record& record, const Limits& limits, Diagnostics& diagnostics);

/// Puts the blocks of a source together into samples. Neighbouring blocks of one machine with equal PerfTime and
/// PerfTime100nSec are one sample, as agents and logs ask object by object; an object that repeats begins a new one.
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

    /// Builds the next sample; false at the end.
    bool next(Sample& sample, Diagnostics& diagnostics);

    const Limits& limits() const noexcept { return limits_; }
    /// How many samples there were so far, with those that the source has passed over.
    std::uint32_t count() const noexcept { return count_; }

  private:
    bool fetch(Diagnostics& diagnostics);

    Source& source_;
    SampleBuilder builder_;
    Limits limits_;
    Titles* taken_titles_ = nullptr;
    std::unique_ptr<SampleBoundary> boundary_;
    v1::Block block_;  // the next one, opened and not yet added
    bool pending_ = false;
    std::size_t first_found_ = 0, end_found_ = 0;  // the diagnostics that opening it has added
    std::uint32_t count_ = 0;
};

}  // namespace hkpd
