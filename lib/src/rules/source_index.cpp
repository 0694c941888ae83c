#include "rules/source_index.hpp"

#include <algorithm>

#include "base/text/names.hpp"

namespace hkpd::pal {

SourceIndex::SourceIndex(std::span<const Rules::Data::Source> sources) : sources_(sources) {
    for (std::uint32_t i = 0; i < sources.size(); ++i) {
        if (sources[i].computed) continue;
        for (std::uint32_t path = 0; path < sources[i].paths.size(); ++path) {
            const Pattern& counter = sources[i].paths[path].counter();
            (counter.is_plain() ? by_counter_[counter.folded()] : with_wildcards_).push_back({i, path});
        }
    }
}

std::span<const std::uint32_t> SourceIndex::find(const RuleSeries& series, bool as_original) {
    if (series.counter != counter_ || series.english_counter != english_counter_) {
        counter_.emplace(series.counter);
        english_counter_ = series.english_counter;
        candidates_ = candidates_of(series);
    }
    found_.clear();
    for (const Entry& entry : candidates_) match(entry, series, as_original);
    std::ranges::sort(found_);
    const auto repeated = std::ranges::unique(found_);
    found_.erase(repeated.begin(), repeated.end());
    return found_;
}

bool SourceIndex::may_find(const RuleSeries& counter) const {
    return std::ranges::any_of(candidates_of(counter), [&](const Entry& entry) {
        return sources_[entry.source].paths[entry.path].matches_object(counter);
    });
}

/// Returns the paths of sources whose counters have the names of a series' counter.
std::vector<SourceIndex::Entry> SourceIndex::candidates_of(const RuleSeries& series) const {
    std::vector<Entry> candidates;
    const auto add_named = [&](std::string_view counter) {
        const auto named = by_counter_.find(fold_case(counter));
        if (named != by_counter_.end()) candidates.insert(candidates.end(), named->second.begin(), named->second.end());
    };
    add_named(series.counter);
    if (!series.english_counter.empty()) add_named(series.english_counter);
    for (const Entry& entry : with_wildcards_) {
        const Pattern& counter = sources_[entry.source].paths[entry.path].counter();
        if (counter.matches(series.counter) ||
            (!series.english_counter.empty() && counter.matches(series.english_counter)))
            candidates.push_back(entry);
    }
    return candidates;
}

void SourceIndex::match(const Entry& entry, const RuleSeries& series, bool as_original) {
    const Rules::Data::Source& source = sources_[entry.source];
    const SeriesPath& path = source.paths[entry.path];
    work_ -= std::min(work_, path.cost(series));
    if (work_ == 0 || !(as_original ? path.matches_original(series) : path.matches(series))) return;
    const std::string_view name = as_original ? series.original_name : series.matched();
    const auto excludes = [name](const Pattern& instance) { return instance.matches(name); };
    if (series.of_list && std::ranges::any_of(source.excluded, excludes)) return;
    found_.push_back(entry.source);
}

}  // namespace hkpd::pal
