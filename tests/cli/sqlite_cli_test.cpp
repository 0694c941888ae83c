// `hkpd replay --format sqlite`: databases as the sqlite3 tool shows them, by queries as people write them for the
// tables of relog.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "json_text.hpp"
#include "metric_tools.hpp"
#include "places.hpp"
#include "run_command.hpp"
#include "shared_dir.hpp"
#include "temp_folder.hpp"

namespace hkpd_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string demo = std::string(hkpd_test::testdata_folder) + "/captures/demo.bin";
const std::string simulated = std::string(hkpd_test::testdata_folder) + "/captures/simulated.mcap";

/// Rows of a query, with `|` between cells.
Result sqlite3(const std::string& database, const std::string& query) {
    return run({.arguments = {"sqlite3", "-batch", "-readonly", database, query}, .program = "/usr/bin/env"});
}

std::vector<std::string> ask(const std::string& database, const std::string& query) {
    const Result result = sqlite3(database, query);
    EXPECT_EQ(result.exit, 0) << query << "\n" << result.err;
    return lines(result.out);
}

/// The cells of a line of a text log, which have no quotes in them.
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells;
    while (!line.empty()) {
        const std::size_t end = line.find('"', 1);
        cells.emplace_back(line.substr(1, end - 1));
        line.remove_prefix(std::min(end + 2, line.size()));
    }
    return cells;
}

/// Time and path of each value: as a text log has them, and as relog's tables do.
using Values = std::multimap<std::pair<std::string, std::string>, double>;

Values text_log(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"replay", "--format", "pdh-csv", "--tz", "UTC"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const std::vector<std::string> rows = lines(run(all).out);
    const std::vector<std::string> head = cells_of(rows.at(0));
    Values values;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const std::vector<std::string> row = cells_of(rows[i]);
        const std::string& t = row.at(0);  // 05/14/2024 09:30:02.000
        const std::string time = t.substr(6, 4) + '-' + t.substr(0, 2) + '-' + t.substr(3, 2) + t.substr(10);
        for (std::size_t c = 1; c < row.size(); ++c)
            if (row[c] != " ") values.insert({{time, head.at(c)}, std::stod(row[c])});
    }
    return values;
}

/// As people put the path of a counter together from relog's tables.
const std::string values_query = R"(
SELECT CounterData.CounterDateTime,
    CounterDetails.MachineName || '\' || CounterDetails.ObjectName ||
    CASE WHEN CounterDetails.InstanceName IS NULL THEN '' ELSE '(' ||
        CASE WHEN CounterDetails.ParentName IS NULL THEN '' ELSE CounterDetails.ParentName || '/' END ||
        CounterDetails.InstanceName ||
        CASE WHEN CounterDetails.InstanceIndex IS NULL THEN '' ELSE '#' || CounterDetails.InstanceIndex END || ')'
    END || '\' || CounterDetails.CounterName,
    printf('%!.17g', CounterData.CounterValue)
FROM CounterData
INNER JOIN CounterDetails ON CounterData.CounterID = CounterDetails.CounterID
INNER JOIN DisplayToID ON CounterData.GUID = DisplayToID.GUID
WHERE CounterData.CounterValue IS NOT NULL)";

Values database_values(const std::string& database, const std::string& run) {
    Values values;
    for (const std::string& row : ask(database, values_query + " AND DisplayToID.DisplayString = '" + run + "'")) {
        const std::size_t first = row.find('|'), last = row.rfind('|');
        values.insert(
            {{row.substr(0, first), row.substr(first + 1, last - first - 1)}, std::stod(row.substr(last + 1))});
    }
    return values;
}

class SqliteCli : public testing::Test {
  protected:
    void SetUp() override {
        const bool there = shell("command -v sqlite3 >/dev/null").exit == 0;
        if (is_missing("sqlite3", there ? "sqlite3" : "")) GTEST_SKIP() << "sqlite3 is not there";
    }

    Result add(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"replay", "--format", "sqlite", "-o", path_});
        return run(arguments);
    }
    void add_well(const std::vector<std::string>& arguments) const {
        const Result result = add(arguments);
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_EQ(result.out + result.err, "");
    }
    /// The run is what a text log has, value by value.
    void expect_as_text_log(const std::string& name, const std::vector<std::string>& arguments,
                            std::size_t least) const {
        std::vector<std::string> named = arguments;
        named.insert(named.end(), {"--name", name});
        EXPECT_EQ(add(named).exit, 0);
        const Values expected = text_log(arguments), found = database_values(path_, name);
        EXPECT_GE(expected.size(), least);
        EXPECT_EQ(expected.size(), found.size());
        EXPECT_TRUE(expected == found) << name;
    }

    TempFolder folder_;
    std::string path_ = folder_.path("perf.db");
};

