// The statistics of one series: against definitions, at large offsets, and with a bound on memory.
#include "statistics/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "hkpd/summary.hpp"
#include "statistics/percentiles.hpp"
#include "support/machine.hpp"

namespace hkpd_test {
namespace write_statistics_test {

using hkpd::Percentiles;
using hkpd::Statistics;

constexpr std::int64_t second = 1'000'000'000, hour = 3600 * second;

std::vector<std::int64_t> each_second(std::size_t count, std::int64_t from = 1'700'000'000 * second) {
    std::vector<std::int64_t> times(count);
    for (std::size_t i = 0; i < count; ++i) times[i] = from + static_cast<std::int64_t>(i) * second;
    return times;
}

// Expected numbers are from Python 3.11: statistics.quantiles(v, n=100, method='inclusive'), stdev, linear_regression.
TEST(Statistics, OfAFewValues) {
    const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
    const Statistics s = hkpd::statistics_of(values, each_second(values.size()));
    EXPECT_EQ(s.count, 8U);
    EXPECT_EQ(s.first, 2);
    EXPECT_EQ(s.last, 9);
    EXPECT_EQ(s.min, 2);
    EXPECT_EQ(s.max, 9);
    EXPECT_EQ(s.mean, 5);
    EXPECT_EQ(s.p50, 4.5);
    EXPECT_EQ(s.p95, 8.3);
    EXPECT_EQ(s.p99, 8.86);
    EXPECT_DOUBLE_EQ(s.stddev, 2.138089935299395);
    EXPECT_EQ(s.delta, 7);
    EXPECT_DOUBLE_EQ(s.slope, 0.8095238095238095 * 3600);
    EXPECT_EQ(s.percentile_error, 0);
}

TEST(Statistics, OfOneValueAndOfNone) {
    const std::vector<double> one{3};
    const Statistics s = hkpd::statistics_of(one, each_second(1));
    EXPECT_EQ(s.p50, 3);
    EXPECT_EQ(s.p99, 3);
    EXPECT_EQ(s.delta, 0);
    EXPECT_TRUE(std::isnan(s.stddev));
    EXPECT_TRUE(std::isnan(s.slope));
    const Statistics none = hkpd::statistics_of({}, {});
    EXPECT_EQ(none.count, 0U);
    for (const std::string_view name :
         {"first", "last", "min", "mean", "p50", "p95", "p99", "max", "stddev", "delta", "slope"})
        EXPECT_TRUE(std::isnan(value_of(none, *hkpd::statistic_column_of(name)))) << name;
}

TEST(Statistics, KeepTheirPrecisionAtLargeOffsets) {
    // 1, 2, …, 1000 have the standard deviation sqrt(1000 * 1001 / 12). All values are integers below 2^53, so that
    // the values themselves are exact. A sum of squares would have no correct digit.
    constexpr double offset = 4e15;
    std::vector<double> values;
    for (int i = 1; i <= 1000; ++i) values.push_back(offset + i);
    const Statistics s = hkpd::statistics_of(values, each_second(values.size()));
    EXPECT_NEAR(s.mean, offset + 500.5, 0.5);
    EXPECT_NEAR(s.stddev, std::sqrt(1000.0 * 1001 / 12), 0.5);
    EXPECT_NEAR(s.slope, 3600, 3600 * 1e-3);
    EXPECT_NEAR(s.p50, offset + 500.5, 1);
}

TEST(Statistics, TimesNeedNotBeEqualIntervals) {
    const std::vector<double> values{10, 20, 40};
    const std::vector<std::int64_t> times{0, 1 * hour, 3 * hour};
    EXPECT_DOUBLE_EQ(hkpd::statistics_of(values, times).slope, 10);
    const std::vector<std::int64_t> same{hour, hour, hour};
    EXPECT_TRUE(std::isnan(hkpd::statistics_of(values, same).slope));
    const std::vector<std::int64_t> unknown{0, hkpd::SeriesStatistics::no_time, hour};
    EXPECT_TRUE(std::isnan(hkpd::statistics_of(values, unknown).slope));
    constexpr auto least = std::numeric_limits<std::int64_t>::min() + 1;
    const std::vector<std::int64_t> far{least, 0, std::numeric_limits<std::int64_t>::max()};
    EXPECT_TRUE(std::isfinite(hkpd::statistics_of(values, far).slope));
}

TEST(Statistics, WhatADoubleCannotHoldIsMissing) {
    constexpr double most = std::numeric_limits<double>::max(), infinite = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& values :
         {std::vector<double>{-most, most, most}, {infinite, 1, 2}, {-infinite, infinite}}) {
        const Statistics s = hkpd::statistics_of(values, each_second(values.size()));
        for (int i = 0; i <= static_cast<int>(hkpd::StatisticColumn::slope); ++i)
            EXPECT_FALSE(std::isinf(value_of(s, static_cast<hkpd::StatisticColumn>(i)))) << i;
    }
}

/// Returns the k-th percentile by its definition.
double exact_percentile(std::vector<double> values, std::size_t percent, double& scale) {
    std::ranges::sort(values);
    const std::size_t place = percent * (values.size() - 1), rank = place / 100;
    const double low = values[rank], high = values[std::min(rank + 1, values.size() - 1)];
    scale = std::max(std::abs(low), std::abs(high));
    return low + (high - low) * static_cast<double>(place % 100) / 100;
}

void require_within_error(const std::vector<double>& values, std::size_t most) {
    Percentiles percentiles;
    for (const double value : values) percentiles.add(value, most);
    EXPECT_LE(percentiles.capacity(), std::max(2 * most, std::size_t{16}));
    const auto [low, high] = std::ranges::minmax(values);
    const double error = percentiles.error();
    EXPECT_GT(error, 0);
    const Percentiles::Result found = percentiles.finish(low, high);
    EXPECT_EQ(percentiles.finish(low, high), found);
    for (std::size_t i = 0; i < found.size(); ++i) {
        constexpr std::array<std::size_t, 3> percents{50, 95, 99};
        double scale = 0;
        const double exact = exact_percentile(values, percents[i], scale);
        EXPECT_LE(std::abs(found[i] - exact), error * scale * (1 + 1e-12)) << percents[i] << " of " << values.size();
    }
}

TEST(Percentiles, OfRangesAreWithinTheErrorThatTheyState) {
    std::mt19937_64 random(20);
    std::uniform_real_distribution<double> uniform(0, 1), exponent(-250, 250);
    std::normal_distribution<double> normal(0, 1000);
    std::lognormal_distribution<double> latency(3, 2);
    for (const std::size_t count : {100U, 5000U}) {
        std::vector<double> of_uniform, of_normal, of_latency, of_exponent, integers;
        for (std::size_t i = 0; i < count; ++i) {
            of_uniform.push_back(uniform(random));
            of_normal.push_back(normal(random));
            of_latency.push_back(latency(random));
            of_exponent.push_back(std::pow(10.0, exponent(random)));
            integers.push_back(static_cast<double>(random() % 64));
        }
        for (const std::size_t most : {8U, 50U, 90U})
            for (const auto* values : {&of_uniform, &of_normal, &of_latency, &of_exponent, &integers})
                require_within_error(*values, most);
    }
}

TEST(Percentiles, StateASmallErrorForUsualNumbersOfValues) {
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> latency(3, 2);
    Percentiles percentiles;
    for (int i = 0; i < 100'000; ++i) percentiles.add(latency(random), 4096);
    EXPECT_LT(percentiles.error(), 0.01);
    EXPECT_LE(percentiles.capacity(), 4096U);
}

TEST(Percentiles, OfEqualValuesAreExact) {
    Percentiles percentiles;
    for (int i = 0; i < 1000; ++i) percentiles.add(0.1, 16);
    EXPECT_EQ(percentiles.finish(0.1, 0.1), (Percentiles::Result{0.1, 0.1, 0.1}));
}

TEST(Percentiles, ShrinkFreesMemory) {
    Percentiles percentiles;
    std::size_t bytes = 0;
    for (int i = 0; i < 10'000; ++i) bytes += percentiles.add(i, 1'000'000);
    EXPECT_EQ(bytes, percentiles.capacity() * Percentiles::entry_size);
    EXPECT_EQ(percentiles.error(), 0);
    bytes -= percentiles.shrink(100);
    EXPECT_EQ(bytes, percentiles.capacity() * Percentiles::entry_size);
    EXPECT_LE(percentiles.capacity(), 100U);
    EXPECT_GT(percentiles.error(), 0);
}

TEST(StatisticsMemory, BoundsAllSeriesTogether) {
    struct Series {
        hkpd::SeriesStatistics statistics;
    };
    constexpr std::uint64_t bound = 64 * 1024;
    hkpd::StatisticsMemory memory(bound);
    std::vector<Series> all(100);
    std::mt19937_64 random(3);
    std::size_t most = 0;
    for (int i = 0; i < 20'000; ++i)
        for (std::size_t s = 0; s < all.size(); s += 1 + static_cast<std::size_t>(i % 3)) {
            memory.add(all[s].statistics, static_cast<double>(random() % 100'000), i * second, all,
                       [](Series& series) -> hkpd::SeriesStatistics& { return series.statistics; });
            if (i % 1000 != 0) continue;
            std::size_t used = 0;
            for (const Series& series : all) used += series.statistics.capacity() * Percentiles::entry_size;
            most = std::max(most, used);
        }
    EXPECT_LE(most, bound + 2 * 1024);
    EXPECT_GT(most, bound / 4);
    const Statistics s = all[0].statistics.finish();
    EXPECT_EQ(s.count, 20'000U);
    EXPECT_NEAR(s.p95, 95'000, 95'000 * (s.percentile_error + 0.02));
    EXPECT_LE(s.percentile_error, 0.2);
}

TEST(StatisticsMemory, WithoutPercentiles) {
    std::vector<hkpd::SeriesStatistics> one(1);
    hkpd::StatisticsMemory memory(64, false);
    std::vector<double> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i % 97);
    const std::vector<std::int64_t> times = each_second(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        memory.add(one[0], values[i], times[i], one, [](hkpd::SeriesStatistics& s) -> auto& { return s; });
    EXPECT_EQ(one[0].capacity(), 0U);
    const Statistics with = hkpd::statistics_of(values, times), without = one[0].finish();
    EXPECT_EQ(without.mean, with.mean);
    EXPECT_EQ(without.stddev, with.stddev);
    EXPECT_EQ(without.slope, with.slope);
    EXPECT_TRUE(std::isnan(without.p50) && std::isnan(without.p95) && std::isnan(without.p99));
}

TEST(Buckets, BeginAtMultiplesOfTheirLength) {
    const hkpd::Buckets minute{60 * second};
    EXPECT_EQ(minute.begin(119 * second), 60 * second);
    EXPECT_EQ(minute.begin(60 * second), 60 * second);
    EXPECT_EQ(minute.begin(-1), -60 * second);
    EXPECT_EQ(minute.begin(-60 * second), -60 * second);
    const hkpd::Buckets day{24 * hour, hkpd::TimeZone{"Pacific", 480}};  // of the Pacific: midnight is 8:00 UTC
    EXPECT_EQ(day.begin(8 * hour), 8 * hour);
    EXPECT_EQ(day.begin(8 * hour - 1), -16 * hour);
    constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
    for (const std::int32_t bias : {-1440, 0, 1440}) {
        const hkpd::Buckets any{24 * hour, hkpd::TimeZone{"any", bias}};
        for (const std::int64_t time : {least, least + hour, std::int64_t{0}, most - hour, most}) {
            EXPECT_LE(any.begin(time), time);
            if (time > 0) {
                EXPECT_GT(any.begin(time), time - 24 * hour);
            }
        }
    }
}

/// On 2024-11-03 clocks in New York were set back at 2:00 (6:00 UTC), on 2024-03-10 forward at 2:00 (7:00 UTC).
TEST(Buckets, FollowTheClocksOfTheirZone) {
    if (is_skipped(missing_zones())) return;
    const auto zone = hkpd::Zone::parse("America/New_York");
    ASSERT_TRUE(zone);
    const hkpd::Buckets day{24 * hour, *zone}, two_hours{2 * hour, *zone};
    const std::int64_t winter = 1'730'606'400 * second, spring = 1'710'046'800 * second;  // midnights of these days
    EXPECT_EQ(day.begin(winter + 24 * hour), winter);
    EXPECT_EQ(day.begin(winter + 25 * hour), winter + 25 * hour);
    EXPECT_EQ(day.begin(spring + 22 * hour), spring);
    EXPECT_EQ(day.begin(spring + 23 * hour), spring + 23 * hour);
    // The first two hours of the day in November take three.
    EXPECT_EQ(two_hours.begin(winter + 3 * hour - 1), winter);
    EXPECT_EQ(two_hours.begin(winter + 3 * hour), winter + 3 * hour);
}

TEST(Buckets, Lengths) {
    EXPECT_EQ(hkpd::parse_bucket("30s"), 30 * second);
    EXPECT_EQ(hkpd::parse_bucket("1min"), 60 * second);
    EXPECT_EQ(hkpd::parse_bucket("2h"), 2 * hour);
    EXPECT_EQ(hkpd::parse_bucket("1d"), 24 * hour);
    EXPECT_EQ(hkpd::parse_bucket("366d"), 366 * 24 * hour);
    for (const std::string_view wrong :
         {"", "s", "1", "0s", "-1s", "+1s", "1.5h", "1 h", "1m", "1S", "367d", "99999999999999999999s", "1hh"})
        EXPECT_EQ(hkpd::parse_bucket(wrong), std::nullopt) << wrong;
}

}  // namespace write_statistics_test
}  // namespace hkpd_test
