// The beginning of a text log: what its first line and the rows after it state about all rows.
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/number_hash.hpp"
#include "base/text/trimmed.hpp"
#include "blg/layout.hpp"
#include "text_log/text_log.hpp"

namespace hkpd {
namespace {

/// Returns a number that identifies a log by its first line.
Guid guid_of(std::string_view line) {
    Guid guid;
    FnvHash<std::uint64_t> hash;
    std::ranges::copy(little_bytes(hash.add(line).value()), guid.bytes.begin());
    std::ranges::copy(little_bytes(hash.add("h").value()), guid.bytes.begin() + sizeof(std::uint64_t));
    return guid;
}

}  // namespace

/// Reads the first line of a log. Returns false if it is damaged.
bool TextLogStream::begin_log(const TextLines::Line& line, const FaultSink& faults) {
    begun_ = true;
    report_minus_ones(faults);
    const std::string text(line.text);  // looking ahead would free it
    separator_ = separator_in(text);
    TextCells cells(text, separator_);
    const auto first = cells.next();
    const TextLogHead head = first ? TextLogHead::parse(first->text) : TextLogHead();
    places_.clear();
    entries_ = 0;
    catalogue_.assign(layout::catalogue_prefix, std::byte{0});
    has_uneven_ = false;
    if (!is_first_line(text) && !head.has_kind) {
        faults.add({Errc::text_head, offset_, text_log_structure, "", 0, 0});
        return false;
    }
    log_ = guid_of(text);
    faults.add({Errc::text_log, offset_, text_log_structure, "", 0, 0});
    if (head.has_other_text || !head.has_kind)
        faults.add(Severity::note,
                   {Errc::text_head, offset_, text_log_structure, head.has_kind ? "text" : "heading", 0, 0});
    std::vector<std::string> headings;
    while (const auto cell = cells.next()) headings.emplace_back(cell->text);
    find_time_form(!headings.empty() && headings.front().starts_with('\\'), head.has_kind, faults);
    if (time_form_.in_two_cells && !headings.empty()) headings.erase(headings.begin());
    add_columns(headings, faults);
    begin_clock(head, faults);
    make_row();
    find_mark();
    minus_one_is_none_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const std::string_view heading = headings[i];
        minus_one_is_none_.push_back(minus_ones_.is_without_value(i, heading.substr(heading.rfind('\\') + 1)));
    }
    headings_ = std::move(headings);
    return true;
}

/// Finds how the rows of the log that begins state their times, from those that follow. Rows in the form of PDH show it
/// soon, others may show it only when the day is no number of a month: if those up to the next log do not, the rows of
/// the logs after it may, as the same program wrote them.
void TextLogStream::find_time_form(bool second_is_counter, bool has_kind, const FaultSink& faults) {
    using enum RowTimeEvidence::Basis;
    constexpr std::uint64_t first = std::uint64_t{64} << 10U, last = std::uint64_t{16} << 20U, step = 4;
    RowTimeEvidence evidence, after;  // of this log, and of those after it
    // Only the first of many logs looks beyond its end: otherwise each would read all.
    const bool beyond = !order_ && !std::exchange(order_sought_, true);
    for (std::uint64_t size = first; size <= last; size *= step) {
        evidence = after = {};
        bool in_this = true;
        const bool goes_on = lines_.look_ahead(size, [&](std::string_view line) {
            if (is_first_line(line)) {
                in_this = false;
                return beyond && evidence.basis() == assumed;
            }
            TextCells cells(line, separator_);
            (in_this ? evidence : after).add(cells, second_is_counter);
            return !after.shows_order();
        });
        if (!goes_on || evidence.basis() != assumed) break;
    }
    time_form_ = evidence.form();
    auto basis = evidence.basis();
    if (evidence.shows_order() || basis == year) {
        order_ = time_form_.order;
    } else if (order_ && (basis == assumed || order_ == DateOrder::day_first)) {
        time_form_.order = *order_;  // as in the log before, which the same program wrote
        basis = shown;
    } else if (basis == assumed && after.shows_order()) {
        order_ = time_form_.order = after.form().order;
        basis = shown;
    }
    const bool day_first = time_form_.order == DateOrder::day_first;
    if (basis == usual && !time_form_.in_two_cells) return;
    // A log that still has its first cell has the order of PDH, unless its rows show another one.
    const bool is_certain = basis != assumed || has_kind;
    faults.add(is_certain ? Severity::note : Severity::warning, {Errc::text_time, offset_, text_log_structure,
                                                                 !is_certain     ? "order"
                                                                 : basis == year ? "year"
                                                                 : day_first     ? "day"
                                                                                 : "month",
                                                                 0, 0});
}

/// Finds from the cells that follow, up to the next log: the decimal mark of the log that begins; in which columns -1
/// is no value; and, from the first of them, whether the rows end in a separator that the first line does not have. In
/// a few rows, an empty cell at the end is as likely the value of the last counter, after a cell that was added; unless
/// it is without the quotes that the other cells have.
/// If no cell shows the mark, semicolons between cells stand for a comma: they are the list separator of the countries
/// that write it.
void TextLogStream::find_mark() {
    constexpr std::uint64_t first = std::uint64_t{64} << 10U, last = std::uint64_t{1} << 20U, step = 4;
    constexpr std::size_t least_rows = 8;
    mark_ = DecimalMark::unknown;
    for (std::uint64_t size = first; size <= last; size *= step) {
        DecimalEvidence evidence;
        minus_ones_ = {};
        std::size_t rows = 0, blank_ends = 0, bare_ends = 0, all_ends = 0;
        const bool goes_on = lines_.look_ahead(size, [&](std::string_view line) {
            if (is_first_line(line)) return false;
            TextCells cells(line, separator_);
            const bool has_time = take_row_time(cells, time_form_).time.has_value();
            if (has_time) ++rows;
            for (std::size_t column = 0; column < places_.size(); ++column) {
                const auto cell = cells.next();
                if (!cell) return true;
                evidence.add(cell->text);
                minus_ones_.add(column, cell->text);
            }
            const auto end = cells.next();
            if (!end || !trimmed(end->text).empty() || !cells.done()) return true;
            ++all_ends;  // also of rows whose time is damaged
            if (!has_time) return true;
            ++blank_ends;
            if (line.starts_with('"') && line.ends_with(separator_)) ++bare_ends;
            return true;
        });
        if (size == first)
            has_blank_end_ = rows != 0 && blank_ends == rows && (bare_ends == rows || all_ends >= least_rows);
        mark_ = evidence.mark();
        if (!goes_on || (mark_ != DecimalMark::unknown && !minus_ones_.is_open())) break;
    }
    if (mark_ == DecimalMark::unknown && separator_ == ';') mark_ = DecimalMark::comma;
}

}  // namespace hkpd
