// `hkpd capture`: made from blobs, listed, and unpacked byte for byte.
#include "capture_cli.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/machine.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace capture_cli_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST_F(CaptureCli, ReturnsTheBlobsAndTitlesByteForByte) {
    const std::string blobs = demo_blobs(5), titles = "2\nSystem\n250\nFaeden\n";
    const std::string title_file = folder_.write("counter-007.txt", titles);
    const std::string path = made("run.mcap", blobs, {"--titles", title_file, "--meta", "os=Windows Server 2022"});
    const Result result = capture({"--export", folder_.path("out"), path});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.out, folder_.path("out") + ": 5 blobs and 1 title databases\n");
    EXPECT_EQ(all_files(folder_.path("out"), ".bin"), blobs);
    EXPECT_EQ(read_file(folder_.path("out/titles-counter-007.txt")), titles);
    // The capture contains the titles; those given as an option take precedence.
    EXPECT_THAT(dump({"--sample", "0", "--object", "System", path}).out, HasSubstr("Faeden"));
    const std::string other = folder_.write("other.txt", "2\nSystem\n250\nOther\n");
    EXPECT_THAT(dump({"--titles", other, "--sample", "0", "--object", "System", path}).out, HasSubstr("Other"));
    EXPECT_THAT(titles_of(path), HasSubstr("Faeden"));
    // Nothing is overwritten.
    EXPECT_EQ(capture({"--export", folder_.path("out"), path}).exit, 3);
}

TEST_F(CaptureCli, NoInputIsOverwritten) {
    const std::string blobs = folder_.write("run.bin", demo_blobs(2)),
                      titles = folder_.write("titles.txt", "2\nSystem\n");
    for (const std::string& output : {blobs, titles}) {
        const std::string before = read_file(output);
        const Result result = capture({"--from", blobs, "--titles", titles, "-o", output});
        EXPECT_EQ(result.exit, 2);
        EXPECT_THAT(result.err, HasSubstr("is an input and would be overwritten"));
        EXPECT_EQ(read_file(output), before);
    }
}

TEST_F(CaptureCli, IsAnOrdinaryInput) {
    const std::string blobs = demo_blobs(4);
    const std::string path = made("run.mcap", blobs);
    for (const std::string format : {"json", "jsonl", "csv", "table"}) {
        const std::string plain = dump({"--format", format, "-"}, blobs).out;
        EXPECT_EQ(dump({"--format", format, path}).out, plain) << format;
        EXPECT_EQ(dump({"--format", format, "-"}, read_file(path)).out, plain) << format;
    }
    folder_.write("folder/a.mcap", read_file(path));
    folder_.write("folder/b.bin", demo_blobs(1));
    EXPECT_EQ(sample_times(folder_.path("folder")).size(), 5U);
}

TEST_F(CaptureCli, InfoIsThatOfTheSubcommandInfo) {
    const std::string path = made("run.mcap", demo_blobs(3), {"--meta", "os=Windows Server 2022"});
    const Result result = capture({"--info", path});
    EXPECT_EQ(result.exit, 0) << result.err;
    for (const char* part :
         {"profile x-hkpd\n", "finished, with index", "from         2024-05-14T09:30:00.000Z\n",
          "to           2024-05-14T09:30:02.000Z\n", "messages     3\n", "os         Windows Server 2022",
          "machine    DEMO", "v1/DEMO", "samples      3, every 1 s\n"})
        EXPECT_THAT(result.out, HasSubstr(part));
    EXPECT_EQ(result.out, run({"info", "--all", path}).out);
    // A capture that is still being written has this line, which tools/packaging/clickhouse/load.sh looks for.
    const std::string whole = read_file(path), cut = folder_.write("cut.mcap", whole.substr(0, whole.size() / 2));
    EXPECT_THAT(capture({"--info", cut}).out, HasSubstr("\nstate        incomplete"));
}

TEST_F(CaptureCli, SeveralIntoOne) {
    const std::string a = made("a.mcap", demo_blobs(2)), b = folder_.write("b.bin", demo_blobs(3));
    const std::string both = folder_.path("both.mcap");
    EXPECT_EQ(capture({"--from", a, b, "-o", both}).exit, 0);
    const Result result = capture({"--from", a, "--from", b, "-o", "-"});
    EXPECT_EQ(result.out, read_file(both));
    EXPECT_EQ(sample_times(both).size(), 5U);
}

TEST_F(CaptureCli, InputsThatAreNoBlobAreRefused) {
    const Result result = capture({"--from", "-", "-o", folder_.path("none.mcap")}, "no performance data at all");
    EXPECT_EQ(result.exit, 3);
    EXPECT_THAT(result.err, HasSubstr("text without a counter path"));
    EXPECT_EQ(capture({"--from", folder_.path("missing"), "-o", folder_.path("x.mcap")}).exit, 3);
    EXPECT_EQ(capture({"--from", "-", "-o", folder_.path("no/such/folder.mcap")}, demo_blobs(1)).exit, 3);
}

TEST_F(CaptureCli, AFullDeviceIsReported) {
    if (is_skipped(missing_full_device())) return;
    EXPECT_EQ(capture({"--from", "-", "-o", "/dev/full"}, demo_blobs(1)).exit, 3);
}

TEST_F(CaptureCli, WrongUsage) {
    const std::string path = made("run.mcap", demo_blobs(1));
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {},
             {"--from", path},
             {"--from", path, "-o", path},
             {"--info"},
             {"--info", path, made("other.mcap", demo_blobs(1))},
             {"--info", "--export", "x", path},
             {"--from", path, "-o", folder_.path("y.mcap"), "--flush", "soon"},
             {"--from", path, "-o", folder_.path("y.mcap"), "--meta", "nothing"},
         })
        EXPECT_EQ(capture(arguments).exit, 2) << testing::PrintToString(arguments);
    EXPECT_EQ(capture({"--info", path}).exit, 0);  // it still exists
}

class WindowsCapture : public WindowsData {
  protected:
    std::string blobs() const { return path("data/v1/vista-2007"); }
    TempFolder temporary_;
};

TEST_F(WindowsCapture, ExportsTheBlobsByteForByteAndStaysSmall) {
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

}  // namespace capture_cli_test
}  // namespace hkpd_test
