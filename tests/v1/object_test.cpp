// Object headers and counter definitions of V1: the fields of valid ones, and one broken field at a time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/v1.hpp"
#include "support/blob_builder.hpp"
#include "support/v1_walk.hpp"

namespace v1_object_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd::v1::Storage;
using hkpd_test::clean;
using hkpd_test::no_error;
using hkpd_test::reports;
using hkpd_test::Walk;
using hkpd_test::walk;
using Numbers = std::vector<std::optional<std::uint64_t>>;
namespace type = blob::counter_type;
namespace object_type = blob::object_type;
namespace counter_definition = blob::counter_definition;

/// Returns a block with an object between two others, which no damage may affect.
blob::Block with_neighbours(blob::Object object) {
    const blob::Object neighbour{.title = 100, .counters = {{.title = 10}}, .values = {77}};
    blob::Block block{.objects = {neighbour, std::move(object), neighbour}};
    block.objects[2].title = 102;
    return block;
}

blob::Object four_counters() {
    return {.title = 50,
            .counters = {{.title = 10},
                         {.title = 12, .type = type::bulk_count, .size = 8},
                         {.title = 14},
                         {.title = 16, .type = type::large_rawcount, .size = 8}},
            .values = {1, 0x2'0000'0000, 3, 4}};
}

void expect_neighbours(const Walk& walked) {
    for (const std::uint32_t title : {100u, 102u}) {
        ASSERT_NE(walked.object(title), nullptr);
        EXPECT_EQ(walked.object(title)->instances.at(0).values, Numbers{77});
    }
}

/// Returns the values of the only instance of object 50.
Numbers values(const Walk& walked) {
    const hkpd_test::WalkedObject* object = walked.object(50);
    return object != nullptr && object->instances.size() == 1 ? object->instances[0].values : Numbers{};
}

TEST(V1Object, ReadsEveryFieldOfTheHeader) {
    blob::Object object = four_counters();
    object.help = 61;
    object.detail = 300;
    object.default_counter = -1;
    object.code_page = 1252;
    object.perf_time = 0x0102'0304'0506'0708;
    object.perf_freq = -5;
    const blob::Blob blob = blob::build(with_neighbours(object));
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));
    const hkpd::v1::ObjectType& header = walked.object(50)->object.header();
    EXPECT_EQ(header.TotalByteLength, blob.object_end(1) - blob.object(1));
    EXPECT_EQ(header.DefinitionLength, 64u + 4 * 40);
    EXPECT_EQ(header.HeaderLength, 64u);
    EXPECT_EQ(header.ObjectNameTitleIndex, 50u);
    EXPECT_EQ(header.ObjectHelpTitleIndex, 61u);
    EXPECT_EQ(header.DetailLevel, 300u);
    EXPECT_EQ(header.NumCounters, 4u);
    EXPECT_EQ(header.DefaultCounter, -1);
    EXPECT_EQ(header.NumInstances, -1);
    EXPECT_EQ(header.CodePage, 1252u);
    EXPECT_EQ(header.PerfTime, 0x0102'0304'0506'0708);
    EXPECT_EQ(header.PerfFreq, -5);
}

TEST(V1Object, ReadsEveryFieldOfADefinition) {
    blob::Object object = four_counters();
    object.counters[2] = {
        .title = 14, .type = type::counter, .size = 4, .offset = 32, .scale = -7, .detail = 400, .help = 99};
    const blob::Blob blob = blob::build(with_neighbours(object));
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));
    const hkpd::v1::Counter& counter = walked.object(50)->object.counters()[2];
    EXPECT_EQ(counter.offset, blob.counter(1, 2));
    EXPECT_EQ(counter.ordinal, 2u);
    EXPECT_EQ(counter.definition.ByteLength, 40u);
    EXPECT_EQ(counter.definition.CounterNameTitleIndex, 14u);
    EXPECT_EQ(counter.definition.CounterHelpTitleIndex, 99u);
    EXPECT_EQ(counter.definition.DefaultScale, -7);
    EXPECT_EQ(counter.definition.DetailLevel, 400u);
    EXPECT_EQ(counter.definition.CounterType, type::counter);
    EXPECT_EQ(counter.definition.CounterSize, 4u);
    EXPECT_EQ(counter.definition.CounterOffset, 32u);
    EXPECT_EQ(counter.value_end(), 36u);
}

TEST(V1Object, StepsByTheStoredLengths) {
    blob::Object object = four_counters();
    object.header_length = 80;
    object.counter_stride = 56;
    const blob::Blob blob = blob::build(with_neighbours(object));
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(no_error(walked));
    EXPECT_EQ(values(walked), (Numbers{1, 0x2'0000'0000, 3, 4}));
    expect_neighbours(walked);
}

TEST(V1Object, DefinitionsMayShareOffsetsAndBeOutOfOrder) {
    // As in Process, whose sixth counter is immediately after ByteLength.
    const blob::Object object{.title = 50,
                              .counters = {{.title = 10, .type = type::large_rawcount, .size = 8, .offset = 16},
                                           {.title = 12, .type = type::large_rawcount, .size = 8, .offset = 8},
                                           {.title = 14, .offset = 4},
                                           {.title = 16, .offset = 8}},
                              .values = {11, 0x5'0000'0016, 33, 22}};
    const blob::Blob blob = blob::build(with_neighbours(object));
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));
    EXPECT_EQ(values(walked), (Numbers{11, 0x5'0000'0016, 33, 22}));
    EXPECT_EQ(walked.object(50)->object.values_end(), 24u);
}

