// `--textfile`: a file for textfile collectors, which is complete at every read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/machine.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"
#include "support/waiting.hpp"

namespace hkpd_test {
namespace textfile_cli_test {

using testing::HasSubstr;
using testing::StartsWith;

class TextfileCli : public testing::Test {
  protected:
    static Result replay(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "replay");
        return run(std::move(arguments));
    }
    Result simulate(std::vector<std::string> more) const {
        std::vector<std::string> all{"--simulate", "--path", R"(\System\*)", "--textfile", path_};
        all.insert(all.end(), more.begin(), more.end());
        return replay(std::move(all));
    }
    static std::string captured(const std::string& name) {
        return std::string(hkpd_test::testdata_folder) + "/captures/" + name;
    }
    std::vector<std::string> left() const {
        std::error_code error;
        std::vector<std::string> names;
        for (const std::string& file : hkpd::files_in(folder_.path(), error))
            names.push_back(hkpd::path_text(hkpd::path_of(file).filename()));
        return names;
    }

    TempFolder folder_;
    std::string path_ = folder_.path("hkpd.prom");
};

TEST_F(TextfileCli, TheLastSampleStays) {
    const Result result =
        replay({captured("demo.bin"), "--path", R"(\Processor(_Total)\Interrupts/sec)", "--textfile", path_});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(read_file(path_),
              "# TYPE hkpd_processor_interrupts_total counter\n"
              "# HELP hkpd_processor_interrupts_total Processor: Interrupts/sec (PERF_COUNTER_COUNTER)\n"
              "hkpd_processor_interrupts_total{machine=\"DEMO\",instance=\"_Total\"} 478510288\n");
    EXPECT_EQ(left(), std::vector<std::string>{"hkpd.prom"});
}

TEST_F(TextfileCli, MachinesAndOptions) {
    EXPECT_EQ(replay({captured("demo.bin"), captured("simulated.mcap"), "--format", "openmetrics", "--path",
                      R"(\System\Threads)", "--textfile", path_})
                  .exit,
              0);
    EXPECT_THAT(read_file(path_), HasSubstr("{machine=\"DEMO\"} "));
    EXPECT_THAT(read_file(path_), HasSubstr("{machine=\"SIMULATED\"} "));
    EXPECT_EQ(simulate({"--count", "3", "--interval", "5", "--cooked"}).exit, 0);
    EXPECT_THAT(read_file(path_), HasSubstr("\nhkpd_system_context_switches_per_second{machine=\"SIMULATED\"} "));
    EXPECT_EQ(replay({captured("demo.bin"), "--speed", "1000", "--object", "System", "--textfile", path_}).exit, 0);
    EXPECT_THAT(read_file(path_), HasSubstr("DEMO"));
}

TEST_F(TextfileCli, WrongUsage) {
    const auto refused = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "--simulate");
        const Result result = replay(std::move(arguments));
        EXPECT_EQ(result.exit, 2);
        EXPECT_EQ(left(), std::vector<std::string>{});
        return result.err;
    };
    EXPECT_THAT(refused({"--textfile", path_, "--format", "csv"}), HasSubstr("requires --format openmetrics"));
    EXPECT_THAT(refused({"--textfile", path_, "--format", "table"}), HasSubstr("requires --format openmetrics"));
    EXPECT_THAT(refused({"--textfile", path_, "--summary"}), HasSubstr("--summary: expected format"));
    EXPECT_THAT(refused({"--textfile", path_, "--raw"}), HasSubstr("--raw cannot be combined"));
    EXPECT_THAT(refused({"--textfile", path_, "--jobs", "2"}), HasSubstr("--jobs"));
    EXPECT_THAT(refused({"--textfile", path_, "--crlf"}), HasSubstr("--crlf requires"));
    EXPECT_THAT(refused({"--textfile", "-"}), HasSubstr("expected a file name"));
    EXPECT_THAT(refused({"--textfile", ""}), HasSubstr("expected a file name"));
}

