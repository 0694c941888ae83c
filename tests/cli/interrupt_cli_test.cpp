// Live reading without counters, and Ctrl-C: a signal, so only for POSIX. Windows has tests/systems/wine/wine.sh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "capture_cli.hpp"
#include "support/places.hpp"

namespace hkpd_test {
namespace interrupt_cli_test {

using testing::HasSubstr;

class InterruptCli : public CaptureCli {
  protected:
    /// Runs until it has shown enough, and then until Ctrl-C has ended it. The command abandons a source that does not
    /// end within half a second, with a message, whether it hangs or is not scheduled on a busy machine. A source that
    /// hangs would do so every time, so the run is repeated after this message.
    static Result interrupted(const std::vector<std::string>& arguments,
                              const std::function<bool(const Result&)>& has_shown_enough) {
        Result result;
        for (int attempt = 0; attempt < 3; ++attempt) {
            result = run_and_interrupt({.arguments = arguments}, has_shown_enough);
            if (result.err.find("did not return and was abandoned") == std::string::npos) break;
        }
        return result;
    }
    /// Makes a capture with an interval of 0.1 s, interrupted when it has shown enough.
    void expect_complete(const std::vector<std::string>& options, std::size_t least,
                         const std::function<bool(const Result&)>& has_shown_enough) const {
        std::vector<std::string> arguments{"capture", "--live", "--simulate", "--v1", "--interval", "0.1", "-o", path_};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto begun = std::chrono::steady_clock::now();
        const Result result = interrupted(arguments, has_shown_enough);
        const auto passed = std::chrono::steady_clock::now() - begun;
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_THAT(result.err, HasSubstr(" ms each\nhkpd itself: "));
        const Result info = capture({"--info", path_});
        EXPECT_THAT(info.out, HasSubstr("finished, with index"));
        const std::size_t samples = sample_times(path_).size();
        EXPECT_GE(samples, least);
        EXPECT_LE(samples, static_cast<std::size_t>(passed / std::chrono::milliseconds(100)) + 1);
    }

    std::string path_ = folder_.path("run.mcap");
};

TEST_F(InterruptCli, CtrlCEndsACaptureThatIsComplete) {
    expect_complete({"--flush", "0"}, 3, [this](const Result&) { return sample_times(path_).size() >= 3; });
}

/// Samples that are not in the file yet are written at the end: some have most likely come since the first ones were
/// seen there.
TEST_F(InterruptCli, CtrlCWritesPendingSamples) {
    int looks = 0;
    expect_complete({"--flush", "0.25"}, 3, [&](const Result&) {
        if (sample_times(path_).empty()) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        return ++looks > 1;
    });
}

TEST_F(InterruptCli, CtrlCEndsAReplay) {
    const Result result = interrupted(
        {"replay", "--live", "--simulate", "--interval", "0.1", "--format", "csv", "--path", R"(\System\Processes)"},
        [](const Result& so_far) { return lines(so_far.out).size() >= 3; });
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_GE(lines(result.out).size(), 3U);
}

TEST_F(InterruptCli, ASystemWithoutCountersIsReported) {
    const std::string path = folder_.path("x.mcap");
    for (std::vector<std::string> arguments : {std::vector<std::string>{"dump"},
                                               {"replay"},
                                               {"compare"},
                                               {"capture", "-o", path},
                                               {"capture", "--v2", "-o", path}}) {
        arguments.emplace_back("--live");
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 3) << arguments.front();
        EXPECT_THAT(result.err, HasSubstr("live counters are available on Windows only"));
    }
    EXPECT_EQ(run({"capture", "--machine", "\\\\nowhere", "-o", path}).exit, 3);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(InterruptCli, LiveTopAppendsTablesUntilThen) {
    const std::vector<std::string> live{"top", "--simulate", "--live", "--interval", "0.1", "--top", "2"};
    const Result result =
        interrupted(live, [](const Result& shown) { return shown.out.find("\n\n") != std::string::npos; });
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, testing::StartsWith("machine SIMULATED, 1 sample, 20"));
    EXPECT_THAT(result.out, testing::HasSubstr("\n2 of 40 processes by processor time\n"));
    EXPECT_THAT(result.out, testing::Not(testing::HasSubstr("\x1B")));
    // With a number of samples, there is one table of all.
    std::vector<std::string> counted = live;
    counted.insert(counted.end(), {"--count", "3"});
    EXPECT_THAT(run(counted).out, testing::StartsWith("machine SIMULATED, 3 samples, 20"));
}

}  // namespace interrupt_cli_test
}  // namespace hkpd_test
