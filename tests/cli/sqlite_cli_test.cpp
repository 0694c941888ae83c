// `hkpd replay --format sqlite`: the values, by the usual queries for the tables of relog.
#include "sqlite_cli.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json_text.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace sqlite_cli_test {

using testing::ElementsAre;

/// Returns the cells of a line of a text log without quotes inside cells.
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells;
    while (!line.empty()) {
        const std::size_t end = line.find('"', 1);
        cells.emplace_back(line.substr(1, end - 1));
        line.remove_prefix(std::min(end + 2, line.size()));
    }
    return cells;
}

/// Time and path of each value: in a text log, and in relog's tables.
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

/// The usual way to build the path of a counter from relog's tables.
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

class SqliteCliValues : public SqliteCli {
  protected:
    Values database_values(const std::string& run) const {
        Values values;
        for (const std::string& row : ask(values_query + " AND DisplayToID.DisplayString = '" + run + "'")) {
            const std::size_t first = row.find('|'), last = row.rfind('|');
            values.insert(
                {{row.substr(0, first), row.substr(first + 1, last - first - 1)}, std::stod(row.substr(last + 1))});
        }
        return values;
    }

    using Selected = std::multiset<std::pair<std::string, std::string>>;  // time, value
    static std::string text_of(double value) { return fmt::format("{}", value); }
    /// Returns what a path selects from an input.
    static Selected selected(const std::string& input, const std::string& path) {
        Selected values;
        const Result result = run({"replay", input, "--path", path, "--format", "jsonl"});
        EXPECT_EQ(result.exit, 0) << path << "\n" << result.err;
        for (const std::string& text : lines(result.out)) {
            const auto line = parse_json(text);
            if (json_text(at(line, "reason")) == "not_displayable") continue;
            std::string time = std::string(at(line, "time").GetString()).substr(0, 23);
            time.replace(10, 1, " ");
            const rapidjson::Value& value = at(line, "value");
            values.emplace(time, value.IsNumber() ? text_of(value.GetDouble()) : "none");
        }
        return values;
    }

    /// Expects the run to equal a text log, value by value.
    void expect_as_text_log(const std::string& name, const std::vector<std::string>& arguments,
                            std::size_t least) const {
        std::vector<std::string> named = arguments;
        named.insert(named.end(), {"--name", name});
        EXPECT_EQ(add(named).exit, 0);
        const Values expected = text_log(arguments), found = database_values(name);
        EXPECT_GE(expected.size(), least);
        EXPECT_EQ(expected.size(), found.size());
        EXPECT_TRUE(expected == found) << name;
    }
};

TEST_F(SqliteCliValues, QueriesForRelogsTablesReturnTheValuesOfTheTextLog) {
    expect_as_text_log("all of demo", {demo}, 1500);
    expect_as_text_log("some", {demo, "--object", "Process", "--counter", "% Processor Time", "--from", "1"}, 15);
    expect_as_text_log("every other", {demo, "--every", "2", "--no-cap"}, 1000);
    expect_as_text_log("simulated", {simulated}, 2000);
    expect_as_text_log("simulated by V2", {simulated, "--source", "v2"}, 500);
    EXPECT_THAT(ask("PRAGMA integrity_check"), ElementsAre("ok"));
    EXPECT_THAT(ask("SELECT count(DISTINCT GUID) FROM CounterData"), ElementsAre("5"));
}

class WindowsSqliteValues : public SqliteCliValues {
  protected:
    std::filesystem::path folder_of_logs_ = windows_folder() / "data/blg";
};

/// A column of a text log is a place, which one process after another can have: the third rundll32 of this log has the
/// place of the second, but in a database another number.
TEST_F(WindowsSqliteValues, EqualThoseOfTheTextLog) {
    for (const auto& [name, options] :
         {std::pair<std::string, std::vector<std::string>>{"win10-14393-counters.blg", {}},
          {"vista-2007-wildcards.blg", {"--to", "6"}}}) {
        std::vector<std::string> arguments{folder_of_logs_ / name};
        arguments.insert(arguments.end(), options.begin(), options.end());
        expect_as_text_log(name, arguments, 240);
        EXPECT_THAT(ask("SELECT MinutesToUTC <> 0 AND TimeZoneName LIKE '% Time' FROM DisplayToID WHERE "
                        "DisplayString = '" +
                        name + "'"),
                    ElementsAre("1"));
    }
}

