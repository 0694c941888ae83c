// The command on the inputs of `data/found`, each of which once showed a fault.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/places.hpp"
#include "support/processor_time.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace found_cli_test {

class FoundInputs : public SharedDir {
  protected:
    std::string found(const std::string& name) const { return path("data/found/" + name); }
    const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";
    static std::string demo_capture(const TempFolder& folder) {
        const std::string path = folder.path("demo.mcap");
        EXPECT_EQ(run({"capture", "--simulate", "--count", "3", "-o", path}).exit, 0);
        return path;
    }
    std::string content(const std::string& name) const { return read_file(found(name)); }
};

/// Checks that a capture gives the same from a file as from a pipe, wherever it is read from.
TEST_F(FoundInputs, CapturesOfOtherWritersAreReadFromTheMiddle) {
    for (const std::string name : {"mcap-channel-in-first-chunk.mcap", "mcap-sequence-gaps.mcap"})
        for (const std::vector<std::string>& subcommand :
             {std::vector<std::string>{"dump", "--sample", "3"}, {"replay", "--from", "2"}, {"dump"}}) {
            std::vector<std::string> file = subcommand, pipe = subcommand;
            file.push_back(found(name));
            pipe.emplace_back("-");
            const Result of_file = run(file);
            const Result of_pipe = run({.arguments = pipe, .input = content(name)});
            EXPECT_EQ(of_file.exit, 0) << name << of_file.err;
            EXPECT_EQ(of_file.err, "");
            EXPECT_NE(of_file.out, "");
            EXPECT_EQ(of_file.out, of_pipe.out) << name;
        }
}

TEST_F(FoundInputs, OneWrongInstanceLengthIsCorrected) {
    const Result result = dump({"--format", "csv", found("v1-instance-length.bin")});
    EXPECT_EQ(result.exit, 1);
    EXPECT_TRUE(result.err.contains("offset 0xf8: error: PERF_INSTANCE_DEFINITION.ByteLength")) << result.err;
    EXPECT_TRUE(result.err.contains("expected 32, found 56")) << result.err;
    std::string values;
    for (const std::string& line : lines(result.out)) values += line.substr(line.rfind(',') + 1) + " ";
    EXPECT_EQ(values, "raw 1 2 3 4 5 6 ") << result.out;
}

TEST_F(FoundInputs, NamesAreNumberedAsPathsMatchThem) {
    const Result all = run({"replay", "--format", "csv", found("v1-names-case.bin")});
    EXPECT_EQ(all.exit, 0) << all.err;
    EXPECT_TRUE(all.out.contains("\u00C4#1")) << all.out;
}

TEST_F(FoundInputs, NoDirectionMarkReachesPdhCsv) {
    const Result result = run({"replay", "--format", "pdh-csv", found("bidi_marks.bin")});
    EXPECT_NE(result.out, "");
    for (const std::string mark : {"\u200E", "\u200F", "\u061C", "\u200B", "\uFEFF"})
        EXPECT_FALSE(result.out.contains(mark)) << result.out;
}

TEST_F(FoundInputs, PathsAreNoLongerThanPdhAllows) {
    const Result result = run({"replay", demo, "-cf", found("paths_parentheses.cf")});
    EXPECT_EQ(result.exit, 2);
    EXPECT_TRUE(result.err.contains("40006 bytes, and PDH allows 2048 characters")) << result.err;
}

TEST_F(FoundInputs, ExpansionIsLimited) {
    const TempFolder folder;
    for (const std::string name : {"bomb_msgs.mcap", "bomb_blobs.mcap"})
        for (const std::vector<std::string>& subcommand : {std::vector<std::string>{"dump"},
                                                           {"replay", "--summary"},
                                                           {"map"},
                                                           {"check"},
                                                           {"capture", "--info"},
                                                           {"capture", "-o", folder.path("x.mcap")},
                                                           {"capture", "--export", folder.path("out")}}) {
            std::vector<std::string> arguments = subcommand;
            arguments.push_back(found(name));
            const Result result = run(arguments);
            EXPECT_NE(result.exit, 0) << name << subcommand[0];
            EXPECT_TRUE((result.err + result.out).contains("than --limit-expansion still allows"))
                << name << subcommand[0];
            EXPECT_LT(result.out.size(), 1'000'000U);
            std::filesystem::remove_all(folder.path("out"));
        }
    const Result allowed = run({"capture", "--info", "--limit-expansion", "100000", found("bomb_blobs.mcap")});
    EXPECT_EQ(allowed.exit, 0) << allowed.err;
    const Result files = run({"capture", "--export", folder.path("few"), "--limit-files", "2", demo_capture(folder)});
    EXPECT_EQ(files.exit, 1);
    EXPECT_TRUE(files.err.contains("more files than --limit-files allows")) << files.err;
}

/// Checks that names of kilobytes cost no more than the limit, in every format.
TEST_F(FoundInputs, NamesAreLimited) {
    const TempFolder folder;
    for (const std::vector<std::string>& subcommand :
         {std::vector<std::string>{"dump"},
          {"dump", "--format", "jsonl"},
          {"dump", "--format", "csv"},
          {"replay", "--summary"},
          {"replay", "--format", "pdh-csv"},
          {"replay", "--format", "openmetrics"},
          {"replay", "--format", "sqlite", "-o", folder.path("names.db")}}) {
        std::vector<std::string> arguments = subcommand;
        arguments.insert(arguments.end(), {"--limit-names", "16", found("series_names_8k.mcap")});
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 1) << subcommand[0];
        EXPECT_TRUE(result.err.contains("the names in the output take more bytes than --limit-names allows"))
            << result.err;
        if (optimized) {
            EXPECT_LT(result.processor_seconds, 2) << subcommand.back();
        }
    }
}

TEST_F(FoundInputs, ARepeatedIdThatLosesAValueIsAWarning) {
    const Result result = dump({"--v2", found("v2-repeated-id.v2"), "--identifiers", found("v2-repeated-id.v2-query")});
    EXPECT_EQ(result.exit, 0);
    EXPECT_TRUE(
        result.err.contains("warning: PERF_COUNTER_DATA: duplicate counter id, the first counter is used: id 7"))
        << result.err;
}

}  // namespace found_cli_test
}  // namespace hkpd_test
