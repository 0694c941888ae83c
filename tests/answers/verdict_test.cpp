// The verdict on a run: each rule just below and just above its threshold, what is missing, gaps, several machines and
// other languages, from text logs whose values are written here.
#include "hkpd/verdict.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/answers.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"
#include "write/verdict_text.hpp"

namespace verdict_test {

using namespace hkpd;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// The value of a column in a row; NaN for a blank.
using Course = std::function<double(int)>;

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

Course always(double value) {
    return [value](int) { return value; };
}
/// Returns a course that has one value from row `from` to before row `to`, and another one otherwise.
Course within(int from, int to, double value, double otherwise) {
    return [=](int row) { return row >= from && row < to ? value : otherwise; };
}

/// A text log of one machine, whose rows come at an interval.
struct Log {
    std::vector<std::pair<std::string, Course>> columns;  // paths without the machine
    int rows = 40;
    int interval = 30;
    std::string machine = "PC";
    int gap_before = -1;  // a row that comes an hour later than it should

    std::string text() const {
        std::string text = "\"(PDH-CSV 4.0) (UTC)(0)\"";
        for (const auto& column : columns) text += ",\"\\\\" + machine + column.first + "\"";
        text += "\r\n";
        for (int row = 0; row < rows; ++row) {
            const int second = row * interval + (gap_before >= 0 && row >= gap_before ? 3600 : 0);
            text += fmt::format("\"01/15/2025 {:02}:{:02}:{:02}.000\"", second / 3600, second / 60 % 60, second % 60);
            for (const auto& column : columns) {
                const double value = column.second(row);
                text += value == value ? fmt::format(",\"{}\"", value) : std::string(",\" \"");
            }
            text += "\r\n";
        }
        return text;
    }
};

/// A verdict with its sentences.
struct Judged {
    Top top;
    std::vector<std::string> sentences;

