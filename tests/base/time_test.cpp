// Arithmetic of times stays within 64 bits at both ends.
#include "base/time.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace hkpd {
namespace time_test {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       most = std::numeric_limits<std::int64_t>::max();

TEST(Time, MovedTimesEndAtTheEndsOfTheRange) {
    EXPECT_EQ(moved_time(5, 7), 12);
    EXPECT_EQ(moved_time(5, -7), -2);
    EXPECT_EQ(moved_time(most - 1, 1), most);
    EXPECT_EQ(moved_time(most - 1, 2), most);
    EXPECT_EQ(moved_time(least + 1, -1), least);
    EXPECT_EQ(moved_time(least + 1, -2), least);
    EXPECT_EQ(moved_time(most, least), -1);
    EXPECT_EQ(moved_time(least, most), -1);
    EXPECT_EQ(moved_time(most, most), most);
    EXPECT_EQ(moved_time(least, least), least);
}

TEST(Time, TheTimeBetweenTwoIsNeverNegative) {
    EXPECT_EQ(time_between(-2, 12), 14);
    EXPECT_EQ(time_between(12, -2), 0);
    EXPECT_EQ(time_between(least, most), most);
    EXPECT_EQ(time_between(most, least), 0);
}

}  // namespace time_test
}  // namespace hkpd
