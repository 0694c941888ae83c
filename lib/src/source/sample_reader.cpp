#include "source/sample_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/source.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"
#include "sample/build/log_builder.hpp"
#include "sample/build/v1_builder.hpp"
#include "sample/build/v2_builder.hpp"
#include "sample/grouping.hpp"

namespace hkpd {

void add_titles(Titles& titles, const Record& record, const Limits& limits, const FaultSink& faults) {
    if (record.bytes.size() > 2 * limits.title_bytes)  // UTF-16 takes twice the bytes
        return faults.add(Severity::error,
                          {Errc::byte_limit, 0, "title table", "", record.bytes.size(), 2 * limits.title_bytes});
    auto tables = parse_titles(record.bytes, record.name, faults);
    if (!tables) return faults.add(Severity::error, tables.error());
    for (TitleTable& table : *tables) {
        table.belongs_to(record.machine);
        if (table.language().empty()) table.speaks(record.language);
        // A capture that was put together from others may hold the same titles many times.
        if (std::ranges::find(titles.tables(), table) != titles.tables().end()) continue;
        std::uint64_t bytes = table.bytes();
        for (const TitleTable& other : titles.tables()) bytes += other.bytes();
        if (titles.tables().size() >= limits.tables)
            return faults.add(Severity::error, {Errc::title_tables, 0, "", "", 0, limits.tables});
        if (bytes > limits.title_bytes)
            return faults.add(Severity::error, {Errc::byte_limit, 0, "title table", "", bytes, limits.title_bytes});
        titles.add(std::move(table));
    }
}

class SampleReader::State {
  public:
    State(Source& source, const Titles* titles, const Limits& limits)
        : source_(source), builder_(titles, limits), limits_(limits), queries_(limits), logs_(titles, limits) {}

    void take_titles(Titles& titles) noexcept { taken_titles_ = &titles; }
    void take_countersets(Countersets& countersets) {
        countersets_ = &countersets;
        v2_builder_ = std::make_unique<CountersetSampleBuilder>(countersets, limits_);
    }
    const Countersets& countersets() const noexcept { return *countersets_; }
    void take_only(SampleSource source) noexcept { only_ = source; }
    void tell_provenance(std::function<void(const Record&)> heard) { provenance_heard_ = std::move(heard); }
    bool next(Sample& sample, Diagnostics& diagnostics);
    const Limits& limits() const noexcept { return limits_; }
    std::uint32_t count() const noexcept { return count_; }

  private:
    bool fetch(Diagnostics& diagnostics);
    bool open_block(const Record& record, Diagnostics& diagnostics);
    void open_row(const Record& record, Diagnostics& diagnostics);
    void keep_query(const Record& record, Diagnostics& diagnostics);
    void add_registration(const Record& record, const FaultSink& faults);
    bool wants(SampleSource source) const noexcept { return !only_ || *only_ == source; }
    /// Returns where faults of a block or row go until its sample is known.
    FaultSink begin_sample(const Record& record, SampleSource source, Diagnostics& diagnostics) {
        block_waiting_.begin(record, diagnostics);
        return wants(source) ? FaultSink(block_waiting_.faults) : FaultSink();
    }
    /// Faults of a record whose sample is not known yet, and where it stands.
    struct Waiting {
        Place place{};
        Diagnostics faults{};

