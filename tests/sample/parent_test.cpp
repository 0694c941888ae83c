// Parents, and how they number and name instances.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hkpd/identity.hpp"
#include "hkpd/sample.hpp"
#include "support/blob_builder.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace sample_parent_test {

using hkpd::Severity;

struct Child {
    std::u16string name;
    std::uint32_t parent_object = 0, parent = 0;
};

blob::Object list(std::uint32_t title, const std::vector<Child>& children) {
    blob::Object object{.title = title, .kind = blob::Kind::multi, .counters = {{.title = title + 1000}}};
    for (const Child& child : children)
        object.instances.push_back({.name = child.name, .parent_object = child.parent_object, .parent = child.parent});
    return object;
}

/// Returns the places of an object's instances: `a/b,a/c`.
std::string paths(const hkpd::Sample& sample, std::size_t position) {
    std::string text;
    const hkpd::Object& object = sample.objects()[position];
    std::vector<std::uint32_t> places;
    number_instances(sample, object, places);
    for (std::size_t row = 0; row < object.instances.size(); ++row) {
        if (row != 0) text += ',';
        append_place(text, sample, object.instances[row], places[row]);
    }
    return text;
}

std::string numbers(const hkpd::Sample& sample, std::size_t object) {
    std::vector<std::uint32_t> indices{99, 99};  // earlier content does not matter
    number_instances(sample, sample.objects()[object], indices);
    std::string text;
    for (const std::uint32_t index : indices) text += std::to_string(index) + " ";
    return text;
}

TEST(SampleParents, SeveralLevels) {
    const auto samples =
        read_block({.objects = {list(10, {{u"a0"}, {u"a1"}}), list(20, {{u"b0", 10, 1}, {u"b1", 10, 0}}),
                                list(30, {{u"c0", 20, 1}, {u"c1", 20, 0}, {u"c2"}})}});
    EXPECT_EQ(faults(samples->diagnostics), "");
    const hkpd::Sample& sample = samples->all.at(0);
    EXPECT_EQ(paths(sample, 0), "a0,a1");
    EXPECT_EQ(paths(sample, 1), "a1/b0,a0/b1");
    EXPECT_EQ(paths(sample, 2), "b1/c0,b0/c1,c2");  // a parent's parent is never shown
    const auto parent = sample.parent(samples->object(0, 2).instances[0]);
    ASSERT_TRUE(parent);
    EXPECT_EQ(parent->object, 1U);
    EXPECT_EQ(parent->instance, 1U);
    EXPECT_FALSE(sample.parent(samples->object(0, 2).instances[2]));
}

TEST(SampleParents, ChildrenMayComeFirst) {
    const auto samples =
        read_block({.objects = {list(30, {{u"c", 20, 0}}), list(20, {{u"b", 10, 0}}), list(10, {{u"a"}})}});
    EXPECT_EQ(faults(samples->diagnostics), "");
    EXPECT_EQ(paths(samples->all.at(0), 0), "b/c");
    EXPECT_EQ(paths(samples->all[0], 1), "a/b");
}

TEST(SampleParents, AcrossTheBlobsOfASample) {
    const auto one = [](blob::Object object) { return blob::build({.objects = {std::move(object)}}); };
    const auto samples =
        read_blobs({one(list(30, {{u"c", 20, 0}})), one(list(10, {{u"x"}, {u"a"}})), one(list(20, {{u"b", 10, 1}}))});
    ASSERT_EQ(samples->all.size(), 1U);
    EXPECT_EQ(faults(samples->diagnostics), "");
    EXPECT_EQ(paths(samples->all[0], 0), "b/c");
    EXPECT_EQ(paths(samples->all[0], 2), "a/b");
}

TEST(SampleParents, OfAnotherSampleAreIgnored) {
    blob::Block first{.objects = {list(230, {{u"smss"}})}}, second{.objects = {list(232, {{u"0", 230, 0}})}};
    second.perf_time += 1;
    const auto samples = read_blobs({blob::build(first), blob::build(second)});
    ASSERT_EQ(samples->all.size(), 2U);
    EXPECT_EQ(faults(samples->diagnostics), "note parent_missing|");
    EXPECT_EQ(samples->diagnostics.kept()[0].place.sample, 1U);
    EXPECT_EQ(paths(samples->all[1], 0), "0");
}

TEST(SampleParents, MissingObjectsAreNoted) {
    const auto samples = read_block({.objects = {list(232, {{u"0", 230, 3}, {u"1", 230, 3}, {u"2", 230, 4}})}});
    EXPECT_EQ(faults(samples->diagnostics), "note parent_missing|");  // once, not for every thread
    const hkpd::Diagnostic& found = samples->diagnostics.kept()[0];
    EXPECT_EQ(found.object, 232U);
    EXPECT_EQ(found.error.found, 230U);
    EXPECT_EQ(found.error.field, "ParentObjectTitleIndex");
    const hkpd::Object& object = samples->object(0, 0);
    EXPECT_EQ(object.instances[2].parent_object, 230U);
    EXPECT_EQ(object.instances[2].parent_instance, 4U);
    EXPECT_FALSE(samples->all[0].parent(object.instances[0]));
    EXPECT_EQ(paths(samples->all[0], 0), "0,1,2");
}

