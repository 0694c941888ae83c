// Text as Windows' functions take it.
#pragma once

#include <string>
#include <string_view>

#include "base/text/encoding.hpp"

namespace hkpd {

/// UTF-8 as UTF-16; U+FFFD stands for what is no character.
inline std::wstring to_wide(std::string_view text) {
    static_assert(sizeof(wchar_t) == sizeof(char16_t));
    const std::u16string units = to_utf16(text);
    return {units.begin(), units.end()};
}

}  // namespace hkpd
