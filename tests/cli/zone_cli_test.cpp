// Time zones and ranges of time on the command line: `--tz`, `--utc`, `--from` and `--to` of `replay` and `dump`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capture_cli.hpp"
#include "hkpd/time.hpp"
#include "support/blob_builder.hpp"
#include "support/log_samples.hpp"

namespace hkpd_test {
namespace zone_cli_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

using Texts = std::vector<std::string>;

/// Returns a block of one counter, whose value grows by 100 each second, at a time in UTC.
std::string block_at(const std::string& time) {
    const std::int64_t seconds = hkpd::parse_time(time).value() / 1'000'000'000;
    constexpr std::int64_t ticks = 10'000'000, year_2000 = 946'684'800;
    const std::int64_t filetime = (seconds + 11'644'473'600) * ticks;
    const auto word = [&](std::size_t from, std::size_t count) {
        return static_cast<std::uint16_t>(std::stoi(time.substr(from, count)));
    };
    const blob::SystemTime system_time{.year = word(0, 4),
                                       .month = word(5, 2),
                                       .day = word(8, 2),
                                       .hour = word(11, 2),
                                       .minute = word(14, 2),
                                       .second = word(17, 2),
                                       .milliseconds = 0};
    const blob::Counter rate{.title = 6002, .type = blob::counter_type::counter};
    const auto value = static_cast<std::uint64_t>(seconds - year_2000) * 100 % 4'000'000'000;
    return to_text(blob::build({.objects = {{.title = 6000, .counters = {rate}, .values = {value}}},
                                .perf_time = filetime,
                                .perf_time_100ns = filetime,
                                .system_time = system_time}));
}

std::string blocks_at(const Texts& times) {
    std::string all;
    for (const std::string& time : times) all += block_at(time);
    return all;
}

Result replay(Texts arguments) {
    arguments.insert(arguments.begin(), "replay");
    return run(arguments);
}

/// Returns the cells of one column of CSV, without the header.
Texts column(const Result& result, std::size_t at) {
    Texts all;
    for (const std::string& line : lines(result.out)) {
        std::size_t begin = 0;
        for (std::size_t i = 0; i < at; ++i) begin = line.find(',', begin) + 1;
        all.push_back(line.substr(begin, line.find(',', begin) - begin));
    }
    if (!all.empty()) all.erase(all.begin());
    return all;
}
constexpr std::size_t value_column = 16;

class ZoneCli : public CaptureCli {
  protected:
    /// Returns the times that are shown in UTC of a file with these times, given options for the range.
    Texts times(const Texts& moments, Texts options) {
        const std::string path = folder_.write("times.bin", blocks_at(moments));
        options.insert(options.end(), {"--raw", "--format", "jsonl", path});
        last_ = replay(options);
        Texts all;
        for (const std::string& line : lines(last_.out)) {
            const std::string time = line.substr(9, 20);
            all.push_back(time.substr(0, 19));
        }
        return all;
    }
    Result last_;
};

const Texts change_to_winter{"2016-11-06T05:15:00", "2016-11-06T05:45:00", "2016-11-06T06:15:00", "2016-11-06T06:45:00",
                             "2016-11-06T07:15:00"};

TEST_F(ZoneCli, EachTimeHasTheOffsetOfItsDate) {
    const std::string path = folder_.write("winter.bin", blocks_at(change_to_winter));
    const Texts local{"2016-11-06T01:15:00.000-04:00", "2016-11-06T01:45:00.000-04:00", "2016-11-06T01:15:00.000-05:00",
                      "2016-11-06T01:45:00.000-05:00", "2016-11-06T02:15:00.000-05:00"};
    for (const char* const zone : {"America/New_York", "Eastern Standard Time", "eastern standard time"}) {
        EXPECT_EQ(column(replay({path, "--tz", zone, "--format", "csv"}), 0), local) << zone;
        EXPECT_EQ(column(dump({path, "--tz", zone, "--format", "csv"}), 0), local) << zone;
        for (const std::string command : {"replay", "dump"}) {
            const Result table = run({command, path, "--tz", zone});
            for (const std::string& time : local) EXPECT_THAT(table.out, HasSubstr("machine DEMO, " + time + ", "));
        }
        const auto rows = lines(replay({path, "--tz", zone, "--format", "pdh-csv"}).out);
        ASSERT_THAT(rows, SizeIs(6));
        EXPECT_THAT(rows[0], testing::StartsWith("\"(PDH-CSV 4.0) (Eastern Daylight Time)(240)\","));
        EXPECT_THAT(rows[2], testing::StartsWith("\"11/06/2016 01:45:00.000\","));
        EXPECT_THAT(rows[3], testing::StartsWith("\"11/06/2016 01:15:00.000\","));
        EXPECT_THAT(rows[5], testing::StartsWith("\"11/06/2016 02:15:00.000\","));
    }
}

TEST_F(ZoneCli, StructuredFormsStayInUtc) {
    const std::string path = folder_.write("winter.bin", blocks_at(change_to_winter));
    for (const std::string format : {"json", "jsonl", "openmetrics"}) {
        const Result plain = replay({path, "--format", format});
        EXPECT_EQ(replay({path, "--format", format, "--tz", "America/New_York"}).out, plain.out) << format;
        EXPECT_EQ(plain.exit, 0);
    }
    for (const std::string format : {"csv", "table", "pdh-csv"}) {
        const Result plain = replay({path, "--format", format});
        EXPECT_EQ(replay({path, "--format", format, "--utc"}).out, plain.out) << format;
        EXPECT_EQ(replay({path, "--format", format, "--tz", "utc"}).out, plain.out) << format;
        EXPECT_EQ(replay({path, "--format", format, "--tz", "log"}).out, plain.out) << format << ": not a log";
    }
}

TEST_F(ZoneCli, ARepeatedTimeIsTheFirst) {
    const Texts zone{"--tz", "America/New_York"};
    EXPECT_THAT(
        times(change_to_winter, {"--tz", "America/New_York", "--from", "2016-11-06 01:30"}),
        ElementsAre("2016-11-06T05:45:00", "2016-11-06T06:15:00", "2016-11-06T06:45:00", "2016-11-06T07:15:00"));
    EXPECT_EQ(last_.err,
              "hkpd replay: note: --from 2016-11-06 01:30 occurs twice in America/New_York, as "
              "2016-11-06T01:30:00.000-04:00 and as 2016-11-06T01:30:00.000-05:00: the first is used\n");
    EXPECT_EQ(last_.exit, 0);
    EXPECT_THAT(times(change_to_winter, {"--tz", "America/New_York", "--from", "2016-11-06T01:30-05:00"}),
                ElementsAre("2016-11-06T06:45:00", "2016-11-06T07:15:00"));
    EXPECT_EQ(last_.err, "");
    EXPECT_THAT(times(change_to_winter, {"--tz", "America/New_York", "--to", "1:30AM"}),
                ElementsAre("2016-11-06T05:15:00"));
    EXPECT_THAT(last_.err, HasSubstr("--to 1:30AM occurs twice in America/New_York"));
}

TEST_F(ZoneCli, ASkippedTimeIsTheChange) {
    const Texts spring{"2016-03-13T06:45:00", "2016-03-13T07:15:00", "2016-03-13T07:45:00"};
    EXPECT_THAT(times(spring, {"--tz", "America/New_York", "--from", "3/13/2016 2:30AM"}),
                ElementsAre("2016-03-13T07:15:00", "2016-03-13T07:45:00"));
    EXPECT_EQ(last_.err,
              "hkpd replay: note: --from 3/13/2016 2:30AM does not exist in America/New_York, where clocks were set "
              "forward: 2016-03-13T03:00:00.000-04:00 is used\n");
}

TEST_F(ZoneCli, FormsOfTimes) {
    const Texts day{"2016-11-26T18:00:00", "2016-11-26T18:00:05", "2016-11-26T21:46:00", "2016-11-26T21:50:00"};
    const Texts pacific{"--tz", "America/Los_Angeles"};
    const auto from = [&](const std::string& text) {
        return times(day, {"--tz", "America/Los_Angeles", "--from", text}).size();
    };
    EXPECT_EQ(from("10:00"), 4U);
    EXPECT_EQ(from("10:00:05"), 3U);
    EXPECT_EQ(from("10:00:05.5"), 2U);
    EXPECT_EQ(from("1:46PM"), 2U);
    EXPECT_EQ(from("13:46:01"), 1U);
    EXPECT_EQ(from("2016-11-26 10:00:01"), 3U);
    EXPECT_EQ(from("2016-11-26T21:46:00Z"), 2U);
    EXPECT_EQ(from("11/26/2016 1:46PM"), 2U);
    EXPECT_EQ(from("11/26/2016 13:46"), 2U);
    EXPECT_EQ(from("@1480196800"), 1U);
    EXPECT_EQ(from("-4min"), 2U);
    EXPECT_EQ(from("-239s"), 1U);
    EXPECT_EQ(from("-1d"), 4U);
    EXPECT_EQ(from("2"), 2U);
    EXPECT_EQ(last_.err, "");
    EXPECT_THAT(times(day, {"--from", "-230min", "--to", "-4min"}),
                ElementsAre("2016-11-26T18:00:00", "2016-11-26T18:00:05", "2016-11-26T21:46:00"));
    EXPECT_EQ(from("-4minutes"), 0U);
    EXPECT_EQ(last_.exit, 2);
    EXPECT_THAT(last_.err, HasSubstr("--from: expected a time such as 10:00, 2024-05-14T09:30:02 or -5min, or a sample "
                                     "number, found '-4minutes'"));
}

TEST_F(ZoneCli, ATimeOfDayIsOnTheFirstDayUnlessTheRunCrossesMidnight) {
    // Within a day, a time before the first sample means the whole run.
    EXPECT_THAT(times({"2016-11-26T10:05:00", "2016-11-26T10:10:00"}, {"--from", "10:00"}), SizeIs(2));
    EXPECT_EQ(last_.err, "");
    EXPECT_THAT(times({"2016-11-26T10:05:00", "2016-11-26T10:10:00"}, {"--to", "10:00"}), SizeIs(0));
    EXPECT_EQ(last_.exit, 2);
    const Texts night{"2016-11-26T23:00:00", "2016-11-26T23:30:00", "2016-11-27T00:30:00", "2016-11-27T02:00:00"};
    EXPECT_THAT(times(night, {"--from", "01:00"}), ElementsAre("2016-11-27T02:00:00"));
    EXPECT_EQ(
        last_.err,
        "hkpd replay: note: --from 01:00 is 2016-11-27T01:00:00.000Z: the first such time in a run that begins at "
        "2016-11-26T23:00:00.000Z and crosses midnight\n");
    EXPECT_THAT(times(night, {"--from", "23:30", "--to", "00:30"}),
                ElementsAre("2016-11-26T23:30:00", "2016-11-27T00:30:00"));
    // In a zone in which the run is within a day.
    EXPECT_THAT(times(night, {"--tz", "America/New_York", "--from", "18:30", "--to", "20:00"}),
                ElementsAre("2016-11-26T23:30:00", "2016-11-27T00:30:00"));
    EXPECT_EQ(last_.err, "");
}

TEST_F(ZoneCli, ATimeFromTheEndRequiresFiles) {
    const std::string blobs = blocks_at(change_to_winter);
    const Result pipe = run({.arguments = {"replay", "-", "--from", "-5min"}, .input = blobs, .piped = true});
    EXPECT_EQ(pipe.exit, 2);
    EXPECT_THAT(pipe.err, HasSubstr("--from: -5min is counted from the last sample, so it requires files"));
    const Result live = replay({"--live", "--simulate", "--count", "1", "--to", "-5min"});
    EXPECT_EQ(live.exit, 2);
    EXPECT_THAT(live.err, HasSubstr("--to: -5min is counted from the last sample"));
    // A simulated machine that is not read live has an end.
    const Result simulated = replay({"--simulate", "--count", "5", "--from", "-1s", "--format", "csv", "--object",
                                     "System", "--counter", "Threads"});
    EXPECT_EQ(simulated.exit, 0) << simulated.err;
    EXPECT_THAT(column(simulated, 0), SizeIs(2));
    // A time of day needs no end in advance.
    const Result clock =
        run({.arguments = {"replay", "-", "--from", "06:45", "--format", "csv"}, .input = blobs, .piped = true});
    EXPECT_THAT(column(clock, 0), ElementsAre("2016-11-06T06:45:00.000Z", "2016-11-06T07:15:00.000Z")) << clock.err;
}

TEST_F(ZoneCli, WithJobsEachInputHasARangeOfItsOwn) {
    const std::string first = folder_.write("first.bin", blocks_at({"2016-11-26T10:00:00", "2016-11-26T10:10:00"}));
    const std::string second = folder_.write("second.bin", blocks_at({"2016-11-27T10:00:00", "2016-11-27T10:10:00"}));
    const Texts later{"2016-11-26T10:10:00.000Z", "2016-11-27T10:10:00.000Z"};
    EXPECT_EQ(column(replay({"--jobs", "2", "--from", "10:05", "--format", "csv", first, second}), 0), later);
    EXPECT_EQ(column(replay({"--jobs", "2", "--from", "-5min", "--format", "csv", first, second}), 0), later);
    EXPECT_THAT(column(replay({"--from", "-5min", "--format", "csv", first, second}), 0),
                ElementsAre("2016-11-27T10:10:00.000Z"));
}

/// The interval that ends with the first sample of the range has values, because the sample before it is read.
TEST_F(ZoneCli, TheFirstIntervalHasValues) {
    const Texts every_five{"2016-11-26T10:00:00", "2016-11-26T10:05:00", "2016-11-26T10:10:00"};
    const std::string blobs = folder_.write("day.bin", blocks_at(every_five));
    const std::string captured = folder_.path("day.mcap");
    ASSERT_EQ(capture({blobs, "-o", captured}).exit, 0);
    for (const std::string& path : {blobs, captured})
        for (const char* const from : {"10:05", "10:01", "-5min", "1", "2016-11-26T10:05:00Z"}) {
            const Result result = replay({path, "--from", from, "--format", "csv"});
            EXPECT_THAT(column(result, value_column), ElementsAre("100", "100")) << path << from << result.err;
        }
    EXPECT_THAT(column(replay({blobs, "--from", "10:00", "--format", "csv"}), value_column),
                ElementsAre("", "100", "100"));
}

class LogZoneCli : public ZoneCli {
  protected:
    /// Returns the times and values that CSV shows of a log of ten rows, which begins at 13:46:30.874 in its own zone.
    std::string log_ = folder_.write("log.blg", log_file::build(counting_log(10)).text());
};

TEST_F(LogZoneCli, ALogIsShownInItsOwnZone) {
    const std::string own = "2016-11-26T13:46:30.874-08:00", utc = "2016-11-26T21:46:30.874Z";
    for (const std::string command : {"replay", "dump"}) {
        const std::string head = "machine PC, " + own + ", log, Pacific Standard Time (UTC-08:00), ";
        EXPECT_THAT(run({command, log_}).out, HasSubstr(head)) << command;
        EXPECT_THAT(run({command, log_, "--tz", "log"}).out, HasSubstr(head)) << command;
        EXPECT_THAT(run({command, log_, "--utc"}).out,
                    AllOf(HasSubstr(", " + utc + ", log, Pacific"), Not(HasSubstr(own))));
        EXPECT_THAT(run({command, log_, "--format", "csv"}).out, HasSubstr("\n" + utc + ","));
        EXPECT_THAT(run({command, log_, "--format", "csv", "--tz", "log"}).out, HasSubstr("\n" + own + ","));
        EXPECT_THAT(run({command, log_, "--format", "jsonl", "--tz", "log"}).out, HasSubstr("\"" + utc + "\""));
    }
    EXPECT_THAT(replay({log_, "--tz", "Asia/Kolkata"}).out, HasSubstr("2016-11-27T03:16:30.874+05:30, log, Pacific"));
}

TEST_F(LogZoneCli, TimesAreInTheZoneOfTheLog) {
    const auto shown = [&](Texts options) {
        options.insert(options.end(), {log_, "--format", "csv"});
        last_ = replay(options);
        return column(last_, 0);
    };
    EXPECT_THAT(shown({"--from", "13:46:39"}), ElementsAre("2016-11-26T21:46:39.874Z"));
    EXPECT_THAT(shown({"--from", "11/26/2016 1:46:39PM"}), ElementsAre("2016-11-26T21:46:39.874Z"));
    EXPECT_THAT(shown({"--from", "21:46:39", "--utc"}), ElementsAre("2016-11-26T21:46:39.874Z"));
    EXPECT_THAT(shown({"--to", "13:46:31"}), ElementsAre("2016-11-26T21:46:30.874Z"));
    EXPECT_THAT(shown({"--from", "-1s"}), SizeIs(2));
    EXPECT_EQ(last_.err, "");
    // The first row of the range is computed from the row before it.
    const Texts all = column(replay({log_, "--format", "csv"}), value_column);
    const Texts cut = column(replay({log_, "--format", "csv", "--from", "13:46:39"}), value_column);
    ASSERT_THAT(all, SizeIs(10));
    ASSERT_THAT(cut, SizeIs(1));
    EXPECT_EQ(cut.back(), all.back());
    EXPECT_NE(cut.back(), "");
}

TEST_F(LogZoneCli, ALogOverTheChangeToWinterHasBothOffsets) {
    log_file::Log log = counting_log(2);
    // 2016-11-06 01:30 in daylight time, and 01:30 an hour later in standard time, both as local time.
    const std::int64_t half_past_one = log_time - 20 * 86'400 * log_second - (12 * 3600 + 990) * log_second - 8'740'000;
    for (auto& event : log.events) event.time += half_past_one - log_time;
    log.events[2].time = half_past_one + 90 * 60 * log_second;
    const std::string path = folder_.write("winter.blg", log_file::build(log).text());
    const Result result = replay({path, "--tz", "log", "--format", "csv"});
    EXPECT_THAT(column(result, 0), ElementsAre("2016-11-06T01:30:00.000-07:00", "2016-11-06T03:00:00.000-08:00"))
        << result.err;
}

TEST_F(ZoneCli, WrongZones) {
    const std::string path = folder_.write("winter.bin", blocks_at(change_to_winter));
    for (const std::string command : {"replay", "dump"}) {
        const Result unknown = run({command, path, "--tz", "Amerika/New_York"});
        EXPECT_EQ(unknown.exit, 2);
        EXPECT_THAT(unknown.err, AllOf(HasSubstr("--tz: expected local, log, UTC, the name of a zone"),
                                       HasSubstr("found 'Amerika/New_York': did you mean 'America/New_York'?")));
        EXPECT_EQ(unknown.out, "");
        const Result both = run({command, path, "--tz", "UTC", "--utc"});
        EXPECT_EQ(both.exit, 2);
        EXPECT_THAT(both.err, HasSubstr("--utc and --tz cannot be combined"));
    }
    EXPECT_EQ(replay({path, "--tz", "../../etc/passwd"}).exit, 2);
}

}  // namespace zone_cli_test
}  // namespace hkpd_test
