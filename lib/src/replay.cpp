#include "hkpd/replay.hpp"

#include <utility>

namespace hkpd {
namespace {

// Places in PERF_DATA_BLOCK (winperf.h).
constexpr std::uint64_t system_time_at = 36, system_name_at = 80;

}  // namespace

bool Replay::next(Diagnostics& diagnostics) {
    keep();
    while (reader_.next(sample_, diagnostics)) {
        if (number() > options_.range.last) return false;
        if (!wanted(sample_, number())) continue;
        machine_ = &machine_of(diagnostics);
        check_time(diagnostics);
        machine_->time = unix_time(sample_);
        if (machine_->count++ % options_.every != 0) {
            machine_ = nullptr;
            continue;
        }
        machine_->cooker.begin(machine_->has_before ? &machine_->before : nullptr, sample_);
        check_types(diagnostics);
        return true;
    }
    return false;
}

/// What was at hand is from now on the sample before.
void Replay::keep() {
    if (machine_ == nullptr) return;
    std::swap(machine_->before, sample_);
    machine_->has_before = true;
    machine_ = nullptr;
}

bool Replay::wanted(const Sample& sample, std::uint32_t number) const {
    const Range& range = options_.range;
    if (!range.holds_number(number)) return false;
    if (!range.has_time()) return true;
    const auto time = unix_time(sample);
    return time && range.holds_time(*time);
}

/// The reader may be a block ahead already, in another file: what is said here is of the sample at hand.
void Replay::report(Error error, std::uint32_t object, Diagnostics& diagnostics) const {
    error.offset += sample_.origin.offset;
    diagnostics.add(
        {Severity::warning, error, object, no_index, number(), sample_.origin.input, sample_.origin.record});
}

Replay::Machine& Replay::machine_of(Diagnostics& diagnostics) {
    // One whose name is damaged is none of the others.
    key_ = sample_.machine ? '=' : '?';
    if (sample_.machine) key_ += *sample_.machine;
    if (const auto found = machines_.find(key_); found != machines_.end()) return found->second;
    if (!machines_.empty())
        report({Errc::machine_changed, system_name_at, "PERF_DATA_BLOCK", "SystemName", 0, 0}, no_index, diagnostics);
    // Beyond the limit all are forgotten: what comes is then cooked against nothing.
    if (machines_.size() >= reader_.limits().machines) machines_.clear();
    return machines_.emplace(key_, Machine(options_.cook)).first->second;
}

void Replay::check_time(Diagnostics& diagnostics) const {
    const auto now = unix_time(sample_);
    if (!now || !machine_->time || *now >= *machine_->time) return;
    constexpr std::int64_t millisecond = 1'000'000;
    report({Errc::time_order, system_time_at, "PERF_DATA_BLOCK", "SystemTime",
            static_cast<std::uint64_t>(*machine_->time / millisecond), static_cast<std::uint64_t>(*now / millisecond)},
           no_index, diagnostics);
}

void Replay::check_types(Diagnostics& diagnostics) const {
    if (!machine_->has_before) return;
    const Matcher& matches = machine_->cooker.matches();
    for (std::size_t i = 0; i < sample_.objects().size(); ++i) {
        const std::uint32_t old = matches.object(i);
        if (old == no_index) continue;
        const Object& object = sample_.objects()[i];
        for (std::size_t c = 0; c < object.columns.size(); ++c) {
            const std::uint32_t place = matches.columns(i)[c];
            if (place == no_index) continue;
            const std::uint32_t was = machine_->before.objects()[old].columns[place].type;
            if (was != object.columns[c].type)
                report({Errc::counter_type_changed, 0, "", "", was, object.columns[c].type}, object.title_index,
                       diagnostics);
        }
    }
}

}  // namespace hkpd
