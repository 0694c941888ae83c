// Matching of the instances of a sample to those of the sample before.
#include "identity/matcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/count_allocations.hpp"
#include "support/identity_samples.hpp"
#include "support/processor_time.hpp"

namespace hkpd_test {
namespace matcher_test {

using Objects = std::vector<blob::Object>;

/// Two samples and the instances of the first found in the second.
struct Pair {
    Pair(Objects before, Objects now) : Pair(at_second(0, std::move(before)), at_second(1, std::move(now))) {}
    Pair(blob::Blob before, blob::Blob now) : samples(read_blobs({std::move(before), std::move(now)})) {
        matcher.match(samples->all.at(0), samples->all.at(1));
    }
    std::string rows(std::size_t object = 0) const { return places(matcher.rows(object)); }

    std::unique_ptr<Samples> samples;
    hkpd::Matcher matcher;
};

TEST(Matcher, TheThirdOfThirteenEndsAndTheOthersMoveUp) {
    const Pair pair({processes(service_hosts())}, {processes(service_hosts(2))});
    EXPECT_EQ(pair.matcher.size(), 1U);
    EXPECT_EQ(pair.matcher.object(0), 0U);
    EXPECT_EQ(pair.rows(), "0 1 2 3 5 6 7 8 9 10 11 12 13 14 15 16");
    const Pair back({processes(service_hosts(2))}, {processes(service_hosts())});
    EXPECT_EQ(back.rows(), "0 1 2 3 - 4 5 6 7 8 9 10 11 12 13 14 15");
}

TEST(Matcher, ThreadsFollowTheirProcesses) {
    const auto before = service_hosts(), now = service_hosts(2);
    // In the second sample the children come first.
    const Pair pair({processes(before), threads(threads_of(before))}, {threads(threads_of(now)), processes(now)});
    EXPECT_EQ(pair.matcher.object(0), 1U);
    EXPECT_EQ(pair.rows(0), "0 1 2 3 4 5 6 7 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33");
}

TEST(Matcher, ThreadsOfANewProcessAreNew) {
    // The new process has the position, the name and even the thread id of the old one.
    const Pair pair({processes({{u"a", 1}, {u"b", 2}}), threads({{u"0", 1, 50, 0}, {u"0", 2, 60, 1}})},
                    {processes({{u"a", 3}, {u"b", 2}}), threads({{u"0", 1, 50, 0}, {u"0", 2, 60, 1}})});
    EXPECT_EQ(pair.rows(0), "- 1");
    EXPECT_EQ(pair.rows(1), "- 1");
}

TEST(Matcher, BothIdsOfAThreadCount) {
    const auto matched = [](const Thread& before, const Thread& now) {
        return Pair({processes({{u"a", 1}}), threads({before})}, {processes({{u"a", 1}}), threads({now})}).rows(1);
    };
    EXPECT_EQ(matched({u"0", 1, 50, 0}, {u"0", 1, 50, 0}), "0");
    EXPECT_EQ(matched({u"0", 1, 50, 0}, {u"0", 1, 51, 0}), "-");
    EXPECT_EQ(matched({u"0", 1, 50, 0}, {u"0", 2, 50, 0}), "-");
    EXPECT_EQ(matched({u"0", 1, 50, 0}, {u"1", 1, 50, 0}), "-");
}

TEST(Matcher, AnotherProcessInTheSameSlotIsNew) {
    EXPECT_EQ(Pair({processes({{u"a", 1}, {u"a", 2}})}, {processes({{u"a", 1}, {u"a", 3}})}).rows(), "0 -");
    EXPECT_EQ(Pair({processes({{u"a", 1}, {u"b", 2}})}, {processes({{u"b", 2}, {u"a", 1}})}).rows(), "1 0");
    EXPECT_EQ(Pair({processes({{u"a", 1}})}, {processes({{u"A", 1}})}).rows(), "-");
}

TEST(Matcher, WithoutIdsTheFirstOfEqualNamesMatchesTheFirst) {
    const auto three = plain(510, {{.name = u"x"}, {.name = u"y"}, {.name = u"x"}, {.name = u"x"}});
    const auto two = plain(510, {{.name = u"x"}, {.name = u"x"}, {.name = u"y"}, {.name = u"z"}});
    EXPECT_EQ(Pair({three}, {two}).rows(), "0 2 1 -");
    EXPECT_EQ(Pair({two}, {three}).rows(), "0 2 1 -");
}

TEST(Matcher, UniqueIdsDistinguishInstances) {
    const auto before = plain(510, {{.name = u"x", .unique_id = 7}, {.name = u"x", .unique_id = 8}, {.name = u"x"}});
    const auto now = plain(510, {{.name = u"x"},
                                 {.name = u"x", .unique_id = 8},
                                 {.name = u"x", .unique_id = 9},
                                 {.name = u"y", .unique_id = 7}});
    EXPECT_EQ(Pair({before}, {now}).rows(), "2 1 - -");
}

TEST(Matcher, AMissingIdIsNotZero) {
    EXPECT_EQ(Pair({plain(process_object, {{.name = u"Idle"}})}, {processes({{u"Idle", 0}})}).rows(), "-");
}

TEST(Matcher, TextIsNoId) {
    const auto text = list(process_object, {{.title = id_process, .type = blob::counter_type::text_unicode, .size = 8}},
                           {{.name = u"a", .values = {blob::utf16(u"one")}}});
    auto other = text;
    other.instances[0].values = {blob::utf16(u"two")};
    EXPECT_EQ(Pair({text}, {other}).rows(), "0");
}

blob::Instance child(std::uint32_t parent, std::u16string name = u"0") {
    return {.name = std::move(name), .parent_object = 10, .parent = parent};
}

TEST(Matcher, ChildrenFollowParentsThatSwapPlaces) {
    const Pair pair({plain(10, {{.name = u"p"}, {.name = u"q"}}), plain(20, {child(0), child(1)})},
                    {plain(10, {{.name = u"q"}, {.name = u"p"}}), plain(20, {child(0), child(1)})});
    EXPECT_EQ(pair.rows(0), "1 0");
    EXPECT_EQ(pair.rows(1), "1 0");
}

TEST(Matcher, MissingParentsAreComparedByOrdinal) {
    const auto children = plain(20, {child(0), child(1), child(5)});
    const auto parents = plain(10, {{.name = u"p"}, {.name = u"q"}});
    EXPECT_EQ(Pair({children}, {plain(20, {child(1), child(0), child(2)})}).rows(), "1 0 -");
    // With the parents in only one of the samples, nothing shows whether they are the same. The last child has no
    // parent in either.
    EXPECT_EQ(Pair({children}, {children, parents}).rows(), "- - 2");
    EXPECT_EQ(Pair({children, parents}, {children}).rows(), "- - 2");
    EXPECT_EQ(Pair({children, parents}, {children, parents}).rows(), "0 1 2");
    // A child without a parent is another instance.
    EXPECT_EQ(Pair({plain(20, {{.name = u"0"}})}, {plain(20, {child(0)})}).rows(), "-");
}

TEST(Matcher, ParentsInAnObjectThatIsNoList) {
    const blob::Object system{.title = 10, .counters = {{.title = 6}}, .values = {1}};
    EXPECT_EQ(Pair({system, plain(20, {child(0)})}, {plain(20, {child(0)}), system}).rows(0), "0");
}

TEST(Matcher, ManyGenerations) {
    // The instances of each object are children of those of the next, much deeper than recursion could go.
    const auto chain = [](std::u16string eldest) {
        constexpr std::uint32_t depth = 20'000;
        Objects objects;
        for (std::uint32_t i = 1; i <= depth; ++i)
            objects.push_back(
                {.title = i, .kind = blob::Kind::multi, .instances = {{.name = u"x", .parent_object = i + 1}}});
        objects.back().instances[0] = {.name = std::move(eldest)};
        return objects;
    };
    const Pair same(chain(u"x"), chain(u"x"));
    EXPECT_EQ(same.rows(0), "0");
    EXPECT_EQ(same.rows(19'999), "0");
    EXPECT_EQ(Pair(chain(u"x"), chain(u"y")).rows(0), "-");
}

TEST(Matcher, CyclesOfParentsEnd) {
    const Objects self{plain(10, {{.name = u"a", .parent_object = 10}, child(0, u"b"), child(1, u"c")})};
    EXPECT_EQ(Pair(self, self).rows(), "0 1 2");
    const auto circle = [](std::u16string name) {
        return Objects{plain(10, {{.name = name, .parent_object = 20}, {.name = u"free"}}),
                       plain(20, {{.name = u"b", .parent_object = 30}}), plain(30, {child(0, u"c"), child(1, u"d")})};
    };
    const Pair same(circle(u"a"), circle(u"a"));
    for (const std::size_t object : {0U, 1U}) EXPECT_EQ(places(same.matcher.rows(object)).substr(0, 1), "0");
    EXPECT_EQ(same.rows(2), "0 1");
    const Pair other(circle(u"a"), circle(u"A"));
    EXPECT_EQ(other.rows(0), "- 1");
}

TEST(Matcher, DamagedNamesMatchNothing) {
    const Objects objects{plain(10, {{.name = u"a"}, {.name = u"b"}, {.name = u"c"}}), plain(20, {child(1), child(2)})};
    blob::Blob damaged = at_second(1, objects);
    damage_name(damaged, 0, 1);
    const Pair now(at_second(0, objects), damaged);
    EXPECT_EQ(now.rows(0), "0 - 2");
    EXPECT_EQ(now.rows(1), "- 1");
    blob::Blob before = at_second(0, objects);
    damage_name(before, 0, 1);
    EXPECT_EQ(Pair(before, at_second(1, objects)).rows(0), "0 - 2");
    EXPECT_EQ(Pair(before, damaged).rows(0), "0 - 2");
    EXPECT_EQ(Pair(before, damaged).rows(1), "- 1");
}

TEST(Matcher, DamagedIdsMatchNothing) {
    const auto valid = processes({{u"a", 0}, {u"a", 0}, {u"b", 2}});
    auto cut = valid;
    cut.instances[0].block_length = 8;  // the id is the second counter
    const Pair now({valid}, {cut});
    ASSERT_FALSE(now.samples->object(1, 0).columns[1].is_valid(0));
    EXPECT_EQ(now.rows(), "- 0 2");
    EXPECT_EQ(Pair({cut}, {valid}).rows(), "1 - 2");
    EXPECT_EQ(Pair({cut}, {cut}).rows(), "- 1 2");
}

TEST(Matcher, TheFirstOfARepeatedObjectIsUsed) {
    const auto a = plain(10, {{.name = u"x"}}), b = plain(10, {{.name = u"y"}, {.name = u"x"}});
    const Pair now({a}, {b, a});
    ASSERT_EQ(object_indices(now.samples->all.at(1)), "10,10");
    EXPECT_EQ(now.rows(0), "- 0");
    EXPECT_EQ(now.matcher.object(1), hkpd::no_index);
    EXPECT_TRUE(now.matcher.rows(1).empty());
    EXPECT_TRUE(now.matcher.columns(1).empty());
    EXPECT_EQ(Pair({b, a}, {a}).rows(), "1");
}

TEST(Matcher, NewObjectsAndObjectsWithoutAList) {
    const blob::Object system{.title = 2, .counters = {{.title = 6}}, .values = {1}};
    const blob::Object meta{.title = 4, .kind = blob::Kind::metadata_multi, .counters = {{.title = 6}}};
    const Pair pair({meta, system}, {plain(10, {{.name = u"x"}}), system, meta});
    EXPECT_EQ(pair.matcher.size(), 3U);
    EXPECT_EQ(pair.matcher.object(0), hkpd::no_index);
    EXPECT_TRUE(pair.matcher.rows(0).empty());
    EXPECT_EQ(pair.rows(1), "0");
    EXPECT_EQ(pair.matcher.object(2), 0U);
    EXPECT_EQ(pair.rows(2), "");
    EXPECT_EQ(places(pair.matcher.columns(2)), "0");
    // An object that was a list and is no longer one has nothing in common with it.
    EXPECT_EQ(Pair({plain(2, {{.name = u""}})}, {system}).rows(), "-");
    EXPECT_EQ(Pair({system}, {plain(2, {{.name = u""}})}).rows(), "-");
}

TEST(Matcher, ColumnsMatchByTitleIndex) {
    const auto columns = [](const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& now) {
        const auto object = [](const std::vector<std::uint32_t>& titles) {
            blob::Object made = plain(10, {{.name = u"x"}});
            made.counters.clear();
            for (const std::uint32_t title : titles) made.counters.push_back({.title = title});
            return made;
        };
        const Pair pair({object(before)}, {object(now)});
        return places(pair.matcher.columns(0));
    };
    EXPECT_EQ(columns({6, 8, 10}, {6, 8, 10}), "0 1 2");
    EXPECT_EQ(columns({6, 8, 10}, {10, 6, 8}), "2 0 1");
    EXPECT_EQ(columns({6, 8, 10}, {6, 10}), "0 2");
    EXPECT_EQ(columns({6, 10}, {6, 8, 10, 12}), "0 - 1 -");
    EXPECT_EQ(columns({6, 0, 8, 0}, {6, 0, 8, 0}), "0 1 2 3");
    EXPECT_EQ(columns({6, 0, 8, 0}, {0, 8, 0, 6, 0}), "1 2 3 0 -");
    EXPECT_EQ(columns({}, {6}), "-");
    EXPECT_EQ(columns({6}, {}), "");
}

TEST(Matcher, ColumnsWithANewTypeStillMatch) {
    blob::Object other = plain(10, {});
    other.counters = {{.title = 6, .type = blob::counter_type::large_rawcount, .size = 8}};
    EXPECT_EQ(places(Pair({plain(10, {})}, {other}).matcher.columns(0)), "0");
}

/// Checks the cost of the worst list: many instances with one name, then the same in reverse order.
TEST(Matcher, ReversedListsAreAsFastAsSorting) {
    constexpr std::uint32_t count = 100'000;
    blob::Object before = processes({});
    for (std::uint32_t i = 0; i < count; ++i) before.instances.push_back({.name = u"svchost", .values = {1, i}});
    blob::Object now = before;
    std::ranges::reverse(now.instances);
    Pair pair({before}, {now});
    const hkpd_test::ProcessorTime used;
    pair.matcher.match(pair.samples->all[0], pair.samples->all[1]);
    EXPECT_LT(used.seconds(), 4);
    ASSERT_EQ(pair.matcher.rows(0).size(), count);
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(pair.matcher.rows(0)[i], count - 1 - i);
}

TEST(Matcher, SteadyStateAllocatesNothing) {
#ifdef HKPD_SANITIZED
    GTEST_SKIP() << "a sanitizer has its own operator new";
#endif
    const auto all = service_hosts(), fewer = service_hosts(2);
    blob::Object moved = processes(fewer);
    std::swap(moved.counters[0].title, moved.counters[1].title);
    const auto samples =
        read_run({{processes(all), threads(threads_of(all))}, {threads(threads_of(fewer)), processes(fewer)}, {moved}});
    hkpd::Matcher matcher;
    const auto pass = [&] {
        for (const std::size_t before : {0U, 1U, 2U})
            for (const std::size_t now : {0U, 1U, 2U}) matcher.match(samples->all.at(before), samples->all.at(now));
    };
    const std::size_t start = allocations();
    pass();
    const std::size_t first = allocations();
    EXPECT_GT(first, start);
    pass();
    EXPECT_EQ(allocations(), first);
}

}  // namespace matcher_test
}  // namespace hkpd_test
