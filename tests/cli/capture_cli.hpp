// Shared parts of the tests of `hkpd capture`: making captures of the demo machine, and reading their content.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "run_command.hpp"
#include "support/demo_machine.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {

inline Result capture(std::vector<std::string> arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "capture");
    return run({.arguments = std::move(arguments), .input = std::move(input)});
}

/// Returns the times of the samples in a dump, one line each.
inline std::vector<std::string> sample_times(const Result& result) {
    std::vector<std::string> times;
    for (const std::string& line : lines(result.out)) {
        const std::string time = line.substr(0, line.find(','));
        if (time != "time" && (times.empty() || times.back() != time)) times.push_back(time);
    }
    return times;
}
inline std::vector<std::string> sample_times(const std::string& path) {
    return sample_times(run({"replay", "--format", "csv", "--object", "System", "--counter", "Threads", path}));
}

/// Returns blocks of the demo machine at `samples` seconds.
inline std::string demo_blobs(std::uint64_t samples) {
    std::string all;
    for (std::uint64_t second = 0; second < samples; ++second) all += to_text(blob::build(demo::machine(second)));
    return all;
}

/// Returns the content of all files in a folder, in the order of their names.
inline std::string all_files(const std::string& folder, std::string_view extension) {
    std::error_code error;
    std::string all;
    for (const std::string& file : hkpd::files_in(folder, error))
        if (file.ends_with(extension)) all += read_file(hkpd::path_of(file));
    EXPECT_FALSE(error) << folder << ": " << error.message();
    return all;
}

class CaptureCli : public testing::Test {
  protected:
    static std::string titles_of(const std::string& path) { return titles({"list", path}).out; }

    std::string made(std::string_view name, const std::string& blobs, std::vector<std::string> options = {}) const {
        const std::string path = folder_.path(name);
        options.insert(options.end(), {"-", "-o", path});
        const Result result = capture(options, blobs);
        EXPECT_EQ(result.exit, 0) << result.err;
        return path;
    }

    TempFolder folder_;
};

}  // namespace hkpd_test