        void begin(const Record& record, Diagnostics& diagnostics) {
            end(diagnostics, no_index);
            place = record.place;
        }
        /// Reports the faults as those of a sample; `no_index`: of none.
        Place end(Diagnostics& diagnostics, std::uint32_t sample) {
            place.sample = sample;
            diagnostics.take(faults, place);
            return place;
        }
    };
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
    std::function<void(const Record&)> provenance_heard_;
    SampleBoundary boundary_;
    KeptQueries queries_;
    LogSampleBuilder logs_;
    std::size_t row_next_ = 0, row_machines_ = 0;  // machines of the current row
    bool whole_sample_ = false;                    // the block that was opened last is one
    std::optional<SampleSource> pending_;          // the kind of the next block, which is opened and not yet added
    v1::Block block_;
    v2::DataBlock v2_block_;
    std::string machine_;                    // of the V2 block
    Waiting block_waiting_, query_waiting_;  // the block or row that was opened last, and the identifiers
    std::uint32_t count_ = 0;
};

SampleReader::SampleReader(Source& source, const Titles* titles, const Limits& limits)
    : state_(std::make_unique<State>(source, titles, limits)) {}
SampleReader::~SampleReader() = default;

void SampleReader::take_titles(Titles& titles) noexcept { state_->take_titles(titles); }

void SampleReader::take_countersets(Countersets& countersets) { state_->take_countersets(countersets); }

const Countersets& SampleReader::countersets() const noexcept { return state_->countersets(); }

void SampleReader::take_only(SampleSource source) noexcept { state_->take_only(source); }

void SampleReader::tell_provenance(std::function<void(const Record&)> heard) {
    state_->tell_provenance(std::move(heard));
}

bool SampleReader::next(Sample& sample, Diagnostics& diagnostics) { return state_->next(sample, diagnostics); }

const Limits& SampleReader::limits() const noexcept { return state_->limits(); }

std::uint32_t SampleReader::count() const noexcept { return state_->count(); }

bool SampleReader::State::next(Sample& sample, Diagnostics& diagnostics) {
    while (pending_ || fetch(diagnostics)) {
        if (pending_ == SampleSource::log) {
            if (take_row(sample, diagnostics)) return true;
            continue;
        }
        const bool given = pending_ == SampleSource::v1 ? take_v1(sample, diagnostics) : take_v2(sample, diagnostics);
        ++count_;
        if (given) return true;
    }
    query_waiting_.end(diagnostics, no_index);
    return false;
}

/// Takes the blocks of a sample; false where it is skipped.
bool SampleReader::State::take_v1(Sample& sample, Diagnostics& diagnostics) {
    const bool wanted = wants(SampleSource::v1);
    boundary_.begin(block_);
    FaultSink faults(diagnostics, block_waiting_.end(diagnostics, count_));
    if (wanted) builder_.begin(sample, block_, faults);
    while (true) {
        if (wanted) builder_.add(sample, block_, faults);
        pending_.reset();
        if (whole_sample_ || !fetch(diagnostics) || pending_ != SampleSource::v1 || boundary_.crossed_by(block_)) break;
        boundary_.add(block_);
        faults = faults.at(block_waiting_.end(diagnostics, count_));
    }
    if (wanted) builder_.finish(sample, count_, faults);
    return wanted;
}

bool SampleReader::State::take_v2(Sample& sample, Diagnostics& diagnostics) {
    pending_.reset();
    if (!wants(SampleSource::v2)) return false;
    query_waiting_.end(diagnostics, count_);
    const FaultSink faults(diagnostics, block_waiting_.end(diagnostics, count_));
    const KeptQueries::Query* const query = queries_.find(machine_);
    v2_builder_->build(sample, v2_block_, query == nullptr ? nullptr : &query->identifiers, machine_, faults);
    return true;
}

/// Takes the next machine of a row. All of a row are one sample where samples are counted.
bool SampleReader::State::take_row(Sample& sample, Diagnostics& diagnostics) {
    if (row_next_ == 0) block_waiting_.end(diagnostics, count_++);
    const std::size_t machine = row_next_++;
    if (row_next_ >= row_machines_) pending_.reset();
    if (!wants(SampleSource::log) || machine >= row_machines_) return false;
    logs_.build(sample, machine, count_ - 1, FaultSink(diagnostics, block_waiting_.place));
    return true;
}

/// Opens the next block that can be opened.
bool SampleReader::State::fetch(Diagnostics& diagnostics) {
    while (const auto record = source_.next(diagnostics)) {
        if (count_ == 0) count_ = static_cast<std::uint32_t>(source_.skipped_samples());
        const FaultSink faults(diagnostics, record->place);
        switch (record->kind) {
            case Record::Kind::titles:
                if (taken_titles_ != nullptr) add_titles(*taken_titles_, *record, limits_, faults);
                break;
            case Record::Kind::provenance:
                if (provenance_heard_) provenance_heard_(*record);
                break;
            case Record::Kind::log_header:
            case Record::Kind::log_catalogue:
                logs_.take(*record, faults);
                break;
            case Record::Kind::log_trailer:
                break;
            case Record::Kind::log_row:
                open_row(*record, diagnostics);
                return true;
            case Record::Kind::v2_registration:
                add_registration(*record, faults);
                break;
            case Record::Kind::v2_identifiers:
                keep_query(*record, diagnostics);
                break;
            case Record::Kind::v1_block:
            case Record::Kind::v2_block:
                if (open_block(*record, diagnostics)) return true;
                break;
        }
    }
    return false;
}

bool SampleReader::State::open_block(const Record& record, Diagnostics& diagnostics) {
    const SampleSource source = record.kind == Record::Kind::v1_block ? SampleSource::v1 : SampleSource::v2;
    const FaultSink faults = begin_sample(record, source, diagnostics);
    const auto opened =
        source == SampleSource::v1 ? block_.open(record.bytes, faults) : v2_block_.open(record.bytes, faults);
    if (!opened) {
        faults.add(Severity::error, opened.error());
        block_waiting_.end(diagnostics, no_index);
        return false;
    }
    if (source == SampleSource::v2) machine_ = record.machine;
    whole_sample_ = record.whole_sample;
    pending_ = source;
    return true;
}

/// One that gives nothing counts too, as it does in captures.
void SampleReader::State::open_row(const Record& record, Diagnostics& diagnostics) {
    row_machines_ = logs_.open(record, begin_sample(record, SampleSource::log, diagnostics));
    row_next_ = 0;
    pending_ = SampleSource::log;
}

void SampleReader::State::keep_query(const Record& record, Diagnostics& diagnostics) {
    if (!wants(SampleSource::v2)) return;
    query_waiting_.begin(record, diagnostics);
    const FaultSink faults(query_waiting_.faults);
    if (const auto kept = queries_.keep(record, faults); !kept) faults.add(Severity::error, kept.error());
}

void SampleReader::State::add_registration(const Record& record, const FaultSink& faults) {
    const Countersets::Answer answer{record.counterset,  static_cast<v2::RegistrationRequest>(record.request),
                                     record.machine,     record.language,
                                     record.title_index, record.bytes};
    countersets_->add(answer, limits_, faults);
}

}  // namespace hkpd
