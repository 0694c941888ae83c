// Performance logs that were cut, damaged or never closed: complete samples are returned, the rest is reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/log_samples.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace log_damage_test {

using testing::HasSubstr;
using testing::SizeIs;
namespace lf = log_file;

std::uint32_t number_at(const std::string& bytes, std::size_t at, std::size_t width = 4) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < width; ++i)
        number |= std::uint32_t{static_cast<unsigned char>(bytes.at(at + i))} << (8 * i);
    return number;
}

/// Returns the end of each row of a log: that of the event with its last fragment.
std::vector<std::size_t> row_ends(const std::string& log) {
    std::vector<std::size_t> ends;
    const std::size_t size = number_at(log, 0);
    for (std::size_t buffer = 0; buffer < log.size(); buffer += size) {
        std::size_t at = buffer + lf::buffer_header::size;
        while (at < buffer + number_at(log, buffer + lf::buffer_header::Filled)) {
            const bool is_header = static_cast<unsigned char>(log[at + lf::event_header::HeaderType]) <= 4;
            const std::size_t length = number_at(log, at + (is_header ? lf::system_header::Size : 0), 2);
            if (!is_header && static_cast<unsigned char>(log[at + lf::event_header::Class]) == lf::row_class &&
                number_at(log, at + lf::event_header::Fragment) == number_at(log, at + lf::event_header::Fragments))
                ends.push_back(at + length);
            at += blob::round_up(length, 8);
        }
    }
    return ends;
}

std::vector<std::string> descriptions(const LogSamples& samples) {
    std::vector<std::string> all;
    for (const hkpd::Sample& sample : samples.all) {
        std::string text;
        for (const std::string& cell : cells(sample)) text += cell + "\n";
        all.push_back(sample.machine.value_or("?") + std::to_string(unix_time(sample).value_or(0)) + text);
    }
    return all;
}

/// Checks that every cut gives exactly the samples that are complete before it, and that the loss is reported.
void cut_everywhere(const std::string& log, std::size_t step) {
    const TempFolder folder;
    const std::vector<std::string> whole = descriptions(*read_log_samples({folder.write("whole.blg", log)}));
    const std::vector<std::size_t> ends = row_ends(log);
    ASSERT_EQ(whole.size(), ends.size());
    for (std::size_t size = 0; size < log.size(); size += step) {
        const auto samples = read_log_samples({folder.write("cut.blg", log.substr(0, size))});
        const auto complete =
            static_cast<std::ptrdiff_t>(std::ranges::count_if(ends, [size](std::size_t end) { return end <= size; }));
        const std::vector<std::string> expected(whole.begin(), whole.begin() + complete);
        EXPECT_EQ(descriptions(*samples), expected) << "cut at " << size;
        EXPECT_NE(samples->diagnostics.count(hkpd::Severity::error), 0U) << "cut at " << size;
        for (const hkpd::Diagnostic& found : samples->diagnostics.kept())
            EXPECT_LE(found.error.offset, size) << "cut at " << size << " " << code_name(found.error.code);
    }
}

class WindowsLogDamage : public WindowsData {
  protected:
    std::string real(const std::string& name) const { return read_file(folder_ / "data/blg" / name); }
};

TEST_F(WindowsLogDamage, VistaCutEvery4KiB) { cut_everywhere(real("vista-2007-wildcards.blg"), 4096); }
TEST_F(WindowsLogDamage, Windows10CutEvery4KiB) { cut_everywhere(real("win10-14393-counters.blg"), 4096); }
TEST_F(WindowsLogDamage, Windows10CutInEveryEvent) {
    // Cuts just before and after the end of each row; the rest of the file is padding.
    const std::string log = real("win10-14393-counters.blg");
    const TempFolder folder;
    const std::vector<std::size_t> ends = row_ends(log);
    ASSERT_THAT(ends, SizeIs(25));
    for (const std::size_t end : ends)
        for (const std::size_t size : {end - 1, end, end + 1, end + 40, end + 71}) {
            const auto samples = read_log_samples({folder.write("cut.blg", log.substr(0, size))});
            EXPECT_EQ(samples->all.size(), static_cast<std::size_t>(std::ranges::count_if(
                                               ends, [size](std::size_t at) { return at <= size; })))
                << size;
        }
}

