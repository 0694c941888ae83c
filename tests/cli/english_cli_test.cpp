// English counter paths for inputs whose titles are in another language.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "capture_cli.hpp"

namespace hkpd_test {
namespace english_cli_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view german =
    "2\nSystem\n4\nArbeitsspeicher\n6\nProzessorzeit (%)\n24\nVerfügbare Bytes\n238\nProzessor\n250\nThreads\n";
constexpr const char* note =
    "note: counter paths match English titles in place of those of the input, as in PdhAddEnglishCounter; number of "
    "these paths: 1";

class English : public CaptureCli {
  protected:
    /// Writes a directory with the blob of a German machine and its titles, and returns its path.
    std::string directory(std::string_view titles = german) const {
        blob::Block block{
            .objects = {{.title = 238,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 6, .type = 0x0001'0000}},
                         .instances = {{.name = u"0", .values = {5}}, {.name = u"_Total", .values = {7}}}},
                        {.title = 4, .counters = {{.title = 24, .type = 0x0001'0000}}, .values = {9}}},
            .machine = u"PC"};
        folder_.write("d/1.bin", to_text(blob::build(block)));
        folder_.write("d/counter-007.txt", std::string(titles));
        return folder_.path("d");
    }
    static Result replay_path(const std::string& input, const std::string& path, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"replay", "-v", "--format", "csv", input, "--path", path});
        return run(more);
    }
};

TEST_F(English, ThroughTheTitleIndex) {
    const Result result = replay_path(directory(), R"(\Processor(_Total)\% Processor Time)");
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.err, HasSubstr(note));
    ASSERT_THAT(lines(result.out), SizeIs(2)) << result.out;
    EXPECT_THAT(lines(result.out)[1], AllOf(HasSubstr("Prozessor,238"), HasSubstr("_Total"), HasSubstr(",7,7,")));
    EXPECT_THAT(lines(replay_path(directory(), R"(Memory\Available Bytes)").out)[1], HasSubstr("Arbeitsspeicher,4"));
    EXPECT_THAT(lines(replay_path(directory(), R"(\Proc*(*)\*)").out), SizeIs(3));
    EXPECT_THAT(lines(replay_path(directory(), R"(\\PC\processor(0)\% processor time)").out), SizeIs(2));
}

TEST_F(English, NamesOfTheInputTakePrecedence) {
    const Result german_path = replay_path(directory(), R"(\Prozessor(_Total)\Prozessorzeit (%))");
    EXPECT_THAT(lines(german_path.out), SizeIs(2));
    EXPECT_THAT(german_path.err, Not(HasSubstr("English")));
    // A local name that is the English name of another object: the local one is meant.
    const Result result = replay_path(directory("4\nProcessor\n24\n% Processor Time\n6\nx\n238\nProzessor\n"),
                                      R"(\Processor\% Processor Time)");
    ASSERT_THAT(lines(result.out), SizeIs(2));
    EXPECT_THAT(lines(result.out)[1], HasSubstr("Processor,4"));
    EXPECT_THAT(result.err, Not(HasSubstr("English")));
}

TEST_F(English, WithoutAMatch) {
    const Result result = replay_path(directory(), R"(\Processor(7)\% Processor Time)");
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr("no path '\\Processor(7)"), Not(HasSubstr("English"))));
}

TEST_F(English, LogsThatStateNamesOnly) {
    const std::string log = folder_.write(
        "german.csv",
        "\"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)\",\"\\\\PC\\Prozessor(_Total)\\Prozessorzeit (%)\","
        "\"\\\\PC\\Arbeitsspeicher\\Verf\xFCgbare Bytes\"\n\"05/14/2024 09:30:02.500\",\"2\",\"3\"\n");
    const std::string titles = folder_.write("counter-007.txt", std::string(german));
    const std::string path = R"(\Memory\Available Bytes)";
    const Result built_in = replay_path(log, path);
    EXPECT_EQ(built_in.exit, 0) << built_in.err;
    const Result known = replay_path(log, path, {"--titles", titles});
    EXPECT_EQ(known.exit, 0) << known.err;
    EXPECT_THAT(known.err, HasSubstr(note));
    ASSERT_THAT(lines(known.out), SizeIs(2));
    EXPECT_THAT(lines(known.out)[1], HasSubstr("Verfügbare Bytes"));
}

TEST_F(English, DumpAndJobs) {
    const std::string path = R"(\Processor(0)\% Processor Time)";
    EXPECT_THAT(run({"dump", directory(), "--path", path}).out, HasSubstr("Prozessor (238)"));
    EXPECT_THAT(lines(run({"replay", "--format", "csv", "--jobs", "2", directory(), "--path", path}).out), SizeIs(2));
}

}  // namespace english_cli_test
}  // namespace hkpd_test
