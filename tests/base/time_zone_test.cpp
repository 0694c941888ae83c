// Seasons and names of time zones. Expectations: TIME_ZONE_INFORMATION (learn.microsoft.com, timezoneapi.h), the
// calendars of the years used, and two logs written by Windows.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/time.hpp"
#include "support/byte_buffer.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace time_zone_test {

using hkpd::SystemTime;
using hkpd::TimeZoneRules;
using hkpd::zone_name;

using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>;
constexpr std::int64_t tick = 1;

/// Returns a local time in 100 ns since 1601.
std::int64_t local(int year, unsigned month, unsigned day, int hours = 0, int minutes = 0) {
    namespace chrono = std::chrono;
    constexpr chrono::sys_days start{chrono::year{1601} / 1 / 1};
    const chrono::sys_days date{chrono::year{year} / chrono::month{month} / chrono::day{day}};
    return Ticks{date - start + chrono::hours{hours} + chrono::minutes{minutes}}.count();
}

/// Returns a change of season on the n-th weekday (0: Sunday) of a month, at a full hour; n = 5: the last one.
SystemTime each_year(std::uint16_t month, std::uint16_t nth, std::uint16_t weekday, std::uint16_t hour) {
    return {0, month, weekday, nth, hour, 0, 0, 0};
}

const TimeZoneRules pacific{
    480, {"@tzres.dll,-212", each_year(11, 1, 0, 2), 0}, {"@tzres.dll,-211", each_year(3, 2, 0, 2), -60}};
const TimeZoneRules sydney{-600,
                           {"AUS Eastern Standard Time", each_year(4, 1, 0, 3), 0},
                           {"AUS Eastern Daylight Time", each_year(10, 1, 0, 2), -60}};
const TimeZoneRules berlin{-60,
                           {"W. Europe Standard Time", each_year(10, 5, 0, 3), 0},
                           {"W. Europe Daylight Time", each_year(3, 5, 0, 2), -60}};

/// Returns the name and bias at a time: `Pacific Standard Time 480`.
std::string zone_at(const TimeZoneRules& rules, std::int64_t time) {
    const hkpd::TimeZone zone = rules.at(time);
    return zone.name + " " + std::to_string(zone.bias);
}

/// Returns the biases just before `time` and at it: `before>after`.
std::string change_at(const TimeZoneRules& rules, std::int64_t time) {
    return std::to_string(rules.at(time - tick).bias) + ">" + std::to_string(rules.at(time).bias);
}

TEST(TimeZoneRules, ANorthernZoneAroundItsChanges) {
    EXPECT_EQ(zone_at(pacific, local(2016, 1, 1)), "Pacific Standard Time 480");
    EXPECT_EQ(zone_at(pacific, local(2016, 7, 1)), "Pacific Daylight Time 420");
    EXPECT_EQ(zone_at(pacific, local(2016, 12, 31, 23, 59)), "Pacific Standard Time 480");
    // By local time: the hour from 2:00 on 13 March is skipped, and the hour from 1:00 on 6 November is repeated.
    EXPECT_EQ(change_at(pacific, local(2016, 3, 13, 2)), "480>420");
    EXPECT_EQ(change_at(pacific, local(2016, 11, 6, 2)), "420>480");
    EXPECT_EQ(pacific.at(local(2016, 11, 6, 1, 30)).bias, 420);
    // The second Sunday is between the 8th and the 14th.
    EXPECT_EQ(change_at(pacific, local(2015, 3, 8, 2)), "480>420");
    EXPECT_EQ(change_at(pacific, local(2021, 3, 14, 2)), "480>420");
    EXPECT_EQ(change_at(pacific, local(2020, 11, 1, 2)), "420>480");
    EXPECT_EQ(change_at(pacific, local(2021, 11, 7, 2)), "420>480");
}

TEST(TimeZoneRules, InTheSouthDaylightTimeSpansTheNewYear) {
    EXPECT_EQ(zone_at(sydney, local(2024, 1, 1)), "AUS Eastern Daylight Time -660");
    EXPECT_EQ(zone_at(sydney, local(2024, 7, 1)), "AUS Eastern Standard Time -600");
    EXPECT_EQ(zone_at(sydney, local(2024, 12, 31, 23, 59)), "AUS Eastern Daylight Time -660");
    EXPECT_EQ(change_at(sydney, local(2024, 4, 7, 3)), "-660>-600");
    EXPECT_EQ(change_at(sydney, local(2024, 10, 6, 2)), "-600>-660");
    EXPECT_EQ(sydney.at(local(2024, 4, 7, 2, 30)).bias, -660);
}

