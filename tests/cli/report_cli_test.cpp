// `hkpd report`, `hkpd check --rules`, and `hkpd compare` of two logs. The numbers of pages are compared by
// tests/report/compare.py, and pages in a browser by tests/systems/browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "json_text.hpp"
#include "run_command.hpp"
#include "support/log_reading.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace report_cli_test {

using testing::HasSubstr;
using testing::Not;

const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";
const std::string damaged = std::string(testdata_folder) + "/captures/damaged.bin";

Result hkpd(std::vector<std::string> arguments) { return run(std::move(arguments)); }

/// A rule file with one threshold.
std::string rule_file(const TempFolder& folder, const std::string& threshold, const std::string& name = "rules.xml") {
    const std::string path = folder.path(name);
    std::ofstream(path) << R"(<?xml version="1.0"?>
<PAL NAME="Test rules"><ANALYSIS NAME="Processor" ENABLED="True" CATEGORY="Processor" PRIMARYDATASOURCE="\Processor(*)\% Processor Time" ID="{1}">
<DATASOURCE TYPE="CounterLog" NAME="\Processor(*)\% Processor Time" COLLECTIONVARNAME="Time" EXPRESSIONPATH="\Processor(*)\% Processor Time"/>
<THRESHOLD NAME="Busy &lt;b&gt;" CONDITION="Warning"><CODE>StaticThreshold -CollectionOfCounterInstances $Time -Operator 'gt' -Threshold )"
                        << threshold << R"(</CODE></THRESHOLD>
<THRESHOLD NAME="Scripted" CONDITION="Critical"><CODE>ForEach ($x in $Time) { Remove-Item / }</CODE></THRESHOLD>
<DESCRIPTION>A &lt;script&gt;alert(1)&lt;/script&gt;&lt;b&gt;bold&lt;/b&gt; text.</DESCRIPTION></ANALYSIS></PAL>)";
    return path;
}

TEST(ReportCli, WritesOneFileWithoutReferences) {
    const TempFolder folder;
    const std::string page = folder.path("report.html");
    const Result result = hkpd({"report", demo, "-o", page});
    EXPECT_EQ(result.exit, 0) << result.err;
    const std::string html = read_file(page);
    EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n"));
    EXPECT_TRUE(html.ends_with("</html>\n"));
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
    EXPECT_THAT(html, Not(HasSubstr(" src=")));
    EXPECT_THAT(html, Not(HasSubstr("<link")));
    EXPECT_FALSE(std::regex_search(html.substr(0, html.find("hkpd-index")), std::regex(R"( on[a-z]+=| style=)")));
    EXPECT_THAT(html, HasSubstr("Performance of DEMO"));
    EXPECT_THAT(html, HasSubstr("2024-05-14 09:30:00"));
    EXPECT_EQ(std::filesystem::file_size(page), html.size());
}

