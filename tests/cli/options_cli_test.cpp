// Options agree between the subcommands: one name, one description and one group for one meaning. Names of earlier
// versions are accepted and not shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture_cli.hpp"
#include "manual.hpp"
#include "run_command.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace options_cli_test {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using Strings = std::vector<std::string>;

const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";
const std::string simulated = std::string(testdata_folder) + "/captures/simulated.mcap";

/// The subcommands with groups of options.
const Strings grouped{"info", "dump", "replay", "top", "capture", "check", "compare", "map", "titles"};

TEST(Options, OfOneNameHaveOneDescription) {
    // Subcommands in which an option has a meaning of its own, and so a text of its own.
    const std::map<std::string, std::set<std::string>> others{
        {"--all", {"info", "compare", "map"}},  // other details that are left out
        {"--at", {"map"}},                      // an offset, not a time
        {"--lang", {"capture", "titles"}},      // which titles are stored or listed, not by which objects are named
        {"--object", {"map"}},                  // a single one
        {"--output", {"capture"}},              // no text, and required
        {"--source", {"capture"}},              // of a machine, and both at once
        {"--titles", {"capture"}},              // stored
    };
    std::map<std::string, std::map<std::string, std::string>> texts;  // by option and subcommand
    for (const std::string& subcommand : grouped)
        for (const ManualOption& option : options_in_manual(subcommand)) {
            EXPECT_NE(option.text, "") << subcommand << option.name;
            std::string text = option.text;
            // The words that a subcommand accepts, and the usual number of samples, are facts about the subcommand.
            if (option.name == "--format" || option.name == "--sort") text = text.substr(0, text.find(": "));
            if (option.name == "--count") text = text.substr(0, text.find(" (default"));
            texts[option.name][subcommand] = text;
        }
    EXPECT_GT(texts.size(), 50U);
    for (const auto& [option, by_subcommand] : texts) {
        const auto found = others.find(option);
        const std::set<std::string> differ = found == others.end() ? std::set<std::string>{} : found->second;
        std::set<std::string> common;
        for (const auto& [subcommand, text] : by_subcommand)
            if (!differ.contains(subcommand)) common.insert(text);
        EXPECT_EQ(common.size(), 1U) << option << ": " << testing::PrintToString(by_subcommand);
        for (const std::string& subcommand : differ) {  // the table above has no entries that are not needed
            ASSERT_TRUE(by_subcommand.contains(subcommand)) << option << subcommand;
            EXPECT_FALSE(common.contains(by_subcommand.at(subcommand))) << option << subcommand;
        }
    }
}

TEST(Options, HaveAGroup) {
    const Strings order{"Input",  "Selection",          "Time",   "Output", "Pseudonyms", "Rules",
                        "Values", "Live and simulated", "Limits", "Other"};
    std::map<std::string, std::string> groups;  // of each option
    for (const std::string& subcommand : grouped) {
        std::size_t last = 0;
        std::set<std::string> used;
        for (const ManualOption& option : options_in_manual(subcommand)) {
            const auto place = std::ranges::find(order, option.group);
            ASSERT_NE(place, order.end()) << subcommand << option.name << " in '" << option.group << "'";
            const auto position = static_cast<std::size_t>(place - order.begin());
            EXPECT_GE(position, last) << subcommand << option.name;
            last = position;
            used.insert(option.group);
            EXPECT_EQ(groups.emplace(option.name, option.group).first->second, option.group) << option.name;
            // An option that was added to no group would be here.
            if (option.group == "Other") {
                EXPECT_THAT(option.name, AnyOf("--verbose", "--help", "--help-all")) << subcommand;
            }
        }
        const std::string screen = run({subcommand, "--help-all"}).out;
        for (const std::string& group : order) EXPECT_EQ(screen.contains("\n" + group + ":\n"), used.contains(group));
    }
    // Two options need no headings.
    EXPECT_THAT(run({"completion", "--help-all"}).out, Not(HasSubstr("Other:")));
    EXPECT_THAT(run({"help", "completion", "--man"}).out, Not(HasSubstr(".SS")));
}

TEST(Options, TheShortHelpNamesTheMostUsedOptions) {
    for (const std::string& subcommand : grouped) {
        const std::string usual = run({subcommand, "--help"}).out, all = run({subcommand, "--help-all"}).out;
        for (const std::string_view option : {"--format WORD", "--format text|json"})
            if (all.contains(option)) {
                EXPECT_THAT(usual, HasSubstr(option)) << subcommand;
            }
        EXPECT_LE(usual.size(), all.size());
        EXPECT_THAT(usual, Not(HasSubstr("--limit-"))) << subcommand;
    }
}

