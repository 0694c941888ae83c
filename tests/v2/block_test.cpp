// The header of a V2 data block and its chain of results: the fields of valid ones, and one broken field at a time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/v2.hpp"
#include "support/v2_builder.hpp"
#include "support/v2_walk.hpp"

namespace v2_block_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd::v2::ResultType;
using hkpd_test::clean_v2;
using hkpd_test::Numbers;
using hkpd_test::reports_only;
using hkpd_test::reports_v2;
using hkpd_test::V2Walk;
using hkpd_test::walk_v2;
namespace data_header = v2_blob::data_header;
namespace counter_header = v2_blob::counter_header;

/// Returns a block of three results with one value each: 1, 2 and 3.
v2_blob::Block three() {
    return {.results = {{.type = v2_blob::single_counter, .values = {1}},
                        {.type = v2_blob::multiple_instances, .instances = {{u"a", 7, {2}}}},
                        {.type = v2_blob::single_counter, .values = {v2_blob::u32(3)}}}};
}

/// Returns the ordinals of the results that could be opened and have their value in `three`.
std::vector<std::uint32_t> valid(const V2Walk& walked) {
    std::vector<std::uint32_t> ordinals;
    for (const hkpd_test::V2Result& result : walked.results)
        if (!result.failure && result.instances.size() == 1 &&
            result.instances[0].numbers == Numbers{result.entry.ordinal + 1})
            ordinals.push_back(result.entry.ordinal);
    return ordinals;
}
using Ordinals = std::vector<std::uint32_t>;

TEST(V2Block, ReadsEveryFieldOfTheHeader) {
    const v2_blob::Blob blob = v2_blob::build(three());
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    ASSERT_TRUE(clean_v2(walked));
    const hkpd::v2::DataHeader& header = walked.block.header();
    EXPECT_EQ(header.dwTotalSize, blob.size());
    EXPECT_EQ(header.dwNumCounters, 3U);
    EXPECT_EQ(header.PerfTimeStamp, 1'000'000);
    EXPECT_EQ(header.PerfTime100NSec, 132'444'736'001'230'000);
    EXPECT_EQ(header.PerfFreq, 10'000'000);
    EXPECT_EQ(header.SystemTime.year, 2020);
    EXPECT_EQ(header.SystemTime.month, 9);
    EXPECT_EQ(header.SystemTime.day_of_week, 0);
    EXPECT_EQ(header.SystemTime.day, 13);
    EXPECT_EQ(header.SystemTime.hour, 12);
    EXPECT_EQ(header.SystemTime.minute, 26);
    EXPECT_EQ(header.SystemTime.second, 40);
    EXPECT_EQ(header.SystemTime.milliseconds, 123);
    EXPECT_EQ(valid(walked), (Ordinals{0, 1, 2}));
}

TEST(V2Block, FindsTheResults) {
    const v2_blob::Blob blob = v2_blob::build(three());
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes(), 5000));
    ASSERT_EQ(walked.block.results().size(), 3U);
    for (std::uint32_t k = 0; k < 3; ++k) {
        const hkpd::v2::ResultEntry& entry = walked.block.results()[k];
        EXPECT_EQ(entry.bytes.offset(), 5000 + blob.result(k));
        EXPECT_EQ(entry.bytes.end(), 5000 + blob.result_end(k));
        EXPECT_EQ(entry.ordinal, k);
        EXPECT_EQ(entry.header.dwSize, blob.result_end(k) - blob.result(k));
        EXPECT_EQ(entry.header.dwType, k == 1 ? 4U : 1U);
        EXPECT_EQ(entry.header.dwStatus, 0U);
    }
}

TEST(V2Block, AnEmptyQueryHas48Bytes) {
    const v2_blob::Blob blob = v2_blob::build({});
    ASSERT_EQ(blob.size(), 48U);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_TRUE(clean_v2(walked));
    EXPECT_TRUE(walked.results.empty());
    EXPECT_TRUE(hkpd::v2::is_data_block(hkpd::Bytes(blob.bytes())));
}

TEST(V2Block, LeavesTheBytesAfterItToTheNext) {
    const v2_blob::Blob one = v2_blob::build(three());
    v2_blob::Blob two = one;
    two.append(one.bytes());
    const V2Walk walked = walk_v2(hkpd::Bytes(two.bytes()));
    EXPECT_TRUE(clean_v2(walked));
    EXPECT_EQ(walked.block.bytes().size(), one.size());
    EXPECT_EQ(valid(walked), (Ordinals{0, 1, 2}));
}

