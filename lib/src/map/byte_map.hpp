// Internal functions of the byte map (hkpd/map.hpp): the members of each structure, the texts that explain the members'
// numbers, and `Sweep`, which puts each byte of an input into exactly one entry.
#pragma once

#include <fmt/core.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/text/encoding.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/map.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v1.hpp"
#include "v1/layout.hpp"
#include "v2/layout.hpp"

namespace hkpd::map {

/// The format of a member, and the meaning of its number.
enum class FieldMeaning : std::uint8_t {
    number,
    signed_number,
    ticks,       ///< clock ticks: signed, 8 bytes
    length,      ///< length from the beginning of the structure that contains the member
    place,       ///< offset from the beginning of the structure that contains the member
    byte_count,  ///< length in bytes of data outside the structure
    in_block,    ///< offset from the beginning of each counter block
    title,       ///< title index
    parent,      ///< title index of the object that contains the parent; 0: no parent
    pointer,     ///< address (LPWSTR) in the producer's memory; has no meaning in a block
    signature,   ///< PERF in UTF-16
    byte_order,
    system_time,
    filetime,
    frequency,
    detail_level,
    scale,
    instance_count,
    code_page,
    counter_type,
    unique_id,
    padding,
    // V2
    guid,
    status,
    result_type,
    counter_id,     ///< all bits set: all counters
    any_instance,   ///< all bits set: any instance
    other_counter,  ///< all bits set: no counter
    instance_type,
    attributes,
    aggregate,
    string_place,  ///< offset from the beginning of the buffer; all bits set: no string
};

struct Member {
    std::string_view name;
    FieldMeaning means = FieldMeaning::number;

    constexpr std::size_t size() const noexcept {
        using enum FieldMeaning;
        if (means == system_time || means == guid) return 16;
        const bool wide =
            means == ticks || means == signature || means == filetime || means == frequency || means == attributes;
        return wide ? 8 : 4;
    }
};

/// A structure: its name, the kind of its members, and the members, without gaps between them.
struct Structure {
    std::string_view name;
    MapKind kind;

    /// Describes a structure of `size` bytes. Does not compile if the sizes of the members do not add up to `size`.
    consteval Structure(std::string_view its_name, MapKind its_kind, std::size_t size,
                        std::same_as<Member> auto... members)
        : name(its_name), kind(its_kind), size_(size), count_(sizeof...(members)), members_{members...} {
        if ((members.size() + ...) != size) throw std::logic_error("the members do not fill the structure");
    }

    constexpr std::size_t size() const noexcept { return size_; }
    constexpr std::span<const Member> members() const noexcept { return std::span(members_).first(count_); }

