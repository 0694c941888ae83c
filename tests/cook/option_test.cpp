// Options of cooking, and numbers at the limits of 64 bits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "hkpd/cook.hpp"
#include "support/cook_text.hpp"

namespace hkpd_test {
namespace cook_option_test {

using hkpd::CookOptions;
using hkpd::Reading;
using hkpd::Reason;

constexpr std::int64_t min64 = std::numeric_limits<std::int64_t>::min(),
                       max64 = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t max_u64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t wrap = 1U << 31;

TEST(CookOption, PercentagesAreCappedOnRequestWithAReason) {
    const CookOptions cap{.cap = true};
    const auto capped = [&](std::uint32_t type, const Reading& before, const Reading& now) {
        EXPECT_EQ(cook_two(type, before, now), "150") << type;
        EXPECT_EQ(cook_two(type, before, now, {.clamp = true}), "150") << type;
        const hkpd::CookedValue value = cook(type, &before, now, cap);
        EXPECT_EQ(value.value, 100) << type;
        EXPECT_EQ(value.reason, Reason::capped) << type;
    };
    // 100·(300 − 0)/(200 − 0) = 150
    for (const std::uint32_t type : {0x20410500U, 0x20470500U, 0x20510500U, 0x20570500U, 0x20610500U, 0x20670500U})
        capped(type, {0, 0, 0, 1}, {300, 200, 0, 1});
    for (const std::uint32_t type : {0x20020400U, 0x20020500U, 0x20C20400U}) capped(type, {}, {300, 0, 200, 0});
    // 100·(300/(100/1))/2 = 150, and 100·(300/100)/2
    for (const std::uint32_t type : {0x22410500U, 0x22510500U}) capped(type, {0, 0, 2, 1}, {300, 100, 2, 1});
}

TEST(CookOption, OtherTypesAreNotCapped) {
    for (const std::uint32_t type : {0x00400400U, 0x00400500U, 0x00410400U, 0x00450400U, 0x00450500U, 0x00550500U,
                                     0x00650500U, 0x10410400U, 0x10410500U, 0x30020400U, 0x40020500U})
        EXPECT_EQ(cook_two(type, {0, 0, 0, 1}, {101, 1, 1, 1}), "101") << type;
    EXPECT_EQ(cook_one(0x30240500, {1, 102, 0, 1}), "101");
    EXPECT_EQ(cook_one(0x00010000, {.value = 101}), "101");
}

TEST(CookOption, UnwrapOf32Bits) {
    const CookOptions unwrap{.unwrap = true};
    // (16 − 4294967280) mod 2^32 = 32; clock, base and frequency each 1
    const Reading before{4294967280, 0, 0, 1}, now{16, 1, 1, 1};
    for (const std::uint32_t type : {0x00400400U, 0x00410400U, 0x00450400U, 0x10410400U, 0x30020400U}) {
        EXPECT_EQ(cook_two(type, before, now, unwrap), "32") << type;
        EXPECT_EQ(cook_two(type, before, now), "- counter_went_back") << type;
    }
    // 100·32/128 = 25
    EXPECT_EQ(cook_two(0x20C20400, before, {16, 1, 128, 1}, unwrap), "25");
    for (const std::uint32_t type : {0x00400500U, 0x00450500U, 0x00550500U, 0x00650500U, 0x10410500U, 0x20410500U,
                                     0x20470500U, 0x20510500U, 0x20570500U, 0x20610500U, 0x20670500U, 0x21410500U,
                                     0x21510500U, 0x22410500U, 0x22510500U, 0x23410500U, 0x23510500U, 0x40020500U})
        EXPECT_EQ(cook_two(type, before, now, unwrap), "- counter_went_back") << type;
}

TEST(CookOption, UnwrapCoversHalfTheRange) {
    const CookOptions unwrap{.unwrap = true};
    const auto delta = [&](std::uint64_t before, std::uint64_t now) {
        return cook_two(0x00400400, {.value = before}, {.value = now}, unwrap);
    };
    EXPECT_EQ(delta(wrap + 1, 0), "2147483647");  // 2^31 − 1
    EXPECT_EQ(delta(wrap, 0), "- counter_went_back");
    EXPECT_EQ(delta(100, 50), "- counter_went_back");
    EXPECT_EQ(delta(1, 0), "- counter_went_back");
    EXPECT_EQ(delta(0xFFFFFFFF, 0), "1");
    EXPECT_EQ(delta(0, 0xFFFFFFFF), "4294967295");  // forwards there is no limit
    EXPECT_EQ(delta(7, 7), "0");
    EXPECT_EQ(cook_two(0x00400400, {.value = 100}, {.value = 50}, {.clamp = true, .unwrap = true}),
              "0 counter_went_back");
}

TEST(CookExtreme, ValuesAbove63Bits) {
    // 2^63 + 1 − (2^63 − 1) = 2
    EXPECT_EQ(cook_two(0x00400500, {.value = max_u64 / 2}, {.value = max_u64 / 2 + 2}), "2");
    EXPECT_EQ(cook_two(0x00400500, {.value = 0}, {.value = max_u64}), "18446744073709551616");
    EXPECT_EQ(cook_two(0x00400500, {.value = max_u64}, {.value = 0}), "- counter_went_back");
    EXPECT_EQ(cook_two(0x00400500, {.value = max_u64}, {.value = max_u64 - 1}), "- counter_went_back");
    EXPECT_EQ(cook_two(0x40020500, {0, 0, 0, 0}, {max_u64, 0, 1, 0}), "18446744073709551616");
    EXPECT_EQ(cook_one(0x20020500, {max_u64, 0, max_u64, 0}), "100");
    // The base counts 2 from 2^63 − 1 to 2^63 + 1: 4/2 = 2
    EXPECT_EQ(cook_two(0x40020500, {0, 0, max_u64 / 2, 0}, {4, 0, max_u64 / 2 + 2, 0}), "2");
}

TEST(CookExtreme, ClocksAtTheirEnds) {
    // 100·2^63/(2^64 − 1) = 50
    EXPECT_EQ(cook_two(0x20410500, {0, min64, 0, 0}, {1ULL << 63, max64, 0, 0}), "50");
    EXPECT_EQ(cook_two(0x20410500, {0, -1, 0, 0}, {1, 3, 0, 0}), "25");
    EXPECT_EQ(cook_two(0x20410500, {0, max64, 0, 0}, {1, min64, 0, 0}), "- clock_went_back");
    EXPECT_EQ(cook_two(0x20410500, {0, 0, 0, 0}, {1, min64, 0, 0}), "- clock_went_back");
    EXPECT_EQ(cook_two(0x20410500, {0, min64, 0, 0}, {1, min64, 0, 0}), "- zero_interval");
    // (2^63 − 1)/(2^63 − 1) seconds
    EXPECT_EQ(cook_two(0x10410400, {0, 0, 0, max64}, {5, max64, 0, max64}), "5");
}

TEST(CookExtreme, ElapsedTimeAtItsEnds) {
    EXPECT_EQ(cook_one(0x30240500, {1, min64, 0, 1}), "0 not_started");
    EXPECT_EQ(cook_one(0x30240500, {max_u64, 5, 0, 1}), "0 not_started");
    EXPECT_EQ(cook_one(0x30240500, {1ULL << 63, max64, 0, 1}), "0 not_started");
    EXPECT_EQ(cook_one(0x30240500, {1, max64, 0, 1}), "9223372036854775808");  // 2^63 − 2, the nearest double
    EXPECT_EQ(cook_one(0x30240500, {max64 - 1, max64, 0, 1}), "1");
}

/// Holds readings of all sizes, most often at the limits.
class Readings {
  public:
    Reading next() {
        return {.value = number(),
                .clock = static_cast<std::int64_t>(number()),
                .base = number(),
                .frequency = static_cast<std::int64_t>(number()),
                .fault = random_() % 64 == 0 ? Reason::damaged : Reason::none};
    }
    bool flip() { return random_() % 2 == 0; }

