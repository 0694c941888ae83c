// Numbers in text, and in ordered and unordered containers: the same on every platform.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/list_order.hpp"
#include "base/number_hash.hpp"
#include "base/text/parse_number.hpp"

namespace hkpd_test {
namespace base_number_test {

std::string printed(const char* format, double value) {
    std::string text(64, '\0');
    text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), format, value)));
    return text;
}

TEST(ParseDouble, IsCorrectlyRounded) {
    std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): the same numbers in each run
    for (int i = 0; i < 20'000; ++i) {
        const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 132);
        for (const char* format : {"%.17g", "%.6f", "%.3e", "%.25g"}) {
            const std::string text = printed(format, i % 2 == 0 ? value : -value);
            ASSERT_EQ(hkpd::parse_double(text), std::strtod(text.c_str(), nullptr)) << text;
        }
    }
    EXPECT_EQ(hkpd::parse_double("9007199254740993"), 9007199254740992.0);  // halfway: to the even one
    EXPECT_EQ(hkpd::parse_double("2.2250738585072011e-308"), std::strtod("2.2250738585072011e-308", nullptr));
}

TEST(ParseDouble, TakesTheEntireText) {
    EXPECT_EQ(hkpd::parse_double("1."), 1.0);
    EXPECT_EQ(hkpd::parse_double("-.5"), -0.5);
    EXPECT_EQ(hkpd::parse_double("1e3"), 1000.0);
    EXPECT_EQ(hkpd::parse_double("-inf"), -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(hkpd::parse_double("nan").value_or(0)));
    for (const char* text :
         {"", " 1", "1 ", "+1", ".", "-", "1e", "0x10", "0x1p3", "1,5", "1e999", "1e-999", "--1", "1f"})
        EXPECT_EQ(hkpd::parse_double(text), std::nullopt) << text;
}

TEST(ListOrder, ComparesEveryElement) {
    std::map<std::vector<std::uint32_t>, int, hkpd::ListOrder> places;
    for (std::uint32_t last = 0; last < 300; ++last) places.try_emplace({1, 2, 3, last << 16U}, 0);
    places.try_emplace({1, 2, 3}, 0);
    EXPECT_EQ(places.size(), 301U);
    EXPECT_EQ(places.begin()->first.size(), 3U);
    const hkpd::ListOrder before;
    EXPECT_TRUE(before({1, 255}, {1, 256}));  // which the bytes of little-endian numbers would order the other way
    EXPECT_FALSE(before({1, 256}, {1, 255}));
    EXPECT_FALSE(before({1, 255}, {1, 255}));
}

TEST(NumberHash, DependsOnBothHalves) {
    std::set<std::size_t> lower, upper;
    constexpr std::uint64_t count = 10'000;
    for (std::uint64_t i = 0; i < count; ++i) {
        lower.insert(hkpd::NumberHash{}(i));
        upper.insert(hkpd::NumberHash{}(i << 32U));
    }
    EXPECT_GT(lower.size(), count * 99 / 100);
    EXPECT_GT(upper.size(), count * 99 / 100);
}

}  // namespace base_number_test
}  // namespace hkpd_test
