// Adjacent samples that cannot be consecutive: they are reported, and the rest is still written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "capture_cli.hpp"
#include "json_text.hpp"
#include "support/machine.hpp"

namespace hkpd_test {
namespace neighbours_cli_test {

using testing::HasSubstr;

class Neighbours : public CaptureCli {
  protected:
    static blob::Block at(std::uint64_t second) {
        const auto ticks = static_cast<std::int64_t>(second) * 10'000'000;
        return {.objects = {{.title = 900,
                             .counters = {{.title = 902, .type = blob::counter_type::counter}, {.title = 904}},
                             .values = {100 * second, second}}},
                .perf_time = ticks,
                .perf_time_100ns = 132'444'735'601'230'000 + ticks,
                .system_time = {.second = static_cast<std::uint16_t>(second)}};
    }
    Result replayed(const std::vector<blob::Block>& blocks) const {
        std::string blobs;
        for (const blob::Block& block : blocks) blobs += to_text(blob::build(block));
        const std::string path = made("neighbours.mcap", blobs);
        return run({"replay", "--format", "csv", path});
    }
    /// Returns the last two cells of the lines of a counter: value and reason.
    static std::vector<std::string> cooked(const Result& result, const std::string& counter) {
        std::vector<std::string> all;
        for (const std::string& line : lines(result.out)) {
            if (line.find("," + counter + ",") == std::string::npos) continue;
            const std::size_t reason = line.rfind(',');
            all.push_back(line.substr(line.rfind(',', reason - 1) + 1));
        }
        return all;
    }
};

TEST_F(Neighbours, OutOfTimeOrder) {
    const Result result = replayed({at(1), at(5), at(3), at(6)});
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.err, HasSubstr("the sample is older than the previous one"));
    EXPECT_THAT(cooked(result, "902"), testing::ElementsAre(",first_sample", "100,", ",clock_went_back", "100,"));
    EXPECT_THAT(cooked(result, "904"), testing::ElementsAre("1,", "5,", "3,", "6,"));
}

TEST_F(Neighbours, AnotherMachine) {
    blob::Block other = at(3);
    other.machine = u"OTHER";
    const Result result = replayed({at(1), other, at(4)});
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.err, HasSubstr("samples of another machine"));
    EXPECT_THAT(cooked(result, "902"), testing::ElementsAre(",first_sample", ",first_sample", "100,"));
}

TEST_F(Neighbours, ACounterWhoseTypeChanges) {
    blob::Block changed = at(2);
    changed.objects[0].counters[0].type = blob::counter_type::bulk_count;
    changed.objects[0].counters[0].size = 4;
    blob::Block after = at(3);
    const Result result = replayed({at(1), changed, after});
    EXPECT_THAT(result.err, HasSubstr("the counter type differs from that"));
    EXPECT_THAT(cooked(result, "902"), testing::ElementsAre(",first_sample", ",type_changed", ",type_changed"));
    EXPECT_THAT(cooked(result, "904"), testing::ElementsAre("1,", "2,", "3,"));
}

TEST_F(Neighbours, AnotherBase) {
    const auto average = [](std::uint64_t second, std::uint32_t base_title) {
        blob::Block block = at(second);
        block.objects[0].counters = {{.title = 902, .type = 0x40020500, .size = 8},
                                     {.title = base_title, .type = 0x40030402}};
        block.objects[0].values = {1000 * second, 10 * second};
        return block;
    };
    const Result result = replayed({average(1, 904), average(2, 904), average(3, 906)});
    EXPECT_THAT(cooked(result, "902"), testing::ElementsAre(",first_sample", "100,", ",type_changed"));
}