TEST_F(WindowsSqliteValues, ProcessesOfOneNameAreKeptApart) {
    const std::string log = (folder_of_logs_ / "vista-2007-wildcards.blg").string();
    add_well({log});
    EXPECT_THAT(
        ask("SELECT substr(time, 15, 2), pid, pdh_instance, display FROM samples WHERE instance = 'rundll32' AND "
            "counter = 'Virtual Bytes' AND pid <> 2624 ORDER BY time"),
        ElementsAre("46|3320|rundll32#1|rundll32:3320", "47|580|rundll32#1|rundll32:580",
                    "48|580|rundll32#1|rundll32:580", "49|580|rundll32#1|rundll32:580"));
    // The values, which differ between the log of Windows and the one that tests make of facts about it.
    std::vector<std::string> values;
    for (const char* const path :
         {R"(\Process(rundll32:3320)\Virtual Bytes)", R"(\Process(rundll32:580)\Virtual Bytes)"})
        for (const std::string& line : lines(run({"replay", log, "--format", "jsonl", "--path", path}).out))
            values.push_back(
                line.substr(line.find("\"value\":") + 8, line.find(",\"reason\"") - line.find("\"value\":") - 8));
    EXPECT_EQ(values.size(), 4U);
    EXPECT_EQ(
        ask("SELECT CAST(value AS INTEGER) FROM samples WHERE instance = 'rundll32' AND counter = 'Virtual Bytes' AND "
            "pid <> 2624 ORDER BY time"),
        values);
    EXPECT_THAT(ask("SELECT path FROM counters WHERE instance = 'rundll32' AND counter = 'Thread Count'"),
                ElementsAre(R"(\\ZACH-PC\Process(rundll32:2624)\Thread Count)",
                            R"(\\ZACH-PC\Process(rundll32:3320)\Thread Count)",
                            R"(\\ZACH-PC\Process(rundll32:580)\Thread Count)"));
    EXPECT_THAT(ask("SELECT InstanceIndex FROM CounterDetails WHERE InstanceName = 'rundll32' AND CounterName = "
                    "'Thread Count'"),
                ElementsAre("", "1", "2"));
}

/// Each path of the view `counters`, given to --path, selects the values of this series and no others.
TEST_F(SqliteCliValues, PathsSelectTheirSeries) {
    const std::string threads = folder_.path("threads.mcap");
    EXPECT_EQ(run({"capture", "--simulate", "--seed", "5", "--count", "10", "--interval", "60", "--v1", "--object",
                   "Process", "--object", "Thread", "-o", threads})
                  .exit,
              0);
    struct Case {
        std::string input;
        std::vector<std::string> selected;
        std::string series;  // a condition
    };
    // Without the others of its name, which were not selected, a process has its id in its path.
    for (const Case& one :
         {Case{demo, {}, "id % 40 = 1"}, Case{demo, {}, "pid IS NOT NULL AND id % 50 = 0"},
          Case{demo, {"--path", R"(\Process(svchost#1)\*)"}, "id % 9 = 1"}, Case{threads, {}, "id % 311 = 0"}}) {
        std::filesystem::remove(path_);
        std::vector<std::string> arguments{one.input};
        arguments.insert(arguments.end(), one.selected.begin(), one.selected.end());
        add_well(arguments);
        const std::vector<std::string> series = ask("SELECT id || '|' || path FROM counters WHERE " + one.series);
        EXPECT_GE(series.size(), one.selected.empty() ? 15U : 3U);
        for (const std::string& each : series) {
            const std::string id = each.substr(0, each.find('|')), path = each.substr(id.size() + 1);
            Selected expected;
            for (const std::string& row : ask("SELECT records.time, printf('%!.17g', value), value IS NULL FROM data "
                                              "JOIN records ON records.id = "
                                              "record WHERE series = " +
                                              id))
                expected.emplace(row.substr(0, 23), row.ends_with("|1") ? "none" : text_of(std::stod(row.substr(24))));
            const Selected found = selected(one.input, path);
            EXPECT_EQ(found, expected) << path;
        }
    }
}

