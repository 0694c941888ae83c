// Makes samples from records: combines the blocks of one moment, and collects titles and registrations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"
#include "sample/build/log_builder.hpp"
#include "sample/build/v1_builder.hpp"
#include "sample/build/v2_builder.hpp"
#include "sample/grouping.hpp"

namespace hkpd {

class Source;

/// Combines the blocks of a source into samples. Consecutive V1 blocks of one machine with equal PerfTime and
/// PerfTime100nSec are one sample, as agents and logs query object by object; a repeated object begins a new sample.
/// Each V2 block is a sample and is decoded with the latest identifiers of its machine. A row of a performance log
/// becomes one sample for each machine in the row, but the row counts as one sample.
class SampleReader {
  public:
    /// Keeps references to `source` and `titles` (which may be null).
    SampleReader(Source& source, const Titles* titles, const Limits& limits)
        : source_(source), builder_(titles, limits), limits_(limits), queries_(limits), logs_(titles, limits) {}
    SampleReader(const SampleReader&) = delete;
    SampleReader& operator=(const SampleReader&) = delete;
    ~SampleReader() = default;

    /// Adds title databases among the records (at most `Limits::tables`) to `titles`, which supplies the names in the
    /// samples. Without this call, title databases are skipped.
    void take_titles(Titles& titles) noexcept { taken_titles_ = &titles; }
    /// Adds registrations among the records to `countersets`, which supplies the names in V2 samples and must outlive
    /// them. Without this call, the reader uses its own `Countersets`. Call this function before `next`.
    void take_countersets(Countersets& countersets) {
        countersets_ = &countersets;
        v2_builder_ = std::make_unique<CountersetSampleBuilder>(countersets, limits_);
    }
    /// Returns the V2 countersets that are known so far.
    const Countersets& countersets() const noexcept { return *countersets_; }
    /// Builds samples of one source only. Samples of other sources are skipped, but counted.
    void take_only(SampleSource source) noexcept { only_ = source; }
    /// Calls `provenance` with each provenance record of a capture; without this call they are skipped.
    void print_provenance(std::function<void(const Record&)> provenance) { provenance_ = std::move(provenance); }

    /// Builds the next sample; false at the end.
    bool next(Sample& sample, Diagnostics& diagnostics);

    const Limits& limits() const noexcept { return limits_; }
    /// Returns the number of samples so far, including those that the reader has skipped.
    std::uint32_t count() const noexcept { return count_; }

  private:
    /// Faults and place of a record whose sample is not known yet.
    struct Waiting {
        Place place{};
        Diagnostics faults{0};  // `begin` copies the settings of the list to which `end` moves the faults

        void begin(const Record& record, Diagnostics& diagnostics);
        /// Begins with a record that has no faults.
        void begin_valid(const Record& record, Diagnostics& diagnostics);
        /// Moves `faults` to the list as faults of sample number `sample`; `no_index`: no sample. Returns their place.
        Place end(Diagnostics& diagnostics, std::uint32_t sample);
    };
    bool fetch(Diagnostics& diagnostics);
    bool open_block(const Record& record, Diagnostics& diagnostics);
    void open_row(const Record& record, Diagnostics& diagnostics);
    void keep_query(const Record& record, Diagnostics& diagnostics);
    bool wants(SampleSource source) const noexcept { return !only_ || *only_ == source; }
    FaultSink begin_sample(const Record& record, SampleSource source, Diagnostics& diagnostics);
    bool take_v1(Sample& sample, Diagnostics& diagnostics);
    bool take_v2(Sample& sample, Diagnostics& diagnostics);
    bool take_row(Sample& sample, Diagnostics& diagnostics);

    Source& source_;
    SampleBuilder builder_;
    Limits limits_;
    Titles* taken_titles_ = nullptr;
    Countersets own_countersets_;
    Countersets* countersets_ = &own_countersets_;
    std::unique_ptr<CountersetSampleBuilder> v2_builder_ =
        std::make_unique<CountersetSampleBuilder>(own_countersets_, limits_);
    std::optional<SampleSource> only_;
    std::function<void(const Record&)> provenance_;
    SampleBoundary boundary_;
    KeptQueries queries_;
    LogSampleBuilder logs_;
    std::size_t row_next_ = 0, row_machines_ = 0;  // machines of the current row
    bool whole_sample_ = false;                    // whether the latest block is a complete sample
    std::optional<SampleSource> pending_;          // source of the next block, which is open and not yet added
    v1::Block own_block_;
    const v1::Block* block_ = &own_block_;  // the latest V1 block: `own_block_`, or one that the source has opened
    v2::DataBlock v2_block_;
    std::string machine_;                    // of the V2 block
    Waiting block_waiting_, query_waiting_;  // of the latest block or row, and of the identifiers
    std::uint32_t count_ = 0;
};

}  // namespace hkpd
