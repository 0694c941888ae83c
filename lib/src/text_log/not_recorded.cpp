#include "text_log/not_recorded.hpp"

#include <algorithm>
#include <array>

#include "base/text/names.hpp"
#include "base/text/trimmed.hpp"
#include "text_log/text_lines.hpp"
#include "text_log/text_number.hpp"

namespace hkpd {

bool is_without_value(std::string_view cell) noexcept {
    const std::string_view text = trimmed(cell);
    if (text.empty()) return true;
    const bool has_hash = text.contains('#');
    if (!has_hash && lower_ascii(text.front()) != 'n') return false;
    // MSVC's runtime writes 1.#IND, -1.#IND and 1.#INF for numbers that are not finite, with the mark of the locale.
    if (text.contains("1.#") || text.contains("1,#")) return true;
    constexpr std::array words{"N/A", "#N/A", "#NV", "NaN", "null"};
    return std::ranges::any_of(words, [text](std::string_view word) { return compare_names(text, word) == 0; });
}

bool is_minus_one(std::string_view cell) noexcept { return trimmed(cell) == "-1"; }

std::uint64_t packed_text(std::string_view cell) noexcept {
    const std::string_view text = trimmed(cell);
    std::uint64_t packed = 0;
    if (std::ranges::any_of(text, [](char c) { return c <= ' ' || c > '~'; })) return packed;
    for (std::size_t i = std::min(text.size(), sizeof packed); i-- > 0;)
        packed = packed << 8U | static_cast<unsigned char>(text[i]);
    return packed;
}

std::string unpacked_text(std::uint64_t packed) {
    std::string text;
    for (; packed != 0; packed >>= 8U) text += static_cast<char>(packed & 0xFFU);
    return text;
}

void MinusOneEvidence::add(std::size_t column, std::string_view cell) {
    constexpr std::size_t six = 6;
    if (column >= columns_.size()) columns_.resize(column + 1);
    const std::string_view text = trimmed(cell);
    if (is_minus_one(text)) {
        columns_[column].has_minus_one = true;
        return;
    }
    const std::size_t mark = text.find_last_of(".,");
    if (mark == std::string_view::npos) {
        if (TextNumber::is_number(text)) ++numbers_;
        return;
    }
    if (!TextNumber::is_number(text)) return;
    ++numbers_;
    if (text.size() - mark - 1 == six) ++with_six_;
    columns_[column].has_decimals = true;
}

bool MinusOneEvidence::is_open() const noexcept {
    return !has_six_decimals() &&
           std::ranges::any_of(columns_, [](const Column& each) { return each.has_minus_one && !each.has_decimals; });
}

bool MinusOneEvidence::is_without_value(std::size_t column, std::string_view counter) const {
    if (has_six_decimals() || (column < columns_.size() && columns_[column].has_decimals)) return true;
    constexpr std::array beginnings{"%", "ID ", "Number of "};
    constexpr std::array ends{"/sec", "Bytes", "Count", "Length"};
    return std::ranges::any_of(beginnings, [counter](std::string_view text) { return counter.starts_with(text); }) ||
           std::ranges::any_of(ends, [counter](std::string_view text) { return counter.ends_with(text); });
}

}  // namespace hkpd
