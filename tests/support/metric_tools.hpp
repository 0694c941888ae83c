// External programs that read OpenMetrics text: the reference parser and promtool. The name of a missing one is empty.
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "support/metric_points.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {

struct ShellResult {
    int exit = -1;
    std::string out;
};

inline std::string quoted(const std::string& path) { return "'" + path + "'"; }

inline ShellResult shell(const std::string& command) {
    ShellResult result;
    std::FILE* const pipe = popen(command.c_str(), "r");
    EXPECT_NE(pipe, nullptr) << command;
    if (pipe == nullptr) return result;
    char buffer[65536];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) result.out.append(buffer, got);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) result.exit = WEXITSTATUS(status);
    return result;
}

inline std::string check_script() { return std::string(testdata_folder) + "/../tests/systems/openmetrics/check.py"; }

/// Returns a Python that has the reference parser; the first one in the PATH may not be the system's.
inline std::string python_with_parser() {
    for (const std::string python : {"python3", "/usr/bin/python3"})
        if (shell(python + " -c 'import prometheus_client.openmetrics.parser' 2>&1").exit == 0) return python;
    return {};
}

inline std::string promtool() {
    const std::string fetched = std::string(testdata_folder) + "/../build/promtool/promtool";
    if (std::filesystem::exists(fetched)) return quoted(fetched);
    return shell("command -v promtool").exit == 0 ? "promtool" : "";
}

/// Returns the points that `check.py` has written.
inline Points parse_points(const ShellResult& result) {
    EXPECT_EQ(result.exit, 0) << result.out.substr(0, 2000);
    Points points;
    if (result.exit != 0) return points;
    for (std::string_view left = result.out; !left.empty();) {
        const std::string_view line = left.substr(0, left.find('\n'));
        left.remove_prefix(line.size() + 1);
        rapidjson::Document point;
        point.Parse<rapidjson::kParseFullPrecisionFlag | rapidjson::kParseNanAndInfFlag>(line.data(), line.size());
        if (point.HasParseError()) {
            ADD_FAILURE() << line;
            continue;
        }
        Labels labels;
        for (const auto& label : point[1].GetObject())
            labels[{label.name.GetString(), label.name.GetStringLength()}] = {label.value.GetString(),
                                                                              label.value.GetStringLength()};
        EXPECT_TRUE(
            points.insert({series_of(point[0].GetString(), labels), point[2].GetInt64(), point[3].GetDouble()}).second)
            << "twice: " << line;
    }
    return points;
}

/// Returns the points that the reference parser finds in a text; it rejects anything that is not OpenMetrics.
inline Points parse_text(const std::string& python, const std::string& text) {
    const TempFolder folder;
    const std::string path = folder.write("metrics", text);
    return parse_points(shell(python + " " + quoted(check_script()) + " text <" + quoted(path) + " 2>&1"));
}

/// Returns the points that Prometheus has after importing a text.
inline Points take_in(const std::string& promtool, const std::string& text) {
    const TempFolder folder;
    const std::string path = folder.write("metrics", text), blocks = folder.path("blocks");
    std::filesystem::create_directories(blocks + "/wal");  // otherwise dump reports an error
    const ShellResult created = shell(promtool + " tsdb create-blocks-from --quiet openmetrics " + quoted(path) + " " +
                                      quoted(blocks) + " 2>&1");
    EXPECT_EQ(created.exit, 0) << created.out;
    const ShellResult dumped =
        shell(promtool + " tsdb dump " + quoted(blocks) + " >" + quoted(folder.path("dump")) + " 2>&1");
    EXPECT_EQ(dumped.exit, 0) << read_file(folder.path("dump")).substr(0, 2000);
    return parse_points(shell("python3 " + quoted(check_script()) + " dump <" + quoted(folder.path("dump")) + " 2>&1"));
}

}  // namespace hkpd_test
