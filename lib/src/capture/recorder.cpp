
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"
#include "sample/grouping.hpp"

namespace hkpd {

namespace {

constexpr std::string_view log_event = "performance log event";

/// Nanoseconds since 1970: by SystemTime, or where that is no moment by PerfTime100nSec, which counts from 1601.
std::optional<std::uint64_t> time_of(const SystemTime& time, std::int64_t perf_time_100ns) {
    // Times before 1970 have no place in the container.
    if (time.valid()) return static_cast<std::uint64_t>(std::max<std::int64_t>(0, unix_time(time)));
    const auto moment = unix_nanoseconds(perf_time_100ns);
    return moment && *moment > 0 ? std::optional(static_cast<std::uint64_t>(*moment)) : std::nullopt;
}

/// A chunk holds at least one record, and readers take chunks up to their limit only.
bool fits(const Record& record, std::string_view structure, std::string_view field, const FaultSink& faults) {
    constexpr std::uint64_t chunk_overhead = std::uint64_t{65} << 20U;  // what may stand in front of it in its chunk
    const std::uint64_t most = Limits{}.chunk - chunk_overhead;
    if (record.bytes.size() <= most) return true;
    faults.add(Severity::error, {Errc::byte_limit, record.bytes.offset(), structure, field, record.bytes.size(), most});
    return false;
}

}  // namespace

class Recorder::State {
  public:
    explicit State(CaptureWriter& writer) : writer_(writer) {}

    void add_titles(TitleFile file) { titles_.push_back(std::move(file)); }
    void set_provenance(CaptureWriter::Metadata entries) { provenance_ = std::move(entries); }
    void add(const Record& record, const FaultSink& faults);
    void finish();
    std::uint64_t samples() const noexcept { return samples_; }
    std::uint64_t blocks() const noexcept { return blocks_; }

  private:
    /// What collecting took so far, through one door.
    struct Cost {
        std::uint64_t samples = 0, bytes = 0, nanoseconds = 0;
    };
    using Costs = std::array<Cost, sample_sources>;  // by door
    /// A title database or registration with all that it points at.
    struct Reference {
        Record record;
        std::vector<std::byte> bytes;
        std::string machine, name, language;
    };
    void add_reference(const Record& record);
    void write_waiting(std::uint64_t time);
    void add_v1(const Record& record, const FaultSink& faults);
    void add_v2(const Record& record, const FaultSink& faults);
    void add_row(const Record& record, const FaultSink& faults);
    void add_block(const Record& record, SampleSource source, bool begins);
    void begin_machine(std::uint64_t time);
    void end_sample();
    void write_costs();

