// Decimal digits of integers. Nearly all bytes of an output that are not copied from elsewhere are digits of raw
// values.
#pragma once

#include <bit>
#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace hkpd {

/// Number of characters that `write_digits` may write.
inline constexpr std::size_t most_digits = 20;

/// Eight digits of a number below 10^8, one in each byte, the first digit in the lowest byte. Computes all digits at
/// once, without a branch that depends on their number: in real inputs that number changes from value to value, and the
/// processor would predict it wrongly (Paul Khuong, "How to print integers really fast").
constexpr std::uint64_t eight_digits(std::uint32_t number) noexcept {
    // Two numbers below 10^4 in 32 bits each, then four below 100 in 16 bits each, then eight below 10. Dividing by 100
    // and by 10 is multiplying by 10486 / 2^20 and by 103 / 2^10, which is exact for such numbers.
    const std::uint64_t fours = number / 10'000 | std::uint64_t{number % 10'000} << 32U;
    const std::uint64_t hundreds = fours * 10'486 >> 20U & 0x7F'0000'007F;
    const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16U;
    const std::uint64_t tens = twos * 103 >> 10U & 0x000F'000F'000F'000F;
    return tens | (twos - 10 * tens) << 8U;
}

/// Writes the digits of a number, and possibly bytes without meaning after them. `at`: the first of `most_digits`
/// characters. Returns the end of the digits.
inline char* write_digits(char* at, std::uint64_t number) noexcept {
    constexpr std::uint32_t hundred_million = 100'000'000;
    constexpr std::uint64_t zeros = 0x3030'3030'3030'3030;  // the character 0 eight times
    constexpr int byte = 8, digits = 8;
    const auto store = [](char* to, std::uint64_t text) {
        boost::endian::store_little_u64(reinterpret_cast<unsigned char*>(to), text);
    };
    const auto first = [&](std::uint64_t part) {
        const std::uint64_t of_part = eight_digits(static_cast<std::uint32_t>(part));
        const int leading = std::countr_zero(of_part | std::uint64_t{1} << (byte * (digits - 1))) / byte;
        store(at, (of_part + zeros) >> static_cast<unsigned>(byte * leading));
        at = std::next(at, digits - leading);
    };
    const auto other = [&](std::uint64_t part) {
        store(at, eight_digits(static_cast<std::uint32_t>(part)) + zeros);
        at = std::next(at, digits);
    };
    if (number < hundred_million) {
        first(number);
        return at;
    }
    const std::uint64_t high = number / hundred_million;
    if (high < hundred_million) {
        first(high);
    } else {
        first(high / hundred_million);
        other(high % hundred_million);
    }
    other(number % hundred_million);
    return at;
}

}  // namespace hkpd
