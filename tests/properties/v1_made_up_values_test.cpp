// One wrong length, count or offset in a valid V1 block must not make up values: what is shown for a counter must be a
// value that some instance of that counter has, or be reported as damaged. Nor may values be lost without a report.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "sample/build/v1_builder.hpp"
#include "support/blob_builder.hpp"

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

struct Field {
    std::string name;
    std::size_t at = 0;
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

/// The values of each counter, by the titles of object and counter.
using Values = std::map<std::pair<std::uint32_t, std::uint32_t>, std::multiset<std::uint64_t>>;

struct Read {
    Values values;
    std::size_t count = 0;
    bool faults = false;
};

Read read(std::span<const std::byte> bytes) {
    Read read;
    hkpd::Diagnostics diagnostics;
    hkpd::v1::Block block;
    hkpd::SampleBuilder builder(nullptr, {});
    hkpd::Sample sample;
    if (block.open(hkpd::Bytes(bytes), diagnostics)) {
        builder.begin(sample, block, diagnostics);
        builder.add(sample, block, diagnostics);
        builder.finish(sample, 0, diagnostics);
        for (const hkpd::Object& object : sample.objects())
            for (const hkpd::Column& column : object.columns)
                for (std::size_t row = 0; row < object.instances.size(); ++row)
                    if (column.is_valid(row)) {
                        read.values[{object.title_index, column.title_index}].insert(column.values[row]);
                        ++read.count;
                    }
        read.faults = diagnostics.any_fault();
    } else {
        read.faults = true;
    }
    return read;
}

/// Number of mutants of a kind of field, and of those that show or lose values.
struct Count {
    unsigned mutants = 0, made_up = 0, silently = 0, lost_silently = 0;

    Count& operator+=(const Count& more) {
        mutants += more.mutants;
        made_up += more.made_up;
        silently += more.silently;
        lost_silently += more.lost_silently;
        return *this;
    }
};

bool shows_another(const Values& shown, const Values& known) {
    return std::ranges::any_of(shown, [&known](const auto& column) {
        const auto found = known.find(column.first);
        return found == known.end() || std::ranges::any_of(column.second, [&found](std::uint64_t value) {
                   return !found->second.contains(value);
               });
    });
}

Count count_of(const Read& good, const Read& bad) {
    Count count{.mutants = 1};
    if (shows_another(bad.values, good.values)) ++(bad.faults ? count.made_up : count.silently);
    if (bad.count < good.count && !bad.faults) ++count.lost_silently;
    return count;
}

/// Values may be made up where a wrong length leads by chance through as many instances as announced to the end of the
/// object, through counter blocks that are long enough: 40 of 124,000 mutants.
TEST(V1MadeUpValues, AreNotShownForOneWrongField) {
    RandomBlobs random;
    std::map<std::string, Count> counts;
    for (int round = 0; round < 120; ++round) {
        blob::Blob blob = random.next();
        const Read good = read(blob.bytes());
        ASSERT_FALSE(good.faults);
        for (const Field& field : fields_of(blob)) {
            const std::uint32_t value = blob.get32(field.at);
            for (const std::uint32_t other :
                 {0U, 1U, value - 1, value + 1, value - 4, value + 4, value - 8, value + 8, value + 16, value - 16,
                  value + 24, value * 2, value / 2, 0x7FFF'FFFFU, random.below(1U << 31), random.below(blob.size())}) {
                if (other == value) continue;
                blob.put32(field.at, other);
                counts[field.name] += count_of(good, read(blob.bytes()));
            }
            blob.put32(field.at, value);
        }
    }
    Count sum;
    for (const auto& [name, count] : counts) {
        EXPECT_LE(count.made_up * 500, count.mutants) << name;
        EXPECT_EQ(count.lost_silently, 0U) << name;
        sum += count;
    }
    EXPECT_GT(sum.mutants, 100'000U);
    EXPECT_LE((sum.made_up + sum.silently) * 2000, sum.mutants);
    EXPECT_LE(sum.silently * 50'000, sum.mutants);
    RecordProperty("mutants", std::to_string(sum.mutants));
    RecordProperty("made_up", std::to_string(sum.made_up + sum.silently));
}

}  // namespace v1_made_up_values_test
}  // namespace hkpd_test
