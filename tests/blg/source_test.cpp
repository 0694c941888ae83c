// Performance logs as a source of samples: logs made byte by byte, through `open_files` and `SampleReader`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "source/replay.hpp"
#include "support/cook_text.hpp"
#include "support/log_samples.hpp"

namespace hkpd_test {
namespace log_source_test {

using testing::ElementsAre;
using testing::SizeIs;
namespace lf = log_file;

constexpr std::uint32_t invalid_data = 0xC000'0BC6, no_object = 0xC000'0BB8;  // pdhmsg.h

/// A V1 block with one object: System (2) with a counter Threads (44), at the moment of `log_time`.
blob::Blob system_block(std::int64_t threads, std::u16string machine = u"PC") {
    blob::Block block{.objects = {{.title = 2, .counters = {{.title = 44}}, .values = {threads}}},
                      .machine = std::move(machine)};
    block.system_time = {2016, 11, 6, 26, 21, 46, 30, 874};
    block.perf_time_100ns = log_utc;
    return blob::build(block);
}

TEST(LogSource, RawCountersOfAllForms) {
    const auto samples = samples_of(lf::Log{
        .events = {
            catalogue_event(
                {{.type = 0x1041'0400, .time_base = 1000, .scale = -1, .object = u"memory", .counter = u"a"},
                 {.form = lf::Form::instances, .object = u"process", .instance = u"*", .counter = u"t"},
                 {.object = u"memory", .counter = u"b"},
                 {.object = u"disk", .instance = u"_total", .counter = u"q"}}),
            row_event({lf::raw({.first = 1, .second = 2, .time = log_time}),
                       lf::instances({.instances = {{u"x", 3, 4}, {u"y", 5, 6, 9}, {u"x", 7, 8}}, .time = log_time}),
                       lf::raw({.first = -1, .second = -2, .time = log_time}),
                       lf::raw({.first = 10, .time = log_time})}),
            trailer_event(1)}});
    EXPECT_EQ(placed_faults(samples->diagnostics), "");
    ASSERT_THAT(samples->all, SizeIs(1));
    const hkpd::Sample& sample = samples->all[0];
    std::vector<std::string> all = cells(sample);
    std::ranges::sort(all);
    EXPECT_THAT(all, ElementsAre("disk(_total)\\q=10/0", "memory\\a=1/2", "memory\\b=-1/-2", "process(x)\\t=3/4",
                                 "process(x)\\t=7/8", "process(y)\\t=5/6x9"));
    EXPECT_THAT(sample.objects(), SizeIs(3));
    EXPECT_EQ(sample.machine, "PC");
    EXPECT_EQ(sample.source, hkpd::SampleSource::log);
    ASSERT_TRUE(sample.zone);
    EXPECT_EQ(sample.zone->name, "Pacific Standard Time");
    EXPECT_EQ(sample.zone->bias, 480);
    // 2016-11-26 21:46:30.874 UTC
    EXPECT_EQ(unix_time(sample), 1'480'196'790'874'000'000);
    for (const hkpd::Object& object : sample.objects()) {
        EXPECT_GE(object.title_index, hkpd::first_logged);
        EXPECT_LT(object.title_index, hkpd::first_counterset);
        for (const hkpd::Column& column : object.columns) {
            EXPECT_GE(column.title_index, hkpd::first_logged);
            EXPECT_TRUE(column.logged());
            for (const std::uint64_t taken : column.taken) EXPECT_EQ(taken, static_cast<std::uint64_t>(log_utc));
        }
    }
    const hkpd::Column& memory = sample.objects()[0].columns.at(0);
    EXPECT_EQ(memory.type, 0x1041'0400U);
    EXPECT_EQ(memory.time_base, 1000);
    EXPECT_EQ(memory.scale, -1);
}

TEST(LogSource, EachCounterKeepsItsTimeAndStatus) {
    const auto samples = samples_of(lf::Log{
        .events = {catalogue_event({{.counter = u"a"},
                                    {.counter = u"b"},
                                    {.counter = u"c"},
                                    {.form = lf::Form::instances, .object = u"o", .instance = u"*"}}),
                   row_event({lf::raw({.first = 1, .time = log_time}),
                              lf::raw({.first = 2, .time = log_time + log_second, .status = 1}),
                              lf::raw({.time = log_time + 90 * log_second, .status = invalid_data}),
                              lf::instances({.instances = {{u"x", 3}}, .time = log_time + 5, .status = no_object})}),
                   trailer_event(1)}});
    EXPECT_EQ(placed_faults(samples->diagnostics), "");
    ASSERT_THAT(samples->all, SizeIs(1));
    const hkpd::Sample& sample = samples->all[0];
    EXPECT_THAT(cells(sample),
                ElementsAre("object\\a=1/0", "object\\b=2/0", "object\\c=!c0000bc6", "o(x)\\counter=!c0000bb8"));
    const std::vector<hkpd::Column>& columns = sample.objects()[0].columns;
    ASSERT_THAT(columns, SizeIs(3));
    EXPECT_EQ(columns[0].taken[0], static_cast<std::uint64_t>(log_utc));
    EXPECT_EQ(columns[1].taken[0], static_cast<std::uint64_t>(log_utc + log_second));
    EXPECT_EQ(columns[2].taken[0], static_cast<std::uint64_t>(log_utc + 90 * log_second));
    EXPECT_EQ(sample.objects()[1].columns[0].taken[0], static_cast<std::uint64_t>(log_utc + 5));
}

TEST(LogSource, ABadStatusHasNoCookedValue) {
    lf::Log log{.events = {catalogue_event({{.type = 0x1041'0400, .time_base = 1000}})}};
    for (const int row : {0, 1, 2, 3})
        log.events.push_back(row_event({lf::raw({.first = 100 * row,
                                                 .second = 1000 * row,
                                                 .time = log_time + row * log_second,
                                                 .status = row == 1 ? invalid_data : 0})},
                                       row));
    const TempFolder folder;
    const auto source = hkpd::open_files({write_log(folder, "x.blg", lf::build(log))}, {});
    hkpd::Diagnostics diagnostics;
    hkpd::SampleReader reader(*source, nullptr, {});
    hkpd::Replay replay(reader, {});
    std::vector<std::string> cooked;
    while (replay.next(diagnostics)) cooked.push_back(cooked_text(replay.cooker().column(0, 0)[0]));
    EXPECT_THAT(cooked, ElementsAre("- first_sample", "- pdh_status", "- pdh_status", "100"));
}

TEST(LogSource, InstancesThatAnotherCounterHas) {
    const auto list = [](const char16_t* counter) {
        return lf::Entry{.form = lf::Form::instances, .object = u"net", .instance = u"*", .counter = counter};
    };
    const auto samples = samples_of(
        lf::Log{.events = {catalogue_event({list(u"in"), list(u"out")}),
                           row_event({lf::instances({.instances = {{u"a", 1}, {u"b", 2}}, .time = log_time}),
                                      lf::instances({.instances = {{u"b", 3}, {u"c", 4}}, .time = log_time})}),
                           trailer_event(1)}});
    EXPECT_EQ(placed_faults(samples->diagnostics), "");
    ASSERT_THAT(samples->all, SizeIs(1));
    std::vector<std::string> all = cells(samples->all[0]);
    std::ranges::sort(all);
    EXPECT_THAT(all, ElementsAre("net(a)\\in=1/0", "net(a)\\out=!800007d1", "net(b)\\in=2/0", "net(b)\\out=3/0",
                                 "net(c)\\in=!800007d1", "net(c)\\out=4/0"));
}

TEST(LogSource, ParentsStandInTheNames) {
    const auto samples = samples_of(lf::Log{
        .events = {catalogue_event({{.object = u"thread", .instance = u"0", .parent = u"svchost"},
                                    {.object = u"thread", .instance = u"1", .parent = u"svchost"}}),
                   row_event({lf::raw({.first = 1, .time = log_time}), lf::raw({.first = 2, .time = log_time})}),
                   trailer_event(1)}});
    EXPECT_EQ(placed_faults(samples->diagnostics), "");
    ASSERT_THAT(samples->all, SizeIs(1));
    EXPECT_THAT(cells(samples->all[0]),
                ElementsAre("thread(svchost/0)\\counter=1/0", "thread(svchost/1)\\counter=2/0"));
}

TEST(LogSource, InstancesOfOneNameAreToldByTheirIndex) {
    const auto samples = samples_of(lf::Log{
        .events = {catalogue_event({{.object = u"process", .instance = u"svchost"},
                                    {.object = u"process", .instance = u"svchost", .index = 1},
                                    {.object = u"process", .instance = u"svchost", .counter = u"b", .index = 1},
                                    {.object = u"process", .instance = u"svchost", .counter = u"b"}}),
                   row_event({lf::raw({.first = 1, .time = log_time}), lf::raw({.first = 2, .time = log_time}),
                              lf::raw({.first = 3, .time = log_time}), lf::raw({.first = 4, .time = log_time})}),
                   trailer_event(1)}});
    EXPECT_EQ(placed_faults(samples->diagnostics), "");
    ASSERT_THAT(samples->all, SizeIs(1));
    EXPECT_THAT(cells(samples->all[0]), ElementsAre("process(svchost)\\counter=1/0", "process(svchost#1)\\counter=2/0",
                                                    "process(svchost)\\b=4/0", "process(svchost#1)\\b=3/0"));
}

TEST(LogSource, EachMachineOfARowIsASampleOfOneNumber) {
    lf::Log log{.events = {catalogue_event({{.machine = u"\\\\A", .counter = u"x"},
                                            {.machine = u"\\\\B", .counter = u"x"},
                                            {.machine = u"\\\\A", .counter = u"y"},
                                            lf::block_entry(u"System", u"\\\\C")})}};
    for (const int row : {0, 1})
        log.events.push_back(row_event({lf::raw({.first = 1 + row, .time = log_time + row * log_second}),
                                        lf::raw({.first = 11 + row, .time = log_time + (row + 60) * log_second}),
                                        lf::raw({.first = 21 + row, .time = log_time + row * log_second}),
                                        lf::block(system_block(31 + row, u"C").bytes())},
                                       row));
    log.events.push_back(trailer_event(2));
    const auto samples = samples_of(log);
    EXPECT_EQ(placed_faults(samples->diagnostics), "");
    ASSERT_THAT(samples->all, SizeIs(6));
    EXPECT_EQ(samples->numbers, (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1}));
    std::vector<std::string> all;
    for (std::size_t k = 0; k < samples->all.size(); ++k)
        for (const std::string& cell : cells(samples->all[k]))
            all.push_back(std::to_string(samples->numbers[k]) + " " + samples->all[k].machine.value() + " " + cell);
    std::ranges::sort(all);
    EXPECT_THAT(all, ElementsAre("0 A object\\x=1/0", "0 A object\\y=21/0", "0 B object\\x=11/0", "0 C 2\\44=31",
                                 "1 A object\\x=2/0", "1 A object\\y=22/0", "1 B object\\x=12/0", "1 C 2\\44=32"));
}

TEST(LogSource, BlocksAndRawCountersOfAMachineAreOneSample) {
    const auto samples = samples_of(
        lf::Log{.events = {names_event(u"\\\\PC", {{u"1", u"44"}, {u"2", u"Sys"}, {u"44", u"Thr"}}),
                           catalogue_event({{.counter = u"a"}, lf::block_entry(u"Sys"), {.counter = u"b"}}),
                           row_event({lf::raw({.first = 1, .time = log_time}), lf::block(system_block(50).bytes()),
                                      lf::raw({.first = 2, .time = log_time})}),
                           trailer_event(1)}});
    EXPECT_EQ(placed_faults(samples->diagnostics), "");
    ASSERT_THAT(samples->all, SizeIs(1));
    std::vector<std::string> all = cells(samples->all[0]);
    std::ranges::sort(all);
    EXPECT_THAT(all, ElementsAre("Sys\\Thr=50", "object\\a=1/0", "object\\b=2/0"));
    EXPECT_TRUE(samples->all[0].find(2));
    EXPECT_EQ(samples->all[0].perf.frequency, 10'000'000);  // that of the block
    EXPECT_EQ(samples->all[0].source, hkpd::SampleSource::log);
}

TEST(LogSource, TitlesInSeveralEventsAreOneDatabase) {
    const auto samples = samples_of(
        lf::Log{.events = {names_event(u"\\\\PC", {{u"1", u"44"}, {u"2", u"Sys"}}),
                           names_event(u"\\\\PC", {{u"44", u"Thr"}}), catalogue_event({lf::block_entry(u"Sys")}),
                           row_event({lf::block(system_block(50).bytes())}), trailer_event(1)}});
    ASSERT_THAT(samples->all, SizeIs(1));
    EXPECT_THAT(cells(samples->all[0]), ElementsAre("Sys\\Thr=50"));
    EXPECT_EQ(placed_faults(samples->diagnostics), "");
}

TEST(LogSource, ARowThatDoesNotFitTheCatalogue) {
    const std::vector<lf::Entry> entries{{.counter = u"a"}, lf::block_entry(u"System"), {.counter = u"b"}};
    const lf::RowRecord raw = lf::raw({.first = 1, .time = log_time}), block = lf::block(system_block(50).bytes());
    const std::vector<std::vector<lf::RowRecord>> rows{{raw, block},      {raw, block, raw, raw},
                                                       {raw, raw, block}, {block, raw, raw},
                                                       {block},           {raw, block, lf::instances({})}};
    for (const std::vector<lf::RowRecord>& bad : rows) {
        const auto samples = samples_of(lf::Log{
            .events = {catalogue_event(entries), row_event(bad), row_event({raw, block, raw}, 1), trailer_event(2)}});
        ASSERT_THAT(samples->all, SizeIs(2));
        EXPECT_EQ(fault_codes(samples->diagnostics), "log_row|");
        std::vector<std::string> valid;  // of the bad row: nothing tells which counter is which, but blocks do
        for (const std::string& cell : cells(samples->all[0]))
            if (cell.find('!') == std::string::npos) valid.push_back(cell);
        EXPECT_THAT(valid, ElementsAre("2\\44=50"));
        std::vector<std::string> all = cells(samples->all[1]);
        std::ranges::sort(all);
        EXPECT_THAT(all, ElementsAre("2\\44=50", "object\\a=1/0", "object\\b=1/0"));
    }
}

TEST(LogSource, RowsWithoutACatalogue) {
    const lf::RowRecord raw = lf::raw({.first = 1, .time = log_time}), block = lf::block(system_block(50).bytes());
    const auto samples = samples_of(lf::Log{.events = {row_event({raw, block}), row_event({raw, block}, 1)}});
    EXPECT_NE(fault_codes(samples->diagnostics).find("log_no_catalogue|"), std::string::npos);
    ASSERT_THAT(samples->all, SizeIs(2));
    for (const hkpd::Sample& sample : samples->all) {
        EXPECT_THAT(cells(sample), ElementsAre("2\\44=50"));
        EXPECT_EQ(sample.machine, "PC");
    }
    const auto none = samples_of(lf::Log{.events = {row_event({raw}), catalogue_event({{}}), row_event({raw}, 1)}});
    EXPECT_NE(fault_codes(none->diagnostics).find("log_no_catalogue|"), std::string::npos);
    ASSERT_FALSE(none->all.empty());
    EXPECT_THAT(cells(none->all.back()), ElementsAre("object\\counter=1/0"));
}

TEST(LogSource, EventsCutIntoFragmentsOfAnySize) {
    std::vector<std::string> expected;
    for (const std::size_t cut : {8000UL, 1UL, 7UL, 8UL, 100UL, 1000UL}) {
        lf::Log log = counting_log(3);
        log.events.insert(log.events.begin(), names_event(u"\\\\PC", {{u"1", u"44"}, {u"2", u"Sys"}, {u"44", u"Thr"}}));
        for (lf::Event& event : log.events) event.cut = cut;
        const auto samples = samples_of(log);
        EXPECT_EQ(placed_faults(samples->diagnostics), "") << cut;
        std::vector<std::string> all;
        for (const hkpd::Sample& sample : samples->all) all.push_back(describe(sample));
        if (expected.empty()) expected = all;
        EXPECT_THAT(all, SizeIs(3));
        EXPECT_EQ(all, expected) << cut;
    }
}

TEST(LogSource, BuffersOfAnySizeAndPointersOfEither) {
    for (const std::uint32_t pointer_size : {4U, 8U})
        for (const std::size_t size : {1024UL, 2048UL, 65536UL, 1048576UL}) {
            lf::Log log = counting_log(50);
            log.header.pointer_size = pointer_size;
            log.buffer_size = size;
            for (lf::Event& event : log.events) event.cut = 800;
            const auto samples = samples_of(log);
            EXPECT_EQ(placed_faults(samples->diagnostics), "") << size;
            ASSERT_THAT(samples->all, SizeIs(50)) << size;
            EXPECT_EQ(samples->all[49].objects()[0].columns[0].values[0], 4900U) << size;
        }
}

TEST(LogSource, TwoLogsGoOn) {
    lf::Log second = counting_log(2, 2);
    for (lf::Event& event : second.events) event.log = {99};
    // Another object in front, so that places in the catalogue differ.
    second.events[0] = catalogue_event({{.object = u"first"}, {.type = 0x1041'0400, .time_base = 1000}});
    for (const std::size_t row : {1U, 2U})
        second.events[row].data = lf::row({lf::raw({.first = 5, .time = second.events[row].time}),
                                           lf::raw({.first = static_cast<std::int64_t>(100 * (row + 1)),
                                                    .second = static_cast<std::int64_t>(1000 * (row + 1)),
                                                    .time = second.events[row].time})});
    second.events[0].log = {99};
    const TempFolder folder;
    const auto source = hkpd::open_files(
        {write_log(folder, "1.blg", lf::build(counting_log(2))), write_log(folder, "2.blg", lf::build(second))}, {});
    hkpd::Diagnostics diagnostics;
    hkpd::SampleReader reader(*source, nullptr, {});
    hkpd::Replay replay(reader, {});
    std::vector<std::string> cooked;
    std::vector<std::uint32_t> numbers;
    while (replay.next(diagnostics))
        for (std::size_t k = 0; k < replay.sample().objects().size(); ++k) {
            const hkpd::Object& object = replay.sample().objects()[k];
            if (object.name->text != "object") continue;
            cooked.push_back(cooked_text(replay.cooker().column(k, 0)[0]));
            numbers.push_back(object.title_index);
        }
    EXPECT_EQ(placed_faults(diagnostics), "");
    EXPECT_THAT(cooked, ElementsAre("- first_sample", "100", "100", "100"));
    EXPECT_EQ(numbers, std::vector<std::uint32_t>(4, numbers.at(0)));
    EXPECT_EQ(replay.number(), 3U);
}

/// The sample before is cooked against, whichever log it came from: its names must not go with that log.
TEST(LogSource, MoreLogsThanAreKeptInMind) {
    const TempFolder folder;
    std::vector<std::string> paths;
    constexpr std::uint32_t count = 70;
    for (std::uint32_t k = 0; k < count; ++k) {
        lf::Log log = counting_log(1, k);
        for (lf::Event& event : log.events) event.log = {static_cast<std::uint8_t>(k + 1)};
        paths.push_back(write_log(folder, std::to_string(1000 + k) + ".blg", lf::build(log)));
    }
    for (const std::uint32_t tables : {1U, 64U}) {
        const hkpd::Limits limits{.tables = tables};
        const auto source = hkpd::open_files(paths, limits);
        hkpd::Diagnostics diagnostics;
        hkpd::SampleReader reader(*source, nullptr, limits);
        hkpd::Replay replay(reader, {});
        std::uint32_t samples = 0;
        while (replay.next(diagnostics)) {
            EXPECT_EQ(replay.sample().objects()[0].name->text, "object");
            if (samples++ == 0) continue;
            EXPECT_EQ(cooked_text(replay.cooker().column(0, 0)[0]), "100");
            EXPECT_EQ(replay.cooker().before()->objects()[0].name->text, "object");
            EXPECT_EQ(replay.cooker().before()->objects()[0].columns[0].name->text, "counter");
        }
        EXPECT_EQ(samples, count) << placed_faults(diagnostics);
    }
}

TEST(LogSource, ObjectsAndCountersAreOneWhateverTheirCase) {
    const auto samples = samples_of(lf::Log{
        .events = {catalogue_event({{.object = u"Memory", .counter = u"a"}, {.object = u"memory", .counter = u"b"}}),
                   row_event({lf::raw({.first = 1, .time = log_time}), lf::raw({.first = 2, .time = log_time})}),
                   trailer_event(1)}});
    ASSERT_THAT(samples->all, SizeIs(1));
    EXPECT_THAT(samples->all[0].objects(), SizeIs(1));
}

TEST(LogSource, LimitOfBytesOfAnEvent) {
    lf::Log log = counting_log(2);
    log.events[1].data = lf::row({{lf::block_type, std::string(100'000, 'x')}});
    const auto samples = samples_of(lf::build(log), {.bytes = 50'000});
    EXPECT_NE(fault_codes(samples->diagnostics).find("byte_limit|"), std::string::npos)
        << fault_codes(samples->diagnostics);
    ASSERT_FALSE(samples->all.empty());
    EXPECT_EQ(cells(samples->all.back()), std::vector<std::string>{"object\\counter=100/1000"});
}

}  // namespace log_source_test
}  // namespace hkpd_test
