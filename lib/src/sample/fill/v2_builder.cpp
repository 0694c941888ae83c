#include "sample/fill/v2_builder.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "base/text/encoding.hpp"
#include "hkpd/counter_type.hpp"
#include "sample/fill/object_storage.hpp"
#include "sample/memory.hpp"
#include "v2/decode.hpp"

namespace hkpd {
namespace {

// The number of objects is limited, because an object takes many times the memory of the smallest result. No real query
// has results for this many objects.
constexpr std::size_t most_objects = 65'536;
// The number of columns is limited, because a column takes many times the memory of the 4-byte id that defines it. The
// limit is the larger of two numbers: `most_columns`, and the number of columns that a V1 block of the same size can
// define with `bytes_of_definition` bytes each.
constexpr std::uint64_t most_columns = 65'536, bytes_of_definition = 40;

/// Returns whether two instances have the same name and id. A damaged name equals no other name. Two lists of instances
/// are the same if all their instances are the same.
bool same_instance(const Instance& a, const Instance& b) noexcept {
    return a.name && a.name == b.name && a.unique_id == b.unique_id;
}

/// Returns a hash of the counterset, the number of instances, and the first and last instance: enough to find lists
/// that may be the same.
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

/// Returns whether a result of this type has only one counter, which the identifier's CounterId selects, instead of all
/// counters of a counterset.
bool is_of_one_counter(v2::ResultType type) noexcept {
    return type == v2::ResultType::single_counter || type == v2::ResultType::multiple_instances;
}

/// Returns whether the name of an identifier may match several instances.
bool has_wildcards(const v2::Identifier& identifier) noexcept {
    if (!identifier.name) return false;
    const Bytes name = identifier.name->bytes;
    for (std::size_t at = 0; name.contains(at, sizeof(char16_t)); at += sizeof(char16_t)) {
        const auto unit = load<std::uint16_t>(name.at(at), identifier.name->order);
        if (unit == u'*' || unit == u'?') return true;
    }
    return false;
}

/// Returns whether a result has the shape that its identifier requests: one counter or all, one instance or a list
/// (learn.microsoft.com PERF_COUNTER_HEADER). If the identifier's name is damaged, only the counters are checked.
bool has_asked_shape(const v2::Result& result, const v2::Identifier& identifier) noexcept {
    if (is_of_one_counter(result.type()) == (identifier.CounterId == v2::wildcard_counter)) return false;
    if (!identifier.name) return true;
    return result.has_instances() ? !identifier.name->bytes.empty() : !has_wildcards(identifier);
}

/// Decides whether the numbers of a column have 4 or 8 bytes. The decision depends on dwDataSize of each number, which
/// may be damaged, and on the size of the counter's type, which may be unknown.
class SizeVotes {
  public:
    void add(std::uint64_t size) noexcept { ++(size == 8 ? eight_ : four_); }

    /// Settles the size. `registered`: size in bytes of the counter's type; 0 if the type is unknown.
    /// `pads_with_anything`: whether the result has a number of 4 bytes whose 4 bytes of padding are not zero.
    ///
    /// Settles on `registered` if any number has this size, otherwise on the most frequent size. Exception: the column
    /// has only one number, and the type is known and has another size:
    /// - If the number has 4 bytes and the type has 8, settles on 8.
    /// - If the number has 8 bytes and the type has 4, settles on 4 if `pads_with_anything` is true, because the second
    ///   4 bytes may be padding. Otherwise settles on 8, because some providers declare 8 bytes for a counter whose
    ///   type has 4.
    void decide(std::uint32_t registered, bool pads_with_anything) noexcept {
        known_ = registered != 0 &&
                 ((registered == 8 ? eight_ : four_) != 0 || (is_lone() && (registered == 8 || pads_with_anything)));
        if (known_)
            settled_ = registered;
        else if (four_ != eight_)
            settled_ = four_ > eight_ ? 4 : 8;
    }
    /// Returns the size of the numbers in bytes; 0 if 4 and 8 bytes are equally frequent and the type decides nothing.
    std::uint32_t settled() const noexcept { return settled_; }
    bool is_lone() const noexcept { return four_ + eight_ == 1; }
    /// Returns whether a number of `size` bytes contradicts the type or the other numbers of its column.
    bool contradicts(std::uint64_t size) const noexcept { return size != settled_; }
    /// Returns whether only dwDataSize states that a number has 4 bytes: neither a type nor another number confirms it.
    bool is_unconfirmed(std::uint64_t size) const noexcept { return !known_ && size == 4 && is_lone(); }

