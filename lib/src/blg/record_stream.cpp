// Reads a performance log (`.blg`), which is an event trace: splits the trace into events, and converts the events to
// records (`Record`).
#include <algorithm>
#include <utility>

#include "base/byte_writer.hpp"
#include "base/time.hpp"
#include "blg/blg.hpp"
#include "blg/layout.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/zone.hpp"

namespace hkpd::blg {
namespace {

constexpr std::uint64_t header_size = sizeof(layout::WMI_BUFFER_HEADER);
// Accepted sizes of a buffer, in bytes. Windows' sizes are at most 16,384 KB (learn.microsoft.com,
// EVENT_TRACE_PROPERTIES, BufferSize); the limit here is higher.
constexpr std::uint64_t least_buffer = 512, most_buffer = std::uint64_t{64} << 20;

bool is_system_header(std::uint8_t type) noexcept {
    return type >= layout::first_system_header && type <= layout::last_system_header;
}

bool is_buffer_size(std::uint64_t size) noexcept {
    return size >= least_buffer && size <= most_buffer && size % 8 == 0;
}

}  // namespace

bool is_log(Bytes first_bytes) noexcept {
    const auto buffer = wire_at<layout::WMI_BUFFER_HEADER>(first_bytes, 0);
    if (!buffer || !first_bytes.contains(header_size, EventHead::least)) return false;
    const auto type = first_bytes.span()[header_size + 2], marker = first_bytes.span()[header_size + 3];
    return is_buffer_size(buffer->BufferSize.value()) && buffer->Filled.value() <= buffer->BufferSize.value() &&
           marker == std::byte{layout::event_marker} && is_system_header(std::to_integer<std::uint8_t>(type));
}

EventHead read_event_head(Bytes event) noexcept {
    const auto type = std::to_integer<std::uint8_t>(event.span()[2]);
    const bool system = event.span()[3] == std::byte{layout::event_marker} && is_system_header(type);
    return {load<std::uint16_t>(event.at(system ? 4 : 0), ByteOrder::little), system};
}

bool is_log_event(Bytes event) noexcept {
    static const auto pdh = parse_guid("{933f3bb3-943e-490d-9ced-3cbb14c14479}").value_or(Guid{});
    constexpr std::size_t provider = offsetof(layout::LOG_EVENT, Provider);
    if (!event.contains(provider, pdh.bytes.size()) || event.span()[3] != std::byte{layout::event_marker}) return false;
    const auto type = std::to_integer<std::uint8_t>(event.span()[2]);
    return (type == layout::full_header_32 || type == layout::full_header_64) &&
           std::ranges::equal(event.slice(provider, pdh.bytes.size()).span(), pdh.bytes);
}

std::optional<EtlEvent> EtlStream::next(const FaultSink& faults) {
    while (true) {
        if (at_ < filled_) {
            if (const auto event = take_event(faults)) return event;
            continue;
        }
        if (!next_buffer()) return std::nullopt;
        open_buffer(faults);
    }
}

/// Moves `window_` to the next buffer of the trace. A buffer is a header followed by events. Returns false after the
/// last buffer.
bool EtlStream::next_buffer() {
    at_ = filled_ = 0;
    if (buffer_size_ == 0) {
        const auto head = wire_at<layout::WMI_BUFFER_HEADER>(window_.peek(header_size), 0);
        if (!head || !is_buffer_size(head->BufferSize.value())) return false;
        buffer_size_ = head->BufferSize.value();
    } else {
        window_.skip(held_);
    }
    if (!next_of_loop()) return false;
    // In concatenated files, another log may begin here, with another buffer size.
    const Bytes first = window_.peek(first_bytes_needed);
    if (const auto head = wire_at<layout::WMI_BUFFER_HEADER>(first, 0); head && is_log(first))
        buffer_size_ = head->BufferSize.value();
    held_ = window_.peek(buffer_size_).size();
    if (held_ != 0 || loop_.part != Loop::Part::older) return held_ != 0;
    loop_.part = Loop::Part::newer;
    window_.seek(loop_.first);
    held_ = window_.peek(buffer_size_).size();
    return held_ != 0;
}

/// Follows the order of the buffers in a circular trace. After the last buffer that the writer never overwrites, moves
/// the window to the oldest buffer. Returns false after the newest buffer.
bool EtlStream::next_of_loop() {
    if (loop_.part == Loop::Part::kept && window_.offset() >= loop_.first) {
        loop_.part = Loop::Part::older;
        window_.seek(loop_.oldest);
    }
    return loop_.part != Loop::Part::newer || window_.offset() < loop_.oldest;
}

std::optional<std::int64_t> EtlStream::sequence_at(std::uint64_t offset) {
    if (!window_.seek(offset)) return std::nullopt;
    const auto header = wire_at<layout::WMI_BUFFER_HEADER>(window_.peek(header_size), 0);
    if (!header || header->BufferSize.value() != buffer_size_) return std::nullopt;
    return header->Sequence.value();
}

void EtlStream::unroll(std::uint32_t kept) {
    const std::uint64_t here = window_.offset(), first = std::max<std::uint64_t>(kept, 1) * buffer_size_;
    const auto size = window_.size();
    if (!size || buffer_size_ == 0 || loop_.part != Loop::Part::none) return;
    std::optional<std::int64_t> before;
    for (std::uint64_t offset = first; offset < *size && loop_.part == Loop::Part::none; offset += buffer_size_) {
        const auto sequence = sequence_at(offset);
        if (before && sequence && *sequence < *before) loop_ = {first, offset, Loop::Part::kept};
        if (sequence) before = sequence;
    }
    window_.seek(here);
    held_ = window_.peek(buffer_size_).size();
}

/// Reads the header of the trace's current buffer, and sets `at_` and `filled_`, between which the buffer's events lie.
/// If the header is damaged, reports this and leaves both at 0, so that no event of this buffer is read.
void EtlStream::open_buffer(const FaultSink& faults) {
    const Bytes buffer = window_.held().clip(0, buffer_size_);
    if (buffer.size() < buffer_size_) cut_ = true;
    const auto header = wire_at<layout::WMI_BUFFER_HEADER>(buffer, 0);
    if (!header) return;
    const auto zero = [](std::byte b) { return b == std::byte{0}; };
    if (std::ranges::all_of(buffer.clip(0, header_size).span(), zero)) {
        cut_ = true;  // reserved, but never written
        return;
    }
    const std::uint64_t filled = header->Filled.value();
    const auto damaged = [&](std::string_view field, std::uint64_t expected, std::uint64_t found) {
        faults.add({Errc::log_buffer, buffer.offset(), "WMI_BUFFER_HEADER", field, expected, found});
    };
    if (header->BufferSize.value() != buffer_size_)
        return damaged("BufferSize", buffer_size_, header->BufferSize.value());
    if (filled < header_size || filled > buffer_size_) return damaged("Filled", buffer_size_, filled);
    at_ = header_size;
    filled_ = std::min<std::uint64_t>(filled, buffer.size());
}

/// Returns the current event. If it is damaged or truncated, returns none and skips the rest of the buffer.
std::optional<EtlEvent> EtlStream::take_event(const FaultSink& faults) {
    const Bytes rest = window_.held().clip(at_, filled_ - at_);
    const bool all = window_.held().size() >= buffer_size_;
    const auto lost = [&](std::uint64_t expected, std::uint64_t found) -> std::optional<EtlEvent> {
        if (all) faults.add({Errc::log_event, rest.offset(), "EVENT_TRACE_HEADER", "Size", expected, found});
        at_ = filled_;
        return std::nullopt;
    };
    if (rest.size() < EventHead::least) return lost(EventHead::least, rest.size());
    const auto [size, system] = read_event_head(rest);
    if (size < EventHead::least) return lost(EventHead::least, size);
    if (size > rest.size()) return lost(rest.size(), size);
    at_ += aligned(size);
    return EtlEvent{rest.clip(0, size), system};
}

}  // namespace hkpd::blg

