// The formula of each counter type, worked by hand from learn.microsoft.com "Counter types", and the reasons for which
// it gives no number. Types for which results of Windows are public are in vectors_test.cpp as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/cook.hpp"
#include "support/cook_text.hpp"

namespace hkpd_test {
namespace cook_formula_test {

using hkpd::Reading;
using hkpd::Reason;

constexpr std::int64_t ticks = 10'000'000;  // per second
using Types = std::vector<std::uint32_t>;

// n/(d/F)
const Types rates{0x00410400, 0x10410400, 0x10410500};
// n/d; 100·n/d; 100·(1 − n/d)
const Types queues{0x00450400, 0x00450500, 0x00550500, 0x00650500};
const Types timers{0x20410500, 0x20470500, 0x20510500, 0x20570500, 0x20610500, 0x20670500};
const Types inverse_timers{0x21410500, 0x21510500};
const Types multi_timers{0x22410500, 0x22510500, 0x23410500, 0x23510500};
const Types deltas{0x00400400, 0x00400500};
// 100·N/B; 100·n/b; (n/F)/b and n/b
const Types raw_fractions{0x20020400, 0x20020500};
constexpr std::uint32_t sample_fraction = 0x20C20400, average_timer = 0x30020400, average_bulk = 0x40020500,
                        elapsed_time = 0x30240500, double_raw = 0x00012000;
const Types raw_counts{0x00000000, 0x00000100, 0x00010000, 0x00010100};

Types joined(std::initializer_list<Types> lists) {
    Types all;
    for (const Types& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}
const Types with_clock = joined({rates, queues, timers, inverse_timers, multi_timers});
const Types with_base_difference{sample_fraction, average_timer, average_bulk};
const Types two_samples = joined({with_clock, deltas, with_base_difference});
const Types one_sample = joined({raw_counts, raw_fractions, {elapsed_time}});

// Inputs that a formula does not use are set to numbers that would show in the result.

TEST(CookFormula, RawCounts) {
    for (const std::uint32_t type : raw_counts) {
        EXPECT_EQ(cook_one(type, {.value = 7, .clock = 3, .base = 5, .frequency = 9}), "7") << type;
        EXPECT_EQ(cook_two(type, {.value = 9}, {.value = 7}), "7") << type;
        EXPECT_EQ(cook_one(type, {}), "0") << type;
    }
    EXPECT_EQ(cook_one(0x00010100, {.value = 1ULL << 63}), "9223372036854775808");  // not −2^63
    EXPECT_EQ(cook_one(0x00010100, {.value = ~0ULL}), "18446744073709551616");      // the nearest double
}

TEST(CookFormula, Deltas) {
    for (const std::uint32_t type : deltas) {
        // 350 − 100 = 250, independent of the clock
        EXPECT_EQ(cook_two(type, {.value = 100, .clock = 9, .base = 3}, {.value = 350, .clock = 4, .base = 2}), "250");
        EXPECT_EQ(cook_two(type, {.value = 8}, {.value = 8}), "0") << type;
    }
    // 8589934669 − 8589934592 = 77
    EXPECT_EQ(cook_two(0x00400500, {.value = 8589934592}, {.value = 8589934669}), "77");
}

TEST(CookFormula, Rates) {
    for (const std::uint32_t type : rates) {
        // (40 − 10)/((100000000 − 0)/10000000) = 30/10 = 3
        EXPECT_EQ(cook_two(type, {10, 0, 5, ticks}, {40, 100'000'000, 6, ticks}), "3") << type;
        // (40 − 10)/((1500 − 1000)/1000) = 30/0.5 = 60: half a second is not zero
        EXPECT_EQ(cook_two(type, {10, 1000, 0, 1000}, {40, 1500, 0, 1000}), "60") << type;
        // (1 − 0)/(4/1) = 0.25: the fraction is kept
        EXPECT_EQ(cook_two(type, {0, 0, 0, 1}, {1, 4, 0, 1}), "0.25") << type;
        // 0/(1/1) = 0
        EXPECT_EQ(cook_two(type, {9, 1, 0, 1}, {9, 2, 0, 1}), "0") << type;
    }
}

TEST(CookFormula, QueueLengths) {
    // (300000100 − 100)/(200000000 − 100000000) = 3; never capped: (150 − 0)/(1 − 0) = 150
    for (const std::uint32_t type : queues) {
        EXPECT_EQ(cook_two(type, {100, 100'000'000, 7, 3}, {300'000'100, 200'000'000, 9, 3}), "3") << type;
        EXPECT_EQ(cook_two(type, {0, 0, 0, 0}, {150, 1, 0, 0}), "150") << type;
    }
}

TEST(CookFormula, Timers) {
    // 100·(2500007 − 7)/(10000003 − 3) = 25
    for (const std::uint32_t type : timers)
        EXPECT_EQ(cook_two(type, {7, 3, 7, 3}, {2'500'007, 10'000'003, 9, 3}), "25") << type;
    for (const std::uint32_t type : inverse_timers) {
        // 100·(1 − (2500007 − 7)/(10000003 − 3)) = 75
        EXPECT_EQ(cook_two(type, {7, 3, 7, 3}, {2'500'007, 10'000'003, 9, 3}), "75") << type;
        // never idle: 100·(1 − 0/8) = 100; always: 100·(1 − 8/8) = 0
        EXPECT_EQ(cook_two(type, {5, 0, 0, 0}, {5, 8, 0, 0}), "100") << type;
        EXPECT_EQ(cook_two(type, {5, 0, 0, 0}, {13, 8, 0, 0}), "0") << type;
    }
}

TEST(CookFormula, MultiTimers) {
    // The count is that of the later sample. 100·((3 − 0)/((20000000 − 0)/10000000))/2 = 100·1.5/2 = 75
    EXPECT_EQ(cook_two(0x22410500, {0, 0, 9, ticks}, {3, 20'000'000, 2, ticks}), "75");
    // 100·((30000000 − 0)/(10000000 − 0))/4 = 75
    EXPECT_EQ(cook_two(0x22510500, {0, 0, 9, 3}, {30'000'000, 10'000'000, 4, 3}), "75");
    // 100·(4 − 2/((20000000 − 0)/10000000))/4 = 100·(4 − 1)/4 = 75
    EXPECT_EQ(cook_two(0x23410500, {0, 0, 9, ticks}, {2, 20'000'000, 4, ticks}), "75");
    // 100·(4 − 10000000/10000000)/4 = 75
    EXPECT_EQ(cook_two(0x23510500, {0, 0, 9, 3}, {10'000'000, 10'000'000, 4, 3}), "75");
}

TEST(CookFormula, MultiTimersInOtherModes) {
    const hkpd::CookOptions learn{.cap = false, .multi_timer = hkpd::MultiTimer::learn};
    const hkpd::CookOptions pdh{.cap = false, .multi_timer = hkpd::MultiTimer::pdh};
    // Microsoft Learn: ticks as seconds where it is not inverse, as in the Platform SDK
    EXPECT_EQ(cook_two(0x22410500, {0, 0, 9, ticks}, {3, 20'000'000, 2, ticks}, learn), "75");
    // 100·(4 − 10000000/20000000) = 350
    EXPECT_EQ(cook_two(0x23410500, {0, 0, 9, 0}, {10'000'000, 20'000'000, 4, 0}, learn), "350");
    EXPECT_EQ(cook_two(0x23510500, {0, 0, 9, 0}, {10'000'000, 20'000'000, 4, 0}, learn), "350");
    // Without ticks as seconds: 100·(30000000/20000000)/2 = 75 and 100·(4 − 10000000/10000000)/4 = 75
    EXPECT_EQ(cook_two(0x22410500, {0, 0, 9, 0}, {30'000'000, 20'000'000, 2, 0}, pdh), "75");
    EXPECT_EQ(cook_two(0x23410500, {0, 0, 9, 0}, {10'000'000, 10'000'000, 4, 0}, pdh), "75");
    for (const hkpd::CookOptions& options : {learn, pdh})
        EXPECT_EQ(cook_two(0x22510500, {0, 0, 9, 3}, {30'000'000, 10'000'000, 4, 3}, options), "75");
    EXPECT_EQ(cook_two(0x23510500, {0, 0, 9, 3}, {10'000'000, 10'000'000, 4, 3}, pdh), "75");
}

TEST(CookFormula, Fractions) {
    for (const std::uint32_t type : raw_fractions) {
        // 100·25/200 = 12.5, from one sample
        EXPECT_EQ(cook_one(type, {25, 7, 200, 3}), "12.5") << type;
        EXPECT_EQ(cook_two(type, {24, 7, 0, 3}, {25, 7, 200, 3}), "12.5") << type;
        EXPECT_EQ(cook_one(type, {0, 7, 200, 3}), "0") << type;
    }
    // 100·1099511627776/4398046511104 = 25
    EXPECT_EQ(cook_one(0x20020500, {1099511627776, 0, 4398046511104, 0}), "25");
    // 100·(25 − 10)/(160 − 100) = 25, without any clock
    EXPECT_EQ(cook_two(sample_fraction, {10, 9, 100, 3}, {25, 4, 160, 3}), "25");
}

TEST(CookFormula, Averages) {
    // ((30000000 − 0)/10000000)/(40 − 10) = 3/30; the clock is not used
    EXPECT_EQ(cook_two(average_timer, {0, 9, 10, ticks}, {30'000'000, 4, 40, ticks}), "0.1");
    // ((400 − 100)/100)/(14 − 12) = 1.5
    EXPECT_EQ(cook_two(average_timer, {100, 9, 12, 100}, {400, 4, 14, 100}), "1.5");
    // (45056 − 4096)/(8 − 3) = 8192
    EXPECT_EQ(cook_two(average_bulk, {4096, 9, 3, 0}, {45056, 4, 8, 0}), "8192");
}

TEST(CookFormula, ElapsedTime) {
    // (133500036000000000 − 133500000000000000)/10000000 = 3600
    const Reading now{133'500'000'000'000'000, 133'500'036'000'000'000, 7, ticks};
    EXPECT_EQ(cook_one(elapsed_time, now), "3600");
    EXPECT_EQ(cook_two(elapsed_time, {1, 2, 3, 4}, now), "3600");
    // (10 − 5)/2 = 2.5
    EXPECT_EQ(cook_one(elapsed_time, {5, 10, 0, 2}), "2.5");
    EXPECT_EQ(cook_one(elapsed_time, {0, 10, 0, 2}), "0 not_started");
    EXPECT_EQ(cook_one(elapsed_time, {10, 10, 0, 2}), "0 not_started");
    EXPECT_EQ(cook_one(elapsed_time, {11, 10, 0, 2}), "0 not_started");
}

TEST(CookFormula, DoublesAreTheirBits) {
    const auto raw = [](double value) { return cook_one(double_raw, {.value = std::bit_cast<std::uint64_t>(value)}); };
    EXPECT_EQ(raw(2.5), "2.5");
    EXPECT_EQ(raw(-1e300), "-1e+300");
    EXPECT_EQ(raw(5e-324), "5e-324");
    EXPECT_EQ(raw(0), "0");
    EXPECT_EQ(raw(std::numeric_limits<double>::infinity()), "- not_a_number");
    EXPECT_EQ(raw(-std::numeric_limits<double>::infinity()), "- not_a_number");
    EXPECT_EQ(raw(std::numeric_limits<double>::quiet_NaN()), "- not_a_number");
    EXPECT_EQ(cook_one(double_raw, {.value = 0xFFF4'0000'0000'0001}), "- not_a_number");  // a signalling NaN
}

TEST(CookFormula, TypesWithoutAFormula) {
    for (const std::uint32_t type : {0x00000B00U, 0x00010B00U, 0x40000200U, 0x40030401U, 0x40030402U, 0x40030403U,
                                     0x40030500U, 0x40030503U, 0x42030500U}) {
        EXPECT_EQ(cook_one(type, {1, 2, 3, 4}), "- not_displayable") << type;
        EXPECT_EQ(cook_two(type, {1, 2, 3, 4}, {2, 3, 4, 5}), "- not_displayable") << type;
    }
    // a discriminator or a timer that no type has
    for (const std::uint32_t type : {0x10410401U, 0x00010001U, 0x20910500U, 0x12345678U, 0xFFFFFFFFU}) {
        EXPECT_EQ(cook_one(type, {1, 2, 3, 4}), "- unknown_type") << type;
        EXPECT_EQ(cook_two(type, {1, 2, 3, 4}, {2, 3, 4, 5}), "- unknown_type") << type;
    }
    const hkpd::CookedValue histogram = hkpd::cook(0x80000000, nullptr, {1, 2, 3, 4}, {});
    EXPECT_FALSE(histogram.has_value());
    EXPECT_TRUE(histogram.reason == Reason::unknown_type || histogram.reason == Reason::not_displayable);
}

TEST(CookReason, NoSampleBefore) {
    const Reading now{5, 6, 7, 8};
    for (const std::uint32_t type : two_samples) {
        EXPECT_EQ(cook_one(type, now), "- first_sample") << type;
        for (const Reason why : {Reason::instance_new, Reason::counter_new, Reason::type_changed})
            EXPECT_EQ(cooked_text(cook(type, nullptr, now, {}, why)), "- " + std::string(reason_name(why))) << type;
    }
    for (const std::uint32_t type : one_sample)
        EXPECT_EQ(cooked_text(cook(type, nullptr, now, {}, Reason::instance_new)), cook_two(type, {}, now)) << type;
}

TEST(CookReason, FaultsOfEitherReading) {
    const Reading valid{5, 6, 7, 8};
    const auto with = [](Reading reading, Reason fault) {
        reading.fault = fault;
        return reading;
    };
    const Reading later{6, 7, 8, 8};
    for (const std::uint32_t type : two_samples) {
        for (const Reason fault : {Reason::damaged, Reason::no_base, Reason::no_clock, Reason::pdh_status}) {
            const std::string expected = "- " + std::string(reason_name(fault));
            EXPECT_EQ(cook_two(type, with(valid, fault), later), expected) << type;
            EXPECT_EQ(cook_two(type, valid, with(later, fault)), expected) << type;
            EXPECT_EQ(cook_two(type, with(valid, Reason::not_a_number), with(later, fault)), expected) << type;
            EXPECT_EQ(cook_two(type, valid, with(later, fault), {.clamp = true}), expected) << type;
        }
    }
    for (const std::uint32_t type : joined({one_sample, {double_raw}})) {
        EXPECT_EQ(cook_one(type, with(valid, Reason::damaged)), "- damaged") << type;
        EXPECT_EQ(cook_two(type, with(valid, Reason::damaged), later), cook_one(type, later)) << type;
    }
}

TEST(CookReason, NoTimePassed) {
    for (const std::uint32_t type : with_clock) {
        EXPECT_EQ(cook_two(type, {5, 100, 4, 10}, {7, 100, 4, 10}), "- zero_interval") << type;
        EXPECT_EQ(cook_two(type, {5, 100, 4, 10}, {5, 100, 4, 10}), "- zero_interval") << type;
    }
}

TEST(CookReason, BackwardsAndClamped) {
    const auto backwards = [](std::uint32_t type, const Reading& before, const Reading& now, const char* reason) {
        EXPECT_EQ(cook_two(type, before, now), "- " + std::string(reason)) << type;
        EXPECT_EQ(cook_two(type, before, now, {.clamp = true}), "0 " + std::string(reason)) << type;
    };
    for (const std::uint32_t type : two_samples)
        backwards(type, {500, 100, 3, 10}, {400, 200, 8, 10}, "counter_went_back");
    for (const std::uint32_t type : with_clock)
        backwards(type, {400, 200, 4, 10}, {500, 199, 4, 10}, "clock_went_back");
    for (const std::uint32_t type : with_base_difference)
        backwards(type, {400, 100, 8, 10}, {500, 200, 7, 10}, "base_went_back");
    // 100·(1 − 101/100) = −1
    for (const std::uint32_t type : inverse_timers)
        backwards(type, {0, 0, 0, 1}, {101, 100, 0, 1}, "idle_exceeds_interval");
    // 100·(4 − 401/100)/4 < 0
    for (const std::uint32_t type : {0x23410500U, 0x23510500U})
        backwards(type, {0, 0, 4, 1}, {401, 100, 4, 1}, "idle_exceeds_interval");
}

TEST(CookReason, ClampingOneValueLeavesTheOthers) {
    const hkpd::CookOptions clamp{.clamp = true};
    EXPECT_EQ(cook_two(0x10410400, {0, 5, 0, 1}, {1, 5, 0, 1}, clamp), "- zero_interval");
    EXPECT_EQ(cook_two(0x10410400, {0, 5, 0, -1}, {1, 6, 0, -1}, clamp), "- negative_frequency");
    EXPECT_EQ(cook_one(0x10410400, {1, 6, 0, 1}, clamp), "- first_sample");
    EXPECT_EQ(cook_one(0x20020400, {1, 6, 0, 1}, clamp), "- zero_base");
    EXPECT_EQ(cook_two(0x10410400, {0, 5, 0, 1}, {9, 6, 0, 1}, clamp), "9");
}

TEST(CookReason, NothingToDivideBy) {
    for (const std::uint32_t type : raw_fractions) EXPECT_EQ(cook_one(type, {25, 0, 0, 0}), "- zero_base") << type;
    EXPECT_EQ(cook_two(sample_fraction, {10, 0, 100, 0}, {25, 9, 100, 0}), "- zero_base");
    for (const std::uint32_t type : multi_timers)
        EXPECT_EQ(cook_two(type, {5, 0, 4, 10}, {5, 9, 0, 10}), "- zero_base") << type;
    // Windows shows averages of nothing as 0.
    for (const std::uint32_t type : {average_timer, average_bulk})
        EXPECT_EQ(cook_two(type, {5, 0, 10, 10}, {5, 9, 10, 10}), "0 zero_base") << type;
}

TEST(CookReason, Frequencies) {
    const Types dividing = joined({rates, {average_timer, 0x22410500, 0x23410500}});
    for (const std::uint32_t type : dividing) {
        const auto at_rate = [type](std::int64_t f) { return cook_two(type, {1, 1, 1, f}, {2, 9, 4, f}); };
        EXPECT_EQ(at_rate(0), "- no_frequency") << type;
        EXPECT_EQ(at_rate(-1), "- negative_frequency") << type;
        EXPECT_EQ(at_rate(std::numeric_limits<std::int64_t>::min()), "- negative_frequency") << type;
    }
    const Reading before{1, 1, 1, 0};
    for (const std::uint32_t type : two_samples) {
        if (std::ranges::find(dividing, type) != dividing.end()) continue;
        EXPECT_EQ(cook(type, &before, {2, 9, 4, 0}, {}).reason, Reason::none) << type;
    }
    EXPECT_EQ(hkpd::cook(elapsed_time, nullptr, {5, 10, 0, 0}, {}).reason, Reason::no_frequency);
    EXPECT_EQ(hkpd::cook(elapsed_time, nullptr, {5, 10, 0, -2}, {}).reason, Reason::negative_frequency);
}

TEST(CookReason, NamesAndStatuses) {
    EXPECT_EQ(reason_name(Reason::none), "");
    EXPECT_EQ(hkpd::pdh_status(Reason::none), 0U);
    std::set<std::string_view> names;
    const int last = static_cast<int>(Reason::pdh_status);
    for (int i = 1; i <= last; ++i) {
        names.insert(reason_name(static_cast<Reason>(i)));
        // An elapsed time that has not begun is shown as 0 seconds, which is a value.
        EXPECT_EQ(hkpd::pdh_status(static_cast<Reason>(i)) == 0, static_cast<Reason>(i) == Reason::not_started)
            << reason_name(static_cast<Reason>(i));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(last));
    EXPECT_FALSE(names.contains(""));
    EXPECT_EQ(reason_name(Reason::counter_went_back), "counter_went_back");
    EXPECT_EQ(reason_name(Reason::pdh_status), "pdh_status");
    // pdhmsg.h
    EXPECT_EQ(hkpd::pdh_status(Reason::first_sample), 0xC0000BBA);
    EXPECT_EQ(hkpd::pdh_status(Reason::counter_went_back), 0x800007D8);
    EXPECT_EQ(hkpd::pdh_status(Reason::clock_went_back), 0x800007D6);
    EXPECT_EQ(hkpd::pdh_status(Reason::idle_exceeds_interval), 0x800007D6);
    EXPECT_EQ(hkpd::pdh_status(Reason::negative_frequency), 0x800007D7);
}

}  // namespace cook_formula_test
}  // namespace hkpd_test
