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
    EXPECT_THAT(result.out, HasSubstr(" processes by CPU (mean)"));
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
    EXPECT_THAT(result.out, HasSubstr("by working set (mean)"));
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
