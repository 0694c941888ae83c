// A machine's counters as a source: the order of the records, the queries sent, and the effect of an interface that
// fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/capture.hpp"
#include "hkpd/live.hpp"
#include "hkpd/v2.hpp"
#include "support/capture_reading.hpp"
#include "support/live_kit.hpp"
#include "support/sample_reading.hpp"
#include "support/simulated_run.hpp"

namespace live_source_test {

using namespace hkpd_test;
using namespace std::chrono_literals;
using hkpd::LiveQuery;
using provider_kit::guid;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Call = FakePerfLib::Call;
using Indices = std::set<std::uint32_t>;
using Kind = hkpd::Record::Kind;
namespace win32 = hkpd::win32;

/// Returns the indices in a query; `Global` is not one.
Indices indices_of(const std::string& query) {
    Indices indices;
    std::istringstream words(query);
    for (std::uint32_t index = 0; words >> index;) indices.insert(index);
    return indices;
}

std::vector<std::string> languages_of(const std::vector<Kept>& records) {
    std::vector<std::string> languages;
    for (const Kept& kept : records) languages.push_back(kept.language);
    return languages;
}

std::vector<std::string> bytes_of(const std::vector<Kept>& records) {
    std::vector<std::string> bytes;
    for (const Kept& kept : records) bytes.push_back(kept.bytes);
    return bytes;
}

std::vector<hkpd::v2::Identifier> identifiers_in(const Kept& record) {
    hkpd::v2::Identifiers identifiers;
    hkpd::Diagnostics diagnostics;
    identifiers.open(hkpd::Bytes(std::as_bytes(std::span(record.bytes))), diagnostics);
    EXPECT_EQ(faults(diagnostics), "");
    return {identifiers.all().begin(), identifiers.all().end()};
}

std::set<hkpd::Guid> countersets_in(const std::vector<Kept>& registrations) {
    std::set<hkpd::Guid> guids;
    for (const Kept& kept : registrations) guids.insert(kept.counterset);
    return guids;
}

// Records returned.

TEST(LiveSource, NamesComeFirstThenSamples) {
    const auto kinds = [](const LiveQuery& query, std::uint64_t ticks) {
        const ServedMachine machine;
        const LiveRead read(machine.open(query, ticks));
        EXPECT_EQ(faults(read.diagnostics), "");
        return read.kinds();
    };
    EXPECT_EQ(kinds({.v2 = true}, 2), "tr1i21i2");
    EXPECT_EQ(kinds({}, 3), "t111");
    EXPECT_EQ(kinds({.v1 = false, .v2 = true}, 2), "ri2i2");
}

TEST(LiveSource, RecordsHaveTheBytesOfTheInterfaces) {
    const ServedMachine machine;
    const LiveRead read(machine.open({.v2 = true}, 3));
    EXPECT_EQ(bytes_of(read.of(Kind::v1_block)), machine.registry->blocks);
    EXPECT_THAT(machine.registry->queries, ElementsAre("Global", "Global", "Global"));
    for (const Kept& block : read.of(Kind::v2_block))
        EXPECT_THAT(provider_kit::read_block(std::as_bytes(std::span(block.bytes))), SizeIs(2));
    for (const Taken& taken : read.records) {
        const bool is_block = taken.kept.kind == Kind::v1_block || taken.kept.kind == Kind::v2_block;
        EXPECT_EQ(taken.cost.has_value(), is_block);
    }
    ASSERT_THAT(read.diagnostics.inputs(), SizeIs(1));
    EXPECT_EQ(read.diagnostics.inputs()[0], "DEMO");
}

TEST(LiveSource, SamplesHaveTheirNamesAndValues) {
    const ServedMachine machine;
    LiveSamples samples(machine.open({.v2 = true}, 2));
    EXPECT_EQ(faults(samples.diagnostics), "");
    ASSERT_EQ(samples.all.size(), 4U);
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
        const hkpd::Sample& v1 = samples.all[i];
        EXPECT_EQ(v1.source, hkpd::SampleSource::v1);
        EXPECT_EQ(object_indices(v1), "2,238,230,232");
        EXPECT_EQ(object_of(v1, 238).name->text, "Processor");
        EXPECT_EQ(object_of(v1, 238).help->text, "Help on Processor");
        EXPECT_EQ(column_of(object_of(v1, 238), 6).name->text, "% Processor Time");
        EXPECT_EQ(column_text(object_of(v1, 238), 0), "11 12");
        const hkpd::Sample& v2 = samples.all[i + 1];
        EXPECT_EQ(v2.source, hkpd::SampleSource::v2);
        EXPECT_EQ(v2.machine, v1.machine);
        EXPECT_EQ(object_of(v2, guid(1)).name->text, "Demo 1");
        EXPECT_EQ(instance_names(object_of(v2, guid(1))), "a,b");
        EXPECT_EQ(column_text(object_of(v2, guid(1)), 0), "41 42");
        EXPECT_EQ(column_text(object_of(v2, guid(2)), 0), "43");
        EXPECT_EQ(object_of(v2, guid(2)).columns[0].name->text, "Ticks");
    }
}

