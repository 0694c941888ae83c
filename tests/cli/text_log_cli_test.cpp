// Text logs (CSV, TSV) as inputs of every subcommand: their values are shown as they are, and never cooked again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "capture_cli.hpp"
#include "run_command.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace text_log_cli_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

const std::string csv =
    "\"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)\",\"\\\\PC\\Process(a\"\"b)\\% Processor Time\","
    "\"\\\\PC\\Memory\\Available Bytes\"\n"
    "\"05/14/2024 09:30:02.500\",\" \",\"1048576\"\n"
    "\"05/14/2024 09:30:03.500\",\"150.5\",\"1048577\"\n"
    "\"05/14/2024 09:30:04.500\",\"0.10000000000000001\",\"1048578\"\n";

class TextLogCli : public testing::Test {
  protected:
    std::string log() const { return folder_.write("log.csv", csv); }
    TempFolder folder_;
};

TEST_F(TextLogCli, ReplayWritesWhatItHasRead) {
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{}, {"--raw"}, {"--cap"}, {"--clamp"}, {"--unwrap"}, {"--scale"}}) {
        std::vector<std::string> arguments{"replay", "--format", "pdh-csv", log()};
        arguments.insert(arguments.end(), options.begin(), options.end());
        EXPECT_EQ(run(arguments).out, csv);
    }
    EXPECT_EQ(run({.arguments = {"replay", "--format", "pdh-csv", "-"}, .input = csv}).out, csv);
}

TEST_F(TextLogCli, ABadCellBeyondTheLastHeadingIsNamedWithItsRow) {
    const std::string log = folder_.write("more.csv",
                                          "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\PC\\Memory\\Available Bytes\"\n"
                                          "\"05/14/2024 09:30:02.500\",\"1\",\"90.0O4\"\n"
                                          "\"05/14/2024 09:30:03.500\",\"1\",\"2\"\n");
    const Result result = run({"replay", log});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.err, HasSubstr("expected 2, found 3: line 2, time 05/14/2024 09:30:02.500, found \"90.0O4\""));
}

TEST_F(TextLogCli, ANoteStatesThatValuesAreCooked) {
    EXPECT_EQ(run({"replay", log()}).err, "");
    EXPECT_THAT(run({"replay", "-v", log()}).err,
                HasSubstr("log.csv: offset 0x0: note: text log: the values of the log are cooked already, and are shown"
                          " as they are\n"));
}

TEST_F(TextLogCli, RawFormsStateThatRawValuesAreMissing) {
    constexpr const char* message =
        "log.csv: offset 0x0: warning: text log: raw values are not in the input; the cooked values of the log are "
        "shown in their place\n";
    for (const Result& result : {run({"dump", log()}), run({"replay", "--raw", "--format", "csv", log()})}) {
        EXPECT_EQ(result.exit, 0);
        EXPECT_THAT(result.err, HasSubstr(message));
        EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
    }
    EXPECT_THAT(run({"dump", log(), "--format", "jsonl", "--sample", "1", "--object", "Process"}).out,
                HasSubstr(R"("type":"PERF_DOUBLE_RAW","raw":150.5})"));
    EXPECT_THAT(run({"dump", log(), "--format", "json", "--sample", "1"}).out, HasSubstr("[150.5]"));
    EXPECT_THAT(run({"dump", log(), "--sample", "2"}).out, HasSubstr("0.1\n"));
}

TEST_F(TextLogCli, TimesAreThoseOfTheZone) {
    const Result result = run({"replay", log(), "--format", "csv", "--object", "Memory"});
    EXPECT_THAT(lines(result.out)[1], StartsWith("2024-05-14T08:30:02.500Z,PC,log,Memory,"));
    EXPECT_THAT(lines(run({"replay", log(), "--format", "csv", "--from", "2024-05-14T08:30:04Z", "--path",
                           R"(\\PC\Memory\Available Bytes)"})
                          .out),
                SizeIs(2));
}