  private:
    std::size_t size_, count_;
    std::array<Member, 15> members_{};
};

namespace structures {

using enum FieldMeaning;
constexpr auto little = boost::endian::order::little;

inline constexpr Structure data_block("PERF_DATA_BLOCK", MapKind::header, sizeof(layout::PERF_DATA_BLOCK<little>),
                                      Member("Signature", signature), Member("LittleEndian", byte_order),
                                      Member("Version"), Member("Revision"), Member("TotalByteLength", length),
                                      Member("HeaderLength", length), Member("NumObjectTypes"),
                                      Member("DefaultObject", title), Member("SystemTime", system_time),
                                      Member("", padding), Member("PerfTime", ticks), Member("PerfFreq", frequency),
                                      Member("PerfTime100nSec", filetime), Member("SystemNameLength", byte_count),
                                      Member("SystemNameOffset", place));
inline constexpr Structure object_type("PERF_OBJECT_TYPE", MapKind::header, sizeof(layout::PERF_OBJECT_TYPE<little>),
                                       Member("TotalByteLength", length), Member("DefinitionLength", length),
                                       Member("HeaderLength", length), Member("ObjectNameTitleIndex", title),
                                       Member("ObjectNameTitle", pointer), Member("ObjectHelpTitleIndex", title),
                                       Member("ObjectHelpTitle", pointer), Member("DetailLevel", detail_level),
                                       Member("NumCounters"), Member("DefaultCounter", signed_number),
                                       Member("NumInstances", instance_count), Member("CodePage", code_page),
                                       Member("PerfTime", ticks), Member("PerfFreq", frequency));
inline constexpr Structure counter_definition("PERF_COUNTER_DEFINITION", MapKind::definition,
                                              sizeof(layout::PERF_COUNTER_DEFINITION<little>),
                                              Member("ByteLength", length), Member("CounterNameTitleIndex", title),
                                              Member("CounterNameTitle", pointer),
                                              Member("CounterHelpTitleIndex", title),
                                              Member("CounterHelpTitle", pointer), Member("DefaultScale", scale),
                                              Member("DetailLevel", detail_level), Member("CounterType", counter_type),
                                              Member("CounterSize", byte_count), Member("CounterOffset", in_block));
inline constexpr Structure instance_definition("PERF_INSTANCE_DEFINITION", MapKind::definition,
                                               sizeof(layout::PERF_INSTANCE_DEFINITION<little>),
                                               Member("ByteLength", length), Member("ParentObjectTitleIndex", parent),
                                               Member("ParentObjectInstance"), Member("UniqueID", unique_id),
                                               Member("NameOffset", place), Member("NameLength", byte_count));
inline constexpr Structure counter_block("PERF_COUNTER_BLOCK", MapKind::header,
                                         sizeof(layout::PERF_COUNTER_BLOCK<little>), Member("ByteLength", length));

inline constexpr Structure data_header("PERF_DATA_HEADER", MapKind::header, sizeof(layout::PERF_DATA_HEADER),
                                       Member("dwTotalSize", length), Member("dwNumCounters"),
                                       Member("PerfTimeStamp", ticks), Member("PerfTime100NSec", filetime),
                                       Member("PerfFreq", frequency), Member("SystemTime", system_time));
inline constexpr Structure counter_header("PERF_COUNTER_HEADER", MapKind::header, sizeof(layout::PERF_COUNTER_HEADER),
                                          Member("dwStatus", status), Member("dwType", result_type),
                                          Member("dwSize", length), Member("Reserved"));
inline constexpr Structure multi_counters("PERF_MULTI_COUNTERS", MapKind::header, sizeof(layout::PERF_MULTI_COUNTERS),
                                          Member("dwSize", length), Member("dwCounters"));
inline constexpr Structure multi_instances("PERF_MULTI_INSTANCES", MapKind::header,
                                           sizeof(layout::PERF_MULTI_INSTANCES), Member("dwTotalSize", length),
                                           Member("dwInstances"));
inline constexpr Structure instance_header("PERF_INSTANCE_HEADER", MapKind::definition,
                                           sizeof(layout::PERF_INSTANCE_HEADER), Member("Size", length),
                                           Member("InstanceId"));
inline constexpr Structure counter_data("PERF_COUNTER_DATA", MapKind::header, sizeof(layout::PERF_COUNTER_DATA),
                                        Member("dwDataSize", byte_count), Member("dwSize", length));
inline constexpr Structure counter_identifier("PERF_COUNTER_IDENTIFIER", MapKind::definition,
                                              sizeof(layout::PERF_COUNTER_IDENTIFIER), Member("CounterSetGuid", guid),
                                              Member("Status", status), Member("Size", length),
                                              Member("CounterId", counter_id), Member("InstanceId", any_instance),
                                              Member("Index"), Member("Reserved"));
inline constexpr Structure counterset_reg_info("PERF_COUNTERSET_REG_INFO", MapKind::definition,
                                               sizeof(layout::PERF_COUNTERSET_REG_INFO), Member("CounterSetGuid", guid),
                                               Member("CounterSetType"), Member("DetailLevel", detail_level),
                                               Member("NumCounters"), Member("InstanceType", instance_type));
inline constexpr Structure counter_reg_info("PERF_COUNTER_REG_INFO", MapKind::definition,
                                            sizeof(layout::PERF_COUNTER_REG_INFO), Member("CounterId"),
                                            Member("Type", counter_type), Member("Attrib", attributes),
                                            Member("DetailLevel", detail_level), Member("DefaultScale", scale),
                                            Member("BaseCounterId", other_counter), Member("PerfTimeId", other_counter),
                                            Member("PerfFreqId", other_counter), Member("MultiId", other_counter),
                                            Member("AggregateFunc", aggregate), Member("Reserved"));
inline constexpr Structure string_buffer_header("PERF_STRING_BUFFER_HEADER", MapKind::header,
                                                sizeof(layout::PERF_STRING_BUFFER_HEADER), Member("dwSize", length),
                                                Member("dwCounters"));
inline constexpr Structure string_counter_header("PERF_STRING_COUNTER_HEADER", MapKind::header,
                                                 sizeof(layout::PERF_STRING_COUNTER_HEADER), Member("dwCounterId"),
                                                 Member("dwOffset", string_place));
inline constexpr Structure provider_guid("GUID", MapKind::definition, sizeof(layout::WireGuid),
                                         Member("ProviderGuid", guid));

}  // namespace structures

/// The value of a field as text, and its meaning. The views are valid until `Words` describes the next field.
struct Shown {
    std::string_view value, meaning;
    bool is_number = false;
};

/// Returns a name without the characters after its first 1024 bytes. Names are clipped because every entry repeats
/// them: a long name must not turn few input bytes into much output.
std::string_view clipped_name(std::string_view name) noexcept;

/// Formats the values of fields as text, and explains the meaning of the values.
class Words {
  public:
    /// Keeps a pointer to `titles`, which is null if no titles are known. `end` is the offset of the end of the input.
    Words(const Titles* titles, std::uint64_t end) noexcept : titles_(titles), end_(end) {}