TEST(SampleParents, OrdinalsOutsideTheListAreWarnings) {
    const blob::Blob blob =
        blob::build({.objects = {list(230, {{u"p"}, {u"q"}}),
                                 list(232, {{u"0", 230, 1}, {u"1", 230, 2}, {u"2", 230, 0xFFFFFFFF}})}});
    const auto samples = read_blobs({blob});
    EXPECT_EQ(faults(samples->diagnostics), "warning parent_outside|");
    const hkpd::Diagnostic& found = samples->diagnostics.kept()[0];
    EXPECT_EQ(found.object, 232U);
    EXPECT_EQ(found.instance, 1U);
    EXPECT_EQ(found.error.offset, blob.instance(1, 1) + blob::instance_definition::ParentObjectInstance);
    EXPECT_EQ(found.error.found, 2U);
    EXPECT_EQ(paths(samples->all.at(0), 1), "q/0,1,2");
}

TEST(SampleParents, InAnObjectThatIsNoList) {
    const auto samples =
        read_block({.objects = {{.title = 2, .counters = {{.title = 10}}}, list(232, {{u"0", 2, 0}, {u"1", 2, 1}})}});
    EXPECT_EQ(faults(samples->diagnostics), "warning parent_outside|");
    EXPECT_EQ(samples->all.at(0).objects().size(), 2U);
}

TEST(SampleParents, SelfParentIsCut) {
    const auto samples = read_block({.objects = {list(230, {{u"ok"}, {u"self", 230, 1}, {u"child", 230, 1}})}});
    EXPECT_EQ(faults(samples->diagnostics), "warning parent_cycle|");
    EXPECT_EQ(samples->diagnostics.kept()[0].instance, 1U);
    EXPECT_EQ(paths(samples->all.at(0), 0), "ok,self/self,self/child");
    EXPECT_EQ(numbers(samples->all[0], 0), "0 0 0 ");
}

TEST(SampleParents, CyclesAreCut) {
    const auto samples =
        read_block({.objects = {list(10, {{u"a", 20, 0}}), list(20, {{u"b", 30, 0}}),
                                list(30, {{u"c", 10, 0}, {u"free"}}), list(40, {{u"d", 30, 0}, {u"e", 30, 1}})}});
    EXPECT_EQ(faults(samples->diagnostics),
              "warning parent_cycle|warning parent_cycle|warning parent_cycle|warning parent_cycle|");
    EXPECT_EQ(samples->diagnostics.count(Severity::error), 0U);
    EXPECT_EQ(paths(samples->all.at(0), 0), "b/a");
    EXPECT_EQ(paths(samples->all[0], 1), "c/b");
    EXPECT_EQ(paths(samples->all[0], 3), "c/d,free/e");
}

TEST(SampleParents, LongChainsAreReportedAtTheLimit) {
    std::vector<Child> children{{u"0"}};
    for (std::uint32_t i = 1; i <= 40; ++i) children.push_back({u"x", 10, i - 1});
    const blob::Block block{.objects = {list(10, children)}};
    const auto samples = read_block(block);
    EXPECT_EQ(faults(samples->diagnostics), "warning parent_cycle|");
    EXPECT_EQ(faults(read_block(block, nullptr, {.parents = 40})->diagnostics), "");
}

TEST(InstanceNumbers, CountEqualNamesInTheOrderOfTheSample) {
    const auto samples = read_block(
        {.objects = {list(
             230, {{u"svchost"}, {u"System"}, {u"svchost"}, {u"csrss"}, {u"svchost"}, {u"SvcHost"}, {u"svchost#1"}})}});
    EXPECT_EQ(numbers(samples->all.at(0), 0), "0 0 2 0 3 4 0 ");  // places pass over the real name svchost#1
    const auto empty = read_block({.objects = {list(230, {})}});
    EXPECT_EQ(numbers(empty->all.at(0), 0), "");
}

TEST(InstanceNumbers, NamesUnderDifferentParentsAreDifferent) {
    const auto samples = read_block(
        {.objects = {
             list(230, {{u"svchost"}, {u"explorer"}, {u"SVCHOST"}}),
             list(232, {{u"0", 230, 0}, {u"1", 230, 0}, {u"0", 230, 1}, {u"0", 230, 2}, {u"0"}, {u"0", 230, 1}})}});
    // Both svchosts have the same name, so their threads have the same too.
    EXPECT_EQ(numbers(samples->all.at(0), 1), "0 0 0 1 0 1 ");
}

TEST(InstanceNumbers, DamagedNamesAreCountedToo) {
    blob::Blob blob = blob::build({.objects = {list(230, {{u"a"}, {u"b"}, {u"c"}})}});
    for (const std::size_t i : {0U, 2U})
        blob.put32(blob.instance(0, i) + blob::instance_definition::NameOffset, 0x80000000);
    const auto samples = read_blobs({blob});
    EXPECT_EQ(instance_names(samples->object(0, 0)), "?,b,?");
    EXPECT_EQ(samples->diagnostics.count(Severity::error), 2U);
    EXPECT_EQ(paths(samples->all.at(0), 0), "?,b,?#1");
    EXPECT_EQ(numbers(samples->all[0], 0), "0 0 1 ");
}

}  // namespace sample_parent_test
}  // namespace hkpd_test
