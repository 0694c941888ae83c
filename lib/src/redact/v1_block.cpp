// V1 blocks in which names are replaced.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/v1.hpp"
#include "redact/rewrite.hpp"
#include "v1/layout.hpp"

namespace hkpd {
namespace {

using BlockFields = layout::PERF_DATA_BLOCK<layout::endian::order::little>;
using ObjectFields = layout::PERF_OBJECT_TYPE<layout::endian::order::little>;
using CounterFields = layout::PERF_COUNTER_DEFINITION<layout::endian::order::little>;
using InstanceFields = layout::PERF_INSTANCE_DEFINITION<layout::endian::order::little>;

/// Writes the fields of structures in the byte order of a block.
class FieldWriter {
  public:
    FieldWriter(ByteBuffer& out, ByteOrder order) : out_(out), host_(is_host_order(order)) {}

    std::size_t end() const noexcept { return out_.size(); }
    /// Appends zeros, and returns their offset.
    std::size_t add(std::size_t size) {
        out_.resize(out_.size() + size);
        return out_.size() - size;
    }
    void pad(std::size_t start) { pad_to_8(out_, start); }
    template <std::integral T>
    void put(std::size_t at, T value) {
        if (!host_) value = std::byteswap(value);
        std::memcpy(&out_[at], &value, sizeof value);
    }
    void copy(std::size_t at, Bytes bytes) {
        std::ranges::copy(bytes.span(), out_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    /// Appends UTF-16 with a terminating NUL. Returns the number of bytes.
    std::uint32_t add_text(std::string_view text) {
        const std::u16string units = to_utf16(text);
        const std::size_t size = 2 * (units.size() + 1), at = add(size);
        for (std::size_t i = 0; i < units.size(); ++i) put(at + 2 * i, static_cast<std::uint16_t>(units[i]));
        return u32(size);
    }
    void remove_from(std::size_t at) { out_.resize(at); }

  private:
    ByteBuffer& out_;
    bool host_;
};

/// Writes the objects of one block.
class ObjectRedactor {
  public:
    ObjectRedactor(FieldWriter& out, const v1::Block& block, std::uint64_t& values_left, Pseudonyms& names,
                   const FaultSink& faults)
        : out_(out), block_(block), names_(names), faults_(faults), values_left_(values_left) {}

    /// Appends an object. Returns false and appends nothing if it cannot be read.
    /// `last`: whether it is the last one of the block, which can be cut off.
    bool add(const v1::ObjectEntry& entry, bool last) {
        missing_ = 0;
        if (const auto opened = object_.open(block_, entry, faults_); !opened) {
            faults_.add(Severity::error, opened.error(), entry.title_index);
            return false;
        }
        if (last && object_.header().TotalByteLength > object_.bytes().size())
            missing_ = object_.header().TotalByteLength - u32(object_.bytes().size());
        begin_ = out_.add(sizeof(ObjectFields));
        add_definitions();
        const std::size_t definitions_end = out_.end();
        std::uint32_t count = 0;
        const bool found = add_instances(count);
        if (!found) {
            out_.remove_from(begin_);
            faults_.add({Errc::names_not_located, entry.bytes.offset(), "PERF_INSTANCE_DEFINITION", "", 0, 0},
                        entry.title_index);
            return false;
        }
        // Not padded: in the bytes after the last counter block, a counter that is cut off would find zeros.
        put_header(definitions_end, count);
        return true;
    }
    /// Returns the number of bytes by which the last object is longer than the input; 0 if it is complete.
    std::uint32_t missing() const noexcept { return missing_; }

  private:
    /// Appends the definitions at their places among all, since a base follows the counter that uses it. The places of
    /// those that were not readable stay zero, and so unreadable.
    void add_definitions() {
        for (const v1::Counter& counter : object_.counters()) {
            const std::size_t at = begin_ + sizeof(ObjectFields) + counter.ordinal * sizeof(CounterFields);
            out_.add(at + sizeof(CounterFields) - out_.end());
            const v1::CounterDefinition& definition = counter.definition;
            const auto put = [&](std::size_t field, auto value) { out_.put(at + field, value); };
            put(offsetof(CounterFields, ByteLength), u32(sizeof(CounterFields)));
            put(offsetof(CounterFields, CounterNameTitleIndex), definition.CounterNameTitleIndex);
            put(offsetof(CounterFields, CounterHelpTitleIndex), definition.CounterHelpTitleIndex);
            put(offsetof(CounterFields, DefaultScale), definition.DefaultScale);
            put(offsetof(CounterFields, DetailLevel), definition.DetailLevel);
            put(offsetof(CounterFields, CounterType), definition.CounterType);
            // Values that are neither numbers nor texts are left out: they can hold names.
            put(offsetof(CounterFields, CounterSize),
                counter.storage == v1::Storage::bytes ? 0 : definition.CounterSize);
            put(offsetof(CounterFields, CounterOffset), definition.CounterOffset);
        }
    }

    void put_header(std::size_t definitions_end, std::uint32_t instances) {
        const v1::ObjectType& header = object_.header();
        const auto put = [&](std::size_t field, auto value) { out_.put(begin_ + field, value); };
        put(offsetof(ObjectFields, TotalByteLength), u32(out_.end() - begin_) + missing_);
        put(offsetof(ObjectFields, DefinitionLength), u32(definitions_end - begin_));
        put(offsetof(ObjectFields, HeaderLength), u32(sizeof(ObjectFields)));
        put(offsetof(ObjectFields, ObjectNameTitleIndex), header.ObjectNameTitleIndex);
        put(offsetof(ObjectFields, ObjectHelpTitleIndex), header.ObjectHelpTitleIndex);
        put(offsetof(ObjectFields, DetailLevel), header.DetailLevel);
        put(offsetof(ObjectFields, NumCounters),
            u32((definitions_end - begin_ - sizeof(ObjectFields)) / sizeof(CounterFields)));
        put(offsetof(ObjectFields, DefaultCounter), header.DefaultCounter);
        put(offsetof(ObjectFields, NumInstances), number_of_instances(instances));
        put(offsetof(ObjectFields, PerfTime), header.PerfTime);
        put(offsetof(ObjectFields, PerfFreq), header.PerfFreq);
    }
    std::int32_t number_of_instances(std::uint32_t listed) const noexcept {
        switch (object_.kind()) {
            case v1::Kind::single:
                return v1::no_instances;
            case v1::Kind::metadata_multi:
                return v1::metadata_multiple;
            case v1::Kind::metadata_single:
                return v1::metadata_no_instances;
            default:
                // Of an object that is cut off, readers report how many are lost.
                return missing_ == 0 ? static_cast<std::int32_t>(listed) : object_.header().NumInstances;
        }
    }

    /// Appends the instances. Returns false if one is missing, after which parents would be others.
    bool add_instances(std::uint32_t& count) {
        if (object_.kind() == v1::Kind::metadata_multi || object_.kind() == v1::Kind::metadata_single) return true;
        v1::InstanceReader reader(object_, values_left_, faults_);
        v1::Instance instance;
        while (reader.next(instance)) {
            if (instance.ordinal != count++) return false;
            if (object_.kind() == v1::Kind::multi) add_definition(instance);
            add_block(instance);
        }
        return true;
    }

    void add_definition(const v1::Instance& instance) {
        const std::size_t at = out_.add(sizeof(InstanceFields));
        const v1::InstanceDefinition definition = instance.definition();
        const auto put = [&](std::size_t field, auto value) { out_.put(at + field, value); };
        const auto name = instance.name();
        if (definition.NameLength != 0 && name)
            put(offsetof(InstanceFields, NameLength), out_.add_text(replaced_name(names_, NameKind::instance, *name)));
        out_.pad(at);
        put(offsetof(InstanceFields, ByteLength), u32(out_.end() - at));
        put(offsetof(InstanceFields, ParentObjectTitleIndex), definition.ParentObjectTitleIndex);
        put(offsetof(InstanceFields, ParentObjectInstance), definition.ParentObjectInstance);
        put(offsetof(InstanceFields, UniqueID), definition.UniqueID);
        constexpr std::uint32_t damaged = 0xFFFF'FFF0;
        put(offsetof(InstanceFields, NameOffset), name ? u32(sizeof(InstanceFields)) : damaged);
        if (!name) put(offsetof(InstanceFields, NameLength), u32(2));
    }

    /// Appends a counter block as long as in the input, and what follows the last one, with zeros for all bytes that
    /// are in no number.
    void add_block(const v1::Instance& instance) {
        const std::size_t at = out_.add(instance.slack.size());
        for (const v1::Counter& counter : object_.counters()) {
            if (counter.storage != v1::Storage::number) continue;
            if (const auto value = v1::value_of(instance, counter))
                out_.copy(at + counter.definition.CounterOffset, *value);
        }
        if (instance.slack.size() < sizeof(std::uint32_t)) return;
        const auto stated = load<std::uint32_t>(instance.slack.data(), block_.order());
        const bool beyond = stated > instance.block.size() && instance.block.end() == object_.bytes().end();
        out_.put(at, beyond ? stated : u32(instance.block.size()));
    }

    FieldWriter& out_;
    const v1::Block& block_;
    Pseudonyms& names_;
    const FaultSink& faults_;
    std::uint64_t& values_left_;
    v1::Object object_{false};
    std::size_t begin_ = 0;
    std::uint32_t missing_ = 0;
};

void append_block(ByteBuffer& out, const v1::Block& block, std::uint64_t& values_left, Pseudonyms& names,
                  const FaultSink& faults) {
    FieldWriter writer(out, block.order());
    const v1::DataBlock& header = block.header();
    const std::size_t begin = writer.add(sizeof(BlockFields));
    const auto put = [&](std::size_t field, auto value) { writer.put(begin + field, value); };
    for (std::size_t i = 0; i < 4; ++i)
        put(offsetof(BlockFields, Signature) + 2 * i, static_cast<std::uint16_t>("PERF"[i]));
    put(offsetof(BlockFields, LittleEndian), std::uint32_t{block.order() == ByteOrder::little ? 1U : 0U});
    put(offsetof(BlockFields, Version), header.Version);
    put(offsetof(BlockFields, Revision), header.Revision);
    put(offsetof(BlockFields, DefaultObject), header.DefaultObject);
    const SystemTime& time = header.SystemTime;
    std::size_t at = offsetof(BlockFields, SystemTime);
    for (const std::uint16_t field :
         {time.year, time.month, time.day_of_week, time.day, time.hour, time.minute, time.second, time.milliseconds}) {
        put(at, field);
        at += sizeof field;
    }
    put(offsetof(BlockFields, PerfTime), header.PerfTime);
    put(offsetof(BlockFields, PerfFreq), header.PerfFreq);
    put(offsetof(BlockFields, PerfTime100nSec), header.PerfTime100nSec);
    if (const auto machine = block.machine(); machine && !machine->bytes.empty()) {
        put(offsetof(BlockFields, SystemNameOffset), u32(sizeof(BlockFields)));
        put(offsetof(BlockFields, SystemNameLength),
            writer.add_text(replaced_name(names, NameKind::machine, *machine)));
    }
    writer.pad(begin);
    const std::size_t header_length = writer.end() - begin;
    ObjectRedactor objects(writer, block, values_left, names, faults);
    std::uint32_t count = 0;
    for (const v1::ObjectEntry& entry : block.objects())
        count += objects.add(entry, &entry == &block.objects().back()) ? 1U : 0U;
    put(offsetof(BlockFields, HeaderLength), u32(header_length));
    put(offsetof(BlockFields, NumObjectTypes), count);
    // By this length, readers know that the title indices are not those of Windows.
    put(offsetof(BlockFields, TotalByteLength),
        u32(writer.end() - begin - (block.own_title_indices() ? header_length : 0)) + objects.missing());
}

/// Reports the faults that readers of the new block do not find in it. `values`: the number of values that may be read.
void report_mended(const Diagnostics& found, Bytes made, std::uint64_t values, const FaultSink& faults) {
    Diagnostics again;
    ByteBuffer unused;
    Pseudonyms others({.key = "unused"});
    v1::Block block;
    if (block.open(made, again)) append_block(unused, block, values, others, again);
    report_missing(found, again, faults);
}

}  // namespace

std::string replaced_name(Pseudonyms& names, NameKind kind, const EncodedText& name) {
    std::string text;
    append_code_page(text, name.bytes.span(), name.code_page, name.order);
    return names.replace(kind, text);
}

void report_missing(const Diagnostics& found, const Diagnostics& again, const FaultSink& faults) {
    for (const Diagnostic& one : found.kept()) {
        const auto is_same = [&one](const Diagnostic& other) {
            return other.error.code == one.error.code && other.object == one.object && other.instance == one.instance;
        };
        if (std::ranges::none_of(again.kept(), is_same)) faults.add(one.severity, one.error, one.object, one.instance);
    }
}

bool append_redacted_v1(ByteBuffer& out, Bytes input, std::uint64_t& values_left, Pseudonyms& names,
                        const FaultSink& faults) {
    Diagnostics found;
    v1::Block block;
    if (const auto opened = block.open(input, found); !opened) {
        faults.add(Severity::error, opened.error());
        return false;
    }
    const std::size_t begin = out.size();
    const std::uint64_t values = values_left;
    append_block(out, block, values_left, names, found);
    if (const std::uint64_t end = block.bytes().size(); end < input.size())
        found.add(Severity::warning,
                  {Errc::leftover_bytes, input.offset() + end, "PERF_DATA_BLOCK", "", 0, input.size() - end});
    if (found.count() != 0) report_mended(found, Bytes(std::span(out).subspan(begin), input.offset()), values, faults);
    return true;
}

}  // namespace hkpd
