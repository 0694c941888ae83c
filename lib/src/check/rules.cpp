// Sources of the rules: learn.microsoft.com, "Performance Data Format" with the pages of its structures, "Providing
// Counter Data Using a Performance DLL", "Adding Counter Names and Descriptions to the Registry", perflib.h's
// functions and structures; mcap.dev/spec of captures.
#include <algorithm>
#include <array>

#include "hkpd/check.hpp"

namespace hkpd {
namespace {

struct CodeRule {
    Errc code;
    std::string_view text, repair{};
};

constexpr std::string_view rebuild =
    "run `lodctr /R` as administrator, in System32 and again in SysWOW64: it builds the titles anew from the "
    "providers' .ini files";

constexpr auto code_rules = std::to_array<CodeRule>({
    {Errc::not_performance_data, "A performance data block begins with PERF in UTF-16."},
    {Errc::truncated_header, "A PERF_DATA_BLOCK has 88 bytes, a PERF_DATA_HEADER 48."},
    {Errc::incomplete_reply, "TotalByteLength is the length of the whole reply, at least that of its header."},
    {Errc::byte_order, "LittleEndian is 1 in a little endian block and 0 in a big endian one."},
    {Errc::version, "Version is 1."},
    {Errc::block_truncated, "TotalByteLength bytes belong to the block, and all of them have to be there."},
    {Errc::block_length, "TotalByteLength counts from the header to the end of the last object."},
    {Errc::length_without_header, "TotalByteLength counts the header too, not the objects alone."},
    {Errc::gap_after_header, "The first object begins HeaderLength bytes behind the start of the block."},
    {Errc::header_length, "HeaderLength leads from the start of the block to its first object."},
    {Errc::machine_name,
     "SystemNameLength bytes of UTF-16 at SystemNameOffset lie between the fields of the header and its end."},
    {Errc::system_time, "SystemTime is a moment in UTC as SYSTEMTIME holds it."},
    {Errc::object_count, "NumObjectTypes is the number of objects in the block."},
    {Errc::leftover_bytes, "Every byte belongs to a structure that some length or offset leads to."},
    {Errc::object_length, "TotalByteLength of an object leads to the next one, or to the end of the block."},
    {Errc::object_header, "HeaderLength of an object is at least 64, and not more than its DefinitionLength."},
    {Errc::object_repeated, "An object is in a block once: its instances belong to one list."},
    {Errc::definition_length,
     "DefinitionLength is at least HeaderLength, and not more than the object's TotalByteLength."},
    {Errc::counter_count, "NumCounters is the number of definitions between HeaderLength and DefinitionLength."},
    {Errc::counter_definition_length, "ByteLength of a counter definition is at least 40 and leads to the next one."},
    {Errc::counter_size, "CounterSize is what the size bits of CounterType say: 4 or 8, or the length of a text."},
    {Errc::counter_overlaps_length,
     "CounterOffset counts from the start of the counter block, whose first 4 bytes are its ByteLength."},
    {Errc::counter_outside_block, "CounterOffset + CounterSize lies inside the counter block of every instance."},
    {Errc::counter_beyond_block_length, "ByteLength of a counter block covers all of its counters."},
    {Errc::instance_count, "NumInstances is -1 without instances, else the number of those that follow."},
    {Errc::instance_length, "ByteLength of an instance definition is at least 24 and leads to its counter block."},
    {Errc::instance_name,
     "NameLength bytes at NameOffset lie inside the instance definition; UTF-16 has pairs of bytes."},
    {Errc::counter_block_length, "ByteLength of a counter block is at least 4 and leads to the next instance."},
    {Errc::counter_block_uneven, "All counter blocks of an object have the same counters, and so the same length."},
    {Errc::code_page, "CodePage is 0 for UTF-16, or the code page of the object's names."},
    {Errc::bad_text, "Texts are valid in the encoding that they are in."},
    {Errc::parent_missing, "ParentObjectTitleIndex names an object of the same block, or is 0."},
    {Errc::parent_outside, "ParentObjectInstance counts the instances of the parent's object, from 0."},
    {Errc::parent_cycle, "No instance is its own ancestor."},
    {Errc::not_perflib_data, "dwTotalSize of a PERF_DATA_HEADER is the size of the block, at least 48."},
    {Errc::result_length, "dwSize of a PERF_COUNTER_HEADER counts the header and all that belongs to it."},
    {Errc::result_count, "dwNumCounters is the number of PERF_COUNTER_HEADER blocks."},
    {Errc::result_type, "dwType is 0, 1, 2, 4 or 6."},
    {Errc::result_status, "dwStatus is 0 where there is data."},
    {Errc::result_shape, "dwType is the one that the identifier of the query asks for."},
    {Errc::length_uneven, "Lengths are multiples of 8, so that 8-byte fields stay aligned."},
    {Errc::provider_length, "What a provider returns has a length that is a multiple of 8."},
    {Errc::value_length, "dwSize of a PERF_COUNTER_DATA counts the header of 8 bytes and the value with its padding."},
    {Errc::value_size, "dwDataSize is 4 or 8, as the counter's type has it."},
    {Errc::counter_ids, "dwSize of PERF_MULTI_COUNTERS counts the header of 8 bytes and dwCounters ids of 4."},
    {Errc::counter_id_repeated, "A counter's id is unique in its counterset."},
    {Errc::counter_unknown, "Counter ids are those that the counterset has registered."},
    {Errc::identifier_length, "Size of a PERF_COUNTER_IDENTIFIER is a multiple of 8 and at least 40."},
    {Errc::registration_length, "A PERF_COUNTERSET_REG_INFO is followed by NumCounters PERF_COUNTER_REG_INFO."},
    {Errc::string_buffer, "dwOffset of a string counts from the start of its buffer and lies inside it."},
    {Errc::string_unterminated, "Strings end with a NUL inside the structure that holds them."},
    {Errc::title_not_text, "Title databases in files are UTF-8 or UTF-16."},
    {Errc::title_index, "A title database is pairs of strings: a number, and its text.", rebuild},
    {Errc::title_index_empty, "A title database is pairs of strings: a number, and its text.", rebuild},
    {Errc::title_unpaired, "A title database is pairs of strings: a number, and its text.", rebuild},
    {Errc::title_odd_byte, "A REG_MULTI_SZ is UTF-16: an even number of bytes.", rebuild},
    {Errc::title_after_end, "An empty string ends a REG_MULTI_SZ.", rebuild},
    {Errc::title_repeated, "An index has one text.", rebuild},
    {Errc::title_registry_value, "Title databases are REG_MULTI_SZ: hex(7) in an export.", rebuild},
    {Errc::title_last_index,
     "Last Counter and Last Help are the highest indices of names and of help texts; the text of index 1 is Base "
     "Index.",
     rebuild},
    {Errc::title_no_help, "Each name has a help text, by convention at the index behind its own.",
     "register the provider again with help texts for all of its counters: `unlodctr SERVICE`, then `lodctr FILE.ini`, "
     "or `lodctr /m:MANIFEST` for one with a manifest"},
    {Errc::title_missing, R"(Perflib\009 has the English names in Counter and their help texts in Help.)", rebuild},
    {Errc::title_languages, "All languages of a system have texts for the same indices.", rebuild},
    {Errc::title_overwritten, R"(Perflib\009 holds the English texts, whatever language Windows speaks.)",
     "restore perfc009.dat and perfh009.dat of the English language in System32, then run `lodctr /R` as "
     "administrator, in System32 and again in SysWOW64"},
    {Errc::title_unnamed, "Each index of objects and counters has a text in the title database.",
     "register the provider again: `lodctr /m:MANIFEST` for one with a manifest, `lodctr FILE.ini` for one with an "
     ".ini file, or install its program anew"},
    {Errc::service_value,
     "A service's Performance key has Library as text, Object List as numbers in text, and First and Last Counter and "
     "Help as DWORDs.",
     "take the provider's registration away and make it again: `unlodctr SERVICE`, then `lodctr FILE.ini`"},
    {Errc::service_disabled, "", "run `lodctr /e:SERVICE` as administrator: it enables the provider again"},
    {Errc::service_overlap, "Each index belongs to one service.", rebuild},
    {Errc::not_a_capture, "A capture begins with the magic bytes of MCAP."},
    {Errc::capture_torn, "The length of a record lies inside the file."},
    {Errc::capture_unfinished, "A capture ends with a footer and the magic bytes of MCAP."},
    {Errc::capture_record, "The fields of a record fit its length."},
    {Errc::capture_leftover, "A capture is a row of records."},
    {Errc::capture_no_channel, "A channel is described before its first message."},
    {Errc::capture_index, "The summary describes the file that it is in."},
    {Errc::capture_count, "The summary counts the messages of the file."},
    {Errc::chunk_damaged, "A chunk holds whole records."},
    {Errc::chunk_checksum, "The checksum of a chunk is that of what it decompresses to."},
    {Errc::chunk_size, "The uncompressed size of a chunk is what it decompresses to."},
    {Errc::time_order, "Samples of one machine follow each other in time."},
    {Errc::counter_type_changed, "A counter keeps its type as long as its provider is loaded."},
    {Errc::text_log, "Values of logs in text were cooked by Windows; raw ones are in .blg files."},
    {Errc::foreign_trace, "A performance log is an event trace with events of PDH's provider."},
    {Errc::log_buffer, "All buffers of a log have the size of the first, and at most that is filled."},
    {Errc::log_event, "Size of an event counts its header and leads to the next one, inside of its buffer."},
    {Errc::log_fragment, "The parts of an event are numbered from 1, and follow each other."},
    {Errc::log_unknown,
     "Events of a log are catalogue, row, trailer and names; records of a row are 0x0103, 0x0203 and 0x0503."},
    {Errc::log_header, "TRACE_LOGFILE_HEADER, of 280 bytes and more, is the first event of a log."},
    {Errc::log_unfinished, "A log that was closed has EndTime, BuffersWritten and a trailer."},
    {Errc::log_events_lost, "EventsLost and BuffersLost are 0."},
    {Errc::log_catalogue, "Length of an entry leads to the next one, and its strings lie inside and end with NUL."},
    {Errc::log_no_catalogue, "The catalogue stands in front of the first row."},
    {Errc::log_record, "Length of a record counts its header and leads to the next one, inside of what holds it."},
    {Errc::log_row, "A row has a record for each entry of the catalogue, in its order and of its kind."},
    {Errc::log_name, "The names of instances lie inside their record and end with NUL."},
    {Errc::log_count, "The trailer has the number of rows."},
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
    // Metadata and negative counts are not lists whose lengths add up.
    const bool of_instances = code == instance_length || code == counter_block_length || code == definition_length ||
                              (code == instance_count && error.need != 0);
    return of_instances ? std::optional(instance_lengths) : std::nullopt;
}

std::string_view repair_of(Errc code) noexcept { return find_rule(code).repair; }

}  // namespace hkpd
