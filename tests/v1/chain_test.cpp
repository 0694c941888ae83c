// The chain of objects in a V1 block: wrong lengths, wrong counts, stray bytes, truncated inputs. Valid objects are
// returned.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hkpd/v1.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/v1_walk.hpp"

namespace v1_chain_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd_test::clean;
using hkpd_test::no_error;
using hkpd_test::reports;
using hkpd_test::Walk;
using hkpd_test::walk;
using Titles = std::vector<std::uint32_t>;
namespace data_block = blob::data_block;
namespace object_type = blob::object_type;

constexpr std::uint8_t stray_fills[] = {0x00, 0x5A, 0xCC, 0xFF};

/// Returns the title of object k in a block of `objects(n)`; `value` returns the value of its first counter.
std::uint32_t title(std::size_t k) { return static_cast<std::uint32_t>(100 + 2 * k); }
std::uint64_t value(std::size_t k) { return 7000 + k; }

/// Returns a block with objects of both kinds and of different lengths.
blob::Block objects(std::size_t n, std::u16string machine = u"DEMO") {
    blob::Block block{.machine = std::move(machine)};
    for (std::size_t k = 0; k < n; ++k) {
        blob::Object object{.title = title(k), .counters = {{.title = 10}}};
        if (k % 3 == 1) object.counters.push_back({.title = 12, .type = blob::counter_type::bulk_count, .size = 8});
        if (k % 2 == 0) object.values = {value(k)};
        if (k % 2 == 1) object.kind = blob::Kind::multi;
        if (k % 2 == 1) object.instances = {{u"first", {value(k)}}, {u"second", {value(k) + 1}}};
        block.objects.push_back(std::move(object));
    }
    return block;
}

void expect_valid(const Walk& walked, std::size_t k) {
    const hkpd_test::WalkedObject* object = walked.object(title(k));
    ASSERT_NE(object, nullptr) << "object " << k;
    ASSERT_EQ(object->instances.size(), 1 + k % 2) << "object " << k;
    EXPECT_EQ(object->instances[0].values.at(0), value(k)) << "object " << k;
    EXPECT_EQ(object->instances.back().values.at(0), value(k) + k % 2) << "object " << k;
}

void expect_all_valid(const Walk& walked, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) expect_valid(walked, k);
    EXPECT_EQ(walked.titles().size(), n);
}

using Damage = std::function<void(blob::Blob&, std::size_t at, std::size_t length)>;

/// Applies `damage` to each of ten objects in turn and expects the other nine, and with `itself_too` also the damaged
/// one.
void expect_nine_of_ten(const Damage& damage, bool itself_too) {
    for (std::size_t ruined = 0; ruined < 10; ++ruined) {
        SCOPED_TRACE("ruined: " + std::to_string(ruined));
        blob::Blob blob = blob::build(objects(10));
        damage(blob, blob.object(ruined), blob.object_end(ruined) - blob.object(ruined));
        const Walk walked = walk(blob.bytes());
        ASSERT_FALSE(walked.failure);
        EXPECT_TRUE(reports(walked, error, object_length, {blob.object(ruined) + object_type::TotalByteLength}));
        for (std::size_t k = 0; k < 10; ++k)
            if (k != ruined || itself_too) expect_valid(walked, k);
    }
}

TEST(V1RuinedObject, FilledWith0xFF) {
    expect_nine_of_ten([](blob::Blob& blob, std::size_t at, std::size_t length) { blob.fill(at, length, 0xFF); },
                       false);
}

TEST(V1RuinedObject, HeaderFilledWith0xFF) {
    expect_nine_of_ten([](blob::Blob& blob, std::size_t at, std::size_t) { blob.fill(at, object_type::size, 0xFF); },
                       false);
}

TEST(V1RuinedObject, FilledWithZeros) {
    expect_nine_of_ten([](blob::Blob& blob, std::size_t at, std::size_t length) { blob.fill(at, length, 0); }, false);
}

TEST(V1RuinedObject, TotalByteLengthZero) {
    expect_nine_of_ten([](blob::Blob& blob, std::size_t at, std::size_t) { blob.put32(at, 0); }, true);
}