TEST(LiveSource, NamesOfMachinesOfAnyName) {
    const ServedMachine machine;
    hkpd::LiveMachine interfaces = machine.interfaces();
    interfaces.name = "this machine";
    machine.registry->titles["009"][238] = u"Its own name";
    LiveSamples samples(hkpd::open_live(interfaces, {.v2 = true}, std::make_unique<CountedTicks>(1)));
    ASSERT_EQ(samples.all.size(), 2U);
    EXPECT_EQ(object_of(samples.all[0], 238).name->text, "Its own name");
    EXPECT_EQ(object_of(samples.all[1], guid(1)).name->text, "Demo 1");
    EXPECT_EQ(samples.all[0].machine, samples.all[1].machine);
    ASSERT_THAT(samples.diagnostics.inputs(), SizeIs(1));
    EXPECT_EQ(samples.diagnostics.inputs()[0], "this machine");
}

TEST(LiveSource, EndsWithTheTicks) {
    const ServedMachine machine;
    const LiveRead none(machine.open({.v2 = true}, 0));
    EXPECT_THAT(none.of(Kind::v1_block), IsEmpty());
    EXPECT_THAT(none.of(Kind::v2_block), IsEmpty());
    EXPECT_EQ(faults(none.diagnostics), "");
}

TEST(LiveSource, ReportsMissedTicks) {
    const ServedMachine machine;
    const auto source = hkpd::open_live(machine.interfaces(), {}, std::make_unique<CountedTicks>(2, 37));
    hkpd::Diagnostics diagnostics;
    std::size_t blocks = 0;
    while (const auto record = source->next(diagnostics)) {
        blocks += record->kind == Kind::v1_block ? 1U : 0U;
        EXPECT_EQ(faults(diagnostics), "") << "reported only at the end";
    }
    EXPECT_EQ(blocks, 2U);
    ASSERT_THAT(diagnostics.kept(), SizeIs(1));
    EXPECT_EQ(code_name(diagnostics.kept()[0].error.code), "ticks_missed");
    EXPECT_THAT(message_of(diagnostics.kept()[0]), HasSubstr("37"));
    EXPECT_FALSE(source->next(diagnostics));
    EXPECT_THAT(diagnostics.kept(), SizeIs(1)) << "once";
}

TEST(LiveSource, ClosesTheRegistryAtTheEnd) {
    const ServedMachine machine;
    {
        const auto source = machine.open({}, 5);
        hkpd::Diagnostics diagnostics;
        for (int i = 0; i < 4; ++i) EXPECT_TRUE(source->next(diagnostics));
        EXPECT_EQ(machine.registry->closed, 0U);
    }
    EXPECT_EQ(machine.registry->closed, 1U);
}

TEST(LiveSource, ClosesItsQueriesAtTheEnd) {
    const ServedMachine machine;
    {
        const LiveRead read(machine.open({.v1 = false, .v2 = true}, 2));
    }
    EXPECT_GT(machine.perflib->counts[Call::open], 0U);
    EXPECT_EQ(machine.perflib->counts[Call::close], machine.perflib->counts[Call::open]);
}

// Titles and texts.

TEST(LiveSource, TitlesOfAllLanguages) {
    const ServedMachine machine;
    machine.registry->language = 0x407;
    machine.registry->ui = "007";
    machine.registry->titles["007"] = {{238, u"Prozessor"}, {239, u"Hilfe"}};
    machine.registry->titles["00C"] = {{238, u"Processeur"}, {239, u"Aide"}};
    const LiveRead read(machine.open({.v2 = true, .languages = {"00C"}}));
    EXPECT_EQ(faults(read.diagnostics), "");
    auto languages = languages_of(read.of(Kind::titles));
    for (std::string& language : languages) language = hkpd::normal_language(language);
    EXPECT_THAT(languages, UnorderedElementsAre("009", "009", "007", "007", "00c", "00c"));
    hkpd::Titles titles;
    hkpd::Diagnostics diagnostics;
    for (const Kept& kept : read.of(Kind::titles)) hkpd::add_titles(titles, kept.record(), {}, diagnostics);
    EXPECT_EQ(faults(diagnostics), "");
    const auto in = [&](const std::string& language, std::uint32_t index) {
        titles.prefer({language});
        return std::string(titles.find(index, {.machine = "DEMO"})->text);
    };
    EXPECT_EQ(in("009", 238), "Processor");
    EXPECT_EQ(in("007", 238), "Prozessor");
    EXPECT_EQ(in("00c", 238), "Processeur");
    EXPECT_EQ(in("007", 239), "Hilfe");
    std::set<std::string> texts;
    for (const Kept& kept : read.of(Kind::v2_registration))
        if (!kept.language.empty()) texts.insert(hkpd::normal_language(kept.language));
    // The provider has the same text in all languages, but English names are requested separately.
    EXPECT_THAT(texts, UnorderedElementsAre("009", "007"));
    EXPECT_THAT(machine.perflib->languages, testing::IsSupersetOf({0x409U, 0x407U, 0x40CU}));
}

