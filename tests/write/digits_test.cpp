// Digits of integers, against those of the standard library.
#include "write/digits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace hkpd_test {
namespace digits_test {

/// Checks the digits of a number, and that nothing is written beyond the characters that `write_digits` may use.
void check(std::uint64_t number) {
    std::array<char, hkpd::most_digits + 8> text;
    text.fill('#');
    const std::string written(text.data(), hkpd::write_digits(text.data(), number));
    ASSERT_EQ(written, std::to_string(number));
    const auto rest = std::find_if(text.rbegin(), text.rend(), [](char c) { return c != '#'; });
    ASSERT_LE(text.rend() - rest, static_cast<std::ptrdiff_t>(hkpd::most_digits)) << number;
}

TEST(WriteDigits, SmallNumbers) {
    for (std::uint64_t number = 0; number <= 1'000'000; ++number) check(number);
}

TEST(WriteDigits, NumbersNextToPowersOfTenAndTwo) {
    for (std::uint64_t power = 1; power <= std::numeric_limits<std::uint64_t>::max() / 10; power *= 10)
        for (std::uint64_t factor = 1; factor <= 10; ++factor)
            for (const std::uint64_t number : {power * factor - 1, power * factor, power * factor + 1}) check(number);
    for (unsigned bit = 0; bit < 64; ++bit)
        for (const std::uint64_t less : {0U, 1U, 2U}) check((std::uint64_t{1} << bit) - less);
    check(std::numeric_limits<std::uint64_t>::max());
}

TEST(WriteDigits, NumbersOfEveryLength) {
    std::mt19937_64 random(1);
    for (unsigned shift = 0; shift < 64; ++shift)
        for (int i = 0; i < 10'000; ++i) check(random() >> shift);
}

/// Every number of four digits, in both halves of the eight.
TEST(WriteDigits, EightDigits) {
    for (std::uint32_t part = 0; part < 10'000; ++part)
        for (const std::uint32_t number : {part, part * 10'000, part * 10'001}) {
            const std::string text = std::to_string(number);
            std::uint64_t expected = 0;
            for (std::size_t i = 0; i < text.size(); ++i)
                expected |= static_cast<std::uint64_t>(text[i] - '0') << (8 * (8 - text.size() + i));
            ASSERT_EQ(hkpd::eight_digits(number), expected) << number;
        }
}

}  // namespace digits_test
}  // namespace hkpd_test