TEST(V1RuinedObject, TotalByteLengthTooLargeBy8) {
    expect_nine_of_ten([](blob::Blob& blob, std::size_t at, std::size_t) { blob.add32(at, 8); }, true);
}

TEST(V1RuinedObject, TotalByteLengthBelowTheHeader) {
    expect_nine_of_ten([](blob::Blob& blob, std::size_t at, std::size_t) { blob.put32(at, 56); }, true);
}

TEST(V1RuinedObject, TotalByteLengthBeyondTheBlock) {
    for (const std::uint32_t length : {0x0010'0000u, 0x7FFF'FFF8u, 0x8000'0000u, 0xFFFF'FFFFu})
        expect_nine_of_ten([=](blob::Blob& blob, std::size_t at, std::size_t) { blob.put32(at, length); }, true);
}

TEST(V1RuinedObject, DamagedInsideKeepsTheChain) {
    for (std::size_t ruined = 0; ruined < 10; ++ruined) {
        blob::Blob blob = blob::build(objects(10));
        blob.fill(blob.object(ruined) + 4, blob.object_end(ruined) - blob.object(ruined) - 4, 0xFF);
        const Walk walked = walk(blob.bytes());
        EXPECT_FALSE(no_error(walked));
        for (std::size_t k = 0; k < 10; ++k)
            if (k != ruined) expect_valid(walked, k);
    }
}

TEST(V1Chain, TwoRuinedObjectsLoseTwo) {
    for (std::size_t a = 0; a < 10; ++a) {
        for (std::size_t b = a + 1; b < 10; ++b) {
            blob::Blob blob = blob::build(objects(10));
            for (const std::size_t k : {a, b})
                for (std::size_t at = blob.object(k); at + 4 <= blob.object_end(k); at += 4)
                    blob.put32(at, 0xFFFF'FFFF);
            const Walk walked = walk(blob.bytes());
            EXPECT_FALSE(no_error(walked));
            for (std::size_t k = 0; k < 10; ++k)
                if (k != a && k != b) expect_valid(walked, k);
        }
    }
}

TEST(V1Chain, WrongNumObjectTypesLosesNothing) {
    for (const std::uint32_t count : {4u, 6u, 0x7FFF'FFFFu, 0x8000'0000u, 0xFFFF'FFFFu, 1u, 0u}) {
        blob::Blob blob = blob::build(objects(5));
        blob.put32(data_block::NumObjectTypes, count);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, warning, object_count, {data_block::NumObjectTypes})) << count;
        EXPECT_TRUE(no_error(walked)) << count;
        expect_all_valid(walked, 5);
    }
}

TEST(V1Chain, StrayBytesBetweenObjects) {
    for (const std::uint8_t stray : stray_fills) {
        for (std::size_t k = 1; k < 4; ++k) {
            blob::Blob blob = blob::build(objects(4));
            const std::size_t at = blob.object(k);
            blob.insert(at, 16, stray);
            blob.add32(data_block::TotalByteLength, 16);
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, stray == 0 ? note : warning, leftover_bytes, {at}));
            EXPECT_TRUE(no_error(walked));
            expect_all_valid(walked, 4);
        }
    }
}

TEST(V1Chain, StrayBytesAfterTheLastObject) {
    for (const std::uint8_t stray : stray_fills) {
        for (const std::size_t length : {std::size_t{8}, std::size_t{16}, std::size_t{128}}) {
            blob::Blob blob = blob::build(objects(4));
            const std::size_t at = blob.size();
            blob.insert(at, length, stray);
            blob.add32(data_block::TotalByteLength, static_cast<std::uint32_t>(length));
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, stray == 0 ? note : warning, leftover_bytes, {at}));
            EXPECT_TRUE(no_error(walked));
            expect_all_valid(walked, 4);
        }
    }
}

TEST(V1Chain, RepeatedObjectIsReturnedTwice) {
    blob::Block block = objects(3);
    block.objects.push_back(block.objects[0]);
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(no_error(walked));
    EXPECT_EQ(walked.titles(), (Titles{title(0), title(1), title(2), title(0)}));
    EXPECT_EQ(walked.block.object(title(0)), &walked.block.objects()[0]);
}