TEST_F(TextfileCli, MetricPrefix) {
    const auto first_line = [&](const std::string& prefix) {
        const Result result = replay({captured("demo.bin"), "--object", "Memory", "--counter", "Available Bytes",
                                      "--textfile", path_, "--metric-prefix", prefix});
        EXPECT_EQ(result.exit, 0) << result.err;
        const std::string text = read_file(path_);
        return text.substr(0, text.find('\n'));
    };
    EXPECT_EQ(first_line("windows_"), "# TYPE windows_memory_available_bytes gauge");
    EXPECT_EQ(first_line("_A:9"), "# TYPE _A:9memory_available_bytes gauge");
    EXPECT_EQ(first_line(""), "# TYPE memory_available_bytes gauge");
    const Result text = replay({captured("demo.bin"), "--object", "Memory", "--counter", "Available Bytes", "--format",
                                "openmetrics", "--metric-prefix", "pc_"});
    EXPECT_THAT(text.out, StartsWith("# TYPE pc_memory_available_bytes gauge\n"));
}

TEST_F(TextfileCli, WrongMetricPrefixes) {
    for (const std::string prefix : {"9_", "hkpd-", "a b", "\xC3\xA4", "{"}) {
        const Result result = simulate({"--metric-prefix", prefix});
        EXPECT_EQ(result.exit, 2) << prefix;
        EXPECT_THAT(result.err, HasSubstr("--metric-prefix: expected letters (a-z, A-Z), digits, _ and : without a "
                                          "leading digit, found '" +
                                          prefix + "'"));
    }
    const Result table = replay({"--simulate", "--metric-prefix", "a_"});
    EXPECT_EQ(table.exit, 2);
    EXPECT_THAT(table.err, HasSubstr("--metric-prefix requires --format openmetrics or --textfile"));
    EXPECT_EQ(left(), std::vector<std::string>{});
}

TEST_F(TextfileCli, NoInputIsOverwritten) {
    const std::string input = folder_.write("in.prom", read_file(captured("demo.bin")));
    const Result result = replay({input, "--textfile", input});
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, HasSubstr("is an input and would be overwritten"));
    EXPECT_EQ(read_file(input), read_file(captured("demo.bin")));
}

TEST_F(TextfileCli, AnUnwritablePlaceFailsAtOnce) {
    path_ = folder_.path("missing/hkpd.prom");
    const Result missing = simulate({});
    EXPECT_EQ(missing.exit, 3);
    EXPECT_THAT(missing.err, StartsWith("hkpd replay: '"));
    EXPECT_THAT(missing.err, HasSubstr("cannot be written: No such file or directory"));
    path_ = folder_.path("folder.prom");
    std::filesystem::create_directories(hkpd::path_of(path_ + "/full"));
    const Result directory = simulate({});
    EXPECT_EQ(directory.exit, 3);
    EXPECT_THAT(directory.err, HasSubstr("not a regular file"));
    EXPECT_TRUE(hkpd::is_directory(path_ + "/full"));
}

TEST_F(TextfileCli, AnotherExtensionCausesAWarning) {
    path_ = folder_.path("hkpd.txt");
    const Result result = simulate({});
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.err, HasSubstr("does not end in .prom: textfile collectors will not read it"));
    EXPECT_THAT(read_file(path_), StartsWith("# TYPE hkpd_system_"));
}

TEST_F(TextfileCli, WithoutASampleTheFileStays) {
    folder_.write("hkpd.prom", "before");
    const std::string empty = folder_.write("empty.bin", "");
    replay({empty, "--textfile", path_});
    EXPECT_EQ(read_file(path_), "before");
    EXPECT_EQ(left(), (std::vector<std::string>{"empty.bin", "hkpd.prom"}));
}

/// A mistyped path must not empty a good file.
TEST_F(TextfileCli, WithoutMatchesTheFileStays) {
    folder_.write("hkpd.prom", "before");
    for (const std::string path : {R"(\Nope\x)", R"(\Process(absent)\*)", R"(\System\Nope)"}) {
        EXPECT_EQ(replay({captured("demo.bin"), "--path", path, "--textfile", path_}).exit, 2) << path;
        EXPECT_EQ(read_file(path_), "before") << path;
        const std::vector<std::string> live{"--simulate", "--live", "--interval", "0.01",       "--count",
                                            "2",          "--path", path,         "--textfile", path_};
        EXPECT_EQ(replay(live).exit, 2) << path;
        EXPECT_EQ(read_file(path_), "before") << path;
    }
    EXPECT_EQ(left(), std::vector<std::string>{"hkpd.prom"});
}

