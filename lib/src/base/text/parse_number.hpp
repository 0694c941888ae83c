// Reads numbers in text.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace hkpd {

/// Returns the number that the entire text represents. The text must consist of digits of the base; a `-` may precede
/// them if the type is signed. Returns none for any other text, and if the number does not fit the type.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) noexcept {
    T number = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number, base);
    return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

/// Returns the double that the entire text represents, correctly rounded: decimal digits with or without a point and an
/// exponent, `inf` or `nan`, after an optional `-`. Returns none for any other text, and if the number is beyond the
/// range of a double. Does not depend on the locale.
std::optional<double> parse_double(std::string_view text) noexcept;

/// A number at the beginning of a text.
struct LeadingDouble {
    double value = 0;
    std::size_t size = 0;  ///< of its text; 0 if the text begins with no number, or one beyond the range of a double
};
/// Returns the number in the longest beginning of a text that `parse_double` reads.
#ifdef __cpp_lib_to_chars
// In the header, as it is called for each value of a text log.
inline LeadingDouble leading_double(std::string_view text) noexcept {
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{}) return {};
    return {number, static_cast<std::size_t>(parsed.ptr - text.data())};
}
#else
LeadingDouble leading_double(std::string_view text) noexcept;
#endif

}  // namespace hkpd
