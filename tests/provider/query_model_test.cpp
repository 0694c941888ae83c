// Random queries of random providers give the results of a simple model of PerfLib's rules: wildcards, id filters,
// single counters, missing countersets and instances, deletions from a query; and results of the documented types.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/win32.hpp"
#include "live/perflib_query.hpp"
#include "support/byte_buffer.hpp"
#include "support/random_provider.hpp"
#include "support/v2_walk.hpp"

namespace hkpd_test {
namespace provider_query_model_test {

using hkpd::v2::any_instance;
using hkpd::v2::ResultType;
using hkpd::v2::wildcard_counter;
using random_provider::Instance;
using random_provider::Machine;
using random_provider::Set;

/// A part of a query, as requested.
struct Request {
    const Set* set = nullptr;
    std::string name;
    std::uint32_t counter = wildcard_counter, instance = any_instance;

    bool operator==(const Request&) const = default;
    bool one_counter() const { return counter != wildcard_counter; }
    bool one_instance() const { return name.find_first_of("*?") == std::string::npos; }
};

/// Returns the characters of a UTF-8 text, all in the Basic Multilingual Plane, with ASCII in lower case if `fold`.
std::u16string characters(std::string_view text, bool fold) {
    std::u16string all;
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t k) { return static_cast<unsigned>(static_cast<unsigned char>(text[i + k])); };
        const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : 3;
        unsigned character = length == 1 ? byte(0) : length == 2 ? byte(0) & 0x1FU : byte(0) & 0x0FU;
        for (std::size_t k = 1; k < length; ++k) character = character << 6U | (byte(k) & 0x3FU);
        if (fold && character >= 'A' && character <= 'Z') character += 32;
        all += static_cast<char16_t>(character);
        i += length;
    }
    return all;
}

bool matches(std::u16string_view pattern, std::u16string_view name) {
    if (pattern.empty()) return name.empty();
    if (pattern[0] == u'*') {
        for (std::size_t skip = 0; skip <= name.size(); ++skip)
            if (matches(pattern.substr(1), name.substr(skip))) return true;
        return false;
    }
    return !name.empty() && (pattern[0] == u'?' || pattern[0] == name[0]) && matches(pattern.substr(1), name.substr(1));
}

/// The result of a part of a query by the rules.
struct Expected {
    ResultType type{};
    std::vector<std::uint32_t> statuses{0};  ///< any of these is right
    std::vector<std::uint32_t> ids;
    std::vector<V2Instance> instances;
};

Expected model(const Request& request) {
    std::vector<Instance> rows;
    for (Instance& row : visible(*request.set)) {
        const bool named = matches(characters(request.name, true), characters(row.name, true));
        if (named && (request.instance == any_instance || request.instance == row.id)) rows.push_back(std::move(row));
    }
    const bool no_counter = request.one_counter() && request.set->counter(request.counter) == nullptr;
    const bool no_instance = request.one_instance() && rows.empty();
    if (no_counter || no_instance) {
        Expected error{.type = ResultType::error, .statuses = {}, .ids = {}, .instances = {}};
        if (no_counter) error.statuses.push_back(hkpd::win32::wmi_itemid_not_found);
        if (no_instance) error.statuses.push_back(hkpd::win32::wmi_instance_not_found);
        return error;
    }
    Expected expected;
    expected.type = request.one_instance()
                        ? (request.one_counter() ? ResultType::single_counter : ResultType::multiple_counters)
                        : (request.one_counter() ? ResultType::multiple_instances : ResultType::counterset);
    std::vector<std::uint32_t> counters;
    for (const hkpd::CounterDescriptor& counter : request.set->descriptor.counters)
        if (!request.one_counter() || counter.id == request.counter) counters.push_back(counter.id);
    if (!request.one_counter()) expected.ids = counters;
    for (const Instance& row : rows) {
        const bool listed = !request.one_instance();
        V2Instance& made = expected.instances.emplace_back();
        made.name = blob::utf16(listed ? characters(row.name, false) : u"");
        made.id = listed ? row.id : any_instance;
        for (const std::uint32_t id : counters) made.numbers.push_back(row.values.at(id));
    }
    return expected;
}

void expect_result(const Request& request, const V2Result& result) {
    const Expected expected = model(request);
    EXPECT_FALSE(result.failure);
    EXPECT_EQ(result.result.type(), expected.type);
    EXPECT_EQ(std::ranges::count(expected.statuses, result.result.status()), 1) << result.result.status();
    EXPECT_EQ(result.ids(), expected.ids);
    ASSERT_EQ(result.instances.size(), expected.instances.size());
    for (std::size_t i = 0; i < expected.instances.size(); ++i) {
        EXPECT_EQ(result.instances[i].name, expected.instances[i].name) << i;
        EXPECT_EQ(result.instances[i].id, expected.instances[i].id) << i;
        EXPECT_EQ(result.instances[i].numbers, expected.instances[i].numbers) << i;
    }
}

class RandomQuery {
  public:
    explicit RandomQuery(Machine& machine) : machine_(machine), query_(machine.perflib()) {
        EXPECT_EQ(query_.status(), 0U);
    }

