#include "hkpd/map.hpp"

#include <numeric>

#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"
#include "map_sweep.hpp"
#include "map_v1.hpp"
#include "map_v2.hpp"

namespace hkpd {
namespace {

/// Nothing marks identifiers but lengths that lead to the very end.
bool are_identifiers(Bytes input) {
    Diagnostics found(0);
    v2::Identifiers identifiers;
    identifiers.open(input, found);
    return !identifiers.all().empty() && !found.any_fault() && identifiers.all().front().CounterSetGuid != Guid{};
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

MapTotals draw_map(Bytes input, MapForm form, const MapOptions& options, const MapVisitor& visitor,
                   Diagnostics& diagnostics) {
    MapTotals totals;
    map::Sweep sweep(input, visitor, totals);
    if (form == MapForm::v1)
        map::V1Map(sweep, options, totals, diagnostics).draw();
    else
        map::V2Map(sweep, options, totals, diagnostics).draw(form);
    return totals;
}

}  // namespace hkpd
