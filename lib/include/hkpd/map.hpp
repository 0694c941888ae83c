// A map of an input: the structure and field to which each byte belongs, the value of each field, and the bytes that
// belong to no structure. The readers that build samples also make the map. The map therefore shows what these readers
// recover from damaged input.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"

namespace hkpd {

class Countersets;
class FaultSink;
class Titles;
struct Record;
namespace v2 {
class Identifiers;
}

/// The form of an input.
enum class MapForm : std::uint8_t {
    v1,            ///< PERF_DATA_BLOCKs: one, or several end to end
    v2_data,       ///< PERF_DATA_HEADERs: one, or several end to end
    identifiers,   ///< PERF_COUNTER_IDENTIFIERs
    registration,  ///< PERF_COUNTERSET_REG_INFO with its counters
    strings,       ///< PERF_STRING_BUFFER_HEADER with its strings
    // These forms cannot be recognised by content.
    counter,  ///< one PERF_COUNTER_REG_INFO
    text,     ///< one string, as in V2 registrations
    guid,     ///< GUID of a provider
};
/// Returns the name of a form: `v1`, `v2_data`, ...
std::string_view map_form_name(MapForm form) noexcept;

/// Returns the form of an input, recognised by its content. V1 is also recognised if other bytes precede the first
/// block. None if no form is recognised.
std::optional<MapForm> map_form_of(Bytes input);
/// Returns the form of a record; none for title databases, provenance and logs.
std::optional<MapForm> map_form_of(const Record& record) noexcept;

/// The purpose of a run of bytes.
enum class MapKind : std::uint8_t {
    header,      ///< members that describe the bytes after them: headers, lengths, counts
    definition,  ///< members of definitions of counters, instances, countersets
    name,        ///< characters, with their terminating NUL
    value,       ///< value of a counter
    padding,     ///< bytes within the stated length of a structure that are in none of its members
    gap,         ///< bytes of a block that are in no structure, or in a structure that could not be read
    leftover,    ///< outside all blocks
};
/// Number of kinds.
inline constexpr std::size_t map_kinds = 7;
/// Returns the name of a kind: `header`, `definition`, ...
std::string_view map_kind_name(MapKind kind) noexcept;

/// One run of bytes. Views are valid only during the call that delivers the entry. Runs are ascending and contiguous:
/// each byte of the input is in exactly one run. If all bytes of a field also belong to earlier fields, the field is
/// delivered with an empty run.
struct MapEntry {
    Bytes bytes;  ///< the run, with its offset in the input
    Bytes whole;  ///< the complete field; larger than `bytes` if the field shares its first bytes with earlier fields
    MapKind kind{};
    std::string_view structure;         ///< Microsoft's name; empty for leftovers
    std::string_view field;             ///< Microsoft's name; empty for values, padding, gaps and leftovers
    std::uint32_t block = 0;            ///< number of blocks before the block with this run
    std::uint32_t object = no_index;    ///< V1: ObjectNameTitleIndex; V2: position of the result in its block
    std::uint32_t instance = no_index;  ///< position in the instance list of the object
    std::uint32_t counter = no_index;   ///< position among the counter definitions of the object
    std::string_view object_name, instance_name, counter_name;  ///< empty if unknown
    bool is_number = false;                                     ///< whether `value` is an integer, in decimal
    std::string_view value;     ///< value of the field; UTF-8, may contain any characters
    std::string_view meaning;   ///< meaning of the value; of padding, gaps and leftovers: why the bytes are in no field
    std::string_view overlaps;  ///< earlier field that shares bytes with this field; empty if no bytes are shared

    /// Returns the number of bytes of the field that also belong to earlier fields.
    std::uint64_t shared_bytes() const noexcept { return whole.size() - bytes.size(); }
};

/// Receives one entry.
using MapVisitor = std::function<void(const MapEntry&)>;

/// Numbers of bytes by purpose. The sum of these numbers is exactly the size of the input.
struct MapTotals {
    std::array<std::uint64_t, map_kinds> bytes{};
    std::uint64_t blocks = 0;
    std::uint64_t overlaps = 0;         ///< number of fields that share bytes with earlier fields
    std::uint64_t shared_bytes = 0;     ///< sum of `MapEntry::shared_bytes` of these fields
    std::uint64_t nonzero_padding = 0;  ///< number of padding bytes that are not zero

    /// Returns the number of bytes of all kinds together.
    std::uint64_t sum() const noexcept;
    /// Returns the number of bytes of one kind.
    std::uint64_t of(MapKind kind) const noexcept { return bytes[static_cast<std::size_t>(kind)]; }
};

/// Information that helps to read an input. A null or empty member is unknown.
struct MapOptions {
    const Titles* titles = nullptr;  ///< names for V1; null: none
    Limits limits{};                 ///< values beyond these limits are not mapped; their bytes are a gap
    // V2 data: these members name the results and counters, if known.
    const v2::Identifiers* query = nullptr;    ///< the query that produced the block
    const Countersets* countersets = nullptr;  ///< the registered countersets
    std::string_view machine{};                ///< the machine whose registrations are used
};

/// Maps a complete input in memory, entry by entry, and adds the faults that the readers find to `faults`. Returns the
/// totals. Needs memory for the definitions of one object and for a copy of one block.
MapTotals visit_map(Bytes input, MapForm form, const MapOptions& options, const MapVisitor& visitor,
                    const FaultSink& faults);

}  // namespace hkpd
