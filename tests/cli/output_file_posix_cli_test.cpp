// `-o FILE`: signals, devices, links and permissions of POSIX systems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/machine.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace output_file_posix_cli_test {

namespace fs = std::filesystem;

const std::string demo = std::string(testdata_folder) + "/captures/demo.mcap";

class OutputFilePosixCli : public testing::Test {
  protected:
    std::size_t count_files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
    }

    TempFolder folder_;
    std::string path_ = folder_.write("out", "old");
};

TEST_F(OutputFilePosixCli, StandardOutputIsNeverAnInput) {
    const std::string text = read_file(demo);
    for (const std::string subcommand : {"dump", "replay", "top", "report", "check", "compare", "map", "capture",
                                         "info", "titles list", "relog -q", "replay --format pdh-csv"}) {
        const std::string input = folder_.write("in.mcap", text), redirected = subcommand + " '" + input + "'";
        const std::string last = subcommand == "capture" || subcommand == "report" ? " -o -" : "";
        for (const std::string& command :
             {redirected + last + " >> '" + input + "'", redirected + last + " 1<> '" + input + "'",
              subcommand + " -" + last + " < '" + input + "' >> '" + input + "'"}) {
            if (subcommand.ends_with("list") && command.find(" -") != std::string::npos) continue;
            const Result result =
                run({.arguments = {"-c", "'" + std::string(command_file) + "' " + command}, .program = "/bin/sh"});
            EXPECT_EQ(result.exit, 2) << command << result.err;
            EXPECT_THAT(result.err, testing::HasSubstr("standard output is '")) << command;
            EXPECT_EQ(read_file(input), text) << command;
        }
    }
    // Through a descriptor, too.
    const std::string input = folder_.write("in.mcap", text);
    for (const std::string option : {"-o", "--textfile"}) {
        const Result result = run({.arguments = {"-c", "'" + std::string(command_file) + "' replay '" + input + "' " +
                                                           option + " /dev/fd/7 7<> '" + input + "'"},
                                   .program = "/bin/sh"});
        EXPECT_EQ(result.exit, 2) << result.err;
        EXPECT_EQ(read_file(input), text);
    }
    // A folder is read whole, with the file that the shell has just made in it.
    const Result folder = run({.arguments = {"-c", "'" + std::string(command_file) + "' dump '" + folder_.path() +
                                                       "' > '" + folder_.path("list") + "'"},
                               .program = "/bin/sh"});
    EXPECT_EQ(folder.exit, 0) << folder.err;
}

TEST_F(OutputFilePosixCli, CtrlCRemovesThePart) {
    for (const std::string subcommand_format : {"csv", "pdh-csv"}) {
        const Result result = run_and_interrupt(
            {.arguments = {"replay", demo, "--speed", "0.001", "--format", subcommand_format, "-o", path_}},
            [&](const Result&) { return count_files() == 2; });
        EXPECT_EQ(result.exit, 128 + 2) << "as without a handler";
        EXPECT_EQ(read_file(path_), "old");
        EXPECT_EQ(count_files(), 1U);
    }
}

/// A live run has no other end, so Ctrl-C completes its file.
TEST_F(OutputFilePosixCli, CtrlCCompletesALiveRun) {
    const auto begun = std::chrono::steady_clock::now();
    const Result result = run_and_interrupt(
        {.arguments = {"replay", "--live", "--simulate", "--interval", "0.1", "--path", R"(\System\Processes)",
                       "--format", "timeline", "-o", path_}},
        [&](const Result&) {
            return count_files() == 2 && std::chrono::steady_clock::now() - begun > std::chrono::seconds(1);
        });
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_GT(lines(read_file(path_)).size(), 4U);
    EXPECT_EQ(count_files(), 1U);
}

TEST_F(OutputFilePosixCli, LinksAndPermissionsStay) {
    if (is_skipped(missing_links())) return;
    ASSERT_EQ(chmod(path_.c_str(), 0640), 0);
    fs::create_symlink("out", folder_.path("link"));
    EXPECT_EQ(run({"titles", "find", "System", "-o", folder_.path("link")}).exit, 0);
    EXPECT_TRUE(fs::is_symlink(folder_.path("link")));
    EXPECT_NE(read_file(path_), "old");
    EXPECT_EQ(fs::status(path_).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(OutputFilePosixCli, DevicesAreWrittenNotReplaced) {
    if (is_skipped(missing_full_device())) return;
    EXPECT_EQ(run({"dump", demo, "-o", "/dev/null"}).exit, 0);
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    const Result full = run({"dump", demo, "-o", "/dev/full"});
    EXPECT_EQ(full.exit, 3);
    EXPECT_THAT(full.err, testing::HasSubstr("hkpd dump: '/dev/full' cannot be written: No space left on device"));
}

}  // namespace output_file_posix_cli_test
}  // namespace hkpd_test
