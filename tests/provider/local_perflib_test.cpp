// PerfLib's functions over a provider: statuses, identifiers, and the bytes returned, at the offsets documented by
// Microsoft.
#include "hkpd/local_perflib.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/perflib_query.hpp"
#include "support/provider_kit.hpp"

namespace perflib_test {

using enum hkpd::v2::InstanceType;
using hkpd::v2::any_instance;
using hkpd::v2::RegistrationRequest;
using hkpd::v2::wildcard_counter;
using provider_kit::ask;
using provider_kit::collect;
using provider_kit::counterset;
using provider_kit::Data;
using provider_kit::guid;
using provider_kit::Listed;
using provider_kit::Machine;
using provider_kit::read_block;
using provider_kit::text;
using provider_kit::u32;
using provider_kit::u64;
using Buffer = std::vector<std::byte>;
namespace win32 = hkpd::win32;

/// Set 1 has the instances a and b, set 2 a single one, set 3 (aggregate) x and y.
struct Served : Machine {
    std::vector<hkpd::ProviderInstance> instances;

    Served() {
        EXPECT_TRUE(provider.add(counterset(multi, 1)));
        EXPECT_TRUE(provider.add(counterset(single, 2)));
        EXPECT_TRUE(provider.add(counterset(multi_aggregate, 3)));
        create(1, "a", 10, {.ticks = 1, .level = 2, .ratio = 3, .base = 4});
        create(1, "Bcd", 11, {.ticks = 0xFFFFFFFFFFFFFFFF, .level = 0xFFFFFFFE, .ratio = 7, .base = 8});
        create(2, "", 0, {.ticks = 21, .level = 22, .ratio = 23, .base = 24});
        create(3, "x", 0, {.ticks = 31});
        create(3, "y", 1, {.ticks = 32});
    }
    void create(std::uint8_t set, std::string_view name, std::uint32_t id, provider_kit::Values values) {
        auto instance = provider.create_instance(guid(set), name, id);
        ASSERT_TRUE(instance);
        ASSERT_TRUE(instance->set(Data(values)));
        instances.push_back(*std::move(instance));
    }
};

/// Concatenated identifiers, and the offset of each.
struct Identifiers {
    Buffer bytes;
    std::vector<std::size_t> at;

    Identifiers& add(std::uint8_t set, std::string_view name, std::uint32_t counter = wildcard_counter,
                     std::uint32_t id = any_instance) {
        at.push_back(bytes.size());
        hkpd::v2::append_identifier(bytes, guid(set), name, counter, id);
        return *this;
    }
    void put(std::size_t place, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i) bytes.at(place + i) = static_cast<std::byte>(value >> (8 * i) & 0xFF);
    }
    std::vector<std::uint32_t> statuses() const {
        std::vector<std::uint32_t> statuses;
        for (const std::size_t place : at) statuses.push_back(u32(bytes, place + 16));
        return statuses;
    }
    std::vector<std::uint32_t> indices() const {
        std::vector<std::uint32_t> indices;
        for (const std::size_t place : at) indices.push_back(u32(bytes, place + 32));
        return indices;
    }
};
using Numbers = std::vector<std::uint32_t>;

hkpd::PerfLib::Handle open(hkpd::PerfLib& perflib, std::string_view machine = {}) {
    hkpd::PerfLib::Handle query = 0;
    EXPECT_EQ(perflib.open_query(machine, query), 0U);
    return query;
}

/// Returns the result of a function with a buffer of exactly the required size; checks that with one byte less it fails
/// and leaves the buffer unchanged.
template <class Function>
Buffer exactly(Function function) {
    std::uint32_t actual = 0;
    EXPECT_EQ(function(std::span<std::byte>{}, actual), win32::not_enough_memory);
    Buffer buffer(actual, std::byte{0xCC});
    const std::uint32_t needed = actual;
    EXPECT_EQ(function(std::span(buffer).first(needed - 1), actual), win32::not_enough_memory);
    EXPECT_EQ(actual, needed);
    EXPECT_TRUE(std::ranges::all_of(buffer, [](std::byte byte) { return byte == std::byte{0xCC}; }));
    EXPECT_EQ(function(buffer, actual), 0U);
    EXPECT_EQ(actual, needed);
    return buffer;
}

