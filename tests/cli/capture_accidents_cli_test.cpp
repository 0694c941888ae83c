// Captures after accidents: truncated, with flipped bits, killed while they were written; and repaired.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "capture_cli.hpp"
#include "support/machine.hpp"
#include "support/waiting.hpp"

namespace hkpd_test {
namespace capture_accidents_cli_test {

using testing::HasSubstr;
using CaptureAccidents = CaptureCli;

/// Returns the size of the MCAP record at a place: an opcode, a length and that many bytes.
std::size_t record_size(const std::string& file, std::size_t at) {
    std::size_t length = 0;
    for (std::size_t i = 8; i >= 1; --i) length = length << 8U | static_cast<unsigned char>(file[at + i]);
    return 9 + length;
}

TEST_F(CaptureAccidents, ATruncatedCaptureIsRepaired) {
    const std::string path = made("run.mcap", demo_blobs(8), {"--flush", "0"});
    const std::string whole = read_file(path);
    const std::string truncated = folder_.write("truncated.mcap", whole.substr(0, whole.size() * 6 / 10));
    const auto before = sample_times(truncated);
    ASSERT_GE(before.size(), 2U);
    ASSERT_LT(before.size(), 8U);
    const std::string repaired = folder_.path("whole.mcap");
    const Result result = capture({truncated, "-o", repaired});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.err, HasSubstr("the capture is truncated, with too few bytes for its last record"));
    EXPECT_EQ(sample_times(repaired), before);
    const Result after = capture({"--info", repaired});
    EXPECT_EQ(after.exit, 0) << after.err;
    EXPECT_THAT(after.out, HasSubstr("finished, with index"));
    EXPECT_THAT(after.out, HasSubstr("machine    DEMO"));
}

TEST_F(CaptureAccidents, TruncatedAnywhereItReturnsEverySampleOfEveryCompleteChunk) {
    const std::string whole = read_file(made("run.mcap", demo_blobs(20), {"--flush", "0"}));
    const auto times = sample_times(folder_.path("run.mcap"));
    ASSERT_EQ(times.size(), 20U);
    // Ends of the chunks: a sample is readable as soon as its chunk is complete.
    std::vector<std::size_t> ends;
    for (std::size_t at = 8; at + 9 <= whole.size();) {
        const bool chunk = whole[at] == 6;
        at += record_size(whole, at);
        if (chunk) ends.push_back(at);
    }
    ASSERT_EQ(ends.size(), 20U);
    std::mt19937_64 random(20260101);
    for (int i = 0; i < 200; ++i) {
        const std::size_t size = random() % (whole.size() - 1) + 1;
        const std::string path = folder_.write("cut.mcap", whole.substr(0, size));
        const Result result = run({"replay", "--format", "csv", "--object", "System", "--counter", "Threads", path});
        const auto expected =
            static_cast<std::size_t>(std::ranges::count_if(ends, [size](std::size_t end) { return end <= size; }));
        EXPECT_EQ(sample_times(result),
                  std::vector(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(expected)))
            << size;
        EXPECT_NE(result.err, "") << size;
    }
}

TEST_F(CaptureAccidents, AFlippedBitCostsOnlyItsChunk) {
    const std::string whole = read_file(made("run.mcap", demo_blobs(6), {"--flush", "0"}));
    const auto times = sample_times(folder_.path("run.mcap"));
    std::size_t chunk = 8;
    for (int chunks = 0; chunks < 3;) {  // the third chunk
        if (whole[chunk] == 6 && ++chunks == 3) break;
        chunk += record_size(whole, chunk);
    }
    std::mt19937_64 random(7);
    for (int i = 0; i < 60; ++i) {
        std::string flipped = whole;
        const std::size_t at = chunk + (i < 20 ? static_cast<std::size_t>(i) : random() % 1000);
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << random() % 8));
        const Result result = run({"replay", "--format", "csv", "--object", "System", "--counter", "Threads",
                                   folder_.write("flip.mcap", flipped)});
        auto found = sample_times(result);
        if (found == times) continue;  // a chunk's content does not depend on its times
        auto expected = times;
        expected.erase(expected.begin() + 2);
        EXPECT_EQ(found, expected) << at - chunk;
        EXPECT_NE(result.err, "") << at - chunk;
    }
}

TEST_F(CaptureAccidents, KilledItLosesAtMostTheCurrentSample) {
    for (const std::uint64_t sent : {1U, 2U, 3U, 7U, 20U}) {
        const std::string path = folder_.path("killed" + std::to_string(sent) + ".mcap");
        Running running({"capture", "-", "-o", path, "--flush", "0"});
        running.send(demo_blobs(sent));
        // All samples but the last have been written; only the next one would show that the last is complete.
        wait_until([&] { return sample_times(path).size() + 1 >= sent; }, "all samples but the last are in the capture",
                   std::chrono::milliseconds(5));
        running.kill_now();
        EXPECT_GE(sample_times(path).size() + 1, sent);
        if (sent == 1) continue;
        const Result result = capture({"--info", path});
        EXPECT_THAT(result.out, HasSubstr("incomplete: it has no footer"));
        EXPECT_THAT(result.err, HasSubstr("the capture has no end"));
    }
}