    /// Sets the scope of later title lookups (`Titles::Scope`). `machine`: name of the machine that a block states.
    /// `windows_own`: true if the block has Windows' title indices; false if it has other ones, as blocks from Samba
    /// have. Copies `machine`.
    void ask_for(std::string_view machine, bool windows_own) {
        machine_ = machine;
        windows_own_ = windows_own;
    }

    /// Returns the title of an index, clipped (`clipped_name`); empty if the index has no title. The view is valid as
    /// long as the titles exist.
    std::string_view title(std::uint32_t index) const;

    /// Describes a member whose bytes are `field`. If the member is an offset or a length, the description shows the
    /// position in the input to which it leads: `base` plus the member.
    Shown member(const Member& member, Bytes field, std::uint64_t base, ByteOrder order);
    Shown text(const EncodedText& text) {
        value_.clear();
        append_code_page(value_, text.bytes.span(), text.code_page, text.order);
        return {value_, {}, false};
    }
    Shown number(std::uint64_t value, std::string_view meaning) {
        value_ = std::to_string(value);
        return {value_, meaning, true};
    }
    Shown bytes(std::uint64_t size) {
        meaning_ = fmt::format("{} bytes that are no number", size);
        return {{}, meaning_, false};
    }

  private:
    void append_place(std::string_view word, std::uint64_t place);
    void append_meaning(FieldMeaning means, std::uint64_t value, std::uint64_t base);

    const Titles* titles_;
    std::uint64_t end_;
    std::string machine_;
    bool windows_own_ = true;
    std::string value_, meaning_;
};

/// Receives the fields of an input, and passes an entry for each field to a visitor. All bytes between fields get
/// entries too. Fields come in the order in which the readers encounter them. Fields that can overlap come in ascending
/// order of offsets. A byte that is in several fields belongs to the entry of the first of these fields.
class Sweep {
  public:
    /// Keeps references to `visitor` and `totals`, and the pointer to the titles of `options`.
    Sweep(Bytes input, const MapOptions& options, const MapVisitor& visitor, MapTotals& totals) noexcept
        : words(options.titles, input.end()), input_(input), visitor_(visitor), totals_(totals), at_(input.offset()) {}