Buffer data_of(hkpd::PerfLib& perflib, hkpd::PerfLib::Handle query) {
    return exactly(
        [&](std::span<std::byte> buffer, std::uint32_t& actual) { return perflib.query_data(query, buffer, actual); });
}

// Identifiers.

TEST(PerfLibIdentifier, HasItsFieldsAtTheirOffsets) {
    Identifiers both;
    both.add(1, "", 5, 6).add(2, "Name");
    ASSERT_EQ(both.bytes.size(), 40U + 56);
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(both.bytes[i], guid(1).bytes[i]);
    EXPECT_EQ(u32(both.bytes, 16), 0U);
    EXPECT_EQ(u32(both.bytes, 20), 40U);
    EXPECT_EQ(u32(both.bytes, 24), 5U);
    EXPECT_EQ(u32(both.bytes, 28), 6U);
    EXPECT_EQ(u64(both.bytes, 32), 0U);
    EXPECT_EQ(u32(both.bytes, 40 + 20), 56U);
    EXPECT_EQ(u32(both.bytes, 40 + 24), 0xFFFFFFFF);
    EXPECT_EQ(u32(both.bytes, 40 + 28), 0xFFFFFFFF);
    EXPECT_EQ(text(both.bytes, 80), "Name");
}

TEST(PerfLibAdd, ReturnsTheStatusOfEachIdentifier) {
    Served served;
    const auto query = open(served.perflib);
    Identifiers all;
    all.add(1, "*").add(9, "*").add(9, "").add(2, "named").add(1, "").add(2, "").add(1, "missing").add(1, "a", 99);
    for (const std::size_t place : all.at) all.put(place + 16, 0xDEAD);
    EXPECT_EQ(served.perflib.add_counters(query, all.bytes), 0U);
    EXPECT_EQ(all.statuses(), (Numbers{0, 4200, 4200, 87, 87, 0, 0, 0}));
    EXPECT_EQ(all.indices(), (Numbers{0, 0, 0, 0, 0, 1, 2, 3}));
    const auto results = read_block(data_of(served.perflib, query));
    ASSERT_EQ(results.size(), 4U);
    EXPECT_EQ(results[0].type, 6U);
    EXPECT_EQ(results[1].type, 2U);
    EXPECT_EQ(results[2].status, 4201U);
    EXPECT_EQ(results[3].status, 4202U);
}

TEST(PerfLibAdd, AnUnknownCountersetDoesNotFailTheCall) {
    Served served;
    const auto query = open(served.perflib);
    Identifiers one;
    one.add(9, "*");
    EXPECT_EQ(served.perflib.add_counters(query, one.bytes), 0U);
    EXPECT_EQ(one.statuses(), (Numbers{4200}));
    EXPECT_EQ(data_of(served.perflib, query).size(), 48U);
    hkpd::PerfQuery growing(served.perflib);
    EXPECT_EQ(growing.add(guid(9), "*"), 4200U);
}

