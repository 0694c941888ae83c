// The timeline: columns and their labels, cells without a value, and columns that come and go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "support/blob_builder.hpp"
#include "support/log_sample.hpp"
#include "support/sample_reading.hpp"
#include "write/cells.hpp"
#include "write/text/grid.hpp"
#include "write/text/series_labels.hpp"

namespace hkpd_test {
namespace timeline_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

hkpd::Titles titles() {
    hkpd::TitleTable table("009", "test");
    table.add(230, "Process");
    table.add(238, "Processor");
    table.add(4, "Memory");
    table.add(952, "Handle Count");
    table.add(680, "Thread Count");
    table.add(6, "% Processor Time");
    table.add(24, "Available Bytes");
    hkpd::Titles titles;
    titles.add(table);
    return titles;
}

struct Process {
    std::u16string name;
    std::uint32_t handles = 0;
};

/// Returns a blob with processes, each with a handle count, at a second.
blob::Blob processes(std::uint16_t second, const std::vector<Process>& all, std::u16string machine = u"PC") {
    blob::Object object{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 952}}};
    for (const Process& process : all) object.instances.push_back({.name = process.name, .values = {process.handles}});
    blob::Block block{.objects = {object}, .machine = std::move(machine)};
    block.perf_time_100ns += std::int64_t{second} * 10'000'000;
    block.system_time.second = static_cast<std::uint16_t>(block.system_time.second + second);
    return blob::build(block);
}

struct Written {
    std::vector<std::string> lines;
    std::string text;
    hkpd::Diagnostics diagnostics;
};