TEST(LiveSource, EnglishIsReadOnce) {
    const ServedMachine machine;
    const LiveRead read(machine.open({.languages = {"009", "9", "409"}}));
    EXPECT_THAT(languages_of(read.of(Kind::titles)), ElementsAre("009", "009"));
    EXPECT_EQ(faults(read.diagnostics), "");
}

TEST(LiveSource, SomeLanguagesUseFourDigits) {
    // learn.microsoft.com, "Adding Counter Names and Descriptions to the Registry": the primary language, except for
    // Chinese and Portuguese.
    for (const auto& [identifier, digits] : std::map<std::uint32_t, std::string>{
             {0x804, "804"}, {0x404, "404"}, {0x416, "416"}, {0x816, "816"}, {0xC07, "007"}, {0x40C, "00c"}}) {
        const ServedMachine machine;
        machine.registry->language = identifier;
        machine.registry->ui = digits;
        machine.registry->titles[digits] = {{238, u"Anders"}, {239, u"Hilfe"}};
        const LiveRead read(machine.open({}));
        std::set<std::string> languages;
        for (const std::string& language : languages_of(read.of(Kind::titles)))
            languages.insert(hkpd::normal_language(language));
        EXPECT_THAT(languages, UnorderedElementsAre("009", digits)) << identifier;
    }
}

TEST(LiveSource, MissingLanguagesLoseNoSample) {
    const ServedMachine machine;
    machine.registry->language = 0x407;
    machine.registry->ui = "007";
    const LiveRead read(machine.open({.languages = {"010"}}));
    EXPECT_THAT(languages_of(read.of(Kind::titles)), ElementsAre("009", "009"));
    EXPECT_EQ(read.kinds(), "t11");
}

TEST(LiveSource, MissingTitlesLoseNoSample) {
    const ServedMachine machine;
    machine.registry->titles.clear();
    const LiveRead read(machine.open({}));
    EXPECT_EQ(read.kinds(), "11");
}

/// Returns the number of title requests before each of `ticks` ticks, and at the end.
std::vector<std::size_t> title_calls(const ServedMachine& machine, std::uint64_t ticks,
                                     const std::function<void(std::uint64_t)>& on_tick) {
    std::vector<std::size_t> calls;
    const auto source =
        hkpd::open_live(machine.interfaces(), {}, std::make_unique<CountedTicks>(ticks, 0, [&](std::uint64_t tick) {
                            calls.push_back(machine.registry->title_calls.size());
                            on_tick(tick);
                        }));
    const LiveRead read(source);
    EXPECT_EQ(read.of(Kind::v1_block).size(), ticks);
    calls.push_back(machine.registry->title_calls.size());
    return calls;
}

blob::Object object_with(std::uint32_t title, std::uint32_t counter) {
    return {.title = title, .counters = {{.title = counter}}, .values = {1}};
}

TEST(LiveSource, TitlesAreReadOnceIfTheyNameEverything) {
    const ServedMachine machine;
    // A base has no name, and help may be missing.
    machine.registry->objects[0].counters.push_back({.title = 0, .type = blob::counter_type::raw_base, .help = 0});
    const auto calls = title_calls(machine, 4, [](std::uint64_t) {});
    EXPECT_GT(calls[0], 0U);
    EXPECT_THAT(calls, Each(calls[0]));
}

TEST(LiveSource, TitlesAreReadAgainForNewIndices) {
    // A new object, or a new counter of a known object.
    for (const auto& [object, counter] : {std::pair{9000U, 10U}, {44U, 9000U}}) {
        const ServedMachine machine;
        const auto on_tick = [&](std::uint64_t tick) {
            if (tick != 2) return;
            machine.registry->objects.push_back(object_with(object, counter));
            machine.registry->titles["009"][9000] = u"New";
            machine.registry->titles["009"][9001] = u"Help on New";
        };
        const auto calls = title_calls(machine, 6, on_tick);
        EXPECT_EQ(calls[2], calls[0]) << "not before";
        EXPECT_GT(calls[4], calls[0]);
        EXPECT_EQ(calls[6], calls[4]) << "not after";
    }
}

TEST(LiveSource, NewNamesReachTheSamples) {
    const ServedMachine machine;
    const auto source =
        hkpd::open_live(machine.interfaces(), {}, std::make_unique<CountedTicks>(3, 0, [&](std::uint64_t tick) {
                            if (tick != 1) return;
                            machine.registry->objects.push_back(object_with(9000, 10));
                            machine.registry->titles["009"][9000] = u"New";
                            machine.registry->titles["009"][9001] = u"Help on New";
                        }));
    LiveSamples samples(source);
    ASSERT_EQ(samples.all.size(), 3U);
    EXPECT_EQ(object_of(samples.all[1], 9000).name->text, "New") << "the first sample that has the object";
    EXPECT_EQ(object_of(samples.all[2], 9000).name->text, "New");
}

