#include <algorithm>
#include <utility>

#include "column_filler.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {
namespace {

/// Whether the chain of parents comes to an end: one that leads back to itself does not.
bool ancestry_ends(const Sample& sample, const Instance& instance, std::uint32_t most) noexcept {
    auto parent = sample.parent(instance);
    for (std::uint32_t step = 0; parent && step < most; ++step)
        parent = sample.parent(sample.objects()[parent->object].instances[parent->instance]);
    return !parent;
}

}  // namespace

void SampleBuilder::begin(Sample& sample, const v1::Block& block, Diagnostics& diagnostics) {
    const v1::DataBlock& header = block.header();
    values_used_ = 0;
    sample.used_ = 0;
    sample.tables_.clear();
    read_machine(sample, block, diagnostics);
    sample.system_time.reset();
    if (header.SystemTime.valid()) sample.system_time = header.SystemTime;
    sample.perf = {header.PerfTime, header.PerfFreq};
    sample.perf_time_100ns = header.PerfTime100nSec;
    sample.default_object = header.DefaultObject;
    sample.source = SampleSource::v1;
    sample.bytes = 0;
    sample.origin = {diagnostics.input(), diagnostics.record(), block.bytes().offset()};
}

void SampleBuilder::read_machine(Sample& sample, const v1::Block& block, Diagnostics& diagnostics) {
    const auto& machine = block.machine();
    if (!machine) return sample.machine.reset();
    if (!sample.machine) sample.machine.emplace();
    sample.machine->clear();
    append_text(*sample.machine, *machine, "PERF_DATA_BLOCK", "SystemName", no_index, no_index, diagnostics);
}

void SampleBuilder::add(Sample& sample, const v1::Block& block, Diagnostics& diagnostics) {
    sample.bytes += block.bytes().size();
    const std::uint64_t limit = limits_.values_for(sample.bytes);
    std::uint64_t values_left = limit - std::min(limit, values_used_);
    const std::uint64_t before = values_left;
    naming_by_.titles = titles_;
    naming_by_.tables = titles_ == nullptr ? 0 : titles_->tables().size();
    naming_by_.own_titles = block.own_title_indices();
    naming_by_.machine.assign(sample.machine ? std::string_view(*sample.machine) : std::string_view{});
    for (const v1::ObjectEntry& entry : block.objects()) {
        if (const auto opened = source_.open(block, entry, diagnostics); !opened)
            diagnostics.add(Severity::error, opened.error(), entry.title_index);
        else
            add_object(sample, values_left, diagnostics);
    }
    values_used_ += before - values_left;
}

void SampleBuilder::add_object(Sample& sample, std::uint64_t& values_left, Diagnostics& diagnostics) {
    if (sample.used_ == sample.objects_.size()) sample.objects_.emplace_back();
    Object& object = sample.objects_[sample.used_++];
    object.input_ = diagnostics.input();
    object.record_ = diagnostics.record();
    name_object(object, source_.header());
    sample.note_title(sample.used_ - 1);
    object.kind = source_.kind();
    constexpr std::size_t first_guess = 16;
    const auto rows =
        std::min<std::size_t>(std::max(object.instances.size(), first_guess), source_.expected_instances());
    object.instances.clear();
    object.names_.clear();
    text_.clear();

    ColumnFiller filler(object, source_, object.numbers_, object.status_, text_, diagnostics);
    filler.begin(rows);
    v1::InstanceReader reader(source_, values_left, diagnostics);
    v1::Instance instance;
    while (reader.next(instance)) {
        filler.copy(instance, reader.complete(), object.instances.size());
        add_instance(object, instance, diagnostics);
    }
    filler.show(object.instances.size());
    object.take_text(text_);
}

void SampleBuilder::add_instance(Object& object, const v1::Instance& instance, Diagnostics& diagnostics) {
    Instance& added = object.instances.emplace_back();
    const std::size_t begin = text_.size();
    if (const auto& name = instance.name) {
        added.name.emplace();  // shown when the text has stopped moving
        append_text(text_, *name, "PERF_INSTANCE_DEFINITION", "name", object.title_index, instance.ordinal,
                    diagnostics);
    }
    object.names_.push_back({begin, text_.size() - begin});
    const v1::InstanceDefinition& definition = instance.definition;
    if (definition.UniqueID != v1::no_unique_id) added.unique_id = definition.UniqueID;
    added.parent_object = definition.ParentObjectTitleIndex;
    added.parent_instance = definition.ParentObjectInstance;
    added.offset = instance.offset;
}

