// Walks a whole V2 data block through the public views into plain structures that tests can compare, and checks the
// properties of every input: no offset points outside it, and no instance has more values than counters.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/v2.hpp"
#include "support/usual_severity.hpp"
#include "support/v1_walk.hpp"

namespace hkpd_test {

using Numbers = std::vector<std::optional<std::uint64_t>>;

/// Bytes on the heap in a buffer of exactly their size, so that a sanitizer notices a read past the end.
class ExactCopy {
  public:
    explicit ExactCopy(std::span<const std::byte> bytes)
        : size_(bytes.size()), data_(std::make_unique<std::byte[]>(size_)) {
        std::ranges::copy(bytes, data_.get());
    }
    hkpd::Bytes bytes(std::uint64_t offset = 0) const { return hkpd::Bytes({data_.get(), size_}, offset); }

  private:
    std::size_t size_;
    std::unique_ptr<std::byte[]> data_;
};

struct V2Instance {
    std::optional<std::string> name;  ///< UTF-16, verbatim
    std::uint32_t id = 0, ordinal = 0;
    std::uint64_t offset = 0;
    Numbers numbers;                 ///< results of `number_of`
    std::vector<std::string> bytes;  ///< of values that are not damaged

    bool operator==(const V2Instance&) const = default;
};

struct V2Result {
    hkpd::v2::ResultEntry entry;
    std::optional<hkpd::Error> failure;  ///< of `Result::open`
    hkpd::v2::Result result;
    std::vector<V2Instance> instances;

    std::vector<std::uint32_t> ids() const { return {result.ids().begin(), result.ids().end()}; }
};

struct V2Walk {
    std::optional<hkpd::Error> failure;  ///< of `DataBlock::open`
    hkpd::v2::DataBlock block;
    std::vector<V2Result> results;
    hkpd::Diagnostics diagnostics;

    /// Returns the result at this place of the query, if it could be opened.
    const V2Result* result(std::uint32_t ordinal) const {
        const auto found = std::ranges::find_if(
            results, [&](const auto& result) { return result.entry.ordinal == ordinal && !result.failure; });
        return found == results.end() ? nullptr : &*found;
    }
    /// Returns all faults found, including failures to open.
    std::vector<hkpd::Diagnostic> findings() const {
        std::vector<hkpd::Diagnostic> all(diagnostics.kept().begin(), diagnostics.kept().end());
        if (failure) all.push_back({.severity = hkpd::Severity::error, .error = *failure});
        for (const V2Result& result : results)
            if (result.failure)
                all.push_back(
                    {.severity = hkpd::Severity::error, .error = *result.failure, .object = result.entry.ordinal});
        return all;
    }
};

inline V2Instance walk_instance(const hkpd::v2::Instance& instance) {
    V2Instance walked{.name = {},
                      .id = instance.InstanceId,
                      .ordinal = instance.ordinal,
                      .offset = instance.offset,
                      .numbers = {},
                      .bytes = {}};
    if (instance.name) walked.name = to_string(instance.name->bytes);
    for (const hkpd::v2::Value& value : instance.values) {
        walked.numbers.push_back(hkpd::v2::number_of(value));
        walked.bytes.push_back(value.damaged ? std::string() : to_string(value.bytes));
        EXPECT_FALSE(value.damaged && walked.numbers.back()) << "a number out of damaged bytes";
    }
    return walked;
}

inline void walk_instances(V2Result& walked, std::uint64_t& left, hkpd::Diagnostics& diagnostics) {
    const std::uint64_t before = left;
    std::vector<hkpd::v2::Value> values;
    hkpd::v2::InstanceReader reader(walked.result, left, values, diagnostics);
    std::uint64_t count = 0;
    for (hkpd::v2::Instance instance; reader.next(instance);) {
        EXPECT_EQ(instance.values.size(), walked.result.values_per_instance());
        count += instance.values.size();
        walked.instances.push_back(walk_instance(instance));
    }
    EXPECT_LE(count, before);
    EXPECT_LE(left, before);
}

/// Reads a whole block. The input must outlive the result.
inline V2Walk walk_v2(hkpd::Bytes input, hkpd::Limits limits = {}) {
    V2Walk walked;
    const auto opened = walked.block.open(input, walked.diagnostics);
    if (!opened) walked.failure = opened.error();
    std::uint64_t left = limits.values_for(input.size());
    for (const hkpd::v2::ResultEntry& entry : walked.block.results()) {
        if (!opened) break;
        V2Result result{.entry = entry, .failure = {}, .result = {}, .instances = {}};
        const auto entered = result.result.open(entry, entry.ordinal, walked.diagnostics);
        if (!entered) result.failure = entered.error();
        if (entered) walk_instances(result, left, walked.diagnostics);
        walked.results.push_back(std::move(result));
    }
    for (const hkpd::Diagnostic& found : walked.findings()) {
        EXPECT_GE(found.error.offset, input.offset()) << hkpd::code_name(found.error.code);
        EXPECT_LE(found.error.offset, input.end()) << hkpd::code_name(found.error.code);
        EXPECT_FALSE(found.error.structure.empty()) << hkpd::code_name(found.error.code);
        expect_usual_severity(found);
    }
    return walked;
}

inline testing::AssertionResult with_findings(testing::AssertionResult result,
                                              const std::vector<hkpd::Diagnostic>& findings) {
    std::ostringstream found;
    for (const hkpd::Diagnostic& finding : findings) describe(found, finding.severity, finding.error);
    return result << "found:" << found.str();
}

inline std::vector<hkpd::Diagnostic> findings(const hkpd::Diagnostics& diagnostics) {
    return {diagnostics.kept().begin(), diagnostics.kept().end()};
}
inline std::vector<hkpd::Diagnostic> findings(const V2Walk& walk) { return walk.findings(); }

/// Returns whether nothing was found.
template <class Found>
testing::AssertionResult clean_v2(const Found& found) {
    const auto all = findings(found);
    if (all.empty()) return testing::AssertionSuccess();
    return with_findings(testing::AssertionFailure(), all);
}

/// Returns whether this was found at one of these offsets.
template <class Found>
testing::AssertionResult reports_v2(const Found& found, hkpd::Severity severity, hkpd::Errc code,
                                    const std::vector<std::uint64_t>& offsets) {
    const auto all = findings(found);
    const auto wanted = [&](const hkpd::Diagnostic& d) {
        return d.severity == severity && d.error.code == code && std::ranges::count(offsets, d.error.offset) != 0;
    };
    if (std::ranges::any_of(all, wanted)) return testing::AssertionSuccess();
    auto failure = testing::AssertionFailure()
                   << "no " << hkpd::severity_name(severity) << ' ' << hkpd::code_name(code);
    return with_findings(failure << " at " << testing::PrintToString(offsets) << ", ", all);
}

/// Returns whether this was the only finding, in this structure and field.
template <class Found>
testing::AssertionResult reports_only(const Found& found, hkpd::Severity severity, hkpd::Errc code,
                                      std::uint64_t offset, std::string_view structure, std::string_view field) {
    const auto all = findings(found);
    if (all.size() == 1 && all[0].severity == severity && all[0].error.code == code && all[0].error.offset == offset &&
        all[0].error.structure == structure && all[0].error.field == field)
        return testing::AssertionSuccess();
    auto failure = testing::AssertionFailure()
                   << "not just " << hkpd::severity_name(severity) << ' ' << hkpd::code_name(code) << " at " << offset
                   << ' ' << structure << '.' << field;
    return with_findings(failure << ", ", all);
}

}  // namespace hkpd_test
