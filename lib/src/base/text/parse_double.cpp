#include "base/text/parse_number.hpp"

// libc++ 19 reads no doubles, and defines no such macro. Abseil reads them correctly too, in three times the time of
// libstdc++, and is part of every build that is not for Windows.
#ifndef __cpp_lib_to_chars
#include <absl/strings/charconv.h>
#endif

namespace hkpd {

LeadingDouble leading_double(std::string_view text) noexcept {
    double number = 0;
    const char* const end = text.data() + text.size();
#ifdef __cpp_lib_to_chars
    const auto parsed = std::from_chars(text.data(), end, number);
#else
    const auto parsed = absl::from_chars(text.data(), end, number);
#endif
    if (parsed.ec != std::errc{}) return {};
    const auto size = static_cast<std::size_t>(parsed.ptr - text.data());
#ifndef __cpp_lib_to_chars
    if (text.substr(0, size).find_first_of("xX") != std::string_view::npos) return {};  // hexadecimal
#endif
    return {number, size};
}

std::optional<double> parse_double(std::string_view text) noexcept {
    const LeadingDouble number = leading_double(text);
    return number.size != 0 && number.size == text.size() ? std::optional(number.value) : std::nullopt;
}

}  // namespace hkpd