/// Two queries of the shapes in which people publish queries for relog's tables: statistics of each counter in a span
/// of time, and counters side by side. T-SQL's conversions of CounterDateTime are left out, as SQLite has no such type.
TEST_F(SqliteCliValues, StatisticsAndPivotsOfRelogsTables) {
    add_well({simulated, "--source", "v1"});
    const Values values = text_log({simulated, "--source", "v1"});
    const std::vector<std::string> span =
        ask("SELECT min(CounterDateTime), max(CounterDateTime) FROM CounterData WHERE RecordIndex BETWEEN 2 AND 4");
    const std::string begin = span.at(0).substr(0, span[0].find('|')), end = span[0].substr(span[0].find('|') + 1);
    std::map<std::string, std::vector<double>> in_span;
    for (const auto& [key, value] : values)
        if (key.first >= begin && key.first <= end) in_span[key.second].push_back(value);

    const auto statistics = ask(R"(
SELECT det.MachineName || '\' || det.ObjectName || ifnull('(' || det.InstanceName || ')', '') || '\' || det.CounterName,
    COUNT(dat.CounterValue), printf('%!.17g', MIN(dat.CounterValue)), printf('%!.17g', MAX(dat.CounterValue))
FROM CounterData AS dat
INNER JOIN CounterDetails AS det ON dat.CounterID = det.CounterID
INNER JOIN DisplayToID AS dis ON dat.GUID = dis.GUID
WHERE det.ObjectName = 'Processor' AND dis.DisplayString = 'simulated.mcap' AND dat.CounterValue IS NOT NULL
    AND dat.CounterDateTime BETWEEN ')" +
                                begin + "' AND '" + end + R"('
GROUP BY det.MachineName, det.ObjectName, det.CounterName, det.InstanceName
ORDER BY AVG(dat.CounterValue) DESC)");
    EXPECT_GE(statistics.size(), 20U);
    for (const std::string& row : statistics) {
        const std::size_t path_end = row.find('|');
        const std::vector<double>& expected = in_span[row.substr(0, path_end)];
        ASSERT_FALSE(expected.empty()) << row;
        const auto [least, most] = std::ranges::minmax(expected);
        std::size_t count = 0;
        double low = 0, high = 0;
        ASSERT_EQ(std::sscanf(row.c_str() + path_end, "|%zu|%lf|%lf", &count, &low, &high), 3) << row;
        EXPECT_EQ(count, expected.size()) << row;
        EXPECT_EQ(low, least) << row;
        EXPECT_EQ(high, most) << row;
    }

    const auto pivot = ask(R"(
SELECT dat.CounterDateTime,
    printf('%!.17g', MAX(CASE WHEN det.CounterName = '% Processor Time' THEN dat.CounterValue END)) AS [% Processor Time],
    printf('%!.17g', MAX(CASE WHEN det.CounterName = 'Interrupts/sec' THEN dat.CounterValue END)) AS [Interrupts/sec]
FROM CounterData dat JOIN CounterDetails det ON dat.CounterID = det.CounterID
WHERE det.ObjectName = 'Processor' AND det.InstanceName = '_Total' AND dat.RecordIndex > 1
GROUP BY dat.CounterDateTime ORDER BY dat.CounterDateTime)");
    EXPECT_GE(pivot.size(), 2U);
    for (const std::string& row : pivot) {
        const std::string time = row.substr(0, row.find('|'));
        double processor = 0, interrupts = 0;
        ASSERT_EQ(std::sscanf(row.c_str() + time.size(), "|%lf|%lf", &processor, &interrupts), 2) << row;
        const std::string machine = values.begin()->first.second.substr(0, values.begin()->first.second.find('\\', 2));
        EXPECT_EQ(values.find({time, machine + R"(\Processor(_Total)\% Processor Time)"})->second, processor) << row;
        EXPECT_EQ(values.find({time, machine + R"(\Processor(_Total)\Interrupts/sec)"})->second, interrupts) << row;
    }
}