TEST_F(TextLogCli, SummaryIsThatOfTheValues) {
    const Result result = run({"replay", log(), "--summary", "--format", "csv", "--object", "Process"});
    const auto all = lines(result.out);
    ASSERT_THAT(all, SizeIs(2)) << result.out;
    EXPECT_THAT(all[1], HasSubstr(",2,150.5,0.1,0.1,75.3,75.3,"));  // two values: (0.1 + 150.5) / 2 = 75.3
}

TEST_F(TextLogCli, TopHasProcessIdsAndTheRatesOfASingleSample) {
    const std::string input = folder_.write(
        "top.csv",
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\PC\\Process(a)\\% Processor Time\",\"\\\\PC\\Process(a)\\ID Process\"\n"
        "\"05/14/2024 09:30:02.500\",\"12.5\",\"4711\"\n");
    const auto found = lines(run({"top", input}).out);
    ASSERT_THAT(found, SizeIs(4));
    EXPECT_EQ(found[1], "1 of 1 process by processor time");
    EXPECT_EQ(found[3], "a  4711  12.5 %");
}

TEST_F(TextLogCli, TopShortensLargeNumbers) {
    for (const auto& [number, bytes, count] :
         {std::tuple("999", "  999 B", "999"), std::tuple("1024", "  1 KiB", "1024"),
          std::tuple("999000", "975.6 KiB", "999k"), std::tuple("1500000", "1.431 MiB", "1.5M"),
          std::tuple("2500000000", "2.328 GiB", "2.5G")}) {
        const std::string row = std::string("\",\"") + number;
        const std::string input = folder_.write(
            "top.csv", R"x("(PDH-CSV 4.0) (UTC)(0)","\\PC\Process(a)\Working Set","\\PC\Process(a)\Handle Count")x"
                       "\n\"05/14/2024 09:30:02.500" +
                           row + row + "\"\n");
        EXPECT_EQ(lines(run({"top", input}).out).at(3),
                  std::string("a  ") + bytes + "  " + std::string(7 - std::string(count).size(), ' ') + count);
    }
}

TEST_F(TextLogCli, HugeNumbersStayShort) {
    const std::string input =
        folder_.write("huge.csv",
                      "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\PC\\Memory\\Available Bytes\"\n"
                      "\"05/14/2024 09:30:02.500\",\"1.7e308\"\n\"05/14/2024 09:30:03.500\",\"-2e20\"\n");
    const auto timeline = lines(run({"replay", "--format", "timeline", input}).out);
    ASSERT_THAT(timeline, SizeIs(5));
    EXPECT_THAT(timeline[3], EndsWith("  1.7e308 B"));
    EXPECT_THAT(timeline[4], EndsWith(" -173.5 EiB"));
}

TEST_F(TextLogCli, OtherSubcommands) {
    const Result check = run({"check", log()});
    EXPECT_EQ(check.exit, 0);
    EXPECT_THAT(check.out, HasSubstr("checked: 3 samples"));
    const std::string made = folder_.path("made.mcap");
    EXPECT_EQ(capture({"--from", log(), "-o", made}).exit, 0);
    EXPECT_EQ(run({"replay", "--format", "pdh-csv", made}).out, csv);
    EXPECT_EQ(run({"replay", "--format", "openmetrics", log()}).exit, 0);
    const Result damaged =
        run({.arguments = {"check", "-"}, .input = csv + "\"05/14/2024 09:30:05.500\",\"x\",\"1\"\n"});
    EXPECT_EQ(damaged.exit, 1);
    EXPECT_THAT(damaged.out, HasSubstr("column 2"));
}

