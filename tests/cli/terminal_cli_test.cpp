// What the command shows on a terminal and not elsewhere: timelines, overviews, colours, progress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/machine.hpp"
#include "support/pattern.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"
#include "support/terminal.hpp"

namespace hkpd_test {
namespace terminal_cli_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string captures = std::string(testdata_folder) + "/captures";

Result on_terminal(std::vector<std::string> arguments, TerminalRun how = {}) {
    how.arguments = std::move(arguments);
    if (how.directory.empty()) how.directory = captures;
    return run_on_terminal(how);
}

class Terminal : public testing::Test {
  protected:
    void SetUp() override { is_skipped(missing_terminals()); }
};

TEST_F(Terminal, FewCountersAreATimeline) {
    const std::vector<std::string> few{"replay", "demo.mcap", "--path", R"(\System\Processes)"};
    std::vector<std::string> explicitly = few;
    explicitly.insert(explicitly.end(), {"--format", "timeline"});
    const Result result = on_terminal(few);
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.out, StartsWith("\\\\DEMO\\System\\Processes\ntime (UTC)"));
    EXPECT_EQ(result.out, run({.arguments = explicitly, .directory = captures}).out);
    EXPECT_THAT(on_terminal({"replay", "demo.mcap", "--object", "Process"}).out, StartsWith("machine DEMO, "))
        << "many counters are a table";
    std::vector<std::string> table = few;
    table.insert(table.end(), {"--format", "table"});
    EXPECT_THAT(on_terminal(table).out, StartsWith("machine DEMO, "));
}

TEST_F(Terminal, TheHeadingIsRepeatedOnEachScreen) {
    const Result result =
        on_terminal({"replay", "--simulate", "--count", "40", "--path", R"(\System\Processes)"}, {.lines = 20});
    std::size_t headings = 0;
    for (const std::string& line : lines(result.out)) headings += line.starts_with("time (UTC)") ? 1U : 0U;
    EXPECT_EQ(headings, 3U) << result.out;
}

TEST_F(Terminal, WithoutAFilterAnOverviewIsShown) {
    for (const auto& [subcommand, input] : {std::pair("replay", "demo.mcap"), std::pair("dump", "demo.bin")}) {
        const Result result = on_terminal({subcommand, input});
        EXPECT_EQ(result.exit, 0);
        EXPECT_THAT(result.out,
                    AllOf(HasSubstr("samples      3, every 2 s"), HasSubstr("Process "),
                          HasSubstr("\nEverything: hkpd " + std::string(subcommand) + " " + input + " --all\n")));
        EXPECT_LE(lines(result.out).size(), 40U);
        std::size_t commands = 0;  // each of them works
        for (const std::string& line : lines(result.out)) {
            const std::string begin = "  hkpd ";
            if (!line.starts_with(begin)) continue;
            ++commands;
            std::vector<std::string> words{""};
            bool quoted = false;
            for (const char c : line.substr(begin.size())) {
                if (c == '\'')
                    quoted = !quoted;
                else if (c == ' ' && !quoted)
                    words.emplace_back();
                else
                    words.back() += c;
            }
            const Result shown = on_terminal(words);
            EXPECT_EQ(shown.exit, 0) << line;
            EXPECT_GT(lines(shown.out).size(), 3U) << line;
            EXPECT_THAT(shown.out, Not(HasSubstr("hkpd"))) << line;
        }
        EXPECT_EQ(commands, 3U) << result.out;
    }
}

TEST_F(Terminal, EverythingIsShownIfItIsRequestedOrGoesElsewhere) {
    const std::string all = run({.arguments = {"dump", "demo.bin"}, .directory = captures, .columns = "80"}).out;
    EXPECT_GT(lines(all).size(), 200U);
    EXPECT_EQ(on_terminal({"dump", "demo.bin", "--all"}).out, all);
    EXPECT_EQ(on_terminal({"dump", "demo.bin", "--format", "table"}).out, all);
    const TempFolder folder;
    const std::string path = folder.path("out.txt");
    EXPECT_EQ(on_terminal({"dump", "demo.bin"}, {.environment = {"COLUMNS=80"}, .output = path}).out, "");
    EXPECT_EQ(read_file(path), all);
}

TEST_F(Terminal, AnOverviewOfADamagedInputReportsFaults) {
    const Result damaged = on_terminal({"dump", "damaged.bin"});
    EXPECT_EQ(damaged.exit, 1);
    EXPECT_THAT(damaged.out, AllOf(HasSubstr("Everything:"), HasSubstr("damaged.bin: offset 0x668: error: ")));
    const Result missing = on_terminal({"replay", "missing.bin"});
    EXPECT_EQ(missing.exit, 3);
    EXPECT_THAT(missing.out, Not(HasSubstr("Everything:")));
    const Result range = on_terminal({"replay", "demo.mcap", "--from", "2030-01-01"});
    EXPECT_EQ(range.exit, 2);
    EXPECT_EQ(range.out, "hkpd replay: no sample in the range\n");
}

