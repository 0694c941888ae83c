// `hkpd replay --format timeline`: its values against those of Windows and of the format CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "run_command.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace timeline_cli_test {

using testing::HasSubstr;

const std::string demo = std::string(testdata_folder) + "/captures/demo.mcap";

/// Returns the lines of a timeline that begin with a time, each split into its time and cells.
std::vector<std::vector<std::string>> rows(const std::string& timeline) {
    std::vector<std::vector<std::string>> all;
    for (const std::string& line : lines(timeline)) {
        if (!line.starts_with("20")) continue;
        all.emplace_back();
        for (std::size_t at = 0; at < line.size(); at = std::min(line.find_first_not_of(' ', at), line.size())) {
            const std::size_t end = std::min(line.find("  ", at), line.size());
            all.back().push_back(line.substr(at, end - at));
            at = end;
        }
    }
    return all;
}

/// Returns the number of a cell: `1.885 KiB/s` is 1930.24.
double number_of(const std::string& cell) {
    const double number = std::stod(cell);
    if (cell.find(" MiB") != std::string::npos) return number * 1024 * 1024;
    return cell.find(" KiB") != std::string::npos ? number * 1024 : number;
}

/// Returns the cells of a line of a PDH text log.
std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> all;
    for (std::size_t at = 1; at < line.size(); at = line.find('"', at) + 3) {
        const std::size_t end = line.find('"', at);
        all.push_back(line.substr(at, end - at));
    }
    return all;
}

using WindowsTimeline = WindowsData;

TEST_F(WindowsTimeline, EveryCellIsTheValueThatWindowsWrote) {
    const Result timeline = run({"replay", path("data/blg/win10-14393-counters.blg"), "--format", "timeline", "--tz",
                                 "Pacific Standard Time,480"});
    ASSERT_EQ(timeline.exit, 0) << timeline.err;
    std::ifstream file(folder_ / "data/csv/win10-14393-counters.csv");
    std::string line;
    std::getline(file, line);
    const auto found = rows(timeline.out);
    std::size_t row = 0, numbers = 0;
    for (; std::getline(file, line); ++row) {
        ASSERT_LT(row, found.size());
        const std::vector<std::string> theirs = cells(line), &ours = found[row];
        ASSERT_EQ(ours.size(), theirs.size());
        EXPECT_EQ(theirs[0].substr(11), ours[0].substr(11)) << "local time";
        for (std::size_t i = 1; i < theirs.size(); ++i) {
            if (theirs[i] == " ") {
                EXPECT_EQ(ours[i], "-") << line;
                continue;
            }
            const double value = std::stod(theirs[i]), shown = number_of(ours[i]);
            EXPECT_NEAR(shown, value, std::abs(value) * 0.000501) << line;
            ++numbers;
        }
    }
    EXPECT_EQ(row, found.size());
    EXPECT_GT(numbers, 200U);
}

TEST(TimelineCli, ColumnsAreInTheOrderOfTheCounters) {
    const Result result =
        run({"replay", demo, "--format", "timeline", "--path", R"(\Process(svchost*)\Handle Count)", "--raw"});
    ASSERT_EQ(result.exit, 0) << result.err;
    const auto found = rows(result.out);
    const Result csv =
        run({"replay", demo, "--format", "csv", "--path", R"(\Process(svchost*)\Handle Count)", "--raw"});
    std::vector<std::string> values;
    for (const std::string& line : lines(csv.out))
        if (line.starts_with("20")) values.push_back(line.substr(line.rfind(',') + 1));
    std::vector<std::string> shown;
    for (const auto& row : found) shown.insert(shown.end(), row.begin() + 1, row.end());
    EXPECT_EQ(found.size(), 3U);
    EXPECT_EQ(shown, values);
}

TEST(TimelineCli, ItIsNotChosenForAFileOrPipe) {
    const Result result = run({"replay", demo, "--path", R"(\System\Processes)"});
    EXPECT_THAT(result.out, HasSubstr("machine DEMO, "));
}

TEST(TimelineCli, OptionsThatDoNotFit) {
    for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{{"--summary"}, {"--jobs", "2"}}) {
        std::vector<std::string> arguments{"replay", demo, demo, "--format", "timeline"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 2);
        EXPECT_THAT(result.err, HasSubstr(more.front()));
    }
}

}  // namespace timeline_cli_test
}  // namespace hkpd_test
