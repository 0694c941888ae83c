#include "text_log/text_number.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text/parse_number.hpp"
#include "base/text/trimmed.hpp"
#include "text_log/not_recorded.hpp"
#include "text_log/text_lines.hpp"

namespace hkpd {
namespace {

constexpr bool is_digit_of_text(char c) noexcept { return c >= '0' && c <= '9'; }

/// Returns whether the digits around a single mark can be a number in groups of three: `1,234`, but not `0,234`,
/// `1234,5` and `1,23`.
bool is_in_groups(std::string_view whole, std::string_view rest) noexcept {
    constexpr std::size_t group = 3;
    return !whole.empty() && whole.size() <= group && whole.front() != '0' && rest.size() == group;
}

/// Returns whether equal marks separate groups of two or three digits, the last of three: `1.234.567`, `12,34,567`.
bool has_groups(std::string_view digits) noexcept {
    std::size_t size = 0;
    for (bool is_first = true; true; is_first = false) {
        const std::size_t end = digits.find_first_of(".,");
        size = std::min(end, digits.size());
        if (size > 3 || size < (is_first ? 1U : 2U)) return false;
        if (end == std::string_view::npos) return size == 3;
        digits.remove_prefix(end + 1);
    }
}

constexpr DecimalMark mark_of(char c) noexcept { return c == '.' ? DecimalMark::point : DecimalMark::comma; }
constexpr DecimalMark other(DecimalMark mark) noexcept {
    return mark == DecimalMark::point ? DecimalMark::comma : DecimalMark::point;
}

}  // namespace

DecimalMark mark_shown_by(std::string_view cell) noexcept {
    std::string_view text = trimmed(cell);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t exponent = text.find_first_of("eE");
    const std::string_view digits = text.substr(0, exponent);
    const std::size_t first = digits.find_first_of(".,");
    const bool is_number = digits.find_first_not_of("0123456789.,") == std::string_view::npos &&
                           std::ranges::any_of(digits, is_digit_of_text);
    if (first == std::string_view::npos || !is_number) return DecimalMark::unknown;
    const std::size_t last = digits.find_last_of(".,");
    if (digits[first] != digits[last]) return mark_of(digits[last]);                                      // 1.234,5
    if (first != last) return has_groups(digits) ? other(mark_of(digits[first])) : DecimalMark::unknown;  // 1.234.567
    const bool either =
        exponent == std::string_view::npos && is_in_groups(digits.substr(0, first), digits.substr(last + 1));
    return either ? DecimalMark::unknown : mark_of(digits[first]);
}

void DecimalEvidence::add(std::string_view cell) noexcept {
    switch (mark_shown_by(cell)) {
        case DecimalMark::point:
            ++points_;
            break;
        case DecimalMark::comma:
            ++commas_;
            break;
        case DecimalMark::unknown:
            break;
    }
}

DecimalMark DecimalEvidence::mark() const noexcept {
    if (points_ == 0 && commas_ == 0) return DecimalMark::unknown;
    return commas_ > points_ ? DecimalMark::comma : DecimalMark::point;
}

TextNumber TextNumber::read(std::string_view text, DecimalMark mark) {
    text = trimmed(text);
    if (mark != DecimalMark::comma)
        if (const auto number = parse_double(text); number && std::isfinite(*number)) return {Kind::number, *number};
    if (is_without_value(text)) return {};
    std::string with_point;
    if (mark == DecimalMark::comma && text.find('.') != std::string_view::npos) return {Kind::damaged};
    const bool has_comma =
        mark == DecimalMark::comma || (mark == DecimalMark::unknown && mark_shown_by(text) == DecimalMark::comma);
    constexpr std::size_t longest = 400;  // the largest double has 309 digits
    if (const std::size_t comma = has_comma ? text.find(',') : std::string_view::npos;
        comma != std::string_view::npos && text.size() <= longest) {
        with_point = text;
        with_point[comma] = '.';
        text = with_point;
    }
    const auto number = parse_double(text);
    if (!number) return {Kind::damaged};
    if (!std::isfinite(*number)) return {};
    return {Kind::number, *number};
}

}  // namespace hkpd
