// Numbers and names of instances over a whole run.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "identity/matcher.hpp"
#include "support/count_allocations.hpp"
#include "support/identity_samples.hpp"

namespace hkpd_test {
namespace identities_test {

using Objects = std::vector<blob::Object>;

/// Adds samples one by one, each matched with the one before of its machine.
class NumberedRun {
  public:
    explicit NumberedRun(std::size_t most = 1'000'000) : all(most) {}
    explicit NumberedRun(std::vector<Objects> run, std::size_t most = 1'000'000) : NumberedRun(most) {
        add(read_run(std::move(run)));
    }

    void add(std::unique_ptr<Samples> samples) {
        for (const hkpd::Sample& sample : samples->all) add(sample);
        samples_.push_back(std::move(samples));
    }
    void add(const hkpd::Sample& sample) {
        const auto [before, first] = before_.emplace(sample.machine.value_or(""), &sample);
        if (!first) matcher_.match(*before->second, sample);
        all.add(sample, first ? nullptr : &matcher_);
        before->second = &sample;
        auto& numbers = seen.emplace_back();
        for (std::size_t o = 0; o < sample.objects().size(); ++o)
            for (std::size_t row = 0; row < sample.objects()[o].instances.size(); ++row)
                numbers[o].push_back(all.number(o, row));
    }
    std::string numbers(std::size_t sample, std::size_t object = 0) { return places(seen.at(sample)[object]); }
    /// Returns the paths of all identities: `a,a#1`.
    std::string paths() const {
        std::string text;
        for (std::uint32_t i = 0; i < all.size(); ++i) text.append(i == 0 ? "" : ",").append(all[i].path());
        return text;
    }

    hkpd::Identities all;
    std::vector<std::map<std::size_t, std::vector<std::uint32_t>>> seen;  // by sample and object

