#include "sample/fill/log_builder.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/names.hpp"
#include "base/time.hpp"
#include "blg/layout.hpp"
#include "hkpd/diagnostics.hpp"
#include "sample/fill/log_schema.hpp"
#include "sample/fill/object_storage.hpp"
#include "sample/fill/v1_builder.hpp"
#include "sample/grouping.hpp"

namespace hkpd {
namespace {

/// Adds `rows` instances, all with the offset `offset` in the input. Their names are set later.
void add_rows(InstanceFiller& instances, std::size_t rows, std::uint64_t offset) {
    for (Instance& instance : instances.next(rows))
        instance = {.name = instance.name, .unique_id = {}, .offset = offset};
}

}  // namespace

/// Merges the instance lists of several counters by name. If a name occurs several times in a list, its k-th occurrence
/// is the same instance as the k-th occurrence of the name in every other list.
class LogInstances {
  public:
    /// The origin of the name of a row (a merged instance): a list, and the position in that list.
    struct Place {
        std::uint32_t list, position;
    };

    void merge(std::span<const blg::RawInstances> lists) {
        lists_ = lists;
        rows_.clear();
        known_.clear();
        row_of_.assign(lists.size(), {});
        const auto longest = std::ranges::max_element(lists, {}, &blg::RawInstances::size);
        if (longest == lists.end()) return;
        first_ = static_cast<std::uint32_t>(longest - lists.begin());
        for (std::uint32_t i = 0; i < longest->size(); ++i) rows_.push_back({first_, i});
        for (std::uint32_t list = 0; list < lists.size(); ++list)
            if (!same_names(list)) match(list);
    }

    std::span<const Place> rows() const noexcept { return rows_; }
    std::uint32_t row(std::size_t list, std::size_t position) const noexcept {
        return row_of_[list].empty() ? static_cast<std::uint32_t>(position) : row_of_[list][position];
    }

  private:
    std::string_view name(std::uint32_t list, std::size_t position) const noexcept {
        const auto text = lists_[list].name(position);
        if (!text) return {};
        return {reinterpret_cast<const char*>(text->bytes.data()), text->bytes.size()};
    }
    /// Returns whether all names of a list are equal to the names at the same positions in the list `first_`, which is
    /// the longest.
    bool same_names(std::uint32_t list) const noexcept {
        if (list == first_) return true;
        for (std::size_t i = 0; i < lists_[list].size(); ++i)
            if (name(list, i) != name(first_, i)) return false;
        return true;
    }
    /// All rows with the same name. `list`: the list that was matched last with these rows. `taken`: number of `rows`
    /// to which instances of that list have been assigned.
    struct Namesakes {
        std::vector<std::uint32_t> rows;
        std::uint32_t list = 0;
        std::size_t taken = 0;
    };
    void match(std::uint32_t list) {
        if (known_.empty())
            for (std::uint32_t i = 0; i < rows_.size(); ++i)
                known_[name(rows_[i].list, rows_[i].position)].rows.push_back(i);
        for (std::uint32_t i = 0; i < lists_[list].size(); ++i) {
            Namesakes& namesakes = known_[name(list, i)];
            if (std::exchange(namesakes.list, list) != list) namesakes.taken = 0;
            if (namesakes.taken == namesakes.rows.size()) {
                namesakes.rows.push_back(static_cast<std::uint32_t>(rows_.size()));
                rows_.push_back({list, i});
            }
            row_of_[list].push_back(namesakes.rows[namesakes.taken++]);
        }
    }

