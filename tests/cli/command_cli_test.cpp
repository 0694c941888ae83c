// The command line itself: how errors are reported, and where output goes.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/machine.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace command_cli_test {

using Arguments = std::vector<std::string>;

/// Expects nothing on standard output, one line on standard error that contains these words, and this exit code.
void expect_refused(const Result& result, int exit, std::string_view words) {
    EXPECT_EQ(result.exit, exit) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
    EXPECT_TRUE(result.err.ends_with("\n")) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
}

TEST(Command, HelpAndVersion) {
    const Result version = run({"--version"});
    EXPECT_EQ(version.exit, 0);
    EXPECT_TRUE(lines(version.out).at(0).starts_with("hkpd ")) << version.out;
    for (const std::string_view fact : {"\nbuilt: ", "\nlibraries: Boost 1.", ", zstd "})
        EXPECT_NE(version.out.find(fact), std::string::npos) << version.out;
    EXPECT_TRUE(std::regex_search(version.out, std::regex("\nbuilt: .* by [A-Za-z]+ [0-9]+\\.[0-9.]+ for ")))
        << "the compiler, with its version: " << version.out;
    for (const Arguments& arguments : {Arguments{"--help"}, Arguments{"-h"}, Arguments{"help"}}) {
        const Result help = run(arguments);
        EXPECT_EQ(help.exit, 0);
        EXPECT_EQ(help.err, "");
        for (const std::string_view word : {"usage:", "dump", "titles"})
            EXPECT_NE(help.out.find(word), std::string::npos) << help.out;
    }
}

TEST(Command, ArgumentsAfterHelpAndVersion) {
    EXPECT_EQ(run({"-V"}).out, run({"--version"}).out);
    for (const std::string option : {"--help", "-h"})
        EXPECT_EQ(run({option, "replay"}).out, run({"help", "replay"}).out);
    expect_refused(run({"--help", "nonsense"}), 2, "unknown subcommand 'nonsense'");
    expect_refused(run({"--help", "dump", "map"}), 2, "only one subcommand");
    expect_refused(run({"--version", "extra"}), 2, "'extra'");
    expect_refused(run({"-V", "dump"}), 2, "'dump'");
}

TEST(Command, HelpOfSubcommands) {
    const Arguments options{"--titles",    "--lang",   "--object",       "--instance", "--counter", "--path",
                            "--help-text", "--strict", "--limit-values", "--format",   "--types"};
    const Result all = run({"dump", "--help-all"});
    EXPECT_EQ(all.exit, 0);
    EXPECT_EQ(all.err, "");
    for (const std::string& option : options) EXPECT_NE(all.out.find(option), std::string::npos) << option;
    const Result usual = run({"dump", "--help"});
    EXPECT_EQ(usual.exit, 0);
    EXPECT_EQ(usual.err, "");
    EXPECT_NE(usual.out.find("--object"), std::string::npos);
    EXPECT_EQ(usual.out.find("--limit-values"), std::string::npos);
    EXPECT_NE(usual.out.find("more options: hkpd dump --help-all"), std::string::npos);
    EXPECT_EQ(run({"dump", "-h"}).out, usual.out);
    EXPECT_EQ(run({"help", "dump"}).out, usual.out);
    const Result titles = run({"titles", "--help"});
    EXPECT_EQ(titles.exit, 0);
    for (const std::string_view word : {"list", "find", "export", "--format", "multi_sz", "--lang"})
        EXPECT_NE(titles.out.find(word), std::string::npos) << word;
}

TEST(Command, WithoutArguments) {
    const Result result = run(Arguments{});
    EXPECT_EQ(result.exit, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("usage:"), std::string::npos);
}

TEST(Command, WrongUsage) {
    const TempFolder folder;
    const std::string good = folder.write("good.bin", blob::build({}));
    expect_refused(run({"undump"}), 2, "undump");
    expect_refused(run({"--nonsense"}), 2, "--nonsense");
    expect_refused(run({"help", "nonsense"}), 2, "nonsense");
    expect_refused(run({"dump"}), 2, "no input");
    expect_refused(run({"dump", "--nonsense", good}), 2, "--nonsense");
    expect_refused(run({"dump", "--form", "json", good}), 2, "--form");
    expect_refused(run({"dump", good, "--format"}), 2, "--format");
    expect_refused(run({"dump", good, "--format", "nonsense"}), 2, "nonsense");
    expect_refused(run({"dump", good, "--format", "JSON "}), 2, "JSON ");
    expect_refused(run({"dump", good, "--path", "Processor"}), 2, "Processor");
    expect_refused(run({"dump", good, "--lang", "english"}), 2, "english");
    expect_refused(run({"dump", good, "--limit-values", "many"}), 2, "many");
    expect_refused(run({"dump", good, "--limit-values", "-1"}), 2, "-1");
    expect_refused(run({"dump", good, "--limit-values", "99999999999999999999"}), 2, "99999999999999999999");
    expect_refused(run({"titles"}), 2, "list, find or export");
    expect_refused(run({"titles", "print"}), 2, "print");
    expect_refused(run({"titles", "find"}), 2, "find");
    expect_refused(run({"titles", "list", "--nonsense"}), 2, "--nonsense");
    expect_refused(run({"titles", "export", "--format", "csv"}), 2, "csv");
    expect_refused(run({"titles", "list", "--lang", "xyz"}), 2, "xyz");
}

