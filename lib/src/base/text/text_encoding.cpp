#include "hkpd/text_encoding.hpp"

#include <algorithm>
#include <array>

#include "base/text/encoding.hpp"
#include "base/text/located_text.hpp"
#include "base/text/parse_number.hpp"

namespace hkpd {
namespace {

/// Names of encodings, and the numbers of their code pages (Microsoft Learn, "Code Page Identifiers").
struct NamedPage {
    std::string_view name;
    std::uint32_t page;
};
constexpr auto named_pages = std::to_array<NamedPage>({
    {"utf-8", page_utf8},
    {"utf8", page_utf8},
    {"unicode", page_utf16},
    {"utf-16", page_utf16},
    {"utf-16le", page_utf16},
    {"utf-16be", page_utf16_big},
    {"shift_jis", 932},
    {"shift-jis", 932},
    {"sjis", 932},
    {"gbk", 936},
    {"gb2312", 936},
    {"euc-kr", 949},
    {"big5", 950},
    {"koi8-r", 20866},
    {"koi8-u", 21866},
    {"euc-jp", 20932},
    {"gb18030", 54936},
});

/// Returns the number of the code page of a name in lower case; 0 if it states none.
std::uint32_t page_of_name(std::string_view name) {
    const auto* const known = std::ranges::find(named_pages, name, &NamedPage::name);
    if (known != named_pages.end()) return known->page;
    std::uint32_t first = 0;
    for (const std::string_view prefix : {"windows-", "windows", "cp", "ibm", "iso-8859-", "iso8859-"}) {
        if (!name.starts_with(prefix)) continue;
        name.remove_prefix(prefix.size());
        if (prefix.starts_with("iso")) first = 28590;
        break;
    }
    const auto number = parse_number<std::uint16_t>(name);
    if (!number) return name == "65001" ? page_utf8 : 0;
    return first + *number;
}

}  // namespace

bool TextEncoding::append(std::string& out, std::span<const std::byte> bytes) const {
    if (page_ == page_utf16_big) return append_utf16(out, bytes, ByteOrder::big);
    if (page_ != 0 && knows_code_page(page_)) return append_code_page(out, bytes, page_, ByteOrder::little);
    return append_system_encoding(out, bytes, name_, page_).value_or(false);
}

std::optional<TextEncoding> TextEncoding::parse(std::string_view name) {
    constexpr std::size_t longest = 40;
    TextEncoding encoding;
    encoding.name_ = lower_case(name);
    const bool is_name = std::ranges::all_of(encoding.name_, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':';
    });
    if (name.empty() || name.size() > longest || !is_name) return std::nullopt;
    encoding.page_ = page_of_name(encoding.name_);
    if (encoding.page_ == page_utf16 || encoding.page_ == page_utf16_big) return encoding;
    // Encodings with escape sequences have lines that look like ASCII and are not.
    std::string ascii = "\t\r\n\x1B$B!!\x1B(B\x1B$)C", read;
    for (char c = ' '; c <= '~'; ++c) ascii += c;
    const bool is_valid = encoding.append(read, std::as_bytes(std::span(ascii)));
    return is_valid && read == ascii ? std::optional(std::move(encoding)) : std::nullopt;
}

}  // namespace hkpd
