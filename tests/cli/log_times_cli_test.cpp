// The times of text logs: zones that the first line states, --log-tz and logs without a zone, gaps and runs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "hkpd/zone.hpp"
#include "run_command.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace log_times_cli_test {

using testing::HasSubstr;
using testing::Not;

/// Returns a log with one counter: `head` in the first cell, a row for each time.
std::string log_of(const std::string& head, const std::vector<std::string>& times) {
    std::string text = "\"" + head + "\",\"\\\\SRV1\\System\\Processes\"\r\n";
    for (std::size_t i = 0; i < times.size(); ++i) text += fmt::format("\"{}\",\"{}\"\r\n", times[i], 200 + i);
    return text;
}

/// Returns times of a day, every ten minutes.
void add_hours(std::vector<std::string>& times, const std::string& day, std::initializer_list<int> hours) {
    for (const int hour : hours)
        for (int ten = 0; ten < 6; ++ten) times.push_back(fmt::format("{} {:02}:{}0:00.000", day, hour, ten));
}

class LogTimesCli : public testing::Test {
  protected:
    void SetUp() override {
        if (!hkpd::Zone::parse("Europe/Berlin")) GTEST_SKIP() << "this machine has no rules of time zones";
    }
    /// Returns the time of each sample.
    std::vector<std::string> times(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"replay", "--format", "csv"});
        std::vector<std::string> found;
        for (const std::string& line : lines(run(arguments).out))
            if (!line.starts_with("time,")) found.push_back(line.substr(0, line.find(',')));
        return found;
    }
    std::string typeperf(const std::string& name = "typeperf.csv") const {
        std::vector<std::string> all;
        for (int minute = 0; minute < 5; ++minute) all.push_back(fmt::format("07/15/2026 14:0{}:00.100", minute));
        return folder_.write(name, log_of("(PDH-CSV 4.0)", all));
    }
    TempFolder folder_;
};

TEST_F(LogTimesCli, TheEndOfSummerTime) {
    std::vector<std::string> local;
    add_hours(local, "10/26/2025", {2, 2, 3});
    const std::string path =
        folder_.write("autumn.csv", log_of("(PDH-CSV 4.0) (W. Europe Daylight Time)(-120)", local));
    const auto found = times({path});
    ASSERT_EQ(found.size(), 18U);
    EXPECT_EQ(std::set(found.begin(), found.end()).size(), 18U) << "each once";
    EXPECT_EQ(found.front(), "2025-10-26T00:00:00.000Z");
    EXPECT_EQ(found.back(), "2025-10-26T02:50:00.000Z");
    EXPECT_TRUE(std::ranges::is_sorted(found));
    const Result info = run({"info", path});
    EXPECT_THAT(info.out, HasSubstr("gaps         none\n"));
    EXPECT_THAT(info.out, HasSubstr("(2025-10-26T02:50:00.000Z)\n"));
    EXPECT_EQ(run({"replay", path}).err, "");
    EXPECT_EQ(times({path, "--from", "2025-10-26T01:00Z"}).size(), 12U);
}

TEST_F(LogTimesCli, TheBeginOfSummerTime) {
    std::vector<std::string> local;
    add_hours(local, "03/30/2025", {1, 3, 4});
    const std::string path = folder_.write("spring.csv", log_of("(PDH-CSV 4.0) (W. Europe Standard Time)(-60)", local));
    EXPECT_EQ(times({path}).back(), "2025-03-30T02:50:00.000Z");
    EXPECT_THAT(run({"info", path}).out, HasSubstr("gaps         none\n"));
}

TEST_F(LogTimesCli, AnUnknownZoneHasTheStatedOffset) {
    const std::string path = folder_.write(
        "unknown.csv",
        log_of("(PDH-CSV 4.0) (Zeit von Nirgendwo)(-60)", {"03/30/2025 01:59:30.000", "03/30/2025 01:59:40.000",
                                                           "03/30/2025 01:59:50.000", "03/30/2025 03:00:00.000"}));
    EXPECT_EQ(times({path}).back(), "2025-03-30T02:00:00.000Z");
    EXPECT_THAT(run({"replay", "-v", path}).err, HasSubstr("the name of the time zone in the first line is unknown"));
    EXPECT_EQ(times({"--log-tz", "Europe/Berlin", path}).back(), "2025-03-30T01:00:00.000Z");
}

