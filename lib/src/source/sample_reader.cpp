#include <algorithm>
#include <utility>

#include "hkpd/source.hpp"
#include "sample/grouping.hpp"
#include "sample_boundary.hpp"

namespace hkpd {

void add_titles(Titles& titles, const Record& record, const Limits& limits, Diagnostics& diagnostics) {
    if (record.bytes.size() > 2 * limits.title_bytes)  // UTF-16 takes twice the bytes
        return diagnostics.add(Severity::error,
                               {Errc::byte_limit, 0, "title table", "", record.bytes.size(), 2 * limits.title_bytes});
    auto tables = parse_titles(record.bytes, record.name, diagnostics);
    if (!tables) return diagnostics.add(Severity::error, tables.error());
    for (TitleTable& table : *tables) {
        table.belongs_to(record.machine);
        if (table.language().empty()) table.speaks(record.language);
        // A capture that was put together from others may hold the same titles many times.
        if (std::ranges::find(titles.tables(), table) != titles.tables().end()) continue;
        std::uint64_t bytes = table.bytes();
        for (const TitleTable& other : titles.tables()) bytes += other.bytes();
        if (titles.tables().size() >= limits.tables)
            return diagnostics.add(Severity::error, {Errc::title_tables, 0, "", "", 0, limits.tables});
        if (bytes > limits.title_bytes)
            return diagnostics.add(Severity::error,
                                   {Errc::byte_limit, 0, "title table", "", bytes, limits.title_bytes});
        titles.add(std::move(table));
    }
}

SampleReader::SampleReader(Source& source, const Titles* titles, const Limits& limits)
    : source_(source),
      builder_(titles, limits),
      limits_(limits),
      own_countersets_(std::make_unique<Countersets>()),
      countersets_(own_countersets_.get()),
      v2_builder_(std::make_unique<CountersetSampleBuilder>(*countersets_, limits)),
      boundary_(std::make_unique<SampleBoundary>()),
      queries_(std::make_unique<KeptQueries>(limits)),
      logs_(std::make_unique<LogSampleBuilder>(titles, limits)) {}
SampleReader::~SampleReader() = default;

void SampleReader::take_countersets(Countersets& countersets) {
    countersets_ = &countersets;
    v2_builder_ = std::make_unique<CountersetSampleBuilder>(countersets, limits_);
}

bool SampleReader::next(Sample& sample, Diagnostics& diagnostics) {
    while (pending_ || fetch(diagnostics)) {
        if (pending_ == SampleSource::log) {
            if (take_row(sample, diagnostics)) return true;
            continue;
        }
        const bool given = pending_ == SampleSource::v1 ? take_v1(sample, diagnostics) : take_v2(sample, diagnostics);
        ++count_;
        if (given) return true;
    }
    return false;
}

/// Takes the blocks of a sample; false where it is passed over.
bool SampleReader::take_v1(Sample& sample, Diagnostics& diagnostics) {
    const bool wanted = wants(SampleSource::v1);
    boundary_->begin(block_);
    enter(block_found_, diagnostics);
    if (wanted) builder_.begin(sample, block_, diagnostics);
    while (true) {
        if (wanted) builder_.add(sample, block_, diagnostics);
        pending_.reset();
        if (whole_sample_ || !fetch(diagnostics) || pending_ != SampleSource::v1 || boundary_->crossed_by(block_))
            break;
        boundary_->add(block_);
        enter(block_found_, diagnostics);
    }
    if (wanted) builder_.finish(sample, count_, diagnostics);
    return wanted;
}

bool SampleReader::take_v2(Sample& sample, Diagnostics& diagnostics) {
    pending_.reset();
    if (!wants(SampleSource::v2)) return false;
    enter(block_found_, diagnostics);
    enter(std::exchange(query_found_, {}), diagnostics);
    const KeptQueries::Query* const query = queries_->find(machine_);
    v2_builder_->build(sample, v2_block_, query == nullptr ? nullptr : &query->identifiers, machine_, diagnostics);
    return true;
}

/// Takes the next machine of a row. All of a row are one sample where samples are counted.
bool SampleReader::take_row(Sample& sample, Diagnostics& diagnostics) {
    if (row_next_ == 0) {
        enter(block_found_, diagnostics);
        ++count_;
    }
    const std::size_t machine = row_next_++;
    if (row_next_ >= row_machines_) pending_.reset();
    if (!wants(SampleSource::log) || machine >= row_machines_) return false;
    diagnostics.enter_sample(count_ - 1);
    logs_->build(sample, machine, count_ - 1, diagnostics);
    return true;
}

/// What was found, and what is added from now on, belongs to the sample at hand.
void SampleReader::enter(Found found, Diagnostics& diagnostics) const {
    diagnostics.enter_sample(count_);
    diagnostics.assign_sample(found.first, found.end, count_);
}

/// Opens the next block that can be opened.
bool SampleReader::fetch(Diagnostics& diagnostics) {
    diagnostics.enter_sample(no_index);
    while (const auto record = source_.next(diagnostics)) {
        if (count_ == 0) count_ = static_cast<std::uint32_t>(source_.skipped_samples());
        switch (record->kind) {
            case Record::Kind::titles:
                if (taken_titles_ != nullptr) add_titles(*taken_titles_, *record, limits_, diagnostics);
                break;
            case Record::Kind::provenance:
                if (provenance_heard_) provenance_heard_(*record);
                break;
            case Record::Kind::log_header:
            case Record::Kind::log_catalogue:
                logs_->take(*record, diagnostics);
                break;
            case Record::Kind::log_trailer:
                break;
            case Record::Kind::log_row:
                open_row(*record, diagnostics);
                return true;
            case Record::Kind::v2_registration:
                add_registration(*record, diagnostics);
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

bool SampleReader::open_block(const Record& record, Diagnostics& diagnostics) {
    const SampleSource source = record.kind == Record::Kind::v1_block ? SampleSource::v1 : SampleSource::v2;
    Diagnostics unheard(0);
    Diagnostics& heard = wants(source) ? diagnostics : unheard;
    block_found_.first = diagnostics.kept().size();
    const auto opened =
        source == SampleSource::v1 ? block_.open(record.bytes, heard) : v2_block_.open(record.bytes, heard);
    if (!opened) {
        heard.add(Severity::error, opened.error());
        return false;
    }
    block_found_.end = diagnostics.kept().size();
    if (source == SampleSource::v2) machine_ = record.machine;
    whole_sample_ = record.whole_sample;
    pending_ = source;
    return true;
}

/// One that gives nothing counts too, as it does in captures.
void SampleReader::open_row(const Record& record, Diagnostics& diagnostics) {
    Diagnostics unheard(0);
    block_found_.first = diagnostics.kept().size();
    row_machines_ = logs_->open(record, wants(SampleSource::log) ? diagnostics : unheard);
    block_found_.end = diagnostics.kept().size();
    row_next_ = 0;
    pending_ = SampleSource::log;
}

void SampleReader::keep_query(const Record& record, Diagnostics& diagnostics) {
    if (!wants(SampleSource::v2)) return;
    query_found_.first = diagnostics.kept().size();
    if (const auto kept = queries_->keep(record, diagnostics); !kept) diagnostics.add(Severity::error, kept.error());
    query_found_.end = diagnostics.kept().size();
}

void SampleReader::add_registration(const Record& record, Diagnostics& diagnostics) {
    const Countersets::Answer answer{record.counterset,  static_cast<v2::RegistrationRequest>(record.request),
                                     record.machine,     record.language,
                                     record.title_index, record.bytes};
    countersets_->add(answer, limits_, diagnostics);
}

}  // namespace hkpd