/// In some rows alone, an empty cell at the end may be the value of the last counter, after a cell that was added.
TEST_F(TextLogCli, AnEmptyCellAfterTheOthersIsCertainOnlyInAllRows) {
    const std::string head = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\S\\A\\B\"\n";
    const auto values = [&](const std::string& rows) {
        return run({.arguments = {"replay", "--format", "csv", "-"}, .input = head + rows});
    };
    const std::string first = "\"05/14/2024 09:30:01.500\",\"1\"", second = "\"05/14/2024 09:30:02.500\",\"2\"";
    const Result in_all = values(first + ",\n" + second + ",\n");
    EXPECT_EQ(in_all.exit, 0) << in_all.err;
    EXPECT_THAT(in_all.out, HasSubstr(",2,"));
    // In a few rows it may also be the value of the last counter, after a cell that was added.
    EXPECT_EQ(values(first + ",\"\"\n" + second + ",\"\"\n").exit, 1);
    std::string many;
    for (int i = 0; i < 8; ++i) many += second + ",\"\"\n";
    EXPECT_EQ(values(many).exit, 0);
    // A row whose time is damaged ends as the others, and counts.
    many.replace(many.find("09:30"), 5, "09;30");
    const Result damaged = values(many);
    EXPECT_EQ(damaged.exit, 1);
    EXPECT_EQ(std::ranges::count(damaged.out, '\n'), 9);
    EXPECT_THAT(damaged.out, Not(HasSubstr("damaged")));
    const Result in_one = values(first + "\n" + second + ",\"\"\n");
    EXPECT_EQ(in_one.exit, 1);
    EXPECT_THAT(in_one.out, HasSubstr(",1,"));
    EXPECT_THAT(in_one.out, Not(HasSubstr(",2,")));
}

TEST_F(TextLogCli, InADirectory) {
    folder_.write("d/1.csv", csv);
    folder_.write("d/readme.txt", "no log");
    const Result result = run({"replay", "--format", "pdh-csv", folder_.path("d")});
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.err, HasSubstr("number of these files: 1\n"));
    EXPECT_EQ(result.out, csv);
}

class WindowsTextLogs : public WindowsData {
  protected:
    std::string data(const std::string& name) const { return path("data/" + name); }
};
class RealTextLogs : public SharedDir {};

/// Returns what replay writes for an input.
std::string replayed(const std::string& input, const std::string& format) {
    const Result result = run({"replay", "--format", format, input});
    EXPECT_EQ(result.exit, 0) << result.err;
    return result.out;
}

TEST_F(WindowsTextLogs, OfWindowsAreWrittenAsTheyWere) {
    const auto without_cr = [](std::string text) {
        std::erase(text, '\r');
        return text;
    };
    const std::string csv_log = data("csv/win10-14393-counters.csv"), tsv_log = data("csv/win10-14393-counters.tsv");
    EXPECT_EQ(replayed(csv_log, "pdh-csv"), without_cr(read_file(csv_log)));
    EXPECT_EQ(replayed(tsv_log, "pdh-tsv"), without_cr(read_file(tsv_log)));
    EXPECT_EQ(replayed(tsv_log, "pdh-csv"), without_cr(read_file(csv_log)));
}

/// The text log of an older Windows, without a name in its first cell, and with the same column twice.
TEST_F(RealTextLogs, OfAnOlderWindows) {
    const std::string old_log = path("data/blg/not-a-blg.blg");
    EXPECT_EQ(lines(replayed(old_log, "pdh-csv")).size(), lines(read_file(old_log)).size());
}

TEST_F(WindowsTextLogs, OfBinaryLogsAreWrittenAsTheyWere) {
    const TempFolder folder;
    for (const char* name : {"blg/vista-2007-wildcards.blg", "blg/win10-14393-counters.blg"})
        for (const std::string format : {"pdh-csv", "pdh-tsv"}) {
            const std::string once = replayed(data(name), format);
            EXPECT_EQ(replayed(folder.write("once.csv", once), format), once) << name;
        }
}

}  // namespace text_log_cli_test
}  // namespace hkpd_test
