// A row of a text log: its time and its values, as a row of a binary log.
#include <bit>
#include <chrono>
#include <span>
#include <utility>

#include "base/byte_writer.hpp"
#include "base/text/encoding.hpp"
#include "base/text/trimmed.hpp"
#include "base/time.hpp"
#include "blg/blg.hpp"
#include "blg/layout.hpp"
#include "hkpd/sample.hpp"
#include "text_log/text_columns.hpp"
#include "text_log/text_log.hpp"

namespace hkpd {
namespace {

void append_record_head(ByteBuffer& out, std::uint16_t type, std::size_t length) {
    append_u16(out, layout::record_letters);
    append_u16(out, type);
    append_u32(out, u32(length));
}

constexpr std::size_t head_size = sizeof(layout::LOG_RECORD), counter_size = sizeof(layout::RAW_COUNTER);

/// Returns the beginning of a text that a message shows.
std::string_view shortened(std::string_view text) {
    constexpr std::size_t longest = 64;
    const std::string_view begin = text.substr(0, longest);
    return begin.substr(0, valid_utf8(std::as_bytes(std::span(begin))));
}

/// Returns whether a text begins as numbers do.
bool begins_number(std::string_view text) noexcept {
    return !text.empty() && std::string_view("0123456789.,-+").contains(text.front());
}

/// Sets the parts of the counter path of a cell.
void name_parts(FaultCell& cell) {
    auto path = parse_column(cell.path);
    if (!path) return;
    cell.machine = std::move(path->machine);
    cell.object = std::move(path->object);
    cell.instance = path->instance.value_or("");
    cell.counter = std::move(path->counter);
}

}  // namespace

/// Makes the record of a row, with a raw counter for each entry of the catalogue.
void TextLogStream::make_row() {
    row_.clear();
    append_record_head(row_, layout::record_row, head_size + entries_ * (head_size + counter_size));
    for (std::uint32_t i = 0; i < entries_; ++i) {
        append_record_head(row_, std::to_underlying(blg::Form::raw), head_size + counter_size);
        row_.resize(row_.size() + counter_size);
    }
}

/// Reads the time of a row, which is at its beginning. Returns false if the line is no row, or has too few bytes
/// for one.
bool TextLogStream::is_row(TextCells& cells, TextLines::Line& line, const FaultSink& faults) {
    const auto [stated, is_blank] = take_row_time(cells, time_form_);
    if (stated && clock_.needs_rows_until(stated->time)) {
        kept_ = line.text;
        line.text = kept_;
        cells = TextCells(line.text, separator_);
        take_row_time(cells, time_form_);
    }
    time_ = stated ? std::optional(take_time(*stated, lines_, clock_)) : std::nullopt;
    // typeperf writes messages to the end of its output, such as "Exiting, please wait...".
    constexpr std::string_view beginnings = "\"0123456789,;\t ";
    if (!time_ && (cells.done() || beginnings.find(line.text.front()) == std::string_view::npos)) {
        faults.add({Errc::text_other, line.offset, text_log_structure, "", 0, 0});
        return false;
    }
    // Each cell takes at least one byte. A shorter line could otherwise cost more than its size, in time and memory.
    if (line.text.size() < places_.size()) {
        faults.add(Severity::error, {Errc::text_row, line.offset, text_log_structure, "", all_cells(), 1},
                   fault_cell(line));
        return false;
    }
    if (!time_ && !is_blank)
        faults.add(Severity::error, {Errc::text_time, line.offset, text_log_structure, "", 0, 0}, fault_cell(line));
    return true;
}

/// Stores the values of a row in the record `row_`.
void TextLogStream::read_values(TextCells& cells, const TextLines::Line& line, const FaultSink& faults) {
    // The time of a raw counter is a local time.
    const auto minutes =
        std::chrono::floor<std::chrono::minutes>(std::chrono::seconds{time_ ? zone_.offset_at(*time_) : 0});
    const std::int64_t local =
        !time_ ? 0 : *time_ / filetime_unit + filetime_of_1970 + minutes.count() * filetime_minute;
    const auto put = [&](std::uint32_t entry, std::uint32_t status, double value) {
        const std::size_t at = head_size + entry * (head_size + counter_size) + head_size;
        patch_u32(row_, at + offsetof(layout::RAW_COUNTER, CStatus), status);
        patch_u64(row_, at + offsetof(layout::RAW_COUNTER, FirstValue), std::bit_cast<std::uint64_t>(value));
        patch_u64(row_, at + offsetof(layout::RAW_COUNTER, TimeLow), static_cast<std::uint64_t>(local));
    };
    const std::size_t before = time_form_.cells();
    std::size_t count = 0, extra = 0, bad = 0;  // cells; those up to the last one without a heading; without a number
    std::string first_bad;                      // the first cell that looks like a number and is none
    bool closed = true;
    for (;; ++count) {
        std::optional<TextCells::Cell> cell;
        if (count < places_.size() && places_[count] < comment_column && mark_ != DecimalMark::comma) {
            if (const auto plain = cells.next_number()) {
                if (mark_ == DecimalMark::unknown) mark_ = mark_shown_by(plain->text);
                if (plain->value != -1 || !minus_one_is_none_[count] || !is_minus_one(plain->text)) {
                    put(places_[count], 0, plain->value);
                    continue;
                }
                cell = TextCells::Cell{plain->text};
            }
        }
        if (!cell) cell = cells.next();
        if (!cell) break;
        closed = cell->closed;
        if (count >= places_.size()) {
            const bool is_blank_end = has_blank_end_ && count == places_.size();
            if (is_blank_end && trimmed(cell->text).empty()) continue;
            extra = count + 1;
            const bool damaged = closed && TextNumber::read(cell->text, mark_).kind == TextNumber::Kind::damaged;
            if (damaged && bad++ == 0 && first_bad.empty()) first_bad = shortened(cell->text);
            continue;
        }
        if (places_[count] >= comment_column) {
            if (places_[count] != comment_column) continue;
            if (TextNumber::is_number(cell->text))
                faults.add({Errc::text_column, line.offset, text_log_structure, "number", 0, count + 1 + before});
            else if (first_bad.empty() && begins_number(cell->text))
                first_bad = shortened(cell->text);  // in a row with one cell more, that of a counter
            continue;
        }
        if (mark_ == DecimalMark::unknown) mark_ = mark_shown_by(cell->text);
        TextNumber number = TextNumber::read(cell->text, mark_);
        const bool damaged = number.kind == TextNumber::Kind::damaged || !closed;
        if (damaged && closed && bad++ == 0 && first_bad.empty()) first_bad = shortened(cell->text);
        if (minus_one_is_none_[count] && is_minus_one(cell->text)) {
            if (minus_ones_left_out_++ == 0) first_left_out_ = line.offset;
            number.kind = TextNumber::Kind::missing;
        }
        if (!damaged && number.kind == TextNumber::Kind::missing)
            number.value = std::bit_cast<double>(packed_text(cell->text));
        put(places_[count],
            damaged                                    ? std::to_underlying(ValueStatus::damaged)
            : number.kind == TextNumber::Kind::missing ? std::to_underlying(ValueStatus::not_recorded)
                                                       : 0,
            number.value);
    }
    const std::size_t whole = count - (closed ? 0 : 1);  // cells that have an end
    const bool ends_in_blank = count == places_.size() && line.text.ends_with(separator_) && is_last_without_end(line);
    const bool has_end = !has_blank_end_ || count > places_.size();
    const bool fits = whole >= last_counter_ && extra == 0 && has_end && !ends_in_blank;
    // The cells in front of a cut stay where they are. In any other row, nothing shows where a cell is missing or was
    // added, and so which counters the cells after it belong to. A cut shows only in a cell that begins with a quote,
    // or where a cell is to follow, unless the rows before it are short, too.
    const bool ends_in_cell =
        !closed || (line.text.starts_with('"') && !line.text.ends_with('"') && is_last_without_end(line));
    const bool is_cut = count <= places_.size() && ends_in_cell && !has_uneven_;
    if (!fits && !is_cut) has_uneven_ = true;
    const bool last_is_cut = closed && whole != 0 && !line.text.ends_with('"');
    const std::size_t certain = fits ? places_.size() : is_cut ? whole - (last_is_cut ? 1 : 0) : 0;
    if (!fits) {
        // Which column a cell without a number belongs to is as uncertain as that of the others: it has no path.
        FaultCell found = fault_cell(line);
        if (!first_bad.empty() && certain == 0) found.text = first_bad;
        faults.add(Severity::error,
                   {Errc::text_row, line.offset, text_log_structure, is_cut ? "cut" : "", all_cells(),
                    (extra != 0 ? extra : whole) + before},
                   std::move(found));
    }
    for (std::size_t i = certain; i < places_.size(); ++i)
        if (places_[i] < comment_column) put(places_[i], std::to_underlying(ValueStatus::damaged), 0);
    if (bad != 0 && certain != 0) report_cells(line, faults);
}

/// Reports how often -1 was taken as no value in the log that ends.
void TextLogStream::report_minus_ones(const FaultSink& faults) {
    if (minus_ones_left_out_ != 0)
        faults.add(Severity::note, {Errc::text_cell, first_left_out_, text_log_structure, "-1", 0,
                                    std::exchange(minus_ones_left_out_, 0)});
}

/// Returns whether a line is the last of the text and has no end, so that its last cell may be cut.
bool TextLogStream::is_last_without_end(const TextLines::Line& line) const {
    const std::uint64_t size = lines_.position() - line.offset;
    return size == line.text.size() || size == 2 * std::uint64_t{line.text.size()};  // in UTF-16
}

/// Returns the place of a fault in a row.
FaultCell TextLogStream::fault_cell(const TextLines::Line& line) const {
    TextCells cells(line.text, separator_);
    FaultCell found;
    found.line = line.number;
    for (std::size_t i = 0; i < time_form_.cells(); ++i)
        if (const auto cell = cells.next()) found.time.append(i == 0 ? "" : " ").append(shortened(trimmed(cell->text)));
    return found;
}

/// Reports the cells of a row that hold no number.
void TextLogStream::report_cells(const TextLines::Line& line, const FaultSink& faults) {
    TextCells cells(line.text, separator_);
    take_row_time(cells, time_form_);
    std::size_t column = time_form_.cells();
    for (const std::uint32_t place : places_) {
        const auto cell = cells.next();
        if (!cell) break;
        ++column;
        if (place >= comment_column || !cell->closed) continue;
        if (TextNumber::read(cell->text, mark_).kind == TextNumber::Kind::damaged) {
            FaultCell found = fault_cell(line);
            found.path = headings_[column - 1 - time_form_.cells()];
            found.text = shortened(cell->text);
            name_parts(found);
            faults.add(Severity::error, {Errc::text_cell, line.offset, text_log_structure, "", 0, column},
                       std::move(found));
        }
    }
}

}  // namespace hkpd
