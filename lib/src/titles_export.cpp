#include <boost/nowide/utf/utf.hpp>
#include <iterator>

#include "hkpd/titles.hpp"

namespace hkpd {
namespace {

/// Appends UTF-8 as UTF-16, little endian, with its NUL.
void append_utf16_string(std::string& out, std::string_view text) {
    namespace utf = boost::nowide::utf;
    const auto unit = [&out](char16_t value) {
        out += static_cast<char>(value & 0xFF);
        out += static_cast<char>(value >> 8);
    };
    for (const char* at = text.data(); at != text.data() + text.size();) {
        utf::code_point c = utf::utf_traits<char>::decode(at, text.data() + text.size());
        if (!utf::is_valid_codepoint(c)) c = 0xFFFD;
        std::u16string units;
        utf::utf_traits<char16_t>::encode(c, std::back_inserter(units));
        for (const char16_t value : units) unit(value);
    }
    unit(0);
}

}  // namespace

void append_multi_sz(std::string& out, const TitleTable& table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        append_utf16_string(out, std::to_string(table[i].index));
        append_utf16_string(out, table[i].text);
    }
}

}  // namespace hkpd
