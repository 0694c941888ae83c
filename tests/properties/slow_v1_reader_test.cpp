// The strict reader of the tests and hkpd's, on the same blocks: where the strict one accepts a block, hkpd reads the
// same values without a fault.
#include "support/slow_v1_reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "support/blob_quirks.hpp"
#include "support/mutation_blobs.hpp"
#include "support/shared_dir.hpp"
#include "support/v1_walk.hpp"

namespace slow_v1_reader_test {

std::optional<slow_v1::Block> slow(std::span<const std::byte> bytes) {
    return slow_v1::read({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

void expect_same_instance(const slow_v1::Instance& slow, const hkpd_test::WalkedInstance& walked) {
    EXPECT_EQ(walked.name, slow.name);
    EXPECT_EQ(walked.instance.definition().ParentObjectTitleIndex, slow.parent_object);
    EXPECT_EQ(walked.instance.definition().ParentObjectInstance, slow.parent);
    ASSERT_EQ(walked.bytes.size(), slow.values.size());
    for (std::size_t c = 0; c < slow.values.size(); ++c) EXPECT_EQ(walked.bytes[c], slow.values[c]) << "counter " << c;
}

void expect_same_object(const slow_v1::Object& slow, const hkpd_test::WalkedObject& walked) {
    ASSERT_FALSE(walked.failure);
    const hkpd::v1::ObjectType& header = walked.object.header();
    EXPECT_EQ(header.ObjectNameTitleIndex, slow.title);
    EXPECT_EQ(header.ObjectHelpTitleIndex, slow.help);
    EXPECT_EQ(header.NumInstances, slow.num_instances);
    EXPECT_EQ(header.CodePage, slow.code_page);
    EXPECT_EQ(header.PerfTime, slow.perf_time);
    EXPECT_EQ(header.PerfFreq, slow.perf_freq);
    ASSERT_EQ(walked.object.counters().size(), slow.counters.size());
    for (std::size_t c = 0; c < slow.counters.size(); ++c) {
        const hkpd::v1::CounterDefinition& definition = walked.object.counters()[c].definition;
        EXPECT_EQ(definition.CounterNameTitleIndex, slow.counters[c].title);
        EXPECT_EQ(definition.CounterType, slow.counters[c].type);
        EXPECT_EQ(definition.CounterSize, slow.counters[c].size);
        EXPECT_EQ(definition.DefaultScale, slow.counters[c].scale);
    }
    ASSERT_EQ(walked.instances.size(), slow.instances.size());
    for (std::size_t i = 0; i < slow.instances.size(); ++i) {
        SCOPED_TRACE("instance " + std::to_string(i));
        expect_same_instance(slow.instances[i], walked.instances[i]);
    }
}

void expect_same_block(const slow_v1::Block& slow, const hkpd_test::Walk& walk) {
    ASSERT_TRUE(no_error(walk));
    EXPECT_EQ(walk.block.order() == hkpd::ByteOrder::big, slow.big_endian);
    EXPECT_EQ(walk.block.header().PerfTime, slow.perf_time);
    EXPECT_EQ(walk.block.header().PerfTime100nSec, slow.perf_time_100ns);
    ASSERT_TRUE(walk.block.machine());
    EXPECT_EQ(hkpd_test::to_string(walk.block.machine()->bytes), slow.machine);
    ASSERT_EQ(walk.objects.size(), slow.objects.size());
    for (std::size_t k = 0; k < slow.objects.size(); ++k) {
        SCOPED_TRACE("object " + std::to_string(slow.objects[k].title));
        expect_same_object(slow.objects[k], walk.objects[k]);
    }
}

void expect_agreement(std::span<const std::byte> bytes) {
    const auto read = slow(bytes);
    ASSERT_TRUE(read) << "the strict reader refuses it";
    expect_same_block(*read, hkpd_test::walk(bytes));
}

class SlowV1Reader : public testing::TestWithParam<blob::Block (*)()> {
  protected:
    /// Returns the blob without values of sizes that no number has, which the strict reader rejects.
    static blob::Blob strict_blob() {
        blob::Block block = GetParam()();
        for (blob::Object& object : block.objects)
            std::erase_if(object.counters, [](const blob::Counter& counter) { return counter.size == 3; });
        return blob::build(block);
    }
};

TEST_P(SlowV1Reader, AgreesOnCompleteBlobs) { expect_agreement(strict_blob().bytes()); }

TEST_P(SlowV1Reader, RefusesEveryTruncation) {
    const blob::Blob blob = strict_blob();
    for (std::size_t size = 0; size < blob.size(); ++size) EXPECT_FALSE(slow(blob.bytes().first(size))) << size;
}

/// Changes random bytes: if the strict reader accepts the result, hkpd reports no fault and reads the same.
TEST_P(SlowV1Reader, AgreesOnDamagedBlobsThatAreStillValid) {
    std::mt19937 random(20);
    const blob::Blob blob = strict_blob();
    std::size_t valid = 0;
    for (int trial = 0; trial < 4000 && !HasFailure(); ++trial) {
        blob::Blob changed = blob;
        for (auto changes = 1 + random() % 3; changes != 0; --changes)
            changed.put8(random() % changed.size(), static_cast<std::uint8_t>(random()));
        SCOPED_TRACE("trial " + std::to_string(trial));
        if (!slow(changed.bytes())) continue;
        ++valid;
        expect_agreement(changed.bytes());
    }
    EXPECT_GT(valid, 400U) << "values, clocks, indices and letters are more than a tenth of the bytes";
}

INSTANTIATE_TEST_SUITE_P(Blobs, SlowV1Reader,
                         testing::Values(hkpd_test::single_instances, hkpd_test::instances_with_parents,
                                         hkpd_test::big_endian_text));

TEST(SlowV1ReaderRules, RefusesEachBrokenField) {
    const blob::Blob good = blob::build(hkpd_test::instances_with_parents());
    ASSERT_TRUE(slow(good.bytes()));
    const std::size_t object = good.object(0), counter = good.counter(0, 0), instance = good.instance(0, 1),
                      values = good.counter_block(0, 1);
    const auto refused = [&](std::size_t at, std::uint32_t value) {
        blob::Blob changed = good;
        changed.put32(at, value);
        return !slow(changed.bytes());
    };
    using namespace blob;
    for (const std::size_t at : {data_block::Signature,
                                 data_block::LittleEndian,
                                 data_block::Version,
                                 data_block::TotalByteLength,
                                 data_block::HeaderLength,
                                 data_block::NumObjectTypes,
                                 data_block::SystemNameLength,
                                 data_block::SystemNameOffset,
                                 object + object_type::TotalByteLength,
                                 object + object_type::DefinitionLength,
                                 object + object_type::HeaderLength,
                                 object + object_type::NumCounters,
                                 object + object_type::NumInstances,
                                 counter + counter_definition::ByteLength,
                                 counter + counter_definition::CounterSize,
                                 counter + counter_definition::CounterOffset,
                                 instance + instance_definition::ByteLength,
                                 instance + instance_definition::NameOffset,
                                 instance + instance_definition::NameLength,
                                 values})
        for (const std::uint32_t value : {1U, 3U, 0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FFF0U})
            EXPECT_TRUE(value == good.get32(at) || refused(at, value)) << "at " << at << ": " << value;
}

TEST(SlowV1ReaderRules, RefusesQuirksAndLeftovers) {
    const blob::Block block = hkpd_test::single_instances();
    EXPECT_FALSE(slow(blob::samba_like(block).bytes()));
    EXPECT_FALSE(slow(blob::wine_like(block).bytes()));
    EXPECT_FALSE(slow(blob::xp_like(block, 0, 0, 12).bytes()));
    blob::Blob blob = blob::build(block);
    blob.grow(1);
    EXPECT_FALSE(slow(blob.bytes()));
}

TEST(SlowV1ReaderRules, StopsWhenOverlapAsksForTooMuch) {
    blob::Object object{.title = 2, .kind = blob::Kind::multi, .instances = {}};
    for (std::uint32_t c = 0; c < 1000; ++c) object.counters.push_back({.title = 2 * c, .offset = 4});
    object.instances.assign(300, {u"a", {1}});
    EXPECT_FALSE(slow(blob::build({.objects = {object}}).bytes()));
}

class WindowsSlowV1Reader : public hkpd_test::WindowsData {};

TEST_F(WindowsSlowV1Reader, AgreesOnRealBlobs) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "data" / "v1" / "vista-2007")) {
        SCOPED_TRACE(entry.path().filename());
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(file), {});
        expect_agreement(std::as_bytes(std::span(bytes)));
        ++count;
    }
    EXPECT_EQ(count, 88U);
}

}  // namespace slow_v1_reader_test