  private:
    std::uint64_t four_ = 0, eight_ = 0;
    std::uint32_t settled_ = 0;
    bool known_ = false;
};

/// Returns whether a value is the same number with 4 bytes as with 8 bytes. This is so if the second 4 bytes are zero,
/// or if the value's PERF_COUNTER_DATA ends before them. `body`: the part of the result that contains the value.
bool is_same_in_either_size(Bytes body, Bytes value) noexcept {
    constexpr std::uint64_t half = 4, whole = 8;
    const std::uint64_t at = value.offset() - body.offset();
    if (v2::u32_at(body, at - half) < v2::counter_data_size + whole) return true;  // dwSize is too short for 8 bytes
    return !body.contains(at, whole) || v2::u32_at(body, at + half) == 0;
}

/// Returns whether the size of a value is possible for a type. A damaged value matches every type.
bool has_size_of(const v2::Value& value, std::uint32_t type) noexcept {
    const std::uint32_t size = CounterType{type}.value_size().value_or(0);
    return value.damaged || size == 0 || value.bytes.size() == size;
}

/// Returns whether a result can belong to a registered counterset. All counter ids of the result must be in the set. If
/// the result has a list of instances, the set must be a multi-instance set. `first` has the values of the first
/// instance (empty if there is no instance); their sizes must fit the types of the set's counters. A result without ids
/// can belong only to a set of one counter.
bool fits(const Counterset& set, const v2::Result& result, std::span<const v2::Value> first) noexcept {
    if (!set.registered || (result.has_instances() && !v2::is_multi(set.instances))) return false;
    if (result.ids().empty())
        return set.counters.size() == 1 && result.values_per_instance() == 1 &&
               (first.empty() || has_size_of(first[0], set.counters[0].info.Type));
    for (std::size_t i = 0; i < result.ids().size(); ++i) {
        const CountersetCounter* counter = set.find(result.ids()[i]);
        if (counter == nullptr || counter->info.Type == no_counter_type) return false;
        if (i < first.size() && !has_size_of(first[i], counter->info.Type)) return false;
    }
    return true;
}

/// Describes the columns of an object after all results have added their counters. The registration of a counter refers
/// to related counters, such as its base, by their ids. This class replaces these ids with positions of columns.
class CountersetColumns {
  public:
    /// `offset`: offset of the data block. Keeps a reference to `by_id`, whose memory is used again; its content is
    /// overwritten.
    CountersetColumns(std::vector<std::pair<std::uint32_t, std::uint32_t>>& by_id, std::uint64_t offset,
                      const FaultSink& faults) noexcept
        : by_id_(by_id), offset_(offset), faults_(faults) {}

    /// Describes the object and its columns. Each column must already have its id, the size of its first value (0:
    /// none) and the offset of its result. `set` is null if the counterset is unknown.
    void describe(Object& object, const Counterset* set) {
        sort_by_id(object);
        drop_repeated(object);
        object.detail_level = set == nullptr ? 0 : set->detail_level;
        object.name = set == nullptr ? std::nullopt : answer(set->name);
        object.help = set == nullptr ? std::nullopt : answer(set->help);
        bool reported = set == nullptr || !set->registered;  // only one unknown counter of an object is reported
        for (Column& column : object.columns) {
            describe(column, set == nullptr ? nullptr : set->find(column.title_index));
            check(object, column, reported);
        }
    }

  private:
    /// Returns the text as a name that comes from no title table.
    static std::optional<Titles::Answer> answer(const std::optional<std::string_view>& text) noexcept {
        if (!text) return std::nullopt;
        return Titles::Answer{*text, no_index};
    }

    void sort_by_id(const Object& object) {
        by_id_.clear();
        for (std::uint32_t i = 0; i < object.columns.size(); ++i)
            if (object.columns[i].title_index != v2::no_id) by_id_.emplace_back(object.columns[i].title_index, i);
        std::ranges::sort(by_id_);
    }

