#include "sample/build/v2_builder.hpp"

#include <algorithm>
#include <functional>

#include "base/text/encoding.hpp"
#include "sample/build/column_storage.hpp"
#include "sample/build/instance_filler.hpp"
#include "sample/build/v2_columns.hpp"
#include "sample/build/v2_subject.hpp"
#include "sample/memory.hpp"
#include "v2/decode.hpp"

namespace hkpd {
namespace {

// No query has so many parts, and an object takes many times the bytes of the smallest result.
constexpr std::size_t most_objects = 65'536;
// A column takes many times the 4 bytes of an id: there are at most as many as a V1 block of that size could define.
constexpr std::uint64_t most_columns = 65'536, bytes_of_definition = 40;

/// What an instance is told apart by. A list of them is the same where each is; a damaged name is like no other.
bool same_instance(const Instance& a, const Instance& b) noexcept {
    return a.name && a.name == b.name && a.unique_id == b.unique_id;
}

/// Of the counterset, the number of instances, the first and the last one: enough to find lists that may be the same.
std::uint64_t hash_of(const Object& object) noexcept {
    std::uint64_t hash = object.title_index;
    const auto add = [&hash](std::uint64_t part) { hash = (hash ^ part ^ (hash >> 29)) * 0x9E37'79B9'7F4A'7C15; };
    add(object.instances.size());
    const auto add_instance = [&](const Instance& instance) {
        add(std::hash<std::string_view>{}(instance.name.value_or("?")));
        add(static_cast<std::uint32_t>(instance.unique_id.value_or(-1)));
    };
    if (object.instances.empty()) return hash;
    add_instance(object.instances.front());
    add_instance(object.instances.back());
    return hash;
}

}  // namespace

void CountersetSampleBuilder::build(Sample& sample, const v2::DataBlock& block, const v2::Identifiers* query,
                                    std::string_view machine, const FaultSink& faults) {
    begin(sample, block, machine, faults);
    for (const v2::ResultEntry& entry : block.results())
        add_result(sample, entry, query == nullptr ? nullptr : query->find(entry.ordinal), faults);
    CountersetColumns columns(by_id_, sample.origin.offset, faults);
    for (Object& object : std::span(sample.memory().objects).first(sample.memory().used)) {
        show(object);
        columns.describe(object, object.counterset ? countersets_.find(machine, *object.counterset) : nullptr);
    }
}

/// Lets the columns show their values, which move no more.
void CountersetSampleBuilder::show(Object& object) {
    object.memory().description = {};
    const std::size_t rows = object.instances.size();
    Stripes stripes(object.memory().numbers, object.memory().status);
    stripes.resume(object.columns.size(), rows);
    for (std::size_t i = 0; i < object.columns.size(); ++i) {
        object.columns[i].values = stripes.numbers(i, rows);
        object.columns[i].status = stripes.status(i, rows);
    }
}

void CountersetSampleBuilder::begin(Sample& sample, const v2::DataBlock& block, std::string_view machine,
                                    const FaultSink& faults) {
    const v2::DataHeader& header = block.header();
    sample.memory().clear();
    if (machine.empty())
        sample.machine.reset();
    else if (sample.machine)
        sample.machine->assign(machine);
    else
        sample.machine.emplace(machine);
    sample.system_time.reset();
    if (header.SystemTime.valid()) sample.system_time = header.SystemTime;
    sample.perf = {header.PerfTimeStamp, header.PerfFreq};
    sample.perf_time_100ns = header.PerfTime100NSec;
    sample.default_object = 0;
    sample.source = SampleSource::v2;
    sample.zone.reset();
    sample.bytes = block.bytes().size();
    sample.origin = {faults.place().input, faults.place().record, block.bytes().offset()};
    machine_ = machine;
    values_left_ = guesses_left_ = limits_.values_for(sample.bytes);
    columns_left_ = std::max(most_columns, sample.bytes / bytes_of_definition);
    std::size_t slots = 1;
    while (slots < 2 * block.results().size()) slots *= 2;
    listed_.assign(slots, {});
}

void CountersetSampleBuilder::add_result(Sample& sample, const v2::ResultEntry& entry, const v2::Identifier* asked,
                                         const FaultSink& faults) {
    const Subject subject = subject_of(entry, asked, faults);
    const auto report = [&](Severity severity, Errc code, std::string_view field, std::uint64_t need,
                            std::uint64_t have) {
        faults.add(severity, {code, entry.bytes.offset(), v2::result_structure, field, need, have}, subject.number);
    };
    if (const auto opened = result_.open(entry, subject.number, faults); !opened)
        return faults.add(Severity::error, opened.error(), subject.number);
    if (result_.type() == v2::ResultType::error)
        return report(Severity::note, Errc::result_status, "dwStatus", 0, result_.status());
    if (asked != nullptr && !has_asked_shape(result_, *asked))
        report(Severity::warning, Errc::result_shape, "dwType", 0, static_cast<std::uint32_t>(result_.type()));
    if (result_.status() != 0) report(Severity::warning, Errc::result_status, "dwStatus", 0, result_.status());
    if (sample.memory().used == most_objects)
        return report(Severity::error, Errc::value_limit, "", most_objects, sample.memory().used);
    if (result_.values_per_instance() > columns_left_)
        return report(Severity::error, Errc::value_limit, "", result_.values_per_instance(), columns_left_);
    columns_left_ -= result_.values_per_instance();

    Object& object = new_object(sample, subject, faults);
    read_columns(object, subject);
    block_offset_ = sample.origin.offset;
    for (Column& column : object.columns) column.offset = place(entry.bytes.offset());
    read_rows(object, subject, faults);
    if (Object* same = subject.guid ? same_instances(sample, object) : nullptr) {
        Stripes stripes(same->memory().numbers, same->memory().status),
            added(object.memory().numbers, object.memory().status);
        stripes.resume(same->columns.size(), same->instances.size());
        added.resume(object.columns.size(), object.instances.size());
        stripes.append(added);
        same->columns.insert(same->columns.end(), object.columns.begin(), object.columns.end());
    } else {
        sample.memory().note_title(sample.memory().used++);
    }
}

/// The object behind the last one of the sample, which does not count yet.
Object& CountersetSampleBuilder::new_object(Sample& sample, const Subject& subject, const FaultSink& faults) const {
    Object& object = sample.memory().next();
    object.title_index = subject.number;
    object.counterset = subject.guid;
    object.code_page = object.help_index = 0;
    object.clock = sample.perf;
    object.memory().place = faults.place();
    object.memory().named_by.tables = no_index;  // by no tables that SampleBuilder can take for its own
    const bool named = subject.asked != nullptr && subject.asked->name && !subject.asked->name->bytes.empty();
    const bool multi = subject.set != nullptr && subject.set->registered && v2::is_multi(subject.set->instances);
    object.kind = result_.has_instances() || named || multi ? Kind::multi : Kind::single;
    return object;
}

/// Makes a column for each value that an instance has, with its id.
void CountersetSampleBuilder::read_columns(Object& object, const Subject& subject) const {
    object.columns.resize(result_.values_per_instance());
    std::uint32_t only = v2::no_id;
    if (subject.asked != nullptr)
        only = subject.asked->CounterId;
    else if (subject.set != nullptr && subject.set->counters.size() == 1)
        only = subject.set->counters[0].info.CounterId;
    for (std::size_t i = 0; i < object.columns.size(); ++i) {
        object.columns[i].title_index = i < result_.ids().size() ? result_.ids()[i] : only;
        object.columns[i].size = 0;  // until there is a value
    }
}

void CountersetSampleBuilder::read_rows(Object& object, const Subject& subject, const FaultSink& faults) {
    constexpr std::size_t first_guess = 16;
    const auto rows =
        std::min<std::size_t>(std::max(object.instances.size(), first_guess), result_.expected_instances());
    InstanceFiller instances(object, name_, faults);
    Stripes stripes(object.memory().numbers, object.memory().status);
    stripes.begin(object.columns.size(), 0, rows);
    v2::InstanceReader reader(result_, values_left_, values_, faults);
    v2::Instance instance;
    while (reader.next(instance)) {
        const std::size_t row = instances.rows();
        if (stripes.full(row)) stripes.grow();
        for (std::size_t i = 0; i < object.columns.size(); ++i) {
            const auto number = i < instance.values.size() ? v2::number_of(instance.values[i]) : std::nullopt;
            if (number)
                take_number(stripes, object, subject, instance, {row, i}, *number, faults);
            else
                stripes.damaged(stripes.place(i, row));
        }
        read_instance(instance, subject, instances);
    }
    stripes.pack(instances.rows());
    instances.end();
}

/// The first number of a column tells its size, and where its PERF_COUNTER_DATA stands.
void CountersetSampleBuilder::note_first(Column& column, Bytes value) const noexcept {
    column.size = static_cast<std::uint32_t>(value.size());
    column.offset = place(value.offset() - v2::counter_data_size);
}

/// Takes a number into its column. All of a column are of one length, that of its type where any has it: no counter
/// changes from one instance to the next.
void CountersetSampleBuilder::take_number(Stripes& stripes, Object& object, const Subject& subject,
                                          const v2::Instance& instance, Cell cell, std::uint64_t number,
                                          const FaultSink& faults) {
    const auto [row, position] = cell;
    Column& column = object.columns[position];
    const Bytes value = instance.values[position].bytes;
    if (column.size == 0) note_first(column, value);
    const auto report = [&](std::uint32_t at, std::uint64_t need, std::uint64_t have) {
        faults.add(Severity::error,
                   {Errc::value_size, block_offset_ + at, "PERF_COUNTER_DATA", "dwDataSize", need, have},
                   object.title_index, instance.ordinal);
    };
    if (value.size() != column.size) {
        const CountersetCounter* counter = subject.set == nullptr ? nullptr : subject.set->find(column.title_index);
        if (counter == nullptr || CounterType{counter->info.Type}.value_size() != value.size()) {
            report(place(value.offset() - v2::counter_data_size), column.size, value.size());
            return stripes.damaged(stripes.place(position, row));
        }
        report(column.offset, value.size(), column.size);  // all before it are as long as the first
        for (std::size_t before = 0; before < row; ++before) stripes.damaged(stripes.place(position, before));
        note_first(column, value);
    }
    stripes[stripes.place(position, row)] = number;
}

std::uint32_t CountersetSampleBuilder::place(std::uint64_t offset) const noexcept {
    return static_cast<std::uint32_t>(offset - block_offset_);
}

void CountersetSampleBuilder::read_instance(const v2::Instance& instance, const Subject& subject,
                                            InstanceFiller& instances) const {
    Instance& added = instances.next(1).front();
    added.offset = instance.offset;
    added.unique_id = {};
    added.parent_object = added.parent_instance = 0;
    const auto name = [&](const std::optional<EncodedText>& text, std::string_view of) {
        if (text)
            instances.set_name(*text, of, instance.ordinal);
        else
            instances.lose_name();
    };
    if (result_.has_instances()) {
        name(instance.name, "PERF_INSTANCE_HEADER");
        added.unique_id = InstanceId(static_cast<std::int32_t>(instance.InstanceId));
    } else if (const v2::Identifier* asked = subject.asked; asked != nullptr && !has_wildcards(*asked)) {
        name(asked->name, "PERF_COUNTER_IDENTIFIER");
        added.unique_id = InstanceId(static_cast<std::int32_t>(asked->InstanceId));
    } else {
        instances.set_name("");
    }
}

/// An object of the same counterset and with the same instances. Where there is none, the given one, which comes next,
/// is the one from now on.
Object* CountersetSampleBuilder::same_instances(Sample& sample, const Object& object) {
    constexpr std::size_t most_tries = 32;  // hashes that an input has made equal cost no more than that
    const std::uint64_t hash = hash_of(object);
    for (std::size_t i = 0; i < most_tries; ++i) {
        Listed& slot = listed_[(hash + i) % listed_.size()];
        if (slot.object == no_index) {
            slot = {hash, static_cast<std::uint32_t>(sample.memory().used)};
            return nullptr;
        }
        Object& other = sample.memory().objects[slot.object];
        if (slot.hash == hash && other.counterset == object.counterset &&
            std::ranges::equal(other.instances, object.instances, same_instance))
            return &other;
    }
    return nullptr;
}

}  // namespace hkpd