TEST(Options, TheFormatForPeopleIsText) {
    for (const Strings& command : {Strings{"dump", demo},
                                   {"replay", demo},
                                   {"replay", demo, "--summary"},
                                   {"top", demo},
                                   {"check", demo},
                                   {"compare", simulated},
                                   {"map", demo},
                                   {"info", demo},
                                   {"titles", "list"},
                                   {"titles", "find", "processor"},
                                   {"titles", "export"}}) {
        const auto shown = [&command](const std::string& format) {
            Strings arguments = command;
            if (!format.empty()) arguments.insert(arguments.end(), {"--format", format});
            return run(arguments);
        };
        const Result result = shown("");
        EXPECT_THAT(result.exit, AnyOf(0, 1)) << result.err;
        EXPECT_NE(result.out, "");
        EXPECT_EQ(shown("text").out, result.out) << command[0];
        EXPECT_EQ(shown("table").out, result.out) << command[0];
        EXPECT_NE(shown("json").out, result.out) << command[0];
        const std::string all = run({command[0], "--help-all"}).out;
        for (const std::string_view earlier : {"|table", "table|", " table, ", "default table"})
            EXPECT_THAT(all, Not(HasSubstr(earlier))) << command[0];
        EXPECT_THAT(shown("tabel").err, HasSubstr("--format: expected text")) << command[0];
    }
}

TEST(Options, MapHasFormatJson) {
    const Result json = run({"map", demo, "--format", "json"});
    EXPECT_EQ(json.exit, 0) << json.err;
    EXPECT_EQ(parse_json(json.out)["inputs"].Size(), 1U);
    EXPECT_EQ(run({"map", demo, "--json"}).out, json.out);
    EXPECT_EQ(run({"map", demo, "--json", "--format", "json"}).out, json.out);
    EXPECT_THAT(run({"map", demo, "--json", "--format", "text"}).err, HasSubstr("cannot be combined"));
    EXPECT_THAT(run({"map", "--help-all"}).out, Not(HasSubstr("--json")));
    EXPECT_THAT(run({"help", "map", "--man"}).out, Not(HasSubstr("\\-\\-json")));
    EXPECT_THAT(run({"completion", "bash"}).out, Not(HasSubstr("--json")));
    // A hint names no option that is not shown.
    EXPECT_THAT(run({"dump", "--json", demo}).err, Not(HasSubstr("supported by")));
}

TEST(Options, CaptureTakesInputsAsArguments) {
    const TempFolder folder;
    const auto content = [&folder](Strings arguments) {
        const std::string made = folder.path("made.mcap");
        arguments.insert(arguments.end(), {"-o", made});
        const Result result = capture(arguments);
        EXPECT_EQ(result.exit, 0) << result.err;
        return run({"dump", made, "--format", "jsonl"}).out;
    };
    const std::string one = content({demo}), two = content({demo, simulated});
    EXPECT_NE(one, "");
    EXPECT_GT(two.size(), one.size());
    EXPECT_EQ(content({"--from", demo}), one);
    EXPECT_EQ(content({"--from", demo, simulated}), two);
    EXPECT_EQ(content({"--from", demo, "--from", simulated}), two);
    EXPECT_EQ(content({simulated, "--from", demo}), two);
    for (const std::string_view earlier : {"--from INPUT", "--both", "--v1", "--v2 "})
        EXPECT_THAT(run({"capture", "--help-all"}).out, Not(HasSubstr(earlier)));
    EXPECT_THAT(capture({demo}).err, HasSubstr("missing output: give -o FILE"));
    EXPECT_THAT(capture({}).err, HasSubstr("missing input: give INPUT... -o FILE"));
    EXPECT_THAT(capture({"-o", folder.path("x.mcap")}).err, HasSubstr("missing input"));
    EXPECT_THAT(capture({"--from", demo, "--info", simulated}).err, HasSubstr("cannot be combined"));
    EXPECT_THAT(capture({"--info", simulated, "-o", folder.path("x.mcap")}).err, HasSubstr("cannot be combined"));
    EXPECT_THAT(capture({"--info", "--export", folder.path("out"), simulated}).err, HasSubstr("cannot be combined"));
    EXPECT_THAT(capture({"--v2", demo, "-o", folder.path("x.mcap")}).err, HasSubstr("--from-v2"));
}

