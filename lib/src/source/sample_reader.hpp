// Makes samples from records: combines the blocks of one moment, and collects titles and registrations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"
#include "sample/fill/log_builder.hpp"
#include "sample/fill/v1_builder.hpp"
#include "sample/fill/v2_builder.hpp"
#include "sample/grouping.hpp"

namespace hkpd {

class Source;

/// A reader that combines the blocks of a source into samples. Agents and logs query one object at a time. Consecutive
/// V1 blocks of one machine with equal PerfTime and PerfTime100nSec are therefore one sample. An object that the sample
/// already contains begins a new sample. Each V2 block is a sample and is decoded with the latest identifiers of its
/// machine. A row of a performance log becomes one sample for each machine in the row, but the row counts as one
/// sample.
class SampleReader {
  public:
    /// Keeps references to `source` and `titles` (which may be null).
    SampleReader(Source& source, const Titles* titles, const Limits& limits)
        : source_(source), builder_(titles, limits), limits_(limits), queries_(limits), logs_(titles, limits) {}
    SampleReader(const SampleReader&) = delete;
    SampleReader& operator=(const SampleReader&) = delete;
    ~SampleReader() = default;

    /// Makes `next` add the title databases that it reads to `titles`, up to `Limits::tables` databases. For these
    /// titles to be used in samples, `titles` must be the object that was passed to the constructor. Without this call,
    /// title databases are skipped.
    void take_titles(Titles& titles) noexcept { taken_titles_ = &titles; }
    /// Makes `next` add the registrations that it reads to `countersets`. `countersets` supplies the names in V2
    /// samples and must outlive these samples. Without this call, the reader uses its own `Countersets`. Call this
    /// function before `next`.
    void take_countersets(Countersets& countersets) {
        countersets_ = &countersets;
        v2_builder_ = std::make_unique<CountersetSampleBuilder>(countersets, limits_);
    }
    /// Returns the V2 countersets that are known so far.
    const Countersets& countersets() const noexcept { return *countersets_; }
    /// Makes logs have English names, where these are known.
    void show_english() { logs_.show_english(); }
    /// Makes `next` build only samples of one source. Samples of other sources are skipped, but counted.
    void take_only(SampleSource source) noexcept { only_ = source; }
    /// Makes `next` call `provenance` with each provenance record of a capture. Without this call, provenance records
    /// are skipped.
    void print_provenance(std::function<void(const Record&)> provenance) { provenance_ = std::move(provenance); }

    /// Builds the next sample; returns false at the end of the source.
    bool next(Sample& sample, Diagnostics& diagnostics);
    /// Adds the instances of a sample that `next` has built to those of the run.
    void follow(const Sample& sample) { run_->follow(sample); }
    /// Makes the source pass over samples outside a range (`Source::seek`). Must be called after the first sample of an
    /// input.
    void seek(const Range& range);

    const Limits& limits() const noexcept { return limits_; }
    /// Returns the text logs so far (`Reader::text_logs`).
    std::span<const TextLog> text_logs() const noexcept { return text_logs_; }
    /// Returns the number of samples so far, including those that the reader has skipped and those that the source has
    /// passed over.
    std::uint32_t count() {
        count_passed();
        return count_;
    }
    /// Adds to `count` the samples that the source has passed over, and makes the source count them if it has not yet.
    /// Returns their number, by which the faults since then have too low sample numbers.
    std::uint32_t count_passed();

  private:
    /// The faults and the place of a record, until the number of the record's sample is known.
    struct Waiting {
        Place place{};
        /// The faults of the record. `begin` replaces this list with an empty list that has the settings of
        /// `diagnostics` (see `Diagnostics::empty_copy`). `end` moves the faults in this list to `diagnostics`.
        Diagnostics faults{0};

        void begin(const Record& record, Diagnostics& diagnostics);
        /// Begins with a record that is known to have no faults. The settings of `diagnostics` are then not copied.
        void begin_valid(const Record& record, Diagnostics& diagnostics);
        /// Moves `faults` to `diagnostics`, as faults of the sample with the number `sample`, or of no sample if it is
        /// `no_index`. Returns the place of the faults.
        Place end(Diagnostics& diagnostics, std::uint32_t sample);
    };
    void begin_next();
    std::optional<Record> next_record(Diagnostics& diagnostics);
    bool fetch(Diagnostics& diagnostics);
    void note_text_log(const Record& catalogue);
    bool open_block(const Record& record, Diagnostics& diagnostics);
    void open_row(const Record& record, Diagnostics& diagnostics);
    void keep_query(const Record& record, Diagnostics& diagnostics);
    bool selects(SampleSource source) const noexcept { return !only_ || *only_ == source; }
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
    std::size_t row_next_ = 0, row_machines_ = 0;  // position of the row's next machine; number of machines in the row
    bool whole_sample_ = false;                    // whether the latest block is a complete sample
    std::optional<SampleSource> pending_;          // source of the open block or row that is not yet in a sample
    v1::Block own_block_;
    const v1::Block* block_ = &own_block_;  // the latest V1 block: `own_block_`, or one that the source has opened
    v2::DataBlock v2_block_;
    std::string machine_;  // of the V2 block
    std::vector<TextLog> text_logs_;
    Waiting block_waiting_, query_waiting_;  // of the latest block or row; of the latest identifiers
    std::uint32_t count_ = 0;
    bool first_counted_ = true;                   // whether `first_` includes all samples that were passed over
    std::uint32_t first_ = 0, input_ = no_index;  // the input of the latest sample, and the number of its first one
    // What the source has passed over before the block or row that is pending. If `uncounted_`, the rest is unknown.
    std::uint64_t passed_ = 0;
    bool uncounted_ = false;
    bool counted_ = true;  // whether `count_` includes all samples that were passed over before the latest one
    std::shared_ptr<RunInstances> run_ = std::make_shared<RunInstances>(limits_);  // of all samples
};

}  // namespace hkpd
