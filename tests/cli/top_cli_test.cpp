// `hkpd top`, and the sorted and cut summaries of `hkpd replay`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "json_text.hpp"
#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/log_reading.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace top_cli_test {

using testing::HasSubstr;
using testing::Not;

const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";

Result top(std::vector<std::string> arguments, std::string columns = "80") {
    arguments.insert(arguments.begin(), "top");
    return run({.arguments = std::move(arguments), .columns = std::move(columns)});
}

TEST(TopCli, FitsAScreen) {
    for (const std::string columns : {"40", "60", "80", "120"}) {
        const Result result = top({demo}, columns);
        EXPECT_EQ(result.exit, 0) << result.err;
        const auto all = lines(result.out);
        EXPECT_LE(all.size(), 24U);
        ASSERT_GT(all.size(), 12U);
        for (std::size_t i = 2; i < all.size(); ++i) EXPECT_LE(all[i].size(), std::stoul(columns)) << all[i];
    }
    for (const std::string& line : lines(top({demo}).out)) EXPECT_LE(line.size(), 80U) << line;
}

TEST(TopCli, ProcessesComeWithTheirIds) {
    const Result result = top({demo, "--top", "100"}, "200");
    EXPECT_THAT(result.out, HasSubstr("machine DEMO, 3 samples, "));
    EXPECT_THAT(result.out, HasSubstr(" processes by processor time;"));
    EXPECT_THAT(result.out, Not(HasSubstr("_Total")));
    EXPECT_THAT(result.out, Not(HasSubstr("Idle")));
    std::size_t svchosts = 0;
    for (const std::string& line : lines(result.out)) svchosts += line.starts_with("svchost ") ? 1U : 0U;
    EXPECT_GT(svchosts, 2U);
    EXPECT_THAT(result.out, HasSubstr("lifetime"));
    EXPECT_THAT(top({demo, "--all-instances", "--top", "100"}).out, HasSubstr("Idle"));
    EXPECT_THAT(top({demo, "--instance", "_Total"}).out, HasSubstr("_Total"));
}

TEST(TopCli, RowsAreSortedAndCut) {
    const auto document = parse_json(
        top({demo, "--by", R"(\Process(*)\Working Set)", "--sort", "max", "--top", "4", "--format", "json"}).out);
    const auto& rows = document["rows"];
    ASSERT_EQ(rows.Size(), 4U);
    for (rapidjson::SizeType i = 0; i < rows.Size(); ++i) {
        EXPECT_STREQ(rows[i]["counter"].GetString(), "Working Set");
        EXPECT_TRUE(rows[i]["pid"].IsUint());
        for (const char* const key : {"object", "instance", "count", "first", "last", "min", "mean", "p50", "p95",
                                      "p99", "max", "stddev", "delta", "slope"})
            EXPECT_TRUE(rows[i].HasMember(key)) << key;
        if (i != 0) {
            EXPECT_GE(rows[i - 1]["max"].GetDouble(), rows[i]["max"].GetDouble());
        }
    }
    // The same numbers as in the summary.
    const auto summary = parse_json(run({"replay", demo, "--summary", "--object", "Process", "--counter", "Working Set",
                                         "--sort", "max", "--format", "json"})
                                        .out);
    std::size_t found = 0;
    for (const auto& line : summary["rows"].GetArray())
        for (const auto& row : rows.GetArray()) found += json_text(line) == json_text(row) ? 1U : 0U;
    EXPECT_EQ(found, 4U);
}

/// Without the rule, processes that live for two of sixty samples have the largest slopes.
TEST(TopCli, SlopesOfFewValuesAreLast) {
    for (const std::vector<std::string>& by :
         {std::vector<std::string>{}, std::vector<std::string>{"--by", R"(\Process(*)\Private Bytes)"}}) {
        std::vector<std::string> arguments{"--simulate", "--count", "60",   "--interval", "60",  "--sort",
                                           "slope",      "--top",   "1000", "--format",   "json"};
        arguments.insert(arguments.end(), by.begin(), by.end());
        std::vector<std::pair<std::uint64_t, double>> rows;  // number of values, slope
        const auto document = parse_json(top(arguments).out);
        for (const auto& row : document["rows"].GetArray())
            if (row["counter"] == "Private Bytes" && row["slope"].IsNumber())
                rows.emplace_back(row["count"].GetUint64(), row["slope"].GetDouble());
        ASSERT_GT(rows.size(), 50U);
        const auto brief = std::ranges::find_if(rows, [](const auto& row) { return row.first < 15; });
        ASSERT_NE(brief, rows.end());
        EXPECT_GT(brief - rows.begin(), 5);
        EXPECT_TRUE(std::all_of(brief, rows.end(), [](const auto& row) { return row.first < 15; }));
        EXPECT_TRUE(
            std::is_sorted(rows.begin(), brief, [](const auto& a, const auto& b) { return a.second > b.second; }));
        EXPECT_GT(brief->second, rows.front().second);
    }
}

