// Results of V2: the ids, instances and values of valid ones, and one broken field at a time. A second result after the
// broken one must be read completely.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/v2.hpp"
#include "support/v2_builder.hpp"
#include "support/v2_walk.hpp"

namespace v2_result_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd::v2::ResultType;
using hkpd_test::clean_v2;
using hkpd_test::Numbers;
using hkpd_test::reports_only;
using hkpd_test::reports_v2;
using hkpd_test::V2Instance;
using hkpd_test::V2Walk;
using hkpd_test::walk_v2;
using Ids = std::vector<std::uint32_t>;
namespace counter_header = v2_blob::counter_header;
namespace multi_counters = v2_blob::multi_counters;
namespace multi_instances = v2_blob::multi_instances;
namespace instance_header = v2_blob::instance_header;
namespace counter_data = v2_blob::counter_data;

/// Returns a counterset of three counters and three instances, followed by a single value.
v2_blob::Block set_and_value() {
    return {.results = {{.ids = {10, 11, 12},
                         .instances = {{u"a", 1, {101, v2_blob::u32(102), 103}},
                                       {u"größer", 2, {201, v2_blob::u32(202), 203}},
                                       {u"_Total", 9, {301, v2_blob::u32(302), 303}}}},
                        {.type = v2_blob::single_counter, .values = {77}}}};
}

const std::vector<V2Instance>& instances(const V2Walk& walked, std::uint32_t result = 0) {
    static const std::vector<V2Instance> none;
    return walked.result(result) ? walked.result(result)->instances : none;
}

/// Expects exactly `n` instances of `set_and_value`, with `more` at least `n`, and the value after them.
void expect_first(const V2Walk& walked, std::size_t n, bool more = false) {
    const Numbers values[] = {{101, 102, 103}, {201, 202, 203}, {301, 302, 303}};
    ASSERT_GE(instances(walked).size(), n);
    EXPECT_TRUE(more || instances(walked).size() == n) << instances(walked).size();
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(instances(walked)[i].numbers, values[i]) << i;
    ASSERT_EQ(instances(walked, 1).size(), 1U);
    EXPECT_EQ(instances(walked, 1)[0].numbers, Numbers{77});
}

TEST(V2Result, Counterset) {
    const v2_blob::Blob blob = v2_blob::build(set_and_value());
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes(), 64));
    ASSERT_TRUE(clean_v2(walked));
    expect_first(walked, 3);
    const hkpd_test::V2Result& result = walked.results.at(0);
    EXPECT_EQ(result.result.type(), ResultType::counterset);
    EXPECT_TRUE(result.result.has_instances());
    EXPECT_EQ(result.ids(), (Ids{10, 11, 12}));
    EXPECT_EQ(result.result.values_per_instance(), 3U);
    EXPECT_EQ(result.result.expected_instances(), 3U);
    EXPECT_EQ(result.result.status(), 0U);
    const std::u16string names[] = {u"a", u"größer", u"_Total"};
    const std::uint32_t ids[] = {1, 2, 9};
    for (std::uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(result.instances[i].name, blob::utf16(names[i]));
        EXPECT_EQ(result.instances[i].id, ids[i]);
        EXPECT_EQ(result.instances[i].ordinal, i);
        EXPECT_EQ(result.instances[i].offset, 64 + blob.instance(0, i));
    }
    EXPECT_EQ(result.instances[0].bytes.at(0).size(), 8U);
    EXPECT_EQ(result.instances[0].bytes.at(1).size(), 4U);
}

