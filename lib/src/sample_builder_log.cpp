#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "filetime.hpp"
#include "hkpd/sample_log.hpp"
#include "log_object_filler.hpp"
#include "log_plan.hpp"
#include "sample_boundary.hpp"

namespace hkpd {
namespace {

constexpr std::string_view structure = "performance log record";
constexpr std::int64_t filetime_minute = 600'000'000;

/// A moment of the calendar, to the millisecond as Windows has it.
SystemTime system_time_at(std::int64_t unix_nanoseconds) noexcept {
    namespace chrono = std::chrono;
    const auto time = chrono::floor<chrono::milliseconds>(chrono::nanoseconds{unix_nanoseconds});
    const chrono::sys_days day = chrono::floor<chrono::days>(chrono::sys_time<chrono::milliseconds>{time});
    const chrono::year_month_day date{day};
    const chrono::hh_mm_ss clock{time - day.time_since_epoch()};
    const auto word = [](auto number) { return static_cast<std::uint16_t>(number); };
    return {word(static_cast<int>(date.year())),
            word(static_cast<unsigned>(date.month())),
            word(chrono::weekday{day}.c_encoding()),
            word(static_cast<unsigned>(date.day())),
            word(clock.hours().count()),
            word(clock.minutes().count()),
            word(clock.seconds().count()),
            word(clock.subseconds().count())};
}

/// The zone at a moment of UTC.
TimeZone zone_at(const TimeZoneRules& rules, std::int64_t filetime) {
    const std::int64_t standard = (std::int64_t{rules.bias} + rules.standard.bias) * filetime_minute;
    const TimeZone first = rules.at(filetime - standard);
    return rules.at(filetime - first.bias * filetime_minute);
}

/// Of an object that is called by its name, which has no other number.
void report(const Error& error, const LogGroup& group, std::uint32_t instance, Diagnostics& diagnostics) {
    diagnostics.name_object(group.name.number, group.name.text);
    diagnostics.add(Severity::error, error, group.name.number, instance);
}

/// What rows of one log go by.
struct KnownLog {
    Guid log;
    std::optional<TimeZoneRules> zone;
    blg::Catalogue catalogue;
    std::vector<LogMachine> machines;
    std::uint64_t plan = 0;  // a number for it
    bool planned = false;
};

/// A sample of a row: blocks of one moment of a machine, and its raw counters.
struct Part {
    std::string machine;
    std::vector<Bytes> blocks;
    const LogMachine* raw = nullptr;
};

}  // namespace

struct LogSampleBuilder::State {
    State(const Titles* titles, const Limits& given) : limits(given), blocks(titles, given) {}

    KnownLog& log_of(const Guid& guid);
    void take_catalogue(KnownLog& known, const Record& record, Diagnostics& diagnostics);
    void add_blocks(Diagnostics& diagnostics);
    void add_raw();
    Part& part_of(std::string_view machine);
    void check_records(Diagnostics& diagnostics);
    void begin(Sample& sample, const Part& part) const;
    bool fits_limit(std::uint64_t columns, std::uint64_t rows, Diagnostics& diagnostics);
    void fill_fixed(Object& object, const LogGroup& group, LogObjectFiller& values, Diagnostics& diagnostics);
    void fill_listed(Object& object, const LogGroup& group, LogObjectFiller& values, Diagnostics& diagnostics);
    void open_lists(const LogGroup& group, Diagnostics& diagnostics);