TEST(TopCli, CsvAndJsonLinesHaveTheSameRows) {
    const auto csv = lines(top({demo, "--format", "csv", "--top", "3"}).out);
    const auto jsonl = lines(top({demo, "--format", "jsonl", "--top", "3"}).out);
    EXPECT_EQ(csv.size(), jsonl.size() + 1);
    EXPECT_THAT(csv[0], HasSubstr("count,first,last,min,mean,p50,p95,p99,max,stddev,delta,slope,"));
    EXPECT_EQ(jsonl.size(), 3U * 5);
}

/// Returns a PDH-CSV log of one machine with two processes of one minute between samples: `steady` uses 10 % all the
/// time, `brief` 40 % in the samples from `begin` to `end`; `leaky` gains a MiB each minute from sample `leak` on.
std::string minutes_log(int samples, int begin, int end, int leak) {
    std::string text = "\"(PDH-CSV 4.0) (UTC)(0)\"";
    for (const std::string name : {"steady", "brief", "leaky"})
        for (const std::string counter : {"% Processor Time", "Private Bytes", "ID Process"})
            text += ",\"\\\\PC\\Process(" + name + ")\\" + counter + "\"";
    for (int i = 0; i < samples; ++i) {
        const auto two = [](int number) { return (number < 10 ? "0" : "") + std::to_string(number); };
        const auto cell = [](const std::string& value) { return ",\"" + value + "\""; };
        text += "\n\"05/14/2024 " + two(i / 60) + ":" + two(i % 60) + ":00.000\"";
        text += cell("10") + cell("1000000") + cell("4");
        const bool lives = i >= begin && i < end;
        text += cell(lives ? "40" : " ") + cell(lives ? "1000000" : " ") + cell(lives ? "8" : " ");
        text += cell("1") + cell(std::to_string(1'048'576 * (100 + std::max(0, i - leak)))) + cell("12");
    }
    return text + "\n";
}