TEST(LiveSource, TitlesThatChangeBeforeTheFirstBlockAreBothReturned) {
    const auto titles_in = [](const ServedMachine& machine) {
        const LiveRead read(machine.open({}, 2));
        EXPECT_EQ(faults(read.diagnostics), "");
        return bytes_of(read.of(Kind::titles));
    };
    const auto add_object = [](const ServedMachine& machine) {
        machine.registry->objects.push_back(object_with(9000, 10));
        machine.registry->titles["009"][9000] = u"New";
        machine.registry->titles["009"][9001] = u"Help on New";
    };
    const ServedMachine old, changed, changing;
    add_object(changed);
    changing.registry->block_status = [&](std::size_t earlier) {
        if (earlier == 0) add_object(changing);
        return win32::success;
    };
    std::vector<std::string> expected = titles_in(old);
    const std::vector<std::string> after = titles_in(changed);
    expected.insert(expected.end(), after.begin(), after.end());
    EXPECT_EQ(titles_in(changing), expected);
}

TEST(LiveSource, UnknownTitlesAreNotRequestedForever) {
    const ServedMachine machine;
    const auto on_tick = [&](std::uint64_t tick) {
        if (tick == 1) machine.registry->objects.push_back(object_with(9000, 10));
        if (tick == 5) machine.registry->objects.push_back(object_with(9002, 10));
    };
    const auto calls = title_calls(machine, 9, on_tick);
    EXPECT_GT(calls[3], calls[1]);
    EXPECT_EQ(calls[5], calls[3]) << "9000 stays unknown";
    EXPECT_GT(calls[7], calls[5]) << "9002 is new";
    EXPECT_EQ(calls[9], calls[7]);
}

// Queries sent to V1.

/// Returns the set of queries for blocks.
std::set<std::string> queries_of(const LiveQuery& query, const std::function<void(ServedRegistry&)>& change = {}) {
    const ServedMachine machine;
    if (change) change(*machine.registry);
    const LiveRead read(machine.open(query));
    EXPECT_THAT(read.of(Kind::v1_block), SizeIs(2));
    return {machine.registry->queries.begin(), machine.registry->queries.end()};
}

TEST(LiveQuery, NamesBecomeIndices) {
    EXPECT_THAT(queries_of({.objects = {"Processor"}}), ElementsAre("238"));
    EXPECT_THAT(queries_of({.objects = {"pROCESSOR"}}), ElementsAre("238"));
    EXPECT_THAT(queries_of({.objects = {"238"}}), ElementsAre("238"));
    const auto both = queries_of({.objects = {"Processor", "System", "2"}});
    ASSERT_THAT(both, SizeIs(1));
    EXPECT_EQ(indices_of(*both.begin()), (Indices{2, 238}));
    const LiveRead read(ServedMachine().open({.objects = {"Processor"}}));
    const blob::Blob expected = blob::build({.objects = {served_objects()[1]}});
    EXPECT_EQ(read.of(Kind::v1_block).front().bytes.size(), expected.size()) << "and nothing else is returned";
}

TEST(LiveQuery, ANameWithSeveralIndicesUsesAllOfThem) {
    const auto queries = queries_of({.objects = {"Processor"}}, [](ServedRegistry& registry) {
        registry.titles["009"][5000] = u"Processor";
        registry.titles["009"][5002] = u"Processors";
    });
    ASSERT_THAT(queries, SizeIs(1));
    EXPECT_EQ(indices_of(*queries.begin()), (Indices{238, 5000}));
}

TEST(LiveQuery, WildcardsMatchNames) {
    for (const std::string& query : queries_of({.objects = {"proces*"}})) {
        const Indices indices = indices_of(query);
        EXPECT_THAT(indices, Contains(230U));
        EXPECT_THAT(indices, Contains(238U));
        EXPECT_THAT(indices, Not(Contains(2U)));
        EXPECT_THAT(indices, Not(Contains(6U))) << "% Processor Time";
    }
    EXPECT_THAT(queries_of({.objects = {"S?stem"}}), ElementsAre("2"));
}

TEST(LiveQuery, NamesOfAllLanguagesCount) {
    const auto german = [](ServedRegistry& registry) {
        registry.language = 0x407;
        registry.ui = "007";
        registry.titles["007"] = {{238, u"Prozessor"}};
        registry.titles["00C"] = {{2, u"Syst\u00e8me"}};
    };
    EXPECT_THAT(queries_of({.objects = {"Prozessor"}}, german), ElementsAre("238"));
    EXPECT_THAT(queries_of({.objects = {"SYST\u00c8ME"}, .languages = {"00C"}}, german), ElementsAre("2"));
    EXPECT_THAT(queries_of({.objects = {"Processor"}}, german), ElementsAre("238"));
}

TEST(LiveQuery, WithoutTitlesUsesTheBuiltInOnes) {
    EXPECT_THAT(queries_of({.objects = {"Processor"}}, [](ServedRegistry& registry) { registry.titles.clear(); }),
                ElementsAre("238"));
    EXPECT_THAT(queries_of({}), ElementsAre("Global"));
}

