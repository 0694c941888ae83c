// Compressed inputs of the command: files, standard input, directories, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "capture_cli.hpp"
#include "support/mcap_builder.hpp"
#include "support/packed_bytes.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace packed_cli_test {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class PackedCli : public CaptureCli {
  protected:
    static Result csv(const std::string& input, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"replay", "--format", "csv", "--object", "System", input});
        return run(more);
    }
};

TEST_F(PackedCli, EveryFormatIsReadThrough) {
    const std::string blobs = demo_blobs(3), capture_file = read_file(made("run.mcap", blobs));
    const std::string plain = csv(folder_.write("plain.bin", blobs)).out;
    ASSERT_THAT(lines(plain), testing::SizeIs(testing::Gt(3U)));
    for (const std::string& content : {blobs, capture_file}) {
        const std::string packed = packed::gzip(content), archive = packed::zip({{.name = "d/run", .text = content}});
        for (const std::string& bytes : {packed, archive}) {
            const Result file = csv(folder_.write("x", bytes));
            EXPECT_EQ(file.out, plain);
            EXPECT_EQ(file.err, "");
            EXPECT_EQ(run({.arguments = {"replay", "--format", "csv", "--object", "System", "-"}, .input = bytes}).out,
                      plain);
        }
    }
}

TEST_F(PackedCli, WhatIsCompressedTwiceIsReported) {
    const std::string once = packed::gzip(demo_blobs(1)),
                      archive = packed::zip({{.name = "x.bin", .text = demo_blobs(1)}});
    for (const std::string& bytes : {packed::gzip(once), packed::gzip(archive)}) {
        const Result result = run({"dump", folder_.write("twice.gz", bytes)});
        EXPECT_EQ(result.exit, 1);
        EXPECT_THAT(result.err, HasSubstr("twice.gz: error: the content is compressed once more, and is not read"));
    }
    const Result nested = run({"dump", folder_.write("x.zip", packed::zip({{.name = "a.zip", .text = archive}}))});
    EXPECT_THAT(nested.err, HasSubstr("x.zip/a.zip: warning: the content is compressed once more, and is not read"));
}

TEST_F(PackedCli, TheSummaryNamesTheKind) {
    const std::string log =
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\PC\\System\\Processes\"\n\"01/02/2024 23:00:00.000\",\"1\"\n";
    const auto kind = [](const std::string& path) { return lines(run({"info", path}).out).at(0); };
    EXPECT_THAT(kind(folder_.write("log.csv.gz", packed::gzip(log))), EndsWith(": text log, with cooked values"));
    EXPECT_THAT(kind(folder_.write("log.zip", packed::zip({{.name = "log.csv", .text = log}}))),
                EndsWith(": zip archive"));
    EXPECT_EQ(lines(run({.arguments = {"info", "-"}, .input = log}).out).at(0), "-: text log, with cooked values");
}

TEST_F(PackedCli, TitlesInAnArchiveNameItsBlobs) {
    const std::string blob = to_text(blob::build({.objects = {{.title = 9000, .counters = {{.title = 9002}}}}}));
    const std::string input = folder_.write(
        "x.zip", packed::zip({{.name = "1.bin", .text = blob}, {.name = "counter-009.txt", .text = "9000\nNamed\n"}}));
    EXPECT_THAT(run({"dump", input}).out, HasSubstr("Named (9000)"));
}

TEST_F(PackedCli, MapReadsThrough) {
    const std::string blobs = demo_blobs(2);
    const auto json_of = [](const std::string& input) {
        const Result result = run({"map", "--json", input});
        EXPECT_EQ(result.exit, 0) << result.err;
        return result.out.substr(result.out.find("\"entries\""));
    };
    const std::string plain = json_of(folder_.write("plain.bin", blobs));
    EXPECT_THAT(plain, HasSubstr("PERF_DATA_BLOCK"));
    for (const std::string& bytes :
         {packed::gzip(blobs), mcap_file::zstd(blobs), packed::zip({{.name = "1.bin", .text = blobs}}),
          packed::zip64({{.name = "1.bin", .text = blobs}})})
        EXPECT_EQ(json_of(folder_.write("packed", bytes)), plain);
    EXPECT_EQ(run({"map", folder_.write("cut.gz", packed::gzip(blobs).substr(0, 500))}).exit, 1);
}

