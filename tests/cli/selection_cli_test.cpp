// Every option that selects something, in every subcommand that has it: what matches nothing, alone or next to what
// matches, is never "everything" or "nothing" in silence. The options are those of the manual pages, so that a new one
// needs a row here, or a place in the list of those that select nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manual.hpp"
#include "run_command.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace selection_cli_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Strings = std::vector<std::string>;

const std::string simulated = std::string(testdata_folder) + "/captures/simulated.mcap";

#ifdef _WIN32
constexpr bool is_windows = true;
#else
constexpr bool is_windows = false;
#endif

const Strings subcommands{"info",  "dump",    "replay", "top",    "report", "capture",
                          "check", "compare", "map",    "titles", "relog",  "typeperf"};

/// Options that select nothing: how values are computed, shown and written, where, how many, and limits. Those that
/// name inputs have a row below.
const std::set<std::string> no_selection{"--recursive",
                                         "--names",
                                         "--allow-none",
                                         "--every",
                                         "--bucket",
                                         "--tz",
                                         "--utc",
                                         "--format",
                                         "--file-column",
                                         "--output",
                                         "--all",
                                         "--types",
                                         "--help-text",
                                         "--color",
                                         "--interval",
                                         "--count",
                                         "--duration",
                                         "--strict",
                                         "--jobs",
                                         "--limit-values",
                                         "--limit-names",
                                         "--limit-expansion",
                                         "--limit-files",
                                         "--verbose",
                                         "--help",
                                         "--help-all",
                                         "--summary",
                                         "--sort",
                                         "--top",
                                         "--name",
                                         "--textfile",
                                         "--metric-prefix",
                                         "--cooked",
                                         "--crlf",
                                         "--speed",
                                         "--raw",
                                         "--cap",
                                         "--no-cap",
                                         "--clamp",
                                         "--unwrap",
                                         "--scale",
                                         "--multi-timer",
                                         "--all-instances",
                                         "--per-machine",
                                         "--title",
                                         "--theme",
                                         "--meta",
                                         "--flush",
                                         "--info",
                                         "--export",
                                         "--seed",
                                         "--processes",
                                         "--threads",
                                         "--cpus",
                                         "--missing",
                                         "--tolerance",
                                         "--live",
                                         "--simulate",
                                         "--counters",
                                         "--interfaces",
                                         "--rest",
                                         "--redact",
                                         "--redact-key",
                                         "--redact-key-file",
                                         "--redact-keep",
                                         "--redact-keep-counters",
                                         "--redact-map",
                                         "-q",
                                         "-f",
                                         "-o",
                                         "-y",
                                         "-t",
                                         "-a",
                                         "-si",
                                         "-sc"};

constexpr std::string_view no_match = "a filter that matches nothing", no_title = "titles: nothing matches",
                           no_range = "no sample in the range of --from and --to", good = "everything was read",
                           other_source = "no sample of the interface of --source", usage = "wrong arguments",
                           unreadable = "an input is missing, cannot be read, or is no performance data",
                           silent = "a machine gave no sample";

/// An option, a value that matches nothing, the cause of the end as the manual states it, and a part of the message.
/// `match`: a value that matches; empty if the option can be given only once, or has to match for each value.
struct Row {
    std::string option, nothing, match;
    std::string_view cause;
    std::string message;
    bool of_machine = false;   ///< applies to a machine alone
    bool not_windows = false;  ///< needs a system that has no counters
};

