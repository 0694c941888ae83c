// Decodes text in code pages with Windows' own tables. Source: Microsoft Learn, MultiByteToWideChar and "Code Page
// Identifiers".
#include <windows.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/encoding.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t page_vietnamese = 1258;
/// Limits of the code page numbers that are accepted. Below them are Windows' special values. Most of these stand for a
/// setting of the machine (CP_ACP, CP_OEMCP, CP_MACCP, CP_THREAD_ACP), and CP_SYMBOL stands for symbol fonts.
constexpr std::uint32_t first_page = 43, last_page = 0xFFFF;
constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

void append_wide(std::string& out, std::span<const wchar_t> wide) {
    append_utf16(out, std::as_bytes(wide), ByteOrder::little);
}

/// Returns whether this unit is Windows' result for a byte that the page leaves undefined: the byte's own value (a
/// control character) or a private-use character. See Microsoft's "best fit" tables, published with Unicode.
bool is_made_up(wchar_t unit) noexcept { return (unit >= 0x80 && unit < 0xA0) || (unit >= 0xF8F0 && unit <= 0xF8FF); }

/// Returns Vietnamese text with precomposed characters where possible, so that the result is the same as that of iconv
/// on other systems. In `wide`, a tone mark can be a separate character after its letter.
std::wstring composed(const std::wstring& wide) {
    std::wstring text(wide.size(), L'\0');
    const int size = static_cast<int>(wide.size());
    text.resize(static_cast<std::size_t>(FoldStringW(MAP_PRECOMPOSED, wide.data(), size, text.data(), size)));
    return text.empty() ? wide : text;
}

class Page {
  public:
    explicit Page(std::uint32_t number) noexcept : number_(number) {
        // Stateful pages (such as ISO-2022) count as unknown. They do not accept MB_ERR_INVALID_CHARS, and without this
        // flag invalid bytes would go unnoticed.
        std::array<wchar_t, 4> unit{};
        known_ = number >= first_page && number <= last_page && IsValidCodePage(number) != 0 &&
                 convert("a", unit) == 1 && GetCPInfo(number, &info_) != 0;
    }

    bool known() const noexcept { return known_; }

    /// Converts the entire text. Returns false if any byte is invalid.
    bool convert_all(std::string_view text, std::wstring& wide) const {
        wide.resize(text.size());  // no page has characters that take more units than bytes
        wide.resize(convert(text, wide));
        return !wide.empty() && std::ranges::none_of(wide, is_made_up);
    }

    /// Converts the first character and returns its size in bytes; 0 if it is invalid.
    std::size_t convert_first(std::string_view text, std::wstring& wide) const {
        std::array<wchar_t, 4> units{};
        const bool leads = IsDBCSLeadByteEx(number_, static_cast<BYTE>(text.front())) != 0;
        for (std::size_t bytes = leads ? 2 : 1; bytes <= std::min<std::size_t>(info_.MaxCharSize, text.size());
             ++bytes) {
            const std::size_t count = convert(text.substr(0, bytes), units);
            // If the first byte alone is not a valid character, converting two bytes can give two characters instead of
            // one. The unit of the first byte is then made up (see `is_made_up`). Therefore, all units are checked.
            if (count == 0 || std::any_of(units.begin(), units.begin() + count, is_made_up)) continue;
            wide.append(units.data(), count);
            return bytes;
        }
        return 0;
    }

  private:
    std::size_t convert(std::string_view text, std::span<wchar_t> to) const noexcept {
        return static_cast<std::size_t>(MultiByteToWideChar(number_, MB_ERR_INVALID_CHARS, text.data(),
                                                            static_cast<int>(text.size()), to.data(),
                                                            static_cast<int>(to.size())));
    }

    std::uint32_t number_;
    CPINFO info_{};
    bool known_ = false;
};

}  // namespace

std::optional<bool> append_system_page(std::string& out, std::span<const std::byte> bytes, std::uint32_t number) {
    const Page page(number);
    if (!page.known()) return std::nullopt;
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.empty()) return true;
    std::wstring wide;
    bool valid = page.convert_all(text, wide);
    if (!valid) {
        wide.clear();
        while (!text.empty()) {
            const std::size_t taken = page.convert_first(text, wide);
            if (taken == 0) wide += L'\xFFFD';
            text.remove_prefix(std::max<std::size_t>(taken, 1));
        }
    }
    if (number == page_vietnamese) wide = composed(wide);
    append_wide(out, wide);
    return valid;
}

std::optional<bool> append_system_encoding(std::string& out, std::span<const std::byte> bytes,
                                           const std::string& /*name*/, std::uint32_t page) {
    return page == 0 ? std::nullopt : append_system_page(out, bytes, page);
}

}  // namespace hkpd
