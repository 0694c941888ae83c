// `hkpd top --at` and `--rest`: what stands out in a part of a log, with the numbers that `hkpd replay` has.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run_command.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace window_cli_test {

using testing::HasSubstr;
using testing::Not;

constexpr int interval = 15, rows = 960;  // four hours from 12:00

/// Returns a text log of four hours, in which one process, one disk and one interface are as usual but from 13:30 to
/// 13:40. The memory of another process rises all the time.
std::string planted_log() {
    const std::vector<std::string> paths{R"(Process(hog)\% Processor Time)",
                                         R"(Process(hog)\Private Bytes)",
                                         R"(Process(busy)\% Processor Time)",
                                         R"(Process(busy)\Private Bytes)",
                                         R"(Process(leak)\% Processor Time)",
                                         R"(Process(leak)\Private Bytes)",
                                         R"(Process(_Total)\% Processor Time)",
                                         R"(Process(Idle)\% Processor Time)",
                                         R"(Process(hog)\ID Process)",
                                         R"(PhysicalDisk(0 C:)\Avg. Disk Queue Length)",
                                         R"(PhysicalDisk(1 D:)\Avg. Disk Queue Length)",
                                         R"(Network Interface(NIC)\Bytes Total/sec)",
                                         R"(Memory\Pages/sec)",
                                         R"(System\System Up Time)"};
    std::string text = "\"(PDH-CSV 4.0) (UTC)(0)\"";
    for (const std::string& path : paths) text += ",\"\\\\HOST\\" + path + "\"";
    text += "\r\n";
    for (int row = 0; row < rows; ++row) {
        const int second = row * interval;
        const bool then = second >= 90 * 60 && second <= 100 * 60;
        const double wave = std::sin(row / 7.0);
        text += fmt::format(R"("05/14/2024 {:02}:{:02}:{:02}.250")", 12 + second / 3600, second / 60 % 60, second % 60);
        for (const double value : {then ? 95.5 + wave : 1 + wave, 2e8, 60 + 5 * wave, 5e8 + 1e6 * wave, 0.5,
                                   1e8 + 2e6 * row, 100.0, 300.0, then ? 4242.0 : 4242.0, then ? 30 + 3 * wave : 0.1,
                                   0.2 + 0.1 * wave, 2e5 + 1e4 * wave, 5 + 4 * wave, 1e6 + second})
            text += fmt::format(",\"{:.6f}\"", value);
        text += "\r\n";
    }
    return text;
}

class WindowCli : public testing::Test {
  protected:
    WindowCli() { log = folder.write("planted.csv", planted_log()); }
    Result top(std::vector<std::string> arguments, std::string columns = "100") const {
        arguments.insert(arguments.begin(), {"top", log});
        return run({.arguments = std::move(arguments), .columns = std::move(columns)});
    }

    TempFolder folder;
    std::string log;
};

