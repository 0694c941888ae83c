// What a live query requests by name, and which of it a machine has.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/names.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/live.hpp"
#include "hkpd/names.hpp"
#include "hkpd/select.hpp"

namespace hkpd {

/// The objects of a query, the title indices that its value lists, and its languages. Both interfaces state what they
/// have of it; what neither has is unmatched.
class RequestedObjects {
  public:
    explicit RequestedObjects(const LiveQuery& query);

    /// Returns whether the query selects objects by name, index or GUID.
    bool any() const noexcept { return !objects_.empty(); }

    /// Finds the title indices of the objects, from their names in the tables with names of counters. If there is no
    /// such table, from the built-in one.
    void find_indices(const Titles& titles);
    /// Returns the title indices that were found, of all objects.
    std::set<std::uint32_t> indices() const;
    /// Notes an object in a V1 block.
    void add_v1_object(std::uint32_t title_index);

    /// Returns whether an object of the query is a V2 counterset, whose names are passed in all languages.
    bool is_requested(const Guid& guid, std::span<const std::string> names, std::optional<std::uint32_t> title_index);
    /// Notes a counterset for which `is_requested` was true, and which is queried.
    void add_counterset(const Guid& guid, std::span<const std::string> names, std::optional<std::uint32_t> title_index);

    /// Notes a language in which the machine has texts.
    void add_language(std::string_view language);

    /// Returns whether the machine has something of what selects objects, or nothing selects any.
    bool has_match() const;
    /// Returns what the machine does not have.
    std::vector<UnmatchedQuery> unmatched() const;

  private:
    struct Object {
        explicit Object(const std::string& requested);
        bool is_counterset(const Guid& guid, std::span<const std::string> names,
                           std::optional<std::uint32_t> title_index) const;

        std::string text;
        std::vector<Pattern> patterns;
        std::set<std::uint32_t> indices{};
        Nearest nearest;
        bool has_match = false;
    };
    struct Word {
        std::string text;
        bool has_match = false;
    };

    std::vector<Object> objects_;
    std::vector<Word> indices_, languages_;  // `languages_`: in the form of `normal_language`
};

}  // namespace hkpd