TEST(V2Block, OpensAgainInTheSameMemory) {
    const v2_blob::Blob large = v2_blob::build(three()), small = v2_blob::build({});
    hkpd::v2::DataBlock block;
    hkpd::Diagnostics diagnostics;
    ASSERT_TRUE(block.open(hkpd::Bytes(large.bytes()), diagnostics));
    EXPECT_EQ(block.results().size(), 3U);
    ASSERT_TRUE(block.open(hkpd::Bytes(small.bytes()), diagnostics));
    EXPECT_EQ(block.results().size(), 0U);
    EXPECT_EQ(block.header().dwNumCounters, 0U);
}

TEST(V2BlockRefuses, HeaderCutShort) {
    for (std::size_t size = 0; size < data_header::size; ++size) {
        v2_blob::Blob blob = v2_blob::build(three());
        blob.truncate(size);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes(), 100));
        ASSERT_TRUE(walked.failure) << size;
        EXPECT_EQ(walked.failure->code, truncated_header) << size;
        EXPECT_EQ(walked.failure->offset, 100U) << size;
        EXPECT_EQ(walked.failure->structure, "PERF_DATA_HEADER") << size;
        EXPECT_EQ(walked.failure->found, size);
        EXPECT_EQ(walked.failure->expected, 48U);
        EXPECT_TRUE(walked.diagnostics.kept().empty()) << size;
    }
}

TEST(V2Block, TotalSizeBelowTheHeaderLosesNothing) {
    for (const std::uint32_t size : {0U, 1U, 47U}) {
        v2_blob::Blob blob = v2_blob::build(three());
        blob.put32(data_header::dwTotalSize, size);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_only(walked, warning, block_length, 0, "PERF_DATA_HEADER", "dwTotalSize")) << size;
        EXPECT_EQ(valid(walked), (Ordinals{0, 1, 2})) << size;
        EXPECT_FALSE(hkpd::v2::is_data_block(hkpd::Bytes(blob.bytes())));
    }
}

TEST(V2Block, TotalSizeBeyondTheInput) {
    for (const std::uint32_t more : {1U, 8U, 0x1000'0000U, 0xF000'0000U}) {
        v2_blob::Blob blob = v2_blob::build(three());
        blob.add32(data_header::dwTotalSize, more);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, error, block_truncated, {data_header::dwTotalSize})) << more;
        EXPECT_EQ(valid(walked), (Ordinals{0, 1, 2})) << more;
    }
}

TEST(V2Block, TotalSizeThatCutsAResult) {
    v2_blob::Blob blob = v2_blob::build(three());
    for (std::uint32_t size = static_cast<std::uint32_t>(blob.result(2)); size < blob.size(); ++size) {
        blob.put32(data_header::dwTotalSize, size);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        ASSERT_FALSE(walked.failure);
        EXPECT_NE(walked.diagnostics.count(error) + walked.diagnostics.count(warning), 0U) << size;
        EXPECT_LE(walked.block.bytes().size(), blob.size());
        const Ordinals found = valid(walked);
        EXPECT_GE(found.size(), 2U) << size;
        EXPECT_EQ(Ordinals(found.begin(), found.begin() + 2), (Ordinals{0, 1})) << size;
    }
}

TEST(V2Block, TruncatedInputKeepsTheResultsBefore) {
    const v2_blob::Blob whole = v2_blob::build(three());
    for (std::size_t size = data_header::size; size < whole.size(); ++size) {
        v2_blob::Blob blob = whole;
        blob.truncate(size);
        const V2Walk walked = walk_v2(hkpd_test::ExactCopy(blob.bytes()).bytes());
        EXPECT_TRUE(reports_v2(walked, error, block_truncated, {data_header::dwTotalSize})) << size;
        std::size_t complete = 0;
        for (std::size_t k = 0; k < 3; ++k) complete += whole.result_end(k) <= size ? 1U : 0U;
        EXPECT_GE(valid(walked).size(), complete) << size;
    }
}

TEST(V2Block, CountsMoreResultsThanThereAre) {
    for (const std::uint32_t count : {4U, 0x8000'0000U, 0xFFFF'FFFFU}) {
        v2_blob::Blob blob = v2_blob::build(three());
        blob.put32(data_header::dwNumCounters, count);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes(), 300));
        const hkpd::Severity severity = walked.diagnostics.count(error) != 0 ? error : warning;
        EXPECT_TRUE(reports_only(walked, severity, result_count, 300 + data_header::dwNumCounters, "PERF_DATA_HEADER",
                                 "dwNumCounters"));
        EXPECT_EQ(valid(walked), (Ordinals{0, 1, 2})) << count;
    }
}

TEST(V2Block, CountsFewerResultsThanThereAre) {
    for (const std::uint32_t count : {0U, 2U}) {
        v2_blob::Blob blob = v2_blob::build(three());
        blob.put32(data_header::dwNumCounters, count);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_NE(walked.findings().size(), 0U) << "the bytes after the last one are reported";
        EXPECT_GE(valid(walked).size(), count);
    }
}