class SelectionCli : public testing::Test {
  protected:
    std::vector<Row> rows() const {
        const std::string path = R"(\Nothing\x)", other = R"(\\OTHER\System\Threads)", threads = R"(\System\Threads)";
        const std::string none = folder_.write("none.txt", path), missing = folder_.path("missing");
        const std::string some = folder_.write("some.txt", threads);
        const std::string by_path = "no path '" + path + "' in any sample";
        return {
            {"--object", "nothing", "Processor", no_match, "no object 'nothing' in any sample"},
            {"--object", "Threads", "Processor", no_match, "no object 'Threads' in any sample"},  // a counter's name
            {"--object", "9999", "238", no_match, "no object '9999' in any sample"},
            {"--instance", "nothing", "smss", no_match, "no instance 'nothing' in any sample"},
            {"--counter", "nothing", "Threads", no_match, "no counter 'nothing' in any sample"},
            {"--path", path, threads, no_match, by_path},
            {"--path", other, threads, no_match, "no path '" + other + "' in any sample"},
            {"--cf", none, some, no_match, by_path},
            {"--by", path, "", no_match, by_path},
            {"--query", "9999", "", no_match, "no object with the index 9999 in any sample", true},
            {"--query", "2 9999", "", no_match, "no object with the index 9999 in any sample", true},
            {"--lang", "007", "009", good, "no titles in a requested language"},
            {"--log-tz", "Nowhere/Nothing", "", usage, "--log-tz: expected local"},
            {"--encoding", "nothing-1", "", usage, "--encoding: expected utf-8"},
            {"--source", "log", "", other_source, "no sample from log was selected"},
            {"--from", "1000", "", no_range, "no sample in the range"},
            {"--to", "1999-01-01T00:00:00", "", no_range, "no sample in the range"},
            {"--before", "1000..1001", "", no_range, "no sample in --before 1000..1001: "},
            {"--after", "1000..1001", "", no_range, "no sample in --after 1000..1001: "},
            {"--sample", "1000", "", usage, "no sample 1000: the input has"},
            {"--rules", missing, "", usage, missing},
            {"--answer", "Nothing=1", "PhysicalMemory=16", usage, "no question is called \"Nothing\""},
            {"--services", missing, "", unreadable, missing},
            {"--baseline", missing, "", unreadable, missing},
            {"--titles", missing, "", unreadable, missing},
            {"--v2", missing, "", unreadable, missing},
            {"--from-v2", missing, "", unreadable, missing},
            {"--registration", missing, "", unreadable, missing},
            {"--record", "100000", "", usage, "no record 100000 in"},
            {"-c", path, threads, no_match, by_path},
            {"-cf", none, some, no_match, by_path},
            {"-b", "1/1/2100", "", no_range, "no sample in the range"},
            {"-e", "1/1/1999", "", no_range, "no sample in the range"},
            {"-qx", "nothing", "", usage, "the machine has no object 'nothing'"},
            {"-q OBJECT", "nothing", "", usage, "the machine has no object 'nothing'"},
            {"-config", none, "", no_match, by_path},
            {"--identifiers", missing, "", unreadable, missing},
            {"--at", "0x99999999", "", usage, "offset 0x99999999 is beyond the end"},
            // Only Windows has other machines, and a DLL.
            {"--machine", "OTHER", "", silent, "OTHER: error: HKEY_PERFORMANCE_DATA: the query failed", false, true},
            {"-s", "OTHER", "", silent, "OTHER: error: HKEY_PERFORMANCE_DATA: the query failed", false, true},
            {"--perflib", missing, "", silent, missing + " cannot be loaded", false, true},
        };
    }

    /// Returns the row as it is in a subcommand in which the option means something else.
    Row in(const std::string& subcommand, Row row) const {
        if (row.option == "--lang" && (subcommand == "capture" || subcommand == "titles")) {
            row.cause = subcommand == "capture" ? no_match : no_title;
            row.message = subcommand == "capture" ? "no title in the language 007" : "no table in the language 007";
        }
        if (row.option == "--lang" && subcommand == "check") row.cause = "check: faults, or findings of --rules";
        if (row.option == "--at" && subcommand == "top")
            row = {row.option, "1000", "", no_range, "no sample in the range"};
        if (row.option == "--object" && subcommand == "map") {
            row.cause = usage;
            row.message = "no object '" + row.nothing + "'";
            row.match.clear();
        }
        // relog's file has options, one on each line, among them the input.
        if (row.option == "-config" && subcommand == "relog")
            row.nothing = folder_.write("none.cfg", "-i\n" + simulated + "\n-c\n\\Nothing\\x\n");
        if (row.option == "-c" || row.option == "-cf" || row.option == "-config")
            row.of_machine = subcommand == "typeperf";
        return row;
    }

    /// Returns whether the subcommand reads a machine for a row.
    static bool reads_machine(const std::string& subcommand, const Row& row) {
        return row.of_machine || subcommand == "capture" || subcommand == "typeperf";
    }

