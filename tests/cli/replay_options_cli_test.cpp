// Options of `hkpd replay`, each by the effect of that option alone; and the average over a run, which is not the mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capture_cli.hpp"

namespace hkpd_test {
namespace replay_options_cli_test {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace blob::counter_type;

class ReplayOptions : public CaptureCli {
  protected:
    /// Returns a sample at a number of seconds, with counters of one object.
    static std::string at(std::uint64_t second, const std::vector<blob::Counter>& counters,
                          const std::vector<blob::Value>& values) {
        const auto ticks = static_cast<std::int64_t>(second) * 10'000'000;
        return to_text(blob::build({.objects = {{.title = 6000, .counters = counters, .values = values}},
                                    .perf_time = ticks + 1,
                                    .perf_time_100ns = 132'444'736'000'000'000 + ticks,
                                    .system_time = {.second = static_cast<std::uint16_t>(second)}}));
    }
    /// Returns the column `key` (counted from the end, 0 the last) of each line of CSV except the header.
    std::vector<std::string> cells(const std::string& blobs, std::vector<std::string> options,
                                   std::size_t from_end) const {
        options.insert(options.begin(), "replay");
        options.insert(options.end(), {"--format", "csv", folder_.write("in.bin", blobs)});
        const Result result = run(options);
        EXPECT_EQ(result.exit, 0) << result.err;
        std::vector<std::string> all;
        for (std::string line : lines(result.out)) {
            for (std::size_t i = 0; i < from_end; ++i) line.resize(line.rfind(','));
            all.push_back(line.substr(line.rfind(',') + 1));
        }
        all.erase(all.begin());
        return all;
    }
    std::vector<std::string> values(const std::string& blobs, const std::vector<std::string>& options) const {
        return cells(blobs, options, 1);
    }
};

TEST_F(ReplayOptions, CapClampAndUnwrap) {
    const std::vector<blob::Counter> timers{{.title = 6002, .type = timer_100ns, .size = 8}};
    const std::string busy = at(0, timers, {0}) + at(1, timers, {15'000'000});
    EXPECT_THAT(values(busy, {}), ElementsAre("", "150"));
    EXPECT_THAT(values(busy, {"--no-cap"}), ElementsAre("", "150"));
    EXPECT_THAT(values(busy, {"--cap"}), ElementsAre("", "100"));
    EXPECT_THAT(cells(busy, {"--cap"}, 0), ElementsAre("first_sample", "capped"));
    EXPECT_THAT(cells(busy, {}, 0), ElementsAre("first_sample", ""));

    const std::vector<blob::Counter> rates{{.title = 6002, .type = counter}};
    const std::string wrapped = at(0, rates, {4'294'967'280}) + at(1, rates, {16});
    EXPECT_THAT(values(wrapped, {}), ElementsAre("", ""));
    EXPECT_THAT(cells(wrapped, {"--clamp"}, 0), ElementsAre("first_sample", "counter_went_back"));
    EXPECT_THAT(values(wrapped, {"--clamp"}), ElementsAre("", "0"));
    EXPECT_THAT(values(wrapped, {"--unwrap"}), ElementsAre("", "32"));
}

TEST_F(ReplayOptions, UnwrapGoesByTheWidthsInTheSource) {
    // The base of an 8-byte average has 4 bytes: it wraps, and the average does not.
    const std::vector<blob::Counter> bulk{{.title = 6002, .type = 0x40020500, .size = 8},
                                          {.title = 6004, .type = 0x40030402, .size = 4}};
    const std::string wraps = at(0, bulk, {1000, 4'294'967'290}) + at(1, bulk, {1160, 10});
    EXPECT_THAT(values(wraps, {"--counter", "6002", "--unwrap"}), ElementsAre("", "10"));
    EXPECT_THAT(cells(wraps, {"--counter", "6002"}, 0), ElementsAre("first_sample", "base_went_back"));
    // A counter of a 4-byte type that is stored in 8 bytes was reset.
    const std::vector<blob::Counter> wide{{.title = 6002, .type = counter, .size = 8}};
    const std::string reset = at(0, wide, {4'000'000'000}) + at(1, wide, {1'000'000});
    EXPECT_THAT(cells(reset, {"--unwrap"}, 0), ElementsAre("first_sample", "counter_went_back"));
}

TEST_F(ReplayOptions, ScaleAndMultiTimers) {
    const std::vector<blob::Counter> scaled{{.title = 6002, .scale = -2}};
    EXPECT_THAT(values(at(0, scaled, {12'345}), {"--scale"}), ElementsAre("123.45"));
    EXPECT_THAT(values(at(0, scaled, {12'345}), {}), ElementsAre("12345"));

    const std::vector<blob::Counter> multi{{.title = 6002, .type = 0x23510500, .size = 8},
                                           {.title = 6004, .type = 0x42030500, .size = 8}};
    const std::string four = at(0, multi, {0, 4}) + at(1, multi, {10'000'000, 4});
    const std::vector<std::string> first{"--counter", "6002", "--no-cap", "--multi-timer"};
    const auto with = [&](const std::string& formula) {
        std::vector<std::string> options = first;
        options.push_back(formula);
        return values(four, options);
    };
    EXPECT_THAT(with("sdk"), ElementsAre("", "75"));     // 100·(4 − 1)/4
    EXPECT_THAT(with("learn"), ElementsAre("", "300"));  // 100·(4 − 1)
    EXPECT_THAT(with("pdh"), ElementsAre("", "75"));
}

TEST_F(ReplayOptions, OnlyWhereTheyHaveAnEffect) {
    const std::string path = folder_.write("in.bin", at(0, {{.title = 6002}}, {1}));
    EXPECT_THAT(run({"replay", "--format", "pdh-csv", "--crlf", path}).out, HasSubstr("\r\n"));
    EXPECT_THAT(run({"replay", "--format", "openmetrics", "--cooked", path}).out, HasSubstr("# EOF"));
    for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
             {"--crlf"}, {"--cooked"}, {"--raw", "--format", "openmetrics"}, {"--every", "-1"}, {"--from", ""}}) {
        std::vector<std::string> arguments{"replay", path};
        arguments.insert(arguments.end(), options.begin(), options.end());
        EXPECT_EQ(run(arguments).exit, 2) << testing::PrintToString(options);
    }
}

TEST_F(ReplayOptions, TheAverageOverTheRunIsNotTheMean) {
    // 10 a second for 1 second, then 2 a second for 4: (10 + 8)/5 = 3.6 in all, though the values are 10 and 2. A raw
    // count has no formula over a run: the mean of 7, 8 and 12 is 9.
    const std::vector<blob::Counter> counters{{.title = 6002, .type = counter}, {.title = 6004}};
    const std::string blobs = at(0, counters, {100, 7}) + at(1, counters, {110, 8}) + at(5, counters, {118, 12});
    const std::string path = folder_.write("in.bin", blobs);
    const Result result = run({"replay", "--summary", "--format", "csv", path});
    // Slopes in units per hour: (10, 2) after 1 s and 5 s; (7, 8, 12) after 0 s, 1 s and 5 s.
    const std::string times = "2020-09-13T12:26:00.123Z,2020-09-13T12:26:05.123Z,";
    EXPECT_EQ(
        result.out,
        "machine,source,object,object_index,counterset,parent,instance,pid,instance_id,life,counter,counter_index,"
        "type,unit,from,to,count,first,last,min,mean,p50,p95,p99,max,stddev,delta,slope,percentile_error,average,"
        "reason\n"
        "DEMO,v1,#6000,6000,,,,,,1,#6002,6002,PERF_COUNTER_COUNTER,/sec," +
            times +
            "2,10,2,2,6,6,9.6,9.92,10,5.656854249492381,-8,-7200,0,3.6,\n"
            "DEMO,v1,#6000,6000,,,,,,1,#6004,6004,PERF_COUNTER_RAWCOUNT,," +
            times + "3,7,12,7,9,8,11.6,11.92,12,2.6457513110645907,5,3600,0,9,\n");
    // A reset in between invalidates one value, and the formula over the run if the end is below the start.
    const std::string fell = at(0, counters, {100, 7}) + at(1, counters, {110, 8}) + at(5, counters, {50, 12});
    EXPECT_THAT(run({"replay", "--summary", "--format", "csv", folder_.write("fell.bin", fell)}).out,
                HasSubstr(",1,10,10,10,10,10,10,10,10,,0,,0,,counter_went_back\n"));
}

}  // namespace replay_options_cli_test
}  // namespace hkpd_test