void SampleBuilder::name_object(Object& object, const v1::ObjectType& header) const {
    const auto counters = source_.counters();
    const bool same_tables = object.named_by_ == naming_by_;
    if (!same_tables) object.named_by_ = naming_by_;
    object.counterset.reset();
    object.title_index = header.ObjectNameTitleIndex;
    object.help_index = header.ObjectHelpTitleIndex;
    object.detail_level = header.DetailLevel;
    object.code_page = header.CodePage;
    object.clock = {header.PerfTime, header.PerfFreq};
    object.name = title(object.title_index);
    object.help = title(object.help_index);
    const std::size_t known = same_tables ? object.columns.size() : 0;
    object.columns.resize(counters.size());
    for (std::size_t i = 0; i < counters.size(); ++i) {
        const v1::CounterDefinition& definition = counters[i].definition;
        Column& column = object.columns[i];
        // Titles are looked up again only where the object in this place has changed.
        const bool same = i < known && column.title_index == definition.CounterNameTitleIndex &&
                          column.help_index == definition.CounterHelpTitleIndex;
        column.title_index = definition.CounterNameTitleIndex;
        column.help_index = definition.CounterHelpTitleIndex;
        if (!same) {
            column.name = title(column.title_index);
            column.help = title(column.help_index);
        }
        column.type = definition.CounterType;
        column.attributes = 0;
        column.time = column.frequency = column.multi = -1;
        column.size = definition.CounterSize;
        column.offset = definition.CounterOffset;
        column.scale = definition.DefaultScale;
        column.detail_level = definition.DetailLevel;
        column.base = counters[i].base;
        column.storage = counters[i].storage;
        column.clock.reset();
    }
}

std::optional<Titles::Answer> SampleBuilder::title(std::uint32_t index) const {
    if (titles_ == nullptr) return std::nullopt;
    return titles_->find(index, {!naming_by_.own_titles, naming_by_.machine});
}

void SampleBuilder::finish(Sample& sample, std::uint32_t number, Diagnostics& diagnostics) {
    check_parents(sample, number, diagnostics);
    const auto note = [&sample](const std::optional<Titles::Answer>& answer) {
        if (answer && std::ranges::find(sample.tables_, answer->table) == sample.tables_.end())
            sample.tables_.push_back(answer->table);
    };
    for (const Object& object : sample.objects()) {
        note(object.name);
        for (const Column& column : object.columns) note(column.name);
    }
    if (sample.tables_.size() > 1)
        std::ranges::sort(sample.tables_, {}, [this](std::uint32_t table) {
            return std::ranges::find(titles_->order(), table) - titles_->order().begin();
        });
}

/// Once for each object and kind of fault: a missing object would otherwise be told for every thread.
void SampleBuilder::check_parents(const Sample& sample, std::uint32_t number, Diagnostics& diagnostics) const {
    for (const Object& object : sample.objects()) {
        bool missing = false, outside = false, cycle = false;
        const auto report = [&](bool& told, Severity severity, Errc code, std::size_t row, std::uint64_t need,
                                std::uint64_t have) {
            if (std::exchange(told, true)) return;
            const bool by_object = code == Errc::parent_missing;
            const Error error{code,
                              object.instances[row].offset + (by_object ? 4 : 8),
                              "PERF_INSTANCE_DEFINITION",
                              by_object ? "ParentObjectTitleIndex" : "ParentObjectInstance",
                              need,
                              have};
            diagnostics.add({severity, error, object.title_index, static_cast<std::uint32_t>(row), number,
                             object.input_, object.record_});
        };
        for (std::size_t row = 0; row < object.instances.size(); ++row) {
            const Instance& instance = object.instances[row];
            if (instance.parent_object == 0) continue;
            const auto parent = sample.find(instance.parent_object);
            if (!parent) {
                report(missing, Severity::note, Errc::parent_missing, row, 0, instance.parent_object);
            } else if (const auto count = sample.objects()[*parent].instances.size();
                       instance.parent_instance >= count) {
                report(outside, Severity::warning, Errc::parent_outside, row,
                       std::uint64_t{instance.parent_instance} + 1, count);
            } else if (!cycle && !ancestry_ends(sample, instance, limits_.parents)) {
                report(cycle, Severity::warning, Errc::parent_cycle, row, 0, 0);
            }
        }
    }
}

}  // namespace hkpd