    Limits limits;
    SampleBuilder blocks;
    LogNames names;
    std::vector<KnownLog> logs;  // that came last stands last
    std::uint64_t plans = 0;
    std::shared_ptr<const void> self = std::make_shared<char>();
    // The row at hand.
    const KnownLog* log = nullptr;
    blg::Row row;
    std::optional<std::int64_t> time;  // UTC, nanoseconds since 1970
    std::optional<TimeZone> zone;
    bool fits = false;  // the catalogue: which counter is which can be told
    std::vector<Part> parts;
    std::size_t used_parts = 0;
    std::uint64_t values_left = 0;
    // For their memory.
    v1::Block block;
    SampleBoundary boundary;
    std::string text;
    std::vector<blg::RawInstances> lists;
    std::vector<bool> read;  // of each list, whether it could be
    std::vector<bool> met;   // of each row, whether the column at hand has a value
    LogInstances instances;
};

LogSampleBuilder::LogSampleBuilder(const Titles* titles, const Limits& limits)
    : state_(std::make_unique<State>(titles, limits)) {}
LogSampleBuilder::~LogSampleBuilder() = default;

KnownLog& LogSampleBuilder::State::log_of(const Guid& guid) {
    const auto found = std::ranges::find(logs, guid, &KnownLog::log);
    if (found != logs.end()) {
        std::rotate(found, found + 1, logs.end());
    } else {
        if (logs.size() >= std::max<std::size_t>(limits.tables, 1)) logs.erase(logs.begin());
        logs.emplace_back().log = guid;
    }
    return logs.back();
}

void LogSampleBuilder::take(const Record& record, Diagnostics& diagnostics) {
    KnownLog& known = state_->log_of(record.log);
    if (record.kind == Record::Kind::log_catalogue) return state_->take_catalogue(known, record, diagnostics);
    known.zone.reset();
    auto header = blg::read_header(record.bytes);
    if (!header) return diagnostics.add(Severity::error, header.error());
    known.zone = std::move(header->zone);
}

void LogSampleBuilder::State::take_catalogue(KnownLog& known, const Record& record, Diagnostics& diagnostics) {
    known.machines.clear();
    known.planned = false;
    if (const auto opened = known.catalogue.open(record.bytes, limits, diagnostics); !opened)
        return diagnostics.add(Severity::error, opened.error());
    known.machines = plan_log(known.catalogue, names, diagnostics);
    known.plan = ++plans;
    known.planned = true;
}

std::size_t LogSampleBuilder::open(const Record& record, Diagnostics& diagnostics) {
    State& s = *state_;
    s.used_parts = 0;
    s.log = &s.log_of(record.log);
    s.time.reset();
    s.zone.reset();
    if (record.time) {
        s.time = static_cast<std::int64_t>(*record.time);
        const std::int64_t filetime = *s.time / filetime_unit + filetime_of_1970;
        if (s.log->zone) s.zone = zone_at(*s.log->zone, filetime);
    }
    if (const auto opened = s.row.open(record.bytes, diagnostics); !opened) {
        diagnostics.add(Severity::error, opened.error());
        return 0;
    }
    s.values_left = s.limits.values_for(record.bytes.size());
    s.check_records(diagnostics);
    s.add_blocks(diagnostics);
    s.add_raw();
    return s.used_parts;
}

/// Whether the row has the records that the catalogue says.
void LogSampleBuilder::State::check_records(Diagnostics& diagnostics) {
    const auto records = row.records();
    const auto raw = [](blg::Form form) { return form != blg::Form::block; };
    const bool has_raw = std::ranges::any_of(records, raw, &blg::RowRecord::form);
    fits = false;
    if (!log->planned) {
        if (has_raw)
            diagnostics.add(Severity::error, {Errc::log_no_catalogue, row.bytes().offset(), structure, "", 0, 0});
        return;
    }
    const auto entries = log->catalogue.entries();
    fits = row.whole() && log->catalogue.whole() &&
           std::ranges::equal(entries, records, {}, &blg::Catalogue::Entry::form, &blg::RowRecord::form);
    if (!fits && (has_raw || std::ranges::any_of(entries, raw, &blg::Catalogue::Entry::form)))
        diagnostics.add(Severity::error,
                        {Errc::log_row, row.bytes().offset(), structure, "", entries.size(), records.size()});
}

/// A part that is not used yet, for its memory.
Part& LogSampleBuilder::State::part_of(std::string_view machine) {
    if (used_parts == parts.size()) parts.emplace_back();
    Part& part = parts[used_parts++];
    part.machine = machine;
    part.blocks.clear();
    part.raw = nullptr;
    return part;
}

/// Blocks of one machine and one moment are one sample, as everywhere.
void LogSampleBuilder::State::add_blocks(Diagnostics& diagnostics) {
    for (const blg::RowRecord& record : row.records()) {
        if (record.form != blg::Form::block) continue;
        Diagnostics unheard(0);  // it is opened again when its sample is built
        if (const auto opened = block.open(record.body, unheard); !opened) {
            diagnostics.add(Severity::error, opened.error());
            continue;
        }
        if (used_parts == 0 || boundary.crossed_by(block)) {
            assign_machine(text, block);
            part_of(text);
            boundary.begin(block);
        } else {
            boundary.add(block);
        }
        parts[used_parts - 1].blocks.push_back(record.body);
    }
}

/// Raw counters of a machine are in its first sample.
void LogSampleBuilder::State::add_raw() {
    // What is damaged is shown as damaged, but not a whole catalogue for each row of a few bytes.
    if (!fits && log->catalogue.entries().size() > row.bytes().size()) return;
    const std::size_t with_blocks = used_parts;
    for (const LogMachine& machine : log->machines) {
        if (machine.groups.empty()) continue;
        const auto used = std::span(parts).first(with_blocks);
        const auto found = std::ranges::find_if(
            used, [&](const Part& part) { return part.raw == nullptr && same_machine(part.machine, machine.name); });
        (found != used.end() ? *found : part_of(machine.name)).raw = &machine;
    }
}

void LogSampleBuilder::State::begin(Sample& sample, const Part& part) const {
    sample.used_ = 0;
    sample.tables_.clear();
    if (!sample.machine) sample.machine.emplace();
    sample.machine->assign(part.machine);
    sample.perf = {};
    sample.perf_time_100ns = 0;
    sample.default_object = 0;
    sample.bytes = 0;
    sample.system_time.reset();
    if (time) {
        sample.system_time = system_time_at(*time);
        sample.perf_time_100ns = *time / filetime_unit + filetime_of_1970;
    }
}

void LogSampleBuilder::build(Sample& sample, std::size_t machine, std::uint32_t number, Diagnostics& diagnostics) {
    State& s = *state_;
    const Part& part = s.parts[machine];
    if (part.blocks.empty()) s.begin(sample, part);
    for (const Bytes block : part.blocks) {
        if (!s.block.open(block, diagnostics)) continue;  // it could be opened
        if (block.data() == part.blocks.front().data()) s.blocks.begin(sample, s.block, diagnostics);
        s.blocks.add(sample, s.block, diagnostics);
    }
    sample.source = SampleSource::log;
    sample.zone = s.zone;
    // SystemTime of blocks in a log is local: see layout_blg.hpp.
    if (s.time) sample.system_time = system_time_at(*s.time);
    sample.origin = {diagnostics.input(), diagnostics.record(), s.row.bytes().offset()};
    if (machine == 0 || part.blocks.empty()) sample.bytes = s.row.bytes().size();
    for (std::uint64_t place = 0; part.raw != nullptr && place < part.raw->groups.size(); ++place) {
        const LogGroup& group = part.raw->groups[place];
        if (sample.used_ == sample.objects_.size()) sample.objects_.emplace_back();
        Object& object = sample.objects_[sample.used_];
        const std::int64_t bias = s.zone ? s.zone->bias * filetime_minute : 0;
        LogObjectFiller values(object, group, bias);
        if (group.form == blg::Form::raw)
            s.fill_fixed(object, group, values, diagnostics);
        else
            s.fill_listed(object, group, values, diagnostics);
        object.input_ = diagnostics.input();
        object.record_ = diagnostics.record();
        const auto which = static_cast<std::uint64_t>(part.raw - s.log->machines.data());
        values.show({s.self, s.log->plan, which << 32U | place});
        ++sample.used_;
        sample.note_title(sample.used_ - 1);
    }
    s.blocks.finish(sample, number, diagnostics);
}

bool LogSampleBuilder::State::fits_limit(std::uint64_t columns, std::uint64_t rows, Diagnostics& diagnostics) {
    if (rows == 0 || columns <= values_left / rows) {
        values_left -= columns * rows;
        return true;
    }
    diagnostics.add(Severity::error,
                    {Errc::value_limit, row.bytes().offset(), structure, "", columns * rows, values_left});
    return false;
}

/// An object whose instances the catalogue names.
void LogSampleBuilder::State::fill_fixed(Object& object, const LogGroup& group, LogObjectFiller& values,
                                         Diagnostics& diagnostics) {
    const std::size_t columns = group.counters.size();
    const std::size_t rows = fits_limit(columns, group.instances.size(), diagnostics) ? group.instances.size() : 0;
    values.begin(rows);
    InstanceFiller names_filler(object, text, diagnostics);
    for (Instance& instance : names_filler.next(rows))
        instance = {.name = instance.name, .unique_id = {}, .offset = row.bytes().offset()};
    for (std::size_t i = 0; i < rows; ++i) {
        names_filler.set_name(group.instances[i]);
        for (std::size_t column = 0; column < columns; ++column) {
            const std::uint32_t entry = group.entries[i * columns + column];
            if (!fits) {
                values.lack(column, i, ValueStatus::damaged);
            } else if (const auto counter = blg::read_raw(row.records()[entry].body)) {
                values.put(column, i, *counter);
            } else {
                report(counter.error(), group, static_cast<std::uint32_t>(i), diagnostics);
                values.lack(column, i, ValueStatus::damaged);
            }
        }
    }
    names_filler.end();
}

/// The instances of all counters of a group; none of those that cannot be read.
void LogSampleBuilder::State::open_lists(const LogGroup& group, Diagnostics& diagnostics) {
    lists.assign(group.entries.size(), {});
    read.assign(group.entries.size(), false);
    for (std::size_t i = 0; i < lists.size() && fits; ++i) {
        const auto opened = lists[i].open(row.records()[group.entries[i]].body);
        read[i] = opened.has_value();
        if (!opened) report(opened.error(), group, no_index, diagnostics);
    }
    instances.merge(lists);
}

/// An object whose instances stand in the records.
void LogSampleBuilder::State::fill_listed(Object& object, const LogGroup& group, LogObjectFiller& values,
                                          Diagnostics& diagnostics) {
    open_lists(group, diagnostics);
    const std::size_t columns = group.counters.size();
    const std::size_t rows = fits_limit(columns, instances.rows().size(), diagnostics) ? instances.rows().size() : 0;
    values.begin(rows);
    InstanceFiller names_filler(object, text, diagnostics);
    for (Instance& instance : names_filler.next(rows))
        instance = {.name = instance.name, .unique_id = {}, .offset = row.bytes().offset()};
    for (std::uint32_t i = 0; i < rows; ++i) {
        const auto [list, position] = instances.rows()[i];
        if (const auto name = lists[list].name(position)) {
            names_filler.set_name(*name, structure, i);
        } else {
            report({Errc::log_name, row.bytes().offset(), structure, "Name", 0, position}, group, i, diagnostics);
            names_filler.lose_name();
        }
    }
    names_filler.end();
    for (std::size_t column = 0; column < columns; ++column) {
        met.assign(rows, false);
        for (std::size_t i = 0; i < lists[column].size() && rows != 0; ++i) {
            const std::uint32_t to = instances.row(column, i);
            values.put(column, to, lists[column].counter(i));
            met[to] = true;
        }
        for (std::size_t i = 0; i < rows && lists[column].size() != rows; ++i)
            if (!met[i]) values.lack(column, i, read[column] ? ValueStatus::no_instance : ValueStatus::damaged);
    }
}

}  // namespace hkpd
