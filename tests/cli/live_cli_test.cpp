// Live reading, on a system without counters of its own: the simulated machine in real time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "capture_cli.hpp"

namespace hkpd_test {
namespace live_cli_test {

using testing::HasSubstr;

class LiveCli : public CaptureCli {
  protected:
    static Result replay(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "replay");
        return run(std::move(arguments));
    }
};

TEST_F(LiveCli, TicksAreRegularAndCounted) {
    const auto begun = std::chrono::steady_clock::now();
    const std::string path = folder_.path("run.mcap");
    const Result result = capture(
        {"--live", "--simulate", "--object", "System", "--interval", "0.05", "--count", "11", "--v1", "-o", path});
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("11 samples in "));
    EXPECT_GE(passed.count(), 0.5);
    const auto times = sample_times(path);
    ASSERT_EQ(times.size(), 11U);
    EXPECT_EQ(times.front(), "2026-01-01T00:00:00.000Z");
}

TEST_F(LiveCli, ADurationEndsIt) {
    const Result result = replay(
        {"--simulate", "--interval", "2", "--duration", "9", "--format", "csv", "--path", R"(\System\Processes)"});
    EXPECT_EQ(sample_times(result).size(), 5U) << result.err;  // at 0, 2, 4, 6 and 8 seconds
    EXPECT_EQ(result.exit, 0);
}

TEST_F(LiveCli, OnlyObjectsThatFiltersNeedAreRequested) {
    const std::string path = folder_.path("run.mcap");
    for (const auto& [asked, objects] :
         std::vector<std::pair<std::vector<std::string>, std::string>>{{{"--object", "Processor"}, "1 object,"},
                                                                       {{"--object", "2"}, "1 object,"},
                                                                       {{"--query", "2 238"}, "2 objects,"},
                                                                       // The parents of its instances too.
                                                                       {{"--object", "Thread"}, "2 objects,"}}) {
        std::vector<std::string> arguments{"--simulate", "--v1", "-o", path};
        arguments.insert(arguments.end(), asked.begin(), asked.end());
        EXPECT_EQ(capture(arguments).exit, 0);
        EXPECT_THAT(dump({path}).out, HasSubstr(objects)) << asked.back();
    }
    EXPECT_EQ(capture({"--simulate", "--v2", "--object", "Geo*", "-o", path}).exit, 0);
    EXPECT_THAT(capture({"--info", path}).out, HasSubstr("(1 counterset)"));
    const Result paths = dump({"--simulate", "--path", R"(\Processor(_Total)\% User Time)"});
    EXPECT_THAT(paths.out, HasSubstr("1 object, raw values, names: counter-009 (language 009)"));
}

TEST_F(LiveCli, ComparesTheInterfacesOfAMachine) {
    const Result result = run({"compare", "--simulate"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("76 counters agree, 0 differ"));
    EXPECT_THAT(result.out, HasSubstr("microseconds to collect a sample of SIMULATED: "));
}

TEST_F(LiveCli, DumpShowsOneSampleOfTheChosenInterface) {
    for (const auto& [source, word] :
         {std::pair("v1", "raw values, names: counter-009"), std::pair("v2", "V2 (PerfLib)")}) {
        const Result result = dump({"--simulate", "--source", source});
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_THAT(result.out, HasSubstr(word));
        EXPECT_EQ(result.out.find("machine "), result.out.rfind("machine SIMULATED"));
    }
}

TEST_F(LiveCli, OptionsThatDoNotFit) {
    const std::string path = folder_.path("x.mcap");
    const std::vector<std::pair<std::vector<std::string>, const char*>> wrong{
        {{"capture", "--simulate", "--v1", "--both", "-o", path}, "--v1, --v2 and --both cannot be combined"},
        {{"capture", "--simulate", "--perflib", "a.dll", "-o", path}, "--perflib and --simulate cannot be combined"},
        {{"capture", "--simulate", "--interval", "0", "-o", path}, "--interval: expected seconds"},
        {{"capture", "--simulate", "--duration", "x", "-o", path}, "--duration: expected seconds"},
        {{"capture", "--object", "X", "--from", "x", "-o", path}, "require --live or --simulate"},
        {{"capture", "--query", "Global", "--from", "x", "-o", path}, "require --live or --simulate"},
        {{"dump", "--simulate", path}, "a machine and files cannot be combined"},
        {{"replay", "--duration", "3", path}, "require --live or --simulate"},
        {{"replay", "--simulate", "--speed", "3"}, "--interval for a machine"},
        {{"dump"}, "or --live on Windows"}};
    for (const auto& [arguments, text] : wrong) {
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 2) << text;
        EXPECT_THAT(result.err, HasSubstr(text));
    }
}

}  // namespace live_cli_test
}  // namespace hkpd_test
