// Instances that passed validation are read in tiles: the result must equal that of reading them one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "sample/fill/v1_builder.hpp"
#include "support/blob_builder.hpp"
#include "support/processor_time.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace v1_tiles_test {

/// The places of the instances of all objects, their numbers, and the faults reported.
struct Reading {
    std::vector<std::uint64_t> places;  // offset of definition and block from the start of the input
    std::vector<std::uint64_t> numbers;
    std::uint64_t values_left = 5000;
    std::size_t by_tile = 0;
    std::string reported;

    void add(const hkpd::v1::Object& object, const hkpd::v1::Instance& instance) {
        places.insert(places.end(), {instance.offset, instance.block.offset()});
        for (const hkpd::v1::Counter& counter : object.counters())
            if (const auto number = number_of(object, instance, counter)) numbers.push_back(*number);
    }
    void add(const hkpd::v1::Object& object, std::span<const hkpd::v1::InstancePlace> tile) {
        std::vector<std::vector<std::uint64_t>> columns;
        for (const hkpd::v1::NumberPlace& number : object.numbers()) {
            auto& column = columns.emplace_back(tile.size());
            read_column(object, number, tile, [&column](std::size_t i, std::uint64_t value) { column[i] = value; });
        }
        for (std::size_t i = 0; i < tile.size(); ++i) {
            const std::uint64_t base = object.bytes().offset();
            places.insert(places.end(), {base + tile[i].definition, base + tile[i].block});
            for (const auto& column : columns) numbers.push_back(column[i]);
        }
        by_tile += tile.size();
    }
};

/// Reads with tiles of `tile` instances; 0: one by one.
Reading read(const blob::Blob& blob, std::size_t tile) {
    Reading reading;
    hkpd::Diagnostics diagnostics;
    hkpd::v1::Block block;
    if (!block.open(hkpd::Bytes(blob.bytes()), diagnostics)) return reading;
    std::vector<hkpd::v1::InstancePlace> places(tile);
    for (const hkpd::v1::ObjectEntry& entry : block.objects()) {
        hkpd::v1::Object object;
        if (!object.open(block, entry, diagnostics)) continue;
        hkpd::v1::InstanceReader reader(object, reading.values_left, diagnostics);
        hkpd::v1::Instance instance;
        while (reader.next(instance)) {
            reading.add(object, instance);
            while (const std::size_t count = reader.take_valid(places))
                reading.add(object, std::span(places).first(count));
        }
    }
    reading.reported = faults(diagnostics);
    return reading;
}

class RandomList {
  public:
    explicit RandomList(std::uint32_t seed) : random_(seed) {}

    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

    blob::Block block() {
        blob::Object object{.title = 230,
                            .kind = blob::Kind::multi,
                            .counters = {{.title = 6}, {.title = 8, .size = 8}, {.title = 10}}};
        for (std::uint32_t count = below(150), i = 0; i < count; ++i)
            object.instances.push_back({.name = name(),
                                        .values = {below(1000), below(1000), below(1000)},
                                        .parent_object = below(3) == 0 ? 230U : 0U,
                                        .parent = below(160),
                                        .nul = below(9) != 0});
        if (below(4) == 0) object.counters.push_back({.title = 12, .offset = 2 + below(40)});
        return {.objects = {object, object}, .endian = below(3) == 0 ? blob::Endian::big : blob::Endian::little};
    }

