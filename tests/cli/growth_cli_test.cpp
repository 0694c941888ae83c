// Costs that must not grow with the square of the input, and inputs without an end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "capture_cli.hpp"
#include "support/places.hpp"
#include "support/processor_time.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace growth_cli_test {

using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t machines = 200;
constexpr double most_seconds = 2 * sanitizer_slowdown;
constexpr long most_kib = 512 * 1024;
/// The same for what allocates much: the memory that a sanitizer adds to each allocation is not hkpd's.
const long most_kib_of_much = optimized ? most_kib : std::numeric_limits<long>::max();

/// The captures of many machines in a folder.
class ManyMachines : public CaptureCli {
  protected:
    /// Writes a capture of each machine. `title` returns the title of its object from the number of the machine.
    std::string write_captures(const auto& title) const {
        std::filesystem::create_directories(folder_.path("all"));
        for (std::size_t i = 0; i < machines; ++i) {
            const std::string number = std::to_string(i), name = "M" + number;
            const blob::Block block{.objects = {{.title = 900, .counters = {{.title = 902}}, .values = {i}}},
                                    .machine = std::u16string(name.begin(), name.end())};
            const std::string names =
                folder_.write("t" + number + "/counter-009.txt", "900\n" + title(number) + "\n902\nCount\n");
            made("all/" + name + ".mcap", to_text(blob::build(block)), {"--titles", names});
        }
        return folder_.path("all");
    }
};

TEST_F(ManyMachines, EachHasItsOwnNames) {
    const std::string all = write_captures([](const std::string& number) { return "Object of " + number; });
    const Result result = run({"replay", all, "--raw", "--format", "csv"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("title")));
    for (std::size_t i = 0; i < machines; ++i)
        EXPECT_THAT(result.out, HasSubstr(",Object of " + std::to_string(i) + ",900,"));
    EXPECT_EQ(lines(result.out).size(), machines + 1);
    const Result about = run({"info", "--format", "json", all});
    EXPECT_EQ(about.exit, 0) << about.err;
    const auto document = parse_json(about.out);
    EXPECT_EQ(document["inputs"][0]["machines"].Size(), machines);
    EXPECT_EQ(document["inputs"][0]["languages"].Size(), machines);
}

TEST_F(ManyMachines, EqualTitlesAreOneTable) {
    const std::string all = write_captures([](const std::string&) { return std::string("Object of all"); });
    const Result result = run({"replay", all, "--raw", "--format", "csv"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("title")));
    std::size_t named = 0;
    for (const std::string& line : lines(result.out)) named += line.contains(",Object of all,900,") ? 1U : 0U;
    EXPECT_EQ(named, machines);
    const Result about = run({"info", "--format", "json", all});
    const auto document = parse_json(about.out);
    EXPECT_EQ(document["inputs"][0]["machines"].Size(), machines);
    EXPECT_EQ(document["inputs"][0]["languages"].Size(), 1U);
}

/// Checks that small files whose tables need much memory, one array element for each index up to theirs, are read up to
/// the limit for all tables together.
TEST(ManyTitles, AreReadUpToTheirLimit) {
    const TempFolder folder;
    for (int i = 0; i < 1000; ++i)
        std::ignore = folder.write("all/counter-" + std::to_string(i) + ".txt", "32766\nt" + std::to_string(i) + "\n");
    const Result result = titles({"list", folder.path("all")});
    EXPECT_EQ(result.exit, 1) << result.err.substr(0, 500);
    EXPECT_THAT(result.err, HasSubstr("larger than its size limit"));
    EXPECT_LT(result.peak_kib, std::max(most_kib / 2, peak_memory_kib() + 1024));
}

/// Checks that the names of the counters of one object, long and often repeated, are not held in memory.
TEST_F(CaptureCli, LongNamesOfManyCountersAreNotHeld) {
    constexpr std::size_t counters = 500, length = 500'000;
    blob::Object object{.title = 900};
    for (std::size_t i = 0; i < counters; ++i) object.counters.push_back({.title = 902});
    object.values.assign(counters, 7);
    const std::string file = folder_.write("x.bin", to_text(blob::build({.objects = {object}})));
    const std::string names = folder_.write("counter-009.txt", "900\no\n902\n" + std::string(length, '"') + "\n");
    for (const char* format : {"json", "jsonl", "csv"}) {
        const Result result =
            run({.arguments = {"dump", file, "--titles", names, "--format", format}, .output = "/dev/null"});
        EXPECT_THAT(result.exit, AnyOf(0, 1)) << result.err.substr(0, 500);
        EXPECT_LT(result.peak_kib, std::max(most_kib / 4, peak_memory_kib() + 1024)) << format;
    }
}

/// Returns the least processor time of a few runs, each of which must end with an exit code.
double least_seconds(const std::vector<std::string>& arguments, int exit) {
    constexpr int runs = 3;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < runs; ++i) {
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, exit) << result.err.substr(0, 500);
        least = std::min(least, result.processor_seconds);
    }
    return least;
}

