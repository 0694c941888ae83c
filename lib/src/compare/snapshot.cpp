#include "compare/snapshot.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <set>

#include "base/text/names.hpp"
#include "base/time.hpp"
#include "sample/title_repeats.hpp"

namespace hkpd {
namespace {

/// Returns whether two views refer to the same memory. Their texts then need not be compared. This is frequent, because
/// many counters have the same title.
bool is_same_view(std::string_view a, std::string_view b) noexcept {
    return a.data() == b.data() && a.size() == b.size();
}

struct NameOrder {
    bool operator()(std::string_view a, std::string_view b) const {
        return !is_same_view(a, b) && compare_names(a, b) < 0;
    }
};

using Positions = std::span<const std::uint32_t>;

/// Returns the time of a sample in nanoseconds since 1970 (UTC). Uses the time in 100 ns since 1601, which the blocks
/// of both interfaces contain. If this time is 0 or out of range, uses SystemTime, whose resolution is only 1 ms.
std::optional<std::int64_t> moment_of(const Sample& sample) noexcept {
    const auto moment = unix_nanoseconds(sample.perf_time_100ns);
    return moment ? moment : unix_time(sample);
}

/// Sorts `names`, and numbers equal names (`NamePlace::ordinal`). Then removes the names whose `place` is not in
/// `selected`, and replaces each remaining `place` by its index in `selected`. Until then, `place` is a position in the
/// object from which the copy is made. `selected` must be sorted. The names are numbered before the removal, so that
/// ordinals do not depend on the selection.
void number_names(std::vector<NamePlace>& names, Positions selected) {
    std::ranges::stable_sort(names, NameOrder{}, &NamePlace::name);
    for (std::size_t i = 1; i < names.size(); ++i)
        if (is_same_view(names[i - 1].name, names[i].name) || compare_names(names[i - 1].name, names[i].name) == 0)
            names[i].ordinal = names[i - 1].ordinal + 1;
    std::erase_if(names, [selected](NamePlace& name) {
        const auto found = std::ranges::lower_bound(selected, name.place);
        if (found == selected.end() || *found != name.place) return true;
        name.place = static_cast<std::uint32_t>(found - selected.begin());
        return false;
    });
}

void keep_rows(KeptObject& kept, const Object& object, Positions selected) {
    std::vector<NamePlace>& names = kept.row_names;
    for (std::uint32_t row = 0; row < object.instances.size(); ++row)
        if (const auto& name = object.instances[row].name) names.push_back({*name, 0, row});
    number_names(names, selected);
    std::size_t size = 0;
    for (const NamePlace& name : names) size += name.name.size();
    kept.name_text.reserve(size);  // so that `insert` does not move the text, which would invalidate the views
    kept.rows.assign(selected.size(), "?");
    kept.row_ordinals.assign(selected.size(), 0);
    for (NamePlace& name : names) {
        const std::size_t begin = kept.name_text.size();
        kept.name_text.insert(kept.name_text.end(), name.name.begin(), name.name.end());
        name.name = std::string_view(kept.name_text.data(), kept.name_text.size()).substr(begin);
        kept.rows[name.place] = name.name;
        kept.row_ordinals[name.place] = name.ordinal;
    }
}

/// Allocates the lists of all columns, so that adding to them does not move what columns view.
void reserve_values(KeptObject& kept, const Object& object, const Selected& part) {
    std::size_t texts = 0, with_status = 0;
    for (const std::uint32_t place : part.columns) {
        texts += object.columns[place].storage == Storage::number ? 0U : 1U;
        with_status += object.columns[place].status.empty() ? 0U : 1U;
    }
    const std::size_t rows = part.rows.size(), all = part.columns.size() * rows;
    kept.columns.reserve(part.columns.size());
    kept.values.reserve(all);
    kept.lengths.reserve(texts * rows);
    kept.status.reserve(with_status * rows);
    kept.cooked.reserve(all);
    kept.reasons.reserve(all);
}

/// Returns the elements that were added last.
template <class Element>
std::span<const Element> last_of(const std::vector<Element>& list, std::size_t count) {
    return std::span(list).last(count);
}

void keep_values(KeptColumn& added, KeptObject& kept, const Object& object, const Column& column, Positions rows) {
    for (const std::uint32_t row : rows) {
        if (column.storage == Storage::number) {
            kept.values.push_back(column.values[row]);
        } else {
            const std::string_view bytes = column.is_valid(row) ? object.bytes(column, row) : std::string_view{};
            kept.values.push_back(kept.text.size());
            kept.lengths.push_back(bytes.size());
            kept.text.insert(kept.text.end(), bytes.begin(), bytes.end());
        }
        if (!column.status.empty()) kept.status.push_back(column.status[row]);
    }
    added.values = last_of(kept.values, rows.size());
    if (column.storage != Storage::number) added.lengths = last_of(kept.lengths, rows.size());
    if (!column.status.empty()) added.status = last_of(kept.status, rows.size());
}

void keep_columns(KeptObject& kept, const Object& object, const Selected& part, Cooker& cooker) {
    TitleRepeats ordinals;
    ordinals.count(std::span<const Column>(object.columns));
    for (std::uint32_t place = 0; place < object.columns.size(); ++place) {
        const Column& column = object.columns[place];
        if (column.name && !column.name->text.empty()) kept.column_names.push_back({column.name->text, 0, place});
    }
    number_names(kept.column_names, part.columns);
    reserve_values(kept, object, part);
    for (const std::uint32_t place : part.columns) {
        const Column& column = object.columns[place];
        KeptColumn& added = kept.columns.emplace_back();
        added.index = column.title_index;
        added.ordinal = ordinals[place];
        added.type = column.type;
        added.attributes = column.attributes;
        added.scale = column.scale;
        const auto base = std::ranges::lower_bound(part.columns, static_cast<std::uint32_t>(column.base));
        if (column.base >= 0 && base != part.columns.end() && *base == static_cast<std::uint32_t>(column.base))
            added.base = static_cast<std::int32_t>(base - part.columns.begin());
        added.storage = column.storage;
        if (column.name) added.name = column.name->text;
        keep_values(added, kept, object, column, part.rows);
        const CookedColumn cooked = cooker.column(part.object, place);
        for (const std::uint32_t row : part.rows) {
            kept.cooked.push_back(cooked.values[row]);
            kept.reasons.push_back(cooked.reasons[row]);
        }
        added.cooked = last_of(kept.cooked, part.rows.size());
        added.reasons = last_of(kept.reasons, part.rows.size());
    }
}

std::uint64_t memory_of(const KeptObject& kept) noexcept {
    constexpr std::size_t row_size = sizeof(std::string_view) + sizeof(std::uint32_t) + sizeof(NamePlace);
    return sizeof kept + kept.name_text.size() + kept.text.size() + kept.rows.size() * row_size +
           kept.columns.size() * (sizeof(KeptColumn) + sizeof(NamePlace)) +
           (kept.values.size() + kept.lengths.size()) * sizeof(std::uint64_t) +
           kept.status.size() * sizeof(ValueStatus) + kept.cooked.size() * (sizeof(double) + sizeof(Reason));
}

/// Finds the V1 object that matches a V2 object (see `match_objects`).
class Counterparts {
  public:
    explicit Counterparts(std::span<const KeptObject> v1) {
        for (const KeptObject& object : v1) {
            indices_.insert(object.index);
            if (!object.name.empty()) names_.emplace(object.name, object.index);
        }
    }

