// What Get-Counter of PowerShell shows, and its samples as CSV and JSON: the same values as in a text log with them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace get_counter_cli_test {

using testing::HasSubstr;

/// The samples below, as a text log.
const std::string log =
    "\"(PDH-CSV 4.0)\",\"\\\\srv1\\processor(_total)\\% processor time\",\"\\\\srv1\\memory\\available "
    "mbytes\"\r\n"
    "\"12/01/2026 10:00:00.000\",\"15.7\",\"32760\"\r\n"
    "\"12/01/2026 22:00:01.000\",\"16.5\",\"32761\"\r\n";

const std::string shown =
    "\r\nTimestamp                 CounterSamples\r\n"
    "---------                 --------------\r\n"
    "12/1/2026 10:00:00 AM     \\\\srv1\\processor(_total)\\% processor time :\r\n"
    "                          15.7\r\n\r\n"
    "                          \\\\srv1\\memory\\available mbytes :\r\n"
    "                          32760\r\n\r\n\r\n"
    "12/1/2026 10:00:01 PM     \\\\srv1\\processor(_total)\\% processor \r\n"
    "                          time :\r\n"
    "                          16.5\r\n\r\n"
    "                          \\\\srv1\\memory\\available mbytes :\r\n"
    "                          32761\r\n\r\n";

const std::string list_of_sets =
    "\nTimestamp      : 01.12.2026 10:00:00\n"
    "Readings       : \\\\srv1\\processor(_total)\\% processor time :\n"
    "                 15,7\n\n"
    "                 \\\\srv1\\memory\\available mbytes :\n"
    "                 32760\n\n\n"
    "Timestamp      : 01.12.2026 22:00:01\n"
    "Readings       : \\\\srv1\\processor(_total)\\% processor time :\n"
    "                 16,5\n\n"
    "                 \\\\srv1\\memory\\available mbytes :\n"
    "                 32761\n";

std::string list_of_samples() {
    std::string out = "\n\n";
    const auto add = [&out](const std::string& path, const std::string& value, const std::string& time) {
        out += "Path             : \\\\srv1\\" + path + "\nInstanceName     : _total\nCookedValue      : " + value +
               "\nRawValue         : 7\nSecondValue      : 8\nMultipleCount    : 1\nCounterType      : "
               "Timer100NsInverse\nTimestamp        : " +
               time + "\nTimestamp100NSec : 134\nStatus           : 0\nDefaultScale     : 0\nTimeBase         : 1\n\n";
    };
    add("processor(_total)\\% processor time", "15.7", "2026-12-01 10:00:00");
    add("memory\\available mbytes", "32760", "2026-12-01 10:00:00");
    add("processor(_total)\\% processor time", "16.5", "2026-12-01 22:00:01");
    add("memory\\available mbytes", "32761", "2026-12-01 22:00:01");
    return out;
}

const std::string exported =
    "#TYPE Selected.Microsoft.PowerShell.Commands.GetCounter.PerformanceCounterSample\r\n"
    "\"Timestamp\";\"Path\";\"InstanceName\";\"CookedValue\"\r\n"
    "\"01/12/2026 10:00:00\";\"\\\\srv1\\processor(_total)\\% processor time\";\"_total\";\"15,7\"\r\n"
    "\"01/12/2026 10:00:00\";\"\\\\srv1\\memory\\available mbytes\";\"\";\"32760\"\r\n"
    "\"01/12/2026 22:00:01\";\"\\\\srv1\\processor(_total)\\% processor time\";\"_total\";\"16,5\"\r\n"
    "\"01/12/2026 22:00:01\";\"\\\\srv1\\memory\\available mbytes\";\"\";\"32761\"\r\n";

const std::string exported_sets =
    "\"Timestamp\",\"CounterSamples\",\"Readings\"\n"
    "\"12/1/2026 10:00:00 AM\",\"System.Object[]\",\"\\\\srv1\\processor(_total)\\% processor time :\n15.7\n\n"
    "\\\\srv1\\memory\\available mbytes :\n32760\n\n\"\n"
    "\"12/1/2026 10:00:01 PM\",\"System.Object[]\",\"\\\\srv1\\processor(_total)\\% processor time :\n16.5\n\n"
    "\\\\srv1\\memory\\available mbytes :\n32761\n\n\"\n";

const std::string json =
    R"([ {"Timestamp": "2026-12-01T10:00:00", "CounterSamples": [
      {"Path": "\\\\srv1\\processor(_total)\\% processor time", "InstanceName": "_total", "CookedValue": 15.7},
      {"Path": "\\\\srv1\\memory\\available mbytes", "InstanceName": null, "CookedValue": 32760}]},
    {"Timestamp": "2026-12-01T22:00:01", "CounterSamples": [
      {"Path": "\\\\srv1\\processor(_total)\\% processor time", "CookedValue": 1.65E+1},
      {"Path": "\\\\srv1\\memory\\available mbytes", "CookedValue": 32761}]} ])";

std::string utf16(const std::string& ascii) {
    std::string out = "\xFF\xFE";
    for (const char c : ascii) out += {c, '\0'};
    return out;
}

class GetCounterCli : public testing::Test {
  protected:
    TempFolder folder_;
};

