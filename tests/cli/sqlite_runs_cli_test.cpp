// `hkpd replay --format sqlite`: several runs in one database, runs that fail, and errors.
#include <gmock/gmock.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "sqlite_cli.hpp"
#include "support/machine.hpp"
#include "support/waiting.hpp"

namespace hkpd_test {
namespace sqlite_runs_cli_test {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(SqliteCli, AKilledRunLeavesCompleteSamples) {
    {
        Running running({"replay", "--live", "--simulate", "--interval", "0.02", "--format", "sqlite", "-o", path_});
        const std::string count = "SELECT coalesce(max(NumberOfRecords), 0) FROM DisplayToID";
        // While it is written: reads what is there, without blocking the writer.
        const auto has_some = [&] {
            const Result found = sqlite3(count);
            return found.exit == 0 && std::stoi(found.out) > 5;
        };
        wait_until(has_some, "more than five samples are in the database", std::chrono::milliseconds(50));
        running.kill_now();
    }
    EXPECT_THAT(rows("PRAGMA integrity_check"), ElementsAre("ok"));
    const auto records = rows("SELECT NumberOfRecords FROM DisplayToID");
    ASSERT_EQ(records.size(), 1U);
    EXPECT_GT(std::stoi(records[0]), 5);
    EXPECT_THAT(rows("SELECT max(RecordIndex), count(DISTINCT RecordIndex), min(RecordIndex) FROM CounterData"),
                ElementsAre(records[0] + "|" + records[0] + "|1"));
    // The list of processors does not change: each sample has all of them.
    EXPECT_THAT(rows("SELECT count(DISTINCT n) FROM (SELECT count(*) AS n FROM CounterData JOIN CounterDetails USING "
                     "(CounterID) WHERE ObjectName IN ('Processor', 'System', 'Memory') GROUP BY RecordIndex)"),
                ElementsAre("1"));
    EXPECT_THAT(rows("SELECT DISTINCT RecordIndex = (SELECT NumberOfRecords FROM DisplayToID) FROM CounterData WHERE "
                     "CounterDateTime = (SELECT LogStopTime FROM DisplayToID)"),
                ElementsAre("1"));
    add_well({demo});  // the database that was left can be used like any other
    EXPECT_THAT(rows("SELECT count(*) FROM DisplayToID"), ElementsAre("2"));
}

TEST_F(SqliteCli, ConcurrentRunsIntoOneDatabase) {
    const std::string empty = folder_.write("empty.bin", "");
    std::array<Result, 4> results;
    {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < results.size(); ++i)
            threads.emplace_back([this, i, &result = results.at(i), &empty] {
                result = i % 2 == 0 ? add({simulated, "--object", "Process"}) : add({empty});
            });
        for (std::thread& thread : threads) thread.join();
    }
    for (std::size_t i = 0; i < results.size(); ++i)
        EXPECT_EQ(results.at(i).exit, i % 2 == 0 ? 0 : 3) << results.at(i).err;
    EXPECT_THAT(ask("SELECT count(*), count(DISTINCT n) FROM (SELECT count(*) AS n FROM CounterData GROUP BY GUID)"),
                ElementsAre("2|1"));
}

/// A run that waits for its first sample while another fills the database, and then gets none.
TEST_F(SqliteCli, ARunWithoutSamplesRemovesNothing) {
    if (is_skipped(missing_proc())) return;  // it shows when the run waits
    const std::string both = R"(
        mkfifo "$2.fifo"
        "$0" replay - --format sqlite -o "$2" <"$2.fifo" &
        exec 9>"$2.fifo"
        until [[ /proc/$!/exe -ef "$0" && $(cut -d" " -f3 /proc/$!/stat) == S ]]; do  # it waits
            if ((++looks > 5000)); then echo "the first run does not come to wait for its input" >&2; break; fi
            sleep 0.01
        done
        "$0" replay "$1" --format sqlite -o "$2"
        exec 9>&-
        wait $!)";
    const Result result = run({.arguments = {"-c", both, command_file, demo, path_}, .program = "/bin/bash"});
    EXPECT_THAT(result.err, testing::StartsWith("-: error: empty file: the file is empty"));
    ASSERT_TRUE(std::filesystem::exists(path_));
    EXPECT_THAT(ask("SELECT NumberOfRecords FROM DisplayToID"), ElementsAre("3"));
}

TEST_F(SqliteCli, ALinkStays) {
    if (is_skipped(missing_links())) return;
    std::filesystem::create_symlink("target.db", path_);
    EXPECT_EQ(add({folder_.write("empty.bin", "")}).exit, 3);
    EXPECT_TRUE(std::filesystem::is_symlink(path_));
    EXPECT_FALSE(std::filesystem::exists(path_));
    add_well({demo});
    EXPECT_TRUE(std::filesystem::is_symlink(path_));
    EXPECT_TRUE(std::filesystem::is_regular_file(folder_.path("target.db")));
}

