// Text of an input, as far as it may act where it is shown: control characters speak to terminals, others turn the
// direction of what follows around.
#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "hkpd/write.hpp"
#include "write/cells.hpp"

namespace hkpd {
namespace {

struct Character {
    std::string_view bytes;
    utf8proc_int32_t code;  // below 0: the byte is part of no character
};

bool is_control(utf8proc_int32_t code) noexcept {
    const auto category = utf8proc_category(code);
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

bool acts_unseen(utf8proc_int32_t code) noexcept {
    return is_control(code) || utf8proc_category(code) == UTF8PROC_CATEGORY_CF;
}

/// The embeddings, overrides and isolates of Unicode's bidirectional algorithm.
bool turns_direction(utf8proc_int32_t code) noexcept {
    return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

Character first_character(std::string_view text) noexcept {
    utf8proc_int32_t code = -1;
    const utf8proc_ssize_t size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                   static_cast<utf8proc_ssize_t>(text.size()), &code);
    return size > 0 ? Character{text.substr(0, static_cast<std::size_t>(size)), code}
                    : Character{text.substr(0, 1), -1};
}

/// Calls `plain` for what is printable ASCII, as nearly all text is, and `other` for each character between.
template <class Plain, class Other>
void each_part(std::string_view text, const Plain& plain, const Other& other) {
    while (!text.empty()) {
        const auto end = std::ranges::find_if(text, [](char c) { return c < ' ' || c > '~'; });
        const auto size = static_cast<std::size_t>(end - text.begin());
        plain(text.substr(0, size));
        text.remove_prefix(size);
        if (text.empty()) return;
        const Character character = first_character(text);
        other(character);
        text.remove_prefix(character.bytes.size());
    }
}

/// Appends text, the characters that are no printable ASCII by `append`.
template <class Append>
void append_by(std::string& out, std::string_view text, const Append& append) {
    each_part(text, [&out](std::string_view plain) { out += plain; }, append);
}

}  // namespace

void append_printable(std::string& out, std::string_view text) {
    append_by(out, text, [&out](const Character& c) {
        const auto to = std::back_inserter(out);
        if (c.code < 0)
            fmt::format_to(to, "\\x{:02X}", static_cast<unsigned char>(c.bytes.front()));
        else if (!acts_unseen(c.code))
            out += c.bytes;
        else if (c.code < 0x100)
            fmt::format_to(to, "\\x{:02X}", c.code);
        else
            fmt::format_to(to, "\\u{:04X}", c.code);
    });
}

void append_one_line(std::string& out, std::string_view text) {
    append_by(out, text, [&out](const Character& c) {
        if (c.code < 0 || is_control(c.code) || turns_direction(c.code))
            out += ' ';
        else
            out += c.bytes;
    });
}

void escape_json(std::string& json, std::size_t from) {
    const auto may_act = [](char c) { return static_cast<unsigned char>(c) >= 0x7F; };
    if (std::ranges::none_of(std::string_view(json).substr(from), may_act)) return;
    const std::string text = json.substr(from);
    json.resize(from);
    append_by(json, text, [&json](const Character& c) {
        constexpr utf8proc_int32_t supplementary = 0x10000;
        const auto to = std::back_inserter(json);
        if (c.code < ' ' || !acts_unseen(c.code))
            json += c.bytes;
        else if (c.code < supplementary)
            fmt::format_to(to, "\\u{:04X}", c.code);
        else  // as a surrogate pair
            fmt::format_to(to, "\\u{:04X}\\u{:04X}", 0xD800 + ((c.code - supplementary) >> 10),
                           0xDC00 + ((c.code - supplementary) & 0x3FF));
    });
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    each_part(
        text, [&width](std::string_view plain) { width += plain.size(); },
        [&width](const Character& c) { width += static_cast<std::size_t>(std::max(0, utf8proc_charwidth(c.code))); });
    return width;
}

}  // namespace hkpd
