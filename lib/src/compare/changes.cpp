#include "compare/changes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "base/text/names.hpp"

namespace hkpd {
namespace {

std::optional<std::string> only_machine(const SeriesCollector& all) {
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all.counter(i).machine != all.counter(0).machine) return std::nullopt;
    return all.size() == 0 ? "" : all.counter(0).machine;
}

/// Returns a text that is equal for the same series of both runs. Parts are separated by a character that is in no
/// name.
std::string key_of(const SeriesCollector& all, std::size_t place, bool with_machine) {
    const RunCounter& counter = all.counter(place);
    std::string key = with_machine ? counter.machine : "";
    const Identity named = all.identity(place);
    for (const std::string& part :
         {counter.object, std::string(named.parent.value_or("")), std::string(named.name), counter.name})
        (key += '\0') += part;
    return fold_case(key);
}

std::map<std::string, std::uint32_t> places_by_key(SeriesCollector& all, bool with_machine) {
    std::map<std::string, std::uint32_t> places;
    for (std::uint32_t i = 0; i < all.size(); ++i)
        if (all.count(i) != 0 && unit_of(all.counter(i)) != Unit::identifier)
            places.try_emplace(key_of(all, i, with_machine), i);
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
