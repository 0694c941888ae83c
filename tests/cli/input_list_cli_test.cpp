// The inputs of a command line: one that is named twice is read once, hkpd expands patterns that no shell expanded, and
// the name of an input alone shows what it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "run_command.hpp"
#include "sqlite_cli.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace input_list_cli_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Strings = std::vector<std::string>;

Strings operator+(Strings left, const Strings& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

/// Returns a text log of one sample of a machine.
std::string log_of(const std::string& machine, const std::string& time = "09:30:00") {
    return "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\" + machine + "\\System\\Threads\"\r\n\"05/14/2024 " + time +
           ".000\",\"7\"\r\n";
}

class InputList : public testing::Test {
  protected:
    Result in_folder(Strings arguments, const std::string& output = {}) const {
        return run({.arguments = std::move(arguments), .directory = folder_.path(), .output = output});
    }
    /// Makes a symbolic or hard link. Returns false where the system has none, as Wine.
    bool link(const std::string& target, const std::string& name, bool hard = false) const {
        std::error_code error;
        const std::filesystem::path path = hkpd::path_of(folder_.path(name));
        if (hard)
            std::filesystem::create_hard_link(hkpd::path_of(folder_.path(target)), path, error);
        else
            std::filesystem::create_symlink(hkpd::path_of(folder_.path(target)), path, error);
        return !error;
    }
    /// Returns the machines of the lines of `replay --format csv`, in order.
    static Strings machines(const Result& result) {
        Strings found;
        for (const std::string& line : lines(result.out))
            if (!line.starts_with("time,")) found.push_back(line.substr(25, line.find(',', 25) - 25));
        return found;
    }

    TempFolder folder_;
};

TEST_F(InputList, AFileIsReadOnceByAllItsNames) {
    folder_.write("logs/a.csv", log_of("A"));
    folder_.write("logs/below/b.csv", log_of("B"));
    Strings names{"logs/a.csv", "logs/../logs/a.csv", folder_.path("logs/a.csv")};
    if (link("logs/a.csv", "link.csv")) names.emplace_back("link.csv");
    if (link("logs/a.csv", "hard.csv", true)) names.emplace_back("hard.csv");
    if (link("logs", "linked")) names.emplace_back("linked/a.csv");
    for (const std::string& name : names) {
        const Result result = in_folder({"replay", "--format", "csv", "logs/a.csv", name});
        EXPECT_EQ(result.exit, 0) << name;
        EXPECT_THAT(machines(result), ElementsAre("A")) << name;
        EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
        EXPECT_THAT(result.err, AllOf(StartsWith("hkpd replay: note: '"), HasSubstr("and is read once")));
        // A folder that has it, in front of it and after it.
        for (const Strings& inputs : {Strings{"logs", name}, Strings{name, "logs"}}) {
            const Result with_folder = in_folder(Strings{"replay", "--format", "csv"} + inputs);
            EXPECT_THAT(machines(with_folder), ElementsAre("A")) << name;
            EXPECT_THAT(with_folder.err, HasSubstr("' is in 'logs', and is read once")) << name;
        }
    }
    EXPECT_THAT(machines(in_folder({"replay", "--format", "csv", "logs", "logs/"})), ElementsAre("A"));
    EXPECT_THAT(machines(in_folder({"replay", "--format", "csv", "-r", "logs", "logs/below"})), ElementsAre("A", "B"));
    // Without -r, a folder below is another input; and two files of one content are two files.
    EXPECT_THAT(machines(in_folder({"replay", "--format", "csv", "logs", "logs/below"})), ElementsAre("A", "B"));
    folder_.write("copy.csv", log_of("A"));
    const Result copies = in_folder({"replay", "--format", "csv", "logs/a.csv", "copy.csv"});
    EXPECT_THAT(machines(copies), ElementsAre("A", "A"));
    EXPECT_EQ(copies.err, "");
}

TEST_F(InputList, ALinkInAFolderIsNotReadAgain) {
    folder_.write("logs/a.csv", log_of("A"));
    folder_.write("logs/b.csv", log_of("B"));
    if (!link("logs/b.csv", "logs/current.csv")) GTEST_SKIP() << "this system has no links";
    for (const Strings& how : {Strings{"logs"}, Strings{"-r", "logs"}}) {
        const Result result = in_folder(Strings{"replay", "--format", "csv"} + how);
        EXPECT_EQ(result.exit, 0);
        EXPECT_THAT(machines(result), ElementsAre("A", "B"));
        EXPECT_THAT(result.err, HasSubstr("current.csv: note: this is the same file as an earlier input"));
    }
}

TEST_F(InputList, EverySubcommandReadsItOnce) {
    const std::string demo = folder_.write("demo.bin", read_file(std::string(testdata_folder) + "/captures/demo.bin"));
    const std::string output = folder_.path("out");
    for (const Strings& command : {Strings{"info"},
                                   {"dump"},
                                   {"replay", "--summary"},
                                   {"replay", "--jobs", "2", "--format", "csv"},
                                   {"top"},
                                   {"report", "-o", output},
                                   {"check"},
                                   {"map"},
                                   {"capture", "-o", output},
                                   {"relog", "-q"}}) {
        const auto once = [&](Strings inputs) {
            std::filesystem::remove(output);
            return in_folder(command + std::move(inputs));
        };
        const Result one = once({demo}), two = once({demo, "./demo.bin"});
        EXPECT_EQ(two.exit, one.exit) << command[0];
        EXPECT_EQ(two.out, one.out) << command[0];
        EXPECT_THAT(two.err, StartsWith("hkpd " + command[0] + ": note: './demo.bin' is the same input as '"));
    }
    // Two runs that are compared are two, also if they are the same one.
    EXPECT_THAT(in_folder({"compare", demo, "demo.bin"}).err, Not(HasSubstr("is read once")));
}

TEST_F(InputList, PatternsAreExpanded) {
    folder_.write("b.csv", log_of("B"));
    folder_.write("A.CSV", log_of("A"));
    folder_.write(".hidden.csv", log_of("H"));
    folder_.write("2024/c.csv", log_of("C"));
    folder_.write("2025/d.csv", log_of("D"));
    const auto all = [this](const std::string& pattern) {
        const Result result = in_folder({"replay", "--format", "csv", pattern});
        EXPECT_EQ(result.exit, 0) << pattern << result.err;
        EXPECT_EQ(result.err, "");
        return machines(result);
    };
    EXPECT_THAT(all("*.csv"), ElementsAre("A", "B"));
    EXPECT_THAT(all("./?.csv"), ElementsAre("A", "B"));
    EXPECT_THAT(all(".h*.csv"), ElementsAre("H"));
    EXPECT_THAT(all("202*/?.csv"), ElementsAre("C", "D"));
    EXPECT_THAT(all("202?"), ElementsAre("C", "D")) << "directories";
    EXPECT_THAT(all(folder_.path() + "/*4/*"), ElementsAre("C"));
    EXPECT_THAT(machines(in_folder({"replay", "--format", "csv", "*.csv", "b.csv"})), ElementsAre("A", "B"));
}

TEST_F(InputList, AFileOfThatNameIsNoPattern) {
#ifdef _WIN32
    GTEST_SKIP() << "no file has such a name";
#endif
    folder_.write("*.csv", log_of("STAR"));
    folder_.write("b.csv", log_of("B"));
    EXPECT_THAT(machines(in_folder({"replay", "--format", "csv", "*.csv"})), ElementsAre("STAR"));
}

TEST_F(InputList, APatternWithoutMatchIsAMissingInput) {
    folder_.write("b.csv", log_of("B"));
    const std::string output = folder_.path("out");
    for (const Strings& command : {Strings{"info"},
                                   {"dump"},
                                   {"replay"},
                                   {"top"},
                                   {"report", "-o", output},
                                   {"check"},
                                   {"map"},
                                   {"capture", "-o", output},
                                   {"compare"},
                                   {"relog"},
                                   {"titles", "list"}}) {
        const Result none = in_folder(command + Strings{"b.csv", "*.blg"}),
                     deep = in_folder(command + Strings{"x/*/y"});
        for (const Result& result : {none, deep}) {
            EXPECT_EQ(result.exit, 3) << command[0];
            EXPECT_EQ(result.out, "");
        }
        EXPECT_EQ(none.err,
                  "hkpd " + command[0] + ": *.blg: cannot be read: no file has a name that matches this pattern\n");
        EXPECT_FALSE(std::filesystem::exists(output));
    }
}

TEST_F(InputList, AnInputAloneShowsWhatItIs) {
    const std::string captures = std::string(testdata_folder) + "/captures";
    folder_.write("log.csv", log_of("A"));
    folder_.write("titles.txt", "6\nProcessor\n8\nProcess\n10\nMemory\n");
    folder_.write("below/log.csv", log_of("B"));
    folder_.write("picture.png", "\x89PNG\r\n\x1A\n");
    for (const std::string& input :
         {std::string("log.csv"), std::string("titles.txt"), std::string("below"), std::string("*.csv"),
          std::string("picture.png"), captures + "/demo.bin", captures + "/demo.mcap", captures + "/simulated.mcap",
          captures + "/damaged.bin"}) {
        const Result alone = in_folder({input}), info = in_folder({"info", input});
        EXPECT_EQ(alone.exit, info.exit) << input;
        EXPECT_EQ(alone.out, info.out) << input;
        EXPECT_EQ(alone.err, "hkpd: this is hkpd info " + input + "; other questions: hkpd --help\n" + info.err);
    }
    const Result json = in_folder({"log.csv", "below", "--format", "json"});
    EXPECT_EQ(parse_json(json.out)["inputs"].Size(), 2U);
    const Result piped = run({.arguments = {"-"}, .input = log_of("A")});
    EXPECT_THAT(piped.out, HasSubstr("machine      A"));
}

TEST_F(InputList, AnUnknownWordIsNoInput) {
    EXPECT_EQ(in_folder({"repaly"}).err,
              "hkpd: unknown subcommand 'repaly': did you mean 'replay'? (see hkpd --help)\n");
    EXPECT_EQ(in_folder({"perf.blg"}).err, "hkpd: 'perf.blg' is neither a file nor a subcommand (see hkpd --help)\n");
    for (const std::string word : {"repaly", "perf.blg", "*.blg", "nonsense"}) {
        EXPECT_EQ(in_folder({word}).exit, 2) << word;
        EXPECT_EQ(in_folder({word}).out, "") << word;
    }
    // A subcommand is one, even if a file has its name.
    folder_.write("top", log_of("A"));
    EXPECT_THAT(in_folder({"top"}).err, StartsWith("hkpd top: no input"));
}

TEST_F(InputList, AColumnNamesTheFile) {
    folder_.write("a.csv", log_of("A"));
    folder_.write("=b.csv", log_of("B", "09:30:05"));
    for (const std::string subcommand : {"dump", "replay"})
        for (const Strings& jobs : {Strings{}, Strings{"--jobs", "2"}}) {
            const Strings command = Strings{subcommand, "--file-column", "a.csv", "=b.csv"} + jobs;
            const Strings csv = lines(in_folder(command + Strings{"--format", "csv"}).out);
            ASSERT_EQ(csv.size(), 3U);
            EXPECT_THAT(csv[0], StartsWith("time,machine,file,source,object,"));
            EXPECT_THAT(csv[1], HasSubstr(",A,a.csv,log,System,"));
            EXPECT_THAT(csv[2], HasSubstr(",B,'=b.csv,log,System,"))
                << "as other cells that a spreadsheet would compute";
            const Strings json = lines(in_folder(command + Strings{"--format", "jsonl"}).out);
            ASSERT_EQ(json.size(), 2U);
            EXPECT_STREQ(parse_json(json[0])["file"].GetString(), "a.csv");
            EXPECT_STREQ(parse_json(json[1])["file"].GetString(), "=b.csv");
            // Without the option, the same lines without the column.
            Strings usual = command + Strings{"--format", "jsonl"};
            std::erase(usual, "--file-column");
            const rapidjson::Document line = parse_json(lines(in_folder(usual).out)[0]);
            EXPECT_FALSE(line.HasMember("file"));
            EXPECT_EQ(line.MemberCount() + 1, parse_json(json[0]).MemberCount());
        }
    for (const Strings& wrong : {Strings{"--format", "json"}, Strings{}, Strings{"--format", "csv", "--summary"},
                                 Strings{"--format", "csv", "--bucket", "1min"}}) {
        const Result result = in_folder(Strings{"replay", "--file-column", "a.csv"} + wrong);
        EXPECT_EQ(result.exit, 2);
        EXPECT_THAT(result.err, HasSubstr("--file-column"));
    }
}

TEST_F(SqliteCli, AFileNamedTwiceIsStoredOnce) {
    add(Strings{demo, demo});
    const Strings once = ask("SELECT count(*), count(DISTINCT time) FROM samples");
    EXPECT_EQ(ask("SELECT count(DISTINCT time) FROM samples"), Strings{"3"});
    const std::string another = folder_.path("another.db");
    run({"replay", "--format", "sqlite", "-o", another, demo});
    EXPECT_EQ(
        lines(run({.arguments = {"sqlite3", "-batch", another, "SELECT count(*), count(DISTINCT time) FROM samples"},
                   .program = "/usr/bin/env"})
                  .out),
        once);
}

}  // namespace input_list_cli_test
}  // namespace hkpd_test
