#include <algorithm>

#include "chain_v1.hpp"
#include "decode_v1.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/v1.hpp"
#include "name_v1.hpp"

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

std::expected<void, Error> Object::open(const Block& block, const ObjectEntry& entry, Diagnostics& diagnostics) {
    bytes_ = entry.bytes;
    order_ = block.order();
    counters_.clear();
    values_end_ = count_ = 0;
    whole_ = false;
    const std::uint64_t at = bytes_.offset();
    if (bytes_.size() < object_type_size)
        return std::unexpected(Error{Errc::object_header, at, object_structure, "", object_type_size, bytes_.size()});
    header_ = decode_at<layout::PERF_OBJECT_TYPE>(bytes_.data(), order_);
    kind_ = kind_of(header_.NumInstances);
    const std::uint32_t header = header_.HeaderLength, definitions = header_.DefinitionLength;
    if (definitions < object_type_size)
        return std::unexpected(Error{Errc::definition_length, at + 4, object_structure, "DefinitionLength",
                                     object_type_size, definitions});
    if (header < object_type_size || header > definitions)
        return std::unexpected(
            Error{Errc::object_header, at + 8, object_structure, "HeaderLength", object_type_size, header});
    if (header_.DefinitionLength > bytes_.size())
        return std::unexpected(Error{Errc::definition_length, at + 4, object_structure, "DefinitionLength",
                                     header_.DefinitionLength, bytes_.size()});
    if (header_.NumInstances < metadata_no_instances)
        diagnostics.add(Severity::error,
                        {Errc::instance_count, at + 40, object_structure, "NumInstances", 0,
                         static_cast<std::uint32_t>(header_.NumInstances)},
                        entry.title_index);
    read_counters(diagnostics);
    return {};
}

std::uint32_t Object::most_instances() const noexcept {
    if (kind_ == Kind::single) return 1;
    if (kind_ != Kind::multi || header_.NumInstances <= 0) return 0;
    constexpr std::uint64_t least = instance_definition_size + counter_block_size;
    const std::uint64_t room = (bytes_.size() - header_.DefinitionLength) / least;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(room, static_cast<std::uint32_t>(header_.NumInstances)));
}

void Object::read_counters(Diagnostics& diagnostics) {
    const std::uint64_t room = header_.DefinitionLength - header_.HeaderLength;
    const std::uint64_t announced = header_.NumCounters;
    // Where a definition's own length is lost, the next is found by the stride that all of them have.
    const std::uint64_t stride =
        announced != 0 && room % announced == 0 && room / announced >= counter_definition_size ? room / announced : 0;
    std::uint64_t at = header_.HeaderLength;
    std::uint32_t ordinal = 0;
    for (; ordinal < announced; ++ordinal) {
        if (header_.DefinitionLength - at < counter_definition_size) break;
        const auto length = load<std::uint32_t>(bytes_.data() + at, order_);
        if (length >= counter_definition_size && length <= header_.DefinitionLength - at) {
            read_counter(at, ordinal, diagnostics);
            at += length;
            continue;
        }
        diagnostics.add(Severity::error,
                        {Errc::counter_definition_length, bytes_.offset() + at, counter_structure, "ByteLength",
                         counter_definition_size, length},
                        header_.ObjectNameTitleIndex);
        if (stride == 0) return;
        at += stride;
    }
    if (ordinal < announced)
        diagnostics.add(
            Severity::error,
            {Errc::counter_count, bytes_.offset() + 32, object_structure, "NumCounters", announced, ordinal},
            header_.ObjectNameTitleIndex);
    if (header_.DefinitionLength - at >= 8)
        report_leftover(bytes_.slice(at, header_.DefinitionLength - at), object_structure, header_.ObjectNameTitleIndex,
                        diagnostics);
}

