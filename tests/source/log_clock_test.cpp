// The clock of a text log: local times of rows across changes of the clocks, in logs written live and converted later.
#include "text_log/log_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/zone_texts.hpp"

namespace hkpd_test {
namespace log_clock_test {

constexpr std::int64_t second = 1'000'000'000, minute = 60 * second, hour = 60 * minute;

/// Returns a local time or a moment as nanoseconds.
std::int64_t at(std::string_view text) { return hkpd::parse_time(text).value_or(0); }

hkpd::Zone zone(std::string_view name) {
    const auto found = hkpd::Zone::parse(name);
    return found ? *found : hkpd::Zone();
}

class LogClockTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!hkpd::Zone::parse("Europe/Berlin")) GTEST_SKIP() << "this machine has no rules of time zones";
    }
};

/// Returns the hours from the first row to each row.
std::vector<double> hours_of(std::string_view name, std::int64_t offset, std::int64_t interval,
                             const std::vector<std::string>& local) {
    hkpd::LogClock clock(zone(name), offset, interval);
    std::vector<double> found;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < local.size(); ++i) {
        bool goes_back = false;
        if (const auto end = clock.needs_rows_until(at(local[i])))
            for (std::size_t k = i + 1; k < local.size() && at(local[k - 1]) < *end; ++k)
                goes_back = goes_back || at(local[k]) < at(local[k - 1]);
        const std::int64_t time = clock.take(at(local[i]), goes_back);
        if (i == 0) first = time;
        found.push_back(static_cast<double>(time - first) / static_cast<double>(hour));
    }
    return found;
}

using testing::ElementsAre;

TEST_F(LogClockTest, TimesThatGoBackShowALiveLog) {
    EXPECT_THAT(hours_of("Europe/Berlin", 2 * hour, 30 * minute,
                         {"2025-10-26 01:30", "2025-10-26 02:00", "2025-10-26 02:30", "2025-10-26 02:00",
                          "2025-10-26 02:30", "2025-10-26 03:00"}),
                ElementsAre(0, 0.5, 1, 1.5, 2, 2.5));
}

TEST_F(LogClockTest, TimesThatRunOnShowAConvertedLog) {
    EXPECT_THAT(
        hours_of("Europe/Berlin", 2 * hour, 30 * minute,
                 {"2025-10-26 01:30", "2025-10-26 02:00", "2025-10-26 02:30", "2025-10-26 03:00", "2025-10-26 03:30"}),
        ElementsAre(0, 0.5, 1, 1.5, 2));
    EXPECT_THAT(
        hours_of("Europe/Berlin", hour, 30 * minute,
                 {"2025-03-30 01:30", "2025-03-30 02:00", "2025-03-30 02:30", "2025-03-30 03:00", "2025-03-30 05:00"}),
        ElementsAre(0, 0.5, 1, 1.5, 3.5));
}

TEST_F(LogClockTest, ASkippedHourShowsALiveLogInBothHemispheres) {
    EXPECT_THAT(
        hours_of("Europe/Berlin", hour, 30 * minute, {"2025-03-30 01:00", "2025-03-30 01:30", "2025-03-30 03:00"}),
        ElementsAre(0, 0.5, 1));
    EXPECT_THAT(hours_of("Australia/Lord_Howe", 10 * hour + 30 * minute, 10 * minute,
                         {"2025-10-05 01:50", "2025-10-05 02:30", "2025-10-05 02:40"}),
                testing::Pointwise(testing::DoubleNear(1e-9), {0.0, 1.0 / 6, 2.0 / 6}));
}

TEST_F(LogClockTest, IntervalsLongerThanTheChangeDecide) {
    // Every 90 minutes: the times never go back.
    EXPECT_THAT(hours_of("Europe/Berlin", 2 * hour, 90 * minute,
                         {"2025-10-26 01:00", "2025-10-26 02:30", "2025-10-26 03:00", "2025-10-26 04:30"}),
                ElementsAre(0, 1.5, 3, 4.5));
    EXPECT_THAT(hours_of("Europe/Berlin", 2 * hour, 90 * minute,
                         {"2025-10-26 01:00", "2025-10-26 02:30", "2025-10-26 04:00", "2025-10-26 05:30"}),
                ElementsAre(0, 1.5, 3, 4.5));
    EXPECT_THAT(hours_of("Europe/Berlin", 2 * hour, hour, {"2025-10-26 01:00", "2025-10-26 02:00", "2025-10-26 02:00"}),
                ElementsAre(0, 1, 2));
}

