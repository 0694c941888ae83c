// Counter definitions of V1 one by one: lengths, offsets, sizes, text, and the bases they are paired with.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/v1.hpp"
#include "support/blob_builder.hpp"
#include "support/v1_walk.hpp"

namespace v1_counter_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd::v1::Storage;
using hkpd_test::clean;
using hkpd_test::no_error;
using hkpd_test::reports;
using hkpd_test::Walk;
using hkpd_test::walk;
using Numbers = std::vector<std::optional<std::uint64_t>>;
using Ordinals = std::vector<std::uint32_t>;
using Bases = std::vector<std::int32_t>;
namespace type = blob::counter_type;
namespace object_type = blob::object_type;
namespace counter_definition = blob::counter_definition;

blob::Block one_object(std::vector<blob::Counter> counters, std::vector<blob::Value> values = {}) {
    return {.objects = {{.title = 50, .counters = std::move(counters), .values = std::move(values)}}};
}

blob::Block four_counters() {
    return one_object({{.title = 10}, {.title = 12}, {.title = 14}, {.title = 16}}, {1, 2, 3, 4});
}

const hkpd_test::WalkedObject& the_object(const Walk& walked) { return walked.objects.at(0); }
const hkpd_test::WalkedInstance& the_instance(const Walk& walked) { return the_object(walked).instances.at(0); }

Ordinals ordinals(const Walk& walked) {
    Ordinals ordinals;
    for (const hkpd::v1::Counter& counter : the_object(walked).object.counters()) ordinals.push_back(counter.ordinal);
    return ordinals;
}

/// Returns the bases with which counters of these types are paired.
Bases bases(const std::vector<std::uint32_t>& types) {
    std::vector<blob::Counter> counters;
    counters.reserve(types.size());
    for (const std::uint32_t each : types)
        counters.push_back({.title = 10, .type = each, .size = (each & 0x300) == 0x100 ? 8u : 4u});
    const blob::Blob blob = blob::build(one_object(counters));
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(clean(walked));
    Bases bases;
    for (const hkpd::v1::Counter& counter : the_object(walked).object.counters()) bases.push_back(counter.base);
    return bases;
}

TEST(V1Counter, BadByteLengthLosesOnlyThatCounter) {
    for (std::size_t c = 0; c < 4; ++c) {
        for (const std::uint32_t length : {0u, 1u, 39u, 4096u, 0x8000'0000u, 0xFFFF'FFFFu}) {
            blob::Blob blob = blob::build(four_counters());
            blob.put32(blob.counter(0, c), length);
            const Walk walked = walk(blob.bytes());
            EXPECT_TRUE(reports(walked, error, counter_definition_length, {blob.counter(0, c)})) << length;
            Ordinals left{0, 1, 2, 3};
            Numbers values{1, 2, 3, 4};
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(c));
            values.erase(values.begin() + static_cast<std::ptrdiff_t>(c));
            EXPECT_EQ(ordinals(walked), left) << length;
            EXPECT_EQ(the_instance(walked).values, values) << length;
        }
    }
}

TEST(V1Counter, BadByteLengthLosesTheNextOnesIfTheStrideIsUnknown) {
    blob::Blob blob = blob::build(four_counters());
    blob.insert(blob.counter_block(0), 6, 0);
    blob.add32(blob.object(0) + object_type::DefinitionLength, 6);
    blob.add32(blob.object(0) + object_type::TotalByteLength, 6);
    blob.add32(blob::data_block::TotalByteLength, 6);
    blob.put32(blob.counter(0, 1), 0);
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(reports(walked, error, counter_definition_length, {blob.counter(0, 1)}));
    EXPECT_EQ(ordinals(walked), Ordinals{0});
    EXPECT_EQ(the_instance(walked).values, Numbers{1});
}

TEST(V1Counter, LengthThatSkipsADefinitionIsAFault) {
    blob::Blob blob = blob::build(four_counters());
    blob.put32(blob.counter(0, 1), 80);
    const Walk walked = walk(blob.bytes());
    EXPECT_FALSE(no_error(walked));
}

