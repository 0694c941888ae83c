// Live reading where there are no counters, and Ctrl-C: a shell's command sends it, so that this is for POSIX alone.
// Windows has tests/live/wine.sh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "capture_cli.hpp"
#include "support/places.hpp"

namespace hkpd_test {
namespace {

using testing::HasSubstr;

class InterruptCli : public CaptureCli {
  protected:
    /// Ends by Ctrl-C after so many seconds, with the exit code of the program.
    static Result interrupted(const std::string& seconds, std::vector<std::string> arguments) {
        std::vector<std::string> all{"timeout", "--foreground", "--preserve-status", "-s",
                                     "INT",     seconds,        command_file};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return run({.arguments = std::move(all), .program = "/usr/bin/env"});
    }
};

TEST_F(InterruptCli, CtrlCEndsACaptureThatIsWhole) {
    const std::string path = folder_.path("run.mcap");
    const Result result =
        interrupted("0.7", {"capture", "--live", "--simulate", "--v1", "--interval", "0.1", "-o", path});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr(" ms each\nhkpd itself: "));
    const Result info = capture({"--info", path});
    EXPECT_THAT(info.out, HasSubstr("finished, with index"));
    EXPECT_GE(sample_times(path).size(), 3U);
    EXPECT_LE(sample_times(path).size(), 8U);
}

TEST_F(InterruptCli, CtrlCEndsAReplay) {
    const Result result = interrupted("0.5", {"replay", "--live", "--simulate", "--interval", "0.1", "--format", "csv",
                                              "--path", R"(\System\Processes)"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_GE(lines(result.out).size(), 3U);
}

TEST_F(InterruptCli, ASystemWithoutCountersSaysSo) {
    const std::string path = folder_.path("x.mcap");
    for (std::vector<std::string> arguments : {std::vector<std::string>{"dump"},
                                               {"replay"},
                                               {"compare"},
                                               {"capture", "-o", path},
                                               {"capture", "--v2", "-o", path}}) {
        arguments.emplace_back("--live");
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 3) << arguments.front();
        EXPECT_THAT(result.err, HasSubstr("live counters are had on Windows alone"));
    }
    EXPECT_EQ(run({"capture", "--machine", "\\\\nowhere", "-o", path}).exit, 3);
    EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace hkpd_test