TEST_F(WindowCli, WhatIsNotAsUsualComesFirst) {
    const Result result = top({"--at", "13:35"});
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto all = lines(result.out);
    ASSERT_GT(all.size(), 6U);
    EXPECT_THAT(all[1], HasSubstr("window: 2024-05-14 13:35:00 - 13:35:45, 4 samples; the rest: 956 samples"));
    EXPECT_THAT(result.out, Not(HasSubstr("_Total")));
    EXPECT_THAT(result.out, Not(HasSubstr("Idle")));
    EXPECT_THAT(result.out, Not(HasSubstr("ID Process")));
    EXPECT_THAT(result.out, Not(HasSubstr("Up Time")));
    EXPECT_THAT(result.out, Not(HasSubstr("1 D:")));
    EXPECT_THAT(result.out, Not(HasSubstr("busy")));
    const auto line_of = [&](std::string_view text) {
        return std::ranges::find_if(all, [&](const std::string& line) { return line.contains(text); }) - all.begin();
    };
    EXPECT_EQ(line_of("hog (4242) % Processor Time"), line_of("processes") + 1);
    EXPECT_EQ(line_of(R"(\PhysicalDisk(0 C:)\Avg. Disk Queue Length)"), line_of("disks") + 1);
    for (const std::string& line : lines(top({"--at", "13:35"}, "80").out)) EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(WindowCli, APeakOfALeakNamesTheProcess) {
    const Result result = top({"--at", "-1min"});
    EXPECT_THAT(lines(result.out).at(4), HasSubstr("leak Private Bytes")) << result.out;
}

/// Returns the rows of a summary by object, instance and counter.
std::map<std::string, std::map<std::string, double>> summary_of(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"replay", "--summary", "--format", "json"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto document = parse_json(run(all).out);
    std::map<std::string, std::map<std::string, double>> found;
    for (const auto& row : document["rows"].GetArray()) {
        const std::string name =
            fmt::format("{}|{}|{}|{}", row["object"].GetString(), row["instance"].GetString(),
                        row["pid"].IsUint() ? row["pid"].GetUint() : 0, row["counter"].GetString());
        for (const auto& member : row.GetObject())
            if (member.value.IsNumber()) found[name][member.name.GetString()] = member.value.GetDouble();
    }
    return found;
}

/// Compares each row of a window with the summaries of the window and of the whole log.
void expect_numbers_of_replay(const std::string& log, const std::vector<std::string>& window) {
    std::vector<std::string> arguments{"top", log, "--format", "json", "--top", "1000"};
    arguments.insert(arguments.end(), window.begin(), window.end());
    const auto document = parse_json(run(arguments).out);
    ASSERT_GT(document["rows"].Size(), 2U);
    const std::string from = document["rows"][0]["window_from"].GetString(),
                      to = document["rows"][0]["window_to"].GetString();
    const auto inside = summary_of({log, "--from", from, "--to", to}), whole = summary_of({log});
    std::size_t compared = 0;
    for (const auto& row : document["rows"].GetArray()) {
        const std::string name =
            fmt::format("{}|{}|{}|{}", row["object"].GetString(), row["instance"].GetString(),
                        row["pid"].IsUint() ? row["pid"].GetUint() : 0, row["counter"].GetString());
        ASSERT_TRUE(whole.contains(name)) << name;
        const auto& all = whole.at(name);
        const double count = row["count"].GetDouble(), rest_count = row["rest_count"].GetDouble();
        EXPECT_EQ(count + rest_count, all.at("count")) << name;
        if (count + rest_count == 0) continue;  // a rate of a process that was in one sample
        double sum = 0;
        if (count != 0) {
            ASSERT_TRUE(inside.contains(name)) << name;
            for (const char* const key : {"count", "first", "last", "min", "mean", "p50", "p95", "max"})
                EXPECT_EQ(row[key].GetDouble(), inside.at(name).at(key)) << name << " " << key;
            sum += count * row["mean"].GetDouble();
        }
        if (rest_count != 0) sum += rest_count * row["rest_mean"].GetDouble();
        const double mean = all.at("mean");
        EXPECT_NEAR(sum / (count + rest_count), mean, 1e-9 * std::max(1.0, std::abs(mean))) << name;
        ++compared;
    }
    EXPECT_GT(compared, 2U);
}

TEST_F(WindowCli, NumbersAreThoseOfReplay) {
    expect_numbers_of_replay(log, {"--at", "13:35"});
    expect_numbers_of_replay(log, {"--at", "13:35:10"});
    expect_numbers_of_replay(log, {"--at", "13:35..13:38"});
    expect_numbers_of_replay(log, {"--from", "13:35", "--to", "13:38", "--rest"});
    expect_numbers_of_replay(log, {"--at", "380"});
}

class WindowsWindowCli : public WindowsData {};

TEST_F(WindowsWindowCli, NumbersOfALogOfWindowsAreThoseOfReplay) {
    expect_numbers_of_replay(path("data/blg/vista-2007-wildcards.blg"), {"--at", "15:44:30"});
}

TEST_F(WindowCli, AWindowHasThreeSamplesAtLeast) {
    const auto window = [&](const std::string& at) { return lines(top({"--at", at}).out).at(1); };
    EXPECT_THAT(window("13:35:10"), HasSubstr("13:34:45 - 13:35:30, 4 samples"));
    EXPECT_THAT(window("13:35:10..13:35:11"), HasSubstr("13:35:00 - 13:35:30, 3 samples"));
    EXPECT_THAT(window("13:35..13:38"), HasSubstr("13:35:00 - 13:37:45, 12 samples"));
    EXPECT_THAT(window("0"), HasSubstr("12:00:00 - 12:00:30, 3 samples"));
    EXPECT_THAT(window("380"), HasSubstr("13:34:45 - 13:35:15, 3 samples"));
}

TEST_F(WindowCli, RestIsTheSameAsARange) {
    EXPECT_EQ(top({"--from", "13:35", "--to", "13:38", "--rest"}).out, top({"--at", "13:35..13:38"}).out);
    // A range restricts the rest.
    EXPECT_THAT(top({"--at", "13:35", "--from", "13:00", "--to", "14:00"}).out,
                HasSubstr("4 samples; the rest: 236 samples"));
}

TEST_F(WindowCli, ATimeOutsideOfTheLogIsRefused) {
    for (const char* const at : {"23:00", "2023-01-01", "100000"}) {
        const Result result = top({"--at", at});
        EXPECT_EQ(result.exit, 2) << at;
        EXPECT_THAT(result.err, HasSubstr("no sample in the range")) << at;
    }
    EXPECT_THAT(top({"--rest"}).err, HasSubstr("--rest requires --from or --to"));
    EXPECT_THAT(top({"--at", "1:00", "--rest", "--from", "1:00"}).err, HasSubstr("cannot be combined"));
    EXPECT_THAT(top({"--at", "soon"}).err, HasSubstr("expected a time"));
    EXPECT_THAT(top({"--at", "13:35", "--sort", "io"}).err, HasSubstr("--sort"));
}

TEST_F(WindowCli, FormatsHaveTheSameRows) {
    const auto csv = lines(top({"--at", "13:35", "--format", "csv"}).out);
    const auto jsonl = lines(top({"--at", "13:35", "--format", "jsonl"}).out);
    const auto json = parse_json(top({"--at", "13:35", "--format", "json"}).out);
    ASSERT_GT(jsonl.size(), 2U);
    EXPECT_EQ(csv.size(), jsonl.size() + 1);
    EXPECT_EQ(json["rows"].Size(), jsonl.size());
    EXPECT_EQ(json["samples"].GetUint64(), 4U);
    EXPECT_EQ(json["rest_samples"].GetUint64(), rows - 4U);
    EXPECT_STREQ(json["window"]["from"].GetString(), json["rows"][0]["window_from"].GetString());
    EXPECT_STREQ(json["window"]["to"].GetString(), json["rows"][0]["window_to"].GetString());
    std::size_t cells = static_cast<std::size_t>(std::ranges::count(csv[0], ','));
    EXPECT_EQ(cells + 1, parse_json(jsonl[0]).MemberCount());
}

}  // namespace window_cli_test
}  // namespace hkpd_test
