// Sources of the rules: learn.microsoft.com, "Performance Data Format" with the pages of its structures, "Providing
// Counter Data Using a Performance DLL", "Adding Counter Names and Descriptions to the Registry", and the functions and
// structures of perflib.h. Source of the rules for captures: mcap.dev/spec.
#include "base/fault_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/foreign_file.hpp"

namespace hkpd {
namespace fault_table {

using enum Errc;
using enum NumberForm;
using enum Severity;

constexpr std::string_view english_rule =
    R"(Perflib\009 contains the English texts, whatever the display language of Windows.)";
constexpr std::string_view restore_english =
    "restore the English perfc009.dat and perfh009.dat in System32, then run `lodctr /R` as "
    "administrator in System32 and again in SysWOW64";

constexpr auto rows = std::to_array<FaultRow>({
    // the data block
    {not_performance_data, "not_performance_data", error, none,
     "not a performance data block: it does not begin with PERF in UTF-16",
     "A performance data block begins with PERF in UTF-16."},
    {truncated_header, "truncated_header", error, expected_found, "the input has too few bytes for the structure",
     "A PERF_DATA_BLOCK has 88 bytes, a PERF_DATA_HEADER 48."},
    {incomplete_reply, "incomplete_reply", error, none,
     "the block is empty, because the buffer passed to RegQueryValueEx was too small; query again with a larger "
     "buffer",
     "TotalByteLength is the length of the whole reply, and at least the length of its header."},
    {byte_order, "byte_order", warning, found, "invalid byte order flag; the byte order is chosen so that Version is 1",
     "LittleEndian is 1 in a little endian block and 0 in a big endian one."},
    {version, "version", warning, expected_found, "unknown version, decoded as version 1", "Version is 1."},
    {block_truncated, "block_truncated", error, expected_found, "the input has fewer bytes than the block",
     "The block consists of TotalByteLength bytes, all of which are present."},
    {block_length, "block_length", error, expected_found, "the length does not match the content of the block",
     "TotalByteLength is the number of bytes from the start of the header to the end of the last object."},
    {length_without_header, "length_without_header", warning, expected_found,
     "the length excludes the header, as Samba writes it; all objects are decoded",
     "TotalByteLength includes the header, not only the objects."},
    {gap_after_header, "gap_after_header", warning, expected_found,
     "88 extra bytes follow the header, as Wine writes them; they are skipped",
     "The first object begins HeaderLength bytes after the start of the block."},
    {header_length, "header_length", error, expected_found,
     "invalid header length; objects are read from the expected offset",
     "HeaderLength is the number of bytes from the start of the block to its first object."},
    {machine_name, "machine_name", error, expected_found, "invalid offset or length of the machine name",
     "SystemNameLength bytes of UTF-16 at SystemNameOffset lie between the fields of the header and its end."},
    {system_time, "system_time", warning, none, "invalid date or time", "SystemTime is a valid SYSTEMTIME in UTC."},
    {local_time, "local_time", note, expected_found,
     "SystemTime is local time instead of UTC, and PerfTime100nSec is used; milliseconds since 1970 in "
     "PerfTime100nSec (expected) and in SystemTime (found)",
     "SystemTime is in UTC, as PerfTime100nSec is. Blocks that a program took from a log have local time."},
    {time_mismatch, "time_mismatch", warning, expected_found,
     "SystemTime differs from PerfTime100nSec, and SystemTime is used; milliseconds since 1970 in "
     "PerfTime100nSec (expected) and in SystemTime (found)",
     "SystemTime and PerfTime100nSec are the same time in UTC."},
    {object_count, "object_count", error, expected_found, "the stated number of objects is wrong",
     "NumObjectTypes is the number of objects in the block."},
    {leftover_bytes, "leftover_bytes", warning, found, "bytes that belong to no structure",
     "Every byte belongs to a structure that a length or an offset refers to."},
    {provider_length, "provider_length", warning, found,
     "the provider returned a length that is not a multiple of 8; stray bytes after the object",
     "A provider returns data whose length is a multiple of 8."},
    // objects
    {object_length, "object_length", error, expected_found,
     "invalid object length; the object is read up to the next one or to the end of the block",
     "TotalByteLength of an object is the number of bytes from its start to the next object or to the end of the "
     "block."},
    {object_header, "object_header", error, expected_found, "invalid object header length; the object is skipped",
     "HeaderLength of an object is at least 64 and at most its DefinitionLength."},
    {object_repeated, "object_repeated", warning, value, "the block contains more than one object with index",
     "A block contains each object once, with all of its instances."},
    {definition_length, "definition_length", error, expected_found,
     "the length of the object's definitions is too small; the object is skipped",
     "DefinitionLength is at least HeaderLength and at most the TotalByteLength of the object."},
    {counter_count, "counter_count", error, expected_found, "the stated number of counters is wrong",
     "NumCounters is the number of definitions between HeaderLength and DefinitionLength."},
    {counter_definition_length, "counter_definition_length", error, expected_found,
     "invalid counter definition length; this counter and possibly the following ones are skipped",
     "ByteLength of a counter definition is at least 40; the next definition begins after that many bytes."},
    {counter_size, "counter_size", warning, expected_found, "the size does not match the counter type",
     "CounterSize matches the size bits of CounterType: 4, 8 or the length of a text."},
    {counter_overlaps_length, "counter_overlaps_length", error, expected_found,
     "the counter offset points into the length field of the counter block; the counter has no value",
     "CounterOffset is relative to the start of the counter block, whose first 4 bytes are its ByteLength."},
    {counter_outside_block, "counter_outside_block", error, expected_found,
     "the end of the counter (offset plus size) lies outside the counter block; the counter has no value",
     "CounterOffset + CounterSize lies inside the counter block of every instance."},
    {counter_beyond_block_length, "counter_beyond_block_length", warning, expected_found,
     "the counter block length is too small for its counters; counters beyond it are still decoded, because no other "
     "structure uses these bytes",
     "ByteLength of a counter block covers all of its counters."},
    // instances
    {instance_count, "instance_count", error, signed_count,
     "the stated number of instances is wrong (-1 for an object without instances)",
     "NumInstances is the number of instances that follow, or -1 for an object without instances."},
    {instance_length, "instance_length", error, expected_found,
     "the instance length is too small; the remaining instances are skipped",
     "ByteLength of an instance definition is at least 24; its counter block begins after that many bytes."},
    {instance_name, "instance_name", error, expected_found, "invalid offset of the instance name",
     "NameLength bytes at NameOffset lie inside the instance definition; both are even for UTF-16."},
    {counter_block_length, "counter_block_length", error, expected_found,
     "invalid counter block length; the rest of the object is skipped",
     "ByteLength of a counter block is at least 4; the next instance begins after that many bytes."},
    {counter_block_uneven, "counter_block_uneven", warning, expected_found,
     "the counter block differs in length from the first one of its object; later instances of the object may be "
     "wrong",
     "All counter blocks of an object have the same counters and therefore the same length."},
    {list_broken, "list_broken", error, expected_found,
     "wrong length: the next instance does not begin where this one ends; instances may be missing",
     "The lengths of the definition and the counter block of an instance add up to the distance to the next instance."},
    {length_corrected, "length_corrected", error, expected_found,
     "wrong length; the length that agrees with all other lengths is used",
     "The lengths in an object add up: each structure begins where the previous one ends, and the last one ends where "
     "the object ends."},
    {code_page, "code_page", error, found, "unsupported code page; non-ASCII characters are shown as U+FFFD",
     "CodePage is 0 for UTF-16, otherwise the code page of the names of the object."},
    {bad_text, "bad_text", warning, none, "characters that are invalid in their encoding are shown as U+FFFD",
     "Texts are valid in their encoding."},
    {parent_missing, "parent_missing", note, value, "the sample does not contain the parent object: index",
     "ParentObjectTitleIndex is the index of an object of the same block, or 0."},
    {parent_outside, "parent_outside", warning, expected_found,
     "the parent instance does not exist, because the parent object has too few instances",
     "ParentObjectInstance is the position of an instance of the parent object, counted from 0."},
    {parent_cycle, "parent_cycle", warning, none, "the chain of parents is circular or too long",
     "No instance is its own ancestor."},
    // V2: data blocks, identifiers, registration info
    {not_perflib_data, "not_perflib_data", error, none,
     "not a V2 (PerfLib) data block: it is shorter than its header, or its content does not match its length",
     "dwTotalSize of a PERF_DATA_HEADER is the size of the block and at least 48."},
    {result_length, "result_length", error, expected_found,
     "the stated length of the result does not match its content",
     "dwSize of a PERF_COUNTER_HEADER includes the header and all data of the result."},
    {result_count, "result_count", error, expected_found, "the stated number of results is wrong",
     "dwNumCounters is the number of PERF_COUNTER_HEADER blocks."},
    {result_type, "result_type", error, found,
     "the result type is unknown, or the data does not match it; the result is skipped", "dwType is 0, 1, 2, 4 or 6."},
    {result_status, "result_status", warning, status, "the result has an error status; data, if any, is shown",
     "dwStatus is 0 if the result has data."},
    {result_shape, "result_shape", warning, found, "the result type does not match the identifier in the query",
     "dwType matches the identifier in the query."},
    {length_uneven, "length_uneven", warning, found, "the length is not a multiple of 8",
     "Lengths are multiples of 8, which keeps 8-byte fields aligned."},
    {value_length, "value_length", error, expected_found,
     "invalid length of the counter data; the rest of the result is skipped",
     "dwSize of a PERF_COUNTER_DATA includes the 8-byte header and the value with its padding."},
    {value_size, "value_size", error, expected_found,
     "invalid value size: it is not 4 or 8, or it contradicts the counter type or the counter's other values",
     "dwDataSize is 4 or 8, depending on the counter type."},
    {counter_ids, "counter_ids", error, expected_found,
     "invalid length of the list of counter ids; the result is skipped",
     "dwSize of a PERF_MULTI_COUNTERS includes the 8-byte header and dwCounters ids of 4 bytes each."},
    {counter_id_repeated, "counter_id_repeated", warning, value, "duplicate counter id, the first counter is used: id",
     "The id of a counter is unique in its counterset."},
    {counter_unknown, "counter_unknown", warning, value,
     "the registration info does not contain this counter; its raw value is shown: id",
     "Each counter id is registered for its counterset."},
    {identifier_length, "identifier_length", error, expected_found,
     "invalid identifier length; the identifiers after it are skipped",
     "Size of a PERF_COUNTER_IDENTIFIER is a multiple of 8 and at least 40."},
    {registration_length, "registration_length", error, expected_found,
     "the length of the registration info does not match its content",
     "A PERF_COUNTERSET_REG_INFO is followed by NumCounters PERF_COUNTER_REG_INFO."},
    {string_buffer, "string_buffer", error, found,
     "the string at dwOffset is not completely inside the string buffer; it is skipped",
     "dwOffset of a string is relative to the start of its buffer and lies inside it."},
    {string_unterminated, "string_unterminated", warning, none, "the string is not null-terminated",
     "Strings are null-terminated inside the structure that contains them."},
    {counterset_unknown, "counterset_unknown", warning, none,
     "unknown counterset: provide --identifiers and --registration for names and types"},
    {counterset_assumed, "counterset_assumed", note, none,
     "unknown counterset; the counterset in the registration info that best matches the result is used"},
    {counterset_limit, "counterset_limit", error, none,
     "too many counters or bytes of text in the registration info; the rest is skipped"},
    {collected_too_often, "collected_too_often", warning, expected_found,
     "samples are taken more often than once per second, the highest rate that counters are designed for; interval "
     "in milliseconds"},
    {other_source, "other_source", note, value,
     "samples whose source (registry, PerfLib or log) differs from that of the first sample are skipped; select the "
     "source with --source v1, v2 or log; samples skipped:"},
    // title tables
    {title_not_text, "title_not_text", note, none, "not valid UTF-8, decoded as Windows-1252",
     "Title database files are UTF-8 or UTF-16."},
    {title_index, "title_index", warning, none, "the string is not a number and cannot be an index; it is skipped",
     "A title database consists of pairs of strings: an index and its text.", rebuild_titles},
    {title_unpaired, "title_unpaired", warning, value, "this entry has an index but no title: index",
     "A title database consists of pairs of strings: an index and its text.", rebuild_titles},
    {title_odd_byte, "title_odd_byte", warning, none, "extra byte after the last UTF-16 character",
     "A REG_MULTI_SZ is UTF-16 and has an even number of bytes.", rebuild_titles},
    {title_after_end, "title_after_end", warning, found, "extra bytes after the end of the list of titles",
     "An empty string ends a REG_MULTI_SZ.", rebuild_titles},
    {title_repeated, "title_repeated", warning, value, "duplicate index", "Each index has one text.", rebuild_titles},
    {title_registry_value, "title_registry_value", error, none, "the registry value is not a valid REG_MULTI_SZ",
     "Title databases are REG_MULTI_SZ values, hex(7) in an export.", rebuild_titles},
    {title_tables, "title_tables", error, value, "too many title tables, the rest is skipped: limit"},
    {title_last_index, "title_last_index", error, expected_found, "the value differs from the highest title index",
     "Last Counter and Last Help are the highest indices of names and of help texts; the text of index 1 is Base "
     "Index.",
     rebuild_titles},
    {title_no_help, "title_no_help", note, range, "no help text for names with index",
     "Each name has a help text, by convention at the index after its own.",
     "register the provider again with help texts for all of its counters: run `unlodctr SERVICE`, then "
     "`lodctr FILE.ini`, or `lodctr /m:MANIFEST` if it has a manifest"},
    {title_missing, "title_missing", error, none, "this registry value is missing or has no titles",
     R"(Perflib\009 contains the English names in Counter and their help texts in Help.)", rebuild_titles},
    {title_languages, "title_languages", warning, range,
     "titles that another language has are missing in the language of this entry; index",
     "All languages of a system have texts for the same indices.", rebuild_titles},
    {title_overwritten, "title_overwritten", error, value,
     "the English titles of Windows have been overwritten with other text, first at index", english_rule,
     restore_english},
    {title_differs, "title_differs", warning, value, "the title differs from Windows' own English title of index",
     english_rule, restore_english},
    {title_unnamed, "title_unnamed", warning, value, "no title for index",
     "Each object index and counter index has a text in the title database.",
     "register the provider again: run `lodctr /m:MANIFEST` if it has a manifest, `lodctr FILE.ini` if it has an "
     ".ini file, or reinstall its program"},
    {title_index_empty, "title_index_empty", warning, none, "the index is an empty string; it is skipped",
     "A title database consists of pairs of strings: an index and its text.", rebuild_titles},
    {title_order, "title_order", warning, value, "an index below the one before it: index",
     "The indices of a title database ascend.", rebuild_titles},
    {title_base, "title_base", error, range, "titles of Windows' own objects and counters are missing: index",
     "Windows' own objects and counters have the indices 2 to 1846, in every language.", rebuild_titles},
    {title_count, "title_count", error, expected_found,
     "the titles end long before the highest index that is stated: fewer than half of its names are there",
     "Almost every even index up to Last Counter has a name.", rebuild_titles},
    {title_no_object, "title_no_object", warning, value, "no sample contains this object of the title database: index",
     "A query of Global returns the objects of all providers that work and are not disabled.",
     "query Global or the index of the object; if it is still missing, look for events of Perflib in the Application "
     "log, and enable the provider with `lodctr /e:SERVICE`"},
    {service_value, "service_value", warning, none,
     "the Performance key of the provider has no valid value of this name",
     "The Performance key of a service has Library as text, Object List as text with numbers, and First Counter, Last "
     "Counter, First Help and Last Help as DWORDs.",
     "register the provider again: run `unlodctr SERVICE`, then `lodctr FILE.ini`"},
    {service_overlap, "service_overlap", warning, expected_found,
     "First Counter lies within the title indices of another provider", "Each title index belongs to one service.",
     rebuild_titles},
    {service_disabled, "service_disabled", warning, value,
     "the provider is disabled: Perflib does not call it, and its objects are in no sample; value", "",
     "run `lodctr /e:SERVICE` as administrator to enable the provider"},
    // captures
    {not_a_capture, "not_a_capture", error, none,
     "not a capture (MCAP file), which `hkpd capture INPUT -o FILE.mcap` makes",
     "A capture begins with the magic bytes of MCAP."},
    {capture_torn, "capture_torn", error, expected_found,
     "the capture is truncated, with too few bytes for its last record; everything before that record is read",
     "All bytes of a record lie inside the file."},
    {capture_unfinished, "capture_unfinished", warning, none,
     "the capture has no end record (still being written, interrupted or truncated); all complete records are read",
     "A capture ends with a footer and the magic bytes of MCAP."},
    {capture_record, "capture_record", error, expected_found, "the record is too short for this field",
     "The fields of a record fit in its length."},
    {capture_leftover, "capture_leftover", error, found, "bytes that form no record are skipped",
     "A capture is a sequence of records."},
    {capture_unknown_record, "capture_unknown_record", warning, found, "unknown record type; the record is skipped"},
    {capture_foreign_channel, "capture_foreign_channel", warning, value,
     "the metadata of the channel is missing or invalid, and its messages are skipped: channel id"},
    {capture_no_channel, "capture_no_channel", error, value,
     "no record declares the channel of the message, and the message is skipped: channel id",
     "A channel is declared before its first message."},
    {capture_index, "capture_index", warning, none,
     "the summary at the end of the capture contradicts the other records and is ignored",
     "The summary matches the file that contains it."},
    {capture_count, "capture_count", warning, expected_found, "the message count in the summary is wrong",
     "The message count in the summary is the number of messages in the file."},
    {chunk_damaged, "chunk_damaged", error, none, "the chunk is damaged; it is skipped",
     "A chunk contains complete records."},
    {chunk_compression, "chunk_compression", error, none,
     "unsupported compression (only zstd and uncompressed chunks are supported); the chunk is skipped"},
    {chunk_checksum, "chunk_checksum", error, expected_found, "the checksum does not match; the chunk is skipped",
     "The checksum of a chunk is that of its decompressed data."},
    {chunk_size, "chunk_size", error, expected_found, "the chunk does not decompress to its stated size; it is skipped",
     "The uncompressed size of a chunk is the size of its decompressed data."},
    {chunk_limit, "chunk_limit", error, expected_found, "the chunk exceeds the size limit; it is skipped"},
    {expansion_limit, "expansion_limit", error, expected_found,
     "the chunk expands to more bytes than --limit-expansion still allows; it is skipped"},
    // compressed inputs
    {packed_damaged, "packed_damaged", error, none,
     "the compressed data is damaged or truncated; what follows is not read",
     "Compressed data has the size and the checksum that it states."},
    {packed_entry, "packed_entry", error, expected_found,
     "the directory of the archive is damaged; files beyond the number read are skipped",
     "The directory of a zip archive has as many entries as its end record states."},
    {packed_method, "packed_method", error, value,
     "the file is encrypted, or its compression is not supported (supported: stored, deflate and zstd); it is skipped: "
     "method"},
    {packed_twice, "packed_twice", error, none,
     "the content is compressed once more, and is not read; unpack it first"},
    {unpacked_limit, "unpacked_limit", error, expected_found,
     "the data expands to more bytes than --limit-expansion and the limit of 1 GiB allow; it is skipped"},
    // text logs
    {text_log, "text_log", note, none, "the values of the log are cooked already, and are shown as they are",
     "Text logs contain only cooked values; .blg files contain raw values."},
    {text_raw, "text_raw", warning, none,
     "raw values are not in the input; the cooked values of the log are shown in their place"},
    {text_zone, "text_zone", note, signed_count,
     "the first line states no time zone: times are local times, which numbers such as those of SQLite take as UTC; "
     "--log-tz states the zone",
     "The first cell of a text log states the name of the time zone and UTC minus local time in minutes, from -1440 to "
     "1440: (Pacific Standard Time)(480)."},
    {text_head, "text_head", error, none, "the first line is damaged; the log is skipped",
     "The first line of a text log has the log's kind and time zone, then the counter paths."},
    {text_column, "text_column", error, value,
     "the heading of a column is no counter path, or too long; the column is left out: column",
     "Each column of a text log has a counter path, or a name, of at most 2048 characters as its heading."},
    {text_comment, "text_comment", note, value,
     "the column has no counter path and no numbers; it is taken as a comment: column"},
    {text_row, "text_row", error, expected_found,
     "the row has fewer or more cells than the first line, so that it is not certain which counters they belong to; "
     "its values are left out",
     "Each row of a text log has as many cells as its first line."},
    {text_cell, "text_cell", error, value,
     "a cell of the row holds no number, or one with another decimal mark than the log's; its value is left out: "
     "column",
     "The cells of a text log are numbers without thousands separators, all with a decimal point or all with a decimal "
     "comma, or blank where there is no value."},
    {text_time, "text_time", error, none, "the first cell of the row is no time such as 11/26/2016 13:46:30.874",
     "Each row of a text log begins with its local time: MM/dd/yyyy HH:mm:ss.fff."},
    {text_other, "text_other", note, none, "the line is no row of the log, and is skipped"},
    {text_encoding, "text_encoding", note, line,
     "characters outside ASCII are read in this code page (1200: UTF-16, 65001: UTF-8)",
     "A text log has one encoding, which a byte order mark states or all of its bytes fit."},
    {text_padding, "text_padding", warning, line, "zero bytes in place of text are skipped",
     "The text of a log has no zero bytes, other than halves of characters in UTF-16."},
    // binary performance logs
    {foreign_trace, "foreign_trace", error, none, "the event trace has no performance counters",
     "A performance log is an event trace with events of the PDH provider."},
    {log_buffer, "log_buffer", error, expected_found, "invalid size in the buffer header; the buffer is skipped",
     "All buffers of a log have the size of the first one, and Filled is at most that size."},
    {log_event, "log_event", error, expected_found,
     "the event is too short for its header; it is skipped, and possibly the rest of its buffer",
     "Size of an event includes its header; the event lies inside its buffer."},
    {log_fragment, "log_fragment", error, expected_found,
     "the fragment numbers of the event are incomplete or out of order, and the event is skipped",
     "The parts of an event are numbered consecutively from 1."},
    {log_unknown, "log_unknown", warning, found, "unknown record type; the record is skipped",
     "The events of a log are catalogue, row, trailer and names; the record types of a row are 0x0103, 0x0203 and "
     "0x0503."},
    {log_header, "log_header", error, expected_found,
     "the log header is missing or too short; its time zone is unknown, and times are taken as UTC",
     "The first event of a log is a TRACE_LOGFILE_HEADER of at least 280 bytes."},
    {log_unfinished, "log_unfinished", error, none,
     "the log was not closed or is truncated; complete records are shown",
     "A closed log has EndTime, BuffersWritten and a trailer."},
    {log_events_lost, "log_events_lost", warning, value,
     "Windows lost data while it wrote the log; lost events plus lost buffers:", "EventsLost and BuffersLost are 0."},
    {log_catalogue, "log_catalogue", error, none,
     "the name does not end inside its entry of the counter list (catalogue) of the log; the counter of this entry "
     "is left out",
     "Length of a catalogue entry is the number of bytes up to the next entry; the strings of an entry lie inside it "
     "and are null-terminated."},
    {log_no_catalogue, "log_no_catalogue", error, none,
     "no counter list (catalogue of the log) precedes this sample; its raw counters are skipped",
     "The catalogue precedes the first row."},
    {log_record, "log_record", error, expected_found, "too few bytes for the structure; it is skipped",
     "Length of a record includes its header; the record lies inside the structure that contains it."},
    {log_row, "log_row", error, expected_found,
     "the type of a record differs from that in the counter list (catalogue) of the log; the sample's counters cannot "
     "be "
     "identified",
     "A row has a record for each entry of the catalogue, in the same order and of the same kind."},
    {log_name, "log_name", error, none, "the instance name extends past the end of its record; the name is left out",
     "Instance names lie inside their record and are null-terminated."},
    {log_count, "log_count", warning, expected_found, "the number of samples stated in the trailer of the log is wrong",
     "The trailer contains the number of rows."},
    // consecutive samples
    {machine_changed, "machine_changed", warning, none,
     "samples of another machine begin here; cooked values are computed separately for each machine"},
    {time_order, "time_order", warning, expected_found,
     "the sample is older than the previous one; times in milliseconds since 1970",
     "The samples of a machine are in chronological order."},
    {counter_type_changed, "counter_type_changed", warning, expected_found,
     "the counter type differs from that in the previous sample; no cooked value is computed from these two samples",
     "A counter keeps its type while its provider is loaded."},
    // live reading
    {query_failed, "query_failed", error, status, "the query failed"},
    {ticks_missed, "ticks_missed", warning, value,
     "samples that were due while the previous one was still being taken are left out; use a longer --interval or a "
     "narrower filter; samples left out:"},
    // values that are left out of the output
    {columns_fixed, "columns_fixed", warning, value,
     "instances that are not in the first sample are left out; to include them, replay a file, not a pipe or live "
     "data; columns left out:"},
    {columns_shared, "columns_shared", note, value,
     "a column is a place such as name#1, as Windows writes it, and some had several processes one after another; "
     "--format csv or jsonl keeps processes apart; such columns:"},
    {series_limit, "series_limit", error, none,
     "too many series (counters of instances), or too many bytes of their names (--limit-names); further series are "
     "left out"},
    {name_limit, "name_limit", error, expected_found,
     "the names in the output take more bytes than --limit-names allows; values whose names would exceed this limit "
     "are left out; bytes of names"},
    {path_limit, "path_limit", error, value,
     "matching the counter paths takes too many comparisons per sample, and values are left out; use fewer "
     "wildcards: limit"},
    {path_english, "path_english", note, value,
     "counter paths match English titles in place of those of the input, as in PdhAddEnglishCounter; number of these "
     "paths:"},
    {language_missing, "language_missing", warning, language,
     "the input has no titles in a requested language, and names are in others; hkpd info lists the languages of an "
     "input; language"},
    {names_local, "names_local", note, value,
     "the names of the log are in this language; English ones select them, too, and rules apply to them; names without "
     "an English one:"},
    {name_unknown, "name_unknown", note, none,
     "the name is in none of the built-in tables of the log's language, and no English name selects it; title "
     "databases of the machine may have it (--titles)"},
    {output_limit, "output_limit", error, value,
     "the limit on buffered output is reached, and values are left out; to include them, replay a file, not a pipe "
     "or live data; values left out:"},
    {point_order, "point_order", warning, value,
     "values without a time or the name of their instance, or not later than the previous value of the same series, "
     "are left out; values left out:"},
    // limits and inputs
    {value_limit, "value_limit", error, none,
     "a limit on the values of a sample (--limit-values) is reached; the rest is skipped"},
    {byte_limit, "byte_limit", error, expected_found,
     "the data is larger than its size limit; what exceeds the limit is not read"},
    {not_recognised, "not_recognised", error, none, "unrecognised format"},
    {foreign_file, "foreign_file", error, none, "the file is of another kind, without performance data"},
    {files_skipped, "files_skipped", note, value,
     "files without performance data are skipped, which -v names; number of these files:"},
    {read_before, "read_before", note, none,
     "this is the same file as an earlier input, by another name or through a link, and is not read again"},
    {v2_alone, "v2_alone", warning, none,
     "V2 (PerfLib) data in a directory is read only if a manifest.jsonl, as capture --export writes it, lists the "
     "file; otherwise use --v2 or --from-v2"},
    {manifest_line, "manifest_line", error, value,
     "a line of the manifest is damaged, and the file it names is not read: line"},
    {names_not_located, "names_not_located", error, none, "left out by --redact: its damage hides where names are"},
    {no_data, "no_data", error, none, "no performance data found"},
    {cannot_read, "cannot_read", error, system, "cannot be read"},
    {cannot_write, "cannot_write", error, system, "cannot be written"},
});

static_assert(
    [] {
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (static_cast<std::size_t>(rows[i].code) != i || rows[i].name.empty() || rows[i].sentence.empty())
                return false;
        return rows.back().code == cannot_write;
    }(),
    "each code has one row, in the order of the enumeration");

/// Selects the faults to which a `PlaceSentence` applies: all faults, only those whose value in the input differs from
/// the required value, or only those whose value is larger than the required value or the limit.
enum class When : std::uint8_t { always, different, too_large };

using enum When;

/// A sentence that replaces the sentence of a code for some of its faults. `place` and `when` select these faults.
struct PlaceSentence {
    Errc code;
    std::string_view place;  ///< `Error::field` or `Error::structure`; empty: everywhere
    When when;
    std::string_view sentence;
};

constexpr auto place_sentences = std::to_array<PlaceSentence>({
    {machine_name, "SystemNameLength", always,
     "invalid length of the machine name (an odd number of bytes, or above the maximum)"},
    {machine_name, "SystemNameOffset", too_large,
     "the machine name ends outside the header (offset plus length); the name is left out"},
    {machine_name, "SystemNameOffset", always, "invalid offset of the machine name; the name is left out"},
    {definition_length, "", too_large,
     "the object's definitions extend past the end of the object; the object is skipped"},
    {instance_length, "", too_large,
     "the instance is longer than the bytes left for it; the remaining instances are skipped"},
    {instance_name, "NameLength", always,
     "invalid length of the instance name (an odd number of bytes, or above the maximum)"},
    {instance_name, "NameOffset", too_large,
     "the instance name ends outside its definition (offset plus length); the name is left out"},
    {instance_name, "", too_large, "the instance name is too long; it is left out"},
    {value_size, "padding", always,
     "bytes after a value of 4 bytes are not zero, so that it may be half of a value of 8 bytes; it is shown with the "
     "4 bytes that dwDataSize states, as no type and no other value of its counter contradicts them"},
    {counter_ids, "dwSize", too_large,
     "the list of counter ids is longer than the bytes left for it; the result is skipped"},
    {registration_length, "CounterSetGuid", always,
     "the registration info belongs to another counterset; it is skipped"},
    {registration_length, "NumCounters", always,
     "the stated number of counters needs more bytes than the registration info has; only complete counters are read"},
    {log_row, "", different,
     "the sample has more or fewer records than the counter list (catalogue) of the log has entries; its counters "
     "cannot be identified"},
    {counterset_limit, "PERF_COUNTERSET_REG_INFO", always, "too many countersets; this one is skipped"},
    {title_languages, "text", always,
     "titles of this language are known to mean other counters than the English titles of the same indices; index"},
    {title_missing, "perfh", always,
     "the help texts of this language are missing: perfhNNN.dat is not next to perfcNNN.dat"},
    {title_missing, "perfc", always,
     "the names of this language are missing: perfcNNN.dat is not next to perfhNNN.dat"},
    {title_missing, "content", always,
     "the title database has no titles: the file is empty or consists of zeroes; its language has no names"},
    {title_last_index, "Base Index", always, "the value differs from the number in the title of index 1"},
    {title_last_index, "", too_large,
     "the titles end below the highest index that is stated: titles are missing at the end, or the value is too high"},
    {capture_unknown_record, "Attachment", always, "attachments are not used; the record is skipped"},
    {capture_unknown_record, "Chunk", always, "a record of this type is not allowed in a chunk; it is skipped"},
    {capture_foreign_channel, "message_encoding", always,
     "unsupported message encoding; the messages of the channel are skipped: channel id"},
    {log_event, "", too_large,
     "the event is longer than the bytes left in its buffer; the rest of the buffer is skipped"},
    {result_status, "CStatus", always, "the log has an error status instead of values of a counter"},
    {log_unknown, "Class", always, "unknown event class; the event is skipped"},
    {log_header, "PointerSize", always,
     "invalid pointer size in the log header; its time zone is unknown, and times are taken as UTC"},
    {log_header, "TimeZone", always,
     "invalid time zone in the log header; the time zone is unknown, and times are taken as UTC"},
    {text_zone, "zone", always,
     "the time zone in the first line is damaged: a name and whole minutes from -1440 to 1440 are expected, as in "
     "(Pacific Standard Time)(480); times are local times of an unknown zone; --log-tz states it"},
    {text_zone, "numbers", always,
     "the first line states no time zone: the local times of the log were written as if they were UTC; --log-tz states "
     "the zone"},
    {text_zone, "name", always,
     "the name of the time zone in the first line is unknown, or this system has no rules for it: all times have the "
     "offset of the first line, in summer and winter; --log-tz states the zone"},
    {text_zone, "offset", always,
     "the offset in the first line is not that of its time zone at the time of the first row: all times have this "
     "offset, in summer and winter"},
    {text_zone, "cut", always,
     "the first line ends before its time zone does, as Windows writes it in some languages; times are local times of "
     "an unknown zone; --log-tz states it"},
    {text_zone, "minutes", always,
     "the first line ends before the offset of its time zone; times follow the rules of the zone that its name states"},
    {text_head, "heading", always,
     "the first cell is not that of Windows, with kind and time zone; the first column is taken as the times"},
    {text_head, "JSON", always, "the JSON is damaged here; what follows is not read"},
    {text_head, "text", always, "the first cell has other text than kind and time zone, which is ignored"},
    {text_column, "name", always,
     "the heading of a column is no counter path; it is taken as the name of a counter of Other columns: column"},
    {text_column, "number", always,
     "a number in a column that has no counter path, and no number in the first rows; it is left out: column"},
    {text_row, "cut", always, "the row is cut off; values that are missing or may be incomplete are left out"},
    {text_cell, "-1", always,
     "cells of -1 are taken as no value, because the numbers of the log or of their column have decimals, or their "
     "counter is never negative; their number:"},
    {text_time, "year", always, "the rows have the form year, month, day in their times; they are read so"},
    {text_time, "day", always, "the dates of the rows show that the day comes first; they are read so"},
    {text_time, "month", always, "the dates of the rows are read with the month first"},
    {text_time, "order", always,
     "the dates of the rows fit two orders, the day or the month first; they are read with the month first"},
    {text_encoding, "change", always,
     "from this line on, the text is in another code page (1200: UTF-16, 65001: UTF-8)"},
    {text_encoding, "bytes", always, "bytes that are no characters in the encoding of the text are lost"},
    {log_catalogue, "Length", always,
     "invalid length in the counter list (catalogue) of the log; the rest of the list is skipped"},
    {log_record, "Letters", always,
     "the record does not begin with its signature, the letters BL (as a number); the rest of the sample is skipped"},
    {log_record, "Length", always, "wrong record length; the rest of the sample is skipped"},
    {log_record, "Count", always, "too few bytes for the stated number of instances; they are skipped"},
});

}  // namespace fault_table

std::span<const FaultRow> fault_rows() noexcept { return fault_table::rows; }

const FaultRow& fault_row(Errc code) noexcept {
    // The rows have the order of the enumeration, as asserted above.
    return fault_table::rows[static_cast<std::size_t>(code)];
}

std::string_view sentence_for(const Error& error) noexcept {
    if (error.code == Errc::foreign_file)
        if (const std::string_view sentence = foreign_sentence(error.structure); !sentence.empty()) return sentence;
    using fault_table::place_sentences;
    const auto* const found = std::ranges::find_if(place_sentences, [&](const fault_table::PlaceSentence& special) {
        const bool here = special.place.empty() || special.place == error.field || special.place == error.structure;
        if (special.code != error.code || !here) return false;
        return special.when == fault_table::always || error.found > error.expected ||
               (special.when == fault_table::different && error.found != error.expected);
    });
    return found == place_sentences.end() ? fault_row(error.code).sentence : found->sentence;
}

}  // namespace hkpd
