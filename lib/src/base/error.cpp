// The names and message texts of fault codes, and the implementation of `FaultSink` and `Diagnostics`.
#include "hkpd/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "base/win32.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd {
namespace {

/// The numbers of an `Error` that its message shows.
enum class Numbers : std::uint8_t {
    none,
    found,           ///< `found`, the value in the input
    value,           ///< `found`, which completes the text: "duplicate index 5"
    expected_found,  ///< `expected` is the rule's value or the limit, `found` the input's
    signed_count,    ///< as `expected_found`, with both numbers shown as signed 32-bit numbers
    range,           ///< from `expected` to `found`
    system,          ///< `found` is an error number of the system
    status,          ///< `found` is a Win32 status
};

struct CodeText {
    Errc code;
    std::string_view name;
    std::string_view text;
    Numbers numbers;
};

using enum Numbers;

constexpr auto code_texts = std::to_array<CodeText>({
    {Errc::not_performance_data, "not_performance_data",
     "not a performance data block: it does not begin with PERF in UTF-16", none},
    {Errc::truncated_header, "truncated_header", "the input has too few bytes for the structure", expected_found},
    {Errc::incomplete_reply, "incomplete_reply",
     "the block is empty, because the buffer passed to RegQueryValueEx was too small; query again with a larger "
     "buffer",
     none},
    {Errc::byte_order, "byte_order", "invalid byte order flag; the byte order is chosen so that Version is 1", found},
    {Errc::version, "version", "unknown version, decoded as version 1", expected_found},
    {Errc::block_truncated, "block_truncated", "the input has fewer bytes than the block", expected_found},
    {Errc::block_length, "block_length", "the length does not match the content of the block", expected_found},
    {Errc::length_without_header, "length_without_header",
     "the length excludes the header, as Samba writes it; all objects are decoded", expected_found},
    {Errc::gap_after_header, "gap_after_header",
     "88 extra bytes follow the header, as Wine writes them; they are skipped", expected_found},
    {Errc::header_length, "header_length", "invalid header length; objects are read from the expected offset",
     expected_found},
    {Errc::machine_name, "machine_name", "invalid offset or length of the machine name", expected_found},
    {Errc::system_time, "system_time", "invalid date or time", none},
    {Errc::local_time, "local_time",
     "SystemTime is local time instead of UTC, and PerfTime100nSec is used; milliseconds since 1970 in "
     "PerfTime100nSec (expected) and in SystemTime (found)",
     expected_found},
    {Errc::time_mismatch, "time_mismatch",
     "SystemTime differs from PerfTime100nSec, and SystemTime is used; milliseconds since 1970 in "
     "PerfTime100nSec (expected) and in SystemTime (found)",
     expected_found},
    {Errc::object_count, "object_count", "the stated number of objects is wrong", expected_found},
    {Errc::leftover_bytes, "leftover_bytes", "bytes that belong to no structure", found},
    {Errc::provider_length, "provider_length",
     "the provider returned a length that is not a multiple of 8; stray bytes after the object", found},
    {Errc::object_length, "object_length",
     "invalid object length; the object is read up to the next one or to the end of the block", expected_found},
    {Errc::object_header, "object_header", "invalid object header length; the object is skipped", expected_found},
    {Errc::object_repeated, "object_repeated", "the block contains more than one object with index", value},
    {Errc::definition_length, "definition_length",
     "the length of the object's definitions is too small; the object is skipped", expected_found},
    {Errc::counter_count, "counter_count", "the stated number of counters is wrong", expected_found},
    {Errc::counter_definition_length, "counter_definition_length",
     "invalid counter definition length; this counter and possibly the following ones are skipped", expected_found},
    {Errc::counter_size, "counter_size", "the size does not match the counter type", expected_found},
    {Errc::counter_overlaps_length, "counter_overlaps_length",
     "the counter offset points into the length field of the counter block; the counter has no value", expected_found},
    {Errc::counter_outside_block, "counter_outside_block",
     "the end of the counter (offset plus size) lies outside the counter block; the counter has no value",
     expected_found},
    {Errc::counter_beyond_block_length, "counter_beyond_block_length",
     "the counter block length is too small for its counters; counters beyond it are still decoded, because no other "
     "structure uses these bytes",
     expected_found},
    {Errc::instance_count, "instance_count",
     "the stated number of instances is wrong (-1 for an object without instances)", signed_count},
    {Errc::instance_length, "instance_length", "the instance length is too small; the remaining instances are skipped",
     expected_found},
    {Errc::instance_name, "instance_name", "invalid offset of the instance name", expected_found},
    {Errc::counter_block_length, "counter_block_length",
     "invalid counter block length; the rest of the object is skipped", expected_found},
    {Errc::counter_block_uneven, "counter_block_uneven",
     "the counter block differs in length from the first one of its object; later instances of the object may be "
     "wrong",
     expected_found},
    {Errc::list_broken, "list_broken",
     "wrong length: the next instance does not begin where this one ends; instances may be missing", expected_found},
    {Errc::length_corrected, "length_corrected", "wrong length; the length that agrees with all other lengths is used",
     expected_found},
    {Errc::code_page, "code_page", "unsupported code page; non-ASCII characters are shown as U+FFFD", found},
    {Errc::bad_text, "bad_text", "characters that are invalid in their encoding are shown as U+FFFD", none},
    {Errc::parent_missing, "parent_missing", "the sample does not contain the parent object: index", value},
    {Errc::parent_outside, "parent_outside",
     "the parent instance does not exist, because the parent object has too few instances", expected_found},
    {Errc::parent_cycle, "parent_cycle", "the chain of parents is circular or too long", none},
    {Errc::not_perflib_data, "not_perflib_data",
     "not a V2 (PerfLib) data block: it is shorter than its header, or its content does not match its length", none},
    {Errc::result_length, "result_length", "the stated length of the result does not match its content",
     expected_found},
    {Errc::result_count, "result_count", "the stated number of results is wrong", expected_found},
    {Errc::result_type, "result_type",
     "the result type is unknown, or the data does not match it; the result is skipped", found},
    {Errc::result_status, "result_status", "the result has an error status; data, if any, is shown", status},
    {Errc::result_shape, "result_shape", "the result type does not match the identifier in the query", found},
    {Errc::length_uneven, "length_uneven", "the length is not a multiple of 8", found},
    {Errc::value_length, "value_length", "invalid length of the counter data; the rest of the result is skipped",
     expected_found},
    {Errc::value_size, "value_size",
     "invalid value size: it is not 4 or 8, or it contradicts the counter type or the counter's other values",
     expected_found},
    {Errc::counter_ids, "counter_ids", "invalid length of the list of counter ids; the result is skipped",
     expected_found},
    {Errc::counter_id_repeated, "counter_id_repeated", "duplicate counter id, the first counter is used: id", value},
    {Errc::counter_unknown, "counter_unknown",
     "the registration info does not contain this counter; its raw value is shown: id", value},
    {Errc::identifier_length, "identifier_length", "invalid identifier length; the identifiers after it are skipped",
     expected_found},
    {Errc::registration_length, "registration_length", "the length of the registration info does not match its content",
     expected_found},
    {Errc::string_buffer, "string_buffer",
     "the string at dwOffset is not completely inside the string buffer; it is skipped", found},
    {Errc::string_unterminated, "string_unterminated", "the string is not null-terminated", none},
    {Errc::counterset_unknown, "counterset_unknown",
     "unknown counterset: provide --identifiers and --registration for names and types", none},
    {Errc::counterset_assumed, "counterset_assumed",
     "unknown counterset; the counterset in the registration info that best matches the result is used", none},
    {Errc::counterset_limit, "counterset_limit",
     "too many counters or bytes of text in the registration info; the rest is skipped", none},
    {Errc::collected_too_often, "collected_too_often",
     "samples are taken more often than once per second, the highest rate that counters are designed for; interval "
     "in milliseconds",
     expected_found},
    {Errc::other_source, "other_source",
     "samples whose source (registry, PerfLib or log) differs from that of the first sample are skipped; select the "
     "source with --source v1, v2 or log; samples skipped:",
     value},
    {Errc::title_not_text, "title_not_text", "not valid UTF-8, decoded as Windows-1252", none},
    {Errc::title_index, "title_index", "the string is not a number and cannot be an index; it is skipped", none},
    {Errc::title_unpaired, "title_unpaired", "this entry has an index but no title: index", value},
    {Errc::title_odd_byte, "title_odd_byte", "extra byte after the last UTF-16 character", none},
    {Errc::title_after_end, "title_after_end", "extra bytes after the end of the list of titles", found},
    {Errc::title_repeated, "title_repeated", "duplicate index", value},
    {Errc::title_registry_value, "title_registry_value", "the registry value is not a valid REG_MULTI_SZ", none},
    {Errc::title_tables, "title_tables", "too many title tables, the rest is skipped: limit", value},
    {Errc::title_last_index, "title_last_index", "the value differs from the highest title index", expected_found},
    {Errc::title_no_help, "title_no_help", "no help text for names with index", range},
    {Errc::title_missing, "title_missing", "this registry value is missing or has no titles", none},
    {Errc::title_languages, "title_languages",
     "titles that another language has are missing in the language of this entry; index", range},
    {Errc::title_overwritten, "title_overwritten",
     "the English titles of Windows have been overwritten with other text, first at index", value},
    {Errc::title_differs, "title_differs", "the title differs from Windows' own English title of index", value},
    {Errc::title_unnamed, "title_unnamed", "no title for index", value},
    {Errc::title_index_empty, "title_index_empty", "the index is an empty string; it is skipped", none},
    {Errc::title_no_object, "title_no_object", "no sample contains this object of the title database: index", value},
    {Errc::service_value, "service_value", "the Performance key of the provider has no valid value of this name", none},
    {Errc::service_overlap, "service_overlap", "First Counter lies within the title indices of another provider",
     expected_found},
    {Errc::service_disabled, "service_disabled", "the provider is disabled; Perflib does not call it", none},
    {Errc::not_a_capture, "not_a_capture", "not a capture (MCAP file)", none},
    {Errc::capture_torn, "capture_torn",
     "the capture is truncated, with too few bytes for its last record; everything before that record is read",
     expected_found},
    {Errc::capture_unfinished, "capture_unfinished",
     "the capture has no end record (still being written, interrupted or truncated); all complete records are read",
     none},
    {Errc::capture_record, "capture_record", "the record is too short for this field", expected_found},
    {Errc::capture_leftover, "capture_leftover", "bytes that form no record are skipped", found},
    {Errc::capture_unknown_record, "capture_unknown_record", "unknown record type; the record is skipped", found},
    {Errc::capture_foreign_channel, "capture_foreign_channel",
     "the metadata of the channel is missing or invalid, and its messages are skipped: channel id", value},
    {Errc::capture_no_channel, "capture_no_channel",
     "no record declares the channel of the message, and the message is skipped: channel id", value},
    {Errc::capture_index, "capture_index",
     "the summary at the end of the capture contradicts the other records and is ignored", none},
    {Errc::capture_count, "capture_count", "the message count in the summary is wrong", expected_found},
    {Errc::chunk_damaged, "chunk_damaged", "the chunk is damaged; it is skipped", none},
    {Errc::chunk_compression, "chunk_compression",
     "unsupported compression (only zstd and uncompressed chunks are supported); the chunk is skipped", none},
    {Errc::chunk_checksum, "chunk_checksum", "the checksum does not match; the chunk is skipped", expected_found},
    {Errc::chunk_size, "chunk_size", "the chunk does not decompress to its stated size; it is skipped", expected_found},
    {Errc::chunk_limit, "chunk_limit", "the chunk exceeds the size limit; it is skipped", expected_found},
    {Errc::expansion_limit, "expansion_limit",
     "the chunk expands to more bytes than --limit-expansion still allows; it is skipped", expected_found},
    {Errc::packed_damaged, "packed_damaged", "the compressed data is damaged or truncated; what follows is not read",
     none},
    {Errc::packed_entry, "packed_entry",
     "the directory of the archive is damaged; files beyond the number read are skipped", expected_found},
    {Errc::packed_method, "packed_method",
     "the file is encrypted, or its compression is not supported (supported: stored, deflate and zstd); it is skipped: "
     "method",
     value},
    {Errc::packed_twice, "packed_twice", "the content is compressed once more, and is not read; unpack it first", none},
    {Errc::unpacked_limit, "unpacked_limit",
     "the data expands to more bytes than --limit-expansion and the limit of 1 GiB allow; it is skipped",
     expected_found},
    {Errc::text_log, "text_log", "the values of the log are cooked already, and are shown as they are", none},
    {Errc::text_raw, "text_raw",
     "raw values are not in the input; the cooked values of the log are shown in their place", none},
    {Errc::text_zone, "text_zone", "the first line states no time zone; times are taken as UTC", none},
    {Errc::text_head, "text_head", "the first line is damaged; the log is skipped", none},
    {Errc::text_column, "text_column",
     "the heading of a column is no counter path, or too long; the column is left out: column", value},
    {Errc::text_comment, "text_comment", "the last column has no counter path; it is taken as a comment: column",
     value},
    {Errc::text_row, "text_row",
     "the row has fewer or more cells than the first line; values without a heading or a cell are left out",
     expected_found},
    {Errc::text_cell, "text_cell", "a cell of the row holds no number; its value is left out: column", value},
    {Errc::text_time, "text_time", "the first cell of the row is no time such as 11/26/2016 13:46:30.874", none},
    {Errc::text_other, "text_other", "the line is no row of the log, and is skipped", none},
    {Errc::foreign_trace, "foreign_trace", "the event trace has no performance counters", none},
    {Errc::log_buffer, "log_buffer", "invalid size in the buffer header; the buffer is skipped", expected_found},
    {Errc::log_event, "log_event",
     "the event is too short for its header; it is skipped, and possibly the rest of its buffer", expected_found},
    {Errc::log_fragment, "log_fragment",
     "the fragment numbers of the event are incomplete or out of order, and the event is skipped", expected_found},
    {Errc::log_unknown, "log_unknown", "unknown record type; the record is skipped", found},
    {Errc::log_header, "log_header",
     "the log header is missing or too short; its time zone is unknown, and times are taken as UTC", expected_found},
    {Errc::log_unfinished, "log_unfinished", "the log was not closed or is truncated; complete records are shown",
     none},
    {Errc::log_events_lost, "log_events_lost",
     "Windows lost data while it wrote the log; lost events plus lost buffers:", value},
    {Errc::log_catalogue, "log_catalogue",
     "the name does not end inside its entry of the counter list (catalogue) of the log; the counter of this entry "
     "is left out",
     none},
    {Errc::log_no_catalogue, "log_no_catalogue",
     "no counter list (catalogue of the log) precedes this sample; its raw counters are skipped", none},
    {Errc::log_record, "log_record", "too few bytes for the structure; it is skipped", expected_found},
    {Errc::log_row, "log_row",
     "the type of a record differs from that in the counter list (catalogue) of the log; the sample's counters cannot "
     "be "
     "identified",
     expected_found},
    {Errc::log_name, "log_name", "the instance name extends past the end of its record; the name is left out", none},
    {Errc::log_count, "log_count", "the number of samples stated in the trailer of the log is wrong", expected_found},
    {Errc::machine_changed, "machine_changed",
     "samples of another machine begin here; cooked values are computed separately for each machine", none},
    {Errc::time_order, "time_order", "the sample is older than the previous one; times in milliseconds since 1970",
     expected_found},
    {Errc::counter_type_changed, "counter_type_changed",
     "the counter type differs from that in the previous sample; no cooked value is computed from these two samples",
     expected_found},
    {Errc::query_failed, "query_failed", "the query failed", status},
    {Errc::ticks_missed, "ticks_missed",
     "samples that were due while the previous one was still being taken are left out; use a longer --interval or a "
     "narrower filter; samples left out:",
     value},
    {Errc::columns_fixed, "columns_fixed",
     "instances that are not in the first sample are left out; to include them, replay a file, not a pipe or live "
     "data; columns left out:",
     value},
    {Errc::columns_shared, "columns_shared",
     "a column is a place such as name#1, as Windows writes it, and some had several processes one after another; "
     "--format csv or jsonl keeps processes apart; such columns:",
     value},
    {Errc::series_limit, "series_limit",
     "too many series (counters of instances), or too many bytes of their names (--limit-names); further series are "
     "left out",
     none},
    {Errc::name_limit, "name_limit",
     "the names in the output take more bytes than --limit-names allows; values whose names would exceed this limit "
     "are left out; bytes of names",
     expected_found},
    {Errc::path_limit, "path_limit",
     "matching the counter paths takes too many comparisons per sample, and values are left out; use fewer "
     "wildcards: limit",
     value},
    {Errc::path_english, "path_english",
     "counter paths match English titles in place of those of the input, as in PdhAddEnglishCounter; number of these "
     "paths:",
     value},
    {Errc::output_limit, "output_limit",
     "the limit on buffered output is reached, and values are left out; to include them, replay a file, not a pipe "
     "or live data; values left out:",
     value},
    {Errc::point_order, "point_order",
     "values without a time, or not later than the previous value of the same series, are left out; values left out:",
     value},
    {Errc::value_limit, "value_limit",
     "a limit on the values of a sample (--limit-values) is reached; the rest is skipped", none},
    {Errc::byte_limit, "byte_limit", "the data is larger than its size limit; what exceeds the limit is not read",
     expected_found},
    {Errc::not_recognised, "not_recognised", "unrecognised format", none},
    {Errc::files_skipped, "files_skipped",
     "files without performance data are skipped; number of these files in the directory and below it:", value},
    {Errc::v2_alone, "v2_alone",
     "V2 (PerfLib) data in a directory is read only if a manifest.jsonl, as capture --export writes it, lists the "
     "file; otherwise use --v2 or --from-v2",
     none},
    {Errc::manifest_line, "manifest_line", "a line of the manifest is damaged, and the file it names is not read: line",
     value},
    {Errc::no_data, "no_data", "no performance data found", none},
    {Errc::cannot_read, "cannot_read", "cannot be read", system},
    {Errc::cannot_write, "cannot_write", "cannot be written", system},
});

/// Selects the faults to which a `PlaceText` applies: all faults, only those whose value in the input differs from the
/// required value, or only those whose value is larger than the required value or the limit.
enum class When : std::uint8_t { always, different, too_large };

/// A message text that replaces the text of a code for some of its faults. `place` and `when` select these faults.
struct PlaceText {
    Errc code;
    std::string_view place;  ///< `Error::field` or `Error::structure`; empty: everywhere
    When when;
    std::string_view text;
};

constexpr auto place_texts = std::to_array<PlaceText>({
    {Errc::machine_name, "SystemNameLength", When::always,
     "invalid length of the machine name (an odd number of bytes, or above the maximum)"},
    {Errc::machine_name, "SystemNameOffset", When::too_large,
     "the machine name ends outside the header (offset plus length); the name is left out"},
    {Errc::machine_name, "SystemNameOffset", When::always, "invalid offset of the machine name; the name is left out"},
    {Errc::definition_length, "", When::too_large,
     "the object's definitions extend past the end of the object; the object is skipped"},
    {Errc::instance_length, "", When::too_large,
     "the instance is longer than the bytes left for it; the remaining instances are skipped"},
    {Errc::instance_name, "NameLength", When::always,
     "invalid length of the instance name (an odd number of bytes, or above the maximum)"},
    {Errc::instance_name, "NameOffset", When::too_large,
     "the instance name ends outside its definition (offset plus length); the name is left out"},
    {Errc::instance_name, "", When::too_large, "the instance name is too long; it is left out"},
    {Errc::counter_ids, "dwSize", When::too_large,
     "the list of counter ids is longer than the bytes left for it; the result is skipped"},
    {Errc::registration_length, "CounterSetGuid", When::always,
     "the registration info belongs to another counterset; it is skipped"},
    {Errc::registration_length, "NumCounters", When::always,
     "the stated number of counters needs more bytes than the registration info has; only complete counters are read"},
    {Errc::log_row, "", When::different,
     "the sample has more or fewer records than the counter list (catalogue) of the log has entries; its counters "
     "cannot be identified"},
    {Errc::counterset_limit, "PERF_COUNTERSET_REG_INFO", When::always, "too many countersets; this one is skipped"},
    {Errc::title_last_index, "Base Index", When::always, "the value differs from the number in the title of index 1"},
    {Errc::capture_unknown_record, "Attachment", When::always, "attachments are not used; the record is skipped"},
    {Errc::capture_unknown_record, "Chunk", When::always,
     "a record of this type is not allowed in a chunk; it is skipped"},
    {Errc::capture_foreign_channel, "message_encoding", When::always,
     "unsupported message encoding; the messages of the channel are skipped: channel id"},
    {Errc::log_event, "", When::too_large,
     "the event is longer than the bytes left in its buffer; the rest of the buffer is skipped"},
    {Errc::result_status, "CStatus", When::always, "the log has an error status instead of values of a counter"},
    {Errc::log_unknown, "Class", When::always, "unknown event class; the event is skipped"},
    {Errc::log_header, "PointerSize", When::always,
     "invalid pointer size in the log header; its time zone is unknown, and times are taken as UTC"},
    {Errc::log_header, "TimeZone", When::always,
     "invalid time zone in the log header; the time zone is unknown, and times are taken as UTC"},
    {Errc::log_catalogue, "Length", When::always,
     "invalid length in the counter list (catalogue) of the log; the rest of the list is skipped"},
    {Errc::log_record, "Letters", When::always,
     "the record does not begin with its signature, the letters BL (as a number); the rest of the sample is skipped"},
    {Errc::log_record, "Length", When::always, "wrong record length; the rest of the sample is skipped"},
    {Errc::log_record, "Count", When::always, "too few bytes for the stated number of instances; they are skipped"},
});

const CodeText& text_of(Errc code) noexcept {
    // The table has the order of the enumeration, as asserted below.
    return code_texts[static_cast<std::size_t>(code)];
}

static_assert([] {
    for (std::size_t i = 0; i < code_texts.size(); ++i)
        if (static_cast<std::size_t>(code_texts[i].code) != i) return false;
    return code_texts.back().code == Errc::cannot_write;
}());

bool is_comparison(Numbers numbers) noexcept { return numbers == expected_found || numbers == signed_count; }

/// Returns the message text for an error, without its numbers.
std::string_view text_for(const Error& error) noexcept {
    const auto* const found = std::ranges::find_if(place_texts, [&](const PlaceText& special) {
        const bool here = special.place.empty() || special.place == error.field || special.place == error.structure;
        if (special.code != error.code || !here) return false;
        return special.when == When::always || error.found > error.expected ||
               (special.when == When::different && error.found != error.expected);
    });
    return found == place_texts.end() ? text_of(error.code).text : found->text;
}

/// Appends `expected 2, found 1`, or `found 1`.
void append_named(std::string& out, const FaultNumbers& numbers) {
    std::string_view separator;
    for (const FaultNumber& number : numbers) {
        if (number.is_signed)
            fmt::format_to(std::back_inserter(out), "{}{} {}", separator, number.name,
                           static_cast<std::int32_t>(number.value));
        else
            fmt::format_to(std::back_inserter(out), "{}{} {}", separator, number.name, number.value);
        separator = ", ";
    }
}

}  // namespace

