// The inputs of the formulas in a sample: the clock, the base and the frequency of each type.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hkpd/cook.hpp"
#include "support/blob_builder.hpp"
#include "support/cook_text.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace cook_sample_test {

using hkpd::Reading;
using hkpd::Reason;
namespace type = blob::counter_type;

constexpr std::int64_t block_time = 1000, block_rate = 10, time_100ns = 5000, object_time = 70, object_rate = 7;
constexpr std::uint32_t timestamp = type::precision_timestamp, obj_time_timer = 0x2061'0500,
                        obj_time_queue = 0x0065'0500;

/// Returns a block of one object whose clocks are all different.
blob::Block block_of(std::vector<blob::Counter> counters, std::vector<blob::Value> values) {
    return {.objects = {{.title = 2,
                         .counters = std::move(counters),
                         .values = std::move(values),
                         .perf_time = object_time,
                         .perf_freq = object_rate}},
            .perf_time = block_time,
            .perf_freq = block_rate,
            .perf_time_100ns = time_100ns};
}

/// Returns a counter of the width that its type states.
blob::Counter counter(std::uint32_t title, std::uint32_t bits) {
    return {.title = title, .type = bits, .size = bits >> 8 & 1 ? 8U : 4U};
}

/// Returns the readings of a counter of the first object and its first instance.
Reading read_of(const blob::Blob& blob, std::size_t column = 0, std::size_t row = 0) {
    const auto samples = read_blobs({blob});
    const hkpd::Sample& sample = samples->all.at(0);
    const hkpd::Object& object = sample.objects()[0];
    return read(sample, object, object.columns.at(column), row);
}
Reading read_of(const blob::Block& block, std::size_t column = 0) { return read_of(blob::build(block), column); }

TEST(CookRead, TypesThatUseTicks) {
    for (const std::uint32_t bits : {0x00410400U, 0x00450400U, 0x00450500U, 0x10410400U, 0x10410500U, 0x20410500U,
                                     0x21410500U, 0x22410500U, 0x23410500U}) {
        const Reading reading = read_of(block_of({counter(10, bits), counter(12, type::multi_base)}, {77, 4}));
        EXPECT_EQ(reading.value, 77U) << bits;
        EXPECT_EQ(reading.clock, block_time) << bits;
        EXPECT_EQ(reading.frequency, block_rate) << bits;
        EXPECT_EQ(reading.fault, Reason::none) << bits;
    }
}

TEST(CookRead, TypesThatUse100Nanoseconds) {
    for (const std::uint32_t bits : {0x00550500U, 0x20510500U, 0x21510500U, 0x22510500U, 0x23510500U}) {
        const Reading reading = read_of(block_of({counter(10, bits), counter(12, type::multi_base)}, {77, 4}));
        EXPECT_EQ(reading.clock, time_100ns) << bits;
        EXPECT_EQ(reading.fault, Reason::none) << bits;
    }
}

TEST(CookRead, TypesThatUseTheObjectsClock) {
    for (const std::uint32_t bits : {obj_time_queue, obj_time_timer, type::elapsed_time}) {
        const Reading reading = read_of(block_of({counter(10, bits)}, {77}));
        EXPECT_EQ(reading.clock, object_time) << bits;
        EXPECT_EQ(reading.fault, Reason::none) << bits;
    }
    EXPECT_EQ(read_of(block_of({counter(10, type::elapsed_time)}, {77})).frequency, object_rate);
}

