// Directories below the inputs: -r.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "capture_cli.hpp"
#include "support/machine.hpp"

namespace hkpd_test {
namespace recursive_cli_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Recursive : public CaptureCli {
  protected:
    /// Writes a file with the demo machine's sample at a second.
    void write_sample(const std::string& name, std::uint64_t second) const {
        folder_.write(name, to_text(blob::build(demo::machine(second))));
    }
    std::vector<std::string> times(std::vector<std::string> options) const {
        options.insert(options.begin(), {"replay", "--format", "csv", "--object", "System", "--counter", "Threads"});
        options.push_back(folder_.path("tree"));
        return sample_times(run(options));
    }
};

TEST_F(Recursive, InTheOrderOfThePaths) {
    write_sample("tree/b/1.bin", 3);
    write_sample("tree/a/deep/er/1.bin", 2);
    write_sample("tree/a/1.bin", 1);
    write_sample("tree/z.bin", 0);
    EXPECT_THAT(times({}), SizeIs(1));
    const auto all = times({"-r"});
    ASSERT_THAT(all, SizeIs(4));
    EXPECT_TRUE(std::ranges::is_sorted(all));
    EXPECT_EQ(times({"--recursive"}), all);
    const std::string made = folder_.path("made.mcap");
    EXPECT_EQ(capture({"-r", folder_.path("tree"), "-o", made}).err, "");
    EXPECT_THAT(sample_times(made), all);
}

TEST_F(Recursive, TheOutputIsNoneOfTheInputs) {
    write_sample("tree/a/1.bin", 1);
    const std::string input = folder_.path("tree/a/1.bin"), before = read_file(input);
    for (const char* output : {"tree/a/1.bin", "tree/a/new", "tree/new"}) {
        const std::string path = folder_.path(output);
        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"replay", "-r", folder_.path("tree"), "--format", "csv", "-o", path},
              std::vector<std::string>{"dump", "-r", folder_.path("tree"), "-o", path},
              std::vector<std::string>{"replay", "-r", folder_.path("tree"), "--textfile", path},
              std::vector<std::string>{"capture", "-r", "--from", folder_.path("tree"), "-o", path}}) {
            const Result result = run(command);
            EXPECT_EQ(result.exit, 2) << testing::PrintToString(command);
            EXPECT_THAT(result.err, HasSubstr("' would be among the inputs: write to another directory"));
        }
    }
    EXPECT_EQ(read_file(input), before);
    EXPECT_EQ(run({"dump", folder_.path("tree/a"), "-o", folder_.path("tree/new")}).exit, 0) << "not below the input";
}

TEST_F(Recursive, CommandsOfTheSummaryReadTheSameInputs) {
    write_sample("tree/a/1.bin", 1);
    write_sample("tree/a/2.bin", 2);
    const Result result = run({"info", "-r", folder_.path("tree")});
    for (const char* command : {"hkpd top -r ", "hkpd replay -r "}) EXPECT_THAT(result.out, HasSubstr(command));
    EXPECT_THAT(run({"info", "-r", folder_.path("tree/a/1.bin")}).out, testing::Not(HasSubstr(" -r ")));
}

TEST_F(Recursive, OtherFilesAreCountedInOneNote) {
    write_sample("tree/a/1.bin", 1);
    for (const char* name : {"tree/notes.txt", "tree/a/notes.txt", "tree/b/notes.txt", "tree/b/c/more"})
        folder_.write(name, "no performance data");
    const Result quiet = run({"dump", "-r", folder_.path("tree"), "--object", "System"});
    EXPECT_EQ(quiet.exit, 0);
    const std::string skipped = "tree: note: files without performance data are skipped";
    EXPECT_THAT(lines(quiet.err), ElementsAre(HasSubstr(skipped + ", which -v names; number of these files: 4")));
    const Result verbose = run({"dump", "-rv", folder_.path("tree"), "--object", "System"});
    EXPECT_THAT(lines(verbose.err),
                Contains(HasSubstr(std::filesystem::path("tree/b/c/more").make_preferred().string())));
    EXPECT_THAT(lines(verbose.err), Contains(HasSubstr("number of these files: 4")));
}

TEST_F(Recursive, ADamagedFileIsStillAnError) {
    write_sample("tree/a/1.bin", 1);
    folder_.write("tree/a/2.bin", "damaged");
    const Result result = run({"dump", "-r", folder_.path("tree"), "--object", "System"});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.err, HasSubstr("2.bin: offset 0x0: error: text without a counter path: unrecognised format"));
}

TEST_F(Recursive, NothingBelow) {
    folder_.write("tree/a/b/notes.txt", "no performance data");
    const Result result = run({"dump", "-r", folder_.path("tree")});
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(lines(result.err),
                Contains(HasSubstr("error: directory without performance data: no performance data found")));
    EXPECT_EQ(run({"check", "-r", folder_.path("tree")}).exit, 3);
}

TEST_F(Recursive, LinksToDirectoriesAreNotFollowed) {
    if (is_skipped(missing_links())) return;
    write_sample("tree/a/1.bin", 1);
    std::filesystem::create_directory_symlink("..", folder_.path("tree/a/up"));
    EXPECT_THAT(times({"-r"}), SizeIs(1));
}

TEST_F(Recursive, TitlesOfADirectoryAreItsOwn) {
    const auto block = [](std::u16string machine) {
        return blob::build({.objects = {{.title = 9000, .counters = {{.title = 9002}}, .values = {7}}},
                            .machine = std::move(machine)});
    };
    folder_.write("tree/one/1.bin", to_text(block(u"one")));
    folder_.write("tree/one/counter-009.txt", "9000\nof one\n");
    folder_.write("tree/two/1.bin", to_text(block(u"two")));
    folder_.write("tree/two/counter-009.txt", "9000\nof two\n");
    const Result result = run({"dump", "-r", folder_.path("tree")});
    EXPECT_THAT(result.out, testing::AllOf(HasSubstr("of one (9000)"), HasSubstr("of two (9000)")));
}

}  // namespace recursive_cli_test
}  // namespace hkpd_test
