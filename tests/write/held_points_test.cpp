// Points that are held back must come back as they were.
#include "write/metrics/held_points.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd {
namespace held_points_test {

TEST(HeldPoints, ComeBackAsTheyWere) {
    const std::vector<HeldPoint> points{
        {0, "1"},         {1, "-2.5e-300"},
        {9, "NaN"},       {10, "0"},
        {13, ""},         {127, "7"},
        {128, "8"},       {16'383, "9"},
        {16'384, "10"},   {1'767'225'600'000, "11"},
        {0, "12"},        {2'570, "\x80\x81"},
        {60'000, "+Inf"}, {std::numeric_limits<std::uint64_t>::max(), "13"},
    };
    std::string held;
    for (const HeldPoint& point : points) {
        const std::size_t before = held.size();
        append_point(held, point);
        EXPECT_LE(held.size() - before, point.value.size() + HeldPoint::most_more);
    }
    std::string_view left = held;
    for (const HeldPoint& point : points) {
        ASSERT_FALSE(left.empty());
        const HeldPoint taken = take_point(left);
        EXPECT_EQ(taken.since, point.since);
        EXPECT_EQ(taken.value, point.value);
    }
    EXPECT_TRUE(left.empty());
}

// A scratch file lies on a disk. Whatever comes back from it, reading ends within it.
TEST(HeldPoints, EndWithinDamagedBytes) {
    std::string held;
    append_point(held, {1'767'225'600'000, "123.5"});
    append_point(held, {60'000, "124"});
    for (std::size_t size = 0; size <= held.size(); ++size)
        for (const char end : {'\x80', '\xFF', '\n', '1'}) {
            const std::string damaged = held.substr(0, size) + std::string(12, end);
            std::string_view left = damaged;
            std::size_t points = 0;
            for (; !left.empty() && points <= damaged.size(); ++points) take_point(left);
            EXPECT_TRUE(left.empty());
        }
}

}  // namespace held_points_test
}  // namespace hkpd
