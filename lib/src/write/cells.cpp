#include "write/cells.hpp"

#include <fmt/compile.h>
#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "hkpd/write.hpp"

namespace hkpd {
namespace {

// Words for PDH status codes (pdhmsg.h). PDH_CSTATUS_INVALID_DATA (0xC0000BBA) and PDH_INVALID_DATA (0xC0000BC6) have
// the same word.
constexpr auto status_words = std::to_array<std::pair<std::uint32_t, std::string_view>>({
    {0x8000'07D0, "no_machine"},
    {0x8000'07D1, "no_instance"},
    {0x8000'07D3, "not_validated"},
    {0x8000'07D5, "no_data"},
    {0xC000'0BB8, "no_object"},
    {0xC000'0BB9, "no_counter"},
    {0xC000'0BBA, "invalid_data"},
    {0xC000'0BC6, "invalid_data"},
    {0xE000'0002, "not_recorded"},
});

/// Appends the result of `std::to_chars` for these arguments.
template <class... Arguments>
void append_chars(std::string& out, Arguments... arguments) {
    std::array<char, 320> digits;  // enough for the largest double with all its 309 digits
    const auto end = std::to_chars(digits.data(), std::next(digits.data(), digits.size()), arguments...).ptr;
    out.append(digits.data(), end);
}

/// Appends the number and returns true if the number is an integer between -10^15 and 10^15, and not -0. Otherwise
/// appends nothing and returns false. Such integers have the same digits in all number formats of this file. Most
/// counts are such integers, and the general conversion of a double takes ten times as long.
bool append_whole(std::string& out, double number) {
    // The limit must not exceed 1e16: from this number on, {fmt} uses scientific notation, but `std::to_chars`, in the
    // formats used in this file, still writes all digits.
    constexpr double most = 1e15;
    if (!(std::abs(number) < most)) return false;
    const auto whole = static_cast<std::int64_t>(number);
    const bool is_minus_zero = whole == 0 && std::signbit(number);
    if (static_cast<double>(whole) != number || is_minus_zero) return false;
    append_chars(out, whole);
    return true;
}

// The functions below find characters of an input that are not shown themselves, or change how the text around them is
// shown: terminals interpret control characters, some other characters change the direction of the text that follows,
// and names that differ only in characters without a shape look equal.

struct Character {
    std::string_view bytes;
    utf8proc_int32_t code;  // negative if `bytes` is a single byte that is not valid UTF-8
};

/// Returns whether a code stands for no character: it is one of the 66 noncharacters, or reserved for characters that
/// programs may ignore (Unicode 15, DerivedCoreProperties.txt, Default_Ignorable_Code_Point).
bool is_no_character(utf8proc_int32_t code) noexcept {
    constexpr std::array<std::pair<utf8proc_int32_t, utf8proc_int32_t>, 4> ranges{
        {{0x2065, 0x2065}, {0xFDD0, 0xFDEF}, {0xFFF0, 0xFFF8}, {0xE0000, 0xE0FFF}}};
    constexpr utf8proc_int32_t end_of_plane = 0xFFFE;
    return (code & end_of_plane) == end_of_plane || std::ranges::any_of(ranges, [code](const auto& range) {
               return range.first <= code && code <= range.second;
           });
}

/// Returns whether a character has no shape of its own: a control or format character, a line or paragraph separator, a
/// character that Unicode lets programs ignore (Default_Ignorable_Code_Point, such as U+00AD, fillers and variation
/// selectors), or a code that is no character.
bool is_invisible(utf8proc_int32_t code) noexcept {
    const utf8proc_property_t& properties = *utf8proc_get_property(code);
    switch (properties.category) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return true;
        default:
            return properties.ignorable || is_no_character(code);
    }
}

/// Returns whether a character is the zero-width joiner or non-joiner, which words of several scripts need.
bool is_joiner(utf8proc_int32_t code) noexcept { return code == 0x200C || code == 0x200D; }

Character first_character(std::string_view text) noexcept {
    utf8proc_int32_t code = -1;
    const utf8proc_ssize_t size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                   static_cast<utf8proc_ssize_t>(text.size()), &code);
    return size > 0 ? Character{text.substr(0, static_cast<std::size_t>(size)), code}
                    : Character{text.substr(0, 1), -1};
}

/// Splits text. Calls `plain` for each run of printable ASCII characters (usually the whole text), and `other` for each
/// other character.
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

/// Appends `prefix` and a code in hexadecimal, with at least `digits` digits: `\x1B`.
void append_escape(std::string& out, std::string_view prefix, std::uint32_t code, unsigned digits) {
    constexpr unsigned bits = 4, most_digits = 8;
    out += prefix;
    while (digits < most_digits && code >> (bits * digits) != 0) ++digits;
    while (digits-- != 0) out += "0123456789ABCDEF"[code >> (bits * digits) & 0xFU];
}

/// Appends the printable ASCII characters of a text, and calls `append` for each other character.
template <class Append>
void append_by(std::string& out, std::string_view text, const Append& append) {
    each_part(text, [&out](std::string_view plain) { out += plain; }, append);
}

}  // namespace

void append_printable(std::string& out, std::string_view text) {
    append_by(out, text, [&](const Character& c) {
        if (c.code < 0)
            append_escape(out, "\\x", static_cast<unsigned char>(c.bytes.front()), 2);
        else if (!is_invisible(c.code))
            out += c.bytes;
        else if (c.code < 0x100)
            append_escape(out, "\\x", static_cast<std::uint32_t>(c.code), 2);
        else
            append_escape(out, "\\u", static_cast<std::uint32_t>(c.code), 4);
    });
}

void append_one_line(std::string& out, std::string_view text) {
    append_by(out, text, [&out](const Character& c) {
        if (c.code < 0 || (is_invisible(c.code) && !is_joiner(c.code)))
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
        if (c.code < 0) {
            json += "\uFFFD";  // JSON is UTF-8
        } else if (c.code < ' ' || !is_invisible(c.code)) {
            json += c.bytes;
        } else if (c.code < supplementary) {
            append_escape(json, "\\u", static_cast<std::uint32_t>(c.code), 4);
        } else {  // as a surrogate pair
            const auto code = static_cast<std::uint32_t>(c.code - supplementary);
            append_escape(json, "\\u", 0xD800 + (code >> 10U), 4);
            append_escape(json, "\\u", 0xDC00 + (code & 0x3FFU), 4);
        }
    });
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    each_part(
        text, [&width](std::string_view plain) { width += plain.size(); },
        [&width](const Character& c) { width += static_cast<std::size_t>(std::max(0, utf8proc_charwidth(c.code))); });
    return width;
}

std::string printable(std::string_view text) {
    std::string out;
    append_printable(out, text);
    return out;
}

bool is_plain(std::string_view text, char without, char nor) noexcept {
    // Eight characters are tested at once to save time, because all names and field names in the output are tested.
    // Each character of `word` has one byte in the result; the highest bit of this byte is set if the character is
    // special. The bits of the characters after a special one can be set by mistake, which does not change the result.
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101, high = 0x80 * ones;
    const auto equals = [](std::uint64_t word, char c) {
        const std::uint64_t differ = word ^ ones * static_cast<unsigned char>(c);
        return (differ - ones) & ~differ;
    };
    const auto special = [&](std::uint64_t word) {
        return word | (word - ones * ' ') | (word + ones) | equals(word, without) | equals(word, nor);
    };
    constexpr std::size_t step = sizeof(std::uint64_t), half = step / 2;
    std::uint64_t word = 0, found = 0;
    if (text.size() >= step) {
        for (std::size_t at = 0; at < text.size(); at += step) {  // the last two words can overlap
            std::memcpy(&word, text.substr(std::min(at, text.size() - step)).data(), step);
            found |= special(word);
        }
    } else if (text.size() >= half) {
        std::uint32_t first = 0, last = 0;  // can overlap
        std::memcpy(&first, text.data(), half);
        std::memcpy(&last, text.substr(text.size() - half).data(), half);
        found = special(std::uint64_t{first} << 32U | last);
    } else {
        return std::ranges::none_of(text, [=](char c) { return c < ' ' || c > '~' || c == without || c == nor; });
    }
    return (found & high) == 0;
}

bool shows_hex(std::uint32_t type, std::uint64_t attributes) noexcept {
    const bool real = (attributes & v2::attribute::display_as_real) != 0;
    return !real && (CounterType{type}.is_hex() || (attributes & v2::attribute::display_as_hex) != 0);
}

void append_machine(std::string& out, const std::optional<std::string_view>& machine) {
    out += "machine ";
    if (!machine)
        out += "unknown";
    else if (machine->empty())
        out += "(no name)";
    else
        append_printable(out, *machine);
}

std::string cooked_text(double value, Unit unit, bool hex) {
    if (hex && value == std::floor(value) && value >= 0 && value < 0x1p64)
        return fmt::format("{:#x}", static_cast<std::uint64_t>(value));
    return quantity_text(value, unit);
}

void append_number(std::string& out, double value) {
    if (value == value && !append_whole(out, value)) fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), value);
}

void append_17_digits(std::string& out, double value) {
    if (!append_whole(out, value)) append_chars(out, value, std::chars_format::general, 17);
}

void append_hex(std::string& out, std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::size_t at = out.size();
    out.resize(at + 2 * bytes.size());
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out[at++] = digits[byte >> 4U];
        out[at++] = digits[byte & 0xFU];
    }
}

void append_in_quotes(std::string& out, char before, std::string_view text) {
    const std::size_t begin = out.size(), quote = before == '\0' ? 0 : 1, size = begin + quote + text.size() + 2;
    out.resize_and_overwrite(size, [&](char* characters, std::size_t) {
        const std::span<char> added = std::span(characters, size).subspan(begin);
        added.front() = before;  // or the quote that follows, if `before` is NUL
        added[quote] = '"';
        text.copy(&added[quote + 1], text.size());
        added.back() = '"';
        return size;
    });
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    out += '"';
}

void append_csv_cell(std::string& out, std::string_view text) {
    const std::size_t begin = out.size();
    // A spreadsheet interprets text that begins with one of these characters as a formula (OWASP, "CSV Injection").
    // OWASP also lists tab and carriage return, but `append_printable` escapes both.
    if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) out += '\'';
    if (is_plain(text, ',', '"')) {
        out.append(text) += ',';
        return;
    }
    append_printable(out, text);
    if (out.find_first_of(",\"", begin) != std::string::npos) {
        const std::string bare = out.substr(begin);
        out.resize(begin);
        append_quoted(out, bare);
    }
    out += ',';
}

std::string status_number(ValueStatus status) {
    if (status == ValueStatus::damaged) return "damaged";
    if (status == ValueStatus::not_recorded) return "not_recorded";
    return fmt::format("{:#010x}", std::to_underlying(status));
}

std::string status_word(ValueStatus status) {
    const auto found =
        std::ranges::find(status_words, std::to_underlying(status), &std::pair<std::uint32_t, std::string_view>::first);
    return found == status_words.end() ? status_number(status) : std::string(found->second);
}

}  // namespace hkpd