/// Returns rows in fragments of 300 bytes, so that some span two buffers.
lf::Log fragmented_log(std::uint32_t rows) {
    lf::Log log{.events = {names_event(u"\\\\PC", {{u"1", u"44"}, {u"2", u"Sys"}}),
                           catalogue_event({{.form = lf::Form::instances, .object = u"o", .instance = u"*"}})},
                .buffer_size = 1024};
    for (std::uint32_t row = 0; row < rows; ++row) {
        lf::RawInstances list{.time = log_time + row * log_second};
        for (std::uint32_t i = 0; i < 20; ++i)
            list.instances.push_back({u"i" + std::u16string(i, u'x'), row * 100 + i});
        log.events.push_back(row_event({lf::instances(list)}, row));
    }
    log.events.push_back(trailer_event(rows));
    for (lf::Event& event : log.events) event.cut = 300;
    return log;
}

TEST(LogCuts, OfGeneratedLogsEvery64Bytes) {
    cut_everywhere(lf::build(counting_log(40)).text(), 64);
    cut_everywhere(lf::build(fragmented_log(8)).text(), 64);
}

TEST(LogCuts, OfAGeneratedLogAtEveryByteOfARow) {
    lf::Log log = counting_log(2);
    log.buffer_size = 2048;
    const lf::File file = lf::build(log);
    const TempFolder folder;
    for (std::size_t size = file.fragment(1) - 8; size < file.fragment(2); ++size) {
        const auto samples = read_log_samples({folder.write("cut.blg", file.text().substr(0, size))});
        const std::size_t end = file.fragment(1) + lf::event_header::size + log.events[1].data.size();
        ASSERT_EQ(samples->all.size(), size >= end ? 1U : 0U) << size;
    }
}

TEST(LogDamaged, AMissingFragmentLosesItsRow) {
    for (const std::uint32_t lost : {0U, 1U, 2U, 3U}) {
        lf::Log log = fragmented_log(5);
        ASSERT_EQ(lf::build(log).fragment_count(3), 4U);
        std::vector<std::size_t> order{0, 1, 2, 3};
        order.erase(order.begin() + lost);
        log.events[3].order = order;
        const auto samples = samples_of(log);
        EXPECT_EQ(first_values(*samples), "0 200 300 400") << lost;
        EXPECT_THAT(fault_codes(samples->diagnostics), HasSubstr("log_fragment|")) << lost;
    }
}

TEST(LogDamaged, TheLastFragmentOfARowIsMissing) {
    lf::Log log = fragmented_log(5);
    log.events[4].order = {0, 1, 2};
    const auto samples = samples_of(log);
    EXPECT_EQ(first_values(*samples), "0 100 300 400");
    EXPECT_THAT(fault_codes(samples->diagnostics), HasSubstr("log_fragment|"));
    log = fragmented_log(5);
    log.events[6].order = {0, 1, 2};  // of the last row
    log.events.pop_back();
    const auto last = samples_of(log);
    EXPECT_EQ(first_values(*last), "0 100 200 300");
    EXPECT_THAT(fault_codes(last->diagnostics), HasSubstr("log_fragment|"));
}

TEST(LogDamaged, ImpossibleFragmentNumbers) {
    for (const auto& [fragment, fragments] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {0, 1}, {2, 1}, {1, 0}, {0, 0}, {0xFFFF'FFFF, 1}, {1, 0xFFFF'FFFF}, {0xFFFF'FFFF, 0xFFFF'FFFF}}) {
        lf::Log log = counting_log(3);
        log.events[2].fragment = fragment;
        log.events[2].fragments = fragments;
        const auto samples = samples_of(log);
        EXPECT_EQ(first_values(*samples), "0 200") << fragment << " of " << fragments;
        EXPECT_THAT(fault_codes(samples->diagnostics), HasSubstr("log_fragment|")) << fragment << " of " << fragments;
    }
}

TEST(LogDamaged, ADamagedEventLengthLosesTheRestOfItsBuffer) {
    for (const std::uint32_t length : {0U, 1U, 47U, 0x7FFFU, 0xFFFFU}) {
        lf::Log log = counting_log(6);
        log.events[4].new_buffer = true;  // row 3
        lf::File file = lf::build(log);
        const std::size_t bad = file.fragment(2);
        file.put16(bad + lf::event_header::Size, static_cast<std::uint16_t>(length));
        const auto samples = samples_of(file);
        EXPECT_EQ(first_values(*samples), "0 300 400 500") << length;
        EXPECT_THAT(placed_faults(samples->diagnostics), HasSubstr("error log_event@" + std::to_string(bad) + "|"))
            << length;
    }
}

