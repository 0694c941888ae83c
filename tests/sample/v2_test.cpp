// Samples from V2 blocks: the result of bytes, identifiers and registrations together.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"
#include "support/blob_fields.hpp"
#include "support/cook_text.hpp"
#include "support/count_allocations.hpp"
#include "support/sample_reading.hpp"
#include "support/v2_sample_reading.hpp"

namespace hkpd_test {
namespace sample_v2_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
namespace type = blob::counter_type;

const hkpd::Guid processor_guid =
    v2_blob::guid(0xB4FC'721A, 0x0378, 0x476F, {0x89, 0xBA, 0xA5, 0xA7, 0x9F, 0x81, 0x0B, 0x36});
const hkpd::Guid system_guid = v2_blob::guid(5);

/// Returns a part of Processor Information: two averages that share a base, a precision timer with its own base.
v2_blob::Registration processor() {
    return {.guid = processor_guid,
            .instance_type = 6,
            .counters = {{.id = 0, .type = 0x2151'0500, .detail = 200, .scale = -1},
                         {.id = 7, .type = type::rawcount, .attributes = hkpd::v2::attribute::display_as_hex},
                         {.id = 21, .type = type::precision_100ns_timer, .base = 22},
                         {.id = 22, .type = type::precision_timestamp},
                         {.id = 26, .type = type::average_bulk, .base = 27},
                         {.id = 27, .type = type::average_base},
                         {.id = 28, .type = type::average_bulk, .base = 27}},
            .detail = 300};
}

v2_blob::Registration lone_set() {
    return {.guid = system_guid,
            .instance_type = 0,
            .counters = {{.id = 1, .type = type::large_rawcount}, {.id = 2, .type = type::rawcount}}};
}

/// Returns all counters of two processors, in another order.
v2_blob::Block two_processors() {
    using v2_blob::u32;
    return {.results = {{.ids = {28, 22, 7, 26, 0, 27, 21},
                         .instances = {{u"0,0", 0, {2800, 22, u32(7), 2600, 1, u32(270), 21}},
                                       {u"0,_Total", 4711, {2801, 23, u32(8), 2601, 2, u32(271), 22}}}}}};
}
const std::vector<v2_blob::Identifier> all_processors{{.guid = processor_guid, .name = u"*"}};

TEST(SampleV2, HasItsTime) {
    V2Reading reading;
    const v2_blob::Blob blob = v2_blob::build({.perf_time = 5, .perf_time_100ns = 6, .perf_freq = 7});
    const hkpd::Sample& sample = reading.build(blob, nullptr, "SERVER");
    EXPECT_TRUE(clean_v2(reading.diagnostics));
    EXPECT_EQ(sample.perf.time, 5);
    EXPECT_EQ(sample.perf_time_100ns, 6);
    EXPECT_EQ(sample.perf.frequency, 7);
    EXPECT_EQ(sample.source, hkpd::SampleSource::v2);
    EXPECT_EQ(sample.bytes, 48U);
    EXPECT_EQ(sample.machine, "SERVER");
    ASSERT_TRUE(sample.system_time);
    EXPECT_EQ(sample.system_time->year, 2020);
    EXPECT_EQ(sample.system_time->milliseconds, 123);
    EXPECT_TRUE(sample.objects().empty());
}

TEST(SampleV2, InvalidSystemTime) {
    V2Reading reading;
    const hkpd::Sample& sample = reading.build_without_query({.system_time = {.month = 13}});
    EXPECT_FALSE(sample.system_time);
    EXPECT_NE(faults(reading.diagnostics).find("system_time"), std::string::npos);
}

TEST(SampleV2, ObjectsAndColumnsOfACounterset) {
    V2Reading reading;
    reading.add(processor(), u"Processor Information");
    const hkpd::Sample& sample = reading.build(two_processors(), all_processors);
    ASSERT_TRUE(clean_v2(reading.diagnostics));
    ASSERT_EQ(sample.objects().size(), 1U);
    const hkpd::Object& object = sample.objects()[0];
    EXPECT_GE(object.title_index, hkpd::first_counterset);
    EXPECT_LT(object.title_index, hkpd::first_unknown_result);
    EXPECT_EQ(object.title_index, reading.countersets.number(processor_guid));
    EXPECT_EQ(object.counterset, processor_guid);
    EXPECT_EQ(object.name ? object.name->text : "?", "Processor Information");
    EXPECT_EQ(object.name->table, hkpd::no_index);
    EXPECT_EQ(object.detail_level, 300U);
    EXPECT_EQ(object.kind, hkpd::Kind::multi);
    ASSERT_EQ(object.columns.size(), 7U);
    EXPECT_EQ(sample.find(object.title_index), 0U);

    const hkpd::Column& idle = column_of(object, 0);
    EXPECT_EQ(idle.type, 0x2151'0500U);
    EXPECT_EQ(idle.scale, -1);
    EXPECT_EQ(idle.detail_level, 200U);
    EXPECT_EQ(idle.size, 8U);
    EXPECT_EQ(idle.attributes, 0U);
    EXPECT_EQ(idle.storage, hkpd::Storage::number);
    EXPECT_EQ(idle.name ? idle.name->text : "?", "counter 0");
    EXPECT_EQ(idle.name->table, hkpd::no_index);
    EXPECT_EQ(column_of(object, 7).size, 4U);
    EXPECT_EQ(column_of(object, 7).attributes, hkpd::v2::attribute::display_as_hex);
}

TEST(SampleV2, ValuesAndInstances) {
    V2Reading reading;
    reading.add(processor());
    const hkpd::Object& object = reading.build(two_processors(), all_processors).objects()[0];
    EXPECT_EQ(instance_names(object), "0,0,0,_Total");
    EXPECT_EQ(object.instances[0].unique_id, 0);
    EXPECT_EQ(object.instances[1].unique_id, 4711);
    EXPECT_EQ(object.instances[0].offset, v2_blob::build(two_processors()).instance(0, 0));
    const std::pair<std::uint32_t, const char*> values[] = {
        {28, "2800 2801"}, {22, "22 23"}, {7, "7 8"}, {26, "2600 2601"}, {0, "1 2"}, {27, "270 271"}, {21, "21 22"}};
    for (const auto& [id, text] : values)
        EXPECT_EQ(column_text(object, static_cast<std::size_t>(&column_of(object, id) - object.columns.data())), text);
}

TEST(SampleV2, BasesAreFoundById) {
    V2Reading reading;
    reading.add(processor());
    const hkpd::Object& object = reading.build(two_processors(), all_processors).objects()[0];
    EXPECT_EQ(related(object, column_of(object, 26).base), "27");
    EXPECT_EQ(related(object, column_of(object, 28).base), "27");
    EXPECT_EQ(related(object, column_of(object, 21).base), "22");
    for (const std::uint32_t id : {0U, 7U, 22U, 27U}) EXPECT_EQ(column_of(object, id).base, -1) << id;
}

TEST(SampleV2, BasesThatWereNotRequestedAreMissing) {
    V2Reading reading;
    reading.add(processor());
    const v2_blob::Block block{.results = {{.ids = {26, 22}, .instances = {{u"a", 1, {1, 2}}}}}};
    const hkpd::Object& object = reading.build(block, all_processors).objects()[0];
    EXPECT_EQ(column_of(object, 26).base, -1);
    EXPECT_EQ(reading.diagnostics.count(error), 0U);
}

TEST(SampleV2, ClocksAndCountsAreFoundById) {
    v2_blob::Registration set{.guid = system_guid,
                              .instance_type = 0,
                              .counters = {{.id = 1, .type = type::bulk_count, .time = 8, .frequency = 3},
                                           {.id = 3, .type = type::large_rawcount},
                                           {.id = 5, .type = type::multi_timer, .multi = 3},
                                           {.id = 8, .type = type::large_rawcount},
                                           {.id = 9, .type = type::bulk_count, .time = 77}}};
    V2Reading reading;
    reading.add(set);
    const v2_blob::Block block{
        .results = {{.type = v2_blob::multiple_counters, .ids = {9, 8, 5, 3, 1}, .values = {1, 2, 3, 4, 5}}}};
    const hkpd::Object& object = reading.build(block, {{.guid = system_guid}}).objects()[0];
    EXPECT_EQ(related(object, column_of(object, 1).time), "8");
    EXPECT_EQ(related(object, column_of(object, 1).frequency), "3");
    EXPECT_EQ(related(object, column_of(object, 5).multi), "3");
    EXPECT_EQ(related(object, column_of(object, 5).time), "none");
    EXPECT_EQ(related(object, column_of(object, 9).time), "none");
    EXPECT_EQ(related(object, column_of(object, 3).multi), "none");
}

TEST(SampleV2, SingleInstanceSets) {
    V2Reading reading;
    reading.add(lone_set());
    const v2_blob::Block block{
        .results = {{.type = v2_blob::multiple_counters, .ids = {1, 2}, .values = {10, v2_blob::u32(20)}}}};
    const hkpd::Object& object = reading.build(block, {{.guid = system_guid}}).objects()[0];
    ASSERT_TRUE(clean_v2(reading.diagnostics));
    EXPECT_EQ(object.kind, hkpd::Kind::single);
    ASSERT_EQ(object.instances.size(), 1U);
    EXPECT_EQ(object.instances[0].name, "");
    EXPECT_EQ(column_text(object, 0), "10");
    EXPECT_EQ(column_text(object, 1), "20");
}

TEST(SampleV2, EmptyLists) {
    V2Reading reading;
    reading.add(processor());
    const hkpd::Sample& sample = reading.build({.results = {{.ids = {0, 7}}}}, all_processors);
    EXPECT_TRUE(clean_v2(reading.diagnostics));
    ASSERT_EQ(sample.objects().size(), 1U);
    EXPECT_EQ(sample.objects()[0].columns.size(), 2U);
    EXPECT_TRUE(sample.objects()[0].instances.empty());
    EXPECT_EQ(sample.objects()[0].kind, hkpd::Kind::multi);
}

TEST(SampleV2, ASingleCounterIsNamedByItsIdentifier) {
    V2Reading reading;
    reading.add(processor());
    const hkpd::Sample& sample =
        reading.build({.results = {{.type = v2_blob::single_counter, .values = {v2_blob::u32(70)}}}},
                      {{.guid = processor_guid, .name = u"0,größer", .counter = 7, .instance = 12}});
    ASSERT_TRUE(clean_v2(reading.diagnostics));
    ASSERT_EQ(sample.objects().size(), 1U);
    const hkpd::Object& object = sample.objects()[0];
    EXPECT_EQ(object.counterset, processor_guid);
    EXPECT_EQ(instance_names(object), "0,größer");
    EXPECT_EQ(object.instances[0].unique_id, 12);
    ASSERT_EQ(object.columns.size(), 1U);
    EXPECT_EQ(object.columns[0].title_index, 7U);
    EXPECT_EQ(object.columns[0].type, type::rawcount);
    EXPECT_EQ(column_text(object, 0), "70");
}

TEST(SampleV2, OneCounterOfManyInstancesIsNamedByItsIdentifier) {
    V2Reading reading;
    reading.add(processor());
    const v2_blob::Block block{
        .results = {{.type = v2_blob::multiple_instances, .instances = {{u"a", 1, {5}}, {u"b", 2, {6}}}}}};
    const hkpd::Object& object =
        reading.build(block, {{.guid = processor_guid, .name = u"*", .counter = 26}}).objects()[0];
    ASSERT_TRUE(clean_v2(reading.diagnostics));
    EXPECT_EQ(instance_names(object), "a,b");
    ASSERT_EQ(object.columns.size(), 1U);
    EXPECT_EQ(object.columns[0].title_index, 26U);
    EXPECT_EQ(column_text(object, 0), "5 6");
}

TEST(SampleV2, IdentifiersAreFoundByIndexNotByPosition) {
    V2Reading reading;
    reading.add(processor());
    reading.add(lone_set());
    const v2_blob::Block block{.results = {{.type = v2_blob::single_counter, .values = {1}},
                                           {.type = v2_blob::multiple_instances, .instances = {{u"a", 1, {5}}}}}};
    const hkpd::Sample& sample = reading.build(block, {{.guid = processor_guid, .name = u"*", .counter = 0, .index = 1},
                                                       {.guid = system_guid, .counter = 1, .index = 0}});
    ASSERT_EQ(sample.objects().size(), 2U);
    EXPECT_EQ(sample.objects()[0].counterset, system_guid);
    EXPECT_EQ(sample.objects()[1].counterset, processor_guid);
    EXPECT_EQ(reading.diagnostics.count(error), 0U);
}

// Results of one counterset

TEST(SampleV2Merge, EqualInstancesAreOneObject) {
    V2Reading reading;
    reading.add(processor());
    const auto counter = [](v2_blob::Value a, v2_blob::Value b) {
        return v2_blob::Result{.type = v2_blob::multiple_instances, .instances = {{u"a", 1, {a}}, {u"b", 2, {b}}}};
    };
    const hkpd::Sample& sample =
        reading.build({.results = {counter(1, 2), counter(v2_blob::u32(3), v2_blob::u32(4)), counter(5, 6)}},
                      {{.guid = processor_guid, .name = u"*", .counter = 28, .index = 0},
                       {.guid = processor_guid, .name = u"*", .counter = 27, .index = 1},
                       {.guid = processor_guid, .name = u"?", .counter = 26, .index = 2}});
    ASSERT_TRUE(clean_v2(reading.diagnostics));
    ASSERT_EQ(sample.objects().size(), 1U);
    const hkpd::Object& object = sample.objects()[0];
    EXPECT_EQ(instance_names(object), "a,b");
    ASSERT_EQ(object.columns.size(), 3U);
    EXPECT_EQ(column_text(object, 0), "1 2");
    EXPECT_EQ(column_text(object, 1), "3 4");
    EXPECT_EQ(column_text(object, 2), "5 6");
    EXPECT_EQ(related(object, column_of(object, 26).base), "27");
    EXPECT_EQ(related(object, column_of(object, 28).base), "27");
}

TEST(SampleV2Merge, SingleCountersOfOneInstance) {
    V2Reading reading;
    reading.add(lone_set());
    const hkpd::Sample& sample = reading.build(
        {.results = {{.type = v2_blob::single_counter, .values = {1}},
                     {.type = v2_blob::single_counter, .values = {v2_blob::u32(2)}}}},
        {{.guid = system_guid, .counter = 1, .index = 0}, {.guid = system_guid, .counter = 2, .index = 1}});
    ASSERT_TRUE(clean_v2(reading.diagnostics));
    ASSERT_EQ(sample.objects().size(), 1U);
    ASSERT_EQ(sample.objects()[0].columns.size(), 2U);
    ASSERT_EQ(sample.objects()[0].instances.size(), 1U);
    EXPECT_EQ(column_text(sample.objects()[0], 0), "1");
    EXPECT_EQ(column_text(sample.objects()[0], 1), "2");
}

TEST(SampleV2Merge, OtherInstancesAreAnotherObject) {
    V2Reading reading;
    reading.add(processor());
    const auto list = [](std::vector<v2_blob::Instance> instances) {
        return v2_blob::Result{.type = v2_blob::multiple_instances, .instances = std::move(instances)};
    };
    const hkpd::Sample& sample =
        reading.build({.results = {list({{u"a", 1, {1}}, {u"b", 2, {2}}}), list({{u"a", 1, {3}}}),
                                   list({{u"a", 1, {4}}, {u"b", 3, {5}}}), list({{u"a", 1, {6}}, {u"B", 2, {7}}})}},
                      {{.guid = processor_guid, .name = u"*", .counter = 26, .index = 0},
                       {.guid = processor_guid, .name = u"a", .counter = 27, .instance = 1, .index = 1},
                       {.guid = processor_guid, .name = u"*", .counter = 28, .index = 2},
                       {.guid = processor_guid, .name = u"*", .counter = 0, .index = 3}});
    std::size_t values = 0;
    for (const hkpd::Object& object : sample.objects()) {
        EXPECT_EQ(object.counterset, processor_guid);
        values += object.columns.size() * object.instances.size();
    }
    EXPECT_EQ(values, 7U) << "each value is in the row of its instance";
    EXPECT_EQ(reading.diagnostics.count(error), 0U);
}

TEST(SampleV2Merge, CountersetsAreSeparate) {
    V2Reading reading;
    v2_blob::Registration other = lone_set();
    other.guid = v2_blob::guid(6);
    reading.add(lone_set());
    reading.add(other);
    const hkpd::Sample& sample = reading.build(
        {.results = {{.type = v2_blob::single_counter, .values = {1}},
                     {.type = v2_blob::single_counter, .values = {v2_blob::u32(2)}}}},
        {{.guid = system_guid, .counter = 1, .index = 0}, {.guid = other.guid, .counter = 2, .index = 1}});
    ASSERT_EQ(sample.objects().size(), 2U);
    EXPECT_NE(sample.objects()[0].title_index, sample.objects()[1].title_index);
}

TEST(SampleV2Merge, ACounterRequestedTwice) {
    V2Reading reading;
    reading.add(lone_set());
    const hkpd::Sample& sample = reading.build(
        {.results = {{.type = v2_blob::multiple_counters, .ids = {1, 2}, .values = {10, v2_blob::u32(20)}},
                     {.type = v2_blob::single_counter, .values = {10}}}},
        {{.guid = system_guid, .index = 0}, {.guid = system_guid, .counter = 1, .index = 1}});
    EXPECT_EQ(reading.diagnostics.count(error), 0U);
    ASSERT_EQ(sample.objects().size(), 1U);
    EXPECT_EQ(sample.objects()[0].columns.size(), 2U);
    EXPECT_EQ(column_text(sample.objects()[0], 0), "10");
}

// Missing queries and registrations

TEST(SampleV2Unknown, WithoutQueryAndRegistrationSamplesHaveIdsAndRawValues) {
    V2Reading reading;
    const hkpd::Sample& sample =
        reading.build_without_query({.results = {{.ids = {3, 1}, .instances = {{u"a", 1, {30, v2_blob::u32(10)}}}},
                                                 {.type = v2_blob::single_counter, .values = {77}}}});
    EXPECT_EQ(reading.diagnostics.count(error), 0U);
    EXPECT_NE(faults(reading.diagnostics).find("counterset_unknown"), std::string::npos);
    ASSERT_EQ(sample.objects().size(), 2U);
    const hkpd::Object& set = sample.objects()[0];
    EXPECT_EQ(set.title_index, hkpd::first_unknown_result);
    EXPECT_EQ(set.counterset, std::nullopt);
    EXPECT_FALSE(set.name);
    EXPECT_EQ(instance_names(set), "a");
    ASSERT_EQ(set.columns.size(), 2U);
    EXPECT_EQ(set.columns[0].title_index, 3U);
    EXPECT_EQ(set.columns[0].type, hkpd::no_counter_type);
    EXPECT_EQ(set.columns[0].size, 8U);
    EXPECT_EQ(set.columns[1].size, 4U);
    EXPECT_FALSE(set.columns[0].name);
    EXPECT_EQ(column_text(set, 0), "30");
    EXPECT_EQ(column_text(set, 1), "10");
    const hkpd::Object& lone = sample.objects()[1];
    EXPECT_EQ(lone.title_index, hkpd::first_unknown_result + 1);
    EXPECT_EQ(lone.columns.at(0).title_index, hkpd::v2::no_id);
    EXPECT_EQ(column_text(lone, 0), "77");
}

TEST(SampleV2Unknown, TheOnlyFittingCountersetIsAssumed) {
    V2Reading reading;
    reading.add(processor(), u"Processor Information");
    reading.add(lone_set());
    const hkpd::Sample& sample = reading.build_without_query(two_processors());
    EXPECT_TRUE(reports_v2(reading.diagnostics, note, counterset_assumed, {48}));
    EXPECT_FALSE(reading.diagnostics.any_fault());
    ASSERT_EQ(sample.objects().size(), 1U);
    EXPECT_EQ(sample.objects()[0].counterset, processor_guid);
    EXPECT_EQ(sample.objects()[0].name ? sample.objects()[0].name->text : "?", "Processor Information");
    EXPECT_EQ(related(sample.objects()[0], column_of(sample.objects()[0], 28).base), "27");
}

TEST(SampleV2Unknown, SeveralFittingCountersetsAreNotAssumed) {
    V2Reading reading;
    v2_blob::Registration other = processor();
    other.guid = v2_blob::guid(9);
    reading.add(processor());
    reading.add(other);
    const hkpd::Sample& sample = reading.build_without_query(two_processors());
    EXPECT_NE(faults(reading.diagnostics).find("counterset_unknown"), std::string::npos);
    EXPECT_EQ(sample.objects()[0].counterset, std::nullopt);
    EXPECT_EQ(column_of(sample.objects()[0], 28).type, hkpd::no_counter_type);
}

TEST(SampleV2Unknown, CountersetsThatDoNotFitAreNotAssumed) {
    v2_blob::Registration missing = processor(), narrow = processor(), single = processor();
    missing.counters.erase(missing.counters.begin());
    narrow.counters[0].type = type::rawcount;  // its value has 8 bytes
    single.instance_type = 0;
    for (const v2_blob::Registration& registration : {missing, narrow, single}) {
        V2Reading reading;
        reading.add(registration);
        EXPECT_EQ(reading.build_without_query(two_processors()).objects()[0].counterset, std::nullopt);
    }
}

TEST(SampleV2Unknown, AnUnregisteredCountersetKeepsItsGuid) {
    V2Reading reading;
    const hkpd::Sample& sample = reading.build(two_processors(), all_processors);
    EXPECT_EQ(reading.diagnostics.count(error), 0U);
    ASSERT_EQ(sample.objects().size(), 1U);
    EXPECT_EQ(sample.objects()[0].counterset, processor_guid);
    EXPECT_EQ(sample.objects()[0].title_index, reading.countersets.number(processor_guid));
    EXPECT_EQ(sample.objects()[0].columns.size(), 7U);
    EXPECT_EQ(column_of(sample.objects()[0], 28).type, hkpd::no_counter_type);
    EXPECT_EQ(instance_names(sample.objects()[0]), "0,0,0,_Total");
}

TEST(SampleV2Unknown, UnregisteredCountersAreRaw) {
    V2Reading reading;
    reading.add(processor());
    const v2_blob::Block block{.results = {{.ids = {0, 99}, .instances = {{u"a", 1, {1, 2}}}}}};
    const hkpd::Object& object = reading.build(block, all_processors).objects()[0];
    EXPECT_NE(faults(reading.diagnostics).find("counter_unknown"), std::string::npos);
    EXPECT_EQ(reading.diagnostics.count(error), 0U);
    EXPECT_EQ(column_of(object, 99).type, hkpd::no_counter_type);
    EXPECT_FALSE(column_of(object, 99).name);
    EXPECT_EQ(column_text(object, 1), "2");
}

// Unusual and damaged results

TEST(SampleV2Odd, AnInstanceMayOccurTwice) {
    V2Reading reading;
    reading.add(processor());
    const v2_blob::Block block{
        .results = {{.ids = {0}, .instances = {{u"a", 1, {1}}, {u"a", 1, {2}}, {u"A", 1, {3}}}}}};
    const hkpd::Object& object = reading.build(block, all_processors).objects()[0];
    EXPECT_FALSE(reading.diagnostics.any_fault()) << faults(reading.diagnostics);
    EXPECT_EQ(instance_names(object), "a,a,A");
    EXPECT_EQ(column_text(object, 0), "1 2 3");
}

TEST(SampleV2Odd, TheFirstOfEqualIdsIsUsed) {
    V2Reading reading;
    reading.add(processor());
    const v2_blob::Block block{.results = {{.ids = {26, 27, 27, 26}, .instances = {{u"a", 1, {1, 2, 3, 4}}}}}};
    const hkpd::Object& object = reading.build(block, all_processors).objects()[0];
    EXPECT_NE(faults(reading.diagnostics).find("counter_id_repeated"), std::string::npos);
    EXPECT_EQ(column_text(object, static_cast<std::size_t>(&column_of(object, 26) - object.columns.data())), "1");
    EXPECT_EQ(column_text(object, static_cast<std::size_t>(column_of(object, 26).base)), "2");
}

/// Returns what is reported of a result in which an id is there twice.
std::string found_with_values(std::vector<v2_blob::Value> values) {
    V2Reading reading;
    reading.add(processor());
    reading.build({.results = {{.ids = {26, 27, 26}, .instances = {{u"a", 1, std::move(values)}}}}}, all_processors);
    return faults(reading.diagnostics);
}

TEST(SampleV2Odd, AValueThatIsLeftOutIsAWarning) {
    EXPECT_EQ(found_with_values({1, v2_blob::u32(2), 1}), "note counter_id_repeated|");
    EXPECT_EQ(found_with_values({1, v2_blob::u32(2), 3}), "warning counter_id_repeated|");
}

constexpr std::uint64_t of_two_halves = 0x1'0000'0005;

/// Returns the values of the counters 0 (8 bytes) and 7 (4 bytes), with what is reported.
std::string with_data_sizes(std::vector<v2_blob::Instance> instances, bool registered, std::size_t row, std::size_t of,
                            std::uint32_t size) {
    V2Reading reading;
    if (registered) reading.add(processor());
    v2_blob::Blob blob = v2_blob::build({.results = {{.ids = {0, 7}, .instances = std::move(instances)}}});
    blob.put32(blob.value(0, row, of) + v2_blob::counter_data::dwDataSize, size);
    const hkpd::Object& object = reading.build(blob, &all_processors).objects()[0];
    return column_text(object, 0) + ", " + column_text(object, 1) + ", " + faults(reading.diagnostics);
}

TEST(SampleV2Sizes, TheRegisteredTypeDecides) {
    using v2_blob::u32;
    EXPECT_EQ(with_data_sizes({{u"a", 1, {of_two_halves, u32(7)}}}, true, 0, 0, 4), "-, 7, error value_size|");
    EXPECT_EQ(with_data_sizes({{u"a", 1, {5, u32(7)}}}, true, 0, 0, 4), "5, 7, warning value_size|");
    EXPECT_EQ(with_data_sizes({{u"a", 1, {of_two_halves, u32(7)}}}, true, 0, 1, 8),
              std::to_string(of_two_halves) + ", 7, warning value_size|");
    EXPECT_EQ(with_data_sizes({{u"a", 1, {of_two_halves, v2_blob::Value(std::string("\7\0\0\0\1\0\0\0", 8))}}}, true, 0,
                              1, 8),
              std::to_string(of_two_halves) + ", 4294967303, warning value_size|")
        << "a provider may declare a larger field";
}

TEST(SampleV2Sizes, WithoutATypeMostOfTheColumnDecide) {
    using v2_blob::u32;
    const std::string text = std::to_string(of_two_halves);
    const v2_blob::Instance a{u"a", 1, {of_two_halves, u32(7)}}, b{u"b", 2, {of_two_halves, u32(7)}},
        c{u"c", 3, {of_two_halves, u32(7)}};
    EXPECT_EQ(with_data_sizes({a, b, c}, false, 0, 0, 4), "- " + text + " " + text + ", 7 7 7, error value_size|");
    EXPECT_EQ(with_data_sizes({a, b, c}, false, 2, 0, 4), text + " " + text + " -, 7 7 7, error value_size|");
    // Of two, neither is confirmed.
    EXPECT_EQ(with_data_sizes({a, b}, false, 1, 0, 4), "- -, 7 7, error value_size|error value_size|");
    EXPECT_EQ(with_data_sizes({a}, false, 0, 0, 8), text + ", 7, ");
}

TEST(SampleV2Sizes, WithoutATypeALoneValueIsWhatItsSizeStates) {
    using v2_blob::u32;
    EXPECT_EQ(with_data_sizes({{u"a", 1, {of_two_halves, u32(7)}}}, false, 0, 0, 4), "5, 7, warning value_size|")
        << "padding may have any content, but may be half of the value, too";
    EXPECT_EQ(with_data_sizes({{u"a", 1, {42, u32(7)}}}, false, 0, 0, 4), "42, 7, ");
    // The same in a result of one counter, whatever the padding: nothing states that it is zero.
    for (const std::uint32_t padding : {0U, 1U, 0x8000'0000U, 0xFFFF'FFFFU}) {
        V2Reading reading;
        v2_blob::Blob blob = v2_blob::build({.results = {{.type = v2_blob::single_counter, .values = {u32(42)}}}});
        blob.put32(blob.value(0, 0, 0) + v2_blob::counter_data::value + 4, padding);
        const hkpd::Object& object = reading.build(blob, nullptr).objects()[0];
        EXPECT_EQ(column_text(object, 0), "42");
        EXPECT_EQ(object.columns.at(0).size, 4U);
        EXPECT_EQ(faults(reading.diagnostics),
                  std::string("warning counterset_unknown|") + (padding == 0 ? "" : "warning value_size|"));
        if (padding == 0) continue;
        const hkpd::Error& error = reading.diagnostics.kept().back().error;
        EXPECT_EQ(error.offset, blob.value(0, 0, 0) + v2_blob::counter_data::value + 4);
        EXPECT_EQ(error.expected, 0U);
        EXPECT_EQ(error.found, padding);
    }
}

TEST(SampleV2Odd, NamesInUtf16) {
    V2Reading reading;
    reading.add(processor());
    const auto name_of = [&](const std::u16string& name) {
        const v2_blob::Block block{.results = {{.ids = {0}, .instances = {{name, 1, {1}}}}}};
        return std::string(reading.build(block, all_processors).objects()[0].instances.at(0).name.value_or("?"));
    };
    EXPECT_EQ(name_of(u"größer 日"), "größer 日");
    EXPECT_EQ(name_of(u"\xD83D\xDE00"), "\xF0\x9F\x98\x80");
    EXPECT_TRUE(clean_v2(reading.diagnostics));
    EXPECT_EQ(name_of(u"a\xD83Dz"), "a\xEF\xBF\xBDz");
    EXPECT_NE(faults(reading.diagnostics).find("warning bad_text"), std::string::npos) << faults(reading.diagnostics);
    EXPECT_EQ(name_of(u"a\xDE00"), "a\xEF\xBF\xBD");
    EXPECT_EQ(name_of(u"a\xD83D"), "a\xEF\xBF\xBD");
}

TEST(SampleV2Odd, ErrorsAreNotesAndNoObjects) {
    V2Reading reading;
    reading.add(processor());
    v2_blob::Block block = two_processors();
    block.results.insert(block.results.begin(), {.type = v2_blob::error_return, .status = 4201});
    const hkpd::Sample& sample = reading.build(block, {{.guid = processor_guid, .name = u"gone", .index = 0},
                                                       {.guid = processor_guid, .name = u"*", .index = 1}});
    EXPECT_EQ(faults(reading.diagnostics), "note result_status|");
    ASSERT_EQ(reading.diagnostics.kept().size(), 1U);
    EXPECT_EQ(reading.diagnostics.kept()[0].error.found, 4201U);
    ASSERT_EQ(sample.objects().size(), 1U);
    EXPECT_EQ(sample.objects()[0].instances.size(), 2U);
}

TEST(SampleV2Odd, ResultsThatDoNotFitTheirIdentifier) {
    V2Reading reading;
    reading.add(processor());
    const hkpd::Sample& sample =
        reading.build(two_processors(), {{.guid = processor_guid, .name = u"0,0", .counter = 26}});
    EXPECT_NE(faults(reading.diagnostics).find("result_shape"), std::string::npos);
    ASSERT_EQ(sample.objects().size(), 1U);
    EXPECT_EQ(sample.objects()[0].instances.size(), 2U) << "the data are valid";
}

TEST(SampleV2Odd, ValuesThatDoNotFitTheirType) {
    V2Reading reading;
    reading.add(processor());
    const v2_blob::Block block{
        .results = {{.ids = {0, 7}, .instances = {{u"a", 1, {v2_blob::u32(5), 6}}, {u"b", 2, {50, 60}}}}}};
    const hkpd::Object& object = reading.build(block, all_processors).objects()[0];
    EXPECT_EQ(object.instances.size(), 2U);
    const v2_blob::Blob blob = v2_blob::build(block);
    std::string places;
    for (const hkpd::Diagnostic& found : reading.diagnostics.kept())
        if (found.error.code == hkpd::Errc::value_size)
            places += std::to_string(found.error.offset) + " " + std::string(found.error.structure) + " ";
    EXPECT_EQ(places, std::to_string(blob.value(0, 0, 0)) + " PERF_COUNTER_DATA " +
                          std::to_string(blob.value(0, 0, 1)) + " PERF_COUNTER_DATA ");
}

TEST(SampleV2Odd, DamagedValuesAreMarkedAndTheOthersKept) {
    V2Reading reading;
    reading.add(processor());
    v2_blob::Blob blob = v2_blob::build(two_processors());
    blob.put32(blob.value(0, 1, 3) + v2_blob::counter_data::dwDataSize, 3);
    const hkpd::Object& object = reading.build(blob, &all_processors).objects()[0];
    EXPECT_NE(faults(reading.diagnostics).find("value_size"), std::string::npos);
    EXPECT_EQ(column_text(object, 3), "2600 -");
    EXPECT_EQ(column_text(object, 4), "1 2");
}

TEST(SampleV2Odd, ABrokenChainKeepsTheInstancesBeforeAndTheOtherResults) {
    V2Reading reading;
    reading.add(processor());
    reading.add(lone_set());
    v2_blob::Block block = two_processors();
    block.results.push_back({.type = v2_blob::single_counter, .values = {9}});
    v2_blob::Blob blob = v2_blob::build(block);
    blob.put32(blob.instance(0, 1) + v2_blob::instance_header::Size, 0);
    const std::vector<v2_blob::Identifier> query{{.guid = processor_guid, .name = u"*", .index = 0},
                                                 {.guid = system_guid, .counter = 1, .index = 1}};
    const hkpd::Sample& sample = reading.build(blob, &query);
    ASSERT_EQ(sample.objects().size(), 2U);
    EXPECT_EQ(instance_names(sample.objects()[0]), "0,0");
    EXPECT_EQ(column_text(sample.objects()[0], 0), "2800");
    EXPECT_EQ(column_text(sample.objects()[1], 0), "9");
    ASSERT_NE(reading.diagnostics.kept().size(), 0U);
    EXPECT_EQ(reading.diagnostics.kept()[0].object, reading.countersets.number(processor_guid));
    EXPECT_EQ(reading.diagnostics.kept()[0].instance, 1U);
}

TEST(SampleV2Odd, DiagnosticsNameObjectsByGuid) {
    V2Reading reading;
    reading.add(processor());
    v2_blob::Blob blob = v2_blob::build(two_processors());
    blob.put32(blob.value(0, 1, 3) + v2_blob::counter_data::dwDataSize, 3);
    reading.build(blob, &all_processors);
    EXPECT_EQ(reading.diagnostics.object_name(reading.countersets.number(processor_guid)),
              hkpd::guid_text(processor_guid));
}

// Cooking

/// Returns the cooked value of a counter in row 0 of the first object, computed from the last two samples.
std::string cooked(V2Reading& reading, std::uint32_t id) {
    hkpd::Cooker cooker({});
    const hkpd::Sample& now = reading.samples.back();
    cooker.begin(&reading.samples[reading.samples.size() - 2], now);
    const hkpd::Object& object = now.objects()[0];
    return cooked_text(cooker.column(0, static_cast<std::size_t>(&column_of(object, id) - object.columns.data()))[0]);
}

TEST(SampleV2Cook, TwoCountersShareABase) {
    V2Reading reading;
    reading.add(processor());
    const auto block = [](std::uint64_t a, std::uint32_t base, std::uint64_t b) {
        return v2_blob::Block{
            .results = {{.ids = {26, 28, 0, 27}, .instances = {{u"0", 0, {a, b, 1, v2_blob::u32(base)}}}}}};
    };
    reading.build(block(1000, 10, 500), all_processors);
    reading.build(block(1900, 20, 530), all_processors);
    EXPECT_EQ(cooked(reading, 26), "90");
    EXPECT_EQ(cooked(reading, 28), "3");
    EXPECT_EQ(cooked(reading, 27), "- not_displayable");
}

TEST(SampleV2Cook, CountersMayHaveTheirOwnClock) {
    V2Reading reading;
    reading.add({.guid = system_guid,
                 .instance_type = 0,
                 .counters = {{.id = 1, .type = type::bulk_count, .time = 3, .frequency = 2},
                              {.id = 2, .type = type::large_rawcount},
                              {.id = 3, .type = type::large_rawcount},
                              {.id = 4, .type = type::bulk_count}}});
    const auto block = [](std::uint64_t value, std::uint64_t time, std::int64_t header_time) {
        return v2_blob::Block{.results = {{.type = v2_blob::multiple_counters,
                                           .ids = {1, 2, 3, 4},
                                           .values = {value, 1000, time, value}}},
                              .perf_time = header_time,
                              .perf_freq = 100};
    };
    reading.build(block(50, 7000, 200), {{.guid = system_guid}});
    reading.build(block(90, 9000, 300), {{.guid = system_guid}});
    EXPECT_EQ(cooked(reading, 1), "20");  // 40 in 2000 ticks of a millisecond
    EXPECT_EQ(cooked(reading, 4), "40");  // 40 in a second of the header's clock
}

TEST(SampleV2Cook, MultiTimersFindTheirCountById) {
    V2Reading reading;
    reading.add({.guid = system_guid,
                 .instance_type = 0,
                 .counters = {{.id = 1, .type = 0x2251'0500, .multi = 2}, {.id = 2, .type = type::large_rawcount}}});
    const auto block = [](std::uint64_t value, std::int64_t time) {
        return v2_blob::Block{.results = {{.type = v2_blob::multiple_counters, .ids = {1, 2}, .values = {value, 4}}},
                              .perf_time_100ns = time};
    };
    reading.build(block(0, 1000), {{.guid = system_guid}});
    reading.build(block(200, 1100), {{.guid = system_guid}});
    EXPECT_EQ(cooked(reading, 1), "50");  // 100 · (200 / 100) / 4
}

// Memory and limits

TEST(SampleV2Reuse, SteadyStateAllocatesNothing) {
#ifdef HKPD_SANITIZED
    GTEST_SKIP() << "a sanitizer has its own operator new";
#endif
    V2Reading reading;
    reading.add(processor());
    reading.add(lone_set());
    v2_blob::Block shape = two_processors();
    for (std::uint32_t i = 0; i < 300; ++i)
        shape.results[0].instances.push_back(
            {std::u16string(40, u'n'), i, {1, 2, v2_blob::u32(3), 4, 5, v2_blob::u32(6), 7}});
    shape.results.push_back({.type = v2_blob::single_counter, .values = {1}});
    shape.results.push_back({.type = v2_blob::single_counter, .values = {v2_blob::u32(1)}});
    const v2_blob::Blob blob = v2_blob::build(shape);
    const v2_blob::Chain query = v2_blob::build_identifiers({{.guid = processor_guid, .name = u"*", .index = 0},
                                                             {.guid = system_guid, .counter = 1, .index = 1},
                                                             {.guid = system_guid, .counter = 2, .index = 2}});
    hkpd::v2::Identifiers identifiers;
    identifiers.open(hkpd::Bytes(query.bytes()), reading.diagnostics);
    hkpd::CountersetSampleBuilder builder(reading.countersets, {});
    hkpd::Sample sample;
    std::size_t count = 0;
    for (int i = 0; i < 3; ++i) {
        const std::size_t before = allocations();
        const bool opened = reading.block.open(hkpd::Bytes(blob.bytes()), reading.diagnostics).has_value();
        builder.build(sample, reading.block, &identifiers, "A-MACHINE-WITH-A-LONG-NAME", reading.diagnostics);
        count = allocations() - before;
        EXPECT_TRUE(opened);
        EXPECT_TRUE(i != 0 || count != 0);
    }
    EXPECT_EQ(count, 0U);
    EXPECT_TRUE(clean_v2(reading.diagnostics));
    EXPECT_EQ(sample.objects().size(), 2U);
}

TEST(SampleV2Reuse, NothingOfTheSampleBeforeRemains) {
    V2Reading reading;
    reading.add(processor());
    reading.add(lone_set());
    const v2_blob::Blob large = v2_blob::build(two_processors());
    const v2_blob::Blob small = v2_blob::build({.results = {{.type = v2_blob::single_counter, .values = {1}}}});
    const v2_blob::Chain of_large = v2_blob::build_identifiers(all_processors);
    const v2_blob::Chain of_small = v2_blob::build_identifiers({{.guid = system_guid, .counter = 1}});
    hkpd::CountersetSampleBuilder builder(reading.countersets, {});
    const auto build = [&](hkpd::Sample& sample, const v2_blob::Blob& blob, const v2_blob::Chain& query) {
        hkpd::v2::Identifiers identifiers;
        identifiers.open(hkpd::Bytes(query.bytes()), reading.diagnostics);
        EXPECT_TRUE(reading.block.open(hkpd::Bytes(blob.bytes()), reading.diagnostics));
        builder.build(sample, reading.block, &identifiers, "M", reading.diagnostics);
    };
    hkpd::Sample reused, fresh;
    build(reused, large, of_large);
    reused.zone.emplace();  // left by a row of a log
    build(reused, small, of_small);
    EXPECT_FALSE(reused.zone);
    build(fresh, small, of_small);
    EXPECT_EQ(describe(reused), describe(fresh));
    build(reused, large, of_large);
    hkpd::Sample fresh_large;
    build(fresh_large, large, of_large);
    EXPECT_EQ(describe(reused), describe(fresh_large));
}

TEST(SampleV2Limits, ValuesOfASample) {
    for (std::uint64_t limit = 1; limit <= 16; ++limit) {
        V2Reading reading({.values = limit});
        reading.add(processor());
        v2_blob::Block block = two_processors();
        block.results.push_back({.type = v2_blob::single_counter, .values = {1}});
        const hkpd::Sample& sample =
            reading.build(block, {{.guid = processor_guid, .name = u"*", .index = 0},
                                  {.guid = processor_guid, .name = u"x", .counter = 0, .index = 1}});
        std::size_t values = 0;
        for (const hkpd::Object& object : sample.objects()) values += object.columns.size() * object.instances.size();
        EXPECT_LE(values, limit);
        EXPECT_EQ(faults(reading.diagnostics).find("error value_limit") != std::string::npos, limit < 15) << limit;
    }
}

}  // namespace sample_v2_test
}  // namespace hkpd_test