    std::span<const blg::RawInstances> lists_;
    std::vector<Place> rows_;
    // `row_of_[list][position]` is the row of an instance. `row_of_[list]` is empty if each row equals the position.
    std::vector<std::vector<std::uint32_t>> row_of_;
    // The rows by name. Empty until a list has other names than the list `first_`, because most logs need no map.
    std::map<std::string_view, Namesakes> known_;
    std::uint32_t first_ = 0;
};

/// Fills the values of one object. With each value, a log stores three other numbers, which are filled too: SecondValue
/// (for example, the base), the instance count, and the time at which the value was collected. Call `begin`, then `put`
/// or `set_missing` for each value of each row, then `show`, which sets the columns of the object.
class LogObjectFiller {
  public:
    /// `bias`: UTC minus local time of the row, in 100 ns.
    LogObjectFiller(Object& object, const LogGroup& group, std::int64_t bias) noexcept
        : object_(object), group_(group), bias_(bias), storage_(object.memory().numbers, object.memory().status) {}

    /// Reserves space for `rows` rows. Each value of each row must then be set with `put` or `set_missing`.
    void begin(std::size_t rows) {
        const std::size_t columns = group_.counters.size();
        storage_.begin(columns, companions * columns, rows);
        rows_ = rows;
        step_ = storage_.place(columns, 0);
    }
    void put(std::size_t column, std::size_t row, const blg::RawCounter& counter) {
        const std::size_t place = storage_.place(column, row);
        const bool is_valid = blg::RawCounter::is_valid(counter.status);
        if (!is_valid) storage_.without_value(place, ValueStatus{counter.status});
        if (is_valid || ValueStatus{counter.status} == ValueStatus::not_recorded)
            storage_[place] = static_cast<std::uint64_t>(counter.first);
        storage_[place + step_] = static_cast<std::uint64_t>(counter.second);
        storage_[place + 2 * step_] = counter.multi_count;
        storage_[place + 3 * step_] = static_cast<std::uint64_t>(counter.time) + static_cast<std::uint64_t>(bias_);
    }
    void set_missing(std::size_t column, std::size_t row, ValueStatus status) {
        const std::size_t place = storage_.place(column, row);
        storage_.without_value(place, status);
        for (std::size_t companion = 1; companion <= companions; ++companion) storage_[place + companion * step_] = 0;
    }

    /// Describes the object and points its columns at the stored values.
    void bind_columns() {
        const auto answer = [](const LogNames::Named& name) { return Titles::Answer{name.text, no_index}; };
        object_.title_index = group_.name.number;
        object_.help_index = object_.detail_level = object_.code_page = 0;
        object_.counterset.reset();
        object_.kind = group_.kind;
        object_.clock = {};
        object_.name = answer(group_.name);
        object_.help.reset();
        object_.memory().text.clear();
        // A `SampleBuilder`, which builds samples from V1 blocks, may use this object's memory for a later sample. It
        // keeps the names in the memory if `named_by` equals its own source of names. With `no_index` as `tables`,
        // `named_by` equals no source, so the SampleBuilder looks all titles up again.
        object_.memory().named_by.tables = no_index;
        object_.memory().definitions = {};
        object_.memory().other_names = group_.other_names;
        object_.memory().has_places = group_.form == blg::Form::raw;
        object_.memory().tables.clear();
        const std::size_t columns = group_.counters.size();
        object_.columns.assign(columns, {});
        for (std::size_t i = 0; i < columns; ++i) {
            const LogGroup::Counter& counter = group_.counters[i];
            Column& column = object_.columns[i];
            column.title_index = counter.name.number;
            column.name = answer(counter.name);
            column.type = counter.type;
            column.size = counter.size;
            column.scale = counter.scale;
            column.time_base = counter.time_base;
            column.values = storage_.numbers(i, rows_);
            column.second = storage_.numbers(columns + i, rows_);
            column.multi_count = storage_.numbers(2 * columns + i, rows_);
            column.taken = storage_.numbers(3 * columns + i, rows_);
            column.status = storage_.status(i, rows_);
        }
    }

