// One wrong length, count or size in a valid V2 block must not make up values: what is shown for a counter must be a
// value that some instance of that counter has, or be reported as damaged. Nor may values be lost without a report.
// Where no type is known, a lone value of 4 bytes whose padding is not zero is reported as one that may be half of
// another.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/sample.hpp"
#include "support/blob_fields.hpp"
#include "support/made_up_values.hpp"
#include "support/v2_builder.hpp"
#include "support/v2_sample_reading.hpp"

namespace hkpd_test {
namespace v2_made_up_values_test {

namespace type = blob::counter_type;

/// A query of several countersets, whose values have 4 and 8 bytes.
struct Query {
    std::vector<v2_blob::Registration> sets;
    std::vector<v2_blob::Identifier> identifiers;
    v2_blob::Blob blob;
};

class RandomQueries {
  public:
    /// `pads`: whether values of 4 bytes are padded with any bytes, not only with zeros.
    explicit RandomQueries(bool pads) : pads_(pads) {}

    Query next() {
        Query made;
        v2_blob::Block block;
        for (std::uint32_t count = 1 + below(4), set = 1; set <= count; ++set) {
            v2_blob::Registration registration{.guid = v2_blob::guid(set)};
            for (std::uint32_t counters = 1 + below(5), id = 0; id < counters; ++id)
                registration.counters.push_back(
                    {.id = 10 * set + id, .type = below(2) == 0 ? type::rawcount : type::large_rawcount});
            add_results(registration, made, block);
            made.sets.push_back(std::move(registration));
        }
        made.blob = v2_blob::build(block);
        fill_padding(made.blob);
        return made;
    }

    std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  private:
    /// Adds a result of one of the four types that hold values.
    void add_results(const v2_blob::Registration& set, Query& made, v2_blob::Block& block) {
        v2_blob::Result result;
        v2_blob::Identifier identifier{.guid = set.guid, .index = static_cast<std::uint32_t>(block.results.size())};
        const bool list = below(3) != 0, one = below(3) == 0;
        std::vector<v2_blob::Counter> counters = set.counters;
        if (one) {
            counters.resize(1);
            identifier.counter = counters[0].id;
        } else {
            for (const v2_blob::Counter& counter : counters) result.ids.push_back(counter.id);
        }
        if (list) {
            result.type = one ? v2_blob::multiple_instances : v2_blob::counterset;
            identifier.name = u"*";
            for (std::uint32_t count = below(10); count != 0; --count)
                result.instances.push_back({name(), count, values(counters)});
        } else {
            result.type = one ? v2_blob::single_counter : v2_blob::multiple_counters;
            identifier.name = u"only";
            result.values = values(counters);
        }
        made.identifiers.push_back(std::move(identifier));
        block.results.push_back(std::move(result));
    }

    std::u16string name() {
        std::u16string made;
        for (std::uint32_t length = below(14); length != 0; --length)
            made.push_back(static_cast<char16_t>(u'a' + below(26)));
        return made;
    }

    /// Returns values of which half are small, as counts are, and may be taken for lengths.
    std::vector<v2_blob::Value> values(const std::vector<v2_blob::Counter>& counters) {
        std::vector<v2_blob::Value> made;
        for (const v2_blob::Counter& counter : counters) {
            const std::uint64_t number = below(2) == 0 ? below(200) : random_();
            made.push_back(counter.type == type::rawcount ? v2_blob::u32(static_cast<std::uint32_t>(number))
                                                          : v2_blob::Value(number));
        }
        return made;
    }

    /// Fills the padding after values of 4 bytes in half of the blocks: zeros are not required.
    void fill_padding(v2_blob::Blob& blob) {
        if (!pads_ || below(2) == 0) return;
        for (std::size_t k = 0; k < blob.result_count(); ++k)
            for (const std::vector<std::size_t>& instance : blob.values(k))
                for (const std::size_t at : instance)
                    if (blob.get32(at) == 4) blob.put32(at + v2_blob::counter_data::value + 4, below(1U << 31));
    }

