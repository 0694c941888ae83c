#include "base/text/names.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace hkpd {
namespace {

/// Length of the UTF-8 character that begins with this byte.
std::size_t character_length(char first) noexcept {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace

std::string fold_case(std::string_view text) {
    std::string folded;
    while (!text.empty()) {
        utf8proc_int32_t c = static_cast<unsigned char>(text.front());
        utf8proc_ssize_t length = 1;
        if (c < 0x80) {
            folded += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        } else if (length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &c);
                   length > 0) {
            std::array<utf8proc_uint8_t, 4> bytes{};
            const auto size = utf8proc_encode_char(utf8proc_tolower(utf8proc_toupper(c)), bytes.data());
            folded.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
        } else {
            folded += text.front();
            length = 1;
        }
        text.remove_prefix(static_cast<std::size_t>(length));
    }
    return folded;
}

// Greedy: goes back to the last `*` only.
bool matches_wildcard(std::string_view pattern, std::string_view text) noexcept {
    constexpr std::size_t none = std::string_view::npos;
    std::size_t p = 0, t = 0, star = none, star_text = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            star_text = t;
        } else if (p < pattern.size() && pattern[p] == '?') {
            ++p;
            t = std::min(text.size(), t + character_length(text[t]));
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != none) {
            p = star + 1;
            star_text = std::min(text.size(), star_text + character_length(text[star_text]));
            t = star_text;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

}  // namespace hkpd
