#include "source/sample_reader.hpp"

#include <algorithm>

#include "hkpd/overview.hpp"
#include "hkpd/source.hpp"
#include "names/local_titles.hpp"

namespace hkpd {

void add_titles(Titles& titles, const Record& record, const Limits& limits, const FaultSink& faults) {
    if (record.bytes.size() > 2 * limits.title_bytes)  // the limit is for UTF-8; UTF-16 can have twice the bytes
        return faults.add({Errc::byte_limit, 0, "title table", "", 2 * limits.title_bytes, record.bytes.size()});
    auto tables = parse_titles(record.bytes, record.name, faults);
    if (!tables) return faults.add(Severity::error, tables.error());
    for (TitleTable& table : *tables) {
        table.set_machine(record.machine);
        if (table.language().empty()) table.set_language(record.language);
        // A capture merged from others may contain the same titles many times.
        if (titles.contains(table)) continue;
        const std::uint64_t bytes = titles.bytes_with(table);
        if (titles.tables().size() >= limits.tables)
            return faults.add({Errc::title_tables, 0, "", "", 0, limits.tables});
        if (bytes > limits.title_bytes)
            return faults.add({Errc::byte_limit, 0, "title table", "", limits.title_bytes, bytes});
        add_translation(titles, table);
        titles.add(std::move(table));
    }
}

void SampleReader::Waiting::begin(const Record& record, Diagnostics& diagnostics) {
    begin_valid(record, diagnostics);
    faults = diagnostics.empty_copy();
}

void SampleReader::Waiting::begin_valid(const Record& record, Diagnostics& diagnostics) {
    end(diagnostics, no_index);
    place = record.place;
}

Place SampleReader::Waiting::end(Diagnostics& diagnostics, std::uint32_t sample) {
    place.sample = sample;
    diagnostics.take(faults, place);
    return place;
}

bool SampleReader::next(Sample& sample, Diagnostics& diagnostics) {
    if (sample.memory().run != run_) sample.memory().run = run_;
    while (pending_ || fetch(diagnostics)) {
        begin_next();
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

/// Counts what was passed over before the sample that is pending, and notes its input.
void SampleReader::begin_next() {
    count_ += static_cast<std::uint32_t>(std::exchange(passed_, 0));
    if (std::exchange(uncounted_, false)) counted_ = false;
    if (block_waiting_.place.input == input_) return;
    input_ = block_waiting_.place.input;
    first_ = count_;
    first_counted_ = counted_;
}

std::uint32_t SampleReader::count_passed() {
    if (std::exchange(counted_, true)) return 0;
    const auto passed = static_cast<std::uint32_t>(source_.count_passed());
    count_ += passed;
    if (!std::exchange(first_counted_, true)) first_ += passed;
    return passed;
}

void SampleReader::seek(const Range& range) {
    if (range.has_numbers()) count_passed();
    source_.seek(range, input_, first_);
}

/// Builds a V1 sample from its blocks; returns false if the sample is skipped.
bool SampleReader::take_v1(Sample& sample, Diagnostics& diagnostics) {
    const bool wanted = selects(SampleSource::v1);
    boundary_.begin(*block_);
    FaultSink faults(diagnostics, block_waiting_.end(diagnostics, count_));
    if (wanted) builder_.begin(sample, *block_, faults);
    while (true) {
        if (wanted) builder_.add(sample, *block_, faults);
        pending_.reset();
        if (whole_sample_ || !fetch(diagnostics) || pending_ != SampleSource::v1 || boundary_.crossed_by(*block_))
            break;
        boundary_.add(*block_);
        faults = faults.at(block_waiting_.end(diagnostics, count_));
    }
    if (wanted) builder_.finish(sample, count_, faults);
    return wanted;
}

bool SampleReader::take_v2(Sample& sample, Diagnostics& diagnostics) {
    pending_.reset();
    if (!selects(SampleSource::v2)) return false;
    query_waiting_.end(diagnostics, count_);
    const FaultSink faults(diagnostics, block_waiting_.end(diagnostics, count_));
    const KeptQueries::Query* const query = queries_.find(machine_);
    v2_builder_->build(sample, v2_block_, query == nullptr ? nullptr : &query->identifiers, machine_, faults);
    return true;
}

/// Builds the sample of the next machine in the log row. Returns false if the sample is skipped. A row can have several
/// machines, and thus several samples, but all samples of a row have the same sample number.
bool SampleReader::take_row(Sample& sample, Diagnostics& diagnostics) {
    if (row_next_ == 0) block_waiting_.end(diagnostics, count_++);
    const std::size_t machine = row_next_++;
    if (row_next_ >= row_machines_) pending_.reset();
    if (!selects(SampleSource::log) || machine >= row_machines_) return false;
    logs_.build(sample, machine, count_ - 1, FaultSink(diagnostics, block_waiting_.place));
    return true;
}

/// Returns the next record of the source. Faults of rows that were found on the way get the number of the sample that
/// the next row has: a row that is lost has none of its own.
std::optional<Record> SampleReader::next_record(Diagnostics& diagnostics) {
    const Diagnostics::Mark before = diagnostics.mark();
    auto record = source_.next(diagnostics);
    std::uint64_t sample = count_ + passed_;
    if (record && record->passed != Record::uncounted) sample += record->passed;
    diagnostics.number_rows_since(before, static_cast<std::uint32_t>(sample));
    return record;
}

/// Opens the next block or row that can be opened, and handles the records before it; returns false at the end.
bool SampleReader::fetch(Diagnostics& diagnostics) {
    while (const auto record = next_record(diagnostics)) {
        const FaultSink faults(diagnostics, record->place);
        if (record->passed == Record::uncounted)
            uncounted_ = true;
        else
            passed_ += record->passed;
        switch (record->kind) {
            case Record::Kind::titles:
                if (taken_titles_ != nullptr) add_titles(*taken_titles_, *record, limits_, faults);
                break;
            case Record::Kind::provenance:
                if (provenance_) provenance_(*record);
                break;
            case Record::Kind::log_catalogue:
                note_text_log(*record);
                [[fallthrough]];
            case Record::Kind::log_header:
                logs_.take(*record, faults);
                break;
            case Record::Kind::log_trailer:
                break;
            case Record::Kind::log_row:
                open_row(*record, diagnostics);
                return true;
            case Record::Kind::v2_registration:
                countersets_->add({record->counterset, static_cast<v2::RegistrationRequest>(record->request),
                                   record->machine, record->language, record->title_index, record->bytes},
                                  limits_, faults);
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

/// Notes the catalogue of a text log, which is at the beginning of the log.
void SampleReader::note_text_log(const Record& catalogue) {
    constexpr std::size_t most = 1000;
    if (catalogue.format == InputKind::text_log && text_logs_.size() < most)
        text_logs_.push_back({catalogue.place.input, catalogue.bytes.offset(),
                              catalogue.zone == nullptr || catalogue.zone->is_stated()});
}

/// Begins a block or row. Returns the sink that holds the faults of this block or row until the number of its sample is
/// known. If `source` is not requested, the sink discards all faults.
FaultSink SampleReader::begin_sample(const Record& record, SampleSource source, Diagnostics& diagnostics) {
    block_waiting_.begin(record, diagnostics);
    return selects(source) ? FaultSink(block_waiting_.faults) : FaultSink();
}

bool SampleReader::open_block(const Record& record, Diagnostics& diagnostics) {
    const SampleSource source = record.kind == Record::Kind::v1_block ? SampleSource::v1 : SampleSource::v2;
    whole_sample_ = record.whole_sample;
    if (record.opened != nullptr) {
        block_waiting_.begin_valid(record, diagnostics);
        block_ = record.opened;
        pending_ = source;
        return true;
    }
    block_ = &own_block_;
    const FaultSink faults = begin_sample(record, source, diagnostics);
    const auto opened =
        source == SampleSource::v1 ? own_block_.open(record.bytes, faults) : v2_block_.open(record.bytes, faults);
    if (!opened) {
        faults.add(Severity::error, opened.error());
        block_waiting_.end(diagnostics, no_index);
        return false;
    }
    if (source == SampleSource::v2) machine_ = record.machine;
    pending_ = source;
    return true;
}

/// Opens a row of a performance log. A row without values still counts as a sample, because a capture also counts each
/// of its log rows as one sample.
void SampleReader::open_row(const Record& record, Diagnostics& diagnostics) {
    row_machines_ = logs_.open(record, begin_sample(record, SampleSource::log, diagnostics));
    row_next_ = 0;
    pending_ = SampleSource::log;
}

void SampleReader::keep_query(const Record& record, Diagnostics& diagnostics) {
    if (!selects(SampleSource::v2)) return;
    query_waiting_.begin(record, diagnostics);
    const FaultSink faults(query_waiting_.faults);
    if (const auto kept = queries_.keep(record, faults); !kept) faults.add(Severity::error, kept.error());
}

}  // namespace hkpd