TEST(PerfLibAdd, NamesMustFitTheTypeOfSet) {
    Served served;
    const auto query = open(served.perflib);
    Identifiers named, unnamed, empty;
    named.add(2, "x");
    EXPECT_EQ(served.perflib.add_counters(query, named.bytes), 87U);
    EXPECT_EQ(named.statuses(), (Numbers{87}));
    unnamed.add(1, "");
    EXPECT_EQ(served.perflib.add_counters(query, unnamed.bytes), 87U);
    EXPECT_EQ(unnamed.statuses(), (Numbers{87}));
    // 48 bytes with an empty name: missing for one set, not allowed for the other.
    for (const std::uint8_t set : {std::uint8_t{1}, std::uint8_t{2}}) {
        empty = {};
        empty.add(set, "");
        empty.bytes.resize(48);
        empty.put(20, 48);
        EXPECT_EQ(served.perflib.add_counters(query, empty.bytes), 87U);
        EXPECT_EQ(empty.statuses(), (Numbers{87}));
    }
    EXPECT_EQ(data_of(served.perflib, query).size(), 48U);
    hkpd::PerfQuery growing(served.perflib);
    EXPECT_EQ(growing.add(guid(2), "x"), 87U);
    EXPECT_EQ(growing.add(guid(1), ""), 87U);
}

TEST(PerfLibAdd, RefusesMalformedBuffersEntirely) {
    Served served;
    const auto query = open(served.perflib);
    Identifiers good;
    good.add(1, "abcdefg").add(2, "");
    ASSERT_EQ(good.at[1], 56U);
    const auto refused = [&](Identifiers bad) {
        const Buffer before = bad.bytes;
        EXPECT_EQ(served.perflib.add_counters(query, bad.bytes), 87U);
        EXPECT_EQ(served.perflib.delete_counters(query, bad.bytes), 87U);
        EXPECT_EQ(bad.bytes, before);
    };
    for (const std::uint32_t size : {0U, 8U, 32U, 39U, 41U, 44U, 64U, 1000U, 0xFFFFFFF8U, 0xFFFFFFFFU}) {
        Identifiers bad = good;
        bad.put(20, size);
        refused(bad);
        bad = good;
        bad.put(56 + 20, size);
        refused(bad);
    }
    for (const std::size_t size : {0U, 8U, 39U, 55U, 57U, 95U}) {
        Identifiers bad = good;
        bad.bytes.resize(size);
        refused(bad);
    }
    Identifiers endless = good;
    endless.put(52, 0x00780078);  // overwrites the NUL
    refused(endless);
    EXPECT_EQ(data_of(served.perflib, query).size(), 48U);
    EXPECT_EQ(served.perflib.add_counters(query, good.bytes), 0U);
}

TEST(PerfLibDelete, RemovesWhatIsEqualInAllFourFields) {
    Served served;
    const auto query = open(served.perflib);
    Identifiers added, deleted;
    added.add(1, "a*", 0, 3).add(1, "a*", 0).add(1, "a*", 1).add(1, "*", 0).add(2, "", 0).add(1, "*", 0);
    ASSERT_EQ(served.perflib.add_counters(query, added.bytes), 0U);
    deleted.add(1, "A*", 0)
        .add(1, "a*", 0, 4)
        .add(3, "*", 0)
        .add(1, "*", 5)
        .add(9, "*", 0)
        .add(2, "", 0)
        .add(1, "*", 0);
    EXPECT_EQ(served.perflib.delete_counters(query, deleted.bytes), 0U);
    EXPECT_EQ(deleted.statuses(), (Numbers{0, 1168, 1168, 1168, 1168, 0, 0}));

    const Buffer info = exactly([&](std::span<std::byte> buffer, std::uint32_t& actual) {
        return served.perflib.query_info(query, buffer, actual);
    });
    Identifiers left;
    left.add(1, "a*", 0, 3).add(1, "a*", 1).add(1, "*", 0);
    left.put(left.at[1] + 32, 1);
    left.put(left.at[2] + 32, 2);
    EXPECT_EQ(info, left.bytes);
    EXPECT_EQ(read_block(data_of(served.perflib, query)).size(), 3U);
}

TEST(PerfLibQuery, IsUnknownOnceClosed) {
    Served served;
    const auto query = open(served.perflib);
    EXPECT_EQ(served.perflib.close_query(query), 0U);
    Buffer buffer(48);
    std::uint32_t actual = 0;
    Identifiers one;
    one.add(1, "*");
    EXPECT_EQ(served.perflib.close_query(query), 6U);
    EXPECT_EQ(served.perflib.query_data(query, buffer, actual), 6U);
    EXPECT_EQ(served.perflib.query_info(query, buffer, actual), 6U);
    EXPECT_EQ(served.perflib.add_counters(query, one.bytes), 6U);
    EXPECT_EQ(served.perflib.delete_counters(query, one.bytes), 6U);
}