    void add() {
        Request request = random();
        if (std::ranges::count(requests_, request) != 0) return;
        EXPECT_EQ(query_.add(request.set->descriptor.guid, request.name, request.counter, request.instance), 0U);
        requests_.push_back(std::move(request));
    }
    void remove() {
        if (requests_.empty()) return;
        const auto gone = requests_.begin() + machine_.below(requests_.size());
        EXPECT_EQ(query_.remove(gone->set->descriptor.guid, gone->name, gone->counter, gone->instance), 0U);
        requests_.erase(gone);
    }
    /// Deletes parts, and adds and deletes invalid or missing ones, which leave the query unchanged.
    void add_what_is_refused() {
        const Set& set = machine_.sets().front();
        EXPECT_EQ(query_.add(hkpd::Guid{}, set.multi() ? "*" : ""), hkpd::win32::wmi_guid_not_found);
        EXPECT_EQ(query_.add(set.descriptor.guid, set.multi() ? "" : "*"), hkpd::win32::invalid_parameter);
        EXPECT_NE(query_.remove(set.descriptor.guid, set.multi() ? "never added" : "", 0xFFFF'0000), 0U);
    }

    void expect_model() {
        hkpd::Diagnostics diagnostics;
        machine_.pass_a_second();
        ASSERT_EQ(query_.collect(), 0U);
        const ExactCopy info(query_.info()), data(query_.data().span());
        hkpd::v2::Identifiers identifiers;
        identifiers.open(info.bytes(), diagnostics);
        EXPECT_TRUE(clean_v2(diagnostics));
        const V2Walk walked = walk_v2(data.bytes());
        EXPECT_EQ(walked.diagnostics.count(hkpd::Severity::error), 0U);
        EXPECT_EQ(walked.diagnostics.count(hkpd::Severity::warning), 0U);
        ASSERT_EQ(walked.results.size(), requests_.size());
        ASSERT_EQ(identifiers.all().size(), requests_.size());
        for (const Request& request : requests_) {
            SCOPED_TRACE("'" + request.name + "' of " + request.set->descriptor.name + " counter " +
                         std::to_string(request.counter) + " instance " + std::to_string(request.instance));
            const hkpd::v2::Identifier* identifier = find(identifiers, request);
            ASSERT_NE(identifier, nullptr);
            ASSERT_LT(identifier->Index, walked.results.size());
            expect_result(request, walked.results[identifier->Index]);
            ++seen[walked.results[identifier->Index].result.type()];
        }
    }

    std::map<ResultType, std::size_t> seen;

  private:
    static const hkpd::v2::Identifier* find(const hkpd::v2::Identifiers& identifiers, const Request& request) {
        for (const hkpd::v2::Identifier& one : identifiers.all())
            if (one.CounterSetGuid == request.set->descriptor.guid && one.CounterId == request.counter &&
                one.InstanceId == request.instance && one.name &&
                to_string(one.name->bytes) == blob::utf16(characters(request.name, false)))
                return &one;
        return nullptr;
    }

    Request random() {
        Request request{.set = &machine_.sets()[machine_.below(machine_.sets().size())], .name = {}};
        const auto& counters = request.set->descriptor.counters;
        if (machine_.below(2) == 0) request.counter = counters[machine_.below(counters.size())].id;
        if (machine_.below(20) == 0) request.counter = 0xEEEE'EEEE;
        if (!request.set->multi()) return request;
        const std::vector<Instance> rows = visible(*request.set);
        if (!rows.empty()) {
            const Instance& row = rows[machine_.below(rows.size())];
            request.name = pattern(row.name);
            if (machine_.below(4) == 0) request.instance = row.id;
        }
        if (machine_.below(12) == 0) request.instance = machine_.below(25);
        if (request.name.empty() || machine_.below(12) == 0) request.name = machine_.below(2) == 0 ? "*" : "not there";
        return request;
    }
    /// Returns a name, a pattern that matches it, or one that nearly does.
    std::string pattern(std::string name) {
        std::vector<std::size_t> starts;  // of its characters
        for (std::size_t i = 0; i < name.size(); ++i)
            if ((static_cast<unsigned char>(name[i]) & 0xC0U) != 0x80U) starts.push_back(i);
        const std::size_t k = machine_.below(starts.size()), at = starts[k];
        const std::size_t end = k + 1 < starts.size() ? starts[k + 1] : name.size();
        switch (machine_.below(8)) {
            case 0:
                std::ranges::for_each(name, [](char& c) { c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
                return name;
            case 1:
                return name.substr(0, at) + "*";
            case 2:
                return "*" + name.substr(at);
            case 3:
                return name.replace(at, end - at, "?");
            case 4:
                return name.replace(at, end - at, "*?");
            case 5:
                return "?" + name;
            case 6:
                return name.substr(0, at) + "*" + name.substr(end) + "*";
            default:
                return name;
        }
    }

    Machine& machine_;
    hkpd::PerfQuery query_;
    std::vector<Request> requests_;
};

TEST(ProviderQueries, FollowTheRules) {
    std::map<ResultType, std::size_t> seen;
    for (std::uint32_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Machine machine(seed, false);
        RandomQuery query(machine);
        query.expect_model();
        for (std::uint32_t count = machine.below(6), i = 0; i < count; ++i) query.add();
        query.expect_model();
        query.add_what_is_refused();
        query.expect_model();
        for (std::uint32_t count = machine.below(4), i = 0; i < count; ++i) query.remove();
        query.expect_model();
        query.add();
        query.expect_model();
        for (const auto& [type, count] : query.seen) seen[type] += count;
    }
    for (const ResultType type : {ResultType::error, ResultType::single_counter, ResultType::multiple_counters,
                                  ResultType::multiple_instances, ResultType::counterset})
        EXPECT_GT(seen[type], 300U) << static_cast<std::uint32_t>(type);
}

}  // namespace provider_query_model_test
}  // namespace hkpd_test