TEST(TopCli, ProcessesAreRankedByWhatTheyUsedInTotal) {
    const TempFolder folder;
    const std::string log = folder.write("in.csv", minutes_log(120, 60, 70, 1000));
    const Result result = top({log}, "200");
    const auto all = lines(result.out);
    ASSERT_GT(all.size(), 4U) << result.out;
    // 119 minutes at 10 %, 10 minutes at 40 % and 119 minutes at 1 %: 714, 240 and 71.4 seconds.
    EXPECT_THAT(all[3], testing::AllOf(testing::StartsWith("steady"), HasSubstr(" 714 "), HasSubstr(" 10 % ")));
    EXPECT_THAT(all[4], testing::AllOf(testing::StartsWith("brief"), HasSubstr(" 240 "), HasSubstr(" 3.361 % "),
                                       HasSubstr(" 40 % "), HasSubstr(" 01:00 "), HasSubstr("01:00-01:09")));
    EXPECT_THAT(all[5], testing::AllOf(testing::StartsWith("leaky"), HasSubstr(" 71.4 ")));
    const auto document = parse_json(top({log, "--format", "json"}).out);
    const auto& row = document["rows"][0];
    EXPECT_STREQ(row["instance"].GetString(), "steady");
    EXPECT_NEAR(row["total"].GetDouble(), 71'400, 1e-6);
    EXPECT_STREQ(row["max_time"].GetString(), "2024-05-14T00:00:00.000Z");
}

TEST(TopCli, GrowthNeedsEvidence) {
    const TempFolder folder;
    const auto found = [&](int samples, int leak) {
        return top({folder.write("in.csv", minutes_log(samples, 0, 0, leak)), "--sort", "growth"}, "200").out;
    };
    const std::string leak = found(120, 0);
    EXPECT_THAT(lines(leak).at(3), testing::AllOf(testing::StartsWith("leaky"), HasSubstr("+60 MiB"))) << leak;
    EXPECT_THAT(leak, HasSubstr("growing steadily: leaky (12), private bytes +60 MiB/h over 1.98 h, R2 1.00\n"));
    EXPECT_THAT(found(120, 1000), HasSubstr("nothing grows steadily\n"));
    EXPECT_THAT(found(9, 0), HasSubstr("too short for a verdict: 9 samples in 8 min"));
    EXPECT_THAT(found(9, 0), Not(HasSubstr("MiB/h")));
    const auto document = parse_json(top({folder.write("in.csv", minutes_log(9, 0, 0, 0)), "--format", "json"}).out);
    for (const auto& row : document["rows"].GetArray()) {
        EXPECT_TRUE(row["growth"].IsNull());
        EXPECT_STREQ(row["growth_doubt"].GetString(), "few_values");
    }
}

TEST(TopCli, EachHeadingIsAcceptedBackByItsOrder) {
    const TempFolder folder;
    const std::string log = folder.write("in.csv", minutes_log(120, 60, 70, 0));
    for (const std::vector<std::string>& inputs : {std::vector<std::string>{log},
                                                   {demo},
                                                   {demo, log},
                                                   {std::string(testdata_folder) + "/captures/simulated.mcap"}}) {
        const std::string table = top(inputs, "400").out;
        const auto all = lines(table);
        std::vector<std::string> headings;
        for (std::string rest = all.at(2); !rest.empty();) {  // columns are at least two blanks apart
            const std::size_t begin = std::min(rest.find_first_not_of(' '), rest.size());
            const std::size_t end = std::min(rest.find("  ", begin), rest.size());
            if (end > begin) headings.push_back(rest.substr(begin, end - begin));
            rest.erase(0, end);
        }
        EXPECT_GT(headings.size(), 8U) << table;
        for (const std::string& heading : headings) {
            std::vector<std::string> arguments = inputs;
            arguments.insert(arguments.end(), {"--sort", heading});
            const Result sorted = top(arguments, "400");
            EXPECT_EQ(sorted.exit, 0) << heading << sorted.err;
            EXPECT_THAT(lines(sorted.out).at(1), HasSubstr(" by ")) << sorted.out;
        }
    }
    for (const auto& [heading, first] :
         {std::pair("max", "brief"), std::pair("CPU s", "steady"), std::pair("PB peak", "leaky"),
          std::pair("lifetime", "brief"), std::pair("PID", "leaky")})
        EXPECT_THAT(lines(top({log, "--sort", heading}, "200").out).at(3), testing::StartsWith(first)) << heading;
    const Result refused = top({log, "--by", R"(\Process(*)\Private Bytes)", "--sort", "cpu"});
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr("--sort cpu: orders processes"));
}

TEST(TopCli, MachinesAreRankedTogetherOrEach) {
    const TempFolder folder;
    const std::string log = folder.write("in.csv", minutes_log(120, 60, 70, 0));
    const auto together = lines(top({demo, log, "--top", "2"}, "200").out);
    EXPECT_THAT(together.at(2), HasSubstr("machine"));
    // Ten years are between the logs: means are over the samples of a machine.
    EXPECT_THAT(together.at(3), testing::AllOf(testing::StartsWith("steady"), HasSubstr(" 10 % "), HasSubstr("PC")));
    const std::string each = top({demo, log, "--top", "2", "--per-machine"}, "200").out;
    EXPECT_THAT(each, HasSubstr("\nDEMO: 2 of 18 processes by processor time"));
    EXPECT_THAT(each, HasSubstr("\nPC: 2 of 3 processes by processor time"));
    const auto document = parse_json(top({demo, log, "--top", "2", "--per-machine", "--format", "json"}).out);
    std::vector<std::string> machines;
    for (const auto& row : document["rows"].GetArray())
        if (machines.empty() || machines.back() != row["machine"].GetString())
            machines.emplace_back(row["machine"].GetString());
    EXPECT_EQ(machines, (std::vector<std::string>{"DEMO", "PC"}));
    const auto by = top({demo, log, "--by", R"(\Process(*)\Private Bytes)", "--top", "2", "--per-machine"}, "200");
    EXPECT_THAT(lines(by.out), testing::SizeIs(2 + 4)) << by.out;
}

