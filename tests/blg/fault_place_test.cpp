// Where faults in the rows of performance logs are: sample, time, counter path, for messages and programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "support/log_samples.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace log_fault_place_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
namespace lf = log_file;

/// Returns the places of all faults in rows: `log_row: sample 1, time 2016-..., \\PC\object\counter`.
std::vector<std::string> places(const hkpd::Diagnostics& diagnostics) {
    std::vector<std::string> all;
    for (const hkpd::Diagnostic& found : diagnostics.kept()) {
        if (found.cell == nullptr) continue;
        std::string with, without;
        append_message(with, found);
        append_message(without, found.error);
        EXPECT_TRUE(with.starts_with(without)) << with;
        all.push_back(std::string(code_name(found.error.code)) + with.substr(without.size()));
    }
    return all;
}

/// Returns a log whose row `i` has these values: two counters of the instances a and b, and a list.
lf::Log log_of(std::uint32_t rows) {
    const auto entry = [](std::u16string instance, std::u16string counter) {
        return lf::Entry{.object = u"disk", .instance = std::move(instance), .counter = std::move(counter)};
    };
    lf::Log log{.events = {catalogue_event(
                    {entry(u"a", u"reads"),
                     entry(u"a", u"writes"),
                     entry(u"b", u"reads"),
                     entry(u"b", u"writes"),
                     {.form = lf::Form::instances, .object = u"process", .instance = u"*", .counter = u"threads"}})}};
    for (std::uint32_t row = 0; row < rows; ++row) {
        std::vector<lf::RowRecord> records;
        for (std::int64_t i = 0; i < 4; ++i)
            records.push_back(lf::raw({.first = 10 * row + i, .time = log_time + row * log_second}));
        records.push_back(lf::instances({.instances = {{u"x", 1}, {u"y", 2}}, .time = log_time + row * log_second}));
        log.events.push_back(row_event(records, row));
    }
    log.events.push_back(trailer_event(rows));
    return log;
}

/// Returns the offset of record `k` of row `row`.
std::size_t record_at(const lf::Log& log, const lf::File& file, std::size_t row, std::size_t k) {
    return file.fragment(1 + row) + lf::event_header::size + log.events[1 + row].data.part(k);
}

const std::string second_row = "sample 1, time 2016-11-26T13:46:31.874-08:00";

