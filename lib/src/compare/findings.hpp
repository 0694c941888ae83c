// What was found so far of each counter, instance and object that was compared.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "compare/matching.hpp"
#include "hkpd/compare.hpp"

namespace hkpd {

/// Adds up what pairs of samples show, in the order in which it was first seen.
class ComparedFindings {
  public:
    explicit ComparedFindings(const CompareOptions& options) noexcept : options_(options) {}

    /// `neighbours`: see SamplePairs.
    void add(const KeptSample& v1, const KeptSample& v2, bool neighbours, const Countersets& countersets);

    Comparison& comparison() noexcept { return comparison_; }

  private:
    void add_object(const MatchedObject& object);
    void add_columns(const KeptObject& v1, const KeptObject& v2, const PlacePairs& columns, const PlacePairs& rows);
    void add_column(const KeptObject& v1, const KeptColumn& a, const KeptObject& v2, const KeptColumn& b,
                    const PlacePairs& rows);
    void add_lone_columns(std::span<const KeptObject* const> parts, const std::vector<std::vector<bool>>& found,
                          Verdict verdict);
    void add_lone_rows(std::span<const KeptObject* const> parts, const std::vector<std::vector<bool>>& found,
                       Verdict verdict, const std::string& name);
    void add_lone_objects(std::span<const KeptObject* const> parts, Verdict verdict);
    ComparedCounter describe(const KeptObject* v1, const KeptColumn* a, const KeptObject* v2,
                             const KeptColumn* b) const;
    bool has_room(std::uint64_t size, bool differs);

    // Machine, object and counter of both doors, and which of that index the counter is; `no_index` where there is
    // none.
    using CounterKey = std::array<std::uint32_t, 7>;
    CounterKey key_of(const KeptObject* v1, const KeptColumn* a, const KeptObject* v2, const KeptColumn* b) const;

    CompareOptions options_;
    Comparison comparison_;
    std::uint64_t listed_ = 0;  // bytes
    std::map<std::string, std::uint32_t> machines_;
    std::map<CounterKey, std::size_t> counters_;
    std::map<std::tuple<std::uint32_t, Verdict, std::uint32_t, std::string>, std::size_t> instances_;
    std::map<std::tuple<std::uint32_t, Verdict, std::uint32_t>, std::size_t> objects_;
    // The pair at hand.
    ComparedMoment moment_;
    bool same_moment_ = false;
    std::string machine_name_;
    std::uint32_t machine_ = 0;
};

}  // namespace hkpd