    /// Keeps the first of several columns with the same counter id, and drops the others. The columns can come from one
    /// result or from several.
    void drop_repeated(Object& object) {
        std::vector<std::uint32_t> repeated;
        for (std::size_t i = 1; i < by_id_.size(); ++i) {
            if (by_id_[i].first != by_id_[i - 1].first) continue;
            repeated.push_back(by_id_[i].second);
            const auto first = std::ranges::lower_bound(by_id_, std::pair(by_id_[i].first, std::uint32_t{0}));
            const Column &kept = object.columns[first->second], &dropped = object.columns[by_id_[i].second];
            report(has_same_values(kept, dropped) ? Severity::note : Severity::warning, object, dropped,
                   Errc::counter_id_repeated, "", 0, dropped.title_index);
        }
        if (repeated.empty()) return;
        std::ranges::sort(repeated);
        std::size_t kept = 0;
        for (std::uint32_t i = 0; i < object.columns.size(); ++i)
            if (!std::ranges::binary_search(repeated, i)) object.columns[kept++] = object.columns[i];
        object.columns.resize(kept);
        sort_by_id(object);
    }
    static bool has_same_values(const Column& a, const Column& b) noexcept {
        return std::ranges::equal(a.values, b.values) && std::ranges::equal(a.status, b.status);
    }

    /// Describes a column by the registration of its counter. If the registration names no counter as the clock, the
    /// clock of the block's header applies. If the registration names a counter that is missing from the object, the
    /// column has no clock.
    void describe(Column& column, const CountersetCounter* counter) const noexcept {
        const Column read = std::exchange(column, {});
        column.title_index = read.title_index;
        column.size = read.size;
        column.offset = read.offset;
        column.values = read.values;
        column.status = read.status;
        column.type = no_counter_type;
        if (counter == nullptr) return;
        const v2::CounterRegInfo& info = counter->info;
        column.type = info.Type;
        column.attributes = info.Attrib;
        column.scale = info.DefaultScale;
        column.detail_level = info.DetailLevel;
        column.name = answer(counter->name);
        column.help = answer(counter->help);
        column.base = position_of(info.BaseCounterId, -1);
        column.time = position_of(info.PerfTimeId, Column::not_there);
        column.frequency = position_of(info.PerfFreqId, Column::not_there);
        column.multi = position_of(info.MultiId, Column::not_there);
    }

    std::int32_t position_of(std::uint32_t id, std::int32_t missing) const noexcept {
        if (id == v2::no_id) return -1;
        const auto found = std::ranges::lower_bound(by_id_, std::pair(id, std::uint32_t{0}));
        return found != by_id_.end() && found->first == id ? static_cast<std::int32_t>(found->second) : missing;
    }

    void check(const Object& object, Column& column, bool& reported) {
        const auto size = column.type == no_counter_type ? std::nullopt : CounterType{column.type}.value_size();
        if (column.type == no_counter_type && !std::exchange(reported, true))
            report(Severity::warning, object, column, Errc::counter_unknown, "", 0, column.title_index);
        if (column.size == 0)
            column.size = size.value_or(0);
        else if (size.value_or(0) != 0 && *size != column.size)
            report(Severity::warning, object, column, Errc::value_size, "dwDataSize", *size, column.size);
    }

    void report(Severity severity, const Object& object, const Column& column, Errc code, std::string_view field,
                std::uint64_t expected, std::uint64_t found) {
        faults_.add(severity, {code, offset_ + column.offset, "PERF_COUNTER_DATA", field, expected, found},
                    object.title_index);
    }