  private:
    hkpd::Matcher matcher_;
    std::map<std::string, const hkpd::Sample*> before_;
    std::vector<std::unique_ptr<Samples>> samples_;
};

TEST(Identities, KeepTheirNumbersAndNames) {
    NumberedRun run({{processes(service_hosts())}, {processes(service_hosts(2))}, {processes(service_hosts())}});
    EXPECT_EQ(run.numbers(0), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
    EXPECT_EQ(run.numbers(1), "0 1 2 3 5 6 7 8 9 10 11 12 13 14 15 16");
    EXPECT_EQ(run.numbers(2), run.numbers(0));  // it was gone, and is back
    EXPECT_EQ(run.paths(),
              "Idle,System,svchost,svchost#1,svchost#2,svchost#3,svchost#4,svchost#5,svchost#6,svchost#7,svchost#8,"
              "svchost#9,svchost#10,svchost#11,svchost#12,explorer,_Total");
    EXPECT_EQ(run.all[2].object, process_object);
    EXPECT_EQ(run.all[2].parent, "");
    EXPECT_FALSE(run.all.overflowed());
}

TEST(Identities, AnotherProcessInTheSameSlotIsAnother) {
    NumberedRun run({{processes({{u"a", 1}})}, {processes({{u"a", 2}})}, {processes({{u"a", 2}, {u"a", 1}})}});
    EXPECT_EQ(run.numbers(0), "0");
    EXPECT_EQ(run.numbers(1), "1");
    EXPECT_EQ(run.numbers(2), "1 0");
    EXPECT_EQ(run.paths(), "a,a#1");
}

TEST(Identities, OfThreadsDependOnTheirProcesses) {
    const auto all = service_hosts(), fewer = service_hosts(2);
    // Children come first: parents must have their numbers nevertheless.
    NumberedRun run({{threads(threads_of(all)), processes(all)}, {processes(fewer), threads(threads_of(fewer))}});
    const auto &before = run.seen.at(0)[0], &now = run.seen.at(1)[1];
    ASSERT_EQ(before.size(), 34U);
    ASSERT_EQ(now.size(), 32U);
    for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(now[i], before[i < 8 ? i : i + 2]) << i;
    EXPECT_EQ(run.all[before[4]].path(), "svchost/0");
    EXPECT_EQ(run.all[before[5]].path(), "svchost/1");
    EXPECT_EQ(run.all[before[6]].path(), "svchost/0#1");
    EXPECT_EQ(run.all[before[6]].parent, "svchost");
    EXPECT_EQ(run.all[before[6]].name, "0#1");
}

TEST(Identities, ChildrenOfAnotherParentAreOthers) {
    const auto threads_now = threads({{u"0", 1, 50, 0}});
    NumberedRun run({{processes({{u"a", 1}}), threads_now}, {processes({{u"a", 2}}), threads_now}});
    EXPECT_EQ(run.paths(), "a,a/0,a#1,a/0#1");
}

TEST(Identities, NamesAreCountedWithoutCase) {
    NumberedRun run(
        {{plain(10, {{.name = u"a"}, {.name = u"A"}, {.name = u"b"}, {.name = u"a"}}), plain(20, {{.name = u"A"}})}});
    EXPECT_EQ(run.paths(), "a,A#1,b,a#2,A");
    NumberedRun children(
        {{plain(10, {{.name = u"p"}, {.name = u"P"}}),
          plain(20, {{.name = u"c", .parent_object = 10}, {.name = u"C", .parent_object = 10, .parent = 1}})}});
    EXPECT_EQ(children.paths(), "p,P#1,p/c,P/C#1");
}

TEST(Identities, ANameMayLookLikeANumberedOne) {
    NumberedRun run(
        {{plain(10, {{.name = u"a#1"}, {.name = u"a"}, {.name = u"a"}, {.name = u"a"}, {.name = u"a#2"}})}});
    EXPECT_EQ(run.paths(), "a#1,a,a#2,a#3,a#2#1");
}

TEST(Identities, DamagedNamesDoNotAccumulate) {
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < 5; ++k) {
        blobs.push_back(at_second(k, {plain(10, {{.name = u"a"}, {.name = u"b"}, {.name = u"c"}}),
                                      plain(20, {{.name = u"0", .parent_object = 10, .parent = 1}})}));
        if (k != 0) damage_name(blobs.back(), 0, 1);
        if (k > 2) damage_name(blobs.back(), 0, 2);
    }
    NumberedRun run;
    run.add(read_blobs(std::move(blobs)));
    EXPECT_EQ(run.numbers(0), "0 1 2");
    EXPECT_EQ(run.numbers(1), "0 4 2");
    EXPECT_EQ(run.numbers(2), "0 4 2");
    EXPECT_EQ(run.numbers(4), "0 4 6");
    EXPECT_EQ(run.paths(), "a,b,c,b/0,?,?/0,?#1");
    EXPECT_EQ(run.numbers(4, 1), "5");
}

TEST(Identities, DamagedIdsDoNotAccumulate) {
    const auto valid = processes({{u"a", 1}, {u"b", 2}});
    auto cut = valid;
    cut.instances[0].block_length = 8;
    NumberedRun run({{valid}, {cut}, {cut}, {valid}});
    EXPECT_EQ(run.numbers(1), "2 1");
    EXPECT_EQ(run.numbers(2), "2 1");
    EXPECT_EQ(run.numbers(3), "0 1");
    EXPECT_EQ(run.paths(), "a,b,a#1");
}

TEST(Identities, AreLimited) {
    const Objects objects{plain(10, {{.name = u"a"}, {.name = u"b"}, {.name = u"c"}}),
                          plain(20, {{.name = u"0", .parent_object = 10, .parent = 2}})};
    NumberedRun exactly({objects, objects}, 4);
    EXPECT_EQ(exactly.numbers(1, 1), "3");
    EXPECT_FALSE(exactly.all.overflowed());
    NumberedRun run({objects, objects}, 2);
    for (const std::size_t sample : {0U, 1U}) {
        EXPECT_EQ(run.numbers(sample), "0 1 -");
        EXPECT_EQ(run.numbers(sample, 1), "-");
    }
    EXPECT_EQ(run.all.size(), 2U);
    EXPECT_TRUE(run.all.overflowed());
    NumberedRun none({objects}, 0);
    EXPECT_EQ(none.numbers(0), "- - -");
    EXPECT_TRUE(none.all.overflowed());
}

TEST(Identities, OfAnObjectWithoutAListIsOneWithoutAName) {
    const blob::Object system{.title = 2, .counters = {{.title = 6}}, .values = {1}};
    const blob::Object meta{.title = 4, .kind = blob::Kind::metadata_multi, .counters = {{.title = 6}}};
    const blob::Object child = plain(20, {{.name = u"0", .parent_object = 2}});
    NumberedRun run({{system, meta, child}, {child, system, meta}, {plain(2, {{.name = u""}})}});
    EXPECT_EQ(run.numbers(0), "0");
    EXPECT_EQ(run.numbers(1, 1), "0");
    EXPECT_EQ(run.numbers(1, 0), "1");
    EXPECT_EQ(run.numbers(2), "2");
    EXPECT_EQ(run.all[0].name, "");
    EXPECT_EQ(run.all[0].path(), "");
    EXPECT_EQ(run.all[1].path(), "0");
    EXPECT_FALSE(run.all.overflowed());
}

TEST(Identities, MachinesAreSeparate) {
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < 6; ++k)
        blobs.push_back(at_second(k, {processes({{u"a", 1}, {u"a", 2}})}, k % 2 == 0 ? u"ONE" : u"OTHER"));
    NumberedRun run;
    run.add(read_blobs(std::move(blobs)));
    EXPECT_EQ(run.numbers(0), "0 1");
    EXPECT_EQ(run.numbers(1), "2 3");
    EXPECT_EQ(run.numbers(4), "0 1");
    EXPECT_EQ(run.numbers(5), "2 3");
    EXPECT_EQ(run.paths(), "a,a#1,a,a#1");
}

TEST(Identities, InterfacesHaveMachinesOfTheirOwn) {
    using enum hkpd::SampleSource;
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < 8; ++k)
        blobs.push_back(at_second(k, {processes({{u"a", 1}})}, k % 4 == 3 ? u"OTHER" : u"ONE"));
    auto samples = read_blobs(std::move(blobs));
    for (std::size_t k = 0; k < 8; ++k) samples->all.at(k).source = std::array{v1, v2, log, v1}.at(k % 4);
    NumberedRun run;
    run.add(std::move(samples));
    for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(run.numbers(k), std::to_string(k % 4)) << k;
}

