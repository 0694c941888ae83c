// `hkpd capture`: made from blobs, listed, unpacked byte for byte, and read again after all kinds of accidents.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "demo_machine.hpp"
#include "json_text.hpp"
#include "run_command.hpp"
#include "shared_dir.hpp"
#include "temp_folder.hpp"

namespace hkpd_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Result capture(std::vector<std::string> arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "capture");
    return run({.arguments = std::move(arguments), .input = std::move(input)});
}

/// Times of the samples that a capture gives, one line each.
std::vector<std::string> sample_times(const Result& result) {
    std::vector<std::string> times;
    for (const std::string& line : lines(result.out)) {
        const std::string time = line.substr(0, line.find(','));
        if (time != "time" && (times.empty() || times.back() != time)) times.push_back(time);
    }
    return times;
}
std::vector<std::string> sample_times(const std::string& path) {
    return sample_times(run({"replay", "--format", "csv", "--object", "System", "--counter", "Threads", path}));
}

/// The demo machine at so many seconds.
std::string demo_blobs(std::uint64_t samples) {
    std::string all;
    for (std::uint64_t second = 0; second < samples; ++second) all += to_text(blob::build(demo::machine(second)));
    return all;
}

/// All files of a folder, in the order of their names, as one.
std::string all_files(const fs::path& folder, std::string_view extension) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == extension) paths.push_back(entry.path());
    std::ranges::sort(paths);
    std::string all;
    for (const fs::path& path : paths) all += read_file(path);
    return all;
}

/// Bytes of the MCAP record at a place: an opcode, a length and that many bytes.
std::size_t record_size(const std::string& file, std::size_t at) {
    std::size_t length = 0;
    for (std::size_t i = 8; i >= 1; --i) length = length << 8U | static_cast<unsigned char>(file[at + i]);
    return 9 + length;
}

class CaptureCli : public testing::Test {
  protected:
    static std::string titles_of(const std::string& path) { return titles({"list", path}).out; }

    std::string made(std::string_view name, const std::string& blobs, std::vector<std::string> options = {}) const {
        const std::string path = folder_.path(name);
        options.insert(options.end(), {"--from", "-", "-o", path});
        const Result result = capture(options, blobs);
        EXPECT_EQ(result.exit, 0) << result.err;
        return path;
    }

    TempFolder folder_;
};

TEST_F(CaptureCli, GivesBackTheBlobsAndTitlesByteForByte) {
    const std::string blobs = demo_blobs(5), titles = "2\nSystem\n250\nFaeden\n";
    const std::string title_file = folder_.write("counter-007.txt", titles);
    const std::string path = made("run.mcap", blobs, {"--titles", title_file, "--meta", "os=Windows Server 2022"});
    const Result result = capture({"--export", folder_.path("out"), path});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.out, folder_.path("out") + ": 5 blobs and 1 title databases\n");
    EXPECT_EQ(all_files(folder_.path("out"), ".bin"), blobs);
    EXPECT_EQ(read_file(folder_.path("out/counter-007.txt")), titles);
    // The titles come with it, and those that are asked for count instead.
    EXPECT_THAT(dump({"--sample", "0", "--object", "System", path}).out, HasSubstr("Faeden"));
    const std::string other = folder_.write("other.txt", "2\nSystem\n250\nOther\n");
    EXPECT_THAT(dump({"--titles", other, "--sample", "0", "--object", "System", path}).out, HasSubstr("Other"));
    EXPECT_THAT(titles_of(path), HasSubstr("Faeden"));
    // Nothing is overwritten.
    EXPECT_EQ(capture({"--export", folder_.path("out"), path}).exit, 3);
}

TEST_F(CaptureCli, IsAnInputLikeAnyOther) {
    const std::string blobs = demo_blobs(4);
    const std::string path = made("run.mcap", blobs);
    for (const std::string format : {"json", "jsonl", "csv", "table"}) {
        const std::string plain = dump({"--format", format, "-"}, blobs).out;
        EXPECT_EQ(dump({"--format", format, path}).out, plain) << format;
        EXPECT_EQ(dump({"--format", format, "-"}, read_file(path)).out, plain) << format;
    }
    const fs::path folder = folder_.path("folder");
    fs::create_directories(folder);
    fs::copy_file(path, folder / "a.mcap");
    folder_.write("folder/b.bin", demo_blobs(1));
    EXPECT_EQ(sample_times(folder).size(), 5U);
}

