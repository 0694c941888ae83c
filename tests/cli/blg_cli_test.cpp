// The command on performance logs: two real ones, a file with the name of a log, and built ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "capture_cli.hpp"
#include "json_text.hpp"
#include "run_command.hpp"
#include "support/log_samples.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace blg_cli_test {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// Returns the cells of text logs: each in quotes, which are doubled inside.
std::vector<std::vector<std::string>> parse_log(const std::string& text, char separator) {
    std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool quote = text[i] == '"';
        if (quote && quoted && i + 1 < text.size() && text[i + 1] == '"')
            rows.back().back() += text[i++];
        else if (quote)
            quoted = !quoted;
        else if (!quoted && text[i] == separator)
            rows.back().emplace_back();
        else if (!quoted && text[i] == '\n')
            rows.emplace_back(1);
        else if (quoted || text[i] != '\r')
            rows.back().back() += text[i];
    }
    if (rows.back() == std::vector<std::string>(1)) rows.pop_back();
    return rows;
}

class WindowsBlgCli : public WindowsData {
  protected:
    std::string vista() const { return path("data/blg/vista-2007-wildcards.blg"); }
    std::string win10() const { return path("data/blg/win10-14393-counters.blg"); }

    /// Expects hkpd to write what Windows' relog wrote, cell by cell and as a whole.
    void expect_as_relog(const std::string& format, const std::string& extension, char separator) const {
        const Result result = run({"replay", win10(), "--format", format});
        EXPECT_EQ(result.exit, 0);
        EXPECT_EQ(result.err, "");
        const std::string expected = read_file(folder_ / ("data/csv/win10-14393-counters." + extension));
        const auto ours = parse_log(result.out, separator), theirs = parse_log(expected, separator);
        ASSERT_THAT(theirs, SizeIs(26));
        ASSERT_EQ(ours.size(), theirs.size());
        for (std::size_t row = 0; row < theirs.size(); ++row) {
            ASSERT_THAT(theirs[row], SizeIs(11));
            EXPECT_EQ(ours[row], theirs[row]) << row;
        }
        EXPECT_TRUE(result.out == expected) << "the cells are the same, the bytes are not";
    }

    TempFolder temp_;
};
class RealBlgCli : public SharedDir {};

TEST_F(WindowsBlgCli, PdhCsvIsWhatRelogWrote) { expect_as_relog("pdh-csv", "csv", ','); }
TEST_F(WindowsBlgCli, PdhTsvIsWhatRelogWrote) { expect_as_relog("pdh-tsv", "tsv", '\t'); }

TEST_F(WindowsBlgCli, PdhCsvOfVistaHasItsZoneAndPaths) {
    const Result result = run({"replay", vista(), "--format", "pdh-csv", "--path",
                               R"(\Processor(_Total)\% Processor Time)", "--path", R"(\System\Threads)"});
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto rows = parse_log(result.out, ',');
    ASSERT_THAT(rows, SizeIs(12));
    ASSERT_THAT(rows[0], SizeIs(3));
    EXPECT_EQ(rows[0][0], "(PDH-CSV 4.0) (Eastern Daylight Time)(240)");
    EXPECT_EQ(rows[1][0], "08/14/2007 15:40:38.659");
    EXPECT_EQ(rows[11][0], "08/14/2007 15:50:38.599");
    EXPECT_EQ(
        (std::set<std::string>{rows[0][1], rows[0][2]}),
        (std::set<std::string>{R"(\\ZACH-PC\Processor(_Total)\% Processor Time)", R"(\\ZACH-PC\System\Threads)"}));
}

TEST_F(WindowsBlgCli, StandardInput) {
    for (const bool piped : {false, true}) {
        const Result result = run({.arguments = {"replay", "-", "--format", "pdh-csv"},
                                   .input = read_file(hkpd::path_of(win10())),
                                   .piped = piped});
        EXPECT_EQ(result.err, "");
        EXPECT_TRUE(result.out == read_file(folder_ / "data/csv/win10-14393-counters.csv"));
    }
}