/// A row with two blocks, both with damaged names of machines.
TEST_F(SqliteCliValues, AMachineThatIsTwiceInARowHasTwoRecords) {
    const std::string corpus = std::string(testdata_folder) + "/corpus/replay/411a46872c433f250a859649661720cfdf3e20ae";
    const std::string log = folder_.write("two.blg", read_file(corpus).substr(2));
    const Result result = run({"replay", log, "--format", "sqlite", "-o", path_});
    EXPECT_THAT(result.err, testing::Not(testing::HasSubstr("cannot be written")));
    EXPECT_THAT(ask("SELECT count(DISTINCT RecordIndex), count(DISTINCT CounterID) FROM CounterData"),
                ElementsAre("2|1"));
}

TEST_F(SqliteCliValues, ConvenienceViews) {
    add_well({demo, "--path", R"(\Processor(_Total)\% Processor Time)", "--path", R"(\System\Threads)"});
    EXPECT_THAT(
        ask("SELECT * FROM samples ORDER BY time, object"),
        ElementsAre("demo.bin|2024-05-14 09:30:00.000|DEMO|Processor||_Total|||1|_Total|_Total|% Processor Time||%",
                    "demo.bin|2024-05-14 09:30:00.000|DEMO|System||||||||Threads|50.0|",
                    "demo.bin|2024-05-14 09:30:02.000|DEMO|Processor||_Total|||1|_Total|_Total|% Processor Time|28.5|%",
                    "demo.bin|2024-05-14 09:30:02.000|DEMO|System||||||||Threads|51.0|",
                    "demo.bin|2024-05-14 09:30:04.000|DEMO|Processor||_Total|||1|_Total|_Total|% Processor Time|28.5|%",
                    "demo.bin|2024-05-14 09:30:04.000|DEMO|System||||||||Threads|51.0|"));
    EXPECT_THAT(ask("SELECT path FROM counters ORDER BY id"),
                ElementsAre(R"(\\DEMO\System\Threads)", R"(\\DEMO\Processor(_Total)\% Processor Time)"));
    EXPECT_THAT(ask("SELECT * FROM former_samples ORDER BY time, object LIMIT 2"),
                ElementsAre("demo.bin|2024-05-14 09:30:00.000|DEMO|Processor|_Total|% Processor Time||%",
                            "demo.bin|2024-05-14 09:30:00.000|DEMO|System||Threads|50.0|"));
    // SQLite accepts the times as times.
    EXPECT_THAT(ask("SELECT strftime('%s', max(time)) - strftime('%s', min(time)) FROM samples"), ElementsAre("4"));
}

TEST_F(SqliteCliValues, TriggersOfADatabaseThatIsThereDoNotRun) {
    add_well({demo});
    rows(
        "CREATE TABLE acted(x); CREATE TRIGGER act AFTER INSERT ON CounterData BEGIN INSERT INTO acted VALUES (1); "
        "END");
    add_well({demo});
    EXPECT_THAT(ask("SELECT count(*) FROM acted"), ElementsAre("0"));
    EXPECT_THAT(ask("SELECT count(*) FROM DisplayToID"), ElementsAre("2"));
}

TEST_F(SqliteCliValues, RawValuesAreThoseOfJsonLines) {
    add_well({demo, "--raw"});
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
         ask("SELECT substr(CounterDateTime, 12, 12), object, instance, counter, (FirstValueB << 32) | (FirstValueA & "
             "0xFFFFFFFF) FROM CounterData JOIN series ON series.id = CounterID"))
        found.insert(row);
    EXPECT_GT(expected.size(), 1500U);
    EXPECT_TRUE(expected == found);
}

}  // namespace sqlite_cli_test
}  // namespace hkpd_test
