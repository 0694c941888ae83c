// A map of an input: which structure and which field each byte belongs to, what it says, and what nothing claims.
// It is drawn by the readers that samples are built by: what they salvage from damaged input is what the map shows.
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

/// What an input is.
enum class MapForm : std::uint8_t {
    v1,            ///< PERF_DATA_BLOCKs: one, or several end to end
    v2_data,       ///< PERF_DATA_HEADERs, likewise
    identifiers,   ///< PERF_COUNTER_IDENTIFIERs
    registration,  ///< PERF_COUNTERSET_REG_INFO with its counters
    strings,       ///< PERF_STRING_BUFFER_HEADER with its strings
    // What nothing tells by content.
    counter,  ///< one PERF_COUNTER_REG_INFO
    text,     ///< one string, as registrations of V2 have them
    guid,     ///< of a provider
};
/// `v1`, `v2_data`, ...
std::string_view map_form_name(MapForm form) noexcept;

/// Tells by content; a V1 block may stand anywhere. None where nothing is recognised.
std::optional<MapForm> map_form_of(Bytes input);
/// What a record is; none of title databases and provenance.
std::optional<MapForm> map_form_of(const Record& record) noexcept;

/// What a run of bytes serves.
enum class MapKind : std::uint8_t {
    header,      ///< members of structures that say what follows: headers, lengths, counts
    definition,  ///< members of definitions of counters, instances, countersets
    name,        ///< characters, with their NUL
    value,       ///< of a counter
    padding,     ///< inside the length that a structure states, and no member of it
    gap,         ///< inside a block, and in no structure, or in one that could not be read
    leftover,    ///< in no block
};
/// How many there are.
inline constexpr std::size_t map_kinds = 7;
/// `header`, `definition`, ...
std::string_view map_kind_name(MapKind kind) noexcept;

/// One run of bytes. Views are valid during the call that gives it. Runs come in ascending order and are side by side:
/// each byte of the input is in one of them. A field all of whose bytes belong to earlier ones too comes with an empty
/// run.
struct MapEntry {
    Bytes bytes;  ///< the run, with its offset in the input
    Bytes whole;  ///< the field: more than `bytes` where earlier fields have its first bytes too
    MapKind kind{};
    std::string_view structure;         ///< Microsoft's name; empty of leftovers
    std::string_view field;             ///< Microsoft's name; empty of values, padding, gaps, leftovers
    std::uint32_t block = 0;            ///< how many blocks came before the one it is in
    std::uint32_t object = no_index;    ///< V1: ObjectNameTitleIndex; V2: place of the result in its block
    std::uint32_t instance = no_index;  ///< place in the list of its object
    std::uint32_t counter = no_index;   ///< place among the definitions of its object
    std::string_view object_name, instance_name, counter_name;  ///< empty where unknown
    bool is_number = false;                                     ///< whether `value` is a whole number, in decimal
    std::string_view value;                                     ///< what the field says; UTF-8, may hold any characters
    std::string_view meaning;   ///< what that stands for; of padding, gaps and leftovers, why nothing claims them
    std::string_view overlaps;  ///< what has the shared bytes too; empty where none are shared

    /// How many bytes of the field earlier ones have too.
    std::uint64_t shared_bytes() const noexcept { return whole.size() - bytes.size(); }
};

/// Takes one entry.
using MapVisitor = std::function<void(const MapEntry&)>;

/// Bytes by what they serve. The sum is the size of the input, to the byte.
struct MapTotals {
    std::array<std::uint64_t, map_kinds> bytes{};
    std::uint64_t blocks = 0;
    std::uint64_t overlaps = 0;         ///< fields that share bytes with earlier ones
    std::uint64_t shared_bytes = 0;     ///< those bytes, counted once for each such field
    std::uint64_t nonzero_padding = 0;  ///< bytes of padding that are not zero

    /// All kinds together, and one of them.
    std::uint64_t sum() const noexcept;
    std::uint64_t of(MapKind kind) const noexcept { return bytes[static_cast<std::size_t>(kind)]; }
};

/// What helps to read an input. What is null or empty is not known.
struct MapOptions {
    const Titles* titles = nullptr;  ///< names of V1; null: none
    Limits limits{};                 ///< values beyond them are not mapped, and their bytes are a gap
    // V2 data: what names its results and counters, where that is known.
    const v2::Identifiers* query = nullptr;    ///< that the block answers
    const Countersets* countersets = nullptr;  ///< what was registered
    std::string_view machine{};                ///< whose registrations count
};

/// Draws the map of a whole input in memory, entry by entry, and adds what the readers find wrong to `faults`.
/// Takes memory in proportion to the definitions of one object, and to one copy of a block.
MapTotals visit_map(Bytes input, MapForm form, const MapOptions& options, const MapVisitor& visitor,
                    const FaultSink& faults);

}  // namespace hkpd