TEST(V2Result, SingleCounter) {
    const v2_blob::Blob blob = v2_blob::build({.results = {
                                                   {.type = v2_blob::single_counter, .values = {0x0123'4567'89AB'CDEF}},
                                                   {.type = v2_blob::single_counter, .values = {v2_blob::u32(~0U)}},
                                               }});
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    ASSERT_TRUE(clean_v2(walked));
    for (std::uint32_t k = 0; k < 2; ++k) {
        EXPECT_EQ(walked.results[k].result.type(), ResultType::single_counter);
        EXPECT_FALSE(walked.results[k].result.has_instances());
        EXPECT_EQ(walked.results[k].ids(), Ids{});
        EXPECT_EQ(walked.results[k].result.values_per_instance(), 1U);
        ASSERT_EQ(instances(walked, k).size(), 1U);
        EXPECT_EQ(instances(walked, k)[0].name, "");
        EXPECT_EQ(instances(walked, k)[0].id, hkpd::v2::any_instance);
        EXPECT_EQ(instances(walked, k)[0].offset, blob.value(k, 0, 0));
    }
    EXPECT_EQ(instances(walked, 0)[0].numbers, Numbers{0x0123'4567'89AB'CDEF});
    EXPECT_EQ(instances(walked, 1)[0].numbers, Numbers{0xFFFF'FFFF});
}

TEST(V2Result, MultipleCounters) {
    const v2_blob::Blob blob = v2_blob::build(
        {.results = {{.type = v2_blob::multiple_counters, .ids = {4, 2}, .values = {44, v2_blob::u32(22)}}}});
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    ASSERT_TRUE(clean_v2(walked));
    EXPECT_EQ(walked.results[0].result.type(), ResultType::multiple_counters);
    EXPECT_EQ(walked.results[0].ids(), (Ids{4, 2}));
    EXPECT_EQ(walked.results[0].result.values_per_instance(), 2U);
    ASSERT_EQ(instances(walked).size(), 1U);
    EXPECT_EQ(instances(walked)[0].numbers, (Numbers{44, 22}));
    EXPECT_EQ(instances(walked)[0].name, "");
    EXPECT_EQ(instances(walked)[0].offset, blob.value(0, 0, 0));
}

TEST(V2Result, MultipleInstances) {
    const v2_blob::Blob blob = v2_blob::build(
        {.results = {{.type = v2_blob::multiple_instances, .instances = {{u"x", 5, {55}}, {u"x", 5, {56}}}}}});
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    ASSERT_TRUE(clean_v2(walked));
    EXPECT_EQ(walked.results[0].result.type(), ResultType::multiple_instances);
    EXPECT_TRUE(walked.results[0].result.has_instances());
    EXPECT_EQ(walked.results[0].ids(), Ids{});
    ASSERT_EQ(instances(walked).size(), 2U);
    EXPECT_EQ(instances(walked)[0].numbers, Numbers{55});
    EXPECT_EQ(instances(walked)[1].numbers, Numbers{56});
}

TEST(V2Result, ListsMayBeEmpty) {
    const v2_blob::Blob blob = v2_blob::build(
        {.results = {{.ids = {1, 2}}, {.type = v2_blob::multiple_instances}, {.type = 1, .values = {3}}}});
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    ASSERT_TRUE(clean_v2(walked));
    EXPECT_EQ(walked.results[0].ids(), (Ids{1, 2}));
    EXPECT_TRUE(instances(walked, 0).empty());
    EXPECT_TRUE(instances(walked, 1).empty());
    EXPECT_EQ(instances(walked, 2).size(), 1U);
}

TEST(V2Result, OpensAgainInTheSameMemory) {
    const v2_blob::Blob blob = v2_blob::build(set_and_value());
    hkpd::v2::DataBlock block;
    hkpd::v2::Result result;
    hkpd::Diagnostics diagnostics;
    ASSERT_TRUE(block.open(hkpd::Bytes(blob.bytes()), diagnostics));
    ASSERT_TRUE(result.open(block.results()[0], 4711, diagnostics));
    EXPECT_EQ(result.ids().size(), 3U);
    EXPECT_EQ(result.object(), 4711U);
    ASSERT_TRUE(result.open(block.results()[1], 4712, diagnostics));
    EXPECT_EQ(result.ids().size(), 0U);
    EXPECT_EQ(result.object(), 4712U);
    EXPECT_EQ(result.values_per_instance(), 1U);
}

// PERF_MULTI_COUNTERS

TEST(V2Ids, OddCountsWithCountedPadding) {
    for (std::size_t count = 1; count < 6; ++count) {
        v2_blob::Block block{.results = {{.instances = {{u"a", 1, {}}}}, {.type = 1, .values = {77}}}};
        for (std::uint32_t id = 0; id < count; ++id) {
            block.results[0].ids.push_back(id);
            block.results[0].instances[0].values.emplace_back(id * 10);
        }
        const v2_blob::Blob blob = v2_blob::build(block);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(clean_v2(walked));
        EXPECT_EQ(walked.results[0].ids(), block.results[0].ids);
        ASSERT_EQ(instances(walked).size(), 1U);
        EXPECT_EQ(instances(walked)[0].numbers.back(), (count - 1) * 10);
    }
}

TEST(V2Ids, OddCountsWithoutPadding) {
    v2_blob::Block block = set_and_value();
    block.results[0].id_padding = v2_blob::IdPadding::absent;
    const v2_blob::Blob blob = v2_blob::build(block);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_TRUE(reports_v2(walked, warning, length_uneven, {blob.ids(0) + multi_counters::dwSize}));
    EXPECT_EQ(walked.diagnostics.count(error), 0U);
    expect_first(walked, 3);
}

TEST(V2Ids, OddCountsWithUncountedPadding) {
    v2_blob::Block block = set_and_value();
    block.results[0].id_padding = v2_blob::IdPadding::uncounted;
    const v2_blob::Blob blob = v2_blob::build(block);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_TRUE(reports_v2(walked, warning, length_uneven, {blob.ids(0) + multi_counters::dwSize}));
    EXPECT_EQ(walked.diagnostics.count(error), 0U);
    expect_first(walked, 3);
    EXPECT_EQ(instances(walked, 1).size(), 1U);
}

TEST(V2Ids, LengthThatCannotHoldThem) {
    for (const std::uint32_t length : {0U, 4U, 7U, 8U, 16U, 19U}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.ids(0) + multi_counters::dwSize;
        blob.put32(field, length);
        const V2Walk corrected = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(corrected, error, length_corrected, {field})) << length;
        expect_first(corrected, 3);

        blob.add32(blob.list(0) + multi_instances::dwTotalSize, 8);  // confirms no other length
        const V2Walk lost = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(lost, error, counter_ids, {field, field + 4})) << length;
        EXPECT_EQ(lost.result(0), nullptr);
        EXPECT_EQ(instances(lost, 1).size(), 1U);
    }
}

TEST(V2Ids, LengthBeyondTheResult) {
    for (const std::uint32_t length : {0x1000U, 0x8000'0000U, 0xFFFF'FFF8U, 0xFFFF'FFFFU}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.ids(0) + multi_counters::dwSize;
        blob.put32(field, length);
        const V2Walk corrected = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(corrected, error, length_corrected, {field})) << length;
        expect_first(corrected, 3);

        blob.add32(blob.list(0) + multi_instances::dwTotalSize, 8);  // confirms no other length
        const V2Walk lost = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(lost, error, counter_ids, {field})) << length;
        EXPECT_EQ(lost.result(0), nullptr);
        EXPECT_EQ(instances(lost, 1).size(), 1U);
    }
}

TEST(V2Ids, CountBeyondTheirLength) {
    for (const std::uint32_t count : {5U, 0x4000'0000U, 0x8000'0000U, 0xFFFF'FFFFU}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.ids(0) + multi_counters::dwCounters;
        blob.put32(field, count);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, error, counter_ids, {field, field - 4})) << count;
        EXPECT_EQ(walked.result(0), nullptr);
        EXPECT_EQ(instances(walked, 1).size(), 1U);
    }
}

TEST(V2Ids, TooShortForTheirHeader) {
    for (const std::uint32_t type : {v2_blob::multiple_counters, v2_blob::multiple_instances, v2_blob::counterset}) {
        v2_blob::Blob blob =
            v2_blob::build({.results = {{.type = v2_blob::error_return}, {.type = 1, .values = {77}}}});
        blob.put32(blob.result(0) + counter_header::dwType, type);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_NE(walked.diagnostics.count(error) + (walked.results[0].failure ? 1U : 0U), 0U) << type;
        EXPECT_TRUE(instances(walked, 0).empty());
        EXPECT_EQ(instances(walked, 1).size(), 1U);
    }
}

// PERF_MULTI_INSTANCES

TEST(V2List, CountsMoreInstancesThanThereAre) {
    for (const std::uint32_t count : {4U, 0x4000'0000U, 0xFFFF'FFFFU}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.list(0) + multi_instances::dwInstances;
        blob.put32(field, count);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_only(walked, error, instance_count, field, "PERF_MULTI_INSTANCES", "dwInstances")) << count;
        EXPECT_LE(walked.results[0].result.expected_instances(), blob.size() / 8);
        expect_first(walked, 3);
    }
}

TEST(V2List, CountsFewerInstancesThanThereAre) {
    for (const std::uint32_t count : {0U, 2U}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.list(0) + multi_instances::dwInstances;
        blob.put32(field, count);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_only(walked, warning, instance_count, field, "PERF_MULTI_INSTANCES", "dwInstances"))
            << count;
        expect_first(walked, 3);
    }
}

