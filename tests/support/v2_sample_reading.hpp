// Reads samples from built V2 blocks, through registrations and identifiers.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/names.hpp"
#include "sample/fill/v2_builder.hpp"
#include "support/sample_columns.hpp"
#include "support/v2_builder.hpp"
#include "support/v2_walk.hpp"

namespace hkpd_test {

/// Countersets with counters called `counter ID`, and the samples built with them.
class V2Reading {
  public:
    explicit V2Reading(const hkpd::Limits& limits = {}) : limits_(limits), builder_(countersets, limits) {}
    V2Reading(const V2Reading&) = delete;
    V2Reading& operator=(const V2Reading&) = delete;

    /// Registers a counterset. Its bytes are freed afterwards.
    void add(const v2_blob::Registration& registration, std::u16string_view name = u"set") {
        std::vector<v2_blob::CounterString> names;
        for (const v2_blob::Counter& counter : registration.counters) {
            const std::string id = std::to_string(counter.id);
            names.push_back({counter.id, u"counter " + std::u16string(id.begin(), id.end())});
        }
        using enum hkpd::v2::RegistrationRequest;
        answer(registration.guid, counterset_struct, v2_blob::build_registration(registration));
        answer(registration.guid, counterset_name, v2_blob::build_string(name));
        answer(registration.guid, counter_names, v2_blob::build_strings(names));
    }
    void answer(const hkpd::Guid& guid, hkpd::v2::RegistrationRequest request, const blob::ByteBuffer& bytes,
                std::string_view language = "009", std::string_view machine = {}) {
        const ExactCopy copy(bytes.bytes());
        countersets.add(
            {.guid = guid, .request = request, .machine = machine, .language = language, .bytes = copy.bytes()},
            limits_, diagnostics);
    }

    /// Builds a sample. The block's bytes are freed afterwards. `query` may be null.
    const hkpd::Sample& build(const blob::ByteBuffer& blob, const std::vector<v2_blob::Identifier>* query,
                              std::string_view machine = "M") {
        const ExactCopy copy(blob.bytes());
        hkpd::v2::Identifiers identifiers;
        const v2_blob::Chain chain = query ? v2_blob::build_identifiers(*query) : v2_blob::Chain{};
        const ExactCopy query_copy(chain.bytes());
        if (query) identifiers.open(query_copy.bytes(), diagnostics);
        const auto opened = block.open(copy.bytes(), diagnostics);
        EXPECT_TRUE(opened);
        if (opened) builder_.build(samples.emplace_back(), block, query ? &identifiers : nullptr, machine, diagnostics);
        return samples.back();
    }
    const hkpd::Sample& build(const v2_blob::Block& shape, const std::vector<v2_blob::Identifier>& query) {
        return build(v2_blob::build(shape), &query);
    }
    const hkpd::Sample& build_without_query(const v2_blob::Block& shape) {
        return build(v2_blob::build(shape), nullptr);
    }

    hkpd::Countersets countersets;
    hkpd::Diagnostics diagnostics;
    std::deque<hkpd::Sample> samples;  // samples are never moved: they refer to their own memory
    hkpd::v2::DataBlock block;

  private:
    hkpd::Limits limits_;
    hkpd::CountersetSampleBuilder builder_;
};

/// Returns the id of the counter at a column's relation (`Column::base`, ...); `none` for -1.
inline std::string related(const hkpd::Object& object, std::int32_t position) {
    return position < 0 ? "none" : std::to_string(object.columns.at(static_cast<std::size_t>(position)).title_index);
}

}  // namespace hkpd_test
