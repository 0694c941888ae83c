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

std::span<const std::uint32_t> SourceIndex::find(const RuleSeries& series) {
    found_.clear();
    const auto find_named = [&](std::string_view counter) {
        const auto named = by_counter_.find(fold_case(counter));
        if (named == by_counter_.end()) return;
        for (const Entry& entry : named->second) match(entry, series);
    };
    find_named(series.counter);
    if (!series.english_counter.empty()) find_named(series.english_counter);
    for (const Entry& entry : with_wildcards_) {
        const Pattern& counter = sources_[entry.source].paths[entry.path].counter();
        const bool is_counter = counter.matches(series.counter) ||
                                (!series.english_counter.empty() && counter.matches(series.english_counter));
        if (is_counter) match(entry, series);
    }
    std::ranges::sort(found_);
    const auto repeated = std::ranges::unique(found_);
    found_.erase(repeated.begin(), repeated.end());
    return found_;
}

void SourceIndex::match(const Entry& entry, const RuleSeries& series) {
    const Rules::Data::Source& source = sources_[entry.source];
    const SeriesPath& path = source.paths[entry.path];
    work_ -= std::min(work_, path.cost(series));
    if (work_ == 0 || !path.matches(series)) return;
    const auto excludes = [&series](const Pattern& instance) { return instance.matches(series.matched()); };
    if (series.of_list && std::ranges::any_of(source.excluded, excludes)) return;
    found_.push_back(entry.source);
}

}  // namespace hkpd::pal
