// Output of the command for the captures in testdata, in every format: testdata/golden/CAPTURE.FORMAT. With
// HKPD_UPDATE_GOLDEN=1 in the environment the files are rewritten.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run_command.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace golden_cli_test {

struct Case {
    std::string_view capture;
    int exit;
    std::vector<std::string> options{};
    std::string_view subcommand = "dump";
    std::string_view name{};  ///< of the golden files; default: the capture's
};

/// A large capture is filtered, to keep its files readable.
const std::vector<Case>& cases() {
    static const std::vector<std::string> part{
        "--object",   "Procesador", "--path", R"(\System\Processor Queue Length)",
        "--instance", "_Total",     "--path", R"(\Process(svchost*)\*Time)"};
    static const std::vector<Case> all{
        {"demo.bin", 0, {"--object", "Processor", "--object", "System", "--path", R"(\Process(svchost#1)\ID Process)"}},
        {"big-endian.bin", 0},
        {"damaged.bin", 1},
        {"demo.mcap", 0, part, "replay", "replay"},
        {"samba-like.bin", 0},
        {"simulated.mcap",
         0,
         {"--source", "v2", "--object", "Geometric Waves", "--path", R"(\Processor Information(_Total)\% Processor *)",
          "--instance", "*Wave"},
         "dump"},
        {"text-and-bytes.bin", 0},
        {"wine-like.bin", 0},
        {"xp-like.bin", 0},
    };
    return all;
}

constexpr std::string_view dump_formats[] = {"table", "json", "jsonl", "csv"};
constexpr std::string_view replay_formats[] = {"table",   "timeline", "json",        "jsonl",  "csv",
                                               "pdh-csv", "pdh-tsv",  "openmetrics", "summary"};

std::span<const std::string_view> formats_of(const Case& what) {
    return what.subcommand == "dump" ? std::span<const std::string_view>(dump_formats) : replay_formats;
}

std::string file_name(const Case& what, std::string_view format) {
    const std::string_view name = what.name.empty() ? what.capture.substr(0, what.capture.rfind('.')) : what.name;
    return std::string(name) + "." + std::string(format);
}

std::filesystem::path golden_folder() { return std::filesystem::path(testdata_folder) / "golden"; }

/// Returns standard output, for a table followed by standard error.
std::string shown(const Case& what, std::string_view format) {
    std::vector<std::string> arguments{std::string(what.subcommand), std::string(what.capture)};
    if (format == "summary")
        arguments.emplace_back("--summary");
    else
        arguments.insert(arguments.end(), {"--format", std::string(format)});
    arguments.insert(arguments.end(), what.options.begin(), what.options.end());
    if (format == "table") arguments.emplace_back("--verbose");
    const Result result = run({.arguments = arguments, .directory = std::string(testdata_folder) + "/captures"});
    EXPECT_EQ(result.exit, what.exit) << what.capture << ": " << result.err;
    if (format != "table") return result.out;
    return result.out + "\n---- standard error, exit " + std::to_string(result.exit) + "\n" + result.err;
}

/// Returns where two texts begin to differ; empty if they are equal.
std::string difference(const std::string& now, const std::string& golden) {
    constexpr std::size_t most = 300;
    const auto [a, b] = std::ranges::mismatch(now, golden);
    if (a == now.end() && b == golden.end()) return {};
    const auto begin = static_cast<std::size_t>(a - now.begin());
    const std::size_t line = now.rfind('\n', begin == 0 ? 0 : begin - 1) + 1;
    const std::size_t from = std::max(line, begin - std::min(begin, most / 2));
    return "now: " + now.substr(from, most) + "\nthen: " + golden.substr(std::min(from, golden.size()), most);
}

TEST(Golden, Captures) {
    const char* const update = std::getenv("HKPD_UPDATE_GOLDEN");
    const bool writes = update != nullptr && std::string_view(update) == "1";
    if (writes) std::filesystem::create_directories(golden_folder());
    for (const Case& what : cases()) {
        for (const std::string_view format : formats_of(what)) {
            const std::filesystem::path path = golden_folder() / file_name(what, format);
            const std::string now = shown(what, format);
            EXPECT_LT(now.size(), 60'000U) << path;
            if (writes)
                std::ofstream(path, std::ios::binary) << now;
            else
                EXPECT_EQ(difference(now, read_file(path)), "") << path;
        }
    }
}

TEST(Golden, EveryCaptureHasFiles) {
    std::set<std::string> captures, expected;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(testdata_folder) + "/captures"))
        captures.insert(entry.path().filename().string());
    for (const Case& what : cases()) expected.insert(std::string(what.capture));
    EXPECT_EQ(captures, expected);
}

}  // namespace golden_cli_test
}  // namespace hkpd_test