/// A removed series has really ended; this is no fault.
TEST_F(TextfileCli, EndedSeriesAreRemoved) {
    folder_.write("hkpd.prom", "before");
    blob::Object object{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 784}}};
    const std::string without =
        to_text(blob::build({.objects = {object}, .perf_time = 2, .system_time = {.second = 2}}));
    object.instances.push_back({.name = u"short", .values = {7}});
    const std::string with = to_text(blob::build({.objects = {object}, .perf_time = 1, .system_time = {.second = 1}}));
    const std::string run = folder_.write("run.bin", with + without);
    const Result result = replay({run, "--path", R"(\Process(short)\*)", "--textfile", path_});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(read_file(path_), "");
}

TEST_F(TextfileCli, FilesOfOthersStay) {
    folder_.write("hkpd.prom.new", "theirs");
    EXPECT_EQ(simulate({}).exit, 0);
    EXPECT_THAT(read_file(path_), StartsWith("# TYPE "));
    EXPECT_EQ(read_file(folder_.path("hkpd.prom.new")), "theirs");
    EXPECT_EQ(left(), (std::vector<std::string>{"hkpd.prom", "hkpd.prom.new"}));
}

/// Neither removes the other's file, nor fails.
TEST_F(TextfileCli, TwoRunsWriteOneFile) {
    const auto start = [this] {
        return std::async(std::launch::async,
                          [this] { return simulate({"--live", "--interval", "0.001", "--count", "150"}); });
    };
    auto one = start(), other = start();
    for (auto* run : {&one, &other}) {
        const Result result = run->get();
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_THAT(result.err, testing::Not(HasSubstr("written")));
    }
    EXPECT_THAT(read_file(path_), StartsWith("# TYPE "));
    EXPECT_EQ(left(), std::vector<std::string>{"hkpd.prom"});
}

