// The header of a V1 block: the fields of a valid one, and one broken field at a time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/v1.hpp"
#include "support/blob_builder.hpp"
#include "support/v1_walk.hpp"

namespace v1_block_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd_test::clean;
using hkpd_test::no_error;
using hkpd_test::reports;
using hkpd_test::Walk;
using hkpd_test::walk;
using Titles = std::vector<std::uint32_t>;
namespace data_block = blob::data_block;

blob::Block three_objects() {
    const std::vector<blob::Counter> counters{{.title = 10}, {.title = 12}};
    return {.objects = {{.title = 2, .counters = counters, .values = {1, 2}},
                        {.title = 4, .counters = counters, .values = {3, 4}},
                        {.title = 6, .counters = counters, .values = {5, 6}}}};
}

hkpd::Errc refusal(const Walk& walk) { return walk.failure ? walk.failure->code : hkpd::Errc::no_data; }

TEST(V1Block, ReadsEveryFieldOfTheHeader) {
    const blob::Blob blob = blob::build(three_objects());
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));
    const hkpd::v1::DataBlock& header = walked.block.header();
    EXPECT_EQ(header.LittleEndian, 1u);
    EXPECT_EQ(header.Version, 1u);
    EXPECT_EQ(header.Revision, 1u);
    EXPECT_EQ(header.TotalByteLength, blob.size());
    EXPECT_EQ(header.HeaderLength, 104u);  // 88, "DEMO" with its NUL, 6 to the next multiple of 8
    EXPECT_EQ(header.NumObjectTypes, 3u);
    EXPECT_EQ(header.DefaultObject, 238);
    EXPECT_EQ(header.PerfTime, 1'000'000);
    EXPECT_EQ(header.PerfFreq, 10'000'000);
    EXPECT_EQ(header.PerfTime100nSec, 132'444'736'001'230'000);
    EXPECT_EQ(header.SystemNameLength, 10u);
    EXPECT_EQ(header.SystemNameOffset, 88u);
    EXPECT_EQ(header.SystemTime.year, 2020);
    EXPECT_EQ(header.SystemTime.month, 9);
    EXPECT_EQ(header.SystemTime.day_of_week, 0);
    EXPECT_EQ(header.SystemTime.day, 13);
    EXPECT_EQ(header.SystemTime.hour, 12);
    EXPECT_EQ(header.SystemTime.minute, 26);
    EXPECT_EQ(header.SystemTime.second, 40);
    EXPECT_EQ(header.SystemTime.milliseconds, 123);
    EXPECT_TRUE(header.SystemTime.valid());
}

TEST(V1Block, NamesTheMachineWithoutItsNul) {
    const blob::Blob blob = blob::build(three_objects());
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(walked.block.machine());
    EXPECT_EQ(hkpd_test::to_string(walked.block.machine().value().bytes), blob::utf16(u"DEMO"));
    EXPECT_EQ(walked.block.machine().value().code_page, 0u);
}

TEST(V1Block, FindsTheObjects) {
    const blob::Blob blob = blob::build(three_objects());
    const Walk walked = walk(blob.bytes());
    ASSERT_EQ(walked.block.objects().size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
        const hkpd::v1::ObjectEntry& entry = walked.block.objects()[k];
        EXPECT_EQ(entry.title_index, 2 * (k + 1));
        EXPECT_EQ(entry.bytes.offset(), blob.object(k));
        EXPECT_EQ(entry.bytes.end(), blob.object_end(k));
    }
    EXPECT_EQ(walked.block.object(4), &walked.block.objects()[1]);
    EXPECT_EQ(walked.block.object(8), nullptr);
    EXPECT_FALSE(walked.block.own_title_indices());
}

