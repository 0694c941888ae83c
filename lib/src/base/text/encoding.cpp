#include "base/text/encoding.hpp"

#include <algorithm>
#include <array>
#include <boost/nowide/utf/utf.hpp>
#include <iterator>
#include <string_view>

namespace hkpd {
namespace {

using Utf8 = boost::nowide::utf::utf_traits<char>;
using Utf16 = boost::nowide::utf::utf_traits<char16_t>;
using CodePoint = boost::nowide::utf::code_point;

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Returns the number of UTF-16 units before the first one that is not ASCII. An odd last byte is not counted.
std::size_t ascii_units(const Bytes& text, ByteOrder order) noexcept {
    const std::size_t units = text.size() / 2;
    std::size_t n = 0;
    while (units - n >= 4 && (load<std::uint64_t>(text.at(2 * n), order) & 0xFF80'FF80'FF80'FF80) == 0) n += 4;
    while (n < units && load<std::uint16_t>(text.at(2 * n), order) < 0x80) ++n;
    return n;
}

/// Returns the number of UTF-16 units before the first NUL. If there is no NUL, returns the number of all units.
std::size_t units_before_nul(const Bytes& text) noexcept {
    constexpr std::uint64_t ones = 0x0001'0001'0001'0001, high_bits = 0x8000'8000'8000'8000;
    const auto holds_nul = [](std::uint64_t units) { return ((units - ones) & ~units & high_bits) != 0; };
    const std::size_t units = text.size() / 2;
    std::size_t n = 0;
    while (units - n >= 4 && !holds_nul(load<std::uint64_t>(text.at(2 * n), ByteOrder::little))) n += 4;
    while (n < units && load<std::uint16_t>(text.at(2 * n), ByteOrder::little) != 0) ++n;
    return n;
}

std::size_t ascii_bytes(const Bytes& text) noexcept {
    std::size_t n = 0;
    while (text.size() - n >= 8 && (load<std::uint64_t>(text.at(n), ByteOrder::little) & 0x8080'8080'8080'8080) == 0)
        n += 8;
    while (n < text.size() && text.span()[n] < std::byte{0x80}) ++n;
    return n;
}

void append_ascii_units(std::string& out, std::span<const std::byte> units, ByteOrder order) {
    const std::size_t former = out.size(), low = order == ByteOrder::big ? 1 : 0;
    out.resize(former + units.size() / 2);
    for (std::size_t i = 0; 2 * i < units.size(); ++i) out[former + i] = static_cast<char>(units[2 * i + low]);
}

/// Moves the first character of `text` to `out`, as UTF-8; `text` must have at least two bytes. If the character is
/// invalid, appends U+FFFD and returns false. Does not use Utf16::decode, which also consumes the unit after an
/// unpaired high surrogate.
bool append_unit(std::string& out, Bytes& text, ByteOrder order) {
    const auto first = load<std::uint16_t>(text.data(), order);
    text = text.from(2);
    CodePoint character = first;
    if (Utf16::is_first_surrogate(first) && text.size() >= 2) {
        const auto second = load<std::uint16_t>(text.data(), order);
        if (Utf16::is_second_surrogate(second)) {
            character = Utf16::combine_surrogate(first, second);
            text = text.from(2);
        }
    }
    if (boost::nowide::utf::is_valid_codepoint(character)) {
        Utf8::encode(character, std::back_inserter(out));
        return true;
    }
    out += replacement;
    return false;
}

/// Returns whether Windows uses a code page as the ANSI or OEM code page of a language (learn.microsoft.com, "Code Page
/// Identifiers"). Only these code pages are passed to the system's converter. An input can state any number, and the
/// system might otherwise load a module for that number.
bool is_windows_page(std::uint32_t page) noexcept {
    constexpr std::array<std::uint16_t, 32> pages{437, 708,  720,  737,  775,  850,  852,  855,  857,  858, 860,
                                                  861, 862,  863,  864,  865,  866,  869,  874,  932,  936, 949,
                                                  950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258};
    return std::ranges::find(pages, page) != pages.end();
}

/// Appends text in an unknown code page: ASCII characters unchanged, and U+FFFD for each other byte. In every ANSI code
/// page that Windows uses, the bytes below 0x80 are ASCII.
void append_ascii(std::string& out, std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
        if (byte < std::byte{0x80})
            out += static_cast<char>(byte);
        else
            out += replacement;
    }
}

}  // namespace

bool append_utf16(std::string& out, std::span<const std::byte> bytes, ByteOrder order) {
    Bytes text(bytes);
    bool valid = true;
    while (text.size() >= 2) {
        const std::size_t ascii = 2 * ascii_units(text, order);
        append_ascii_units(out, text.span().first(ascii), order);
        text = text.from(ascii);
        if (text.size() >= 2 && !append_unit(out, text, order)) valid = false;
    }
    if (!text.empty()) {
        out += replacement;
        valid = false;
    }
    return valid;
}

std::u16string to_utf16(std::string_view text) {
    std::u16string units;
    units.reserve(text.size());
    for (auto at = text.begin(); at != text.end();) {
        CodePoint character = Utf8::decode(at, text.end());
        if (!boost::nowide::utf::is_valid_codepoint(character)) character = 0xFFFD;
        Utf16::encode(character, std::back_inserter(units));
    }
    return units;
}

std::size_t valid_utf8(std::span<const std::byte> bytes) noexcept {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::size_t n = 0;
    while (true) {
        n += ascii_bytes(Bytes(bytes.subspan(n)));
        const std::string_view rest = text.substr(n);
        auto at = rest.begin();
        // For an empty `rest`, `decode` returns Boost.Nowide's `incomplete`. This is not a valid code point, so the
        // function returns at the end of the text.
        if (!boost::nowide::utf::is_valid_codepoint(Utf8::decode(at, rest.end()))) return n;
        n += static_cast<std::size_t>(at - rest.begin());
    }
}

bool append_utf8(std::string& out, std::span<const std::byte> bytes) {
    bool all_valid = true;
    while (true) {
        const std::size_t valid = valid_utf8(bytes);
        out.append(reinterpret_cast<const char*>(bytes.data()), valid);
        if (valid == bytes.size()) return all_valid;
        out += replacement;
        bytes = bytes.subspan(valid + 1);
        all_valid = false;
    }
}

bool append_code_page(std::string& out, std::span<const std::byte> bytes, std::uint32_t page, ByteOrder order) {
    if (page == 0 || page == page_utf16) return append_utf16(out, bytes, order);
    if (page == page_utf8) return append_utf8(out, bytes);
    if (const auto valid = is_windows_page(page) ? append_system_page(out, bytes, page) : std::nullopt) return *valid;
    append_ascii(out, bytes);
    return ascii_bytes(Bytes(bytes)) == bytes.size();
}

bool knows_code_page(std::uint32_t page) {
    std::string nothing;
    return page == 0 || page == page_utf16 || page == page_utf8 ||
           (is_windows_page(page) && append_system_page(nothing, {}, page).has_value());
}

EncodedText name_text(const Bytes& bytes, std::uint32_t code_page, ByteOrder order) noexcept {
    const auto first_nul = [&bytes] {
        return static_cast<std::size_t>(std::ranges::find(bytes.span(), std::byte{0}) - bytes.span().begin());
    };
    const std::size_t length = is_utf16(code_page) ? 2 * units_before_nul(bytes) : first_nul();
    return {bytes.clip(0, length), code_page, order};
}

}  // namespace hkpd
