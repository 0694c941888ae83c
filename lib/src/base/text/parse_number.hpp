// Numbers in text.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace hkpd {

/// Returns the number that the entire text is, in digits of the base (after a `-` if the type is signed); none if it is
/// anything else or does not fit the type.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) noexcept {
    T number = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number, base);
    return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace hkpd
