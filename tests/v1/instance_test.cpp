// The chain of instances of V1: counts, lengths and names, one broken field at a time.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "hkpd/v1.hpp"
#include "support/blob_builder.hpp"
#include "support/v1_walk.hpp"

namespace v1_instance_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd_test::clean;
using hkpd_test::no_error;
using hkpd_test::reports;
using hkpd_test::Walk;
using hkpd_test::walk;
using Numbers = std::vector<std::optional<std::uint64_t>>;
namespace object_type = blob::object_type;
namespace instance_definition = blob::instance_definition;

blob::Block list(std::vector<blob::Instance> instances) {
    return {.objects = {{.title = 50,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 10}, {.title = 12, .type = blob::counter_type::bulk_count, .size = 8}},
                         .instances = std::move(instances)},
                        {.title = 52, .counters = {{.title = 10}}, .values = {77}}}};
}

blob::Block four() { return list({{u"a", {1, 11}}, {u"bb", {2, 22}}, {u"ccc", {3, 33}}, {u"_Total", {6, 66}}}); }

const std::vector<hkpd_test::WalkedInstance>& instances(const Walk& walked) { return walked.objects.at(0).instances; }

/// Expects the first `n` instances of `four()` and the object after them.
void expect_first(const Walk& walked, std::size_t n) {
    const Numbers values[] = {{1, 11}, {2, 22}, {3, 33}, {6, 66}};
    ASSERT_EQ(instances(walked).size(), n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(instances(walked)[i].values, values[i]) << i;
    ASSERT_NE(walked.object(52), nullptr);
    EXPECT_EQ(walked.object(52)->instances.at(0).values, Numbers{77});
}

TEST(V1Instance, ReadsEveryFieldOfADefinition) {
    const blob::Blob blob =
        blob::build(list({{u"a", {1, 11}, 230, 7, 4711}, {u"bb", {2, 22}, 0, 0, -1}, {u"", {3, 33}, 0, 0, -1, false}}));
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));
    ASSERT_EQ(instances(walked).size(), 3u);
    const hkpd::v1::Instance& first = instances(walked)[0].instance;
    EXPECT_EQ(first.definition().ByteLength, 32u);
    EXPECT_EQ(first.definition().ParentObjectTitleIndex, 230u);
    EXPECT_EQ(first.definition().ParentObjectInstance, 7u);
    EXPECT_EQ(first.definition().UniqueID, 4711);
    EXPECT_EQ(first.definition().NameOffset, 24u);
    EXPECT_EQ(first.definition().NameLength, 4u);
    EXPECT_EQ(first.offset, blob.instance(0, 0));
    EXPECT_EQ(first.block.offset(), blob.counter_block(0, 0));
    EXPECT_EQ(first.block.size(), 16u);
    EXPECT_EQ(instances(walked)[1].instance.definition().UniqueID, hkpd::v1::no_unique_id);
    for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(instances(walked)[i].instance.ordinal, i);
}

TEST(V1Instance, NamesWithAndWithoutNul) {
    for (const blob::Endian endian : {blob::Endian::little, blob::Endian::big}) {
        blob::Block block =
            list({{.name = u"svchost"}, {.name = u"svchost", .nul = false}, {.name = u"é日\xD83D\xDE00"}});
        block.endian = endian;
        const blob::Blob blob = blob::build(block);
        const Walk walked = walk(blob.bytes());
        ASSERT_TRUE(clean(walked));
        EXPECT_EQ(instances(walked).at(0).name, blob::utf16(u"svchost", endian));
        EXPECT_EQ(instances(walked).at(1).name, blob::utf16(u"svchost", endian));
        EXPECT_EQ(instances(walked).at(2).name, blob::utf16(u"é日\xD83D\xDE00", endian));
        const auto order = endian == blob::Endian::little ? hkpd::ByteOrder::little : hkpd::ByteOrder::big;
        EXPECT_EQ(instances(walked).at(0).instance.name().value().order, order);
        EXPECT_EQ(instances(walked).at(0).instance.name().value().code_page, 0u);
    }
}

TEST(V1Instance, EmptyNamesAreNames) {
    const blob::Blob blob = blob::build(list({{.name = u"", .nul = true}, {.name = u"", .nul = false}}));
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(clean(walked));
    EXPECT_EQ(instances(walked).at(0).name, "");
    EXPECT_EQ(instances(walked).at(1).name, "");
}

