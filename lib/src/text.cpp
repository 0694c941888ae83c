#include "text.hpp"

#include <boost/nowide/utf/utf.hpp>
#include <iterator>
#include <string_view>

#include "code_page.hpp"

namespace hkpd {
namespace {

using Utf8 = boost::nowide::utf::utf_traits<char>;
using Utf16 = boost::nowide::utf::utf_traits<char16_t>;
using CodePoint = boost::nowide::utf::code_point;

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::uint32_t page_utf16 = 1200, page_utf8 = 65001;

/// How many of the units at `at` are ASCII before the first that is not.
std::size_t ascii_units(const std::byte* at, std::size_t units, ByteOrder order) noexcept {
    std::size_t n = 0;
    while (units - n >= 4 && (load<std::uint64_t>(at + 2 * n, order) & 0xFF80'FF80'FF80'FF80) == 0) n += 4;
    while (n < units && load<std::uint16_t>(at + 2 * n, order) < 0x80) ++n;
    return n;
}

std::size_t ascii_bytes(const std::byte* at, std::size_t bytes) noexcept {
    std::size_t n = 0;
    while (bytes - n >= 8 && (load<std::uint64_t>(at + n, ByteOrder::little) & 0x8080'8080'8080'8080) == 0) n += 8;
    while (n < bytes && at[n] < std::byte{0x80}) ++n;
    return n;
}

void append_ascii_units(std::string& out, const std::byte* at, std::size_t units, ByteOrder order) {
    const std::size_t former = out.size();
    out.resize(former + units);
    const std::byte* low = at + (order == ByteOrder::big ? 1 : 0);
    for (std::size_t i = 0; i < units; ++i) out[former + i] = static_cast<char>(low[2 * i]);
}

/// Appends the character at `at`, which `units` units are left of, and moves behind it; false where it is none.
/// Not by Utf16::decode, which swallows the unit behind an unpaired high surrogate as well.
bool append_unit(std::string& out, const std::byte*& at, std::size_t units, ByteOrder order) {
    const auto first = load<std::uint16_t>(at, order);
    at += 2;
    CodePoint character = first;
    if (Utf16::is_first_surrogate(first) && units > 1) {
        const auto second = load<std::uint16_t>(at, order);
        if (Utf16::is_second_surrogate(second)) {
            character = Utf16::combine_surrogate(first, second);
            at += 2;
        }
    }
    if (boost::nowide::utf::is_valid_codepoint(character)) {
        Utf8::encode(character, std::back_inserter(out));
        return true;
    }
    out += replacement;
    return false;
}

/// For a page that nobody here knows: every ANSI page that Windows uses has ASCII in its lower half.
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
    const std::byte* at = bytes.data();
    const std::byte* const end = at + bytes.size() / 2 * 2;
    bool sound = true;
    while (at != end) {
        const auto units = static_cast<std::size_t>(end - at) / 2;
        const std::size_t ascii = ascii_units(at, units, order);
        append_ascii_units(out, at, ascii, order);
        at += 2 * ascii;
        if (at != end && !append_unit(out, at, units - ascii, order)) sound = false;
    }
    if (bytes.size() % 2 != 0) {
        out += replacement;
        sound = false;
    }
    return sound;
}

std::u16string to_utf16(std::string_view text) {
    std::u16string units;
    units.reserve(text.size());
    for (const char* at = text.data(); at != text.data() + text.size();) {
        CodePoint character = Utf8::decode(at, text.data() + text.size());
        if (!boost::nowide::utf::is_valid_codepoint(character)) character = 0xFFFD;
        Utf16::encode(character, std::back_inserter(units));
    }
    return units;
}

std::size_t valid_utf8(std::span<const std::byte> bytes) noexcept {
    std::size_t n = 0;
    while (true) {
        n += ascii_bytes(bytes.data() + n, bytes.size() - n);
        const char* at = reinterpret_cast<const char*>(bytes.data()) + n;
        const char* const begin = at;
        // An empty rest is `incomplete`, and so no valid code point either.
        if (!boost::nowide::utf::is_valid_codepoint(Utf8::decode(at, begin + (bytes.size() - n)))) return n;
        n += static_cast<std::size_t>(at - begin);
    }
}

bool append_utf8(std::string& out, std::span<const std::byte> bytes) {
    bool sound = true;
    while (true) {
        const std::size_t valid = valid_utf8(bytes);
        out.append(reinterpret_cast<const char*>(bytes.data()), valid);
        if (valid == bytes.size()) return sound;
        out += replacement;
        bytes = bytes.subspan(valid + 1);
        sound = false;
    }
}

bool append_code_page(std::string& out, std::span<const std::byte> bytes, std::uint32_t page, ByteOrder order) {
    if (page == 0 || page == page_utf16) return append_utf16(out, bytes, order);
    if (page == page_utf8) return append_utf8(out, bytes);
    if (const auto sound = append_system_page(out, bytes, page)) return *sound;
    append_ascii(out, bytes);
    return ascii_bytes(bytes.data(), bytes.size()) == bytes.size();
}

bool knows_code_page(std::uint32_t page) {
    std::string nothing;
    return page == 0 || page == page_utf16 || page == page_utf8 || append_system_page(nothing, {}, page).has_value();
}

}  // namespace hkpd