    std::mt19937_64 random_{1};
    bool pads_;
};

/// Returns the fields on which the places and sizes of values depend.
std::vector<Field> fields_of(const v2_blob::Blob& blob) {
    std::vector<Field> all{{"block dwTotalSize", v2_blob::data_header::dwTotalSize},
                           {"block dwNumCounters", v2_blob::data_header::dwNumCounters}};
    for (std::size_t k = 0; k < blob.result_count(); ++k) {
        const std::size_t result = blob.result(k);
        all.push_back({"dwType", result + v2_blob::counter_header::dwType});
        all.push_back({"result dwSize", result + v2_blob::counter_header::dwSize});
        const std::uint32_t type = blob.get32(result + v2_blob::counter_header::dwType);
        if (type == v2_blob::multiple_counters || type == v2_blob::counterset) {
            all.push_back({"ids dwSize", blob.ids(k) + v2_blob::multi_counters::dwSize});
            all.push_back({"dwCounters", blob.ids(k) + v2_blob::multi_counters::dwCounters});
        }
        if (type == v2_blob::multiple_instances || type == v2_blob::counterset) {
            all.push_back({"list dwTotalSize", blob.list(k) + v2_blob::multi_instances::dwTotalSize});
            all.push_back({"dwInstances", blob.list(k) + v2_blob::multi_instances::dwInstances});
        }
        for (const std::size_t at : blob.instances(k)) all.push_back({"instance Size", at});
        for (const std::vector<std::size_t>& instance : blob.values(k))
            for (const std::size_t at : instance) {
                all.push_back({"dwDataSize", at + v2_blob::counter_data::dwDataSize});
                all.push_back({"value dwSize", at + v2_blob::counter_data::dwSize});
            }
    }
    return all;
}

/// Removes the value that is reported as doubtful, by the offset of its padding, from those whose content is compared.
template <class Number>
void take_out_doubtful(ValuesRead& read, const hkpd::Sample& sample, std::uint64_t offset, const Number& number_of) {
    for (const hkpd::Object& object : sample.objects())
        for (const hkpd::Column& column : object.columns)
            for (std::size_t row = 0; row < object.instances.size(); ++row)
                if (column.offset + v2_blob::counter_data::value + 4 == offset && column.is_valid(row)) {
                    auto& values = read.values[{number_of(object), column.title_index}];
                    ASSERT_EQ(column.size, 4U);
                    values.erase(values.find(column.values[row]));
                }
}

ValuesRead read(const Query& query, bool registered) {
    ValuesRead read;
    V2Reading reading;
    if (registered)
        for (const v2_blob::Registration& set : query.sets) reading.add(set);
    const auto number_of = [](const hkpd::Object& object) {
        return object.counterset ? std::to_integer<std::uint64_t>(object.counterset->bytes[0]) : 0;
    };
    const hkpd::Sample& sample = reading.build(query.blob, &query.identifiers);
    read.take(sample, number_of);
    for (const hkpd::Diagnostic& fault : reading.diagnostics.kept()) {
        const bool is_note = fault.severity == hkpd::Severity::note;
        const bool is_doubt = fault.error.code == hkpd::Errc::value_size && fault.error.field == "padding";
        read.faults = read.faults || !(is_note || is_doubt);
        if (is_doubt) take_out_doubtful(read, sample, fault.error.offset, number_of);
    }
    return read;
}

void expect_no_made_up_values(bool registered) {
    RandomQueries random(registered);  // without a type, padding that is not zero can be the half of a value
    MutantCounts counts;
    for (int round = 0; round < 60; ++round) {
        Query query = random.next();
        const ValuesRead good = read(query, registered);
        ASSERT_FALSE(good.faults);
        for (const Field& field : fields_of(query.blob))
            counts.try_values(field, query.blob, random.below(1U << 31), random.below(query.blob.size()),
                              [&] { return compared(good, read(query, registered)); });
    }
    const MutantCount sum = counts.sum(500);
    EXPECT_GT(sum.mutants, 50'000U);
    // What stays: a lone number of a result whose size becomes the other one of the two that providers declare.
    EXPECT_LE((sum.made_up + sum.silently) * 1000, sum.mutants);
    EXPECT_EQ(sum.silently, 0U);
}

TEST(V2MadeUpValues, AreNotShownForOneWrongField) { expect_no_made_up_values(true); }

TEST(V2MadeUpValues, AreNotShownWithoutRegistration) { expect_no_made_up_values(false); }

}  // namespace v2_made_up_values_test
}  // namespace hkpd_test