TEST(V2List, LengthOutOfRangeLosesNothing) {
    for (const std::uint32_t length : {0U, 7U, 0x1000U, 0x8000'0000U, 0xFFFF'FFF8U}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.list(0) + multi_instances::dwTotalSize;
        blob.put32(field, length);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_only(walked, warning, result_length, field, "PERF_MULTI_INSTANCES", "dwTotalSize"))
            << length;
        expect_first(walked, 3);
    }
}

TEST(V2List, LengthThatCutsTheLastInstance) {
    v2_blob::Blob blob = v2_blob::build(set_and_value());
    blob.add32(blob.list(0) + multi_instances::dwTotalSize, 0xFFFF'FFF8);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_NE(walked.findings().size(), 0U);
    expect_first(walked, 2, true);
}

// PERF_INSTANCE_HEADER

TEST(V2Instance, LengthOutOfRangeLosesTheNextOnes) {
    for (const std::uint32_t length : {0U, 1U, 4U, 7U, 0x1000U, 0x8000'0000U, 0xFFFF'FFF8U, 0xFFFF'FFFFU}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.instance(0, 1) + instance_header::Size;
        blob.put32(field, length);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, error, instance_length, {field})) << length;
        expect_first(walked, 1);
    }
}

TEST(V2Instance, LengthThatIsNoMultipleOf8) {
    for (const std::uint32_t length : {13U, 20U}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.instance(0, 1) + instance_header::Size;
        blob.put32(field, length);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, warning, length_uneven, {field})) << length;
        expect_first(walked, 1, true);
    }
}