struct Process {
    std::u16string name;
    std::uint64_t id, time, memory;  // time: of the processor, in 100 ns
};

/// Returns a block with processes, a number of seconds after the first one.
std::string processes(std::int64_t second, const std::vector<Process>& all) {
    blob::Object object{.title = 230,
                        .kind = blob::Kind::multi,
                        .counters = {{.title = 6, .type = 0x20510500, .size = 8},
                                     {.title = 180, .type = 0x00010100, .size = 8},
                                     {.title = 784}}};
    for (const Process& each : all)
        object.instances.push_back({.name = each.name, .values = {each.time, each.memory, each.id}});
    blob::Block block{.objects = {std::move(object)}};
    constexpr std::int64_t ticks = 10'000'000;
    block.perf_time += second * ticks;
    block.system_time.second = static_cast<std::uint16_t>(block.system_time.second + second);
    return to_text(blob::build(block));
}

TEST(TopCli, AProcessThatTakesThePlaceOfAnotherIsARowOfItsOwn) {
    // The first `job` ends, and another `job` takes its slot and its name. Together they would have a mean of 150 %.
    constexpr std::uint64_t s = 10'000'000;
    const TempFolder folder;
    const std::string path =
        folder.write("in.bin", processes(0, {{u"job", 7, 0, 100}, {u"other", 9, 0, 5}}) +
                                   processes(1, {{u"job", 7, 2 * s, 200}, {u"other", 9, s / 2, 5}}) +
                                   processes(2, {{u"job", 8, 0, 300}, {u"other", 9, s, 5}}) +
                                   processes(4, {{u"job", 8, 2 * s, 500}, {u"other", 9, 2 * s, 5}}));
    const auto document = parse_json(top({path, "--by", R"(\Process(*)\% Processor Time)", "--format", "json"}).out);
    const auto& rows = document["rows"];
    ASSERT_EQ(rows.Size(), 3U);
    EXPECT_EQ(rows[0]["pid"].GetUint(), 7U);
    EXPECT_EQ(rows[0]["count"].GetUint(), 1U);
    EXPECT_EQ(rows[0]["mean"].GetDouble(), 200);
    EXPECT_STREQ(rows[0]["from"].GetString(), "2020-09-13T12:26:40.123Z");
    EXPECT_STREQ(rows[0]["to"].GetString(), "2020-09-13T12:26:41.123Z");
    EXPECT_EQ(rows[1]["pid"].GetUint(), 8U);
    EXPECT_EQ(rows[1]["mean"].GetDouble(), 100);
    EXPECT_STREQ(rows[1]["instance"].GetString(), "job");
    EXPECT_STREQ(rows[1]["from"].GetString(), "2020-09-13T12:26:42.123Z");
    EXPECT_EQ(rows[2]["mean"].GetDouble(), 50);
    const std::string table = top({path}).out;
    EXPECT_THAT(lines(table), testing::Contains(testing::AllOf(testing::StartsWith("job "), HasSubstr(" 7 "),
                                                               HasSubstr("12:26:40-12:26:41"))))
        << table;
    EXPECT_THAT(lines(table), testing::Contains(testing::AllOf(testing::StartsWith("job "), HasSubstr(" 8 "),
                                                               HasSubstr("12:26:42-12:26:44"))));
}