TEST_F(WindowsBlgCli, Dump) {
    const Result result = dump({"--format", "json", win10()});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const auto document = parse_json(result.out);
    EXPECT_THAT(json_text(at(document, "diagnostics")), "[]");
    ASSERT_EQ(at(document, "samples").Size(), 25U);
    EXPECT_EQ(json_text(at(document, "samples", 0, "machine")), "\"charlieparker\"");
    EXPECT_EQ(json_text(at(document, "samples", 0, "system_time")), "\"2016-11-26T21:46:30.874Z\"");
    ASSERT_EQ(at(document, "samples", 0, "objects").Size(), 4U);
    EXPECT_EQ(json_text(at(document, "samples", 0, "objects", 0, "name")), "\"network interface\"");
    EXPECT_EQ(at(document, "samples", 0, "objects", 0, "instances").Size(), 5U);
    EXPECT_EQ(json_text(at(document, "samples", 0, "objects", 1, "instances", 0, "values")), "[4903144765625]");
    for (const std::string format : {"table", "jsonl", "csv"}) {
        const Result other = dump({"--format", format, win10()});
        EXPECT_EQ(other.exit, 0) << format << other.err;
        EXPECT_THAT(other.out, HasSubstr("isatap.jetsoft.com")) << format;
        EXPECT_THAT(other.out, HasSubstr("3983296633")) << format;
    }
}

TEST_F(WindowsBlgCli, DumpOfVistaEqualsThatOfItsBlobs) {
    // All values with their names; the blobs need their machine's titles, while the log has them and states that the
    // blobs' times are local.
    const std::string titles = path("data/titles/vista-2007-counter-009.multisz");
    const auto values = [](const Result& result) {
        EXPECT_EQ(result.exit, 0) << result.err;
        std::multiset<std::string> all;
        for (std::string line : lines(result.out)) {
            const std::size_t source = line.find(",log,");
            if (source != std::string::npos) line.replace(source, 5, ",v1,");
            const std::size_t hour = line.find('T');
            if (hour < 11) line.replace(hour + 1, 2, "hh");
            all.insert(line);
        }
        return all;
    };
    const auto logged = values(dump({"--format", "csv", vista()})),
               blobs = values(dump({"--format", "csv", "--titles", titles, path("data/v1/vista-2007")}));
    EXPECT_GT(logged.size(), 9000U);
    EXPECT_TRUE(logged == blobs);
}

TEST_F(WindowsBlgCli, SelectsByNameAndTime) {
    const Result result =
        run({"replay", win10(), "--format", "csv", "--path", R"(\Memory\*)", "--from", "2016-11-26T21:47:39Z"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(lines(result.out), SizeIs(1 + 2 * 2)) << result.out;
}

TEST_F(WindowsBlgCli, Summary) {
    const Result result = run({"replay", "--summary", "--format", "csv", win10()});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(lines(result.out), SizeIs(11)) << result.out;
    EXPECT_THAT(result.out, HasSubstr("% processor time"));
}

TEST_F(WindowsBlgCli, CheckFindsNothingInValidLogs) {
    for (const std::string& log : {vista(), win10()}) {
        const Result result = run({"check", log});
        EXPECT_EQ(result.exit, 0) << result.out << result.err;
        EXPECT_THAT(result.out, Not(HasSubstr("error"))) << result.out;
        EXPECT_THAT(result.out, Not(HasSubstr("warning"))) << result.out;
    }
}

TEST_F(WindowsBlgCli, CheckReportsWhereALogWasCut) {
    const std::string cut = temp_.write("cut.blg", read_file(hkpd::path_of(vista())).substr(0, 0x50000));
    const Result result = run({"check", cut});
    EXPECT_THAT(result.out + result.err,
                HasSubstr("offset 0x50000: error: performance log event: the log was not closed or is truncated"))
        << result.out << result.err;
    const Result shown = dump({"--format", "json", cut});
    EXPECT_EQ(at(parse_json(shown.out), "samples").Size(), 6U);
}

TEST_F(WindowsBlgCli, TitlesOfALog) {
    const Result result = titles({"list", vista()});
    EXPECT_EQ(result.exit, 0) << result.err;
    const std::string same = titles({"list", path("data/titles/vista-2007-counter-009.multisz")}).out;
    std::vector<std::string> listed;
    for (const std::string& line : lines(result.out))
        if (line.starts_with("  ")) listed.push_back(line);
    EXPECT_EQ(listed.size(), 1839U);
    for (const std::string& line : lines(same)) EXPECT_THAT(listed, testing::Contains(line));
    EXPECT_THAT(titles({"find", "Pool Nonpaged Failures", vista()}).out, HasSubstr("370  Pool Nonpaged Failures"));
}

TEST_F(WindowsBlgCli, Converted) {
    for (const std::string& log : {vista(), win10()}) {
        const std::string path = temp_.path("x.mcap");
        const Result result = capture({log, "-o", path});
        ASSERT_EQ(result.exit, 0) << result.err;
        for (const std::string format : {"json", "csv", "table"}) {
            const Result direct = dump({"--format", format, log}), again = dump({"--format", format, path});
            EXPECT_EQ(again.exit, 0) << again.err;
            if (format != "json") {  // it has the file's name
                EXPECT_TRUE(again.out == direct.out) << format;
            }
        }
        EXPECT_TRUE(run({"replay", "--format", "pdh-csv", path}).out ==
                    run({"replay", "--format", "pdh-csv", log}).out);
        const Result info = capture({"--info", path});
        EXPECT_EQ(info.exit, 0) << info.err;
        EXPECT_THAT(info.out, HasSubstr("log"));
        std::filesystem::remove(hkpd::path_of(path));
    }
}

TEST_F(RealBlgCli, ATextLogWithTheNameOfABinaryLogIsReadAsATextLog) {
    const TempFolder temp;
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"dump"}, {"replay"}, {"check"}, {"capture", "-o", temp.path("x.mcap")}}) {
        std::vector<std::string> arguments = command;
        arguments.insert(arguments.begin() + 1, "-v");
        arguments.push_back(path("data/blg/not-a-blg.blg"));
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 0) << command[0];
        EXPECT_TRUE((result.out + result.err).contains("not-a-blg.blg: offset 0x0: note: text log: ")) << command[0];
    }
}