    /// Changes a few bytes anywhere, mostly in lengths and offsets.
    void damage(blob::Blob& blob, const blob::Block& shape) {
        for (std::uint32_t count = below(3); count > 0; --count) {
            const std::size_t k = below(2), instances = shape.objects[k].instances.size();
            if (instances == 0) continue;
            const std::size_t i = below(instances);
            const std::size_t at = below(2) == 0 ? blob.counter_block(k, i) : blob.instance(k, i) + 4 * below(6);
            constexpr std::uint32_t values[] = {0, 1, 3, 4, 23, 25, 28, 32, 200, 0xFFFF'FFFF};
            blob.put32(at, values[below(std::size(values))]);
        }
    }

    std::u16string name() {
        constexpr const char16_t* names[] = {u"", u"0", u"17", u"255", u"4096", u"svchost#12", u"é", u"名前"};
        return names[below(std::size(names))];
    }

  private:
    std::mt19937 random_;
};

TEST(V1Tiles, EqualOneByOne) {
    RandomList lists(1);
    std::size_t by_tile = 0;
    for (int i = 0; i < hkpd_test::random_cases(2000); ++i) {
        const blob::Block shape = lists.block();
        blob::Blob blob = blob::build(shape);
        lists.damage(blob, shape);
        const Reading one_by_one = read(blob, 0);
        for (const std::size_t tile : std::to_array<std::size_t>({1, 7, 40, 500})) {
            const Reading tiled = read(blob, tile);
            ASSERT_EQ(tiled.places, one_by_one.places) << i;
            ASSERT_EQ(tiled.numbers, one_by_one.numbers) << i;
            ASSERT_EQ(tiled.values_left, one_by_one.values_left) << i;
            ASSERT_EQ(tiled.reported, one_by_one.reported) << i;
            by_tile += tiled.by_tile;
        }
    }
    EXPECT_GT(by_tile, static_cast<std::size_t>(hkpd_test::random_cases(100'000)));
}

std::string build(hkpd::SampleBuilder& builder, const blob::Blob& blob, hkpd::Sample& sample) {
    hkpd::Diagnostics diagnostics;
    hkpd::v1::Block block;
    EXPECT_TRUE(block.open(hkpd::Bytes(blob.bytes()), diagnostics));
    builder.begin(sample, block, diagnostics);
    builder.add(sample, block, diagnostics);
    builder.finish(sample, 0, diagnostics);
    return describe(sample) + faults(diagnostics);
}

// Unchanged names keep their storage, so samples are changed in every way and order.
TEST(V1Tiles, ChangesFromSampleToSampleAreSeen) {
    RandomList lists(2);
    hkpd::SampleBuilder builder(nullptr, {});
    std::array<hkpd::Sample, 2> samples;
    for (int run = 0; run < hkpd_test::random_cases(60); ++run) {
        blob::Block shape = lists.block();
        for (int i = 0; i < 20; ++i) {
            blob::Object& object = shape.objects[lists.below(2)];
            const auto place = [&] { return object.instances.begin() + lists.below(object.instances.size() + 1); };
            if (!object.instances.empty()) object.instances[lists.below(object.instances.size())].name = lists.name();
            if (lists.below(5) == 0) object.instances.insert(place(), {.name = lists.name()});
            if (const auto gone = place(); lists.below(5) == 0 && gone != object.instances.end())
                object.instances.erase(gone);
            if (lists.below(20) == 0) shape.endian = blob::Endian::big;
            blob::Blob blob = blob::build(shape);
            if (lists.below(4) == 0) lists.damage(blob, shape);
            hkpd::SampleBuilder fresh_builder(nullptr, {});
            hkpd::Sample fresh;
            std::swap(samples[0], samples[1]);  // as Replay does
            ASSERT_EQ(build(builder, blob, samples[0]), build(fresh_builder, blob, fresh)) << run << ' ' << i;
        }
    }
}

TEST(V1Tiles, WithoutNamesAllElseIsEqual) {
    RandomList lists(3);
    hkpd::SampleBuilder with(nullptr, {}), without(nullptr, {}, hkpd::InstanceNames::none);
    hkpd::Sample named, unnamed;
    for (int i = 0; i < 200; ++i) {
        const blob::Blob blob = blob::build(lists.block());
        // Both builders alternate between the samples, so that each finds what the other left.
        const std::string full = build(with, blob, i % 2 == 0 ? named : unnamed);
        hkpd::Sample& bare = i % 2 == 0 ? unnamed : named;
        build(without, blob, bare);
        const hkpd::Sample& other = i % 2 == 0 ? named : unnamed;
        ASSERT_EQ(bare.objects().size(), other.objects().size());
        for (std::size_t o = 0; o < bare.objects().size(); ++o) {
            const hkpd::Object &a = bare.objects()[o], &b = other.objects()[o];
            ASSERT_EQ(a.instances.size(), b.instances.size());
            for (std::size_t row = 0; row < a.instances.size(); ++row) {
                ASSERT_EQ(a.instances[row].name.value_or("none"), "");
                ASSERT_EQ(a.instances[row].unique_id, b.instances[row].unique_id);
                ASSERT_EQ(a.instances[row].parent_instance, b.instances[row].parent_instance);
            }
            for (std::size_t c = 0; c < a.columns.size(); ++c)
                ASSERT_TRUE(std::ranges::equal(a.columns[c].values, b.columns[c].values));
        }
    }
}

}  // namespace v1_tiles_test
}  // namespace hkpd_test
