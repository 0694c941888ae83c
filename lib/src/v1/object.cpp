#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/text/encoding.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/v1.hpp"
#include "v1/decode.hpp"
#include "v1/instance_list.hpp"
#include "v1/object_chain.hpp"

namespace hkpd::v1 {
namespace {

constexpr std::string_view object_structure = "PERF_OBJECT_TYPE";
constexpr std::string_view counter_structure = "PERF_COUNTER_DEFINITION";

Kind kind_of(std::int32_t instances) noexcept {
    switch (instances) {
        case no_instances:
            return Kind::single;
        case metadata_multiple:
            return Kind::metadata_multi;
        case metadata_no_instances:
            return Kind::metadata_single;
        default:
            return Kind::multi;
    }
}

}  // namespace

std::expected<void, Error> Object::open(const Block& block, const ObjectEntry& entry, const FaultSink& faults) {
    bytes_ = entry.bytes;
    order_ = block.order();
    list_ = {};
    count_ = 0;
    whole_ = false;
    const std::uint64_t at = bytes_.offset();
    if (bytes_.size() < object_type_size)
        return std::unexpected(Error{Errc::object_header, at, object_structure, "", object_type_size, bytes_.size()});
    read_object_type(bytes_.data(), order_, header_);
    kind_ = kind_of(header_.NumInstances);
    if (header_.NumInstances > 0) list_.count = static_cast<std::uint32_t>(header_.NumInstances);
    const bool known = take_known_definitions(faults);
    const bool lengths_valid = known || correct_definitions(faults);
    const std::uint32_t header = header_.HeaderLength, definitions = header_.DefinitionLength;
    if (definitions < object_type_size)
        return std::unexpected(Error{Errc::definition_length, at + 4, object_structure, "DefinitionLength",
                                     object_type_size, definitions});
    if (header < object_type_size || header > definitions)
        return std::unexpected(
            Error{Errc::object_header, at + 8, object_structure, "HeaderLength", object_type_size, header});
    if (definitions > bytes_.size())
        return std::unexpected(
            Error{Errc::definition_length, at + 4, object_structure, "DefinitionLength", bytes_.size(), definitions});
    if (header_.NumInstances < metadata_no_instances)
        faults.add(Severity::error,
                   {Errc::instance_count, at + 40, object_structure, "NumInstances", 0,
                    static_cast<std::uint32_t>(header_.NumInstances)},
                   entry.title_index);
    if (!known) read_definitions(lengths_valid, faults);
    if (!clipped()) correct_kind(faults);
    plan_values(known, faults);
    return {};
}

/// Returns the bytes of the counter definitions.
Bytes Object::definitions() const noexcept {
    return bytes_.slice(header_.HeaderLength, header_.DefinitionLength - header_.HeaderLength);
}

/// Returns whether `counters_` can be used again: whether the definitions equal, byte for byte, the last ones that were
/// read without faults. Unusual sizes of counters do not count as faults here. If the result is true, the function has
/// updated the offsets in `counters_` and reported the unusual sizes again.
bool Object::take_known_definitions(const FaultSink& faults) {
    if (header_.HeaderLength > header_.DefinitionLength || header_.DefinitionLength > bytes_.size()) return false;
    const Bytes here = definitions();
    if (known_definitions_.empty() || known_definitions_.size() != here.size() || known_order_ != order_ ||
        known_count_ != header_.NumCounters || std::memcmp(known_definitions_.data(), here.data(), here.size()) != 0)
        return false;
    const std::uint64_t moved = here.offset() - std::exchange(known_offset_, here.offset());
    for (Counter& counter : counters_) counter.offset += moved;
    for (const std::uint32_t position : unusual_sizes_) report_size(counters_[position], faults);
    return true;
}

/// Reads the counter definitions. `lengths_valid`: whether it is already known that the definitions, with the lengths
/// in their ByteLength fields, end exactly at DefinitionLength.
void Object::read_definitions(bool lengths_valid, const FaultSink& faults) {
    const auto before = faults.count();
    ++revision_;
    counters_.clear();
    unusual_sizes_.clear();
    read_counters(lengths_valid, faults);
    known_definitions_.clear();
    // Definitions with faults other than unusual sizes are not kept. If `before` is none, faults are not counted. There
    // may then have been such faults, so the definitions are not kept either.
    if (!keeps_definitions_ || !before || faults.count() != *before + unusual_sizes_.size()) return;
    const Bytes here = definitions();
    known_definitions_.assign(here.span().begin(), here.span().end());
    known_offset_ = here.offset();
    known_order_ = order_;
    known_count_ = header_.NumCounters;
}

/// Computes the layout that all instances share: where the numbers are in a counter block, and how many bytes of the
/// block the values need. Also computes how many values each instance counts as for the limit on values. `known`:
/// whether the counters are the same as in the previous call.
void Object::plan_values(bool known, const FaultSink& faults) {
    // Values must lie inside a counter block, but this can be checked only if the object must have a counter block. An
    // object has no counter block if NumInstances states that it has no instances now, or only definitions (metadata).
    // If bytes of the object are missing (`clipped`), the missing bytes are reported elsewhere.
    const bool blocks_due = !clipped() && (kind_ == Kind::single || list_.count != 0);
    const std::uint64_t definition = kind_ == Kind::multi ? instance_definition_size : 0;
    const std::uint64_t after = bytes_.size() - header_.DefinitionLength;
    const std::uint64_t space = !blocks_due          ? std::numeric_limits<std::uint64_t>::max()
                                : after > definition ? after - definition
                                                     : 0;
    if (known && all_readable_ && values_end_ <= space) return;
    numbers_.clear();
    numbers_.reserve(counters_.size());
    values_per_instance_ = values_end_ = 0;
    all_readable_ = true;
    std::uint32_t position = 0;
    for (Counter& counter : counters_) {
        counter.readable = true;
        const std::uint32_t offset = counter.definition.CounterOffset, size = counter.definition.CounterSize;
        const std::uint64_t end = counter.value_end();
        if (size != 0 && (offset < counter_block_size || end > space)) set_unreadable(counter, space, faults);
        // A long value counts in proportion to its length, so that the limit on values also limits memory.
        values_per_instance_ += counter.readable && size > 8 ? size / 8 : 1;
        all_readable_ = all_readable_ && counter.readable;
        if (counter.readable) {
            values_end_ = std::max(values_end_, end);
            if (counter.storage == Storage::number) numbers_.push_back({offset, size, position});
        }
        counter.number_size =
            counter.readable && counter.storage == Storage::number ? static_cast<std::uint8_t>(size) : 0;
        ++position;
    }
    values_per_instance_ = std::max<std::uint64_t>(values_per_instance_, 1);
}

/// Marks a counter as unreadable and reports the reason: its value overlaps the ByteLength of the counter block, or
/// lies outside any counter block that the object can contain. `space`: the largest possible counter block, in bytes.
void Object::set_unreadable(Counter& counter, std::uint64_t space, const FaultSink& faults) const {
    const bool low = counter.definition.CounterOffset < counter_block_size;
    counter.readable = false;
    faults.add({low ? Errc::counter_overlaps_length : Errc::counter_outside_block, counter.offset + 36,
                counter_structure, "CounterOffset", low ? counter_block_size : space,
                low ? counter.definition.CounterOffset : counter.value_end()},
               header_.ObjectNameTitleIndex);
}

/// Corrects HeaderLength and DefinitionLength. If the stated lengths lead through all definitions to their stated end,
/// corrects nothing and returns true. Otherwise returns false.
///
/// HeaderLength is set to its usual value in two cases. In the first case, definitions that begin at the usual offset
/// end where DefinitionLength states. In the second case, all definitions fit at the usual offset, but not at the
/// stated one. DefinitionLength is set to the end of the definitions if the instances, or the only counter block, begin
/// there and not where DefinitionLength states.
bool Object::correct_definitions(const FaultSink& faults) {
    const std::uint32_t header = header_.HeaderLength, definitions = header_.DefinitionLength;
    std::uint64_t end = definitions_end(header);
    if (end == definitions) return true;
    const std::uint64_t usual_end = definitions_end(object_type_size);
    if (header != object_type_size && usual_end != 0 && (usual_end == definitions || end == 0)) {
        header_.HeaderLength = object_type_size;
        end = usual_end;
        faults.add(
            {Errc::length_corrected, bytes_.offset() + 8, object_structure, "HeaderLength", object_type_size, header},
            header_.ObjectNameTitleIndex);
    }
    if (end == 0 || end == definitions || clipped() || is_start_of_values(definitions) || !is_start_of_values(end))
        return false;
    header_.DefinitionLength = static_cast<std::uint32_t>(end);
    faults.add({Errc::length_corrected, bytes_.offset() + 4, object_structure, "DefinitionLength", end, definitions},
               header_.ObjectNameTitleIndex);
    return false;
}

/// Returns the offset at which the definitions end if they begin at `from`; 0 if fewer than NumCounters definitions fit
/// there.
std::uint64_t Object::definitions_end(std::uint64_t from) const noexcept {
    if (from < object_type_size) return 0;
    for (std::uint32_t count = 0; count < header_.NumCounters; ++count) {
        if (!bytes_.contains(from, counter_definition_size)) return 0;
        const auto length = load<std::uint32_t>(bytes_.at(from), order_);
        if (length < counter_definition_size || !bytes_.contains(from, length)) return 0;
        from += length;
    }
    return from;
}

/// Returns whether the instances, or the only counter block, begin at `at` and end where the object ends. Up to 7 bytes
/// of padding may follow. If the object has neither instances nor a counter block, only such padding may follow `at`.
bool Object::is_start_of_values(std::uint64_t at) const noexcept {
    if (at < object_type_size || at > bytes_.size()) return false;
    if (kind_ == Kind::multi) return leads_to_end({bytes_, order_, at, list_.count, 0});
    const std::uint64_t space = bytes_.size() - at;
    const auto block = space >= counter_block_size ? load<std::uint32_t>(bytes_.at(at), order_) : 0;
    return kind_ != Kind::single ? space < 8 : block >= counter_block_size && block <= space && space - block < 8;
}

/// Corrects the kind of an object (a list of instances, one counter block, or no values) if NumInstances states the
/// wrong kind. Without the correction, values would be read from the fields of the first instance, or not at all. The
/// object has a list if all its bytes after the definitions are instances.
void Object::correct_kind(const FaultSink& faults) {
    const std::uint64_t at = header_.DefinitionLength, space = bytes_.size() - at;
    const Kind stated = std::exchange(kind_, Kind::single);
    const bool lone_block = is_start_of_values(at);
    kind_ = stated;
    if (stated == Kind::multi) {
        if (!lone_block || is_start_of_values(at)) return;
        kind_ = Kind::single;
        return report_count(Severity::error, static_cast<std::uint32_t>(no_instances), faults);
    }
    if (stated == Kind::single && lone_block) return;
    const ListPlan plan = plan_list({bytes_, order_, at, no_index, 0});
    if (stated != Kind::metadata_single && plan.list.count != 0 && !plan.fault) {
        kind_ = Kind::multi;
        list_ = plan.list;
        report_count(stated == Kind::single ? Severity::warning : Severity::error, list_.count, faults);
    } else if (stated != Kind::single && space >= 8) {
        // Objects of the metadata kinds have only definitions. But a provider may add a counter block whose values are
        // all zero.
        const bool empty = lone_block && is_zero(bytes_.from(at + counter_block_size));
        if (lone_block && !empty) {
            kind_ = Kind::single;
            report_count(Severity::error, static_cast<std::uint32_t>(no_instances), faults);
        } else if (empty) {
            faults.add(Severity::note, {Errc::leftover_bytes, bytes_.offset() + at, object_structure, "", 0, space},
                       header_.ObjectNameTitleIndex);
        } else {
            report_leftover(bytes_.from(at), object_structure, header_.ObjectNameTitleIndex, faults);
        }
    }
}

void Object::report_count(Severity severity, std::uint32_t count, const FaultSink& faults) const {
    faults.add(severity,
               {Errc::instance_count, bytes_.offset() + 40, object_structure, "NumInstances", count,
                static_cast<std::uint32_t>(header_.NumInstances)},
               header_.ObjectNameTitleIndex);
}

/// Returns the ByteLength of the definition at `at`; 0 if this length is too short for a definition or exceeds the
/// space left for definitions.
std::uint32_t Object::definition_length(std::uint64_t at) const noexcept {
    const std::uint64_t space = header_.DefinitionLength - at;
    if (space < counter_definition_size) return 0;
    const auto length = load<std::uint32_t>(bytes_.at(at), order_);
    return length < counter_definition_size || length > space ? 0 : length;
}

/// Returns the number of counter definitions from `at` on if they end exactly where DefinitionLength states; otherwise
/// 0.
std::uint32_t Object::definitions_from(std::uint64_t at) const noexcept {
    std::uint32_t count = 0;
    for (; at < header_.DefinitionLength; ++count) {
        const std::uint32_t length = definition_length(at);
        if (length == 0) return 0;
        at += length;
    }
    return count;
}

/// Returns whether the ByteLength fields of the definitions are right: they lead through NumCounters definitions. Also
/// returns true if fewer definitions, all of the usual size, fill the space for definitions. In this case NumCounters
/// is wrong, and the lengths are right.
bool Object::lengths_add_up() const noexcept {
    std::uint64_t at = header_.HeaderLength;
    std::uint32_t count = 0;
    for (; count < header_.NumCounters && header_.DefinitionLength - at >= counter_definition_size; ++count) {
        const std::uint32_t length = definition_length(at);
        if (length == 0) return false;
        at += length;
    }
    return count == header_.NumCounters || at - header_.HeaderLength == count * counter_definition_size;
}

std::uint32_t Object::expected_instances() const noexcept {
    if (kind_ == Kind::single) return 1;
    if (kind_ != Kind::multi) return 0;
    const std::uint64_t least = instance_definition_size + std::max<std::uint64_t>(counter_block_size, values_end_);
    const std::uint64_t space = bytes_.size() - header_.DefinitionLength;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>((space + least - 1) / least, list_.count));
}

