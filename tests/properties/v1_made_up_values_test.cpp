// One wrong length, count or offset in a valid V1 block must not make up values: what is shown for a counter must be a
// value that some instance of that counter has, or be reported as damaged. Nor may values be lost without a report.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "sample/fill/v1_builder.hpp"
#include "support/blob_builder.hpp"
#include "support/made_up_values.hpp"

namespace hkpd_test {
namespace v1_made_up_values_test {

/// Objects of both kinds with counters of 4 and 8 bytes, and as many instances as small machines have.
class RandomBlobs {
  public:
    blob::Blob next() {
        blob::Block block{.endian = below(2) == 0 ? blob::Endian::little : blob::Endian::big};
        for (std::uint32_t count = 1 + below(4), title = 100; count != 0; --count, title += 100)
            block.objects.push_back(object(title));
        return blob::build(block);
    }

    std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  private:
    blob::Object object(std::uint32_t title) {
        blob::Object made{.title = title};
        for (std::uint32_t count = 1 + below(6), c = 1; c <= count; ++c)
            made.counters.push_back(
                {.title = title + 2 * c, .type = below(2) == 0 ? blob::counter_type::large_rawcount : 0, .size = 4});
        for (blob::Counter& counter : made.counters) {
            counter.size = counter.type == 0 ? 4 : 8;
            if (counter.type == 0) counter.type = blob::counter_type::rawcount;
        }
        if (below(4) == 0) {
            made.values = values(made.counters.size());
            return made;
        }
        made.kind = blob::Kind::multi;
        for (std::uint32_t count = below(12); count != 0; --count) {
            std::u16string name;
            for (std::uint32_t length = below(14); length != 0; --length)
                name.push_back(static_cast<char16_t>(u'a' + below(26)));
            made.instances.push_back({.name = name, .values = values(made.counters.size())});
        }
        return made;
    }

    /// Returns values of which half are small, as counts are, and may be taken for lengths.
    std::vector<blob::Value> values(std::size_t count) {
        std::vector<blob::Value> made;
        for (; count != 0; --count) made.emplace_back(below(2) == 0 ? below(200) : random_());
        return made;
    }

    std::mt19937_64 random_{1};
};

/// Returns the fields on which the places of values depend.
std::vector<Field> fields_of(const blob::Blob& blob) {
    namespace data = blob::data_block;
    namespace type = blob::object_type;
    namespace counter = blob::counter_definition;
    namespace instance = blob::instance_definition;
    std::vector<Field> all{{"block TotalByteLength", data::TotalByteLength},
                           {"block HeaderLength", data::HeaderLength},
                           {"NumObjectTypes", data::NumObjectTypes},
                           {"SystemNameLength", data::SystemNameLength},
                           {"SystemNameOffset", data::SystemNameOffset}};
    for (std::size_t k = 0; k < blob.object_count(); ++k) {
        const std::size_t object = blob.object(k);
        all.insert(all.end(), {{"object TotalByteLength", object + type::TotalByteLength},
                               {"DefinitionLength", object + type::DefinitionLength},
                               {"object HeaderLength", object + type::HeaderLength},
                               {"NumCounters", object + type::NumCounters},
                               {"NumInstances", object + type::NumInstances}});
        for (const std::size_t at : blob.counters(k))
            all.push_back({"definition ByteLength", at + counter::ByteLength});
        for (const std::size_t at : blob.instances(k))
            all.insert(all.end(), {{"instance ByteLength", at + instance::ByteLength},
                                   {"NameOffset", at + instance::NameOffset},
                                   {"NameLength", at + instance::NameLength}});
        for (const std::size_t at : blob.counter_blocks(k)) all.push_back({"block of values ByteLength", at});
    }
    return all;
}

ValuesRead read(std::span<const std::byte> bytes) {
    ValuesRead read;
    hkpd::Diagnostics diagnostics;
    hkpd::v1::Block block;
    hkpd::SampleBuilder builder(nullptr, {});
    hkpd::Sample sample;
    if (block.open(hkpd::Bytes(bytes), diagnostics)) {
        builder.begin(sample, block, diagnostics);
        builder.add(sample, block, diagnostics);
        builder.finish(sample, 0, diagnostics);
        read.take(sample, [](const hkpd::Object& object) { return object.title_index; });
        read.faults = diagnostics.any_fault();
    } else {
        read.faults = true;
    }
    return read;
}

/// Values may be made up where a wrong length leads by chance through as many instances as announced to the end of the
/// object, through counter blocks that are long enough: 40 of 124,000 mutants.
TEST(V1MadeUpValues, AreNotShownForOneWrongField) {
    RandomBlobs random;
    MutantCounts counts;
    for (int round = 0; round < 60; ++round) {
        blob::Blob blob = random.next();
        const ValuesRead good = read(blob.bytes());
        ASSERT_FALSE(good.faults);
        for (const Field& field : fields_of(blob))
            counts.try_values(field, blob, random.below(1U << 31), random.below(blob.size()),
                              [&] { return compared(good, read(blob.bytes())); });
    }
    const MutantCount sum = counts.sum(500);
    EXPECT_GT(sum.mutants, 50'000U);
    EXPECT_LE((sum.made_up + sum.silently) * 2000, sum.mutants);
    EXPECT_LE(sum.silently * 50'000, sum.mutants);
}

}  // namespace v1_made_up_values_test
}  // namespace hkpd_test
