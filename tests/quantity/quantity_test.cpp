// Units of counters, and quantities and times as text.
#include "quantity/quantity.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "hkpd/counter_type.hpp"
#include "quantity/times.hpp"
#include "support/places.hpp"

namespace quantity_test {

using hkpd::Unit;

std::uint32_t type(std::string_view name) { return hkpd::counter_type_of(name).value(); }

TEST(Unit, IsThatOfTheType) {
    EXPECT_EQ(hkpd::unit_of(type("PERF_ELAPSED_TIME"), "Elapsed Time"), Unit::seconds);
    EXPECT_EQ(hkpd::unit_of(type("PERF_AVERAGE_TIMER"), "Avg. Disk sec/Read"), Unit::seconds);
    EXPECT_EQ(hkpd::unit_of(type("PERF_COUNTER_COUNTER"), "Pages/sec"), Unit::per_second);
    EXPECT_EQ(hkpd::unit_of(type("PERF_100NSEC_TIMER"), "% Processor Time"), Unit::percent);
    EXPECT_EQ(hkpd::unit_of(type("PERF_COUNTER_RAWCOUNT"), "Threads"), Unit::none);
    EXPECT_EQ(hkpd::unit_of(type("PERF_RAW_BASE"), "% Free Space"), Unit::none);
}

TEST(Unit, IsBytesOrAnIdentifierByTheName) {
    const std::uint32_t count = type("PERF_COUNTER_LARGE_RAWCOUNT"), rate = type("PERF_COUNTER_BULK_COUNT");
    for (const std::string_view name : {"Available Bytes", "WORKING SET", "Working Set - Private", "Commit Limit",
                                        "Page File Bytes Peak", "Avg. Disk Bytes/Read"})
        EXPECT_EQ(hkpd::unit_of(count, name), Unit::bytes) << name;
    for (const std::string_view name : {"Disk Bytes/sec", "Bytes Total/sec", "IO Data Bytes/sec"})
        EXPECT_EQ(hkpd::unit_of(rate, name), Unit::bytes_per_second) << name;
    EXPECT_EQ(hkpd::unit_of(rate, "Bytes"), Unit::bytes_per_second);
    EXPECT_EQ(hkpd::unit_of(count, "id process"), Unit::identifier);
    EXPECT_EQ(hkpd::unit_of(count, "Creating Process ID"), Unit::identifier);
    for (const std::string_view name : {"Available MBytes", "Handle Count", "Kilobytes", ""})
        EXPECT_EQ(hkpd::unit_of(count, name), Unit::none) << name;
}

TEST(Unit, IsThatOfTheNameInATextLog) {
    for (const std::uint32_t none : {hkpd::perf_double_raw, hkpd::no_counter_type}) {
        EXPECT_EQ(hkpd::unit_of(none, "% Disk Time"), Unit::percent);
        EXPECT_EQ(hkpd::unit_of(none, "Pages/sec"), Unit::per_second);
        EXPECT_EQ(hkpd::unit_of(none, "Disk Read Bytes/sec"), Unit::bytes_per_second);
        EXPECT_EQ(hkpd::unit_of(none, "Avg. Disk sec/Read"), Unit::seconds);
        EXPECT_EQ(hkpd::unit_of(none, "System Up Time"), Unit::seconds);
        EXPECT_EQ(hkpd::unit_of(none, "Current Disk Queue Length"), Unit::none);
    }
}

TEST(Quantity, IsTheTextOfTheTable) {
    std::map<std::string, Unit, std::less<>> units;
    for (const Unit unit : {Unit::none, Unit::identifier, Unit::per_second, Unit::percent, Unit::seconds, Unit::bytes,
                            Unit::bytes_per_second})
        units.emplace(hkpd::unit_name(unit), unit);
    std::ifstream table(std::string(hkpd_test::testdata_folder) + "/quantities.tsv");
    std::size_t rows = 0;
    for (std::string line; std::getline(table, line);) {
        if (line.starts_with('#')) continue;
        const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
        const Unit unit = units.at(line.substr(first + 1, second - first - 1));
        EXPECT_EQ(hkpd::quantity_text(std::stod(line.substr(0, first)), unit), line.substr(second + 1)) << line;
        ++rows;
    }
    EXPECT_GT(rows, 50U);
    EXPECT_EQ(hkpd::quantity_text(std::nan(""), Unit::bytes), "-");
}

TEST(Quantity, HasTheFourDigitsOfTheExactNumber) {
    const auto exact = [](double number) {
        std::array<char, 64> text;
        const int size = std::snprintf(text.data(), text.size(), "%.4g", std::nextafter(number, INFINITY));
        return std::string(text.data(), static_cast<std::size_t>(size));
    };
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponent(-3, 4);
    for (int i = 0; i < 200'000; ++i) {
        double number = std::pow(10, exponent(random));
        if (i % 3 == 1) number = std::round(number * 1e5) / 1e5;  // many are near the middle between two texts
        if (i % 3 == 2) number = std::round(number * 4096) / 4096;
        if (number < 1e-3 || number > 9999) continue;
        ASSERT_EQ(hkpd::quantity_text(number, Unit::none), exact(number)) << i;
    }
}

TEST(Quantity, OfSizesAndDurations) {
    EXPECT_EQ(hkpd::size_text(131'072), "128 KiB");
    EXPECT_EQ(hkpd::duration_text(3'005'000'000), "3.005 s");
    EXPECT_EQ(hkpd::count_of(1, "sample"), "1 sample");
    EXPECT_EQ(hkpd::count_of(12'345, "value"), "12345 values");
}

TEST(Times, HaveTheNameOfTheZoneOnTheDate) {
    const auto zone = hkpd::Zone::parse("Eastern Standard Time");
    ASSERT_TRUE(zone);
    constexpr std::int64_t summer = 1'187'120'438'000'000'000, winter = 1'170'000'000'000'000'000;  // in 2007
    EXPECT_EQ(hkpd::zone_text(*zone, summer), "Eastern Daylight Time (UTC-04:00)");
    EXPECT_EQ(hkpd::zone_text(*zone, winter), "Eastern Standard Time (UTC-05:00)");
    EXPECT_EQ(hkpd::zone_text(hkpd::Zone(), summer), "UTC");
    EXPECT_EQ(hkpd::zone_text(hkpd::TimeZone{"UTC-05:00", 300}), "UTC-05:00");
    EXPECT_EQ(hkpd::offset_text(-5 * 3600), "UTC-05:00");
}

TEST(Times, AreDatesOrClocks) {
    const hkpd::SystemTime time{2007, 8, 2, 14, 9, 40, 8, 5};
    std::string text;
    hkpd::append_date_time(text, time, hkpd::TimePart::millisecond);
    EXPECT_EQ(text, "2007-08-14 09:40:08.005");
    EXPECT_EQ(hkpd::clock_text(time, hkpd::TimePart::minute), "09:40");
    EXPECT_EQ(hkpd::clock_text(time, hkpd::TimePart::second), "09:40:08");
}

}  // namespace quantity_test