    /// Returns the arguments of a subcommand that reads something, and writes to standard output if it can.
    Strings reading(const std::string& subcommand, const Row& row) const {
        if (row.option == "--from-v2") return {subcommand, "-o", output_};
        if (row.option == "--v2") return subcommand == "report" ? Strings{subcommand, "-o", "-"} : Strings{subcommand};
        if (row.option == "--before") return {subcommand, simulated, "--after", "2..2"};
        if (row.option == "--after") return {subcommand, simulated, "--before", "0..1"};
        if (row.option == "-q OBJECT" || row.option == "-qx") return {subcommand, "--simulate"};
        if (subcommand == "titles") return {subcommand, "list"};
        if (row.option == "--at") return {subcommand, std::string(testdata_folder) + "/captures/demo.bin"};
        if (row.option == "-s") return {subcommand, "-q"};
        if (row.option == "--machine" || row.option == "--perflib")
            return of_machine(subcommand, row.option == "--perflib");
        if (row.option == "--identifiers") {
            Strings arguments{subcommand, subcommand == "capture" ? "--from-v2" : "--v2", blob_};
            const bool writes = subcommand == "capture" || subcommand == "report";
            if (writes) arguments.insert(arguments.end(), {"-o", subcommand == "capture" ? output_ : "-"});
            return arguments;
        }
        if (subcommand == "typeperf") return {subcommand, "--simulate", "-sc", "1"};
        if (row.option == "-config" && subcommand == "relog") return {subcommand, "-f", "csv", "-y", "-o", output_};
        if (subcommand == "relog") return {subcommand, simulated, "-f", "csv", "-y", "-o", output_};
        Strings arguments{subcommand, reads_machine(subcommand, row) ? "--simulate" : simulated};
        if (subcommand == "capture") arguments.insert(arguments.end(), {"-o", output_});
        if (subcommand == "report") arguments.insert(arguments.end(), {"-o", "-"});
        if (row.option == "--registration" && subcommand == "capture") arguments[1] = simulated;
        if (row.option == "--titles" && subcommand == "capture") arguments[1] = simulated;
        if (row.option == "--answer") arguments.insert(arguments.end(), {"--rules", "windows"});
        return arguments;
    }

    /// Returns the arguments of a subcommand that reads a machine through both interfaces, or through V2.
    Strings of_machine(const std::string& subcommand, bool v2) const {
        Strings arguments{subcommand};
        if (v2 && subcommand != "compare") arguments.insert(arguments.end(), {"--source", "v2"});
        if (subcommand == "capture") arguments.insert(arguments.end(), {"-o", output_});
        if (subcommand == "report") arguments.insert(arguments.end(), {"-o", "-"});
        return arguments;
    }

    static Strings with(Strings arguments, const Row& row, const Strings& values) {
        const std::string name = row.option.substr(0, row.option.find(' '));
        for (const std::string& value : values) {
            arguments.push_back(name);
            arguments.push_back(value);
        }
        return arguments;
    }

    /// Checks the end of a run with a value that matches nothing.
    void check_end(const std::string& subcommand, const Row& row, const Result& result) const {
        EXPECT_EQ(result.exit, code_in_manual(manual_, row.cause)) << row.cause;
        EXPECT_THAT(result.out + result.err, HasSubstr(row.message));
        EXPECT_THAT(result.err, HasSubstr(result.exit == 2 ? "hkpd " + subcommand + ": " : ""));
    }

    TempFolder folder_;
    const std::string output_ = folder_.path("out"), blob_ = folder_.write("blob.bin", std::string(64, 'x'));
    const std::string manual_ = causes_in_manual();
};

TEST_F(SelectionCli, EveryOptionHasARowOrSelectsNothing) {
    std::set<std::string> known = no_selection;
    for (const Row& row : rows()) known.insert(row.option);
    std::set<std::string> all;
    for (const std::string& subcommand : subcommands)
        for (const ManualOption& option : options_in_manual(subcommand)) all.insert(option.name);
    for (const std::string& option : all) EXPECT_TRUE(known.contains(option)) << option << " has no row";
    for (const std::string& option : no_selection) EXPECT_TRUE(all.contains(option)) << option;
    EXPECT_GT(all.size(), 80U);
}

