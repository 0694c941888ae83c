// Texts as people reported them: each row is a file of `data/found/text` in the shared data, a command on it, and what
// the person needed. `Process V2` and the German log are in language_cli_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace found_text_cli_test {

using testing::HasSubstr;
using testing::Not;

struct Found {
    std::string file;
    std::vector<std::string> command;
    int exit = 0;
    std::vector<std::string> wanted{};    ///< in standard output or standard error, in any order
    std::vector<std::string> unwanted{};  ///< in neither
    std::size_t lines = 0;                ///< of standard output; 0: any number
};

/// Returns the command for values as CSV.
std::vector<std::string> values(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"replay", "--verbose", "--format", "csv"});
    return more;
}

std::vector<Found> numbers() {
    return {
        {.file = "typeperf-minus-one.csv",
         .command = {"replay", "--summary", "--format", "csv"},
         // Count, first, last, min, mean.
         .wanted = {"2013-10-25T11:00:39.984,2013-10-25T11:00:44.984,2,96,96,96,96,", ",6,14,14,14,14,"},
         .lines = 3},
        {.file = "typeperf-minus-one.csv", .command = values(), .wanted = {",not_recorded\n"}, .unwanted = {",-1,"}},
        {.file = "bad-cell.csv",
         .command = {"check"},
         .exit = 1,
         .wanted = {"line 19, time 07/26/2026 20:17:00.877, \\\\SRV1\\PhysicalDisk(21 D:)\\Avg. Disk sec/Read, found "
                    "\"0.0O4\"",
                    "faults: 1 error"}},
        {.file = "bad-cell.csv",
         .command = {"check", "--format", "json"},
         .exit = 1,
         .wanted = {R"("code":"text_cell","sample":17,)", R"("line":19,"time":"07/26/2026 20:17:00.877",)",
                    R"("path":"\\\\SRV1\\PhysicalDisk(21 D:)\\Avg. Disk sec/Read","text":"0.0O4",)",
                    R"("counter":"Avg. Disk sec/Read",)", R"("object_name":"PhysicalDisk","instance_name":"21 D:",)"}},
    };
}

std::vector<Found> times() {
    const auto timeline = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"replay", "--from", "14:03", "--format", "timeline"});
        return more;
    };
    return {
        {.file = "dst-autumn.csv",
         .command = {"info"},
         .wanted = {"2025-10-26T00:00:00.000Z", "2025-10-26T02:50:00.000Z", "samples      18, every 10 min",
                    "gaps         none", "faults       none"}},
        {.file = "dst-autumn.csv",
         .command = values(),
         .wanted = {"2025-10-26T00:50:00.000Z,SRV1,log,System,,,,,,,1,,Processes,,PERF_DOUBLE_RAW,5,5,",
                    "2025-10-26T01:00:00.000Z,SRV1,log,System,,,,,,,1,,Processes,,PERF_DOUBLE_RAW,6,6,",
                    "2025-10-26T02:50:00.000Z,SRV1,log,System,,,,,,,1,,Processes,,PERF_DOUBLE_RAW,17,17,"},
         .unwanted = {"time_order"},
         .lines = 19},
        {.file = "dst-spring.csv",
         .command = {"info"},
         .wanted = {"2025-03-30T00:00:00.000Z", "2025-03-30T02:50:00.000Z", "gaps         none"}},
        {.file = "dst-spring.csv",
         .command = values(),
         .wanted = {"2025-03-30T00:50:00.000Z,SRV1,log,System,,,,,,,1,,Processes,,PERF_DOUBLE_RAW,5,5,",
                    "2025-03-30T01:00:00.000Z,SRV1,log,System,,,,,,,1,,Processes,,PERF_DOUBLE_RAW,6,6,"},
         .lines = 19},
        {.file = "typeperf-local-time.csv",
         .command = timeline({"--log-tz", "Europe/Berlin", "--tz", "Europe/Berlin"}),
         .wanted = {"time (UTC+02:00)", "2026-07-15 14:03:00.100         203", "2026-07-15 14:04:00.100         204"},
         .lines = 4},
        {.file = "typeperf-local-time.csv",
         .command = timeline({}),
         .wanted = {"time (local)", "2026-07-15 14:03:00.100         203"},
         .lines = 4},
        {.file = "typeperf-local-time.csv",
         .command = {"info"},
         .wanted = {"to           2026-07-15 14:04:00.100\n", "zone         not stated: times are local times"}},
        {.file = "appended-gaps.csv",
         .command = {"info", "--all"},
         .wanted = {"gaps         4, ", "2010-05-01T06:00:50.100Z to 2010-05-01T07:00:00.100Z, 59.17 min, SRV1",
                    "2010-05-01T07:00:50.100Z to 2010-05-01T12:00:00.100Z, 4.986 h, SRV1",
                    "2010-05-01T12:00:50.100Z to 2010-05-02T06:00:00.100Z, 17.99 h, SRV1",
                    "2010-05-02T06:00:50.100Z to 2010-05-03T18:00:00.100Z, 35.99 h, SRV1", "runs         5, "}},
        {.file = "appended-gaps.csv",
         .command = {"info", "--all", "--format", "json"},
         .wanted = {R"("from":"2010-05-01T06:00:50.100Z","to":"2010-05-01T07:00:00.100Z")"}},
    };
}