TEST(V2Block, ManyEmptyResultsAreLimited) {
    v2_blob::Blob blob = v2_blob::build({});
    blob.grow(16 * 1000);
    blob.put32(data_header::dwTotalSize, static_cast<std::uint32_t>(blob.size()));
    blob.put32(data_header::dwNumCounters, 1000);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_TRUE(reports_v2(walked, error, result_length, {48 + counter_header::dwSize}));
    EXPECT_LE(walked.diagnostics.kept().size(), 10U) << "each fault is reported once";
    EXPECT_LE(walked.results.size(), 1000U);
}

// The content of a result shows where it ends, so a wrong length of its own need not lose anything.

TEST(V2Result, LengthBelowItsHeaderLosesAtMostItself) {
    for (const std::uint32_t length : {0U, 1U, 8U, 15U}) {
        v2_blob::Blob blob = v2_blob::build(three());
        const std::size_t field = blob.result(1) + counter_header::dwSize;
        blob.put32(field, length);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, error, result_length, {field})) << length;
        EXPECT_EQ(valid(walked), (Ordinals{0, 1, 2})) << length;
    }
}

TEST(V2Result, LengthBeyondTheBlockLosesAtMostItself) {
    for (const std::uint32_t length : {0x1000U, 0x7FFF'FFF8U, 0xFFFF'FFF8U, 0xFFFF'FFFFU}) {
        v2_blob::Blob blob = v2_blob::build(three());
        const std::size_t field = blob.result(1) + counter_header::dwSize;
        blob.put32(field, length);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, error, result_length, {field})) << length;
        EXPECT_EQ(valid(walked), (Ordinals{0, 1, 2})) << length;
    }
}

TEST(V2Result, LengthThatIsNoMultipleOf8) {
    v2_blob::Blob blob = v2_blob::build(three());
    const std::size_t field = blob.result(0) + counter_header::dwSize;
    blob.add32(field, 0xFFFF'FFFC);  // 4 less: the value's padding is outside
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_TRUE(reports_v2(walked, warning, length_uneven, {field}) ||
                reports_v2(walked, error, result_length, {field}))
        << clean_v2(walked).message();
    EXPECT_EQ(valid(walked), (Ordinals{0, 1, 2}));
}

TEST(V2Result, UnknownTypesLoseOnlyThemselves) {
    for (const std::uint32_t type : {3U, 5U, 7U, 8U, 0x8000'0000U, 0xFFFF'FFFFU}) {
        v2_blob::Blob blob = v2_blob::build(three());
        const std::size_t field = blob.result(1) + counter_header::dwType;
        blob.put32(field, type);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_only(walked, error, result_type, field, "PERF_COUNTER_HEADER", "dwType")) << type;
        EXPECT_EQ(valid(walked), (Ordinals{0, 2})) << type;
        EXPECT_EQ(walked.result(1), nullptr);
    }
}

TEST(V2Result, ErrorsHaveAStatusAndNothingElse) {
    v2_blob::Block block = three();
    block.results[1] = {.type = v2_blob::error_return, .status = 4201};
    const v2_blob::Blob blob = v2_blob::build(block);
    ASSERT_EQ(blob.result_end(1) - blob.result(1), 16U);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_EQ(walked.diagnostics.count(error) + walked.diagnostics.count(warning), 0U);
    ASSERT_NE(walked.result(1), nullptr);
    EXPECT_EQ(walked.result(1)->result.type(), ResultType::error);
    EXPECT_EQ(walked.result(1)->result.status(), 4201U);
    EXPECT_EQ(walked.result(1)->result.expected_instances(), 0U);
    EXPECT_TRUE(walked.result(1)->instances.empty());
    EXPECT_EQ(valid(walked), (Ordinals{0, 2}));
}

TEST(V2Guess, RecognisesDataBlocks) {
    const v2_blob::Blob good = v2_blob::build(three());
    EXPECT_TRUE(hkpd::v2::is_data_block(hkpd::Bytes(good.bytes())));
    v2_blob::Blob cut = good;
    cut.truncate(47);
    EXPECT_FALSE(hkpd::v2::is_data_block(hkpd::Bytes(cut.bytes())));
    const auto registration = v2_blob::build_registration({.guid = v2_blob::guid(7), .counters = {{.id = 1}}});
    EXPECT_FALSE(hkpd::v2::is_data_block(hkpd::Bytes(registration.bytes())));
    const auto strings = v2_blob::build_strings({{1, u"a counter whose name is long enough to be a header"}});
    EXPECT_FALSE(hkpd::v2::is_data_block(hkpd::Bytes(strings.bytes())));
    EXPECT_FALSE(hkpd::v2::is_data_block(hkpd::Bytes()));
}

}  // namespace v2_block_test