  private:
    std::uint64_t number() {
        constexpr std::array<std::uint64_t, 8> edges{0,       1,       1ULL << 31,  1ULL << 32,
                                                     max_u64, 1000000, max_u64 / 2, max_u64 / 2 + 1};
        const std::uint64_t edge = edges[random_() % edges.size()];
        return random_() % 4 == 0 ? random_() >> random_() % 64 : edge + random_() % 3 - 1;
    }

    std::mt19937_64 random_{1};
};

/// Returns whether a value agrees with its reason: a number, which is 100 or 0 if there is a reason with it, or no
/// number and a reason.
bool is_sane(std::uint32_t type, const hkpd::CookedValue& cooked, const CookOptions& options) {
    if (!cooked.has_value()) return cooked.reason != Reason::none;
    if (!std::isfinite(cooked.value) || cooked.value < 0) return false;
    if (cooked.reason == Reason::none) return !options.cap || type >> 28 != 2 || cooked.value <= 100;
    if (cooked.reason == Reason::capped) return options.cap && type >> 28 == 2 && cooked.value == 100;
    const bool is_average = type == 0x30020400 || type == 0x40020500;
    const bool ran_back = cooked.reason == Reason::counter_went_back || cooked.reason == Reason::clock_went_back ||
                          cooked.reason == Reason::base_went_back || cooked.reason == Reason::idle_exceeds_interval;
    // dotnet/runtime: an elapsed time by a clock that does not run is 0 as well.
    return cooked.value == 0 &&
           ((is_average && cooked.reason == Reason::zero_base) || (options.clamp && ran_back) || type == 0x30240500);
}

TEST(CookExtreme, AnyNumbersGiveANumberOrAReason) {
    Readings readings;
    int numbers = 0;
    for (const std::uint32_t type :
         {0x00000000U, 0x00000100U, 0x00010000U, 0x00010100U, 0x00400400U, 0x00400500U, 0x00410400U, 0x00450400U,
          0x00450500U, 0x00550500U, 0x00650500U, 0x10410400U, 0x10410500U, 0x20020400U, 0x20020500U, 0x20410500U,
          0x20470500U, 0x20510500U, 0x20570500U, 0x20610500U, 0x20670500U, 0x20C20400U, 0x21410500U, 0x21510500U,
          0x22410500U, 0x22510500U, 0x23410500U, 0x23510500U, 0x30020400U, 0x30240500U, 0x40020500U, 0x40030500U}) {
        for (int i = 0; i < 3000; ++i) {
            const CookOptions options{.cap = readings.flip(),
                                      .clamp = readings.flip(),
                                      .unwrap = readings.flip(),
                                      .multi_timer = static_cast<hkpd::MultiTimer>(i % 3)};
            const Reading before = readings.next(), now = readings.next();
            const hkpd::CookedValue cooked = cook(type, &before, now, options);
            numbers += cooked.has_value();
            ASSERT_TRUE(is_sane(type, cooked, options))
                << std::hex << type << ": " << cooked_text(cooked) << " of " << before.value << " " << before.clock
                << " " << before.base << " and " << now.value << " " << now.clock << " " << now.base << " "
                << now.frequency;
        }
    }
    EXPECT_GT(numbers, 10'000);
}

}  // namespace cook_option_test
}  // namespace hkpd_test