TEST_F(CaptureCli, InfoSaysWhatIsThere) {
    const std::string path = made("run.mcap", demo_blobs(3), {"--meta", "os=Windows Server 2022"});
    const Result result = capture({"--info", path});
    EXPECT_EQ(result.exit, 0) << result.err;
    for (const char* part : {"x-hkpd\n", "finished, with index", "2024-05-14T09:30:00.000Z to 2024-05-14T09:30:02.000Z",
                             "messages     3", "os         Windows Server 2022", "machine    DEMO", "v1/DEMO"})
        EXPECT_THAT(result.out, HasSubstr(part));
    const Result none = capture({"--info", HKPD_TESTDATA_DIR "/captures/demo.bin"});
    EXPECT_EQ(none.exit, 1);
    EXPECT_EQ(none.out, "");
}

TEST_F(CaptureCli, ATornOneIsRepaired) {
    const std::string path = made("run.mcap", demo_blobs(8), {"--flush", "0"});
    const std::string whole = read_file(path);
    const std::string torn = folder_.write("torn.mcap", whole.substr(0, whole.size() * 6 / 10));
    const auto before = sample_times(torn);
    ASSERT_GE(before.size(), 2U);
    ASSERT_LT(before.size(), 8U);
    const std::string repaired = folder_.path("whole.mcap");
    const Result result = capture({"--from", torn, "-o", repaired});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.err, HasSubstr("the capture ends inside a record"));
    EXPECT_EQ(sample_times(repaired), before);
    const Result after = capture({"--info", repaired});
    EXPECT_EQ(after.exit, 0) << after.err;
    EXPECT_THAT(after.out, HasSubstr("finished, with index"));
    EXPECT_THAT(after.out, HasSubstr("machine    DEMO"));
}

TEST_F(CaptureCli, CutAnywhereItGivesEverySampleOfEveryWholeChunk) {
    const std::string whole = read_file(made("run.mcap", demo_blobs(20), {"--flush", "0"}));
    const auto times = sample_times(folder_.path("run.mcap"));
    ASSERT_EQ(times.size(), 20U);
    // Where chunks end: a sample is there as soon as its chunk is.
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

TEST_F(CaptureCli, AFlippedBitCostsItsChunkAlone) {
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
        if (found == times) continue;  // times of a chunk are no part of what it holds
        auto expected = times;
        expected.erase(expected.begin() + 2);
        EXPECT_EQ(found, expected) << at - chunk;
        EXPECT_NE(result.err, "") << at - chunk;
    }
}

/// The capture command with a pipe as standard input.
class Running {
  public:
    explicit Running(std::vector<std::string> arguments) {
        int ends[2] = {-1, -1};
        EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
        arguments.insert(arguments.begin(), HKPD_COMMAND);
        EXPECT_EQ(posix_spawn(&child_, HKPD_COMMAND, &actions, nullptr, pointers(arguments).data(), environ), 0);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[0]);
        input_ = ends[1];
    }
    ~Running() { kill_now(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    void send(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t sent = write(input_, text.data(), text.size());
            ASSERT_GT(sent, 0);
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    void kill_now() {
        if (child_ == 0) return;
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        close(input_);
        child_ = 0;
    }

  private:
    pid_t child_ = 0;
    int input_ = -1;
};

TEST_F(CaptureCli, KilledItLosesAtMostTheSampleInFlight) {
    for (const std::uint64_t sent : {1U, 2U, 3U, 7U, 20U}) {
        const std::string path = folder_.path("killed" + std::to_string(sent) + ".mcap");
        Running running({"capture", "--from", "-", "-o", path, "--flush", "0"});
        running.send(demo_blobs(sent));
        // What was sent has been written but for the last sample, of which nobody knows yet that it is complete.
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (sample_times(path).size() + 1 < sent && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        running.kill_now();
        EXPECT_GE(sample_times(path).size() + 1, sent);
        if (sent == 1) continue;
        const Result result = capture({"--info", path});
        EXPECT_THAT(result.out, HasSubstr("torn: it has no end"));
        EXPECT_THAT(result.err, HasSubstr("the capture has no end"));
    }
}

TEST_F(CaptureCli, KilledAtAnyMomentItIsReadable) {
    const std::string blobs = demo_blobs(30);
    std::mt19937_64 random(11);
    for (int i = 0; i < 10; ++i) {
        const std::string path = folder_.path("any.mcap");
        Running running({"capture", "--from", "-", "-o", path, "--flush", "0"});
        running.send(blobs);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
        running.kill_now();
        const Result result = run({"replay", "--format", "csv", "--object", "System", "--counter", "Threads", path});
        const auto found = sample_times(result);
        for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_THAT(found[k], HasSubstr(":" + std::string(k < 10 ? "0" : "") + std::to_string(k) + ".000Z"));
        EXPECT_NE(result.err, "");
    }
}

TEST_F(CaptureCli, SeveralIntoOne) {
    const std::string a = made("a.mcap", demo_blobs(2)), b = folder_.write("b.bin", demo_blobs(3));
    const std::string both = folder_.path("both.mcap");
    EXPECT_EQ(capture({"--from", a, b, "-o", both}).exit, 0);
    const Result result = capture({"--from", a, "--from", b, "-o", "-"});
    EXPECT_EQ(result.out, read_file(both));
    EXPECT_EQ(sample_times(both).size(), 5U);
}

TEST_F(CaptureCli, WhatIsNoBlobIsRefused) {
    const Result result = capture({"--from", "-", "-o", folder_.path("none.mcap")}, "no performance data at all");
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.err, HasSubstr("no performance data block"));
    EXPECT_EQ(capture({"--from", folder_.path("missing"), "-o", folder_.path("x.mcap")}).exit, 3);
    EXPECT_EQ(capture({"--from", "-", "-o", folder_.path("no/such/folder.mcap")}, demo_blobs(1)).exit, 3);
    EXPECT_EQ(capture({"--from", "-", "-o", "/dev/full"}, demo_blobs(1)).exit, 3);
}

TEST_F(CaptureCli, WrongUsage) {
    const std::string path = made("run.mcap", demo_blobs(1));
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {},
             {"--from", path},
             {"--from", path, "-o", path},
             {"--info"},
             {"--info", path, path},
             {"--info", "--export", "x", path},
             {"--from", path, "-o", folder_.path("y.mcap"), "--flush", "soon"},
             {"--from", path, "-o", folder_.path("y.mcap"), "--meta", "nothing"},
         })
        EXPECT_EQ(capture(arguments).exit, 2) << testing::PrintToString(arguments);
    EXPECT_EQ(capture({"--info", path}).exit, 0);  // it is still there
}