// Data.

TEST(PerfLibData, AnEmptyQueryGives48Bytes) {
    Served served;
    const Buffer data = data_of(served.perflib, open(served.perflib));
    ASSERT_EQ(data.size(), 48U);
    EXPECT_EQ(u32(data, 0), 48U);
    EXPECT_EQ(u32(data, 4), 0U);
    EXPECT_EQ(u64(data, 8), 0x0102030405060708U);
    EXPECT_EQ(u64(data, 16), 134'232'246'152'500'000U + 20'000'000) << "the third call of the clock";
    EXPECT_EQ(u64(data, 24), 10'000'000U);
    EXPECT_EQ(u64(data, 32), 2026U | 5ULL << 16 | 4ULL << 32 | 14ULL << 48);
    EXPECT_EQ(u64(data, 40), 9U | 30ULL << 16 | 17ULL << 32 | 250ULL << 48);
}

TEST(PerfLibData, ASingleCounterHas32Bytes) {
    Served served;
    const auto query = open(served.perflib);
    Identifiers both;
    both.add(1, "BCD", 1).add(2, "", 0);
    ASSERT_EQ(served.perflib.add_counters(query, both.bytes), 0U);
    const Buffer data = data_of(served.perflib, query);
    ASSERT_EQ(data.size(), 48U + 2 * 32);
    EXPECT_EQ(u32(data, 4), 2U);
    const Numbers header{0, 1, 32, 0, 4, 16, 0xFFFFFFFE, 0};
    for (std::size_t i = 0; i < header.size(); ++i) EXPECT_EQ(u32(data, 48 + 4 * i), header[i]) << i;
    EXPECT_EQ(u32(data, 80 + 4), 1U);
    EXPECT_EQ(u32(data, 80 + 16), 8U);
    EXPECT_EQ(u32(data, 80 + 20), 16U);
    EXPECT_EQ(u64(data, 80 + 24), 21U);
}

TEST(PerfLibData, MultipleCountersHaveTheirIds) {
    Served served;
    const auto query = open(served.perflib);
    Identifiers one;
    one.add(2, "");
    ASSERT_EQ(served.perflib.add_counters(query, one.bytes), 0U);
    const Buffer data = data_of(served.perflib, query);
    ASSERT_EQ(data.size(), 48U + 16 + 24 + 4 * 16);
    const Numbers front{0, 2, 104, 0, 24, 4, 0, 1, 5, 70, 8, 16, 21, 0, 4, 16, 22, 0, 8, 16, 23, 0, 8, 16, 24, 0};
    for (std::size_t i = 0; i < front.size(); ++i) EXPECT_EQ(u32(data, 48 + 4 * i), front[i]) << i;
}

TEST(PerfLibData, AnOddNumberOfIdsIsPadded) {
    Machine machine;
    auto set = counterset(single);
    set.counters.resize(1);
    ASSERT_TRUE(machine.provider.add(set));
    const auto instance = machine.provider.create_instance(guid(1), "", 0);
    const auto query = open(machine.perflib);
    Identifiers one;
    one.add(1, "");
    ASSERT_EQ(machine.perflib.add_counters(query, one.bytes), 0U);
    const Buffer data = data_of(machine.perflib, query);
    ASSERT_EQ(data.size(), 48U + 16 + 16 + 16);
    const Numbers front{0, 2, 48, 0, 16, 1, 0, 0, 8, 16, 0, 0};
    for (std::size_t i = 0; i < front.size(); ++i) EXPECT_EQ(u32(data, 48 + 4 * i), front[i]) << i;
}

TEST(PerfLibData, MultipleInstancesHaveTheirNames) {
    Served served;
    const auto query = open(served.perflib);
    Identifiers one;
    one.add(1, "*", 1);
    ASSERT_EQ(served.perflib.add_counters(query, one.bytes), 0U);
    const Buffer data = data_of(served.perflib, query);
    // PERF_COUNTER_HEADER, PERF_MULTI_INSTANCES, then header, name, value of each instance.
    ASSERT_EQ(data.size(), 48U + 16 + 8 + (8 + 8 + 16) + (8 + 8 + 16));
    const Numbers front{0,   4, 88, 0,          72, 2, 16, 10, 'a', 0, 4, 16, 2, 0, 16, 11, 'B' | 'c' << 16,
                        'd', 4, 16, 0xFFFFFFFE, 0};
    for (std::size_t i = 0; i < front.size(); ++i) EXPECT_EQ(u32(data, 48 + 4 * i), front[i]) << i;
}

TEST(PerfLibData, ACountersetHasIdsAndInstances) {
    Served served;
    const auto query = open(served.perflib);
    Identifiers one;
    one.add(1, "A?*").add(1, "*a");
    ASSERT_EQ(served.perflib.add_counters(query, one.bytes), 0U);
    const Buffer data = data_of(served.perflib, query);
    ASSERT_EQ(data.size(), 48U + (16 + 24 + 8) + (16 + 24 + 8 + 16 + 4 * 16));
    const Numbers none{0, 6, 48, 0, 24, 4, 0, 1, 5, 70, 8, 0};
    for (std::size_t i = 0; i < none.size(); ++i) EXPECT_EQ(u32(data, 48 + 4 * i), none[i]) << i;
    const Numbers some{0, 6, 128, 0, 24, 4, 0, 1, 5, 70, 88, 1, 16, 10, 'a', 0, 8, 16, 1, 0, 4, 16, 2, 0, 8, 16, 3, 0};
    for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(u32(data, 96 + 4 * i), some[i]) << i;
}

TEST(PerfLibData, AnErrorHas16Bytes) {
    Served served;
    const auto query = open(served.perflib);
    Identifiers both;
    both.add(1, "absent").add(1, "a", 4).add(1, "absent", 4).add(1, "*", 4).add(1, "a", 0, 11);
    ASSERT_EQ(served.perflib.add_counters(query, both.bytes), 0U);
    const Buffer data = data_of(served.perflib, query);
    ASSERT_EQ(data.size(), 48U + 5 * 16);
    const Numbers statuses{4201, 4202, 4202, 4202, 4201};
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        EXPECT_EQ(u32(data, 48 + 16 * i), statuses[i]) << i;
        EXPECT_EQ(u64(data, 48 + 16 * i + 4), 16ULL << 32) << i;
        EXPECT_EQ(u32(data, 48 + 16 * i + 12), 0U) << i;
    }
}

