#include "hkpd/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "hkpd/diagnostics.hpp"
#include "hkpd/record.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"
#include "map/byte_map.hpp"
#include "v2/decode.hpp"

namespace hkpd {
namespace {

/// Whether LittleEndian and Version of a PERF_DATA_BLOCK stand where a GUID would end.
bool has_v1_header(Bytes input) noexcept {
    constexpr std::uint64_t flag_at = 8, version_at = 12;
    const auto little_endian = v2::u32_at(input, flag_at);
    const ByteOrder order = little_endian == 0 ? ByteOrder::big : ByteOrder::little;
    return little_endian <= 1 && load<std::uint32_t>(input.at(version_at), order) == 1;
}

/// Whether nothing contradicts that this is one: its name, if it has one, fills its length up to a multiple of 8.
bool is_valid(const v2::Identifier& identifier) noexcept {
    constexpr std::uint64_t reserved_at = 36, nul = 2, alignment = 8;
    const std::uint64_t size = identifier.bytes.size();
    const std::uint64_t named = v2::identifier_size + (identifier.name ? identifier.name->bytes.size() : 0) + nul;
    return v2::u32_at(identifier.bytes, reserved_at) == 0 &&
           (size == v2::identifier_size || (size >= named && size < named + alignment));
}

/// Nothing marks identifiers but lengths that lead to the very end. The length of a V1 block with a damaged signature
/// stands where that of an identifier does.
bool are_identifiers(Bytes input) {
    Diagnostics found(0);
    v2::Identifiers identifiers;
    identifiers.open(input, found);
    return !identifiers.all().empty() && !found.any_fault() && !has_v1_header(input) &&
           identifiers.all().front().CounterSetGuid != Guid{} && std::ranges::all_of(identifiers.all(), is_valid);
}

bool holds_block(Bytes input) noexcept {
    for (std::uint64_t at = 0; at < input.size(); ++at)
        if (v1::is_block(input.from(at))) return true;
    return false;
}

}  // namespace

std::string_view map_form_name(MapForm form) noexcept {
    constexpr std::array<std::string_view, 8> names{"v1",      "v2_data", "identifiers", "registration",
                                                    "strings", "counter", "text",        "guid"};
    return names[static_cast<std::size_t>(form)];
}

std::string_view map_kind_name(MapKind kind) noexcept {
    constexpr std::array<std::string_view, map_kinds> names{"header",  "definition", "name",    "value",
                                                            "padding", "gap",        "leftover"};
    return names[static_cast<std::size_t>(kind)];
}

std::optional<MapForm> map_form_of(Bytes input) {
    if (v1::has_signature(input)) return MapForm::v1;
    if (v2::is_data_block(input)) return MapForm::v2_data;
    if (v2::is_registration(input)) return MapForm::registration;
    if (v2::is_string_buffer(input)) return MapForm::strings;
    if (are_identifiers(input)) return MapForm::identifiers;
    if (holds_block(input)) return MapForm::v1;
    return std::nullopt;
}

std::optional<MapForm> map_form_of(const Record& record) noexcept {
    switch (record.kind) {
        case Record::Kind::v1_block:
            return MapForm::v1;
        case Record::Kind::v2_block:
            return MapForm::v2_data;
        case Record::Kind::v2_identifiers:
            return MapForm::identifiers;
        case Record::Kind::v2_registration:
            break;
        default:
            return std::nullopt;
    }
    switch (static_cast<v2::RegistrationRequest>(record.request)) {
        using enum v2::RegistrationRequest;
        case counterset_struct:
            return MapForm::registration;
        case counter_struct:
            return MapForm::counter;
        case counter_names:
        case counter_help:
        case counter_names_english:
            return MapForm::strings;
        case provider_guid:
            return MapForm::guid;
        default:
            return MapForm::text;
    }
}

std::uint64_t MapTotals::sum() const noexcept { return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}); }

MapTotals visit_map(Bytes input, MapForm form, const MapOptions& options, const MapVisitor& visitor,
                    const FaultSink& faults) {
    MapTotals totals;
    map::Sweep sweep(input, options, visitor, totals);
    if (form == MapForm::v1)
        map::draw_v1(sweep, options, faults);
    else
        map::draw_v2(sweep, form, options, faults);
    return totals;
}

}  // namespace hkpd

namespace hkpd::map {

void Sweep::between(MapKind kind, std::string_view structure, std::string_view meaning) noexcept {
    between_kind_ = kind;
    between_structure_ = structure;
    between_meaning_ = meaning;
}

void Sweep::fill_to(std::uint64_t end) {
    end = std::min(end, input_.end());
    if (end <= at_) return;
    MapEntry entry = context;
    entry.bytes = entry.whole = input_.slice(at_ - input_.offset(), end - at_);
    entry.kind = between_kind_;
    entry.structure = between_structure_;
    entry.meaning = between_meaning_;
    give(entry);
}

void Sweep::close(std::uint64_t end, std::string_view structure, std::string_view meaning) {
    if (end <= at_) return;
    if (end - at_ < 8)
        fill_to(end, MapKind::padding, structure, "to a round length");
    else
        fill_to(end, MapKind::gap, structure, meaning);
}

void Sweep::claim(Bytes field, MapKind kind, std::string_view structure, std::string_view name, const Shown& shown) {
    if (field.empty()) return;
    fill_to(field.offset());
    MapEntry entry = context;
    entry.whole = field;
    entry.bytes = input_.slice(at_ - input_.offset(), std::max(at_, field.end()) - at_);
    entry.kind = kind;
    entry.structure = structure;
    entry.field = name;
    entry.is_number = shown.is_number;
    entry.value = shown.value;
    entry.meaning = shown.meaning;
    if (entry.shared_bytes() != 0) {
        describe_overlap();
        entry.overlaps = overlaps_;
    }
    if (field.end() > at_) reach_ = {structure, name, entry.counter_name, entry.counter, field.offset()};
    give(entry);
}

/// Describes what the shared bytes of an entry belong to as well. Fields come by ascending places, so the one that
/// reaches farthest has them all.
void Sweep::describe_overlap() {
    overlaps_ = reach_.structure;
    const auto to = std::back_inserter(overlaps_);
    if (!reach_.field.empty()) fmt::format_to(to, ".{}", reach_.field);
    if (reach_.counter != no_index) fmt::format_to(to, " counter {}", reach_.counter);
    if (!reach_.counter_name.empty()) overlaps_.append(" ").append(reach_.counter_name);
    fmt::format_to(to, " at {:#x}", reach_.offset);
}

void Sweep::members(const Structure& structure, Bytes bytes, std::uint64_t base) {
    std::uint64_t at = 0;
    for (const Member& member : structure.members()) {
        const Bytes field = bytes.slice(at, member.size());
        if (field.empty()) return;
        claim(field, member.means == FieldMeaning::padding ? MapKind::padding : structure.kind, structure.name,
              member.name, words.member(member, field, base, order));
        at += member.size();
    }
}

void Sweep::give(MapEntry& entry) {
    at_ = std::max(at_, entry.bytes.end());
    totals_.bytes[static_cast<std::size_t>(entry.kind)] += entry.bytes.size();
    if (entry.kind == MapKind::padding)
        totals_.nonzero_padding += static_cast<std::uint64_t>(
            std::ranges::count_if(entry.bytes.span(), [](std::byte b) { return b != std::byte{0}; }));
    if (const std::uint64_t shared = entry.shared_bytes(); shared != 0) {
        ++totals_.overlaps;
        totals_.shared_bytes += shared;
    }
    visitor_(entry);
}

}  // namespace hkpd::map