/// Returns what a query requests and the machine does not have, as `object Procesor (Processor)`, and the kinds of the
/// records.
std::pair<std::vector<std::string>, std::string> unmatched_of(LiveQuery query) {
    std::vector<std::string> unmatched;
    query.unmatched = [&unmatched](const hkpd::UnmatchedQuery& one) {
        constexpr std::array<const char*, 3> kinds{"object ", "index ", "language "};
        unmatched.push_back(kinds.at(static_cast<std::size_t>(one.kind)) + one.text +
                            (one.nearest.empty() ? "" : " (" + one.nearest + ")"));
    };
    const ServedMachine machine;
    machine.registry->first_counters = {{guid(1), 6000}, {guid(2), 6010}};
    const std::string kinds = LiveRead(machine.open(query)).kinds();
    return {unmatched, kinds};
}

TEST(LiveQuery, WhatMatchesNothingIsReportedAndNeverEverything) {
    using Unmatched = std::vector<std::string>;
    struct Case {
        LiveQuery query;
        Unmatched unmatched;
        std::string kinds;  // of the records
    };
    const std::vector<std::string> both{"Processor", "No such object"};
    const Case cases[] = {
        {{.objects = {"No such object"}}, {"object No such object"}, ""},
        {{.objects = {"Nothing*"}}, {"object Nothing*"}, ""},
        {{.objects = {"9999"}}, {"object 9999"}, ""},
        {{.objects = {"{00000000-0000-0000-0000-000000000000}"}},
         {"object {00000000-0000-0000-0000-000000000000}"},
         ""},
        {{.objects = {"Procesor"}}, {"object Procesor (Processor)"}, ""},
        // A title is not enough: this is one of a counter.
        {{.objects = {"% Processor Time"}}, {"object % Processor Time"}, ""},
        {{.objects = both}, {"object No such object"}, "t11"},
        {{.v1 = false, .v2 = true, .objects = both}, {"object Processor", "object No such object"}, ""},
        {{.v1 = false, .v2 = true, .objects = {"Demo 1", "Demo 3"}}, {"object Demo 3 (Demo 1)"}, "ri2i2"},
        {{.v1 = false, .v2 = true, .objects = {"6000", "6001"}}, {"object 6001"}, "ri2i2"},
        // One interface has the first object, the other the second.
        {{.v2 = true, .objects = {"Processor", "Demo 2"}}, {}, "tr1i21i2"},
        {{.v2 = true, .objects = {"Demo 2"}}, {}, "tri2i2"},
        {{.v2 = true, .objects = both}, {"object No such object"}, "t11"},
        // Parts of counter paths
        {{.objects = {"Processor(_Total)", "Nothing(_Total)"}}, {"object Nothing(_Total)"}, "t11"},
        {{.v1 = false, .v2 = true, .objects = {"Demo 1(a)"}}, {}, "ri2i2"},
        {{.value = "9999"}, {"index 9999"}, ""},
        {{.value = "238 9999"}, {"index 9999"}, "t11"},
        {{.value = "Costly"}, {}, "t11"},
        {{.languages = {"007", "009"}}, {"language 007"}, "t11"},
    };
    for (const Case& one : cases) {
        const auto [unmatched, kinds] = unmatched_of(one.query);
        SCOPED_TRACE(testing::PrintToString(one.query.objects) + one.query.value);
        EXPECT_EQ(unmatched, one.unmatched);
        EXPECT_EQ(kinds, one.kinds);
    }
}

TEST(LiveQuery, AnExplicitValueTakesPrecedence) {
    for (const std::string value : {"Costly", "238 6", "MetadataGlobal", "Foreign host 2"}) {
        EXPECT_THAT(queries_of({.value = value}), ElementsAre(value));
        EXPECT_THAT(queries_of({.value = value, .objects = {"System"}}), ElementsAre(value));
    }
}

TEST(LiveQuery, ParentsAreQueriedToo) {
    const ServedMachine machine;
    LiveSamples samples(machine.open({.objects = {"Thread"}}, 3));
    ASSERT_EQ(samples.all.size(), 3U);
    EXPECT_EQ(indices_of(machine.registry->queries.back()), (Indices{230, 232}));
    const hkpd::Sample& last = samples.all.back();
    for (const hkpd::Instance& instance : object_of(last, 232).instances) EXPECT_TRUE(last.parent(instance));
    EXPECT_EQ(last.parent(object_of(last, 232).instances[1])->instance, 1U);
}

// Interfaces that are missing, and queries that fail.

TEST(LiveInterfaces, TheOtherServesIfOneIsMissing) {
    const ServedMachine machine;
    hkpd::LiveMachine interfaces = machine.interfaces();
    interfaces.perflib = nullptr;
    const LiveRead v1(hkpd::open_live(interfaces, {.v2 = true}, std::make_unique<CountedTicks>(2)));
    EXPECT_EQ(v1.kinds(), "t11");
    EXPECT_TRUE(v1.diagnostics.any_fault()) << "V2 was requested";
    interfaces = machine.interfaces();
    interfaces.registry = nullptr;
    const LiveRead v2(hkpd::open_live(interfaces, {.v2 = true}, std::make_unique<CountedTicks>(2)));
    EXPECT_EQ(v2.kinds(), "ri2i2");
    EXPECT_TRUE(v2.diagnostics.any_fault()) << "V1 was requested";
}

