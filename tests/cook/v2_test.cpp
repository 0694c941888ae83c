// Cooking and matching of V2 samples: counters are matched by their ids alone.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/cook.hpp"
#include "sample/fill/v1_builder.hpp"
#include "support/blob_builder.hpp"
#include "support/cook_text.hpp"
#include "support/sample_reading.hpp"
#include "support/v2_sample_reading.hpp"

namespace hkpd_test {
namespace cook_v2_test {

using hkpd::Column;
namespace attribute = hkpd::v2::attribute;
namespace type = blob::counter_type;

const hkpd::Guid guid = v2_blob::guid(7);
constexpr std::uint32_t elapsed_time = 0x3024'0500, average_timer = 0x3002'0400;

/// Samples of one counterset, each cooked with the one before.
class Cooking : public V2Reading {
  public:
    explicit Cooking(std::vector<v2_blob::Counter> counters, std::uint32_t instance_type = 0) {
        add({.guid = guid, .instance_type = instance_type, .counters = std::move(counters)});
    }

    /// Returns the values of the counters of the only instance.
    const hkpd::Sample& sample(const std::vector<std::uint32_t>& ids, std::vector<v2_blob::Value> values,
                               std::int64_t time = 1000) {
        return build({.results = {{.type = v2_blob::multiple_counters, .ids = ids, .values = std::move(values)}},
                      .perf_time = time,
                      .perf_time_100ns = time,
                      .perf_freq = 10},
                     {{.guid = guid}});
    }

    /// Returns a cooked counter of the last sample, using the sample before it if there is one.
    std::string cooked(std::uint32_t id, std::size_t object = 0, std::size_t row = 0) {
        cooker_.begin(samples.size() < 2 ? nullptr : &samples[samples.size() - 2], samples.back());
        const hkpd::Object& of = samples.back().objects()[object];
        return cooked_text(
            cooker_.column(object, static_cast<std::size_t>(&column_of(of, id) - of.columns.data()))[row]);
    }

  private:
    hkpd::Cooker cooker_{{}};
};

TEST(CookV2Attributes, HiddenCounters) {
    Cooking cooking({{.id = 1, .type = type::large_rawcount, .attributes = attribute::no_displayable},
                     {.id = 2, .type = type::large_rawcount, .attributes = attribute::display_as_hex},
                     {.id = 3, .type = type::large_rawcount, .attributes = attribute::by_reference}});
    const hkpd::Object& object = cooking.sample({1, 2, 3}, {5, 6, 7}).objects()[0];
    EXPECT_EQ(cooking.cooked(1), "- not_displayable");
    EXPECT_EQ(cooking.cooked(2), "6");
    EXPECT_EQ(cooking.cooked(3), "7");
    EXPECT_FALSE(hkpd::is_displayable(column_of(object, 1)));
    EXPECT_TRUE(hkpd::is_displayable(column_of(object, 2)));
    EXPECT_EQ(column_text(object, 0), "5") << "the raw value exists";
}

TEST(CookV2Attributes, RealNumbers) {
    constexpr std::uint64_t real = attribute::display_as_real;
    Cooking cooking({{.id = 1, .type = type::large_rawcount, .attributes = real},
                     {.id = 2, .type = type::rawcount, .attributes = real},
                     {.id = 3, .type = type::large_rawcount, .attributes = real | attribute::no_displayable},
                     {.id = 4, .type = type::bulk_count, .attributes = real}});
    cooking.sample({1, 2, 3, 4}, {0x3FF8'0000'0000'0000, v2_blob::u32(0xC020'0000), 0, 10}, 100);
    EXPECT_EQ(cooking.cooked(1), "1.5");
    EXPECT_EQ(cooking.cooked(2), "-2.5");
    EXPECT_EQ(cooking.cooked(3), "- not_displayable");
    cooking.sample({1, 2, 3, 4}, {0x7FF0'0000'0000'0000, v2_blob::u32(0x7FC0'0000), 0, 30}, 110);
    EXPECT_EQ(cooking.cooked(1), "- not_a_number");
    EXPECT_EQ(cooking.cooked(2), "- not_a_number");
    EXPECT_EQ(cooking.cooked(4), "20") << "rates are shown";
}

TEST(CookV2, WithoutTypesNothingIsCooked) {
    Cooking cooking({{.id = 1, .type = type::large_rawcount}});
    cooking.sample({1, 2}, {5, 6});
    EXPECT_EQ(cooking.cooked(2), "- unknown_type");
    EXPECT_EQ(cooking.cooked(1), "5");
}

TEST(CookV2, MissingBases) {
    Cooking cooking({{.id = 1, .type = type::raw_fraction, .base = 2}, {.id = 2, .type = type::raw_base}});
    cooking.sample({1}, {v2_blob::u32(5)});
    EXPECT_EQ(cooking.cooked(1), "- no_base");
    cooking.sample({2, 1}, {v2_blob::u32(20), v2_blob::u32(5)});
    EXPECT_EQ(cooking.cooked(1), "25") << "the base may come first";
}

