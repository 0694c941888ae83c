#include "text_log/row_time.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "base/text/parse_number.hpp"
#include "base/text/trimmed.hpp"

namespace hkpd {
namespace {

constexpr std::string_view decimal_digits = "0123456789";
constexpr int last_month = 12;

/// A date of three numbers with one mark between them, and the text that follows it.
struct DateText {
    int first = 0, second = 0, third = 0;
    bool year_first = false;
    char mark = '/';
    std::string_view rest;
};

/// Takes a number of at most `most` digits from a text; none if it begins with no digit.
std::optional<int> take_number(std::string_view& text, std::size_t most) {
    const std::size_t size = std::min(text.find_first_not_of(decimal_digits), text.size());
    if (size == 0 || size > most) return std::nullopt;
    const auto number = parse_number<int>(text.substr(0, size));
    text.remove_prefix(size);
    return number;
}

std::optional<DateText> date_at_front(std::string_view text) {
    constexpr std::size_t year = 4, other = 2;
    constexpr std::string_view marks = "/-.";
    DateText date;
    date.year_first = text.find_first_not_of(decimal_digits) == year;
    const auto first = take_number(text, date.year_first ? year : other);
    if (!first || text.empty() || !marks.contains(text.front())) return std::nullopt;
    date.mark = text.front();
    text.remove_prefix(1);
    const auto second = take_number(text, other);
    if (!second || !text.starts_with(date.mark)) return std::nullopt;
    text.remove_prefix(1);
    const std::size_t before = text.size();
    const auto third = take_number(text, date.year_first ? other : year);
    const bool ends = text.empty() || text.front() == ' ' || text.front() == 'T';
    if (!third || !ends || (!date.year_first && before - text.size() != year)) return std::nullopt;
    date.first = *first;
    date.second = *second;
    date.third = *third;
    text.remove_prefix(std::min(std::size_t{1}, text.size()));
    date.rest = trimmed(text);
    return date;
}

/// Returns a time if it has a date, of the years 1900 to 2149: two of them are never so far apart that the number of
/// nanoseconds between them, with a year more, is out of range.
std::optional<StatedTime> dated(std::optional<StatedTime> stated) {
    using enum StatedTime::Kind;
    if (!stated || (stated->kind != utc && stated->kind != local)) return std::nullopt;
    using namespace std::chrono;
    constexpr std::int64_t earliest = nanoseconds(sys_days(year(1900) / 1 / 1).time_since_epoch()).count(),
                           end = nanoseconds(sys_days(year(2150) / 1 / 1).time_since_epoch()).count();
    return stated->time < earliest || stated->time >= end ? std::nullopt : stated;
}

std::optional<StatedTime> time_in(std::string_view text, DateOrder order) {
    // The form of PDH, and times with an offset.
    if (order == DateOrder::month_first || text.contains('T'))
        if (const auto stated = dated(parse_stated_time(text))) return stated;
    const auto date = date_at_front(text);
    if (!date) return std::nullopt;
    const bool day_first = order == DateOrder::day_first;
    const int year = date->year_first ? date->first : date->third;
    const int month = date->year_first || day_first ? date->second : date->first;
    const int day = date->year_first ? date->third : day_first ? date->first : date->second;
    std::string plain = fmt::format("{}/{}/{:04}", month, day, year);
    if (!date->rest.empty()) plain.append(" ").append(date->rest);
    std::ranges::replace(plain, ',', '.');  // of a fraction of a second
    return dated(parse_stated_time(plain));
}

bool is_time_of_day(std::string_view text) {
    std::string plain(text);
    std::ranges::replace(plain, ',', '.');
    const auto stated = parse_stated_time(plain);
    return stated && stated->kind == StatedTime::Kind::time_of_day;
}

/// Returns whether a text has the form of PDH: 11/26/2016 13:46:30.874.
bool is_usual_form(std::string_view text) {
    constexpr std::string_view form = "00/00/0000 00:00:00.000";
    return std::ranges::equal(
        text, form, [](char c, char expected) { return expected == '0' ? decimal_digits.contains(c) : c == expected; });
}

}  // namespace

RowTime take_row_time(TextCells& cells, const RowTimeForm& form) {
    const auto first = cells.next();
    if (!first) return {.time = {}, .is_blank = true};
    if (!form.in_two_cells) {
        const std::string_view text = trimmed(first->text);
        return {.time = time_in(text, form.order), .is_blank = text.empty()};
    }
    std::string text(trimmed(first->text));
    if (const auto second = cells.next()) text.append(" ").append(trimmed(second->text));
    return {.time = time_in(text, form.order), .is_blank = trimmed(text).empty()};
}

void RowTimeEvidence::add(TextCells& cells, bool second_is_counter) {
    const auto cell = cells.next();
    const std::string text(cell ? trimmed(cell->text) : std::string_view());
    const auto date = date_at_front(text);
    if (!date) return;
    ++rows_;
    if (is_usual_form(text)) ++usual_;
    if (date->rest.empty()) {
        const auto next = second_is_counter ? std::nullopt : cells.next();
        if (next && is_time_of_day(trimmed(next->text))) ++split_;
    } else {
        ++whole_;
    }
    if (date->year_first) {
        ++years_;
        return;
    }
    if (date->first > last_month) ++days_;
    if (date->second > last_month) ++months_;
    if (date->mark == '.') ++points_;
    if (first_ != 0 && date->second == second_ && date->first != first_) ++day_steps_;
    if (first_ != 0 && date->first == first_ && date->second != second_) ++month_steps_;
    first_ = date->first;
    second_ = date->second;
}

RowTimeForm RowTimeEvidence::form() const noexcept {
    const bool undecided = days_ == months_ && day_steps_ == month_steps_;
    return {.in_two_cells = split_ > whole_,
            .order = (undecided ? points_ != 0 : goes_by_day()) ? DateOrder::day_first : DateOrder::month_first};
}

RowTimeEvidence::Basis RowTimeEvidence::basis() const noexcept {
    if (2 * usual_ >= rows_ && form().order == DateOrder::month_first) return Basis::usual;
    if (rows_ == years_) return Basis::year;
    return shows_order() ? Basis::shown : Basis::assumed;
}

}  // namespace hkpd
