// Outputs that another process removes, replaces or cuts while they are written: what is lost is an error, and is never
// reported as written. POSIX: on Windows, the system itself does not let others change such a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"
#include "support/waiting.hpp"

namespace hkpd_test {
namespace lost_output_posix_cli_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Strings = std::vector<std::string>;

const std::string demo = std::string(testdata_folder) + "/captures/demo.mcap";

class LostOutput : public testing::Test {
  protected:
    /// Returns the file in which a run with the output `path_` collects its data; empty if there is none yet.
    std::string growing() const {
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            const std::string name = entry.path().filename();
            if (name.starts_with("out") && (name != "out" || !replaces_)) return entry.path();
        }
        return {};
    }

    /// Runs the command, and changes its file once it is there.
    Result run_with(const Strings& arguments, const std::function<void(const std::string& file)>& change) {
        auto running = std::async(std::launch::async, [&] { return run(arguments); });
        wait_until([&] { return !growing().empty(); }, "the command writes its output");
        change(growing());
        return running.get();
    }

    TempFolder folder_;
    const std::string path_ = folder_.path("out");
    bool replaces_ = false;
};

TEST_F(LostOutput, IsAnErrorInEverySubcommandThatWritesOverTime) {
    const std::vector<std::pair<std::string, std::function<void(const std::string&)>>> changes{
        {"removed", [](const std::string& file) { fs::remove(file); }},
        {"replaced",
         [this](const std::string& file) { fs::rename(folder_.write("other", "of another process"), file); }},
        {"cut", [](const std::string& file) { fs::resize_file(file, 1); }},
    };
    const Strings live{"--live", "--simulate", "--interval", "0.05", "--count", "20"};
    const std::vector<Strings> commands{
        {"capture", "--flush", "0", "-o", path_},
        {"replay", "--format", "jsonl", "-o", path_},
        {"dump", "-o", path_},
        {"replay", "--format", "pdh-csv", "--path", R"(\System\Threads)", "-o", path_},
    };
    for (const bool exists : {false, true})
        for (const auto& [what, change] : changes)
            for (Strings command : commands) {
                SCOPED_TRACE(what + ": " + command.front() + (exists ? " over a file" : ""));
                // A text that is cut and then continued has the length that was written again.
                if (what == "cut" && command.front() != "capture") continue;
                fs::remove(path_);
                replaces_ = exists;
                if (exists) folder_.write("out", "old");
                command.insert(command.end(), live.begin(), live.end());
                const Result result = run_with(command, change);
                EXPECT_EQ(result.exit, 3) << result.err;
                EXPECT_THAT(result.err, HasSubstr("another process has removed, replaced or changed it"));
                EXPECT_THAT(result.err, testing::Not(HasSubstr(" samples of both")));
                EXPECT_EQ(exists ? read_file(path_) : "old", "old");
                for (const auto& entry : fs::directory_iterator(folder_.path())) {
                    const bool is_other = what == "replaced" && entry.path().filename() != (exists ? "out" : "");
                    EXPECT_EQ(is_other ? read_file(entry.path()) : "of another process", "of another process");
                    fs::remove(entry.path());
                }
            }
}

TEST_F(LostOutput, OneCaptureAtATimeWritesAFile) {
    for (const bool exists : {false, true}) {
        SCOPED_TRACE(exists);
        replaces_ = exists;
        if (exists) run({"capture", demo, "-o", path_});
        Result second;
        const Result first = run_with(
            {"capture", "--live", "--simulate", "--interval", "0.05", "--count", "20", "--flush", "0", "-o", path_},
            [&](const std::string&) { second = run({"capture", demo, "-o", path_}); });
        EXPECT_EQ(second.exit, 3);
        EXPECT_THAT(second.err, HasSubstr("another process is writing"));
        EXPECT_EQ(first.exit, 0) << first.err;
        EXPECT_THAT(first.err, HasSubstr("40 samples"));
        EXPECT_THAT(run({"info", path_}).out, HasSubstr("40"));
    }
}

}  // namespace lost_output_posix_cli_test
}  // namespace hkpd_test
