// Identities of instances over a run: their ids, their lives, their numbers and the texts for them.
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text/names.hpp"
#include "hkpd/identity.hpp"
#include "support/count_allocations.hpp"
#include "support/identity_samples.hpp"
#include "support/log_samples.hpp"
#include "support/processor_time.hpp"
#include "support/v2_sample_reading.hpp"

namespace hkpd_test {
namespace run_instances_test {

using Objects = std::vector<blob::Object>;

/// Returns an identity as text: `parent/name#n pid 5 id 6 life 2`.
std::string text_of(const hkpd::Identity& identity) {
    std::string text = identity.parent ? std::string(*identity.parent) + '/' : "";
    text += identity.instance();
    if (identity.pid) text += " pid " + std::to_string(*identity.pid);
    if (identity.instance_id) text += " id " + std::to_string(*identity.instance_id);
    if (identity.life != 1) text += " life " + std::to_string(identity.life);
    return text;
}

/// Numbers the instances of samples one by one.
class NumberedRun {
  public:
    explicit NumberedRun(const hkpd::Limits& limits = {}) : all(limits) { all.keep(); }
    explicit NumberedRun(std::vector<Objects> run, const hkpd::Limits& limits = {}) : NumberedRun(limits) {
        add(read_run(std::move(run)));
    }

    void add(std::unique_ptr<Samples> samples) {
        for (const hkpd::Sample& sample : samples->all) add(sample);
        samples_.push_back(std::move(samples));
    }
    void add(const hkpd::Sample& sample) {
        auto& objects = seen.emplace_back();
        for (std::size_t o = 0; o < sample.objects().size(); ++o) {
            objects.push_back(all.instances(sample, o));
            // No two identities of a run are equal, and no two instances of a sample have the same.
            for (const std::uint32_t number : objects.back().numbers) {
                if (number == hkpd::no_index) continue;
                EXPECT_LT(number, all.size());
                const hkpd::Identity identity = all[number];
                const auto key = std::tuple(sample.machine, sample.source, sample.objects()[o].title_index,
                                            hkpd::fold_case(text_of(identity)));
                EXPECT_EQ(numbers_.emplace(key, number).first->second, number) << text_of(identity);
            }
        }
        EXPECT_EQ(duplicates(objects), 0U);
    }
    std::string numbers(std::size_t sample, std::size_t object = 0) { return places(seen.at(sample)[object].numbers); }
    /// Returns the identities of the instances of an object: `a pid 1, a pid 2`.
    std::string identities(std::size_t sample, std::size_t object = 0) const {
        std::string text;
        for (const std::uint32_t number : seen.at(sample)[object].numbers)
            text.append(text.empty() ? "" : ", ").append(number == hkpd::no_index ? "-" : text_of(all[number]));
        return text;
    }
    std::string displays(std::size_t sample, std::size_t object = 0) {
        std::string text;
        for (const std::uint32_t number : seen.at(sample)[object].numbers)
            text.append(text.empty() ? "" : ", ").append(number == hkpd::no_index ? "-" : all.display(number));
        return text;
    }

    hkpd::RunInstances all;
    std::vector<std::vector<hkpd::ObjectInstances>> seen;  // by sample and object

  private:
    static std::size_t duplicates(const std::vector<hkpd::ObjectInstances>& objects) {
        std::set<std::uint32_t> different;
        std::size_t count = 0;
        for (const auto& object : objects)
            for (const std::uint32_t number : object.numbers)
                if (number != hkpd::no_index) ++count, different.insert(number);
        return count - different.size();
    }

