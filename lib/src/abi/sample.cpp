// The C interface: the current sample, its objects, columns and instances, and the faults.

#include <span>

#include "abi/reader.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/identity.hpp"

using hkpd::abi::fill;
using hkpd::abi::fill_all;
using hkpd::abi::filled_or_argument;
using hkpd::abi::guarded;
using hkpd::abi::set;

namespace {

std::optional<std::string_view> text_of(const std::optional<hkpd::Titles::Answer>& answer) noexcept {
    return answer ? std::optional(answer->text) : std::nullopt;
}

std::optional<std::string_view> unless_empty(std::string_view text) noexcept {
    return text.empty() ? std::nullopt : std::optional(text);
}

template <class Value>
const Value* data_of(std::span<const Value> values) noexcept {
    return values.empty() ? nullptr : values.data();
}

hkpd_sample describe(const hkpd_reader& reader) noexcept {
    const hkpd::Sample& sample = reader.reader->sample();
    hkpd_sample made{};
    made.number = reader.reader->number();
    made.source = static_cast<std::uint32_t>(sample.source);
    set(made.machine, made.machine_size, sample.machine);
    const auto time = hkpd::unix_time(sample);
    made.time = time.value_or(0);
    made.has_time = time ? 1 : 0;
    made.default_object = sample.default_object;
    made.object_count = sample.objects().size();
    made.perf_time = sample.perf.time;
    made.perf_frequency = sample.perf.frequency;
    made.perf_time_100ns = sample.perf_time_100ns;
    made.bytes = sample.bytes;
    made.local_time = sample.is_zone_stated() ? 0 : 1;
    return made;
}

/// Returns the column at a position of the current sample; null if there is none.
const hkpd::Column* column_at(const hkpd_reader* reader, std::size_t object, std::size_t column) noexcept {
    const hkpd::Object* const found = reader == nullptr ? nullptr : reader->object(object);
    return found == nullptr || column >= found->columns.size() ? nullptr : &found->columns[column];
}

/// Returns the status for a position that is not in the current sample.
hkpd_status not_found(const hkpd_reader* reader) noexcept {
    if (reader == nullptr || reader->has_sample) return HKPD_ERROR_ARGUMENT;
    return reader->without_sample();
}

}  // namespace

const char* hkpd_reason_name(uint8_t reason) {
    constexpr auto last = static_cast<std::uint8_t>(hkpd::Reason::not_recorded);
    if (reason == 0 || reason > last) return "";
    return hkpd::reason_name(static_cast<hkpd::Reason>(reason)).data();
}

const char* hkpd_type_name(uint32_t type) {
    const std::string_view name = hkpd::counter_type_name(type);
    return name.empty() ? "" : name.data();
}

hkpd_status hkpd_next(hkpd_reader* reader, hkpd_sample* sample) {
    if (reader == nullptr || (sample != nullptr && !hkpd::abi::take(sample))) return HKPD_ERROR_ARGUMENT;
    if (reader->streaming) return HKPD_ERROR_STATE;
    return guarded(*reader, [&]() -> hkpd_status {
        if (!reader->next()) return HKPD_END;
        if (sample != nullptr) fill(sample, describe(*reader));
        return HKPD_OK;
    });
}

hkpd_status hkpd_get_object(hkpd_reader* reader, size_t object, hkpd_object* filled) {
    const hkpd::Object* const found = reader == nullptr ? nullptr : reader->object(object);
    if (found == nullptr) return not_found(reader);
    hkpd_object made{};
    made.index = found->title_index;
    made.help_index = found->help_index;
    set(made.name, made.name_size, text_of(found->name));
    set(made.help, made.help_size, text_of(found->help));
    if (found->counterset) {
        std::memcpy(std::data(made.counterset), found->counterset->bytes.data(), sizeof made.counterset);
        made.has_counterset = 1;
    }
    made.kind = static_cast<std::uint32_t>(found->kind);
    made.detail_level = found->detail_level;
    made.code_page = found->code_page;
    made.perf_time = found->clock.time;
    made.perf_frequency = found->clock.frequency;
    made.instance_count = found->instances.size();
    made.column_count = found->columns.size();
    return filled_or_argument(fill(filled, made));
}

hkpd_status hkpd_get_instances(hkpd_reader* reader, size_t object, size_t first, size_t count, hkpd_instance* filled) {
    const hkpd::Object* const found = reader == nullptr ? nullptr : reader->object(object);
    if (found == nullptr) return not_found(reader);
    const auto& instances = found->instances;
    if (first > instances.size() || count > instances.size() - first) return HKPD_ERROR_ARGUMENT;
    return guarded(*reader, [&]() -> hkpd_status {
        const hkpd::Sample& sample = reader->reader->sample();
        hkpd::RunInstances& run = *hkpd::RunInstances::of(sample);
        const hkpd::ObjectInstances& known = run.instances(sample, object);
        return fill_all(filled, first, count, [&](std::size_t row) {
            const hkpd::Instance& instance = instances[row];
            hkpd_instance made{};
            set(made.name, made.name_size, instance.name);
            made.number = known.places[row];
            made.pid = HKPD_NO_INDEX;
            if (const auto identity = run.named(known.numbers[row])) {
                made.pid = identity->pid.value_or(HKPD_NO_INDEX);
                made.life = identity->life;
                made.instance_id = identity->instance_id.value_or(0);
                made.has_instance_id = identity->instance_id ? 1 : 0;
            }
            made.id = instance.unique_id.value_or(-1);
            made.has_id = instance.unique_id ? 1 : 0;
            const auto parent = sample.parent(instance);
            made.parent_object = parent ? static_cast<std::uint32_t>(parent->object) : HKPD_NO_INDEX;
            made.parent_instance = parent ? static_cast<std::uint32_t>(parent->instance) : HKPD_NO_INDEX;
            if (parent)
                set(made.parent, made.parent_size, sample.objects()[parent->object].instances[parent->instance].name);
            made.offset = instance.offset;
            return made;
        });
    });
}

