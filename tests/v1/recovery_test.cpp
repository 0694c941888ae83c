// Wrong lengths and counts that other lengths and counts reveal: valid data is returned, and the fault reported.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/v1.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/v1_walk.hpp"

namespace v1_recovery_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd_test::no_error;
using hkpd_test::reports;
using hkpd_test::Walk;
using hkpd_test::walk;
namespace data_block = blob::data_block;
namespace object_type = blob::object_type;
using Titles = std::vector<std::uint32_t>;

blob::Block three() {
    return {.objects = {{.title = 2, .counters = {{.title = 10}, {.title = 12}}, .values = {1, 2}},
                        {.title = 4,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 14}},
                         .instances = {{u"first", {3}}, {u"second", {4}}, {u"third", {5}}}},
                        {.title = 6, .counters = {{.title = 16}}, .values = {6}}}};
}

TEST(V1Recovery, ObjectThatReachesIntoTheNext) {
    for (const bool samba : {false, true}) {
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
            blob::Blob blob = samba ? blob::samba_like(three()) : blob::build(three());
            const auto next = static_cast<std::uint32_t>(blob.object_end(k + 1) - blob.object(k + 1));
            blob.add32(blob.object(k), next);
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, error, object_length, {blob.object(k)}));
            ASSERT_EQ(walked.titles(), (Titles{2, 4, 6}));
            EXPECT_EQ(walked.object(4)->instances.size(), 3U);
            EXPECT_EQ(walked.object(2)->instances.at(0).values.at(1), 2U);
        }
    }
}

TEST(V1Recovery, WrongHeaderLength) {
    for (const std::uint32_t wrong : {0U, 88U, 96U, 103U, 105U, 112U, 120U, 0x8000'0000U}) {
        blob::Blob blob = blob::build(three());
        if (blob.get32(data_block::HeaderLength) == wrong) continue;
        blob.put32(data_block::HeaderLength, wrong);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, error, header_length, {data_block::HeaderLength})) << wrong;
        EXPECT_EQ(walked.titles(), (Titles{2, 4, 6})) << wrong;
    }
}

blob::Block hundred() {
    blob::Block block;
    for (std::uint32_t k = 0; k < 100; ++k)
        block.objects.push_back({.title = 2 * k + 2, .counters = {{.title = 1000}}, .values = {k + 1}});
    return block;
}

Titles titles_of(const blob::Block& block) {
    Titles titles;
    for (const blob::Object& object : block.objects) titles.push_back(object.title);
    return titles;
}

TEST(V1Recovery, HeaderLengthThatPointsIntoTheChain) {
    const blob::Blob plain = blob::build(hundred());
    blob::Blob followed = plain;
    followed.append(plain.bytes());
    for (const blob::Blob& whole : {plain, followed, blob::samba_like(hundred())}) {
        for (const std::size_t k : {1U, 2U, 50U, 99U}) {
            for (const std::size_t before : {0U, 8U, 88U}) {  // 88 bytes before the object it looks like Wine's gap
                blob::Blob blob = whole;
                blob.put32(data_block::HeaderLength, static_cast<std::uint32_t>(blob.object(k) - before));
                const Walk walked = walk(blob.bytes());
                const std::string where = std::to_string(k) + " " + std::to_string(before);
                EXPECT_TRUE(reports(walked, before == 8 ? error : warning, header_length, {data_block::HeaderLength}))
                    << where;
                EXPECT_EQ(walked.titles(), titles_of(hundred())) << where;
                EXPECT_FALSE(reports(walked, warning, gap_after_header, {data_block::HeaderLength})) << where;
            }
        }
    }
}

TEST(V1Recovery, ObjectThatReachesToALaterOne) {
    for (const std::size_t k : {0U, 3U, 97U}) {
        for (std::size_t to = k + 2; to <= 100; ++to) {
            blob::Blob blob = blob::build(hundred());
            const std::size_t end = to == 100 ? blob.size() : blob.object(to);
            blob.put32(blob.object(k), static_cast<std::uint32_t>(end - blob.object(k)));
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, error, object_length, {blob.object(k)})) << k << " " << to;
            EXPECT_EQ(walked.titles(), titles_of(hundred())) << k << " " << to;
            EXPECT_EQ(walked.diagnostics.count(error), 1U) << k << " " << to;
        }
    }
}

TEST(V1Recovery, ObjectsThatReachToLaterOnes) {
    blob::Blob blob = blob::build(hundred());
    for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{1, 9}, {3, 9}, {4, 7}, {20, 30}, {30, 40}})
        blob.put32(blob.object(from), static_cast<std::uint32_t>(blob.object(to) - blob.object(from)));
    const Walk walked = walk(blob.bytes());
    EXPECT_EQ(walked.titles(), titles_of(hundred()));
    EXPECT_EQ(walked.diagnostics.count(error), 5U);
}

TEST(V1Recovery, WrongWineHeaderLength) {
    for (const std::uint32_t off : {4U, 8U, 16U}) {
        for (const bool low : {false, true}) {
            blob::Blob blob = blob::wine_like(three());
            blob.add32(data_block::HeaderLength, low ? 0U - off : off);
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, error, header_length, {data_block::HeaderLength})) << off << low;
            EXPECT_EQ(walked.titles(), (Titles{2, 4, 6})) << off << low;
        }
    }
}

TEST(V1Recovery, WineBlockThatAnnouncesNoObjects) {
    blob::Blob blob = blob::wine_like(three());
    blob.put32(data_block::NumObjectTypes, 0);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, warning, gap_after_header, {data_block::HeaderLength}));
    EXPECT_TRUE(reports(walked, warning, object_count, {data_block::NumObjectTypes}));
    EXPECT_TRUE(no_error(walked));
    EXPECT_EQ(walked.titles(), (Titles{2, 4, 6}));
}

// With 16 more bytes the chain continues after the next definition, whose name becomes that of another instance.
TEST(V1Recovery, CounterBlockOfAnotherLength) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        blob::Blob blob = blob::build(three());
        blob.add32(blob.counter_block(1, i), 16);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(walked.diagnostics.any_fault());
        EXPECT_EQ(walked.object(4)->instances.at(0).values.at(0), 3U);
    }
}

TEST(V1Recovery, NameTooLongForWindows) {
    blob::Block block = three();
    block.objects[1].instances[1].name = std::u16string(1024, u'n');
    EXPECT_TRUE(no_error(walk(blob::build(block).bytes())));
    block.objects[1].instances[1].name = std::u16string(1026, u'n');
    const blob::Blob blob = blob::build(block);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, error, instance_name, {blob.instance(1, 1) + 20}));
    EXPECT_FALSE(walked.object(4)->instances.at(1).name);
    EXPECT_EQ(walked.object(4)->instances.at(1).values.at(0), 4U);
    EXPECT_EQ(walked.object(4)->instances.size(), 3U);
}

}  // namespace v1_recovery_test