TEST_F(SqliteCli, NoInputIsOverwritten) {
    const std::string empty = folder_.write("empty.bin", "");
    for (const std::vector<std::string>& inputs :
         std::vector<std::vector<std::string>>{{empty}, {demo, empty}, {demo, "--titles", empty}}) {
        std::vector<std::string> arguments{"replay", "--format", "sqlite", "-o", empty};
        arguments.insert(arguments.end(), inputs.begin(), inputs.end());
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 2);
        EXPECT_THAT(result.err, HasSubstr("is an input and would be overwritten"));
        EXPECT_EQ(read_file(empty), "");
    }
    EXPECT_THAT(add({folder_.path()}).err, HasSubstr("would be among the inputs"));
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SqliteCli, StandardOutputCannotBeADatabase) {
    const Result result =
        run({.arguments = {"replay", "--format", "sqlite", "-o", "-", demo}, .directory = folder_.path()});
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, HasSubstr("expected the file name of a database"));
    EXPECT_FALSE(std::filesystem::exists(folder_.path("-")));
}

TEST_F(SqliteCli, AnUnwritableFileIsReportedAndNothingIsChanged) {
    const std::string text = folder_.write("notes.txt", "to do\n");
    Result result = run({"replay", "--format", "sqlite", "-o", text, demo});
    EXPECT_EQ(result.exit, 3);
    EXPECT_EQ(result.err, "hkpd replay: '" + text + "' cannot be written: file is not a database\n");
    EXPECT_EQ(read_file(text), "to do\n");
    std::vector<std::string> places{"/dev/null", "/nowhere/perf.db"};
    if (!missing_proc()) places.emplace_back("/proc/perf.db");
    for (const std::string& nowhere : places) {
        result = run({"replay", "--format", "sqlite", "-o", nowhere, demo});
        EXPECT_EQ(result.exit, 3) << nowhere;
        EXPECT_THAT(result.err, HasSubstr("cannot be written: ")) << nowhere;
    }
    EXPECT_EQ(add({folder_.path("none.bin")}).exit, 3);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SqliteCli, AFullDiskEndsTheRunAndCompleteSamplesStay) {
    // Limits files to 4 MiB.
    const std::string limited = "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\"";
    const Result result = run({.arguments = {"-c", limited, hkpd_test::command_file, "replay", "--simulate", "--count",
                                             "300", "--format", "sqlite", "-o", path_},
                               .program = "/bin/bash"});
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(result.err, HasSubstr("cannot be written: "));
    EXPECT_THAT(rows("PRAGMA integrity_check; SELECT count(DISTINCT n) FROM (SELECT count(*) AS n FROM CounterData "
                     "JOIN CounterDetails USING (CounterID) WHERE ObjectName IN ('Processor', 'System', 'Memory') "
                     "GROUP BY RecordIndex); SELECT count(DISTINCT RecordIndex) = max(NumberOfRecords) FROM "
                     "CounterData JOIN DisplayToID USING (GUID)"),
                ElementsAre("ok", "1", "1"));
}

TEST_F(SqliteCli, NamesWithAMeaningInSqliteAreFiles) {
    for (const std::string name : {":memory:", "file:x?mode=memory", "-x", "a b'\"%.db"}) {
        const Result result =
            run({.arguments = {"replay", "--format", "sqlite", "--output=" + name, demo, "--object", "System"},
                 .directory = folder_.path()});
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_TRUE(std::filesystem::exists(folder_.path(name))) << name;
    }
}

TEST_F(SqliteCli, WrongUsage) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"replay", demo, "--format", "sqlite"},
                                               {"replay", demo, "--name", "x"},
                                               {"replay", demo, "--format", "sqlite", "-o", path_, "--summary"},
                                               {"replay", demo, demo, "--format", "sqlite", "-o", path_, "--jobs", "2"},
                                               {"dump", demo, "--format", "sqlite"}})
        EXPECT_EQ(run(arguments).exit, 2) << arguments.at(2) << arguments.back();
    EXPECT_FALSE(std::filesystem::exists(path_));
    EXPECT_EQ(add({demo, "--path", R"(\Nothing\Here)"}).exit, 2);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SqliteCli, ATextNeverReplacesADatabase) {
    EXPECT_EQ(add({demo, "--object", "System"}).exit, 0);
    const std::string before = read_file(path_);
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"replay", demo, "-o", path_}, {"replay", demo, "--format", "csv", "-o", path_}}) {
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 2);
        EXPECT_THAT(result.err, HasSubstr("'" + path_ + "' is a database, to which only --format sqlite adds"));
    }
    EXPECT_EQ(read_file(path_), before);
}

}  // namespace sqlite_runs_cli_test
}  // namespace hkpd_test