TEST(TimeZoneRules, TheFifthWeekdayIsTheLast) {
    EXPECT_EQ(change_at(berlin, local(2024, 3, 31, 2)), "-60>-120");  // the fifth Sunday
    EXPECT_EQ(change_at(berlin, local(2023, 3, 26, 2)), "-60>-120");  // the fourth
    EXPECT_EQ(change_at(berlin, local(2024, 10, 27, 3)), "-120>-60");
    EXPECT_EQ(change_at(berlin, local(2023, 10, 29, 3)), "-120>-60");
    TimeZoneRules leap = berlin;
    leap.daylight.begins = {0, 2, 4, 5, 23, 59, 59, 999};
    EXPECT_EQ(change_at(leap, local(2024, 3, 1) - 10'000 * tick), "-60>-120");  // Thursday, 29 February
    EXPECT_EQ(change_at(leap, local(2023, 2, 24) - 10'000 * tick), "-60>-120");
}

TEST(TimeZoneRules, ARepeatedHourBelongsToTheSeasonThatEnds) {
    // Ireland by law: summer is standard time, and winter is an hour earlier.
    const TimeZoneRules dublin{
        -60, {"Irish Standard Time", each_year(3, 5, 0, 1), 0}, {"Greenwich Mean Time", each_year(10, 5, 0, 2), 60}};
    EXPECT_EQ(change_at(dublin, local(2024, 3, 31, 1)), "0>-60");
    EXPECT_EQ(change_at(dublin, local(2024, 10, 27, 2)), "-60>0");
    EXPECT_EQ(zone_at(dublin, local(2024, 10, 27, 1, 30)), "Irish Standard Time -60");
    EXPECT_EQ(zone_at(dublin, local(2024, 1, 1)), "Greenwich Mean Time 0");
}

TEST(TimeZoneRules, WithoutBothDatesThereIsNoChange) {
    const TimeZoneRules india{-330, {"India Standard Time", {}, 30}, {"India Daylight Time", {}, -60}};
    for (const std::int64_t time : {local(2024, 1, 1), local(2024, 7, 1)})
        EXPECT_EQ(zone_at(india, time), "India Standard Time -330");  // StandardBias has no meaning in this case
    TimeZoneRules half = pacific;
    half.daylight.begins = {};
    EXPECT_EQ(zone_at(half, local(2016, 7, 1)), "Pacific Standard Time 480");
    half = pacific;
    half.standard.begins = {};
    EXPECT_EQ(zone_at(half, local(2016, 7, 1)), "Pacific Standard Time 480");
    // Daylight time begins at the moment it ends.
    TimeZoneRules never = pacific;
    never.daylight.begins = never.standard.begins;
    for (int month = 1; month <= 12; ++month)
        EXPECT_EQ(never.at(local(2016, static_cast<unsigned>(month), 15)).bias, 480) << month;
}

TEST(TimeZoneRules, TheBiasOfStandardTimeCounts) {
    TimeZoneRules rules = pacific;
    rules.standard.bias = 15;
    EXPECT_EQ(rules.at(local(2016, 1, 1)).bias, 495);
    EXPECT_EQ(rules.at(local(2016, 7, 1)).bias, 420);
}

TEST(TimeZoneRules, ADateWithAYearCountsInThatYearOnly) {
    TimeZoneRules rules = pacific;
    rules.daylight.begins = {2007, 3, 0, 11, 2, 0, 0, 0};
    rules.standard.begins = {2007, 11, 0, 4, 2, 0, 0, 0};
    EXPECT_EQ(change_at(rules, local(2007, 3, 11, 2)), "480>420");
    EXPECT_EQ(change_at(rules, local(2007, 11, 4, 2)), "420>480");
    for (const int year : {2006, 2008}) EXPECT_EQ(rules.at(local(year, 7, 1)).bias, 480) << year;
    // The weekday has no meaning, and the day is the day of the month.
    rules.daylight.begins.day_of_week = 9;
    rules.daylight.begins.day = 31;
    EXPECT_EQ(change_at(rules, local(2007, 3, 31, 2)), "480>420");

    TimeZoneRules south = sydney;
    south.daylight.begins = {2007, 10, 0, 28, 2, 0, 0, 0};
    south.standard.begins = {2008, 4, 0, 6, 3, 0, 0, 0};
    EXPECT_EQ(south.at(local(2007, 10, 27)).bias, -600);
    EXPECT_EQ(south.at(local(2007, 12, 31, 23, 59)).bias, -660);
    EXPECT_EQ(south.at(local(2008, 1, 1)).bias, -660);
    EXPECT_EQ(south.at(local(2008, 4, 6, 3)).bias, -600);
    EXPECT_EQ(south.at(local(2008, 12, 1)).bias, -600);
    south.standard.begins.year = 2007;  // both changes in one year, in the order of the southern hemisphere
    EXPECT_EQ(south.at(local(2007, 4, 6, 2, 59)).bias, -660);
    EXPECT_EQ(south.at(local(2007, 4, 6, 3)).bias, -600);
    EXPECT_EQ(south.at(local(2007, 10, 28, 2)).bias, -660);
}

TEST(TimeZoneRules, ADamagedDateIsNoChange) {
    // Year, month, weekday, day, hour, minute, second, milliseconds.
    const std::vector<SystemTime> damaged{
        {0, 13, 0, 1, 0, 0, 0, 0},     {0, 65535, 0, 1, 0, 0, 0, 0}, {0, 3, 0, 0, 0, 0, 0, 0},
        {0, 3, 0, 6, 0, 0, 0, 0},      {0, 3, 7, 1, 0, 0, 0, 0},     {0, 3, 65535, 1, 0, 0, 0, 0},
        {0, 3, 0, 1, 24, 0, 0, 0},     {0, 3, 0, 1, 0, 60, 0, 0},    {0, 3, 0, 1, 0, 0, 60, 0},
        {0, 3, 0, 1, 0, 0, 0, 1000},   {2016, 0, 0, 1, 0, 0, 0, 0},  {2016, 2, 0, 30, 0, 0, 0, 0},
        {2015, 2, 0, 29, 0, 0, 0, 0},  {2016, 3, 0, 0, 0, 0, 0, 0},  {1600, 3, 0, 1, 0, 0, 0, 0},
        {65535, 3, 0, 32, 0, 0, 0, 0},
    };
    for (std::size_t i = 0; i < damaged.size(); ++i) {
        TimeZoneRules rules = pacific;
        rules.daylight.begins = damaged[i];
        EXPECT_EQ(zone_at(rules, local(2016, 7, 1)), "Pacific Standard Time 480") << i;
        rules = sydney;
        rules.standard.begins = damaged[i];
        EXPECT_EQ(zone_at(rules, local(2016, 12, 1)), "AUS Eastern Standard Time -600") << i;
    }
}

TEST(TimeZoneRules, EveryTimeHasAZone) {
    using Limits = std::numeric_limits<std::int64_t>;
    EXPECT_EQ(pacific.at(0).bias, 480);                  // 1601-01-01
    EXPECT_EQ(pacific.at(local(1600, 7, 1)).bias, 420);  // before the times of Windows
    EXPECT_EQ(pacific.at(-1).bias, 480);                 // 1600-12-31 23:59:59.9999999
    EXPECT_EQ(sydney.at(-1).bias, -660);                 //
    EXPECT_EQ(pacific.at(Limits::max()).bias, 420);      // 30828-09-14
    EXPECT_EQ(pacific.at(Limits::min()).bias, 420);      // -27627-04-19
    EXPECT_EQ(change_at(pacific, local(1, 3, 11, 2)), "480>420");
    std::mt19937_64 random(1);
    for (int i = 0; i < 10'000; ++i) {
        const std::int32_t bias = pacific.at(static_cast<std::int64_t>(random())).bias;
        ASSERT_TRUE(bias == 480 || bias == 420);
    }
}

TEST(TimeZoneRules, WithoutANameTheOffsetFromUtcIsTheName) {
    const auto name = [](std::int32_t bias) { return TimeZoneRules{bias, {}, {}}.at(0).name; };
    EXPECT_EQ(name(480), "UTC-08:00");
    EXPECT_EQ(name(-330), "UTC+05:30");
    EXPECT_EQ(name(0), "UTC+00:00");
    EXPECT_EQ(name(1440), "UTC-24:00");
    TimeZoneRules rules = pacific;
    rules.daylight.name.clear();
    EXPECT_EQ(zone_at(rules, local(2016, 7, 1)), "UTC-07:00 420");
}

/// Returns a TIME_ZONE_INFORMATION with these biases and names.
std::vector<std::byte> structure(std::int32_t bias, std::u16string standard, std::int32_t standard_bias = 0,
                                 std::u16string daylight = {}, std::int32_t daylight_bias = 0) {
    blob::ByteBuffer bytes;
    bytes.integers(4, bias);
    for (auto [name, own_bias] : {std::pair{&standard, standard_bias}, {&daylight, daylight_bias}}) {
        name->resize(32);
        bytes.string(blob::utf16(*name));
        bytes.integers(2, 1, 2, 3, 4, 5, 6, 7, 8);
        bytes.integers(4, own_bias);
    }
    return {bytes.bytes().begin(), bytes.bytes().end()};
}

std::optional<TimeZoneRules> read(const std::vector<std::byte>& bytes) {
    return TimeZoneRules::read(hkpd::Bytes(bytes, 1000));
}

TEST(TimeZoneBytes, FieldsAreAtTheirOffsets) {
    auto bytes = structure(-330, u"Std", 7, u"Dlt", -60);
    ASSERT_EQ(bytes.size(), TimeZoneRules::size);
    bytes[4 + 84 + 64] = std::byte{9};  // the year of DaylightDate
    const auto rules = read(bytes);
    ASSERT_TRUE(rules);
    EXPECT_EQ(rules->bias, -330);
    EXPECT_EQ(rules->standard.name, "Std");
    EXPECT_EQ(rules->standard.bias, 7);
    EXPECT_EQ(rules->daylight.name, "Dlt");
    EXPECT_EQ(rules->daylight.bias, -60);
    for (const auto& [begins, year] : {std::pair{rules->standard.begins, 1}, {rules->daylight.begins, 9}}) {
        EXPECT_EQ(begins.year, year);
        EXPECT_EQ(begins.month, 2);
        EXPECT_EQ(begins.day_of_week, 3);
        EXPECT_EQ(begins.day, 4);
        EXPECT_EQ(begins.hour, 5);
        EXPECT_EQ(begins.minute, 6);
        EXPECT_EQ(begins.second, 7);
        EXPECT_EQ(begins.milliseconds, 8);
    }
    auto more = bytes;
    more.resize(more.size() + 4, std::byte{0xFF});
    EXPECT_TRUE(read(more));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(read({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
}

TEST(TimeZoneBytes, ABiasIsADayAtMost) {
    constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
    for (const std::int32_t good : {-1440, 1440}) {
        EXPECT_TRUE(read(structure(good, u""))) << good;
        EXPECT_TRUE(read(structure(0, u"", good))) << good;
        EXPECT_TRUE(read(structure(0, u"", 0, u"", good))) << good;
    }
    for (const std::int32_t bad : {-1441, 1441, least, std::numeric_limits<std::int32_t>::max()}) {
        EXPECT_FALSE(read(structure(bad, u""))) << bad;
        EXPECT_FALSE(read(structure(0, u"", bad))) << bad;
        EXPECT_FALSE(read(structure(0, u"", 0, u"", bad))) << bad;
    }
}

TEST(TimeZoneBytes, NamesAreUtf16UpToTheirNul) {
    const std::u16string whole(32, u'x');
    EXPECT_EQ(read(structure(0, whole))->standard.name, std::string(32, 'x'));
    EXPECT_EQ(read(structure(0, u"", 0, whole))->daylight.name, std::string(32, 'x'));
    EXPECT_EQ(read(structure(0, u"Mitteleuropäische Zeit"))->standard.name, "Mitteleurop\xC3\xA4ische Zeit");
    EXPECT_EQ(read(structure(0, std::u16string(u"A\0B", 3)))->standard.name, "A");
    EXPECT_EQ(read(structure(0, std::u16string(u"A\xD800") + u"B\xDC00"))->standard.name,
              "A\xEF\xBF\xBD"
              "B\xEF\xBF\xBD");
    EXPECT_EQ(read(structure(0, u""))->standard.name, "");
}

TEST(TimeZoneBytes, ReadsAnyBytes) {
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        auto bytes = structure(480, u"A", 0, u"B", -60);
        // Small numbers, mostly in the dates, so that many are valid dates.
        for (const std::size_t at : {std::size_t{4 + 64}, std::size_t{88 + 64}})
            for (std::size_t field = 0; field < 16; field += 2)
                bytes[at + field] = static_cast<std::byte>(random() % 14);
        bytes[4 + 64] = bytes[88 + 64] = std::byte{0};
        bytes[random() % 4 == 0 ? random() % bytes.size() : 4] = static_cast<std::byte>(random());
        const auto rules = read(bytes);
        if (!rules) continue;
        const auto zone = rules->at(static_cast<std::int64_t>(std::uint64_t{random()} << (random() % 33)));
        ASSERT_LE(std::abs(zone.bias), 2880);
        ASSERT_FALSE(zone.name.empty());
    }
}

TEST(ZoneName, AResourceOfTzresIsAnEnglishName) {
    const std::pair<std::string_view, std::string_view> names[] = {
        {"@tzres.dll,-111", "Eastern Daylight Time"},
        {"@tzres.dll,-112", "Eastern Standard Time"},
        {"@tzres.dll,-211", "Pacific Daylight Time"},
        {"@tzres.dll,-212", "Pacific Standard Time"},
        {"@tzres.dll,-251", "Dateline Daylight Time"},
        {"@TZRES.DLL,-212", "Pacific Standard Time"},
        {R"(@%SystemRoot%\system32\tzres.dll,-212)", "Pacific Standard Time"},
        {"@C:/Windows/System32/TzRes.dll,-212", "Pacific Standard Time"},
        {"@tzres.dll,-212;Pacific Standard Time", "Pacific Standard Time"},
        {"@tzres.dll,-212#1", "Pacific Standard Time"},
        {"@tzres.dll,-212;", "Pacific Standard Time"},
    };
    for (const auto& [resource, name] : names) EXPECT_EQ(zone_name(resource), name) << resource;
}

TEST(ZoneName, AnyOtherNameIsKept) {
    for (const std::string_view name : {"",
                                        "@",
                                        ",-",
                                        "@,-212",
                                        "Pacific Standard Time",
                                        "tzres.dll,-212",
                                        "@tzres.dll",
                                        "@tzres.dll,-",
                                        "@tzres.dll,212",
                                        "@tzres.dll,-0",
                                        "@tzres.dll,-1",
                                        "@tzres.dll,-210",
                                        "@tzres.dll,-213",
                                        "@tzres.dll,-2120",
                                        "@tzres.dll,-65748",
                                        "@tzres.dll,-99999999999999999999",
                                        "@tzres.dll,--212",
                                        "@tzres.dll,-212x",
                                        "@tzres.dll,- 212",
                                        "@tzres.dll ,-212",
                                        "@xtzres.dll,-212",
                                        "@tzres.dllx,-212",
                                        "@tzres.dll\\,-212",
                                        "@shell32.dll,-212",
                                        "@tzres.dll;,-212"})
        EXPECT_EQ(zone_name(name), name);
}

class WindowsTimeZones : public WindowsData {
  protected:
    /// Reads the rules from TRACE_LOGFILE_HEADER, which is at 0x68: they follow 56 bytes and two pointers.
    TimeZoneRules rules(std::string_view name, std::size_t pointer) const {
        std::ifstream file(folder_ / "data/blg" / name, std::ios::binary);
        std::string text(TimeZoneRules::size, '\0');
        file.seekg(static_cast<std::streamoff>(0x68 + 56 + 2 * pointer));
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        EXPECT_TRUE(file);
        const auto read = TimeZoneRules::read(hkpd::Bytes(std::as_bytes(std::span(text))));
        EXPECT_TRUE(read);
        return read.value_or(TimeZoneRules{});
    }
};

TEST_F(WindowsTimeZones, Vista) {
    const TimeZoneRules eastern = rules("vista-2007-wildcards.blg", 4);
    EXPECT_EQ(eastern.bias, 300);
    EXPECT_EQ(eastern.standard.name, "@tzres.dll,-112");
    EXPECT_EQ(eastern.daylight.name, "@tzres.dll,-111");
    EXPECT_EQ(zone_at(eastern, local(2007, 8, 14, 11, 40)), "Eastern Daylight Time 240");
    EXPECT_EQ(change_at(eastern, local(2007, 3, 11, 2)), "300>240");
    EXPECT_EQ(change_at(eastern, local(2007, 11, 4, 2)), "240>300");
}

TEST_F(WindowsTimeZones, Windows10) {
    const TimeZoneRules rules_of_2016 = rules("win10-14393-counters.blg", 8);
    EXPECT_EQ(rules_of_2016.bias, 480);
    EXPECT_EQ(zone_at(rules_of_2016, local(2016, 11, 26, 13, 46)), "Pacific Standard Time 480");
    EXPECT_EQ(zone_at(rules_of_2016, local(2016, 7, 1)), "Pacific Daylight Time 420");
    EXPECT_EQ(change_at(rules_of_2016, local(2016, 3, 13, 2)), "480>420");
    EXPECT_EQ(change_at(rules_of_2016, local(2016, 11, 6, 2)), "420>480");
}

}  // namespace time_zone_test
}  // namespace hkpd_test
