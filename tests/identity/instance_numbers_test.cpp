// Numbers of instances among others with the same name: compared with the definition, implemented literally, and with
// names chosen to collide in a hash table.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/text/names.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/sample.hpp"
#include "identity/instance_places.hpp"
#include "support/blob_builder.hpp"
#include "support/count_allocations.hpp"
#include "support/processor_time.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace instance_numbers_test {

blob::Object list(std::uint32_t title) {
    return {.title = title, .kind = blob::Kind::multi, .counters = {{.title = title + 1000}}};
}

bool called_the_same(const hkpd::Sample& sample, const hkpd::Instance& a, const hkpd::Instance& b) {
    const auto equal = [](const hkpd::Instance& one, const hkpd::Instance& other) {
        return hkpd::compare_names(one.name.value_or("?"), other.name.value_or("?")) == 0;
    };
    const auto mother = sample.parent(a), other = sample.parent(b);
    if (mother.has_value() != other.has_value() || !equal(a, b)) return false;
    if (!mother) return true;
    return equal(sample.objects()[mother->object].instances[mother->instance],
                 sample.objects()[other->object].instances[other->instance]);
}

std::vector<std::uint32_t> by_definition(const hkpd::Sample& sample, const hkpd::Object& object) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t row = 0; row < object.instances.size(); ++row) {
        numbers.push_back(0);
        for (std::size_t before = 0; before < row; ++before)
            if (called_the_same(sample, object.instances[before], object.instances[row])) ++numbers.back();
    }
    return numbers;
}

TEST(InstanceNumbers, FollowTheDefinition) {
    std::mt19937 random(11);
    const auto below = [&random](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
    const std::vector<std::u16string> names{u"a",
                                            u"A",
                                            u"b",
                                            u"",
                                            u"longer than a word",
                                            u"Longer Than A Word",
                                            u"@`",
                                            u"`@",
                                            u"[",
                                            u"{",
                                            u"ä",
                                            u"Ä",
                                            u"\u2C65",
                                            u"\u023A",
                                            u"\u212A",
                                            u"k"};
    hkpd::InstancePlaces places;
    std::vector<std::uint32_t> found;
    for (int round = 0; round < 300; ++round) {
        blob::Block block;
        for (std::uint32_t title = 10; title < 13; ++title) {
            block.objects.push_back(list(title));
            for (std::uint32_t count = below(40); count != 0; --count)
                // Some parents are missing: no such object, or no such ordinal.
                block.objects.back().instances.push_back(
                    {.name = names[below(static_cast<std::uint32_t>(names.size()))],
                     .parent_object = below(3) == 0 ? 0 : 10 + below(4),
                     .parent = below(25)});
        }
        const auto samples = read_block(block);
        const hkpd::Sample& sample = samples->all.at(0);
        for (const hkpd::Object& object : sample.objects()) {
            places.number(sample, object, found);
            ASSERT_EQ(found, by_definition(sample, object)) << "round " << round;
        }
    }
}

/// Numbers a list; fails if it takes too long.
std::vector<std::uint32_t> number_quickly(const std::vector<std::u16string>& names) {
    blob::Block block{.objects = {list(10)}};
    for (const std::u16string& name : names) block.objects[0].instances.push_back({.name = name});
    const auto samples = read_block(block);
    std::vector<std::uint32_t> found;
    const hkpd_test::ProcessorTime used;
    number_instances(samples->all.at(0), samples->object(0, 0), found);
    EXPECT_LT(used.seconds(), 5);
    return found;
}

TEST(InstanceNumbers, OfNamesWithEqualHashes) {
    // These characters differ in the bit that separates upper from lower case, but are no letters.
    std::vector<std::u16string> names;
    constexpr std::uint32_t bits = 14;
    for (std::uint32_t i = 0; i < 1U << bits; ++i) {
        names.emplace_back();
        for (std::uint32_t bit = 0; bit < bits; ++bit) names.back() += (i >> bit & 1U) != 0 ? u'[' : u'{';
    }
    names.push_back(names[7]);
    const auto found = number_quickly(names);
    for (std::size_t i = 0; i + 1 < found.size(); ++i) ASSERT_EQ(found[i], 0U) << i;
    EXPECT_EQ(found.back(), 1U);
}

TEST(InstanceNumbers, OfOneNameForAll) {
    const auto found = number_quickly(std::vector<std::u16string>(60'000, u"svchost"));
    for (std::uint32_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], i);
}

TEST(InstanceNumbers, ReuseTheirMemory) {
    blob::Block block{.objects = {list(10), list(20)}};
    for (std::uint32_t i = 0; i < 500; ++i) {
        block.objects[0].instances.push_back({.name = u"process"});
        block.objects[1].instances.push_back({.name = u"thread", .parent_object = 10, .parent = i / 2});
    }
    const auto samples = read_block(block);
    hkpd::InstancePlaces places;
    std::vector<std::uint32_t> found;
    const auto number_all = [&] {
        for (const hkpd::Object& object : samples->all.at(0).objects())
            places.number(samples->all.at(0), object, found);
    };
    number_all();
    const std::size_t before = allocations();
    number_all();
    EXPECT_EQ(allocations(), before);
}

}  // namespace instance_numbers_test
}  // namespace hkpd_test
