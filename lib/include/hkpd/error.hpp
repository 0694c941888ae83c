// What is wrong with an input: one error, its severity, and where it was found. `diagnostics.hpp` collects them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hkpd {

/// What kind of fault it is. `code_name` gives the word that output shows, which is a promise to scripts:
/// codes may be added, and never change their names.
enum class Errc : std::uint8_t {
    // the data block
    not_performance_data,
    truncated_header,
    incomplete_reply,
    byte_order,
    version,
    block_truncated,
    block_length,
    length_without_header,
    gap_after_header,
    header_length,
    machine_name,
    system_time,
    object_count,
    leftover_bytes,
    provider_length,
    // objects
    object_length,
    object_header,
    object_repeated,
    definition_length,
    counter_count,
    counter_definition_length,
    counter_size,
    counter_overlaps_length,
    counter_outside_block,
    counter_beyond_block_length,
    // instances
    instance_count,
    instance_length,
    instance_name,
    counter_block_length,
    counter_block_uneven,
    code_page,
    bad_text,
    parent_missing,
    parent_outside,
    parent_cycle,
    // V2: data blocks, identifiers, registration info
    not_perflib_data,
    result_length,
    result_count,
    result_type,
    result_status,
    result_shape,
    length_uneven,
    value_length,
    value_size,
    counter_ids,
    counter_id_repeated,
    counter_unknown,
    identifier_length,
    registration_length,
    string_buffer,
    string_unterminated,
    counterset_unknown,
    counterset_assumed,
    counterset_limit,
    collected_too_often,
    other_source,
    // title tables
    title_not_text,
    title_index,
    title_unpaired,
    title_odd_byte,
    title_after_end,
    title_repeated,
    title_registry_value,
    title_tables,
    title_last_index,
    title_no_help,
    title_missing,
    title_languages,
    title_overwritten,
    title_unnamed,
    title_index_empty,
    service_value,
    service_overlap,
    service_disabled,
    // captures
    not_a_capture,
    capture_torn,
    capture_unfinished,
    capture_record,
    capture_leftover,
    capture_unknown_record,
    capture_foreign_channel,
    capture_no_channel,
    capture_index,
    capture_count,
    chunk_damaged,
    chunk_compression,
    chunk_checksum,
    chunk_size,
    chunk_limit,
    // binary performance logs
    text_log,
    foreign_trace,
    log_buffer,
    log_event,
    log_fragment,
    log_unknown,
    log_header,
    log_unfinished,
    log_events_lost,
    log_catalogue,
    log_no_catalogue,
    log_record,
    log_row,
    log_name,
    log_count,
    // samples side by side
    machine_changed,
    time_order,
    counter_type_changed,
    // live reading
    query_failed,
    ticks_missed,
    // what an output cannot hold
    columns_fixed,
    series_limit,
    output_limit,
    point_order,
    // limits and inputs
    value_limit,
    byte_limit,
    not_recognised,
    no_data,
    cannot_read,
    cannot_write,
};

/// Whether faults of a code are about a place in the input; those of live reading are about a call.
bool has_place(Errc code) noexcept;

/// The word for a code: `counter_outside_block`.
std::string_view code_name(Errc code) noexcept;

/// One fault. Trivially copyable; the views point at string literals.
struct Error {
    Errc code{};
    std::uint64_t offset = 0;    ///< absolute, in bytes from the start of the input
    std::string_view structure;  ///< Microsoft's name: `PERF_OBJECT_TYPE`
    std::string_view field;      ///< Microsoft's name: `TotalByteLength`; empty where the whole structure is meant
    std::uint64_t need = 0;      ///< what the rule asks for
    std::uint64_t have = 0;      ///< what the input holds; of `cannot_read` and `cannot_write` the
                                 ///< system's error number, of
                                 ///< `query_failed` a Win32 status
};

/// *note*: odd but legal. *warning*: against the rules, nothing lost. *error*: something was lost.
enum class Severity : std::uint8_t { note, warning, error };

/// `note`, `warning`, `error`.
std::string_view severity_name(Severity severity) noexcept;

/// Stands in `Diagnostic::object` and `Diagnostic::sample` where there is none.
inline constexpr std::uint32_t no_index = 0xFFFF'FFFF;

/// Numbers of objects from here on stand for V2 countersets in one run: no title index is that high. From
/// `first_unknown_result` on they stand for the places of results of which nothing tells the counterset; those right
/// below it, for countersets that a live query could not have.
/// @{
inline constexpr std::uint32_t first_counterset = 0x8000'0000, first_unknown_result = 0xC000'0000;
/// @}
/// Numbers from here up to the first of those stand for objects and counters that a log knows by name alone.
inline constexpr std::uint32_t first_logged = 0x4000'0000;

/// Where in a run a record stands.
struct Place {
    std::uint32_t input = no_index;   ///< position in `Diagnostics::inputs()`
    std::uint32_t record = no_index;  ///< of a capture or log: how many records came before it in the file; offsets are
                                      ///< those in the record then
    std::uint32_t sample = no_index;  ///< how many samples came before its sample
};

/// A fault, how bad it is, and where in the run it was found.
struct Diagnostic {
    Severity severity{};
    Error error;
    std::uint32_t object = no_index;    ///< `Object::title_index` of the object it was found in
    std::uint32_t instance = no_index;  ///< place of the instance in its object's list
    Place place{};                      ///< the record it was found in; of the file itself: without record and sample
};

class Diagnostics;

/// Receives the faults of one place of a run: each is added to a list with the place. A list alone stands for the input
/// that was added to it last. Copied freely; refers to the list, which must outlive it.
class FaultSink {
  public:
    /// Discards what it receives.
    FaultSink() noexcept = default;
    FaultSink(Diagnostics& list) noexcept;
    FaultSink(Diagnostics& list, const Place& place) noexcept : list_(&list), place_(place) {}

    /// Returns a sink of the same list for another place.
    FaultSink at(const Place& place) const noexcept {
        FaultSink other = *this;
        other.place_ = place;
        return other;
    }
    const Place& place() const noexcept { return place_; }

    void add(Severity severity, const Error& error, std::uint32_t object = no_index,
             std::uint32_t instance = no_index) const;
    /// Moves all faults of another list here.
    void take(Diagnostics& other) const;
    /// Names an object that has no title index, as `Diagnostics::name_object` does.
    void name_object(std::uint32_t number, std::string_view name) const;
    std::string_view object_name(std::uint32_t number) const noexcept;

    /// Returns how many faults its list has received; nothing where they are discarded.
    std::optional<std::uint64_t> count() const noexcept;

  private:
    Diagnostics* list_ = nullptr;
    Place place_{};
};

}  // namespace hkpd