TEST(V1Instance, NamesInACodePage) {
    blob::Block block = list({{.name = "Gr\xF6\xDF"
                                       "e"},
                              {.name = "disk", .nul = false},
                              {.name = "odd"}});
    block.objects[0].code_page = 1252;
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));  // an odd NameLength is no fault for characters of one byte
    EXPECT_EQ(instances(walked).at(0).name,
              "Gr\xF6\xDF"
              "e");
    EXPECT_EQ(instances(walked).at(1).name, "disk");
    EXPECT_EQ(instances(walked).at(2).name, "odd");
    EXPECT_EQ(instances(walked).at(0).instance.name().value().code_page, 1252u);
}

TEST(V1Instance, OddLengthOfUtf16DropsTheOddByte) {
    blob::Blob blob = blob::build(list({{.name = u"abc", .nul = false}}));
    const std::size_t field = blob.instance(0, 0) + instance_definition::NameLength;
    blob.put32(field, 5);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, warning, instance_name, {field}));
    EXPECT_TRUE(no_error(walked));
    EXPECT_EQ(instances(walked).at(0).name, blob::utf16(u"ab"));
}

TEST(V1Instance, NameOutsideTheInstanceLosesOnlyTheName) {
    for (const std::size_t field : {instance_definition::NameOffset, instance_definition::NameLength}) {
        for (const std::uint32_t value : {100u, 1u << 31, 0xFFFF'FFFEu}) {
            blob::Blob blob = blob::build(four());
            blob.put32(blob.instance(0, 1) + field, value);
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, error, instance_name,
                                {blob.instance(0, 1) + instance_definition::NameOffset,
                                 blob.instance(0, 1) + instance_definition::NameLength}))
                << value;
            expect_first(walked, 4);
            EXPECT_FALSE(instances(walked).at(1).name);
            EXPECT_EQ(instances(walked).at(2).name, blob::utf16(u"ccc"));
        }
    }
}

TEST(V1Instance, AnEmptyListIsNoFault) {
    // Also as the last object of a block, with no byte after the definitions.
    blob::Block block = list({});
    std::swap(block.objects[0], block.objects[1]);
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));
    EXPECT_EQ(walked.objects.at(1).object.kind(), hkpd::v1::Kind::multi);
    EXPECT_TRUE(walked.objects.at(1).instances.empty());
    EXPECT_EQ(walked.objects.at(1).object.counters().size(), 2u);
}

TEST(V1Instance, MetadataHasNoInstances) {
    blob::Block block = list({});
    block.objects[0].kind = blob::Kind::metadata_multi;
    block.objects.push_back({.title = 54, .kind = blob::Kind::metadata_single, .counters = {{.title = 10}}});
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));
    EXPECT_EQ(walked.object(50)->object.kind(), hkpd::v1::Kind::metadata_multi);
    EXPECT_EQ(walked.object(52)->object.kind(), hkpd::v1::Kind::single);
    EXPECT_EQ(walked.object(54)->object.kind(), hkpd::v1::Kind::metadata_single);
    EXPECT_TRUE(walked.object(50)->instances.empty());
    EXPECT_TRUE(walked.object(54)->instances.empty());
    EXPECT_EQ(walked.object(54)->object.counters().size(), 1u);
}

TEST(V1Instance, EmptyCounterBlockOfMetadataIsNotRead) {
    blob::Block block = four();
    block.objects[1].num_instances = -3;
    block.objects[1].values = {0};
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(no_error(walked));
    EXPECT_TRUE(walked.object(52)->instances.empty());
}

TEST(V1Instance, ValuesOfMetadataAreReadWithAnError) {
    for (const std::int32_t count : {-2, -3, 0, 1}) {
        blob::Block block = four();
        block.objects[1].num_instances = count;
        const blob::Blob blob = blob::build(block);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, error, instance_count, {blob.object(1) + object_type::NumInstances})) << count;
        expect_first(walked, 4);
    }
}

// NumInstances states that there is no list, but the bytes are instances to the end: the list is read, and the count
// reported.
TEST(V1Instance, ListIsReadDespiteItsCount) {
    for (const std::int32_t count : {-1, -2}) {
        blob::Block block = four();
        block.objects[0].num_instances = count;
        const blob::Blob blob = blob::build(block);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, count == -1 ? warning : error, instance_count,
                            {blob.object(0) + object_type::NumInstances}))
            << count;
        expect_first(walked, 4);
    }
}

