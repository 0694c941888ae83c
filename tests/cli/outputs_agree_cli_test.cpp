// One input, one set of values: what an output shows, the others show too, and where one has no value, none has.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "json_text.hpp"
#include "sqlite_cli.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace outputs_agree_cli_test {

/// Time and value, as text. Cells without a value have `none`.
using Values = std::multiset<std::pair<std::string, std::string>>;

std::string number_text(double value) { return fmt::format("{}", value); }

/// Returns the lines of JSON Lines that can have a value, with those that have none if `with_missing`.
Values json_values(const std::vector<std::string>& arguments, bool with_missing) {
    std::vector<std::string> all{"replay", "--format", "jsonl"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    Values values;
    for (const std::string& text : lines(run(all).out)) {
        const auto line = parse_json(text);
        const rapidjson::Value &value = at(line, "value"), &time = at(line, "time");
        if (json_text(at(line, "reason")) == "\"not_displayable\"" || (!with_missing && !value.IsNumber())) continue;
        values.emplace(time.IsString() ? std::string(time.GetString()).substr(0, 23) : "",
                       value.IsNumber() ? number_text(value.GetDouble()) : "none");
    }
    return values;
}

/// The points of OpenMetrics with cooked values, and the number of values that are reported as left out.
struct Points {
    Values values;
    std::uint64_t left_out = 0;
};
Points points(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"replay", "--format", "openmetrics", "--cooked"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Result result = run(all);
    Points found;
    for (const std::string& line : lines(result.out)) {
        if (line.starts_with('#')) continue;
        const std::size_t end = line.rfind(' '), begin = line.rfind(' ', end - 1) + 1;
        const std::string value = line.substr(begin, end - begin);
        std::string time = line.substr(end + 1);
        std::erase(time, '.');
        std::string text;
        hkpd::append_time(text, hkpd::system_time_at(std::stoll(time.substr(0, time.find('e'))) * 1'000'000));
        found.values.emplace(text.substr(0, 23), number_text(std::stod(value)));
    }
    constexpr std::string_view mark = "values left out: ";
    for (std::size_t place = 0; (place = result.err.find(mark, place)) != std::string::npos; place += mark.size())
        found.left_out += std::stoull(result.err.substr(place + mark.size()));
    return found;
}

/// Expects that OpenMetrics has each value of JSON Lines, except those that it counts. Of a machine with both
/// interfaces, `arguments` select one, because OpenMetrics shows no other.
void expect_all_points(const std::vector<std::string>& arguments) {
    const Values all = json_values(arguments, false);
    const Points shown = points(arguments);
    EXPECT_EQ(shown.values.size() + shown.left_out, all.size()) << testing::PrintToString(arguments);
    EXPECT_TRUE(std::ranges::includes(all, shown.values)) << testing::PrintToString(arguments);
}

TEST(OutputsAgreeCli, OpenMetricsHasEachCookedValue) {
    const std::filesystem::path data = testdata_folder;
    std::size_t count = 0;
    for (const char* folder : {"captures", "corpus/blg", "corpus/v1_block", "corpus/capture", "corpus/text_log"}) {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(data / folder)) files.push_back(entry.path());
        std::ranges::sort(files);
        const std::size_t step = std::max<std::size_t>(1, files.size() / 25);  // a sample of the many small ones
        for (std::size_t i = 0; i < files.size(); i += step, ++count) {
            const std::string file = files[i].string();
            if (files[i].filename() != "simulated.mcap") {
                expect_all_points({file});
                continue;
            }
            for (const char* source : {"v1", "v2"}) expect_all_points({file, "--source", source});
        }
    }
    EXPECT_GT(count, 50U);
}

class WindowsOutputsAgreeCli : public WindowsData {};

TEST_F(WindowsOutputsAgreeCli, OpenMetricsHasEachCookedValue) {
    for (const char* name : {"data/blg/vista-2007-wildcards.blg", "data/blg/win10-14393-counters.blg"})
        expect_all_points({path(name)});
}

class SqliteOutputsAgreeCli : public SqliteCli {
  protected:
    /// Returns the rows of the run that was added last, or what `columns` selects of them.
    Values database_values(const std::string& first = "replace(records.time, ' ', 'T')") const {
        Values values;
        for (const std::string& row : ask("SELECT " + first +
                                          ", CASE WHEN data.value IS NULL THEN 'none' ELSE printf('%!.17g', "
                                          "data.value) END FROM data JOIN records ON records.id = data.record "
                                          "WHERE records.run = (SELECT max(id) FROM runs)")) {
            const std::size_t bar = row.rfind('|');
            const std::string value = row.substr(bar + 1);
            values.emplace(row.substr(0, bar), value == "none" ? value : number_text(std::stod(value)));
        }
        return values;
    }
    /// Expects that the database has the rows of JSON Lines, also those without a value.
    void expect_all_rows(const std::vector<std::string>& arguments) const {
        const Values all = json_values(arguments, true);
        EXPECT_GT(all.size(), 0U);
        add(arguments);
        EXPECT_TRUE(database_values() == all)
            << arguments.front() << ": " << database_values().size() << " rows of " << all.size();
    }
    std::string text_log_of(const std::string& input) const {
        const std::string log = folder_.path("log.csv");
        EXPECT_LE(run({"replay", input, "--format", "pdh-csv", "-o", log}).exit, 1);
        return log;
    }
};

TEST_F(SqliteOutputsAgreeCli, DatabasesHaveARowForEachCell) {
    for (const char* source : {"v1", "v2"}) expect_all_rows({simulated, "--source", source});
    for (const std::string& input : {demo, text_log_of(demo)}) expect_all_rows({input});
    const std::string blank = folder_.write("blank.csv",
                                            "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\PC\\A(x)\\B\",\"\\\\PC\\A(y)\\B\"\n"
                                            "\"11/26/2016 13:46:30.874\",\" \",\"1\"\n"
                                            "\"11/26/2016 13:46:31.874\",\"many\",\"\"\n");
    expect_all_rows({blank});
    EXPECT_EQ(database_values().size(), 4U);
    EXPECT_EQ(ask("SELECT count(*) FROM CounterData WHERE CounterValue IS NULL AND CounterDateTime > '2016' AND "
                  "CounterDateTime < '2017'"),
              std::vector<std::string>{"3"});
}

class WindowsSqliteOutputsAgreeCli : public SqliteOutputsAgreeCli {
  protected:
    std::filesystem::path folder_of_logs_ = windows_folder() / "data/blg";
};

TEST_F(WindowsSqliteOutputsAgreeCli, ALogAndItsTextHaveTheSameRows) {
    const std::string log = (folder_of_logs_ / "win10-14393-counters.blg").string();
    expect_all_rows({log});
    const std::string time_and_path =
        "replace(records.time, ' ', 'T') || (SELECT path FROM counters WHERE counters.id = data.series)";
    const Values binary = database_values(time_and_path);
    expect_all_rows({text_log_of(log)});
    EXPECT_TRUE(binary == database_values(time_and_path)) << binary.size() << ", " << database_values().size();
    expect_all_rows({(folder_of_logs_ / "vista-2007-wildcards.blg").string(), "--to", "5"});
}

}  // namespace outputs_agree_cli_test
}  // namespace hkpd_test
