// Events of performance logs in which names are replaced.
#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "blg/blg.hpp"
#include "blg/layout.hpp"
#include "hkpd/diagnostics.hpp"
#include "redact/rewrite.hpp"

namespace hkpd {
namespace {

constexpr std::size_t record_head = sizeof(layout::LOG_RECORD);

/// Appends the head of a record, whose length `end_log_record` fills in. Returns its offset.
std::size_t begin_log_record(ByteBuffer& out, std::uint16_t type) {
    const std::size_t begin = out.size();
    append_u16(out, layout::record_letters);
    append_u16(out, type);
    append_u32(out, 0);
    return begin;
}
void end_log_record(ByteBuffer& out, std::size_t begin) {
    patch_u32(out, begin + offsetof(layout::LOG_RECORD, Length), u32(out.size() - begin));
}

void append_raw(ByteBuffer& out, Bytes body) {
    using Wire = layout::RAW_COUNTER;
    const std::size_t begin = out.size();
    append_bytes(out, body.clip(0, sizeof(Wire)).span());
    for (const std::size_t padding : {offsetof(Wire, Padding), offsetof(Wire, Padding2)})
        if (begin + padding + sizeof(std::uint32_t) <= out.size()) patch_u32(out, begin + padding, 0);
}

/// Appends raw counters of many instances. What cannot be read becomes an empty body, so that the records after it keep
/// their places.
void append_raw_instances(ByteBuffer& out, Bytes body, Pseudonyms& names) {
    blg::RawInstances instances;
    if (!instances.open(body)) return;
    using Head = layout::RAW_INSTANCES;
    using Wire = layout::RAW_INSTANCE;
    const std::size_t begin = out.size();
    append_bytes(out, body.clip(0, sizeof(Head)).span());
    patch_u32(out, begin + offsetof(Head, Padding), 0);
    for (std::size_t i = 0; i < instances.size(); ++i) {
        append_u32(out, 0);
        const blg::RawCounter counter = instances.counter(i);
        append_u32(out, counter.multi_count);
        append_i64(out, counter.first);
        append_i64(out, counter.second);
    }
    std::map<std::string, std::uint32_t> offsets;  // of the names written so far: many instances can have the same
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const auto name = instances.name(i);
        if (!name) continue;  // its offset stays 0, where no name can be
        const auto [place, is_new] =
            offsets.try_emplace(replaced_name(names, NameKind::instance, *name), u32(out.size() - begin));
        if (is_new) append_utf16z(out, place->first);
        patch_u32(out, begin + sizeof(Head) + i * sizeof(Wire) + offsetof(Wire, Name), place->second);
    }
    pad_to_8(out, begin);
    patch_u32(out, begin + offsetof(Head, Size), u32(out.size() - begin));
}

void append_row_record(ByteBuffer& out, const blg::RowRecord& record, std::uint64_t& values_left, Pseudonyms& names,
                       const FaultSink& faults) {
    const std::size_t begin = begin_log_record(out, std::to_underlying(record.form));
    switch (record.form) {
        case blg::Form::raw:
            append_raw(out, record.body);
            break;
        case blg::Form::instances:
            append_raw_instances(out, record.body, names);
            break;
        case blg::Form::block:
            append_redacted_v1(out, record.body, values_left, names, faults);
            break;
    }
    end_log_record(out, begin);
}

/// Appends a TIME_ZONE_INFORMATION, with zeros after the end of its two names.
void append_zone(ByteBuffer& out, Bytes zone) {
    constexpr std::size_t name_size = 64, standard_name = 4, daylight_name = 88;
    const std::size_t begin = out.size();
    append_bytes(out, zone.span());
    for (const std::size_t at : {standard_name, daylight_name}) {
        const std::size_t used = name_text(zone.slice(at, name_size), 0, ByteOrder::little).bytes.size();
        std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(begin + at + used), name_size - used, std::byte{0});
    }
}

