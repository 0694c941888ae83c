// Counter blocks of V1 and their values: blocks that are too short, values after their block, and the limit on values.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/v1.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/v1_walk.hpp"

namespace v1_value_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd_test::clean;
using hkpd_test::no_error;
using hkpd_test::reports;
using hkpd_test::Walk;
using hkpd_test::walk;
using Numbers = std::vector<std::optional<std::uint64_t>>;
namespace type = blob::counter_type;
namespace object_type = blob::object_type;
namespace counter_definition = blob::counter_definition;

/// Returns a block with three counters at offsets 4, 8 and 16 and two instances, followed by another object.
blob::Block two_instances() {
    return {.objects = {{.title = 50,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 10},
                                      {.title = 12, .type = type::bulk_count, .size = 8},
                                      {.title = 14, .type = type::bulk_count, .size = 8}},
                         .instances = {{u"a", {1, 2, 3}}, {u"_Total", {4, 5, 6}}}},
                        {.title = 52, .counters = {{.title = 10}}, .values = {77}}}};
}

const std::vector<hkpd_test::WalkedInstance>& instances(const Walk& walked) { return walked.objects.at(0).instances; }

/// Returns the allowed offsets for a fault of a value outside its block: its definition's CounterOffset, its block, the
/// value.
std::vector<std::uint64_t> places(const blob::Blob& blob, std::size_t c, std::size_t i) {
    const std::size_t field = blob.counter(0, c) + counter_definition::CounterOffset;
    return {field, blob.counter_block(0, i), blob.counter_block(0, i) + blob.get32(field)};
}

TEST(V1Value, ValidObjectHasEveryValue) {
    const blob::Blob blob = blob::build(two_instances());
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));
    EXPECT_TRUE(walked.objects.at(0).object.whole());
    EXPECT_TRUE(instances(walked).at(0).complete);
    EXPECT_EQ(instances(walked).at(0).values, (Numbers{1, 2, 3}));
    EXPECT_EQ(instances(walked).at(1).values, (Numbers{4, 5, 6}));
    EXPECT_EQ(instances(walked).at(1).bytes.at(0), std::string("\4\0\0\0", 4));
}

TEST(V1Value, AfterAShortBlockOnlyThatValueIsLost) {
    blob::Block block = two_instances();
    block.objects[0].instances[0].block_length = 16;
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, error, counter_outside_block, places(blob, 2, 0)));
    ASSERT_EQ(instances(walked).size(), 2u);
    EXPECT_FALSE(walked.objects.at(0).object.whole());
    EXPECT_FALSE(instances(walked)[0].complete);
    EXPECT_TRUE(instances(walked)[1].complete);
    EXPECT_EQ(instances(walked)[0].values, (Numbers{1, 2, std::nullopt}));
    EXPECT_EQ(instances(walked)[1].values, (Numbers{4, 5, 6}));
}

TEST(V1Value, HalfInsideItsBlockIsLost) {
    blob::Block block = two_instances();
    block.objects[0].instances[1].block_length = 20;
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, error, counter_outside_block, places(blob, 2, 1)));
    EXPECT_EQ(instances(walked).at(1).values, (Numbers{4, 5, std::nullopt}));
}

TEST(V1Value, AfterTheLastBlockInSlackIsReturned) {
    const blob::Blob blob = blob::xp_like(two_instances(), 0, 1, 8);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, warning, counter_beyond_block_length, {blob.counter_block(0, 1)}));
    EXPECT_TRUE(no_error(walked));
    for (const hkpd::Diagnostic& diagnostic : walked.diagnostics.kept())
        EXPECT_EQ(diagnostic.error.code, counter_beyond_block_length);  // and no leftover bytes: the value uses them
    EXPECT_FALSE(walked.objects.at(0).object.whole());
    EXPECT_EQ(instances(walked).at(0).values, (Numbers{1, 2, 3}));
    EXPECT_EQ(instances(walked).at(1).values, (Numbers{4, 5, 6}));
}

TEST(V1Value, AfterALoneBlockInSlackIsReturned) {
    blob::Blob blob = blob::build(
        {.objects = {{.title = 50, .counters = {{.title = 10}, {.title = 12}, {.title = 14}}, .values = {1, 2, 3}}}});
    blob.put32(blob.counter_block(0), 8);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, warning, counter_beyond_block_length, {blob.counter_block(0, 0)}));
    EXPECT_TRUE(no_error(walked));
    EXPECT_EQ(instances(walked).at(0).values, (Numbers{1, 2, 3}));
}

TEST(V1Value, AfterABlockThatIsNotTheLastIsLost) {
    // The bytes after it belong to the next instance.
    blob::Blob blob = blob::build(two_instances());
    blob.put32(blob.counter(0, 1) + counter_definition::CounterOffset, 24);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, error, counter_outside_block, places(blob, 1, 0)));
    EXPECT_EQ(instances(walked).at(0).values, (Numbers{1, std::nullopt, 3}));
    EXPECT_EQ(instances(walked).at(1).values, (Numbers{4, std::nullopt, 6}));
}

