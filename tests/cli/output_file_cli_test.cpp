// `-o FILE` of every subcommand that writes text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "run_command.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace output_file_cli_test {

using testing::HasSubstr;

const std::string captures = std::string(testdata_folder) + "/captures/";
const std::string demo = captures + "demo.bin", damaged = captures + "damaged.bin", both = captures + "simulated.mcap";

class OutputFileCli : public testing::Test {
  protected:
    /// Returns the names of all files in the folder.
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(hkpd::path_of(folder_.path())))
            names.push_back(hkpd::path_text(entry.path().filename()));
        return names;
    }
    /// Runs with `-o` and expects that the file has this content afterwards, and that no other file is left.
    void expect_file(std::vector<std::string> arguments, int exit, const std::string& content) const {
        const std::string what = testing::PrintToString(arguments);
        arguments.insert(arguments.end(), {"-o", path_});
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, exit) << what << result.err;
        EXPECT_EQ(result.out, "") << what;
        EXPECT_EQ(read_file(path_), content) << what;
        EXPECT_THAT(files(), testing::ElementsAre("out")) << what;
    }

    TempFolder folder_;
    std::string path_ = folder_.write("out", "old");
};

TEST_F(OutputFileCli, HasTheTextOfStandardOutput) {
    std::vector<std::vector<std::string>> commands{{"check", demo},
                                                   {"check", damaged, "--format", "json"},
                                                   {"check", damaged, "--format", "sarif"},
                                                   {"compare", both},
                                                   {"compare", both, "--format", "json"},
                                                   {"map", demo},
                                                   {"map", demo, "--json"},
                                                   {"titles", "list"},
                                                   {"titles", "find", "processor*"},
                                                   {"titles", "export", "--format", "multi_sz"},
                                                   {"replay", demo, "--summary"},
                                                   {"replay", demo, demo, "--format", "csv", "--jobs", "2"},
                                                   {"dump", demo, damaged, "--format", "jsonl", "--jobs", "2"}};
    for (const std::string format : {"table", "json", "jsonl", "csv"})
        commands.push_back({"dump", damaged, "--format", format});
    for (const std::string format : {"table", "timeline", "json", "jsonl", "csv", "pdh-csv", "pdh-tsv", "openmetrics"})
        commands.push_back({"replay", demo, "--format", format});
    for (const std::vector<std::string>& command : commands) {
        const Result direct = run(command);
        EXPECT_NE(direct.out, "");
        expect_file(command, direct.exit, direct.out);
    }
}