TEST_F(CaptureAccidents, KilledAtAnyTimeItIsReadable) {
    const std::string blobs = demo_blobs(30);
    std::mt19937_64 random(11);
    for (int i = 0; i < 10; ++i) {
        const std::string path = folder_.path("any" + std::to_string(i) + ".mcap");
        Running running({"capture", "-", "-o", path, "--flush", "0"});
        running.send(blobs);
        // Half of the kills hit while it writes, even if it takes long to start.
        if (i % 2 == 0) wait_until([&] { return hkpd::is_there(path); }, "the capture is begun");
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
        running.kill_now();
        const Result result = run({"replay", "--format", "csv", "--object", "System", "--counter", "Threads", path});
        const auto found = sample_times(result);
        for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_THAT(found[k], HasSubstr(":" + std::string(k < 10 ? "0" : "") + std::to_string(k) + ".000Z"));
        EXPECT_NE(result.err, "");
    }
}

TEST_F(CaptureAccidents, AnExistingFileStaysUntilTheNewOneIsComplete) {
    const std::string path = made("run.mcap", demo_blobs(2), {}), part = path + ".part";
    const std::string old = read_file(path);
    {
        Running running({"capture", "-", "-o", path, "--flush", "0"});
        running.send(demo_blobs(5));
        wait_until([&] { return sample_times(part).size() >= 4; }, "four samples are in the part",
                   std::chrono::milliseconds(5));
        running.kill_now();
    }
    EXPECT_TRUE(read_file(path) == old);
    EXPECT_GE(sample_times(part).size(), 4U) << "what came can be read";

    const std::string left = read_file(part), input = folder_.write("more.bin", demo_blobs(7));
    const Result refused = capture({input, "-o", path});
    EXPECT_EQ(refused.exit, 3);
    EXPECT_THAT(refused.err, HasSubstr("run.mcap.part' exists, left by a killed run"));
    EXPECT_TRUE(read_file(path) == old);
    EXPECT_TRUE(read_file(part) == left);

    std::filesystem::rename(part, folder_.path("left.mcap"));
    EXPECT_EQ(capture({input, "-o", path}).exit, 0);
    EXPECT_EQ(sample_times(path).size(), 7U);
    EXPECT_FALSE(hkpd::is_there(part)) << "it is the new one";
}

TEST_F(CaptureAccidents, APartFileUsedAsInputStays) {
    const std::string path = made("run.mcap", demo_blobs(2), {}), part = made("run.mcap.part", demo_blobs(3), {});
    const std::string old = read_file(path), left = read_file(part);
    EXPECT_EQ(capture({part, "-o", path}).exit, 3);
    EXPECT_TRUE(read_file(path) == old);
    EXPECT_TRUE(read_file(part) == left) << "the input";
}

TEST_F(CaptureAccidents, AReplacedFileKeepsItsLinksAndPermissions) {
    if (is_skipped(missing_links())) return;
    const std::string path = made("run.mcap", demo_blobs(2), {}), link = folder_.path("link.mcap");
    const std::string input = folder_.write("more.bin", demo_blobs(7));
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    const auto allowed = std::filesystem::status(path).permissions();
    std::filesystem::create_symlink(path, link);
    EXPECT_EQ(capture({input, "-o", link}).exit, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(sample_times(path).size(), 7U);
    EXPECT_EQ(std::filesystem::status(path).permissions(), allowed);
}

TEST_F(CaptureAccidents, AFileThatCannotBeReplacedStays) {
    const std::string path = made("run.mcap", demo_blobs(2), {});
    const std::string old = read_file(path);
    std::filesystem::create_directories(path + ".part/full");
    const Result result = capture({folder_.write("more.bin", demo_blobs(7)), "-o", path});
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(result.err, HasSubstr("run.mcap: cannot be written: "));
    EXPECT_TRUE(read_file(path) == old);
}

TEST_F(CaptureAccidents, NothingIsWrittenThroughAPlantedLink) {
    if (is_skipped(missing_links())) return;
    const std::string path = made("run.mcap", demo_blobs(2), {});
    const std::string precious = folder_.write("precious", "mine");
    std::filesystem::create_symlink(precious, path + ".part");
    const std::string old = read_file(path);
    EXPECT_EQ(capture({folder_.write("more.bin", demo_blobs(7)), "-o", path}).exit, 3);
    EXPECT_EQ(read_file(precious), "mine");
    EXPECT_TRUE(read_file(path) == old);
    EXPECT_TRUE(std::filesystem::is_symlink(path + ".part"));
}

}  // namespace capture_accidents_cli_test
}  // namespace hkpd_test