TEST(TopCli, ThePageOfAnInputWithoutProcesses) {
    const Result result = top({demo, "--object", "Processor"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(R"(\Processor(0)\% Processor Time)"));
    EXPECT_THAT(result.out, Not(HasSubstr("_Total")));
    const Result of_one = top({demo, "--by", R"(\Processor(*)\% Processor Time)"});
    EXPECT_THAT(of_one.out, HasSubstr("\n\\Processor(*)\\% Processor Time\n"));
    for (const std::string column : {"first", "p50", "delta", "slope", "stddev"})
        EXPECT_THAT(lines(top({demo, "--by", R"(\Process(*)\Private Bytes)", "--sort", column}).out).at(2),
                    testing::AllOf(HasSubstr(" pid "), HasSubstr(column)));
}

TEST(TopCli, OneSampleHasNoRates) {
    const Result result = top({demo, "--to", "0"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(" by working set\n"));
    EXPECT_THAT(result.out, HasSubstr("one sample: CPU and I/O need two"));
}

TEST(TopCli, WrongOptions) {
    for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{{demo, "--top", "0"},
                                                                                       {demo, "--top", "x"},
                                                                                       {demo, "--sort", "most"},
                                                                                       {demo, "--by", "nonsense"},
                                                                                       {demo, "--from", "yesterday"},
                                                                                       {demo, "--format", "pdh-csv"},
                                                                                       {}})
        EXPECT_EQ(top(wrong).exit, 2) << testing::PrintToString(wrong);
    EXPECT_THAT(top({demo, "--object", "Procesor"}).err, HasSubstr("did you mean 'Processor'?"));
    EXPECT_THAT(top({demo, "--from", "2099-01-01"}).err, HasSubstr("no sample in the range"));
}

TEST(SummaryCli, IsSortedAndCut) {
    const auto of = [](std::vector<std::string> more) {
        std::vector<std::string> arguments{"replay", demo, "--summary", "--format", "json", "--counter", "Working Set"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return parse_json(run(arguments).out);
    };
    const auto all = of({}), sorted = of({"--sort", "last", "--top", "5"});
    ASSERT_EQ(sorted["rows"].Size(), 5U);
    double most = 0;
    for (const auto& row : all["rows"].GetArray())
        if (row["last"].IsNumber()) most = std::max(most, row["last"].GetDouble());
    EXPECT_EQ(sorted["rows"][0]["last"].GetDouble(), most);
    EXPECT_EQ(of({"--top", "2"})["rows"].Size(), 2U);
    EXPECT_EQ(run({"replay", demo, "--sort", "mean"}).exit, 2);
    EXPECT_EQ(run({"replay", demo, "--top", "3"}).exit, 2);
}

TEST(SummaryCli, NarrowTerminalsHaveFewerColumns) {
    const auto head = [](std::string columns) {
        return lines(run({.arguments = {"replay", demo, "--summary", "--path", R"(\System\Threads)"},
                          .columns = std::move(columns)})
                         .out)
            .at(1);
    };
    EXPECT_THAT(head("200"), HasSubstr("average"));
    EXPECT_THAT(head("80"), Not(HasSubstr("average")));
    for (const std::string columns : {"80", "60", "50"}) {
        EXPECT_LE(head(columns).size(), std::stoul(columns));
        EXPECT_THAT(head(columns), HasSubstr("mean"));
        EXPECT_THAT(head(columns), HasSubstr("max"));
    }
}

class RealTop : public SharedDir {};

/// A service restarts and leaks in its last fifth of the log.
TEST_F(RealTop, AServiceThatLeaksAfterItsRestartLeads) {
    const std::string table =
        top({path("data/found/2026-11-27/leak-after-restart.bin.zst"), "--sort", "growth", "--top", "1"}).out;
    EXPECT_THAT(lines(table).at(3), testing::StartsWith("svc "));
    EXPECT_THAT(table, HasSubstr("growing steadily: svc (200), private bytes +120 MiB/h over 14.8 h, R2 1.00\n"));
}

class WindowsTop : public WindowsData {};

TEST_F(WindowsTop, ShowWhatTheyHave) {
    const Result vista =
        top({path("data/blg/vista-2007-wildcards.blg"), "--sort", "slope", "--top", "1", "--format", "json"});
    const auto document = parse_json(vista.out);
    EXPECT_STREQ(document["rows"][0]["instance"].GetString(), "rundll32");
    EXPECT_EQ(document["rows"][0]["pid"].GetUint(), 580U);
    const Result win10 = top({path("data/blg/win10-14393-counters.blg")});
    EXPECT_THAT(win10.out, HasSubstr("cache faults/sec"));
    EXPECT_THAT(win10.out, HasSubstr(R"(\processor(_total)\% processor time)"));  // the log has no other instance
}

}  // namespace top_cli_test
}  // namespace hkpd_test