void Object::read_counters(bool lengths_valid, const FaultSink& faults) {
    const std::uint64_t space = header_.DefinitionLength - header_.HeaderLength;
    const std::uint64_t announced = header_.NumCounters;
    counters_.reserve(static_cast<std::size_t>(std::min(announced, space / counter_definition_size)));
    // If the stated lengths do not lead through all definitions, but the space can be divided equally, each definition
    // is read from an equal part of the space.
    const bool even = announced != 0 && space % announced == 0 && space / announced >= counter_definition_size;
    const std::uint64_t stride = even && !lengths_valid && !lengths_add_up() ? space / announced : 0;
    std::uint64_t at = header_.HeaderLength;
    std::uint32_t ordinal = 0;
    for (; ordinal < announced; ++ordinal) {
        if (header_.DefinitionLength - at < counter_definition_size) break;
        const std::uint32_t length = definition_length(at);
        if (length != 0 && (stride == 0 || length == stride)) {
            read_counter(at, ordinal, faults);
            at += length;
            continue;
        }
        faults.add({Errc::counter_definition_length, bytes_.offset() + at, counter_structure, "ByteLength",
                    stride != 0 ? stride : counter_definition_size, load<std::uint32_t>(bytes_.at(at), order_)},
                   header_.ObjectNameTitleIndex);
        if (stride == 0) return;
        at += stride;
    }
    const std::uint32_t unannounced = ordinal == announced ? definitions_from(at) : 0;
    for (std::uint32_t i = 0; i < unannounced; ++i) {
        read_counter(at, ordinal++, faults);
        at += definition_length(at);
    }
    if (ordinal != announced)
        faults.add(ordinal < announced ? Severity::error : Severity::warning,
                   {Errc::counter_count, bytes_.offset() + 32, object_structure, "NumCounters", ordinal, announced},
                   header_.ObjectNameTitleIndex);
    if (header_.DefinitionLength - at >= 8)
        report_leftover(bytes_.slice(at, header_.DefinitionLength - at), object_structure, header_.ObjectNameTitleIndex,
                        faults);
}