    std::vector<std::pair<std::uint32_t, std::uint32_t>>& by_id_;  // id and position of each column
    std::uint64_t offset_;
    FaultSink faults_;
};

}  // namespace

void CountersetSampleBuilder::build(Sample& sample, const v2::DataBlock& block, const v2::Identifiers* query,
                                    std::string_view machine, const FaultSink& faults) {
    begin(sample, block, machine, faults);
    for (const v2::ResultEntry& entry : block.results())
        add_result(sample, entry, query == nullptr ? nullptr : query->find(entry.ordinal), faults);
    CountersetColumns columns(by_id_, sample.origin.offset, faults);
    sample.memory().index_titles();
    for (Object& object : std::span(sample.memory().objects).first(sample.memory().used)) {
        ColumnStorage storage(object.memory().numbers, object.memory().status);
        storage.resume(object.columns.size(), object.instances.size());
        for (std::size_t i = 0; i < object.columns.size(); ++i) {
            object.columns[i].values = storage.numbers(i, object.instances.size());
            object.columns[i].status = storage.status(i, object.instances.size());
        }
        columns.describe(object, object.counterset ? countersets_.find(machine, *object.counterset) : nullptr);
    }
}

void CountersetSampleBuilder::begin(Sample& sample, const v2::DataBlock& block, std::string_view machine,
                                    const FaultSink& faults) {
    const v2::DataHeader& header = block.header();
    begin_sample(sample, SampleSource::v2, machine.empty() ? std::nullopt : std::optional(machine),
                 {faults.place().input, faults.place().record, block.bytes().offset()});
    sample.perf = {header.PerfTimeStamp, header.PerfFreq};
    sample.perf_time_100ns = header.PerfTime100NSec;
    const std::uint64_t at = block.bytes().offset() + v2::system_time_at;
    set_block_time(sample, header.SystemTime, {Errc::local_time, at, "PERF_DATA_HEADER", "SystemTime", 0, 0}, faults);
    sample.bytes = block.bytes().size();
    machine_ = machine;
    budget_.spend(limit_ - values_left_, bytes_);
    bytes_ = sample.bytes;
    limit_ = values_left_ = guesses_left_ = budget_.limit(bytes_);
    columns_left_ = std::max(most_columns, sample.bytes / bytes_of_definition);
    std::size_t slots = 1;
    while (slots < 2 * block.results().size()) slots *= 2;
    listed_.assign(slots, {});
}

void CountersetSampleBuilder::add_result(Sample& sample, const v2::ResultEntry& entry, const v2::Identifier* asked,
                                         const FaultSink& faults) {
    const Subject subject = subject_of(entry, asked, faults);
    const auto report = [&](Severity severity, Errc code, std::string_view field, std::uint64_t expected,
                            std::uint64_t found) {
        faults.add(severity, {code, entry.bytes.offset(), v2::result_structure, field, expected, found},
                   subject.number);
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

    block_offset_ = sample.origin.offset;
    Object& object = new_object(sample, subject, place(entry.bytes.offset()), faults);
    read_rows(object, subject, faults);
    if (Object* same = subject.guid ? same_instances(sample, object) : nullptr) {
        ColumnStorage storage(same->memory().numbers, same->memory().status),
            added(object.memory().numbers, object.memory().status);
        storage.resume(same->columns.size(), same->instances.size());
        added.resume(object.columns.size(), object.instances.size());
        storage.append(added);
        same->columns.insert(same->columns.end(), object.columns.begin(), object.columns.end());
    } else {
        ++sample.memory().used;
    }
}

/// Returns a new object with a column for each value of an instance. The object comes after the sample's last object,
/// but is not counted as part of the sample yet. `offset`: offset of the result.
Object& CountersetSampleBuilder::new_object(Sample& sample, const Subject& subject, std::uint32_t offset,
                                            const FaultSink& faults) const {
    Object& object = sample.memory().next();
    object.title_index = subject.number;
    object.counterset = subject.guid;
    object.code_page = object.help_index = 0;
    object.clock = sample.perf;
    object.memory().place = faults.place();
    // A `SampleBuilder`, which builds samples from V1 blocks, may use this object's memory for a later sample. It keeps
    // the names in the memory if `named_by` equals its own source of names. With `no_index` as `tables`, `named_by`
    // equals no source, so the SampleBuilder looks all titles up again.
    object.memory().named_by.tables = no_index;
    object.memory().other_names.reset();
    object.memory().definitions = {};
    const bool named = subject.asked != nullptr && subject.asked->name && !subject.asked->name->bytes.empty();
    const bool multi = subject.set != nullptr && subject.set->registered && v2::is_multi(subject.set->instances);
    object.kind = result_.has_instances() || named || multi ? Kind::multi : Kind::single;
    std::uint32_t only = v2::no_id;
    if (subject.asked != nullptr)
        only = subject.asked->CounterId;
    else if (subject.set != nullptr && subject.set->counters.size() == 1)
        only = subject.set->counters[0].info.CounterId;
    object.columns.resize(result_.values_per_instance());
    for (std::size_t i = 0; i < object.columns.size(); ++i) {
        object.columns[i].title_index = i < result_.ids().size() ? result_.ids()[i] : only;
        object.columns[i].size = 0;  // until there is a value
        object.columns[i].offset = offset;
    }
    return object;
}

void CountersetSampleBuilder::read_rows(Object& object, const Subject& subject, const FaultSink& faults) {
    constexpr std::size_t first_guess = 16;
    const auto rows =
        std::min<std::size_t>(std::max(object.instances.size(), first_guess), result_.expected_instances());
    InstanceFiller instances(object, name_, faults);
    ColumnStorage storage(object.memory().numbers, object.memory().status);
    storage.begin(object.columns.size(), 0, rows);
    v2::InstanceReader reader(result_, values_left_, values_, faults);
    v2::Instance instance;
    bool uneven = false;
    while (reader.next(instance)) {
        const std::size_t row = instances.rows();
        if (storage.full(row)) storage.grow();
        for (std::size_t i = 0; i < object.columns.size(); ++i) {
            const auto number = i < instance.values.size() ? v2::number_of(instance.values[i]) : std::nullopt;
            if (!number) {
                storage.damaged(storage.place(i, row));
                continue;
            }
            storage[storage.place(i, row)] = *number;
            const Bytes value = instance.values[i].bytes;
            if (object.columns[i].size == 0) note_first(object.columns[i], value);
            uneven = uneven || value.size() != object.columns[i].size;
        }
        read_instance(instance, subject, instances);
    }
    storage.pack(instances.rows());
    instances.end();
    const auto has_another_size = [&](const Column& column) {
        return column.size != 0 && column.size != registered_size(subject, column);
    };
    if (uneven || (instances.rows() == 1 && std::ranges::any_of(object.columns, has_another_size)))
        settle_sizes(storage, object, subject, instances.rows(), faults);
}

/// Sets a column's size, and the offset of its PERF_COUNTER_DATA, from its first number.
void CountersetSampleBuilder::note_first(Column& column, Bytes value) const noexcept {
    column.size = static_cast<std::uint32_t>(value.size());
    column.offset = place(value.offset() - v2::counter_data_size);
}

/// Decides for each column whether its numbers have 4 or 8 bytes: all numbers of a column belong to one counter, and
/// thus have one size. If the size of a number is uncertain, and 4 and 8 bytes would give different numbers, marks the
/// number as damaged.
void CountersetSampleBuilder::settle_sizes(ColumnStorage& storage, Object& object, const Subject& subject,
                                           std::size_t rows, const FaultSink& faults) {
    const auto for_each_number = [&](auto&& act) {
        std::uint64_t values_left = object.columns.size() * rows;  // as many as have been read
        v2::InstanceReader reader(result_, values_left, values_, FaultSink{});
        v2::Instance instance;
        while (reader.next(instance))
            for (std::size_t i = 0; i < instance.values.size(); ++i)
                if (v2::number_of(instance.values[i])) act(i, instance, instance.values[i].bytes);
    };
    std::vector<SizeVotes> votes(object.columns.size());
    bool pads_with_anything = false;
    for_each_number([&](std::size_t i, const v2::Instance&, Bytes value) {
        votes[i].add(value.size());
        pads_with_anything |= value.size() == 4 && !is_same_in_either_size(result_.body(), value);
    });
    for (std::size_t i = 0; i < votes.size(); ++i) {
        votes[i].decide(registered_size(subject, object.columns[i]), pads_with_anything);
        if (votes[i].settled() != 0 && !votes[i].is_lone()) object.columns[i].size = votes[i].settled();
    }
    for_each_number([&](std::size_t i, const v2::Instance& instance, Bytes value) {
        const bool either = is_same_in_either_size(result_.body(), value);
        if (votes[i].is_unconfirmed(value.size())) {
            // Nothing contradicts dwDataSize, and padding may have any content: the value is shown.
            constexpr std::uint64_t half = 4;
            if (!either)
                faults.add(Severity::warning,
                           {Errc::value_size, value.offset() + half, "PERF_COUNTER_DATA", "padding", 0,
                            v2::u32_at(result_.body(), value.offset() + half - result_.body().offset())},
                           object.title_index, instance.ordinal);
            return;
        }
        if (!votes[i].contradicts(value.size())) return;
        // `either`: whether the number is the same, read from 4 bytes or from 8. Such a number needs no report here if
        // it has the settled size or is the only number of its column. If its size differs from the size of the type,
        // `CountersetColumns::check` reports this later for the whole column.
        if (either && (votes[i].is_lone() || votes[i].settled() == value.size())) return;
        faults.add(either ? Severity::warning : Severity::error,
                   {Errc::value_size, value.offset() - v2::counter_data_size, "PERF_COUNTER_DATA", "dwDataSize",
                    12 - value.size(), value.size()},
                   object.title_index, instance.ordinal);
        if (either) return;
        storage.damaged(storage.place(i, instance.ordinal));
        if (votes[i].settled() != 0) object.columns[i].size = votes[i].settled();
    });
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
            instances.set_damaged_name();
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

/// Returns the sample's object with the counterset and the instances of `object`. If there is none, returns null and
/// records `object`, so that later calls find it. The caller must then add `object` to the sample as the next object.
Object* CountersetSampleBuilder::same_instances(Sample& sample, const Object& object) {
    constexpr std::size_t most_tries = 32;  // limits the cost of inputs that produce equal hashes
    const std::uint64_t hash = hash_of(object);
    for (std::size_t i = 0; i < most_tries; ++i) {
        Listed& slot = listed_[static_cast<std::size_t>((hash + i) % listed_.size())];
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

/// Returns the size in bytes of a column's registered type; 0 if the type is unknown or has no number of 4 or 8 bytes.
std::uint32_t CountersetSampleBuilder::registered_size(const Subject& subject, const Column& column) {
    const CountersetCounter* counter = subject.set == nullptr ? nullptr : subject.set->find(column.title_index);
    if (counter == nullptr || counter->info.Type == no_counter_type) return 0;
    const std::uint32_t size = CounterType{counter->info.Type}.value_size().value_or(0);
    return v2::is_number_size(size) ? size : 0;
}

CountersetSampleBuilder::Subject CountersetSampleBuilder::subject_of(const v2::ResultEntry& entry,
                                                                     const v2::Identifier* asked,
                                                                     const FaultSink& faults) {
    Subject subject{asked, nullptr, {}, first_unknown_result + entry.ordinal};
    const bool has_data = entry.header.dwType != static_cast<std::uint32_t>(v2::ResultType::error);
    if (asked != nullptr) {
        subject.guid = asked->CounterSetGuid;
        subject.set = countersets_.find(machine_, *subject.guid);
    } else if (has_data) {
        subject.set = assumed(entry);
        if (subject.set != nullptr) subject.guid = subject.set->guid;
    }
    if (subject.guid)
        if (const std::uint32_t number = countersets_.number(*subject.guid); number != no_index)
            subject.number = number;
    if (subject.guid && faults.object_name(subject.number).empty())
        faults.name_object(subject.number, guid_text(*subject.guid));
    if (asked == nullptr && has_data)
        faults.add({subject.guid ? Errc::counterset_assumed : Errc::counterset_unknown, entry.bytes.offset(),
                    "PERF_COUNTER_HEADER", "", 0, 0},
                   subject.number);
    return subject;
}

/// Returns the only registered counterset that a result can belong to; null if there are none or several, or if the
/// search would take too many steps. A set that has exactly the counters of the result takes precedence over sets that
/// have more counters, because a result for all counters has the ids of all counters of its set.
const Counterset* CountersetSampleBuilder::assumed(const v2::ResultEntry& entry) {
    const FaultSink discarded;  // the result is read again later, with reports
    if (!result_.open(entry, no_index, discarded)) return nullptr;
    std::uint64_t values_left = values_left_;
    v2::InstanceReader reader(result_, values_left, values_, discarded);
    v2::Instance first;
    const bool any = reader.next(first);
    const Counterset *whole = nullptr, *part = nullptr;
    bool several_whole = false, several_parts = false;
    for (const Counterset& set : countersets_.all()) {
        const std::uint64_t work = result_.ids().size() + 1;
        if (guesses_left_ < work) return nullptr;
        guesses_left_ -= work;
        const bool all = result_.ids().size() == set.counters.size();
        const bool of_machine = set.machine == machine_ || set.machine.empty();
        if (!of_machine || (all ? several_whole : several_parts)) continue;
        if (!fits(set, result_, any ? first.values : std::span<const v2::Value>{})) continue;
        // A set without a machine name is valid for any machine. It is skipped if `machine_` has its own registered set
        // with the same GUID. This check is the last, because `find` searches the countersets of all machines.
        if (countersets_.find(machine_, set.guid) != &set) continue;
        (all ? several_whole : several_parts) |= std::exchange(all ? whole : part, &set) != nullptr;
    }
    if (whole != nullptr) return several_whole ? nullptr : whole;
    return several_parts ? nullptr : part;
}

}  // namespace hkpd
