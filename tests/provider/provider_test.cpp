// The contract of providers: what may be registered, which instances may exist, the requests that callbacks receive and
// which of their answers are used.
#include "hkpd/provider.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/provider_kit.hpp"

namespace provider_test {

using enum hkpd::v2::InstanceType;
using hkpd::InstanceSink;
using hkpd::MaskInformation;
using hkpd::Notification;
using hkpd::Provider;
using hkpd::ProviderFault;
using hkpd::v2::Aggregate;
using provider_kit::ask;
using provider_kit::collect;
using provider_kit::counterset;
using provider_kit::Data;
using provider_kit::guid;
using provider_kit::Listed;
using provider_kit::Machine;
using Rule = ProviderFault::Rule;

/// Returns the rule that a call broke, or nothing if it succeeded. Messages are lowercase words without a full stop.
template <class T>
std::optional<Rule> broken(const std::expected<T, ProviderFault>& result) {
    if (result) return std::nullopt;
    const std::string& message = result.error().message;
    EXPECT_GT(message.size(), 10U);
    EXPECT_FALSE(message.ends_with('.')) << message;
    return result.error().rule;
}

TEST(ProviderRegistration, EnforcesEachRuleOfCounters) {
    struct Case {
        Rule rule;
        std::function<void(hkpd::CountersetDescriptor&)> breaks;
    };
    const std::vector<Case> cases{
        {Rule::no_counters, [](auto& set) { set.counters.clear(); }},
        {Rule::counter_id_reserved, [](auto& set) { set.counters[1].id = 0xFFFFFFFE; }},
        {Rule::counter_id_reserved, [](auto& set) { set.counters[1].id = 0xFFFFFFFF; }},
        {Rule::counter_id_repeated, [](auto& set) { set.counters[1].id = 0; }},
        {Rule::counter_name_repeated, [](auto& set) { set.counters[1].name = "tICKs"; }},
        {Rule::counter_related, [](auto& set) { set.counters[2].base_id = 71; }},
        {Rule::counter_related, [](auto& set) { set.counters[2].base_id = 5; }},
        {Rule::counter_related, [](auto& set) { set.counters[0].time_id = 2; }},
        {Rule::counter_related, [](auto& set) { set.counters[0].frequency_id = 2; }},
        {Rule::counter_related, [](auto& set) { set.counters[0].multi_id = 2; }},
        {Rule::counter_size, [](auto& set) { set.counters[0].size = 2; }},
        {Rule::counter_size, [](auto& set) { set.counters[0].size = 0; }},
        {Rule::counter_scale, [](auto& set) { set.counters[0].scale = 11; }},
        {Rule::counter_scale, [](auto& set) { set.counters[0].scale = -11; }},
    };
    for (const Case& one : cases) {
        Provider provider;
        auto set = counterset(multi);
        one.breaks(set);
        EXPECT_EQ(broken(provider.add(set)), one.rule);
        EXPECT_TRUE(provider.countersets().empty());
    }
}

TEST(ProviderRegistration, AcceptsWhatIsAllowed) {
    Provider provider;
    auto set = counterset(multi);
    set.counters[0].id = 0xFFFFFFFD;
    set.counters[0].scale = 10;
    set.counters[1].scale = -10;
    set.counters[1].name = "";  // two without a name
    set.counters[0].time_id = 70;
    EXPECT_EQ(broken(provider.add(set)), std::nullopt);
    EXPECT_EQ(provider.countersets().size(), 1U);
}

TEST(ProviderRegistration, AGuidIsRegisteredOnce) {
    Provider provider;
    ASSERT_TRUE(provider.add(counterset(multi)));
    const auto again = provider.add(counterset(single));
    EXPECT_EQ(broken(again), Rule::counterset_repeated);
    EXPECT_NE(again.error().message.find("Demo 1"), std::string::npos);
    provider.remove(guid(1));
    EXPECT_TRUE(provider.add(counterset(single)));
}

TEST(ProviderInstances, FollowTheRulesOfNamesAndIds) {
    Provider provider;
    ASSERT_TRUE(provider.add(counterset(multi)));
    const auto add = [&](std::string_view name, std::uint32_t id) {
        return provider.create_instance(guid(1), name, id);
    };
    const auto first = add("First", 0), last = add("Last", 0xFFFFFFFD);
    ASSERT_TRUE(first && last);
    EXPECT_EQ(broken(add("", 1)), Rule::name_missing);
    EXPECT_EQ(broken(add(std::string_view("\0x", 2), 1)), Rule::name_missing);
    EXPECT_EQ(broken(add("fIRST", 1)), Rule::name_repeated);
    EXPECT_EQ(broken(add("Second", 0)), Rule::instance_id_repeated);
    EXPECT_EQ(broken(add("Second", 0xFFFFFFFE)), Rule::instance_id_reserved);
    EXPECT_EQ(broken(add("Second", 0xFFFFFFFF)), Rule::instance_id_reserved);
    EXPECT_EQ(broken(add(std::string(1025, 'x'), 1)), Rule::name_too_long);
    EXPECT_TRUE(add(std::string(1024, 'x'), 1));
    EXPECT_TRUE(add("_Total", 2)) << "the total is not computed in this set";
    EXPECT_EQ(broken(provider.create_instance(guid(2), "x", 1)), Rule::closed);
}

TEST(ProviderInstances, OfASingleInstanceSetHaveNoName) {
    Provider provider;
    ASSERT_TRUE(provider.add(counterset(single)));
    EXPECT_EQ(broken(provider.create_instance(guid(1), "x", 0)), Rule::name_not_allowed);
    const auto one = provider.create_instance(guid(1), "", 0);
    ASSERT_TRUE(one);
    EXPECT_EQ(broken(provider.create_instance(guid(1), "", 1)), Rule::name_repeated);
}

TEST(ProviderInstances, TotalIsReservedIfItIsComputed) {
    Provider provider;
    ASSERT_TRUE(provider.add(counterset(multi_aggregate)));
    EXPECT_EQ(broken(provider.create_instance(guid(1), "_tOTAL", 0)), Rule::name_reserved);
}

TEST(ProviderInstances, EndWithTheirLastHandle) {
    Machine machine;
    ASSERT_TRUE(machine.provider.add(counterset(multi)));
    {
        const auto handle = machine.provider.create_instance(guid(1), "a", 0);
        ASSERT_TRUE(handle);
        const hkpd::ProviderInstance copy = *handle;
        EXPECT_EQ(ask(machine.perflib, guid(1), "*").instances.size(), 1U);
    }
    EXPECT_TRUE(ask(machine.perflib, guid(1), "*").instances.empty());
    auto again = machine.provider.create_instance(guid(1), "A", 0);
    ASSERT_TRUE(again) << "name and id are free again";
    again->close();
    again->close();
    EXPECT_EQ(broken(again->set(0, 1)), Rule::closed);
    EXPECT_EQ(broken(again->set(Data({}))), Rule::closed);
    EXPECT_EQ(broken(hkpd::ProviderInstance().set(0, 1)), Rule::closed);
    EXPECT_TRUE(ask(machine.perflib, guid(1), "*").instances.empty());
}

TEST(ProviderInstances, EndWithTheirCounterset) {
    Machine machine;
    ASSERT_TRUE(machine.provider.add(counterset(multi)));
    auto instance = machine.provider.create_instance(guid(1), "a", 0);
    ASSERT_TRUE(instance);
    hkpd::PerfQuery query(machine.perflib);
    ASSERT_EQ(query.add(guid(1), "*"), 0U);
    machine.provider.remove(guid(1));
    EXPECT_EQ(broken(instance->set(0, 1)), Rule::closed);
    EXPECT_TRUE(collect(query).at(0).instances.empty());
    ASSERT_TRUE(machine.provider.add(counterset(multi)));
    const auto next = machine.provider.create_instance(guid(1), "b", 0);
    EXPECT_EQ(collect(query).at(0).instances, (std::vector<Listed>{{"b", 0, {0, 0, 0, 0}}}));
}

TEST(ProviderInstances, CopyValuesFromTheirStructs) {
    Machine machine;
    auto set = counterset(multi);
    set.counters[3].struct_index = 1;
    set.counters[3].offset = 0;
    ASSERT_TRUE(machine.provider.add(set));
    auto instance = machine.provider.create_instance(guid(1), "a", 0);
    std::array<std::uint64_t, 3> first{~std::uint64_t{0}, 0xAAAAAAAAAAAAAAAA, 7};
    const std::uint32_t four_bytes = 0x12345678;
    std::memcpy(&first[1], &four_bytes, sizeof four_bytes);
    const std::uint64_t second = 8;
    std::vector<std::span<const std::byte>> structs{std::as_bytes(std::span(first)),
                                                    std::as_bytes(std::span(&second, 1))};
    ASSERT_TRUE(instance->set(structs));
    const std::vector<Listed> all{{"a", 0, {~std::uint64_t{0}, 0x12345678, 7, 8}}};
    EXPECT_EQ(ask(machine.perflib, guid(1), "*").instances, all);

    structs[0] = structs[0].first(23);
    EXPECT_EQ(broken(instance->set(structs)), Rule::struct_missing);
    structs.pop_back();
    EXPECT_EQ(broken(instance->set(structs)), Rule::struct_missing);
    EXPECT_EQ(ask(machine.perflib, guid(1), "*").instances, all) << "as before";

    EXPECT_EQ(broken(instance->set(2, 1)), Rule::unknown_counter);
    EXPECT_TRUE(instance->set(70, 9));
    EXPECT_TRUE(instance->set(1, 0x100000002));
    EXPECT_EQ(ask(machine.perflib, guid(1), "*").instances[0].values,
              (std::vector<std::uint64_t>{~std::uint64_t{0}, 2, 7, 9}));
}

// Callbacks.

struct Call {
    Notification what;
    std::uint64_t counters;
    std::string instances;
    std::uint32_t id;
    bool multiple;
    bool operator==(const Call&) const = default;
};

/// A callback that records its requests and returns a given answer.
struct Recorded {
    std::vector<Call> calls;
    std::function<std::uint32_t(InstanceSink&)> answer = [](InstanceSink&) { return 0U; };