TEST(V1Chain, ThousandObjectsWithoutLengthEndSoon) {
    blob::Blob blob = blob::build(objects(1000));
    for (std::size_t k = 0; k < 1000; ++k) blob.put32(blob.object(k), 0);
    const Walk walked = walk(blob.bytes());
    ASSERT_FALSE(walked.failure);
    EXPECT_TRUE(reports(walked, error, object_length, {blob.object(0)}));
    EXPECT_LE(walked.objects.size(), 1000u);
}

TEST(V1Truncated, KeepsCompleteObjectsAndPartOfTheLast) {
    const blob::Blob whole = blob::build(objects(4));
    for (std::size_t size = data_block::size; size < whole.size(); ++size) {
        SCOPED_TRACE("size: " + std::to_string(size));
        blob::Blob blob = whole;
        blob.truncate(size);
        const Walk walked = walk(blob.bytes());
        ASSERT_FALSE(walked.failure);
        ASSERT_TRUE(reports(walked, error, block_truncated, {data_block::TotalByteLength}));
        for (std::size_t k = 0; k < 4; ++k)
            if (whole.object_end(k) <= size) expect_valid(walked, k);
    }
}

TEST(V1Truncated, KeepsInstancesThatFit) {
    blob::Blob blob = blob::build(objects(2));
    blob.truncate(blob.instance(1, 1) + 12);
    const Walk walked = walk(blob.bytes());
    expect_valid(walked, 0);
    ASSERT_NE(walked.object(title(1)), nullptr);
    ASSERT_EQ(walked.object(title(1))->instances.size(), 1u);
    EXPECT_EQ(walked.object(title(1))->instances[0].values.at(0), value(1));
}

TEST(V1Samba, TotalByteLengthWithoutTheHeader) {
    // With a name of 16 bytes, which ends on a multiple of 8, Samba adds another 8; with 10 bytes it does not.
    for (const char16_t* machine : {u"SMBPERF", u"DEMO"}) {
        const blob::Blob blob = blob::samba_like(objects(4, machine));
        ASSERT_EQ(blob.size() - blob.get32(data_block::TotalByteLength), blob.get32(data_block::HeaderLength));
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, warning, length_without_header, {data_block::TotalByteLength}));
        EXPECT_TRUE(no_error(walked));
        EXPECT_TRUE(walked.block.own_title_indices());
        EXPECT_EQ(walked.block.bytes().size(), blob.size());
        expect_all_valid(walked, 4);
    }
}

TEST(V1Samba, TruncatedKeepsCompleteObjects) {
    blob::Blob blob = blob::samba_like(objects(4));
    blob.truncate(blob.object_end(1) + 20);
    const Walk walked = walk(blob.bytes());
    EXPECT_FALSE(no_error(walked));
    expect_valid(walked, 0);
    expect_valid(walked, 1);
}

TEST(V1Wine, StrayBytesAfterTheHeader) {
    for (const char16_t* machine : {u"VM", u"DEMO", u""}) {
        for (const std::uint8_t stray : stray_fills) {
            const blob::Blob blob = blob::wine_like(objects(4, machine), stray);
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, warning, gap_after_header,
                                {data_block::HeaderLength, blob.get32(data_block::HeaderLength)}));
            EXPECT_TRUE(no_error(walked));
            EXPECT_EQ(walked.block.bytes().size(), blob.size());
            expect_all_valid(walked, 4);
        }
    }
}

TEST(V1Wine, WithoutTheLast88BytesKeepsCompleteObjects) {
    blob::Blob blob = blob::wine_like(objects(4));
    blob.truncate(blob.size() - data_block::size);
    const Walk walked = walk(blob.bytes());
    EXPECT_FALSE(no_error(walked));
    for (std::size_t k = 0; k < 4 && blob.object_end(k) <= blob.size(); ++k) expect_valid(walked, k);
}

TEST(V1Wine, IsFollowedByTheNextBlock) {
    const blob::Blob one = blob::wine_like(objects(4));
    blob::Blob two = one;
    two.append(one.bytes());
    const Walk walked = walk(two.bytes());
    EXPECT_EQ(walked.block.bytes().size(), one.size());
    expect_all_valid(walked, 4);
}

}  // namespace v1_chain_test