TEST_F(GetCounterCli, EveryFormHasTheValuesOfTheLog) {
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"replay", "--format", "jsonl"}, {"replay", "--summary"}, {"top"}}) {
        const auto result_of = [&](const std::string& content) {
            std::vector<std::string> arguments = options;
            arguments.push_back(folder_.write("input", content));
            return run(arguments);
        };
        const Result wanted = result_of(log);
        EXPECT_EQ(wanted.exit, 0);
        for (const std::string& form : {shown, list_of_sets, list_of_samples(), exported, exported_sets, json})
            for (const std::string& content : {form, utf16(form)}) {
                const Result result = result_of(content);
                EXPECT_EQ(result.exit, 0) << form << result.err;
                EXPECT_EQ(result.out, wanted.out) << options[0] << form;
            }
    }
}

TEST_F(GetCounterCli, TimesWithAZoneAreUtc) {
    for (const std::string time : {R"("\/Date(1796119200000)\/")", R"("2026-12-01T11:00:00+01:00")",
                                   R"({"value": "\/Date(1796119200000)\/", "DisplayHint": 2})"}) {
        const Result result =
            run({"replay", "--format", "jsonl",
                 folder_.write("a.json",
                               R"({"Path": "\\\\srv1\\memory\\available mbytes", "CookedValue": 1, "Timestamp": )" +
                                   time + "}")});
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_THAT(result.out, HasSubstr("2026-12-01T10:00:00.000Z"));
    }
}

TEST_F(GetCounterCli, WhatIsNoValueIsLeftOutAndReported) {
    std::string bad = shown;
    bad.replace(bad.find("16.5"), 4, "16.x");
    const Result result = run({"replay", "--summary", folder_.write("a.txt", bad)});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.err, HasSubstr("Get-Counter.CookedValue"));
    const std::string status =
        "\"Timestamp\",\"Path\",\"CookedValue\",\"Status\"\n\"12/1/2026 10:00:00 "
        "AM\",\"\\\\a\\memory\\x\",\"0\",\"3221228473\"\n";
    EXPECT_EQ(run({"replay", "--summary", folder_.write("b.csv", status)}).exit, 0);
    const std::string timeless =
        "\nPath                       InstanceName CookedValue\n----                       ------------ -----------\n"
        "\\\\srv1\\memory\\available mbytes              32760\n";
    const Result none = run({"top", folder_.write("c.txt", timeless)});
    EXPECT_EQ(none.exit, 3);
    EXPECT_THAT(none.err, HasSubstr("error: output of Get-Counter: "));
}

TEST_F(GetCounterCli, WhatPrecedesDamageInJsonIsRead) {
    const std::string sample =
        R"({"Path": "\\\\a\\memory\\x", "CookedValue": 7.5, "Timestamp": "2026-12-01T11:00:00Z"})";
    for (const std::string& damaged : {"[" + sample + ", {\"Path\": \"\\\\b", "[" + sample + ", x]", sample + "]"}) {
        const Result result = run({"replay", "--format", "csv", folder_.write("a.json", damaged)});
        EXPECT_EQ(result.exit, 1) << damaged;
        EXPECT_THAT(result.out, HasSubstr(",7.5,")) << damaged;
        EXPECT_THAT(result.err, HasSubstr("the JSON is damaged here")) << damaged;
    }
    const Result twice = run({"replay", "--format", "csv", folder_.write("b.json", sample + "\n" + sample)});
    EXPECT_EQ(twice.exit, 0) << twice.err;
}

// Each fault of a sample is at the brace where its object begins, also at that of the first byte.
TEST_F(GetCounterCli, ASampleInJsonIsNamedByItsPlace) {
    const std::string good = R"({"Path": "\\\\a\\memory\\x", "CookedValue": 7.5, "Timestamp": "2026-12-01T11:00:00Z"})";
    const std::string no_time = R"({"Path": "\\\\a\\memory\\x", "CookedValue": 8})";
    const std::string no_number =
        R"({"Path": "\\\\a\\memory\\x", "CookedValue": "8x", "Timestamp": "2026-12-01T11:00:01Z"})";
    const auto place_of = [this](const std::string& text) {
        const std::string err = run({"replay", "--format", "csv", folder_.write("a.json", text)}).err;
        const std::size_t begin = err.find("offset 0x");
        return begin == std::string::npos ? err : err.substr(begin, err.find(':', begin) - begin);
    };
    EXPECT_EQ(place_of(no_time + "\n" + good), "offset 0x0");
    for (const std::string& bad : {no_time, no_number}) {
        const std::string before = "[" + good + ", ";
        EXPECT_EQ(place_of(before + bad + "]"), fmt::format("offset {:#x}", before.size())) << bad;
    }
}

/// A log has a cell for each path at each time: without a limit, a small input would make a log of any size.
TEST_F(GetCounterCli, PathsThatShareNoTimesAreLimited) {
    std::string samples = "\"Path\",\"CookedValue\",\"Timestamp\"\n";
    for (int i = 0; i < 20'000; ++i)
        samples += fmt::format("\"\\\\a\\memory\\{0}\",\"1\",\"2026-12-01 {1:02}:{2:02}:{3:02}\"\n", i, i / 3600,
                               i / 60 % 60, i % 60);
    const Result result = run({"replay", "--summary", folder_.write("a.csv", samples)});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.err, HasSubstr("larger than its size limit"));
    EXPECT_THAT(result.out, HasSubstr("\\memory\\1000"));
}

}  // namespace get_counter_cli_test
}  // namespace hkpd_test
