// Finds the data sources of rules to which a series belongs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "rules/data.hpp"

namespace hkpd::pal {

/// The data sources that are counters, by the names of their counters: most sources name one, so that a series is
/// compared with few of them.
class SourceIndex {
  public:
    explicit SourceIndex(std::span<const Rules::Data::Source> sources);

    /// Returns the positions of the sources that have a series as an instance, in ascending order. `as_original`: by
    /// the object that its object replaces, and no longer by its own name. Valid until the next call.
    std::span<const std::uint32_t> find(const RuleSeries& series, bool as_original = false);
    /// Returns whether any source can have series of a counter, whatever their machines and instances.
    bool may_find(const RuleSeries& counter) const;
    /// Returns whether comparing paths with wildcards took more work than allowed. Further series have then been
    /// compared only with sources without wildcards.
    bool gave_up() const noexcept { return work_ == 0; }

  private:
    struct Entry {
        std::uint32_t source, path;
    };
    std::vector<Entry> candidates_of(const RuleSeries& series) const;
    void match(const Entry& entry, const RuleSeries& series, bool as_original);

    /// Compared characters in one run; takes about a second.
    static constexpr std::uint64_t most_work = 1'000'000'000;

    std::span<const Rules::Data::Source> sources_;
    std::unordered_map<std::string, std::vector<Entry>> by_counter_;  // by folded names
    std::vector<Entry> with_wildcards_;                               // in the counter's name
    std::optional<std::string> counter_;  // of the series before, as series of one counter follow one another
    std::string english_counter_;
    std::vector<Entry> candidates_;  // whose counters have these names
    std::vector<std::uint32_t> found_;
    std::uint64_t work_ = most_work;
};

}  // namespace hkpd::pal
