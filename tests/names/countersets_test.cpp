// Registrations of countersets: what each answer of PerfQueryCounterSetRegistrationInfo adds to the known ones.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/counter_type.hpp"
#include "hkpd/names.hpp"
#include "support/processor_time.hpp"
#include "support/sample_reading.hpp"
#include "support/v2_builder.hpp"
#include "support/v2_walk.hpp"

namespace hkpd_test {
namespace countersets_test {

using hkpd::CountersetCounter;
using hkpd::Countersets;
using hkpd::Severity;
using enum hkpd::v2::RegistrationRequest;

const hkpd::Guid waves = v2_blob::guid(1), other = v2_blob::guid(2);

/// Holds known countersets and the faults found.
struct Known {
    Countersets countersets;
    hkpd::Diagnostics diagnostics;
    hkpd::Limits limits;

    /// Adds an answer whose bytes do not outlive the call.
    const hkpd::Counterset& add(hkpd::v2::RegistrationRequest request, const blob::ByteBuffer& bytes,
                                std::string_view language = "009", std::string_view machine = {},
                                const hkpd::Guid& guid = waves) {
        const ExactCopy copy(bytes.bytes());
        countersets.add(
            {.guid = guid, .request = request, .machine = machine, .language = language, .bytes = copy.bytes()}, limits,
            diagnostics);
        static const hkpd::Counterset none;
        const hkpd::Counterset* found = countersets.find(machine, guid);
        return found == nullptr ? none : *found;
    }
    const hkpd::Counterset& add_struct(const std::vector<v2_blob::Counter>& counters, std::string_view machine = {}) {
        return add(counterset_struct, v2_blob::build_registration({.guid = waves, .counters = counters}), "", machine);
    }
    const hkpd::Counterset& add_names(const std::vector<v2_blob::CounterString>& names,
                                      std::string_view language = "009") {
        return add(counter_names, v2_blob::build_strings(names), language);
    }
};

blob::ByteBuffer one_counter(const v2_blob::Counter& counter) {
    blob::ByteBuffer bytes;
    v2_blob::put_counter(bytes, counter);
    return bytes;
}

/// Returns ids, types and names: `0:65536 Triangle|1:…`; `?` for an unknown name.
std::string counters(const hkpd::Counterset& set) {
    std::string text;
    for (const CountersetCounter& counter : set.counters)
        text.append(std::to_string(counter.info.CounterId))
            .append(":")
            .append(std::to_string(counter.info.Type))
            .append(" ")
            .append(counter.name.value_or("?"))
            .append("|");
    return text;
}

TEST(Countersets, AStruct) {
    Known known;
    const auto& set =
        known.add(counterset_struct,
                  v2_blob::build_registration({.guid = waves,
                                               .instance_type = 6,
                                               .counters = {{.id = 2, .type = 7, .base = 9}, {.id = 1, .type = 8}},
                                               .detail = 300}));
    EXPECT_TRUE(set.registered);
    EXPECT_EQ(set.guid, waves);
    EXPECT_EQ(set.instances, hkpd::v2::InstanceType::multi_aggregate);
    EXPECT_EQ(set.detail_level, 300U);
    EXPECT_EQ(set.number, hkpd::first_counterset);
    EXPECT_EQ(counters(set), "1:8 ?|2:7 ?|");
    ASSERT_NE(set.find(2), nullptr);
    EXPECT_EQ(set.find(2)->info.BaseCounterId, 9U);
    EXPECT_EQ(set.find(0), nullptr);
    EXPECT_EQ(set.find(3), nullptr);
    EXPECT_EQ(known.diagnostics.object_name(set.number), hkpd::guid_text(waves));
    EXPECT_EQ(faults(known.diagnostics), "");
}

TEST(Countersets, TextsOfEachKind) {
    Known known;
    known.add_struct({{.id = 1, .type = 8}, {.id = 2, .type = 7}});
    known.add(counterset_name, v2_blob::build_string(u"Waves"));
    known.add(counterset_help, v2_blob::build_string(u"Moving water."));
    known.add(provider_name, v2_blob::build_string(u"The sea"));
    known.add(counter_help, v2_blob::build_strings({{2, u"How high."}, {1, {}}}));
    const auto& set = known.add_names({{1, u"Width"}, {2, u"H\u00F6he"}});
    EXPECT_EQ(set.name, "Waves");
    EXPECT_EQ(set.help, "Moving water.");
    EXPECT_EQ(set.provider_name, "The sea");
    EXPECT_EQ(counters(set), "1:8 Width|2:7 H\u00F6he|");
    EXPECT_EQ(set.find(1)->help, std::nullopt);
    EXPECT_EQ(set.find(2)->help, "How high.");
    EXPECT_EQ(faults(known.diagnostics), "");
}

TEST(Countersets, TextsMayComeBeforeTheStruct) {
    Known known;
    const auto& early = known.add_names({{1, u"Width"}, {5, u"Depth"}});
    EXPECT_FALSE(early.registered);
    EXPECT_EQ(counters(early), "1:4294967295 Width|5:4294967295 Depth|");
    const auto& set = known.add_struct({{.id = 5, .type = 7}});
    EXPECT_EQ(counters(set), "1:4294967295 Width|5:7 Depth|");
    EXPECT_EQ(set.find(1)->info.Type, hkpd::no_counter_type);
    EXPECT_EQ(set.find(1)->info.BaseCounterId, hkpd::v2::no_id);
}

TEST(Countersets, TheProvider) {
    Known known;
    blob::ByteBuffer bytes;
    v2_blob::put_guid(bytes, other);
    EXPECT_EQ(known.add(provider_guid, bytes).provider, other);
    blob::ByteBuffer cut;
    cut.integers(8, 1);
    EXPECT_EQ(known.add(provider_guid, cut).provider, other);
    EXPECT_EQ(faults(known.diagnostics), "error registration_length|");
}

TEST(Countersets, TheBestLanguageIsUsed) {
    Known known;
    known.countersets.prefer({"7", "40c"});
    known.add_struct({{.id = 1, .type = 8}});
    const auto name_after = [&](std::u16string_view name, std::string_view language) {
        return std::string(known.add_names({{1, std::u16string(name)}}, language).find(1)->name.value_or("?"));
    };
    EXPECT_EQ(name_after(u"other", "011"), "other");
    EXPECT_EQ(name_after(u"unknown", ""), "unknown");
    EXPECT_EQ(name_after(u"late other", "012"), "unknown");
    EXPECT_EQ(name_after(u"English", "409"), "English");
    EXPECT_EQ(name_after(u"French", "00c"), "French");
    EXPECT_EQ(name_after(u"German", "007"), "German");
    EXPECT_EQ(name_after(u"more German", "407"), "German");
    EXPECT_EQ(name_after(u"more English", "009"), "German");
}

TEST(Countersets, EnglishRequestsAreEnglishInAnyLanguage) {
    Known known;
    known.add_struct({{.id = 1, .type = 8}});
    known.add(counterset_name, v2_blob::build_string(u"Wellen"), "007");
    known.add(counterset_english, v2_blob::build_string(u"Waves"), "007");
    known.add(counter_names_english, v2_blob::build_strings({{1, u"Width"}}), "");
    known.add_names({{1, u"Breite"}}, "007");
    const auto& set = known.add(counterset_name, v2_blob::build_string(u"late"), "009");
    EXPECT_EQ(set.name, "Waves");
    EXPECT_EQ(set.find(1)->name, "Width");
}

TEST(Countersets, TextsAndCountersetsStayValid) {
    Known known;
    known.countersets.prefer({"007"});
    const auto& set = known.add(counterset_name, v2_blob::build_string(u"a"), "009");
    const std::string_view first = *set.name;
    for (int i = 0; i < 1000; ++i)
        known.add(counterset_name, v2_blob::build_string(u"b"), "009", "machine " + std::to_string(i));
    known.add(counterset_name, v2_blob::build_string(u"w"), "007");
    EXPECT_EQ(first, "a");
    EXPECT_EQ(set.name, "w");
    EXPECT_EQ(&set, &known.countersets.all().front());
}

TEST(Countersets, TheFirstOfEqualIdsIsUsed) {
    Known known;
    const auto& set = known.add_struct({{.id = 4, .type = 1}, {.id = 3, .type = 2}, {.id = 4, .type = 3}});
    EXPECT_EQ(counters(set), "3:2 ?|4:1 ?|");
    EXPECT_EQ(faults(known.diagnostics), "warning counter_id_repeated|");
    EXPECT_EQ(known.diagnostics.kept()[0].error.found, 4U);
    EXPECT_EQ(known.diagnostics.kept()[0].object, set.number);
    known.add_names({{3, u"first"}, {3, u"second"}});
    EXPECT_EQ(counters(set), "3:2 first|4:1 ?|");
    EXPECT_EQ(known.diagnostics.count(Severity::warning), 2U);
}

TEST(Countersets, RepetitionChangesNothing) {
    Known known;
    const auto take = [&known] {
        known.add_struct({{.id = 1, .type = 8}, {.id = 2, .type = 7}});
        known.add(counter_struct, one_counter({.id = 9, .type = 6}));
        known.add(counterset_name, v2_blob::build_string(u"Waves"));
        return counters(known.add_names({{1, u"Width"}, {2, u"Height"}}));
    };
    const std::string first = take();
    const hkpd::Counterset& set = known.countersets.all().front();
    const char* const name = set.name->data();
    EXPECT_EQ(take(), first);
    EXPECT_EQ(first, "1:8 Width|2:7 Height|9:6 ?|");
    EXPECT_EQ(set.name->data(), name);
    EXPECT_EQ(known.countersets.all().size(), 1U);
    EXPECT_EQ(faults(known.diagnostics), "");
}

TEST(Countersets, TheLastStructIsUsed) {
    Known known;
    known.add_struct({{.id = 1, .type = 8}, {.id = 2, .type = 7}});
    known.add_names({{1, u"Width"}, {2, u"Height"}});
    EXPECT_EQ(counters(known.add_struct({{.id = 2, .type = 9}, {.id = 3, .type = 5}})), "1:8 Width|2:9 Height|3:5 ?|");
    EXPECT_EQ(counters(known.add(counter_struct, one_counter({.id = 1, .type = 4}))), "1:4 Width|2:9 Height|3:5 ?|");
}

TEST(Countersets, MachinesAreSeparate) {
    Known known;
    const auto& any = known.add_struct({{.id = 1, .type = 8}});
    const auto& own = known.add_struct({{.id = 2, .type = 7}}, "A");
    EXPECT_EQ(known.countersets.find("A", waves), &own);
    EXPECT_EQ(known.countersets.find("B", waves), &any);
    EXPECT_EQ(known.countersets.find("", waves), &any);
    EXPECT_EQ(known.countersets.find("A", other), nullptr);
    EXPECT_EQ(own.number, any.number);
    known.add(counterset_name, v2_blob::build_string(u"Waves"), "009", "C");
    EXPECT_EQ(known.countersets.find("C", waves), &any) << "only its name is known of its own";
}

TEST(Countersets, EachGuidHasItsNumber) {
    Known known;
    EXPECT_EQ(known.countersets.number(other), hkpd::first_counterset);
    EXPECT_EQ(known.countersets.number(waves), hkpd::first_counterset + 1);
    EXPECT_EQ(known.add_struct({}).number, hkpd::first_counterset + 1);
    EXPECT_EQ(known.countersets.number(other), hkpd::first_counterset);
    EXPECT_EQ(known.countersets.find("", other), nullptr);
}

TEST(Countersets, TheTitleIndexOfTheV1Object) {
    Known known;
    const auto registration = v2_blob::build_registration({.guid = waves});
    const auto take = [&](std::optional<std::uint32_t> title_index) {
        known.countersets.add({.guid = waves,
                               .request = counterset_struct,
                               .title_index = title_index,
                               .bytes = hkpd::Bytes(registration.bytes())},
                              {}, known.diagnostics);
        return known.countersets.all().front().title_index;
    };
    EXPECT_EQ(take({}), std::nullopt);
    EXPECT_EQ(take(4711), 4711U);
    EXPECT_EQ(take({}), 4711U);
}

TEST(Countersets, DamagedAnswersLoseOnlyThemselves) {
    Known known;
    known.add_struct({{.id = 1, .type = 8}});
    blob::ByteBuffer cut;
    cut.integers(4, 1);
    for (const auto request : {counterset_struct, counter_struct, counter_names, counter_help, provider_guid})
        known.add(request, cut);
    EXPECT_EQ(known.diagnostics.count(Severity::error), 5U) << faults(known.diagnostics);
    for (const hkpd::Diagnostic& found : known.diagnostics.kept())
        EXPECT_EQ(found.object, known.countersets.number(waves));
    EXPECT_EQ(counters(known.countersets.all().front()), "1:8 ?|");
    EXPECT_TRUE(known.countersets.all().front().registered);
    known.add(static_cast<hkpd::v2::RegistrationRequest>(77), cut);
    EXPECT_EQ(known.diagnostics.count(Severity::error), 5U);
}

TEST(Countersets, InvalidText) {
    Known known;
    known.add(counterset_name, v2_blob::build_string(u""), "009");
    EXPECT_EQ(known.countersets.all().front().name, std::nullopt) << "an empty text is no name";
    known.add(counterset_name, v2_blob::build_string(u"a\xD800z"), "009");
    EXPECT_EQ(known.countersets.all().front().name, "a\xEF\xBF\xBDz");
    EXPECT_EQ(faults(known.diagnostics), "warning bad_text|");
}

TEST(CountersetsLimits, Counters) {
    Known known;
    known.limits.series = 3;
    std::vector<v2_blob::Counter> five;
    for (std::uint32_t id = 0; id < 5; ++id) five.push_back({.id = id, .type = 8});
    EXPECT_EQ(known.add_struct(five).counters.size(), 3U);
    EXPECT_EQ(faults(known.diagnostics), "error counterset_limit|");
    EXPECT_EQ(known.add_names({{7, u"seven"}, {1, u"one"}}).find(1)->name, "one");
    EXPECT_EQ(known.countersets.all().front().counters.size(), 3U);
}

TEST(CountersetsLimits, CountersOfOneSet) {
    Known known;
    std::vector<v2_blob::Counter> many;
    for (std::uint32_t id = 0; id < 5000; ++id) many.push_back({.id = 5000 - id, .type = 8});
    EXPECT_EQ(known.add_struct(many).counters.size(), 4096U);
    EXPECT_EQ(faults(known.diagnostics), "error counterset_limit|");
}

TEST(CountersetsLimits, Text) {
    Known known;
    known.limits.title_bytes = 10;
    EXPECT_EQ(known.add(counterset_name, v2_blob::build_string(u"Waves")).name, "Waves");
    EXPECT_EQ(known.add(counterset_help, v2_blob::build_string(u"!")).help, std::nullopt);
    EXPECT_EQ(faults(known.diagnostics), "error counterset_limit|");
    known.add(counterset_name, v2_blob::build_string(u"Waves"));
    EXPECT_EQ(known.diagnostics.count(Severity::error), 1U) << "a repetition takes no memory";
}

TEST(CountersetsLimits, Sets) {
    Known known;
    constexpr std::uint32_t most = 65'536;
    for (std::uint32_t i = 0; i < most; ++i)
        EXPECT_EQ(known.countersets.number(v2_blob::guid(i)), hkpd::first_counterset + i);
    EXPECT_EQ(known.countersets.number(v2_blob::guid(most)), hkpd::no_index);
    EXPECT_EQ(known.add(counterset_name, v2_blob::build_string(u"x"), "", "", v2_blob::guid(most)).name, std::nullopt);
    EXPECT_EQ(faults(known.diagnostics), "error counterset_limit|");
    EXPECT_EQ(known.countersets.number(v2_blob::guid(3)), hkpd::first_counterset + 3);
}

/// Each look-up of a list that is searched from its front would cost as much as there are countersets.
TEST(CountersetsLimits, LookUpsCostLittleWhereThereAreManySets) {
    constexpr std::uint32_t sets = 30'000, machines = 30'000;
    Known known;
    for (std::uint32_t i = 0; i < sets; ++i)
        known.add(counterset_name, v2_blob::build_string(u"x"), "", "", v2_blob::guid(i));
    for (std::uint32_t i = 0; i < machines; ++i)
        known.add(counterset_name, v2_blob::build_string(u"x"), "", std::to_string(i), v2_blob::guid(sets));
    EXPECT_EQ(known.countersets.all().size(), sets + machines);
    EXPECT_EQ(known.diagnostics.count(), 0U);
    const ProcessorTime used;
    for (int round = 0; round < 2; ++round) {
        for (std::uint32_t i = 0; i < sets; ++i) {
            const hkpd::Counterset* const found = known.countersets.find("any", v2_blob::guid(i));
            ASSERT_TRUE(found != nullptr && found->number == known.countersets.number(v2_blob::guid(i)));
        }
        for (std::uint32_t i = 0; i < machines; ++i) {
            const hkpd::Counterset* const found = known.countersets.find(std::to_string(i), v2_blob::guid(sets));
            ASSERT_TRUE(found != nullptr && found->machine == std::to_string(i));
        }
    }
    EXPECT_LT(used.seconds(), 2);
}

}  // namespace countersets_test
}  // namespace hkpd_test
