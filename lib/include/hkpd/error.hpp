// A fault in an input: its error code, its severity and its place. The list of faults is in `diagnostics.hpp`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hkpd {

/// Kind of a fault. Output shows the name that `code_name` returns. Scripts can rely on these names: later versions may
/// add codes, but the name of a code never changes.
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
    local_time,
    time_mismatch,
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
    list_broken,
    length_corrected,
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
    title_differs,
    title_unnamed,
    title_index_empty,
    title_order,
    title_base,
    title_count,
    title_no_object,
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
    expansion_limit,
    // compressed inputs
    packed_damaged,
    packed_entry,
    packed_method,
    packed_twice,
    unpacked_limit,
    // text logs
    text_log,
    text_raw,
    text_zone,
    text_head,
    text_column,
    text_comment,
    text_row,
    text_cell,
    text_time,
    text_other,
    text_encoding,
    text_padding,
    // binary performance logs
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
    // consecutive samples
    machine_changed,
    time_order,
    counter_type_changed,
    // live reading
    query_failed,
    ticks_missed,
    // values that are left out of the output
    columns_fixed,
    columns_shared,
    series_limit,
    name_limit,
    path_limit,
    path_english,
    language_missing,
    names_local,
    name_unknown,
    output_limit,
    point_order,
    // limits and inputs
    value_limit,
    byte_limit,
    not_recognised,
    foreign_file,
    files_skipped,
    read_before,
    v2_alone,
    manifest_line,
    names_not_located,
    no_data,
    cannot_read,
    cannot_write,
};

/// Returns whether a fault with this code has an offset in the input. Returns false for the codes of live reading
/// (`query_failed`, `ticks_missed`), whose faults do not concern bytes.
bool has_place(Errc code) noexcept;

/// Returns the name of a code, such as `counter_outside_block`.
std::string_view code_name(Errc code) noexcept;

/// A fault. Trivially copyable. `structure` and `field` point to string literals.
struct Error {
    Errc code{};
    /// Offset in bytes from the start of the input or, if the fault's place has a record number, from the start of the
    /// record.
    std::uint64_t offset = 0;
    /// Name of the structure, such as `PERF_OBJECT_TYPE`, as the format's documentation spells it. For `query_failed`:
    /// the function or interface that failed.
    std::string_view structure;
    /// Name of the field, such as `TotalByteLength`; empty if the fault concerns the whole structure.
    std::string_view field;
    /// `expected` is the value that the rule requires, or the limit; `found` is the value in the input. If a code needs
    /// one number, it is `found`: for `cannot_read` and `cannot_write` the system's error number, for `query_failed` a
    /// Win32 status. For `title_no_help` and `title_languages`, they are the first and the last index of a range.
    /// `fault_numbers` names them.
    std::uint64_t expected = 0;
    std::uint64_t found = 0;
};

/// Severity of a fault. *note*: the data is unusual but legal. *warning*: the data breaks a rule, but no data was lost.
/// *error*: data was lost.
enum class Severity : std::uint8_t { note, warning, error };

/// Returns the name of a severity: `note`, `warning` or `error`.
std::string_view severity_name(Severity severity) noexcept;

/// Returns the severity that faults with this code usually have. Faults with some codes also have others, depending on
/// what is lost.
Severity usual_severity(Errc code) noexcept;

/// Value that stands for an absent index, for example in `Diagnostic::object` or `Place::sample`.
inline constexpr std::uint32_t no_index = 0xFFFF'FFFF;

/// The ranges of object numbers (`Diagnostic::object` and `Object::title_index`). A number below `first_counterset` is
/// a title index, except in logs (see `first_logged`). A number from `first_counterset` on is not a title index:
///
/// - Countersets of V2 are numbered upwards from `first_counterset`, in the order in which a run encounters them.
/// - Countersets that a live query could not add are numbered downwards from `first_unknown_result` - 1.
/// - V2 results whose counterset is unknown have the number `first_unknown_result` plus the position of the result in
///   its block.
///
/// @{
inline constexpr std::uint32_t first_counterset = 0x8000'0000, first_unknown_result = 0xC000'0000;
/// @}
/// In logs, numbers from `first_logged` to `first_counterset` - 1 identify objects and counters that the log contains
/// only by name, without a title index.
inline constexpr std::uint32_t first_logged = 0x4000'0000;