TEST_F(SelectionCli, WhatMatchesNothingIsReported) {
    std::map<std::string, std::size_t> runs;  // by option
    for (const std::string& subcommand : subcommands) {
        std::set<std::string> has;
        for (const ManualOption& option : options_in_manual(subcommand)) has.insert(option.name);
        if (subcommand == "typeperf") has.insert("-q OBJECT");
        for (const Row& general : rows()) {
            if (!has.contains(general.option) || (general.not_windows && is_windows)) continue;
            // capture's --source is that of a machine, which has both.
            if (general.option == "--source" && subcommand == "capture") continue;
            const Row row = in(subcommand, general);
            const Strings arguments = reading(subcommand, row);
            SCOPED_TRACE(subcommand + ' ' + row.option + ' ' + row.nothing);
            ++runs[row.option];

            folder_.write("out", "old");
            const Result nothing = run(with(arguments, row, {row.nothing}));
            check_end(subcommand, row, nothing);
            const bool is_selection = row.cause == no_match || row.cause == no_range || row.cause == other_source;
            const bool is_part = row.nothing.contains(' ');  // of which the machine has something
            if (!is_selection || is_part || row.option == "--lang") continue;
            EXPECT_EQ(read_file(output_), "old");
            EXPECT_THAT(nothing.out, testing::Not(HasSubstr("smss")));
            EXPECT_THAT(nothing.out, testing::Not(HasSubstr("Threads,")));
            if (row.match.empty()) continue;

            // What matches is shown as if it was requested alone.
            const Result part = run(with(arguments, row, {row.match, row.nothing}));
            check_end(subcommand, row, part);
            const std::string partly = read_file(output_);
            const Result alone = run(with(arguments, row, {row.match}));
            if (subcommand == "capture") {
                const auto paths = [&](const std::string& file) { return run({"info", "--counters", file}).out; };
                EXPECT_EQ(paths(folder_.write("part.mcap", partly)), paths(output_));
                continue;
            }
            EXPECT_EQ(partly, "old");
            if (subcommand == "compare" || subcommand == "report") {
                EXPECT_EQ(part.out, part.exit == 0 ? alone.out : part.out);
                continue;  // a page or comparison of a part
            }
            // relog and typeperf end with a line that all was well.
            EXPECT_THAT(alone.out, StartsWith(part.out));
        }
    }
    for (const Row& row : rows()) EXPECT_TRUE(runs[row.option] != 0 || (row.not_windows && is_windows)) << row.option;
}

/// The same, of a machine: through V1 and V2, where its objects are queried by what the filters name.
TEST_F(SelectionCli, WhatAMachineDoesNotHaveIsReported) {
    struct Names {
        std::string source, object, path;
    };
    for (const auto& [source, object, path] :
         {Names{"v1", "Processor", R"(\Processor(_Total)\% User Time)"},
          Names{"v2", "Processor Information", R"(\Processor Information(_Total)\% User Time)"}}) {
        for (const std::string subcommand : {"dump", "replay", "top"}) {
            SCOPED_TRACE(subcommand + ' ' + source);
            const Strings machine{subcommand, "--simulate", "--source", source};
            for (const auto& [option, nothing, match] : {std::array<std::string, 3>{"--object", "nothing", object},
                                                         {"--path", R"(\Nothing(_Total)\x)", path}}) {
                const Row row{option, nothing, match, no_match, nothing + "' in any sample"};
                const Result none = run(with(machine, row, {nothing}));
                check_end(subcommand, row, none);
                EXPECT_EQ(none.out, "");
                const Result part = run(with(machine, row, {match, nothing}));
                check_end(subcommand, row, part);
                const Result alone = run(with(machine, row, {match}));
                EXPECT_EQ(alone.exit, 0) << alone.err;
                EXPECT_EQ(part.out, alone.out);
                EXPECT_NE(alone.out, "");
            }
        }
        // A run that would not end by itself ends if there is nothing to wait for.
        const Result endless =
            run({"replay", "--live", "--simulate", "--source", source, "--object", "nothing", "--interval", "0.01"});
        EXPECT_EQ(endless.exit, 2);
        for (const std::string& read : {source, std::string("both")}) {
            const std::string file = folder_.write("out", "old");
            const Result none = run({"capture", "--live", "--simulate", "--source", read, "--object", "nothing",
                                     "--interval", "0.01", "-o", file});
            EXPECT_EQ(none.exit, 2);
            EXPECT_THAT(none.err, EndsWith("hkpd capture: no object 'nothing' in any sample\n"));
            EXPECT_EQ(read_file(file), "old");
        }
    }
}

}  // namespace selection_cli_test
}  // namespace hkpd_test