TEST(LogDamaged, ADamagedBufferHeaderLosesTheBuffer) {
    for (const std::size_t field : {lf::buffer_header::BufferSize, lf::buffer_header::Filled})
        for (const std::uint32_t value : {1U, 71U, 0xFFFF'FFFFU, 8193U}) {
            lf::Log log = counting_log(6);
            log.events[3].new_buffer = log.events[5].new_buffer = true;
            lf::File file = lf::build(log);
            ASSERT_EQ(file.buffer_count(), 4U);
            file.put32(file.buffer(2) + field, value);
            const auto samples = samples_of(file);
            EXPECT_EQ(first_values(*samples), "0 100 400 500") << field << " " << value;
            ASSERT_FALSE(samples->diagnostics.kept().empty()) << field << " " << value;
            const hkpd::Error& error = samples->diagnostics.kept()[0].error;
            EXPECT_EQ(code_name(error.code), "log_buffer") << field << " " << value;
            EXPECT_GE(error.offset, file.buffer(2)) << field << " " << value;
            EXPECT_LT(error.offset, file.buffer(2) + lf::buffer_header::size) << field << " " << value;
        }
}

TEST(LogDamaged, ABufferOfZerosBetweenOthers) {
    lf::Log log = counting_log(6);
    log.events[3].new_buffer = log.events[5].new_buffer = true;
    lf::File file = lf::build(log);
    file.fill(file.buffer(2), file.buffer_size(), 0);
    const auto samples = samples_of(file);
    EXPECT_EQ(first_values(*samples), "0 100 400 500");
    EXPECT_NE(samples->diagnostics.count(), 0U);
}

TEST(LogDamaged, BuffersThatWereNotFilledYet) {
    lf::Log log = counting_log(3);
    log.events.pop_back();  // no trailer
    log.header.closed = false;
    log.unfilled = 3;
    const auto samples = samples_of(log);
    EXPECT_EQ(first_values(*samples), "0 100 200");
    EXPECT_EQ(fault_codes(samples->diagnostics), "log_unfinished|");
    // Only the header has been written so far
    const auto none = samples_of(lf::Log{.header = {.closed = false}, .unfilled = 2});
    EXPECT_THAT(none->all, SizeIs(0));
    EXPECT_NE(none->diagnostics.count(), 0U);
}

TEST(LogDamaged, LostEventsAreReported) {
    for (const bool buffers : {false, true}) {
        lf::Log log = counting_log(3);
        (buffers ? log.header.buffers_lost : log.header.events_lost) = 7;
        const auto samples = samples_of(log);
        EXPECT_EQ(first_values(*samples), "0 100 200");
        EXPECT_EQ(fault_codes(samples->diagnostics), "log_events_lost|");
        ASSERT_THAT(samples->diagnostics.kept(), SizeIs(1));
        EXPECT_EQ(samples->diagnostics.kept()[0].error.found, 7U);
    }
}

TEST(LogDamaged, TheTrailerHasAnotherNumberOfRows) {
    lf::Log log = counting_log(3);
    log.events.back() = trailer_event(4);
    const auto samples = samples_of(log);
    EXPECT_EQ(first_values(*samples), "0 100 200");
    EXPECT_EQ(fault_codes(samples->diagnostics), "log_count|");
}

TEST(LogDamaged, WithoutATimeZoneTimesAreUtc) {
    lf::File file = lf::build(counting_log(2));
    file.put32(file.header() + lf::logfile_header::PointerSize, 5);
    const auto samples = samples_of(file);
    EXPECT_EQ(first_values(*samples), "0 100");
    EXPECT_THAT(fault_codes(samples->diagnostics), HasSubstr("log_header|"));
    ASSERT_FALSE(samples->all.empty());
    EXPECT_EQ(unix_time(samples->all[0]), 1'480'196'790'874'000'000 - 8 * 3600 * 1'000'000'000LL);
}

TEST(LogDamaged, OtherProvidersAreNotShown) {
    lf::Log log = counting_log(3);
    for (lf::Event& event : log.events) event.provider = {1, 2, 3};
    const auto samples = samples_of(log);
    EXPECT_THAT(samples->all, SizeIs(0));
    EXPECT_THAT(fault_codes(samples->diagnostics), HasSubstr("foreign_trace|"));
    EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::error), 1U);
    // Events of other providers are skipped between those of PDH
    lf::Log mixed = counting_log(3);
    lf::Event other = mixed.events[2];
    other.provider = {1, 2, 3};
    mixed.events.insert(mixed.events.begin() + 2, other);
    EXPECT_EQ(first_values(*samples_of(mixed)), "0 100 200");
}