std::vector<Found> headers() {
    return {
        {.file = "header-time.csv",
         .command = values(),
         .wanted = {"2026-01-26T13:46:33.877,SRV1,log,Processor,,,,_Total,,,1,_Total,% Processor Time,"
                    ",PERF_DOUBLE_RAW,1,1,",
                    "2026-01-26T13:46:34.877,SRV1,log,Memory,,,,,,,1,,Available MBytes,,PERF_DOUBLE_RAW,5,5,"},
         .lines = 5},
        {.file = "header-suffix.csv",
         .command = values(),
         .wanted = {"2018-10-31T14:42:15.000Z,SRV1,log,System,,,,,,,1,,Processes,,PERF_DOUBLE_RAW,200,200,",
                    "2018-10-31T14:42:30.000Z,SRV1,log,System,,,,,,,1,,Threads,,PERF_DOUBLE_RAW,2001,2001,",
                    ": note: text log: "},
         .lines = 5},
        {.file = "renamed-only-column.csv",
         .command = values(),
         .wanted = {"2018-10-31T14:42:00.000Z,,log,Other columns,,,,,,,1,,Sessions,,PERF_DOUBLE_RAW,,,not_recorded",
                    "2018-10-31T14:42:30.000Z,,log,Other columns,,,,,,,1,,Sessions,,PERF_DOUBLE_RAW,2,2,"},
         .lines = 4},
        {.file = "renamed-last-column.csv",
         .command = values(),
         .wanted = {"2018-10-31T14:42:15.000Z,SRV1,log,Other columns,,,,,,,1,,Sessions,,PERF_DOUBLE_RAW,1,1,",
                    "2018-10-31T14:42:30.000Z,SRV1,log,System,,,,,,,1,,Processes,,PERF_DOUBLE_RAW,201,201,"},
         .lines = 5},
    };
}

std::vector<Found> other_texts() {
    return {
        {.file = "get-counter.txt",
         .command = values(),
         .wanted = {"2026-12-01T10:00:00.000,srv1,log,processor,,,,_total,,,1,_total,% processor "
                    "time,,PERF_DOUBLE_RAW,15.7,15.7,",
                    "2026-12-01T10:00:00.000,srv1,log,memory,,,,,,,1,,available mbytes,,PERF_DOUBLE_RAW,32760,32760,"},
         .lines = 3},
        {.file = "get-counter-export.csv",
         .command = values(),
         .wanted = {"2026-12-01T10:00:00.000,srv1,log,processor,,,,_total,,,1,_total,% processor "
                    "time,,PERF_DOUBLE_RAW,15.7,15.7,",
                    "2026-12-01T10:00:01.000,srv1,log,processor,,,,_total,,,1,_total,% processor "
                    "time,,PERF_DOUBLE_RAW,16.7,16.7,"},
         .lines = 3},
        {.file = "russian-1251.csv",
         .command = values(),
         .wanted = {"2026-07-26T10:46:33.877Z,SRV1,log,Процессор,,,,_Total,,,1,_Total,% загруженности "
                    "процессора,,PERF_DOUBLE_RAW,20.9,20.9,",
                    "are read in this code page", "line 1, found 1251"},
         .lines = 2},
        {.file = "russian-1251.csv",
         .command = values({"--encoding", "1251"}),
         .wanted = {",Процессор,", ",20.9,20.9,"},
         .lines = 2},
        {.file = "lodctr-q.txt",
         .command = {"check"},
         .exit = 1,
         .wanted = {"the provider is disabled", "provider: service PerfProc, %SystemRoot%\\System32\\perfproc.dll",
                    "checked: 0 samples, 1 provider"}},
    };
}

class RealFoundTexts : public SharedDir {
  protected:
    void run_each(const std::vector<Found>& rows) const {
        for (const Found& found : rows) {
            std::vector<std::string> arguments = found.command;
            arguments.push_back(path("data/found/text/" + found.file));
            const Result result = run(arguments);
            const std::string all = result.out + result.err;
            EXPECT_EQ(result.exit, found.exit) << found.file << "\n" << all;
            for (const std::string& wanted : found.wanted) EXPECT_THAT(all, HasSubstr(wanted)) << found.file;
            for (const std::string& unwanted : found.unwanted) EXPECT_THAT(all, Not(HasSubstr(unwanted))) << found.file;
            if (found.lines != 0) {
                EXPECT_EQ(lines(result.out).size(), found.lines) << found.file << "\n" << result.out;
            }
        }
    }
};

TEST_F(RealFoundTexts, NumbersAndTheirFaults) { run_each(numbers()); }
TEST_F(RealFoundTexts, Times) { run_each(times()); }
TEST_F(RealFoundTexts, FirstLines) { run_each(headers()); }
TEST_F(RealFoundTexts, OtherTexts) { run_each(other_texts()); }

}  // namespace found_text_cli_test
}  // namespace hkpd_test
