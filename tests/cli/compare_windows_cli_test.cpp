// hkpd compare of two windows of one log: the same numbers as of two logs, whatever way the windows are stated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture_cli.hpp"
#include "hkpd/answers.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"
#include "json_text.hpp"

namespace hkpd_test {
namespace compare_windows_cli_test {

using testing::HasSubstr;
using testing::Not;
using Strings = std::vector<std::string>;

Result compare(Strings arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "compare");
    return run({.arguments = std::move(arguments), .input = std::move(input)});
}

Strings operator+(Strings left, const Strings& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

constexpr std::size_t rows = 40, half = rows / 2;

/// A text log with a sample each minute from 10:00 UTC on, of which each column is a function of the row.
class MadeLog {
  public:
    using Column = std::function<std::string(std::size_t row)>;

    void add(const std::string& path, Column column) {
        head_ += ",\"\\\\PC\\" + path + "\"";
        columns_.push_back(std::move(column));
    }
    /// Adds a column of numbers, and keeps them.
    const std::vector<double>& add_numbers(const std::string& path, const std::function<double(std::size_t)>& number) {
        std::vector<double>& numbers = numbers_.emplace_back();
        for (std::size_t row = 0; row < rows; ++row) numbers.push_back(number(row));
        add(path, [&numbers](std::size_t row) { return std::to_string(numbers[row]); });
        return numbers;
    }
    std::string text(std::size_t begin = 0, std::size_t end = rows) const {
        std::string all = "\"(PDH-CSV 4.0) (UTC)(0)\"" + head_ + "\r\n";
        for (std::size_t row = begin; row < end; ++row) {
            all += "\"05/14/2024 10:" + std::string(row < 10 ? "0" : "") + std::to_string(row) + ":00.000\"";
            for (const Column& column : columns_) all += ",\"" + column(row) + "\"";
            all += "\r\n";
        }
        return all;
    }

  private:
    std::string head_;
    std::vector<Column> columns_;
    std::deque<std::vector<double>> numbers_;
};

bool is_later(std::size_t row) { return row >= half; }

/// Amounts whose values vary by a tenth.
struct Amount {
    std::string_view path, counter;
    double size;
};
constexpr auto amounts = std::to_array<Amount>({{"Memory\\Pages/sec", "Pages/sec", 100},
                                                {"Memory\\Available Bytes", "Available Bytes", 1e9},
                                                {"Process(app)\\Working Set", "Working Set", 5e7},
                                                {"Process(app)\\Handle Count", "Handle Count", 300},
                                                {"LogicalDisk(C:)\\Avg. Disk sec/Read", "Avg. Disk sec/Read", 0.05},
                                                {"Processor(_Total)\\% Processor Time", "% Processor Time", 30}});

/// Returns a log in which one of these amounts becomes `factor` times as large in the second half, and codes, clocks
/// and places of processes change by much more. `numbers`: receives those of the amount.
MadeLog planted(std::size_t which, double factor, std::vector<double>* numbers = nullptr) {
    MadeLog log;
    std::mt19937_64 random(which);
    std::uniform_real_distribution<double> deviation(0.9, 1.1);
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        const std::vector<double>& added = log.add_numbers(std::string(amounts[i].path), [&](std::size_t row) {
            return amounts[i].size * deviation(random) * (i == which && is_later(row) ? factor : 1);
        });
        if (i == which && numbers != nullptr) *numbers = added;
    }
    const auto two = [](const char* before, const char* after) {
        return [before, after](std::size_t row) { return std::string(is_later(row) ? after : before); };
    };
    log.add("Thread(app/0)\\Thread Wait Reason", two("4", "27"));
    log.add("Thread(app/0)\\Thread State", two("5", "2"));
    log.add("Process(app)\\ID Process", two("100", "99999"));
    log.add("Process(app)\\Creating Process ID", two("4", "77777"));
    log.add("Process(app)\\Priority Base", two("8", "13"));
    log.add("Process(app)\\Elapsed Time", [](std::size_t row) { return std::to_string(100000 + 60 * row * row); });
    log.add("System\\System Up Time", [](std::size_t row) { return std::to_string(60 * row); });
    // Another svchost is the first one in the second half.
    log.add("Process(svchost)\\Private Bytes", two("1000000", "9000000"));
    log.add("Process(svchost#1)\\Private Bytes", two("9000000", "1000000"));
    return log;
}

const Strings halves{"--before", "10:00-10:19", "--after", "10:20-10:39"}, json{"--format", "json"};

/// Returns a document of JSON without the faults, which name the inputs.
std::string without_faults(const std::string& document) { return document.substr(0, document.find("\"diagnostics\"")); }

class CompareWindowsCli : public testing::Test {
  protected:
    std::string log(std::string_view name, const std::string& text) const { return folder_.write(name, text); }

