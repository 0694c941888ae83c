// Zones with rules. Expectations are results of Python's zoneinfo with tz data 2025b; tests/systems/zones compares
// more.
#include "hkpd/zone.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "base/windows_zones.hpp"
#include "hkpd/time.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace zone_test {

using hkpd::LocalMoments;
using hkpd::SystemTime;
using hkpd::TimeZoneRules;
using hkpd::Zone;
using hkpd::ZoneError;

constexpr std::int64_t second = 1'000'000'000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

std::int64_t utc(std::string_view text) { return hkpd::parse_time(text).value(); }

Zone zone(std::string_view text) {
    const auto parsed = Zone::parse(text);
    EXPECT_TRUE(parsed) << text;
    return parsed.value_or(Zone());
}

/// Returns a moment as local time, as `append_time` writes it.
std::string shown(const Zone& in, std::int64_t moment) {
    std::string text;
    const std::int64_t milliseconds = moment / 1'000'000;
    const std::int64_t days = milliseconds / 86'400'000 - (milliseconds % 86'400'000 < 0 ? 1 : 0);
    const std::int64_t rest = milliseconds - days * 86'400'000;
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
    const auto word = [](auto value) { return static_cast<std::uint16_t>(value); };
    const SystemTime time{word(static_cast<int>(date.year())),
                          word(static_cast<unsigned>(date.month())),
                          0,
                          word(static_cast<unsigned>(date.day())),
                          word(rest / 3'600'000),
                          word(rest / 60'000 % 60),
                          word(rest / 1000 % 60),
                          word(rest % 1000)};
    hkpd::append_time(text, time, in);
    return text;
}

/// Returns the moments of a local time: `unique A`, `ambiguous A B` or `skipped A`, with A and B in UTC.
std::string moments(const Zone& in, std::string_view local) {
    const LocalMoments found = in.moments_of(utc(local));
    using Kind = LocalMoments::Kind;
    const std::string first = shown(Zone(), found.first), last = shown(Zone(), found.last);
    if (found.kind == Kind::ambiguous) return "ambiguous " + first + " " + last;
    EXPECT_EQ(first, last);
    return (found.kind == Kind::unique ? "unique " : "skipped ") + first;
}

TEST(ZoneRules, OffsetsChangeAtTheirMoments) {
    const std::pair<const char*, std::pair<const char*, int>> offsets[] = {
        {"America/New_York", {"2016-11-06T05:59:59", -14'400}},   {"America/New_York", {"2016-11-06T06:00", -18'000}},
        {"America/New_York", {"2016-03-13T06:59:59", -18'000}},   {"America/New_York", {"2016-03-13T07:00", -14'400}},
        {"Europe/Berlin", {"2016-10-30T00:59:59", 7'200}},        {"Europe/Berlin", {"2016-10-30T01:00", 3'600}},
        {"Australia/Lord_Howe", {"2016-04-02T14:59:59", 39'600}}, {"Australia/Lord_Howe", {"2016-04-02T15:00", 37'800}},
        {"Australia/Lord_Howe", {"2016-10-01T15:30", 39'600}},    {"Asia/Kathmandu", {"2016-01-01", 20'700}},
    };
    for (const auto& [name, expected] : offsets)
        EXPECT_EQ(zone(name).offset_at(utc(expected.first)), expected.second) << name << expected.first;
}

#ifndef _WIN32  // Windows has no rules for the time before 2006
TEST(ZoneRules, RulesOfThePastAndTheFuture) {
    EXPECT_EQ(zone("America/New_York").offset_at(utc("2006-04-02T07:00")), -14'400);
    EXPECT_EQ(zone("Europe/Berlin").offset_at(utc("1995-09-24T01:00")), 3'600);
    EXPECT_EQ(zone("Europe/Berlin").offset_at(utc("1996-10-27T00:59:59")), 7'200);
    EXPECT_EQ(zone("Pacific/Apia").offset_at(utc("2011-12-30T09:59:59")), -36'000);
    EXPECT_EQ(zone("Pacific/Apia").offset_at(utc("2011-12-30T10:00")), 50'400);
    EXPECT_EQ(zone("America/New_York").offset_at(utc("1700-01-01")), -17'762);  // local mean time
    EXPECT_EQ(shown(zone("America/New_York"), utc("1700-01-01")), "1699-12-31T19:03:58.000-04:56:02");
    EXPECT_EQ(zone("America/New_York").at(utc("1700-01-01")).bias, 297);
    EXPECT_EQ(zone("America/New_York").offset_at(utc("2262-01-01")), -18'000);
    EXPECT_EQ(zone("America/New_York").offset_at(utc("2261-07-01")), -14'400);
    EXPECT_EQ(moments(zone("Pacific/Apia"), "2011-12-30T12:00"), "skipped 2011-12-30T10:00:00.000Z");
}

TEST(ZoneRules, TheLocalZoneIsThatOfTheVariable) {
    const char* const before = std::getenv("TZ");
    const std::string kept = before == nullptr ? "" : before;
    const auto local_in = [](const char* value) {
        setenv("TZ", value, 1);
        const auto local = Zone::parse("local");
        return local ? local->name() + " " + std::to_string(local->offset_at(utc("2016-07-01"))) : "none";
    };
    EXPECT_EQ(local_in("America/New_York"), "America/New_York -14400");
    EXPECT_EQ(local_in(":Europe/Berlin"), "Europe/Berlin 7200");
    EXPECT_EQ(local_in("/usr/share/zoneinfo/Asia/Kathmandu"), "Asia/Kathmandu 20700");
    EXPECT_EQ(local_in("UTC"), "UTC 0");
    EXPECT_EQ(local_in(""), "UTC 0");
    EXPECT_EQ(local_in("Mars/Olympus"), "none");
    unsetenv("TZ");
    EXPECT_TRUE(Zone::parse("local"));
    if (before != nullptr) setenv("TZ", kept.c_str(), 1);
}

/// Debian 13 has the older names of zones, such as Asia/Katmandu, only in a package that is not installed by default.
TEST(ZoneRules, ASystemNeedNotHaveAllNamesOfAZone) {
    TempFolder folder;
    std::filesystem::create_directory(folder.path("Asia"));
    std::filesystem::copy_file("/usr/share/zoneinfo/Asia/Kathmandu", folder.path("Asia/Kathmandu"));
    setenv("TZDIR", folder.path().c_str(), 1);
    for (const char* const name : {"Nepal Standard Time", "Asia/Katmandu", "Asia/Kathmandu"})
        EXPECT_EQ(zone(name).name() + " " + std::to_string(zone(name).offset_at(utc("2016-07-01"))),
                  name + std::string(" 20700"));
    EXPECT_FALSE(Zone::parse("Asia/Tokyo"));
    unsetenv("TZDIR");
}
#endif

TEST(ZoneRules, RepeatedAndSkippedTimes) {
    const Zone new_york = zone("America/New_York"), lord_howe = zone("Australia/Lord_Howe");
    EXPECT_EQ(moments(new_york, "2016-11-06T00:59:59.999"), "unique 2016-11-06T04:59:59.999Z");
    EXPECT_EQ(moments(new_york, "2016-11-06T01:00"), "ambiguous 2016-11-06T05:00:00.000Z 2016-11-06T06:00:00.000Z");
    EXPECT_EQ(moments(new_york, "2016-11-06T01:59:59.999"),
              "ambiguous 2016-11-06T05:59:59.999Z 2016-11-06T06:59:59.999Z");
    EXPECT_EQ(moments(new_york, "2016-11-06T02:00"), "unique 2016-11-06T07:00:00.000Z");
    EXPECT_EQ(moments(new_york, "2016-03-13T01:59:59.999"), "unique 2016-03-13T06:59:59.999Z");
    EXPECT_EQ(moments(new_york, "2016-03-13T02:00"), "skipped 2016-03-13T07:00:00.000Z");
    EXPECT_EQ(moments(new_york, "2016-03-13T02:59:59.999"), "skipped 2016-03-13T07:00:00.000Z");
    EXPECT_EQ(moments(new_york, "2016-03-13T03:00"), "unique 2016-03-13T07:00:00.000Z");
    EXPECT_EQ(moments(lord_howe, "2016-04-03T01:30"), "ambiguous 2016-04-02T14:30:00.000Z 2016-04-02T15:00:00.000Z");
    EXPECT_EQ(moments(lord_howe, "2016-04-03T02:00"), "unique 2016-04-02T15:30:00.000Z");
    EXPECT_EQ(moments(lord_howe, "2016-10-02T02:15"), "skipped 2016-10-01T15:30:00.000Z");
    EXPECT_EQ(moments(Zone(), "2016-10-02T02:15"), "unique 2016-10-02T02:15:00.000Z");
    EXPECT_EQ(moments(zone("X,330"), "2016-10-02T02:15"), "unique 2016-10-02T07:45:00.000Z");
}

TEST(ZoneRules, LocalTimesLeadBack) {
    std::mt19937_64 random(1);
    for (const char* const name : {"America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "UTC", "X,-345"}) {
        const Zone in = zone(name);
        for (int i = 0; i < 2'000; ++i) {
            const std::int64_t moment = utc("2015-01-01") + static_cast<std::int64_t>(random() % 8'000) * 12 * minute;
            const LocalMoments found = in.moments_of(moment + in.offset_at(moment) * second);
            ASSERT_NE(found.kind, LocalMoments::Kind::skipped) << name << moment;
            ASSERT_TRUE(found.first == moment || found.last == moment) << name << moment;
            const hkpd::ZonePeriod period = in.period_at(moment);
            ASSERT_TRUE(period.begin <= moment / second && moment / second < period.end);
        }
    }
}

TEST(ZoneRules, TheRangeOf64BitsIsNotLeft) {
    using Range = std::numeric_limits<std::int64_t>;
    for (const char* const name : {"America/New_York", "Asia/Kathmandu", "UTC", "X,1440", "X,-1440"})
        for (const std::int64_t moment :
             {Range::min(), Range::min() + day, std::int64_t{0}, Range::max() - day, Range::max()}) {
            const Zone in = zone(name);
            EXPECT_LE(std::abs(in.offset_at(moment)), 86'400) << name << moment;
            const LocalMoments found = in.moments_of(moment);
            EXPECT_LE(found.first, found.last) << name << moment;
        }
}

TEST(ZoneNames, AllFormsAndAnyCase) {
    const std::pair<const char*, const char*> names[] = {
        {"UTC", "UTC"},
        {"utc", "UTC"},
        {"Etc/UTC", "UTC"},
        {"America/New_York", "America/New_York"},
        {"america/new_york", "America/New_York"},
        {"US/Eastern", "US/Eastern"},
        {"Eastern Standard Time", "Eastern Standard Time"},
        {"eastern standard time", "Eastern Standard Time"},
        {"Asia/Kolkata", "Asia/Kolkata"},
        {"Pacific Standard Time,480", "Pacific Standard Time"},
        {"India, somewhere,-330", "India, somewhere"},
    };
    for (const auto& [text, name] : names) EXPECT_EQ(zone(text).name(), name) << text;
    const std::int64_t summer = utc("2016-07-01");
    EXPECT_EQ(zone("eastern standard time").offset_at(summer), -14'400);
    EXPECT_EQ(zone("Eastern Standard Time,300").offset_at(summer), -18'000);
    EXPECT_TRUE(zone("UTC").is_utc());
    EXPECT_TRUE(Zone(hkpd::TimeZone{}).is_utc());
    EXPECT_FALSE(zone("Europe/London").is_utc());
}

TEST(ZoneNames, OtherTextsAreRefused) {
    for (const std::string_view text : {"",
                                        ",",
                                        ",480",
                                        "X",
                                        "X,",
                                        "X, 480",
                                        "X,480 ",
                                        "X,4x",
                                        "X,1441",
                                        "X,-1441",
                                        "X,-",
                                        "X,99999999999",
                                        "X,1.5",
                                        "UTC ",
                                        "UTCX",
                                        "Amerika/New_York",
                                        "/etc/passwd",
                                        "../../../etc/passwd",
                                        "Europe/../Europe/Berlin",
                                        "Europe",
                                        "Europe/",
                                        "zone.tab",
                                        "tzdata.zi",
                                        "localtime/x",
                                        "a\nb",
                                        "America/New_York "})
        EXPECT_FALSE(Zone::parse(text)) << text;
    EXPECT_EQ(Zone::parse(std::string(100'000, 'x')).error(), ZoneError::unknown);
    EXPECT_EQ(Zone::parse(std::string_view("UTC\0", 4)).error(), ZoneError::unknown);
    EXPECT_EQ(Zone::similar_name("Amerika/New_York"), "America/New_York");
    EXPECT_EQ(Zone::similar_name("Pacific Standart Time"), "Pacific Standard Time");
    EXPECT_EQ(Zone::similar_name("Mars/Olympus"), "");
}

TEST(ZoneNames, TextLogsStateWindowsNames) {
    const auto at = [](const char* name, const char* time) {
        const hkpd::TimeZone found = zone(name).at(utc(time));
        return found.name + " " + std::to_string(found.bias);
    };
    EXPECT_EQ(at("America/New_York", "2016-01-01"), "Eastern Standard Time 300");
    EXPECT_EQ(at("America/New_York", "2016-07-01"), "Eastern Daylight Time 240");
    EXPECT_EQ(at("Eastern Standard Time", "2016-07-01"), "Eastern Daylight Time 240");
    EXPECT_EQ(at("Australia/Lord_Howe", "2016-01-01"), "Lord Howe Daylight Time -660");
    // Irish files may state that winter is daylight time.
    EXPECT_EQ(at("Europe/Dublin", "2016-01-01"), "GMT Standard Time 0");
    EXPECT_EQ(at("Europe/Dublin", "2016-07-01"), "GMT Daylight Time -60");
    EXPECT_EQ(at("Pacific Standard Time,480", "2016-07-01"), "Pacific Standard Time 480");
    EXPECT_EQ(at("UTC", "2016-07-01"), "Coordinated Universal Time 0");
}

TEST(ZoneNames, EachWindowsNameHasAZoneOfItsOwn) {
    std::string_view before;
    std::size_t missing = 0;
    for (const hkpd::WindowsZone& entry : hkpd::windows_zones()) {
        EXPECT_LT(before, entry.windows);
        before = entry.windows;
        EXPECT_FALSE(entry.iana.empty()) << entry.windows;
        const auto parsed = Zone::parse(entry.windows);
        if (parsed) continue;
        EXPECT_EQ(parsed.error(), ZoneError::no_rules) << entry.windows;
        ++missing;
    }
    EXPECT_GT(hkpd::windows_zones().size(), 130U);
    EXPECT_LE(missing, hkpd::windows_zones().size() / 8);  // Wine does not have them all
}

SystemTime each_year(std::uint16_t month, std::uint16_t nth, std::uint16_t weekday, std::uint16_t at_hour) {
    return {0, month, weekday, nth, at_hour, 0, 0, 0};
}
const TimeZoneRules pacific{
    480, {"@tzres.dll,-212", each_year(11, 1, 0, 2), 0}, {"@tzres.dll,-211", each_year(3, 2, 0, 2), -60}};
const TimeZoneRules sydney{-600,
                           {"AUS Eastern Standard Time", each_year(4, 1, 0, 3), 0},
                           {"AUS Eastern Daylight Time", each_year(10, 1, 0, 2), -60}};

TEST(ZoneOfLogs, HasTheRulesOfTheLog) {
    const Zone in(pacific);
    EXPECT_EQ(in.name(), "Pacific Standard Time");
    EXPECT_EQ(in.at(utc("2016-11-06T08:59:59")).name, "Pacific Daylight Time");
    EXPECT_EQ(in.at(utc("2016-11-06T09:00")).name, "Pacific Standard Time");
    EXPECT_EQ(in.offset_at(utc("2016-03-13T09:59:59")), -28'800);
    EXPECT_EQ(in.offset_at(utc("2016-03-13T10:00")), -25'200);
    EXPECT_EQ(moments(in, "2016-11-06T01:30"), "ambiguous 2016-11-06T08:30:00.000Z 2016-11-06T09:30:00.000Z");
    EXPECT_EQ(moments(in, "2016-03-13T02:30"), "skipped 2016-03-13T10:00:00.000Z");
    EXPECT_EQ(Zone(TimeZoneRules{-330, {}, {}}).at(0).name, "UTC+05:30");
    EXPECT_EQ(Zone(TimeZoneRules{-330, {}, {}}).name(), "UTC+05:30");
}

/// The two directions of one set of rules: local time to bias (`TimeZoneRules::at`), and moment to offset (`Zone`).
TEST(ZoneOfLogs, AgreesWithTheBiasOfLocalTimes) {
    constexpr std::int64_t filetime_of_1970 = 116'444'736'000'000'000;
    TimeZoneRules once = pacific;
    once.daylight.begins = {2016, 3, 0, 13, 2, 0, 0, 0};
    once.standard.begins = {2016, 11, 0, 6, 2, 0, 0, 0};
    TimeZoneRules shifted = pacific;
    shifted.standard.bias = 15;
    TimeZoneRules damaged = sydney;
    damaged.daylight.begins.month = 13;
    TimeZoneRules never = pacific;
    never.daylight.begins = never.standard.begins;
    for (const TimeZoneRules& rules : {pacific, sydney, once, shifted, damaged, never}) {
        const Zone in(rules);
        for (std::int64_t moment = utc("2015-11-01"); moment < utc("2017-12-01"); moment += 15 * minute) {
            const std::int64_t local = moment + in.offset_at(moment) * second;
            // A local time that occurs twice has the bias of the first.
            if (in.moments_of(local).first != moment) continue;
            ASSERT_EQ(rules.at(local / 100 + filetime_of_1970).bias * -60, in.offset_at(moment))
                << shown(Zone(), moment);
        }
    }
}

TEST(ZoneTimes, AreShownWithTheirOffset) {
    const std::int64_t moment = utc("2016-11-26T21:46:30.874");
    EXPECT_EQ(shown(Zone(), moment), "2016-11-26T21:46:30.874Z");
    EXPECT_EQ(shown(zone("America/Los_Angeles"), moment), "2016-11-26T13:46:30.874-08:00");
    EXPECT_EQ(shown(zone("Asia/Kolkata"), moment), "2016-11-27T03:16:30.874+05:30");
    EXPECT_EQ(shown(zone("Europe/London"), moment), "2016-11-26T21:46:30.874+00:00");
    const SystemTime first{1601, 1, 1, 1, 0, 0, 0, 0};
    std::string text;
    hkpd::append_time(text, first, zone("X,480"));
    EXPECT_EQ(text, "1600-12-31T16:00:00.000-08:00");
}

}  // namespace zone_test
}  // namespace hkpd_test
