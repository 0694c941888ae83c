// A thousand random providers: both interfaces return, through bytes and parsers, the data put in.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1_writer.hpp"
#include "live/perflib_query.hpp"
#include "sample/fill/v1_builder.hpp"
#include "sample/fill/v2_builder.hpp"
#include "support/random_provider.hpp"
#include "support/sample_reading.hpp"
#include "support/v2_walk.hpp"

namespace hkpd_test {
namespace provider_round_trip_test {

using random_provider::Instance;
using random_provider::Machine;
using random_provider::Set;
constexpr std::uint32_t first_title = 5000, english = 0x409;

/// A counter as both interfaces show it; base: the id of the counter that is its base.
std::string counter_text(std::uint32_t id, std::string_view name, std::uint32_t type, std::uint32_t size,
                         std::int32_t scale, std::uint32_t detail, std::uint32_t base) {
    std::string text = "\n  counter " + std::to_string(id) + ' ' + std::string(name);
    for (const std::int64_t number : {std::int64_t{type}, std::int64_t{size}, std::int64_t{scale}, std::int64_t{detail},
                                      std::int64_t{static_cast<std::int32_t>(base)}})
        text.append(" ").append(std::to_string(number));
    return text + ':';
}

/// The data put in.
std::string text_of(const Set& set) {
    const std::vector<Instance> rows = visible(set);
    std::string text =
        set.descriptor.name + ' ' + std::to_string(set.descriptor.detail_level) + (set.multi() ? " multi" : " single");
    for (const Instance& row : rows) text.append("\n  instance ").append(row.name);
    for (const hkpd::CounterDescriptor& counter : set.descriptor.counters) {
        text += counter_text(counter.id, counter.name, counter.type, counter.size, counter.scale, counter.detail_level,
                             counter.base_id);
        for (const Instance& row : rows) text.append(" ").append(std::to_string(row.values.at(counter.id)));
    }
    return text;
}

/// The data read back. `title` returns the title index of a counter id.
template <class Title>
std::string text_of(const Set& set, const hkpd::Object& object, const Title& title) {
    std::string text(object.name ? object.name->text : "?");
    text.append(" ").append(std::to_string(object.detail_level));
    text.append(object.kind == hkpd::Kind::multi ? " multi" : " single");
    for (const hkpd::Instance& row : object.instances) text.append("\n  instance ").append(row.name.value_or("?"));
    for (const hkpd::CounterDescriptor& counter : set.descriptor.counters) {
        const auto found = std::ranges::find_if(
            object.columns, [&](const hkpd::Column& column) { return column.title_index == title(counter.id); });
        if (found == object.columns.end()) return text + "\n  no counter " + std::to_string(counter.id);
        std::uint32_t base = hkpd::v2::no_id;
        if (counter.base_id != base && found->base >= 0 &&
            object.columns[static_cast<std::size_t>(found->base)].title_index == title(counter.base_id))
            base = counter.base_id;
        text += counter_text(counter.id, found->name ? found->name->text : "", found->type, found->size, found->scale,
                             found->detail_level, base);
        for (std::size_t row = 0; row < object.instances.size(); ++row)
            text.append(" ").append(value_text(object, *found, row));
    }
    return text;
}

/// Reads the V1 view.
class V1Interface {
  public:
    explicit V1Interface(Machine& machine) : sets_(machine.provider().countersets()), numbering_(first_title, sets_) {
        hkpd::TitleTable names("009", "provider"), help("009", "provider");
        append_titles(names, help, sets_, numbering_);
        titles_.add(std::move(names));
        hkpd::V1BlockWriter writer(machine.moment(), "Here");
        append_v1_view(writer, sets_, numbering_, {});
        const ExactCopy copy(writer.finish());
        hkpd::v1::Block block;
        EXPECT_TRUE(block.open(copy.bytes(), diagnostics));
        hkpd::SampleBuilder builder(&titles_, {});
        builder.begin(sample, block, diagnostics);
        builder.add(sample, block, diagnostics);
        builder.finish(sample, 0, diagnostics);
    }
    std::string text(const Set& set) const {
        const auto position = sample.find(numbering_.object(set.descriptor.guid));
        if (!position) return "no object";
        const hkpd::Object& object = sample.objects()[*position];
        for (const hkpd::Instance& instance : object.instances) EXPECT_EQ(instance.unique_id.value_or(-1), -1);
        return text_of(set, object, [&](std::uint32_t id) { return numbering_.counter(set.descriptor.guid, id); });
    }

    hkpd::Sample sample;
    hkpd::Diagnostics diagnostics;

