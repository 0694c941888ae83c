// `hkpd relog` and `hkpd typeperf`: the arguments and the output of Windows' commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/metric_tools.hpp"
#include "support/pattern.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace relog_cli_test {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view success = "The command completed successfully.\n";

/// The log of Windows 10 and what Windows' relog made of it.
class WindowsRelog : public WindowsData {
  protected:
    Result relog(std::vector<std::string> arguments, std::string input = {}) const {
        arguments.insert(arguments.begin(), {"relog", log_});
        return run({.arguments = std::move(arguments), .input = std::move(input)});
    }
    /// Runs relog with an output, and returns the lines of the output.
    std::vector<std::string> written(std::vector<std::string> arguments) const {
        const std::string out = temp_.path("out.csv");
        std::filesystem::remove(out);
        arguments.insert(arguments.end(), {"-o", out});
        const Result result = relog(std::move(arguments));
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_THAT(result.out, EndsWith(success));
        return lines(read_file(out));
    }

    const std::filesystem::path data_ = folder_ / "data";
    const std::string log_ = data_ / "blg/win10-14393-counters.blg";
    const std::vector<std::string> csv_ = lines(read_file(data_ / "csv/win10-14393-counters.csv"));
    TempFolder temp_;
};

TEST_F(WindowsRelog, WritesWhatWindowsWrote) {
    EXPECT_EQ(written({"-f", "csv"}), csv_);
    EXPECT_EQ(written({"/F", "CSV", "/Y"}), csv_);
    EXPECT_EQ(written({"-f", "tsv"}), lines(read_file(data_ / "csv/win10-14393-counters.tsv")));
}

TEST_F(WindowsRelog, TakesASpanOfTime) {
    // The log begins at 13:46:30 and has a sample per second.
    const auto cell = [](const std::string& row) { return row.substr(1, row.find('"', 1) - 1); };
    ASSERT_EQ(csv_.size(), 26U);
    const std::string first = cell(csv_[6]).substr(0, 19), last = cell(csv_[10]).substr(0, 19);
    std::vector<std::string> expected{csv_.front()};
    for (const std::string& row : csv_) {
        const std::string time = cell(row);
        if (time >= first && time <= last && &row != &csv_.front()) expected.push_back(row);
    }
    ASSERT_GE(expected.size(), 4U);
    EXPECT_EQ(written({"-f", "csv", "-b", first, "-e", last}), expected);
    // The date and the time of day can be two words, as relog's documentation shows them.
    EXPECT_EQ(written({"-f", "csv", "-b", first.substr(0, 10), first.substr(11), "-e", last}), expected);
}

TEST_F(WindowsRelog, ReadsTwoNumbersAsMinutesAndSeconds) {
    const Result result =
        relog({"-f", "csv", "-b", "11/26/2016 13:46", "-e", "11/26/2016 14:00", "-o", temp_.path("x")});
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, HasSubstr("no sample in the range"));
}

TEST_F(WindowsRelog, TakesCounters) {
    const std::vector<std::string> rows = written({"-f", "csv", "-c", R"(\Memory\*)", R"(\Processor(_total)\*)"});
    ASSERT_EQ(rows.size(), csv_.size());
    EXPECT_THAT(rows.front(), HasSubstr(R"(\\charlieparker\processor(_total)\% processor time)"));
    EXPECT_THAT(rows.front(), testing::Not(HasSubstr("network")));
    // Each cell is a cell of the complete row.
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::string_view rest = rows[i];
        while (!rest.empty()) {
            const std::size_t end = rest.find("\",\"");
            EXPECT_THAT(csv_[i], HasSubstr(std::string(rest.substr(0, end))));
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
        }
    }
    const std::string list = temp_.write("counters.txt", "\\Memory\\*\r\n\\Processor(_total)\\*\r\n");
    EXPECT_EQ(written({"-f", "csv", "-cf", list}), rows);
}

TEST_F(WindowsRelog, TakesEveryNthSample) {
    const std::vector<std::string> rows = written({"-f", "csv", "-t", "4"});
    ASSERT_EQ(rows.size(), 8U);
    for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(rows[i].substr(0, 25), csv_[i == 0 ? 0 : 4 * (i - 1) + 1].substr(0, 25));
}