bool has_place(Errc code) noexcept { return code != Errc::query_failed && code != Errc::ticks_missed; }

std::string_view code_name(Errc code) noexcept { return text_of(code).name; }

FaultNumbers fault_numbers(const Error& error) noexcept {
    const FaultNumber found_one{"found", error.found};
    switch (text_of(error.code).numbers) {
        case none:
            return {};
        case found:
        case value:
            return FaultNumbers(found_one);
        case expected_found:
            return {{"expected", error.expected}, found_one};
        case signed_count:
            return {{"expected", error.expected, true}, {"found", error.found, true}};
        case range:
            return {{"first", error.expected}, {"last", error.found}};
        case system:
            return FaultNumbers({"error_number", error.found});
        case status:
            return FaultNumbers({"status", error.found});
    }
    return {};
}

void append_message(std::string& out, const Error& error) {
    const Numbers numbers = text_of(error.code).numbers;
    const bool equal = error.expected == error.found;
    out += text_for(error);
    // The message is the text alone if the fault shows no numbers, or if the two numbers to compare are equal.
    if (numbers == none || (is_comparison(numbers) && equal)) return;
    out += numbers == value ? " " : ": ";
    if (numbers == system) {
        out += std::generic_category().message(static_cast<int>(error.found));
    } else if (numbers == status) {
        win32::append_status(out, static_cast<std::uint32_t>(error.found));
    } else if (numbers == value || (numbers == range && equal)) {
        fmt::format_to(std::back_inserter(out), "{}", error.found);
    } else if (numbers == range) {
        fmt::format_to(std::back_inserter(out), "{} to {}", error.expected, error.found);
    } else {
        append_named(out, fault_numbers(error));
    }
}

