// Contents of a performance log's events: the trace's header, titles, the catalogue, rows and the trailer.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/text/encoding.hpp"
#include "blg/blg.hpp"
#include "blg/layout.hpp"

namespace hkpd::blg {
namespace {

constexpr std::string_view header_structure = "TRACE_LOGFILE_HEADER";

Error too_short(Errc code, Bytes event, std::string_view structure, std::uint64_t expected) {
    return {code, event.offset(), structure, "", expected, event.size()};
}

constexpr std::string_view catalogue_structure = "performance log catalogue";

Form form_of_entry(std::uint32_t flags) noexcept {
    if ((flags & layout::entry_block) != 0) return Form::block;
    return (flags & layout::entry_instances) != 0 ? Form::instances : Form::raw;
}

constexpr std::uint64_t head_size = sizeof(layout::LOG_RECORD), instances_size = sizeof(layout::RAW_INSTANCES),
                        instance_size = sizeof(layout::RAW_INSTANCE);

bool is_form(std::uint16_t type) noexcept {
    constexpr std::array forms{Form::raw, Form::instances, Form::block};
    return std::ranges::find(forms, Form{type}) != forms.end();
}

Error wrong_length(Bytes bytes, std::uint64_t length) {
    return {Errc::log_record, bytes.offset(), record_structure, "Length", bytes.size(), length};
}

/// Returns the head of a record; none if the bytes are too short or do not begin with `BL`, the signature of a record.
std::optional<layout::LOG_RECORD> head_at(Bytes bytes) noexcept {
    const auto head = wire_at<layout::LOG_RECORD>(bytes, 0);
    return head && load<std::uint16_t>(bytes.data(), ByteOrder::little) == layout::record_letters ? head : std::nullopt;
}

/// Returns the head of a record as one number. All of it must be there.
std::uint64_t load_head(const std::byte* at) noexcept { return load<std::uint64_t>(at, ByteOrder::little); }

/// Returns why `head_at` has returned none.
Error no_head(Bytes bytes) {
    if (bytes.size() < head_size) return too_short(Errc::log_record, bytes, record_structure, head_size);
    const std::uint32_t letters = load<std::uint16_t>(bytes.data(), ByteOrder::little);
    return {Errc::log_record, bytes.offset(), record_structure, "Letters", layout::record_letters, letters};
}

}  // namespace

std::expected<Header, Error> read_header(Bytes event) {
    constexpr std::uint64_t fixed = sizeof(layout::TRACE_LOGFILE_HEADER);
    const auto wire = wire_at<layout::TRACE_LOGFILE_HEADER>(event, 0);
    if (!wire) return std::unexpected(too_short(Errc::log_header, event, header_structure, fixed));
    const std::uint64_t pointer = wire->PointerSize.value();
    if (pointer != 4 && pointer != 8)
        return std::unexpected(Error{Errc::log_header,
                                     event.offset() + offsetof(layout::TRACE_LOGFILE_HEADER, PointerSize),
                                     header_structure, "PointerSize", 8, pointer});
    const std::uint64_t zone_at = fixed + 2 * pointer, times_at = aligned(zone_at + TimeZoneRules::size);
    struct Times {
        layout::li64 BootTime, PerfFreq, StartTime;
        layout::lu32 ReservedFlags, BuffersLost;
    };
    const auto times = wire_at<Times>(event, times_at);
    const auto zone = TimeZoneRules::read(event.slice(zone_at, TimeZoneRules::size));
    if (!times) return std::unexpected(too_short(Errc::log_header, event, header_structure, times_at + sizeof(Times)));
    if (!zone)
        return std::unexpected(Error{Errc::log_header, event.offset() + zone_at, header_structure, "TimeZone", 0, 0});
    Header header;
    header.buffer_size = wire->BufferSize.value();
    header.mode = wire->LogFileMode.value();
    header.buffers = wire->BuffersWritten.value();
    header.start_buffers = wire->StartBuffers.value();
    header.events_lost = wire->EventsLost.value();
    header.buffers_lost = times->BuffersLost.value();
    header.end_time = wire->EndTime.value();
    header.zone = *zone;
    return header;
}

std::expected<std::uint32_t, Error> read_trailer_rows(Bytes event) {
    const auto wire = wire_at<layout::LOG_TRAILER>(event, 0);
    if (!wire)
        return std::unexpected(
            too_short(Errc::log_record, event, "performance log trailer", sizeof(layout::LOG_TRAILER)));
    return wire->Rows.value();
}

std::expected<Names, Error> read_names(Bytes event) {
    constexpr std::string_view slashes("\\\0\\\0", 4);
    const EncodedText machine = name_text(event, 0, ByteOrder::little);
    const std::uint64_t end = machine.bytes.size() + 2;
    const bool named = machine.bytes.size() > slashes.size() && event.size() > end &&
                       std::memcmp(event.data(), slashes.data(), slashes.size()) == 0;
    if (!named) return std::unexpected(too_short(Errc::log_record, event, "performance log titles", end));
    return Names{{machine.bytes.from(slashes.size()), 0, ByteOrder::little}, event.from(end)};
}

std::expected<void, Error> Catalogue::open(Bytes event, const FaultSink& faults) {
    entries_.clear();
    texts_.clear();
    whole_ = false;
    const auto fault = [&](std::uint64_t at, std::string_view field, std::uint64_t expected, std::uint64_t found) {
        return Error{Errc::log_catalogue, event.offset() + at, catalogue_structure, field, expected, found};
    };
    if (event.size() < layout::catalogue_prefix)
        return std::unexpected(fault(0, "Length", layout::catalogue_prefix, event.size()));
    std::uint64_t at = layout::catalogue_prefix;
    while (event.contains(at, sizeof(std::uint32_t))) {
        const std::uint64_t length = load<std::uint32_t>(event.at(at), ByteOrder::little);
        if (length == 0) break;
        if (length < layout::catalogue_strings || length > event.size() - at) {
            faults.add(Severity::error, fault(at, "Length", event.size() - at, length));
            return {};
        }
        read_entry(event.slice(at, length), faults);
        at += length;
    }
    whole_ = true;
    return {};
}

/// Adds an entry. The caller has checked that `entry` holds all fields.
void Catalogue::read_entry(Bytes entry, const FaultSink& faults) {
    const layout::CATALOGUE_ENTRY wire = wire_at<layout::CATALOGUE_ENTRY>(entry, 0).value_or(layout::CATALOGUE_ENTRY{});
    Entry& added = entries_.emplace_back();
    added.form = form_of_entry(wire.Flags.value());
    added.type = wire.CounterType.value();
    added.time_base = wire.TimeBase.value();
    added.scale = wire.DefaultScale.value();
    if (wire.Index.value() > 0) added.index = static_cast<std::uint32_t>(wire.Index.value());
    added.offset = entry.offset();
    const Bytes strings = entry.from(layout::catalogue_strings);
    bool valid = true;
    // Returns the string at the offset that a field of the entry states; none if the offset is -1 (no string), if the
    // string does not lie in the entry, or if the string is too long. In the last two cases, reports the fault.
    const auto read = [&](const layout::li32& place, std::string_view field) -> std::optional<std::string> {
        const std::int32_t offset = place.value();
        if (offset == -1) return std::nullopt;
        const Bytes rest = offset < 0 ? Bytes() : strings.from(static_cast<std::uint64_t>(offset));
        const EncodedText found = name_text(rest, 0, ByteOrder::little);
        if (found.bytes.size() + 2 > rest.size() || found.bytes.size() > longest_name_text) {
            valid = false;
            faults.add({Errc::log_catalogue, strings.offset(), catalogue_structure, field, strings.size(),
                        static_cast<std::uint32_t>(offset)});
            return std::nullopt;
        }
        std::string text;
        if (!append_utf16(text, found.bytes.span(), ByteOrder::little))
            faults.add({Errc::bad_text, found.bytes.offset(), catalogue_structure, field, 0, found.bytes.size()});
        return text;
    };
    const auto machine = read(wire.Machine, "Machine"), object = read(wire.Object, "Object"),
               instance = read(wire.Instance, "Instance"), parent = read(wire.Parent, "Parent"),
               counter = read(wire.Counter, "Counter");
    if (!valid) return;  // the undamaged names alone do not identify a counter
    const auto keep = [this](const std::optional<std::string>& text) {
        return text ? std::optional<std::string_view>(texts_.emplace_back(*text)) : std::nullopt;
    };
    added.machine = keep(machine).value_or("");
    added.object = keep(object).value_or("");
    added.instance = keep(instance);
    added.parent = keep(parent);
    added.counter = keep(counter).value_or("");
    while (added.machine.starts_with('\\')) added.machine.remove_prefix(1);
}

/// Opens a row whose records have the types and lengths of those of the row before, which has no fault, as nearly all
/// rows of a log. Returns false, with records that must not be used, if any differs.
bool Row::open_like_last(Bytes event) noexcept {
    if (!head_ || event.size() != bytes_.size() || load_head(event.data()) != *head_) return false;
    const std::uint64_t before = bytes_.offset();
    for (RowRecord& record : records_) {
        const std::uint64_t at = record.body.offset() - before, size = record.body.size();
        const std::uint64_t head =
            layout::record_letters | std::uint64_t{std::to_underlying(record.form)} << 16U | (head_size + size) << 32U;
        // A record without a body has lost its place.
        if (size == 0 || !event.contains(at - head_size, head_size + size)) return false;
        if (load_head(event.at(at - head_size)) != head) return false;
        record.body = event.slice(at, size);
    }
    bytes_ = event;
    return true;
}

std::expected<void, Error> Row::open(Bytes event, const FaultSink& faults) {
    if (open_like_last(event)) return {};
    bytes_ = event;
    head_.reset();
    records_.clear();
    whole_ = false;
    const auto head = head_at(event);
    if (!head) return std::unexpected(no_head(event));
    if (head->Type.value() != layout::record_row)
        return std::unexpected(
            Error{Errc::log_unknown, event.offset(), record_structure, "Type", layout::record_row, head->Type.value()});
    // A wrong length of the row is reported, but the records of the row are read nevertheless, because each has a
    // length of its own.
    const std::uint64_t length = head->Length.value();
    const bool valid = length >= head_size && length <= event.size();
    whole_ = length <= event.size();
    if (!valid) faults.add(Severity::error, wrong_length(event, length));
    bool has_unknown = false;
    for (Bytes rest = event.clip(0, valid ? length : event.size()).from(head_size); !rest.empty();) {
        const auto record = head_at(rest);
        const std::uint64_t size = record ? record->Length.value() : 0;
        if (!record || size < head_size || size > rest.size()) {
            faults.add(Severity::error, record ? wrong_length(rest, size) : no_head(rest));
            whole_ = false;
            break;
        }
        const std::uint16_t type = record->Type.value();
        if (is_form(type)) {
            records_.push_back({Form{type}, rest.slice(head_size, size - head_size)});
        } else {
            faults.add(Severity::warning, {Errc::log_unknown, rest.offset(), record_structure, "Type", 0, type});
            if (!has_unknown) known_ = records_.size();
            has_unknown = true;
            whole_ = false;
        }
        rest = rest.from(size);
    }
    if (!has_unknown) known_ = records_.size();
    if (valid && whole_) head_ = load_head(event.data());
    return {};
}

std::expected<void, Error> RawInstances::open(Bytes body) {
    *this = {};
    const auto wire = wire_at<layout::RAW_INSTANCES>(body, 0);
    const auto fault = [&](std::string_view field, std::uint64_t expected, std::uint64_t found) {
        return std::unexpected(Error{Errc::log_record, body.offset(), "PDH_RAW_COUNTER_ITEM", field, expected, found});
    };
    if (!wire) return fault("", instances_size, body.size());
    const std::uint64_t count = wire->Count.value();
    if (count * instance_size > body.size() - instances_size)
        return fault("Count", (body.size() - instances_size) / instance_size, count);
    body_ = body;
    status_ = wire->CStatus.value();
    time_ = filetime(wire->TimeLow, wire->TimeHigh);
    count_ = static_cast<std::size_t>(count);
    return {};
}

const std::byte* RawInstances::at(std::size_t position) const noexcept {
    return body_.at(instances_size + position * instance_size);
}

RawCounter RawInstances::counter(std::size_t position) const noexcept {
    layout::RAW_INSTANCE wire;
    std::memcpy(&wire, at(position), sizeof wire);
    return {status_, time_, wire.FirstValue.value(), wire.SecondValue.value(), wire.MultiCount.value()};
}

std::optional<EncodedText> RawInstances::name(std::size_t position) const noexcept {
    static_assert(offsetof(layout::RAW_INSTANCE, Name) == 0);
    const std::uint64_t begin = load<std::uint32_t>(at(position), ByteOrder::little);
    if (begin < instances_size + count_ * instance_size || begin >= body_.size()) return std::nullopt;
    const Bytes field = body_.clip(begin, longest_name_field);
    const EncodedText text = name_text(field, 0, ByteOrder::little);
    return text.bytes.size() + 2 <= field.size() ? std::optional(text) : std::nullopt;
}

}  // namespace hkpd::blg