TEST(V1Value, SlackOfABrokenChainIsNotUsed) {
    blob::Block block = two_instances();
    block.objects[0].instances.push_back({u"c", {7, 8, 9}});
    block.objects[0].instances[1].block_length = 8;
    blob::Blob blob = blob::build(block);
    blob.put32(blob.instance(0, 2), 0);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, error, list_broken, {blob.counter_block(0, 1)}));
    ASSERT_EQ(instances(walked).size(), 1u);
}

TEST(V1Value, OneWrongLengthOfABlockIsCorrected) {
    for (std::size_t i = 0; i < 2; ++i) {
        for (const std::uint32_t length : {0u, 1u, 3u, 40u, 1u << 20, 1u << 31, 0xFFFF'FFFFu}) {
            blob::Blob blob = blob::build(two_instances());
            blob.put32(blob.counter_block(0, i), length);
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, error, length_corrected, {blob.counter_block(0, i)})) << length;
            ASSERT_EQ(instances(walked).size(), 2U) << length;
            EXPECT_EQ(instances(walked)[0].values, (Numbers{1, 2, 3})) << length;
            EXPECT_EQ(instances(walked)[1].values, (Numbers{4, 5, 6})) << length;
            EXPECT_EQ(walked.object(52)->instances.at(0).values, Numbers{77});
        }
    }
}

TEST(V1Value, LoneBlockWithAnInvalidLengthIsLost) {
    for (const std::uint32_t length : {0u, 3u}) {
        blob::Blob blob = blob::build({.objects = {{.title = 50, .counters = {{.title = 10}}, .values = {1}}}});
        blob.put32(blob.counter_block(0), length);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, error, counter_block_length, {blob.counter_block(0)})) << length;
        EXPECT_TRUE(instances(walked).empty());
    }
}

TEST(V1Value, MissingLoneBlockIsAnError) {
    blob::Block block = two_instances();
    block.objects[0].instances.clear();
    block.objects[0].num_instances = -1;
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, error, counter_block_length, {blob.object_end(0)}));
    EXPECT_TRUE(instances(walked).empty());
}

/// Returns an object with `counters` definitions of the same four bytes and `instances` instances without names.
blob::Blob overlapping(std::size_t counters, std::size_t instances) {
    blob::Object object{.title = 50, .kind = blob::Kind::multi};
    object.counters.assign(counters, {.title = 10, .offset = 4});
    object.instances.assign(instances, {.name = u"", .values = {7}, .nul = false});
    return blob::build({.objects = {std::move(object)}, .machine = u""});
}

TEST(V1ValueLimit, AllowsTheOverlapsOfRealProviders) {
    const blob::Blob blob = overlapping(200, 200);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(clean(walked));
    ASSERT_EQ(instances(walked).size(), 200u);
    EXPECT_EQ(instances(walked)[199].values, Numbers(200, 7));
}

TEST(V1ValueLimit, StopsQuadraticGrowth) {
    const std::size_t counters = 13'000, requested = 1'000;
    const blob::Blob blob = overlapping(counters, requested);
    ASSERT_LE(blob.size(), std::size_t{1} << 20);
    hkpd::Diagnostics diagnostics;
    hkpd::v1::Block block;
    ASSERT_TRUE(block.open(hkpd::Bytes(blob.bytes()), diagnostics));
    hkpd::v1::Object object;
    ASSERT_TRUE(object.open(block, block.objects()[0], diagnostics));
    const std::uint64_t limit = hkpd::Limits{}.values_for(blob.size());
    std::uint64_t left = limit, delivered = 0;
    hkpd::v1::InstanceReader reader(object, left, diagnostics);
    for (hkpd::v1::Instance instance; reader.next(instance);) ++delivered;
    EXPECT_LE(delivered * counters, limit);
    EXPECT_GT((delivered + 1) * counters, limit);
    ASSERT_EQ(diagnostics.kept().size(), 1u);
    EXPECT_EQ(diagnostics.kept()[0].error.code, value_limit);
    EXPECT_EQ(diagnostics.kept()[0].severity, error);

    left = limit;
    object.validate(left, diagnostics);
    EXPECT_EQ(object.count(), delivered);
}

TEST(V1ValueLimit, IsSetByTheCaller) {
    const blob::Blob blob = blob::build(two_instances());
    const Walk walked = walk(hkpd::Bytes(blob.bytes()), {.values = 5});
    EXPECT_EQ(instances(walked).size(), 1u);
    ASSERT_EQ(walked.diagnostics.count(error), 1u);
    EXPECT_EQ(walked.diagnostics.kept()[0].error.code, value_limit);
}

}  // namespace v1_value_test