    /// The block, object, instance and counter of all later entries, with their names. Each entry starts as a copy of
    /// `context`.
    MapEntry context;
    Words words;
    ByteOrder order = ByteOrder::little;  ///< byte order of members

    Bytes input() const noexcept { return input_; }
    /// Returns the `size` bytes of the input at `offset`, which is an absolute offset like `input().offset()`.
    Bytes part(std::uint64_t offset, std::uint64_t size) const noexcept {
        return input_.slice(offset - input_.offset(), size);
    }
    /// Returns the offset up to which all bytes have been passed to the visitor.
    std::uint64_t at() const noexcept { return at_; }

    /// Begins a block, but does not count it. The caller calls `add_block` if the bytes turn out to be a block.
    void enter_block() noexcept {
        context = {};
        context.block = static_cast<std::uint32_t>(totals_.blocks);
    }
    void add_block() noexcept { ++totals_.blocks; }
    /// Begins an object; without arguments, ends the current object. `enter_instance` and `enter_counter` do the same
    /// for an instance and a counter.
    void enter_object(std::uint32_t object = no_index, std::string_view name = {}) noexcept {
        context.object = object;
        context.object_name = name;
    }
    void enter_instance(std::uint32_t instance = no_index, std::string_view name = {}) noexcept {
        context.instance = instance;
        context.instance_name = name;
    }
    void enter_counter(std::uint32_t counter = no_index, std::string_view name = {}) noexcept {
        context.counter = counter;
        context.counter_name = name;
    }

    /// Sets the kind, structure and meaning of later entries for unclaimed bytes, that is, bytes in no field.
    void between(MapKind kind, std::string_view structure, std::string_view meaning) noexcept {
        between_kind_ = kind;
        between_structure_ = structure;
        between_meaning_ = meaning;
    }
    /// Passes the unclaimed bytes from `at()` to `end` to the visitor. Does nothing if there are none.
    void fill_to(std::uint64_t end);
    void fill_to(std::uint64_t end, MapKind kind, std::string_view structure, std::string_view meaning) {
        between(kind, structure, meaning);
        fill_to(end);
    }
    /// Passes the unclaimed bytes from `at()` to `end` to the visitor. `end` is the end of a structure or of a part of
    /// it. The bytes are padding if there are fewer than 8 of them, otherwise a gap with the given meaning.
    void close(std::uint64_t end, std::string_view structure, std::string_view meaning);
    /// Passes a field to the visitor. If unclaimed bytes precede the field, passes these bytes first. Ignores an empty
    /// field.
    void claim(Bytes field, MapKind kind, std::string_view structure, std::string_view name, const Shown& shown);
    /// Passes the members of a structure to the visitor, up to the first member that `bytes` does not contain
    /// completely. Offsets and lengths in members count from offset `base`.
    void members(const Structure& structure, Bytes bytes, std::uint64_t base);
    void members(const Structure& structure, Bytes bytes) { members(structure, bytes, bytes.offset()); }

  private:
    void give(MapEntry& entry);
    void describe_overlap();

    Bytes input_;
    const MapVisitor& visitor_;
    MapTotals& totals_;
    std::uint64_t at_;
    MapKind between_kind_ = MapKind::leftover;
    std::string_view between_structure_, between_meaning_;
    // The field that ends last among the fields so far. Later fields may overlap it.
    struct Reach {
        std::string_view structure, field, counter_name;
        std::uint32_t counter = no_index;
        std::uint64_t offset = 0;
    } reach_;
    std::string overlaps_;
};

/// Maps the whole input: `draw_v1` as V1 blocks, `draw_v2` as results of the PerfLib functions.
void draw_v1(Sweep& sweep, const MapOptions& options, const FaultSink& faults);
void draw_v2(Sweep& sweep, MapForm form, const MapOptions& options, const FaultSink& faults);

}  // namespace hkpd::map