TEST(PerfLibData, NamesMatchAsInWindows) {
    Machine machine;
    ASSERT_TRUE(machine.provider.add(counterset(multi)));
    std::vector<hkpd::ProviderInstance> instances;
    for (const std::string_view name : {"Größe", "Große", "G", "*"})
        instances.push_back(
            machine.provider.create_instance(guid(1), name, static_cast<std::uint32_t>(instances.size())).value());
    const auto ids = [&](std::string_view pattern) {
        Numbers found;
        for (const Listed& listed : ask(machine.perflib, guid(1), pattern, 0).instances) found.push_back(listed.id);
        return found;
    };
    EXPECT_EQ(ids("GR?ß*"), (Numbers{0, 1}));
    EXPECT_EQ(ids("*"), (Numbers{0, 1, 2, 3}));
    EXPECT_EQ(ids("?"), (Numbers{2, 3}));
    EXPECT_EQ(ids("g*e"), (Numbers{0, 1}));
    EXPECT_EQ(ask(machine.perflib, guid(1), "GRÖßE", 0).type, 1U);
    EXPECT_EQ(ask(machine.perflib, guid(1), "Gro\xC3", 0).status, 4201U);
}

TEST(PerfLibData, IsInTheOrderOfTheIdentifiers) {
    Served served;
    hkpd::PerfQuery query(served.perflib);
    EXPECT_EQ(query.add(guid(3), "*", 0), 0U);
    EXPECT_EQ(query.add(guid(2), "", 0), 0U);
    EXPECT_EQ(query.add(guid(3), "y", 0), 0U);
    EXPECT_EQ(query.add(guid(3), "_total", 0), 0U);
    const auto results = collect(query);
    ASSERT_EQ(results.size(), 4U);
    EXPECT_EQ(results[0].instances,
              (std::vector<Listed>{{"x", 0, {31}}, {"y", 1, {32}}, {"_Total", any_instance, {63}}}));
    EXPECT_EQ(results[1].instances, (std::vector<Listed>{{"", 0, {21}}}));
    EXPECT_EQ(results[2].instances, (std::vector<Listed>{{"", 0, {32}}}));
    EXPECT_EQ(results[3].instances, (std::vector<Listed>{{"", 0, {63}}}));
    EXPECT_EQ(query.remove(guid(2), "", 0), 0U);
    EXPECT_EQ(query.remove(guid(2), "", 0), 1168U);
    EXPECT_EQ(collect(query).size(), 3U);
}

