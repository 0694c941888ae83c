#include "source/replay.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "sample/identity.hpp"
#include "source/sample_reader.hpp"

namespace hkpd {
namespace {

// Where the machine and the time stand: PERF_DATA_BLOCK (winperf.h), PERF_DATA_HEADER (perflib.h).
constexpr std::uint64_t v1_name_at = 80, v1_time_at = 36, v2_time_at = 32;

/// Where the machine stands in a sample's first block.
Error place_of_machine(SampleSource source) noexcept {
    if (source == SampleSource::v1) return {Errc::machine_changed, v1_name_at, "PERF_DATA_BLOCK", "SystemName", 0, 0};
    return {Errc::machine_changed, 0, "PERF_DATA_HEADER", "", 0, 0};
}

/// Where the time stands in a sample's first block.
Error place_of_time(SampleSource source) noexcept {
    if (source == SampleSource::v1) return {Errc::time_order, v1_time_at, "PERF_DATA_BLOCK", "SystemTime", 0, 0};
    if (source == SampleSource::v2) return {Errc::time_order, v2_time_at, "PERF_DATA_HEADER", "SystemTime", 0, 0};
    return {Errc::time_order, 0, "log row", "", 0, 0};
}

}  // namespace

std::uint32_t Replay::number() const noexcept { return reader_.count() - 1; }

Cooker& Replay::cooker() {
    if (stream_ == nullptr) {
        stream_ = &alone_;
        alone_.cooker.begin(nullptr, sample_);
    }
    return stream_->cooker;
}

bool Replay::next(Diagnostics& diagnostics) {
    keep();
    while (reader_.next(sample_, diagnostics)) {
        if (number() > options_.range.last) break;
        if (!wanted()) continue;
        if (!options_.compare) return true;
        Machine& machine = machine_of(diagnostics);
        if (options_.one_source && sample_.source != machine.first) {
            ++left_out_;
            continue;
        }
        auto& stream = machine.streams[std::to_underlying(sample_.source)];
        if (!stream) stream = std::make_unique<Stream>(options_.cook);
        stream_ = stream.get();
        check_time(diagnostics);
        stream_->time = unix_time(sample_);
        if (stream_->count++ % options_.every != 0) {
            stream_ = nullptr;
            continue;
        }
        stream_->cooker.begin(stream_->has_before ? &stream_->before : nullptr, sample_);
        check_types(diagnostics);
        return true;
    }
    if (const std::uint64_t count = std::exchange(left_out_, 0); count != 0)
        diagnostics.add({Severity::note, {Errc::other_source, 0, "", "", 0, count}});
    return false;
}

/// Makes the current sample the one before it in its stream, where samples are compared.
void Replay::keep() {
    Stream* const stream = std::exchange(stream_, nullptr);
    if (stream == nullptr || !options_.compare) return;
    std::swap(stream->before, sample_);
    stream->has_before = true;
}

bool Replay::wanted() const {
    if (!options_.range.holds_number(number())) return false;
    if (!options_.range.has_time()) return true;
    const auto time = unix_time(sample_);
    return time && options_.range.holds_time(*time);
}

/// Reports a fault of the current sample; the reader may be a block ahead already, in another file.
void Replay::report(Error error, std::uint32_t object, Diagnostics& diagnostics) const {
    error.offset += sample_.origin.offset;
    diagnostics.add(
        {Severity::warning, error, object, no_index, {sample_.origin.input, sample_.origin.record, number()}});
}

Replay::Machine& Replay::machine_of(Diagnostics& diagnostics) {
    // One whose name is damaged is none of the others. A V2 block alone does not tell its machine: that is no change.
    key_.clear();
    const bool named = sample_.machine && !sample_.machine->empty();
    if (sample_.source != SampleSource::v2 || named) key_ = sample_.machine ? '=' : '?';
    if (sample_.machine) key_ += *sample_.machine;
    if (const auto found = machines_.find(key_); found != machines_.end()) return found->second;
    // A log says of which machines it is, and may be of several.
    if (!key_.empty() && machines_.size() > machines_.count({}) && sample_.source != SampleSource::log)
        report(place_of_machine(sample_.source), no_index, diagnostics);
    // Beyond the limit all are forgotten: what comes is then cooked against nothing. Logs may be of a whole site.
    constexpr std::uint32_t most_of_logs = 4096;
    const std::uint32_t most = reader_.limits().machines;
    if (machines_.size() >= (sample_.source == SampleSource::log ? std::max(most, most_of_logs) : most))
        machines_.clear();
    return machines_.emplace(key_, Machine{sample_.source, {}}).first->second;
}

void Replay::check_time(Diagnostics& diagnostics) const {
    const auto now = unix_time(sample_);
    if (!now || !stream_->time || *now >= *stream_->time) return;
    constexpr std::int64_t millisecond = 1'000'000;
    Error older = place_of_time(sample_.source);
    older.need = static_cast<std::uint64_t>(*stream_->time / millisecond);
    older.have = static_cast<std::uint64_t>(*now / millisecond);
    report(older, no_index, diagnostics);
}

void Replay::check_types(Diagnostics& diagnostics) const {
    if (!stream_->has_before) return;
    const Matcher& matches = stream_->cooker.matches();
    for (std::size_t i = 0; i < sample_.objects().size(); ++i) {
        const std::uint32_t old = matches.object(i);
        if (old == no_index) continue;
        const Object& object = sample_.objects()[i];
        for (std::size_t c = 0; c < object.columns.size(); ++c) {
            const std::uint32_t place = matches.columns(i)[c];
            if (place == no_index) continue;
            const std::uint32_t was = stream_->before.objects()[old].columns[place].type;
            if (was != object.columns[c].type)
                report({Errc::counter_type_changed, 0, "", "", was, object.columns[c].type}, object.title_index,
                       diagnostics);
        }
    }
}

}  // namespace hkpd
