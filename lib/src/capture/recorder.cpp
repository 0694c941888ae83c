#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

#include "base/path.hpp"
#include "capture/range_chunks.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/sample.hpp"
#include "sample/grouping.hpp"

namespace hkpd {

namespace {

/// Returns the names of a record's structure and of its length field, for faults.
std::pair<std::string_view, std::string_view> length_of(Record::Kind kind) noexcept {
    if (kind == Record::Kind::v1_block) return {"PERF_DATA_BLOCK", "TotalByteLength"};
    if (kind == Record::Kind::v2_block) return {"PERF_DATA_HEADER", "dwTotalSize"};
    if (kind == Record::Kind::v2_registration) return {"PERF_COUNTERSET_REG_INFO", ""};
    return {kind == Record::Kind::titles ? "title table" : "performance log event", ""};
}

/// Returns whether a chunk with this record stays within the chunk size that readers accept by default. If not, reports
/// the record.
bool fits(const Record& record, const FaultSink& faults) {
    // Bytes reserved for what can precede the record in its chunk: channels and other records.
    constexpr std::uint64_t chunk_overhead = std::uint64_t{65} << 20U;
    const std::uint64_t most = Limits{}.chunk - chunk_overhead;
    if (record.bytes.size() <= most) return true;
    const auto [structure, field] = length_of(record.kind);
    faults.add({Errc::byte_limit, record.bytes.offset(), structure, field, most, record.bytes.size()});
    return false;
}

}  // namespace

class Recorder::State {
  public:
    /// Cost of collecting from one source so far.
    struct Cost {
        std::uint64_t samples = 0, bytes = 0, nanoseconds = 0;
    };
    using Costs = std::array<Cost, sample_sources>;
    /// A record that describes data, such as titles or a registration, while it waits to be written. Has copies of the
    /// bytes and texts to which `record` refers.
    struct Reference {
        Record record;
        std::vector<std::byte> bytes;
        std::string machine, name, language;
    };
    explicit State(CaptureWriter& to) : writer(to) {}

    /// Writes a reference (such as titles). A reference from a file has no time of its own and gets the time of the
    /// latest block. Before the first block with a valid time, such references are kept, because time 0 would mean
    /// 1970. If more than `most_waiting` bytes would be kept, writes the kept references and this one with time 0.
    void add_reference(const Record& record) {
        constexpr std::size_t most_waiting = std::size_t{64} << 20U;
        const std::uint64_t at = record.time.value_or(time);
        if (at != 0 || waiting_size + record.bytes.size() > most_waiting) {
            write_waiting(at);  // earlier references precede this one
            Record reference = record;
            reference.time = at;
            return writer.add_reference(reference);
        }
        waiting_size += record.bytes.size();
        const auto bytes = record.bytes.span();
        waiting.push_back({record,
                           {bytes.begin(), bytes.end()},
                           std::string(record.machine),
                           std::string(record.name),
                           std::string(record.language)});
    }

    void write_waiting(std::uint64_t at) {
        for (const Reference& kept : std::exchange(waiting, {})) {
            Record reference = kept.record;
            reference.bytes = Bytes(kept.bytes);
            reference.machine = kept.machine;
            reference.name = kept.name;
            reference.language = kept.language;
            reference.time = at;
            writer.add_reference(reference);
        }
        waiting_size = 0;
    }

    void add_v1(const Record& record, const FaultSink& faults) {
        if (const auto opened = v1_block.open(record.bytes, {}); !opened)
            return faults.add(Severity::error, opened.error());
        if (const std::uint64_t end = v1_block.bytes().size();
            end < record.bytes.size())  // readers open only the first block of the record
            faults.add(Severity::warning, {Errc::leftover_bytes, record.bytes.offset() + end, "PERF_DATA_BLOCK", "", 0,
                                           record.bytes.size() - end});
        if (begun && boundary.crossed_by(v1_block)) end_sample();
        const bool begins = !std::exchange(begun, true);
        if (begins)
            boundary.begin(v1_block);
        else
            boundary.add(v1_block);
        assign_machine(machine, v1_block);
        time = time_of_block(v1_block.header().SystemTime, v1_block.header().PerfTime100nSec).value_or(time);
        add_block(record, SampleSource::v1, begins);
        if (record.whole_sample) end_sample();
    }

    void add_v2(const Record& record, const FaultSink& faults) {
        if (const auto opened = v2_block.open(record.bytes, {}); !opened)
            return faults.add(Severity::error, opened.error());
        add_alone(record, SampleSource::v2,
                  time_of_block(v2_block.header().SystemTime, v2_block.header().PerfTime100NSec));
    }

    /// Adds a record that is a sample by itself.
    void add_alone(const Record& record, SampleSource source, std::optional<std::uint64_t> at) {
        if (begun) end_sample();
        begun = true;
        machine = record.machine;
        time = at.value_or(time);
        add_block(record, source, true);
        end_sample();
    }