    hkpd::CounterCallback callback() {
        return [this](Notification what, const MaskInformation& mask, InstanceSink& sink) {
            calls.push_back(
                {what, mask.counter_mask, std::string(mask.instance_mask), mask.instance_id, mask.collect_multiple});
            const bool instances = what == Notification::collect_data || what == Notification::enumerate_instances;
            return instances ? answer(sink) : 0U;
        };
    }
};
constexpr std::uint64_t all_counters = ~std::uint64_t{0};
constexpr std::uint32_t any = hkpd::v2::any_instance, all_ids = hkpd::v2::wildcard_counter;

TEST(ProviderCallbacks, ReceiveTheRequestOfAQuery) {
    Machine machine;
    Recorded recorded;
    ASSERT_TRUE(machine.provider.add(counterset(multi), recorded.callback()));
    struct Case {
        std::uint32_t counter;
        std::string instances;
        std::uint32_t id;
        Call expected;
    };
    using enum Notification;
    const std::vector<Case> cases{
        {all_ids, "*", any, {collect_data, all_counters, "*", any, true}},
        {1, "*", any, {collect_data, 2, "*", any, true}},
        {5, "Sm?ll", 3, {collect_data, 32, "Sm?ll", 3, true}},
        {70, "One", any, {collect_data, all_counters, "One", any, false}},
        {all_ids, "One", 9, {collect_data, all_counters, "One", 9, false}},
    };
    for (const Case& one : cases) {
        recorded.calls.clear();
        {
            hkpd::PerfQuery query(machine.perflib);
            ASSERT_EQ(query.add(guid(1), one.instances, one.counter, one.id), 0U);
            collect(query);
        }
        Call added = one.expected, removed = one.expected;
        added.what = add_counter;
        removed.what = remove_counter;
        EXPECT_EQ(recorded.calls, (std::vector<Call>{added, one.expected, removed}));
    }
}

TEST(ProviderCallbacks, AreCalledOnceForAllPartsOfAQuery) {
    Machine machine;
    Recorded recorded;
    ASSERT_TRUE(machine.provider.add(counterset(multi), recorded.callback()));
    hkpd::PerfQuery query(machine.perflib);
    query.add(guid(1), "a*", 0);
    query.add(guid(1), "A*", 1);
    recorded.calls.clear();
    collect(query);
    using enum Notification;
    EXPECT_EQ(recorded.calls, (std::vector<Call>{{collect_data, 3, "a*", any, true}}));
    query.add(guid(1), "b", 5);
    query.remove(guid(1), "a*", 0);
    EXPECT_EQ(recorded.calls.back(), (Call{remove_counter, 1, "a*", any, true}));
    recorded.calls.clear();
    collect(query);
    EXPECT_EQ(recorded.calls, (std::vector<Call>{{collect_data, 34, "*", any, true}}));
}

TEST(ProviderCallbacks, OfASingleInstanceSetAreCalledForOneInstance) {
    Machine machine;
    Recorded recorded;
    recorded.answer = [](InstanceSink& sink) {
        EXPECT_EQ(broken(sink.add("x", 0, Data({}))), Rule::name_not_allowed);
        EXPECT_TRUE(sink.add("", 0, Data({.ticks = 4})));
        EXPECT_EQ(broken(sink.add("", 1, Data({.ticks = 5}))), Rule::name_repeated);
        return 0U;
    };
    ASSERT_TRUE(machine.provider.add(counterset(single), recorded.callback()));
    EXPECT_EQ(ask(machine.perflib, guid(1), "").instances, (std::vector<Listed>{{"", 0, {4, 0, 0, 0}}}));
    EXPECT_EQ(recorded.calls.at(1), (Call{Notification::collect_data, all_counters, "*", any, false}));
}

TEST(ProviderCallbacks, ValuesOutsideTheMaskAreDropped) {
    Machine machine;
    Recorded recorded;
    recorded.answer = [](InstanceSink& sink) {
        for (std::uint32_t id = 0; id < 5; ++id)
            EXPECT_TRUE(sink.add("wave " + std::to_string(id), id, Data({.ticks = 10 + id, .level = id})));
        return 0U;
    };
    ASSERT_TRUE(machine.provider.add(counterset(multi), recorded.callback()));
    EXPECT_EQ(ask(machine.perflib, guid(1), "WAVE 3", 1).instances, (std::vector<Listed>{{"", 0, {3}}}));
    EXPECT_EQ(ask(machine.perflib, guid(1), "w*2", 0).instances, (std::vector<Listed>{{"wave 2", 2, {12}}}));
    EXPECT_EQ(ask(machine.perflib, guid(1), "*", all_ids, 4).instances,
              (std::vector<Listed>{{"wave 4", 4, {14, 4, 0, 0}}}));
    EXPECT_TRUE(ask(machine.perflib, guid(1), "wave").instances.empty());
}

TEST(ProviderCallbacks, ABrokenRuleLosesOnlyThatInstance) {
    Machine machine;
    Recorded recorded;
    recorded.answer = [](InstanceSink& sink) {
        const std::byte few[4]{};
        const std::span<const std::byte> short_struct(few);
        EXPECT_TRUE(sink.add("a", 0, Data({.ticks = 1})));
        EXPECT_EQ(broken(sink.add("A", 1, Data({}))), Rule::name_repeated);
        EXPECT_EQ(broken(sink.add("b", 0, Data({}))), Rule::instance_id_repeated);
        EXPECT_EQ(broken(sink.add("", 2, Data({}))), Rule::name_missing);
        EXPECT_EQ(broken(sink.add("c", 0xFFFFFFFF, Data({}))), Rule::instance_id_reserved);
        EXPECT_EQ(broken(sink.add("c", 3, {})), Rule::struct_missing);
        EXPECT_EQ(broken(sink.add("c", 3, std::span(&short_struct, 1))), Rule::struct_missing);
        EXPECT_TRUE(sink.add("c", 3, Data({.ticks = 2}))) << "a rejected instance reserves no name";
        return 0U;
    };
    ASSERT_TRUE(machine.provider.add(counterset(multi), recorded.callback()));
    EXPECT_EQ(ask(machine.perflib, guid(1), "*", 0).instances, (std::vector<Listed>{{"a", 0, {1}}, {"c", 3, {2}}}));
}

TEST(ProviderCallbacks, AFailureIsInformational) {
    Machine machine;
    Recorded recorded;
    ASSERT_TRUE(machine.provider.add(counterset(multi), recorded.callback()));
    recorded.answer = [](InstanceSink& sink) {
        EXPECT_TRUE(sink.add("a", 0, Data({.ticks = 1})));
        return 31U;
    };
    auto result = ask(machine.perflib, guid(1), "*", 0);
    EXPECT_EQ(result.status, 0U);
    EXPECT_EQ(result.instances, (std::vector<Listed>{{"a", 0, {1}}}));

    recorded.answer = [](InstanceSink&) { return 31U; };
    ASSERT_TRUE(machine.provider.add(counterset(single, 2)));
    const auto valid = machine.provider.create_instance(guid(2), "", 0);
    hkpd::PerfQuery query(machine.perflib);
    query.add(guid(1), "*");
    query.add(guid(2), "", 0);
    const auto results = collect(query);
    EXPECT_EQ(results.at(0).type, 0U);
    EXPECT_EQ(results.at(0).status, 31U);
    EXPECT_EQ(results.at(1).type, 1U) << "the query continues";
}

TEST(ProviderCallbacks, EnumerationNeedsNoData) {
    Machine machine;
    Recorded recorded;
    recorded.answer = [](InstanceSink& sink) {
        EXPECT_TRUE(sink.add("a", 7, {}));
        return 0U;
    };
    ASSERT_TRUE(machine.provider.add(counterset(multi), recorded.callback()));
    std::array<std::byte, 64> buffer{};
    std::uint32_t actual = 0;
    EXPECT_EQ(machine.perflib.enumerate_instances("", guid(1), buffer, actual), 0U);
    EXPECT_EQ(actual, 16U);
    EXPECT_EQ(provider_kit::u32(buffer, 4), 7U);
    EXPECT_EQ(recorded.calls, (std::vector<Call>{{Notification::enumerate_instances, all_counters, "*", any, true}}));
}

TEST(ProviderCallbacks, MayCallBackAndKeepNoInstances) {
    Machine machine;
    Recorded recorded;
    recorded.answer = [&](InstanceSink& sink) {
        EXPECT_EQ(machine.provider.countersets().size(), 1U);
        EXPECT_EQ(broken(machine.provider.create_instance(guid(1), "x", 0)), Rule::instances_by_callback);
        EXPECT_TRUE(machine.provider.add(counterset(multi, 2)));
        machine.provider.remove(guid(2));
        EXPECT_TRUE(sink.add("a", 0, Data({})));
        machine.provider.remove(guid(1));
        return 0U;
    };
    ASSERT_TRUE(machine.provider.add(counterset(multi), recorded.callback()));
    EXPECT_EQ(ask(machine.perflib, guid(1), "*").instances.size(), 1U);
    EXPECT_TRUE(machine.provider.countersets().empty());
}

TEST(ProviderCallbacks, LearnThatTheQueryHasEnded) {
    Machine machine;
    hkpd::PerfLib::Handle query = 0;
    bool before = true, after = false;
    const auto callback = [&](Notification what, const MaskInformation& mask, InstanceSink&) {
        if (what != Notification::collect_data) return 0U;
        before = *mask.cancel;
        machine.perflib.close_query(query);
        after = *mask.cancel;
        return 0U;
    };
    ASSERT_TRUE(machine.provider.add(counterset(multi), callback));
    ASSERT_EQ(machine.perflib.open_query("", query), 0U);
    std::vector<std::byte> identifier;
    hkpd::v2::append_identifier(identifier, guid(1), "*");
    ASSERT_EQ(machine.perflib.add_counters(query, identifier), 0U);
    std::uint32_t actual = 0;
    EXPECT_EQ(machine.perflib.query_data(query, {}, actual), hkpd::win32::invalid_handle);
    EXPECT_FALSE(before);
    EXPECT_TRUE(after);
}

// Aggregates.

hkpd::CountersetDescriptor aggregate_set(hkpd::v2::InstanceType instances) {
    auto set = counterset(instances);
    set.counters[0].aggregate = Aggregate::average;
    set.counters[1].aggregate = Aggregate::undefined;
    set.counters[2].aggregate = Aggregate::minimum;
    set.counters[3].aggregate = Aggregate::maximum;
    return set;
}

TEST(ProviderAggregates, TotalIsComputedByEachCountersFunction) {
    Machine machine;
    ASSERT_TRUE(machine.provider.add(aggregate_set(multi_aggregate)));
    EXPECT_TRUE(ask(machine.perflib, guid(1), "*").instances.empty()) << "nothing to compute it from";
    auto a = machine.provider.create_instance(guid(1), "a", 3), b = machine.provider.create_instance(guid(1), "b", 4);
    constexpr std::uint64_t most = ~std::uint64_t{0};
    ASSERT_TRUE(a->set(Data({.ticks = most, .level = 0xFFFFFFFF, .ratio = 9, .base = 2})));
    ASSERT_TRUE(b->set(Data({.ticks = most - 3, .level = 3, .ratio = 5, .base = 1})));
    const Listed total{"_Total", any, {most - 2, 2, 5, 2}};
    const auto all = ask(machine.perflib, guid(1), "*").instances;
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all.back(), total);
    EXPECT_EQ(ask(machine.perflib, guid(1), "_t*").instances, (std::vector<Listed>{total}));
    EXPECT_EQ(ask(machine.perflib, guid(1), "_TOTAL", 1).instances, (std::vector<Listed>{{"", 0, {2}}}));
    EXPECT_EQ(ask(machine.perflib, guid(1), "*", 1, 4).instances, (std::vector<Listed>{{"b", 4, {3}}}));
    EXPECT_EQ(ask(machine.perflib, guid(1), "b", 1).instances, (std::vector<Listed>{{"", 0, {3}}}));
}