// Enumeration and registrations.

TEST(PerfLibEnumeration, ReturnsCountersetsAndInstances) {
    Served served;
    std::vector<hkpd::Guid> guids(2, guid(50));
    std::uint32_t actual = 0;
    EXPECT_EQ(served.perflib.enumerate_countersets("", guids, actual), win32::not_enough_memory);
    EXPECT_EQ(actual, 3U);
    EXPECT_EQ(guids[0], guid(50));
    EXPECT_EQ(enumerate_countersets(served.perflib, "", actual), (std::vector{guid(1), guid(2), guid(3)}));

    const auto instances = [&](std::uint8_t set) {
        return exactly([&](std::span<std::byte> buffer, std::uint32_t& size) {
            return served.perflib.enumerate_instances("", guid(set), buffer, size);
        });
    };
    const Buffer two = instances(1);
    ASSERT_EQ(two.size(), 32U);
    const Numbers front{16, 10, 'a', 0, 16, 11, 'B' | 'c' << 16, 'd'};
    for (std::size_t i = 0; i < front.size(); ++i) EXPECT_EQ(u32(two, 4 * i), front[i]) << i;
    const Buffer lone = instances(2);
    ASSERT_EQ(lone.size(), 16U);
    EXPECT_EQ(u64(lone, 8), 0U);
    EXPECT_EQ(text(instances(3), 40), "_Total");
    EXPECT_EQ(served.perflib.enumerate_instances("", guid(9), {}, actual), 4200U);
}

Buffer registration(Served& served, RegistrationRequest request, std::uint32_t language = 0x409, std::uint8_t set = 1) {
    return exactly([&](std::span<std::byte> buffer, std::uint32_t& actual) {
        return served.perflib.registration_info("", guid(set), request, language, buffer, actual);
    });
}

