// `-o FILE` of every subcommand that writes text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
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

TEST_F(OutputFileCli, AnInputIsNeverOverwritten) {
    const std::string input = folder_.write("in.bin", read_file(demo));
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"dump", input},
             {"replay", input},
             {"check", input},
             {"compare", input},
             {"map", input},
             {"titles", "list", input},
             {"dump", demo, "--titles", input},
             {"check", "--services", input, demo},
             {"replay", demo, "-cf", folder_.write("in.txt", R"(\System\Processes)")}}) {
        std::vector<std::string> arguments = command;
        const std::string target = command.size() > 3 && command[2] == "-cf" ? command[3] : input;
        const std::string before = read_file(target);
        arguments.insert(arguments.end(), {"-o", target});
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 2) << testing::PrintToString(command);
        EXPECT_THAT(result.err, HasSubstr("is an input and would be overwritten"));
        EXPECT_EQ(read_file(target), before);
    }
}

TEST_F(OutputFileCli, OptionsThatDoNotFit) {
    const Result result = run({"replay", demo, "--textfile", folder_.path("x.prom"), "-o", path_});
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, HasSubstr("--output and --textfile cannot be combined"));
}

}  // namespace output_file_cli_test
}  // namespace hkpd_test