    /// Writes a block with the current machine and time. Before it, writes the references that were kept until a time
    /// is known, the provenance and titles if this is the machine's first block, and the identifiers of the query for a
    /// V2 block.
    void add_block(const Record& record, SampleSource source, bool begins) {
        write_waiting(time);
        const auto [entry, is_new] = machines.try_emplace(machine);
        if (is_new) begin_machine();
        if (record.cost) {
            Cost& cost = entry->second[std::to_underlying(source)];
            cost.samples += begins ? 1 : 0;
            cost.bytes += record.bytes.size();
            cost.nanoseconds += *record.cost;
        }
        Record block = record;
        block.machine = machine;
        block.time = time;
        if (const auto* const query = source == SampleSource::v2 ? queries.find(machine) : nullptr) {
            Record identifiers = block;
            identifiers.kind = Record::Kind::v2_identifiers;
            identifiers.bytes = Bytes(query->bytes);
            writer.add_block(identifiers);
        }
        writer.add_block(block);
        ++blocks;
    }

    /// Writes the provenance and titles of the current machine, which precede the machine's first block.
    void begin_machine() {
        if (!provenance.empty()) {
            CaptureWriter::Metadata entries = provenance;
            entries["machine"] = machine;
            writer.add_metadata("hkpd", entries);
        }
        for (const TitleFile& file : titles) {
            Record table{Record::Kind::titles, Bytes(std::as_bytes(std::span(file.content)))};
            table.machine = machine;
            table.name = file.name;
            table.language = file.language;
            table.time = time;
            writer.add_reference(table);
        }
    }

    void end_sample() {
        writer.end_sample();
        ++samples;
        begun = false;
    }

    void write_costs() {
        for (auto& [name_of_machine, costs] : machines) {
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
            entries["machine"] = name_of_machine;
            writer.add_metadata("collection", entries);
        }
    }

    CaptureWriter& writer;
    std::vector<TitleFile> titles;
    CaptureWriter::Metadata provenance;
    std::map<std::string, Costs> machines;  // machines that have had blocks, and their costs
    SampleBoundary boundary;
    KeptQueries queries{Limits{}};
    v1::Block v1_block;
    v2::DataBlock v2_block;
    std::string machine;             // machine of the current block
    std::vector<Reference> waiting;  // references without a time, kept until a block states one
    std::size_t waiting_size = 0;
    std::uint64_t time = 0;  // time of the last block that stated a valid one; 0 before such a block
    std::uint64_t samples = 0, blocks = 0;
    bool begun = false;
};

Recorder::Recorder(CaptureWriter& writer) : state_(std::make_unique<State>(writer)) {}
Recorder::~Recorder() = default;

void Recorder::add_titles(TitleFile file) { state_->titles.push_back(std::move(file)); }

void Recorder::set_provenance(std::map<std::string, std::string> entries) { state_->provenance = std::move(entries); }

std::uint64_t Recorder::samples() const noexcept { return state_->samples; }

std::uint64_t Recorder::blocks() const noexcept { return state_->blocks; }

void Recorder::add(const Record& record, const FaultSink& faults) {
    State& state = *state_;
    using enum Record::Kind;
    if (record.kind == provenance) return state.writer.add_metadata(record.name, *record.entries);
    // The recorder does not report faults inside a record, because the reader of the capture does.
    if (record.kind == v2_identifiers) {
        if (const auto kept = state.queries.keep(record, {}); !kept) faults.add(Severity::error, kept.error());
        return;
    }
    if (!fits(record, faults)) return;
    if (record.kind == v1_block) return state.add_v1(record, faults);
    if (record.kind == v2_block) return state.add_v2(record, faults);
    // A row has the counters of all machines of its log at one time. It is therefore recorded as one sample.
    if (record.kind == log_row) return state.add_alone(record, SampleSource::log, record.time);
    state.add_reference(record);
}

void Recorder::finish() {
    state_->write_waiting(state_->time);
    if (state_->begun) state_->end_sample();
    state_->write_costs();
}

struct CaptureFile::State {
    State(const std::string& path, const CaptureOptions& options)
        : file(path_of(path), std::ios::binary | std::ios::trunc),
          writer([this](std::span<const std::byte> bytes) { return write(bytes); }, options),
          recorder(writer) {}

    bool write(std::span<const std::byte> bytes) {
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())).flush();
        if (!file && error == 0) error = errno;
        return file.good();
    }
    Error failure() const noexcept { return {Errc::cannot_write, 0, "", "", 0, static_cast<std::uint64_t>(error)}; }

    int error = 0;
    std::ofstream file;
    CaptureWriter writer;
    Recorder recorder;
};

CaptureFile::CaptureFile(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
CaptureFile::CaptureFile(CaptureFile&&) noexcept = default;
CaptureFile& CaptureFile::operator=(CaptureFile&&) noexcept = default;
CaptureFile::~CaptureFile() = default;

std::expected<CaptureFile, Error> CaptureFile::create(const std::string& path, const CaptureOptions& options) {
    errno = 0;
    auto state = std::make_unique<State>(path, options);
    if (state->error == 0 && !state->file) state->error = errno;
    if (!state->file) return std::unexpected(state->failure());
    return CaptureFile(std::move(state));
}

void CaptureFile::add(const Record& record, const FaultSink& faults) { state_->recorder.add(record, faults); }

Recorder& CaptureFile::recorder() noexcept { return state_->recorder; }

std::expected<void, Error> CaptureFile::finish() {
    state_->recorder.finish();
    state_->writer.finish();
    state_->file.close();
    if (!state_->writer.good() || !state_->file) return std::unexpected(state_->failure());
    return {};
}

}  // namespace hkpd