    std::vector<const VerdictStatement*> of(VerdictKind kind) const {
        std::vector<const VerdictStatement*> found;
        for (const VerdictStatement& each : top.verdict.statements)
            if (each.kind == kind) found.push_back(&each);
        return found;
    }
    /// Returns the only statement of a kind.
    const VerdictStatement& only(VerdictKind kind) const {
        const auto found = of(kind);
        EXPECT_EQ(found.size(), 1U) << testing::PrintToString(sentences);
        static const VerdictStatement none;
        return found.empty() ? none : *found.front();
    }
    /// Returns the areas that were limits.
    std::vector<std::string> limits() const {
        std::vector<std::string> areas;
        for (const VerdictStatement* const each : of(VerdictKind::limit)) areas.emplace_back(area_name(each->area));
        return areas;
    }
};

Judged judge_files(const std::vector<std::string>& paths, bool whole = true) {
    Reader reader = *Reader::open(paths, {.one_source = true});
    Filter everything;
    TopOptions options;
    options.verdict = VerdictOptions{.whole = whole};
    Judged judged{top(reader, everything, options), {}};
    const VerdictText text(judged.top.verdict, judged.top.run);
    for (const VerdictStatement& each : judged.top.verdict.statements) judged.sentences.push_back(text.sentence(each));
    return judged;
}

Judged judge(const Log& log, bool whole = true) {
    const hkpd_test::TempFolder folder;
    return judge_files({folder.write("log.csv", log.text())}, whole);
}

Judged judge(std::vector<std::pair<std::string, Course>> columns) { return judge(Log{.columns = std::move(columns)}); }

const std::string processor = R"(\Processor(_Total)\% Processor Time)";
const std::string available = R"(\Memory\Available MBytes)";

TEST(Verdict, ProcessorIsTheLimitFromNinetyPercent) {
    EXPECT_THAT(judge({{processor, within(10, 20, 89.9, 5)}}).limits(), IsEmpty());
    const Judged found = judge({{processor, within(10, 20, 90, 5)}});
    EXPECT_THAT(found.limits(), ElementsAre("processor"));
    const VerdictStatement& limit = found.only(VerdictKind::limit);
    constexpr std::int64_t start = 1'736'899'200'000'000'000, second = 1'000'000'000;
    EXPECT_EQ(limit.from, start + 9 * 30 * second);  // a rate holds for the time since the sample before
    EXPECT_EQ(limit.to, start + 19 * 30 * second);
    EXPECT_DOUBLE_EQ(limit.seconds, 300);
    EXPECT_DOUBLE_EQ(limit.share, 300 / (39 * 30.0));
    EXPECT_EQ(limit.evidence.front().counter, R"(\Processor(*)\% Processor Time)");
    EXPECT_DOUBLE_EQ(limit.evidence.front().mean, 90);
    EXPECT_THAT(limit.processes, IsEmpty());
}

TEST(Verdict, SpellsTakeThreeSamplesAndAMinute) {
    EXPECT_THAT(judge({{processor, within(10, 12, 100, 5)}}).limits(), IsEmpty());
    EXPECT_THAT(judge({{processor, within(10, 13, 100, 5)}}).limits(), SizeIs(1));
    Log quick{.columns = {{processor, within(10, 13, 100, 5)}}, .rows = 60, .interval = 15};
    EXPECT_THAT(judge(quick).limits(), IsEmpty());  // 45 seconds
    quick.columns = {{processor, within(10, 14, 100, 5)}};
    EXPECT_THAT(judge(quick).limits(), SizeIs(1));
    // In a long run, a hundredth of it, at most ten minutes.
    Log whole_day{.columns = {{processor, within(100, 105, 100, 5)}}, .rows = 2880, .interval = 30};
    EXPECT_THAT(judge(whole_day).limits(), IsEmpty());
    whole_day.columns = {{processor, within(100, 120, 100, 5)}};
    EXPECT_THAT(judge(whole_day).limits(), SizeIs(1));
}

TEST(Verdict, SpellsOutlastSingleDips) {
    const Judged one_dip =
        judge({{processor, [](int row) { return row == 15               ? 60
                                                : row >= 10 && row < 20 ? 99.0
                                                                        : 5; }}});
    ASSERT_THAT(one_dip.limits(), SizeIs(1));
    EXPECT_EQ(one_dip.only(VerdictKind::limit).spells, 1U);
    EXPECT_DOUBLE_EQ(one_dip.only(VerdictKind::limit).evidence.front().mean, 99);  // the dip does not count
    const Judged up_and_down = judge({{processor, [](int row) { return row % 2 == 0 ? 100 : 60.0; }}});
    EXPECT_THAT(up_and_down.limits(), IsEmpty());
}

TEST(Verdict, GapsEndSpells) {
    Log log{.columns = {{processor, within(18, 22, 100, 5)}}, .gap_before = 20};
    EXPECT_THAT(judge(log).limits(), IsEmpty());  // two samples before, one after the first beyond the gap
    log.columns = {{processor, within(18, 26, 100, 5)}};
    const Judged found = judge(log);
    ASSERT_THAT(found.limits(), SizeIs(1));
    EXPECT_DOUBLE_EQ(found.only(VerdictKind::limit).seconds, 2 * 30 + 5 * 30);  // without the hour
    // Missing values are no values below the threshold for ever, and none above.
    EXPECT_THAT(judge({{processor, within(10, 30, blank, 100)}}).limits(), SizeIs(1));
    EXPECT_THAT(judge({{processor, within(1, 40, blank, 100)}}).limits(), IsEmpty());
}

TEST(Verdict, ProcessorTimeComesFromWhatIsRecorded) {
    const std::vector<std::vector<std::pair<std::string, Course>>> all{
        {{R"(\Processor(0)\% Processor Time)", always(95)}, {R"(\Processor(1)\% Processor Time)", always(93)}},
        {{R"(\Processor(_Total)\% Idle Time)", always(4)}},
        {{R"(\Processor Information(_Total)\% Processor Time)", always(96)}},
        {{R"(\Processor Information(0,0)\% Processor Time)", always(96)},
         {R"(\Processor Information(0,_Total)\% Processor Time)", always(1)}},
        {{R"(\Process(Idle)\% Processor Time)", always(20)}, {R"(\Process(_Total)\% Processor Time)", always(400)}},
        {{R"(\Prozessor(_Total)\Prozessorzeit (%))", always(95)}},
    };
    for (const auto& columns : all) EXPECT_THAT(judge(columns).limits(), ElementsAre("processor")) << columns[0].first;
    const Judged of_processes = judge(
        {{R"(\Process(Idle)\% Processor Time)", always(80)}, {R"(\Process(_Total)\% Processor Time)", always(400)}});
    EXPECT_THAT(of_processes.limits(), IsEmpty());
    EXPECT_DOUBLE_EQ(of_processes.only(VerdictKind::no_limit).evidence.front().mean, 80);
}

TEST(Verdict, ProcessesAreNamedByTheirUseDuringTheSpell) {
    // `worker` uses more in all, `hog` more while the processor is the limit; it ends then.
    const Judged found = judge({{R"(\Processor(0)\% Processor Time)", within(10, 20, 99, 20)},
                                {R"(\Processor(1)\% Processor Time)", within(10, 20, 99, 20)},
                                {processor, within(10, 20, 99, 20)},
                                {R"(\System\Processor Queue Length)", within(10, 20, 8, 0)},
                                {R"(\Process(worker)\% Processor Time)", within(10, 20, 10, 35)},
                                {R"(\Process(worker)\ID Process)", always(11)},
                                {R"(\Process(hog)\% Processor Time)", within(10, 20, 150, blank)},
                                {R"(\Process(hog)\ID Process)", within(10, 20, 4711, blank)},
                                {R"(\Process(Idle)\% Processor Time)", within(10, 20, 2, 160)},
                                {R"(\Process(_Total)\% Processor Time)", always(200)}});
    const VerdictStatement& limit = found.only(VerdictKind::limit);
    ASSERT_THAT(limit.processes, SizeIs(1));
    EXPECT_EQ(limit.processes[0].name, "hog");
    EXPECT_EQ(limit.processes[0].pid, 4711U);
    EXPECT_DOUBLE_EQ(limit.processes[0].share, 150.0 / 198);
    EXPECT_EQ(limit.processors, 2U);
    ASSERT_THAT(limit.evidence, SizeIs(2));
    EXPECT_DOUBLE_EQ(limit.evidence[1].mean, 4);  // threads waiting for each processor
    EXPECT_THAT(found.sentences.front(), HasSubstr("hog (4711)"));
}

TEST(Verdict, NoProcessIsNamedIfNoneUsedAFifth) {
    std::vector<std::pair<std::string, Course>> columns{{processor, always(99)}};
    for (int i = 0; i < 10; ++i) columns.emplace_back(fmt::format(R"(\Process(p{})\% Processor Time)", i), always(10));
    EXPECT_THAT(judge(columns).only(VerdictKind::limit).processes, IsEmpty());
}

TEST(Verdict, OneProcessThatNeedsMoreThanAProcessor) {
    const auto with = [](double value) {
        return judge({{R"(\Processor(0)\% Processor Time)", always(30)},
                      {R"(\Processor(1)\% Processor Time)", always(30)},
                      {R"(\Process(loop)\% Processor Time)", within(10, 30, value, 0)},
                      {R"(\Process(loop)\ID Process)", always(7)}});
    };
    EXPECT_THAT(with(89).of(VerdictKind::one_processor), IsEmpty());
    EXPECT_THAT(with(150).of(VerdictKind::one_processor), IsEmpty());  // it uses several
    // Nor is it the limit of one that used several at another time.
    EXPECT_THAT(judge({{R"(\Processor(0)\% Processor Time)", always(30)},
                       {R"(\Processor(1)\% Processor Time)", always(30)},
                       {R"(\Process(loop)\% Processor Time)", [](int row) { return row == 3 ? 130.0 : 99.0; }}})
                    .of(VerdictKind::one_processor),
                IsEmpty());
    const Judged found = with(99);
    const VerdictStatement& one = found.only(VerdictKind::one_processor);
    EXPECT_THAT(one.processes, SizeIs(1));
    EXPECT_THAT(found.limits(), IsEmpty());
    EXPECT_THAT(found.sentences.front(), HasSubstr("loop (7) kept one processor of 2 busy"));
}

TEST(Verdict, LittleAvailableMemory) {
    const auto low = [](std::string counter, double value, double otherwise) {
        return judge({{R"(\Memory\)" + counter, within(10, 30, value, otherwise)}}).limits();
    };
    EXPECT_THAT(low("Available MBytes", 99, 800), ElementsAre("memory"));
    EXPECT_THAT(low("Available MBytes", 100, 800), IsEmpty());
    EXPECT_THAT(low("Available KBytes", 99.0 * 1024, 8e5), ElementsAre("memory"));
    EXPECT_THAT(low("Available Bytes", 99.0 * 1048576, 8e8), ElementsAre("memory"));
    EXPECT_THAT(low("Available Bytes", 101.0 * 1048576, 8e8), IsEmpty());
    // If the log states how much memory is installed, 5 % of it.
    const auto of_installed = [](double value) {
        return judge({{available, always(value)}, {R"(\NUMA Node Memory(0)\Total MBytes)", always(16'384)}}).limits();
    };
    EXPECT_THAT(of_installed(819), ElementsAre("memory"));
    EXPECT_THAT(of_installed(820), IsEmpty());
}

TEST(Verdict, PagingIsALimitOnlyIfMemoryIsScarce) {
    const auto with = [](double least, double pages) {
        return judge({{available, within(10, 30, least, 8000)},
                      {R"(\Memory\Pages Input/sec)", within(10, 30, pages, 0)},
                      {R"(\Process(eater)\Private Bytes)", within(10, 30, 9e9, 1e8)},
                      {R"(\Process(eater)\ID Process)", always(99)}});
    };
    EXPECT_THAT(with(6000, 5000).limits(), IsEmpty());  // files are read through mappings
    EXPECT_THAT(with(799, 249).limits(), IsEmpty());
    EXPECT_THAT(with(800, 250).limits(), IsEmpty());
    const Judged found = with(799, 250);
    EXPECT_THAT(found.limits(), ElementsAre("memory"));
    ASSERT_THAT(found.only(VerdictKind::limit).processes, SizeIs(1));
    EXPECT_EQ(found.only(VerdictKind::limit).processes[0].pid, 99U);
    EXPECT_THAT(found.sentences.front(), HasSubstr("250 pages/s read from disk"));
}

TEST(Verdict, CommitLimit) {
    EXPECT_THAT(judge({{R"(\Memory\% Committed Bytes In Use)", always(89.9)}}).limits(), IsEmpty());
    EXPECT_THAT(judge({{R"(\Memory\% Committed Bytes In Use)", always(90)}}).limits(), ElementsAre("memory"));
    EXPECT_THAT(
        judge({{R"(\Memory\Committed Bytes)", always(91e8)}, {R"(\Memory\Commit Limit)", always(1e10)}}).limits(),
        ElementsAre("memory"));
}

TEST(Verdict, DisksNeedTwoSigns) {
    const auto disk = [](std::string object, double time, double queue, double idle) {
        return judge({{object + R"((0 C:)\Avg. Disk sec/Transfer)", always(time)},
                      {object + R"((0 C:)\Avg. Disk Queue Length)", always(queue)},
                      {object + R"((0 C:)\% Idle Time)", always(idle)}})
            .limits();
    };
    for (const std::string object : {R"(\PhysicalDisk)", R"(\LogicalDisk)"}) {
        EXPECT_THAT(disk(object, 0.026, 2.1, 50), ElementsAre("disk"));
        EXPECT_THAT(disk(object, 0.026, 2, 50), IsEmpty());
        EXPECT_THAT(disk(object, 0.025, 2.1, 10), IsEmpty());
        EXPECT_THAT(disk(object, 0.025, 2.1, 9.9), ElementsAre("disk"));
        EXPECT_THAT(disk(object, 0.001, 0.1, 0), IsEmpty());
        EXPECT_THAT(disk(object, 0.026, 0.1, blank), IsEmpty());
    }
    // One sign is enough if nothing else is recorded.
    EXPECT_THAT(judge({{R"(\PhysicalDisk(_Total)\Avg. Disk sec/Write)", always(0.03)}}).limits(), ElementsAre("disk"));
    EXPECT_THAT(judge({{R"(\PhysicalDisk(_Total)\Current Disk Queue Length)", always(2)}}).limits(), IsEmpty());
}

TEST(Verdict, TheWorstDiskIsNamed) {
    const Judged found = judge({{R"(\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer)", within(10, 14, 0.05, 0.001)},
                                {R"(\PhysicalDisk(1 D:)\Avg. Disk sec/Transfer)", within(10, 30, 0.08, 0.001)},
                                {R"(\PhysicalDisk(_Total)\Avg. Disk sec/Transfer)", always(9)},
                                {R"(\Process(copy)\IO Data Bytes/sec)", within(10, 30, 5e6, 0)},
                                {R"(\Process(copy)\ID Process)", always(33)},
                                {R"(\Process(other)\IO Data Bytes/sec)", always(5e4)}});
    const VerdictStatement& limit = found.only(VerdictKind::limit);
    EXPECT_EQ(limit.instance, "1 D:");
    EXPECT_EQ(limit.instances, 2U);
    EXPECT_DOUBLE_EQ(limit.evidence.front().mean, 0.08);
    ASSERT_THAT(limit.processes, SizeIs(1));
    EXPECT_EQ(limit.processes[0].pid, 33U);
}

TEST(Verdict, OfProcessesThatUseADiskTheOneWhoseUseRoseIsNamed) {
    const auto users = [](double risen) {
        const Judged found = judge({{R"(\PhysicalDisk(0 C:)\Avg. Disk sec/Transfer)", within(10, 30, 0.08, 0.001)},
                                    {R"(\Process(copy)\IO Data Bytes/sec)", within(10, 30, risen, 0)},
                                    {R"(\Process(mail)\IO Data Bytes/sec)", always(42e6)},
                                    {R"(\Process(web)\IO Data Bytes/sec)", always(40e6)}});
        std::vector<std::string> names;
        for (const VerdictProcess& each : found.only(VerdictKind::limit).processes) names.push_back(each.name);
        return names;
    };
    EXPECT_THAT(users(60e6), ElementsAre("copy"));
    EXPECT_THAT(users(18e6), ElementsAre("copy"));  // less than a fifth of all
    EXPECT_THAT(users(1e6), ElementsAre("mail", "web"));
    EXPECT_THAT(users(0), ElementsAre("mail", "web"));
}

TEST(Verdict, NetworksAreJudgedByTheirBandwidth) {
    const auto network = [](std::string name, double bytes, double bandwidth, double queue = blank) {
        return judge({{R"(\Network Interface()" + name + R"()\Bytes Total/sec)", always(bytes)},
                      {R"(\Network Interface()" + name + R"()\Current Bandwidth)", always(bandwidth)},
                      {R"(\Network Interface()" + name + R"()\Output Queue Length)", always(queue)}})
            .limits();
    };
    EXPECT_THAT(network("Intel", 1e8, 1e9), ElementsAre("network"));  // 80 %
    EXPECT_THAT(network("Intel", 0.99e8, 1e9), IsEmpty());
    EXPECT_THAT(network("MS TCP Loopback interface", 1e8, 1e9), IsEmpty());
    for (const double absurd : {0.0, 1e5, 1e18, 2e7}) EXPECT_THAT(network("Virtual", 1e8, absurd), IsEmpty()) << absurd;
    EXPECT_THAT(network("Intel", 0.7e8, 1e9, 3), ElementsAre("network"));
    EXPECT_THAT(network("Intel", 0.7e8, 1e9, 2), IsEmpty());
    EXPECT_THAT(network("Intel", 0.1e8, 1e9, 3), IsEmpty());
    const auto directions = [](double received, double sent) {
        return judge({{R"(\Network Adapter(Intel)\Bytes Received/sec)", always(received)},
                      {R"(\Network Adapter(Intel)\Bytes Sent/sec)", always(sent)},
                      {R"(\Network Adapter(Intel)\Current Bandwidth)", always(1e9)}})
            .limits();
    };
    EXPECT_THAT(directions(0.6e8, 0.6e8), IsEmpty());  // 48 % in each direction of a link that has both
    EXPECT_THAT(directions(1e8, 0.1e8), ElementsAre("network"));
}

TEST(Verdict, NetworksNameAProcessOnlyIfItsBytesAreEnough) {
    const auto with = [](std::string counter, double bytes) {
        return judge({{R"(\Network Interface(Intel)\Bytes Total/sec)", always(1.2e8)},
                      {R"(\Network Interface(Intel)\Current Bandwidth)", always(1e9)},
                      {R"(\Process(sender)\)" + counter, always(bytes)},
                      {R"(\Process(sender)\ID Process)", always(5)}})
            .only(VerdictKind::limit)
            .processes;
    };
    EXPECT_THAT(with("IO Data Bytes/sec", 0.61e8), SizeIs(1));
    EXPECT_THAT(with("IO Data Bytes/sec", 0.59e8), IsEmpty());
    EXPECT_THAT(with("IO Other Bytes/sec", 1.1e8), SizeIs(1));  // sockets are neither read nor written
}

/// A process that lives from row `from` to before row `to`, and grows by some MiB in each row.
std::vector<std::pair<std::string, Course>> leak(std::string place, int from, int to, double pid, double each) {
    return {{R"(\Process()" + place + R"()\ID Process)", within(from, to, pid, blank)},
            {R"(\Process()" + place + R"()\Private Bytes)",
             [=](int row) { return row >= from && row < to ? (100 + each * (row - from)) * 1048576 : blank; }}};
}

TEST(Verdict, ARestartedProgramThatGrowsIsOneStatement) {
    Log log{.columns = leak("leaky", 0, 60, 100, 2), .rows = 120};
    for (int row = 0; auto& column : leak("leaky", 61, 120, 200, 3)) {
        const Course first = log.columns[static_cast<std::size_t>(row)].second, second = column.second;
        log.columns[static_cast<std::size_t>(row++)].second = [=](int at) { return at < 61 ? first(at) : second(at); };
    }
    const Judged found = judge(log);
    const VerdictStatement& growing = found.only(VerdictKind::growing);
    EXPECT_EQ(growing.area, VerdictArea::growth);
    ASSERT_THAT(growing.processes, SizeIs(2));
    EXPECT_EQ(growing.processes[0].pid, 200U);
    EXPECT_EQ(growing.processes[1].pid, 100U);
    EXPECT_NEAR(growing.trend->slope / 1048576, 3 * 120, 1);
    EXPECT_THAT(found.sentences, testing::Contains(HasSubstr("2 of its lives grow: 200, 100")));
}

TEST(Verdict, TwoProgramsOfOneNameAreTwo) {
    Log log{.columns = leak("svchost", 0, 60, 100, 2), .rows = 60};
    for (const auto& column : leak("svchost#1", 0, 60, 200, 3)) log.columns.push_back(column);
    EXPECT_THAT(judge(log).of(VerdictKind::growing), SizeIs(2));
    EXPECT_THAT(judge({{R"(\Process(calm)\Private Bytes)", always(1e9)}}).of(VerdictKind::not_growing), SizeIs(1));
}

TEST(Verdict, KernelMemoryGrows) {
    const auto pool = [](std::string counter, double each) {
        return judge(Log{.columns = {{R"(\Memory\)" + counter, [=](int row) { return (100 + each * row) * 1048576; }}},
                         .rows = 100})
            .of(VerdictKind::growing)
            .size();
    };
    EXPECT_EQ(pool("Pool Nonpaged Bytes", 0.2), 1U);
    EXPECT_EQ(pool("Pool Nonpaged Bytes", 0.15), 0U);  // less than 16 MiB in all
    EXPECT_EQ(pool("Pool Paged Bytes", 0.4), 1U);
    EXPECT_EQ(pool("Committed Bytes", 0.8), 1U);
}

TEST(Verdict, WhatIsNotRecordedIsStated) {
    const Judged found = judge({{processor, always(5)}});
    EXPECT_THAT(found.only(VerdictKind::not_recorded).areas,
                ElementsAre(VerdictArea::memory, VerdictArea::disk, VerdictArea::network, VerdictArea::growth));
    EXPECT_THAT(found.sentences.back(),
                HasSubstr(R"(add \Memory\Available MBytes, \PhysicalDisk(*)\Avg. Disk sec/Transfer)"));
    EXPECT_THAT(found.sentences.front(), "no limit reached: processor 5.0 % busy on average, 5.0 % at most");
    EXPECT_THAT(judge(Log{.columns = {{processor, always(5)}}}, false).of(VerdictKind::not_recorded), IsEmpty());
}

TEST(Verdict, OfSomeInstancesOnlyGrowthIsJudged) {
    const hkpd_test::TempFolder folder;
    Log log{.columns = leak("leaky", 0, 40, 100, 2)};
    log.columns.emplace_back(R"(\Processor(0)\% Processor Time)", always(99));
    log.columns.emplace_back(R"(\Processor(1)\% Processor Time)", always(9));
    Reader reader = *Reader::open({folder.write("log.csv", log.text())}, {.one_source = true});
    Filter some;
    some.add_instance("leaky");
    some.add_instance("0");
    const RunVerdict found = verdict(reader, some, {.whole = false, .all_instances = false});
    ASSERT_THAT(found.statements, SizeIs(1));
    EXPECT_EQ(found.statements[0].kind, VerdictKind::growing);
}

TEST(Verdict, ShortRunsHaveNone) {
    Log log{.columns = {{processor, always(100)}}, .rows = 9, .interval = 60};
    EXPECT_THAT(judge(log).sentences,
                ElementsAre("too short for a verdict: 9 samples in 8 min; it takes 10 samples and 5 min"));
    log = {.columns = {{processor, always(100)}}, .rows = 10, .interval = 33};
    EXPECT_THAT(judge(log).of(VerdictKind::too_short), SizeIs(1));
    log.interval = 34;
    EXPECT_THAT(judge(log).limits(), SizeIs(1));
}

TEST(Verdict, EachMachineHasItsOwn) {
    const hkpd_test::TempFolder folder;
    const Log one{.columns = {{processor, always(99)}}, .machine = "ONE"},
        two{.columns = {{processor, always(9)}}, .machine = "TWO"};
    const Judged found = judge_files({folder.write("one.csv", one.text()), folder.write("two.csv", two.text())});
    EXPECT_THAT(found.limits(), ElementsAre("processor"));
    EXPECT_EQ(found.only(VerdictKind::limit).machine, "ONE");
    EXPECT_EQ(found.only(VerdictKind::no_limit).machine, "TWO");
    EXPECT_THAT(found.sentences.front(), testing::StartsWith("ONE: processor was the limit"));
}

TEST(Verdict, NamesOfGermanCountersAreThoseOfTheLog) {
    const Judged found = judge({{R"(\Physikalischer Datenträger(0 C:)\Mittlere Sek./Übertragung)", always(0.05)},
                                {R"(\Arbeitsspeicher\Verfügbare MB)", always(4000)},
                                {R"(\Prozessor(_Total)\Prozessorzeit (%))", always(4)}});
    EXPECT_THAT(found.limits(), ElementsAre("disk"));
    EXPECT_EQ(found.only(VerdictKind::limit).evidence.front().counter,
              R"(\Physikalischer Datenträger(*)\Mittlere Sek./Übertragung)");
}

TEST(Verdict, TheCollectorAloneMakesTheSame) {
    const hkpd_test::TempFolder folder;
    Log log{.columns = leak("leaky", 0, 40, 100, 2)};
    log.columns.emplace_back(processor, always(99));
    const std::string path = folder.write("log.csv", log.text());
    Reader reader = *Reader::open({path}, {.one_source = true});
    Filter everything;
    const RunVerdict alone = verdict(reader, everything);
    const Judged both = judge_files({path});
    ASSERT_EQ(alone.statements.size(), both.top.verdict.statements.size());
    for (std::size_t i = 0; i < alone.statements.size(); ++i)
        EXPECT_EQ(VerdictText(alone, both.top.run).sentence(alone.statements[i]), both.sentences[i]);
}

class WindowsVerdict : public hkpd_test::WindowsData {};

TEST_F(WindowsVerdict, ClaimNothingThatTheyDoNotHave) {
    const Judged vista = judge_files({path("data/blg/vista-2007-wildcards.blg")});
    EXPECT_THAT(vista.of(VerdictKind::growing), IsEmpty()) << testing::PrintToString(vista.sentences);
    const Judged windows10 = judge_files({path("data/blg/win10-14393-counters.blg")});
    EXPECT_THAT(windows10.of(VerdictKind::too_short), SizeIs(1));
    EXPECT_THAT(windows10.sentences, SizeIs(1));
}

}  // namespace verdict_test