TEST(LiveInterfaces, AnUnusedOneMayBeMissing) {
    const ServedMachine machine;
    hkpd::LiveMachine interfaces = machine.interfaces();
    interfaces.perflib = nullptr;
    const LiveRead v1(hkpd::open_live(interfaces, {}, std::make_unique<CountedTicks>(2)));
    EXPECT_EQ(v1.kinds(), "t11");
    EXPECT_EQ(faults(v1.diagnostics), "");
    interfaces = machine.interfaces();
    interfaces.registry = nullptr;
    const LiveRead v2(hkpd::open_live(interfaces, {.v1 = false, .v2 = true}, std::make_unique<CountedTicks>(2)));
    EXPECT_EQ(v2.kinds(), "ri2i2");
    EXPECT_EQ(faults(v2.diagnostics), "");
    for (const Kept& kept : v2.of(Kind::v2_registration)) EXPECT_EQ(kept.title_index, std::nullopt);
}

TEST(LiveInterfaces, WithoutAnyTheSourceEnds) {
    std::uint64_t ticks = 0;
    const auto count = [&ticks](std::uint64_t) { ++ticks; };
    const LiveRead read(
        hkpd::open_live({.name = "nowhere"}, {.v2 = true}, std::make_unique<CountedTicks>(100, 0, count)));
    EXPECT_EQ(read.kinds(), "");
    EXPECT_TRUE(read.diagnostics.any_fault());
    EXPECT_LE(ticks, 1U);
}

TEST(LiveInterfaces, AFailedFirstQueryEndsTheSource) {
    for (const std::uint32_t status : {win32::access_denied, win32::file_not_found, 12345U}) {
        const ServedMachine machine;
        machine.registry->block_status = [status](std::size_t) { return status; };
        std::uint64_t ticks = 0;
        const auto count = [&ticks](std::uint64_t) { ++ticks; };
        const LiveRead read(hkpd::open_live(machine.interfaces(), {}, std::make_unique<CountedTicks>(100, 0, count)));
        EXPECT_THAT(read.of(Kind::v1_block), IsEmpty());
        EXPECT_LE(ticks, 1U);
        const auto failed = read.faults("query_failed");
        ASSERT_THAT(failed, SizeIs(1));
        EXPECT_EQ(failed[0].severity, hkpd::Severity::error);
        EXPECT_EQ(failed[0].error.found, status);
        std::string expected;
        win32::append_status(expected, status);
        EXPECT_THAT(message_of(failed[0]), HasSubstr(expected)) << "the name of the status and the advice";
        EXPECT_EQ(machine.registry->closed, 1U);
    }
}

TEST(LiveInterfaces, AFailedFirstV2QueryEndsTheSource) {
    for (const Call which : {Call::enumerate, Call::open, Call::data}) {
        const ServedMachine machine;
        machine.perflib->fails = [which](Call call, std::size_t) {
            return call == which ? std::optional(win32::access_denied) : std::nullopt;
        };
        std::uint64_t ticks = 0;
        const auto count = [&ticks](std::uint64_t) { ++ticks; };
        const LiveRead read(hkpd::open_live(machine.interfaces(), {.v1 = false, .v2 = true},
                                            std::make_unique<CountedTicks>(100, 0, count)));
        EXPECT_THAT(read.of(Kind::v2_block), IsEmpty());
        EXPECT_LE(ticks, 1U);
        ASSERT_THAT(read.faults("query_failed"), SizeIs(1)) << faults(read.diagnostics);
        EXPECT_EQ(read.faults("query_failed")[0].error.found, win32::access_denied);
    }
}

TEST(LiveInterfaces, TheOtherServesIfOneFailsAtFirst) {
    const ServedMachine machine;
    machine.registry->block_status = [](std::size_t) { return win32::access_denied; };
    const LiveRead v2(machine.open({.v2 = true}, 3));
    EXPECT_THAT(v2.of(Kind::v1_block), IsEmpty());
    EXPECT_THAT(v2.of(Kind::v2_block), SizeIs(3));
    EXPECT_GE(v2.faults("query_failed").size(), 1U);
    const ServedMachine other;
    other.perflib->fails = [](Call call, std::size_t) {
        return call == Call::data ? std::optional(win32::access_denied) : std::nullopt;
    };
    const LiveRead v1(other.open({.v2 = true}, 3));
    EXPECT_THAT(v1.of(Kind::v1_block), SizeIs(3));
    EXPECT_THAT(v1.of(Kind::v2_block), IsEmpty());
    EXPECT_GE(v1.faults("query_failed").size(), 1U);
}

