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

/// Returns the places of the series by their keys. If a run has a series in two objects, as Process and Process V2
/// have, the one of the older object is used.
std::map<std::string, std::uint32_t> places_by_key(SeriesCollector& all, bool with_machine) {
    std::map<std::string, std::uint32_t> places;
    ObjectsOfSeries objects;
    for (const bool of_twins : {false, true})
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            const ObjectOfSeries& object = object_of(objects, all.counter(i));
            if (object.is_twin == of_twins && all.count(i) != 0 && unit_of(all.counter(i)) != Unit::identifier)
                places.try_emplace(key_of(all, i, object, with_machine), i);
        }
    return places;
}

double noise_of(const Statistics& before, const Statistics& after) noexcept {
    constexpr double least = 0.01;
    const auto square = [](double deviation) { return deviation == deviation ? deviation * deviation : 0; };
    double size = 0;
    for (const double value : {before.p50, before.p95, after.p50, after.p95}) size = std::max(size, std::abs(value));
    return std::max(std::sqrt((square(before.stddev) + square(after.stddev)) / 2), least * size);
}

}  // namespace

double SeriesChange::size() const noexcept { return std::max(std::abs(median_effect), std::abs(p95_effect)); }

RunChanges find_changes(SeriesCollector& before, SeriesCollector& after) {
    RunChanges found;
    const bool with_machine = !only_machine(before) || !only_machine(after);
    const auto places = places_by_key(before, with_machine), later = places_by_key(after, with_machine);
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
    return found;
}

}  // namespace hkpd