TEST(V2Instance, NameWithoutNul) {
    v2_blob::Block block = set_and_value();
    block.results[0].instances[1] = {u"four", 2, {201, v2_blob::u32(202), 203}, false};
    const v2_blob::Blob blob = v2_blob::build(block);
    ASSERT_EQ(blob.value(0, 1, 0) - blob.instance(0, 1), 16U) << "the name fills its header";
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    const hkpd::Severity severity = instances(walked).at(1).name ? warning : error;
    EXPECT_TRUE(reports_v2(walked, severity, string_unterminated,
                           {blob.instance(0, 1), blob.instance(0, 1) + instance_header::size}));
    EXPECT_EQ(instances(walked)[1].name.value_or(blob::utf16(u"four")), blob::utf16(u"four"));
    expect_first(walked, 3);
}

TEST(V2Instance, NameEndsAtItsFirstNul) {
    v2_blob::Block block = set_and_value();
    block.results[0].instances[1].name = std::u16string(u"a\0b", 3);
    const v2_blob::Blob blob = v2_blob::build(block);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_EQ(walked.diagnostics.count(error), 0U);
    EXPECT_EQ(instances(walked).at(1).name, blob::utf16(u"a"));
    expect_first(walked, 3);
}

TEST(V2Instance, EmptyNames) {
    v2_blob::Block block = set_and_value();
    block.results[0].instances[1].name = u"";
    const v2_blob::Blob blob = v2_blob::build(block);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_TRUE(clean_v2(walked));
    EXPECT_EQ(instances(walked).at(1).name, "");
    expect_first(walked, 3);
}

TEST(V2Instance, NamesHaveAtMost1024Characters) {
    for (const std::size_t length : {std::size_t{1024}, std::size_t{1025}, std::size_t{5000}}) {
        v2_blob::Block block = set_and_value();
        block.results[0].instances[1].name = std::u16string(length, u'n');
        const v2_blob::Blob blob = v2_blob::build(block);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_EQ(walked.findings().empty(), length == 1024) << length;
        EXPECT_EQ(instances(walked).at(1).name.has_value(), walked.diagnostics.count(error) == 0) << length;
        if (instances(walked)[1].name) {
            EXPECT_EQ(instances(walked)[1].name->size(), 2 * length);
        }
        expect_first(walked, 3);
    }
}