    std::map<std::tuple<std::optional<std::string>, hkpd::SampleSource, std::uint32_t, std::string>, std::uint32_t>
        numbers_;
    std::vector<std::unique_ptr<Samples>> samples_;
};

struct Since {
    std::u16string name;
    std::uint32_t id;
    std::uint64_t start;
};
/// Returns processes with start times.
blob::Object since(const std::vector<Since>& all) {
    blob::Object object =
        list(process_object,
             {{.title = 684, .type = blob::counter_type::elapsed_time, .size = 8}, {.title = id_process}}, {});
    for (const Since& process : all)
        object.instances.push_back({.name = process.name, .values = {process.start, process.id}});
    return object;
}

TEST(RunInstances, KeepTheirNumbers) {
    NumberedRun run({{processes(service_hosts())}, {processes(service_hosts(2))}, {processes(service_hosts(2))}});
    EXPECT_EQ(run.numbers(0), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
    EXPECT_EQ(run.numbers(1), "0 1 2 3 5 6 7 8 9 10 11 12 13 14 15 16");
    EXPECT_EQ(run.numbers(2), run.numbers(1));
    EXPECT_EQ(run.all.size(), 17U);
    EXPECT_FALSE(run.all.overflowed());
}

TEST(RunInstances, ProcessesHaveTheirIdsAndNoPlace) {
    NumberedRun run({{processes({{u"Idle", 0}, {u"a", 5}, {u"a", 7}, {u"_Total", 0}})}});
    EXPECT_EQ(run.identities(0), "Idle pid 0, a pid 5, a pid 7, _Total");
    EXPECT_EQ(places(run.seen[0][0].places), "0 0 1 0");
}

TEST(RunInstances, AnotherProcessInTheSameSlotIsAnother) {
    NumberedRun run({{processes({{u"a", 1}})}, {processes({{u"a", 2}})}, {processes({{u"a", 3}, {u"a", 2}})}});
    EXPECT_EQ(run.numbers(0), "0");
    EXPECT_EQ(run.numbers(1), "1");
    EXPECT_EQ(run.numbers(2), "2 1");
    EXPECT_EQ(run.identities(2), "a pid 3, a pid 2");
}

TEST(RunInstances, AProcessThatWasMissingIsAnotherIfStartTimesAreUnknown) {
    const Objects with{processes({{u"a", 1}, {u"b", 2}})}, without{processes({{u"b", 2}})};
    NumberedRun run({with, without, with, with, without, without, with});
    EXPECT_EQ(run.identities(2), "a pid 1 life 2, b pid 2");
    EXPECT_EQ(run.identities(3), "a pid 1 life 2, b pid 2");
    EXPECT_EQ(run.identities(6), "a pid 1 life 3, b pid 2");
}

/// Checks that a sample counts only if it has the object, and the machine and the source are the same.
TEST(RunInstances, OnlyASampleWithTheObjectCanMissAnInstance) {
    const Objects a{processes({{u"a", 1}})};
    NumberedRun run({a, {plain(10, {{.name = u"a"}})}, {}, a});
    EXPECT_EQ(run.identities(3), "a pid 1");
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < 4; ++k)
        blobs.push_back(at_second(k, k == 1 ? Objects{processes({})} : a, k == 1 ? u"OTHER" : u"ONE"));
    auto samples = read_blobs(std::move(blobs));
    samples->all.at(2).source = hkpd::SampleSource::log;
    NumberedRun machines;
    machines.add(std::move(samples));
    EXPECT_EQ(machines.identities(0), "a pid 1");
    EXPECT_EQ(machines.numbers(2), "1");  // another source
    EXPECT_EQ(machines.numbers(3), "0");
}

TEST(RunInstances, AnotherStartTimeIsAnotherLife) {
    NumberedRun run({{since({{u"a", 1, 100}, {u"b", 2, 100}})},
                     {since({{u"a", 1, 200}, {u"b", 2, 100}})},
                     {since({{u"b", 2, 100}})},
                     {since({{u"b", 2, 100}, {u"a", 1, 200}})},
                     {since({{u"a", 1, 100}})},
                     {since({{u"a", 1, 300}})}});
    EXPECT_EQ(run.identities(0), "a pid 1, b pid 2");
    EXPECT_EQ(run.identities(1), "a pid 1 life 2, b pid 2");
    EXPECT_EQ(run.identities(3), "b pid 2, a pid 1 life 2");  // the same after a gap
    EXPECT_EQ(run.identities(4), "a pid 1");
    EXPECT_EQ(run.identities(5), "a pid 1 life 3");
}

TEST(RunInstances, ADamagedStartTimeIsNoOther) {
    auto cut = since({{u"a", 1, 100}, {u"b", 2, 100}});
    cut.counters[1].offset = 4;
    cut.counters[0].offset = 8;
    auto valid = cut;
    cut.instances[0].block_length = 8;  // without the start time
    auto other = valid;
    other.instances[0].values[0] = 200;
    NumberedRun run({{valid}, {cut}, {valid}, {cut}, {other}});
    EXPECT_EQ(run.identities(1), "a pid 1, b pid 2");
    EXPECT_EQ(run.identities(2), "a pid 1, b pid 2");
    EXPECT_EQ(run.identities(3), "a pid 1, b pid 2");
    EXPECT_EQ(run.identities(4), "a pid 1 life 2, b pid 2");
    NumberedRun gap({{valid}, {cut}, {since({})}, {valid}});
    EXPECT_EQ(gap.identities(3), "a pid 1, b pid 2");
}

TEST(RunInstances, TheIdleProcessHasOneLife) {
    NumberedRun run({{since({{u"Idle", 0, 100}})}, {since({})}, {since({{u"Idle", 0, 200}})}});
    EXPECT_EQ(run.identities(2), "Idle pid 0");
    NumberedRun without({{processes({{u"Idle", 0}})}, {processes({})}, {processes({{u"Idle", 0}})}});
    EXPECT_EQ(without.identities(2), "Idle pid 0");
}

TEST(RunInstances, OfThreadsDependOnTheirProcesses) {
    const auto all = service_hosts(), fewer = service_hosts(2);
    // Children come first: parents must have their numbers nevertheless.
    NumberedRun run({{threads(threads_of(all)), processes(all)}, {processes(fewer), threads(threads_of(fewer))}});
    const auto &before = run.seen.at(0)[0].numbers, &now = run.seen.at(1)[1].numbers;
    ASSERT_EQ(before.size(), 34U);
    ASSERT_EQ(now.size(), 32U);
    for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(now[i], before[i < 8 ? i : i + 2]) << i;
    EXPECT_EQ(text_of(run.all[before[4]]), "svchost/0 pid 100");
    EXPECT_EQ(text_of(run.all[before[7]]), "svchost/1 pid 104");
    EXPECT_EQ(text_of(run.all[before[32]]), "_Total/0");  // its ID Process is 0, as that of its parent
    EXPECT_EQ(run.seen.at(0)[0].places[6], 1U);           // svchost/0#1
    EXPECT_EQ(run.all.display(before[6]), "svchost:104/0");
    EXPECT_EQ(run.all.display(before[2]), "System/0");
}

TEST(RunInstances, AThreadWithAnotherIdIsAnother) {
    const auto with = [](std::uint32_t id) { return Objects{processes({{u"a", 1}}), threads({{u"0", 1, id, 0}})}; };
    NumberedRun run({with(50), with(51), with(51), with(50)});
    EXPECT_EQ(run.identities(0, 1), "a/0 pid 1");
    EXPECT_EQ(run.identities(1, 1), "a/0 pid 1 life 2");
    EXPECT_EQ(run.identities(2, 1), "a/0 pid 1 life 2");
    EXPECT_EQ(run.identities(3, 1), "a/0 pid 1 life 3");  // it was missing
    EXPECT_EQ(run.displays(3, 1), "a:1/0:3");
    EXPECT_EQ(run.displays(3, 0), "a");
}

TEST(RunInstances, ChildrenHaveThePidOfTheirParentUnlessTheyHaveTheirOwn) {
    const blob::Object all = processes({{u"a", 1}, {u"a", 2}, {u"_Total", 0}, {u"Idle", 0}});
    const auto child = [](std::uint32_t parent) {
        return blob::Instance{.name = u"c", .values = {7, 9}, .parent_object = process_object, .parent = parent};
    };
    const std::vector<blob::Instance> children{child(0), child(1), child(2), child(3), child(99)};
    NumberedRun run({{plain(10, children), list(20, {{.title = 6}, {.title = id_process}}, children), all}});
    EXPECT_EQ(run.identities(0, 0), "a/c pid 1, a/c pid 2, _Total/c, Idle/c pid 0, c");
    EXPECT_EQ(run.identities(0, 1), "a/c pid 9, a/c pid 9 life 2, _Total/c, Idle/c pid 9, c pid 9");
    // The children of children too.
    NumberedRun deep({{all, plain(10, children), plain(20, {{.name = u"d", .parent_object = 10, .parent = 1}})}});
    EXPECT_EQ(deep.identities(0, 2), "c/d pid 2");
}

TEST(RunInstances, ChildrenOfAnotherParentAreOthers) {
    const auto threads_now = plain(10, {{.name = u"0", .parent_object = process_object}});
    NumberedRun run({{processes({{u"a", 1}}), threads_now}, {processes({{u"a", 2}}), threads_now}});
    EXPECT_EQ(run.identities(0, 1), "a/0 pid 1");
    EXPECT_EQ(run.identities(1, 1), "a/0 pid 2");
    EXPECT_EQ(run.all.size(), 4U);
}

TEST(RunInstances, TotalsHaveNoPid) {
    const blob::Object all = processes({{u"_TOTAL", 0}, {u"0,_Total", 4}, {u"x_Total", 4}, {u"_Total2", 5}});
    NumberedRun run({{all, {processes({})}, all}});
    EXPECT_EQ(run.identities(0), "_TOTAL, 0,_Total, x_Total pid 4, _Total2 pid 5");
    NumberedRun back({{all}, {processes({})}, {all}});
    EXPECT_EQ(back.identities(2), "_TOTAL, 0,_Total, x_Total pid 4 life 2, _Total2 pid 5 life 2");
}

TEST(RunInstances, InstanceIdsAreForThoseWithoutPid) {
    const std::vector<blob::Instance> instances{{.name = u"a", .values = {1, 7}, .unique_id = 3},
                                                {.name = u"a", .values = {1, 8}, .unique_id = 4},
                                                {.name = u"a", .values = {1, 9}}};
    const Objects both{plain(10, instances), list(20, {{.title = 6}, {.title = id_process}}, instances)};
    NumberedRun run({both, {plain(10, {})}, both});
    EXPECT_EQ(run.identities(0, 0), "a id 3, a id 4, a#2");
    EXPECT_EQ(run.identities(0, 1), "a pid 7, a pid 8, a pid 9");
    EXPECT_EQ(run.identities(2, 0), "a id 3, a id 4, a#2");  // they do not die
    EXPECT_EQ(run.numbers(2, 0), run.numbers(0, 0));
    EXPECT_EQ(run.displays(2, 0), "a:3, a:4, a#2");
    EXPECT_EQ(run.identities(2, 1), "a pid 7, a pid 8, a pid 9");  // no sample with the object was without them
}

TEST(RunInstances, AProcessWithADamagedIdHasItsPlaceOrInstanceId) {
    const auto valid = processes({{u"a", 1}, {u"a", 2}});
    auto cut = valid;
    cut.instances[1].block_length = 8;
    cut.instances.push_back({.name = u"b", .values = {1, 3}});
    NumberedRun run({{cut}, {valid}, {cut}});
    EXPECT_EQ(run.identities(0), "a pid 1, a#1, b pid 3");
    EXPECT_EQ(run.identities(1), "a pid 1, a pid 2");
    EXPECT_EQ(run.identities(2), "a pid 1, a#1, b pid 3 life 2");
    EXPECT_EQ(run.all.size(), 5U);
    cut.instances[1].unique_id = 77;
    EXPECT_EQ(NumberedRun({{cut}}).identities(0), "a pid 1, a id 77, b pid 3");
}

TEST(RunInstances, NamesMayLookLikeThoseWithIds) {
    NumberedRun run({{processes({{u"a:5", 5}, {u"b:7", 8}, {u"c:x", 9}, {u"a", 6}, {u"d:1", 1}})},
                     {processes({{u"a:5", 5}, {u"a", 7}, {u"d:1", 2}})}});
    EXPECT_EQ(run.displays(0), "a:5:5:1, b:7:8:1, c:x, a:6, d:1:1:1");
    EXPECT_EQ(run.displays(1), "a:5:5:1, a:7, d:1:2:1");
    // Zeros separate an id from the end of a name.
    NumberedRun equal({{processes({{u"a:5", 7}, {u"a", 5}, {u"a", 6}, {u"a:05", 9}, {u"A:5:1", 5}}),
                        plain(10, {{.name = u"0", .parent_object = process_object},
                                   {.name = u"0", .parent_object = process_object, .parent = 1},
                                   {.name = u"0", .parent_object = process_object, .parent = 2},
                                   {.name = u"1:3", .parent_object = process_object}})}});
    EXPECT_EQ(equal.displays(0), "a:5:7:1, a:005, a:6, a:05:9:1, A:5:1:5:1");
    EXPECT_EQ(equal.displays(0, 1), "a:5:7/0, a:05/0, a:6/0, a:5:7/1:3:1");
}

/// Checks Microsoft's counterset Process V2, whose instances are called `name:id`.
TEST(RunInstances, NamesOfProcessV2HaveIds) {
    using enum hkpd::v2::RegistrationRequest;
    const hkpd::Guid guid = v2_blob::guid(7);
    V2Reading reading;
    reading.answer(guid, counterset_struct, v2_blob::build_registration({.guid = guid, .counters = {{.id = 1}}}));
    reading.answer(guid, counterset_name, v2_blob::build_string(u"Process V2"));
    reading.answer(guid, counter_names, v2_blob::build_strings({{1, u"Process ID"}}));
    NumberedRun run;
    run.add(reading.build({.results = {{.ids = {1},
                                        .instances = {{u"a:5", 1, {v2_blob::u32(5)}},
                                                      {u"a:6", 2, {v2_blob::u32(6)}},
                                                      {u"b:6", 3, {v2_blob::u32(7)}}}}}},
                          {{.guid = guid, .name = u"*"}}));
    EXPECT_EQ(run.identities(0), "a:5 pid 5, a:6 pid 6, b:6 pid 7");
    EXPECT_EQ(run.displays(0), "a:5, a:6, b:6:7:1");
}

TEST(RunInstances, OthersAreIdentifiedByTheirPlaces) {
    const blob::Instance a{.name = u"a"}, b{.name = u"b"};
    NumberedRun run({{plain(10, {a, a, b, a})}, {plain(10, {b, a})}, {plain(10, {a, a, a, b})}});
    EXPECT_EQ(run.identities(0), "a, a#1, b, a#2");
    EXPECT_EQ(run.numbers(0), "0 1 2 3");
    EXPECT_EQ(run.numbers(1), "2 0");
    EXPECT_EQ(run.numbers(2), "0 1 3 2");
    EXPECT_EQ(run.displays(2), "a, a#1, a#2, b");
}

TEST(RunInstances, NamesAreEqualRegardlessOfCase) {
    NumberedRun run({{processes({{u"svchost", 1}, {u"Ärger", 2}})}, {processes({{u"SvcHost", 1}, {u"äRGER", 2}})}});
    EXPECT_EQ(run.numbers(1), "0 1");
    NumberedRun counted(
        {{plain(10, {{.name = u"a"}, {.name = u"A"}, {.name = u"b"}, {.name = u"a"}}), plain(20, {{.name = u"A"}})}});
    EXPECT_EQ(counted.identities(0), "a, A#1, b, a#2");
    EXPECT_EQ(counted.identities(0, 1), "A");
    NumberedRun children(
        {{plain(10, {{.name = u"p"}, {.name = u"P"}}),
          plain(20, {{.name = u"c", .parent_object = 10}, {.name = u"C", .parent_object = 10, .parent = 1}})}});
    EXPECT_EQ(children.identities(0, 1), "p/c, P/C#1");
    // Two equal instances in one sample are two lives.
    NumberedRun equal({{processes({{u"a", 1}, {u"A", 1}, {u"a", 1}})}, {processes({{u"a", 1}})}});
    EXPECT_EQ(equal.identities(0), "a pid 1, A pid 1 life 2, a pid 1 life 3");
}

TEST(RunInstances, EqualInstancesOfASampleAreSeveralLives) {
    const Objects twice{processes({{u"a", 1}, {u"a", 1}, {u"b", 2}})};
    NumberedRun run({twice, twice, {processes({{u"b", 2}, {u"a", 1}, {u"a", 1}})}});
    EXPECT_EQ(run.identities(0), "a pid 1, a pid 1 life 2, b pid 2");
    EXPECT_EQ(run.numbers(1), run.numbers(0));
    EXPECT_EQ(run.identities(2), "b pid 2, a pid 1, a pid 1 life 2");  // paired as the cooker pairs them
}

TEST(RunInstances, ANameMayLookLikeANumberedOne) {
    NumberedRun run(
        {{plain(10, {{.name = u"a#1"}, {.name = u"a"}, {.name = u"a"}, {.name = u"a"}, {.name = u"a#2"}})}});
    EXPECT_EQ(run.identities(0), "a#1, a, a#3, a#4, a#2");  // places pass over real names
    EXPECT_EQ(places(run.seen[0][0].places), "0 0 3 4 0");
}

TEST(RunInstances, DamagedNamesDoNotAccumulate) {
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
    EXPECT_EQ(run.identities(4), "a, ?, ?#1");
    EXPECT_EQ(run.identities(4, 1), "?/0");
    EXPECT_EQ(run.numbers(4, 1), "5");
}

TEST(RunInstances, DamagedNamesHaveNoIds) {
    std::vector<blob::Blob> blobs;
    blobs.push_back(at_second(0, {processes({{u"a", 1}, {u"b", 2}}),
                                  plain(20, {{.name = u"0", .parent_object = process_object, .parent = 1}})}));
    damage_name(blobs.back(), 0, 1);
    NumberedRun run;
    run.add(read_blobs(std::move(blobs)));
    EXPECT_EQ(run.identities(0), "a pid 1, ?");
    EXPECT_EQ(run.identities(0, 1), "?/0");
}

TEST(RunInstances, TextsAreAsShortAsTheRunAllows) {
    NumberedRun run({{processes({{u"a", 1}, {u"b", 2}})}, {processes({{u"a", 3}, {u"b", 2}})}});
    EXPECT_EQ(run.displays(0), "a:1, b");
    EXPECT_EQ(run.displays(1), "a:3, b");
    std::string text = ">";
    run.all.append_ids(text, run.seen[0][0].numbers[1]);
    EXPECT_EQ(text, ">b:2");
    NumberedRun lives({{since({{u"a", 1, 5}})}, {since({{u"a", 1, 6}, {u"a", 2, 7}})}});
    EXPECT_EQ(lives.displays(0), "a:1:1");
    EXPECT_EQ(lives.displays(1), "a:1:2, a:2");
    lives.all.append_ids(text = "", lives.seen[1][0].numbers[0]);
    EXPECT_EQ(text, "a:1");
}

TEST(RunInstances, TextsOfChildrenHaveTheIdOfTheirProcess) {
    const auto children = plain(10, {{.name = u"c", .parent_object = process_object},
                                     {.name = u"c", .parent_object = process_object, .parent = 1},
                                     {.name = u"d", .parent_object = process_object, .parent = 1},
                                     {.name = u"e", .parent_object = 30, .unique_id = 6},
                                     {.name = u"e", .parent_object = 30, .unique_id = 7},
                                     {.name = u"f", .parent_object = 30},
                                     {.name = u"f", .parent_object = 30}});
    NumberedRun run({{processes({{u"a", 1}, {u"a", 2}}), children, plain(30, {{.name = u"p"}})}});
    EXPECT_EQ(run.displays(0, 1), "a:1/c, a:2/c, a/d, p/e:6, p/e:7, p/f, p/f#1");
    std::string text;
    for (const std::size_t row : {2U, 3U, 6U}) run.all.append_ids(text, run.seen[0][1].numbers[row]);
    EXPECT_EQ(text, "a:2/dp/e:6p/f#1");
}

TEST(RunInstances, InLogsTheNameOfTheCounterMakesTheId) {
    const auto entry = [](std::string_view instance, std::int32_t index) {
        return log_file::Entry{.object = u"Process",
                               .instance = std::u16string(instance.begin(), instance.end()),
                               .counter = u"ID Process",
                               .index = index};
    };
    log_file::Log log{.events = {catalogue_event({entry("a", 0), entry("a", 1), entry("_Total", 0)})}};
    log.events.push_back(row_event({log_file::raw({.first = 7}), log_file::raw({.first = 8}), log_file::raw({})}));
    const auto samples = samples_of(log);
    ASSERT_EQ(samples->all.size(), 1U);
    NumberedRun run;
    run.add(samples->all[0]);
    EXPECT_EQ(run.identities(0), "a pid 7, a pid 8, _Total");
}

TEST(RunInstances, AreLimited) {
    const Objects objects{plain(10, {{.name = u"a"}, {.name = u"b"}, {.name = u"c"}}),
                          plain(20, {{.name = u"0", .parent_object = 10, .parent = 2}})};
    NumberedRun exactly({objects, objects}, {.series = 4});
    EXPECT_EQ(exactly.numbers(1, 1), "3");
    EXPECT_FALSE(exactly.all.overflowed());
    NumberedRun run({objects, objects}, {.series = 2});
    for (const std::size_t sample : {0U, 1U}) {
        EXPECT_EQ(run.numbers(sample), "0 1 -");
        EXPECT_EQ(run.numbers(sample, 1), "-");
    }
    EXPECT_EQ(run.all.size(), 2U);
    EXPECT_TRUE(run.all.overflowed());
    NumberedRun none({objects}, {.series = 0});
    EXPECT_EQ(none.numbers(0), "- - -");
    EXPECT_TRUE(none.all.overflowed());
}

TEST(RunInstances, BytesOfNamesAreLimited) {
    const std::u16string name(1000, u'x');
    const Objects objects{plain(10, {{.name = name + u"a"}, {.name = name + u"b"}, {.name = u"c"}})};
    NumberedRun run({objects, objects}, {.names = 3500});
    EXPECT_EQ(run.numbers(0), "0 - 1");
    EXPECT_EQ(run.numbers(1), "0 - 1");
    EXPECT_TRUE(run.all.overflowed());
    EXPECT_EQ(NumberedRun({objects}, {.names = 4100}).numbers(0), "0 1 2");
}

/// Returns samples in which each has one process that all have, and `fresh` others that only it has.
std::unique_ptr<Samples> changing(std::size_t samples, std::uint32_t fresh) {
    std::vector<Objects> run;
    for (std::uint32_t k = 0; k < samples; ++k) {
        std::vector<Process> all{{u"always", 1}};
        for (std::uint32_t i = 0; i < fresh; ++i) all.push_back({u"short", 100 + k * fresh + i});
        run.push_back({processes(all), threads(threads_of(all))});
    }
    return read_run(std::move(run));
}

TEST(RunInstances, ThoseThatHaveEndedAreEvictedAtTheLimit) {
    const auto samples = changing(200, 3);
    hkpd::RunInstances all({.series = 100});
    for (const hkpd::Sample& sample : samples->all) {
        for (const std::size_t object : {0U, 1U}) {
            const auto& numbers = all.instances(sample, object).numbers;
            for (std::size_t row = 0; row < numbers.size(); ++row) {
                ASSERT_LT(numbers[row], all.size());
                const hkpd::Identity identity = all[numbers[row]];
                EXPECT_EQ(identity.name, *sample.objects()[object].instances[row].name);
                EXPECT_EQ(identity.life, 1U);
            }
            EXPECT_EQ(all[numbers[0]].pid, 1U);
        }
        EXPECT_LE(all.size(), 100U);
    }
    EXPECT_FALSE(all.overflowed());
    EXPECT_EQ(all.display(all.instances(samples->all.back(), 0).numbers[0]), "always");
    EXPECT_EQ(all.display(all.instances(samples->all.back(), 0).numbers[1]), "short:697");

    hkpd::RunInstances kept({.series = 100});
    kept.keep();
    for (const hkpd::Sample& sample : samples->all) kept.instances(sample, 1);
    EXPECT_EQ(kept.size(), 100U);
    EXPECT_TRUE(kept.overflowed());
}

TEST(RunInstances, ThoseWithLongNamesAreEvictedToo) {
    std::vector<Objects> run;
    for (char16_t k = 0; k < 100; ++k)
        run.push_back(
            {plain(10, {{.name = u"a"}, {.name = std::u16string(500, static_cast<char16_t>(u'\u4E00' + k))}})});
    const auto samples = read_run(std::move(run));
    hkpd::RunInstances all({.names = 20'000});
    for (const hkpd::Sample& sample : samples->all) {
        const auto& numbers = all.instances(sample, 0).numbers;
        ASSERT_LT(numbers[1], all.size());
        EXPECT_EQ(all[numbers[1]].name, *sample.objects()[0].instances[1].name);
    }
    EXPECT_LT(all.size(), 10U);
    EXPECT_FALSE(all.overflowed());
}

/// Checks that lives continue, and that an instance that lives keeps its identity, when others are evicted.
TEST(RunInstances, LivesContinueAfterOthersAreEvicted) {
    std::vector<Objects> run;
    for (std::uint32_t k = 0; k < 60; ++k)
        run.push_back({since({{u"a", 1, 1000}, {u"b", 2, 5000 + k / 20}, {u"c", 100 + k, 5}})});
    const auto samples = read_run(std::move(run));
    hkpd::RunInstances all({.series = 8});
    for (std::size_t k = 0; k < 60; ++k) {
        const auto& numbers = all.instances(samples->all.at(k), 0).numbers;
        EXPECT_EQ(text_of(all[numbers[0]]), "a pid 1") << k;
        EXPECT_EQ(text_of(all[numbers[1]]), k < 20 ? "b pid 2" : k < 40 ? "b pid 2 life 2" : "b pid 2 life 3") << k;
        EXPECT_EQ(text_of(all[numbers[2]]), "c pid " + std::to_string(100 + k));
    }
}

TEST(RunInstances, ALimitThatWasReachedStaysKnown) {
    std::vector<blob::Instance> many(20, {.name = u"a"});
    const auto samples = read_run({{plain(10, many)}, {plain(10, {})}, {plain(10, {})}});
    hkpd::RunInstances all({.series = 10});
    for (const hkpd::Sample& sample : samples->all) {
        all.instances(sample, 0);
        EXPECT_TRUE(all.overflowed());
    }
}

/// Checks that the work for a sample does not depend on how many instances other objects had in earlier ones.
TEST(RunInstances, EvictionIsNoWorkForEachSample) {
    std::vector<Objects> run{{plain(10, std::vector<blob::Instance>(40'000, {.name = u"a"}))}};
    for (std::size_t k = 0; k < 1000; ++k) run.push_back({plain(20, {{.name = u"b"}})});
    const auto samples = read_run(std::move(run));
    hkpd::RunInstances all({.series = 50'000});
    const ProcessorTime used;
    for (const hkpd::Sample& sample : samples->all) all.instances(sample, 0);
    EXPECT_LT(used.seconds(), 2);
}

TEST(RunInstances, OfAnObjectWithoutAListIsOneWithoutAName) {
    const blob::Object system{.title = 2, .counters = {{.title = 6}}, .values = {1}};
    const blob::Object meta{.title = 4, .kind = blob::Kind::metadata_multi, .counters = {{.title = 6}}};
    const blob::Object other{.title = 8, .counters = {{.title = 6}}, .values = {1}};
    NumberedRun run({{system, meta}, {other, system, meta}, {plain(2, {{.name = u""}})}});
    EXPECT_EQ(run.numbers(0), "0");
    EXPECT_EQ(run.numbers(1, 1), "0");
    EXPECT_EQ(run.numbers(1, 0), "1");
    EXPECT_EQ(run.numbers(2), "0");
    EXPECT_EQ(run.all[0].name, "");
    EXPECT_EQ(run.all.display(0), "");
    EXPECT_FALSE(run.all.overflowed());
}

TEST(RunInstances, MachinesAreSeparate) {
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < 6; ++k)
        blobs.push_back(at_second(k, {processes({{u"a", 1}, {u"a", 2}})}, k % 2 == 0 ? u"ONE" : u"OTHER"));
    NumberedRun run;
    run.add(read_blobs(std::move(blobs)));
    EXPECT_EQ(run.numbers(0), "0 1");
    EXPECT_EQ(run.numbers(1), "2 3");
    EXPECT_EQ(run.numbers(4), "0 1");
    EXPECT_EQ(run.numbers(5), "2 3");
    EXPECT_EQ(run.identities(5), "a pid 1, a pid 2");
}

TEST(RunInstances, InterfacesHaveInstancesOfTheirOwn) {
    using enum hkpd::SampleSource;
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < 8; ++k)
        blobs.push_back(at_second(k, {plain(10, {{.name = u"a"}})}, k % 4 == 3 ? u"OTHER" : u"ONE"));
    auto samples = read_blobs(std::move(blobs));
    for (std::size_t k = 0; k < 8; ++k) samples->all.at(k).source = std::array{v1, v2, log, v1}.at(k % 4);
    NumberedRun run;
    run.add(std::move(samples));
    for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(run.numbers(k), std::to_string(k % 4)) << k;
}

TEST(RunInstances, ManyMachinesAlternate) {
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

TEST(RunInstances, OfARepeatedObjectAreOthers) {
    const Objects objects{plain(10, {{.name = u"a"}}), plain(10, {{.name = u"a"}}), plain(10, {{.name = u"a"}})};
    NumberedRun run({objects, objects});
    for (const std::size_t sample : {0U, 1U})
        for (const std::size_t object : {0U, 1U, 2U}) EXPECT_EQ(run.numbers(sample, object), std::to_string(object));
    EXPECT_EQ(run.identities(1, 0), "a");
    EXPECT_EQ(run.identities(1, 1), "a life 2");
    EXPECT_EQ(run.displays(1, 2), "a:3");
}

TEST(RunInstances, ObjectsHaveNumbers) {
    const auto samples = read_run({{plain(10, {}), plain(20, {}), plain(10, {})}, {plain(20, {}), plain(10, {})}});
    hkpd::RunInstances all;
    const auto number = [&](std::size_t sample, std::size_t object) {
        return all.object_number(samples->all.at(sample), object);
    };
    const std::uint32_t first = number(0, 0), second = number(0, 1), repeated = number(0, 2);
    EXPECT_EQ(std::set({first, second, repeated}).size(), 3U);
    EXPECT_EQ(number(1, 0), second);
    EXPECT_EQ(number(1, 1), first);
}

TEST(RunInstances, SeveralResultsOfACountersetAreSeparate) {
    const hkpd::Guid guid = v2_blob::guid(7);
    V2Reading reading;
    reading.add({.guid = guid, .counters = {{.id = 1}, {.id = 2}}});
    const auto result = [](std::vector<v2_blob::Instance> instances) {
        return v2_blob::Result{.type = v2_blob::multiple_instances, .instances = std::move(instances)};
    };
    NumberedRun run;
    for (int k = 0; k < 2; ++k)
        run.add(reading.build({.results = {result({{u"a", 5, {1}}, {u"b", 6, {1}}}), result({{u"a", 5, {1}}})}},
                              {{.guid = guid, .name = u"*", .counter = 1, .index = 0},
                               {.guid = guid, .name = u"a", .counter = 2, .index = 1}}));
    ASSERT_EQ(run.seen[0].size(), 2U);
    EXPECT_EQ(run.identities(0, 0), "a id 5, b id 6");
    EXPECT_EQ(run.identities(0, 1), "a id 5 life 2");
    EXPECT_EQ(run.numbers(1, 0), run.numbers(0, 0));
    EXPECT_EQ(run.numbers(1, 1), run.numbers(0, 1));
}

TEST(RunInstances, CirclesOfParentsEnd) {
    const Objects circle{plain(10, {{.name = u"a", .parent_object = 20}}),
                         plain(20, {{.name = u"b", .parent_object = 10}}),
                         plain(30, {{.name = u"self", .parent_object = 30}, {.name = u"c", .parent_object = 30}})};
    NumberedRun run({circle, circle});
    EXPECT_EQ(run.all.size(), 4U);
    for (const std::size_t object : {0U, 1U, 2U}) EXPECT_EQ(run.numbers(1, object), run.numbers(0, object));
}

/// Checks a chain of parents that is longer than `Limits::parents`.
TEST(RunInstances, LongChainsOfParentsEnd) {
    Objects chain;
    for (std::uint32_t i = 0; i < 5000; ++i) chain.push_back(plain(10 + i, {{.name = u"x", .parent_object = 11 + i}}));
    NumberedRun run({chain, chain});
    EXPECT_EQ(run.all.size(), 5000U);
    for (const std::size_t object : {0U, 100U, 4999U}) EXPECT_EQ(run.numbers(1, object), run.numbers(0, object));
}

TEST(RunInstances, ChildrenInTheObjectOfTheirParentsAreDistinguished) {
    const Objects objects{plain(10, {{.name = u"p"},
                                     {.name = u"q"},
                                     {.name = u"c", .parent_object = 10, .parent = 0},
                                     {.name = u"c", .parent_object = 10, .parent = 1}})};
    NumberedRun run({objects, objects});  // which checks that no two are equal
    EXPECT_EQ(run.all.size(), 4U);
    EXPECT_EQ(run.numbers(1), run.numbers(0));
}

TEST(RunInstances, AChildInItsParentsObjectMayGoAndComeBack) {
    const blob::Instance child{.name = u"c", .parent_object = 10, .parent = 1};
    NumberedRun run({{plain(10, {child, {.name = u"p"}})},
                     {plain(10, {{.name = u"x"}, {.name = u"p"}})},
                     {plain(10, {child, {.name = u"p"}})}});
    EXPECT_EQ(run.numbers(0), "0 1");
    EXPECT_EQ(run.numbers(2), "0 1");
}

/// Checks that objects can be asked for in any order, or not at all.
TEST(RunInstances, TheOrderOfRequestsDoesNotMatter) {
    const auto all = service_hosts(), fewer = service_hosts(2);
    const auto samples = read_run({{processes(all), threads(threads_of(all)), plain(10, {{.name = u"a"}})},
                                   {threads(threads_of(fewer)), plain(10, {{.name = u"a"}}), processes(fewer)}});
    const auto identities = [&](std::initializer_list<std::size_t> first, std::initializer_list<std::size_t> second) {
        hkpd::RunInstances run;
        for (const std::size_t object : first) run.instances(samples->all.at(0), object);
        for (const std::size_t object : second) run.instances(samples->all.at(1), object);
        std::string text;
        for (const std::uint32_t number : run.instances(samples->all[1], 0).numbers)
            text += text_of(run[number]) + ", ";
        return text;
    };
    const std::string expected = identities({0, 1, 2}, {2, 0, 1});
    EXPECT_EQ(identities({1}, {}), expected);
    EXPECT_EQ(identities({2, 1, 0, 1}, {0, 1, 2, 0}), expected);
    EXPECT_EQ(identities({}, {}), expected);
}

TEST(RunInstances, BelongToTheReaderOfASample) {
    const auto one = read_run({{plain(10, {{.name = u"a"}})}, {plain(10, {{.name = u"a"}})}});
    const auto other = read_run({{plain(10, {{.name = u"a"}})}});
    const auto& run = hkpd::RunInstances::of(one->all.at(0));
    EXPECT_EQ(run, hkpd::RunInstances::of(one->all.at(1)));
    EXPECT_NE(run, hkpd::RunInstances::of(other->all.at(0)));
    V2Reading reading;  // without a reader
    const hkpd::Sample& alone = reading.build_without_query({.results = {{.type = v2_blob::single_counter}}});
    EXPECT_NE(hkpd::RunInstances::of(alone), nullptr);
    EXPECT_EQ(hkpd::RunInstances::of(alone), hkpd::RunInstances::of(alone));
}

/// Checks that the limits of a reader are those of its run.
TEST(RunInstances, LimitsAreThoseOfTheReader) {
    std::vector<blob::Blob> blobs{at_second(0, {plain(10, {{.name = u"a"}, {.name = u"b"}})})};
    const auto samples = read_blobs(std::move(blobs), nullptr, {.series = 1});
    hkpd::RunInstances& run = *hkpd::RunInstances::of(samples->all.at(0));
    EXPECT_EQ(places(run.instances(samples->all[0], 0).numbers), "0 -");
    EXPECT_TRUE(run.overflowed());
}

TEST(RunInstances, SteadyStateAllocatesNothing) {
#ifdef HKPD_SANITIZED
    GTEST_SKIP() << "a sanitizer has its own operator new";
#endif
    std::vector<Since> all;
    for (const Process& process : service_hosts()) all.push_back({process.name, process.id, 100});
    std::vector<Since> fewer = all;
    fewer.erase(fewer.begin() + 2);
    const auto samples = read_run(
        {{since(all), plain(10, {{.name = u"a"}, {.name = u"a"}})}, {since(fewer), plain(10, {{.name = u"a"}})}});
    hkpd::RunInstances run;
    const auto pass = [&] {
        for (const hkpd::Sample& sample : samples->all)
            for (const std::size_t object : {0U, 1U}) run.instances(sample, object);
    };
    for (int i = 0; i < 3; ++i) pass();
    const std::size_t before = allocations();
    pass();
    EXPECT_EQ(allocations(), before);
    EXPECT_GT(before, 0U);
    EXPECT_EQ(run.size(), 19U);
}

TEST(RunInstances, ManyWithOneNameAreAsFastAsSorting) {
    constexpr std::uint32_t count = 100'000;
    blob::Object object = plain(10, {}), same = processes({});
    for (std::uint32_t i = 0; i < count; ++i) {
        object.instances.push_back({.name = u"svchost", .values = {1}});
        same.instances.push_back({.name = u"svchost", .values = {1, 5}});  // all with one process id
    }
    auto reversed = object, other = same;
    other.instances.insert(other.instances.begin(), {.name = u"a", .values = {1, 6}});
    const auto samples = read_run({{object, same}, {reversed, other}});
    hkpd::RunInstances all;
    const ProcessorTime used;
    for (const hkpd::Sample& sample : samples->all)
        for (const std::size_t position : {0U, 1U}) all.instances(sample, position);
    EXPECT_LT(used.seconds(), 5);
    EXPECT_EQ(all[all.instances(samples->all.at(1), 0).numbers[count - 1]].instance(), "svchost#99999");
    EXPECT_FALSE(all.overflowed());
}

}  // namespace run_instances_test
}  // namespace hkpd_test