TEST_F(SqliteCli, QueriesForRelogsTablesGiveWhatTheTextLogHas) {
    expect_as_text_log("all of demo", {demo}, 1500);
    expect_as_text_log("some", {demo, "--object", "Process", "--counter", "% Processor Time", "--from", "1"}, 15);
    expect_as_text_log("every other", {demo, "--every", "2", "--no-cap"}, 1000);
    expect_as_text_log("simulated", {simulated}, 2000);
    expect_as_text_log("simulated by V2", {simulated, "--source", "v2"}, 500);
    EXPECT_THAT(ask(path_, "PRAGMA integrity_check"), ElementsAre("ok"));
    EXPECT_THAT(ask(path_, "SELECT count(DISTINCT GUID) FROM CounterData"), ElementsAre("5"));
}

TEST_F(SqliteCli, LogsOfWindows) {
    const std::filesystem::path folder = std::filesystem::path(hkpd_test::shared_folder) / "data/blg";
    if (is_missing("shared data", std::filesystem::exists(folder) ? "there" : ""))
        GTEST_SKIP() << folder << " is not there";
    for (const std::string name : {"win10-14393-counters.blg", "vista-2007-wildcards.blg"}) {
        expect_as_text_log(name, {folder / name}, 240);
        EXPECT_THAT(ask(path_,
                        "SELECT MinutesToUTC <> 0 AND TimeZoneName LIKE '% Time' FROM DisplayToID WHERE "
                        "DisplayString = '" +
                            name + "'"),
                    ElementsAre("1"));
    }
}

TEST_F(SqliteCli, ViewsForPeople) {
    add_well({demo, "--path", R"(\Processor(_Total)\% Processor Time)", "--path", R"(\System\Threads)"});
    EXPECT_THAT(ask(path_, "SELECT * FROM samples ORDER BY time, object"),
                ElementsAre("demo.bin|2024-05-14 09:30:00.000|DEMO|Processor|_Total|% Processor Time||%",
                            "demo.bin|2024-05-14 09:30:00.000|DEMO|System||Threads|50.0|",
                            "demo.bin|2024-05-14 09:30:02.000|DEMO|Processor|_Total|% Processor Time|28.5|%",
                            "demo.bin|2024-05-14 09:30:02.000|DEMO|System||Threads|51.0|",
                            "demo.bin|2024-05-14 09:30:04.000|DEMO|Processor|_Total|% Processor Time|28.5|%",
                            "demo.bin|2024-05-14 09:30:04.000|DEMO|System||Threads|51.0|"));
    EXPECT_THAT(ask(path_, "SELECT path FROM counters ORDER BY id"),
                ElementsAre(R"(\\DEMO\System\Threads)", R"(\\DEMO\Processor(_Total)\% Processor Time)"));
    // The times are ones to SQLite.
    EXPECT_THAT(ask(path_, "SELECT strftime('%s', max(time)) - strftime('%s', min(time)) FROM samples"),
                ElementsAre("4"));
}

TEST_F(SqliteCli, RawValuesAreThoseOfJsonLines) {
    add_well({demo});
    std::map<std::string, std::string> raw;  // time and path → value
    const Result json = run({"replay", "--format", "jsonl", demo});
    const auto field = [](const rapidjson::Value& line, const char* key) {
        return at(line, key).IsString() ? std::string(at(line, key).GetString()) : std::string();
    };
    std::multiset<std::string> expected, found;
    for (const std::string& text : lines(json.out)) {
        const auto line = parse_json(text);
        if (!at(line, "reason").IsNull() && field(line, "reason") == "not_displayable") continue;
        expected.insert(field(line, "time").substr(11, 12) + '|' + field(line, "object") + '|' +
                        field(line, "instance") + '|' + field(line, "counter") + '|' + json_text(at(line, "raw")));
    }
    for (const std::string& row :
         ask(path_,
             "SELECT substr(CounterDateTime, 12, 12), ObjectName, InstanceName, CounterName, (FirstValueB << 32) "
             "| (FirstValueA & 0xFFFFFFFF) FROM CounterData JOIN CounterDetails USING (CounterID)"))
        found.insert(row);
    EXPECT_GT(expected.size(), 1500U);
    EXPECT_TRUE(expected == found);
}