  private:
    hkpd::CountersetList sets_;
    hkpd::V1Numbering numbering_;
    hkpd::Titles titles_;
};

/// Reads a query for everything.
class V2Interface {
  public:
    explicit V2Interface(Machine& machine) : query_(machine.perflib()) {
        for (const Set& set : machine.sets()) {
            EXPECT_EQ(query_.add(set.descriptor.guid, set.multi() ? "*" : ""), 0U);
            register_set(machine, set);
        }
        EXPECT_EQ(query_.collect(), 0U);
        const ExactCopy info(query_.info()), data(query_.data().span());
        hkpd::v2::Identifiers identifiers;
        identifiers.open(info.bytes(), diagnostics);
        hkpd::v2::DataBlock block;
        EXPECT_TRUE(block.open(data.bytes(), diagnostics));
        hkpd::CountersetSampleBuilder builder(countersets_, {});
        builder.build(sample, block, &identifiers, "Here", diagnostics);
    }
    std::string text(const Set& set) {
        const auto position = sample.find(countersets_.number(set.descriptor.guid));
        if (!position) return "no object";
        const hkpd::Object& object = sample.objects()[*position];
        EXPECT_EQ(object.counterset, set.descriptor.guid);
        const std::vector<Instance> rows = visible(set);
        for (std::size_t row = 0; row < std::min(rows.size(), object.instances.size()) && set.multi(); ++row)
            EXPECT_EQ(object.instances[row].unique_id.value_or(-1), static_cast<std::int32_t>(rows[row].id));
        for (const hkpd::Column& column : object.columns) {
            const hkpd::CounterDescriptor* counter = set.counter(column.title_index);
            EXPECT_NE(counter, nullptr) << column.title_index;
            if (counter != nullptr) {
                EXPECT_EQ(column.attributes, counter->attributes) << column.title_index;
            }
        }
        return text_of(set, object, [](std::uint32_t id) { return id; });
    }

    hkpd::Sample sample;
    hkpd::Diagnostics diagnostics;

  private:
    void register_set(Machine& machine, const Set& set) {
        using enum hkpd::v2::RegistrationRequest;
        for (const auto request : {counterset_struct, counterset_name, counter_names, counter_help, provider_name}) {
            std::uint32_t status = 0;
            const auto bytes =
                hkpd::registration_info(machine.perflib(), "", set.descriptor.guid, request, english, status);
            EXPECT_EQ(status, 0U) << static_cast<std::uint32_t>(request);
            const ExactCopy copy(bytes);
            countersets_.add(
                {.guid = set.descriptor.guid, .request = request, .language = "009", .bytes = copy.bytes()}, {},
                diagnostics);
        }
    }

    hkpd::PerfQuery query_;
    hkpd::Countersets countersets_;
};

void expect_round_trip(Machine& machine) {
    const V1Interface v1(machine);
    V2Interface v2(machine);
    EXPECT_TRUE(clean_v2(v1.diagnostics)) << "V1";
    EXPECT_TRUE(clean_v2(v2.diagnostics)) << "V2";
    EXPECT_EQ(v1.sample.objects().size(), machine.sets().size());
    EXPECT_EQ(v2.sample.objects().size(), machine.sets().size());
    for (const Set& set : machine.sets()) {
        EXPECT_EQ(v1.text(set), text_of(set)) << "V1";
        EXPECT_EQ(v2.text(set), text_of(set)) << "V2";
    }
    const hkpd::Sample* const samples[] = {&v1.sample, &v2.sample};
    for (const hkpd::Sample* sample : samples) {
        EXPECT_EQ(sample->perf.time, machine.moment().perf_time);
        EXPECT_EQ(sample->perf.frequency, machine.moment().perf_frequency);
        EXPECT_EQ(sample->perf_time_100ns, machine.moment().perf_time_100ns);
        EXPECT_EQ(unix_time(*sample), unix_time(machine.moment().system_time));
    }
}

/// Counts the cases covered, so that none is left out by chance.
struct Seen {
    std::size_t values = 0, totals = 0, shared_bases = 0, empty = 0;

    void add(const Set& set) {
        const std::vector<Instance> rows = visible(set);
        values += rows.size() * set.descriptor.counters.size();
        totals += rows.size() - set.instances.size();
        empty += rows.empty() ? 1U : 0U;
        std::map<std::uint32_t, std::size_t> users;
        for (const hkpd::CounterDescriptor& counter : set.descriptor.counters)
            if (counter.base_id != hkpd::v2::no_id) shared_bases += ++users[counter.base_id] == 2 ? 1U : 0U;
    }
};

TEST(ProviderRoundTrip, AThousandRandomProviders) {
    Seen seen;
    for (std::uint32_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Machine machine(seed, true);
        expect_round_trip(machine);
        for (const Set& set : machine.sets()) seen.add(set);
    }
    EXPECT_GT(seen.values, 10'000U);
    EXPECT_GT(seen.totals, 200U);
    EXPECT_GT(seen.shared_bases, 100U);
    EXPECT_GT(seen.empty, 50U);
}

}  // namespace provider_round_trip_test
}  // namespace hkpd_test
