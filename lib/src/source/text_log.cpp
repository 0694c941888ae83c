#include "source/text_log.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "base/text/encoding.hpp"
#include "base/text/parse_number.hpp"
#include "base/time.hpp"
#include "blg/blg.hpp"
#include "blg/layout.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"

namespace hkpd {
namespace {

constexpr std::string_view text_log_structure = "text log";
constexpr std::uint32_t invalid_data = 0xC000'0BBA;  // PDH_CSTATUS_INVALID_DATA (pdhmsg.h)

/// Returns the text of the first line's beginning, in ASCII: zero bytes (of UTF-16) and the byte order mark are left
/// out.
std::string plain_beginning(Bytes beginning) {
    std::string text;
    for (const std::byte byte : beginning.span())
        if (byte != std::byte{0} && byte < std::byte{0x80}) text += static_cast<char>(byte);
    text.erase(0, std::min(text.find_first_not_of("\r\n\t "), text.size()));
    return text;
}

/// Returns the parts of a counter path; none if the text is no path, or if a part is too long for a catalogue.
struct ColumnPath {
    std::string machine, object;
    std::optional<std::string> instance;
    std::string counter;
};
std::optional<ColumnPath> parse_column(std::string_view text) {
    if (text.find('\0') != std::string_view::npos || !text.starts_with('\\')) return std::nullopt;
    const auto path = CounterPath::parse(text);
    if (!path) return std::nullopt;
    ColumnPath parts{path->machine, path->object, {}, path->counter};
    if (const auto open = path->object.find('('); open != std::string::npos && path->object.ends_with(')')) {
        parts.object = path->object.substr(0, open);
        parts.instance = path->object.substr(open + 1, path->object.size() - open - 2);
    }
    const auto fits = [](std::string_view part) { return 2 * to_utf16(part).size() <= longest_name_text; };
    const bool valid = !parts.object.empty() && fits(parts.machine) && fits(parts.object) && fits(parts.counter) &&
                       fits(parts.instance.value_or(""));
    return valid ? std::optional(std::move(parts)) : std::nullopt;
}

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

/// Appends an entry of the catalogue: a raw counter of the type PERF_DOUBLE_RAW.
void append_entry(ByteBuffer& out, const ColumnPath& path) {
    const std::size_t begin = out.size();
    out.resize(begin + layout::catalogue_strings);
    const auto put = [&](std::size_t field, std::uint32_t value) { patch_u32(out, begin + field, value); };
    constexpr std::uint32_t absent = 0xFFFF'FFFF;
    const auto add = [&](std::size_t field, const std::optional<std::string>& text) {
        put(field, text ? u32(out.size() - begin - layout::catalogue_strings) : absent);
        if (text) append_utf16z(out, *text);
    };
    using Entry = layout::CATALOGUE_ENTRY;
    put(offsetof(Entry, CounterType), perf_double_raw);
    add(offsetof(Entry, Machine), path.machine);
    add(offsetof(Entry, Object), path.object);
    add(offsetof(Entry, Instance), path.instance);
    put(offsetof(Entry, Parent), absent);
    add(offsetof(Entry, Counter), path.counter);
    pad_to_8(out, begin);
    put(offsetof(Entry, Length), u32(out.size() - begin));
}

void append_record_head(ByteBuffer& out, std::uint16_t type, std::size_t length) {
    append_u16(out, layout::record_letters);
    append_u16(out, type);
    append_u32(out, u32(length));
}

constexpr std::size_t head_size = sizeof(layout::LOG_RECORD), counter_size = sizeof(layout::RAW_COUNTER);

/// Returns the separator in the first line of a log. It follows the first cell, which has the form `(...) (...)(...)`,
/// with or without quotes.
char separator_in(std::string_view line) noexcept {
    for (auto at = line.find(')'); at != std::string_view::npos; at = line.find(')', at + 1)) {
        std::string_view rest = line.substr(at + 1);
        if (rest.starts_with('"')) rest.remove_prefix(1);
        if (rest.starts_with(',') || rest.starts_with('\t') || rest.starts_with(';')) return rest.front();
    }
    return ',';
}

/// Returns a number that identifies a log by its first line.
Guid guid_of(std::string_view line) {
    Guid guid;
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325;  // FNV-1a
    const auto add = [&hash](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3; };
    std::ranges::for_each(line, add);
    std::ranges::copy(little_bytes(hash), guid.bytes.begin());
    add('h');
    std::ranges::copy(little_bytes(hash), guid.bytes.begin() + sizeof hash);
    return guid;
}

}  // namespace

bool is_text_log(StreamWindow& window) {
    constexpr std::size_t head = 512;
    // The first call of `peek` reads only two bytes. A sender of blocks may pause after a few bytes, and a longer read
    // would wait for more.
    const Bytes first = window.peek(2);
    constexpr std::string_view beginnings = "\"(\r\n\t \xFF\xFE\xEF";
    if (first.empty() || beginnings.find(static_cast<char>(*first.data())) == std::string_view::npos) return false;
    std::string text = plain_beginning(window.peek(head));
    const bool is_quoted = text.starts_with('"');
    if (is_quoted) text.erase(0, 1);
    if (!text.starts_with('(')) return false;
    const auto is_followed_by_path = [&](char separator) {
        return text.find({')', '"', separator, '"', '\\'}) != std::string::npos;
    };
    return text.starts_with("(PDH-") ||
           (is_quoted && (is_followed_by_path(',') || is_followed_by_path('\t') || is_followed_by_path(';')));
}

std::optional<TextLogHead> TextLogHead::parse(std::string_view cell) {
    if (!cell.starts_with('(') || !cell.ends_with(')')) return std::nullopt;
    TextLogHead head;
    const std::size_t kind = cell.starts_with("(PDH-") ? cell.find(')') + 1 : 0;
    if (cell.find_first_not_of(' ', kind) == std::string_view::npos) return head;
    const std::size_t open = std::max(cell.rfind('('), kind);
    const std::string_view stated = cell.substr(open), name = cell.substr(kind, open - kind);
    const std::string_view number = stated.starts_with('(') ? stated.substr(1, stated.size() - 2) : std::string_view();
    const auto bias = parse_number<std::int32_t>(number);
    const bool is_possible = bias && *bias >= -most_minutes && *bias <= most_minutes;
    const std::size_t begin = name.find('('), end = name.rfind(')');
    if (is_possible && end != std::string_view::npos && begin < end) {
        head.zone = TimeZone{std::string(name.substr(begin + 1, end - begin - 1)), *bias};
    } else {
        head.is_zone_damaged = true;
        if (!is_possible) head.minutes = bias;
    }
    return head;
}

Record TextLogStream::record_of(Record::Kind kind, const ByteBuffer& bytes, const FaultSink& faults) const {
    Record record{kind, Bytes(bytes, offset_), faults.place()};
    record.log = log_;
    return record;
}

std::optional<Record> TextLogStream::next(const FaultSink& faults) {
    if (std::exchange(catalogue_due_, false)) return record_of(Record::Kind::log_catalogue, catalogue_, faults);
    while (const auto line = lines_.next(faults)) {
        if (line->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        if (line->offset >= stop_) break;
        offset_ = line->offset;
        if (!begun_ || begins_log(line->text)) {
            if (!begin_log(*line, faults)) continue;
            if (!zone_) return record_of(Record::Kind::log_catalogue, catalogue_, faults);
            catalogue_due_ = true;
            return record_of(Record::Kind::log_header, header_, faults);
        }
        const bool passes = to_pass_ != 0;
        TextCells cells(line->text, separator_);
        if (entries_ == 0 || !is_row(cells, *line, passes ? FaultSink() : faults)) continue;
        ++rows_;
        if (passes) {
            --to_pass_;
            ++passed_;
            continue;
        }
        read_values(cells, *line, faults);
        Record record = record_of(Record::Kind::log_row, row_, faults);
        if (time_) record.time = static_cast<std::uint64_t>(*time_);
        return record;
    }
    return std::nullopt;
}

/// Reads the first line of a log. Returns false if it is damaged.
bool TextLogStream::begin_log(const TextLines::Line& line, const FaultSink& faults) {
    begun_ = true;
    const std::string_view text = lines_.decoded(line);
    separator_ = separator_in(text);
    TextCells cells(text, separator_);
    const auto first = cells.next();
    const auto head = first ? TextLogHead::parse(first->text) : std::nullopt;
    places_.clear();
    entries_ = 0;
    catalogue_.assign(layout::catalogue_prefix, std::byte{0});
    if (!head) {
        faults.add({Errc::text_head, line.offset, text_log_structure, "", 0, 0});
        return false;
    }
    log_ = guid_of(text);
    zone_ = head->zone;
    faults.add({Errc::text_log, line.offset, text_log_structure, "", 0, 0});
    if (!zone_) report_zone(*head, faults);
    while (const auto cell = cells.next()) add_column(cell->text, cells.done(), line, faults);
    header_.clear();
    if (zone_) append_header(header_, *zone_);
    row_.clear();
    append_record_head(row_, layout::record_row, head_size + entries_ * (head_size + counter_size));
    for (std::uint32_t i = 0; i < entries_; ++i) {
        append_record_head(row_, std::to_underlying(blg::Form::raw), head_size + counter_size);
        row_.resize(row_.size() + counter_size);
    }
    find_mark();
    return true;
}

/// Reports that the time zone is unknown: the first cell of the line states none, or a damaged one.
void TextLogStream::report_zone(const TextLogHead& head, const FaultSink& faults) const {
    if (!head.is_zone_damaged) {
        faults.add(Severity::note, {Errc::text_zone, offset_, text_log_structure, "", 0, 0});
        return;
    }
    const auto number = [](std::int32_t minutes) { return static_cast<std::uint32_t>(minutes); };
    const std::int32_t found = head.minutes.value_or(0);
    const std::int32_t limit = found < 0 ? -TextLogHead::most_minutes : TextLogHead::most_minutes;
    faults.add(Severity::warning,
               {Errc::text_zone, offset_, text_log_structure, "zone", head.minutes ? number(limit) : 0, number(found)});
}

/// Finds the decimal mark of the log that begins, from the cells that follow, up to the next log. If none of them shows
/// it, semicolons between cells stand for a comma: they are the list separator of the countries that write it.
void TextLogStream::find_mark() {
    constexpr std::uint64_t first = std::uint64_t{64} << 10U, last = std::uint64_t{1} << 20U, step = 4;
    mark_ = DecimalMark::unknown;
    for (std::uint64_t size = first; size <= last && mark_ == DecimalMark::unknown; size *= step) {
        DecimalEvidence evidence;
        const bool goes_on = lines_.look_ahead(size, [&](std::string_view line) {
            if (begins_log(line)) return false;
            TextCells cells(line, separator_);
            cells.next();  // the time
            while (const auto cell = cells.next()) evidence.add(cell->text);
            return true;
        });
        mark_ = evidence.mark();
        if (!goes_on) break;
    }
    if (mark_ == DecimalMark::unknown && separator_ == ';') mark_ = DecimalMark::comma;
}

/// Adds a column with this heading. `last` states whether it is the last of the header.
void TextLogStream::add_column(std::string_view path, bool last, const TextLines::Line& line, const FaultSink& faults) {
    places_.push_back(no_index);
    const auto column = places_.size() + 1;  // as a spreadsheet counts, with the time
    const auto parts = parse_column(path);
    if (!parts || entries_ == most_columns) {
        // PerfMon can add a comment, which has the last column.
        const bool comment = last && !parts && !path.starts_with('\\');
        faults.add({comment ? Errc::text_comment : Errc::text_column, line.offset, text_log_structure, "", 0, column});
        return;
    }
    append_entry(catalogue_, *parts);
    places_.back() = entries_++;
}

/// Returns whether a line of a text begins another log.
bool TextLogStream::begins_log(std::string_view line) noexcept {
    return line.starts_with("\"(PDH-") || line.starts_with("(PDH-");
}

/// Reads the time of a row, which is the first of its cells. Returns false if the line is no row, or has too few bytes
/// for one.
bool TextLogStream::is_row(TextCells& cells, const TextLines::Line& line, const FaultSink& faults) {
    const auto first = cells.next();
    time_ = first ? parse_time(first->text, zone_ ? zone_->bias : 0) : std::nullopt;
    // typeperf writes messages to the end of its output, such as "Exiting, please wait...".
    constexpr std::string_view beginnings = "\"0123456789,;\t ";
    if (!time_ && (cells.done() || beginnings.find(line.text.front()) == std::string_view::npos)) {
        faults.add({Errc::text_other, line.offset, text_log_structure, "", 0, 0});
        return false;
    }
    // Each cell takes at least one byte. A shorter line could otherwise cost more than its size, in time and memory.
    if (line.text.size() < places_.size()) {
        faults.add(Severity::error, {Errc::text_row, line.offset, text_log_structure, "", places_.size() + 1, 1});
        return false;
    }
    const bool is_blank = first && first->text.find_first_not_of(' ') == std::string_view::npos;
    if (!time_ && !is_blank) faults.add({Errc::text_time, line.offset, text_log_structure, "", 0, 0});
    return true;
}

/// Stores the values of a row in the record `row_`.
void TextLogStream::read_values(TextCells& cells, const TextLines::Line& line, const FaultSink& faults) {
    const auto put = [this](std::uint32_t entry, std::uint32_t status, double value) {
        const std::size_t at = head_size + entry * (head_size + counter_size) + head_size;
        patch_u32(row_, at + offsetof(layout::RAW_COUNTER, CStatus), status);
        patch_u64(row_, at + offsetof(layout::RAW_COUNTER, FirstValue), std::bit_cast<std::uint64_t>(value));
        // The time of a raw counter is a local time.
        const std::int64_t local =
            time_.value_or(0) / filetime_unit + filetime_of_1970 - (zone_ ? zone_->bias : 0) * filetime_minute;
        patch_u64(row_, at + offsetof(layout::RAW_COUNTER, TimeLow), static_cast<std::uint64_t>(time_ ? local : 0));
    };
    std::size_t count = 0;
    bool closed = true;
    for (; const auto cell = cells.next(); ++count) {
        closed = cell->closed;
        if (count >= places_.size() || places_[count] == no_index) {
            const bool is_extra = count >= places_.size() && !cell->text.empty();
            if (is_extra && count == places_.size())
                faults.add(Severity::warning,
                           {Errc::text_row, line.offset, text_log_structure, "", places_.size() + 1, count + 2});
            continue;
        }
        if (mark_ == DecimalMark::unknown) mark_ = mark_shown_by(cell->text);
        const TextNumber number = TextNumber::read(cell->text, mark_);
        const bool damaged = number.kind == TextNumber::Kind::damaged || !closed;
        if (damaged && closed) faults.add({Errc::text_cell, line.offset, text_log_structure, "", 0, count + 2});
        put(places_[count],
            damaged                                    ? std::to_underlying(ValueStatus::damaged)
            : number.kind == TextNumber::Kind::missing ? invalid_data
                                                       : 0,
            number.value);
    }
    if (count < places_.size() || !closed)
        faults.add(Severity::error,
                   {Errc::text_row, line.offset, text_log_structure, "", places_.size() + 1, count + (closed ? 1 : 0)});
    for (; count < places_.size(); ++count)
        if (places_[count] != no_index) put(places_[count], std::to_underlying(ValueStatus::damaged), 0);
}

}  // namespace hkpd
