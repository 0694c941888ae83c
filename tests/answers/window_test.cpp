// What stands out in a window, as values: which samples are in it, and the numbers of both parts.
#include "hkpd/window.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "answers/window_samples.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"
#include "support/temp_folder.hpp"

namespace window_test {

using namespace hkpd;
using testing::ElementsAre;

constexpr std::int64_t second = 1'000'000'000;

/// Returns the numbers of the samples in a window, and checks that every sample is passed on once. `times`: seconds.
std::vector<std::uint64_t> in_window(const Range& window, const std::vector<std::int64_t>& times,
                                     std::size_t least = 3) {
    std::vector<std::uint64_t> inside;
    std::set<std::uint64_t> seen;
    const auto take = [&](const WindowSample& sample, bool is_inside) {
        EXPECT_TRUE(seen.insert(sample.number).second);
        if (is_inside) inside.push_back(sample.number);
    };
    WindowSamples samples(window, least);
    for (std::uint64_t i = 0; i < times.size(); ++i) samples.add({.number = i, .time = times[i] * second}, take);
    samples.finish(take);
    EXPECT_EQ(seen.size(), times.size());
    return inside;
}

Range between(std::int64_t from, std::int64_t to) {
    Range range;
    range.from = from * second;
    range.to = to * second;
    return range;
}

TEST(WindowSamples, NearestSamplesAreAddedToFewOnes) {
    const std::vector<std::int64_t> times{0, 10, 20, 30, 40, 50, 60, 70};
    EXPECT_THAT(in_window(between(20, 50), times), ElementsAre(2, 3, 4, 5));
    EXPECT_THAT(in_window(between(29, 31), times), ElementsAre(2, 3, 4));
    EXPECT_THAT(in_window(between(33, 34), times), ElementsAre(2, 3, 4));
    EXPECT_THAT(in_window(between(36, 37), times), ElementsAre(3, 4, 5));
    EXPECT_THAT(in_window(between(0, 1), times), ElementsAre(0, 1, 2));
    EXPECT_THAT(in_window(between(69, 90), times), ElementsAre(5, 6, 7));
    EXPECT_THAT(in_window(between(29, 31), times, 1), ElementsAre(3));
    // A gap in the log has samples around it; before and after the log, there are none.
    EXPECT_THAT(in_window(between(500, 501), {0, 10, 20, 1000, 1010}), ElementsAre(1, 2, 3));
    EXPECT_THAT(in_window(between(80, 90), times), ElementsAre());
    EXPECT_THAT(in_window(between(-20, -10), times), ElementsAre());
    EXPECT_THAT(in_window(between(0, 1), {0, 1}), ElementsAre(0, 1));
}

TEST(WindowSamples, AWindowCanBeStatedInNumbers) {
    Range window;
    window.first = window.last = 4;
    EXPECT_THAT(in_window(window, {0, 10, 20, 30, 40, 50, 60}), ElementsAre(3, 4, 5));
    window.last = 6;
    EXPECT_THAT(in_window(window, {0, 10, 20, 30, 40, 50, 60}), ElementsAre(4, 5, 6));
}

TEST(WindowSamples, AMomentIsItsMinuteOrHalfAMinuteAround) {
    EXPECT_EQ(window_around(120 * second).from, 120 * second);
    EXPECT_EQ(window_around(120 * second).to, 180 * second - 1);
    EXPECT_EQ(window_around(125 * second).from, 95 * second);
    EXPECT_EQ(window_around(125 * second).to, 155 * second);
    constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
    EXPECT_LE(window_around(end).from, window_around(end).to);
}

/// Returns a text log with a row each ten seconds; `value(path, row)` returns a number, or none if it is negative.
std::string log_of(const std::vector<std::string>& paths, int rows, const auto& value) {
    std::string text = "\"(PDH-CSV 4.0) (UTC)(0)\"";
    for (const std::string& path : paths) text += ",\"\\\\HOST\\" + path + "\"";
    text += "\r\n";
    for (int row = 0; row < rows; ++row) {
        text += fmt::format(R"("05/14/2024 09:{:02}:{:02}.000")", row / 6, row % 6 * 10);
        for (std::size_t path = 0; path < paths.size(); ++path) {
            const double number = value(path, row);
            text += number < 0 ? ",\" \"" : fmt::format(",\"{}\"", number);
        }
        text += "\r\n";
    }
    return text;
}

WindowTop find(const std::string& log, int first, int last, WindowOptions options = {}) {
    const hkpd_test::TempFolder folder;
    Reader reader = *Reader::open({folder.write("log.csv", log)}, {.one_source = true});
    Filter everything;
    options.window_of = [=](const Sample&) {
        return Range{.first = static_cast<std::uint64_t>(first), .last = static_cast<std::uint64_t>(last)};
    };
    return top_in_window(reader, everything, options);
}

TEST(Window, MeansAreThoseOfBothParts) {
    // 60 rows: 0 to 59; the window has 20 to 29.
    const WindowTop found = find(log_of({R"(Memory\Pages/sec)", R"(System\Processor Queue Length)"}, 60,
                                        [](std::size_t path, int row) {
                                            const bool then = row >= 20 && row < 30;
                                            return path == 0 ? (then ? 1000.0 + row : row % 10) : 2.0;
                                        }),
                                 20, 29);
    EXPECT_EQ(found.samples, 10U);
    EXPECT_EQ(found.rest_samples, 50U);
    ASSERT_EQ(found.counters.size(), 1U);  // a constant does not stand out
    const WindowTop::Row& row = found.rows[found.counters[0]];
    EXPECT_EQ(row.series.counter->name, "Pages/sec");
    EXPECT_DOUBLE_EQ(row.series.statistics.mean, 1024.5);
    EXPECT_EQ(row.series.statistics.max, 1029);
    EXPECT_DOUBLE_EQ(row.rest.mean, 4.5);
    EXPECT_EQ(row.rest.count, 50U);
    EXPECT_DOUBLE_EQ(row.usual, 4.5);
    EXPECT_DOUBLE_EQ(row.times, 1024.5 / 4.5);
    EXPECT_EQ(row.max_time, *found.run.from + 29 * 10 * second);
    EXPECT_GT(row.effect, WindowTop::most_effect);
}

TEST(Window, AProcessUsesNothingWhileItDoesNotLive) {
    const std::vector<std::string> paths{R"(Process(brief)\Private Bytes)", R"(Process(brief)\% Processor Time)",
                                         R"(Process(steady)\Private Bytes)", R"(Process(steady)\% Processor Time)"};
    const WindowTop found = find(log_of(paths, 60,
                                        [](std::size_t path, int row) {
                                            if (path >= 2) return path == 2 ? 4e9 : 50.0;
                                            if (row < 20 || row >= 30) return -1.0;
                                            return path == 0 ? 3e9 : 80.0;
                                        }),
                                 22, 40);
    ASSERT_EQ(found.processes.size(), 1U);
    const WindowTop::Row* const cpu = found.use(found.processes[0], WindowUse::processor);
    ASSERT_NE(cpu, nullptr);
    EXPECT_EQ(cpu->series.instance->name, "brief");
    EXPECT_EQ(cpu->series.statistics.mean, 80);
    EXPECT_EQ(cpu->rest.mean, 80);
    EXPECT_NEAR(cpu->usual, 80.0 * 2 / 41, 1e-9);  // rows 20 and 21 of the 41 that are not in the window
    EXPECT_FALSE(cpu->is_new);
    EXPECT_TRUE(cpu->is_gone);
    ASSERT_EQ(found.ended.size(), 1U);
    EXPECT_EQ(found.ended[0]->name, "brief");
    EXPECT_TRUE(found.started.empty());
    const WindowTop begun =
        find(log_of(paths, 60, [](std::size_t path, int row) { return path < 2 && row < 20 ? -1.0 : 70.0; }), 18, 22);
    ASSERT_EQ(begun.started.size(), 1U);
    EXPECT_EQ(begun.started[0]->name, "brief");
}

TEST(Window, TotalsAreLeftOutUnlessThereIsNothingElse) {
    const auto rising = [](std::size_t /*path*/, int row) { return row >= 20 && row < 30 ? 90.0 : 1.0; };
    const auto names = [&](const std::vector<std::string>& paths, bool all = false) {
        WindowOptions options;
        options.all_instances = all;
        const WindowTop found = find(log_of(paths, 60, rising), 20, 29, options);
        std::vector<std::string> shown;
        for (const std::uint32_t row : found.disks) shown.push_back(found.rows[row].series.instance->display);
        for (const std::uint32_t row : found.counters) shown.push_back(found.rows[row].series.instance->display);
        return shown;
    };
    const std::string total = R"(PhysicalDisk(_Total)\Current Disk Queue Length)";
    EXPECT_THAT(names({total, R"(PhysicalDisk(0 C:)\Current Disk Queue Length)"}), ElementsAre("0 C:"));
    EXPECT_THAT(names({total}), ElementsAre("_Total"));
    // Of processors, the total is shown.
    EXPECT_THAT(names({R"(Processor(_Total)\% Processor Time)", R"(Processor(0)\% Processor Time)"}),
                ElementsAre("_Total"));
    EXPECT_THAT(names({R"(Processor(0)\% Processor Time)"}), ElementsAre("0"));
}

}  // namespace window_test
