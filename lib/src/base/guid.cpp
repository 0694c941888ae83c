#include "hkpd/guid.hpp"

#include "base/text/located_text.hpp"

namespace hkpd {
namespace {

/// Maps each pair of digits in a GUID's text to the position of its byte in memory. Data1 to Data3 are stored as
/// little-endian numbers, but their text begins with the highest byte.
constexpr std::array<std::uint8_t, 16> byte_of_pair{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

constexpr bool dash_before(std::size_t pair) noexcept { return pair == 4 || pair == 6 || pair == 8 || pair == 10; }

constexpr std::size_t text_length = 36;

}  // namespace

void append_guid(std::string& out, const Guid& guid) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += '{';
    for (std::size_t i = 0; i < byte_of_pair.size(); ++i) {
        if (dash_before(i)) out += '-';
        const auto byte = std::to_integer<std::uint8_t>(guid.bytes[byte_of_pair[i]]);
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    out += '}';
}

std::string guid_text(const Guid& guid) {
    std::string out;
    append_guid(out, guid);
    return out;
}

std::optional<Guid> parse_guid(std::string_view text) noexcept {
    if (text.size() == text_length + 2 && text.front() == '{' && text.back() == '}') text = text.substr(1, text_length);
    if (text.size() != text_length) return std::nullopt;
    Guid guid;
    std::size_t at = 0;
    for (std::size_t i = 0; i < byte_of_pair.size(); ++i, at += 2) {
        if (dash_before(i) && text[at++] != '-') return std::nullopt;
        const auto high = hex_digit(static_cast<unsigned char>(text[at]));
        const auto low = hex_digit(static_cast<unsigned char>(text[at + 1]));
        if (!high || !low) return std::nullopt;
        guid.bytes[byte_of_pair[i]] = static_cast<std::byte>(*high << 4 | *low);
    }
    return guid;
}

}  // namespace hkpd