void Object::read_counter(std::uint64_t at, std::uint32_t ordinal, const FaultSink& faults) {
    Counter& counter = counters_.emplace_back();
    read_counter_definition(bytes_.at(at), order_, counter.definition);
    counter.offset = bytes_.offset() + at;
    counter.ordinal = ordinal;
    classify(counter, faults);
    // A base belongs to the definition immediately before it (learn.microsoft.com, counter types with a base).
    if (CounterType{counter.definition.CounterType}.is_base() && counters_.size() > 1) {
        Counter& before = counters_[counters_.size() - 2];
        if (before.ordinal + 1 == ordinal && !CounterType{before.definition.CounterType}.is_base())
            before.base = static_cast<std::int32_t>(counters_.size() - 1);
    }
}

/// Determines how the value of a counter is stored. Reports a size that is unusual for the counter's type.
void Object::classify(Counter& counter, const FaultSink& faults) {
    const CounterType type{counter.definition.CounterType};
    const std::uint32_t size = counter.definition.CounterSize;
    counter.storage = size == 4 || size == 8 ? Storage::number : Storage::bytes;
    if (type.is_text()) counter.storage = Storage::text;
    const auto usual = type.value_size();
    if (!usual || *usual == size || type.is_text()) return;
    unusual_sizes_.push_back(static_cast<std::uint32_t>(counters_.size() - 1));
    report_size(counter, faults);
}

/// Reports a CounterSize that differs from the usual size for the counter's type. A size of 8 bytes for a DWORD type is
/// only a note, because it is common (Windows' own LogicalDisk, Samba) and does no harm.
void Object::report_size(const Counter& counter, const FaultSink& faults) const {
    const std::uint32_t size = counter.definition.CounterSize;
    const std::uint32_t usual = CounterType{counter.definition.CounterType}.value_size().value_or(size);
    faults.add(usual == 4 && size == 8 ? Severity::note : Severity::warning,
               {Errc::counter_size, counter.offset + 32, counter_structure, "CounterSize", usual, size},
               header_.ObjectNameTitleIndex);
}

void Object::validate(std::uint64_t& values_left, const FaultSink& faults) {
    InstanceReader reader(*this, values_left, faults);
    Instance instance;
    count_ = 0;
    whole_ = true;
    std::array<InstancePlace, instances_at_once> places;
    while (reader.next(instance)) {
        ++count_;
        whole_ = whole_ && reader.complete();
        while (const std::size_t valid = reader.take_valid(places)) count_ += static_cast<std::uint32_t>(valid);
    }
    list_ = reader.list();
}

}  // namespace hkpd::v1
