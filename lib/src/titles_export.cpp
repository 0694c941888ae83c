#include <string>

#include "hkpd/names.hpp"
#include "base/text/encoding.hpp"

namespace hkpd {
namespace {

/// Appends UTF-8 as UTF-16, little endian, with its NUL.
void append_utf16_string(std::string& out, std::string_view text) {
    const auto append = [&out](char16_t unit) {
        out += static_cast<char>(unit & 0xFF);
        out += static_cast<char>(unit >> 8);
    };
    for (const char16_t unit : to_utf16(text)) append(unit);
    append(0);
}

}  // namespace

void append_multi_sz(std::string& out, const TitleTable& table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        append_utf16_string(out, std::to_string(table[i].index));
        append_utf16_string(out, table[i].text);
    }
}

}  // namespace hkpd
