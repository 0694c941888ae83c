// Circular performance logs: after the buffers that are never overwritten, the oldest buffer may be anywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/log_samples.hpp"

namespace hkpd_test {
namespace log_circular_test {

using testing::HasSubstr;
using testing::SizeIs;
namespace lf = log_file;

/// Returns a log with the header and the catalogue in buffers of their own, and two rows in each of the others.
lf::Log circular_log(std::uint32_t rows) {
    lf::Log log = counting_log(rows);
    log.events.pop_back();
    log.header.mode = 0x2;
    log.header.start_buffers = 2;
    for (std::size_t row = 1; row <= rows; ++row) log.events[row].new_buffer = row % 2 == 1;
    return log;
}

std::string numbers_up_to(std::uint32_t rows) {
    std::string text;
    for (std::uint32_t row = 0; row < rows; ++row) text.append(row == 0 ? "" : " ").append(std::to_string(100 * row));
    return text;
}

TEST(LogCircular, RowsComeInTheOrderInWhichTheyWereWritten) {
    const lf::File file = lf::build(circular_log(12));
    ASSERT_EQ(file.buffer_count(), 8U);
    for (std::size_t first = 2; first < 8; ++first) {
        lf::File rotated = file;
        rotated.rotate(2, first);
        const auto samples = samples_of(rotated);
        EXPECT_EQ(first_values(*samples), numbers_up_to(12)) << first;
        EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::error), 0U) << placed_faults(samples->diagnostics);
        EXPECT_EQ(fault_codes(samples->diagnostics).find("time_order"), std::string::npos);
    }
}

TEST(LogCircular, APartlyOverwrittenRowIsLost) {
    lf::Log log{.header = {.mode = 0x2, .start_buffers = 2},
                .events = {catalogue_event({{.form = lf::Form::instances, .object = u"o", .instance = u"*"}})},
                .buffer_size = 1024};
    for (std::uint32_t row = 0; row < 6; ++row) {
        lf::RawInstances list{.time = log_time + row * log_second};
        for (std::uint32_t i = 0; i < 40; ++i) list.instances.push_back({u"instance", row * 100 + i});
        log.events.push_back(row_event({lf::instances(list)}, row));
        log.events.back().cut = 300;
    }
    log.events[1].new_buffer = true;
    const lf::File file = lf::build(log);
    ASSERT_GT(file.buffer_count(), 10U);
    // The newest buffers replaced the oldest: rows 0 and 1 have lost fragments, which is expected.
    const std::size_t size = file.buffer_size(), lost = (file.fragment(2, 2) - file.buffer(2)) / size + 1;
    const std::string all = file.text();
    const std::string kept = all.substr(0, 2 * size) + all.substr((2 + lost) * size);
    const TempFolder folder;
    const auto samples = read_log_samples({folder.write("x.blg", kept)});
    EXPECT_THAT(first_values(*samples), testing::EndsWith("200 300 400 500"));
    EXPECT_LE(samples->all.size(), 5U);
}

TEST(LogCircular, BuffersWithoutAValidSequenceLoseNoRow) {
    lf::File file = lf::build(circular_log(6));
    file.put32(file.buffer(3) + lf::buffer_header::Sequence, 0xFFFF'FFFF);
    file.put32(file.buffer(3) + lf::buffer_header::Sequence + 4, 0xFFFF'FFFF);
    const auto samples = samples_of(file);
    EXPECT_THAT(samples->all, SizeIs(6));
    lf::File same = lf::build(circular_log(6));  // all of the same number
    for (std::size_t k = 0; k < same.buffer_count(); ++k) same.put32(same.buffer(k) + lf::buffer_header::Sequence, 7);
    EXPECT_THAT(samples_of(same)->all, SizeIs(6));
}

TEST(LogCircular, NotYetFilled) {
    lf::Log log = circular_log(6);
    log.header.closed = false;
    log.unfilled = 4;
    const auto samples = samples_of(log);
    EXPECT_EQ(first_values(*samples), numbers_up_to(6));
    EXPECT_THAT(fault_codes(samples->diagnostics), HasSubstr("log_unfinished|"));
}

TEST(LogCircular, OtherLogsAreReadInFileOrder) {
    lf::Log log = circular_log(6);
    log.header.mode = 0x1;
    lf::File file = lf::build(log);
    file.rotate(2, 3);
    EXPECT_EQ(first_values(*samples_of(file)), "200 300 400 500 0 100");
}

}  // namespace log_circular_test
}  // namespace hkpd_test