/// Checks that four times as many words take about four times as long, not sixteen times, on a machine of any speed.
TEST(SettingsFile, IsReadInLinearTime) {
    const TempFolder folder;
    const auto settings = [&folder](int count, bool is_list) {
        std::string text = is_list ? "no/such/log -c" : "no/such/log";
        for (int i = 0; i < count; ++i) {
            if (!is_list) text += " -c";
            text += R"( "\Process(p)" + std::to_string(i) + R"()\ID Process")";
        }
        return folder.write("settings", text + " -f csv -o " + folder.path("x.csv") + " -y");
    };
    for (const bool is_list : {true, false}) {
        const double few = least_seconds({"relog", "-config", settings(25'000, is_list)}, 3);
        const double many = least_seconds({"relog", "-config", settings(100'000, is_list)}, 3);
        EXPECT_LT(many, 8 * few);
    }
}

/// Checks that long lists of words have the meaning of short ones: values of an option, words of no option, and words
/// after `--`, which may begin with a dash.
TEST(SettingsFile, LongListsMeanWhatShortOnesDo) {
    const TempFolder folder;
    std::string files, many;
    for (int i = 0; i < 300; ++i) many += " missing" + std::to_string(i);
    const Result result = run({"relog", "-config", folder.write("a", "-q" + many)});
    EXPECT_THAT(result.err, AllOf(HasSubstr("missing0: "), HasSubstr("\n295 more: error cannot_read")))
        << result.err.substr(0, 500);
    std::vector<std::string> arguments{"dump", "--format", "csv", "--"};
    for (int i = 0; i < 300; ++i) arguments.push_back("-missing" + std::to_string(i));
    const Result after = run(arguments);
    EXPECT_EQ(after.exit, 3);
    EXPECT_THAT(after.err, HasSubstr("\n295 more: error cannot_read")) << after.err.substr(0, 500);
    arguments = {"dump", "--format", "csv"};
    for (int i = 0; i < 300; ++i) arguments.insert(arguments.end(), {"--object", std::to_string(2 + i)});
    arguments.emplace_back("--unknown");
    const Result unknown = run(arguments);
    EXPECT_EQ(unknown.exit, 2);
    EXPECT_THAT(unknown.err, HasSubstr("--unknown"));
}

#ifndef _WIN32
/// The subcommands that read an input to its end, given as a word for a shell.
const std::vector<std::string> readers{"dump --format csv",
                                       "info",
                                       "replay --format csv",
                                       "top",
                                       "check",
                                       "map",
                                       "report -o out.html",
                                       "capture -o out.mcap",
                                       "compare %",
                                       "relog",
                                       "titles list",
                                       "map --format json"};

/// Checks that an endless input ends with a message, after a bounded number of bytes in memory. Only a limit ends it.
void expect_end(const std::string& input, bool is_pipe) {
    const TempFolder folder;
    for (std::string reader : readers) {
        if (is_pipe && (reader.contains('%') || reader.starts_with("titles"))) continue;  // these take files alone
        if (const auto at = reader.find('%'); at != std::string::npos) reader.replace(at, 1, input);
        const std::string command = '\'' + std::string(command_file) + "' " + reader;
        const std::string line = is_pipe ? input + " | " + command + " -" : command + ' ' + input;
        const Result result =
            run({.arguments = {"-c", line + "; exit $?"}, .directory = folder.path(""), .program = "/bin/sh"});
        EXPECT_THAT(result.exit, AnyOf(1, 3)) << line << ": " << result.err;
        EXPECT_THAT(result.out + result.err, HasSubstr("limit")) << line;
        EXPECT_LT(result.peak_kib, most_kib_of_much) << line;
    }
}

TEST(EndlessInput, EndsAfterADocumentedLimit) { expect_end("/dev/zero", false); }

TEST(EndlessInput, EndsAfterAValidBlockToo) {
    const TempFolder folder;
    const blob::Block block{.objects = {{.title = 900, .counters = {{.title = 902}}, .values = {1}}}};
    const std::string file = folder.write("block", to_text(blob::build(block)));
    expect_end("cat '" + file + "' /dev/zero", true);
}

TEST(EndlessInput, MapOfBlocksWithoutEndEnds) {
    const TempFolder folder;
    const blob::Block block{.objects = {{.title = 900, .counters = {{.title = 902}}, .values = {1}}}};
    std::string blocks;
    while (blocks.size() < std::size_t{1} << 20) blocks += to_text(blob::build(block));
    const std::string line =
        "while cat '" + folder.write("blocks", blocks) + "'; do :; done 2>/dev/null | '" + command_file + "' map -";
    const Result result = run({.arguments = {"-c", line}, .program = "/bin/sh"});
    EXPECT_EQ(result.exit, 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr("limit"));
    EXPECT_LT(result.peak_kib, most_kib_of_much);
}
#endif

class RealSeries : public SharedDir {
  protected:
    const std::string series_ = path("data/found/series_names_8k.mcap");
};

/// A capture of 8.6 KB has a million series: each subcommand that keeps them stays within the bounds of hostile inputs,
/// with 2 s for each time that it reads the capture.
TEST_F(RealSeries, AMillionInASmallCapture) {
    const TempFolder folder;
    const std::string page = folder.path("page.html");
    const std::vector<std::vector<std::string>> all{{"report", series_, "-o", page},
                                                    {"report", series_, "--baseline", series_, "-o", page},
                                                    {"compare", series_, series_},
                                                    {"check", "--rules", "windows", series_}};
    for (const auto& arguments : all) {
        constexpr int runs = 3;
        const double most = most_seconds * static_cast<double>(std::ranges::count(arguments, series_));
        double seconds = std::numeric_limits<double>::infinity();  // of the fastest run: others wait for memory too
        for (int i = 0; i < runs && seconds >= most; ++i) {
            const Result result = run(arguments);
            EXPECT_LT(result.peak_kib, most_kib_of_much) << arguments.front() << arguments.size();
            seconds = std::min(seconds, result.processor_seconds);
        }
        EXPECT_LT(seconds, most) << arguments.front() << arguments.size();
    }
}

}  // namespace growth_cli_test
}  // namespace hkpd_test
