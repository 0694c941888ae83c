// Help of the command, for screens, manual pages and shells; and its suggestions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/places.hpp"

namespace hkpd_test {
namespace help_cli_test {

using testing::HasSubstr;
using testing::Not;

const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";

/// Returns the subcommands that the overview lists.
std::vector<std::string> listed_subcommands() {
    std::vector<std::string> names;
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    for (const std::string& line : lines(run({"--help"}).out))  // without examples and exit codes
        if (line.starts_with("  ") && line.size() > 2 && is_letter(line[2]) && !line.starts_with("  hkpd "))
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
    return names;
}

/// Returns a text with blanks in place of the ends of its lines.
std::string flat(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

/// Returns the error line of a rejected command.
std::string refusal(std::vector<std::string> arguments) {
    const Result result = run(std::move(arguments));
    EXPECT_EQ(result.exit, 2);
    return result.err;
}

TEST(Help, FitsAScreen) {
    constexpr std::size_t most_lines = 32, most_options = 11;
    ASSERT_GE(listed_subcommands().size(), 9U);
    for (const std::string& name : listed_subcommands()) {
        for (const std::string_view columns : {"100", "80"}) {
            const Result help = run({.arguments = {name, "--help"}, .columns = std::string(columns)});
            EXPECT_EQ(help.exit, 0) << help.err;
            const auto width = static_cast<std::size_t>(std::stoul(std::string(columns)));
            EXPECT_LE(lines(help.out).size(), most_lines) << help.out;
            const auto is_option = [](const std::string& line) {
                return line.starts_with("      --") || line.starts_with("  -");
            };
            EXPECT_LE(std::ranges::count_if(lines(help.out), is_option), most_options) << help.out;
            for (const std::string& line : lines(help.out)) {
                if (line.starts_with("  hkpd ") || line.starts_with("usage:") || line.starts_with("       hkpd "))
                    continue;  // not wrapped, to be copied
                EXPECT_LE(line.size(), width) << line;
            }
            EXPECT_THAT(help.out, HasSubstr("\n  hkpd " + name + " ")) << "an example";
        }
    }
}

/// Returns the first place of a line that begins with this text; the number of lines if there is none.
std::size_t line_of(const std::vector<std::string>& all, std::string_view begin) {
    return static_cast<std::size_t>(
        std::ranges::find_if(all, [begin](const std::string& line) { return line.starts_with(begin); }) - all.begin());
}

TEST(Help, BeginsWithTheQuestion) {
    for (const std::string& name : listed_subcommands()) {
        const auto help = lines(run({.arguments = {name, "--help"}, .columns = "80"}).out);
        EXPECT_THAT(help[0], testing::EndsWith("?")) << name;
        const std::size_t example = line_of(help, "  "), usage = line_of(help, "usage: "),
                          option = std::min(line_of(help, "      -"), line_of(help, "  -"));
        EXPECT_EQ(example, 2U) << name;
        EXPECT_LT(example, usage) << name;
        EXPECT_LT(usage, option) << name;
        EXPECT_LT(option, help.size()) << name;
    }
}

TEST(Help, TheOverviewIsGrouped) {
    const auto help = lines(run(hkpd_test::Run{.arguments = {"--help"}, .columns = "80"}).out);
    EXPECT_THAT(help[0], testing::StartsWith("Reads PerfMon logs (.blg, .csv), captures and raw performance data"));
    std::size_t before = line_of(help, "  hkpd perf.blg ");
    for (const std::string_view group :
         {"look:", "compute:", "check:", "record:", "convert:", "help:", "exit codes:"}) {
        const std::size_t place = line_of(help, group);
        EXPECT_LT(before, place) << group;
        EXPECT_LT(place, help.size()) << group;
        before = place;
    }
    for (const std::string& line : help) EXPECT_LE(line.size(), 80U) << line;
    EXPECT_LE(help.size(), 42U);
}

TEST(Help, TheFullHelpContainsTheShortOne) {
    for (const std::string& name : listed_subcommands()) {
        const std::string all = run({name, "--help-all"}).out;
        for (const std::string& line : lines(run({name, "--help"}).out))
            if (line.starts_with("      --") || line.starts_with("  -")) {
                EXPECT_THAT(all, HasSubstr(line));
            }
        EXPECT_THAT(all, HasSubstr("--help-all"));
        EXPECT_THAT(all, Not(HasSubstr(" more options: ")));
    }
}

TEST(Help, InputsAreWhereAPersonLooks) {
    for (const std::string name : {"info", "dump", "replay", "capture", "check"})
        EXPECT_THAT(flat(run({name, "--help"}).out), HasSubstr("(.blg, .csv, .tsv, text of Get-Counter)")) << name;
    const std::string forms = "samples of PowerShell's Get-Counter as text: as shown, by Format-List, Export-Csv or ";
    for (const std::string name : {"info", "dump", "replay", "top", "report", "check"}) {
        EXPECT_THAT(flat(run({name, "--help-all"}).out), HasSubstr(forms + "ConvertTo-Json")) << name;
        EXPECT_THAT(flat(run({"help", name, "--man"}).out), HasSubstr("Export\\-Csv or ConvertTo\\-Json")) << name;
    }
    EXPECT_THAT(flat(run({"check", "--help"}).out),
                testing::AllOf(HasSubstr("reg export or reg query of the Perflib key"), HasSubstr("(lodctr /q)")));
    EXPECT_THAT(flat(run({"titles", "--help"}).out), HasSubstr("reg export (.reg) or reg query of the Perflib key"));
    EXPECT_THAT(flat(run({"help", "--man"}).out), HasSubstr("text of Get\\-Counter"));
}

TEST(Help, ManualPages) {
    const std::string page = run({"help", "--man"}).out;
    EXPECT_THAT(page, HasSubstr("\n.SH TERMS\n.TP\n\\fBV1\\fR\n"));
    for (const std::string& name : listed_subcommands()) {
        EXPECT_THAT(page, HasSubstr("\n.BR hkpd\\-" + name + " (1)\n")) << name;
        const std::string own = run({"help", name, "--man"}).out;
        for (const std::string_view section : {".TH HKPD\\-", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION",
                                               ".SH OPTIONS", ".SH EXIT STATUS", ".SH EXAMPLES", ".SH SEE ALSO"})
            EXPECT_THAT(own, HasSubstr(section)) << name;
        EXPECT_TRUE(std::ranges::all_of(own, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); })) << name;
    }
    EXPECT_THAT(run({"help", "replay", "--man"}).out, HasSubstr("\\(aq\\eProcessor(_Total)\\e% Processor Time\\(aq"));
    EXPECT_THAT(refusal({"help", "nothing", "--man"}), HasSubstr("nothing"));
    EXPECT_THAT(refusal({"help", "dump", "map"}), HasSubstr("only one subcommand"));
}

TEST(Help, CompletionKnowsEverySubcommandAndOption) {
    for (const std::string shell : {"bash", "zsh", "fish", "powershell"}) {
        const Result script = run({"completion", shell});
        EXPECT_EQ(script.exit, 0);
        for (const std::string& name : listed_subcommands()) EXPECT_THAT(script.out, HasSubstr(name)) << shell;
        for (const std::string_view word : {"help-all", "multi-timer", "openmetrics", "multi_sz", "sarif"})
            EXPECT_THAT(script.out, HasSubstr(word)) << shell;
    }
    EXPECT_THAT(refusal({"completion"}), HasSubstr("bash, zsh, fish or powershell"));
    EXPECT_THAT(refusal({"completion", "csh"}), HasSubstr("bash, zsh, fish or powershell"));
}

TEST(Help, CompletionScriptsAreComplete) {
    const std::string fish = run({"completion", "fish"}).out;
    for (const std::string_view option :
         {"-l source -x -a 'v1 v2 log' -d 'only samples of the registry, PerfLib or logs'\n",
          "-l crlf -d 'pdh-csv, pdh-tsv: end lines with CRLF'\n",
          "-l source -x -a 'v1 v2 both' -d 'live, simulated: interface to read: v1, v2 or both'\n",
          "-l path -x -d 'counter path such as \\'\\\\System\\\\Threads\\''\n",
          "-l output -s o -r -F -d 'capture to write'\n"})
        EXPECT_THAT(fish, HasSubstr(option));
    for (const std::string& line : lines(fish)) {
        EXPECT_EQ(std::ranges::count(line, '('), std::ranges::count(line, ')')) << line;
        EXPECT_EQ(line.find(" -d ''"), std::string::npos) << line;
    }
}

TEST(Suggestions, OfSubcommandsAndOptions) {
    EXPECT_EQ(refusal({"repaly"}), "hkpd: unknown subcommand 'repaly': did you mean 'replay'? (see hkpd --help)\n");
    EXPECT_THAT(refusal({"help", "titels"}), HasSubstr("did you mean 'titles'?"));
    EXPECT_THAT(refusal({"dump", "--fromat", "json", demo}), HasSubstr("did you mean '--format'?"));
    EXPECT_THAT(refusal({"dump", "--summary", demo}), HasSubstr("'--summary': supported by hkpd replay"));
    EXPECT_THAT(refusal({"dump", "--format", "openmetrics", demo}),
                HasSubstr("'openmetrics': supported by hkpd replay"));
    for (const std::string& wrong :
         {refusal({"nonsense"}), refusal({"x"}), refusal({"dump", "--nonsense", demo}), refusal({"dump", "-x", demo}),
          refusal({"dump", "--format", "nonsense", demo}), refusal({std::string(100'000, 'r')})})
        EXPECT_THAT(wrong, Not(testing::AnyOf(HasSubstr("did you mean"), HasSubstr("supported by"))));
}

TEST(Suggestions, CaseMattersInSubcommandsAndOptions) {
    for (const std::string name : {"Dump", "DUMP"}) {
        EXPECT_THAT(refusal({name}), HasSubstr("did you mean 'dump'?"));
        EXPECT_THAT(refusal({"help", name}), HasSubstr("did you mean 'dump'?"));
    }
    EXPECT_THAT(refusal({"dump", "--Object", "X", demo}), HasSubstr("did you mean '--object'?"));
    EXPECT_THAT(refusal({"dump", "--format", "JSON", demo}), HasSubstr("found 'JSON': did you mean 'json'?"));
    EXPECT_THAT(refusal({"dump", "--source", "V1", demo}), HasSubstr("did you mean 'v1'?"));
}

TEST(Suggestions, OfValues) {
    EXPECT_THAT(refusal({"dump", "--format", "jsno", demo}), HasSubstr("found 'jsno': did you mean 'json'?"));
    EXPECT_THAT(refusal({"completion", "bsh"}), HasSubstr("powershell: did you mean 'bash'?"));
    EXPECT_THAT(refusal({"titles", "fnid"}), HasSubstr("did you mean 'find'?"));
    EXPECT_THAT(refusal({"titles", "print"}), Not(HasSubstr("did you mean")));
}

TEST(Suggestions, OfTheFirstArgument) {
    EXPECT_EQ(refusal({"--versoin"}),
              "hkpd: unrecognised option '--versoin': did you mean '--version'? (see hkpd --help)\n");
    EXPECT_EQ(refusal({"version"}),
              "hkpd: unknown subcommand 'version': did you mean '--version'? (see hkpd --help)\n");
    EXPECT_THAT(refusal({"-v"}), HasSubstr("unrecognised option '-v': did you mean '-V'?"));
    EXPECT_THAT(refusal({"-help"}), HasSubstr("did you mean '--help'?"));
    EXPECT_THAT(refusal({"--nonsense"}), Not(HasSubstr("did you mean")));
    EXPECT_THAT(refusal({"-x"}), Not(HasSubstr("did you mean")));
}

TEST(Suggestions, OfUnknownNames) {
    const auto error_of = [](const std::string& option, const std::string& name) {
        return refusal({"dump", demo, option, name});
    };
    EXPECT_EQ(error_of("--object", "procesor"),
              "hkpd dump: no object 'procesor' in any sample: did you mean 'Processor'?\n");
    EXPECT_THAT(error_of("--counter", "Threds"), HasSubstr("did you mean 'Threads'?"));
    EXPECT_THAT(refusal({"dump", demo, "--object", "System", "--counter", "Threds"}), HasSubstr("'Threads'?"));
    EXPECT_THAT(refusal({"dump", demo, "--object", "Memory", "--counter", "Threds"}), Not(HasSubstr("'Threads'?")));
    EXPECT_THAT(error_of("--path", R"(\Procesor(*)\% Processor Time)"), HasSubstr("did you mean 'Processor'?"));
    EXPECT_THAT(error_of("--path", R"(\Processor(*)\% Procesor Time)"), HasSubstr("did you mean '% Processor Time'?"));
    EXPECT_THAT(error_of("--path", R"(\Process\% Processor Time)"), HasSubstr("did you mean 'Process(*)'?"));
    for (const auto& [option, name] : std::vector<std::pair<std::string, std::string>>{
             {"--object", "Prozessorzeit"},
             {"--object", "Procesor*"},
             {"--object", "239"},
             {"--object", std::string(100'000, 'P')},
             {"--instance", "_Totl"},
             {"--path", R"(\Process(absent)\% User Time)"},  // it exists, for other instances
             {"--path", R"(\Processor(*)\% Procesor T*)"}})
        EXPECT_THAT(error_of(option, name), Not(HasSubstr("did you mean"))) << name;
}

TEST(Suggestions, InOtherPlaces) {
    EXPECT_THAT(refusal({"titles", "find", "procesor"}), HasSubstr("did you mean 'Processor'?"));
    EXPECT_THAT(refusal({"map", demo, "--object", "Procesor"}), HasSubstr("did you mean 'Processor'?"));
    EXPECT_THAT(refusal({"dump", demo, demo, "--jobs", "2", "--object", "Procesor"}),
                HasSubstr("no object 'Procesor' in any sample: did you mean 'Processor'?"));
}

}  // namespace help_cli_test
}  // namespace hkpd_test