    CaptureWriter& writer_;
    std::vector<TitleFile> titles_;
    CaptureWriter::Metadata provenance_;
    std::map<std::string, Costs> machines_;  // those whose blocks have come
    SampleBoundary boundary_;
    KeptQueries queries_{Limits{}};
    v1::Block block_;
    v2::DataBlock v2_block_;
    std::string machine_;             // of the current block
    std::vector<Reference> waiting_;  // for a block that tells the time, as they have none of their own
    std::size_t waiting_size_ = 0;
    std::uint64_t time_ = 0;  // of the last block that told it
    std::uint64_t samples_ = 0, blocks_ = 0;
    bool begun_ = false;
};

Recorder::Recorder(CaptureWriter& writer) : state_(std::make_unique<State>(writer)) {}
Recorder::~Recorder() = default;

void Recorder::add_titles(TitleFile file) { state_->add_titles(std::move(file)); }

void Recorder::set_provenance(std::map<std::string, std::string> entries) {
    state_->set_provenance(std::move(entries));
}

void Recorder::add(const Record& record, const FaultSink& faults) { state_->add(record, faults); }

void Recorder::finish() { state_->finish(); }

std::uint64_t Recorder::samples() const noexcept { return state_->samples(); }

std::uint64_t Recorder::blocks() const noexcept { return state_->blocks(); }

void Recorder::State::add(const Record& record, const FaultSink& faults) {
    const FaultSink discarded;  // what is wrong inside a record is for whoever reads the capture
    switch (record.kind) {
        case Record::Kind::provenance:
            return writer_.add_metadata(record.name, *record.entries);
        case Record::Kind::titles:
            if (fits(record, "title table", "", faults)) add_reference(record);
            return;
        case Record::Kind::v2_registration:
            if (fits(record, "PERF_COUNTERSET_REG_INFO", "", faults)) add_reference(record);
            return;
        case Record::Kind::log_header:
        case Record::Kind::log_catalogue:
        case Record::Kind::log_trailer:
            if (fits(record, log_event, "", faults)) add_reference(record);
            return;
        case Record::Kind::log_row:
            return add_row(record, faults);
        case Record::Kind::v1_block:
            return add_v1(record, faults);
        case Record::Kind::v2_identifiers:
            if (const auto kept = queries_.keep(record, discarded); !kept) faults.add(Severity::error, kept.error());
            return;
        case Record::Kind::v2_block:
            return add_v2(record, faults);
    }
}

/// What comes from a file of its own has no time; with none at all the capture would seem to begin in 1970.
void Recorder::State::add_reference(const Record& record) {
    constexpr std::size_t most_waiting = std::size_t{64} << 20U;
    const std::uint64_t time = record.time.value_or(time_);
    if (time != 0 || waiting_size_ + record.bytes.size() > most_waiting) {
        write_waiting(time);  // the order stays
        Record reference = record;
        reference.time = time;
        return writer_.add_reference(reference);
    }
    waiting_size_ += record.bytes.size();
    const auto bytes = record.bytes.span();
    waiting_.push_back({record,
                        {bytes.begin(), bytes.end()},
                        std::string(record.machine),
                        std::string(record.name),
                        std::string(record.language)});
}

void Recorder::State::write_waiting(std::uint64_t time) {
    for (const Reference& kept : std::exchange(waiting_, {})) {
        Record reference = kept.record;
        reference.bytes = Bytes(kept.bytes);
        reference.machine = kept.machine;
        reference.name = kept.name;
        reference.language = kept.language;
        reference.time = time;
        writer_.add_reference(reference);
    }
    waiting_size_ = 0;
}

void Recorder::State::add_v1(const Record& record, const FaultSink& faults) {
    if (!fits(record, "PERF_DATA_BLOCK", "TotalByteLength", faults)) return;
    const FaultSink discarded;
    if (const auto opened = block_.open(record.bytes, discarded); !opened)
        return faults.add(Severity::error, opened.error());
    if (const std::uint64_t end = block_.bytes().size();
        end < record.bytes.size())  // readers open its first block only
        faults.add(Severity::warning, {Errc::leftover_bytes, record.bytes.offset() + end, "PERF_DATA_BLOCK", "", 0,
                                       record.bytes.size() - end});
    if (begun_ && boundary_.crossed_by(block_)) end_sample();
    const bool begins = !std::exchange(begun_, true);
    if (begins)
        boundary_.begin(block_);
    else
        boundary_.add(block_);
    assign_machine(machine_, block_);
    if (const auto time = time_of(block_.header().SystemTime, block_.header().PerfTime100nSec)) time_ = *time;
    add_block(record, SampleSource::v1, begins);
    if (record.whole_sample) end_sample();
}

void Recorder::State::add_v2(const Record& record, const FaultSink& faults) {
    if (!fits(record, "PERF_DATA_HEADER", "dwTotalSize", faults)) return;
    const FaultSink discarded;
    if (const auto opened = v2_block_.open(record.bytes, discarded); !opened)
        return faults.add(Severity::error, opened.error());
    if (begun_) end_sample();
    begun_ = true;
    machine_ = record.machine;
    if (const auto time = time_of(v2_block_.header().SystemTime, v2_block_.header().PerfTime100NSec)) time_ = *time;
    add_block(record, SampleSource::v2, true);
    end_sample();
}

/// A row is a sample of all machines that its log is of.
void Recorder::State::add_row(const Record& record, const FaultSink& faults) {
    if (!fits(record, log_event, "", faults)) return;
    if (begun_) end_sample();
    begun_ = true;
    machine_ = record.machine;
    if (record.time) time_ = *record.time;
    add_block(record, SampleSource::log, true);
    end_sample();
}

/// A block of the machine and the time at hand.
void Recorder::State::add_block(const Record& record, SampleSource source, bool begins) {
    write_waiting(time_);
    const auto [machine, is_new] = machines_.try_emplace(machine_);
    if (is_new) begin_machine(time_);
    if (record.cost) {
        Cost& cost = machine->second[std::to_underlying(source)];
        cost.samples += begins ? 1 : 0;
        cost.bytes += record.bytes.size();
        cost.nanoseconds += *record.cost;
    }
    Record block = record;
    block.machine = machine_;
    block.time = time_;
    if (const auto* const query = source == SampleSource::v2 ? queries_.find(machine_) : nullptr) {
        Record identifiers = block;
        identifiers.kind = Record::Kind::v2_identifiers;
        identifiers.bytes = Bytes(query->bytes);
        writer_.add_block(identifiers);
    }
    writer_.add_block(block);
    ++blocks_;
}

/// Titles and provenance stand before the first block of a machine.
void Recorder::State::begin_machine(std::uint64_t time) {
    if (!provenance_.empty()) {
        CaptureWriter::Metadata entries = provenance_;
        entries["machine"] = machine_;
        writer_.add_metadata("hkpd", entries);
    }
    for (const TitleFile& file : titles_) {
        Record titles{Record::Kind::titles, Bytes(std::as_bytes(std::span(file.content)))};
        titles.machine = machine_;
        titles.name = file.name;
        titles.language = file.language;
        titles.time = time;
        writer_.add_reference(titles);
    }
}

void Recorder::State::end_sample() {
    writer_.end_sample();
    ++samples_;
    begun_ = false;
}

void Recorder::State::write_costs() {
    for (auto& [machine, costs] : machines_) {
        CaptureWriter::Metadata entries;
        for (const SampleSource source : {SampleSource::v1, SampleSource::v2}) {
            const Cost cost = std::exchange(costs[std::to_underlying(source)], {});
            if (cost.samples == 0) continue;
            const std::string name(source_name(source));
            entries[name + "_samples"] = std::to_string(cost.samples);
            entries[name + "_bytes"] = std::to_string(cost.bytes);
            entries[name + "_nanoseconds"] = std::to_string(cost.nanoseconds);
        }
        if (entries.empty()) continue;
        entries["machine"] = machine;
        writer_.add_metadata("collection", entries);
    }
}

void Recorder::State::finish() {
    write_waiting(time_);
    if (begun_) end_sample();
    write_costs();
}

}  // namespace hkpd
