// Faults: their names and texts, the sink that takes them, and the list of them.
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

/// Meaning of a fault's two numbers, which decides how they are shown.
enum class Numbers : std::uint8_t { none, have, need_have, range, system, status };

struct CodeText {
    Errc code;
    std::string_view name;
    std::string_view text;
    Numbers numbers;
};

using enum Numbers;

constexpr auto code_texts = std::to_array<CodeText>({
    {Errc::not_performance_data, "not_performance_data",
     "this is no performance data block: it does not begin with PERF in UTF-16", none},
    {Errc::truncated_header, "truncated_header", "the input ends inside the structure", need_have},
    {Errc::incomplete_reply, "incomplete_reply",
     "the reply is incomplete: the sender's buffer was too small, ask again with a larger one", none},
    {Errc::byte_order, "byte_order", "the byte order flag contradicts the rest of the header", have},
    {Errc::version, "version", "unknown version, read as version 1", need_have},
    {Errc::block_truncated, "block_truncated", "the input ends before the block does", need_have},
    {Errc::block_length, "block_length", "the length does not fit the objects", need_have},
    {Errc::length_without_header, "length_without_header",
     "the length leaves out the header, as Samba writes it; all objects are read", need_have},
    {Errc::gap_after_header, "gap_after_header",
     "the objects begin 88 bytes behind the header's end, as Wine writes them; the gap is skipped", need_have},
    {Errc::header_length, "header_length", "the header's length is impossible", need_have},
    {Errc::machine_name, "machine_name", "the machine name does not fit the header", need_have},
    {Errc::system_time, "system_time", "the time is no moment of the calendar", none},
    {Errc::object_count, "object_count", "the count differs from the objects that are there", need_have},
    {Errc::leftover_bytes, "leftover_bytes", "bytes that no structure claims", have},
    {Errc::provider_length, "provider_length",
     "stray bytes behind the object: its provider returned a length that is no multiple of 8", have},
    {Errc::object_length, "object_length", "the object's length is wrong", need_have},
    {Errc::object_header, "object_header", "the object's header is damaged, the object is lost", need_have},
    {Errc::object_repeated, "object_repeated", "the object is in the block more than once", have},
    {Errc::definition_length, "definition_length", "the definitions do not fit the object, the object is lost",
     need_have},
    {Errc::counter_count, "counter_count", "the count differs from the counters that are there", need_have},
    {Errc::counter_definition_length, "counter_definition_length",
     "the definition's length is impossible, the counter is lost", need_have},
    {Errc::counter_size, "counter_size", "the size is not the one that the counter's type has", need_have},
    {Errc::counter_overlaps_length, "counter_overlaps_length",
     "the counter lies on the counter block's own length, it has no value", need_have},
    {Errc::counter_outside_block, "counter_outside_block",
     "the counter lies outside the counter block, it has no value", need_have},
    {Errc::counter_beyond_block_length, "counter_beyond_block_length",
     "counters lie behind the counter block's end, in bytes that nothing else claims; their values are shown",
     need_have},
    {Errc::instance_count, "instance_count", "the count differs from the instances that are there", need_have},
    {Errc::instance_length, "instance_length", "the instance's length is impossible, the rest of the list is lost",
     need_have},
    {Errc::instance_name, "instance_name", "the name does not lie inside the instance", need_have},
    {Errc::counter_block_length, "counter_block_length",
     "the counter block's length is impossible, the rest of the list is lost", need_have},
    {Errc::counter_block_uneven, "counter_block_uneven",
     "the counter block is not as long as the first one of its object; the instance behind one too long is misread",
     need_have},
    {Errc::code_page, "code_page", "text in a code page that is unknown here; what is not ASCII is shown as U+FFFD",
     have},
    {Errc::bad_text, "bad_text", "characters that the encoding does not have are shown as U+FFFD", none},
    {Errc::parent_missing, "parent_missing", "the parent's object is not in the sample", have},
    {Errc::parent_outside, "parent_outside", "the parent's object has fewer instances", need_have},
    {Errc::parent_cycle, "parent_cycle", "the chain of parents leads back to itself or is too long", none},
    {Errc::not_perflib_data, "not_perflib_data", "this is no V2 data block: its lengths do not fit", need_have},
    {Errc::result_length, "result_length", "the length does not fit the result", need_have},
    {Errc::result_count, "result_count", "the count differs from the results that are there", need_have},
    {Errc::result_type, "result_type", "a result of unknown type is lost", have},
    {Errc::result_status, "result_status", "no data for this part of the query; the status says why", have},
    {Errc::result_shape, "result_shape", "the result does not have the shape that its identifier asks for", need_have},
    {Errc::length_uneven, "length_uneven", "the length is no multiple of 8", have},
    {Errc::value_length, "value_length", "the value's length is impossible, the rest of the result is lost", need_have},
    {Errc::value_size, "value_size", "the value does not have 4 or 8 bytes or not those of its type", need_have},
    {Errc::counter_ids, "counter_ids", "the counter ids do not fit their length, the result is lost", need_have},
    {Errc::counter_id_repeated, "counter_id_repeated", "the counter id is there more than once, the first counts",
     have},
    {Errc::counter_unknown, "counter_unknown", "a counter id that is not registered; its raw value is shown", have},
    {Errc::identifier_length, "identifier_length", "the identifier's length is impossible, those behind it are lost",
     need_have},
    {Errc::registration_length, "registration_length",
     "the registration does not fit its length, or is another counterset's", need_have},
    {Errc::string_buffer, "string_buffer", "the string does not lie inside its buffer, it is lost", need_have},
    {Errc::string_unterminated, "string_unterminated", "the string has no end where it must have one", none},
    {Errc::counterset_unknown, "counterset_unknown",
     "nothing tells the counterset of a result: give its registration info for names and types", none},
    {Errc::counterset_assumed, "counterset_assumed",
     "the counterset of a result is taken to be the only registered one that fits it", none},
    {Errc::counterset_limit, "counterset_limit", "more registrations than the limit allows, the others are left out",
     have},
    {Errc::collected_too_often, "collected_too_often",
     "collected again within a second, in milliseconds: counters are not made for it", need_have},
    {Errc::other_source, "other_source", "samples that came through another door are left out: --source shows them",
     have},
    {Errc::title_not_text, "title_not_text", "not valid UTF-8, read as Windows-1252", none},
    {Errc::title_index, "title_index", "a string that should be an index is no number, it is skipped", none},
    {Errc::title_unpaired, "title_unpaired", "the last index has no title", have},
    {Errc::title_odd_byte, "title_odd_byte", "one byte too many behind the last UTF-16 character", none},
    {Errc::title_after_end, "title_after_end", "bytes behind the end of the list", have},
    {Errc::title_repeated, "title_repeated", "the index is there more than once", have},
    {Errc::title_registry_value, "title_registry_value", "the registry value is not well formed hexadecimal", none},
    {Errc::title_tables, "title_tables", "more title tables than the limit allows, the others are left out", have},
    {Errc::title_last_index, "title_last_index", "the highest index of the titles is not the one that is recorded",
     need_have},
    {Errc::title_no_help, "title_no_help", "names without a help text", range},
    {Errc::title_missing, "title_missing", "the database has none of the titles that this value has to hold", none},
    {Errc::title_languages, "title_languages", "titles that another language of the system has are missing in this one",
     range},
    {Errc::title_overwritten, "title_overwritten", "the English titles are not the system's own", have},
    {Errc::title_unnamed, "title_unnamed", "no title names this index", have},
    {Errc::title_index_empty, "title_index_empty", "an index is an empty string, it is skipped", none},
    {Errc::service_value, "service_value", "the value of the provider's Performance key is not what Perflib reads",
     none},
    {Errc::service_overlap, "service_overlap",
     "another provider claims the same titles, up to the index before the one needed", need_have},
    {Errc::service_disabled, "service_disabled", "the provider is disabled, Perflib does not call it", none},
    {Errc::not_a_capture, "not_a_capture", "this is no capture (MCAP file)", none},
    {Errc::capture_torn, "capture_torn", "the capture ends inside a record; what comes before is read", need_have},
    {Errc::capture_unfinished, "capture_unfinished",
     "the capture has no end: its writer was stopped; all that is there is read", none},
    {Errc::capture_record, "capture_record", "the record's content does not fit its length", need_have},
    {Errc::capture_leftover, "capture_leftover", "bytes that are no record; reading goes on at the next chunk", have},
    {Errc::capture_unknown_record, "capture_unknown_record", "a record of unknown kind is skipped", have},
    {Errc::capture_foreign_channel, "capture_foreign_channel", "a channel that is not hkpd's, its messages are skipped",
     have},
    {Errc::capture_no_channel, "capture_no_channel", "a message of a channel that is nowhere described is lost", have},
    {Errc::capture_index, "capture_index", "the summary contradicts the file and is not used", none},
    {Errc::capture_count, "capture_count", "the summary counts other messages than are there", need_have},
    {Errc::chunk_damaged, "chunk_damaged", "the chunk is damaged and lost", none},
    {Errc::chunk_compression, "chunk_compression",
     "the chunk is compressed in a way that is unknown here (zstd or nothing is known), it is lost", none},
    {Errc::chunk_checksum, "chunk_checksum", "the checksum does not fit, the chunk is lost", need_have},
    {Errc::chunk_size, "chunk_size", "the chunk decompresses to another size than it says, it is lost", need_have},
    {Errc::chunk_limit, "chunk_limit", "the chunk is larger than the limit allows, it is lost", need_have},
    {Errc::text_log, "text_log", "this is a log in text (CSV or TSV): its values are cooked already", none},
    {Errc::foreign_trace, "foreign_trace", "this is an event trace without performance counters", none},
    {Errc::log_buffer, "log_buffer", "the buffer's header is damaged, the buffer is lost", need_have},
    {Errc::log_event, "log_event", "the event's length is impossible, the rest of its buffer is lost", need_have},
    {Errc::log_fragment, "log_fragment", "parts of an event are missing, it is lost", need_have},
    {Errc::log_unknown, "log_unknown", "an event or record of unknown kind is skipped", have},
    {Errc::log_header, "log_header", "the log's header is damaged: its time zone is not known, times are taken for UTC",
     need_have},
    {Errc::log_unfinished, "log_unfinished", "the log was not closed or has been cut: what is complete is shown", none},
    {Errc::log_events_lost, "log_events_lost", "Windows could not write all that was logged", have},
    {Errc::log_catalogue, "log_catalogue", "the catalogue is damaged here", need_have},
    {Errc::log_no_catalogue, "log_no_catalogue", "there is no catalogue in front of it: its raw counters are lost",
     none},
    {Errc::log_record, "log_record", "the record does not fit its length, it is lost", need_have},
    {Errc::log_row, "log_row",
     "the row does not have the records that the catalogue says: which counter is which cannot be told", need_have},
    {Errc::log_name, "log_name", "the name does not lie inside its record", need_have},
    {Errc::log_count, "log_count", "the count differs from the rows that are there", need_have},
    {Errc::machine_changed, "machine_changed", "samples of another machine; each is cooked by itself", none},
    {Errc::time_order, "time_order", "the sample is older than the one before it, in milliseconds since 1970",
     need_have},
    {Errc::counter_type_changed, "counter_type_changed",
     "the counter's type is not the one it had in the sample before, its values begin anew", need_have},
    {Errc::query_failed, "query_failed", "the query failed", status},
    {Errc::ticks_missed, "ticks_missed",
     "samples were due while the one before was still being taken, and are left out: take a longer --interval, or ask "
     "for less",
     have},
    {Errc::columns_fixed, "columns_fixed",
     "instances that were not in the first sample are left out: read from a file instead of a pipe, and they get "
     "columns",
     have},
    {Errc::series_limit, "series_limit", "more instances than the limit allows, the others are left out", have},
    {Errc::output_limit, "output_limit",
     "more than can be held back, the rest is left out: read from a file instead of a pipe", have},
    {Errc::point_order, "point_order", "values that are not newer than the one before them are left out", have},
    {Errc::value_limit, "value_limit", "the block asks for more values than the limit allows", need_have},
    {Errc::byte_limit, "byte_limit", "the input is larger than the limit allows", need_have},
    {Errc::not_recognised, "not_recognised", "none of the forms that are known here", none},
    {Errc::no_data, "no_data", "there is no performance data in it", none},
    {Errc::cannot_read, "cannot_read", "cannot be read", system},
    {Errc::cannot_write, "cannot_write", "cannot be written", system},
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

}  // namespace

bool has_place(Errc code) noexcept { return code != Errc::query_failed && code != Errc::ticks_missed; }

std::string_view code_name(Errc code) noexcept { return text_of(code).name; }

void append_message(std::string& out, const Error& error) {
    const CodeText& text = text_of(error.code);
    out += text.text;
    if (text.numbers == none) return;
    out += ": ";
    if (text.numbers == system) {
        out += std::generic_category().message(static_cast<int>(error.have));
    } else if (text.numbers == status) {
        win32::append_status(out, static_cast<std::uint32_t>(error.have));
    } else {
        const std::string_view form = text.numbers == need_have  ? "need {}, have {}"
                                      : text.numbers == have     ? "have {1}"
                                      : error.need == error.have ? "{}"
                                                                 : "{} to {}";
        fmt::format_to(std::back_inserter(out), fmt::runtime(form), error.need, error.have);
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
    Diagnostic added = diagnostic;
    if (as_notes_[static_cast<std::size_t>(added.error.code)]) added.severity = Severity::note;
    const std::uint64_t before = counts_[static_cast<std::size_t>(added.severity)]++;
    // Always kept: an unreadable input decides the result of the whole run.
    if (before < keep_ || added.error.code == Errc::cannot_read) kept_.push_back(added);
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

/// Takes over the names of objects that have none here. Both lists are sorted by number.
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