TEST(Identities, ManyMachinesAlternate) {
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < 400; ++k) {
        std::u16string name = u"M";
        for (const char c : std::to_string(k % 200)) name += static_cast<char16_t>(c);
        blobs.push_back(at_second(k, {processes({{u"a", 1}})}, name));
    }
    NumberedRun run;
    run.add(read_blobs(std::move(blobs)));
    EXPECT_EQ(run.all.size(), 200U);
    for (std::size_t k = 0; k < 400; ++k) EXPECT_EQ(run.numbers(k), std::to_string(k % 200));
}

TEST(Identities, OfARepeatedObjectAreOthers) {
    const Objects objects{plain(10, {{.name = u"a"}}), plain(10, {{.name = u"a"}}), plain(10, {{.name = u"a"}})};
    NumberedRun run({objects, objects});
    for (const std::size_t sample : {0U, 1U})
        for (const std::size_t object : {0U, 1U, 2U}) EXPECT_EQ(run.numbers(sample, object), std::to_string(object));
    EXPECT_EQ(run.paths(), "a,a#1,a#2");
}

TEST(Identities, CyclesOfParentsEnd) {
    const Objects circle{plain(10, {{.name = u"a", .parent_object = 20}}),
                         plain(20, {{.name = u"b", .parent_object = 10}}),
                         plain(30, {{.name = u"self", .parent_object = 30}, {.name = u"c", .parent_object = 30}})};
    NumberedRun run({circle, circle});
    EXPECT_EQ(run.all.size(), 4U);
    for (const std::size_t object : {0U, 1U, 2U}) EXPECT_EQ(run.numbers(1, object), run.numbers(0, object));
}