TEST_F(OutputFileCli, ADashIsStandardOutput) {
    const Result direct = run({"dump", demo}), dash = run({"dump", demo, "-o", "-"});
    EXPECT_EQ(direct.out, dash.out);
    EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(OutputFileCli, ARunThatFailsLeavesTheOldFile) {
    const std::string empty = folder_.path("missing");
    expect_file({"dump", empty}, 3, "old");
    expect_file({"replay", empty, "--format", "csv"}, 3, "old");
    expect_file({"replay", demo, "--object", "Nothing"}, 2, "old");
    expect_file({"replay", demo, "--from", "2030-01-01"}, 2, "old");
    expect_file({"dump", demo, "--sample", "99"}, 2, "old");
    expect_file({"dump", demo, "--format", "nonsense"}, 2, "old");
    expect_file({"dump", damaged, "--strict"}, 1, "old");
    expect_file({"map", empty}, 3, "old");
    expect_file({"titles", "find", "no such title"}, 2, "old");
    expect_file({"check", empty}, 3, run({"check", empty}).out);
    const Result result = run({"dump", empty, "-o", path_});
    EXPECT_THAT(result.err, HasSubstr("hkpd dump: '" + path_ + "' was not written\n"));
}

TEST_F(OutputFileCli, WhatCannotBeWrittenIsReportedBeforeReading) {
    const std::string inside = folder_.path("no/such/folder/out");
    for (const std::string subcommand : {"dump", "replay", "check", "compare", "map"}) {
        const Result result = run({subcommand, subcommand == "compare" ? both : demo, "-o", inside});
        EXPECT_EQ(result.exit, 3) << subcommand;
        EXPECT_EQ(result.out, "");
        EXPECT_THAT(result.err, HasSubstr("hkpd " + subcommand + ": '" + inside + "' cannot be written: "));
    }
    const Result folder = run({"dump", demo, "-o", folder_.path()});
    EXPECT_EQ(folder.exit, 3);
    EXPECT_THAT(folder.err, HasSubstr("it is a directory"));
}

/// Returns all ways in which a subcommand reads one file and writes another: IN and OUT stand for them.
std::vector<std::vector<std::string>> commands_that_write() {
    std::vector<std::vector<std::string>> all{{"relog", "IN", "-f", "csv", "-y", "-o", "OUT"},
                                              {"relog", "IN", "-f", "csv", "-a", "-o", "OUT"},
                                              {"relog", demo, "IN", "-f", "tsv", "-a", "-o", "OUT"},
                                              {"relog", "IN", "-q", "-y", "-o", "OUT"},
                                              {"relog", demo, "-cf", "IN", "-f", "csv", "-a", "-o", "OUT"},
                                              {"relog", demo, "-config", "IN", "-y", "-o", "OUT"},
                                              {"typeperf", "-cf", "IN", "-y", "-o", "OUT"},
                                              {"typeperf", "-config", "IN", "-y", "-o", "OUT"},
                                              {"replay", "IN", "--textfile", "OUT"},
                                              {"replay", "IN", "--format", "sqlite", "-o", "OUT"},
                                              {"report", demo, "--baseline", "IN", "-o", "OUT"},
                                              {"report", demo, "--rules", "IN", "-o", "OUT"},
                                              {"check", demo, "--rules", "IN", "-o", "OUT"},
                                              {"check", demo, "--services", "IN", "-o", "OUT"},
                                              {"titles", "list", "IN", "-o", "OUT"},
                                              {"titles", "export", "IN", "-o", "OUT"},
                                              {"compare", demo, "IN", "-o", "OUT"}};
    for (const std::string subcommand : {"dump", "replay", "top", "report", "check", "compare", "map", "capture"}) {
        all.push_back({subcommand, "IN", "-o", "OUT"});
        all.push_back({subcommand, demo, "--titles", "IN", "-o", "OUT"});
    }
    for (const std::string subcommand : {"dump", "replay", "top", "report", "compare"})
        all.push_back({subcommand, demo, "-cf", "IN", "-o", "OUT"});
    return all;
}

/// Runs all commands that write, with the same file under two names, and expects that it stays as it is.
void expect_kept(const std::string& input, const std::string& output) {
    for (const std::vector<std::string>& command : commands_that_write()) {
        std::vector<std::string> arguments = command;
        const bool has_settings = command.front() == "relog" && std::ranges::count(command, "-config") != 0;
        const std::string before = has_settings ? "-f csv -i\n" : "\\Memory\\*\n";
        std::ofstream(input, std::ios::binary) << before;
        for (std::string& argument : arguments)
            if (argument == "IN")
                argument = input;
            else if (argument == "OUT")
                argument = output;
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 2) << testing::PrintToString(arguments) << result.err;
        EXPECT_THAT(result.err, HasSubstr("is an input and would be overwritten")) << testing::PrintToString(arguments);
        EXPECT_EQ(result.out, "") << testing::PrintToString(arguments);
        ASSERT_EQ(read_file(input), before) << testing::PrintToString(arguments);
    }
}

TEST_F(OutputFileCli, AnInputIsNeverOverwrittenUnderAnyName) {
    const std::string input = folder_.write("in.csv", ""), hard = folder_.path("hard.csv"),
                      soft = folder_.path("soft.csv");
    expect_kept(input, input);
    expect_kept(input, folder_.path("./in.csv"));
    std::error_code has_no_links;
    std::filesystem::create_hard_link(input, hard, has_no_links);
    if (!has_no_links) {
        expect_kept(input, hard);
        expect_kept(hard, input);
    }
    std::filesystem::create_symlink(input, soft, has_no_links);
    if (!has_no_links) expect_kept(input, soft);
    // On a file system that ignores case.
    if (std::filesystem::exists(folder_.path("IN.CSV"))) expect_kept(input, folder_.path("IN.CSV"));
}

TEST_F(OutputFileCli, OptionsThatDoNotFit) {
    const Result result = run({"replay", demo, "--textfile", folder_.path("x.prom"), "-o", path_});
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, HasSubstr("--output and --textfile cannot be combined"));
}

}  // namespace output_file_cli_test
}  // namespace hkpd_test