TEST(CookV2, NeighboursAreNoBases) {
    Cooking cooking({{.id = 1, .type = type::raw_fraction}, {.id = 2, .type = type::raw_base}});
    cooking.sample({1, 2}, {v2_blob::u32(5), v2_blob::u32(20)});
    EXPECT_EQ(cooking.cooked(1), "- no_base");
}

TEST(CookV2, ResultsFindTheirBaseInOthers) {
    Cooking cooking({{.id = 1, .type = type::raw_fraction, .base = 2}, {.id = 2, .type = type::raw_base}});
    cooking.build({.results = {{.type = v2_blob::single_counter, .values = {v2_blob::u32(20)}},
                               {.type = v2_blob::single_counter, .values = {v2_blob::u32(5)}}}},
                  {{.guid = guid, .counter = 1, .index = 1}, {.guid = guid, .counter = 2, .index = 0}});
    ASSERT_EQ(cooking.samples.back().objects().size(), 1U);
    EXPECT_EQ(cooking.cooked(1), "25");
}

TEST(CookV2Clock, AMissingClockIsNotReplaced) {
    Cooking cooking({{.id = 1, .type = type::bulk_count, .time = 3},
                     {.id = 2, .type = type::bulk_count, .frequency = 4},
                     {.id = 3, .type = type::large_rawcount},
                     {.id = 4, .type = type::large_rawcount},
                     {.id = 5, .type = elapsed_time, .frequency = 4},
                     {.id = 6, .type = 0x2251'0500, .multi = 3},
                     {.id = 7, .type = 0x2041'0500, .frequency = 4}});
    cooking.sample({1, 2, 5, 6, 7}, {0, 0, 400, 0, 0}, 1000);
    EXPECT_EQ(column_of(cooking.samples.back().objects()[0], 1).time, Column::not_there);
    const hkpd::Sample& now = cooking.sample({1, 2, 5, 6, 7}, {10, 10, 400, 100, 50}, 1100);
    EXPECT_EQ(cooking.cooked(1), "- no_clock");
    EXPECT_EQ(cooking.cooked(2), "- no_frequency");
    EXPECT_EQ(cooking.cooked(5), "- no_frequency");
    EXPECT_EQ(cooking.cooked(6), "- no_base");
    EXPECT_EQ(cooking.cooked(7), "50") << "no frequency is needed for a fraction of ticks";
    EXPECT_EQ(column_of(now.objects()[0], 2).time, -1);
}

TEST(CookV2Clock, EachInstanceHasItsOwn) {
    Cooking cooking({{.id = 1, .type = type::bulk_count, .time = 2, .frequency = 3},
                     {.id = 2, .type = type::large_rawcount},
                     {.id = 3, .type = type::rawcount}},
                    2);
    const auto sample = [&](std::uint64_t count, std::uint64_t time, std::uint64_t slow) {
        return v2_blob::build({.results = {{.ids = {1, 2, 3},
                                            .instances = {{u"a", 1, {count, time, v2_blob::u32(100)}},
                                                          {u"b", 2, {count, slow, v2_blob::u32(2)}}}}}});
    };
    const std::vector<v2_blob::Identifier> all{{.guid = guid, .name = u"*"}};
    cooking.build(sample(100, 1000, 50), &all);
    v2_blob::Blob now = sample(160, 1300, 60);
    cooking.build(now, &all);
    EXPECT_EQ(cooking.cooked(1, 0, 0), "20");  // 60 in 300 / 100 seconds
    EXPECT_EQ(cooking.cooked(1, 0, 1), "12");  // 60 in 10 / 2 seconds
    now.put32(now.value(0, 1, 1) + v2_blob::counter_data::dwDataSize, 5);
    cooking.build(now, &all);
    EXPECT_EQ(cooking.cooked(1, 0, 0), "- zero_interval");
    EXPECT_EQ(cooking.cooked(1, 0, 1), "- damaged") << "its clock is damaged";
}

TEST(CookV2Clock, ElapsedTime) {
    Cooking cooking({{.id = 1, .type = elapsed_time},
                     {.id = 2, .type = elapsed_time, .time = 3, .frequency = 4},
                     {.id = 3, .type = type::large_rawcount},
                     {.id = 4, .type = type::large_rawcount}});
    cooking.sample({1, 2, 3, 4}, {400, 400, 900, 100}, 1000);
    EXPECT_EQ(cooking.cooked(1), "60");  // by the header's clock, in tenths of seconds
    EXPECT_EQ(cooking.cooked(2), "5");
}

TEST(CookV2Clock, AveragesUseTheFrequencyToo) {
    Cooking cooking({{.id = 1, .type = average_timer, .base = 2, .frequency = 3},
                     {.id = 2, .type = type::average_base},
                     {.id = 3, .type = type::large_rawcount}});
    cooking.sample({1, 2, 3}, {v2_blob::u32(0), v2_blob::u32(0), 50});
    cooking.sample({1, 2, 3}, {v2_blob::u32(100), v2_blob::u32(4), 50});
    EXPECT_EQ(cooking.cooked(1), "0.5");  // 100 / 50 seconds in 4 operations
}

TEST(CookV2Clock, AnotherClockStartsOver) {
    Cooking cooking({{.id = 1, .type = type::bulk_count, .time = 2}, {.id = 2, .type = type::large_rawcount}});
    cooking.sample({1}, {10});
    cooking.sample({1, 2}, {20, 5000});
    EXPECT_EQ(cooking.cooked(1), "- type_changed");
    cooking.sample({2, 1}, {5010, 30});
    EXPECT_EQ(cooking.cooked(1), "10");
}

TEST(MatchV2, ObjectsOfOneCountersetMatchByPosition) {
    Cooking cooking({{.id = 1, .type = 0x0040'0500}}, 2);  // PERF_COUNTER_LARGE_DELTA
    const std::vector<v2_blob::Identifier> query{{.guid = guid, .name = u"a", .counter = 1, .index = 0},
                                                 {.guid = guid, .name = u"b", .counter = 1, .index = 1}};
    for (const std::uint64_t value : {100U, 130U})
        cooking.build(v2_blob::build({.results = {{.type = v2_blob::single_counter, .values = {value}},
                                                  {.type = v2_blob::single_counter, .values = {2 * value}}}}),
                      &query);
    ASSERT_EQ(cooking.samples.back().objects().size(), 2U);
    EXPECT_EQ(cooking.cooked(1, 0), "30");
    EXPECT_EQ(cooking.cooked(1, 1), "60");
}

TEST(MatchV2, CounterIdsAreNoProcessIds) {
    Cooking cooking({{.id = 784, .type = 0x0040'0500}, {.id = 804, .type = 0x0040'0500}}, 2);
    for (const std::uint64_t value : {100U, 130U})
        cooking.build({.results = {{.ids = {784, 804}, .instances = {{u"a", 1, {value, value}}}}}},
                      {{.guid = guid, .name = u"*"}});
    EXPECT_EQ(cooking.cooked(784), "30");
    EXPECT_EQ(cooking.cooked(804), "30");
}

TEST(MatchV2, InstanceIdsDistinguishInstances) {
    Cooking cooking({{.id = 1, .type = 0x0040'0500}}, 2);
    const std::vector<v2_blob::Identifier> all{{.guid = guid, .name = u"*"}};
    cooking.build({.results = {{.ids = {1}, .instances = {{u"a", 1, {10}}, {u"a", 2, {1000}}}}}}, all);
    cooking.build({.results = {{.ids = {1}, .instances = {{u"a", 2, {1001}}, {u"a", 3, {5}}}}}}, all);
    EXPECT_EQ(cooking.cooked(1, 0, 0), "1");
    EXPECT_EQ(cooking.cooked(1, 0, 1), "- instance_new");
}

TEST(MatchV2, SamplesOfTheOtherInterfaceLeaveNoNames) {
    Cooking cooking({{.id = 10, .type = type::bulk_count, .time = 12}, {.id = 12, .type = type::large_rawcount}});
    const v2_blob::Blob bytes =
        v2_blob::build({.results = {{.type = v2_blob::multiple_counters, .ids = {10, 12}, .values = {1, 2}}}});
    const v2_blob::Chain query = v2_blob::build_identifiers({{.guid = guid}});
    hkpd::v2::Identifiers identifiers;
    identifiers.open(hkpd::Bytes(query.bytes()), cooking.diagnostics);
    ASSERT_TRUE(cooking.block.open(hkpd::Bytes(bytes.bytes()), cooking.diagnostics));
    const blob::Blob v1_bytes = blob::build(
        {.objects = {{.title = 2,
                      .counters = {{.title = 10, .type = type::rawcount}, {.title = 12, .type = type::rawcount}},
                      .values = {3, 4}}}});
    hkpd::v1::Block v1_block;
    ASSERT_TRUE(v1_block.open(hkpd::Bytes(v1_bytes.bytes()), cooking.diagnostics));
    hkpd::SampleBuilder v1_builder(nullptr, {});
    hkpd::CountersetSampleBuilder v2_builder(cooking.countersets, {});
    const auto build_v1 = [&](hkpd::Sample& sample) {
        v1_builder.begin(sample, v1_block, cooking.diagnostics);
        v1_builder.add(sample, v1_block, cooking.diagnostics);
        v1_builder.finish(sample, 0, cooking.diagnostics);
    };
    hkpd::Sample reused, fresh;
    build_v1(reused);
    v2_builder.build(reused, cooking.block, &identifiers, "", cooking.diagnostics);
    EXPECT_EQ(reused.objects()[0].columns[0].name->text, "counter 10");
    EXPECT_EQ(reused.source, hkpd::SampleSource::v2);
    EXPECT_EQ(reused.bytes, bytes.bytes().size());
    build_v1(reused);
    build_v1(fresh);
    EXPECT_EQ(describe(reused), describe(fresh));
    EXPECT_EQ(reused.source, hkpd::SampleSource::v1);
    EXPECT_EQ(reused.bytes, v1_bytes.bytes().size());
    EXPECT_EQ(reused.objects()[0].counterset, std::nullopt);
    EXPECT_EQ(reused.objects()[0].columns[0].time, -1);
}

}  // namespace cook_v2_test
}  // namespace hkpd_test