/// What samples side by side may do to each other: told, and the rest still comes out.
class Neighbours : public CaptureCli {
  protected:
    static blob::Block at(std::uint64_t second) {
        const auto ticks = static_cast<std::int64_t>(second) * 10'000'000;
        return {.objects = {{.title = 900,
                             .counters = {{.title = 902, .type = blob::counter_type::counter}, {.title = 904}},
                             .values = {100 * second, second}}},
                .perf_time = ticks,
                .perf_time_100ns = 132'444'736'000'000'000 + ticks,
                .system_time = {.second = static_cast<std::uint16_t>(second)}};
    }
    Result replayed(const std::vector<blob::Block>& blocks) const {
        std::string blobs;
        for (const blob::Block& block : blocks) blobs += to_text(blob::build(block));
        const std::string path = made("neighbours.mcap", blobs);
        return run({"replay", "--format", "csv", path});
    }
    /// Last two cells of the lines of a counter: value and reason.
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
    EXPECT_THAT(result.err, HasSubstr("the sample is older than the one before it"));
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
    EXPECT_THAT(result.err, HasSubstr("the counter's type is not the one it had"));
    EXPECT_THAT(cooked(result, "902"), testing::ElementsAre(",first_sample", ",type_changed", ",type_changed"));
    EXPECT_THAT(cooked(result, "904"), testing::ElementsAre("1,", "2,", "3,"));
}

class VistaCapture : public SharedDir {
  protected:
    std::string blobs() const { return folder_ / "data/v1/vista-2007"; }
    TempFolder temporary_;
};

TEST_F(VistaCapture, ExportsTheBlobsByteForByteAndStaysSmall) {
    const std::string path = temporary_.path("vista.mcap"), one = temporary_.path("one.mcap");
    EXPECT_EQ(capture({"--from", blobs(), "-o", path}).exit, 0);
    EXPECT_EQ(capture({"--export", temporary_.path("out"), path}).exit, 0);
    const std::string all = all_files(blobs(), ".bin");
    EXPECT_EQ(all_files(temporary_.path("out"), ".bin"), all);

    // Each sample after the first costs at most a tenth of its raw size.
    fs::create_directories(temporary_.path("first"));
    std::size_t first_size = 0;
    for (const auto& entry : fs::directory_iterator(blobs())) {
        if (!entry.path().filename().string().starts_with("s00-")) continue;
        fs::copy_file(entry.path(), fs::path(temporary_.path("first")) / entry.path().filename());
        first_size += entry.file_size();
    }
    EXPECT_EQ(capture({"--from", temporary_.path("first"), "-o", one}).exit, 0);
    const double more = static_cast<double>(fs::file_size(path) - fs::file_size(one));
    const double cost = more / static_cast<double>(all.size() - first_size);
    RecordProperty("cost_of_a_sample", std::to_string(cost));
    EXPECT_LE(cost, 0.10);
}

}  // namespace
}  // namespace hkpd_test
