#include "sample/build/log_builder.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text/names.hpp"
#include "base/time.hpp"
#include "blg/decode.hpp"
#include "hkpd/diagnostics.hpp"
#include "sample/build/log_objects.hpp"
#include "sample/build/log_registry.hpp"
#include "sample/build/v1_builder.hpp"
#include "sample/grouping.hpp"

namespace hkpd {

struct LogSampleBuilder::State {
    /// A sample of a row: blocks of one moment of a machine, and its raw counters.
    struct Part {
        std::string machine;
        std::vector<Bytes> blocks;
        SampleBoundary boundary;
        const LogMachine* raw = nullptr;
    };

    State(const Titles* titles, const Limits& given) : limits(given), blocks(titles, given) {}

    void add_blocks(const FaultSink& faults);
    void add_raw();
    Part& add_part(std::string_view machine);
    void check_records(const FaultSink& faults);
    void begin(Sample& sample, const Part& part) const;

    Limits limits;
    SampleBuilder blocks;
    KnownLogs logs{limits};
    LogObjects objects;
    // Stands for this builder in what it has built, and is no other's as long as that is there.
    std::shared_ptr<const void> self = std::make_shared<char>();
    // The current row.
    const KnownLog* log = nullptr;
    blg::Row row;
    std::optional<std::int64_t> time;  // UTC, nanoseconds since 1970
    std::optional<TimeZone> zone;
    bool fits = false;  // the catalogue: which counter is which can be told
    std::vector<Part> parts;
    std::size_t used_parts = 0;
    // By folded name: the part of the machine's next block, and the first one, which has its raw counters.
    std::map<std::string, std::pair<std::size_t, std::size_t>> of_machine;
    // For their memory.
    v1::Block block;
    std::string text;
};

LogSampleBuilder::LogSampleBuilder(const Titles* titles, const Limits& limits)
    : state_(std::make_unique<State>(titles, limits)) {}
LogSampleBuilder::~LogSampleBuilder() = default;

void LogSampleBuilder::take(const Record& record, const FaultSink& faults) { state_->logs.take(record, faults); }

std::size_t LogSampleBuilder::open(const Record& record, const FaultSink& faults) {
    State& s = *state_;
    s.used_parts = 0;
    s.log = &s.logs.find(record.log);
    s.time.reset();
    s.zone.reset();
    if (record.time) {
        s.time = static_cast<std::int64_t>(*record.time);
        s.zone = s.log->zone_at(*s.time / filetime_unit + filetime_of_1970);
    }
    if (const auto opened = s.row.open(record.bytes, faults); !opened) {
        faults.add(Severity::error, opened.error());
        return 0;
    }
    s.check_records(faults);
    s.objects.begin(s.row, s.fits, s.zone ? s.zone->bias * filetime_minute : 0,
                    s.limits.values_for(record.bytes.size()));
    s.add_blocks(faults);
    s.add_raw();
    return s.used_parts;
}

/// Whether the row has the records that the catalogue says.
void LogSampleBuilder::State::check_records(const FaultSink& faults) {
    const auto records = row.records();
    const auto raw = [](blg::Form form) { return form != blg::Form::block; };
    const bool has_raw = std::ranges::any_of(records, raw, &blg::RowRecord::form);
    fits = false;
    if (!log->planned) {
        if (has_raw)
            faults.add(Severity::error,
                       {Errc::log_no_catalogue, row.bytes().offset(), blg::record_structure, "", 0, 0});
        return;
    }
    const auto entries = log->catalogue.entries();
    fits = log->catalogue.whole() &&
           std::ranges::equal(entries, records, {}, &blg::Catalogue::Entry::form, &blg::RowRecord::form);
    if (!fits && (has_raw || std::ranges::any_of(entries, raw, &blg::Catalogue::Entry::form)))
        faults.add(Severity::error,
                   {Errc::log_row, row.bytes().offset(), blg::record_structure, "", entries.size(), records.size()});
}

/// A part that is not used yet, for its memory.
LogSampleBuilder::State::Part& LogSampleBuilder::State::add_part(std::string_view machine) {
    if (used_parts == parts.size()) parts.emplace_back();
    Part& part = parts[used_parts++];
    part.machine = machine;
    part.blocks.clear();
    part.raw = nullptr;
    return part;
}

/// Blocks of one machine and one moment are one sample, as everywhere; those of several machines may come mixed.
void LogSampleBuilder::State::add_blocks(const FaultSink& faults) {
    of_machine.clear();
    for (const blg::RowRecord& record : row.records()) {
        if (record.form != blg::Form::block) continue;
        // It is opened again when its sample is built.
        if (const auto opened = block.open(record.body, {}); !opened) {
            faults.add(Severity::error, opened.error());
            continue;
        }
        assign_machine(text, block);
        const auto [known, is_new] = of_machine.try_emplace(fold_case(text), used_parts, used_parts);
        auto& [open, first] = known->second;
        if (is_new || parts[open].boundary.crossed_by(block)) {
            open = used_parts;
            add_part(text).boundary.begin(block);
        } else {
            parts[open].boundary.add(block);
        }
        parts[open].blocks.push_back(record.body);
    }
}

/// Raw counters of a machine are in its first sample.
void LogSampleBuilder::State::add_raw() {
    // What is damaged is shown as damaged, but not a whole catalogue for each row of a few bytes.
    if (!fits && log->catalogue.entries().size() > row.bytes().size()) return;
    for (const LogMachine& machine : log->machines) {
        if (machine.groups.empty()) continue;
        const auto found = of_machine.find(machine.folded);
        (found != of_machine.end() ? parts[found->second.second] : add_part(machine.name)).raw = &machine;
    }
}

void LogSampleBuilder::State::begin(Sample& sample, const Part& part) const {
    sample.memory().clear();
    if (!sample.machine) sample.machine.emplace();
    sample.machine->assign(part.machine);
    sample.perf = {};
    sample.perf_time_100ns = 0;
    sample.default_object = 0;
    sample.bytes = 0;
    sample.system_time.reset();
    if (time) sample.perf_time_100ns = *time / filetime_unit + filetime_of_1970;
}

void LogSampleBuilder::build(Sample& sample, std::size_t machine, std::uint32_t number, const FaultSink& faults) {
    State& s = *state_;
    const State::Part& part = s.parts[machine];
    if (part.blocks.empty()) s.begin(sample, part);
    for (const Bytes block : part.blocks) {
        if (!s.block.open(block, faults)) continue;  // it could be opened
        if (block.data() == part.blocks.front().data()) s.blocks.begin(sample, s.block, faults);
        s.blocks.add(sample, s.block, faults);
    }
    sample.source = SampleSource::log;
    sample.zone = s.zone;
    // SystemTime of blocks in a log is local: see blg/layout.hpp.
    if (s.time) sample.system_time = system_time_at(*s.time);
    sample.origin = {faults.place().input, faults.place().record, s.row.bytes().offset()};
    if (machine == 0 || part.blocks.empty()) sample.bytes = s.row.bytes().size();
    for (std::uint64_t place = 0; part.raw != nullptr && place < part.raw->groups.size(); ++place) {
        const LogGroup& group = part.raw->groups[place];
        Object& object = sample.memory().next();
        const auto which = static_cast<std::uint64_t>(part.raw - s.log->machines.data());
        s.objects.fill(object, group, {s.self, s.log->plan, which << 32U | place}, faults);
        object.memory().place = faults.place();
        sample.memory().note_title(sample.memory().used++);
    }
    s.blocks.finish(sample, number, faults);
}

}  // namespace hkpd
