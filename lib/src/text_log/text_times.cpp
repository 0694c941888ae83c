// The times of a text log: its zone and clock, from the first line and the rows after it.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/byte_writer.hpp"
#include "base/text/encoding.hpp"
#include "base/zone_texts.hpp"
#include "blg/layout.hpp"
#include "text_log/text_log.hpp"

namespace hkpd {
namespace {

constexpr std::int64_t nanoseconds_per_minute = 60'000'000'000;

/// Appends a TRACE_LOGFILE_HEADER that states the time zone and nothing else (see blg/layout.hpp).
void append_header(ByteBuffer& out, const TimeZone& zone) {
    constexpr std::size_t pointer = 8, fixed = sizeof(layout::TRACE_LOGFILE_HEADER);
    out.resize(fixed + 2 * pointer);
    patch_u32(out, offsetof(layout::TRACE_LOGFILE_HEADER, PointerSize), pointer);
    append_i32(out, zone.bias);
    constexpr std::size_t longest = 31;
    std::u16string name = to_utf16(zone.name);
    name.resize(std::min(name.size(), longest));
    for (const char16_t unit : name) append_u16(out, unit);
    out.resize(fixed + 2 * pointer + TimeZoneRules::size);
    pad_to_8(out);
    constexpr std::size_t times = 3 * sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t);
    out.resize(out.size() + times);
}

/// Returns UTC minus local time as the faults hold it.
std::uint32_t number_of_minutes(std::int32_t minutes) noexcept { return static_cast<std::uint32_t>(minutes); }

}  // namespace

/// Sets the zone and the clock of the log that begins, and reports what is not certain about them.
void TextLogStream::begin_clock(const TextLogHead& head, const FaultSink& faults) {
    // The usual time between rows is the median of the first ones.
    constexpr std::uint64_t looked_at = std::uint64_t{64} << 10U;
    constexpr std::size_t most_rows = 65;
    std::optional<std::int64_t> first, before;
    std::vector<std::int64_t> steps;
    const bool by_rules = head.zone || head.cut_name || given_.zone;
    const auto look = [&](std::string_view line) {
        if (is_first_line(line)) return false;
        const auto time = time_of_line(line);
        if (!time || time->kind != StatedTime::Kind::local) return true;
        if (before && time->time > *before) steps.push_back(time->time - *before);
        before = time->time;
        if (!first) first = before;
        return steps.size() < most_rows;
    };
    if (by_rules) lines_.look_ahead(looked_at, look);
    std::int64_t interval = 0;
    if (!steps.empty()) {
        const auto middle = steps.begin() + static_cast<std::ptrdiff_t>((steps.size() - 1) / 2);
        std::ranges::nth_element(steps, middle);
        interval = *middle;
    }
    header_.clear();
    const auto report = [&](Severity severity, const char* field, std::int32_t expected, std::int32_t found) {
        faults.add(severity, {Errc::text_zone, offset_, "text log", field, number_of_minutes(expected),
                              number_of_minutes(found)});
    };
    std::optional<Zone> named = head.is_name_cut
                                    ? zone_of_cut_text(head.cut_name.value_or(""))
                                    : zone_of_text(head.zone ? head.zone->name : head.cut_name.value_or(""));
    const bool is_given = given_.zone && (!named || given_.always);
    if (is_given) named = given_.zone;
    if (!head.zone && !named) {
        const std::int32_t found = head.minutes.value_or(0);
        const std::int32_t limit = found < 0 ? -TextLogHead::most_minutes : TextLogHead::most_minutes;
        report(head.is_zone_damaged ? Severity::warning : Severity::note,
               head.is_zone_damaged ? "zone"
               : head.cut_name      ? "cut"
                                    : "",
               head.minutes ? limit : 0, found);
        zone_ = Zone::unstated();
        clock_ = LogClock();
        return;
    }
    // Without a stated offset, that of the first row is the one before each change.
    std::int64_t offset = 0;
    if (head.zone)
        offset = -nanoseconds_per_minute * head.zone->bias;
    else if (first)
        offset = *first - named->moments_of(*first).first;
    if (named && (!head.zone || !first || LogClock::fits_offset(*named, offset, *first, interval))) {
        zone_ = *named;
        clock_ = LogClock(zone_, offset, interval);
    } else if (head.zone) {
        zone_ = Zone(*head.zone);
        clock_ = LogClock(offset);
        report(Severity::note, named ? "offset" : "name", 0, head.zone->bias);
    }
    if (head.cut_name && !is_given) report(Severity::note, "minutes", 0, 0);
    append_header(header_, first ? zone_.at(clock_.near(*first)) : head.zone.value_or(TimeZone{zone_.name(), 0}));
}

/// Returns the time of the next row of `lines`, which `clock` takes, in nanoseconds since 1970 (UTC). What `lines`
/// returned last may no longer be valid.
std::int64_t TextLogStream::take_time(const StatedTime& time, TextLines& lines, LogClock& clock) const {
    if (time.kind == StatedTime::Kind::utc) return time.time;
    bool goes_back = false;
    if (const auto end = clock.needs_rows_until(time.time)) {
        constexpr std::uint64_t most = std::uint64_t{16} << 20U;
        std::int64_t before = time.time;
        lines.look_ahead(most, [&](std::string_view line) {
            const auto next = time_of_line(line);
            if (!next || next->kind != StatedTime::Kind::local) return !is_first_line(line);
            goes_back = next->time < before;
            before = next->time;
            return !goes_back && before < *end;
        });
    }
    return clock.take(time.time, goes_back);
}

/// Returns the time of a row nearly in UTC, without the rows before it.
std::int64_t TextLogStream::near(const StatedTime& time) const {
    return time.kind == StatedTime::Kind::utc ? time.time : clock_.near(time.time);
}

}  // namespace hkpd
