// V1 and V2 samples of one time, compared: what is equal, what differs, and what belongs together.
#include "hkpd/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/select.hpp"
#include "support/blob_builder.hpp"
#include "support/log_samples.hpp"
#include "support/sample_reading.hpp"
#include "support/v2_sample_reading.hpp"

namespace hkpd_test {
namespace compare_test {

using hkpd::CompareOptions;
using hkpd::Comparison;
using hkpd::Reason;
using hkpd::Verdict;
namespace type = blob::counter_type;

constexpr std::int64_t ticks = 10'000'000, start = 132'444'736'001'230'000;
const hkpd::Guid set_guid = v2_blob::guid(7);

/// Returns the counterset of most tests: a number, a rate, and two averages that share a base, which has no name.
v2_blob::Registration registration() {
    return {.guid = set_guid,
            .counters = {{.id = 0, .type = type::rawcount},
                         {.id = 1, .type = type::bulk_count},
                         {.id = 3, .type = type::average_bulk, .base = 5},
                         {.id = 4, .type = type::average_bulk, .base = 5},
                         {.id = 5, .type = type::average_base}}};
}
const std::vector<v2_blob::CounterString> names{
    {0, u"Amount"}, {1, u"Rate"}, {3, u"First Average"}, {4, u"Second Average"}};

/// Returns values of ids 0, 1, 3, 4 and 5.
struct Row {
    std::u16string name;
    std::array<std::uint32_t, 5> values{};
};

/// Returns the V1 view of the set: each counter that uses the base is followed by it.
blob::Object v1_set(const std::vector<Row>& rows) {
    blob::Object object{.title = 6000,
                        .kind = blob::Kind::multi,
                        .counters = {{.title = 6002},
                                     {.title = 6004, .type = type::bulk_count, .size = 8},
                                     {.title = 6008, .type = type::average_bulk, .size = 8},
                                     {.title = 6012, .type = type::average_base},
                                     {.title = 6010, .type = type::average_bulk, .size = 8},
                                     {.title = 6012, .type = type::average_base}}};
    for (const Row& row : rows) {
        const auto& v = row.values;
        object.instances.push_back({.name = row.name, .values = {v[0], v[1], v[2], v[4], v[3], v[4]}});
    }
    return object;
}

v2_blob::Result v2_set(const std::vector<Row>& rows) {
    v2_blob::Result result{.ids = {5, 4, 3, 1, 0}};
    for (std::uint32_t id = 0; id < rows.size(); ++id) {
        const auto& v = rows[id].values;
        result.instances.push_back({rows[id].name, id, {v2_blob::u32(v[4]), v[3], v[2], v[1], v2_blob::u32(v[0])}});
    }
    return result;
}

blob::Block v1_at(double seconds, const std::vector<Row>& rows) {
    const auto passed = static_cast<std::int64_t>(seconds * static_cast<double>(ticks));
    return {
        .objects = {v1_set(rows)}, .machine = u"M", .perf_time = 1'000'000 + passed, .perf_time_100ns = start + passed};
}
v2_blob::Block v2_at(double seconds, const std::vector<Row>& rows) {
    const auto passed = static_cast<std::int64_t>(seconds * static_cast<double>(ticks));
    return {.results = {v2_set(rows)}, .perf_time = 1'000'000 + passed, .perf_time_100ns = start + passed};
}

std::vector<Row> rows_at(std::uint32_t second) {
    return {{u"one", {7, 100 * second, 40 * second, 60 * second, 4 * second}},
            {u"two", {8, 200 * second, 50 * second, 70 * second, 5 * second}}};
}

/// Cooks two streams of samples and compares them.
class Interfaces {
  public:
    explicit Interfaces(const CompareOptions& options = {}, const v2_blob::Registration& known = registration())
        : comparer_(v2_.countersets, options) {
        using enum hkpd::v2::RegistrationRequest;
        hkpd::TitleTable table("009", "test");
        table.add(2, "System");
        table.add(6000, "Set");
        table.add(6002, "Amount");
        table.add(6004, "Rate");
        table.add(6008, "First Average");
        table.add(6010, "SECOND average");
        table.add(6014, "Other");
        titles_.add(std::move(table));
        v2_.answer(set_guid, counterset_struct, v2_blob::build_registration(known));
        v2_.answer(set_guid, counterset_name, v2_blob::build_string(u"set"));
        v2_.answer(set_guid, counter_names, v2_blob::build_strings(names));
    }

