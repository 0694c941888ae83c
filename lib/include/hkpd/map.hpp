// A map of an input. For each byte, the map shows the structure and the field to which the byte belongs, or that the
// byte belongs to no structure. The map also shows the value of each field. The map uses the same readers as the code
// that builds samples. Therefore, the map of a damaged input shows which parts of the input these readers recover.
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

/// The form of an input: the structures that the input consists of.
enum class MapForm : std::uint8_t {
    v1,            ///< PERF_DATA_BLOCKs: one, or several end to end
    v2_data,       ///< PERF_DATA_HEADERs: one, or several end to end
    identifiers,   ///< PERF_COUNTER_IDENTIFIERs
    registration,  ///< PERF_COUNTERSET_REG_INFO with its counters
    strings,       ///< PERF_STRING_BUFFER_HEADER with its strings
    // The following forms cannot be recognised by their content. The caller must know the form.
    counter,  ///< one PERF_COUNTER_REG_INFO
    text,     ///< one string of a V2 registration
    guid,     ///< GUID of a provider
};
/// Returns the name of a form: `v1`, `v2_data`, ...
std::string_view map_form_name(MapForm form) noexcept;

/// Returns the form of an input, recognised by its content. V1 is also recognised if other bytes precede the first
/// block. Returns none if no form is recognised.
std::optional<MapForm> map_form_of(Bytes input);
/// Returns the form of a record. Returns none if the record is a title database, provenance, or part of a log.
std::optional<MapForm> map_form_of(const Record& record) noexcept;

/// The purpose that the bytes of a `MapEntry` serve in the input.
enum class MapKind : std::uint8_t {
    header,      ///< members that describe the bytes after them: headers, lengths, counts
    definition,  ///< members of definitions of counters, instances, countersets
    name,        ///< characters, with their terminating NUL
    value,       ///< value of a counter
    padding,     ///< bytes that belong to no member of a structure, but lie within the structure's length
    gap,         ///< bytes of a block that are in no structure, or in a structure that could not be read
    leftover,    ///< bytes outside all blocks
};
/// Number of values of `MapKind`.
inline constexpr std::size_t map_kinds = 7;
/// Returns the name of a kind: `header`, `definition`, ...
std::string_view map_kind_name(MapKind kind) noexcept;

/// An entry of a map: a run of consecutive bytes with the same meaning, such as one field. The runs of all entries are
/// ascending and contiguous: each byte of the input is in exactly one run. If all bytes of a field also belong to
/// earlier fields, the entry of the field has an empty run. Each of the members `object`, `instance` and `counter` is
/// `no_index` if the bytes belong to no object, no instance or no counter. Views are valid only during the call of the
/// `MapVisitor` that receives the entry.
struct MapEntry {
    Bytes bytes;  ///< the run, with its offset in the input
    Bytes whole;  ///< the complete field; larger than `bytes` if the field shares its first bytes with earlier fields
    MapKind kind{};
    std::string_view structure;         ///< Microsoft's name of the structure; empty for leftovers
    std::string_view field;             ///< Microsoft's name of the field; empty for values, padding, gaps, leftovers
    std::uint32_t block = 0;            ///< number of earlier blocks in the input
    std::uint32_t object = no_index;    ///< V1: ObjectNameTitleIndex; V2: position of the result in its block
    std::uint32_t instance = no_index;  ///< position in the instance list of the object
    std::uint32_t counter = no_index;   ///< position among the counter definitions of the object
    std::string_view object_name, instance_name, counter_name;  ///< empty if unknown
    bool is_number = false;                                     ///< whether `value` is an integer in decimal digits
    std::string_view value;  ///< value of the field; UTF-8, may contain any characters
    /// Meaning of the value, such as the name of a counter type; empty if there is none. For padding, gaps and
    /// leftovers: the reason why the bytes belong to no field.
    std::string_view meaning;
    std::string_view overlaps;  ///< an earlier field that shares bytes with this field; empty if there is none

    /// Returns the number of bytes of the field that also belong to earlier fields.
    std::uint64_t shared_bytes() const noexcept { return whole.size() - bytes.size(); }
};

/// A function that receives each entry of a map.
using MapVisitor = std::function<void(const MapEntry&)>;

/// The totals of a map. The sum of the numbers in `bytes` is exactly the size of the input.
struct MapTotals {
    std::array<std::uint64_t, map_kinds> bytes{};  ///< number of bytes of each `MapKind`
    std::uint64_t blocks = 0;
    std::uint64_t overlaps = 0;         ///< number of fields that share bytes with earlier fields
    std::uint64_t shared_bytes = 0;     ///< sum of `MapEntry::shared_bytes` of these fields
    std::uint64_t nonzero_padding = 0;  ///< number of padding bytes that are not zero

    /// Returns the number of bytes of all kinds together.
    std::uint64_t sum() const noexcept;
    /// Returns the number of bytes of one kind.
    std::uint64_t of(MapKind kind) const noexcept { return bytes[static_cast<std::size_t>(kind)]; }
};

/// Options of a map: the limits, and names for objects and counters. All pointers may be null; the map then has fewer
/// names.
struct MapOptions {
    const Titles* titles = nullptr;  ///< titles that name V1 objects and counters
    Limits limits{};                 ///< values beyond these limits are not mapped; the bytes of these values are a gap
    // The members below are for V2 data. V2 blocks do not contain the names of countersets and counters. With these
    // members, the map shows, for each result of a block, the names of its counterset and of its counters.
    const v2::Identifiers* query = nullptr;    ///< identifiers of the query that returned the block
    const Countersets* countersets = nullptr;  ///< registered countersets, which contain the names
    std::string_view machine{};                ///< machine whose registrations are used; empty: any
};

/// Maps a complete input in memory. Calls `visitor` with each entry, in the order of the entries' bytes in the input,
/// and adds the faults that the readers find to `faults`. Returns the totals. Needs memory for the definitions of one
/// object and for a copy of one block.
MapTotals visit_map(Bytes input, MapForm form, const MapOptions& options, const MapVisitor& visitor,
                    const FaultSink& faults);

}  // namespace hkpd