TEST_F(WindowsBlgCli, ADirectoryOfLogs) {
    temp_.write("logs/1.blg", read_file(hkpd::path_of(win10())));
    temp_.write("logs/2.blg", read_file(hkpd::path_of(vista())));
    const Result result =
        run({"replay", "--format", "csv", temp_.path("logs"), "--path", R"(\Memory\Cache Faults/sec)"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(lines(result.out), SizeIs(1 + 25 + 11));
    EXPECT_THAT(result.out, HasSubstr("charlieparker"));
    EXPECT_THAT(result.out, HasSubstr("ZACH-PC"));
}

TEST(BlgCommand, SeveralMachinesInARow) {
    const TempFolder folder;
    namespace lf = log_file;
    const lf::Entry count{.type = 0x1041'0400, .time_base = 1000};
    lf::Entry a = count, b = count;
    a.machine = u"\\\\A";
    b.machine = u"\\\\B";
    lf::Log log{.events = {catalogue_event({a, b})}};
    for (const int row : {0, 1, 2})
        log.events.push_back(
            row_event({lf::raw({.first = 10 * row, .second = 1000 * row, .time = log_time + row * log_second}),
                       lf::raw({.first = 30 * row, .second = 1000 * row, .time = log_time + row * log_second})},
                      row));
    log.events.push_back(trailer_event(3));
    const Result result = run({"replay", "--format", "pdh-csv", write_log(folder, "x.blg", lf::build(log))});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.out,
              "\"(PDH-CSV 4.0) (Pacific Standard Time)(480)\",\"\\\\A\\object\\counter\",\"\\\\B\\object\\counter\"\n"
              "\"11/26/2016 13:46:30.874\",\" \",\" \"\n"
              "\"11/26/2016 13:46:31.874\",\"10\",\"30\"\n"
              "\"11/26/2016 13:46:32.874\",\"10\",\"30\"\n");
}

TEST(BlgCommand, AForeignTraceIsRefused) {
    const TempFolder folder;
    log_file::Log log = counting_log(2);
    for (log_file::Event& event : log.events) event.provider = {1};
    const Result result = dump({write_log(folder, "x.etl", log_file::build(log))});
    EXPECT_EQ(result.exit, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("the event trace has no performance counters"));
}

}  // namespace blg_cli_test
}  // namespace hkpd_test
