#include "write/append_number.hpp"

#include <fmt/compile.h>

#include <cmath>

namespace hkpd {
namespace {

/// Puts a whole number that has the same digits in all notations; null for any other. Counts are whole, and this takes
/// a tenth of the time.
char* put_whole(char* to, double number) noexcept {
    constexpr double most = 1e15;  // {fmt} shows 1e16 in scientific notation
    if (!(std::abs(number) < most)) return nullptr;
    const auto whole = static_cast<std::int64_t>(number);
    const bool is_minus_zero = whole == 0 && std::signbit(number);
    if (static_cast<double>(whole) != number || is_minus_zero) return nullptr;
    return std::to_chars(to, std::next(to, most_digits), whole).ptr;
}

}  // namespace

char* put_shortest(char* to, double number) {
    char* const end = put_whole(to, number);
    return end != nullptr ? end : fmt::format_to(to, FMT_COMPILE("{}"), number);
}

char* put_17_digits(char* to, double number) {
    constexpr int significant = 17;
    char* const end = put_whole(to, number);
    if (end != nullptr) return end;
    return std::to_chars(to, std::next(to, most_digits), number, std::chars_format::general, significant).ptr;
}

}  // namespace hkpd