TEST(V1Instance, TooHighACountKeepsThoseThatFit) {
    for (const std::int32_t count : {5, 1 << 30, std::numeric_limits<std::int32_t>::max()}) {
        blob::Block block = four();
        block.objects[0].num_instances = count;
        const blob::Blob blob = blob::build(block);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, error, instance_count, {blob.object(0) + object_type::NumInstances})) << count;
        expect_first(walked, 4);
    }
}

TEST(V1Instance, TooLowACountLosesNone) {
    for (const std::int32_t count : {0, 2, 3}) {
        blob::Block block = four();
        block.objects[0].num_instances = count;
        const blob::Blob blob = blob::build(block);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, warning, instance_count, {blob.object(0) + object_type::NumInstances})) << count;
        EXPECT_TRUE(no_error(walked));
        expect_first(walked, 4);
    }
}

TEST(V1Instance, CountBelowEveryKindLosesNone) {
    for (const std::int32_t count : {-4, -1000, std::numeric_limits<std::int32_t>::min()}) {
        blob::Block block = four();
        block.objects[0].num_instances = count;
        const blob::Blob blob = blob::build(block);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, error, instance_count, {blob.object(0) + object_type::NumInstances})) << count;
        expect_first(walked, 4);
    }
}

TEST(V1Instance, OneWrongByteLengthIsCorrected) {
    for (std::size_t i = 0; i < 4; ++i) {
        for (const std::uint32_t length : {0u, 4u, 23u, 40u, 48u, 56u, 1u << 20, 1u << 31, 0xFFFF'FFFFu}) {
            blob::Blob blob = blob::build(four());
            if (blob.get32(blob.instance(0, i)) == length) continue;
            blob.put32(blob.instance(0, i), length);
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, error, length_corrected, {blob.instance(0, i)})) << length;
            expect_first(walked, 4);
        }
    }
}

// Without the end of the name, the length of an instance cannot be known: it is lost, and those after it are found.
TEST(V1Instance, AnInstanceThatNothingConfirmsIsLostAlone) {
    const Numbers values[] = {{1, 11}, {2, 22}, {3, 33}, {6, 66}};
    for (std::size_t i = 0; i < 4; ++i) {
        blob::Blob blob = blob::build(four());
        blob.put32(blob.instance(0, i), 0);
        blob.put32(blob.instance(0, i) + blob::instance_definition::NameOffset, 3);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, error, list_broken, {blob.instance(0, i)}));
        EXPECT_TRUE(reports(walked, error, instance_count, {blob.object(0) + object_type::NumInstances}));
        ASSERT_EQ(instances(walked).size(), 3U) << i;
        for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(instances(walked)[k].values, values[k < i ? k : k + 1]) << i << k;
    }
}

TEST(V1Instance, LeftoverBytesAfterTheLast) {
    for (const std::uint8_t fill : {std::uint8_t{0}, std::uint8_t{0x5A}}) {
        for (const std::uint32_t length : {4u, 8u, 40u}) {
            blob::Blob blob = blob::build(four());
            const std::size_t at = blob.object_end(0);
            blob.insert(at, length, fill);
            blob.add32(blob.object(0), length);
            blob.add32(blob::data_block::TotalByteLength, length);
            const Walk walked = walk(blob.bytes());
            EXPECT_EQ(static_cast<bool>(reports(walked, fill == 0 ? note : warning, leftover_bytes, {at})),
                      length >= 8);
            EXPECT_TRUE(no_error(walked));
            expect_first(walked, 4);
        }
    }
}

TEST(V1Instance, KeepsImpossibleParents) {
    // Self-parents, cycles and ordinals outside the list are for the layer that resolves them; here they are just
    // numbers.
    const blob::Blob blob = blob::build(list(
        {{u"self", {1, 11}, 50, 0}, {u"x", {2, 22}, 50, 2}, {u"y", {3, 33}, 50, 1}, {u"z", {6, 66}, 9, 0xFFFF'FFFF}}));
    const Walk walked = walk(blob.bytes());
    expect_first(walked, 4);
    EXPECT_EQ(instances(walked)[3].instance.definition().ParentObjectInstance, 0xFFFF'FFFFu);
}

}  // namespace v1_instance_test