TEST(LogFaultPlace, ARecordOfARow) {
    const lf::Log log = log_of(3);
    lf::File file = lf::build(log);
    file.put32(record_at(log, file, 1, 2) + lf::record_header::Length, 0x0FFF'FFFF);
    EXPECT_THAT(places(samples_of(file)->diagnostics),
                ElementsAre("log_record: " + second_row, EndsWith(": " + second_row + ", \\\\PC\\disk(b)\\reads")));
    file = lf::build(log);
    file.put16(record_at(log, file, 1, 1) + lf::record_header::Type, 0x0777);
    EXPECT_THAT(places(samples_of(file)->diagnostics),
                ElementsAre("log_unknown: " + second_row, "log_row: " + second_row + ", \\\\PC\\disk(a)\\writes"));
    file = lf::build(log);
    file.put16(record_at(log, file, 1, 3) + lf::record_header::Type, lf::block_type);
    EXPECT_THAT(places(samples_of(file)->diagnostics),
                testing::Contains("log_row: " + second_row + ", \\\\PC\\disk(b)\\writes"));
}

TEST(LogFaultPlace, AValue) {
    lf::Log log = log_of(0);
    const auto row = [](lf::RowRecord third, lf::RowRecord list) {
        return row_event({lf::raw({}), lf::raw({}), std::move(third), lf::raw({}), std::move(list)}, 1);
    };
    const lf::RowRecord list = lf::instances({.instances = {{u"x", 1}}});
    log.events.pop_back();
    log.events.push_back(row_event({lf::raw({}), lf::raw({}), lf::raw({}), lf::raw({}), list}));
    log.events.push_back(row({lf::raw_type, std::string(8, '\0')}, list));
    log.events.push_back(trailer_event(2));
    const auto samples = samples_of(log);
    EXPECT_THAT(places(samples->diagnostics), ElementsAre("log_record: " + second_row + ", \\\\PC\\disk(b)\\reads"));
    for (const hkpd::Diagnostic& found : samples->diagnostics.kept()) {
        EXPECT_EQ(found.place.sample, 1U);
        EXPECT_EQ(found.instance, 1U);
        EXPECT_EQ(samples->diagnostics.object_name(found.object), "disk");
        ASSERT_NE(found.cell, nullptr);
        EXPECT_EQ(found.cell->machine, "PC");
        EXPECT_EQ(found.cell->object, "disk");
        EXPECT_EQ(found.cell->instance, "b");
        EXPECT_EQ(found.cell->counter, "reads");
        EXPECT_EQ(found.cell->line, 0U);
        EXPECT_FALSE(found.cell->text);
    }
    log.events[2] = row(lf::raw({}), {lf::instances_type, std::string(10, '\0')});
    EXPECT_THAT(places(samples_of(log)->diagnostics),
                ElementsAre("log_record: " + second_row + ", \\\\PC\\process(*)\\threads"));
}

TEST(LogFaultPlace, ARowThatIsLost) {
    lf::Log log = log_of(4);
    for (std::size_t i = 1; i <= 4; ++i) log.events[i].new_buffer = true;
    lf::File file = lf::build(log);
    file.put16(file.fragment(2) + lf::event_header::Size, 3);
    const auto event = samples_of(file);
    EXPECT_EQ(event->all.size(), 3U);
    const std::string after_first = "sample 1, after the row of 2016-11-26T13:46:30.874-08:00";
    EXPECT_THAT(places(event->diagnostics), ElementsAre(AllOf(HasSubstr("log_event: "), EndsWith(after_first))));
    file = lf::build(log);
    file.put32(file.buffer(3) + lf::buffer_header::Filled, 0xFFFF'FFFF);
    EXPECT_THAT(places(samples_of(file)->diagnostics), ElementsAre("log_buffer: " + after_first));

    // A missing fragment: the others state the time of the row.
    log = log_of(3);
    log.events[2].cut = 100;
    log.events[2].order = {1, 2};
    EXPECT_THAT(places(samples_of(log)->diagnostics),
                testing::Each(testing::StartsWith("log_fragment: " + second_row)));
    log.events[2].order = {0, 1};  // found at the end of the log
    EXPECT_THAT(places(samples_of(log)->diagnostics), ElementsAre("log_fragment: sample 2" + second_row.substr(8)));
}

TEST(LogFaultPlace, WithoutAnyRowBefore) {
    lf::Log log = log_of(2);
    log.events[1].new_buffer = true;
    lf::File file = lf::build(log);
    file.put16(file.fragment(1) + lf::event_header::Size, 3);
    const auto samples = samples_of(file);
    EXPECT_NE(samples->diagnostics.count(hkpd::Severity::error), 0U);
    EXPECT_THAT(places(samples->diagnostics), testing::IsEmpty());
}

class WindowsLogFaults : public WindowsData {};

/// Damages the length of a record in the third row of the log.
TEST_F(WindowsLogFaults, ADamagedRecord) {
    std::string log = read_file(folder_ / "data/blg/win10-14393-counters.blg");
    const std::string_view row_head("BL\3\0", 4), raw_head("BL\3\1", 4);
    std::size_t at = 0;
    for (int i = 0; i < 3; ++i) at = log.find(row_head, at + 1);
    for (int i = 0; i < 3; ++i) at = log.find(raw_head, at + 1);
    ASSERT_NE(at, std::string::npos);
    log.replace(at + lf::record_header::Length, 4, "\xFF\xFF\xFF\x0F");
    const TempFolder folder;
    const auto samples = read_log_samples({folder.write("damaged.blg", log)});
    EXPECT_EQ(samples->all.size(), 25U);
    const std::string place = "sample 2, time 2016-11-26T13:46:36.879-08:00";
    EXPECT_THAT(
        places(samples->diagnostics),
        ElementsAre("log_record: " + place, "log_row: " + place + ", \\\\charlieparker\\memory\\cache faults/sec"));
}

}  // namespace log_fault_place_test
}  // namespace hkpd_test
