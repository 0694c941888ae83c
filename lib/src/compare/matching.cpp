#include "compare/matching.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/text/names.hpp"
#include "hkpd/v2.hpp"

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

namespace {

std::optional<std::uint64_t> raw_number(const KeptColumn& column, std::size_t row) noexcept {
    if (column.storage != Storage::number || !column.sound(row)) return std::nullopt;
    return column.values[row];
}

/// What is damaged equals nothing, not even what is damaged too: nothing was seen to be equal.
bool same_raw(const KeptObject& v1, const KeptColumn& a, std::size_t i, const KeptObject& v2, const KeptColumn& b,
              std::size_t j, double tolerance) noexcept {
    if (!a.sound(i) || !b.sound(j) || (a.storage == Storage::number) != (b.storage == Storage::number)) return false;
    if (a.storage != Storage::number) return v1.bytes(a, i) == v2.bytes(b, j);
    return tolerance > 0 || a.values[i] == b.values[j];
}

bool same_cooked(double a, Reason a_reason, double b, Reason b_reason, double tolerance) noexcept {
    const bool both = !std::isnan(a) && !std::isnan(b);
    if (tolerance > 0 && both) {
        constexpr double percent = 0.01;
        return a == b || std::abs(a - b) <= tolerance * percent * std::max(std::abs(a), std::abs(b));
    }
    if (a_reason != b_reason) return false;
    return both ? std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) : std::isnan(a) == std::isnan(b);
}

std::optional<double> value_of(double cooked) noexcept {
    return std::isnan(cooked) ? std::nullopt : std::optional(cooked);
}

}  // namespace

void compare_values(ComparedCounter& found, const KeptObject& v1, const KeptColumn& v1_column, const KeptObject& v2,
                    const KeptColumn& v2_column, const PlacePairs& rows, const ComparedMoment& moment) {
    const bool displayable = is_displayable(v1_column.type) || is_displayable(v2_column.type);
    const bool takes_two = needs_two_samples(v1_column.type) || needs_two_samples(v2_column.type);
    // V1 knows no attributes: what they make of a cooked value is no difference of the doors.
    constexpr std::uint64_t changing = v2::attribute::no_displayable | v2::attribute::display_as_real;
    const bool with_cooked = displayable && (v2_column.attributes & changing) == 0 && (moment.neighbours || !takes_two);
    for (const auto& [i, j] : rows) {
        const double a = v1_column.cooked[i], b = v2_column.cooked[j];
        const bool raw = same_raw(v1, v1_column, i, v2, v2_column, j, moment.tolerance);
        const bool cooked =
            !with_cooked || same_cooked(a, v1_column.reasons[i], b, v2_column.reasons[j], moment.tolerance);
        ++found.values;
        found.raw_differ += raw ? 0 : 1;
        found.cooked += with_cooked ? 1 : 0;
        found.cooked_differ += cooked ? 0 : 1;
        if ((raw && cooked) || found.first) continue;
        found.first = {.instance = instance_label(v1, i),
                       .pair = moment.pair,
                       .time = moment.time,
                       .v1_raw = raw_number(v1_column, i),
                       .v2_raw = raw_number(v2_column, j),
                       .v1_cooked = value_of(a),
                       .v2_cooked = value_of(b),
                       .v1_reason = v1_column.reasons[i],
                       .v2_reason = v2_column.reasons[j]};
    }
}

std::string instance_label(const KeptObject& object, std::size_t row) {
    std::string label(object.rows[row]);
    if (object.row_ordinals[row] != 0) label += '#' + std::to_string(object.row_ordinals[row]);
    return label;
}

}  // namespace hkpd