    TempFolder folder_;
};

TEST_F(CompareWindowsCli, WhatWasPlantedLeadsWithTheNumbersOfTheHalvesAsFiles) {
    for (std::size_t which = 0; which < amounts.size(); ++which) {
        for (const double factor : {2.5, 0.4}) {
            SCOPED_TRACE(std::string(amounts[which].counter) + " × " + std::to_string(factor));
            std::vector<double> numbers;
            const MadeLog made = planted(which, factor, &numbers);
            const Result windows = compare(Strings{log("log.csv", made.text())} + halves + json);
            ASSERT_EQ(windows.exit, 0) << windows.err;
            EXPECT_EQ(windows.err, "");
            const Result files =
                compare(Strings{log("before.csv", made.text(0, half)), log("after.csv", made.text(half, rows))} + json);
            EXPECT_EQ(without_faults(windows.out), without_faults(files.out));

            const auto parsed = parse_json(windows.out);
            ASSERT_EQ(at(parsed, "changes").Size(), amounts.size());  // and neither codes, clocks nor places
            const auto& first = at(parsed, "changes", 0);
            EXPECT_EQ(at(first, "counter").GetString(), amounts[which].counter);
            EXPECT_EQ(at(first, "median_effect").GetDouble() > 0, factor > 1);
            EXPECT_EQ(at(parsed, "samples_before").GetUint(), half);
            EXPECT_EQ(at(parsed, "samples_after").GetUint(), half);
            EXPECT_STREQ(at(parsed, "from_before").GetString(), "2024-05-14T10:00:00.000Z");
            EXPECT_STREQ(at(parsed, "to_after").GetString(), "2024-05-14T10:39:00.000Z");
            EXPECT_EQ(at(parsed, "unchanged").GetUint(), 1U);  // the sum of both svchost
            EXPECT_EQ(at(parsed, "sums").GetUint(), 1U);
            EXPECT_EQ(at(parsed, "not_compared").GetUint(), 7U);
            for (const auto& [side, begin] : {std::pair("before", std::size_t{0}), std::pair("after", half)}) {
                const std::span<const double> part = std::span(numbers).subspan(begin, half);
                double sum = 0;
                for (const double number : part) sum += number;
                EXPECT_EQ(at(first, side, "count").GetUint(), half);
                EXPECT_NEAR(at(first, side, "mean").GetDouble(), sum / half, 1e-5 * std::abs(sum));
                EXPECT_NEAR(at(first, side, "max").GetDouble(), std::ranges::max(part), 1e-6);
                EXPECT_NEAR(at(first, side, "min").GetDouble(), std::ranges::min(part), 1e-6);
            }
            const double a = at(first, "before", "stddev").GetDouble(), b = at(first, "after", "stddev").GetDouble(),
                         noise = std::sqrt((a * a + b * b) / 2);
            EXPECT_NEAR(at(first, "noise").GetDouble(), noise, 1e-9 * noise);
            double last = std::numeric_limits<double>::infinity();
            for (const auto& change : at(parsed, "changes").GetArray()) {
                const double effect = std::max(std::abs(at(change, "median_effect").GetDouble()),
                                               std::abs(at(change, "p95_effect").GetDouble()));
                EXPECT_LE(effect, last);
                last = effect;
            }
        }
    }
}

TEST_F(CompareWindowsCli, EveryFormOfTheSameWindows) {
    const std::string path = log("log.csv", planted(0, 3).text());
    const Result expected = compare(Strings{path} + halves + json);
    ASSERT_EQ(expected.exit, 0) << expected.err;
    const std::vector<std::pair<std::string, std::string>> forms{
        {"10:00..10:19", "10:20..10:39"},
        {"10:00 - 10:19", "10:20 - 10:39"},
        {"2024-05-14T10:00-2024-05-14T10:19", "2024-05-14T10:20:00-2024-05-14T10:39:00"},
        {"2024-05-14T10:00-10:19", "2024-05-14 10:20 - 2024-05-14 10:39"},
        {"2024-05-14T10:00Z-2024-05-14T10:19Z", "2024-05-14T12:20+02:00-2024-05-14T05:39-05:00"},
        {"2024-05-14T05:00-05:00-2024-05-14T05:19-05:00", "5/14/2024 10:20-5/14/2024 10:39"},
        {"@1715680800-@1715681940", "@1715682000..@1715683140"},
        {"-39min--20min", "-19min-10:39"},
        {"-39min..-1200s", "-19min..-0s"},
        {"..10:19", "10:20.."},
        {"0-19", "20-39"},
        {"0..19", "20.."},
        {"..19", "10:20-10:39"}};
    for (const auto& [before, after] : forms) {
        SCOPED_TRACE(before + ' ' + after);
        const Result result = compare({path, "--before", before, "--after", after, "--format", "json"});
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_EQ(result.out, expected.out);
    }
    EXPECT_EQ(compare({path, "--before", "12:00-12:19", "--after", "12:20-12:39", "--tz", "Somewhere,-120"}).exit, 0);
    EXPECT_EQ(without_faults(compare(Strings{"-"} + halves + json, planted(0, 3).text()).out),
              without_faults(expected.out));
}

TEST_F(CompareWindowsCli, ADateIsThatDay) {
    std::string text = planted(0, 3).text();
    for (std::size_t at = 0; (at = text.find("05/14/2024 10:2", at)) != std::string::npos;) text[at + 4] = '5';
    for (std::size_t at = 0; (at = text.find("05/14/2024 10:3", at)) != std::string::npos;) text[at + 4] = '5';
    const Result result =
        compare({log("days.csv", text), "--before", "2024-05-14", "--after", "2024-05-15", "--format", "json"});
    ASSERT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(at(parse_json(result.out), "samples_before").GetUint(), half);
    EXPECT_EQ(at(parse_json(result.out), "samples_after").GetUint(), half);
}

TEST_F(CompareWindowsCli, SeveralFilesAreOneLogAndTwoHaveAWindowEach) {
    const MadeLog made = planted(2, 3);
    const std::string expected = without_faults(compare(Strings{log("log.csv", made.text())} + halves + json).out);
    Strings files;
    for (std::size_t row = 0; row < rows; row += 10)
        files.push_back(log("part" + std::to_string(row) + ".csv", made.text(row, row + 10)));
    EXPECT_EQ(without_faults(compare(files + halves + json).out), expected);
    const std::string before = log("before.csv", made.text(0, 30)), after = log("after.csv", made.text(10, rows));
    EXPECT_EQ(without_faults(compare(Strings{before, after} + halves + json).out), expected);
    const auto one = parse_json(compare({before, after, "--before", "..10:19", "--format", "json"}).out);
    EXPECT_EQ(at(one, "samples_before").GetUint(), half);
    EXPECT_EQ(at(one, "samples_after").GetUint(), 30U);
}

TEST_F(CompareWindowsCli, WindowsThatCannotBeCompared) {
    const std::string path = log("log.csv", planted(0, 3).text());
    struct Case {
        Strings options;
        std::string_view message;
    };
    const std::vector<Case> cases{
        {{"--before", "11:00-11:30", "--after", "10:20-10:39"}, "no sample in --before 11:00-11:30: "},
        {{"--before", "11:00-11:30", "--after", "10:20-10:39"},
         "has samples from 2024-05-14T10:00:00.000Z to 2024-05-14T10:39:00.000Z"},
        {{"--before", "0-9", "--after", "40-50"}, "no sample in --after 40-50: "},
        {{"--before", "0-9", "--after", "40-50"}, "has the samples 0 to 39"},
        {{"--before", "10:19-10:00", "--after", "10:20-10:39"}, "--before 10:19-10:00 ends before it begins"},
        {{"--before", "0-9", "--after", "12-10"}, "--after 12-10 ends before it begins"},
        {{"--before", "10:00-10:25", "--after", "10:20-10:39"},
         "--before 10:00-10:25 and --after 10:20-10:39 overlap: the sample of 2024-05-14T10:21:00.000Z is in both"},
        {{"--before", "10:00-10:39", "--after", "10:00-10:39"}, "overlap"},
        {{"--before", "0-25", "--after", "10:20-10:39"}, "overlap"},
        {{"--before", "10:00-10:19"}, "--before alone: two windows of one log are --before "},
        {{"--after", "10:00-10:19"}, "--after alone: "},
        {{"--before", "10:00", "--after", "10:20-10:39"}, "--before: expected two times such as 10:00-10:30"},
        {{"--before", "..", "--after", "10:20-10:39"}, "--before: expected two times"},
        {{"--before", "10:00-10:19", "--after", "10:20..noon"}, "'noon' is no time"},
        {{"--before", "10:00-10:19", "--after", "1-2-3"}, "--after: expected two times"},
        {{"--before", "", "--after", "1-2"}, "--before: expected two times"},
        {{"--before", "0-19", "--after", "20-39", "--interfaces"}, "cannot be combined"}};
    for (const auto& [options, message] : cases) {
        SCOPED_TRACE(message);
        const std::string kept = log("out", "old");
        const Result result = compare(Strings{path, "-o", kept} + options);
        EXPECT_EQ(result.exit, 2);
        EXPECT_THAT(result.err, HasSubstr(message));
        EXPECT_EQ(read_file(hkpd::path_of(kept)), "old");
    }
    for (const auto& [arguments, message] :
         {std::pair(Strings{path, "10:00-10:19", "10:20-10:39"}, "10:00-10:19 is no file, but a window: "),
          std::pair(Strings{path, "--from", "10:00", "--to", "10:19"}, "--from and --to are one range, and")}) {
        const Result result = compare(arguments);
        EXPECT_EQ(result.exit, 2);
        EXPECT_THAT(result.err, HasSubstr(message));
        EXPECT_THAT(result.err, HasSubstr("--before"));
    }
    const Result from_pipe = compare({"-", "--before", "..-5min", "--after", "-5min.."}, planted(0, 3).text());
    EXPECT_EQ(from_pipe.exit, 2);
    EXPECT_THAT(from_pipe.err, HasSubstr("--before: -5min is counted from the last sample, so it requires files"));
}

TEST_F(CompareWindowsCli, ASampleAtTheEndOfOneAndTheBeginOfTheOtherIsInTheOneThatEnds) {
    const std::string path = log("log.csv", planted(0, 3).text());
    for (const auto& [before, after] : {std::pair("10:00-10:20", "10:20-10:39"), std::pair("0-20", "20-39")}) {
        const auto parsed = parse_json(compare({path, "--before", before, "--after", after, "--format", "json"}).out);
        EXPECT_EQ(at(parsed, "samples_before").GetUint(), half + 1);
        EXPECT_EQ(at(parsed, "samples_after").GetUint(), half - 1);
    }
    const auto reversed = parse_json(compare({path, "--before", "20-39", "--after", "0-20", "--format", "json"}).out);
    EXPECT_EQ(at(reversed, "samples_before").GetUint(), half - 1);
    EXPECT_EQ(at(reversed, "samples_after").GetUint(), half + 1);
}

TEST_F(CompareWindowsCli, TheFirstRateOfAWindowIsSinceTheSampleBeforeIt) {
    const std::string path = folder_.path("simulated.mcap");
    ASSERT_EQ(capture({"--simulate", "--count", "20", "-o", path}).exit, 0);
    const auto parsed = parse_json(compare({path, "--before", "0-9", "--after", "10-19", "--format", "json"}).out);
    EXPECT_EQ(at(parsed, "samples_before").GetUint(), at(parsed, "samples_after").GetUint());
    std::size_t rates = 0;
    for (const auto& change : at(parsed, "changes").GetArray()) {
        if (at(change, "unit").GetString() != std::string("/sec")) continue;
        ++rates;
        EXPECT_EQ(at(change, "before", "count").GetUint() + 1, at(change, "after", "count").GetUint());
    }
    EXPECT_GT(rates, 0U);
}

TEST_F(CompareWindowsCli, AProgramHasTheSameFromTwoReadersWithARangeEach) {
    const std::string path = folder_.path("simulated.mcap");
    ASSERT_EQ(capture({"--simulate", "--count", "20", "-o", path}).exit, 0);
    const auto part = [&path](std::uint64_t first, std::uint64_t last) {
        hkpd::ReaderOptions how;
        how.one_source = true;
        how.range.first = first;
        how.range.last = last;
        return hkpd::Reader::open({path}, std::move(how));
    };
    auto before = part(0, 9), after = part(10, 19);
    ASSERT_TRUE(before && after);
    hkpd::Filter filter;
    const hkpd::Changes changes = hkpd::compare_runs(*before, *after, filter);
    const auto parsed = parse_json(compare({path, "--before", "0-9", "--after", "10-19", "--format", "json"}).out);
    ASSERT_EQ(at(parsed, "changes").Size(), changes.changed.size());
    ASSERT_GT(changes.changed.size(), 100U);
    EXPECT_EQ(at(parsed, "not_compared").GetUint64(), changes.not_compared);
    for (rapidjson::SizeType i = 0; i < at(parsed, "changes").Size(); ++i) {
        const auto& shown = at(parsed, "changes")[i];
        EXPECT_EQ(at(shown, "counter").GetString(), changes.changed[i].after.counter->name);
        EXPECT_EQ(at(shown, "median_effect").GetDouble(), changes.changed[i].median_effect);
        EXPECT_EQ(at(shown, "after", "count").GetUint64(), changes.changed[i].after.statistics.count);
        EXPECT_EQ(at(shown, "is_brief").GetBool(), changes.changed[i].is_brief);
    }
}

TEST_F(CompareWindowsCli, OneLogGetsBothUsages) {
    const std::string path = log("log.csv", planted(0, 3).text());
    const Result one = compare({path});
    EXPECT_EQ(one.exit, 2);
    EXPECT_EQ(one.out, "");
    EXPECT_THAT(one.err, HasSubstr("hkpd compare " + path + " OTHER, or hkpd compare " + path +
                                   " --before 10:00-10:30 --after 11:00-11:30"));
    EXPECT_THAT(one.err, HasSubstr("--interfaces"));
    EXPECT_EQ(lines(one.err).size(), 1U);
    EXPECT_EQ(compare({"-"}, planted(0, 3).text()).exit, 2);
    EXPECT_EQ(compare({path, "--format", "json"}).out, "");
    const Result interfaces = compare({path, "--interfaces"});
    EXPECT_EQ(interfaces.exit, 2);
    EXPECT_THAT(interfaces.err, HasSubstr("no V2 samples found"));
}

TEST_F(CompareWindowsCli, EqualLogsAreReportedAsEqual) {
    const std::string path = log("log.csv", planted(0, 3).text());
    const Result same = compare({path, path});
    EXPECT_EQ(same.exit, 0);
    EXPECT_THAT(same.out, HasSubstr("no series changed: all values that are compared are the same before and after\n"));
    EXPECT_THAT(same.err, HasSubstr("note: " + path + " and " + path + " are the same file\n"));
    const Result copy = compare({path, log("copy.csv", planted(0, 3).text())});
    EXPECT_THAT(copy.out, HasSubstr("no series changed: all values"));
    EXPECT_EQ(copy.err, "");
}

TEST_F(CompareWindowsCli, SeriesOfFewValuesAreLastAndMarked) {
    MadeLog made = planted(0, 3);
    made.add("Process(brief)\\Working Set", [](std::size_t row) {
        return row == 3 ? std::string("1") : row == 30 ? std::string("1000000") : std::string(" ");
    });
    const std::string path = log("log.csv", made.text());
    const auto parsed = parse_json(compare(Strings{path} + halves + json).out);
    const auto& changes = at(parsed, "changes");
    for (rapidjson::SizeType i = 0; i < changes.Size(); ++i)
        EXPECT_EQ(at(changes[i], "is_brief").GetBool(), i + 1 == changes.Size());
    EXPECT_STREQ(at(changes[changes.Size() - 1], "instance").GetString(), "brief");
    const Result text = compare(Strings{path} + halves);
    const Strings shown = lines(text.out);
    const auto row = std::ranges::find_if(shown, [](const std::string& line) { return line.contains("(brief)"); });
    ASSERT_NE(row, shown.end()) << text.out;
    EXPECT_THAT(*row, HasSubstr("?"));
    EXPECT_THAT(*row, HasSubstr("1, 1"));
    EXPECT_THAT(text.out, HasSubstr("?: few values"));
    EXPECT_THAT(text.out, HasSubstr("20, 20  \\Memory\\Pages/sec\n"));
    EXPECT_THAT(text.out, HasSubstr("1 series are sums: instances of one name are compared as their sum, name#*\n"));
    EXPECT_THAT(text.out, HasSubstr("7 series are not compared: ids, states, priorities and elapsed times"));
    EXPECT_THAT(text.out, Not(HasSubstr("Thread Wait Reason")));
    const Result few = compare({path, "--before", "0-1", "--after", "20-39"});
    EXPECT_THAT(few.out, HasSubstr("only 2 samples on one side: effects are not reliable\n"));
}

/// A registry value of Windows lets names of processes end with their ids. It is no part of the name.
TEST_F(CompareWindowsCli, ProcessesWhoseNamesEndWithTheirIdsAreMatchedByTheirImages) {
    MadeLog made;
    for (const auto& [id, later] : {std::pair("100", false), std::pair("200", true)}) {
        const std::string process = std::string("Process(web_") + id + ")\\";
        made.add(process + "ID Process", [id, later](std::size_t row) { return is_later(row) == later ? id : " "; });
        made.add(process + "Working Set", [later](std::size_t row) { return is_later(row) == later ? "5000" : " "; });
    }
    made.add("Process(data_100)\\Working Set", [](std::size_t /*row*/) { return "1"; });  // no id: a part of the name
    const auto parsed = parse_json(compare(Strings{log("log.csv", made.text())} + halves + json).out);
    EXPECT_EQ(at(parsed, "changes").Size(), 0U);
    EXPECT_EQ(at(parsed, "unchanged").GetUint(), 2U);
    EXPECT_EQ(at(parsed, "only_before").Size() + at(parsed, "only_after").Size(), 0U);
}

}  // namespace compare_windows_cli_test
}  // namespace hkpd_test
