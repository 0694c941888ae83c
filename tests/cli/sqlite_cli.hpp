// Databases written by `hkpd replay --format sqlite`, read with the sqlite3 tool.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/machine.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {

class SqliteCli : public testing::Test {
  protected:
    const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";
    const std::string simulated = std::string(testdata_folder) + "/captures/simulated.mcap";

    void SetUp() override { is_skipped(missing_program("sqlite3")); }

    /// Returns the rows of a query, with `|` between cells.
    Result sqlite3(const std::string& query) const {
        return run({.arguments = {"sqlite3", "-batch", "-readonly", path_, query}, .program = "/usr/bin/env"});
    }
    std::vector<std::string> ask(const std::string& query) const {
        const Result result = sqlite3(query);
        EXPECT_EQ(result.exit, 0) << query << "\n" << result.err;
        return lines(result.out);
    }
    /// Reads with write access, which takes in what a run has left next to the file.
    std::vector<std::string> rows(const std::string& query) const {
        return lines(run({.arguments = {"sqlite3", "-batch", path_, query}, .program = "/usr/bin/env"}).out);
    }

    Result add(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"replay", "--format", "sqlite", "-o", path_});
        return run(arguments);
    }
    void add_well(const std::vector<std::string>& arguments) const {
        const Result result = add(arguments);
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_EQ(result.out + result.err, "");
    }
    TempFolder folder_;
    std::string path_ = folder_.path("perf.db");
};

}  // namespace hkpd_test