TEST(V1Counter, OverlappingByteLengthHasNoValue) {
    for (const std::uint32_t offset : {0u, 1u, 2u, 3u}) {
        blob::Blob blob = blob::build(four_counters());
        const std::size_t field = blob.counter(0, 1) + counter_definition::CounterOffset;
        blob.put32(field, offset);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, error, counter_overlaps_length, {field})) << offset;
        ASSERT_EQ(ordinals(walked), (Ordinals{0, 1, 2, 3}));
        EXPECT_FALSE(the_object(walked).object.counters()[1].readable);
        EXPECT_EQ(the_instance(walked).values, (Numbers{1, std::nullopt, 3, 4})) << offset;
    }
}

TEST(V1Counter, OutsideTheObjectHasNoValue) {
    for (const std::uint32_t offset : {1u << 20, 1u << 31, 0xFFFF'FFFCu, 0xFFFF'FFFFu}) {
        blob::Blob blob = blob::build(four_counters());
        const std::size_t field = blob.counter(0, 1) + counter_definition::CounterOffset;
        blob.put32(field, offset);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, error, counter_outside_block, {field})) << offset;
        ASSERT_EQ(ordinals(walked), (Ordinals{0, 1, 2, 3}));
        EXPECT_FALSE(the_object(walked).object.counters()[1].readable);
        EXPECT_EQ(the_instance(walked).values, (Numbers{1, std::nullopt, 3, 4})) << offset;
    }
}