TEST_F(LogTimesCli, WithoutAZoneTimesAreShownAsLocalTimes) {
    const std::string path = typeperf();
    const std::vector<std::string> found = times({path, "--tz", "Europe/Berlin", "--from", "14:03"});
    EXPECT_THAT(found, testing::ElementsAre("2026-07-15T14:03:00.100", "2026-07-15T14:04:00.100"));
    for (const char* format : {"text", "timeline", "json", "jsonl", "csv"}) {
        const Result shown = run({"replay", "--format", format, path});
        EXPECT_THAT(shown.out, HasSubstr("14:03:00.100")) << format;
        EXPECT_THAT(shown.out, Not(HasSubstr("14:03:00.100Z"))) << format;
    }
    EXPECT_THAT(run({"replay", "--format", "pdh-csv", path}).out, testing::StartsWith("\"(PDH-CSV 4.0)\","));
    EXPECT_THAT(run({"replay", "--summary", "--format", "jsonl", path}).out, HasSubstr("\"2026-07-15T14:00:00.100\""));
    const std::string line = "zone         not stated: times are local times of the machine; --log-tz ZONE states it\n";
    const Result info = run({"info", path});
    EXPECT_THAT(info.out, HasSubstr(line));
    EXPECT_THAT(info.out, HasSubstr("from         2026-07-15 14:00:00.100\n"));
    EXPECT_THAT(run({"info", "--format", "json", path}).out, HasSubstr("\"from\":\"2026-07-15T14:00:00.100\""));
    EXPECT_THAT(run({"top", path}).out, HasSubstr("local time (zone not stated)"));
    const std::string page = folder_.path("page.html");
    EXPECT_EQ(run({"report", path, "-o", page}).exit, 0);
    EXPECT_THAT(read_file(page), HasSubstr("not stated: times are local times of the machine"));
}

TEST_F(LogTimesCli, NumbersOfLocalTimesAreMarked) {
    const std::string path = typeperf();
    const std::string message = "the local times of the log were written as if they were UTC; --log-tz states the zone";
    const Result metrics = run({"replay", "--format", "openmetrics", path});
    EXPECT_EQ(metrics.exit, 0);
    EXPECT_THAT(metrics.out, HasSubstr("1784124000.100"));
    EXPECT_THAT(metrics.err, HasSubstr(message));
    EXPECT_THAT(run({"replay", "--format", "sqlite", "-o", folder_.path("a.sqlite"), path}).err, HasSubstr(message));
    const Result stated = run({"replay", "--format", "openmetrics", "--log-tz", "Europe/Berlin", path});
    EXPECT_THAT(stated.out, HasSubstr("1784116800.100"));
    EXPECT_EQ(stated.err, "");
}

TEST_F(LogTimesCli, TheOptionStatesTheZoneOfAllOrOneInput) {
    const std::string one = typeperf("one.csv"), two = typeperf("two.csv");
    EXPECT_EQ(times({one, "--log-tz", "Europe/Berlin"}).front(), "2026-07-15T12:00:00.100Z");
    EXPECT_EQ(times({one, "--log-tz", "one.csv=Pacific Standard Time", "--log-tz", "Europe/Berlin"}).front(),
              "2026-07-15T21:00:00.100Z");
    EXPECT_EQ(times({two, "--log-tz", one + "=UTC"}).front(), "2026-07-15T14:00:00.100");
    // A zone that the first line states stays, unless its file is named.
    const std::string stated =
        folder_.write("stated.csv", log_of("(PDH-CSV 4.0) (Tokyo Standard Time)(-540)", {"07/15/2026 14:00:00.100"}));
    EXPECT_EQ(times({stated, "--log-tz", "Europe/Berlin"}).front(), "2026-07-15T05:00:00.100Z");
    for (const std::string subcommand : {"replay", "dump", "top", "info", "check", "compare", "report"}) {
        const Result wrong = run({subcommand, "--log-tz", "Europe/Berlim", one});
        EXPECT_EQ(wrong.exit, 2) << subcommand;
        EXPECT_THAT(wrong.err, HasSubstr("--log-tz: expected local, UTC, the name of a zone")) << subcommand;
    }
}

TEST_F(LogTimesCli, GapsAndRunsAreListed) {
    std::vector<std::string> local;
    for (const char* begin :
         {"05/01/2010 08:00", "05/01/2010 09:00", "05/01/2010 14:00", "05/02/2010 08:00", "05/03/2010 20:00"})
        for (int ten = 0; ten < 6; ++ten) local.push_back(fmt::format("{}:{}0.100", begin, ten));
    const std::string path = folder_.write("runs.csv", log_of("(PDH-CSV 4.0) (W. Europe Daylight Time)(-120)", local));
    EXPECT_THAT(run({"info", path}).out,
                HasSubstr("runs         5, between gaps of more than ten intervals; --all lists them\n"));
    const std::string all = run({"info", "--all", path}).out;
    EXPECT_THAT(all, HasSubstr("2010-05-01T06:00:50.100Z to 2010-05-01T07:00:00.100Z, 59.17 min, SRV1\n"));
    EXPECT_THAT(all, HasSubstr("2010-05-02T06:00:50.100Z to 2010-05-03T18:00:00.100Z, 35.99 h, SRV1\n"));
    EXPECT_THAT(all, HasSubstr("2010-05-03T18:00:00.100Z to 2010-05-03T18:00:50.100Z, 6 samples, SRV1\n"));
    const std::string json = run({"info", "--format", "json", path}).out;
    EXPECT_THAT(json,
                HasSubstr("\"gap_list\":[{\"from\":\"2010-05-01T06:00:50.100Z\",\"to\":\"2010-05-01T07:00:00.100Z\","
                          "\"machine\":\"SRV1\",\"source\":\"log\",\"input\":"));
    EXPECT_THAT(json, HasSubstr("\"seconds\":3550}"));
    EXPECT_THAT(json, HasSubstr("\"samples\":6}],\"bytes\""));
}

}  // namespace log_times_cli_test
}  // namespace hkpd_test
