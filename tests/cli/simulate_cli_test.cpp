// `hkpd capture --simulate`: a capture of both interfaces on any machine, and V2 files from and into captures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "capture_cli.hpp"

namespace hkpd_test {
namespace simulate_cli_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// Returns the files of a folder with this extension, by name.
std::vector<std::string> files_of(const fs::path& folder, const std::string& extension) {
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == extension) paths.push_back(hkpd::path_text(entry.path()));
    std::ranges::sort(paths);
    return paths;
}

std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder))
        all[hkpd::path_text(entry.path().filename())] = read_file(entry.path());
    return all;
}

class SimulateCli : public CaptureCli {
  protected:
    std::string simulated(std::string_view name, std::vector<std::string> options) const {
        const std::string path = folder_.path(name);
        options.insert(options.end(), {"--simulate", "-o", path});
        const Result result = capture(options);
        EXPECT_EQ(result.exit, 0) << result.err;
        return path;
    }
    std::map<std::string, std::string> exported(const std::string& path, std::string_view name) const {
        const Result result = capture({"--export", folder_.path(name), path});
        EXPECT_EQ(result.exit, 0) << result.err;
        auto files = contents(folder_.path(name));
        EXPECT_EQ(files.erase("manifest.jsonl"), 1U);  // states how long collecting took
        return files;
    }
};

TEST_F(SimulateCli, RecordsBothInterfaces) {
    const std::string path = simulated("run.mcap", {"--count", "3", "--interval", "2", "--seed", "7", "--cpus", "2"});
    const Result info = capture({"--info", path});
    for (const char* part :
         {"from         2026-01-01T00:00:00.000Z\nto           2026-01-01T00:00:04.000Z\n",
          "source     simulated machine", "seed       7", "cpus       2", "count      3", "interval   2",
          "metadata collection", "v1_samples     3", "v2_samples     3", "v2_nanoseconds ",
          "3  x-hkpd-v1               v1/SIMULATED", "3  x-hkpd-v2               v2/SIMULATED",
          "3  x-hkpd-v2-query         v2-query/SIMULATED", "v2-registration/SIMULATED (3 countersets)\n"})
        EXPECT_THAT(info.out, HasSubstr(part));
    EXPECT_EQ(info.err, "");
    EXPECT_EQ(info.exit, 0);
}

TEST_F(SimulateCli, IsTheSameForTheSameOptions) {
    const auto a = exported(simulated("a.mcap", {"--count", "2"}), "a"),
               b = exported(simulated("b.mcap", {"--count", "2", "--interval", "1.0", "--seed", "1"}), "b"),
               c = exported(simulated("c.mcap", {"--count", "2", "--seed", "2"}), "c");
    EXPECT_EQ(a, b);
    EXPECT_NE(a, c);
}

TEST_F(SimulateCli, HasAName) {
    for (const std::string name : {"WEB01", "\\\\WEB01"}) {
        const std::string path = simulated("run.mcap", {"--machine", name});
        EXPECT_THAT(capture({"--info", path}).out, HasSubstr("v1/WEB01"));
    }
    EXPECT_THAT(capture({"--info", simulated("run.mcap", {"--machine", "\\\\"})}).out, HasSubstr("v1/SIMULATED"));
}

TEST_F(SimulateCli, OneInterface) {
    for (const bool first : {true, false}) {
        const std::string path = simulated("run.mcap", {first ? "--v1" : "--v2"});
        const std::string info = capture({"--info", path}).out;
        EXPECT_EQ(info.contains("v1/SIMULATED"), first);
        EXPECT_EQ(info.contains("v2/SIMULATED"), !first);
        EXPECT_EQ(info.contains("v2_bytes"), !first);
    }
}

TEST_F(SimulateCli, IsExportedFromACaptureAndImportedAgain) {
    const std::string path = simulated("run.mcap", {"--count", "4"});
    const auto files = exported(path, "out");
    EXPECT_EQ(files_of(folder_.path("out"), ".bin").size(), 4U);
    const auto blocks = files_of(folder_.path("out"), ".v2"), queries = files_of(folder_.path("out"), ".v2-query"),
               registrations = files_of(folder_.path("out"), ".v2-registration");
    ASSERT_EQ(blocks.size(), 4U);
    ASSERT_EQ(queries.size(), 4U);
    EXPECT_GT(registrations.size(), 10U);
    // A capture from a capture.
    const std::string copy = folder_.path("copy.mcap");
    EXPECT_EQ(capture({path, "-o", copy}).exit, 0);
    EXPECT_EQ(exported(copy, "copy"), files);
    // A capture from bare files: the same but for the numbers in the names.
    std::vector<std::string> arguments{"-o", folder_.path("again.mcap"), "--from-v2"};
    arguments.insert(arguments.end(), blocks.begin(), blocks.end());
    arguments.emplace_back("--identifiers");
    arguments.insert(arguments.end(), queries.begin(), queries.end());
    arguments.emplace_back("--registration");
    arguments.insert(arguments.end(), registrations.begin(), registrations.end());
    const Result again = capture(arguments);
    EXPECT_EQ(again.exit, 0) << again.err;
    EXPECT_EQ(again.err, "");
    exported(folder_.path("again.mcap"), "again");
    for (const char* extension : {".v2", ".v2-query", ".v2-registration"})
        EXPECT_EQ(all_files(folder_.path("again"), extension), all_files(folder_.path("out"), extension));
    EXPECT_EQ(files_of(folder_.path("again"), ".v2-registration").size(), registrations.size());
}

