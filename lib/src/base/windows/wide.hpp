// Converts text to UTF-16, the form that Windows' functions take.
#pragma once

#include <string>
#include <string_view>

#include "base/text/encoding.hpp"

namespace hkpd {

/// Returns UTF-8 text as UTF-16. U+FFFD replaces invalid characters.
inline std::wstring to_wide(std::string_view text) {
    static_assert(sizeof(wchar_t) == sizeof(char16_t));
    const std::u16string units = to_utf16(text);
    return {units.begin(), units.end()};
}

}  // namespace hkpd
