// Performance logs in the commands that unpack or select: exports, maps, titles, checks, sources, comparisons.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "capture_cli.hpp"
#include "run_command.hpp"
#include "support/log_sample.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace log_outputs_cli_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LogOutputsCli : public testing::Test {
  protected:
    std::string captured() const {
        const std::string path = folder_.path("log.mcap");
        const Result result = capture({log_, "-o", path});
        EXPECT_EQ(result.exit, 0) << result.err;
        return path;
    }

    TempFolder folder_;
    std::string log_ = folder_.write("log.blg", log_sample::file().text());
};

TEST_F(LogOutputsCli, OnlySamplesOfLogs) {
    const std::string blob = folder_.write("blob.bin", demo_blobs(1));
    const auto dumped = [&](const std::string& source) {
        return dump({"--format", "csv", "--counter", "Threads", "--source", source, log_, blob});
    };
    const Result logged = dumped("log"), v1 = dumped("v1");
    EXPECT_EQ(logged.exit, 0) << logged.err;
    EXPECT_THAT(logged.out, AllOf(HasSubstr(",PC,log,"), Not(HasSubstr(",v1,"))));
    EXPECT_THAT(v1.out, AllOf(HasSubstr(",DEMO,v1,"), Not(HasSubstr(",log,"))));
    const Result none = dumped("v2");
    EXPECT_EQ(none.exit, 2);
    EXPECT_THAT(none.err, HasSubstr("no sample from v2 was selected (samples of all interfaces are counted)"));
    const Result wrong = dumped("v3");
    EXPECT_EQ(wrong.exit, 2);
    EXPECT_THAT(wrong.err, HasSubstr("--source: expected v1, v2 or log, found 'v3'"));
    const Result live = dump({"--simulate", "--source", "log"});
    EXPECT_EQ(live.exit, 2);
    EXPECT_THAT(live.err, HasSubstr("--source log applies to files: use v1 or v2 for a machine"));
}

TEST_F(LogOutputsCli, CapturesAreListedAndUnpacked) {
    const std::string path = captured();
    const Result info = capture({"--info", path});
    EXPECT_EQ(info.exit, 0) << info.err;
    EXPECT_THAT(info.out, HasSubstr("\n         2  x-hkpd-log              log/{"));
    EXPECT_THAT(info.out, HasSubstr("\n         1  x-hkpd-log-catalogue    log-catalogue/{"));
    EXPECT_THAT(info.out, HasSubstr("\n         1  x-hkpd-titles           titles/PC/log.blg\n"));
    const std::string out = folder_.path("out");
    const Result result = capture({"--export", out, path});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.out, out + ": 2 blobs and 1 title databases, 5 records of logs\n");
    std::vector<std::string> names;
    std::error_code error;
    for (const std::string& file : hkpd::files_in(out, error)) names.push_back(file.substr(out.size() + 1));
    EXPECT_THAT(names, testing::ElementsAre("000000.log-header", "000002.log-catalogue", "000003-0005.bin",
                                            "000003.log-row", "000004-0005.bin", "000004.log-row", "000005.log-trailer",
                                            "manifest.jsonl", "titles-log_blg.titles"));
    EXPECT_EQ(dump({"--format", "csv", out}).out, dump({"--format", "csv", path}).out);
    // Without the manifest, the blocks of the rows are blobs.
    std::filesystem::remove(out + "/manifest.jsonl");
    const Result dumped = dump({"--format", "csv", out});
    EXPECT_EQ(dumped.exit, 0) << dumped.err;
    EXPECT_THAT(dumped.out, AllOf(HasSubstr(",PC,v1,System,2,,,,,,1,,File Reads/sec,10,PERF_COUNTER_RAWCOUNT,7\n"),
                                  HasSubstr(",PC,v1,System,2,,,,,,1,,File Reads/sec,10,PERF_COUNTER_RAWCOUNT,8\n")));
}

TEST_F(LogOutputsCli, MapsReportRecordsWithoutABlock) {
    const std::string path = captured();
    const auto error_of = [&](const std::string& record) { return run({"map", path, "--record", record}).err; };
    EXPECT_THAT(error_of("0"), HasSubstr("record 0 is the header of a performance log, which has no blocks to map"));
    EXPECT_THAT(error_of("1"), HasSubstr("record 1 is a title database, which has no blocks to map"));
    EXPECT_THAT(error_of("2"), HasSubstr("record 2 is the catalogue of a performance log"));
    EXPECT_THAT(error_of("3"),
                HasSubstr("record 3 is a row of a performance log (hkpd capture --export writes the blocks"));
    EXPECT_THAT(error_of("5"), HasSubstr("record 5 is the trailer of a performance log"));
    const Result whole = run({"map", log_});
    EXPECT_EQ(whole.exit, 3);
    EXPECT_THAT(whole.err, HasSubstr("is a performance log, which has no blocks to map: use hkpd dump"));
}