TEST(CookRead, AveragesUseTheBlocksFrequency) {
    const Reading reading = read_of(block_of({counter(10, 0x3002'0400), counter(12, type::average_base)}, {77, 3}));
    EXPECT_EQ(reading.frequency, block_rate);
    EXPECT_EQ(reading.base, 3U);
    EXPECT_EQ(reading.value, 77U);
}

TEST(CookRead, NumeratorsHaveTheWidthOfTheirCounter) {
    blob::Counter wide = counter(10, 0x3002'0400);  // the type states 4 bytes, Windows writes 8
    wide.size = 8;
    EXPECT_EQ(read_of(block_of({wide, counter(12, type::average_base)}, {1ULL << 40, 3})).value, 1ULL << 40);
}

TEST(CookRead, PrecisionTimersUseTheirTimestamp) {
    for (const std::uint32_t bits : {0x20470500U, type::precision_100ns_timer, 0x20670500U}) {
        const Reading reading = read_of(block_of({counter(10, bits), counter(10, timestamp)}, {77, 123'456}));
        EXPECT_EQ(reading.value, 77U) << bits;
        EXPECT_EQ(reading.clock, 123'456) << bits;
        EXPECT_EQ(reading.fault, Reason::none) << bits;
        EXPECT_EQ(read_of(block_of({counter(10, bits), counter(10, timestamp)}, {77, ~0ULL})).clock, -1) << bits;
        EXPECT_EQ(read_of(block_of({counter(10, bits)}, {77})).fault, Reason::no_base) << bits;
    }
}

TEST(CookRead, BasesFollowTheirCounter) {
    const blob::Block block =
        block_of({counter(10, type::raw_fraction), counter(10, type::raw_base), counter(12, 0x20C2'0400),
                  counter(14, 0x4003'0401), counter(16, type::average_bulk), counter(18, type::average_base),
                  counter(20, 0x2002'0500), counter(20, type::precision_timestamp)},
                 {1, 2, 3, 4, 5, 6, 7, 8});
    for (const std::size_t column : {0U, 2U, 4U, 6U}) {
        const Reading reading = read_of(block, column);
        EXPECT_EQ(reading.value, column + 1);
        EXPECT_EQ(reading.base, column + 2);
        EXPECT_EQ(reading.fault, Reason::none) << column;
    }
}

TEST(CookRead, NoBase) {
    for (const std::uint32_t bits : {type::raw_fraction, 0x20020500U, 0x20C20400U, 0x30020400U, type::average_bulk}) {
        EXPECT_EQ(read_of(block_of({counter(10, bits)}, {1})).fault, Reason::no_base) << bits;
        EXPECT_EQ(read_of(block_of({counter(10, bits), counter(12, type::rawcount)}, {1, 2})).fault, Reason::no_base)
            << bits;
        // A base before it belongs to another counter.
        EXPECT_EQ(read_of(block_of({counter(10, type::raw_base), counter(10, bits)}, {1, 2}), 1).fault, Reason::no_base)
            << bits;
    }
    EXPECT_EQ(cook_one(type::raw_fraction, read_of(block_of({counter(10, type::raw_fraction)}, {1}))), "- no_base");
}

TEST(CookRead, NoClock) {
    for (const std::uint32_t bits : {obj_time_timer, obj_time_queue, type::elapsed_time}) {
        blob::Block block = block_of({counter(10, bits)}, {77});
        block.objects[0].perf_time = block.objects[0].perf_freq = 0;
        const Reading reading = read_of(block);
        EXPECT_EQ(reading.fault, Reason::no_clock) << bits;
        EXPECT_EQ(cook_two(bits, reading, reading), "- no_clock") << bits;
    }
    // Most objects have no clock, and only these types use it.
    for (const std::uint32_t bits : {type::counter, type::timer_100ns, type::rawcount, 0x20410500U}) {
        blob::Block block = block_of({counter(10, bits)}, {77});
        block.objects[0].perf_time = block.objects[0].perf_freq = 0;
        EXPECT_EQ(read_of(block).fault, Reason::none) << bits;
    }
}

// learn.microsoft.com "PERF_COUNTER_MULTI_TIMER": the count is the DWORD immediately after the 8-byte value.
TEST(CookRead, MultiTimersTakeTheirCountFromTheirBaseOrAfterTheirValue) {
    for (const std::uint32_t bits : {type::multi_timer, 0x22510500U, 0x23410500U, 0x23510500U})
        for (const blob::Endian endian : {blob::Endian::little, blob::Endian::big}) {
            blob::Block with = block_of({counter(10, bits), counter(10, type::multi_base)}, {77, 4});
            with.endian = endian;
            EXPECT_EQ(read_of(with).base, 4U) << bits;

            blob::Block after = block_of({counter(10, bits), counter(12, type::rawcount)}, {77, 6});
            after.endian = endian;
            const Reading reading = read_of(after);
            EXPECT_EQ(reading.value, 77U) << bits;
            EXPECT_EQ(reading.base, 6U) << bits;
            EXPECT_EQ(reading.fault, Reason::none) << bits;
        }
}

TEST(CookRead, MultiTimersOfInstancesHaveACountEach) {
    const blob::Block block{
        .objects = {{.title = 2,
                     .kind = blob::Kind::multi,
                     .counters = {counter(10, type::multi_timer), counter(12, type::rawcount)},
                     .instances = {{.name = u"a", .values = {77, 6}}, {.name = u"b", .values = {78, 5}}}}}};
    EXPECT_EQ(read_of(blob::build(block), 0, 0).base, 6U);
    EXPECT_EQ(read_of(blob::build(block), 0, 1).base, 5U);
    EXPECT_EQ(read_of(blob::build(block), 0, 1).value, 78U);
}

TEST(CookRead, MultiTimersAtTheEndOfTheirBlockHaveNoCount) {
    // ByteLength 4, 4 of padding, 8 of value: the block ends after the value.
    const Reading reading = read_of(block_of({counter(10, type::multi_timer)}, {77}));
    EXPECT_EQ(reading.fault, Reason::no_base);
}

TEST(CookRead, DamagedValuesAndBases) {
    const blob::Block block = block_of({counter(10, type::raw_fraction), counter(10, type::raw_base),
                                        counter(12, type::precision_100ns_timer), counter(12, timestamp)},
                                       {1, 2, 3, 4});
    for (const std::size_t broken : {0U, 1U, 2U, 3U}) {
        blob::Blob blob = blob::build(block);
        blob.put32(blob.counter(0, broken) + blob::counter_definition::CounterOffset, 1U << 20);
        for (const std::size_t column : {0U, 2U})
            EXPECT_EQ(read_of(blob, column).fault, broken / 2 == column / 2 ? Reason::damaged : Reason::none)
                << broken << column;
    }
}

TEST(CookRead, TextAndOtherSizesAreNoNumbers) {
    blob::Counter text{.title = 10, .type = type::text_unicode, .size = 16}, odd = counter(12, type::rawcount);
    odd.size = 3;
    const blob::Block block = block_of({text, odd}, {blob::utf16(u"text"), std::string("abc")});
    EXPECT_EQ(cook_one(type::text_unicode, read_of(block)), "- not_displayable");
    EXPECT_EQ(cook_one(type::rawcount, read_of(block, 1)), "- not_a_number");
    // The type of a number, the size of none
    blob::Counter wide = counter(10, type::counter);
    wide.size = 16;
    const Reading reading = read_of(block_of({wide}, {std::string(16, 'x')}));
    EXPECT_EQ(cook_two(type::counter, reading, reading), "- not_a_number");
}

}  // namespace cook_sample_test
}  // namespace hkpd_test