TEST_F(WindowsRelog, ShowsTheLog) {
    const Result result = relog({});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, StartsWith("\nInput\n----------------\nFile(s):\n     " + log_ +
                                       " (Binary)\n\nBegin:    11/26/2016 13:46:"));
    EXPECT_THAT(result.out, HasSubstr("\nSamples:  25\n"));
    EXPECT_THAT(result.out, EndsWith(success));
}

TEST_F(WindowsRelog, ListsCounters) {
    const Result result = relog({"-q"});
    EXPECT_EQ(result.exit, 0) << result.err;
    std::string row = csv_.front();
    for (std::size_t at = row.find("\",\""); at != std::string::npos; at = row.find("\",\"", at + 1)) {
        const std::size_t end = row.find('"', at + 3);
        EXPECT_THAT(result.out, HasSubstr("\n" + row.substr(at + 3, end - at - 3) + "\n"));
    }
    const std::string list = temp_.path("list.txt");
    EXPECT_EQ(relog({"-q", "-o", list}).exit, 0);
    // The list is a counter file.
    EXPECT_EQ(written({"-f", "csv", "-cf", list}).size(), csv_.size());
}

TEST_F(WindowsRelog, AppendsRowsOfTheSameCounters) {
    const std::string out = temp_.path("all.csv");
    EXPECT_EQ(relog({"-f", "csv", "-o", out}).exit, 0);
    EXPECT_EQ(relog({"-f", "csv", "-o", out, "-a"}).exit, 0);
    std::vector<std::string> twice = csv_;
    twice.insert(twice.end(), csv_.begin() + 1, csv_.end());
    EXPECT_EQ(lines(read_file(out)), twice);
    const Result other = relog({"-f", "csv", "-c", R"(\Memory\*)", "-o", out, "-a"});
    EXPECT_NE(other.exit, 0);
    EXPECT_THAT(other.err, HasSubstr("other counters"));
    EXPECT_EQ(lines(read_file(out)), twice);
}

TEST_F(WindowsRelog, AppendsToNoOtherFile) {
    const TempFolder folder;
    const std::string out = folder.path("log.csv"), other = folder.write("log.csv.append", "mine");
    EXPECT_EQ(relog({"-f", "csv", "-o", out}).exit, 0);
    const std::string before = read_file(out);
    const Result result = relog({"-f", "csv", "-o", out, "-a"});
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, HasSubstr("in which rows are written first, exists"));
    EXPECT_EQ(read_file(other), "mine");
    EXPECT_EQ(read_file(out), before);
}

TEST_F(WindowsRelog, AsksBeforeItOverwrites) {
    const std::string out = temp_.write("out.csv", "mine");
    EXPECT_NE(relog({"-f", "csv", "-o", out}, "n\n").exit, 0);
    EXPECT_NE(relog({"-f", "csv", "-o", out}).exit, 0);
    EXPECT_EQ(read_file(out), "mine");
    EXPECT_EQ(relog({"-f", "csv", "-o", out}, "y\n").exit, 0);
    EXPECT_EQ(lines(read_file(out)), csv_);
    EXPECT_EQ(relog({"-f", "tsv", "-o", out, "-y"}).exit, 0);
    EXPECT_NE(lines(read_file(out)), csv_);
}

TEST_F(WindowsRelog, SaysWhatItCannotDo) {
    const Result binary = relog({"-f", "bin", "-o", temp_.path("x.blg")});
    EXPECT_EQ(binary.exit, 2);
    EXPECT_THAT(binary.err, HasSubstr("-f bin: binary logs (.blg) can be read, but not written"));
    EXPECT_THAT(relog({"-o", temp_.path("x.blg")}).err, HasSubstr("without -f the format is bin"));
    EXPECT_FALSE(std::filesystem::exists(temp_.path("x.blg")));
    EXPECT_THAT(relog({"-f", "xml", "-o", "x"}).err, HasSubstr("expected bin, csv, tsv or SQL, found 'xml'"));
    EXPECT_THAT(relog({"-f", "sql", "-o", "!x"}).err, HasSubstr("FILE!NAME"));
    EXPECT_EQ(run({"relog"}).exit, 2);
    EXPECT_EQ(run({"relog", temp_.path("missing.blg")}).exit, 3);
}