TEST(V2Instance, PaddingAfterTheNameIsSkipped) {
    v2_blob::Blob blob = v2_blob::build(set_and_value());
    blob.insert_in_result(0, blob.value(0, 1, 0), 16, 0xCC);
    blob.add32(blob.instance(0, 1) + instance_header::Size, 16);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_TRUE(clean_v2(walked));
    EXPECT_EQ(instances(walked).at(1).name, blob::utf16(u"größer"));
    expect_first(walked, 3);
}

// PERF_COUNTER_DATA

/// Expects instance 1 without its middle value, and everything else.
void expect_one_value_lost(const V2Walk& walked) {
    ASSERT_EQ(instances(walked).size(), 3U);
    EXPECT_EQ(instances(walked)[0].numbers, (Numbers{101, 102, 103}));
    EXPECT_EQ(instances(walked)[1].numbers, (Numbers{201, std::nullopt, 203}));
    EXPECT_EQ(instances(walked)[2].numbers, (Numbers{301, 302, 303}));
    EXPECT_EQ(instances(walked, 1).at(0).numbers, Numbers{77});
}

TEST(V2Value, OfOtherSizesThan4And8LosesOnlyItself) {
    for (const std::size_t size : {0U, 1U, 2U, 3U, 5U, 7U, 9U, 16U}) {
        v2_blob::Block block = set_and_value();
        block.results[0].instances[1].values[1] = v2_blob::Value(std::string(size, 'x'));
        const v2_blob::Blob blob = v2_blob::build(block);
        const std::size_t field = blob.value(0, 1, 1) + counter_data::dwDataSize;
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        const hkpd::Severity severity = walked.diagnostics.count(error) != 0 ? error : warning;
        EXPECT_TRUE(reports_v2(walked, severity, value_size, {field})) << size;
        expect_one_value_lost(walked);
    }
}

TEST(V2Value, DataBeyondItsOwnLengthLosesOnlyItself) {
    for (const std::uint32_t size : {9U, 16U, 0x8000'0000U, 0xFFFF'FFFFU}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.value(0, 1, 1) + counter_data::dwDataSize;
        blob.put32(field, size);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, error, value_size, {field})) << size;
        expect_one_value_lost(walked);
    }
}

TEST(V2Value, LengthOutOfRangeLosesTheNextOnes) {
    for (const std::uint32_t length : {0U, 4U, 7U, 8U, 0x1000U, 0x8000'0000U, 0xFFFF'FFF0U, 0xFFFF'FFFFU}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.value(0, 1, 1) + counter_data::dwSize;
        blob.put32(field, length);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, error, value_length, {field})) << length;
        ASSERT_LE(instances(walked).size(), 2U) << length;
        if (instances(walked).size() == 2) {
            EXPECT_EQ(instances(walked)[1].numbers[0], 201U);
            EXPECT_EQ(instances(walked)[1].numbers[2], std::nullopt);
        }
        expect_first(walked, 1, true);
    }
}

TEST(V2Value, LengthThatIsNoMultipleOf8) {
    for (const std::uint32_t length : {12U, 17U, 20U}) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.value(0, 1, 1) + counter_data::dwSize;
        blob.put32(field, length);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, warning, length_uneven, {field})) << length;
        expect_first(walked, 1, true);
    }
}

TEST(V2Value, PaddingAfterItIsSkipped) {
    v2_blob::Blob blob = v2_blob::build(set_and_value());
    blob.insert_in_result(0, blob.value(0, 1, 2), 8, 0xCC);
    blob.add32(blob.value(0, 1, 1) + counter_data::dwSize, 8);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_EQ(walked.diagnostics.count(error), 0U);
    expect_first(walked, 3);
}

TEST(V2Value, LengthThatIncludesTheNextShowsNoNeighbour) {
    for (std::uint32_t i = 0; i < 3; ++i) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.value(0, i, 0) + counter_data::dwSize;
        blob.add32(field, 16);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, error, value_length, {field})) << i;
        ASSERT_EQ(instances(walked).size(), i + 1);
        EXPECT_EQ(instances(walked)[i].numbers, (Numbers{(i + 1) * 100 + 1, std::nullopt, std::nullopt}));
        expect_first(walked, i, true);
    }
}