#ifndef _WIN32
/// An earlier process had the same number, and was killed.
TEST_F(TextfileCli, FilesOfAKilledRunStay) {
    const std::string script = "echo half > \"$2.$$-0.new\"; exec \"$1\" replay --simulate --textfile \"$2\"";
    const Result result =
        run(hkpd_test::Run{.arguments = {"-c", script, "sh", command_file, path_}, .program = "/bin/sh"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(read_file(path_), StartsWith("# TYPE "));
    ASSERT_EQ(left().size(), 2U);
    EXPECT_THAT(left().back(), testing::EndsWith("-0.new"));
    EXPECT_EQ(read_file(folder_.path(left().back())), "half\n");
}

TEST_F(TextfileCli, LinksAndPermissionsStay) {
    if (is_skipped(missing_links())) return;
    namespace fs = std::filesystem;
    const std::string target = folder_.write("real.prom", "before"), precious = folder_.write("precious", "x");
    fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    const fs::perms before = fs::status(target).permissions();
    fs::create_symlink(target, path_);
    fs::create_symlink(precious, target + ".new");  // nothing is written through it
    EXPECT_EQ(simulate({}).exit, 0);
    EXPECT_TRUE(fs::is_symlink(path_));
    EXPECT_THAT(read_file(target), StartsWith("# TYPE "));
    EXPECT_EQ(fs::status(target).permissions(), before);
    EXPECT_EQ(read_file(precious), "x");
}

TEST_F(TextfileCli, ADeviceIsNotReplaced) {
    path_ = "/dev/null";
    EXPECT_EQ(simulate({}).exit, 3);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}
#endif

/// Reads the file while samples are written.
TEST_F(TextfileCli, AReaderNeverSeesAPartialFile) {
    const auto read_meanwhile = [this](std::size_t& reads, std::set<std::string>& seen) {
        using Clock = std::chrono::steady_clock;
        std::filesystem::remove(hkpd::path_of(path_));
        auto run = std::async(std::launch::async, [this] {
            return replay({"--simulate", "--live", "--interval", "0.005", "--count", "150", "--textfile", path_});
        });
        std::size_t lines_of_one = 0;
        Clock::duration longest{};  // that the file was open
        while (run.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            const auto opened = Clock::now();
            std::ifstream file(hkpd::path_of(path_), std::ios::binary);
            if (!file) continue;
            const std::string text{std::istreambuf_iterator<char>(file), {}};
            file.close();
            longest = std::max(longest, Clock::now() - opened);
            const auto count = static_cast<std::size_t>(std::ranges::count(text, '\n'));
            if (lines_of_one == 0) lines_of_one = count;
            EXPECT_EQ(count, lines_of_one);
            EXPECT_TRUE(text.ends_with('\n'));
            ++reads;
            seen.insert(text);
#ifdef _WIN32
            // A file that is always open is never replaced; collectors read it only now and then.
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
#endif
        }
        const Result result = run.get();
#ifdef _WIN32
        // The command tries for half a second to replace a file that a reader has open; the reader may be waiting to be
        // scheduled.
        if (longest > std::chrono::milliseconds(300)) return;
#endif
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_TRUE(reads == 0 || lines_of_one > 1000U) << lines_of_one;
    };
    // On a busy machine the reader may not be scheduled during a run.
    std::size_t reads = 0;
    std::set<std::string> seen;
    const auto has_seen_enough = [&] {
        reads = 0;
        seen.clear();
        read_meanwhile(reads, seen);
        return HasFailure() || (reads > 3 && seen.size() > 1);
    };
    wait_until(has_seen_enough, "the reader has seen more than one of the samples, each of which replaces the file");
}

/// Numbers would be the names of the metrics.
TEST_F(TextfileCli, WithoutTheRequestedTitlesTheFileStays) {
    folder_.write("hkpd.prom", "before");
    const Result result = replay({captured("demo.bin"), "--titles", folder_.path("mistyped"), "--textfile", path_});
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(result.err, HasSubstr("mistyped: cannot be read: no such file"));
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(read_file(path_), "before");
}

#ifndef _WIN32
/// The link may point into another directory, to a file that does not exist yet.
TEST_F(TextfileCli, ALinkKeepsItsTarget) {
    if (is_skipped(missing_links())) return;
    namespace fs = std::filesystem;
    fs::create_directory(folder_.path("there"));
    fs::create_symlink("there/real.prom", path_);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(simulate({}).exit, 0);
        EXPECT_TRUE(fs::is_symlink(path_));
        EXPECT_TRUE(fs::is_regular_file(folder_.path("there/real.prom")));
    }
    fs::create_symlink("loop.prom", folder_.path("loop.prom"));
    path_ = folder_.path("loop.prom");
    const Result result = simulate({});
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(result.err, HasSubstr("Too many levels of symbolic links"));
}

TEST_F(TextfileCli, ReadersOfTheOldFileMayReadTheNewOne) {
    constexpr gid_t another_group = 65534;
    folder_.write("hkpd.prom", "before");
    ASSERT_EQ(chmod(path_.c_str(), 0640), 0);
    const bool is_given = chown(path_.c_str(), static_cast<uid_t>(-1), another_group) == 0;
    EXPECT_EQ(simulate({}).exit, 0);
    struct stat made{};
    ASSERT_EQ(stat(path_.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777U, 0640U);
    EXPECT_EQ(made.st_gid, is_given ? another_group : getgid());
}

/// Another user may own the directory, and swap the new file for a link at any moment.
TEST_F(TextfileCli, NoRightsAreChangedThroughALink) {
    if (is_skipped(missing_links())) return;
    namespace fs = std::filesystem;
    const std::string victim = folder_.write("victim", "secret"), link = folder_.path("link");
    ASSERT_EQ(chmod(victim.c_str(), 0600), 0);
    folder_.write("hkpd.prom", "before");
    ASSERT_EQ(chmod(path_.c_str(), 0666), 0);
    std::atomic<bool> ended = false;
    std::thread swapper([&] {
        const int watch = inotify_init1(IN_NONBLOCK);
        inotify_add_watch(watch, folder_.path().c_str(), IN_CREATE);
        std::array<char, 4096> events{};
        std::error_code error;
        fs::create_symlink(victim, link, error);
        while (!ended) {
            const ssize_t size = read(watch, events.data(), events.size());
            if (size <= 0) continue;
            const std::string_view text(events.data(), static_cast<std::size_t>(size));
            const std::size_t name = text.find("hkpd.prom."), end = text.find(".new");
            if (name == text.npos || end == text.npos || end < name) continue;
            fs::rename(link, folder_.path(std::string(text.substr(name, end - name)) + ".new"), error);
            fs::create_symlink(victim, link, error);
        }
        close(watch);
    });
    struct stat found{};
    for (int i = 0; i < 200 && !HasFailure(); ++i) {
        replay({captured("demo.bin"), "--textfile", path_});
        ASSERT_EQ(stat(victim.c_str(), &found), 0);
        EXPECT_EQ(found.st_mode & 0777U, 0600U) << "after " << i << " runs";
        fs::remove(path_);  // may be the link by now
        folder_.write("hkpd.prom", "before");
        chmod(path_.c_str(), 0666);
    }
    ended = true;
    swapper.join();
    EXPECT_EQ(read_file(victim), "secret");
}

/// The owner of a link chooses what it leads to. Only root can make a link of another user.
TEST_F(TextfileCli, ALinkOfAnotherUserIsRefused) {
    if (is_skipped(missing_links())) return;
    constexpr uid_t another_user = 65534;
    if (is_skipped(missing_root())) return;
    const std::string target = folder_.write("target", "before");
    std::filesystem::create_symlink(target, path_);
    // Root of a container may have no other user.
    const int given = lchown(path_.c_str(), another_user, static_cast<gid_t>(-1));
    if (given != 0 && is_skipped(missing("files of another user", std::generic_category().message(errno)))) return;
    const Result result = simulate({});
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(result.err, HasSubstr("hkpd.prom' cannot be written: a link of another user: name the file that it"));
    const Result captured = run({"capture", "--simulate", "--count", "1", "-o", path_});
    EXPECT_EQ(captured.exit, 3);
    EXPECT_THAT(captured.err, HasSubstr("a link of another user"));
    EXPECT_EQ(read_file(target), "before");
}

/// A capture holds names of people and programs; a text file is for a collector, which runs as another user.
TEST_F(TextfileCli, ANewCaptureIsItsOwnersAndANewTextFileFollowsTheUmask) {
    const std::string capture = folder_.path("new.mcap");
    EXPECT_EQ(run({"capture", "--simulate", "--count", "1", "-o", capture}).exit, 0);
    EXPECT_EQ(simulate({}).exit, 0);
    struct stat found{};
    ASSERT_EQ(stat(capture.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0600U);
    const mode_t mask = umask(0);
    umask(mask);
    ASSERT_EQ(stat(path_.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0666U & ~mask);
}

// On Windows a directory cannot be moved while a file in it is open.
/// The directory is missing for a while: this is reported, the run continues, and the next samples are written.
TEST_F(TextfileCli, ALaterFailureEndsNothing) {
    namespace fs = std::filesystem;
    const std::string folder = folder_.path("out"), away = folder_.path("away");
    fs::create_directory(hkpd::path_of(folder));
    path_ = folder_.path("out/hkpd.prom");
    enum class Stage { written, moved, back } stage = Stage::written;
    const auto go_on = [&](const Result& so_far) {
        if (stage == Stage::written && hkpd::is_there(path_)) {
            std::error_code error;
            fs::rename(hkpd::path_of(folder), hkpd::path_of(away), error);
            EXPECT_FALSE(error) << error.message();
            stage = Stage::moved;
        } else if (stage == Stage::moved && so_far.err.find("could not be written: ") != std::string::npos) {
            fs::create_directory(hkpd::path_of(folder));
            stage = Stage::back;
        }
        return stage == Stage::back && so_far.err.find("writing succeeds again\n") != std::string::npos;
    };
    const Result result = run_and_interrupt({.arguments = {"replay", "--simulate", "--path", R"(\System\*)",
                                                           "--textfile", path_, "--live", "--interval", "0.02"}},
                                            go_on);
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(result.err, HasSubstr("could not be written: "));
    EXPECT_EQ(result.err.find("could not be written"), result.err.rfind("could not be written")) << "once";
    EXPECT_THAT(result.err, HasSubstr("writing succeeds again\n"));
    EXPECT_THAT(read_file(path_), StartsWith("# TYPE "));
}
#endif

}  // namespace textfile_cli_test
}  // namespace hkpd_test