void Object::read_counter(std::uint64_t at, std::uint32_t ordinal, Diagnostics& diagnostics) {
    Counter counter;
    counter.definition = decode_at<layout::PERF_COUNTER_DEFINITION>(bytes_.data() + at, order_);
    counter.offset = bytes_.offset() + at;
    counter.ordinal = ordinal;
    classify(counter, diagnostics);
    // A base serves the definition right before it (learn.microsoft.com, counter types with a base).
    if (CounterType{counter.definition.CounterType}.is_base() && !counters_.empty()) {
        Counter& before = counters_.back();
        if (before.ordinal + 1 == ordinal && !CounterType{before.definition.CounterType}.is_base())
            before.base = static_cast<std::int32_t>(counters_.size());
    }
    if (counter.readable) values_end_ = std::max(values_end_, counter.value_end());
    counters_.push_back(counter);
}

void Object::classify(Counter& counter, Diagnostics& diagnostics) const {
    const CounterDefinition& definition = counter.definition;
    const CounterType type{definition.CounterType};
    const std::uint32_t size = definition.CounterSize;
    const auto add = [&](Severity severity, Errc code, std::uint64_t field_offset, std::string_view field,
                         std::uint64_t need, std::uint64_t have) {
        diagnostics.add(severity, {code, counter.offset + field_offset, counter_structure, field, need, have},
                        header_.ObjectNameTitleIndex);
    };
    if (type.is_text())
        counter.storage = Storage::text;
    else
        counter.storage = size == 4 || size == 8 ? Storage::number : Storage::bytes;
    // CounterSize says what the provider wrote; the type's size bits say what it should have written.
    if (const auto usual = type.value_size(); usual && *usual != size && !type.is_text())
        add(Severity::note, Errc::counter_size, 32, "CounterSize", *usual, size);
    if (size == 0) return;
    if (definition.CounterOffset < counter_block_size) {
        counter.readable = false;
        add(Severity::error, Errc::counter_overlaps_length, 36, "CounterOffset", counter_block_size,
            definition.CounterOffset);
        return;
    }
    // No counter block of the object can hold it. A clipped object says so elsewhere, once, and where no block is
    // due (metadata, no instances now) the definition is as good as any.
    const bool clipped = header_.TotalByteLength > bytes_.size();
    if (clipped || (kind_ != Kind::single && (kind_ != Kind::multi || header_.NumInstances <= 0))) return;
    const std::uint64_t definitions = kind_ == Kind::multi ? instance_definition_size : 0;
    const std::uint64_t behind = bytes_.size() - header_.DefinitionLength;
    const std::uint64_t room = behind > definitions ? behind - definitions : 0;
    if (counter.value_end() <= room) return;
    counter.readable = false;
    add(Severity::error, Errc::counter_outside_block, 36, "CounterOffset", counter.value_end(), room);
}

void Object::validate(std::uint64_t& values_left, Diagnostics& diagnostics) {
    InstanceReader reader(*this, values_left, diagnostics);
    Instance instance;
    count_ = 0;
    whole_ = true;
    while (reader.next(instance)) {
        ++count_;
        whole_ = whole_ && reader.complete();
    }
}

Instance Object::instance_at(std::uint64_t at, std::uint32_t ordinal) const noexcept {
    Instance instance;
    instance.offset = bytes_.offset() + at;
    instance.ordinal = ordinal;
    instance.name = Text{{}, header_.CodePage, order_};
    bool last = true;
    if (kind_ == Kind::multi) {
        instance.definition = decode_at<layout::PERF_INSTANCE_DEFINITION>(bytes_.data() + at, order_);
        instance.name = instance_name(bytes_.slice(at, instance.definition.ByteLength), instance.definition,
                                      header_.CodePage, order_);
        last = ordinal + 1 == static_cast<std::uint32_t>(header_.NumInstances);
        at += instance.definition.ByteLength;
    } else {
        instance.definition.UniqueID = no_unique_id;
    }
    const auto length = load<std::uint32_t>(bytes_.data() + at, order_);
    instance.block = bytes_.clip(at, length);
    const bool unclaimed = last && length <= instance.block.size() && header_.TotalByteLength <= bytes_.size();
    instance.slack = unclaimed ? bytes_.from(at) : instance.block;
    return instance;
}

}  // namespace hkpd::v1