TEST(LogDamaged, EventsOfTheTraceItselfAreSkipped) {
    lf::Log log = counting_log(3);
    lf::Event system = log.events[2];
    system.header_type = 2;
    log.events.insert(log.events.begin() + 2, system);
    lf::File file = lf::build(log);
    const std::size_t at = file.fragment(2);
    file.put16(at + lf::system_header::Size, static_cast<std::uint16_t>(lf::event_header::size + system.data.size()));
    const auto samples = samples_of(file);
    EXPECT_EQ(first_values(*samples), "0 100 200");
    EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::error), 0U);
}

TEST(LogDamaged, AnUnknownClassIsSkipped) {
    lf::Log log = counting_log(3);
    lf::Event unknown = log.events[2];
    unknown.event_class = 0x25;
    log.events.insert(log.events.begin() + 2, unknown);
    const lf::File file = lf::build(log);
    const auto samples = samples_of(file);
    EXPECT_EQ(first_values(*samples), "0 100 200");
    EXPECT_EQ(fault_codes(samples->diagnostics), "log_unknown|");
    ASSERT_THAT(samples->diagnostics.kept(), SizeIs(1));
    EXPECT_EQ(samples->diagnostics.kept()[0].error.found, 0x25U);
    EXPECT_GE(samples->diagnostics.kept()[0].error.offset, file.fragment(2));
    EXPECT_LE(samples->diagnostics.kept()[0].error.offset, file.fragment(2) + lf::event_header::size);
}

TEST(LogDamaged, OffsetsInEventsAreOffsetsInTheFile) {
    const lf::Log log = counting_log(3);
    const lf::File valid = lf::build(log);
    const std::size_t entry = valid.fragment(0) + lf::event_header::size + log.events[0].data.part(0),
                      record = valid.fragment(2) + lf::event_header::size + log.events[2].data.part(0);
    lf::File file = valid;
    file.put32(entry + lf::catalogue_entry::Counter, 0x0FFF'FFFF);
    const auto lost_name = samples_of(file);
    EXPECT_EQ(fault_codes(lost_name->diagnostics), "log_catalogue|");
    ASSERT_THAT(lost_name->diagnostics.kept(), SizeIs(1));
    EXPECT_GE(lost_name->diagnostics.kept()[0].error.offset, entry);
    EXPECT_LT(lost_name->diagnostics.kept()[0].error.offset, entry + log.events[0].data.size() - 8);
    file = valid;
    file.put32(record + lf::record_header::Length, 0x0FFF'FFFF);
    const auto samples = samples_of(file);
    EXPECT_EQ(first_values(*samples), "0 ? 200");
    ASSERT_FALSE(samples->diagnostics.kept().empty());
    const hkpd::Diagnostic& found = samples->diagnostics.kept()[0];
    EXPECT_EQ(code_name(found.error.code), "log_record");
    EXPECT_GE(found.error.offset, record);
    EXPECT_LT(found.error.offset, record + lf::record_header::size);
    EXPECT_EQ(found.place.sample, 1U);
}

TEST(LogDamaged, EveryBitOfASmallLogFlipped) {
    lf::Log log = fragmented_log(2);
    log.events.insert(log.events.begin() + 1, catalogue_event({{}, lf::block_entry(u"x"), {.parent = u"p"}}));
    const lf::File valid = lf::build(log);
    for (std::size_t at = 0; at < valid.size(); at += at < 600 ? 1 : 13)
        for (const unsigned value : {0x00U, 0x7FU, 0xFFU}) {
            lf::File file = valid;
            file.put8(at, static_cast<std::uint8_t>(value));
            const auto samples = samples_of(file);
            EXPECT_LE(samples->all.size(), 3U) << at;
        }
}

}  // namespace log_damage_test
}  // namespace hkpd_test