  private:
    Object& object_;
    const LogGroup& group_;
    std::int64_t bias_;
    static constexpr std::size_t companions = 3;  // of each value: its second number, its MultiCount and its time
    std::size_t step_ = 0;  // distance in `storage_` from a value to its companion, and to the next
    ColumnStorage storage_;
    std::size_t rows_ = 0;
};

struct LogSampleBuilder::State {
    /// One machine's sample in a row of the log: the blocks and the raw counters of the machine. A row has a part for
    /// each machine, or more parts if a machine has blocks of several moments.
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
    FaultCell current_row() const;
    void report_in_row(const Error& error, std::optional<std::size_t> entry, const FaultSink& faults) const;
    void report_in_group(Severity severity, const Error& error, const LogGroup& group, std::uint32_t entry,
                         std::uint32_t instance, const FaultSink& faults) const;
    void fill(Object& object, const LogGroup& group, const FaultSink& faults);
    bool fits_limit(std::uint64_t columns, std::uint64_t rows, const FaultSink& faults);
    void fill_fixed(Object& object, const LogGroup& group, LogObjectFiller& values, const FaultSink& faults);
    void fill_listed(Object& object, const LogGroup& group, LogObjectFiller& values, const FaultSink& faults);
    void open_lists(const LogGroup& group, const FaultSink& faults);
    ValueStatus status_of_list(std::size_t list) const noexcept;
    void fill_names(Object& object, const LogGroup& group, std::size_t rows, const FaultSink& faults);

