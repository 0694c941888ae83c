// Sources of the rules: learn.microsoft.com, "Performance Data Format" with the pages of its structures, "Providing
// Counter Data Using a Performance DLL", "Adding Counter Names and Descriptions to the Registry", and the functions and
// structures of perflib.h. Source of the rules for captures: mcap.dev/spec.
#include <algorithm>
#include <array>
#include <optional>

#include "hkpd/check.hpp"

namespace hkpd {
namespace {

struct CodeRule {
    Errc code;
    std::string_view text, repair{};
};

constexpr std::string_view rebuild =
    "run `lodctr /R` as administrator in System32 and again in SysWOW64; it rebuilds the titles from the "
    "providers' .ini files";

constexpr std::string_view english_rule =
    R"(Perflib\009 contains the English texts, whatever the display language of Windows.)";
constexpr std::string_view restore_english =
    "restore the English perfc009.dat and perfh009.dat in System32, then run `lodctr /R` as "
    "administrator in System32 and again in SysWOW64";

constexpr auto code_rules = std::to_array<CodeRule>({
    {Errc::not_performance_data, "A performance data block begins with PERF in UTF-16."},
    {Errc::truncated_header, "A PERF_DATA_BLOCK has 88 bytes, a PERF_DATA_HEADER 48."},
    {Errc::incomplete_reply,
     "TotalByteLength is the length of the whole reply, and at least the length of its header."},
    {Errc::byte_order, "LittleEndian is 1 in a little endian block and 0 in a big endian one."},
    {Errc::version, "Version is 1."},
    {Errc::block_truncated, "The block consists of TotalByteLength bytes, all of which are present."},
    {Errc::block_length,
     "TotalByteLength is the number of bytes from the start of the header to the end of the last object."},
    {Errc::length_without_header, "TotalByteLength includes the header, not only the objects."},
    {Errc::gap_after_header, "The first object begins HeaderLength bytes after the start of the block."},
    {Errc::header_length, "HeaderLength is the number of bytes from the start of the block to its first object."},
    {Errc::machine_name,
     "SystemNameLength bytes of UTF-16 at SystemNameOffset lie between the fields of the header and its end."},
    {Errc::system_time, "SystemTime is a valid SYSTEMTIME in UTC."},
    {Errc::local_time,
     "SystemTime is in UTC, as PerfTime100nSec is. Blocks that a program took from a log have local time."},
    {Errc::time_mismatch, "SystemTime and PerfTime100nSec are the same time in UTC."},
    {Errc::object_count, "NumObjectTypes is the number of objects in the block."},
    {Errc::leftover_bytes, "Every byte belongs to a structure that a length or an offset refers to."},
    {Errc::object_length,
     "TotalByteLength of an object is the number of bytes from its start to the next object or to the end of the "
     "block."},
    {Errc::object_header, "HeaderLength of an object is at least 64 and at most its DefinitionLength."},
    {Errc::object_repeated, "A block contains each object once, with all of its instances."},
    {Errc::definition_length,
     "DefinitionLength is at least HeaderLength and at most the TotalByteLength of the object."},
    {Errc::counter_count, "NumCounters is the number of definitions between HeaderLength and DefinitionLength."},
    {Errc::counter_definition_length,
     "ByteLength of a counter definition is at least 40; the next definition begins after that many bytes."},
    {Errc::counter_size, "CounterSize matches the size bits of CounterType: 4, 8 or the length of a text."},
    {Errc::counter_overlaps_length,
     "CounterOffset is relative to the start of the counter block, whose first 4 bytes are its ByteLength."},
    {Errc::counter_outside_block, "CounterOffset + CounterSize lies inside the counter block of every instance."},
    {Errc::counter_beyond_block_length, "ByteLength of a counter block covers all of its counters."},
    {Errc::instance_count,
     "NumInstances is the number of instances that follow, or -1 for an object without instances."},
    {Errc::instance_length,
     "ByteLength of an instance definition is at least 24; its counter block begins after that many bytes."},
    {Errc::instance_name,
     "NameLength bytes at NameOffset lie inside the instance definition; both are even for UTF-16."},
    {Errc::counter_block_length,
     "ByteLength of a counter block is at least 4; the next instance begins after that many bytes."},
    {Errc::counter_block_uneven,
     "All counter blocks of an object have the same counters and therefore the same length."},
    {Errc::list_broken,
     "The lengths of the definition and the counter block of an instance add up to the distance to the next instance."},
    {Errc::length_corrected,
     "The lengths in an object add up: each structure begins where the previous one ends, and the last one ends where "
     "the object ends."},
    {Errc::code_page, "CodePage is 0 for UTF-16, otherwise the code page of the names of the object."},
    {Errc::bad_text, "Texts are valid in their encoding."},
    {Errc::parent_missing, "ParentObjectTitleIndex is the index of an object of the same block, or 0."},
    {Errc::parent_outside, "ParentObjectInstance is the position of an instance of the parent object, counted from 0."},
    {Errc::parent_cycle, "No instance is its own ancestor."},
    {Errc::not_perflib_data, "dwTotalSize of a PERF_DATA_HEADER is the size of the block and at least 48."},
    {Errc::result_length, "dwSize of a PERF_COUNTER_HEADER includes the header and all data of the result."},
    {Errc::result_count, "dwNumCounters is the number of PERF_COUNTER_HEADER blocks."},
    {Errc::result_type, "dwType is 0, 1, 2, 4 or 6."},
    {Errc::result_status, "dwStatus is 0 if the result has data."},
    {Errc::result_shape, "dwType matches the identifier in the query."},
    {Errc::length_uneven, "Lengths are multiples of 8, which keeps 8-byte fields aligned."},
    {Errc::provider_length, "A provider returns data whose length is a multiple of 8."},
    {Errc::value_length, "dwSize of a PERF_COUNTER_DATA includes the 8-byte header and the value with its padding."},
    {Errc::value_size, "dwDataSize is 4 or 8, depending on the counter type."},
    {Errc::counter_ids,
     "dwSize of a PERF_MULTI_COUNTERS includes the 8-byte header and dwCounters ids of 4 bytes each."},
    {Errc::counter_id_repeated, "The id of a counter is unique in its counterset."},
    {Errc::counter_unknown, "Each counter id is registered for its counterset."},
    {Errc::identifier_length, "Size of a PERF_COUNTER_IDENTIFIER is a multiple of 8 and at least 40."},
    {Errc::registration_length, "A PERF_COUNTERSET_REG_INFO is followed by NumCounters PERF_COUNTER_REG_INFO."},
    {Errc::string_buffer, "dwOffset of a string is relative to the start of its buffer and lies inside it."},
    {Errc::string_unterminated, "Strings are null-terminated inside the structure that contains them."},
    {Errc::title_not_text, "Title database files are UTF-8 or UTF-16."},
    {Errc::title_index, "A title database consists of pairs of strings: an index and its text.", rebuild},
    {Errc::title_index_empty, "A title database consists of pairs of strings: an index and its text.", rebuild},
    {Errc::title_unpaired, "A title database consists of pairs of strings: an index and its text.", rebuild},
    {Errc::title_odd_byte, "A REG_MULTI_SZ is UTF-16 and has an even number of bytes.", rebuild},
    {Errc::title_after_end, "An empty string ends a REG_MULTI_SZ.", rebuild},
    {Errc::title_repeated, "Each index has one text.", rebuild},
    {Errc::title_registry_value, "Title databases are REG_MULTI_SZ values, hex(7) in an export.", rebuild},
    {Errc::title_last_index,
     "Last Counter and Last Help are the highest indices of names and of help texts; the text of index 1 is Base "
     "Index.",
     rebuild},
    {Errc::title_no_help, "Each name has a help text, by convention at the index after its own.",
     "register the provider again with help texts for all of its counters: run `unlodctr SERVICE`, then "
     "`lodctr FILE.ini`, or `lodctr /m:MANIFEST` if it has a manifest"},
    {Errc::title_missing, R"(Perflib\009 contains the English names in Counter and their help texts in Help.)",
     rebuild},
    {Errc::title_languages, "All languages of a system have texts for the same indices.", rebuild},
    {Errc::title_overwritten, english_rule, restore_english},
    {Errc::title_differs, english_rule, restore_english},
    {Errc::title_no_object, "A query of Global returns the objects of all providers that work and are not disabled.",
     "query Global or the index of the object; if it is still missing, look for events of Perflib in the Application "
     "log, and enable the provider with `lodctr /e:SERVICE`"},
    {Errc::title_unnamed, "Each object index and counter index has a text in the title database.",
     "register the provider again: run `lodctr /m:MANIFEST` if it has a manifest, `lodctr FILE.ini` if it has an "
     ".ini file, or reinstall its program"},
    {Errc::service_value,
     "The Performance key of a service has Library as text, Object List as text with numbers, and First Counter, Last "
     "Counter, First Help and Last Help as DWORDs.",
     "register the provider again: run `unlodctr SERVICE`, then `lodctr FILE.ini`"},
    {Errc::service_disabled, "", "run `lodctr /e:SERVICE` as administrator to enable the provider"},
    {Errc::service_overlap, "Each title index belongs to one service.", rebuild},
    {Errc::not_a_capture, "A capture begins with the magic bytes of MCAP."},
    {Errc::capture_torn, "All bytes of a record lie inside the file."},
    {Errc::capture_unfinished, "A capture ends with a footer and the magic bytes of MCAP."},
    {Errc::capture_record, "The fields of a record fit in its length."},
    {Errc::capture_leftover, "A capture is a sequence of records."},
    {Errc::capture_no_channel, "A channel is declared before its first message."},
    {Errc::capture_index, "The summary matches the file that contains it."},
    {Errc::capture_count, "The message count in the summary is the number of messages in the file."},
    {Errc::chunk_damaged, "A chunk contains complete records."},
    {Errc::chunk_checksum, "The checksum of a chunk is that of its decompressed data."},
    {Errc::chunk_size, "The uncompressed size of a chunk is the size of its decompressed data."},
    {Errc::time_order, "The samples of a machine are in chronological order."},
    {Errc::counter_type_changed, "A counter keeps its type while its provider is loaded."},
    {Errc::packed_damaged, "Compressed data has the size and the checksum that it states."},
    {Errc::packed_entry, "The directory of a zip archive has as many entries as its end record states."},
    {Errc::text_log, "Text logs contain only cooked values; .blg files contain raw values."},
    {Errc::text_head, "The first line of a text log has the log's kind and time zone, then the counter paths."},
    {Errc::text_column, "Each column of a text log has a counter path of at most 2048 characters as its heading."},
    {Errc::text_row, "Each row of a text log has as many cells as its first line."},
    {Errc::text_cell, "The cells of a text log are numbers, or blank where there is no value."},
    {Errc::text_time, "Each row of a text log begins with its local time: MM/dd/yyyy HH:mm:ss.fff."},
    {Errc::foreign_trace, "A performance log is an event trace with events of the PDH provider."},
    {Errc::log_buffer, "All buffers of a log have the size of the first one, and Filled is at most that size."},
    {Errc::log_event, "Size of an event includes its header; the event lies inside its buffer."},
    {Errc::log_fragment, "The parts of an event are numbered consecutively from 1."},
    {Errc::log_unknown,
     "The events of a log are catalogue, row, trailer and names; the record types of a row are 0x0103, 0x0203 and "
     "0x0503."},
    {Errc::log_header, "The first event of a log is a TRACE_LOGFILE_HEADER of at least 280 bytes."},
    {Errc::log_unfinished, "A closed log has EndTime, BuffersWritten and a trailer."},
    {Errc::log_events_lost, "EventsLost and BuffersLost are 0."},
    {Errc::log_catalogue,
     "Length of a catalogue entry is the number of bytes up to the next entry; the strings of an entry lie inside it "
     "and are null-terminated."},
    {Errc::log_no_catalogue, "The catalogue precedes the first row."},
    {Errc::log_record,
     "Length of a record includes its header; the record lies inside the structure that contains it."},
    {Errc::log_row, "A row has a record for each entry of the catalogue, in the same order and of the same kind."},
    {Errc::log_name, "Instance names lie inside their record and are null-terminated."},
    {Errc::log_count, "The trailer contains the number of rows."},
});

CodeRule find_rule(Errc code) noexcept {
    const auto* const found = std::ranges::find(code_rules, code, &CodeRule::code);
    return found == code_rules.end() ? CodeRule{code, {}} : *found;
}

}  // namespace

std::string_view rule_of(Errc code) noexcept { return find_rule(code).text; }

std::optional<std::uint32_t> perflib_event(const Error& error) noexcept {
    constexpr std::uint32_t object_lengths = 1003, instance_lengths = 1004;
    using enum Errc;
    const Errc code = error.code;
    if (code == object_length || code == object_count || code == provider_length) return object_lengths;
    if (code == leftover_bytes) return error.structure == "PERF_OBJECT_TYPE" ? instance_lengths : object_lengths;
    // The fault `instance_count` can have two causes: a wrong instance length, or a wrong NumInstances. If the object
    // has no instance at all (`expected` is 0), only NumInstances can be wrong.
    const bool of_instances = code == instance_length || code == counter_block_length || code == definition_length ||
                              code == list_broken || code == length_corrected ||
                              (code == instance_count && error.expected != 0);
    return of_instances ? std::optional(instance_lengths) : std::nullopt;
}

std::string_view repair_of(Errc code) noexcept { return find_rule(code).repair; }

std::string_view repair_of(const Error& error) {
    // Windows' own titles belong to no provider that could be registered again. All titles must be rebuilt.
    return error.code == Errc::title_unnamed && english_title(error) ? rebuild : repair_of(error.code);
}

std::optional<std::string_view> english_title(const Error& error) {
    const bool of_title = error.code == Errc::title_unnamed || error.code == Errc::title_differs;
    return of_title ? builtin_titles().find(static_cast<std::uint32_t>(error.found)) : std::nullopt;
}

}  // namespace hkpd
