// Numbers in text.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace hkpd {

/// Returns the number that the text consists of: digits of the base, after an optional `-` if the type is signed. None
/// if the text is anything else, or if the number does not fit the type.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) noexcept {
    T number = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number, base);
    return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace hkpd