namespace hkpd {
namespace {

namespace wire = layout;

constexpr std::string_view event_structure = "performance log event";
constexpr std::uint64_t event_header = sizeof(wire::LOG_EVENT), system_header = sizeof(wire::SYSTEM_TRACE_HEADER);
/// Maximum number of events whose fragments are being collected at the same time. A small number suffices, because
/// fragments of several events interleave only if the buffers of several processors are mixed.
constexpr std::size_t max_incomplete = 8;

std::optional<Record::Kind> kind_of(std::uint8_t event_class) noexcept {
    if (event_class == wire::class_catalogue) return Record::Kind::log_catalogue;
    if (event_class == wire::class_row) return Record::Kind::log_row;
    if (event_class == wire::class_trailer) return Record::Kind::log_trailer;
    return std::nullopt;
}

}  // namespace

std::optional<Record> LogStream::next(const FaultSink& faults) {
    while (!ended_) {
        const auto event = held_ ? std::exchange(held_, std::nullopt) : next_event(faults);
        if (!event) {
            if (!titles_.empty()) return titles_record(faults);
            end(faults);
            break;
        }
        if (!header_bytes_.empty()) {
            held_ = event;
            return header_record(*event, faults);
        }
        if (event->kind == wire::class_names && gather_titles(*event, faults)) continue;
        if (!titles_.empty()) {
            held_ = event;
            return titles_record(faults);
        }
        if (auto record = to_record(*event, faults)) return record;
    }
    return std::nullopt;
}

/// Returns the next complete event of the log; none at the end of the trace. The fragments of an event that is divided
/// into several are joined.
std::optional<LogStream::Event> LogStream::next_event(const FaultSink& faults) {
    while (const auto event = next_of_trace(faults)) {
        if (event->system)
            take_system(*event, faults);
        else if (auto whole = take_fragment(*event, faults))
            return whole;
    }
    return std::nullopt;
}

/// Returns the next event of the trace. What is lost between two rows gets the time of the first of them.
std::optional<blg::EtlEvent> LogStream::next_of_trace(const FaultSink& faults) {
    Diagnostics found;
    auto event = trace_.next(FaultSink(found));
    if (found.count() == 0) return event;
    if (log_.last_row) found.locate(row_after_last());
    faults.take(found);
    return event;
}

/// Returns the place of a fault in a row. `local`: the local time of the row, 100 ns since 1601.
FaultCell LogStream::row_at(std::int64_t local) const {
    FaultCell row;
    if (const auto time = unix_time(local))
        append_time(row.time, system_time_at(static_cast<std::int64_t>(*time)),
                    log_.header ? Zone(log_.header->zone) : Zone());
    return row;
}

/// Returns the place of a fault after the last row.
FaultCell LogStream::row_after_last() const {
    FaultCell row;
    if (log_.last_row) row.time_before = row_at(*log_.last_row).time;
    return row;
}

/// Reads an event that describes the trace and contains no counters. Only log headers are used. The first log header
/// describes the log. A later one begins another log, as in concatenated files, if events of a performance log have
/// been read since the previous one; otherwise it is ignored.
void LogStream::take_system(const blg::EtlEvent& event, const FaultSink& faults) {
    const auto head = blg::wire_at<wire::SYSTEM_TRACE_HEADER>(event.bytes, 0);
    if (!head || head->Hook.value() != 0 || (log_.has_header && !log_.own)) {
        log_.others = true;
        return;
    }
    // The log begins with the header of the trace buffer. This event is the first one in that buffer.
    const std::uint64_t begin = event.bytes.offset() - sizeof(wire::WMI_BUFFER_HEADER);
    if (log_.own) end_log(begin, faults);
    log_ = {.begin = begin, .has_header = true};
    append_bytes(header_bytes_, event.bytes.from(system_header).span());
    auto header = blg::read_header(event.bytes.from(system_header));
    if (!header) return;  // the code that makes samples of the log reads the header again and reports the fault
    log_.header = std::move(*header);
    if (const std::uint64_t lost = std::uint64_t{log_.header->events_lost} + log_.header->buffers_lost; lost != 0)
        faults.add({Errc::log_events_lost, event.bytes.offset() + system_header, "TRACE_LOGFILE_HEADER", "EventsLost",
                    0, lost});
    if (log_.circular()) trace_.unroll(log_.header->start_buffers);  // invalidates `event`
}

std::optional<LogStream::Event> LogStream::take_fragment(const blg::EtlEvent& event, const FaultSink& faults) {
    const std::uint64_t offset = event.bytes.offset();
    const auto head = blg::wire_at<wire::LOG_EVENT>(event.bytes, 0);
    if (!head) {
        if (blg::is_log_event(event.bytes))
            faults.add(Severity::error,
                       {Errc::log_event, offset, "EVENT_TRACE_HEADER", "Size", event_header, event.bytes.size()},
                       row_after_last());
        return std::nullopt;
    }
    if (!blg::is_log_event(event.bytes)) {
        log_.others = true;
        return std::nullopt;
    }
    if (!std::exchange(log_.own, true) && !log_.has_header)
        faults.add(Severity::warning, {Errc::log_header, log_.begin, "TRACE_LOGFILE_HEADER", "", 0, 0});
    const Event found{head->Class, head->TimeStamp.value(), Guid{head->Log}, event.bytes.from(event_header), true};
    const std::uint32_t fragment = head->Fragment.value(), total = head->Fragments.value();
    // The buffer at which reading continues may begin in the middle of an event that was skipped.
    if (log_.resuming && fragment != 1) return std::nullopt;
    log_.resuming = false;
    if (head->Class == wire::class_row && fragment == 1 && to_pass_ != 0) {
        --to_pass_;
        ++passed_;
        ++log_.rows;
        log_.last_row = found.time;
        log_.resuming = true;  // at the first fragment of another event
        return std::nullopt;
    }
    if (head->Class == wire::class_row) log_.row_bytes += blg::aligned(event.bytes.size());
    if (fragment == 1 && total == 1) return found;
    return join(found, fragment, total, faults);
}

/// Reports an event that is lost, with its time if it is a row.
void LogStream::report_lost_event(Severity severity, const Error& error, const Event& event,
                                  const FaultSink& faults) const {
    if (event.kind == wire::class_row)
        faults.add(severity, error, row_at(event.time));
    else
        faults.add(severity, error);
}

/// Adds one of several fragments of an event; returns the event if the fragment was the last.
std::optional<LogStream::Event> LogStream::join(const Event& event, std::uint32_t fragment, std::uint32_t total,
                                                const FaultSink& faults) {
    const auto report_lost = [&](const Event& lost, std::uint64_t offset, std::uint64_t expected, std::uint64_t found) {
        // The oldest buffer of a circular log may begin in the middle of an event. The first fragment of this event is
        // then missing, which is not an error.
        const bool oldest = log_.circular() && expected == 1;
        report_lost_event(oldest ? Severity::note : Severity::error,
                          {Errc::log_fragment, offset, event_structure, "Fragment", expected, found}, lost, faults);
        return std::nullopt;
    };
    auto open = std::ranges::find_if(partials_, [&](const Partial& partial) {
        return partial.event.kind == event.kind && partial.event.time == event.time && partial.event.log == event.log;
    });
    if (open != partials_.end() && (open->next != fragment || open->total != total)) {
        report_lost(open->event, open->offset(), open->next, fragment);
        partials_.erase(open);
        open = partials_.end();
    }
    if (open == partials_.end()) {
        if (fragment != 1 || total == 0) return report_lost(event, event.content.offset() - event_header, 1, fragment);
        if (partials_.size() == max_incomplete) {
            report_lost(partials_.front().event, partials_.front().offset(), partials_.front().next, 0);
            partials_.erase(partials_.begin());
        }
        open = partials_.insert(partials_.end(), Partial{event, 1, total, {}});
    }
    std::uint64_t held = event.content.size();
    for (const Partial& partial : partials_) held += partial.bytes.size();
    if (held > limits_.bytes) {
        report_lost_event(Severity::error,
                          {Errc::byte_limit, open->offset(), event_structure, "Fragments", limits_.bytes, held},
                          open->event, faults);
        partials_.erase(open);
        return std::nullopt;
    }
    append_bytes(open->bytes, event.content.span());
    if (open->next++ != total) return std::nullopt;
    joined_.swap(open->bytes);
    partials_.erase(open);
    return Event{event.kind, event.time, event.log, Bytes(joined_), false};
}

/// Adds the titles of an event to `titles_` and returns true. If `titles_` has titles of another machine or log, adds
/// nothing and returns false: the caller must first return the titles in `titles_` as a record. If the titles of the
/// event cannot be read or are too large, reports this, adds nothing and returns true.
bool LogStream::gather_titles(const Event& event, const FaultSink& faults) {
    const auto names = blg::read_names(event.content);
    if (!names) {
        faults.at(place_of(event, faults)).add(Severity::error, names.error());
        return true;
    }
    std::string machine;
    append_utf16(machine, names->machine.bytes.span(), ByteOrder::little);
    if (!titles_.empty() && (machine != titles_machine_ || event.log != titles_event_.log)) return false;
    if (titles_.empty()) {
        titles_event_ = event;
        titles_machine_ = std::move(machine);
    }
    // Titles are UTF-16, and the titles of consecutive events are joined. An odd last byte is dropped, because it would
    // shift all later titles by one byte and make them unreadable.
    const std::size_t odd = names->titles.size() % 2;
    if (odd != 0) faults.add({Errc::title_odd_byte, names->titles.end() - 1, event_structure, "", 0, 0});
    const std::uint64_t size = titles_.size() + names->titles.size(), most = 2 * limits_.title_bytes;
    if (size > most)
        faults.add({Errc::byte_limit, event.content.offset(), event_structure, "", most, size});
    else
        append_bytes(titles_, names->titles.clip(0, names->titles.size() - odd).span());
    return true;
}

std::optional<Record> LogStream::to_record(const Event& event, const FaultSink& faults) {
    const auto kind = kind_of(event.kind);
    if (!kind) {
        faults.at(place_of(event, faults))
            .add(Severity::warning,
                 {Errc::log_unknown, event.content.offset(), event_structure, "Class", 0, event.kind});
        return std::nullopt;
    }
    if (kind == Record::Kind::log_row) {
        ++log_.rows;
        log_.last_row = event.time;
    }
    if (kind == Record::Kind::log_trailer)
        if (const auto rows = blg::read_trailer_rows(event.content)) log_.stated_rows = *rows;
    return record_of(event, *kind, faults);
}

bool LogStream::skip_middle(std::uint32_t rows, const Guid& log) {
    if (log_.skipped_bytes != 0 || held_) return false;
    log_.skipped_bytes = trace_.skip_to_last(rows, log);
    if (log_.skipped_bytes == 0) return false;
    partials_.clear();
    log_.resuming = true;
    log_.last_row.reset();
    return true;
}

std::optional<LogStream::SkippedRows> LogStream::skipped() const {
    if (log_.skipped_bytes == 0) return std::nullopt;
    // The trailer of a circular log also counts rows that were overwritten.
    if (log_.stated_rows && !log_.circular())
        return SkippedRows{*log_.stated_rows - std::min<std::uint64_t>(*log_.stated_rows, log_.rows), true};
    // Otherwise, as many as fit if they are as long as those that were read.
    const std::uint64_t each = log_.row_bytes / std::max<std::uint64_t>(log_.rows, 1);
    return SkippedRows{log_.skipped_bytes / std::max<std::uint64_t>(each, 1), false};
}

/// Returns the place to which offsets in an event are relative: the start of the file if the event is one fragment,
/// otherwise the start of the event's record.
Place LogStream::place_of(const Event& event, const FaultSink& faults) const {
    return {.input = faults.place().input, .record = event.whole ? no_index : records_};
}

Record LogStream::record_of(const Event& event, Record::Kind kind, const FaultSink& faults) {
    Record record{kind, event.content, place_of(event, faults)};
    ++records_;
    record.log = event.log;
    record.time = unix_time(event.time);
    return record;
}

Record LogStream::header_record(const Event& before, const FaultSink& faults) {
    returned_.swap(header_bytes_);
    header_bytes_.clear();
    Event header = before;
    const std::uint64_t at = log_.begin + sizeof(wire::WMI_BUFFER_HEADER) + system_header;
    header.content = Bytes(returned_, at);
    header.whole = true;
    return record_of(header, Record::Kind::log_header, faults);
}

/// Returns the gathered titles as a title database of the machine.
Record LogStream::titles_record(const FaultSink& faults) {
    returned_.swap(titles_);
    titles_.clear();
    returned_machine_ = titles_machine_;
    Event event = titles_event_;
    event.content = Bytes(returned_);
    event.whole = false;
    Record record = record_of(event, Record::Kind::titles, faults);
    record.machine = returned_machine_;
    record.name = name_;
    record.log = {};  // no log, as in records of other title databases
    return record;
}

/// Converts the local time of an event (100 ns since 1601) to nanoseconds since 1970 (UTC). Uses the time zone of the
/// machine that wrote the log. Returns none if the time is out of range.
std::optional<std::uint64_t> LogStream::unix_time(std::int64_t local) const {
    constexpr std::int64_t latest = std::int64_t{1} << 62;
    if (local <= 0 || local > latest) return std::nullopt;
    const std::int64_t bias = log_.header ? log_.header->zone.at(local).bias : 0;
    const auto moment = unix_nanoseconds(local + bias * filetime_minute);
    return moment && *moment >= 0 ? std::optional(static_cast<std::uint64_t>(*moment)) : std::nullopt;
}

void LogStream::end(const FaultSink& faults) {
    ended_ = true;
    if (!log_.own) {
        const Errc code = log_.others ? Errc::foreign_trace : Errc::no_data;
        faults.add({code, log_.begin, "", "", 0, 0});
        if (log_.others) return;
    }
    end_log(trace_.end(), faults);
}

/// Reports the faults that can be found only at the end of a log. The log ends at offset `end`.
void LogStream::end_log(std::uint64_t end, const FaultSink& faults) {
    for (const Partial& partial : std::exchange(partials_, {}))
        report_lost_event(
            Severity::error,
            {Errc::log_fragment, partial.offset(), event_structure, "Fragment", partial.total, partial.next - 1},
            partial.event, faults);
    const auto& header = log_.header;
    // The size of a circular log is not checked: the header's number of buffers includes those that were overwritten.
    const bool short_of =
        header && !log_.circular() && end - log_.begin < std::uint64_t{header->buffers} * header->buffer_size;
    // A log that was not closed may still be open in its writer. In such a log, missing data is only a warning. In a
    // closed log, missing data is lost, which is an error.
    const bool open = header && !header->closed();
    if (trace_.cut() || short_of || open)
        faults.add(open ? Severity::warning : Severity::error, {Errc::log_unfinished, end, event_structure, "", 0, 0});
    else if (log_.stated_rows && *log_.stated_rows != log_.rows && !log_.circular() && log_.skipped_bytes == 0 &&
             sought_ == 0)
        faults.add({Errc::log_count, end, "performance log trailer", "", log_.rows, *log_.stated_rows});
}

}  // namespace hkpd