TEST(Command, InputsThatCannotBeRead) {
    const TempFolder folder;
    folder.write("folder/note.txt", "no blob");
    expect_refused(dump({"-"}, "x"), 3, "no counter path");
    expect_refused(dump({"-"}, ""), 3, "empty file");
    expect_refused(dump({folder.write("empty.bin", "")}), 3, "empty.bin");
    expect_refused(dump({folder.path("folder")}), 3, folder.path("folder"));
    expect_refused(dump({folder.path("missing.bin")}), 3, "missing.bin");
    expect_refused(dump({folder.write("text.txt", std::string(500, 't'))}), 3, "text.txt");
}

TEST(Command, FaultsNameFileOffsetAndField) {
    const TempFolder folder;
    blob::Blob blob = blob::build({.objects = {{.title = 2, .counters = {{.title = 10}}}}});
    const std::size_t at = blob.counter(0, 0) + blob::counter_definition::CounterOffset;
    blob.put32(at, 1U << 20U);
    const std::string input = folder.write("blob.bin", blob);
    const Result result = dump({input});
    EXPECT_EQ(result.exit, 1);
    char offset[32];
    std::snprintf(offset, sizeof offset, "offset 0x%zx", at);
    for (const std::string_view part :
         {std::string_view(input), std::string_view(offset), std::string_view("error"),
          std::string_view("CounterOffset"), std::string_view("expected"), std::string_view("found")})
        EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
}

TEST(Command, ManyFaultsOfAKindAreShortened) {
    blob::Block block{.objects = {{.title = 2, .kind = blob::Kind::multi, .counters = {{.title = 10}, {.title = 12}}}}};
    for (int i = 0; i < 200; ++i) block.objects[0].instances.push_back({.name = u"i", .block_length = 8});
    const std::string input = to_text(blob::build(block));
    const Result result = dump({"-"}, input);
    EXPECT_EQ(result.exit, 1);
    EXPECT_LT(lines(result.err).size(), 20U);
    EXPECT_NE(result.err.find("195 more: "), std::string::npos) << result.err;
    EXPECT_EQ(lines(dump({"-", "-v"}, input).err).size(), 200U);
}

TEST(Command, OutputThatCannotBeWritten) {
    if (is_skipped(missing_full_device())) return;
    const TempFolder folder;
    const std::string input =
        folder.write("blob.bin", blob::build({.objects = {{.title = 2, .counters = {{.title = 10}}}}}));
    for (const Arguments& arguments :
         {Arguments{"dump", input}, Arguments{"dump", input, "--format", "json"},
          Arguments{"dump", input, "--format", "csv"}, Arguments{"titles", "list"},
          Arguments{"titles", "export", "--format", "multi_sz"}, Arguments{"--help"}, Arguments{"--version"},
          Arguments{"dump", "--help"}, Arguments{"titles", "--help"}}) {
        const Result result = run({.arguments = arguments, .output = "/dev/full"});
        EXPECT_EQ(result.exit, 3) << arguments[0] << " " << arguments.back();
        EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
    }
}

TEST(Command, TerminalsOfAnyWidth) {
    blob::Object wide{.title = 2, .kind = blob::Kind::multi};
    for (std::uint32_t i = 0; i < 30; ++i) wide.counters.push_back({.title = 2 + 2 * i});
    wide.instances = {{.name = u"_Total", .values = {1, 2}},
                      {.name = u"a rather long name of an instance", .values = {3}}};
    const std::string input = to_text(blob::build({.objects = {wide}}));
    for (const std::string_view columns : {"", "0", "-1", "abc", "1", "60", "80", "132", "99999999999999999999999"}) {
        const Result result = run({.arguments = {"dump", "-"}, .input = input, .columns = std::string(columns)});
        EXPECT_EQ(result.exit, 0) << columns;
        const std::vector<std::string> all = lines(result.out);
        const auto longest = std::ranges::max(all, {}, &std::string::size);
        if (columns == "60" || columns == "80" || columns == "132") {
            const auto width = static_cast<std::size_t>(std::stoul(std::string(columns)));
            for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i].size(), width) << all[i];
            EXPECT_GT(longest.size(), width - 30);
        }
        for (const std::string& line : all) EXPECT_FALSE(line.ends_with(' ')) << line;
    }
}

}  // namespace command_cli_test
}  // namespace hkpd_test
