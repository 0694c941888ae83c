// How several logs in one input, several machines in one row, and unusual rows affect each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/blob_builder.hpp"
#include "support/log_samples.hpp"

namespace hkpd_test {
namespace log_run_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
namespace lf = log_file;

lf::RowRecord block_of(std::uint32_t title, std::u16string machine, std::int64_t value) {
    blob::Block block{.objects = {{.title = title, .counters = {{.title = 44}}, .values = {value}}},
                      .machine = std::move(machine)};
    block.system_time = {2016, 11, 6, 26, 21, 46, 30, 874};
    block.perf_time_100ns = log_utc;
    return lf::block(blob::build(block).bytes());
}

/// Concatenates the files.
std::string end_to_end(const lf::File& first, const lf::File& second) {
    std::string all;
    for (const lf::File* file : {&first, &second})
        all.append(reinterpret_cast<const char*>(file->bytes().data()),
                   file->bytes().size());  // NOLINT(*-reinterpret-cast)
    return all;
}

TEST(LogRun, BlocksOfMachinesMayBeInterleaved) {
    const auto samples = samples_of(lf::Log{
        .events = {catalogue_event({lf::block_entry(u"a", u"\\\\A"), lf::block_entry(u"a", u"\\\\B"),
                                    lf::block_entry(u"b", u"\\\\A"), lf::block_entry(u"b", u"\\\\B")}),
                   row_event({block_of(2, u"A", 1), block_of(2, u"B", 2), block_of(4, u"A", 3), block_of(4, u"B", 4)}),
                   trailer_event(1)}});
    EXPECT_EQ(placed_faults(samples->diagnostics), "");
    ASSERT_THAT(samples->all, SizeIs(2));
    EXPECT_THAT(cells(samples->all[0]), ElementsAre("2\\44=1", "4\\44=3"));
    EXPECT_THAT(cells(samples->all[1]), ElementsAre("2\\44=2", "4\\44=4"));
}

TEST(LogRun, ConcatenatedLogsHaveTheirOwnZones) {
    lf::Log second = counting_log(2);
    second.header.zone = {.bias = -330, .standard = {u"India Standard Time"}, .daylight = {u""}};
    second.buffer_size = 16384;
    for (lf::Event& event : second.events) event.log = {99};
    const TempFolder folder;
    const auto samples =
        read_log_samples({folder.write("both.blg", end_to_end(lf::build(counting_log(2)), lf::build(second)))});
    EXPECT_EQ(placed_faults(samples->diagnostics), "");
    ASSERT_THAT(samples->all, SizeIs(4));
    EXPECT_EQ(first_values(*samples), "0 100 0 100");
    EXPECT_EQ(samples->all[0].zone->bias, 480);
    EXPECT_EQ(samples->all[0].system_time->hour, 21);
    EXPECT_EQ(samples->all[2].zone->name, "India Standard Time");
    EXPECT_EQ(samples->all[2].zone->bias, -330);
    EXPECT_EQ(samples->all[2].system_time->hour, 8);
    EXPECT_EQ(samples->all[2].system_time->minute, 16);
}

TEST(LogRun, ALogWithoutACatalogueDoesNotUseThatOfAnother) {
    lf::Log second = counting_log(1);
    second.events.erase(second.events.begin());
    const TempFolder folder;
    const auto samples = read_log_samples(
        {write_log(folder, "1.blg", lf::build(counting_log(1))), write_log(folder, "2.blg", lf::build(second))});
    EXPECT_THAT(fault_codes(samples->diagnostics), HasSubstr("log_no_catalogue"));
    EXPECT_EQ(first_values(*samples), "0");
}

TEST(LogRun, AnEmptyRowCounts) {
    lf::Log log = counting_log(3);
    log.events[2].data.put16(lf::record_header::Type, 0x77);
    const auto samples = samples_of(log);
    EXPECT_EQ(first_values(*samples), "0 200");
    EXPECT_EQ(samples->numbers, (std::vector<std::uint32_t>{0, 2}));
}

TEST(LogRun, ADamagedRowLengthLosesNoRecord) {
    lf::Log log = counting_log(1);
    log.events[1].data.put32(lf::record_header::Length, 0xFFFF);
    const auto samples = samples_of(log);
    EXPECT_THAT(fault_codes(samples->diagnostics), HasSubstr("log_record"));
    EXPECT_EQ(first_values(*samples), "0");
}

TEST(LogRun, OneNameIsNotRepeatedForThousands) {
    constexpr std::size_t count = 2000;
    lf::RawInstances list{.time = log_time};
    list.instances.push_back({std::u16string(1000, u'x'), 0});
    for (std::size_t i = 1; i < count; ++i) list.instances.push_back({u"", 7});
    lf::RowRecord record = lf::instances(list);
    const std::string name = record.body.substr(lf::raw_instances::size, 4);
    for (std::size_t i = 1; i < count; ++i)
        record.body.replace(lf::raw_instances::size + i * lf::raw_instance::size, 4, name);
    const auto samples =
        samples_of(lf::Log{.events = {catalogue_event({{.form = lf::Form::instances, .instance = u"*"}}),
                                      row_event({record}), trailer_event(1)}});
    ASSERT_THAT(samples->all, SizeIs(1));
    const auto& instances = samples->all[0].objects()[0].instances;
    ASSERT_THAT(instances, SizeIs(count));
    std::size_t bytes = 0;
    for (const hkpd::Instance& instance : instances) bytes += instance.name.value_or("").size();
    EXPECT_LE(bytes, record.body.size());
    EXPECT_FALSE(instances.back().name);
    EXPECT_THAT(fault_codes(samples->diagnostics), HasSubstr("log_name"));
}

TEST(LogRun, AListWithoutInstancesShowsItsStatus) {
    constexpr std::uint32_t no_data = 0x8000'07D5;
    const auto samples = samples_of(
        lf::Log{.events = {catalogue_event({{.form = lf::Form::instances, .instance = u"*", .counter = u"a"},
                                            {.form = lf::Form::instances, .instance = u"*", .counter = u"b"}}),
                           row_event({lf::instances({.instances = {{u"i", 1}}, .time = log_time}),
                                      lf::instances({.time = log_time, .status = no_data})}),
                           trailer_event(1)}});
    ASSERT_THAT(samples->all, SizeIs(1));
    EXPECT_THAT(cells(samples->all[0]), ElementsAre("object(i)\\a=1/0", "object(i)\\b=!800007d5"));
    EXPECT_EQ(fault_codes(samples->diagnostics), "result_status|");
}

TEST(LogRun, ACircularLogMayProtectOnlyTheHeader) {
    lf::Log log = counting_log(9);
    log.events.pop_back();
    log.header.mode = 0x2;
    log.header.start_buffers = 1;
    log.header.buffers_written = 40;  // it wrapped around several times
    for (lf::Event& event : log.events) event.new_buffer = true;
    const lf::File file = lf::build(log);
    for (std::size_t first = 1; first < file.buffer_count(); ++first) {
        lf::File rotated = file;
        rotated.rotate(1, first);
        const auto samples = samples_of(rotated);
        EXPECT_EQ(first_values(*samples), "0 100 200 300 400 500 600 700 800") << first;
        EXPECT_EQ(placed_faults(samples->diagnostics), "") << first;
    }
}

TEST(LogRun, WithoutAHeaderThereIsNoZone) {
    lf::File file = lf::build(counting_log(1));
    file.put16(lf::buffer_header::size + lf::system_header::Hook, 0x77);
    const auto samples = samples_of(file);
    EXPECT_EQ(first_values(*samples), "0");
    EXPECT_FALSE(samples->all.at(0).zone);
    EXPECT_EQ(fault_codes(samples->diagnostics), "log_header|");
}

}  // namespace log_run_test
}  // namespace hkpd_test
