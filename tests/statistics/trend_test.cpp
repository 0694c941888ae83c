// Trends: lines that single steps do not turn, and the doubts about them.
#include "statistics/trend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace hkpd {
namespace trend_test {

constexpr std::int64_t minute = 60'000'000'000, hour = 60 * minute;

/// Returns the trend of values that are a minute apart, of a run of `minutes`; the length of the values if it is 0.
Trend trend_of(const std::vector<double>& values, std::int64_t minutes = 0) {
    TrendPoints points;
    std::int64_t time = 1'767'225'600'000'000'000;
    for (const double value : values) points.add(time += minute, value);
    return points.trend(minutes == 0 ? static_cast<std::int64_t>(values.size()) * minute : minutes * minute);
}

std::vector<double> line(std::size_t count, double start, double per_minute, double noise = 0) {
    std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): the same values every time
    std::normal_distribution<double> more(0, 1);
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
        values.push_back(start + per_minute * static_cast<double>(i) + noise * more(random));
    return values;
}

TEST(Trend, ALineHasItsSlope) {
    for (const std::size_t count : {10U, 63U, 64U, 65U, 1000U, 86'400U}) {
        const Trend trend = trend_of(line(count, 5, 2));
        EXPECT_EQ(trend.doubt, Trend::Doubt::none) << count;
        EXPECT_NEAR(trend.slope, 120, 1e-6) << count;
        EXPECT_NEAR(trend.r_squared, 1, 1e-9) << count;
        EXPECT_LE(trend.largest_step, 0.15) << count;
        EXPECT_TRUE(trend.grows_steadily()) << count;
        EXPECT_EQ(trend.values, count);
        EXPECT_NEAR(trend.hours, static_cast<double>(count - 1) / 60, 1e-9);
    }
    EXPECT_NEAR(trend_of(line(100, 5, -2)).slope, -120, 1e-6);
    EXPECT_FALSE(trend_of(line(100, 5, -2)).grows_steadily());
}

TEST(Trend, NoiseChangesLittle) {
    const Trend trend = trend_of(line(1000, 1e8, 1e4, 2e5));
    EXPECT_NEAR(trend.slope, 6e5, 2e4);
    EXPECT_TRUE(trend.grows_steadily());
    const Trend flat = trend_of(line(1000, 1e8, 0, 2e5));
    EXPECT_LT(flat.r_squared, 0.1);
    EXPECT_FALSE(flat.grows_steadily());
}

TEST(Trend, AStepIsNoSteadyGrowth) {
    std::vector<double> values(600, 100);
    for (std::size_t i = 500; i < values.size(); ++i) values[i] = 900;
    EXPECT_EQ(trend_of(values).slope, 0);
    EXPECT_FALSE(trend_of(values).grows_steadily());
    for (std::size_t at = 20; at < 600; at += 20) {
        std::vector<double> step = line(600, 100, 0, 1);
        for (std::size_t i = at; i < step.size(); ++i) step[i] += 900;
        EXPECT_FALSE(trend_of(step).grows_steadily()) << at;
    }
    // An outlier does not turn the line.
    std::vector<double> with_peak = line(600, 100, 1);
    for (std::size_t i = 300; i < 310; ++i) with_peak[i] = 1e6;
    EXPECT_NEAR(trend_of(with_peak).slope, 60, 2);
}

TEST(Trend, Doubts) {
    EXPECT_EQ(trend_of(line(9, 0, 1)).doubt, Trend::Doubt::few_values);
    EXPECT_TRUE(std::isnan(trend_of(line(9, 0, 1)).slope));
    EXPECT_EQ(trend_of(line(20, 0, 1), 60).doubt, Trend::Doubt::none);
    EXPECT_EQ(trend_of(line(20, 0, 1), 600).doubt, Trend::Doubt::short_span);
    TrendPoints same;
    for (int i = 0; i < 20; ++i) same.add(hour, i);
    EXPECT_EQ(same.trend(0).doubt, Trend::Doubt::short_span);
    // Values that go back in time are left out.
    TrendPoints back;
    for (int i = 0; i < 20; ++i) back.add(hour + (i % 2 == 0 ? i : -i) * minute, i);
    EXPECT_EQ(back.trend(hour).values, 10U);
    EXPECT_EQ(doubt_name(Trend::Doubt::short_span), "short_span");
    EXPECT_EQ(TrendPoints().trend(hour).doubt, Trend::Doubt::few_values);
}

}  // namespace trend_test
}  // namespace hkpd