    Interfaces& v1(const blob::Blob& blob) {
        const auto& read = v1_.emplace_back(read_blobs({blob}, &titles_));
        add(read->all.at(0), last_v1_);
        return *this;
    }
    Interfaces& v1(const blob::Block& block) { return v1(blob::build(block)); }
    Interfaces& log(const blob::Block& block) {
        const auto& read = v1_.emplace_back(read_blobs({blob::build(block)}, &titles_));
        read->all.at(0).source = hkpd::SampleSource::log;
        add(read->all.at(0), last_log_);
        return *this;
    }
    Interfaces& log(const log_file::Log& log) {
        const auto& read = logs_.emplace_back(samples_of(log));
        for (const hkpd::Sample& sample : read->all) add(sample, last_log_);
        return *this;
    }
    Interfaces& v2(const v2_blob::Block& block, std::string_view machine = "M") {
        std::vector<v2_blob::Identifier> query;
        for (std::uint32_t i = 0; i < block.results.size(); ++i)
            query.push_back({.guid = set_guid, .name = u"*", .index = i});
        add(v2_.build(v2_blob::build(block), &query, machine), last_v2_);
        return *this;
    }
    Interfaces& both(double seconds, const std::vector<Row>& rows) {
        return v1(v1_at(seconds, rows)).v2(v2_at(seconds, rows));
    }
    Comparison finish() { return comparer_.finish(); }

    V2Reading& reading() { return v2_; }

  private:
    void add(const hkpd::Sample& sample, const hkpd::Sample*& before) {
        hkpd::Cooker cooker({});
        cooker.begin(before, sample);
        std::vector<hkpd::Selected> all;
        hkpd::Filter().select(sample, all);
        comparer_.add(sample, all, cooker);
        before = &sample;
    }

