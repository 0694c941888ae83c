// Texts without the blanks around them.
#pragma once

#include <string_view>

namespace hkpd {

/// Returns a text without the spaces, tabs and carriage returns around it.
constexpr std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace hkpd