TEST(PerfLibRegistration, DescribesTheCounterset) {
    Served served;
    const Buffer bytes = registration(served, RegistrationRequest::counterset_struct);
    ASSERT_EQ(bytes.size(), 32U + 4 * 48);
    EXPECT_TRUE(std::ranges::equal(std::span(bytes).first(16), guid(1).bytes));
    const Numbers header{0, 200, 4, 2};
    for (std::size_t i = 0; i < header.size(); ++i) EXPECT_EQ(u32(bytes, 16 + 4 * i), header[i]) << i;
    constexpr std::uint32_t none = 0xFFFFFFFF;
    const Numbers level{1, 0x10000, 0, 0, 100, static_cast<std::uint32_t>(-3), none, none, none, none, 0, 0};
    const Numbers ratio{5, 0x20020500, 8, 0, 100, 0, 70, none, none, none, 0, 0};
    for (std::size_t i = 0; i < level.size(); ++i) EXPECT_EQ(u32(bytes, 32 + 48 + 4 * i), level[i]) << i;
    for (std::size_t i = 0; i < ratio.size(); ++i) EXPECT_EQ(u32(bytes, 32 + 96 + 4 * i), ratio[i]) << i;

    const Buffer one = registration(served, RegistrationRequest::counter_struct, 5);
    EXPECT_EQ(one, Buffer(bytes.begin() + 32 + 96, bytes.begin() + 32 + 144));
    std::uint32_t actual = 0;
    EXPECT_EQ(served.perflib.registration_info("", guid(1), RegistrationRequest::counter_struct, 2, {}, actual), 4202U);
}

TEST(PerfLibRegistration, ReturnsTexts) {
    Served served;
    using enum RegistrationRequest;
    for (const std::uint32_t language : {0U, 9U, 0x409U, 0x407U}) {
        const Buffer name = registration(served, counterset_name, language);
        EXPECT_EQ(name.size(), 2 * std::string("Demo 1").size() + 2);
        EXPECT_EQ(text(name, 0), "Demo 1");
    }
    EXPECT_EQ(text(registration(served, counterset_help), 0), "Helps");
    EXPECT_EQ(text(registration(served, provider_name), 0), "Kit");
    EXPECT_EQ(text(registration(served, counterset_english), 0), "Demo 1");
    const Buffer provider = registration(served, provider_guid);
    EXPECT_TRUE(std::ranges::equal(provider, guid(100).bytes));
}

TEST(PerfLibRegistration, StringBuffersHaveAnOffsetForEachCounter) {
    Served served;
    using enum RegistrationRequest;
    const Buffer names = registration(served, counter_names);
    EXPECT_EQ(registration(served, counter_names_english), names);
    // 8 + 4 * 8, then Ticks, Level and Ratio with 12 bytes each, padded.
    ASSERT_EQ(names.size(), 40U + 40);
    const Numbers front{80, 4, 0, 40, 1, 52, 5, 64, 70, 0xFFFFFFFF};
    for (std::size_t i = 0; i < front.size(); ++i) EXPECT_EQ(u32(names, 4 * i), front[i]) << i;
    EXPECT_EQ(text(names, 40), "Ticks");
    EXPECT_EQ(text(names, 52), "Level");
    EXPECT_EQ(text(names, 64), "Ratio");
    const Buffer help = registration(served, counter_help);
    const Numbers help_front{64, 4, 0, 40, 1, 0xFFFFFFFF, 5, 54, 70, 0xFFFFFFFF};
    for (std::size_t i = 0; i < help_front.size(); ++i) EXPECT_EQ(u32(help, 4 * i), help_front[i]) << i;
    EXPECT_EQ(text(help, 54), "Part");
}

TEST(PerfLibRegistration, ReturnsTheStatusOfMissingParts) {
    Served served;
    auto bare = counterset(multi, 4);
    bare.help = bare.provider_name = "";
    ASSERT_TRUE(served.provider.add(bare));
    using enum RegistrationRequest;
    std::uint32_t status = 0;
    const auto ask_for = [&](std::uint8_t set, RegistrationRequest request) {
        EXPECT_TRUE(registration_info(served.perflib, "", guid(set), request, 0, status).empty());
        return status;
    };
    EXPECT_EQ(ask_for(4, counterset_help), 1168U);
    EXPECT_EQ(ask_for(4, provider_name), 1168U);
    EXPECT_EQ(ask_for(4, static_cast<RegistrationRequest>(0)), 87U);
    EXPECT_EQ(ask_for(4, static_cast<RegistrationRequest>(11)), 87U);
    EXPECT_EQ(ask_for(9, counterset_struct), 4200U);
    EXPECT_EQ(ask_for(9, static_cast<RegistrationRequest>(11)), 4200U);
}