TEST(LiveInterfaces, LaterFailuresLoseOnlyTheirSample) {
    const ServedMachine machine;
    machine.registry->block_status = [](std::size_t before) {
        return before == 1 ? win32::access_denied : win32::success;
    };
    const LiveRead v1(machine.open({.v2 = true}, 4));
    EXPECT_EQ(v1.kinds(), "tr1i2i21i21i2");
    ASSERT_THAT(v1.faults("query_failed"), SizeIs(1));
    EXPECT_EQ(v1.diagnostics.kept().size(), 1U);

    const ServedMachine other;
    other.perflib->fails = [](Call call, std::size_t before) {
        return call == Call::data && before == 1 ? std::optional(win32::busy) : std::nullopt;
    };
    const LiveRead v2(other.open({.v2 = true}, 4));
    EXPECT_THAT(v2.of(Kind::v1_block), SizeIs(4));
    EXPECT_THAT(v2.of(Kind::v2_block), SizeIs(3));
    ASSERT_THAT(v2.faults("query_failed"), SizeIs(1));
    EXPECT_EQ(v2.faults("query_failed")[0].error.found, win32::busy);
}

TEST(LiveInterfaces, RetriesABusyRegistryByThePolicy) {
    const ServedMachine machine;
    machine.registry->block_status = [](std::size_t before) {
        return before < 3 ? win32::busy : before == 4 ? win32::not_ready : win32::success;
    };
    std::vector<std::chrono::milliseconds> waits;
    const hkpd::RegistryPolicy policy{.pause = 3ms, .wait = [&waits](std::chrono::milliseconds pause) {
                                          waits.push_back(pause);
                                          return true;
                                      }};
    const LiveRead read(hkpd::open_live(machine.interfaces(), {}, std::make_unique<CountedTicks>(2), policy));
    EXPECT_EQ(read.kinds(), "t11");
    EXPECT_THAT(waits, ElementsAre(3ms, 6ms, 12ms, 3ms));
    EXPECT_EQ(faults(read.diagnostics), "");
}

// Countersets.

TEST(LiveCountersets, AreQueriedAsTheirTypeRequires) {
    const ServedMachine machine;
    const LiveRead read(machine.open({.v1 = false, .v2 = true}));
    const auto queries = read.of(Kind::v2_identifiers);
    ASSERT_THAT(queries, SizeIs(2));
    std::map<hkpd::Guid, std::string> names;
    for (const hkpd::v2::Identifier& identifier : identifiers_in(queries[0])) {
        EXPECT_EQ(identifier.CounterId, hkpd::v2::wildcard_counter);
        EXPECT_EQ(identifier.InstanceId, hkpd::v2::any_instance);
        const auto bytes = identifier.bytes.span();
        names[identifier.CounterSetGuid] = bytes.size() > 40 ? provider_kit::text(bytes, 40) : "";
    }
    EXPECT_EQ(names, (std::map<hkpd::Guid, std::string>{{guid(1), "*"}, {guid(2), ""}}));
    const auto results = provider_kit::read_block(std::as_bytes(std::span(read.of(Kind::v2_block)[0].bytes)));
    for (const provider_kit::Result& result : results) EXPECT_EQ(result.status, 0U);
}

TEST(LiveCountersets, MatchByNameWildcardAndGuid) {
    const auto served = [](std::vector<std::string> objects) {
        const ServedMachine machine;
        machine.registry->first_counters = {{guid(1), 6000}, {guid(2), 6010}};
        const LiveRead read(machine.open({.v1 = false, .v2 = true, .objects = std::move(objects)}));
        EXPECT_THAT(read.of(Kind::v2_block), SizeIs(2));
        std::set<hkpd::Guid> guids;
        for (const auto& identifier : identifiers_in(read.of(Kind::v2_identifiers).front()))
            guids.insert(identifier.CounterSetGuid);
        EXPECT_EQ(countersets_in(read.of(Kind::v2_registration)), guids) << "only registrations of queried countersets";
        return guids;
    };
    const std::string text = guid_text(guid(2));
    using Guids = std::set<hkpd::Guid>;
    EXPECT_EQ(served({}), (Guids{guid(1), guid(2)}));
    EXPECT_EQ(served({"demo 1"}), (Guids{guid(1)}));
    EXPECT_EQ(served({"Demo*"}), (Guids{guid(1), guid(2)}));
    EXPECT_EQ(served({"*2"}), (Guids{guid(2)}));
    EXPECT_EQ(served({text}), (Guids{guid(2)}));
    EXPECT_EQ(served({text.substr(1, text.size() - 2)}), (Guids{guid(2)}));
    EXPECT_EQ(served({"Demo 1", text, "No such set"}), (Guids{guid(1), guid(2)}));
    EXPECT_EQ(served({"6000"}), (Guids{guid(1)})) << "by its index in V1";
}

TEST(LiveCountersets, HaveTheIndexFromTheRegistry) {
    const ServedMachine machine;
    machine.registry->first_counters = {{guid(1), 6000}};
    const LiveRead read(machine.open({.v2 = true}));
    ASSERT_THAT(read.of(Kind::v2_registration), Not(IsEmpty()));
    for (const Kept& kept : read.of(Kind::v2_registration))
        EXPECT_EQ(kept.title_index, kept.counterset == guid(1) ? std::optional(6000U) : std::nullopt);
    for (const auto& [provider, counterset] : machine.registry->asked_first) EXPECT_EQ(provider, guid(100));
}