/// Appends an entry of a catalogue.
void append_catalogue_entry(ByteBuffer& out, const blg::Catalogue::Entry& entry, Pseudonyms& names) {
    using Wire = layout::CATALOGUE_ENTRY;
    const std::size_t begin = out.size();
    out.resize(begin + layout::catalogue_strings);
    const auto put = [&](std::size_t field, std::uint32_t value) { patch_u32(out, begin + field, value); };
    const auto add = [&](std::size_t field, NameKind kind, std::optional<std::string_view> text) {
        constexpr std::uint32_t absent = 0xFFFF'FFFF;
        put(field, text ? u32(out.size() - begin - layout::catalogue_strings) : absent);
        if (text) append_utf16z(out, names.replace(kind, *text));
    };
    const auto stated = [](std::string_view text) { return text.empty() ? std::nullopt : std::optional(text); };
    const std::uint32_t flags = entry.form == blg::Form::block       ? layout::entry_block
                                : entry.form == blg::Form::instances ? layout::entry_instances
                                                                     : 0;
    put(offsetof(Wire, Flags), flags);
    put(offsetof(Wire, CounterType), entry.type);
    patch_u64(out, begin + offsetof(Wire, TimeBase), static_cast<std::uint64_t>(entry.time_base));
    put(offsetof(Wire, DefaultScale), static_cast<std::uint32_t>(entry.scale));
    put(offsetof(Wire, Index), entry.index);
    add(offsetof(Wire, Machine), NameKind::machine, stated(entry.machine));
    add(offsetof(Wire, Object), NameKind::title, stated(entry.object));
    add(offsetof(Wire, Instance), NameKind::instance, entry.instance);
    add(offsetof(Wire, Parent), NameKind::instance, entry.parent);
    add(offsetof(Wire, Counter), NameKind::title, stated(entry.counter));
    pad_to_8(out, begin);
    put(offsetof(Wire, Length), u32(out.size() - begin));
}

}  // namespace

bool append_redacted_log_header(ByteBuffer& out, Bytes event, const FaultSink& faults) {
    if (const auto header = blg::read_header(event); !header) {
        faults.add(Severity::error, header.error());
        return false;
    }
    // The strings at the end are the name of the log and the path of its file.
    using Wire = layout::TRACE_LOGFILE_HEADER;
    const auto pointer = load<std::uint32_t>(event.at(offsetof(Wire, PointerSize)), ByteOrder::little);
    constexpr std::uint64_t times = 32;
    const std::uint64_t zone = sizeof(Wire) + std::uint64_t{2} * pointer, end = zone + TimeZoneRules::size;
    const std::size_t begin = out.size();
    append_bytes(out, event.clip(0, sizeof(Wire)).span());
    out.resize(out.size() + std::size_t{2} * pointer);
    append_zone(out, event.slice(zone, TimeZoneRules::size));
    pad_to_8(out, begin);
    append_bytes(out, event.slice(blg::aligned(end), times).span());
    append_u32(out, 0);  // two empty strings
    return true;
}

bool append_redacted_catalogue(ByteBuffer& out, Bytes event, Pseudonyms& names, const FaultSink& faults) {
    blg::Catalogue catalogue;
    if (const auto opened = catalogue.open(event, faults); !opened) {
        faults.add(Severity::error, opened.error());
        return false;
    }
    append_bytes(out, event.clip(0, layout::catalogue_prefix).span());
    for (const blg::Catalogue::Entry& entry : catalogue.entries()) append_catalogue_entry(out, entry, names);
    constexpr std::uint32_t impossible = 1;
    append_u32(out, catalogue.whole() ? 0 : impossible);  // so that readers know that entries are missing
    return true;
}

bool append_redacted_row(ByteBuffer& out, Bytes event, std::uint64_t& values_left, Pseudonyms& names,
                         const FaultSink& faults) {
    Diagnostics found;
    blg::Row row;
    if (const auto opened = row.open(event, found); !opened) {
        faults.add(Severity::error, opened.error());
        return false;
    }
    faults.take(found);
    const std::size_t begin = begin_log_record(out, layout::record_row);
    for (const blg::RowRecord& record : row.records()) append_row_record(out, record, values_left, names, faults);
    end_log_record(out, begin);
    return true;
}

bool append_redacted_trailer(ByteBuffer& out, Bytes event, const FaultSink& faults) {
    if (const auto rows = blg::read_trailer_rows(event); !rows) {
        faults.add(Severity::error, rows.error());
        return false;
    }
    using Wire = layout::LOG_TRAILER;
    const std::size_t begin = out.size();
    append_bytes(out, event.clip(0, sizeof(Wire)).span());
    patch_u32(out, begin + offsetof(Wire, Objects), 0);  // their records have names
    patch_u32(out, begin + offsetof(Wire, Length), u32(sizeof(Wire)));
    return true;
}

}  // namespace hkpd
