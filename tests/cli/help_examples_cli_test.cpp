// The examples in help: each is run by a shell, in a folder with files of the names that help uses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "run_command.hpp"
#include "support/machine.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"
#include "support/vista_log.hpp"

namespace hkpd_test {
namespace help_examples_cli_test {

using Strings = std::vector<std::string>;

/// Returns the complete commands that a help shows: its lines that begin with two blanks and a command.
Strings examples_in(const std::string& help) {
    Strings found;
    for (const std::string& line : lines(help))
        for (const std::string_view begin : {"  hkpd ", "  source <(hkpd ", "  ln -s "})
            if (line.starts_with(begin)) found.push_back(line.substr(2));
    return found;
}

/// Returns whether an example needs Windows, another shell, or places outside of its folder.
bool is_elsewhere(std::string_view example) {
    const auto has = [example](std::string_view word) { return example.contains(word); };
    const bool reads_machine = has(" --live") || (has("hkpd typeperf") && !has("--simulate"));
    return reads_machine || has("~/") || has("<(") || has("Invoke-Expression") || has("man -l");
}

/// Returns the exit codes that help documents for an example: 1 is damage, findings and differences.
std::set<int> allowed_exits(std::string_view example) {
    const bool finds = example.starts_with("hkpd check ") || example.starts_with("hkpd compare ") ||
                       example.starts_with("hkpd capture truncated.mcap ");
    // The object that this registration names is not in the blob: nothing to compare.
    if (example.starts_with("hkpd compare v1.bin --v2 ")) return {0, 1, 2};
    // Their times are not those of the logs here.
    if (example.contains("--before ")) return {0, 2};
    return finds ? std::set{0, 1} : std::set{0};
}

class HelpExamples : public testing::Test {
  protected:
    void SetUp() override {
#ifdef _WIN32
        GTEST_SKIP() << "the examples are for a POSIX shell";
#endif
        const std::string captures = std::string(testdata_folder) + "/captures/";
        const auto copy = [&](const std::string& from, const std::string& to) {
            folder_.write(to, read_file(captures + from));
        };
        for (const std::string name : {"perf.blg", "before.blg", "after.blg", "mon.blg", "tue.blg", "logs/perf.blg"})
            folder_.write(name, vista_log());
        for (const std::string name : {"block.bin", "blobs/1.bin", "captures/demo.bin"}) copy("demo.bin", name);
        copy("simulated.mcap", "both.mcap");
        const std::string mcap = read_file(captures + "demo.mcap");
        folder_.write("truncated.mcap", mcap.substr(0, mcap.size() - mcap.size() / 4));
        std::string rules = read_file(std::string(testdata_folder) + "/busy.xml");
        rules.insert(
            rules.rfind("</PAL>"),
            R"(<QUESTION QUESTIONVARNAME="PhysicalMemory" DATATYPE="integer" DEFAULTVALUE="4">GB?</QUESTION>)");
        folder_.write("SystemOverview.xml", rules);
        folder_.write("counters.txt", "\\Memory\\*\n\\Processor(_Total)\\*\n");
        expect_made({"capture", "--simulate", "--count", "61", "--interval", "600", "--processes", "6", "--threads",
                     "12", "--cpus", "2", "-o", "run.mcap"});
        for (const std::string name : {"counter-009.txt", "counter-007.txt", "counter009.reg", "perflib.reg"})
            expect_made({"titles", "export", "--format", "text", "-o", name});
        expect_made({"titles", "export", "--format", "multi_sz", "-o", "perfc009.dat"});
        expect_made({"capture", "--export", "v2", "both.mcap"});
        take_first("v2", ".bin", "v1.bin");
        take_first("v2", ".v2", "v2.bin");
        take_first("v2", ".v2-query", "query.bin");
        folder_.write("data.bin", read_file(folder_.path("v2.bin")));
        take_first("v2", "-01-title6000.v2-registration", "counterset.bin");
        take_first("v2", "-03-009-title6000.v2-registration", "names.bin");
    }

    void expect_made(const Strings& arguments) const {
        const Result made = run({.arguments = arguments, .directory = folder_.path()});
        ASSERT_EQ(made.exit, 0) << made.err;
    }
    /// Copies the first file of a folder with this end of its name.
    void take_first(const std::string& folder, std::string_view end, const std::string& to) const {
        Strings found;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path(folder)))
            if (const std::string name = entry.path().filename().string(); name.ends_with(end)) found.push_back(name);
        ASSERT_FALSE(found.empty()) << end;
        folder_.write(to, read_file(folder_.path(folder + "/" + std::ranges::min(found))));
    }
    /// Runs an example with the shell.
    Result in_shell(const std::string& example) const {
        const std::string place = std::filesystem::path(command_file).parent_path().string();
        return run({.arguments = {"-c", "PATH='" + place + "':$PATH\n" + example},
                    .directory = folder_.path(),
                    .program = "/bin/sh"});
    }

    TempFolder folder_;
};

TEST_F(HelpExamples, RunAsTheyAreShown) {
    Strings all = examples_in(run({"--help"}).out);
    EXPECT_EQ(all.size(), 3U);
    for (const std::string& line : lines(run({"--help"}).out)) {
        if (!line.starts_with("  ") || line.starts_with("  hkpd ")) continue;
        const std::string name = line.substr(2, line.find(' ', 2) - 2);
        if (name.find_first_of("0123456789") != std::string::npos) continue;  // an exit code
        const Strings usual = examples_in(run({name, "--help"}).out),
                      whole = examples_in(run({name, "--help-all"}).out);
        EXPECT_GE(usual.size(), 1U) << name;
        EXPECT_LE(usual.size(), 3U) << name;
        EXPECT_TRUE(std::ranges::equal(
            usual, Strings(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(usual.size()))));
        all.insert(all.end(), whole.begin(), whole.end());
    }
    std::size_t ran = 0;
    for (std::string example : all) {
        if (is_elsewhere(example)) continue;
        // The examples of the overview have the question that they answer next to them.
        if (const std::size_t question = example.find("  "); question != std::string::npos) example.resize(question);
        if (example.contains("| jq ") && missing_program("jq")) continue;
        // One sample shows as much as several, for which the run would wait.
        if (const std::size_t every = example.find(" -si 2"); every != std::string::npos)
            example.replace(every + 5, 1, "1");
        if (const std::size_t count = example.find(" -sc "); count != std::string::npos)
            example.replace(count + 5, 1, "1");
        if (const std::size_t less = example.find("| less"); less != std::string::npos) example.resize(less);
        ++ran;
        const Result result = in_shell(example);
        EXPECT_TRUE(allowed_exits(example).contains(result.exit)) << example << '\n' << result.exit << result.err;
        const bool to_file = example.contains("> ") || example.contains(" -o "),
                   selects = example.contains("select(") || result.exit == 2;
        EXPECT_TRUE(to_file || selects || !result.out.empty()) << example;
    }
    EXPECT_GE(ran, 35U);
}

}  // namespace help_examples_cli_test
}  // namespace hkpd_test