TEST_F(PackedCli, TitlesReadsThrough) {
    const std::string titles = "1\n1847\n2\nSystem\n4\nMemory\n";
    for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
             {"perfc009.dat.gz", packed::gzip(titles)},
             {"perfc009.dat.zst", mcap_file::zstd(titles)},
             {"x.zip", packed::zip({{.name = "perfc009.dat", .text = titles}})},
             {"y.zip", packed::zip64({{.name = "perfc009.dat", .text = titles}})}}) {
        const std::string path = folder_.write(name, bytes);
        const Result list = run({"titles", "list", path});
        EXPECT_EQ(list.exit, 0) << name << list.err;
        EXPECT_EQ(list.out, "     1  1847\n     2  System\n     4  Memory\n") << name;
        EXPECT_EQ(run({"titles", "find", "4", path}).out, "     4  Memory\n") << name;
    }
}

TEST_F(PackedCli, ArchivesInADirectory) {
    folder_.write("d/1.bin", demo_blobs(1));
    folder_.write("d/2.zip", packed::zip({{.name = "a", .text = demo_blobs(1)}, {.name = "b", .text = demo_blobs(1)}}));
    folder_.write("d/3.bin.gz", packed::gzip(demo_blobs(1)));
    folder_.write("d/below/4.zip", packed::zip({{.name = "a", .text = demo_blobs(1)}}));
    const auto count = [](const Result& result) {
        EXPECT_EQ(result.err, "");
        return lines(result.out).size() - 1;
    };
    const std::size_t one = count(csv(folder_.path("d/1.bin"), {"--counter", "Threads"}));
    EXPECT_EQ(count(run({"dump", "--format", "csv", "--object", "System", "--counter", "Threads", folder_.path("d")})),
              4 * one);
    EXPECT_EQ(
        count(run({"dump", "-r", "--format", "csv", "--object", "System", "--counter", "Threads", folder_.path("d")})),
        5 * one);
}

TEST_F(PackedCli, ABombIsRefusedWithAMessage) {
    constexpr std::size_t repeats = 70'000;  // 18 MB from 114 KB
    const std::string zeros(1 + 258 * repeats, '\0');
    const std::string bomb = folder_.write("bomb.gz", packed::gzip(zeros, packed::deflate_zeros(repeats)));
    const Result result = csv(bomb, {"--limit-expansion", "100"});
    EXPECT_EQ(result.exit, 1);
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("bomb.gz: offset 0x0: error: gzip member: the data expands to more bytes than "
                                "--limit-expansion and the limit of 1 GiB allow; it is skipped"),
                      HasSubstr("16777216")));
    const Result truncated = csv(folder_.write("cut.gz", packed::gzip(demo_blobs(1)).substr(0, 1000)));
    EXPECT_EQ(truncated.exit, 1);
    EXPECT_THAT(truncated.err, HasSubstr("the compressed data is damaged or truncated"));
}

TEST_F(PackedCli, NamesInArchivesCannotHarmTheTerminal) {
    const std::string input =
        folder_.write("x.zip", packed::zip({{.name = "\x1B[31m/../a", .text = "x", .checksum = 0}}));
    const Result result = csv(input);
    EXPECT_EQ(result.exit, 3);
    EXPECT_EQ(result.err.find('\x1B'), std::string::npos);
    EXPECT_THAT(result.err, HasSubstr("[31m/../a"));
}

class WindowsPackedLogs : public WindowsData {};

TEST_F(WindowsPackedLogs, ReadAsTheyAre) {
    const TempFolder folder;
    const std::string log = path("data/blg/win10-14393-counters.blg"), content = read_file(log);
    const auto replayed = [](const std::string& input) { return run({"replay", "--format", "pdh-csv", input}).out; };
    EXPECT_EQ(replayed(folder.write("x.gz", packed::gzip(content))), replayed(log));
    EXPECT_EQ(replayed(folder.write("x.zip", packed::zip({{.name = "x.blg", .text = content}}))), replayed(log));
}

}  // namespace packed_cli_test
}  // namespace hkpd_test
