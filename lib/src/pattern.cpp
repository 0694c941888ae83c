#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "hkpd/select.hpp"

namespace hkpd {
namespace {

bool is_ascii(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string fold(std::string_view text) {
    std::string folded(text);
    if (is_ascii(text)) {
        for (char& c : folded)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return folded;
    }
    utf8proc_uint8_t* mapped = nullptr;
    const auto length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                     &mapped, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
    if (length >= 0) folded.assign(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
    return folded;
}

/// Length of the UTF-8 character that begins with this byte.
std::size_t character_length(char first) noexcept {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// Greedy matching that goes back to the last `*` only: at most the product of the lengths.
bool glob(std::string_view pattern, std::string_view text) noexcept {
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

}  // namespace

Pattern::Pattern(std::string_view text) : text_(text), folded_(fold(text)) {
    std::uint32_t index = 0;
    const char* end = text.data() + text.size();
    if (const auto result = std::from_chars(text.data(), end, index); result.ec == std::errc{} && result.ptr == end)
        index_ = index;
}

bool Pattern::matches(std::string_view name) const {
    if (folded_ == "*") return true;
    return glob(folded_, fold(name));
}

bool Pattern::matches(std::uint32_t index, const std::optional<Titles::Answer>& name) const {
    if (index_ == index || folded_ == "*") return true;
    return name && matches(name->text);
}

}  // namespace hkpd
