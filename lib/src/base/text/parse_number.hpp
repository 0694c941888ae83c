// Numbers that stand in text.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace hkpd {

/// The number that a text is, all of it, in digits of the base alone (and `-` before them where the type has a sign);
/// none where it is anything else, or too large for the type.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) noexcept {
    T number = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number, base);
    return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace hkpd