hkpd_status hkpd_get_column(hkpd_reader* reader, size_t object, size_t column, hkpd_column* filled) {
    const hkpd::Column* const found = column_at(reader, object, column);
    if (found == nullptr) return not_found(reader);
    static_assert(sizeof(hkpd::ValueStatus) == sizeof(std::uint32_t));
    hkpd_column made{};
    made.index = found->title_index;
    made.help_index = found->help_index;
    set(made.name, made.name_size, text_of(found->name));
    set(made.help, made.help_size, text_of(found->help));
    made.type = found->type;
    made.storage = static_cast<std::uint32_t>(found->storage);
    made.attributes = found->attributes;
    made.value_size = found->size;
    made.offset = found->offset;
    made.scale = found->scale;
    made.detail_level = found->detail_level;
    made.base = found->base;
    made.time = found->time;
    made.frequency = found->frequency;
    made.multi = found->multi;
    made.count = found->values.size();
    made.values = data_of(found->values);
    made.second = data_of(found->second);
    made.status = reinterpret_cast<const std::uint32_t*>(data_of(found->status));
    made.multi_count = data_of(found->multi_count);
    made.taken = data_of(found->taken);
    made.time_base = found->time_base.value_or(0);
    made.has_time_base = found->time_base ? 1 : 0;
    return filled_or_argument(fill(filled, made));
}

hkpd_status hkpd_get_cooked(hkpd_reader* reader, size_t object, size_t column, hkpd_cooked* filled) {
    const hkpd::Column* const found = column_at(reader, object, column);
    if (found == nullptr) return not_found(reader);
    static_assert(sizeof(hkpd::Reason) == sizeof(std::uint8_t));
    return guarded(*reader, [&]() -> hkpd_status {
        const hkpd::CookedColumn cooked = reader->reader->cooked(*reader->object(object), *found);
        hkpd_cooked made{};
        made.count = cooked.values.size();
        made.values = data_of(cooked.values);
        made.reasons = reinterpret_cast<const std::uint8_t*>(data_of(cooked.reasons));
        return filled_or_argument(fill(filled, made));
    });
}

hkpd_status hkpd_get_text(hkpd_reader* reader, size_t object, size_t column, size_t row, const char** text,
                          size_t* size) {
    const hkpd::Column* const found = column_at(reader, object, column);
    if (found == nullptr) return not_found(reader);
    if (text == nullptr || size == nullptr || row >= found->values.size() || found->storage == hkpd::Storage::number)
        return HKPD_ERROR_ARGUMENT;
    set(*text, *size, reader->object(object)->bytes(*found, row));
    return HKPD_OK;
}

uint64_t hkpd_count_faults(const hkpd_reader* reader, hkpd_severity severity) {
    if (reader == nullptr || severity > HKPD_ERROR) return 0;
    return reader->faults.count(static_cast<hkpd::Severity>(severity));
}

size_t hkpd_fault_count(const hkpd_reader* reader) { return reader == nullptr ? 0 : reader->faults.kept().size(); }

hkpd_status hkpd_get_fault(hkpd_reader* reader, size_t index, hkpd_fault* filled) {
    if (reader == nullptr || index >= reader->faults.kept().size()) return HKPD_ERROR_ARGUMENT;
    return guarded([&]() -> hkpd_status {
        const hkpd::Diagnostic& fault = reader->faults.kept()[index];
        hkpd_fault made{};
        made.severity = static_cast<std::uint32_t>(fault.severity);
        made.sample = fault.place.sample;
        made.record = fault.place.record;
        made.object = fault.object;
        made.instance = fault.instance;
        made.has_offset = hkpd::has_place(fault.error.code) ? 1 : 0;
        made.offset = fault.error.offset;
        made.expected = fault.error.expected;
        made.found = fault.error.found;
        made.code = hkpd::code_name(fault.error.code).data();
        if (fault.place.input < reader->faults.inputs().size())
            set(made.input, made.input_size, reader->faults.inputs()[fault.place.input]);
        set(made.structure, made.structure_size, unless_empty(fault.error.structure));
        set(made.field, made.field_size, unless_empty(fault.error.field));
        reader->message.clear();
        append_message(reader->message, fault);
        set(made.message, made.message_size, reader->message);
        return filled_or_argument(fill(filled, made));
    });
}
