// `hkpd replay --bucket`: means of equal intervals of time, as CSV, JSON Lines and in a database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <ranges>
#include <string>
#include <tuple>
#include <vector>

#include "json_text.hpp"
#include "run_command.hpp"
#include "sqlite_cli.hpp"
#include "support/places.hpp"

namespace hkpd_test {
namespace bucket_cli_test {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";

struct Expected {
    std::uint64_t count = 0;
    double min = 0, max = 0, sum = 0;
};
using Key = std::tuple<std::string, std::string, std::string>;  // time, object and instance, counter

Key key_of(const rapidjson::Value& line, const std::string& time) {
    return {time, std::string(line["object"].GetString()) + '(' + json_text(line["instance"]) + ')',
            line["counter"].GetString()};
}

/// Returns the buckets of single values, of instances whose names are unique.
std::map<Key, Expected> expected(std::size_t time_characters, const std::string& rest_of_time) {
    std::map<Key, Expected> all;
    const Result result = run({"replay", demo, "--format", "jsonl", "--object", "Processor", "--object", "System"});
    for (const std::string& text : lines(result.out)) {
        const auto line = parse_json(text);
        if (!line["value"].IsNumber()) continue;
        const std::string time = std::string(line["time"].GetString()).substr(0, time_characters) + rest_of_time;
        Expected& to = all[key_of(line, time)];
        const double value = line["value"].GetDouble();
        to.min = to.count == 0 ? value : std::min(to.min, value);
        to.max = to.count == 0 ? value : std::max(to.max, value);
        to.sum += value;
        ++to.count;
    }
    return all;
}

TEST(BucketCli, HaveTheMeansOfTheValues) {
    for (const auto& [length, characters, rest, seconds] :
         {std::tuple("1min", 17, "00.000Z", 60), std::tuple("1h", 14, "00:00.000Z", 3600),
          std::tuple("1s", 20, "000Z", 1)}) {
        auto all = expected(static_cast<std::size_t>(characters), rest);
        ASSERT_FALSE(all.empty());
        const Result result = run(
            {"replay", demo, "--format", "jsonl", "--object", "Processor", "--object", "System", "--bucket", length});
        EXPECT_EQ(result.exit, 0) << result.err;
        for (const std::string& text : lines(result.out)) {
            const auto line = parse_json(text);
            const auto found = all.find(key_of(line, line["time"].GetString()));
            ASSERT_NE(found, all.end()) << text;
            EXPECT_EQ(line["count"].GetUint64(), found->second.count) << text;
            EXPECT_EQ(line["min"].GetDouble(), found->second.min) << text;
            EXPECT_EQ(line["max"].GetDouble(), found->second.max) << text;
            const double mean = found->second.sum / static_cast<double>(found->second.count);
            EXPECT_NEAR(line["mean"].GetDouble(), mean, std::abs(mean) * 1e-12) << text;
            EXPECT_EQ(line["seconds"].GetInt(), seconds);
            all.erase(found);
        }
        EXPECT_TRUE(all.empty()) << all.size();
    }
}

TEST(BucketCli, CsvHasTheSameLines) {
    const auto csv = lines(run({"replay", demo, "--format", "csv", "--object", "System", "--bucket", "1d"}).out);
    const auto jsonl = lines(run({"replay", demo, "--format", "jsonl", "--object", "System", "--bucket", "1d"}).out);
    EXPECT_EQ(csv.size(), jsonl.size() + 1);
    EXPECT_TRUE(csv[0].ends_with(",counter,counter_index,type,count,min,mean,max"));
    EXPECT_THAT(csv[1], HasSubstr("T00:00:00.000Z,86400,DEMO,v1,System,2,"));
}

TEST(BucketCli, DaysBeginInTheZone) {
    const auto day = lines(run({"replay", demo, "--format", "csv", "--object", "System", "--bucket", "1d", "--tz",
                                "Pacific Standard Time,480"})
                               .out);
    EXPECT_THAT(day.at(1), HasSubstr("T00:00:00.000-08:00,86400,"));
    const auto json = lines(run({"replay", demo, "--format", "jsonl", "--object", "System", "--bucket", "1d", "--tz",
                                 "Pacific Standard Time,480"})
                                .out);
    EXPECT_THAT(json.at(0), HasSubstr("T08:00:00.000Z\",\"seconds\":86400,"));
}

TEST(BucketCli, WrongOptions) {
    for (const std::vector<std::string>& wrong :
         std::vector<std::vector<std::string>>{{"--bucket", "1min"},
                                               {"--bucket", "1min", "--format", "json"},
                                               {"--bucket", "1min", "--format", "csv", "--raw"},
                                               {"--bucket", "1min", "--format", "csv", "--summary"},
                                               {"--bucket", "0s", "--format", "csv"},
                                               {"--bucket", "1 minute", "--format", "csv"}}) {
        std::vector<std::string> arguments{"replay", demo};
        arguments.insert(arguments.end(), wrong.begin(), wrong.end());
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 2) << testing::PrintToString(wrong);
        EXPECT_THAT(result.err, HasSubstr("--bucket"));
    }
}

class BucketDatabase : public SqliteCli {};

TEST_F(BucketDatabase, HasTheSameBuckets) {
    add_well({demo, "--bucket", "1min", "--object", "Processor", "--object", "System"});
    const auto found =
        ask("SELECT replace(b.time, ' ', 'T') || 'Z', c.object, c.counter, b.seconds, b.count, b.min, b.mean, b.max "
            "FROM buckets b JOIN counters c ON c.id = b.series ORDER BY 1, 2, 3, b.series");
    const auto all = expected(17, "00.000Z");
    ASSERT_EQ(found.size(), all.size());
    EXPECT_EQ(ask("SELECT count(*) FROM data"), std::vector<std::string>{"0"});
    EXPECT_EQ(ask("SELECT count(*) FROM records"), std::vector<std::string>{"0"});
    EXPECT_EQ(ask("SELECT records FROM runs"), std::vector<std::string>{"3"});
    double sum = 0;
    for (const auto& [key, values] : all) sum += values.sum;
    EXPECT_NEAR(std::stod(ask("SELECT sum(mean * count) FROM buckets").at(0)), sum, std::abs(sum) * 1e-9);
    const auto least = std::ranges::min(all | std::views::values, {}, &Expected::min).min;
    EXPECT_EQ(std::stod(ask("SELECT min(min) FROM buckets").at(0)), least);
    // A second run of the same input is added, with the same series.
    add_well({demo, "--bucket", "1h", "--object", "Processor", "--object", "System"});
    EXPECT_EQ(ask("SELECT count(DISTINCT series), count(DISTINCT seconds) FROM buckets"),
              std::vector<std::string>{ask("SELECT count(*) FROM series").at(0) + "|2"});
}

TEST_F(BucketDatabase, DaysBeginInTheZoneOfTheLog) {
    const std::string log = folder_.path("log.csv");
    folder_.write("log.csv",
                  "\"(PDH-CSV 4.0) (Pacific Standard Time)(480)\",\"\\\\PC\\Memory\\Available MBytes\"\n"
                  "\"01/02/2024 23:00:00.000\",\"1\"\n\"01/03/2024 01:00:00.000\",\"2\"\n");
    const auto csv = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"replay", log, "--format", "csv", "--bucket", "1d"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return lines(run(arguments).out);
    };
    EXPECT_THAT(csv({}), ElementsAre(testing::_, HasSubstr("2024-01-03T00:00:00.000Z")));
    EXPECT_THAT(csv({"--tz", "log"}), ElementsAre(testing::_, HasSubstr("2024-01-02T00:00:00.000-08:00,"),
                                                  HasSubstr("2024-01-03T00:00:00.000-08:00,")));
    add_well({log, "--bucket", "1d", "--tz", "log"});
    EXPECT_THAT(ask("SELECT time FROM buckets"), ElementsAre("2024-01-02 08:00:00.000", "2024-01-03 08:00:00.000"));
}

}  // namespace bucket_cli_test
}  // namespace hkpd_test