TEST_F(WindowsRelog, AddsARunToADatabase) {
    const std::string database = temp_.path("perf.db");
    EXPECT_EQ(relog({"-f", "SQL", "-o", "SQL:" + database + "!first"}).exit, 0);
    EXPECT_EQ(relog({"-f", "SQL", "-o", database + "!second"}).exit, 0);
    const Result names = run({.arguments = {"sqlite3", "-batch", database, "SELECT DisplayString FROM DisplayToID"},
                              .program = "/usr/bin/env"});
    EXPECT_EQ(names.out, "first\nsecond\n");
}

TEST_F(WindowsRelog, TakesASettingsFile) {
    const std::string out = temp_.path("out.csv");
    const std::string settings =
        temp_.write("relog.cfg", "-i -f csv\r\n-c \"\\Memory\\*\"\r\n-y -o \"" + out + "\"\r\n");
    EXPECT_EQ(relog({"-config", settings}).exit, 0);
    EXPECT_EQ(lines(read_file(out)).size(), csv_.size());
    EXPECT_THAT(lines(read_file(out)).front(), testing::Not(HasSubstr("network")));
}

/// Runs the command by another name, as a link to it.
TEST_F(WindowsRelog, IsCalledByItsName) {
    const std::string link = temp_.path("relog");
    std::filesystem::create_symlink(command_file, link);
    const std::string out = temp_.path("named.csv");
    const Result result = run({.arguments = {log_, "-f", "csv", "-o", out}, .program = link});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(lines(read_file(out)), csv_);
}

TEST(Typeperf, WritesOneRowPerInterval) {
    const std::string path = R"(\Processor(_Total)\% Processor Time)";
    const Result result = run({"typeperf", "--simulate", path, "-si", "1", "-sc", "2"});
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto rows = lines(result.out);
    ASSERT_GE(rows.size(), 4U) << result.out;
    EXPECT_EQ(rows[0], "");
    const std::string head = "\"(PDH-CSV 4.0)\",\"\\\\SIMULATED" + path + "\"";
    EXPECT_EQ(rows[1], head);
    for (std::size_t row = 2; row < 4; ++row)
        EXPECT_THAT(rows[row], hkpd::MatchesPattern("\"[0-9/]{10} [0-9:.]{12}\",\"[0-9]+\\.[0-9]{6}\""));
    EXPECT_THAT(result.out, EndsWith(success));
}

TEST(Typeperf, WritesAFile) {
    const TempFolder folder;
    const std::string out = folder.path("run.csv");
    const std::string list = folder.write("counters.txt", "\\Memory\\Available Bytes\n\\System\\Threads\n");
    const Result result = run({"typeperf", "--simulate", "-cf", list, "-si", "0:01", "-sc", "1", "-o", out});
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto rows = lines(read_file(out));
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_THAT(rows[0], HasSubstr(")(")) << "a file states the time zone";
    EXPECT_THAT(rows[0], HasSubstr(R"(\\SIMULATED\Memory\Available Bytes)"));
}

TEST(Typeperf, ListsCounters) {
    const auto all = lines(run({"typeperf", "--simulate", "-q"}).out);
    EXPECT_THAT(all, testing::Contains(R"(\Processor(*)\% Processor Time)"));
    EXPECT_THAT(all, testing::Contains(R"(\System\Threads)"));
    const auto instances = lines(run({"typeperf", "--simulate", "-qx", "Processor"}).out);
    EXPECT_THAT(instances, testing::Contains(R"(\Processor(_Total)\% Processor Time)"));
    EXPECT_THAT(instances, testing::Not(testing::Contains(StartsWith(R"(\System)"))));
    EXPECT_EQ(run({"typeperf", "--simulate", "-q", "Nothing"}).exit, 2);
}

TEST(Typeperf, SaysWhatItCannotDo) {
    EXPECT_THAT(run({"typeperf"}).err, HasSubstr("no counter"));
    EXPECT_THAT(run({"typeperf", "--simulate", "Threads", "-f", "bin"}).err, HasSubstr("not written"));
    EXPECT_THAT(run({"typeperf", "--simulate", R"(\System\Threads)", "-si", "x"}).err, HasSubstr("[[HH:]MM:]SS"));
}

