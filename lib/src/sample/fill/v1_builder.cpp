#include "sample/fill/v1_builder.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "base/text/encoding.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/sample.hpp"
#include "sample/fill/object_storage.hpp"
#include "v1/decode.hpp"

namespace hkpd {
namespace {

/// Returns the number of rows to reserve: the number that the input states, but at most the number of rows whose values
/// fit into the object's bytes without overlap.
std::size_t rows_to_expect(const v1::Object& object) noexcept {
    const std::uint64_t columns = std::max<std::size_t>(object.counters().size(), 1);
    const std::uint64_t fit = object.bytes().size() / sizeof(std::uint32_t) / columns;
    return static_cast<std::size_t>(std::min<std::uint64_t>(object.expected_instances(), fit));
}

void set_identity(Instance& row, std::uint64_t offset, const v1::InstanceDefinition& definition) noexcept {
    row.unique_id = InstanceId(definition.UniqueID);
    row.parent_object = definition.ParentObjectTitleIndex;
    row.parent_instance = definition.ParentObjectInstance;
    row.offset = offset;
}

/// Keeps the next instance's name from the previous sample if it equals `name`. Returns whether it was kept.
bool keep_name(InstanceFiller& instances, const EncodedText& name) noexcept {
    if (!is_utf16(name.code_page)) return false;
    const auto field = [&name](std::size_t /*row*/) { return std::pair(name.bytes, name.bytes.size()); };
    return with_order(name.order, [&]<bool host>(std::bool_constant<host> /*order*/) {
        return instances.keep_names<host>(1, field) == 1;
    });
}

void add_instance(InstanceFiller& instances, const v1::Instance& instance, InstanceNames names) {
    const std::span<Instance> row = instances.next(1);
    set_identity(row.front(), instance.offset, instance.definition());
    instances.note_parents(row);
    if (names == InstanceNames::none)
        instances.set_empty_names(1);
    else if (const auto name = instance.name(); !name)
        instances.set_damaged_name();
    else if (!keep_name(instances, *name))
        instances.set_name(*name, "PERF_INSTANCE_DEFINITION", instance.ordinal);
}

/// Adds several valid instances after the existing ones. `host`: whether the object has the host's byte order.
template <bool host>
void add_valid(InstanceFiller& instances, const v1::Object& object, std::span<const v1::InstancePlace> places,
               InstanceNames names) {
    const Bytes bytes = object.bytes();
    const auto first = static_cast<std::uint32_t>(instances.rows());
    const std::span<Instance> rows = instances.next(places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        set_identity(rows[i], bytes.offset() + places[i].definition,
                     v1::instance_definition_at<host>(bytes.at(places[i].definition)));
    instances.note_parents(rows);
    if (names == InstanceNames::none) return instances.set_empty_names(places.size());
    const std::uint32_t code_page = object.header().CodePage;
    const auto field = [&](std::size_t i) {
        const std::uint64_t at = places[i].definition;
        return std::pair(bytes.from(at + load<std::uint32_t, host>(bytes.at(at + 16))),
                         load<std::uint32_t, host>(bytes.at(at + 20)));
    };
    std::size_t i = is_utf16(code_page) ? instances.keep_names<host>(places.size(), field) : 0;
    for (; i < places.size(); ++i) {
        const auto [name, length] = field(i);
        if (is_utf16(code_page) && instances.set_ascii_name<host>(name, length)) continue;
        instances.set_name(name_text(name.clip(0, length), code_page, object.order()), "PERF_INSTANCE_DEFINITION",
                           first + static_cast<std::uint32_t>(i));
    }
}

/// Adds a title table to `tables`, unless it is there already. `no_index` is no table and is not added.
void add_table(std::vector<std::uint32_t>& tables, std::uint32_t table) {
    if (table != no_index && std::ranges::find(tables, table) == tables.end()) tables.push_back(table);
}

/// Returns the title table that a name comes from; `no_index` if there is none. Names that a log contains come from no
/// table.
std::uint32_t table_of(const std::optional<Titles::Answer>& name) noexcept { return name ? name->table : no_index; }

/// Returns whether the chain of parents ends after at most `most` parents. A chain that leads back to itself does not
/// end.
bool ancestry_ends(const Sample& sample, const Instance& instance, std::uint32_t most) noexcept {
    auto parent = sample.parent(instance);
    for (std::uint32_t step = 0; parent && step < most; ++step)
        parent = sample.parent(sample.objects()[parent->object].instances[parent->instance]);
    return !parent;
}

/// Copies the instances and values of one object into its columns.
class ColumnFiller {
  public:
    ColumnFiller(Object& object, const v1::Object& source, NumberMemory& numbers, std::vector<ValueStatus>& status,
                 std::string& text, const FaultSink& faults)
        : object_(object), source_(source), storage_(numbers, status), text_(text), faults_(faults) {}

    /// Reserves space for about `rows` rows; `copy` reserves more if necessary.
    void begin(std::size_t rows) {
        const std::size_t companions = object_.memory().companions;
        plain_ = companions == 0 && source_.numbers().size() == source_.counters().size();
        storage_.begin(source_.counters().size(), companions, rows);
    }

    /// Returns whether every counter is a readable number (see `v1::Object::numbers`) and has no companion, that is, no
    /// second number for each value. The values of many valid instances can then be copied at once.
    bool plain() const noexcept { return plain_; }

    /// Copies the values of valid instances of a `plain` object, column by column, so that consecutive writes go to
    /// consecutive addresses.
    void copy(std::span<const v1::InstancePlace> places, std::size_t row) {
        while (storage_.full(row + places.size() - 1)) storage_.grow();
        for (const v1::NumberPlace& number : source_.numbers()) {
            const std::span<std::uint64_t> to = storage_.rows(number.counter, row, places.size());
            v1::read_column(source_, number, places, [to](std::size_t i, std::uint64_t value) { to[i] = value; });
        }
    }

    void copy(const v1::Instance& instance, bool complete, std::size_t row) {
        if (storage_.full(row)) storage_.grow();
        if (plain_ && complete) {
            for (const v1::NumberPlace& number : source_.numbers())
                storage_[storage_.place(number.counter, row)] =
                    load_number(instance.block.at(number.offset), number.size, source_.order());
            return;
        }
        const auto counters = source_.counters();
        std::size_t companion = counters.size();
        for (std::size_t i = 0; i < counters.size(); ++i) {
            const v1::Counter& counter = counters[i];
            const std::size_t place = storage_.place(i, row);
            const bool number = counter.storage == Storage::number, count = has_count(counter);
            const std::size_t second = number && !count ? 0 : storage_.place(companion++, row);
            if (count) storage_[second] = instance_count(instance, counter);
            if (complete && counter.readable && number) {
                storage_[place] = load_number(instance.block.at(counter.definition.CounterOffset),
                                              counter.definition.CounterSize, source_.order());
                continue;
            }
            const auto value = value_of(instance, counter);
            if (!value)
                damaged(place, second, number);
            else if (number)
                storage_[place] = load_number(value->data(), value->size(), source_.order());
            else
                copy_bytes(counter, *value, instance.ordinal, place, second);
        }
    }

    /// Points the columns at the copied values.
    void bind_columns(std::size_t rows) {
        const Object::Memory::Shown now{storage_.data(), storage_.capacity(), rows};
        if (storage_.is_valid() && object_.memory().shown == now) return;
        object_.memory().shown = storage_.is_valid() ? std::optional(now) : std::nullopt;
        std::size_t companion = object_.columns.size();
        for (std::size_t i = 0; i < object_.columns.size(); ++i) {
            Column& column = object_.columns[i];
            column.values = storage_.numbers(i, rows);
            column.second = {};
            if (has_companion(source_.counters()[i])) column.second = storage_.numbers(companion++, rows);
            column.status = storage_.status(i, rows);
        }
    }

    /// Returns whether a counter has a companion, that is, a second number for each value: the length of a text or of
    /// bytes, or an instance count.
    static bool has_companion(const v1::Counter& counter) noexcept {
        return counter.storage != Storage::number || has_count(counter);
    }

  private:
    /// Returns whether an instance count follows the value in the counter block. A multi timer without a
    /// PERF_COUNTER_MULTI_BASE has its instance count in a DWORD immediately after the 8 bytes of its value
    /// (learn.microsoft.com "Counter types").
    static bool has_count(const v1::Counter& counter) noexcept {
        const CounterType type{counter.definition.CounterType};
        return counter.storage == Storage::number && counter.base < 0 && type.multi() && !type.is_base() &&
               type.form() == CounterType::Form::counter;
    }
    /// Returns the instance count after the value; 0 if the count is not within the counter block.
    std::uint64_t instance_count(const v1::Instance& instance, const v1::Counter& counter) const noexcept {
        const std::uint64_t at = std::uint64_t{counter.definition.CounterOffset} + counter.definition.CounterSize;
        const Bytes count = instance.block.slice(at, sizeof(std::uint32_t));
        return count.empty() ? 0 : load_number(count.data(), count.size(), source_.order());
    }

    void damaged(std::size_t place, std::size_t second, bool number) {
        storage_.damaged(place);
        if (!number) storage_[second] = 0;
    }

    void copy_bytes(const v1::Counter& counter, Bytes value, std::uint32_t instance, std::size_t place,
                    std::size_t second) {
        storage_[place] = text_.size();
        if (counter.storage == Storage::bytes) {
            text_.append(reinterpret_cast<const char*>(value.data()), value.size());
        } else {
            std::uint32_t page = 0;
            if (CounterType{counter.definition.CounterType}.is_ansi())
                page = object_.code_page == 0 ? usual_code_page : object_.code_page;
            append_text(text_, name_text(value, page, source_.order()), "PERF_COUNTER_BLOCK", "text",
                        object_.title_index, instance, faults_);
        }
        storage_[second] = text_.size() - storage_[place];
    }

    Object& object_;
    const v1::Object& source_;
    ColumnStorage storage_;
    std::string& text_;
    FaultSink faults_;
    bool plain_ = true;
};

}  // namespace

void SampleBuilder::begin(Sample& sample, const v1::Block& block, const FaultSink& faults, bool timed) {
    const v1::DataBlock& header = block.header();
    budget_.spend(values_used_, bytes_used_);
    values_used_ = bytes_used_ = 0;
    name_.clear();
    const auto& machine = block.machine();
    if (machine) append_text(name_, *machine, "PERF_DATA_BLOCK", "SystemName", no_index, no_index, faults);
    begin_sample(sample, SampleSource::v1, machine ? std::optional(std::string_view(name_)) : std::nullopt,
                 {faults.place().input, faults.place().record, block.bytes().offset()});
    sample.perf = {header.PerfTime, header.PerfFreq};
    sample.perf_time_100ns = header.PerfTime100nSec;
    const std::uint64_t at = block.bytes().offset() + v1::system_time_at;
    if (timed)
        set_block_time(sample, header.SystemTime, {Errc::local_time, at, "PERF_DATA_BLOCK", "SystemTime", 0, 0},
                       faults);
    sample.default_object = header.DefaultObject;
}

void SampleBuilder::add(Sample& sample, const v1::Block& block, const FaultSink& faults) {
    sample.bytes += block.bytes().size();
    bytes_used_ = sample.bytes;
    const std::uint64_t limit = budget_.limit(sample.bytes);
    std::uint64_t values_left = limit - std::min(limit, values_used_);
    const std::uint64_t before = values_left;
    name_by(block, sample.machine ? std::string_view(*sample.machine) : std::string_view{});
    if (sample.memory().used == 0) {
        if (definitions_ == Definitions::kept) sources_.reserve(block.objects().size());
        sample.memory().objects.reserve(block.objects().size());
    }
    for (const v1::ObjectEntry& entry : block.objects()) {
        v1::Object& source = this->source(sample.memory().used);
        if (const auto opened = source.open(block, entry, faults); !opened) {
            faults.add(Severity::error, opened.error(), entry.title_index);
            continue;
        }
        Object& object = sample.memory().next();
        ++sample.memory().used;
        object.memory().place = faults.place();
        describe(object, source);
        add_instances(object, source, values_left, faults);
    }
    values_used_ += before - values_left;
}

void SampleBuilder::add_instances(Object& object, const v1::Object& source, std::uint64_t& values_left,
                                  const FaultSink& faults) {
    text_.clear();
    const std::size_t rows = rows_to_expect(source);
    ColumnFiller columns(object, source, object.memory().numbers, object.memory().status, text_, faults);
    columns.begin(rows);
    InstanceFiller instances(object, name_, faults);
    instances.begin(rows);
    v1::InstanceReader reader(source, values_left, faults);
    std::array<v1::InstancePlace, v1::instances_at_once> places;
    while (reader.next(instance_)) {
        columns.copy(instance_, reader.complete(), instances.rows());
        add_instance(instances, instance_, names_);
        if (!columns.plain()) continue;
        while (const std::size_t count = reader.take_valid(places)) {
            const auto valid = std::span(places).first(count);
            columns.copy(valid, instances.rows());
            with_order(source.order(), [&]<bool host>(std::bool_constant<host> /*order*/) {
                add_valid<host>(instances, source, valid, names_);
            });
        }
    }
    instances.end();
    columns.bind_columns(object.instances.size());
    object.memory().text = text_;
}

/// Selects the title tables for a block.
void SampleBuilder::name_by(const v1::Block& block, std::string_view machine) {
    const std::size_t tables = titles_ == nullptr ? 0 : titles_->tables().size();
    const bool own_titles = block.own_title_indices();
    if (naming_by_.titles == titles_ && naming_by_.tables == tables && naming_by_.own_titles == own_titles &&
        naming_by_.machine == machine)
        return;
    naming_by_ = {titles_, tables, own_titles, std::string(machine)};
    if (titles_ != nullptr) tables_ = titles_->in_scope({!own_titles, naming_by_.machine});
}

/// Returns the `v1::Object` that reads the object at a position in the sample. If definitions are kept, each position
/// has its own `v1::Object`; otherwise there is only one.
v1::Object& SampleBuilder::source(std::size_t position) {
    const bool kept = definitions_ == Definitions::kept;
    if (!kept) position = 0;
    if (sources_.size() == position) sources_.emplace_back(kept);
    return sources_[position];
}

/// Sets the title indices, names and help texts of an object and its counters from the headers and definitions of the
/// V1 object `source`. Looks titles up again only if the definitions or the title tables have changed.
void SampleBuilder::describe(Object& object, const v1::Object& source) const {
    const v1::ObjectType& header = source.header();
    Object::Memory& memory = object.memory();
    const bool same_tables = memory.named_by == naming_by_;
    if (!same_tables) {
        memory.named_by = naming_by_;
        memory.other_names.reset();
    }
    const auto set_titles = [&](auto& titled, std::uint32_t name, std::uint32_t help, bool known) {
        if (!known || titled.title_index != name) titled.name = tables_.find(name);
        if (!known || titled.help_index != help) titled.help = tables_.find(help);
        titled.title_index = name;
        titled.help_index = help;
    };
    set_titles(object, header.ObjectNameTitleIndex, header.ObjectHelpTitleIndex, same_tables);
    object.counterset.reset();
    object.detail_level = header.DetailLevel;
    object.code_page = header.CodePage;
    object.kind = source.kind();
    object.clock = {header.PerfTime, header.PerfFreq};
    DefinitionsKey& key = memory.definitions;
    const auto place = static_cast<std::uint64_t>(&source - sources_.data());
    const bool same = key.builder == self_ && key.revision == source.revision() && key.position == place;
    if (same && same_tables) return;
    if (!same) key = {self_, source.revision(), place};
    memory.shown.reset();
    const auto counters = source.counters();
    const std::size_t known = same_tables ? object.columns.size() : 0;
    if (object.columns.size() > counters.size()) object.columns.resize(counters.size());
    object.columns.reserve(counters.size());
    for (std::size_t i = 0; i < counters.size(); ++i) {
        const v1::CounterDefinition& definition = counters[i].definition;
        // Each new column is made just before it is filled, so that its memory is still in the processor's nearest
        // cache.
        Column& column = i < object.columns.size() ? object.columns[i] : object.columns.emplace_back();
        set_titles(column, definition.CounterNameTitleIndex, definition.CounterHelpTitleIndex, i < known);
        column.type = definition.CounterType;
        column.attributes = 0;
        column.size = definition.CounterSize;
        column.offset = definition.CounterOffset;
        column.scale = definition.DefaultScale;
        column.detail_level = definition.DetailLevel;
        column.base = counters[i].base;
        column.time = column.frequency = column.multi = -1;
        column.storage = counters[i].storage;
        column.multi_count = column.taken = {};
        column.time_base.reset();
    }
    memory.tables.clear();
    for (const Column& column : object.columns) add_table(memory.tables, table_of(column.name));
    memory.companions = static_cast<std::size_t>(std::ranges::count_if(counters, ColumnFiller::has_companion));
}

void SampleBuilder::finish(Sample& sample, std::uint32_t number, const FaultSink& faults) {
    sample.memory().index_titles();
    check_parents(sample, number, faults);
    auto& tables = sample.memory().tables;
    for (const Object& object : sample.objects()) {
        add_table(tables, table_of(object.name));
        for (const std::uint32_t table : object.memory().tables) add_table(tables, table);
    }
    if (tables.size() > 1) std::ranges::sort(tables, {}, [this](std::uint32_t table) { return tables_.place(table); });
}

void SampleBuilder::check_parents(const Sample& sample, std::uint32_t number, const FaultSink& faults) const {
    for (const Object& object : sample.objects())
        if (!has_valid_parents(sample, object)) check_parents(sample, object, number, faults);
}

/// Returns whether the parents of an object's instances are certainly valid, so that they need not be checked one by
/// one. This is so in two cases: no instance has a parent, or all instances have parents in one object of the sample
/// and the instances of that object have no parents. One of the two cases applies to all data that Windows sends. Uses
/// the summary in `Object::Memory::parents`, because reading all instances would be slower.
bool SampleBuilder::has_valid_parents(const Sample& sample, const Object& object) noexcept {
    const auto [title, last, differ] = object.memory().parents;
    if (differ || title == 0) return !differ;
    const auto found = sample.find(title);
    if (!found) return false;
    const Object& parents = sample.objects()[*found];
    return last < parents.instances.size() && parents.memory().parents.object == 0 && !parents.memory().parents.differ;
}

/// Checks the parents of an object's instances. Reports each kind of fault once per object. Otherwise, for example, a
/// missing object Process would be reported for every thread.
void SampleBuilder::check_parents(const Sample& sample, const Object& object, std::uint32_t number,
                                  const FaultSink& faults) const {
    bool missing = false, outside = false, cycle = false;
    const auto report = [&](bool& reported, Errc code, std::size_t row, std::uint64_t expected, std::uint64_t found) {
        if (std::exchange(reported, true)) return;
        const bool by_object = code == Errc::parent_missing;
        const Error error{code,
                          object.instances[row].offset + (by_object ? 4 : 8),
                          "PERF_INSTANCE_DEFINITION",
                          by_object ? "ParentObjectTitleIndex" : "ParentObjectInstance",
                          expected,
                          found};
        faults.at({object.memory().place.input, object.memory().place.record, number})
            .add(error, object.title_index, static_cast<std::uint32_t>(row));
    };
    for (std::size_t row = 0; row < object.instances.size(); ++row) {
        const Instance& instance = object.instances[row];
        if (instance.parent_object == 0) continue;
        const auto parent = sample.find(instance.parent_object);
        if (!parent) {
            report(missing, Errc::parent_missing, row, 0, instance.parent_object);
        } else if (const auto count = sample.objects()[*parent].instances.size(); instance.parent_instance >= count) {
            report(outside, Errc::parent_outside, row, std::uint64_t{instance.parent_instance} + 1, count);
        } else if (!cycle && !ancestry_ends(sample, instance, limits_.parents)) {
            report(cycle, Errc::parent_cycle, row, 0, 0);
        }
    }
}

}  // namespace hkpd