TEST(V1Block, IsAtLeast208BytesWithOneValue) {
    const std::vector<blob::Counter> counters{{.title = 10, .type = blob::counter_type::large_rawcount, .size = 8}};
    const blob::Blob blob = blob::build(
        {.objects = {{.title = 2, .counters = counters, .values = {0x0123'4567'89AB'CDEF}}}, .machine = u""});
    ASSERT_EQ(blob.size(), 208u);
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));
    EXPECT_EQ(walked.objects.at(0).instances.at(0).values.at(0), 0x0123'4567'89AB'CDEFu);
}

TEST(V1Block, BigEndianReadsTheSame) {
    blob::Block block = three_objects();
    block.endian = blob::Endian::big;
    blob::Blob blob = blob::build(block);
    const auto check = [&] {
        const Walk walked = walk(blob.bytes());
        ASSERT_FALSE(walked.failure);
        EXPECT_EQ(walked.block.order(), hkpd::ByteOrder::big);
        EXPECT_EQ(walked.block.header().PerfFreq, 10'000'000);
        EXPECT_EQ(walked.block.header().SystemTime.year, 2020);
        EXPECT_EQ(walked.titles(), (Titles{2, 4, 6}));
        EXPECT_EQ(walked.objects.at(2).instances.at(0).values.at(1), 6u);
        EXPECT_EQ(walked.block.machine().value().order, hkpd::ByteOrder::big);
        EXPECT_TRUE(no_error(walked));
    };
    check();
    // The signature is text for one writer and four integers for another; LittleEndian gives the order in either case.
    for (std::size_t i = 0; i < 4; ++i) blob.put16(2 * i, static_cast<std::uint16_t>("PERF"[i] << 8));
    check();
}

TEST(V1Block, MayHaveNoObjects) {
    const blob::Blob blob = blob::build({});
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(clean(walked));
    EXPECT_TRUE(walked.objects.empty());
}

TEST(V1Block, MayHaveNoMachineName) {
    blob::Block block = three_objects();
    block.machine = u"";
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(clean(walked));
    ASSERT_TRUE(walked.block.machine());
    EXPECT_TRUE(walked.block.machine().value().bytes.empty());
    EXPECT_EQ(walked.titles(), (Titles{2, 4, 6}));
}

TEST(V1Block, AMachineNameOutsideLosesOnlyItself) {
    for (const std::size_t field : {data_block::SystemNameLength, data_block::SystemNameOffset}) {
        blob::Blob blob = blob::build(three_objects());
        blob.put32(field, 0x8000'0000);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, error, machine_name, {data_block::SystemNameLength, data_block::SystemNameOffset}));
        EXPECT_FALSE(walked.block.machine());
        EXPECT_EQ(walked.titles(), (Titles{2, 4, 6}));
    }
}

TEST(V1Block, LeavesTheBytesAfterItToTheNext) {
    const blob::Blob one = blob::build(three_objects());
    blob::Blob two = one;
    two.append(one.bytes());
    const Walk walked = walk(two.bytes());
    EXPECT_TRUE(clean(walked));
    EXPECT_EQ(walked.block.bytes().size(), one.size());
    EXPECT_EQ(walked.titles(), (Titles{2, 4, 6}));
}

TEST(V1Block, OffsetsCountFromTheStartOfTheInput) {
    const std::size_t base = 5000;
    blob::Blob blob = blob::build(three_objects());
    blob.put32(data_block::NumObjectTypes, 4);
    const Walk walked = walk(hkpd::Bytes(blob.bytes(), base));
    EXPECT_TRUE(reports(walked, warning, object_count, {base + data_block::NumObjectTypes}));
    EXPECT_EQ(walked.objects.at(1).entry.bytes.offset(), base + blob.object(1));
    EXPECT_EQ(walked.objects.at(1).instances.at(0).instance.offset, base + blob.counter_block(1));
}

TEST(V1BlockRefuses, WrongSignature) {
    for (std::size_t at = 0; at < 8; ++at) {
        blob::Blob blob = blob::build(three_objects());
        blob.put8(at, 'X');
        const Walk walked = walk(blob.bytes());
        EXPECT_EQ(refusal(walked), not_performance_data) << at;
        EXPECT_EQ(walked.failure ? walked.failure->offset : 1u, 0u) << at;
    }
}

TEST(V1BlockRefuses, HeaderCutShort) {
    for (std::size_t size = 0; size < data_block::size; ++size) {
        blob::Blob blob = blob::build(three_objects());
        blob.truncate(size);
        const Walk walked = walk(blob.bytes());
        ASSERT_TRUE(walked.failure) << size;
        EXPECT_TRUE(size < 8 || walked.failure->code == truncated_header) << size;
    }
}

TEST(V1BlockRefuses, ReplyToATooSmallBuffer) {
    blob::Blob blob = blob::build({});
    blob.put32(data_block::TotalByteLength, 0);
    const Walk walked = walk(blob.bytes());
    EXPECT_EQ(refusal(walked), incomplete_reply);
}

TEST(V1Block, HeaderLengthOutOfRangeLosesNoObject) {
    for (const char16_t* machine : {u"", u"DEMO"}) {
        for (const std::uint32_t length : {0u, 1u, 80u, 87u, 0x1000u, 0x7FFF'FFFFu, 0xFFFF'FFFFu}) {
            blob::Block block = three_objects();
            block.machine = machine;
            blob::Blob blob = blob::build(block);
            blob.put32(data_block::HeaderLength, length);
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, error, header_length, {data_block::HeaderLength})) << length;
            EXPECT_EQ(walked.titles(), (Titles{2, 4, 6})) << length;
        }
    }
}

TEST(V1Block, TotalByteLengthTooSmallKeepsTheObjectsThatFit) {
    blob::Blob blob = blob::build(three_objects());
    for (const std::size_t total : {blob.object_end(1), blob.object_end(1) + 8, blob.object_end(0) + 100}) {
        blob.put32(data_block::TotalByteLength, static_cast<std::uint32_t>(total));
        const Walk walked = walk(blob.bytes());
        ASSERT_FALSE(walked.failure) << total;
        EXPECT_TRUE(walked.diagnostics.any_fault()) << total;
        ASSERT_NE(walked.object(2), nullptr) << total;
        EXPECT_EQ(walked.object(2)->instances.at(0).values.at(1), 2u) << total;
        EXPECT_TRUE(walked.object(4) != nullptr || total < blob.object_end(1)) << total;
    }
}

TEST(V1Block, TotalByteLengthInsideTheHeaderIsAFault) {
    for (const std::uint32_t total : {0u, 4u, 88u, 103u}) {
        blob::Blob blob = blob::build(three_objects());
        blob.put32(data_block::TotalByteLength, total);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(walked.failure || walked.diagnostics.any_fault()) << total;
    }
}

TEST(V1Block, AnotherVersionIsReadToo) {
    for (const std::size_t field : {data_block::Version, data_block::Revision}) {
        blob::Blob blob = blob::build(three_objects());
        blob.put32(field, 7);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(field != data_block::Version || reports(walked, warning, version, {field}));
        EXPECT_TRUE(no_error(walked));
        EXPECT_EQ(walked.titles(), (Titles{2, 4, 6}));
    }
}

TEST(V1Block, AContradictingByteOrderIsIgnored) {
    for (const std::uint32_t flag : {0u, 2u, 0x0100'0000u, 0xFFFF'FFFFu}) {
        blob::Blob blob = blob::build(three_objects());
        blob.put32(data_block::LittleEndian, flag);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, warning, byte_order, {data_block::LittleEndian})) << flag;
        EXPECT_EQ(walked.block.order(), hkpd::ByteOrder::little) << flag;
        EXPECT_EQ(walked.titles(), (Titles{2, 4, 6})) << flag;
    }
}

TEST(V1Block, AnInvalidSystemTimeIsAWarning) {
    blob::Block block = three_objects();
    block.system_time.month = 13;
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    EXPECT_FALSE(walked.block.header().SystemTime.valid());
    EXPECT_TRUE(reports(walked, warning, system_time, {data_block::SystemTime}));
    EXPECT_TRUE(no_error(walked));
    EXPECT_EQ(walked.titles(), (Titles{2, 4, 6}));
}

TEST(V1Block, SystemTimeIsCheckedByTheCalendar) {
    const hkpd::SystemTime good{2024, 2, 4, 29, 23, 59, 59, 999};
    EXPECT_TRUE(good.valid());
    for (const hkpd::SystemTime& bad : {hkpd::SystemTime{2023, 2, 3, 29, 0, 0, 0, 0},
                                        {2024, 0, 0, 1, 0, 0, 0, 0},
                                        {2024, 1, 1, 0, 0, 0, 0, 0},
                                        {2024, 4, 2, 31, 0, 0, 0, 0},
                                        {2024, 1, 1, 1, 24, 0, 0, 0},
                                        {2024, 1, 1, 1, 0, 60, 0, 0},
                                        {2024, 1, 1, 1, 0, 0, 0, 1000},
                                        {2024, 256 + 2, 4, 29, 0, 0, 0, 0},
                                        {2024, 2, 4, 256 + 29, 0, 0, 0, 0},
                                        {30828, 2, 4, 1, 0, 0, 0, 0},
                                        {0, 0, 0, 0, 0, 0, 0, 0}})
        EXPECT_FALSE(bad.valid());
}

}  // namespace v1_block_test