TEST(V1Object, ValuesNeedNotBeAligned) {
    const blob::Object object{
        .title = 50,
        .counters = {{.title = 10, .type = type::large_rawcount, .size = 8, .offset = 5}, {.title = 12, .offset = 13}},
        .values = {0x1122'3344'5566'7788, 9}};
    const blob::Blob blob = blob::build(with_neighbours(object));
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(no_error(walked));
    EXPECT_EQ(values(walked), (Numbers{0x1122'3344'5566'7788, 9}));
}

TEST(V1Object, MayHaveNoCounters) {
    const blob::Blob blob = blob::build(with_neighbours({.title = 50}));
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(no_error(walked));
    ASSERT_NE(walked.object(50), nullptr);
    EXPECT_TRUE(walked.object(50)->object.counters().empty());
    expect_neighbours(walked);
}

TEST(V1Object, AWrongDefinitionLengthOrHeaderLengthIsCorrected) {
    for (const std::size_t at : {object_type::DefinitionLength, object_type::HeaderLength})
        for (const std::uint32_t length : {0u, 4u, 63u, 72u, 4096u, 0x8000'0000u, 0xFFFF'FFFFu}) {
            blob::Blob blob = blob::build(with_neighbours(four_counters()));
            const Walk whole = walk(blob.bytes());
            const std::size_t field = blob.object(1) + at;
            blob.put32(field, length);
            const Walk walked = walk(blob.bytes());
            ASSERT_EQ(walked.objects.size(), 3u) << length;
            EXPECT_TRUE(reports(walked, hkpd::Severity::error, length_corrected, {field})) << length;
            ASSERT_EQ(walked.objects[1].instances.size(), whole.objects[1].instances.size());
            EXPECT_EQ(walked.objects[1].instances[0].values, whole.objects[1].instances[0].values);
            expect_neighbours(walked);
        }
}

// With another number of counters, too, nothing shows where the definitions end.
TEST(V1Object, ImpossibleDefinitionLengthLosesTheObject) {
    for (const std::uint32_t length : {0u, 4u, 63u, 4096u, 0x8000'0000u, 0xFFFF'FFFFu}) {
        blob::Blob blob = blob::build(with_neighbours(four_counters()));
        const std::size_t field = blob.object(1) + object_type::DefinitionLength;
        blob.put32(field, length);
        blob.add32(blob.object(1) + object_type::NumCounters, 1);
        const Walk walked = walk(blob.bytes());
        ASSERT_EQ(walked.objects.size(), 3u) << length;
        ASSERT_TRUE(walked.objects[1].failure) << length;
        EXPECT_EQ(walked.objects[1].failure->code, definition_length) << length;
        EXPECT_EQ(walked.objects[1].failure->offset, field) << length;
        expect_neighbours(walked);
    }
}

TEST(V1Object, ImpossibleHeaderLengthLosesTheObject) {
    for (const std::uint32_t length : {0u, 63u, 4096u, 0x8000'0000u, 0xFFFF'FFFFu}) {
        blob::Blob blob = blob::build(with_neighbours(four_counters()));
        const std::size_t field = blob.object(1) + object_type::HeaderLength;
        blob.put32(field, length);
        blob.add32(blob.object(1) + object_type::NumCounters, 1);
        const Walk walked = walk(blob.bytes());
        ASSERT_EQ(walked.objects.size(), 3u) << length;
        ASSERT_TRUE(walked.objects[1].failure) << length;
        EXPECT_EQ(walked.objects[1].failure->code, object_header) << length;
        EXPECT_EQ(walked.objects[1].failure->offset, field) << length;
        expect_neighbours(walked);
    }
}

TEST(V1Object, TooManyCountersKeepsThoseThatFit) {
    for (const std::uint32_t count : {5u, 1u << 30, 0xFFFF'FFFFu}) {
        blob::Blob blob = blob::build(with_neighbours(four_counters()));
        blob.put32(blob.object(1) + object_type::NumCounters, count);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, error, counter_count, {blob.object(1) + object_type::NumCounters})) << count;
        EXPECT_EQ(values(walked), (Numbers{1, 0x2'0000'0000, 3, 4})) << count;
        expect_neighbours(walked);
    }
}

TEST(V1Object, TooFewCountersLosesNone) {
    for (const std::uint32_t count : {0u, 1u, 3u}) {
        blob::Blob blob = blob::build(with_neighbours(four_counters()));
        blob.put32(blob.object(1) + object_type::NumCounters, count);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, warning, counter_count, {blob.object(1) + object_type::NumCounters})) << count;
        EXPECT_TRUE(no_error(walked));
        EXPECT_EQ(values(walked), (Numbers{1, 0x2'0000'0000, 3, 4})) << count;
    }
}

TEST(V1Object, StrayBytesAfterTheDefinitions) {
    for (const bool zero : {true, false}) {
        blob::Blob blob = blob::build(with_neighbours(four_counters()));
        const std::size_t at = blob.counter_block(1);
        blob.insert(at, 16, zero ? 0 : 0xEE);
        for (const std::size_t field : {object_type::TotalByteLength, object_type::DefinitionLength})
            blob.add32(blob.object(1) + field, 16);
        blob.add32(blob::data_block::TotalByteLength, 16);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, zero ? note : warning, leftover_bytes, {at}));
        EXPECT_TRUE(no_error(walked));
        EXPECT_EQ(values(walked), (Numbers{1, 0x2'0000'0000, 3, 4}));
    }
}

TEST(V1Object, FaultsNameTheObject) {
    blob::Blob blob = blob::build(with_neighbours(four_counters()));
    blob.put32(blob.counter(1, 1) + counter_definition::CounterOffset, 1u << 20);
    const Walk walked = walk(blob.bytes());
    ASSERT_FALSE(walked.diagnostics.kept().empty());
    for (const hkpd::Diagnostic& diagnostic : walked.diagnostics.kept()) EXPECT_EQ(diagnostic.object, 50u);
}

}  // namespace v1_object_test