TEST_F(LogOutputsCli, TitlesAreExtracted) {
    EXPECT_EQ(titles({"list", log_}).out, "     2  System\n    10  File Reads/sec\n");
    EXPECT_EQ(titles({"find", "system", log_}).out, "     2  System\n");
    const std::string bytes = titles({"export", "--format", "multi_sz", log_}).out;
    EXPECT_EQ(titles({"list", folder_.write("titles.bin", bytes)}).out, titles({"list", log_}).out);
    // Titles of a log name blobs too.
    const std::string blob = folder_.write(
        "blob.bin", to_text(blob::build(
                        {.objects = {{.title = 2, .counters = {{.title = 10}}, .values = {1}}}, .machine = u"PC"})));
    EXPECT_THAT(dump({"--format", "csv", "--titles", log_, blob}).out, HasSubstr(",File Reads/sec,10,"));
}

TEST_F(LogOutputsCli, ALogMayHaveNoTitles) {
    const std::string bare = folder_.write(
        "bare.blg", log_file::build({.events = {{log_file::catalogue_class, log_sample::catalogue()}}}).text());
    const Result result = titles({"list", bare});
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, HasSubstr("hkpd titles: no titles found"));
}

TEST_F(LogOutputsCli, CheckReportsMissingNamesOfBlocksInRows) {
    const Result valid = run({"check", "--verbose", log_});
    EXPECT_EQ(valid.exit, 0) << valid.out << valid.err;
    EXPECT_THAT(valid.out, HasSubstr("checked: 4 samples, 1 title table"));
    const auto event = [](std::uint8_t event_class, log_file::Data data, std::int64_t late) {
        return log_file::Event{.event_class = event_class, .data = std::move(data), .time = log_sample::start + late};
    };
    const std::string missing = folder_.write(
        "missing.blg",
        log_file::build({.events = {event(log_file::names_class, log_file::names(u"\\\\PC", {{u"2", u"System"}}), -2),
                                    event(log_file::catalogue_class, log_sample::catalogue(), -1),
                                    event(log_file::row_class, log_sample::row(0), 0),
                                    event(log_file::row_class, log_sample::row(1), log_sample::second),
                                    event(log_file::trailer_class, log_file::trailer({.rows = 2}), 20'000'000)}})
            .text());
    const Result found = run({"check", missing});
    EXPECT_EQ(found.exit, 1) << found.err;
    EXPECT_THAT(found.out, HasSubstr("faults: 0 errors, 1 warning, 0 notes"));
    EXPECT_THAT(found.out, HasSubstr("no title for index 10 (object 2)"));
}

/// 13 names events make one database: their ends leave no gaps.
class WindowsLogOutputs : public WindowsData {
  protected:
    std::string vista() const { return path("data/blg/vista-2007-wildcards.blg"); }
    TempFolder temp_;
};

TEST_F(WindowsLogOutputs, ExportedBlobsEqualThoseOfTheLogAndHaveNames) {
    const std::string made = temp_.path("vista.mcap"), out = temp_.path("out");
    ASSERT_EQ(capture({vista(), "-o", made}).exit, 0);
    const Result result = capture({"--export", out, made});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, StartsWith(out + ": 88 blobs and 1 title databases, "));
    std::vector<std::string> blobs, known;
    std::error_code error;
    for (const std::string& file : hkpd::files_in(out, error))
        if (file.ends_with(".bin")) blobs.push_back(read_file(hkpd::path_of(file)));
    for (const std::string& file : hkpd::files_in(path("data/v1/vista-2007"), error))
        known.push_back(read_file(hkpd::path_of(file)));
    ASSERT_EQ(blobs.size(), 88U);
    std::ranges::sort(blobs);
    std::ranges::sort(known);
    EXPECT_TRUE(blobs == known);
    std::filesystem::remove(out + "/manifest.jsonl");
    const Result named = dump({"--format", "csv", out});
    EXPECT_EQ(named.exit, 0) << named.err;
    const std::string titled = path("data/titles/vista-2007-counter-009.multisz");
    const Result other = dump({"--format", "csv", "--titles", titled, path("data/v1/vista-2007")});
    auto ours = lines(named.out), theirs = lines(other.out);
    std::ranges::sort(ours);
    std::ranges::sort(theirs);
    EXPECT_TRUE(ours == theirs);
}

TEST_F(WindowsLogOutputs, CheckFindsTitlesComplete) {
    const Result result = run({"check", "--verbose", vista()});
    EXPECT_EQ(result.exit, 0) << result.out;
    EXPECT_THAT(result.out, HasSubstr("checked: 11 samples, 1 title table"));
}

}  // namespace log_outputs_cli_test
}  // namespace hkpd_test
