#include "hkpd/recorder.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "hkpd/sample.hpp"
#include "sample_boundary.hpp"

namespace hkpd {

namespace {

/// Nanoseconds since 1970: by SystemTime, or where that is no moment by PerfTime100nSec, which counts from 1601.
std::optional<std::uint64_t> time_of(const v1::DataBlock& header) {
    // Times before 1970 have no place in the container.
    if (header.SystemTime.valid())
        return static_cast<std::uint64_t>(std::max<std::int64_t>(0, unix_time(header.SystemTime)));
    constexpr std::int64_t since_1601 = 116'444'736'000'000'000, nanoseconds = 100;
    const std::int64_t ticks = header.PerfTime100nSec - std::min(header.PerfTime100nSec, since_1601);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / nanoseconds;
    if (ticks == 0 || ticks > most) return std::nullopt;
    return static_cast<std::uint64_t>(ticks * nanoseconds);
}

}  // namespace

Recorder::Recorder(CaptureWriter& writer) : writer_(writer), boundary_(std::make_unique<SampleBoundary>()) {}
Recorder::~Recorder() = default;

void Recorder::add(const Record& record, Diagnostics& diagnostics) {
    switch (record.kind) {
        case Record::Kind::provenance:
            writer_.add_metadata(record.name, *record.entries);
            break;
        case Record::Kind::titles:
            writer_.add_titles(record);
            break;
        case Record::Kind::v1_block:
            add_block(record, diagnostics);
            break;
    }
}

void Recorder::add_block(const Record& record, Diagnostics& diagnostics) {
    // A chunk holds at least one block, and readers take chunks up to their limit only.
    constexpr std::uint64_t chunk_overhead = std::uint64_t{65} << 20U;  // what may stand in front of it in its chunk
    const std::uint64_t most = Limits{}.chunk - chunk_overhead;
    if (record.bytes.size() > most) {
        diagnostics.add(Severity::error, {Errc::byte_limit, record.bytes.offset(), "PERF_DATA_BLOCK", "TotalByteLength",
                                          record.bytes.size(), most});
        return;
    }
    Diagnostics unheard(0);  // what is wrong inside a block is for whoever reads the capture
    if (const auto opened = block_.open(record.bytes, unheard); !opened) {
        diagnostics.add(Severity::error, opened.error());
        return;
    }
    if (begun_ && boundary_->crossed_by(block_)) finish();
    if (begun_)
        boundary_->add(block_);
    else
        boundary_->begin(block_);
    begun_ = true;
    assign_machine(machine_, block_);
    if (const auto time = time_of(block_.header())) time_ = *time;
    if (machines_.insert(machine_).second) begin_machine(time_);
    Record block = record;
    block.machine = machine_;
    block.time = time_;
    writer_.add_block(block);
    ++blocks_;
}

/// Titles and provenance stand before the first block of a machine.
void Recorder::begin_machine(std::uint64_t time) {
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
        writer_.add_titles(titles);
    }
}

void Recorder::finish() {
    if (!begun_) return;
    writer_.end_sample();
    ++samples_;
    begun_ = false;
}

}  // namespace hkpd