TEST(V2Instance, LengthThatIncludesTheFirstValueShowsNoNeighbour) {
    for (std::uint32_t i = 0; i < 3; ++i) {
        v2_blob::Blob blob = v2_blob::build(set_and_value());
        const std::size_t field = blob.instance(0, i) + instance_header::Size;
        blob.add32(field, 16);
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
        EXPECT_TRUE(reports_v2(walked, error, instance_length, {field})) << i;
        ASSERT_EQ(instances(walked).size(), i + 1);
        EXPECT_EQ(instances(walked)[i].numbers, (Numbers{std::nullopt, std::nullopt, std::nullopt}));
        expect_first(walked, i, true);
    }
}

TEST(V2Result, WithoutADataTypeIsLost) {
    v2_blob::Blob blob = v2_blob::build(set_and_value());
    blob.put32(blob.result(0) + counter_header::dwType, 0);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_TRUE(reports_only(walked, error, result_type, blob.result(0) + counter_header::dwType, "PERF_COUNTER_HEADER",
                             "dwType"));
    EXPECT_EQ(instances(walked, 1).at(0).numbers, Numbers{77});
}

TEST(V2Value, OfAResultWithoutList) {
    for (const std::size_t field : {counter_data::dwDataSize, counter_data::dwSize}) {
        for (const std::uint32_t broken : {0U, 7U, 0xFFFF'FFFFU}) {
            v2_blob::Blob blob = v2_blob::build(
                {.results = {{.type = v2_blob::multiple_counters, .ids = {1, 2, 3}, .values = {10, 20, 30}},
                             {.type = v2_blob::single_counter, .values = {77}}}});
            blob.put32(blob.value(0, 0, 1) + field, broken);
            const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
            const hkpd::Errc code = field == counter_data::dwSize ? value_length : value_size;
            const hkpd::Severity severity = walked.diagnostics.count(error) != 0 ? error : warning;
            EXPECT_TRUE(reports_v2(walked, severity, code, {blob.value(0, 0, 1) + field})) << broken;
            ASSERT_EQ(instances(walked).size(), 1U) << "values before the break are valid";
            EXPECT_EQ(instances(walked)[0].numbers[0], 10U);
            EXPECT_TRUE(field == counter_data::dwSize || !instances(walked)[0].numbers[1]);
            EXPECT_EQ(instances(walked)[0].numbers[2],
                      field == counter_data::dwSize ? std::optional<std::uint64_t>() : 30U);
            EXPECT_EQ(instances(walked, 1).at(0).numbers, Numbers{77});
        }
    }
}

TEST(V2Result, BytesAfterTheValuesAreReported) {
    v2_blob::Blob blob = v2_blob::build(set_and_value());
    blob.insert_in_result(1, blob.result_end(1), 16, 0xCC);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_TRUE(reports_v2(walked, warning, leftover_bytes, {blob.result_end(1) - 16}));
    EXPECT_EQ(walked.diagnostics.count(error), 0U);
    expect_first(walked, 3);
}

TEST(V2Limits, ValuesOfABlock) {
    const v2_blob::Blob blob = v2_blob::build(set_and_value());
    for (std::uint64_t limit = 1; limit <= 12; ++limit) {
        const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()), {.values = limit});
        std::size_t values = 0;
        for (const hkpd_test::V2Result& result : walked.results)
            for (const V2Instance& instance : result.instances) values += instance.numbers.size();
        EXPECT_LE(values, limit);
        const auto all = walked.findings();
        const bool reported = std::ranges::any_of(all, [](const auto& d) { return d.error.code == value_limit; });
        EXPECT_EQ(reported, limit < 10) << limit;
    }
}

TEST(V2Limits, InstancesWithoutCountersAreLimited) {
    // Without counters an instance takes 16 bytes and no value of the limit; even so the number is limited by the
    // bytes.
    v2_blob::Block block{.results = {{.ids = {}}}};
    for (int i = 0; i < 1000; ++i) block.results[0].instances.push_back({.name = u"i"});
    v2_blob::Blob blob = v2_blob::build(block);
    blob.put32(blob.list(0) + multi_instances::dwInstances, 0x4000'0000);
    const V2Walk walked = walk_v2(hkpd::Bytes(blob.bytes()));
    EXPECT_LE(instances(walked).size(), 1000U);
}

}  // namespace v2_result_test
