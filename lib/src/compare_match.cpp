#include "compare/matching.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text/names.hpp"

namespace hkpd {
namespace {

/// Finds the V1 object that shows the same as a V2 object.
class Counterparts {
  public:
    explicit Counterparts(std::span<const KeptObject> v1) {
        for (const KeptObject& object : v1) {
            indices_.insert(object.index);
            if (!object.name.empty()) names_.emplace(object.name, object.index);
        }
    }

    /// Its title index.
    std::optional<std::uint32_t> find(const KeptObject& object, const Counterset* set) const {
        if (set != nullptr && set->title_index && indices_.contains(*set->title_index)) return set->title_index;
        const auto found = names_.find(object.name);
        return found == names_.end() ? std::nullopt : std::optional(found->second);
    }

  private:
    struct Before {
        bool operator()(std::string_view a, std::string_view b) const noexcept { return compare_names(a, b) < 0; }
    };
    std::set<std::uint32_t> indices_;
    std::map<std::string_view, std::uint32_t, Before> names_;  // the first object of each
};

}  // namespace

MatchedObjects match_objects(const KeptSample& v1, const KeptSample& v2, const Countersets& countersets) {
    const std::string& machine = v2.machine.empty() ? v1.machine : v2.machine;
    std::map<std::uint32_t, MatchedObject> both;  // by title index
    MatchedObjects matched;
    const Counterparts counterparts(v1.objects);
    for (const KeptObject& object : v2.objects) {
        const Counterset* set = object.counterset ? countersets.find(machine, *object.counterset) : nullptr;
        if (const auto index = counterparts.find(object, set))
            both[*index].v2.push_back(&object);
        else
            matched.only_v2.push_back(&object);
    }
    for (const KeptObject& object : v1.objects) {
        const auto found = both.find(object.index);
        (found == both.end() ? matched.only_v1 : found->second.v1).push_back(&object);
    }
    for (auto& [index, object] : both) matched.both.push_back(std::move(object));
    return matched;
}

PlacePairs match_columns(const KeptObject& v1, const KeptObject& v2) {
    PlacePairs pairs = same_names(v1.column_names, v2.column_names);
    std::vector<bool> found(v1.columns.size());
    for (const auto& [place, other] : pairs) found[place] = true;
    for (std::size_t i = 0; i < pairs.size(); ++i) {  // pairs of bases come behind, each V1 counter once
        const std::int32_t base = v1.columns[pairs[i].first].base, other = v2.columns[pairs[i].second].base;
        if (base < 0 || other < 0 || found[static_cast<std::size_t>(base)]) continue;
        found[static_cast<std::size_t>(base)] = true;
        pairs.emplace_back(base, other);
    }
    std::ranges::sort(pairs);
    return pairs;
}

}  // namespace hkpd
