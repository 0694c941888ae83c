#include "rules/script_text.hpp"

#include <algorithm>

#include "base/text/names.hpp"

namespace hkpd::pal {
namespace {

/// Returns whether a byte of UTF-8 continues a character.
constexpr bool continues(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Returns the offset of a character in bytes, or `npos` if the text has fewer characters.
std::size_t offset_of(std::string_view text, double position) noexcept {
    double seen = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (continues(text[i])) continue;
        if (seen == position) return i;
        ++seen;
    }
    return seen == position ? text.size() : std::string_view::npos;
}

}  // namespace

std::size_t length_of(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !continues(byte); }));
}

std::optional<std::string_view> part_of(std::string_view text, double position, std::optional<double> count) noexcept {
    const std::size_t from = offset_of(text, position);
    if (from == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(from);
    if (!count) return rest;
    const std::size_t size = offset_of(rest, *count);
    return size == std::string_view::npos ? std::nullopt : std::optional(rest.substr(0, size));
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = text.find_first_of(separators);
        parts.push_back(text.substr(0, end));
        if (end != std::string_view::npos) text.remove_prefix(end + 1);
    }
    return parts;
}

double position_in(std::string_view text, std::string_view part) noexcept {
    const std::size_t found = text.find(part);
    return found == std::string_view::npos ? -1 : static_cast<double>(length_of(text.substr(0, found)));
}

std::optional<PlainPattern> PlainPattern::parse(std::string_view pattern) {
    PlainPattern made;
    if (pattern.starts_with('^')) {
        made.at_begin_ = true;
        pattern.remove_prefix(1);
    }
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        char c = pattern[i];
        if (c == '$' && i + 1 == pattern.size()) {
            made.at_end_ = true;
            break;
        }
        const bool is_escape = c == '\\';
        if (is_escape) {
            if (++i == pattern.size()) return std::nullopt;
            c = pattern[i];
            const bool is_class = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            if (is_class || static_cast<unsigned char>(c) >= 0x80) return std::nullopt;
        } else if (std::string_view("*+?()[]{}|^$").find(c) != std::string_view::npos) {
            return std::nullopt;
        }
        made.characters_.push_back({lower_ascii(c), !is_escape && c == '.'});
    }
    return made;
}

std::optional<std::size_t> PlainPattern::match_at(std::string_view text, std::size_t position) const noexcept {
    if (at_begin_ && position != 0) return std::nullopt;
    std::size_t at = position;
    for (const Character& character : characters_) {
        if (at == text.size()) return std::nullopt;
        if (!character.is_any && lower_ascii(text[at]) != character.byte) return std::nullopt;
        ++at;
        while (character.is_any && at < text.size() && continues(text[at])) ++at;
    }
    if (at_end_ && at != text.size()) return std::nullopt;
    return at - position;
}

bool PlainPattern::is_part_of(std::string_view text) const {
    for (std::size_t i = 0; i <= text.size(); ++i)
        if (match_at(text, i)) return true;
    return false;
}

std::string PlainPattern::replace(std::string_view text, std::string_view by) const {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto size = characters_.empty() ? std::nullopt : match_at(text, at);
        if (size && *size != 0) {
            out += by;
            at += *size;
        } else {
            out += text[at++];
        }
    }
    return out;
}

}  // namespace hkpd::pal