TEST_F(SimulateCli, IntervalsBelowASecondCauseAWarning) {
    for (const std::vector<std::string>& interface_options : {std::vector<std::string>{"--v1"}, {"--v2"}, {}}) {
        std::vector<std::string> options{"--simulate", "--count", "3", "--interval", "0.5", "-o", folder_.path("run")};
        options.insert(options.end(), interface_options.begin(), interface_options.end());
        const Result result = capture(options);
        EXPECT_EQ(result.exit, 0);
        EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
        EXPECT_THAT(result.err, HasSubstr("more often than once per second"));
        EXPECT_THAT(result.err, HasSubstr("warning"));
        options[4] = "1";
        EXPECT_EQ(capture(options).err, "");
    }
}

TEST_F(SimulateCli, OptionsWithoutEffectAreRefused) {
    const std::string path = made("run.mcap", demo_blobs(1)), out = folder_.path("x.mcap");
    for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{{"--count", "3"},
                                                                                       {"--interval", "3"},
                                                                                       {"--seed", "3"},
                                                                                       {"--processes", "3"},
                                                                                       {"--threads", "3"},
                                                                                       {"--cpus", "3"},
                                                                                       {"--v1"},
                                                                                       {"--v2"}}) {
        std::vector<std::string> making{"--from", path, "-o", out}, listing{"--info", path};
        making.insert(making.end(), wrong.begin(), wrong.end());
        listing.insert(listing.end(), wrong.begin(), wrong.end());
        for (const auto& arguments : {making, listing}) {
            const Result result = capture(arguments);
            EXPECT_EQ(result.exit, 2);
            EXPECT_THAT(result.err, HasSubstr(" require "));
        }
    }
    const std::vector<std::vector<std::string>> more{{"--simulate"},
                                                     {"--simulate", "--from", path, "-o", out},
                                                     {"--simulate", "--from-v2", path, "-o", out},
                                                     {"--simulate", "--info", path},
                                                     {"--identifiers", path, "--from", path, "-o", out},
                                                     {"--identifiers", path, "--info", path},
                                                     {"--simulate", "-o", out, "--count", "0"},
                                                     {"--simulate", "-o", out, "--count", "100000001"},
                                                     {"--simulate", "-o", out, "--count", "1x"},
                                                     {"--simulate", "-o", out, "--interval", "0"},
                                                     {"--simulate", "-o", out, "--interval", "-1"},
                                                     {"--simulate", "-o", out, "--interval", "1e7"},
                                                     {"--simulate", "-o", out, "--interval", "nan"},
                                                     {"--simulate", "-o", out, "--seed", "-1"},
                                                     {"--simulate", "-o", out, "--cpus", "0"},
                                                     {"--simulate", "-o", out, "--cpus", "5000"},
                                                     {"--simulate", "-o", out, "--processes", "1000000"},
                                                     {"--simulate", "-o", out, "--threads", "9999999999999999999999"},
                                                     {"--simulate", "-o", out, "--processes", "50", "--threads", "49"}};
    for (const auto& arguments : more) EXPECT_EQ(capture(arguments).exit, 2) << testing::PrintToString(arguments);
    EXPECT_FALSE(fs::exists(out));
    // More processes than the default number of threads.
    EXPECT_EQ(capture({"--simulate", "--processes", "400", "-o", out}).exit, 0);
}

TEST_F(SimulateCli, TitlesAndNotesAreIncluded) {
    const std::string table = folder_.write("mine.txt", "2\nSystem\n");
    const std::string path = simulated("run.mcap", {"--titles", table, "--meta", "why=test"});
    EXPECT_THAT(capture({"--info", path}).out, HasSubstr("why        test"));
    EXPECT_TRUE(exported(path, "out").contains("titles-mine.txt"));
}

}  // namespace simulate_cli_test
}  // namespace hkpd_test