TEST(ProviderAggregates, TotalNeedsAllInstancesOfACallback) {
    Machine machine;
    Recorded recorded;
    recorded.answer = [](InstanceSink& sink) {
        EXPECT_TRUE(sink.add("a", 0, Data({.level = 1})) && sink.add("b", 1, Data({.level = 2})));
        return 0U;
    };
    ASSERT_TRUE(machine.provider.add(counterset(multi_aggregate), recorded.callback()));
    EXPECT_EQ(ask(machine.perflib, guid(1), "_Total", 1).instances, (std::vector<Listed>{{"", 0, {3}}}));
    EXPECT_EQ(recorded.calls.at(1), (Call{Notification::collect_data, 2, "*", any, true}));
    recorded.calls.clear();
    EXPECT_EQ(ask(machine.perflib, guid(1), "b", 1).instances, (std::vector<Listed>{{"", 0, {2}}}));
    EXPECT_EQ(recorded.calls.at(1), (Call{Notification::collect_data, 2, "b", any, false}));
}

TEST(ProviderAggregates, ASingleInstanceSetShowsAllItsInstancesAsOne) {
    Machine machine;
    ASSERT_TRUE(machine.provider.add(aggregate_set(single_aggregate)));
    ASSERT_TRUE(machine.provider.add([] {
        auto set = aggregate_set(single_aggregate_history);
        set.guid = guid(2);
        return set;
    }()));
    for (const std::uint8_t number : {std::uint8_t{1}, std::uint8_t{2}}) {
        auto a = machine.provider.create_instance(guid(number), "", 0),
             b = machine.provider.create_instance(guid(number), "", 1);
        ASSERT_TRUE(a && b);
        ASSERT_TRUE(a->set(Data({.ticks = 4, .level = 10, .ratio = 1, .base = 1})));
        ASSERT_TRUE(b->set(Data({.ticks = 9, .level = 20, .ratio = 2, .base = 2})));
        EXPECT_EQ(ask(machine.perflib, guid(number), "").instances, (std::vector<Listed>{{"", 0, {6, 30, 1, 2}}}));
        a->close();
        const Listed rest = number == 1 ? Listed{"", 0, {9, 20, 2, 2}} : Listed{"", 0, {6, 30, 1, 2}};
        EXPECT_EQ(ask(machine.perflib, guid(number), "").instances, (std::vector<Listed>{rest}));
    }
}

TEST(ProviderAggregates, InstancesWithEqualNamesAreShownAsOne) {
    Machine machine;
    ASSERT_TRUE(machine.provider.add(aggregate_set(instance_aggregate)));
    auto a = machine.provider.create_instance(guid(1), "a", 0), b = machine.provider.create_instance(guid(1), "b", 1),
         c = machine.provider.create_instance(guid(1), "A", 2);
    ASSERT_TRUE(a && b && c);
    a->set(1, 1).value();
    b->set(1, 10).value();
    c->set(1, 100).value();
    EXPECT_EQ(ask(machine.perflib, guid(1), "*", 1).instances,
              (std::vector<Listed>{{"a", 0, {101}}, {"b", 1, {10}}, {"_Total", any, {111}}}));
    EXPECT_EQ(ask(machine.perflib, guid(1), "a", 1).instances, (std::vector<Listed>{{"", 0, {101}}}));
}

}  // namespace provider_test
