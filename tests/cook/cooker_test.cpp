// Cooking of complete samples: instances that come, go and swap places, damage, and memory that is reused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/cook.hpp"
#include "identity/matcher.hpp"
#include "support/blob_builder.hpp"
#include "support/cook_text.hpp"
#include "support/count_allocations.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace cooker_test {

using hkpd::Cooker;
using hkpd::CookOptions;
namespace type = blob::counter_type;

constexpr std::int64_t rate = 10'000'000;  // of the blocks, and of 100 ns

/// Returns a list of instances by name, with their values.
struct Named {
    std::u16string name;
    std::vector<blob::Value> values;
};

blob::Object list(std::vector<blob::Counter> counters, const std::vector<Named>& instances, std::uint32_t title = 2) {
    blob::Object object{.title = title, .kind = blob::Kind::multi, .counters = std::move(counters)};
    for (const Named& named : instances) object.instances.push_back({.name = named.name, .values = named.values});
    return object;
}

/// Returns a block at a second.
blob::Block second(std::int64_t number, std::vector<blob::Object> objects) {
    return {.objects = std::move(objects),
            .perf_time = number * rate,
            .perf_freq = rate,
            .perf_time_100ns = 132'444'736'000'000'000 + number * rate};
}
blob::Blob blob_of(std::int64_t number, std::vector<blob::Object> objects) {
    return blob::build(second(number, std::move(objects)));
}

/// Returns the cooked values of a column: `25,- instance_new`.
std::string texts(Cooker& cooker, std::size_t object, std::size_t column) {
    const hkpd::CookedColumn cooked = cooker.column(object, column);
    EXPECT_EQ(cooked.values.size(), cooked.reasons.size());
    std::string text;
    for (std::size_t row = 0; row < cooked.values.size(); ++row)
        text.append(row == 0 ? "" : ",").append(cooked_text(cooked[row]));
    return text;
}

/// Returns all columns of the last of some samples, `|` between columns, `/` between objects.
std::string all_texts(Cooker& cooker, const hkpd::Sample* before, const hkpd::Sample& now) {
    cooker.begin(before, now);
    std::string text;
    for (std::size_t o = 0; o < now.objects().size(); ++o) {
        text += o == 0 ? "" : "/";
        for (std::size_t c = 0; c < now.objects()[o].columns.size(); ++c)
            text.append(c == 0 ? "" : "|").append(texts(cooker, o, c));
    }
    return text;
}

std::string cook_blobs(std::vector<blob::Blob> blobs, const CookOptions& options = {}) {
    const auto samples = read_blobs(std::move(blobs));
    if (samples->all.empty() || samples->all.size() > 2) return std::to_string(samples->all.size()) + " samples";
    Cooker cooker(options);
    return all_texts(cooker, samples->all.size() == 2 ? &samples->all[0] : nullptr, samples->all.back());
}

const blob::Counter per_second{.title = 10, .type = type::counter}, raw{.title = 12};

TEST(Cooker, FirstSample) {
    EXPECT_EQ(cook_blobs({blob_of(1, {list({per_second, raw}, {{u"a", {5, 6}}, {u"b", {7, 8}}})})}),
              "- first_sample,- first_sample|6,8");
}

TEST(Cooker, Neighbours) {
    const std::vector<blob::Counter> counters{per_second, raw, {.title = 14, .type = type::timer_100ns, .size = 8}};
    EXPECT_EQ(cook_blobs({blob_of(1, {list(counters, {{u"a", {5, 6, 100}}, {u"b", {7, 8, 0}}})}),
                          blob_of(3, {list(counters, {{u"a", {25, 3, 5'000'100}}, {u"b", {7, 4, 20'000'000}}})})}),
              "10,0|3,4|25,100");
}

TEST(Cooker, RatesUseTheBlocksClock) {
    blob::Object before = list({per_second}, {{u"a", {0}}}), now = list({per_second}, {{u"a", {20}}});
    before.perf_time = 100, now.perf_time = 101, before.perf_freq = now.perf_freq = 1;
    EXPECT_EQ(cook_blobs({blob_of(1, {before}), blob_of(3, {now})}), "10");
    // Timers of the object use its own clock: 100·(30 − 0)/(200 − 100) = 30
    before = list({{.title = 10, .type = 0x2061'0500, .size = 8}}, {{u"a", {0}}}), now = before;
    now.instances[0].values = {30};
    before.perf_time = 100, now.perf_time = 200, before.perf_freq = now.perf_freq = 1;
    EXPECT_EQ(cook_blobs({blob_of(1, {before}), blob_of(3, {now})}), "30");
}

TEST(Cooker, InstancesComeGoAndSwapPlaces) {
    EXPECT_EQ(cook_blobs({blob_of(1, {list({per_second}, {{u"a", {100}}, {u"b", {200}}, {u"gone", {300}}})}),
                          blob_of(2, {list({per_second}, {{u"new", {900}}, {u"b", {205}}, {u"a", {103}}})})}),
              "- instance_new,5,3");
    // The example of Microsoft Learn: a process in the slot of one that ended gives 500, not 1480.
    const std::vector<blob::Counter> delta{{.title = 10, .type = 0x0040'0400}};
    EXPECT_EQ(cook_blobs({blob_of(1, {list(delta, {{u"ended", {20}}, {u"stays", {1000}}})}),
                          blob_of(2, {list(delta, {{u"stays", {1500}}})})}),
              "500");
    EXPECT_EQ(cook_blobs({blob_of(1, {list(delta, {{u"a", {1}}})}), blob_of(2, {list(delta, {})})}), "");
}

TEST(Cooker, TheFirstOfEqualNamesMatchesTheFirst) {
    EXPECT_EQ(cook_blobs({blob_of(1, {list({per_second}, {{u"x", {10}}, {u"x", {20}}})}),
                          blob_of(2, {list({per_second}, {{u"x", {11}}, {u"x", {22}}, {u"x", {33}}})})}),
              "1,2,- instance_new");
}

TEST(Cooker, NewObjectsAndCounters) {
    const auto there = [](std::uint32_t title) { return list({per_second, raw}, {{u"a", {7, 8}}}, title); };
    EXPECT_EQ(cook_blobs({blob_of(1, {there(4)}), blob_of(2, {there(2), there(4)})}), "- first_sample|8/0|8");

    blob::Counter other = per_second;
    other.title = 20;
    EXPECT_EQ(cook_blobs({blob_of(1, {list({per_second, raw}, {{u"a", {7, 8}}})}),
                          blob_of(2, {list({other, raw, per_second}, {{u"a", {1, 9, 9}}})})}),
              "- counter_new|9|2");
    blob::Counter wide = per_second;
    wide.type = type::bulk_count, wide.size = 8;
    EXPECT_EQ(cook_blobs({blob_of(1, {list({per_second}, {{u"a", {7}}})}), blob_of(2, {list({wide}, {{u"a", {9}}})})}),
              "- type_changed");
}

TEST(Cooker, BasesOfBothSamples) {
    const std::vector<blob::Counter> counters{{.title = 10, .type = type::average_bulk, .size = 8},
                                              {.title = 12, .type = type::average_base},
                                              {.title = 14, .type = type::precision_100ns_timer, .size = 8},
                                              {.title = 14, .type = type::precision_timestamp, .size = 8}};
    // (45056 − 4096)/(8 − 3) = 8192; 100·(50 − 0)/(1200 − 1000) = 25
    EXPECT_EQ(cook_blobs({blob_of(1, {list(counters, {{u"a", {4096, 3, 0, 1000}}})}),
                          blob_of(2, {list(counters, {{u"a", {45056, 8, 50, 1200}}})})}),
              "8192|- not_displayable|25|- not_displayable");
}

TEST(Cooker, MultiTimersFollowedByTheirCount) {
    const std::vector<blob::Counter> counters{{.title = 10, .type = 0x2251'0500, .size = 8}, raw};
    // 100·((20000000 − 0)/10000000)/4 = 50, with the later count
    EXPECT_EQ(cook_blobs({blob_of(1, {list(counters, {{u"a", {0, 2}}})}),
                          blob_of(2, {list(counters, {{u"a", {20'000'000, 4}}})})}),
              "50|4");
}

TEST(Cooker, DamageOfEitherSampleGivesNoNumber) {
    const std::vector<blob::Counter> counters{per_second, raw};
    const auto blobs = [&](std::initializer_list<std::size_t> broken) {
        std::vector<blob::Blob> made;
        for (const std::int64_t number : {1, 2})
            made.push_back(blob_of(number, {list(counters, {{u"a", {5 * number, 3}}, {u"b", {7 * number, 4}}})}));
        for (const std::size_t k : broken)
            made[k].put32(made[k].counter(0, 0) + blob::counter_definition::CounterOffset, 1U << 20);
        return made;
    };
    EXPECT_EQ(cook_blobs(blobs({})), "5,7|3,4");
    for (const CookOptions& options : {CookOptions{}, CookOptions{.clamp = true}}) {
        EXPECT_EQ(cook_blobs(blobs({0}), options), "- damaged,- damaged|3,4");
        EXPECT_EQ(cook_blobs(blobs({1}), options), "- damaged,- damaged|3,4");
        EXPECT_EQ(cook_blobs(blobs({0, 1}), options), "- damaged,- damaged|3,4");
    }
}

TEST(Cooker, DamageOfOneInstanceIsItsOwn) {
    const auto blob = [](std::int64_t number, bool broken) {
        blob::Object object =
            list({raw, per_second}, {{u"a", {1, 5 * number}}, {u"b", {2, 6 * number}}, {u"c", {3, 7 * number}}});
        if (broken) object.instances[1].block_length = 8;  // only long enough for the first value
        return blob_of(number, {object});
    };
    EXPECT_EQ(cook_blobs({blob(1, false), blob(2, true)}), "1,2,3|5,- damaged,7");
    EXPECT_EQ(cook_blobs({blob(1, true), blob(2, false)}), "1,2,3|5,- damaged,7");
}

TEST(Cooker, ScaleIsAPowerOfTen) {
    const auto scaled = [](std::int32_t scale, std::uint64_t value, bool on) {
        blob::Counter counter{.title = 10, .type = type::large_rawcount, .size = 8, .scale = scale};
        return cook_blobs({blob_of(1, {list({counter}, {{u"a", {value}}})})}, {.scale = on});
    };
    EXPECT_EQ(scaled(-3, 2500, true), "2.5");
    EXPECT_EQ(scaled(-3, 2500, false), "2500");
    EXPECT_EQ(scaled(2, 25, true), "2500");
    EXPECT_EQ(scaled(0, 25, true), "25");
    EXPECT_EQ(scaled(-7, 70'000'000, true), "7");
    EXPECT_EQ(scaled(7, 7, true), number_text(7e7));
    EXPECT_EQ(scaled(-1, 7, true), "0.7");  // the nearest double: 7 × 0.1 is another one
    EXPECT_EQ(scaled(-5, 3, true), number_text(3e-5));
    EXPECT_EQ(scaled(-1, 0, true), "0");
}

TEST(Cooker, InvalidScalesStillGiveANumberOrAReason) {
    for (const std::int32_t scale : {8, 400, -400, INT32_MAX, INT32_MIN})
        for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{7}}) {
            blob::Counter counter{.title = 10, .type = type::large_rawcount, .size = 8, .scale = scale};
            const auto samples = read_blobs({blob_of(1, {list({counter}, {{u"a", {value}}})})});
            Cooker cooker({.scale = true});
            cooker.begin(nullptr, samples->all.at(0));
            const hkpd::CookedValue cooked = cooker.column(0, 0)[0];
            EXPECT_EQ(cooked.has_value(), cooked.reason == hkpd::Reason::none) << scale;
            EXPECT_FALSE(std::isinf(cooked.value)) << scale;
        }
}

TEST(Cooker, TextIsNoValue) {
    const std::vector<blob::Counter> counters{{.title = 10, .type = type::text_unicode, .size = 8},
                                              {.title = 12, .size = 3},
                                              {.title = 14, .type = type::counter, .size = 3},
                                              raw};
    const std::vector<Named> instances{{u"a", {blob::utf16(u"abc"), std::string("abc"), std::string("abc"), 9}}};
    const std::string expected = "- not_displayable|- not_a_number|- not_a_number|9";
    EXPECT_EQ(cook_blobs({blob_of(1, {list(counters, instances)}), blob_of(2, {list(counters, instances)})}), expected);
}

TEST(Cooker, HasItsOptionsSamplesAndMatches) {
    const auto samples = read_blobs({blob_of(1, {list({per_second}, {{u"a", {1}}, {u"b", {2}}})}),
                                     blob_of(2, {list({per_second}, {{u"b", {3}}, {u"c", {4}}})})});
    Cooker cooker({.cap = false, .clamp = true});
    EXPECT_TRUE(cooker.options().clamp);
    EXPECT_FALSE(cooker.options().cap);
    cooker.begin(&samples->all[0], samples->all[1]);
    EXPECT_EQ(cooker.before(), &samples->all[0]);
    EXPECT_EQ(cooker.matches().object(0), 0U);
    const auto rows = cooker.matches().rows(0);
    EXPECT_EQ(std::vector(rows.begin(), rows.end()), (std::vector<std::uint32_t>{1, hkpd::no_index}));
    cooker.begin(nullptr, samples->all[1]);
    EXPECT_EQ(cooker.before(), nullptr);
}

/// Blocks of a machine on which everything comes, goes, moves and breaks.
class Machine {
  public:
    blob::Blob next() {
        std::vector<blob::Object> objects;
        for (const std::uint32_t title : {2U, 4U, 6U, 8U})
            if (below(5) != 0) objects.push_back(object(title));
        blob::Blob blob = blob_of(++number_, objects);
        for (std::size_t k = 0; k < blob.object_count(); ++k)
            if (below(6) == 0)
                blob.put32(blob.counter(k, below(3)) + blob::counter_definition::CounterOffset, 4 * below(40));
        return blob;
    }

  private:
    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

    blob::Object object(std::uint32_t title) {
        std::vector<blob::Counter> counters{per_second, raw};
        for (const std::uint32_t bits : {0x20020400U, 0x40030403U, 0x21510500U, 0x40020500U, 0x40030402U, 0x20570500U,
                                         0x40030500U, 0x22410500U, 0x30240500U, 0x00400400U})
            if (below(8) != 0)
                counters.push_back({.title = bits >> 4 & 0xFFFE,
                                    .type = below(20) == 0 ? type::large_rawcount : bits,
                                    .size = below(20) == 0  ? 3
                                            : bits >> 8 & 1 ? 8U
                                                            : 4U,
                                    .scale = static_cast<std::int32_t>(below(3)) - 1});
        std::vector<Named> instances;
        for (std::uint32_t count = below(7), i = 0; i < count; ++i) {
            instances.push_back({std::u16string(1, static_cast<char16_t>(u'a' + below(5))), {}});
            for (std::size_t c = 0; c < counters.size(); ++c)
                instances.back().values.emplace_back(static_cast<std::uint64_t>(number_) * 100 + below(300));
        }
        blob::Object object = list(std::move(counters), instances, title);
        if (below(2) == 0) object.perf_time = number_ * 100, object.perf_freq = 100;
        return object;
    }

    std::mt19937 random_{7};
    std::int64_t number_ = 0;
};

TEST(CookerReuse, AReusedCookerEqualsANewOne) {
    Machine machine;
    std::vector<blob::Blob> blobs;
    for (int i = 0; i < 300; ++i) blobs.push_back(machine.next());
    const auto samples = read_blobs(std::move(blobs));
    ASSERT_EQ(samples->all.size(), 300U);
    const CookOptions options{.clamp = true, .unwrap = true, .scale = true};
    Cooker used(options);
    std::string seen;
    for (std::size_t i = 0; i < samples->all.size(); ++i) {
        const hkpd::Sample* const before = i % 50 == 0 ? nullptr : &samples->all[i - 1];
        Cooker fresh(options);
        const std::string expected = all_texts(fresh, before, samples->all[i]);
        ASSERT_EQ(all_texts(used, before, samples->all[i]), expected) << i;
        seen += expected;
    }
    for (const char* const reason : {"first_sample", "instance_new", "counter_new", "type_changed", "damaged",
                                     "counter_went_back", "not_a_number", "no_base", "no_clock"})
        EXPECT_NE(seen.find(reason), std::string::npos) << reason;
}

TEST(CookerReuse, AColumnMayBeRequestedAgain) {
    const auto samples = read_blobs({blob_of(1, {list({per_second, raw}, {{u"a", {1, 2}}})}),
                                     blob_of(2, {list({per_second, raw}, {{u"a", {3, 4}}})})});
    Cooker cooker({});
    cooker.begin(&samples->all[0], samples->all[1]);
    const hkpd::CookedColumn first = cooker.column(0, 0);
    EXPECT_EQ(texts(cooker, 0, 1), "4");
    EXPECT_EQ(texts(cooker, 0, 0), "2");
    EXPECT_EQ(cooker.column(0, 0).values.data(), first.values.data());
    EXPECT_EQ(cooked_text(first[0]), "2");
    cooker.begin(&samples->all[1], samples->all[0]);
    EXPECT_EQ(texts(cooker, 0, 0), "- clock_went_back");
}

TEST(CookerReuse, SteadyStateAllocatesNothing) {
#ifdef HKPD_SANITIZED
    GTEST_SKIP() << "a sanitizer has its own operator new";
#endif
    const std::vector<blob::Counter> counters{per_second, raw, {.title = 784}};
    std::vector<Named> instances;
    for (int i = 0; i < 500; ++i)
        instances.push_back({std::u16string(40, static_cast<char16_t>(u'a' + i % 9)), {i, i, i}});
    std::vector<blob::Blob> blobs;
    for (const int number : {1, 2, 3})
        blobs.push_back(blob_of(number, {list(counters, instances, 230), list(counters, instances, 4)}));
    const auto samples = read_blobs(std::move(blobs));
    Cooker cooker({});
    std::size_t count = 0;
    for (int i = 0; i < 6; ++i) {
        const std::size_t start = allocations();
        cooker.begin(&samples->all[static_cast<std::size_t>(i % 2)], samples->all[static_cast<std::size_t>(i % 2) + 1]);
        double sum = 0;
        for (std::size_t o = 0; o < 2; ++o)
            for (std::size_t c = 0; c < counters.size(); ++c) sum += cooker.column(o, c)[499].value;
        EXPECT_EQ(sum, 2 * 2 * 499);
        count = allocations() - start;
        EXPECT_TRUE(i != 0 || count != 0);
    }
    EXPECT_EQ(count, 0U);
}

}  // namespace cooker_test
}  // namespace hkpd_test