    hkpd::Titles titles_;
    V2Reading v2_;
    std::deque<std::unique_ptr<Samples>> v1_;
    std::deque<std::unique_ptr<LogSamples>> logs_;
    const hkpd::Sample* last_v1_ = nullptr;
    const hkpd::Sample* last_v2_ = nullptr;
    const hkpd::Sample* last_log_ = nullptr;
    hkpd::Comparer comparer_;
};

/// Returns the counters of a verdict: `Set\Rate, Set\#6012`.
std::string listed(const Comparison& found, Verdict verdict) {
    std::string text;
    for (const hkpd::ComparedCounter& counter : found.counters)
        if (counter.verdict == verdict)
            text.append(text.empty() ? "" : ", ").append(counter.object).append("\\").append(counter.counter);
    return text;
}
/// Returns the entries found in one stream only: `only_v1 Set(one) differs`.
std::string instances(const Comparison& found) {
    std::string text;
    for (const hkpd::ComparedInstance& instance : found.instances)
        text.append(text.empty() ? "" : ", ")
            .append(verdict_name(instance.verdict))
            .append(" " + instance.object + "(" + instance.instance + ")" + (instance.differs ? " differs" : ""));
    return text;
}
const hkpd::ComparedCounter& counter(const Comparison& found, std::string_view name) {
    static const hkpd::ComparedCounter none;
    const auto at = std::ranges::find(found.counters, name, &hkpd::ComparedCounter::counter);
    EXPECT_NE(at, found.counters.end()) << name;
    return at == found.counters.end() ? none : *at;
}

TEST(Compare, EqualSamplesAgree) {
    Interfaces interfaces;
    for (const std::uint32_t second : {0U, 1U, 2U}) interfaces.both(second, rows_at(second));
    const Comparison found = interfaces.finish();
    EXPECT_TRUE(found.agrees());
    EXPECT_EQ(found.pairs, 3U);
    EXPECT_EQ(found.v1_samples, 3U);
    EXPECT_EQ(found.v2_samples, 3U);
    EXPECT_EQ(found.v1_alone + found.v2_alone + found.evicted + found.rates_apart, 0U);
    EXPECT_EQ(found.largest_gap, 0);
    EXPECT_GT(found.v1_bytes, 0U);
    EXPECT_GT(found.v2_bytes, 0U);
    EXPECT_EQ(listed(found, Verdict::equal),
              "Set\\Amount, Set\\Rate, Set\\First Average, Set\\#6012, Set\\SECOND average, Set\\#6012");
    EXPECT_EQ(found.counters.size(), 6U);
    EXPECT_TRUE(found.instances.empty());
    EXPECT_TRUE(found.objects.empty());
    const hkpd::ComparedCounter& rate = counter(found, "Rate");
    EXPECT_EQ(rate.values, 6U);
    EXPECT_EQ(rate.cooked, 6U);  // including the reasons of the first samples
    EXPECT_EQ(rate.machine, "M");
    EXPECT_EQ(rate.object_index, 6000U);
    EXPECT_EQ(rate.counter_index, 6004U);
    EXPECT_EQ(rate.counter_id, 1U);
    EXPECT_EQ(rate.counterset, set_guid);
    EXPECT_EQ(rate.v1_type, type::bulk_count);
    EXPECT_EQ(rate.v2_type, type::bulk_count);
    EXPECT_FALSE(rate.first);
}

TEST(Compare, OnlyTheValueThatDiffersIsReported) {
    Interfaces interfaces;
    interfaces.both(0, rows_at(0));
    std::vector<Row> altered = rows_at(1);
    altered[1].values[1] += 1;
    interfaces.v1(v1_at(1, rows_at(1))).v2(v2_at(1, altered));
    const Comparison found = interfaces.finish();
    EXPECT_FALSE(found.agrees());
    EXPECT_EQ(listed(found, Verdict::differs), "Set\\Rate");
    EXPECT_EQ(found.count(Verdict::equal), 5U);
    const hkpd::ComparedCounter& rate = counter(found, "Rate");
    EXPECT_EQ(rate.values, 4U);
    EXPECT_EQ(rate.raw_differ, 1U);
    EXPECT_EQ(rate.cooked_differ, 1U);
    ASSERT_TRUE(rate.first);
    EXPECT_EQ(rate.first->instance, "two");
    EXPECT_EQ(rate.first->pair, 1U);
    ASSERT_TRUE(rate.first->time);
    EXPECT_EQ(rate.first->time->year, 2020);
    EXPECT_EQ(rate.first->v1_raw, 200U);
    EXPECT_EQ(rate.first->v2_raw, 201U);
    EXPECT_EQ(rate.first->v1_cooked, 200.0);
    EXPECT_EQ(rate.first->v2_cooked, 201.0);
}

TEST(Compare, ADifferentBaseShowsInTheCountersThatUseIt) {
    Interfaces interfaces;
    interfaces.both(0, rows_at(0));
    std::vector<Row> altered = rows_at(1);
    altered[0].values[4] += 1;
    interfaces.v1(v1_at(1, rows_at(1))).v2(v2_at(1, altered));
    const Comparison found = interfaces.finish();
    EXPECT_EQ(listed(found, Verdict::differs), "Set\\First Average, Set\\#6012, Set\\SECOND average, Set\\#6012");
    EXPECT_EQ(counter(found, "First Average").raw_differ, 0U);
    EXPECT_EQ(counter(found, "First Average").cooked_differ, 1U);
    EXPECT_EQ(counter(found, "#6012").counter_id, 5U);
}

TEST(Compare, TypesAndScalesThatDiffer) {
    v2_blob::Registration known = registration();
    known.counters[0].type = type::large_rawcount;
    known.counters[1].scale = -2;
    Interfaces interfaces({}, known);
    interfaces.both(0, rows_at(0));
    const Comparison found = interfaces.finish();
    EXPECT_FALSE(found.agrees());
    EXPECT_EQ(listed(found, Verdict::differs), "Set\\Amount, Set\\Rate");
    EXPECT_TRUE(counter(found, "Amount").type_differs);
    EXPECT_FALSE(counter(found, "Amount").scale_differs);
    EXPECT_EQ(counter(found, "Amount").raw_differ, 0U);
    EXPECT_TRUE(counter(found, "Rate").scale_differs);
    EXPECT_EQ(counter(found, "Rate").v1_scale, 0);
    EXPECT_EQ(counter(found, "Rate").v2_scale, -2);
    EXPECT_FALSE(counter(found, "Rate").first);
}

TEST(Compare, WidthIsNoDifference) {
    Interfaces interfaces;
    v2_blob::Block block = v2_at(0, rows_at(0));
    for (v2_blob::Instance& instance : block.results[0].instances)
        instance.values.back() = v2_blob::Value(instance.name == u"one" ? 7 : 8);  // 8 bytes, of which V1 has 4
    const Comparison found = interfaces.v1(v1_at(0, rows_at(0))).v2(block).finish();
    EXPECT_TRUE(found.agrees());
}

TEST(Compare, ObjectsOfOneInterfaceAreNoDifference) {
    blob::Block v1 = v1_at(0, rows_at(0));
    v1.objects[0].counters.push_back({.title = 6014});
    v1.objects.push_back({.title = 2, .counters = {{.title = 6}, {.title = 10}}, .values = {1, 2}});
    v2_blob::Registration known = registration();
    known.counters.push_back({.id = 9, .type = type::rawcount});
    Interfaces interfaces({}, known);
    v2_blob::Block v2 = v2_at(0, rows_at(0));
    v2.results[0].ids.push_back(9);
    for (v2_blob::Instance& instance : v2.results[0].instances) instance.values.emplace_back(v2_blob::u32(1));
    const Comparison found = interfaces.v1(v1).v2(v2).finish();
    EXPECT_TRUE(found.agrees());
    EXPECT_EQ(listed(found, Verdict::only_v1), "Set\\Other");
    EXPECT_EQ(listed(found, Verdict::only_v2), "set\\id 9");
    ASSERT_EQ(found.objects.size(), 1U);
    EXPECT_EQ(found.objects[0].verdict, Verdict::only_v1);
    EXPECT_EQ(found.objects[0].object, "System");
    EXPECT_EQ(found.objects[0].object_index, 2U);
    EXPECT_EQ(found.objects[0].counters, 2U);
}

TEST(Compare, ACounterWithAnUnknownId) {
    v2_blob::Block v2 = v2_at(0, {});
    v2.results = {{.type = v2_blob::multiple_instances, .instances = {{u"one", 0, {v2_blob::u32(7)}}}}};
    const Comparison found = Interfaces().v1(v1_at(0, rows_at(0))).v2(v2).finish();
    EXPECT_EQ(listed(found, Verdict::only_v2), "set\\id unknown");
    EXPECT_EQ(found.counters.back().counter_id, std::nullopt);
}

TEST(Compare, ComparingNothingIsNoAgreement) {
    Interfaces interfaces;
    blob::Block v1 = v1_at(0, {});
    v1.objects[0].title = 2;
    const Comparison found = interfaces.v1(v1).v2(v2_at(0, rows_at(0))).finish();
    EXPECT_EQ(found.pairs, 1U);
    EXPECT_FALSE(found.agrees());
    ASSERT_EQ(found.objects.size(), 2U);
    EXPECT_EQ(found.objects[1].verdict, Verdict::only_v2);
    EXPECT_EQ(found.objects[1].object, "set");
    EXPECT_EQ(found.objects[1].counterset, set_guid);
}

TEST(Compare, ObjectsByTheIndexOfTheRegistration) {
    Interfaces interfaces;
    const v2_blob::Chain info = v2_blob::build_registration(registration());
    interfaces.reading().countersets.add({.guid = set_guid,
                                          .request = hkpd::v2::RegistrationRequest::counterset_struct,
                                          .title_index = 6014,
                                          .bytes = hkpd::Bytes(info.bytes())},
                                         {}, interfaces.reading().diagnostics);
    blob::Block v1 = v1_at(0, rows_at(0));
    v1.objects[0].title = 6014;  // which has another name
    const Comparison found = interfaces.v1(v1).v2(v2_at(0, rows_at(0))).finish();
    EXPECT_TRUE(found.agrees());
    EXPECT_EQ(counter(found, "Amount").object_index, 6014U);
}

TEST(Compare, InstancesOfOneInterface) {
    std::vector<Row> fewer = rows_at(0);
    fewer.pop_back();
    Interfaces interfaces;
    const Comparison found = interfaces.v1(v1_at(0, fewer)).v2(v2_at(0, rows_at(0))).finish();
    EXPECT_FALSE(found.agrees());
    EXPECT_EQ(found.count(Verdict::differs), 0U);
    EXPECT_EQ(instances(found), "only_v2 Set(two) differs");

    // It may have started between the two times.
    Interfaces apart;
    const Comparison later = apart.v1(v1_at(0, fewer)).v2(v2_at(0.01, rows_at(0))).finish();
    EXPECT_TRUE(later.agrees());
    EXPECT_EQ(later.largest_gap, 10'000'000);
    EXPECT_EQ(instances(later), "only_v2 Set(two)");

    Interfaces tolerant({.tolerance = 1});
    EXPECT_TRUE(tolerant.v1(v1_at(0, rows_at(0))).v2(v2_at(0, fewer)).finish().agrees());
}

TEST(Compare, InstancesWithEqualNamesMatchByPosition) {
    const std::vector<Row> v1{{u"x", {1}}, {u"y", {2}}, {u"X", {3}}, {u"x", {4}}};
    const std::vector<Row> v2{{u"x", {1}}, {u"x", {3}}, {u"x", {5}}, {u"Y", {2}}};
    Interfaces interfaces;
    const Comparison found = interfaces.v1(v1_at(0, v1)).v2(v2_at(0, v2)).finish();
    EXPECT_TRUE(found.instances.empty());
    const hkpd::ComparedCounter& amount = counter(found, "Amount");
    EXPECT_EQ(amount.values, 4U);
    EXPECT_EQ(amount.raw_differ, 1U);
    ASSERT_TRUE(amount.first);
    EXPECT_EQ(amount.first->instance, "x#2");
    EXPECT_EQ(amount.first->v1_raw, 4U);
    EXPECT_EQ(amount.first->v2_raw, 5U);
}

TEST(Compare, SetsWithoutInstances) {
    v2_blob::Registration known = registration();
    known.instance_type = 0;
    Interfaces interfaces({}, known);
    blob::Block v1 = v1_at(0, {});
    v1.objects[0].kind = blob::Kind::single;
    v1.objects[0].values = {1, 2, 3, 5, 4, 5};
    v2_blob::Block v2 = v2_at(0, {});
    v2.results[0] = {.type = v2_blob::multiple_counters,
                     .ids = {0, 1, 3, 4, 5},
                     .values = {v2_blob::u32(1), 2, 3, 4, v2_blob::u32(5)}};
    const Comparison found = interfaces.v1(v1).v2(v2).finish();
    EXPECT_TRUE(found.agrees());
    EXPECT_EQ(counter(found, "Amount").values, 1U);
    EXPECT_TRUE(found.instances.empty());
}

TEST(Compare, ResultsOfOneSetAddUp) {
    v2_blob::Block v2 = v2_at(0, rows_at(1));
    v2_blob::Result all = v2.results[0], first = all, second = all;
    first.instances.pop_back();
    second.instances.erase(second.instances.begin());
    v2.results = {first, second};
    Interfaces interfaces;
    const Comparison found = interfaces.v1(v1_at(0, rows_at(1))).v2(v2).finish();
    EXPECT_TRUE(found.agrees()) << instances(found);
    EXPECT_TRUE(found.instances.empty());
    EXPECT_EQ(counter(found, "Amount").values, 2U);
}

TEST(Compare, DamagedValuesAreNeverEqual) {
    v2_blob::Block v2 = v2_at(0, rows_at(0));
    v2_blob::Blob blob = v2_blob::build(v2);
    blob::Block shape = v1_at(0, rows_at(0));
    shape.objects[0].instances[0].block_length = 16;  // without the averages
    shape.objects[0].instances[1].block_length = 16;
    Interfaces interfaces;
    const Comparison found = interfaces.v1(shape).v2(v2).finish();
    EXPECT_FALSE(found.agrees());
    const hkpd::ComparedCounter& average = counter(found, "First Average");
    EXPECT_NE(average.raw_differ, 0U);
    ASSERT_TRUE(average.first);
    EXPECT_FALSE(average.first->v1_raw);
    EXPECT_EQ(average.first->v2_raw, 0U);
}

TEST(Compare, ToleranceAppliesToCookedValues) {
    std::vector<Row> moved = rows_at(10);
    moved[0].values[1] += 30;  // 1000 and 1030 per second
    for (const double tolerance : {0.0, 2.0, 3.0}) {
        Interfaces interfaces({.tolerance = tolerance});
        interfaces.both(0, rows_at(0));
        const Comparison found = interfaces.v1(v1_at(1, rows_at(10))).v2(v2_at(1, moved)).finish();
        EXPECT_EQ(found.agrees(), tolerance == 3.0) << tolerance;
        EXPECT_EQ(counter(found, "Rate").raw_differ, tolerance == 0 ? 1U : 0U);
    }
}

TEST(Compare, PairsAreTheNearestWithinTheWindow) {
    Interfaces interfaces;
    const Comparison found = interfaces.v1(v1_at(0, rows_at(0)))
                                 .v1(v1_at(1, rows_at(0)))
                                 .v2(v2_at(1.1, rows_at(0)))
                                 .v1(v1_at(1.3, rows_at(0)))
                                 .v1(v1_at(4, rows_at(0)))
                                 .v2(v2_at(4.6, rows_at(0)))
                                 .v1(v1_at(6, rows_at(0)))
                                 .finish();
    EXPECT_EQ(found.pairs, 1U);
    EXPECT_EQ(found.largest_gap, 100'000'000);
    EXPECT_EQ(found.v1_alone, 4U);
    EXPECT_EQ(found.v2_alone, 1U);
}

TEST(Compare, EachSampleHasOnePartner) {
    Interfaces interfaces;  // the second V2 sample is nearer to V1's than the first, which has no other partner
    const Comparison found = interfaces.v2(v2_at(0.8, rows_at(0)))
                                 .v1(v1_at(1.01, rows_at(0)))
                                 .v2(v2_at(1.0, rows_at(0)))
                                 .v2(v2_at(1.2, rows_at(0)))
                                 .finish();
    EXPECT_EQ(found.pairs, 1U);
    EXPECT_EQ(found.largest_gap, 10'000'000);
    EXPECT_EQ(found.v1_alone, 0U);
    EXPECT_EQ(found.v2_alone, 2U);
}

TEST(Compare, OneInterfaceAfterTheOther) {
    for (const bool v1_first : {true, false}) {
        Interfaces interfaces;
        for (const bool first : {true, false}) {
            for (const std::uint32_t second : {0U, 1U, 2U, 3U}) {
                if (v1_first == first)
                    interfaces.v1(v1_at(second, rows_at(second)));
                else
                    interfaces.v2(v2_at(second, rows_at(second)));
            }
        }
        const Comparison found = interfaces.finish();
        EXPECT_TRUE(found.agrees());
        EXPECT_EQ(found.pairs, 4U);
        EXPECT_EQ(found.rates_apart, 0U);
    }
}

TEST(Compare, RatesOverOtherIntervalsAreNotCompared) {
    Interfaces interfaces;
    interfaces.v1(v1_at(0, rows_at(5)));  // V2 was not queried yet
    interfaces.both(1, rows_at(7)).both(2, rows_at(8));
    const Comparison found = interfaces.finish();
    EXPECT_TRUE(found.agrees());
    EXPECT_EQ(found.pairs, 2U);
    EXPECT_EQ(found.rates_apart, 1U);
    EXPECT_EQ(counter(found, "Rate").values, 4U);
    EXPECT_EQ(counter(found, "Rate").cooked, 2U);
    EXPECT_EQ(counter(found, "Amount").cooked, 4U);
}

TEST(Compare, MachinesAreKeptApart) {
    Interfaces interfaces;
    const Comparison found =
        interfaces.v1(v1_at(0, rows_at(0))).v2(v2_at(0, rows_at(1)), "OTHER").v2(v2_at(0, rows_at(0)), "m").finish();
    EXPECT_TRUE(found.agrees());
    EXPECT_EQ(found.pairs, 1U);
    EXPECT_EQ(found.v2_alone, 1U);
}

TEST(Compare, BareFilesHaveNoMachine) {
    Interfaces v1_first;
    EXPECT_EQ(v1_first.v1(v1_at(0, rows_at(0))).v2(v2_at(0, rows_at(0)), "").finish().pairs, 1U);
    Interfaces v2_first;
    EXPECT_EQ(v2_first.v2(v2_at(0, rows_at(0)), "").v1(v1_at(0, rows_at(0))).finish().pairs, 1U);
    Interfaces neither;
    blob::Block nameless = v1_at(0, rows_at(0));
    nameless.machine.clear();
    EXPECT_EQ(neither.v2(v2_at(0, rows_at(0)), "").v1(nameless).finish().pairs, 1U);
    Interfaces several;
    EXPECT_EQ(several.v2(v2_at(0, rows_at(0)), "A")
                  .v2(v2_at(0, rows_at(0)), "B")
                  .v2(v2_at(0, rows_at(0)), "")
                  .v1(v1_at(0, rows_at(0)))
                  .finish()
                  .pairs,
              0U);
}

TEST(Compare, WaitingSamplesAreLimited) {
    Interfaces interfaces({.buffer = 20'000});
    for (std::uint32_t second = 0; second < 100; ++second) interfaces.v1(v1_at(second, rows_at(second)));
    for (std::uint32_t second = 0; second < 100; ++second) interfaces.v2(v2_at(second, rows_at(second)));
    const Comparison found = interfaces.finish();
    EXPECT_GT(found.evicted, 50U);
    EXPECT_GT(found.pairs, 0U);
    EXPECT_EQ(found.pairs + found.v1_alone, 100U);
    EXPECT_EQ(found.v1_alone, found.evicted);
    EXPECT_TRUE(found.agrees());
}

TEST(Compare, EntriesBeyondTheListAreCounted) {
    std::vector<Row> v1, v2;
    for (char16_t i = 0; i < 30; ++i) {
        v1.push_back({std::u16string(1, u'A' + i)});
        v2.push_back({std::u16string(2, u'A' + i)});
    }
    v2.push_back({u"A"});
    Interfaces interfaces({.buffer = 12'000});
    const Comparison found = interfaces.v1(v1_at(0, v1)).v2(v2_at(0, v2)).finish();
    EXPECT_EQ(found.pairs, 1U);
    EXPECT_GT(found.instances.size(), 0U);
    EXPECT_EQ(found.unlisted + found.instances.size(), 59U);
    EXPECT_EQ(found.unlisted, found.unlisted_differ);
    EXPECT_FALSE(found.agrees());
}

TEST(Compare, SamplesWithoutATimeHaveNoPartner) {
    blob::Block v1 = v1_at(0, rows_at(0));
    v1.perf_time_100ns = 0;
    v1.system_time.month = 13;
    Interfaces interfaces;
    const Comparison found = interfaces.v1(v1).v2(v2_at(0, rows_at(0))).finish();
    EXPECT_EQ(found.pairs, 0U);
    EXPECT_EQ(found.v1_alone, 1U);
    EXPECT_EQ(found.v2_alone, 1U);
}

TEST(Compare, CostsOfACapture) {
    const hkpd::CollectionCost cost = hkpd::read_collection_cost({{"machine", "M"},
                                                                  {"v1_samples", "5"},
                                                                  {"v1_bytes", "500"},
                                                                  {"v1_nanoseconds", "12345678901"},
                                                                  {"v2_samples", "five"},
                                                                  {"v2_bytes", "-1"}});
    EXPECT_EQ(cost.machine, "M");
    EXPECT_EQ(cost.v1.samples, 5U);
    EXPECT_EQ(cost.v1.bytes, 500U);
    EXPECT_EQ(cost.v1.nanoseconds, 12'345'678'901U);
    EXPECT_EQ(cost.v2.samples + cost.v2.bytes + cost.v2.nanoseconds, 0U);
}

TEST(Compare, ALogTakesThePlaceOfV1) {
    Interfaces interfaces;
    for (const std::uint32_t second : {1U, 2U})
        interfaces.log(v1_at(second, rows_at(second))).v2(v2_at(second, rows_at(second)));
    const Comparison found = interfaces.finish();
    EXPECT_EQ(found.v1_samples, 2U);
    EXPECT_EQ(found.pairs, 2U);
    EXPECT_EQ(found.rates_apart, 0U);
    EXPECT_TRUE(found.agrees());
    EXPECT_EQ(counter(found, "Rate").object_index, 6000U);
    EXPECT_EQ(counter(found, "Rate").counter_index, 6004U);
}

/// Checks that rates of a log and of V1 whose samples alternate are over intervals of their own.
TEST(Compare, ALogAndV1AreSeparateStreams) {
    Interfaces interfaces;
    for (const std::uint32_t second : {1U, 2U, 3U})
        interfaces.log(v1_at(second, rows_at(second))).both(second + 0.25, rows_at(second));
    const Comparison found = interfaces.finish();
    EXPECT_EQ(found.v1_samples, 6U);
    EXPECT_EQ(found.pairs, 3U);
    EXPECT_EQ(found.v1_alone, 3U);
    EXPECT_EQ(found.rates_apart, 0U);
}

/// Checks that raw counters of a log are compared by name, and that the numbers used as their indices are not shown.
TEST(Compare, RawCountersOfALogHaveNoIndex) {
    log_file::Log log{.events = {catalogue_event({{.form = log_file::Form::instances,
                                                   .machine = u"\\\\M",
                                                   .object = u"Set",
                                                   .instance = u"*",
                                                   .counter = u"amount"},
                                                  {.machine = u"\\\\M", .object = u"Alone", .counter = u"x"}})}};
    log.events.push_back(row_event({log_file::instances({.instances = {{u"one", 7}, {u"two", 8}}, .time = log_time}),
                                    log_file::raw({.first = 1})}));
    log.events.push_back(trailer_event(1));
    v2_blob::Block block = v2_at(0, rows_at(1));
    block.perf_time_100ns = log_utc;
    const Comparison found = Interfaces().log(log).v2(block).finish();
    EXPECT_EQ(found.pairs, 1U);
    EXPECT_EQ(listed(found, Verdict::equal), "Set\\amount");
    EXPECT_EQ(counter(found, "amount").object_index, std::nullopt);
    EXPECT_EQ(counter(found, "amount").counter_index, std::nullopt);
    EXPECT_EQ(counter(found, "amount").counter_id, 0U);
    ASSERT_EQ(found.objects.size(), 1U);
    EXPECT_EQ(found.objects[0].object, "Alone");
    EXPECT_EQ(found.objects[0].object_index, std::nullopt);
}

}  // namespace compare_test
}  // namespace hkpd_test