TEST_F(Terminal, NamesOfFilesCannotControlIt) {
    const TempFolder folder;
    const std::string name = "a\x1B[2J'b.bin";
    folder.write(name, read_file(captures + "/demo.bin"));
    const Result result = on_terminal({"dump", name}, {.directory = folder.path()});
    EXPECT_THAT(result.out, AllOf(Not(HasSubstr("\x1B")), HasSubstr(R"('a\x1B[2J'\''b.bin')")));
}

/// Returns a blob with a damaged value: the first counter block of two ends before its second counter.
blob::Blob damaged_value() {
    blob::Object object{.title = 50,
                        .kind = blob::Kind::multi,
                        .counters = {{.title = 10, .size = 8}, {.title = 12}},
                        .instances = {{.name = u"a", .values = {1U, 2U}}, {.name = u"b", .values = {3U, 4U}}}};
    object.instances[0].block_length = 16;
    return blob::build({.objects = {object}});
}

TEST_F(Terminal, ColoursAreShownOnTerminalsOnly) {
    const TempFolder folder;
    const std::string red = "\x1B[31m       damaged\x1B[0m";
    const std::vector<std::string> arguments{"dump", folder.write("damaged.bin", damaged_value()), "--all"};
    const auto with = [&](std::vector<std::string> more, TerminalRun how = {}) {
        more.insert(more.begin(), arguments.begin(), arguments.end());
        return on_terminal(more, std::move(how)).out;
    };
    EXPECT_THAT(with({}), HasSubstr(red));
    EXPECT_THAT(with({"--color", "never"}), Not(HasSubstr("\x1B")));
    EXPECT_THAT(with({}, {.environment = {"NO_COLOR=1"}}), Not(HasSubstr("\x1B")));
    EXPECT_THAT(with({}, {.environment = {"NO_COLOR="}}), HasSubstr(red)) << "empty: as if not set";
    EXPECT_THAT(with({}, {.environment = {"TERM=dumb"}}), Not(HasSubstr("\x1B")));
    EXPECT_THAT(with({"--color", "always"}, {.environment = {"NO_COLOR=1", "TERM=dumb"}}), HasSubstr(red));
    const auto elsewhere = [&](std::vector<std::string> more) {
        more.insert(more.begin(), arguments.begin(), arguments.end());
        return run({.arguments = more, .directory = captures}).out;
    };
    EXPECT_THAT(elsewhere({}), Not(HasSubstr("\x1B")));
    EXPECT_THAT(elsewhere({"--color", "always"}), HasSubstr(red));
}

TEST_F(Terminal, ProgressAndTheClosingLineAreShownAndErased) {
    const TempFolder folder;
    const std::string path = folder.path("out.csv");
    const Result result = on_terminal({"replay", "demo.mcap", "--format", "csv", "--speed", "1.4", "-o", path});
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.out, hkpd::ContainsPattern("\r[0-9]+ %, [0-9.]+ KiB of [0-9.]+ KiB, [0-9.]+ ([KM]i)?B/s, "
                                                  "[0-9]+ s left"));
    const std::string last = result.out.substr(result.out.rfind('\r') + 1);
    EXPECT_EQ(last, path + ": 3 samples, 3725 values, " + last.substr(last.rfind(", ") + 2));
    EXPECT_THAT(last, testing::EndsWith(" KiB written\n"));
    EXPECT_EQ(lines(read_file(path)).size(), 3725U + 1);
    const Result plain =
        run({.arguments = {"replay", "demo.mcap", "--format", "csv", "-o", path}, .directory = captures});
    EXPECT_EQ(plain.out + plain.err, "") << "no closing line in the log of a service";
    EXPECT_THAT(on_terminal({"replay", "demo.mcap", "--path", R"(\System\Processes)", "--speed", "1.4"}).out,
                Not(HasSubstr("\r")))
        << "no progress in the middle of the output";
}

TEST_F(Terminal, LiveTopReplacesItsTableUntilTheUserEndsIt) {
    const std::string prompt = "  q quit  ";
    const std::vector<std::string> live{"top", "--simulate", "--live", "--interval", "0.2"};
    const Result result = on_terminal(live, {.lines = 12, .keys = {"m", "x", "n", "q"}, .prompt = prompt});
    EXPECT_EQ(result.exit, 0) << result.out;
    EXPECT_THAT(result.out, StartsWith("\x1B[?1049h"));
    EXPECT_THAT(result.out, HasSubstr("\x1B[?25h\x1B[?1049l"));
    std::vector<std::string> screens;
    for (std::size_t begin = result.out.find("\x1B[H"), end = 0; begin != std::string::npos; begin = end) {
        end = result.out.find("\x1B[H", begin + 1);
        screens.push_back(result.out.substr(begin, end - begin));
        EXPECT_LE(lines(screens.back()).size(), 12U) << screens.back();
    }
    ASSERT_GE(screens.size(), 4U);
    EXPECT_THAT(screens.front(), AllOf(HasSubstr("machine SIMULATED, 1 sample, 20"), HasSubstr("\x1B[7mc CPU\x1B[0m")));
    EXPECT_THAT(result.out, HasSubstr(" processes by working set\x1B"));
    EXPECT_THAT(screens.back(), AllOf(HasSubstr(" processes by name\x1B"), HasSubstr("\x1B[7mn name\x1B[0m")));
}

}  // namespace terminal_cli_test
}  // namespace hkpd_test