TEST(ReportCli, TheSamePageAgain) {
    const Result first = hkpd({"report", demo, "-o", "-"}), second = hkpd({"report", demo, "-o", "-"});
    EXPECT_EQ(first.out, second.out);
    EXPECT_GT(first.out.size(), 50'000U);
}

TEST(ReportCli, TitleThemeAndNamesAreText) {
    const Result result = hkpd({"report", demo, "--title", "</title><script>x", "--theme", "dark", "-o", "-"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("data-theme=\"dark\""));
    EXPECT_THAT(result.out, HasSubstr("<h1>&lt;/title&gt;&lt;script&gt;x</h1>"));
    EXPECT_THAT(result.out, Not(HasSubstr("<script>x")));
    EXPECT_EQ(hkpd({"report", demo, "--theme", "blue", "-o", "-"}).exit, 2);
}

TEST(ReportCli, DamageIsOnThePage) {
    const Result result = hkpd({"report", damaged, "-o", "-"});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.out, HasSubstr("id=\"faults\""));
    EXPECT_THAT(result.out, HasSubstr("invalid object length"));
}

TEST(ReportCli, RulesAreNamedAndScriptsAreNotRun) {
    const TempFolder folder;
    const Result result = hkpd({"report", demo, "--rules", rule_file(folder, "20"), "-o", "-"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("<article class=\"finding warning\" id=\"finding-1\">"));
    EXPECT_THAT(result.out, HasSubstr("Busy &lt;b&gt;"));
    EXPECT_THAT(result.out, HasSubstr("<b>bold</b> text."));
    EXPECT_THAT(result.out, Not(HasSubstr("alert(1)")));
    EXPECT_THAT(result.out, HasSubstr("id=\"not-evaluated\""));
    EXPECT_THAT(result.out, HasSubstr("Processor: Scripted"));
    const Result wrong = hkpd({"report", demo, "--rules", folder.path("none.xml"), "-o", "-"});
    EXPECT_EQ(wrong.exit, 2);
    EXPECT_THAT(wrong.err, HasSubstr("none.xml"));
}

TEST(ReportCli, ABaselineIsCompared) {
    const TempFolder folder;
    const std::string a = folder.path("a.mcap"), b = folder.path("b.mcap");
    ASSERT_EQ(hkpd({"capture", "--simulate", "--count", "20", "--seed", "1", "-o", a}).exit, 0);
    ASSERT_EQ(hkpd({"capture", "--simulate", "--count", "20", "--seed", "2", "--processes", "80", "-o", b}).exit, 0);
    const Result result = hkpd({"report", "--baseline", a, b, "-o", "-"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("id=\"changes\""));
    EXPECT_THAT(result.out, HasSubstr("What changed most since the baseline"));
}

/// Returns the page of a text log with these counters, whose values are `value(row)` in ten rows.
template <class Value>
std::string page_of(const TempFolder& folder, const std::vector<std::string>& paths, const Value& value) {
    const std::string log = folder.path("log.csv");
    std::ofstream out(log);
    out << R"x("(PDH-CSV 4.0) (UTC)(0)")x";
    for (const std::string& path : paths) out << ",\"" << path << '"';
    for (int row = 0; row < 10; ++row) {
        out << "\r\n\"01/02/2026 10:00:0" << row << ".000\"";
        for (std::size_t i = 0; i < paths.size(); ++i) out << ",\"" << value(row) << '"';
    }
    out << "\r\n";
    out.close();
    const Result result = hkpd({"report", log, "-o", "-"});
    EXPECT_EQ(result.exit, 0) << result.err;
    return result.out;
}

/// Returns the section of a page with an id, up to the next one.
std::string section_of(const std::string& page, const std::string& id) {
    const std::size_t begin = page.find("<section id=\"" + id + "\"");
    return begin == std::string::npos ? "" : page.substr(begin, page.find("<section ", begin + 1) - begin);
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

TEST(ReportCli, ChartsAreOfTheCountersThatALogHas) {
    const TempFolder folder;
    const auto rising = [](int row) { return 10 + row; };
    for (const auto& [path, area, text] : std::vector<std::array<std::string, 3>>{
             {"\\\\M\\Processor(_Total)\\% Processor Time", "processor", "Processor time"},
             {"\\\\M\\Processor(0)\\% Processor Time", "processor", "Processor time"},
             {"\\\\M\\Processor Information(0,_Total)\\% Processor Utility", "processor", "Processor time"},
             {"\\\\M\\Processor(_Total)\\% Idle Time", "processor", "Idle time"},
             {"\\\\M\\System\\Processor Queue Length", "processor", "Threads waiting"},
             {"\\\\M\\Memory\\Available Bytes", "memory", ">19 B<"},
             {"\\\\M\\Memory\\Available KBytes", "memory", ">19 KiB<"},
             {"\\\\M\\Memory\\Available MBytes", "memory", ">19 MiB<"},
             {"\\\\M\\Memory\\% Committed Bytes In Use", "memory", "of its limit"},
             {"\\\\M\\PhysicalDisk(_Total)\\Disk Transfers/sec", "disk", "Transfers"},
             {"\\\\M\\Network Interface(a)\\Bytes Sent/sec", "network", "by direction"}}) {
        const std::string page = page_of(folder, {path}, rising), section = section_of(page, area);
        EXPECT_THAT(section, HasSubstr("<svg role=\"img\"")) << path;
        EXPECT_THAT(section, HasSubstr(text)) << path;
        EXPECT_EQ(count_of(page, "Not recorded: add <code>\\"), 4U) << path;
        // Each figure has a picture with a line.
        EXPECT_EQ(count_of(page, "<figure class=\"chart\""), count_of(page, "<svg role=\"img\"")) << path;
        EXPECT_EQ(count_of(page, "<path class=\"line c1\" d=\"M"), count_of(page, "<svg role=\"img\"")) << path;
    }
}

TEST(ReportCli, WhatIsZeroThroughoutIsALine) {
    const TempFolder folder;
    const std::string page = page_of(
        folder,
        {"\\\\M\\Network Interface(a)\\Output Queue Length", "\\\\M\\Network Interface(b)\\Output Queue Length"},
        [](int) { return 0; });
    const std::string section = section_of(page, "network");
    EXPECT_THAT(section, HasSubstr("0 throughout in 2 series"));
    EXPECT_THAT(section, Not(HasSubstr("<figure")));
    EXPECT_THAT(section, Not(HasSubstr("Not recorded")));
}

TEST(ReportCli, SeveralMachinesHaveATableAndASectionEach) {
    const TempFolder folder;
    const std::string page = page_of(folder,
                                     {"\\\\A\\Processor(_Total)\\% Processor Time", "\\\\B\\Memory\\Available MBytes",
                                      "\\\\B\\Processor(_Total)\\% Idle Time"},
                                     [](int row) { return 10 + row; });
    EXPECT_LT(page.find("<section id=\"machines\""), page.find("<section id=\"findings\""));
    const std::string table = section_of(page, "machines");
    EXPECT_THAT(table, HasSubstr("<a href=\"#machine-1\">A</a>"));
    EXPECT_THAT(table, HasSubstr("<data value=\"14.5\">14.5 %</data> idle"));
    EXPECT_THAT(table, HasSubstr("<data value=\"10\" data-scale=\"1048576\">10 MiB</data>"));
    EXPECT_THAT(section_of(page, "machine-1-processor"), HasSubstr("<svg"));
    EXPECT_THAT(section_of(page, "machine-1-memory"), HasSubstr("Not recorded"));
    EXPECT_THAT(section_of(page, "machine-2-memory"), HasSubstr("<svg"));
}

TEST(ReportCli, AnEmptyRangeIsAMistake) {
    const Result result = hkpd({"report", demo, "--from", "2030-01-01", "-o", "-"});
    EXPECT_EQ(result.exit, 2);
}

TEST(CheckRulesCli, FindingsAreTextJsonAndSarif) {
    const TempFolder folder;
    const std::string rules = rule_file(folder, "20");
    const Result text = hkpd({"check", demo, "--rules", rules});
    EXPECT_EQ(text.exit, 1);
    EXPECT_THAT(text.out, HasSubstr("warning: \\\\DEMO\\Processor(0)\\% Processor Time: Busy <b>: for "));
    EXPECT_THAT(text.out, HasSubstr("1 of 2 thresholds evaluated"));
    const auto json = parse_json(hkpd({"check", demo, "--rules", rules, "--format", "json"}).out);
    const auto& input = json["rules"][0];
    EXPECT_EQ(input["summary"]["thresholds"].GetUint64(), 2U);
    EXPECT_EQ(input["summary"]["evaluated"].GetUint64(), 1U);
    ASSERT_GT(input["findings"].Size(), 0U);
    std::set<std::string> instances;
    for (const auto& finding : input["findings"].GetArray()) {
        instances.insert(finding["instance"].GetString());
        EXPECT_GT(finding["worst"].GetDouble(), 20);
        EXPECT_EQ(finding["limit"].GetDouble(), 20);
        EXPECT_LE(finding["exceeding"].GetUint64(), finding["values"].GetUint64());
    }
    EXPECT_EQ(instances, (std::set<std::string>{"0", "_Total"}));
    const auto sarif = parse_json(hkpd({"check", demo, "--rules", rules, "--format", "sarif"}).out);
    ASSERT_EQ(sarif["runs"].Size(), 2U);
    EXPECT_EQ(sarif["runs"][1]["results"].Size(), input["findings"].Size());
    EXPECT_STREQ(sarif["runs"][1]["results"][0]["level"].GetString(), "warning");
}

TEST(CheckRulesCli, NothingExceededIsGood) {
    const TempFolder folder;
    const Result result = hkpd({"check", demo, "--rules", rule_file(folder, "99")});
    EXPECT_EQ(result.exit, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("0 findings"));
    EXPECT_EQ(hkpd({"check", demo, "--rules", "windows"}).err, "");
}

TEST(CheckRulesCli, MistakesAreUsageErrors) {
    const TempFolder folder;
    EXPECT_EQ(hkpd({"check", demo, "--answer", "A=1"}).exit, 2);
    EXPECT_EQ(hkpd({"check", demo, "--rules", "windows", "--answer", "nonsense"}).exit, 2);
    const Result unknown = hkpd({"check", demo, "--rules", "windows", "--answer", "PhysicalMemry=4"});
    EXPECT_EQ(unknown.exit, 2);
    EXPECT_THAT(unknown.err, HasSubstr("PhysicalMemry"));
    std::ofstream(folder.path("no.xml")) << "<PAL";
    EXPECT_EQ(hkpd({"check", demo, "--rules", folder.path("no.xml")}).exit, 2);
}

TEST(CheckRulesCli, RulesAreNotReadWithoutTheFilesThatTheyInherit) {
    const TempFolder folder;
    rule_file(folder, "20", "base.xml");
    const std::string heir = folder.write("heir.xml", "<PAL><INHERITANCE FILEPATH='Base.xml'/></PAL>");
    EXPECT_EQ(hkpd({"check", demo, "--rules", heir}).exit, 1);
    for (const char* const content : {"<PAL", "", "no rules"}) {
        folder.write("base.xml", content);
        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"check", demo}, {"report", demo, "-o", "-"}}) {
            std::vector<std::string> arguments = command;
            arguments.insert(arguments.end(), {"--rules", heir});
            const Result refused = hkpd(arguments);
            EXPECT_EQ(refused.exit, 2) << content;
            EXPECT_EQ(refused.out, "");
            EXPECT_THAT(refused.err, HasSubstr("base.xml"));
        }
    }
    std::filesystem::remove(folder.path("base.xml"));
    const Result missing = hkpd({"check", demo, "--rules", heir});
    EXPECT_EQ(missing.exit, 2);
    EXPECT_THAT(missing.err, HasSubstr(heir + ": inherits 'Base.xml', which is not in the same directory"));
}

TEST(CompareRunsCli, ShowsWhatChangedMost) {
    const TempFolder folder;
    std::string before, after;
    for (std::string* const log : {&before, &after}) {
        *log =
            "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\PC\\Memory\\Pages/sec\",\"\\\\PC\\Memory\\Available "
            "MBytes\",\"\\\\PC\\System\\Threads\"\n";
        for (int i = 0; i < 30; ++i) {
            const int pages = log == &before ? 10 + i % 3 : 500 + i % 3;
            *log += "\"01/01/2024 10:00:" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ".000\",\"" +
                    std::to_string(pages) + "\",\"" + std::to_string(1000 + i % 7) + "\",\"77\"\n";
        }
    }
    std::ofstream(folder.path("before.csv")) << before;
    std::ofstream(folder.path("after.csv")) << after;
    const Result text = hkpd({"compare", folder.path("before.csv"), folder.path("after.csv")});
    EXPECT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("Pages/sec"));
    EXPECT_THAT(text.out, HasSubstr("× 45.5"));
    EXPECT_THAT(text.out, HasSubstr("2 series unchanged, 0 only before, 0 only after"));
    const auto json =
        parse_json(hkpd({"compare", folder.path("before.csv"), folder.path("after.csv"), "--format", "json"}).out);
    ASSERT_EQ(json["changes"].Size(), 1U);
    EXPECT_EQ(json["changes"][0]["before"]["p50"].GetDouble(), 11);
    EXPECT_EQ(json["changes"][0]["after"]["p50"].GetDouble(), 501);
    EXPECT_GT(json["changes"][0]["median_effect"].GetDouble(), 90);
}

}  // namespace report_cli_test
}  // namespace hkpd_test