std::string_view severity_name(Severity severity) noexcept {
    constexpr std::array<std::string_view, 3> names{"note", "warning", "error"};
    return names[static_cast<std::size_t>(severity)];
}

FaultSink::FaultSink(Diagnostics& list) noexcept : list_(&list), place_{.input = list.last_input()} {}

void FaultSink::add(Severity severity, const Error& error, std::uint32_t object, std::uint32_t instance) const {
    if (list_ != nullptr) list_->add({severity, error, object, instance, place_});
}

void FaultSink::take(Diagnostics& other) const {
    if (list_ != nullptr) list_->take(other, place_);
}

void FaultSink::name_object(std::uint32_t number, std::string_view name) const {
    if (list_ != nullptr) list_->name_object(number, name);
}

std::string_view FaultSink::object_name(std::uint32_t number) const noexcept {
    return list_ == nullptr ? std::string_view{} : list_->object_name(number);
}

std::optional<std::uint64_t> FaultSink::count() const noexcept {
    return list_ == nullptr ? std::nullopt : std::optional(list_->count());
}

void Diagnostics::add(Severity severity, const Error& error, std::uint32_t object, std::uint32_t instance) {
    add({severity, error, object, instance, {.input = last_input()}});
}

void Diagnostics::add(const Diagnostic& diagnostic) {
    const Errc code = diagnostic.error.code;
    const Severity severity = as_notes_[static_cast<std::size_t>(code)] ? Severity::note : diagnostic.severity;
    const std::uint64_t before = counts_[static_cast<std::size_t>(severity)]++;
    // `cannot_read` is always kept, because callers search the kept faults for this code to choose the exit status.
    if (before < keep_ || code == Errc::cannot_read) kept_.emplace_back(diagnostic).severity = severity;
}