TEST_F(SqliteCli, ARunThatIsKilledLeavesWholeSamples) {
    {
        Running running({"replay", "--live", "--simulate", "--interval", "0.02", "--format", "sqlite", "-o", path_});
        const std::string count = "SELECT coalesce(max(NumberOfRecords), 0) FROM DisplayToID";
        // While it is written: as much as is there, by a reader who does not stop it.
        for (int i = 0; i < 200; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            const Result found = sqlite3(path_, count);
            if (found.exit == 0 && std::stoi(found.out) > 5) break;
        }
        running.kill_now();
    }
    // A reader who may write takes in what the run has left beside the file.
    const auto rows = [this](const std::string& query) {
        return lines(run({.arguments = {"sqlite3", "-batch", path_, query}, .program = "/usr/bin/env"}).out);
    };
    EXPECT_THAT(rows("PRAGMA integrity_check"), ElementsAre("ok"));
    const auto records = rows("SELECT NumberOfRecords FROM DisplayToID");
    ASSERT_EQ(records.size(), 1U);
    EXPECT_GT(std::stoi(records[0]), 5);
    EXPECT_THAT(rows("SELECT max(RecordIndex), count(DISTINCT RecordIndex), min(RecordIndex) FROM CounterData"),
                ElementsAre(records[0] + "|" + records[0] + "|1"));
    // The processors stay: each sample has all of them.
    EXPECT_THAT(rows("SELECT count(DISTINCT n) FROM (SELECT count(*) AS n FROM CounterData JOIN CounterDetails USING "
                     "(CounterID) WHERE ObjectName IN ('Processor', 'System', 'Memory') GROUP BY RecordIndex)"),
                ElementsAre("1"));
    EXPECT_THAT(rows("SELECT DISTINCT RecordIndex = (SELECT NumberOfRecords FROM DisplayToID) FROM CounterData WHERE "
                     "CounterDateTime = (SELECT LogStopTime FROM DisplayToID)"),
                ElementsAre("1"));
    add_well({demo});  // what was left behind is a database like any other
    EXPECT_THAT(rows("SELECT count(*) FROM DisplayToID"), ElementsAre("2"));
}

TEST_F(SqliteCli, TwoRunsAtOnceIntoOneDatabase) {
    std::array<Result, 2> results;
    {
        std::vector<std::thread> threads;
        for (Result& result : results)
            threads.emplace_back([this, &result] { result = add({simulated, "--object", "Process"}); });
        for (std::thread& thread : threads) thread.join();
    }
    for (const Result& result : results) EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(ask(path_,
                    "SELECT count(*), count(DISTINCT n) FROM (SELECT count(*) AS n FROM CounterData GROUP BY "
                    "GUID)"),
                ElementsAre("2|1"));
}

TEST_F(SqliteCli, WhatCannotBeWrittenIsSaidAndNothingIsTouched) {
    const std::string text = folder_.write("notes.txt", "to do\n");
    Result result = run({"replay", "--format", "sqlite", "-o", text, demo});
    EXPECT_EQ(result.exit, 3);
    EXPECT_EQ(result.err, "hkpd replay: '" + text + "' cannot be written: file is not a database\n");
    EXPECT_EQ(read_file(text), "to do\n");
    // The input is no database either.
    const std::string before = read_file(demo);
    const std::string copy = folder_.write("copy.bin", before);
    EXPECT_EQ(run({"replay", "--format", "sqlite", "-o", copy, copy}).exit, 3);
    EXPECT_EQ(read_file(copy), before);
    for (const std::string nowhere : {"/dev/null", "/nowhere/perf.db", "/proc/perf.db"}) {
        result = run({"replay", "--format", "sqlite", "-o", nowhere, demo});
        EXPECT_EQ(result.exit, 3) << nowhere;
        EXPECT_THAT(result.err, HasSubstr("cannot be written: ")) << nowhere;
    }
    EXPECT_EQ(add({folder_.path("none.bin")}).exit, 3);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SqliteCli, AFullDiskEndsTheRunAndWholeSamplesStay) {
    // No file may be longer than 4 MiB here.
    const std::string limited = "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\"";
    const Result result = run({.arguments = {"-c", limited, hkpd_test::command_file, "replay", "--simulate", "--count",
                                             "300", "--format", "sqlite", "-o", path_},
                               .program = "/bin/bash"});
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(result.err, HasSubstr("cannot be written: "));
    EXPECT_THAT(lines(run({.arguments = {"sqlite3", "-batch", path_,
                                         "PRAGMA integrity_check; SELECT count(DISTINCT n) FROM (SELECT count(*) AS n "
                                         "FROM CounterData JOIN CounterDetails USING (CounterID) WHERE ObjectName IN "
                                         "('Processor', 'System', 'Memory') GROUP BY RecordIndex); SELECT "
                                         "count(DISTINCT RecordIndex) = max(NumberOfRecords) FROM CounterData JOIN "
                                         "DisplayToID USING (GUID)"},
                           .program = "/usr/bin/env"})
                          .out),
                ElementsAre("ok", "1", "1"));
}

TEST_F(SqliteCli, NamesThatMeanSomethingToSqliteAreFiles) {
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
                                               {"replay", demo, "-o", path_},
                                               {"replay", demo, "--name", "x"},
                                               {"replay", demo, "--format", "csv", "-o", path_},
                                               {"replay", demo, "--format", "sqlite", "-o", path_, "--raw"},
                                               {"replay", demo, "--format", "sqlite", "-o", path_, "--summary"},
                                               {"replay", demo, demo, "--format", "sqlite", "-o", path_, "--jobs", "2"},
                                               {"dump", demo, "--format", "sqlite"}})
        EXPECT_EQ(run(arguments).exit, 2) << arguments.at(2) << arguments.back();
    EXPECT_FALSE(std::filesystem::exists(path_));
    EXPECT_EQ(add({demo, "--path", R"(\Nothing\Here)"}).exit, 2);
    EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace hkpd_test