TEST_F(Neighbours, SeriesOfCountersThatShareATitle) {
    const std::string titles = folder_.write("titles.txt", "900\nProc\n902\nSame\n904\nSame\n");
    blob::Block both = at(1), one = at(2);
    both.objects[0].counters = {{.title = 902}, {.title = 904}};
    both.objects[0].values = {111, 222};
    one.objects[0].counters = {{.title = 904}};
    one.objects[0].values = {223};
    const std::string path = folder_.write("same.bin", to_text(blob::build(both)) + to_text(blob::build(one)));
    const Result result = run({"replay", "--titles", titles, "--format", "openmetrics", path});
    EXPECT_THAT(result.out, HasSubstr("hkpd_proc_same{machine=\"DEMO\"} 111 "));
    EXPECT_THAT(result.out, testing::Not(HasSubstr("hkpd_proc_same{machine=\"DEMO\"} 223 ")));
    EXPECT_THAT(result.out, HasSubstr("hkpd_proc_same_904{machine=\"DEMO\"} 223 "));
}

TEST_F(Neighbours, AnOutputIsNotReadAsAnInput) {
    const std::string path = made("s.mcap", to_text(blob::build(at(1))));
    const std::string before = read_file(path);
    std::filesystem::create_directories(folder_.path("links"));
    if (!missing_links()) {
        std::filesystem::create_symlink(path, folder_.path("links/link.mcap"));
        EXPECT_EQ(run({"capture", folder_.path("links"), "-o", path}).exit, 2);
    }
    const std::string blob = folder_.write("in.bin", blob::build(at(2)));
    const std::string titles = folder_.write("titles.txt", "2\nSystem\n4\nMemory\n");
    EXPECT_EQ(run({"capture", blob, "--titles", titles, "-o", titles}).exit, 2);
    EXPECT_EQ(read_file(titles), "2\nSystem\n4\nMemory\n");
    EXPECT_EQ(read_file(path), before);
}

TEST_F(Neighbours, TheFaultIsReportedInItsInput) {
    // The second of three files is at fault, though the reader is at the third by then.
    for (const std::uint64_t second : {5U, 3U, 6U})
        folder_.write("f" + std::to_string(second == 5 ? 1 : second == 3 ? 2 : 3) + ".bin", blob::build(at(second)));
    const Result result =
        run({"replay", "--format", "json", folder_.path("f1.bin"), folder_.path("f2.bin"), folder_.path("f3.bin")});
    EXPECT_THAT(result.err, testing::AllOf(HasSubstr("f2.bin: offset 0x24: warning"), HasSubstr("SystemTime")));
    const auto document = parse_json(result.out);
    const auto& found = hkpd_test::at(document, "diagnostics");
    ASSERT_EQ(found.Size(), 1U);
    EXPECT_EQ(found[0]["sample"].GetUint(), 1U);
    // In a capture, the record identifies the blob.
    const Result captured = replayed({at(5), at(3), at(6)});
    EXPECT_THAT(captured.err, HasSubstr("neighbours.mcap: record 1: offset 0x24: warning"));
}

TEST_F(Neighbours, InADirectory) {
    folder_.write("d/1.bin", blob::build(at(1)));
    folder_.write("d/2.bin", "\x01\x02 this was a blob once");
    folder_.write("d/picture.png", "\x89PNG\r\n\x1A\n and so on");
    folder_.write("d/notes.txt", "nothing");
    const Result result = run({"replay", "--format", "csv", folder_.path("d")});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.err, testing::AllOf(HasSubstr("2.bin: offset 0x0: error: unknown bytes: unrecognised format"),
                                           testing::Not(HasSubstr("picture")), testing::Not(HasSubstr("notes"))));
    EXPECT_THAT(cooked(result, "904"), testing::ElementsAre("1,"));
    // A capture must not become its own input, and an existing file stays if nothing can be read.
    EXPECT_EQ(run({"capture", folder_.path("d"), "-o", folder_.path("d/out.mcap")}).exit, 2);
    const std::string kept = folder_.write("kept.mcap", "something");
    EXPECT_EQ(run({"capture", folder_.path("typo"), "-o", kept}).exit, 3);
    EXPECT_EQ(run({"capture", folder_.path("d/notes.txt"), "-o", kept}).exit, 3);
    EXPECT_EQ(read_file(kept), "something");
}

}  // namespace neighbours_cli_test
}  // namespace hkpd_test