/// Place of a fault or a record in a run: the input, the record in the input, and the sample.
struct Place {
    std::uint32_t input = no_index;  ///< position in `Diagnostics::inputs()`
    /// In captures and logs: number of records before this record in the file. `Error::offset` then counts from the
    /// start of the record.
    std::uint32_t record = no_index;
    std::uint32_t sample = no_index;  ///< number of samples that precede the record's sample in the input
};

/// The row or cell of a log in which a fault was found, as people look for it.
struct FaultCell {
    /// From 1; 0 in a binary log, and if it is unknown, because the text was not read from its beginning.
    std::uint64_t line = 0;
    std::string time;         ///< of the row: its first cells, in a binary log local time; empty if it is unknown
    std::string time_before;  ///< if the time of the row is unknown: that of the row before it
    /// The heading of the cell's column, in a binary log the counter path; empty if the whole row has the fault.
    std::string path;
    std::string machine, object, instance, counter;  ///< the parts of the path, if it is one
    std::optional<std::string> text;                 ///< the cell of a text log, at most 64 bytes of it; in a row that
                                                     ///< does not fit the first line, the first cell without a number
};

/// A fault with its severity and the place in the run where it was found.
struct Diagnostic {
    Severity severity{};
    Error error;
    std::uint32_t object = no_index;  ///< `Object::title_index` of the object that has the fault
    /// Position, in the object's list of instances, of the instance that has the fault.
    std::uint32_t instance = no_index;
    /// Input, record and sample in which the fault was found. A fault of the file itself has no record and no sample.
    Place place{};
    std::shared_ptr<const FaultCell> cell{};  ///< null if the fault is not in a row of a log
};

class Diagnostics;

/// A sink that adds faults to a `Diagnostics` (the list) and assigns the same place to all of them. If the constructor
/// receives no place, the place is the input that was added to the list last before the construction. A sink is cheap
/// to copy. It keeps a reference to the list, so the list must outlive the sink.
class FaultSink {
  public:
    /// Constructs a sink that discards every fault.
    FaultSink() noexcept = default;
    FaultSink(Diagnostics& list) noexcept;
    FaultSink(Diagnostics& list, const Place& place) noexcept : list_(&list), place_(place) {}

    /// Returns a sink with the same list as this sink and with the place `place`.
    FaultSink at(const Place& place) const noexcept {
        FaultSink other = *this;
        other.place_ = place;
        return other;
    }
    const Place& place() const noexcept { return place_; }

    void add(Severity severity, const Error& error, std::uint32_t object = no_index,
             std::uint32_t instance = no_index) const;
    /// Adds a fault with the usual severity of its code.
    void add(const Error& error, std::uint32_t object = no_index, std::uint32_t instance = no_index) const;
    /// Adds a fault in a row of a log.
    void add(Severity severity, const Error& error, FaultCell cell, std::uint32_t object = no_index,
             std::uint32_t instance = no_index) const;
    /// Returns whether a fault of this severity would be kept in the list, so that its cell is of use.
    bool keeps(Severity severity) const noexcept;
    /// Moves all faults of `other` to this sink's list and assigns this sink's place to each of them.
    void take(Diagnostics& other) const;
    /// Sets the name of an object that has no title index, as `Diagnostics::name_object` does.
    void name_object(std::uint32_t number, std::string_view name) const;
    /// Returns the name of an object, as `Diagnostics::object_name` does; empty if this sink discards faults.
    std::string_view object_name(std::uint32_t number) const noexcept;

    /// Returns the number of all faults in the list, from this and other sinks; `std::nullopt` if this sink discards
    /// faults.
    std::optional<std::uint64_t> count() const noexcept;

  private:
    Diagnostics* list_ = nullptr;
    Place place_{};
};

}  // namespace hkpd