TEST(Relog, RefusesWhatWouldHaveNoEffect) {
    const std::string log = std::string(testdata_folder) + "/captures/demo.bin";
    const TempFolder temp;
    const std::string out = temp.path("out.csv");
    const std::vector<std::vector<std::string>> conversion{
        {"-t", "2"}, {"-c", R"(\System\Threads)"}, {"-cf", log},       {"-f", "csv"},
        {"-a"},      {"-b", "1/1/2020"},           {"-e", "1/1/2020"}, {"--utc"}};
    for (const std::vector<std::string>& option : conversion) {
        std::vector<std::string> arguments{"relog", log};
        arguments.insert(arguments.end(), option.begin(), option.end());
        const Result without = run(arguments);
        EXPECT_EQ(without.exit, 2) << option.front();
        EXPECT_EQ(without.out, "");
        EXPECT_THAT(without.err, StartsWith("hkpd relog: " + option.front() + " requires -o FILE"));
        arguments.insert(arguments.end(), {"-q", "-o", out});
        EXPECT_THAT(run(arguments).err, StartsWith("hkpd relog: " + option.front() + " cannot be combined with -q"));
    }
    EXPECT_FALSE(std::filesystem::exists(out));
    const std::string settings = temp.write("relog.cfg", log + " -q\n");
    EXPECT_THAT(run({"relog", log, "-config", settings}).err, HasSubstr("has no -i, which stands for it"));
    EXPECT_EQ(run({"relog", "-config", settings}).exit, 0);
}

TEST(Relog, SpeaksOfItsOwnOptions) {
    const std::string log = std::string(testdata_folder) + "/captures/demo.bin";
    const TempFolder temp;
    const std::string out = temp.path("out.csv");
    const std::vector<std::vector<std::string>> wrong{{"-t", "x"}, {"-t", "0"},   {"-b", "noon"},
                                                      {"-b", "5"}, {"-e", "now"}, {"-c", "Threads"}};
    for (const std::vector<std::string>& option : wrong) {
        const Result result = run({"relog", log, option[0], option[1], "-f", "csv", "-o", out});
        EXPECT_EQ(result.exit, 2) << option[1];
        EXPECT_EQ(result.out, "");
        EXPECT_THAT(result.err, StartsWith("hkpd relog: " + option[0] + ": "));
        EXPECT_THAT(result.err, HasSubstr("'" + option[1] + "'"));
    }
    EXPECT_THAT(run({"relog", log, "-outpt", out}).err, StartsWith("hkpd relog: unrecognised option '-outpt'"));
    EXPECT_EQ(run({"relog", "-q", "--", log}).exit, 0);
    const std::string database = temp.path("x.db");
    EXPECT_EQ(run({"relog", log, "-f", "SQL", "-o", database + "!first"}).exit, 0);
    EXPECT_THAT(run({"relog", log, "-f", "csv", "-o", database, "-y"}).err,
                AllOf(HasSubstr("hkpd relog: "), HasSubstr("only -f SQL adds")));
}

TEST(Typeperf, RefusesWhatWouldHaveNoEffect) {
    for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
             {"-si", "5"}, {"-sc", "2"}, {"-f", "csv"}, {"-cf", "counters.txt"}, {"--summary"}}) {
        std::vector<std::string> arguments{"typeperf", "--simulate", "-q"};
        arguments.insert(arguments.end(), option.begin(), option.end());
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 2) << option.front();
        EXPECT_THAT(result.err, StartsWith("hkpd typeperf: " + option.front() + " cannot be combined with -q"));
    }
    EXPECT_THAT(run({"typeperf", "--simulate", "-q", "-qx"}).err, HasSubstr("-q and -qx cannot be combined"));
    EXPECT_THAT(run({"typeperf", "--simulate", "-qx", "Processor", "System"}).err, HasSubstr("found 'System', too"));
    EXPECT_THAT(run({"typeperf", "--simulate", R"(\System\Threads)", "-si", "2000000"}).err,
                StartsWith("hkpd typeperf: -si: expected a time"));
    EXPECT_EQ(run({"typeperf", "--simulate", "--machine=X", "-q", "Processor"}).exit, 0);
    EXPECT_THAT(run({"typeperf", "--simulate", "--seed=3", "-q"}).err, HasSubstr("unrecognised option '--seed"));
}

}  // namespace relog_cli_test
}  // namespace hkpd_test
