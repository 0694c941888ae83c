// How large a long output will be is stated on a terminal before it begins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/machine.hpp"
#include "support/temp_folder.hpp"
#include "support/terminal.hpp"

namespace hkpd_test {
namespace large_output_cli_test {

using testing::HasSubstr;
using testing::Not;
using Strings = std::vector<std::string>;

class LargeOutput : public testing::Test {
  protected:
    void SetUp() override { is_skipped(missing_terminals()); }

    /// Makes a capture whose CSV has more than 100 MB, in a second: few counters of many processes. Returns its path.
    std::string capture(const std::string& count) const {
        const std::string path = folder_.path("run" + count + ".mcap");
        const Result made = run({"capture", "--simulate", "--v1", "--object", "Process", "--processes", "300",
                                 "--count", count, "-o", path});
        EXPECT_EQ(made.exit, 0) << made.err;
        return path;
    }
    /// Runs replay with standard error on a terminal, and returns what is there.
    std::string shown(Strings arguments) const {
        arguments.insert(arguments.begin(), "replay");
        return run_on_terminal({.arguments = arguments, .output = folder_.path("out")}).out;
    }
    double written() const { return static_cast<double>(std::filesystem::file_size(folder_.path("out"))); }

    TempFolder folder_;
};

/// Returns the size that a note states, in bytes; 0 if there is no note.
double stated(const std::string& shown) {
    const std::string begin = "note: about ";
    const std::size_t at = shown.find(begin);
    if (at == std::string::npos) return 0;
    const std::string rest = shown.substr(at + begin.size());
    const bool gib = rest.substr(0, 12).contains("GiB");
    return std::strtod(rest.c_str(), nullptr) * std::ldexp(1, gib ? 30 : 20);
}

TEST_F(LargeOutput, IsStatedBeforeItBegins) {
    const std::string path = capture("100");
    const std::string all = shown({"--format", "csv", path});
    EXPECT_THAT(all, HasSubstr("MiB of csv follow; much smaller: --format sqlite -o FILE, or --bucket 1min"));
    EXPECT_GT(written(), 1e8);
    EXPECT_GT(stated(all), written() / 1.5);
    EXPECT_LT(stated(all), written() * 1.5);
    // Smaller outputs, forms that are small, and outputs whose messages go to a program, are not stated.
    for (const Strings& small :
         {Strings{"--format", "csv", "--to", "20"}, Strings{"--format", "csv", "--counter", "ID Process"},
          Strings{"--format", "csv", "--bucket", "1h"}, Strings{"--format", "jsonl", "--summary"}}) {
        Strings arguments = small;
        arguments.push_back(path);
        EXPECT_EQ(stated(shown(arguments)), 0) << testing::PrintToString(small);
    }
    EXPECT_EQ(run({.arguments = {"replay", "--format", "csv", "--to", "1", path}, .output = folder_.path("out")}).err,
              "");
}

}  // namespace large_output_cli_test
}  // namespace hkpd_test