TEST(Identities, AChildInItsParentsObjectMayGoAndComeBack) {
    const blob::Instance child{.name = u"c", .parent_object = 10, .parent = 1};
    NumberedRun run({{plain(10, {child, {.name = u"p"}})},
                     {plain(10, {{.name = u"x"}, {.name = u"p"}})},
                     {plain(10, {child, {.name = u"p"}})}});
    EXPECT_EQ(run.numbers(0), "0 1");
    EXPECT_EQ(run.numbers(2), "0 1");
}

TEST(Identities, AMatcherOfOtherSamplesDoesNoHarm) {
    const auto samples =
        read_run({{processes(service_hosts()), plain(10, {{.name = u"a"}})},
                  {plain(10, {}), processes({{u"Idle", 0}})},
                  {processes(service_hosts(2)), plain(10, {{.name = u"a"}}), plain(20, {{.name = u"a"}})}});
    hkpd::Matcher unused, matcher;
    matcher.match(samples->all.at(0), samples->all.at(2));
    for (const hkpd::Matcher* const given : {&unused, &matcher})
        for (const std::size_t first : {0U, 1U, 2U})
            for (const std::size_t second : {0U, 1U, 2U}) {
                hkpd::Identities all(100);
                all.add(samples->all[first], given);
                const hkpd::Sample& sample = samples->all[second];
                all.add(sample, given);
                std::set<std::uint32_t> numbers;
                for (std::size_t o = 0; o < sample.objects().size(); ++o)
                    for (std::size_t row = 0; row < sample.objects()[o].instances.size(); ++row) {
                        const std::uint32_t number = all.number(o, row);
                        EXPECT_TRUE(number == hkpd::no_index || (number < all.size() && numbers.insert(number).second));
                    }
            }
}

TEST(Identities, MissingInstancesHaveNoNumber) {
    hkpd::Identities all(10);
    EXPECT_EQ(all.number(0, 0), hkpd::no_index);
    const auto samples = read_run({{plain(10, {{.name = u"a"}}), plain(20, {{.name = u"b"}})}, {plain(10, {})}});
    for (int i = 0; i < 3; ++i) {  // nothing of earlier samples shows
        all.add(samples->all.at(0), nullptr);
        EXPECT_EQ(all.number(1, 0), 1U);
        EXPECT_EQ(all.number(1, 1), hkpd::no_index);
        EXPECT_EQ(all.number(2, 0), hkpd::no_index);
        for (int again = 0; again <= i; ++again) all.add(samples->all.at(1), nullptr);
        EXPECT_EQ(all.number(0, 0), hkpd::no_index);
        EXPECT_EQ(all.number(1, 0), hkpd::no_index);
    }
    all = hkpd::Identities(10);
    EXPECT_EQ(all.size(), 0U);
    EXPECT_EQ(all.number(0, 0), hkpd::no_index);
}

TEST(Identities, SteadyStateAllocatesNothing) {
#ifdef HKPD_SANITIZED
    GTEST_SKIP() << "a sanitizer has its own operator new";
#endif
    const auto all = service_hosts(), fewer = service_hosts(2);
    const auto samples =
        read_run({{processes(all), threads(threads_of(all))}, {threads(threads_of(fewer)), processes(fewer)}});
    hkpd::Matcher back, forth;
    back.match(samples->all.at(1), samples->all.at(0));
    forth.match(samples->all.at(0), samples->all.at(1));
    hkpd::Identities identities(1000);
    const auto pass = [&] {
        identities.add(samples->all[0], identities.size() == 0 ? nullptr : &back);
        identities.add(samples->all[1], &forth);
    };
    for (int i = 0; i < 3; ++i) pass();
    const std::size_t before = allocations();
    pass();
    EXPECT_EQ(allocations(), before);
    EXPECT_GT(before, 0U);
    EXPECT_EQ(identities.size(), 17U * 3);
}

}  // namespace identities_test
}  // namespace hkpd_test