    Limits limits;
    SampleBuilder blocks;
    LogRegistry logs{limits};
    // The current row.
    const KnownLog* log = nullptr;
    blg::Row row;
    std::optional<std::int64_t> time;  // UTC, nanoseconds since 1970
    std::optional<TimeZone> zone;
    bool fits = false;  // whether the records match the catalogue; if they do not, raw counters are damaged
    ValueBudget budget{limits};
    // For the current row: the maximum number of values, the row's size in bytes, and the number of values that may
    // still be added.
    std::uint64_t limit = 0, bytes = 0, values_left = 0;
    // Number of bytes of names that the current row may still add. It is limited, because many instances can share the
    // bytes of one name, so that the names could need far more memory than the row.
    std::uint64_t names_left = 0;
    std::vector<Part> parts;
    std::size_t used_parts = 0;
    // Key: the case-folded name of a machine. Value: two indices in `parts`; a part is one sample of the row. The first
    // index is that of the machine's latest part, to which the machine's next block may belong. The second index is
    // that of the machine's first part, which gets the raw counters.
    std::map<std::string, std::pair<std::size_t, std::size_t>> of_machine;
    // Kept for their memory.
    v1::Block block;
    std::string text;
    std::vector<blg::RawInstances> lists;
    std::vector<bool> read;  // for each list, whether it could be read
    std::vector<bool> seen;  // for each row, whether the current column has a value
    LogInstances instances;
};

LogSampleBuilder::LogSampleBuilder(const Titles* titles, const Limits& limits)
    : state_(std::make_unique<State>(titles, limits)) {}
LogSampleBuilder::~LogSampleBuilder() = default;

void LogSampleBuilder::show_english() { state_->logs.show_english(); }

void LogSampleBuilder::take(const Record& record, const FaultSink& faults) { state_->logs.take(record, faults); }

std::size_t LogSampleBuilder::open(const Record& record, const FaultSink& faults) {
    State& s = *state_;
    s.used_parts = 0;
    s.log = &s.logs.find(record.log);
    s.time.reset();
    s.zone.reset();
    if (record.time) {
        s.time = static_cast<std::int64_t>(*record.time);
        if (s.log->zone && s.log->zone->is_stated()) s.zone = s.log->zone->at(*s.time);
    }
    Diagnostics found;
    const auto opened = s.row.open(record.bytes, found);
    if (!opened) found.add(Severity::error, opened.error());
    if (found.count() != 0) {
        found.locate(s.current_row());
        faults.take(found);
    }
    if (!opened) return 0;
    s.check_records(faults);
    s.budget.spend(s.limit - s.values_left, s.bytes);
    s.bytes = record.bytes.size();
    s.limit = s.values_left = s.budget.limit(s.bytes);
    s.names_left = s.row.bytes().size();
    s.add_blocks(faults);
    s.add_raw();
    return s.used_parts;
}

/// Returns the current row as the place of a fault.
FaultCell LogSampleBuilder::State::current_row() const {
    FaultCell cell;
    if (time) append_time(cell.time, system_time_at(*time), log->zone ? *log->zone : Zone());
    return cell;
}

/// Reports a fault of the current row. `entry`: of the catalogue, to which the fault belongs, if it is known.
void LogSampleBuilder::State::report_in_row(const Error& error, std::optional<std::size_t> entry,
                                            const FaultSink& faults) const {
    if (!faults.keeps(Severity::error)) return faults.add(Severity::error, error);
    FaultCell cell = current_row();
    if (entry && *entry < log->catalogue.entries().size()) name_entry(cell, log->catalogue.entries()[*entry]);
    faults.add(Severity::error, error, std::move(cell));
}

/// Reports a fault in a group: an object of which the log contains raw counters. The fault is shown with the group's
/// name, because the number of a group means nothing to users. `entry`: that of the counter in the catalogue.
void LogSampleBuilder::State::report_in_group(Severity severity, const Error& error, const LogGroup& group,
                                              std::uint32_t entry, std::uint32_t instance,
                                              const FaultSink& faults) const {
    faults.name_object(group.name.number, group.name.text);
    if (!faults.keeps(severity)) return faults.add(severity, error, group.name.number, instance);
    FaultCell cell = current_row();
    name_entry(cell, log->catalogue.entries()[entry]);
    faults.add(severity, error, std::move(cell), group.name.number, instance);
}

/// Checks whether the row has the records that the catalogue lists, sets `fits`, and reports a mismatch.
void LogSampleBuilder::State::check_records(const FaultSink& faults) {
    const auto records = row.records();
    const auto raw = [](blg::Form form) { return form != blg::Form::block; };
    const bool has_raw = std::ranges::any_of(records, raw, &blg::RowRecord::form);
    fits = false;
    if (!log->planned) {
        if (has_raw)
            report_in_row({Errc::log_no_catalogue, row.bytes().offset(), blg::record_structure, "", 0, 0}, {}, faults);
        return;
    }
    const auto entries = log->catalogue.entries();
    const auto differ =
        std::ranges::mismatch(entries, records, {}, &blg::Catalogue::Entry::form, &blg::RowRecord::form);
    fits = log->catalogue.whole() && differ.in1 == entries.end() && differ.in2 == records.end();
    if (fits || !(has_raw || std::ranges::any_of(entries, raw, &blg::Catalogue::Entry::form))) return;
    // The first counter whose record is damaged, missing, or that of another counter.
    const std::size_t first = std::min(static_cast<std::size_t>(differ.in1 - entries.begin()), row.known());
    report_in_row({Errc::log_row, row.bytes().offset(), blg::record_structure, "", entries.size(), records.size()},
                  first, faults);
}

/// Adds a part for the data of one machine in the current row, and returns it. The parts of earlier rows are used again
/// so that their memory need not be allocated again.
LogSampleBuilder::State::Part& LogSampleBuilder::State::add_part(std::string_view machine) {
    if (used_parts == parts.size()) parts.emplace_back();
    Part& part = parts[used_parts++];
    part.machine = machine;
    part.blocks.clear();
    part.raw = nullptr;
    return part;
}

/// Groups the blocks into samples. As in other sources, blocks of one machine and one moment are one sample. Blocks of
/// different machines may be interleaved.
void LogSampleBuilder::State::add_blocks(const FaultSink& faults) {
    of_machine.clear();
    for (const blg::RowRecord& record : row.records()) {
        if (record.form != blg::Form::block) continue;
        // A block that cannot be opened has no sample, so its fault is reported here. All other faults in the block are
        // discarded here (`{}`). They are reported when the block is opened again to build its sample.
        if (const auto opened = block.open(record.body, {}); !opened) {
            const auto entry = static_cast<std::size_t>(&record - row.records().data());
            report_in_row(opened.error(), fits ? std::optional(entry) : std::nullopt, faults);
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

/// Assigns the raw counters of each machine to the machine's first sample. If the row has no block of the machine, adds
/// a sample for it.
void LogSampleBuilder::State::add_raw() {
    // If the records do not match the catalogue, each catalogue entry becomes a damaged counter. In this case, the raw
    // counters are omitted if the row has fewer bytes than the catalogue has entries, because a small row would
    // otherwise produce many values.
    if (!fits && log->catalogue.entries().size() > row.bytes().size()) return;
    for (const LogMachine& machine : log->machines) {
        if (machine.groups.empty()) continue;
        const auto found = of_machine.find(machine.folded);
        (found != of_machine.end() ? parts[found->second.second] : add_part(machine.name)).raw = &machine;
    }
}

void LogSampleBuilder::State::fill(Object& object, const LogGroup& group, const FaultSink& faults) {
    LogObjectFiller values(object, group, zone ? zone->bias * filetime_minute : 0);
    if (group.form == blg::Form::raw)
        fill_fixed(object, group, values, faults);
    else
        fill_listed(object, group, values, faults);
    values.bind_columns();
}

bool LogSampleBuilder::State::fits_limit(std::uint64_t columns, std::uint64_t rows, const FaultSink& faults) {
    if (rows == 0 || columns <= values_left / rows) {
        values_left -= columns * rows;
        return true;
    }
    faults.add({Errc::value_limit, row.bytes().offset(), blg::record_structure, "", columns * rows, values_left});
    return false;
}

/// Fills an object whose instances are named in the catalogue.
void LogSampleBuilder::State::fill_fixed(Object& object, const LogGroup& group, LogObjectFiller& values,
                                         const FaultSink& faults) {
    const std::size_t columns = group.counters.size();
    const std::size_t rows = fits_limit(columns, group.instances.size(), faults) ? group.instances.size() : 0;
    values.begin(rows);
    InstanceFiller names(object, text, faults);
    add_rows(names, rows, row.bytes().offset());
    for (std::size_t i = 0; i < rows; ++i) {
        names.set_name(group.instances[i]);
        for (std::size_t column = 0; column < columns; ++column) {
            const std::uint32_t entry = group.entries[i * columns + column];
            if (!fits) {
                values.set_missing(column, i, ValueStatus::damaged);
            } else if (const auto counter = blg::read_raw(row.records()[entry].body)) {
                values.put(column, i, *counter);
            } else {
                report_in_group(Severity::error, counter.error(), group, entry, static_cast<std::uint32_t>(i), faults);
                values.set_missing(column, i, ValueStatus::damaged);
            }
        }
    }
    names.end();
}

/// Reads the instance lists of all counters of a group. A list that cannot be read is reported and stays empty.
void LogSampleBuilder::State::open_lists(const LogGroup& group, const FaultSink& faults) {
    lists.assign(group.entries.size(), {});
    read.assign(group.entries.size(), false);
    for (std::size_t i = 0; i < lists.size() && fits; ++i) {
        const auto opened = lists[i].open(row.records()[group.entries[i]].body);
        read[i] = opened.has_value();
        if (!opened) report_in_group(Severity::error, opened.error(), group, group.entries[i], no_index, faults);
        if (opened && lists[i].size() == 0 && !blg::RawCounter::is_valid(lists[i].status()))
            report_in_group(
                Severity::note,
                {Errc::result_status, row.bytes().offset(), blg::record_structure, "CStatus", 0, lists[i].status()},
                group, group.entries[i], no_index, faults);
    }
    instances.merge(lists);
}

/// Returns the status of a counter's value for an instance that is missing from the counter's own list, `list`, but is
/// in the list of another counter. Each counter has its own list of instances.
ValueStatus LogSampleBuilder::State::status_of_list(std::size_t list) const noexcept {
    if (!read[list]) return ValueStatus::damaged;
    const std::uint32_t status = lists[list].status();
    const bool none = lists[list].size() == 0 && !blg::RawCounter::is_valid(status);
    return none ? ValueStatus{status} : ValueStatus::no_instance;
}

/// Sets the names of the object's `rows` instances. Each name is read from one of the instance lists of the object's
/// counters; `instances` states the list and the position in it.
void LogSampleBuilder::State::fill_names(Object& object, const LogGroup& group, std::size_t rows,
                                         const FaultSink& faults) {
    InstanceFiller names(object, text, faults);
    add_rows(names, rows, row.bytes().offset());
    for (std::uint32_t i = 0; i < rows; ++i) {
        const auto [list, position] = instances.rows()[i];
        if (const auto name = names_left == 0 ? std::nullopt : lists[list].name(position)) {
            names_left -= std::min<std::uint64_t>(names_left, name->bytes.size());
            names.set_name(*name, blg::record_structure, i);
        } else {
            report_in_group(Severity::error,
                            {Errc::log_name, row.bytes().offset(), blg::record_structure, "Name", 0, position}, group,
                            group.entries[list], i, faults);
            names.set_damaged_name();
        }
    }
    names.end();
}

/// Fills an object whose instances are listed in the records of the row, not in the catalogue.
void LogSampleBuilder::State::fill_listed(Object& object, const LogGroup& group, LogObjectFiller& values,
                                          const FaultSink& faults) {
    open_lists(group, faults);
    const std::size_t columns = group.counters.size();
    const std::size_t rows = fits_limit(columns, instances.rows().size(), faults) ? instances.rows().size() : 0;
    values.begin(rows);
    fill_names(object, group, rows, faults);
    for (std::size_t column = 0; column < columns; ++column) {
        seen.assign(rows, false);
        for (std::size_t i = 0; i < lists[column].size() && rows != 0; ++i) {
            const std::uint32_t to = instances.row(column, i);
            values.put(column, to, lists[column].counter(i));
            seen[to] = true;
        }
        for (std::size_t i = 0; i < rows && lists[column].size() != rows; ++i)
            if (!seen[i]) values.set_missing(column, i, status_of_list(column));
    }
}

void LogSampleBuilder::build(Sample& sample, std::size_t machine, std::uint32_t number, const FaultSink& faults) {
    State& s = *state_;
    const State::Part& part = s.parts[machine];
    const Sample::Origin origin{faults.place().input, faults.place().record, s.row.bytes().offset()};
    if (part.blocks.empty()) {
        begin_sample(sample, SampleSource::log, part.machine, origin);
        if (s.time) sample.perf_time_100ns = *s.time / filetime_unit + filetime_of_1970;
    }
    for (const Bytes block : part.blocks) {
        if (!s.block.open(block, faults)) continue;  // never fails: the block was opened before
        if (block.data() == part.blocks.front().data()) s.blocks.begin(sample, s.block, faults, !s.time);
        s.blocks.add(sample, s.block, faults);
    }
    sample.source = SampleSource::log;
    sample.zone = s.zone;
    sample.zone_rules = s.log->zone;
    // The sample gets the time of the row, which is UTC, because SystemTime of the blocks in a log is a local time (see
    // blg/layout.hpp).
    if (s.time) sample.system_time = system_time_at(*s.time);
    sample.origin = origin;
    if (machine == 0 || part.blocks.empty()) sample.bytes = s.row.bytes().size();
    for (std::size_t i = 0; part.raw != nullptr && i < part.raw->groups.size(); ++i) {
        Object& object = sample.memory().next();
        s.fill(object, part.raw->groups[i], faults);
        object.memory().place = faults.place();
        ++sample.memory().used;
    }
    s.blocks.finish(sample, number, faults);
}

}  // namespace hkpd