TEST(Options, CaptureHasSource) {
    const TempFolder folder;
    const auto content = [&folder](Strings arguments) {
        const std::string made = folder.path("made.mcap");
        arguments.insert(arguments.begin(), {"--simulate", "--object", "Processor*", "-o", made});
        EXPECT_EQ(capture(arguments).exit, 0);
        return run({"dump", made, "--format", "csv"}).out;
    };
    const std::string v1 = content({"--source", "v1"}), v2 = content({"--source", "v2"}), both = content({});
    EXPECT_NE(v1, v2);
    EXPECT_GT(both.size(), std::max(v1.size(), v2.size()));
    EXPECT_EQ(content({"--source", "both"}), both);
    EXPECT_EQ(content({"--both"}), both);
    EXPECT_EQ(content({"--v1"}), v1);
    EXPECT_EQ(content({"--v2"}), v2);
    EXPECT_THAT(capture({"--simulate", "--v1", "--source", "v1", "-o", folder.path("x.mcap")}).err,
                HasSubstr("cannot be combined"));
}

TEST(Options, DumpHasARange) {
    const auto shown = [](Strings arguments) {
        arguments.insert(arguments.begin(), {demo, "--format", "csv", "--path", R"(\Processor(*)\% User Time)"});
        return dump(arguments);
    };
    const Strings all = lines(shown({}).out);
    const auto rows_of = [&all](std::string_view time) {
        Strings rows{all.front()};
        std::ranges::copy_if(all, std::back_inserter(rows),
                             [&](const std::string& row) { return row.starts_with(time); });
        return rows;
    };
    // The time is the first column, such as 2024-05-14T09:30:00.000Z.
    std::vector<std::string> times;
    for (const std::string& row : all)
        if (const std::string time = row.substr(0, row.find(','));
            time != "time" && (times.empty() || times.back() != time))
            times.push_back(time);
    ASSERT_GE(times.size(), 3U);
    EXPECT_EQ(lines(shown({"--sample", "1"}).out), rows_of(times[1]));
    EXPECT_EQ(lines(shown({"--from", "1", "--to", "1"}).out), rows_of(times[1]));
    EXPECT_EQ(lines(shown({"--from", times[1], "--to", times[1]}).out), rows_of(times[1]));
    Strings last = rows_of(times[1]);
    for (std::size_t i = 2; i < times.size(); ++i)
        std::ranges::copy_if(all, std::back_inserter(last),
                             [&](const std::string& row) { return row.starts_with(times[i]); });
    EXPECT_EQ(lines(shown({"--from", "1"}).out), last);
    EXPECT_EQ(lines(shown({"--from", "1", "--jobs", "2"}).out), last);
    const Result nothing = shown({"--from", "2030-01-01"});
    EXPECT_EQ(nothing.exit, 2);
    EXPECT_EQ(nothing.err, "hkpd dump: no sample in the range\n");
    EXPECT_THAT(shown({"--sample", "1", "--to", "1"}).err, HasSubstr("cannot be combined"));
    EXPECT_THAT(shown({"--from", "soon"}).err, HasSubstr("--from: expected a time"));
}

TEST(Options, CounterPathsFromFiles) {
    const TempFolder folder;
    const std::string first = R"(\Processor Information(*)\% User Time)";
    const std::string other = R"(\Processor Information(*)\% Privileged Time)";
    const std::string file = folder.write("paths.txt", first + "\n" + other + "\n");
    for (const Strings& command :
         {Strings{"dump", simulated}, {"replay", simulated}, {"top", simulated}, {"compare", simulated, "--all"}}) {
        const auto with = [&command](Strings options) {
            Strings arguments = command;
            arguments.insert(arguments.end(), options.begin(), options.end());
            return run(arguments);
        };
        const std::string everything = with({}).out;
        const Result expected = with({"--path", first, "--path", other});
        EXPECT_NE(expected.out, everything) << command[0];
        EXPECT_EQ(expected.exit, 0) << expected.err;
        EXPECT_EQ(with({"-cf", file}).out, expected.out) << command[0];
        EXPECT_EQ(with({"--cf", file}).out, expected.out) << command[0];
        EXPECT_EQ(with({"-cf", folder.path("none.txt")}).exit, 3);
        const Result empty = with({"-cf", folder.write("empty.txt", "\n")});
        EXPECT_EQ(empty.exit, 2);
        EXPECT_THAT(empty.err, HasSubstr("no counter path found"));
        // A file that is read is never replaced.
        EXPECT_EQ(with({"-cf", file, "-o", file}).exit, 2);
        EXPECT_EQ(read_file(hkpd::path_of(file)), first + "\n" + other + "\n");
    }
}

}  // namespace options_cli_test
}  // namespace hkpd_test