TEST(LiveCountersets, ARefusedOneIsReported) {
    for (const std::uint32_t status : {win32::wmi_guid_not_found, win32::invalid_parameter}) {
        const ServedMachine machine;
        machine.perflib->refused[guid(1)] = status;
        const LiveRead read(machine.open({.v1 = false, .v2 = true}));
        ASSERT_THAT(read.of(Kind::v2_block), SizeIs(2));
        for (const Kept& block : read.of(Kind::v2_block))
            EXPECT_THAT(provider_kit::read_block(std::as_bytes(std::span(block.bytes))), SizeIs(1));
        ASSERT_THAT(read.diagnostics.kept(), SizeIs(1)) << "once";
        EXPECT_EQ(read.diagnostics.kept()[0].error.found, status);
        EXPECT_THAT(message_of(read.diagnostics.kept()[0]), HasSubstr(std::to_string(status)));
        EXPECT_EQ(read.diagnostics.object_name(read.diagnostics.kept()[0].object), guid_text(guid(1)));
    }
}

TEST(LiveCountersets, IfAllAreRefusedTheOtherInterfaceServes) {
    const ServedMachine machine;
    machine.perflib->refused = {{guid(1), win32::wmi_guid_not_found}, {guid(2), win32::wmi_guid_not_found}};
    const LiveRead both(machine.open({.v2 = true}, 3));
    EXPECT_THAT(both.of(Kind::v1_block), SizeIs(3));
    EXPECT_THAT(both.diagnostics.kept(), SizeIs(2)) << "once each";
    for (const Kept& kept : both.of(Kind::v2_registration)) EXPECT_FALSE(kept.bytes.empty());
    const ServedMachine other;
    other.perflib->refused = machine.perflib->refused;
    const LiveRead alone(other.open({.v1 = false, .v2 = true}, 3));
    EXPECT_THAT(alone.of(Kind::v2_block), IsEmpty());
    EXPECT_THAT(alone.diagnostics.kept(), SizeIs(2));
}

TEST(LiveCountersets, AFailedRegistrationLosesNoV1Block) {
    const ServedMachine machine;
    machine.perflib->fails = [](Call call, std::size_t) {
        return call == Call::registration ? std::optional(win32::access_denied) : std::nullopt;
    };
    const LiveRead read(machine.open({.v2 = true}));
    EXPECT_THAT(read.of(Kind::v1_block), SizeIs(2));
}

TEST(LiveCountersets, FunctionsReceiveTheMachine) {
    const ServedMachine machine;
    hkpd::LiveMachine interfaces = machine.interfaces();
    interfaces.remote = "OTHER";
    const LiveRead read(hkpd::open_live(interfaces, {.v1 = false, .v2 = true}, std::make_unique<CountedTicks>(1)));
    EXPECT_THAT(read.of(Kind::v2_block), SizeIs(1));
    EXPECT_THAT(machine.perflib->machines, ElementsAre("OTHER"));
    const ServedMachine local;
    const LiveRead here(local.open({.v1 = false, .v2 = true}));
    EXPECT_THAT(local.perflib->machines, ElementsAre(""));
}

TEST(LiveCountersets, InstancesComeAndGo) {
    ServedMachine machine;
    LiveSamples samples(hkpd::open_live(machine.interfaces(), {.v1 = false, .v2 = true},
                                        std::make_unique<CountedTicks>(3, 0, [&](std::uint64_t tick) {
                                            if (tick == 1) machine.create(1, "c", 2, 44);
                                            if (tick == 2) machine.instances[0].close();
                                        })));
    ASSERT_EQ(samples.all.size(), 3U);
    EXPECT_EQ(instance_names(object_of(samples.all[0], guid(1))), "a,b");
    EXPECT_EQ(instance_names(object_of(samples.all[1], guid(1))), "a,b,c");
    EXPECT_EQ(instance_names(object_of(samples.all[2], guid(1))), "b,c");
}

// Into a capture and back.

TEST(LiveSource, ACaptureOfItHoldsTheSame) {
    for (const bool wine : {false, true}) {
        const ServedMachine machine;
        machine.registry->wine = wine;
        machine.registry->first_counters = {{guid(1), 6000}};
        const auto source = machine.open({.v2 = true}, 3);
        hkpd::Diagnostics diagnostics;
        std::vector<Kept> given;
        const Written written = write_capture({}, [&](hkpd::CaptureWriter& writer) {
            hkpd::Recorder recorder(writer);
            while (const auto record = source->next(diagnostics)) {
                given.push_back(keep(*record));
                recorder.add(*record, diagnostics);
            }
            recorder.finish();
            EXPECT_EQ(recorder.samples(), 6U);
            writer.finish();
        });
        EXPECT_EQ(faults(diagnostics), "");
        Reading reading = read_capture(written.bytes);
        ASSERT_EQ(reading.records.size(), given.size());
        for (std::size_t i = 0; i < given.size(); ++i) {
            Kept expected = given[i], got = reading.records[i];
            EXPECT_EQ(got.machine, "DEMO");
            // The block contains its machine; times come from the blocks.
            expected.machine = got.machine;
            expected.time = got.time;
            expected.sequence = got.sequence;
            EXPECT_EQ(got, expected) << i;
        }
    }
}

}  // namespace live_source_test
