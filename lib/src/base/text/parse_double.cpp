#include "base/text/parse_number.hpp"

// libc++ 19 reads no doubles, and defines no such macro. Abseil reads them correctly too, in three times the time of
// libstdc++, and is part of every build that is not for Windows.
#ifndef __cpp_lib_to_chars
#include <absl/strings/charconv.h>
#endif

namespace hkpd {

#ifndef __cpp_lib_to_chars
LeadingDouble leading_double(std::string_view text) noexcept {
    double number = 0;
    const auto parsed = absl::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{}) return {};
    const auto size = static_cast<std::size_t>(parsed.ptr - text.data());
    if (text.substr(0, size).find_first_of("xX") != std::string_view::npos) return {};  // hexadecimal
    return {number, size};
}
#endif

std::optional<double> parse_double(std::string_view text) noexcept {
    const LeadingDouble number = leading_double(text);
    return number.size != 0 && number.size == text.size() ? std::optional(number.value) : std::nullopt;
}

}  // namespace hkpd
