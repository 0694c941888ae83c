// Times in the forms that users write on a command line.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hkpd/time.hpp"

namespace hkpd {
namespace time_option_test {

constexpr std::int64_t second = 1'000'000'000, minute = 60 * second, hour = 60 * minute;
/// 2024-05-14 00:00:00 UTC.
constexpr std::int64_t midnight = 1'715'644'800 * second;
constexpr std::int64_t moment = midnight + 9 * hour + 30 * minute + 2 * second;

/// Results of GNU date for the same texts, in nanoseconds.
TEST(TimeText, Iso8601) {
    const std::pair<std::string_view, std::int64_t> times[] = {
        {"2024-05-14", midnight},
        {"2024-05-14T09:30", moment - 2 * second},
        {"2024-05-14T09:30:02", moment},
        {"2024-05-14t09:30:02z", moment},
        {"2024-05-14 09:30:02", moment},
        {"2024-05-14 09:30:02.500", moment + second / 2},
        {"2024-05-14 09:30:02.000000001", moment + 1},
        {"2024-05-14T09:30:02.5Z", moment + second / 2},
        {"2024-05-14T09:30Z", moment - 2 * second},
        {"2024-05-14T11:30:02+02:00", moment},
        {"2024-05-14T11:30:02+0200", moment},
        {"2024-05-14T11:30:02+02", moment},
        {"2024-05-14T02:30:02-07:00", moment},
        {"2024-05-14T15:00:02.25+05:30", moment + second / 4},
        {"2024-05-13T23:59:59.999999999Z", midnight - 1},
        {"2024-05-14T00:00:00+23:59", midnight - 24 * hour + minute},
        {"1970-01-01", 0},
        {"1969-12-31T23:59:59.5", -second / 2},
        {"2024-02-29", midnight - 75 * 24 * hour},
        {"2000-02-29", 951'782'400 * second},
    };
    for (const auto& [text, expected] : times) EXPECT_EQ(parse_time(text), expected) << text;
}

TEST(TimeText, FormsOfRelogAndItsLogs) {
    const std::pair<std::string_view, std::int64_t> times[] = {
        {"5/14/2024", midnight},
        {"05/14/2024", midnight},
        {"5/14/2024 09:30:02", moment},
        {"5/14/2024 9:30:02", moment},
        {"05/14/2024 09:30:02.500", moment + second / 2},
        {"5/14/2024 9:30:02AM", moment},
        {"5/14/2024 9:30:02 am", moment},
        {"5/14/2024 9:30:02PM", moment + 12 * hour},
        {"5/14/2024 12:00:00AM", midnight},
        {"5/14/2024 12:30:00 PM", midnight + 12 * hour + 30 * minute},
        {"5/14/2024 11:59:59 PM", midnight + 24 * hour - second},
        {"5/14/2024 23:59:59", midnight + 24 * hour - second},
        {"5/14/2024 9:30", moment - 2 * second},
        {"5/14/2024 9:30AM", moment - 2 * second},
        {"5/14/2024 1:46PM", midnight + 13 * hour + 46 * minute},
        {"5/14/2024 12:46 am", midnight + 46 * minute},
        {"1/2/1970", 24 * hour},
    };
    for (const auto& [text, expected] : times) EXPECT_EQ(parse_time(text), expected) << text;
}

TEST(TimeText, SecondsSince1970) {
    EXPECT_EQ(parse_time("@1715679002"), moment);
    EXPECT_EQ(parse_time("@1715679002.5"), moment + second / 2);
    EXPECT_EQ(parse_time("@0"), 0);
    EXPECT_EQ(parse_time("@-1.25"), -1'250'000'000);
    EXPECT_EQ(parse_time("@-0.5"), -second / 2);
    EXPECT_EQ(parse_time("@1715679002.123456789"), moment + 123'456'789);
    EXPECT_EQ(parse_time("@1715679002", 480), moment);
}

TEST(TimeText, WithoutAZoneTheyAreLocal) {
    EXPECT_EQ(parse_time("2024-05-14T09:30:02", 480), moment + 8 * hour);
    EXPECT_EQ(parse_time("2024-05-14 09:30:02", -330), moment - 5 * hour - 30 * minute);
    EXPECT_EQ(parse_time("2024-05-14", 480), midnight + 8 * hour);
    EXPECT_EQ(parse_time("5/14/2024", -60), midnight - hour);
    EXPECT_EQ(parse_time("5/14/2024 9:30:02PM", 480), moment + 20 * hour);
    EXPECT_EQ(parse_time("2024-05-14T09:30:02Z", 480), moment);
    EXPECT_EQ(parse_time("2024-05-14T11:30:02+02:00", 480), moment);
}

TEST(TimeText, RejectsEverythingElse) {
    for (const std::string_view text : {"",
                                        " ",
                                        "now",
                                        "2024",
                                        "2024-05",
                                        "2024-5-14",
                                        "24-05-14",
                                        "2024-05-14 ",
                                        " 2024-05-14",
                                        "2024-05-14Z",
                                        "2024-05-14T",
                                        "2024-05-14T09",
                                        "2024-05-14T9:30",
                                        "2024-05-14T09:30:",
                                        "2024-05-14T09:3",
                                        "2024-05-14T093002",
                                        "2024-05-14T09:30:2",
                                        "2024-05-14T09:30:02.",
                                        "2024-05-14T09:30:02,5",
                                        "2024-05-14T09:30.5",
                                        "2024-05-14T09:30:02.0000000001",
                                        "2024-05-14T09:30:02 Z",
                                        "2024-05-14T09:30:02ZZ",
                                        "2024-05-14T09:30:02+",
                                        "2024-05-14T09:30:02+2",
                                        "2024-05-14T09:30:02+02:",
                                        "2024-05-14T09:30:02+02:0",
                                        "2024-05-14T09:30:02+020",
                                        "2024-05-14T09:30:02+02:000",
                                        "2024-05-14T09:30:02+24:00",
                                        "2024-05-14T09:30:02+02:60",
                                        "2024-05-14T09:30:02AM",
                                        "2024-05-14  09:30:02",
                                        "2024-05-144",
                                        "02024-05-14",
                                        "-2024-05-14"})
        EXPECT_EQ(parse_time(text), std::nullopt) << text;
    for (const std::string_view text : {"5/14",
                                        "5/14/24",
                                        "5/14/20245",
                                        "5/14/2024 ",
                                        "5/14/2024T09:30:02",
                                        "5/14/2024 30",
                                        "5/14/2024 9:30:",
                                        "5/14/2024 9:3",
                                        "5/14/2024 9:30XM",
                                        "5/14/2024 13:30PM",
                                        "5/14/2024 9:3:02",
                                        "5/14/2024 009:30:02",
                                        "5/14/2024 9:30:02A",
                                        "5/14/2024 9:30:02 ",
                                        "5/14/2024 9:30:02  AM",
                                        "5/14/2024 9:30:02AMPM",
                                        "5/14/2024 9:30:02Z",
                                        "5/14/2024 9:30:02+02:00",
                                        "5/14/2024 13:30:02PM",
                                        "5/14/2024 0:30:02AM",
                                        "/14/2024",
                                        "005/14/2024",
                                        "5//2024",
                                        "2024/05/14",
                                        "5-14-2024"})
        EXPECT_EQ(parse_time(text), std::nullopt) << text;
    for (const std::string_view text : {"@", "@-", "@.5", "@5.", "@+5", "@1e3", "@1 ", "@@1", "1715679002", "@0x10"})
        EXPECT_EQ(parse_time(text), std::nullopt) << text;
    EXPECT_EQ(parse_time(std::string_view("2024-05-14\0", 11)), std::nullopt);
}

TEST(TimeText, RejectsInvalidDates) {
    for (const std::string_view text :
         {"2024-06-31", "2023-02-29", "1900-02-29", "2024-00-14", "2024-13-14", "2024-05-00", "2024-05-32",
          "2024-05-14T24:00:00", "2024-05-14T25:00:00", "2024-05-14T09:60:00", "2024-05-14T09:30:60", "6/31/2024",
          "0/14/2024", "13/14/2024", "14/5/2024", "5/14/2024 24:00:00", "5/14/2024 09:30:61"})
        EXPECT_EQ(parse_time(text), std::nullopt) << text;
}

TEST(TimeText, NanosecondsIn64BitsEndIn2262) {
    EXPECT_EQ(parse_time("2262-04-11"), 9'223'286'400 * second);
    EXPECT_EQ(parse_time("1677-09-22"), -9'223'286'400 * second);
    EXPECT_EQ(parse_time("2262-04-12"), std::nullopt);
    EXPECT_EQ(parse_time("1677-09-21"), std::nullopt);
    EXPECT_EQ(parse_time("0000-01-01"), std::nullopt);
    EXPECT_EQ(parse_time("9999-12-31T23:59:59", 1440), std::nullopt);
    EXPECT_EQ(parse_time("@9223372035.999999999"), 9'223'372'035'999'999'999);
    EXPECT_EQ(parse_time("@-9223372035.999999999"), -9'223'372'035'999'999'999);
    EXPECT_EQ(parse_time("@9999999999"), std::nullopt);
    EXPECT_EQ(parse_time("@99999999999999999999"), std::nullopt);
}

/// Returns the kind of a time and the time in nanoseconds: `utc 5`; `-` for none.
std::string stated(std::string_view text) {
    const auto time = parse_stated_time(text);
    if (!time) return "-";
    constexpr std::string_view kinds[] = {"utc ", "local ", "time_of_day ", "before_end "};
    return std::string(kinds[static_cast<std::size_t>(time->kind)]) + std::to_string(time->time);
}

TEST(TimeText, TimesOfDay) {
    const std::pair<std::string_view, std::int64_t> times[] = {
        {"10:00", 10 * hour},
        {"9:30", 9 * hour + 30 * minute},
        {"09:30:02", 9 * hour + 30 * minute + 2 * second},
        {"9:30:02.5", 9 * hour + 30 * minute + 2 * second + second / 2},
        {"0:00", 0},
        {"23:59:59.999999999", 24 * hour - 1},
        {"1:46PM", 13 * hour + 46 * minute},
        {"12:00 am", 0},
        {"12:00:01 PM", 12 * hour + second},
    };
    for (const auto& [text, time] : times) {
        EXPECT_EQ(stated(text), "time_of_day " + std::to_string(time)) << text;
        EXPECT_EQ(parse_time(text), std::nullopt) << text << ": no date";
    }
    for (const std::string_view text : {"10", "10:", ":30", "24:00", "10:60", "10:0", "010:00", "10:00:", "10:00Z",
                                        "10:00 ", " 10:00", "13:00PM", "0:30AM", "10.5", "10:00:60"})
        EXPECT_EQ(stated(text), "-") << text;
}

TEST(TimeText, DistancesFromTheEnd) {
    const std::pair<std::string_view, std::int64_t> times[] = {
        {"-5min", 5 * minute}, {"-90s", 90 * second},          {"-90sec", 90 * second},   {"-2h", 2 * hour},
        {"-1d", 24 * hour},    {"-1.5h", hour + 30 * minute},  {"-0.25s", second / 4},    {"-0s", 0},
        {"-5MIN", 5 * minute}, {"-999999s", 999'999 * second}, {"-0.000000001d", 86'400},
    };
    for (const auto& [text, time] : times) {
        EXPECT_EQ(stated(text), "before_end " + std::to_string(time)) << text;
        EXPECT_EQ(parse_time(text), std::nullopt) << text << ": no date";
    }
    for (const std::string_view text : {"-", "-5", "-min", "-5m", "-5minutes", "-5 min", "5min", "--5min", "-5min ",
                                        "-1.h", "-.5h", "-1e3s", "-1000000s", "-999999d", "-5s5"})
        EXPECT_EQ(stated(text), "-") << text;
}

TEST(TimeText, StatesWhetherAZoneIsNeeded) {
    EXPECT_EQ(stated("2024-05-14T09:30:02Z"), "utc " + std::to_string(moment));
    EXPECT_EQ(stated("2024-05-14T11:30:02+02:00"), "utc " + std::to_string(moment));
    EXPECT_EQ(stated("@1715679002"), "utc " + std::to_string(moment));
    EXPECT_EQ(stated("2024-05-14 09:30:02"), "local " + std::to_string(moment));
    EXPECT_EQ(stated("5/14/2024"), "local " + std::to_string(midnight));
}

}  // namespace time_option_test
}  // namespace hkpd
