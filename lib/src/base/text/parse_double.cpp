#include "base/text/parse_number.hpp"

// libc++ 19 reads no doubles, and defines no such macro. Abseil reads them correctly too, in three times the time of
// libstdc++, and is part of every build that is not for Windows.
#ifndef __cpp_lib_to_chars
#include <absl/strings/charconv.h>
#endif

namespace hkpd {

std::optional<double> parse_double(std::string_view text) noexcept {
    double number = 0;
    const char* const end = text.data() + text.size();
#ifdef __cpp_lib_to_chars
    const auto parsed = std::from_chars(text.data(), end, number);
#else
    if (text.find_first_of("xX") != std::string_view::npos) return std::nullopt;  // hexadecimal, which Abseil accepts
    const auto parsed = absl::from_chars(text.data(), end, number);
#endif
    return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace hkpd
