#include "hkpd/map.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "hkpd/diagnostics.hpp"
#include "hkpd/record.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"
#include "map/byte_map.hpp"
#include "v2/decode.hpp"

namespace hkpd {
namespace {

/// Returns whether bytes 8 to 15 are valid LittleEndian and Version fields of a V1 block. This distinguishes a V1 block
/// from a PERF_COUNTER_IDENTIFIER, in which these bytes are the second half of the GUID.
bool has_v1_header(Bytes input) noexcept {
    constexpr std::uint64_t flag_at = 8, version_at = 12;
    const auto little_endian = v2::u32_at(input, flag_at);
    const ByteOrder order = little_endian == 0 ? ByteOrder::big : ByteOrder::little;
    return little_endian <= 1 && load<std::uint32_t>(input.at(version_at), order) == 1;
}

/// Returns whether an identifier is consistent. Reserved must be 0. Size must be the size of the structure, or this
/// size plus the size of the name, its NUL and fewer than 8 bytes of padding.
bool is_valid(const v2::Identifier& identifier) noexcept {
    constexpr std::uint64_t reserved_at = 36, nul = 2, alignment = 8;
    const std::uint64_t size = identifier.bytes.size();
    const std::uint64_t named = v2::identifier_size + (identifier.name ? identifier.name->bytes.size() : 0) + nul;
    return v2::u32_at(identifier.bytes, reserved_at) == 0 &&
           (size == v2::identifier_size || (size >= named && size < named + alignment));
}

/// Returns whether the input is a list of PERF_COUNTER_IDENTIFIERs. Identifiers have no signature. Their sizes must
/// therefore add up exactly to the size of the input. A V1 block with a damaged signature can look like one identifier,
/// because TotalByteLength has the same offset as Size; `has_v1_header` excludes it.
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
    if (record.kind == Record::Kind::v1_block) return MapForm::v1;
    if (record.kind == Record::Kind::v2_block) return MapForm::v2_data;
    if (record.kind == Record::Kind::v2_identifiers) return MapForm::identifiers;
    if (record.kind != Record::Kind::v2_registration) return std::nullopt;
    using enum v2::RegistrationRequest;
    const auto request = static_cast<v2::RegistrationRequest>(record.request);
    if (request == counterset_struct) return MapForm::registration;
    if (request == counter_struct) return MapForm::counter;
    if (request == provider_guid) return MapForm::guid;
    const bool lists = request == counter_names || request == counter_help || request == counter_names_english;
    return lists ? MapForm::strings : MapForm::text;
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
