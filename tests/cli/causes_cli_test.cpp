// Why a subcommand ends, and its exit code: every cause in every subcommand. The table in tools/OUTPUTS.md is the
// result of this test, and the manual has the same codes. With HKPD_UPDATE_GOLDEN=1 in the environment, prints the
// table.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manual.hpp"
#include "run_command.hpp"
#include "support/packed_bytes.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace causes_cli_test {

using Strings = std::vector<std::string>;

Strings operator+(Strings left, const Strings& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

const Strings subcommands{"info",  "dump",    "replay", "top",    "report", "capture",
                          "check", "compare", "map",    "titles", "relog",  "typeperf"};

/// A cause: its name in the page, its text in the manual, and the arguments of a subcommand that lead to it; none if
/// the subcommand cannot end so.
struct Case {
    std::string_view name, meaning;
    std::function<std::optional<Strings>(const std::string& subcommand)> arguments;
};

class CausesCli : public testing::Test {
  protected:
    /// Returns arguments that run a subcommand on an input and write to `output`; the subcommand's own output if empty.
    std::optional<Strings> with_input(const std::string& subcommand, const std::string& input,
                                      std::string output = {}) {
        if (subcommand == "typeperf") return std::nullopt;  // reads no file
        Strings arguments{subcommand};
        if (subcommand == "titles") arguments.emplace_back("list");
        arguments.push_back(input);
        if (output.empty() && (subcommand == "report" || subcommand == "capture")) output = folder_.path("out");
        if (!output.empty()) arguments = arguments + Strings{"-o", output};
        if (!output.empty() && subcommand == "relog") arguments = arguments + Strings{"-f", "csv", "-y"};
        return arguments;
    }
    static bool has_filters(const std::string& subcommand) {
        return subcommand == "dump" || subcommand == "replay" || subcommand == "top" || subcommand == "report" ||
               subcommand == "compare";
    }
    static bool has_range(const std::string& subcommand) { return has_filters(subcommand) && subcommand != "compare"; }

    std::vector<Case> cases() {
        const std::string file = folder_.write("file.bin", "no directory");
        const std::string empty = folder_.write("empty.bin", "");
        std::string packed = packed::gzip("6\nProcessor\n8\nProcess\n");
        packed.resize(packed.size() - 12);
        const std::string cut = folder_.write("cut.gz", packed);
        const std::string picture = folder_.write("picture.png", "\x89PNG\r\n\x1A\n");
        const std::string headed =
            folder_.write("headed.csv", "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\System\\Threads\"\r\n");
        const std::string own = folder_.write("own.csv",
                                              "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\My Service\\Things\"\r\n"
                                              "\"05/14/2024 09:30:00.000\",\"1\"\r\n");
        const auto on = [this](const std::string& input) {
            return [this, input](const std::string& subcommand) { return with_input(subcommand, input); };
        };
        const auto windows = [](const std::string& subcommand) {
            return subcommand == "relog" || subcommand == "typeperf";
        };
        return {
            {"none: all is well", "everything was read and written",
             [this](const std::string& subcommand) -> std::optional<Strings> {
                 if (subcommand == "titles") return Strings{"titles", "list"};
                 if (subcommand == "compare") return with_input(subcommand, captures_ + "/simulated.mcap");
                 if (subcommand == "typeperf")
                     return Strings{"typeperf", "--simulate", R"(\System\Threads)", "-sc", "1"};
                 return with_input(subcommand, captures_ + "/demo.bin");
             }},
            {"no input", "wrong arguments, or no input",
             [](const std::string& subcommand) { return Strings{subcommand}; }},
            {"unknown option", "wrong arguments, or no input",
             [windows](const std::string& subcommand) {
                 return Strings{subcommand, windows(subcommand) ? "-nosuch" : "--nosuch"};
             }},
            {"the input is missing", "an input is missing, cannot be read, or is no performance data",
             on(folder_.path("missing.bin"))},
            {"the input cannot be read", "an input is missing, cannot be read, or is no performance data",
             on(file + "/below")},
            {"the input is damaged", "the input is damaged; its valid parts were written",
             [this, on, cut](const std::string& subcommand) -> std::optional<Strings> {
                 if (subcommand == "titles") return Strings{"titles", "list", cut};
                 auto arguments = on(captures_ + "/damaged.bin")(subcommand);
                 // Two runs, as one alone has nothing to be compared with.
                 if (subcommand == "compare") arguments->push_back(captures_ + "/damaged.bin");
                 return arguments;
             }},
            {"the input is empty", "an input is missing, cannot be read, or is no performance data", on(empty)},
            {"the input has no sample", "the input has no sample",
             [on, headed](const std::string& subcommand) {
                 return subcommand == "titles" ? std::nullopt : on(headed)(subcommand);  // reads no samples
             }},
            {"one input too few", "compare, report --baseline: there is nothing to compare",
             [this](const std::string& subcommand) -> std::optional<Strings> {
                 if (subcommand != "compare") return std::nullopt;
                 return with_input(subcommand, captures_ + "/demo.bin");
             }},
            {"the input is of another kind", "an input is missing, cannot be read, or is no performance data",
             on(picture)},
            {"a pattern matches no file", "an input is missing, cannot be read, or is no performance data",
             on(folder_.path("*.blg"))},
            {"nothing matches a filter", "a filter that matches nothing",
             [this](const std::string& subcommand) -> std::optional<Strings> {
                 if (subcommand == "typeperf") return Strings{"typeperf", "--simulate", R"(\Nothing\x)", "-sc", "1"};
                 if (subcommand == "titles") return Strings{"titles", "find", "nothing of the kind"};
                 const auto arguments = with_input(subcommand, captures_ + "/demo.bin", folder_.path("x"));
                 if (subcommand == "relog") return *arguments + Strings{"-c", R"(\Nothing\x)"};
                 if (subcommand == "map") return *arguments + Strings{"--object", "nothing"};
                 if (subcommand == "capture")
                     return Strings{"capture", "--simulate", "--object", "nothing", "-o", folder_.path("x")};
                 if (!has_filters(subcommand)) return std::nullopt;
                 return *arguments + Strings{"--object", "nothing"};
             }},
            {"no sample of --source", "no sample of the interface of --source",
             [this](const std::string& subcommand) -> std::optional<Strings> {
                 if (!has_range(subcommand) && subcommand != "check") return std::nullopt;
                 return *with_input(subcommand, captures_ + "/demo.bin") + Strings{"--source", "v2"};
             }},
            {"no threshold is evaluated", "check --rules: none of the thresholds was evaluated for an input",
             [this, own](const std::string& subcommand) -> std::optional<Strings> {
                 if (subcommand != "check") return std::nullopt;
                 return *with_input(subcommand, own) + Strings{"--rules", "windows"};
             }},
            {"no sample in the range", "no sample in the range of --from and --to",
             [this](const std::string& subcommand) -> std::optional<Strings> {
                 if (subcommand == "relog")
                     return *with_input(subcommand, captures_ + "/demo.bin", folder_.path("x")) +
                            Strings{"-b", "1/1/2100"};
                 if (!has_range(subcommand)) return std::nullopt;
                 return *with_input(subcommand, captures_ + "/demo.bin") + Strings{"--from", "1000"};
             }},
            {"the output cannot be written", "an output cannot be written",
             [this, file](const std::string& subcommand) -> std::optional<Strings> {
                 const std::string output = file + "/below";
                 if (subcommand == "info") return std::nullopt;  // has no -o
                 if (subcommand == "titles") return Strings{"titles", "list", "-o", output};
                 if (subcommand == "typeperf")
                     return Strings{"typeperf", "--simulate", R"(\System\Threads)", "-sc", "1", "-o", output};
                 return with_input(subcommand, captures_ + "/demo.bin", output);
             }},
        };
    }

    TempFolder folder_;
    const std::string captures_ = std::string(testdata_folder) + "/captures";
};

/// Returns the meaning in the manual of a case that is another one for a subcommand.
std::string_view meaning_of(const Case& cause, std::string_view subcommand) {
    const bool no_sample = cause.name == "the input has no sample";
    if (no_sample && subcommand == "check") return "check: there is nothing to check";
    if (no_sample && subcommand == "compare") return "compare, report --baseline: there is nothing to compare";
    // A log has no block, and what it is and has is no matter of samples.
    if (no_sample && subcommand == "map") return "an input is missing, cannot be read, or is no performance data";
    if (no_sample && (subcommand == "info" || subcommand == "relog" || subcommand == "capture"))
        return "everything was read and written";
    // A capture has the bytes of its inputs, whatever they are.
    if (cause.name == "the input is damaged" && subcommand == "capture") return "everything was read and written";
    if (cause.name == "the input is damaged" && subcommand == "check") return "check: faults, or findings of --rules";
    return cause.meaning;
}

TEST_F(CausesCli, HaveTheCodesOfThePageAndTheManual) {
    std::string table = "| cause |";
    for (const std::string& subcommand : subcommands) table += " `" + subcommand + "` |";
    table += "\n|---|";
    for (std::size_t i = 0; i < subcommands.size(); ++i) table += "---|";
    table += '\n';
    const std::string manual = causes_in_manual();
    for (const Case& cause : cases()) {
        table += "| " + std::string(cause.name) + " |";
        for (const std::string& subcommand : subcommands) {
            const auto arguments = cause.arguments(subcommand);
            if (!arguments) {
                table += " – |";
                continue;
            }
            const Result result = run(*arguments);
            table += ' ' + std::to_string(result.exit) + " |";
            SCOPED_TRACE(subcommand + ": " + std::string(cause.name) + '\n' + result.err);
            EXPECT_EQ(result.exit, code_in_manual(manual, meaning_of(cause, subcommand)));
            // Of wrong arguments the subcommand speaks in its own name; of inputs the line begins with their name.
            EXPECT_TRUE(result.exit != 2 || ("\n" + result.err).contains("\nhkpd " + subcommand + ": "));
            EXPECT_TRUE(result.exit == 0 || !(result.out + result.err).empty());
        }
        table += '\n';
    }
    const std::filesystem::path page = std::filesystem::path(testdata_folder).parent_path() / "tools/OUTPUTS.md";
    if (std::getenv("HKPD_UPDATE_GOLDEN") != nullptr) std::cout << table;
    EXPECT_NE(read_file(page).find(table), std::string::npos) << "tools/OUTPUTS.md has not this table:\n" << table;
}

}  // namespace causes_cli_test
}  // namespace hkpd_test