TEST_F(LogClockTest, MissingRowsLeaveTheRulesOfTheZone) {
    // Nothing from an hour before to an hour after the change: as a live log.
    EXPECT_THAT(hours_of("Europe/Berlin", 2 * hour, minute, {"2025-10-26 01:00", "2025-10-26 04:00"}),
                ElementsAre(0, 4));
    EXPECT_THAT(hours_of("Europe/Berlin", hour, minute, {"2025-03-30 00:00", "2025-03-30 05:00"}), ElementsAre(0, 4));
    // The hour that is shown twice begins with a gap; the rows after it show which of the two it is.
    EXPECT_THAT(hours_of("Europe/Berlin", 2 * hour, 10 * minute,
                         {"2025-10-26 01:00", "2025-10-26 02:40", "2025-10-26 02:50", "2025-10-26 02:00"}),
                testing::Pointwise(testing::DoubleNear(1e-9), {0.0, 10.0 / 6, 11.0 / 6, 2.0}));
}

TEST_F(LogClockTest, TheSameTimeAgainIsAfterTheChangeIfAFewRowsAreMissing) {
    // The row at 01:30, which is the first after the change, is damaged. (tests/text_log/run.py, seed 301037)
    EXPECT_THAT(hours_of("Australia/Lord_Howe", 11 * hour, 15 * minute,
                         {"2023-04-02 01:15", "2023-04-02 01:30", "2023-04-02 01:45", "2023-04-02 01:45",
                          "2023-04-02 02:00", "2023-04-02 02:15"}),
                ElementsAre(0, 0.25, 0.5, 1, 1.25, 1.5));
    // A time that occurs twice while a second is the usual interval is the same one.
    EXPECT_THAT(hours_of("Europe/Berlin", 2 * hour, second,
                         {"2025-10-26 02:59:59", "2025-10-26 02:59:59", "2025-10-26 03:00:00"}),
                testing::Pointwise(testing::DoubleNear(1e-9), {0.0, 0.0, 1.0 / 3600}));
}

TEST(ZoneTexts, NamesOfWindowsInSeveralLanguages) {
    if (!hkpd::Zone::parse("Europe/Berlin")) GTEST_SKIP() << "this machine has no rules of time zones";
    constexpr std::int64_t winter = 1'768'000'000 * second, summer = 1'784'000'000 * second;
    const auto offsets = [&](std::string_view text) -> std::string {
        const auto found = hkpd::zone_of_text(text);
        if (!found) return "unknown";
        return std::to_string(found->offset_at(winter) / 60) + "," + std::to_string(found->offset_at(summer) / 60);
    };
    for (const char* text :
         {"W. Europe Standard Time", "w. europe daylight time", "Europe/Berlin", "Mitteleuropäische Sommerzeit",
          "Paris, Madrid", "Paris, Madrid (heure d", "Paris, Madrid (heure d’été)", "ora legale Europa occidentale",
          "Hora de verano romance", "West-Europa (zomertijd)", "Střední Evropa (běžný čas)"})
        EXPECT_EQ(offsets(text), "60,120") << text;
    EXPECT_EQ(offsets("Russia TZ 4 Standard Time"), "300,300");
    EXPECT_EQ(offsets("RTZ 2 (зима)"), "180,180");
    EXPECT_EQ(offsets("Malay Peninsula Standard Time"), "480,480");
    EXPECT_EQ(offsets("Pacific Daylight Time"), "-480,-420");
    EXPECT_EQ(offsets("Central Daylight Time (Mexico)"), "-360,-360");
    EXPECT_EQ(offsets("Hora Padrão de Caracas"), "-240,-240");
    EXPECT_EQ(offsets("Coordinated Universal Time"), "0,0");
    for (const char* text : {"", "(", "local", "Pacific Standard Time,480", "Zeit (Berlin)", "../etc"})
        EXPECT_EQ(offsets(text), "unknown") << text;
}

}  // namespace log_clock_test
}  // namespace hkpd_test
