#include "compare/changes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/text/names.hpp"
#include "identity/twins.hpp"

namespace hkpd {
namespace {

std::optional<std::string> only_machine(const SeriesCollector& all) {
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all.counter(i).machine != all.counter(0).machine) return std::nullopt;
    return all.size() == 0 ? "" : all.counter(0).machine;
}

/// The object under which a counter's series are compared: that of which its own is a twin, if it is one.
struct ObjectOfSeries {
    std::string_view name;
    NameForm form = NameForm::plain;
    bool is_twin = false;
};
using ObjectsOfSeries = std::unordered_map<const RunCounter*, ObjectOfSeries>;

/// Returns the object of a counter, which is found once.
const ObjectOfSeries& object_of(ObjectsOfSeries& objects, const RunCounter& counter) {
    const auto [known, is_new] = objects.try_emplace(&counter);
    if (is_new) {
        const std::string_view own = english_object(counter), original = original_of(own);
        known->second = {original.empty() ? own : original, name_form(own), !original.empty()};
    }
    return known->second;
}

/// Returns a text that is equal for the same series of both runs. Parts are separated by a character that is in no
/// name.
std::string key_of(const SeriesCollector& all, std::size_t place, const ObjectOfSeries& object, bool with_machine) {
    const RunCounter& counter = all.counter(place);
    std::string key = with_machine ? counter.machine : "";
    const Identity named = all.identity(place);
    // Names of other forms have lost their ids already: the series is one of names.
    const std::string_view name =
        object.form == NameForm::node ? original_name(object.form, named.name).value_or(named.name) : named.name;
    for (const std::string_view part : {object.name, named.parent.value_or(""), name, english_name(counter)})
        (key += '\0') += part;
    return fold_case(key);
}

/// The series of a run that can be compared.
struct ComparedSeries {
    std::map<std::string, std::uint32_t> places;  // by key
    std::uint64_t left_out = 0;                   // those that measure nothing
    std::uint64_t longest = 0;                    // number of values of the longest series
};

/// Returns the series of a run. If it has a series in two objects, as Process and Process V2 have, the one of the older
/// object is used.
ComparedSeries compared_series(SeriesCollector& all, bool with_machine) {
    ComparedSeries found;
    ObjectsOfSeries objects;
    for (const bool of_twins : {false, true})
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            const ObjectOfSeries& object = object_of(objects, all.counter(i));
            if (object.is_twin != of_twins || all.count(i) == 0) continue;
            found.longest = std::max(found.longest, all.count(i));
            if (meaning_of(all.counter(i)) == Meaning::amount)
                found.places.try_emplace(key_of(all, i, object, with_machine), i);
            else
                ++found.left_out;
        }
    return found;
}

double noise_of(const Statistics& before, const Statistics& after) noexcept {
    constexpr double least = 0.01;
    double size = 0, variances = 0, known = 0;
    for (const double value : {before.p50, before.p95, after.p50, after.p95}) size = std::max(size, std::abs(value));
    for (const Statistics* const each : {&before, &after}) {
        if (each->count < 2 || each->stddev != each->stddev) continue;
        variances += each->stddev * each->stddev;
        ++known;
    }
    return std::max(known == 0 ? 0 : std::sqrt(variances / known), least * size);
}

}  // namespace

double SeriesChange::size() const noexcept { return std::max(std::abs(median_effect), std::abs(p95_effect)); }

RunChanges find_changes(SeriesCollector& before, SeriesCollector& after) {
    RunChanges found;
    const bool with_machine = !only_machine(before) || !only_machine(after);
    const auto [places, left_out_before, longest_before] = compared_series(before, with_machine);
    const auto [later, left_out_after, longest_after] = compared_series(after, with_machine);
    found.not_compared = std::max(left_out_before, left_out_after);
    const auto is_brief = [](const Statistics& one, std::uint64_t longest) { return one.count * 4 < longest; };
    for (const auto& [key, place] : places)
        if (!later.contains(key)) found.only_before.push_back(place);
    for (const auto& [key, place] : later) {
        const auto earlier = places.find(key);
        if (earlier == places.end()) {
            found.only_after.push_back(place);
            continue;
        }
        if (before.is_sum(earlier->second) || after.is_sum(place)) ++found.sums;
        const Statistics a = before[earlier->second].statistics, b = after[place].statistics;
        const double noise = noise_of(a, b);
        SeriesChange change{.before = earlier->second, .after = place, .noise = noise};
        change.is_brief = is_brief(a, longest_before) || is_brief(b, longest_after);
        if (noise > 0) {
            change.median_effect = (b.p50 - a.p50) / noise;
            change.p95_effect = (b.p95 - a.p95) / noise;
        }
        if (a.p50 == b.p50 && a.p95 == b.p95 && a.max == b.max)
            ++found.unchanged;
        else
            found.changed.push_back(change);
    }
    std::ranges::sort(found.only_before);
    std::ranges::sort(found.only_after);
    std::ranges::stable_sort(found.changed, {}, &SeriesChange::after);
    std::ranges::stable_sort(found.changed, std::greater<>(), &SeriesChange::size);
    std::ranges::stable_partition(found.changed, [](const SeriesChange& change) { return !change.is_brief; });
    return found;
}

}  // namespace hkpd
