// Walks a whole V1 block through the public views into plain structures that tests can compare, and checks the
// properties of every input: both ways of iterating over instances agree, and no offset points outside the input.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/v1.hpp"
#include "support/usual_severity.hpp"

namespace hkpd_test {

struct WalkedInstance {
    hkpd::v1::Instance instance;
    std::optional<std::string> name;                   ///< its bytes, verbatim
    std::vector<std::optional<std::string>> bytes;     ///< one for each counter: result of `value_of`
    std::vector<std::optional<std::uint64_t>> values;  ///< one for each counter: result of `number_of`
    bool complete = false;
};

struct WalkedObject {
    hkpd::v1::ObjectEntry entry;
    std::optional<hkpd::Error> failure;  ///< of `Object::open`
    hkpd::v1::Object object;
    std::vector<WalkedInstance> instances;
};

struct Walk {
    std::optional<hkpd::Error> failure;  ///< of `Block::open`
    hkpd::v1::Block block;
    std::vector<WalkedObject> objects;
    hkpd::Diagnostics diagnostics;

    /// Returns the object with this title, if it could be opened.
    const WalkedObject* object(std::uint32_t title) const {
        const auto found = std::ranges::find_if(
            objects, [&](const auto& object) { return object.entry.title_index == title && !object.failure; });
        return found == objects.end() ? nullptr : &*found;
    }
    std::vector<std::uint32_t> titles() const {
        std::vector<std::uint32_t> titles;
        for (const WalkedObject& object : objects)
            if (!object.failure) titles.push_back(object.entry.title_index);
        return titles;
    }
};

inline std::string to_string(hkpd::Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

inline WalkedInstance walk_instance(const hkpd::v1::Object& object, const hkpd::v1::Instance& instance) {
    WalkedInstance walked{.instance = instance, .name = {}, .bytes = {}, .values = {}};
    if (const auto name = instance.name()) walked.name = to_string(name->bytes);
    for (const hkpd::v1::Counter& counter : object.counters()) {
        const auto bytes = hkpd::v1::value_of(instance, counter);
        walked.bytes.push_back(bytes ? std::optional(to_string(*bytes)) : std::nullopt);
        walked.values.push_back(hkpd::v1::number_of(object, instance, counter));
        EXPECT_TRUE(counter.readable || !bytes) << "a value of a counter that cannot be read";
        EXPECT_TRUE(bytes || !walked.values.back()) << "a number out of no bytes";
    }
    return walked;
}

inline void expect_same(const WalkedInstance& a, const WalkedInstance& b) {
    EXPECT_EQ(a.instance.offset, b.instance.offset);
    EXPECT_EQ(a.instance.ordinal, b.instance.ordinal);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.values, b.values);
}

inline void walk_instances(WalkedObject& walked, std::uint64_t& left, hkpd::Diagnostics& diagnostics) {
    hkpd::Diagnostics again;
    std::uint64_t left_again = left;
    hkpd::v1::InstanceReader reader(walked.object, left, diagnostics);
    bool whole = true;
    for (hkpd::v1::Instance instance; reader.next(instance);) {
        walked.instances.push_back(walk_instance(walked.object, instance));
        walked.instances.back().complete = reader.complete();
        whole = whole && reader.complete();
    }

    walked.object.validate(left_again, again);
    EXPECT_EQ(walked.object.count(), walked.instances.size());
    EXPECT_EQ(left, left_again);
    EXPECT_TRUE(walked.instances.empty() || walked.object.whole() == whole);
    std::size_t i = 0;
    for (const hkpd::v1::Instance& instance : walked.object.instances()) {
        ASSERT_LT(i, walked.instances.size());
        expect_same(walk_instance(walked.object, instance), walked.instances[i++]);
    }
}

inline void check_offsets(const Walk& walk, hkpd::Bytes input) {
    const auto check = [&](const hkpd::Error& error) {
        EXPECT_GE(error.offset, input.offset()) << hkpd::code_name(error.code);
        EXPECT_LE(error.offset, input.end()) << hkpd::code_name(error.code);
    };
    if (walk.failure) check(*walk.failure);
    for (const WalkedObject& object : walk.objects)
        if (object.failure) check(*object.failure);
    for (const hkpd::Diagnostic& diagnostic : walk.diagnostics.kept()) {
        check(diagnostic.error);
        expect_usual_severity(diagnostic);
    }
}

/// Reads a whole block. The input must outlive the result.
inline Walk walk(hkpd::Bytes input, hkpd::Limits limits = {}) {
    Walk walked;
    const auto opened = walked.block.open(input, walked.diagnostics);
    if (!opened) walked.failure = opened.error();
    std::uint64_t left = limits.values_for(input.size());
    for (const hkpd::v1::ObjectEntry& entry : walked.block.objects()) {
        if (!opened) break;
        WalkedObject object{.entry = entry, .failure = {}, .object = {}, .instances = {}};
        const auto entered = object.object.open(walked.block, entry, walked.diagnostics);
        if (!entered) object.failure = entered.error();
        if (entered) walk_instances(object, left, walked.diagnostics);
        walked.objects.push_back(std::move(object));
    }
    check_offsets(walked, input);
    return walked;
}

inline Walk walk(std::span<const std::byte> bytes) { return walk(hkpd::Bytes(bytes)); }

/// Describes a finding for the message of a failing test.
inline void describe(std::ostream& out, hkpd::Severity severity, const hkpd::Error& error) {
    std::string message;
    hkpd::append_message(message, error);
    out << "\n  " << hkpd::severity_name(severity) << ' ' << hkpd::code_name(error.code) << " at " << error.offset
        << ' ' << error.structure << '.' << error.field << ": " << message;
}

inline testing::AssertionResult with_findings(testing::AssertionResult result, const Walk& walk) {
    std::ostringstream found;
    if (walk.failure) describe(found << "\nfailed:", hkpd::Severity::error, *walk.failure);
    for (const WalkedObject& object : walk.objects)
        if (object.failure) describe(found << "\nobject lost:", hkpd::Severity::error, *object.failure);
    for (const hkpd::Diagnostic& diagnostic : walk.diagnostics.kept())
        describe(found, diagnostic.severity, diagnostic.error);
    return result << "found:" << found.str();
}

inline bool lost_whole_structures(const Walk& walk) {
    return walk.failure ||
           std::ranges::any_of(walk.objects, [](const auto& object) { return object.failure.has_value(); });
}

/// Returns whether nothing was found.
inline testing::AssertionResult clean(const Walk& walk) {
    if (!lost_whole_structures(walk) && walk.diagnostics.kept().empty()) return testing::AssertionSuccess();
    return with_findings(testing::AssertionFailure(), walk);
}

/// Returns whether nothing was lost.
inline testing::AssertionResult no_error(const Walk& walk) {
    if (!lost_whole_structures(walk) && walk.diagnostics.count(hkpd::Severity::error) == 0)
        return testing::AssertionSuccess();
    return with_findings(testing::AssertionFailure() << "errors, ", walk);
}

/// Returns whether this was found at one of these offsets.
inline testing::AssertionResult reports(const Walk& walk, hkpd::Severity severity, hkpd::Errc code,
                                        std::vector<std::uint64_t> offsets) {
    const auto wanted = [&](const hkpd::Diagnostic& d) {
        return d.severity == severity && d.error.code == code && std::ranges::count(offsets, d.error.offset) != 0;
    };
    if (std::ranges::any_of(walk.diagnostics.kept(), wanted)) return testing::AssertionSuccess();
    auto failure = testing::AssertionFailure()
                   << "no " << hkpd::severity_name(severity) << ' ' << hkpd::code_name(code);
    return with_findings(failure << " at " << testing::PrintToString(offsets) << ", ", walk);
}

}  // namespace hkpd_test