/// Writes samples as a timeline, or as on a terminal.
Written write(std::vector<blob::Blob> blobs, hkpd::WriteOptions options = {}, bool terminal = false) {
    Written written;
    hkpd::ReaderOptions how;
    how.titles = titles();
    how.diagnostics = &written.diagnostics;
    options.cooked = options.one_pass = true;
    hkpd::Reader reader(std::make_unique<MemorySource>(std::move(blobs)), std::move(how));
    options.titles = &reader.titles();
    const auto writer =
        terminal ? hkpd::make_terminal_writer(options) : hkpd::make_writer(hkpd::Format::timeline, options);
    std::vector<hkpd::Selected> selected;
    writer->begin(written.text);
    while (reader.next()) {
        hkpd::Filter().select(reader.sample(), selected);
        const std::size_t before = written.text.size();
        writer->sample(reader.sample(), selected, &reader.cooker(), written.text);
        EXPECT_GT(written.text.size(), before) << "each sample is written at once";
    }
    writer->end(written.diagnostics, written.text);
    std::string_view rest = written.text;
    for (; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
        written.lines.emplace_back(rest.substr(0, rest.find('\n')));
    return written;
}

std::vector<std::string> lines_of(std::vector<blob::Blob> blobs, hkpd::WriteOptions options = {}) {
    return write(std::move(blobs), std::move(options)).lines;
}

TEST(Timeline, ALineForEachSampleBelowAnAlignedHeading) {
    EXPECT_THAT(
        lines_of({processes(0, {{u"a", 5}, {u"explorer", 70}}), processes(1, {{u"a", 123456789}, {u"explorer", 8}})}),
        ElementsAre("\\\\PC\\Process(*)\\Handle Count",                 //
                    "time (UTC)                        a    explorer",  //
                    "2020-09-13 12:26:40.123           5          70",  //
                    "2020-09-13 12:26:41.123      123.5M           8"));
}

TEST(Timeline, TheZoneShiftsTimesAndIsStated) {
    hkpd::WriteOptions options;
    options.zone = hkpd::TimeZone{"Pacific Standard Time", 480};
    EXPECT_THAT(lines_of({processes(0, {{u"a", 5}})}, options),
                ElementsAre("\\\\PC\\Process(a)\\Handle Count", "time (UTC-08:00)         Handle Count",
                            "2020-09-13 04:26:40.123             5"));
}

TEST(Timeline, NewInstancesMakeANewHeadingAndEndedOnesAreMarked) {
    const auto lines = lines_of({processes(0, {{u"a", 1}}), processes(1, {{u"a", 2}, {u"b", 3}}),
                                 processes(2, {{u"b", 4}}), processes(3, {{u"b", 5}, {u"c", 6}})});
    EXPECT_THAT(lines, ElementsAre("\\\\PC\\Process(a)\\Handle Count",                 //
                                   "time (UTC)               Handle Count",            //
                                   "2020-09-13 12:26:40.123             1",            //
                                   "",                                                 //
                                   "\\\\PC\\Process(*)\\Handle Count",                 //
                                   "time (UTC)                        a           b",  //
                                   "2020-09-13 12:26:41.123           2           3",  //
                                   "2020-09-13 12:26:42.123           !           4  ! no_instance",
                                   "",                                                 //
                                   "\\\\PC\\Process(*)\\Handle Count",                 //
                                   "time (UTC)                        b           c",  //
                                   "2020-09-13 12:26:43.123           5           6"));
}

/// Returns a blob with two processors, whose % Processor Time (PERF_100NSEC_TIMER) and another counter are shown. If
/// `damaged` is true, the counter block of the first processor ends before the other counter.
blob::Blob timers(std::uint16_t second, std::uint64_t busy, bool damaged) {
    blob::Object object{
        .title = 238,
        .kind = blob::Kind::multi,
        .counters = {{.title = 6, .type = 0x20510500, .size = 8}, {.title = 24}},
        .instances = {{.name = u"0", .values = {busy, 7U}}, {.name = u"1", .values = {1'000'000U * second, 8U}}}};
    if (damaged) object.instances[0].block_length = 16;
    blob::Block block{.objects = {object}};
    block.perf_time_100ns += std::int64_t{second} * 10'000'000;
    block.system_time.second = static_cast<std::uint16_t>(block.system_time.second + second);
    return blob::build(block);
}

TEST(Timeline, MissingValuesHaveTheirReasonAfterTheLastColumn) {
    const Written written =
        write({timers(0, 1'000'000, false), timers(1, 6'000'000, false), timers(2, 5'000'000, false),
               timers(3, 4'000'000, true), timers(4, 9'000'000, false)});
    ASSERT_EQ(written.lines.size(), 9U) << written.text;
    EXPECT_EQ(written.lines[0], "\\\\DEMO\\Processor(*)\\*");
    EXPECT_EQ(written.lines[1], "                                0 %         1 %");
    EXPECT_EQ(written.lines[2], "                          Processor   Processor  0 Available  1 Available");
    EXPECT_EQ(written.lines[3], "time (UTC)                     Time        Time        Bytes        Bytes");
    EXPECT_EQ(written.lines[4], "2020-09-13 12:26:40.123           -           -          7 B          8 B")
        << "no reason in the first sample";
    EXPECT_EQ(written.lines[5], "2020-09-13 12:26:41.123        50 %        10 %          7 B          8 B");
    EXPECT_EQ(written.lines[6],
              "2020-09-13 12:26:42.123           !        10 %          7 B          8 B  ! counter_went_back");
    EXPECT_EQ(written.lines[7],
              "2020-09-13 12:26:43.123          !1        10 %           !2          8 B  !1 counter_went_back  "
              "!2 damaged");
    EXPECT_EQ(written.lines[8], "2020-09-13 12:26:44.123        50 %        10 %          7 B          8 B");
}

TEST(Timeline, ColoursMarkMissingAndDamagedValuesOnly) {
    hkpd::WriteOptions options;
    options.color = true;
    const Written written = write({timers(0, 1'000'000, false), timers(1, 500'000, true)}, options);
    EXPECT_THAT(written.lines.back(), HasSubstr("  \x1B[33m        !1\x1B[0m        10 %  \x1B[31m         !2\x1B[0m"));
    EXPECT_THAT(written.lines.back(), HasSubstr("  \x1B[33m!1 counter_went_back\x1B[0m  \x1B[31m!2 damaged\x1B[0m"));
    EXPECT_THAT(written.lines[4], Not(HasSubstr("\x1B")));
    std::string plain = written.text;
    for (const std::string_view code : {"\x1B[33m", "\x1B[31m", "\x1B[0m"})
        for (std::size_t at = 0; (at = plain.find(code)) != std::string::npos;) plain.erase(at, code.size());
    EXPECT_EQ(plain, write({timers(0, 1'000'000, false), timers(1, 500'000, true)}).text);
}

TEST(Timeline, AWiderValueWidensItsColumnAndRepeatsTheHeading) {
    const blob::Counter hex{.title = 24, .type = 0x100, .size = 8};
    const auto memory = [&](std::uint64_t value) {
        return blob::build({.objects = {{.title = 4, .counters = {hex}, .values = {value}}}});
    };
    const auto lines = lines_of({memory(1), memory(0x123'4567'89AB'CDEF), memory(2)});
    ASSERT_EQ(lines.size(), 9U);
    EXPECT_EQ(lines[3], "2020-09-13 12:26:40.123         0x1");
    EXPECT_EQ(lines[6], "time (UTC)                           Bytes");
    EXPECT_EQ(lines[7], "2020-09-13 12:26:40.123  0x123456789abcdf0");
    EXPECT_EQ(lines[8], "2020-09-13 12:26:40.123                0x2");
}

TEST(Timeline, TheHeadingIsRepeatedOnEachScreen) {
    std::vector<blob::Blob> blobs;
    for (std::uint16_t second = 0; second < 19; ++second) blobs.push_back(processes(second, {{u"a", 1}, {u"b", 2}}));
    hkpd::WriteOptions options;
    options.height = 15;
    const std::vector<std::string> lines = lines_of(std::move(blobs), options);
    std::vector<std::size_t> headings;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].starts_with("time (UTC)")) headings.push_back(i);
    EXPECT_THAT(headings, ElementsAre(1, 15)) << "an empty line precedes the second one";
    EXPECT_EQ(lines.size(), 19U + 2 + 2);
}

TEST(Timeline, ASmallSampleAfterALargeOneMakesAShortLine) {
    std::vector<Process> many;
    for (int i = 0; i < 5000; ++i) many.push_back({u"p" + std::u16string(1, static_cast<char16_t>(0x4E00 + i)), 1});
    const std::vector<std::string> lines = lines_of({processes(0, many), processes(1, {{many[4000].name, 1}})});
    EXPECT_GT(lines[2].size(), 5000U * 10);
    EXPECT_LT(lines.back().size(), 1000U);
}

TEST(Timeline, EachMachineHasItsColumns) {
    const auto lines = lines_of({processes(0, {{u"a", 1}}, u"PC"), processes(0, {{u"a", 2}}, u"OTHER"),
                                 processes(1, {{u"a", 3}}, u"PC"), processes(1, {{u"a", 4}}, u"OTHER")});
    ASSERT_EQ(lines.size(), 9U);
    EXPECT_EQ(lines[4], "\\\\*\\Process(a)\\Handle Count");
    EXPECT_EQ(lines[5], "time (UTC)                       PC       OTHER");
    EXPECT_EQ(lines[6], "2020-09-13 12:26:40.123                       2");
    EXPECT_EQ(lines[7], "2020-09-13 12:26:41.123           3") << "an empty cell: the value is in another line";
    EXPECT_EQ(lines[8], "2020-09-13 12:26:41.123                       4");
}

TEST(Timeline, AReachedLimitOnSeriesIsAnError) {
    hkpd::WriteOptions options;
    options.series = 1;
    const Written written = write({processes(0, {{u"a", 1}, {u"b", 2}})}, options);
    EXPECT_THAT(written.text, Not(HasSubstr(" 2\n")));
    EXPECT_EQ(faults(written.diagnostics), "error series_limit|");
}

TEST(Timeline, ATerminalShowsATableIfTheColumnsDoNotFit) {
    const auto on_terminal = [](std::size_t processes_shown, std::size_t width) {
        std::vector<Process> all;
        for (std::size_t i = 0; i < processes_shown; ++i)
            all.push_back({std::u16string(1, static_cast<char16_t>('a' + i)), 1});
        hkpd::WriteOptions options;
        options.width = width;
        return write({processes(0, all)}, options, true).text;
    };
    EXPECT_THAT(on_terminal(4, 80), HasSubstr("time (UTC)"));
    EXPECT_THAT(on_terminal(5, 80), Not(HasSubstr("time (UTC)")));
    EXPECT_THAT(on_terminal(5, 83), HasSubstr("time (UTC)"));
    EXPECT_THAT(on_terminal(5, 82), HasSubstr("machine PC, "));
}

hkpd::SeriesLabels labels(const std::vector<hkpd::SeriesPath>& series) { return hkpd::label_series(series); }

TEST(SeriesLabels, AreTheShortestPartsThatDistinguish) {
    const hkpd::SeriesPath base{"v1", "PC", "Processor", "_Total", "% Processor Time"};
    const auto with = [&](auto change) {
        hkpd::SeriesPath path = base;
        change(path);
        return path;
    };
    const auto user = with([](hkpd::SeriesPath& path) { path.counter = "% User Time"; });
    const auto zero = with([](hkpd::SeriesPath& path) { path.instance = "0"; });
    const auto memory = with([](hkpd::SeriesPath& path) {
        path.object = "Memory";
        path.instance = "";
        path.counter = "Available Bytes";
    });
    const auto disk = with([](hkpd::SeriesPath& path) { path.object = "Disk"; });
    const auto other = with([](hkpd::SeriesPath& path) { path.machine = "OTHER"; });
    const auto v2 = with([](hkpd::SeriesPath& path) { path.source = "v2"; });
    EXPECT_THAT(labels({base}).labels, ElementsAre("% Processor Time"));
    EXPECT_EQ(labels({base}).common, "\\\\PC\\Processor(_Total)\\% Processor Time");
    EXPECT_THAT(labels({base, user}).labels, ElementsAre("% Processor Time", "% User Time"));
    EXPECT_EQ(labels({base, user}).common, "\\\\PC\\Processor(_Total)\\*");
    EXPECT_THAT(labels({base, zero}).labels, ElementsAre("_Total", "0"));
    EXPECT_THAT(labels({base, memory}).labels, ElementsAre("% Processor Time", "Available Bytes"));
    EXPECT_EQ(labels({base, memory}).common, "\\\\PC\\*\\*");
    EXPECT_THAT(labels({base, zero, memory}).labels,
                ElementsAre("_Total % Processor Time", "0 % Processor Time", "Available Bytes"));
    EXPECT_THAT(labels({base, disk}).labels, ElementsAre("Processor", "Disk"));
    EXPECT_THAT(labels({base, other}).labels, ElementsAre("PC", "OTHER"));
    EXPECT_THAT(labels({base, v2}).labels, ElementsAre("v1", "v2"));
    EXPECT_THAT(labels({base, base}).labels,
                ElementsAre("Processor _Total % Processor Time", "Processor _Total % Processor Time"))
        << "two counters of one name";
    EXPECT_THAT(labels({}).labels, ElementsAre());
}

TEST(SeriesLabels, LongOnesAreCutAtACharacter) {
    const std::string wide = [] {
        std::string text;
        for (int i = 0; i < 2000; ++i) text += "日";
        return text;
    }();
    for (const std::string& name : {std::string(100'000, 'x'), std::string(1000, '\x1B'), wide, std::string(64, 'y')}) {
        const auto found = labels({{"v1", "PC", "Object", "", name}});
        ASSERT_EQ(found.labels.size(), 1U);
        EXPECT_LE(hkpd::display_width(found.labels[0]), hkpd::Grid::widest);
        EXPECT_GE(hkpd::display_width(found.labels[0]), hkpd::Grid::widest - 1);
        EXPECT_EQ(found.labels[0].ends_with('~'), name.size() > 64);
        EXPECT_EQ(hkpd::printable(found.labels[0]), found.labels[0]) << "no half of a character";
    }
}

}  // namespace timeline_test
}  // namespace hkpd_test
