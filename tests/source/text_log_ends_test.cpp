// What `info` reads of a large text log: its beginning and its end.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>

#include "hkpd/diagnostics.hpp"
#include "hkpd/overview.hpp"

namespace hkpd_test {
namespace text_log_ends_test {

/// Returns a log with a row each second for so many seconds, from a time of day that the clocks of the zone change in.
std::string log_of(int rows, std::string_view zone = "(UTC)(0)") {
    std::string text =
        fmt::format("\"(PDH-CSV 4.0) {}\",\"\\\\PC\\System\\Processes\",\"\\\\PC\\System\\Threads\"\r\n", zone);
    for (int i = 0; i < rows; ++i)
        text += fmt::format("\"07/{:02}/2026 {:02}:{:02}:{:02}.000\",\"{}\",\"1234\"\r\n", 1 + i / 86400, i / 3600 % 24,
                            i / 60 % 60, i % 60, 100 + i % 800);
    return text;
}

hkpd::Overview overview_of(const std::string& text, bool all) {
    hkpd::Diagnostics faults;
    auto overview = hkpd::summarize(std::as_bytes(std::span(text)),
                                    {.all = all, .sample_above_bytes = std::uint64_t{1} << 20U}, faults);
    EXPECT_FALSE(faults.any_fault());
    return overview;
}

TEST(TextLogEnds, TheNumberOfSamplesIsAnEstimate) {
    constexpr int rows = 100'000;
    const std::string text = log_of(rows);
    const auto all = overview_of(text, true), ends = overview_of(text, false);
    EXPECT_TRUE(all.samples_exact);
    EXPECT_EQ(all.samples, rows);
    EXPECT_FALSE(ends.samples_exact);
    EXPECT_FALSE(ends.complete);
    EXPECT_NEAR(static_cast<double>(ends.samples), rows, rows / 100.0);
    ASSERT_TRUE(ends.time && all.time);
    EXPECT_EQ(ends.time->from, all.time->from);
    EXPECT_EQ(ends.time->to, all.time->to);
    EXPECT_EQ(ends.gaps, 0U);
}

TEST(TextLogEnds, ASmallLogIsReadWhole) {
    const auto ends = overview_of(log_of(1000), false);
    EXPECT_TRUE(ends.samples_exact);
    EXPECT_EQ(ends.samples, 1000U);
}

TEST(TextLogEnds, ALogThatEndsInOtherRowsIsReadWhole) {
    std::string text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\PC\\Memory\\Available Bytes\"\r\n";
    for (int i = 0; i < 10; ++i) text += fmt::format("\"06/01/2026 00:00:0{}.000\",\"1\"\r\n", i);
    text += log_of(60'000);
    const auto ends = overview_of(text, false);
    EXPECT_TRUE(ends.samples_exact);
    EXPECT_EQ(ends.samples, 60'010U);
}

}  // namespace text_log_ends_test
}  // namespace hkpd_test