// Machines.

TEST(PerfLibMachines, AreFoundByName) {
    Served there;
    hkpd::Provider nothing;
    hkpd::LocalPerfLib here(nothing, provider_kit::moment, "Desk");
    here.connect(R"(\\Server)", there.perflib);
    std::uint32_t status = 0;
    for (const std::string_view own : {"", "desk", R"(\\DESK)"}) {
        EXPECT_TRUE(enumerate_countersets(here, own, status).empty());
        EXPECT_EQ(status, 0U);
    }
    for (const std::string_view name : {"server", R"(\\SERVER)"}) {
        EXPECT_EQ(enumerate_countersets(here, name, status).size(), 3U);
        EXPECT_EQ(registration_info(here, name, guid(1), RegistrationRequest::provider_guid, 0, status).size(), 16U);
        std::uint32_t actual = 0;
        EXPECT_EQ(here.enumerate_instances(name, guid(1), {}, actual), win32::not_enough_memory);
        hkpd::PerfQuery query(here, name);
        EXPECT_EQ(query.add(guid(1), "a", 0), 0U);
        EXPECT_EQ(query.add(guid(1), "a", 1), 0U);
        EXPECT_EQ(query.remove(guid(1), "a", 1), 0U);
        EXPECT_EQ(query.info().size(), 48U);
        EXPECT_EQ(collect(query).at(0).instances, (std::vector<Listed>{{"", 0, {1}}}));
    }
    EXPECT_TRUE(enumerate_countersets(here, "nowhere", status).empty());
    EXPECT_EQ(status, 53U);
    registration_info(here, "nowhere", guid(1), RegistrationRequest::provider_guid, 0, status);
    EXPECT_EQ(status, 53U);
    std::uint32_t actual = 0;
    EXPECT_EQ(here.enumerate_instances("nowhere", guid(1), {}, actual), 53U);
    hkpd::PerfQuery query(here, "nowhere");
    EXPECT_EQ(query.status(), 53U);
    EXPECT_EQ(query.add(guid(1), "*"), 53U);
    EXPECT_EQ(query.collect(), 53U);
    EXPECT_TRUE(query.info().empty());
}

// The query with growing buffers.

TEST(PerfQuery, GrowsItsBuffers) {
    Machine machine;
    ASSERT_TRUE(machine.provider.add(counterset(multi)));
    std::vector<hkpd::ProviderInstance> instances;
    for (std::uint32_t i = 0; i < 1000; ++i)
        instances.push_back(machine.provider.create_instance(guid(1), "instance " + std::to_string(i), i).value());
    hkpd::PerfQuery query(machine.perflib);
    for (std::uint32_t i = 0; i < 200; ++i) ASSERT_EQ(query.add(guid(1), "instance 1", i), 0U);
    ASSERT_EQ(query.add(guid(1), "*"), 0U);
    const auto results = collect(query);
    ASSERT_EQ(results.size(), 201U);
    EXPECT_EQ(results.back().instances.size(), 1000U);
    EXPECT_EQ(query.info().size(), 200U * (40 + 24) + 48);
    std::uint32_t status = 1;
    std::vector<hkpd::Guid> guids;
    for (std::uint8_t i = 2; i < 255; ++i) ASSERT_TRUE(machine.provider.add(counterset(multi, i)));
    hkpd::Guid another = guid(1);
    for (int i = 0; i < 200; ++i) {
        another.bytes[15] = static_cast<std::byte>(i);
        another.bytes[14] = std::byte{0xEE};
        auto set = counterset(multi);
        set.guid = another;
        ASSERT_TRUE(machine.provider.add(set));
    }
    EXPECT_EQ(enumerate_countersets(machine.perflib, "", status).size(), 454U);
    EXPECT_EQ(status, 0U);
}

}  // namespace perflib_test