TEST(V1Counter, SizeBeyondTheObjectHasNoValue) {
    for (const std::uint32_t size : {1u << 20, 1u << 31, 0xFFFF'FFFFu}) {
        blob::Blob blob = blob::build(four_counters());
        const std::size_t definition = blob.counter(0, 1);
        blob.put32(definition + counter_definition::CounterSize, size);
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(
            reports(walked, error, counter_outside_block,
                    {definition + counter_definition::CounterSize, definition + counter_definition::CounterOffset}))
            << size;
        EXPECT_EQ(the_instance(walked).values, (Numbers{1, std::nullopt, 3, 4})) << size;
        EXPECT_FALSE(the_instance(walked).bytes.at(1)) << size;
    }
}

TEST(V1Counter, SizeTakesPrecedenceOverTheTypesWidth) {
    const blob::Blob blob = blob::build(one_object(
        {{.title = 10, .type = type::rawcount, .size = 8}, {.title = 12, .type = type::large_rawcount, .size = 4}},
        {0x1'0000'0002, 3}));
    const Walk walked = walk(blob.bytes());
    // Windows' own LogicalDisk and Samba write 8 bytes for a DWORD type; 4 bytes for a LARGE type are against the
    // rules.
    for (std::size_t c = 0; c < 2; ++c)
        EXPECT_TRUE(reports(walked, c == 0 ? note : warning, counter_size,
                            {blob.counter(0, c) + counter_definition::CounterSize}));
    EXPECT_TRUE(no_error(walked));
    EXPECT_EQ(the_object(walked).object.counters()[0].storage, Storage::number);
    EXPECT_EQ(the_object(walked).object.counters()[1].storage, Storage::number);
    EXPECT_EQ(the_instance(walked).values, (Numbers{0x1'0000'0002, 3}));
}

TEST(V1Counter, OtherSizesAreBytes) {
    for (const std::uint32_t size : {1u, 2u, 3u, 5u, 7u, 9u, 16u, 100u}) {
        std::string bytes(size, 'x');
        bytes.back() = 'y';
        const blob::Blob blob =
            blob::build(one_object({{.title = 10}, {.title = 12, .size = size}, {.title = 14}}, {1, bytes, 3}));
        const Walk walked = walk(blob.bytes());
        EXPECT_TRUE(reports(walked, warning, counter_size, {blob.counter(0, 1) + counter_definition::CounterSize}))
            << size;
        EXPECT_TRUE(no_error(walked)) << size;
        EXPECT_EQ(the_object(walked).object.counters()[1].storage, Storage::bytes) << size;
        EXPECT_EQ(the_instance(walked).values, (Numbers{1, std::nullopt, 3})) << size;
        EXPECT_EQ(the_instance(walked).bytes.at(1), bytes) << size;
    }
}

TEST(V1Counter, SizeZeroIsForNoDataOnly) {
    const blob::Blob good =
        blob::build(one_object({{.title = 10, .type = type::nodata, .size = 0}, {.title = 12}}, {0, 2}));
    const Walk walked_good = walk(good.bytes());
    EXPECT_TRUE(clean(walked_good));
    EXPECT_EQ(the_instance(walked_good).values.at(1), 2u);

    const blob::Blob odd = blob::build(one_object({{.title = 10, .size = 0}, {.title = 12}}, {0, 2}));
    const Walk walked = walk(odd.bytes());
    EXPECT_TRUE(reports(walked, warning, counter_size, {odd.counter(0, 0) + counter_definition::CounterSize}));
    EXPECT_EQ(the_object(walked).object.counters()[0].storage, Storage::bytes);
    EXPECT_EQ(the_instance(walked).values, (Numbers{std::nullopt, 2}));
}

TEST(V1Counter, SizeZeroMayBeAnywhere) {
    // It takes no bytes and therefore overlaps none: offset 0 is no fault.
    const blob::Blob blob =
        blob::build(one_object({{.title = 10, .type = type::nodata, .size = 0, .offset = 0}, {.title = 12}}, {0, 2}));
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(clean(walked));
    EXPECT_EQ(the_instance(walked).values.at(1), 2u);
}

TEST(V1Counter, TextOfBothKinds) {
    const std::string wide = blob::utf16(u"Größe") + std::string(2, '\0'), narrow = "size";
    const blob::Blob blob = blob::build(one_object({{.title = 10, .type = type::text_unicode, .size = 24},
                                                    {.title = 12, .type = type::text_ascii, .size = 8},
                                                    {.title = 14, .type = type::text_ascii, .size = 4}},
                                                   {wide, narrow, std::string("full")}));
    const Walk walked = walk(blob.bytes());
    ASSERT_TRUE(clean(walked));
    for (const hkpd::v1::Counter& counter : the_object(walked).object.counters())
        EXPECT_EQ(counter.storage, Storage::text);
    EXPECT_EQ(the_instance(walked).bytes.at(0), wide + std::string(24 - wide.size(), '\0'));
    EXPECT_EQ(the_instance(walked).bytes.at(1), narrow + std::string(4, '\0'));
    EXPECT_EQ(the_instance(walked).bytes.at(2), "full");
    EXPECT_EQ(the_instance(walked).values, (Numbers{std::nullopt, std::nullopt, std::nullopt}));
}

TEST(V1Counter, BaseIsTheNextDefinition) {
    EXPECT_EQ(bases({type::raw_fraction, type::raw_base}), (Bases{1, -1}));
    EXPECT_EQ(bases({type::rawcount, type::average_bulk, type::average_base, type::rawcount}), (Bases{-1, 2, -1, -1}));
    EXPECT_EQ(bases({type::multi_timer, type::multi_base}), (Bases{1, -1}));
    EXPECT_EQ(bases({type::precision_100ns_timer, type::precision_timestamp}), (Bases{1, -1}));
    EXPECT_EQ(bases({type::raw_fraction, type::raw_base, type::raw_fraction, type::raw_base}), (Bases{1, -1, 3, -1}));
}

TEST(V1Counter, BaseFurtherAwayIsIgnored) {
    EXPECT_EQ(bases({type::raw_fraction, type::rawcount, type::raw_base}).at(0), -1);
    EXPECT_EQ(bases({type::rawcount, type::raw_fraction}), (Bases{-1, -1}));
    EXPECT_EQ(bases({type::raw_base, type::raw_fraction}), (Bases{-1, -1}));
}

TEST(V1Counter, BaseOfALostCounterIsNotUsedByAnother) {
    blob::Blob blob = blob::build(one_object({{.title = 10, .type = type::raw_fraction},
                                              {.title = 12, .type = type::raw_fraction},
                                              {.title = 12, .type = type::raw_base}}));
    blob.put32(blob.counter(0, 1), 0);
    const Walk walked = walk(blob.bytes());
    ASSERT_EQ(ordinals(walked), (Ordinals{0, 2}));
    EXPECT_EQ(the_object(walked).object.counters()[0].base, -1);
}

TEST(V1Counter, BaseMayHaveNoName) {
    const blob::Blob blob = blob::build(one_object(
        {{.title = 10, .type = type::raw_fraction}, {.title = 0, .type = type::raw_base, .help = 0}}, {1, 2}));
    const Walk walked = walk(blob.bytes());
    EXPECT_TRUE(clean(walked));
    EXPECT_EQ(the_object(walked).object.counters()[0].base, 1);
}

}  // namespace v1_counter_test
