// Rows of performance logs, what their records hold, trailer and names, made byte by byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "blg/blg.hpp"
#include "support/log_reading.hpp"

namespace hkpd_test {
namespace blg_row_test {

using hkpd::Errc;
using testing::ElementsAre;
using testing::SizeIs;
namespace blg = hkpd::blg;
namespace lf = log_file;

const std::vector<lf::RowRecord> mixed_records{lf::raw({.first = 5, .second = 6}),
                                               {lf::block_type, "twelve bytes"},
                                               lf::instances({.instances = {{u"a", 1, 2}, {u"bc", 3, 4}}}),
                                               lf::raw({.first = 7, .status = 0xC000'0BC6})};
const std::string mixed_forms = "raw 40,block 12,instances 88,raw 40";

TEST(BlgRow, RecordsOfAllForms) {
    const OpenedRow opened(lf::row(mixed_records).text());
    ASSERT_TRUE(opened.opened);
    EXPECT_EQ(opened.forms(), mixed_forms);
    EXPECT_TRUE(opened.row.whole());
    EXPECT_EQ(placed_faults(opened.diagnostics), "");
    EXPECT_EQ(opened.row.bytes().size(), lf::row(mixed_records).size());
    EXPECT_EQ(raw_text(*blg::read_raw(opened.row.records()[3].body)), "3221228486 0 7 0 1");
}

TEST(BlgRow, BodiesSayWhereTheyStand) {
    const lf::Data data = lf::row(mixed_records);
    const OpenedRow opened(data.text(), 900);
    ASSERT_THAT(opened.row.records(), SizeIs(4));
    for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(opened.row.records()[k].body.offset(), 900 + data.part(k) + lf::record_header::size);
}

TEST(BlgRow, WhatIsNone) {
    const std::string row = lf::row(mixed_records).text();
    for (const std::string& event : {std::string(), row.substr(0, 7), patched(row, 0, 'X', 1), patched(row, 1, 'l', 1),
                                     patched(row, 2, 0x0103, 2), patched(row, 2, 0, 2)}) {
        const OpenedRow opened(event);
        ASSERT_FALSE(opened.opened) << event.size();
        const bool record = event.size() >= 8 && event.starts_with("BL");
        EXPECT_EQ(opened.opened.error().code, record ? Errc::log_unknown : Errc::log_record) << event.size();
        EXPECT_THAT(opened.row.records(), SizeIs(0));
    }
}

TEST(BlgRow, AnUnknownRecordIsPassedOver) {
    const lf::Data data = lf::row(mixed_records);
    for (const std::uint32_t type : {0x0003U, 0x0403U, 0x0303U, 0x0703U, 0xFFFFU}) {
        const OpenedRow opened(patched(data.text(), data.part(1) + lf::record_header::Type, type, 2), 40);
        ASSERT_TRUE(opened.opened) << type;
        EXPECT_EQ(opened.forms(), "raw 40,instances 88,raw 40") << type;
        EXPECT_EQ(fault_codes(opened.diagnostics), "log_unknown|") << type;
        EXPECT_EQ(opened.diagnostics.kept()[0].error.have, type);
        EXPECT_GE(opened.diagnostics.kept()[0].error.offset, 40 + data.part(1));
        EXPECT_LT(opened.diagnostics.kept()[0].error.offset, 40 + data.part(1) + lf::record_header::size);
    }
}

TEST(BlgRow, AWrongLengthEndsIt) {
    const lf::Data data = lf::row(mixed_records);
    for (const std::uint32_t length : {0U, 7U, 0xFFFFU, 0xFFFF'FFFFU, 0x8000'0000U}) {
        const OpenedRow opened(patched(data.text(), data.part(2) + lf::record_header::Length, length), 40);
        ASSERT_TRUE(opened.opened) << length;
        EXPECT_FALSE(opened.row.whole()) << length;
        EXPECT_EQ(opened.forms(), "raw 40,block 12") << length;
        EXPECT_EQ(fault_codes(opened.diagnostics), "log_record|") << length;
    }
    const OpenedRow no_letters(patched(data.text(), data.part(2), 0, 2));
    EXPECT_FALSE(no_letters.row.whole());
    EXPECT_EQ(no_letters.forms(), "raw 40,block 12");
    EXPECT_EQ(fault_codes(no_letters.diagnostics), "log_record|");
}

TEST(BlgRow, ALengthOfItsOwnThatLiesCostsNoSoundRecord) {
    const lf::Data data = lf::row(mixed_records);
    for (const std::uint32_t length : {0xFFFF'FFFFU, static_cast<std::uint32_t>(data.size() + 1)}) {
        const OpenedRow opened(patched(data.text(), lf::record_header::Length, length));
        ASSERT_TRUE(opened.opened) << length;
        EXPECT_EQ(opened.forms(), mixed_forms) << length;
        EXPECT_EQ(fault_codes(opened.diagnostics), "log_record|") << length;
    }
}

TEST(BlgRow, CutAnywhereItHasTheRecordsInFront) {
    const lf::Data data = lf::row(mixed_records);
    const std::vector<std::string> forms{"", "raw 40", "raw 40,block 12", "raw 40,block 12,instances 88"};
    for (std::size_t size = 8; size < data.size(); ++size) {
        const OpenedRow opened(data.text().substr(0, size));
        ASSERT_TRUE(opened.opened) << size;
        std::size_t complete = 0;
        while (complete + 1 < 4 && data.part(complete + 1) <= size) ++complete;
        EXPECT_EQ(opened.forms(), forms[complete]) << size;
        EXPECT_FALSE(opened.row.whole()) << size;
        EXPECT_NE(placed_faults(opened.diagnostics).find("log_record"), std::string::npos) << size;
    }
}

TEST(BlgRaw, Fields) {
    const lf::RowRecord record = lf::raw({.first = -5,
                                          .second = std::int64_t{1} << 62U,
                                          .time = 131'246'415'908'740'000,
                                          .status = 0x8000'07D5,
                                          .multi_count = 0xFFFF'FFFF});
    const auto raw = blg::read_raw(ExactBytes(record.body).at());
    ASSERT_TRUE(raw);
    EXPECT_EQ(raw_text(*raw), "2147485653 131246415908740000 -5 4611686018427387904 4294967295");
    for (std::size_t size = 0; size < 36; ++size) {
        const auto cut = blg::read_raw(ExactBytes(record.body.substr(0, size)).at(12));
        ASSERT_FALSE(cut) << size;
        EXPECT_EQ(cut.error().code, Errc::log_record);
        EXPECT_GE(cut.error().offset, 12U);
    }
    EXPECT_TRUE(blg::RawCounter::is_valid(0));
    EXPECT_TRUE(blg::RawCounter::is_valid(1));
    EXPECT_FALSE(blg::RawCounter::is_valid(0xC000'0BC6));
    EXPECT_FALSE(blg::RawCounter::is_valid(0x8000'07D1));
}

const lf::RawInstances three{
    .instances = {{u"one", 1, 2}, {u"", 3, -4, 0}, {u"three", 5, 6, 7}}, .time = 1000, .status = 1};

TEST(BlgInstances, Fields) {
    const ExactBytes bytes(lf::instances(three).body);
    blg::RawInstances list;
    ASSERT_TRUE(list.open(bytes.at()));
    EXPECT_EQ(list.status(), 1U);
    EXPECT_EQ(list.time(), 1000);
    EXPECT_THAT(instance_texts(list), ElementsAre("one=1 1000 1 2 1", "=1 1000 3 -4 0", "three=1 1000 5 6 7"));
    const ExactBytes none(lf::instances({.time = 5}).body);
    ASSERT_TRUE(list.open(none.at()));
    EXPECT_EQ(list.size(), 0U);
    EXPECT_EQ(list.status(), 0U);
}

TEST(BlgInstances, ANumberThatDoesNotFit) {
    const std::string body = lf::instances(three).body;
    blg::RawInstances list;
    for (const std::uint32_t count : {6U, 0x0AAA'AAABU, 0xFFFF'FFFFU, 0x8000'0000U}) {
        const ExactBytes bytes(patched(body, lf::raw_instances::Count, count));
        const auto opened = list.open(bytes.at(50));
        ASSERT_FALSE(opened) << count;
        EXPECT_EQ(opened.error().code, Errc::log_record) << count;
        EXPECT_GE(opened.error().offset, 50U);
        EXPECT_EQ(list.size(), 0U);
    }
    for (std::size_t size = 0; size < lf::raw_instances::size + 3 * lf::raw_instance::size; ++size) {
        const ExactBytes cut(body.substr(0, size));
        EXPECT_FALSE(list.open(cut.at())) << size;
    }
}

TEST(BlgInstances, ANameOutsideIsNone) {
    const std::string body = lf::instances(three).body;
    const std::size_t second = lf::raw_instances::size + lf::raw_instance::size;
    for (const std::uint32_t name : {static_cast<std::uint32_t>(body.size()), 0xFFFF'FFFFU, 0xFFFF'FFFEU, 0x8000'0000U,
                                     static_cast<std::uint32_t>(body.size() - 1)}) {
        const ExactBytes bytes(patched(body, second + lf::raw_instance::Name, name));
        blg::RawInstances list;
        ASSERT_TRUE(list.open(bytes.at()));
        EXPECT_THAT(instance_texts(list), ElementsAre("one=1 1000 1 2 1", "?=1 1000 3 -4 0", "three=1 1000 5 6 7"))
            << name;
    }
    // The last name without its NUL
    const lf::RowRecord tight = lf::instances({.instances = {{u"abc", 1, 2}}});
    ASSERT_EQ(tight.body.size() % 8, 0U);
    const ExactBytes bytes(patched(tight.body, tight.body.size() - 2, u'x', 2));
    blg::RawInstances list;
    ASSERT_TRUE(list.open(bytes.at()));
    EXPECT_THAT(instance_texts(list), ElementsAre("?=0 0 1 2 1"));
}

TEST(BlgTrailer, Fields) {
    const std::string event =
        lf::trailer({.first_time = 11, .last_time = -22, .rows = 33, .objects = {"one", "two"}}).text();
    const auto rows = blg::read_trailer_rows(ExactBytes(event).at());
    ASSERT_TRUE(rows);
    EXPECT_EQ(*rows, 33U);
    for (std::size_t size = 0; size < 24; ++size)
        EXPECT_FALSE(blg::read_trailer_rows(ExactBytes(event.substr(0, size)).at())) << size;
}

TEST(BlgNames, MachineAndTitles) {
    const std::vector<lf::Title> titles{{u"2", u"System"}, {u"4", u"Memory"}};
    const lf::Data event = lf::names(u"\\\\PC", titles);
    const ExactBytes bytes(event.text());
    const auto names = blg::read_names(bytes.at(70));
    ASSERT_TRUE(names);
    EXPECT_EQ(narrow(names->machine), "PC");
    EXPECT_EQ(to_text(names->titles), multi_sz({"2", "System", "4", "Memory"}));
    EXPECT_EQ(names->titles.offset(), 70 + 2 * 5);
    for (const std::string& none : {std::string(), wide("\\\\"), wide("\\\\PC"), wide("PC") + std::string(2, '\0'),
                                    wide("\\PC"), lf::row(mixed_records).text(), lf::catalogue({{}}).text()}) {
        const ExactBytes other(none);
        EXPECT_FALSE(blg::read_names(other.at())) << none.size();
    }
}

}  // namespace blg_row_test
}  // namespace hkpd_test