std::uint32_t Diagnostics::add_input(std::string_view name) {
    inputs_.emplace_back(name);
    return last_input();
}

void Diagnostics::take(Diagnostics& other, const Place& place) {
    if (other.count() == 0 && other.object_names_.empty()) return;
    take_each(other, [&place](const Place&) { return place; });
}

void Diagnostics::take(Diagnostics& other, std::span<const std::uint32_t> inputs) {
    take_each(other, [&](Place place) {
        place.input = place.input < inputs.size() ? inputs[place.input] : last_input();
        return place;
    });
}

template <class PlaceOf>
void Diagnostics::take_each(Diagnostics& other, PlaceOf place_of) {
    std::array<std::uint64_t, 3> not_kept = std::exchange(other.counts_, {});
    for (Diagnostic& diagnostic : other.kept_) {
        --not_kept[static_cast<std::size_t>(diagnostic.severity)];
        diagnostic.place = place_of(diagnostic.place);
        add(diagnostic);
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += not_kept[i];
    other.kept_.clear();
    take_object_names(other.object_names_);
    other.object_names_.clear();
}

void Diagnostics::name_object(std::uint32_t number, std::string_view name) {
    const auto place = std::ranges::lower_bound(object_names_, number, {}, &ObjectName::number);
    if (place == object_names_.end() || place->number != number)
        object_names_.insert(place, {number, std::string(name)});
}

/// Adds a name from `names` to `object_names_` if `object_names_` has no name with the same number. Both lists are
/// sorted by number.
void Diagnostics::take_object_names(std::vector<ObjectName>& names) {
    const std::size_t known = object_names_.size();
    for (ObjectName& named : names)
        if (!std::ranges::binary_search(std::span(object_names_).first(known), named.number, {}, &ObjectName::number))
            object_names_.push_back(std::move(named));
    std::ranges::inplace_merge(object_names_, object_names_.begin() + static_cast<std::ptrdiff_t>(known), {},
                               &ObjectName::number);
}

std::string_view Diagnostics::object_name(std::uint32_t number) const noexcept {
    const auto found = std::ranges::lower_bound(object_names_, number, {}, &ObjectName::number);
    return found == object_names_.end() || found->number != number ? std::string_view{} : found->name;
}

}  // namespace hkpd
