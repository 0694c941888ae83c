#include "quantity/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

namespace hkpd {
namespace {

constexpr int most_digits_shown = 4;

/// A multiple of a unit, and the number from which on it is used.
struct Step {
    double factor;
    std::string_view suffix;
    double from = factor;
};

constexpr double kibi = 1024, minute = 60, hour = 60 * minute, day = 24 * hour;
constexpr std::array<Step, 7> plain_steps{
    {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k", 1e4}, {1, ""}}};
constexpr std::array<Step, 7> byte_steps{{{0x1p60, " EiB"},
                                          {0x1p50, " PiB"},
                                          {0x1p40, " TiB"},
                                          {0x1p30, " GiB"},
                                          {bytes_of_mebibyte, " MiB"},
                                          {kibi, " KiB"},
                                          {1, " B"}}};
constexpr std::array<Step, 7> second_steps{{{day, " days", 2 * day},
                                            {hour, " h", 2 * hour},
                                            {minute, " min", 2 * minute},
                                            {1, " s"},
                                            {1e-3, " ms"},
                                            {1e-6, " µs"},
                                            {1e-9, " ns"}}};

/// Numbers from here on have an exponent, and so have those that would need more digits than are shown.
constexpr double least_without_exponent = 1e-3, most_without_exponent = 1e4;
/// Rounds up to the next step: 1 MiB, not 1024 KiB.
constexpr double rounds_up = 1 - 0.5e-4;

std::span<const Step> steps_of(Unit unit) noexcept {
    switch (unit) {
        case Unit::bytes:
        case Unit::bytes_per_second:
            return byte_steps;
        case Unit::seconds:
            return second_steps;
        default:
            return plain_steps;
    }
}

/// Appends a number from `least_without_exponent` to 10^4 as `append_rounded` does, in a tenth of the time of
/// `std::to_chars`. Returns false, and appends nothing, if the number is so close to the middle between two texts that
/// only its exact value decides.
bool append_rounded_fast(std::string& out, double number) {
    constexpr std::array<double, 7> powers{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    constexpr double least_of_four = 1000;  // digits
    constexpr double half = 0.5, margin = 1e-6;
    std::size_t decimals = 0;
    while (number * powers[decimals] < least_of_four && decimals + 1 < powers.size()) ++decimals;
    const double scaled = number * powers[decimals], whole = std::floor(scaled);
    if (std::abs(scaled - whole - half) < margin) return false;
    auto digits = static_cast<std::uint32_t>(whole) + (scaled - whole > half ? 1U : 0U);
    for (; decimals > 0 && digits % 10 == 0; --decimals) digits /= 10;
    std::array<char, powers.size() + 2> text{};
    auto at = text.end();
    for (std::size_t i = 0; i < decimals; ++i, digits /= 10) *--at = static_cast<char>('0' + digits % 10);
    if (decimals > 0) *--at = '.';
    do *--at = static_cast<char>('0' + digits % 10);
    while ((digits /= 10) != 0);
    out.append(at, text.end());
    return true;
}

/// Appends a positive number in at most four significant digits, without zeros at the end.
void append_rounded(std::string& out, double number) {
    if (number >= least_without_exponent && number < most_without_exponent - 1 && append_rounded_fast(out, number))
        return;
    // A number in the middle between two texts is rounded up, as JavaScript does, and not to the even digit. Numbers of
    // bytes divided by powers of 2 are often there.
    number = std::nextafter(number, std::numeric_limits<double>::infinity());
    std::array<char, 32> text;
    const bool has_exponent = number < least_without_exponent || number >= most_without_exponent * rounds_up;
    char* const end = has_exponent ? std::to_chars(text.data(), std::next(text.data(), text.size()), number,
                                                   std::chars_format::scientific, most_digits_shown - 1)
                                         .ptr
                                   : std::to_chars(text.data(), std::next(text.data(), text.size()), number,
                                                   std::chars_format::general, most_digits_shown)
                                         .ptr;
    std::string_view all(text.data(), end);
    if (!has_exponent) {
        out += all;
        return;
    }
    const std::size_t e = all.find('e');
    std::string_view mantissa = all.substr(0, e), exponent = all.substr(e + 2);
    mantissa = mantissa.substr(0, mantissa.find_last_not_of('0') + 1);
    if (mantissa.ends_with('.')) mantissa.remove_suffix(1);
    while (exponent.size() > 1 && exponent.front() == '0') exponent.remove_prefix(1);
    out.append(mantissa).append(all[e + 1] == '-' ? "e-" : "e").append(exponent);
}

/// Returns the step in which a number is shown. Zero, and what is too large for all of them, are in the unit itself.
const Step& step_of(std::span<const Step> steps, double size) noexcept {
    const auto is_one = [](const Step& step) { return step.factor == 1; };
    const bool is_too_large = size >= steps.front().factor * most_without_exponent * rounds_up;
    if (size == 0 || is_too_large) return *std::ranges::find_if(steps, is_one);
    const auto found = std::ranges::find_if(steps, [&](const Step& step) { return size >= step.from * rounds_up; });
    return found == steps.end() ? steps.back() : *found;
}

}  // namespace

void append_quantity(std::string& out, double value, Unit unit) {
    if (value != value) {
        out += '-';
        return;
    }
    if (std::isinf(value)) {
        out += value < 0 ? "-inf" : "inf";
        return;
    }
    if (unit == Unit::identifier && value == std::floor(value)) {
        constexpr double exact = 0x1p53;
        if (value >= 0 && value < exact)
            out += fmt::format_int(static_cast<std::uint64_t>(value)).c_str();
        else
            fmt::format_to(std::back_inserter(out), "{:.0f}", value);
        return;
    }
    const double size = std::abs(value);
    const UnitStep step = unit_step(size, unit);
    if (value < 0) out += '-';
    if (size == 0)
        out += '0';
    else
        append_rounded(out, size / step.factor);
    out.append(step.suffix).append(step.end);
}

UnitStep unit_step(double size, Unit unit) noexcept {
    const Step& step = step_of(steps_of(unit), size);
    const bool is_rate = unit == Unit::per_second || unit == Unit::bytes_per_second;
    return {step.factor, step.suffix, unit == Unit::percent ? " %" : is_rate ? "/s" : ""};
}

std::string quantity_text(double value, Unit unit) {
    std::string text;
    append_quantity(text, value, unit);
    return text;
}

std::string size_text(std::uint64_t bytes) { return quantity_text(static_cast<double>(bytes), Unit::bytes); }

std::string duration_text(std::int64_t nanoseconds) {
    constexpr double second = 1e9;
    return quantity_text(static_cast<double>(nanoseconds) / second, Unit::seconds);
}

std::string count_of(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace hkpd