    /// Returns the title index of the V1 object that matches the V2 object `object`; none if no V1 object matches.
    /// `set` is the registration of the V2 object; null if it is unknown.
    std::optional<std::uint32_t> find(const KeptObject& object, const Counterset* set) const {
        if (set != nullptr && set->title_index && indices_.contains(*set->title_index)) return set->title_index;
        const auto found = names_.find(object.name);
        return found == names_.end() ? std::nullopt : std::optional(found->second);
    }

  private:
    std::set<std::uint32_t> indices_;
    // The key is the name of an object. The value is the title index of the first V1 object with this name.
    std::map<std::string_view, std::uint32_t, NameOrder> names_;
};

}  // namespace

PlacePairs same_names(std::span<const NamePlace> a, std::span<const NamePlace> b) {
    PlacePairs pairs;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const int names = compare_names(a[i].name, b[j].name);
        const auto order = names != 0 ? names <=> 0 : a[i].ordinal <=> b[j].ordinal;
        if (order == 0) pairs.emplace_back(a[i].place, b[j].place);
        if (order <= 0) ++i;
        if (order >= 0) ++j;
    }
    return pairs;
}

KeptSample keep(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    KeptSample kept;
    kept.source = sample.source;
    kept.machine = sample.machine.value_or("");
    kept.system_time = sample.system_time;
    kept.moment = moment_of(sample);
    kept.bytes = sample.bytes;
    kept.memory = sizeof kept + kept.machine.size();
    for (const Selected& part : selected) {
        const Object& object = sample.objects()[part.object];
        KeptObject& added = kept.objects.emplace_back();
        added.source = sample.source;
        added.index = object.title_index;
        added.counterset = object.counterset;
        if (object.name) added.name = object.name->text;
        keep_rows(added, object, part.rows);
        keep_columns(added, object, part, cooker);
        kept.memory += memory_of(added);
    }
    return kept;
}

MatchedObjects match_objects(const KeptSample& v1, const KeptSample& v2, const Countersets& countersets) {
    const std::string& machine = v2.machine.empty() ? v1.machine : v2.machine;
    std::map<std::uint32_t, MatchedObject> both;  // by title index of the V1 object
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
    for (std::size_t i = 0; i < pairs.size(); ++i) {  // appends the pair of bases unless the V1 base is in a pair
        const std::int32_t base = v1.columns[pairs[i].first].base, other = v2.columns[pairs[i].second].base;
        if (base < 0 || other < 0 || found[static_cast<std::size_t>(base)]) continue;
        found[static_cast<std::size_t>(base)] = true;
        pairs.emplace_back(base, other);
    }
    std::ranges::sort(pairs);
    return pairs;
}

}  // namespace hkpd
