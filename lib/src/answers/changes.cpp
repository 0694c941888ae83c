// What changed from one run to another.
#include "compare/changes.hpp"

#include <cmath>

#include "answers/collect.hpp"
#include "hkpd/answers.hpp"

namespace hkpd {

double Change::effect() const noexcept {
    return std::abs(median_effect) >= std::abs(p95_effect) ? median_effect : p95_effect;
}

struct ChangeCollector::State {
    State(const ChangeOptions& options, const CookOptions& cook)
        : before(series_options(options.limits, options.zone, true), cook),
          after(series_options(options.limits, options.zone, true), cook) {}

    SeriesCollector before, after;
    ComparedRun run = ComparedRun::before;
};

ChangeCollector::ChangeCollector(const ChangeOptions& options, const CookOptions& cook)
    : state_(std::make_unique<State>(options, cook)) {}
ChangeCollector::ChangeCollector(ChangeCollector&&) noexcept = default;
ChangeCollector& ChangeCollector::operator=(ChangeCollector&&) noexcept = default;
ChangeCollector::~ChangeCollector() = default;

void ChangeCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    (state_->run == ComparedRun::after ? state_->after : state_->before).add(sample, selected, cooker);
}

void ChangeCollector::continue_with(ComparedRun run) noexcept { state_->run = run; }

Changes ChangeCollector::finish() {
    SeriesCollector &before = state_->before, &after = state_->after;
    const RunChanges found = find_changes(before, after);
    Changes changes{.before = before.facts(),
                    .after = after.facts(),
                    .changed = {},
                    .unchanged = found.unchanged,
                    .sums = found.sums,
                    .not_compared = found.not_compared,
                    .only_before = {},
                    .only_after = {}};
    for (const SeriesChange& each : found.changed) {
        auto earlier = before.take(each.before), later = after.take(each.after);
        if (earlier && later)
            changes.changed.push_back({.before = *std::move(earlier),
                                       .after = *std::move(later),
                                       .noise = each.noise,
                                       .median_effect = each.median_effect,
                                       .p95_effect = each.p95_effect,
                                       .is_brief = each.is_brief});
    }
    for (const std::uint32_t place : found.only_before)
        if (auto series = before.take(place)) changes.only_before.push_back(*std::move(series));
    for (const std::uint32_t place : found.only_after)
        if (auto series = after.take(place)) changes.only_after.push_back(*std::move(series));
    changes.before.is_complete = before.is_complete();
    changes.after.is_complete = after.is_complete();
    return changes;
}

Changes compare_runs(Reader& before, Reader& after, Filter& filter, const ChangeOptions& options) {
    const auto make = [&options](const CookOptions& cook) { return ChangeCollector(options, cook); };
    std::optional<ChangeCollector> all;
    read_into(all, before, filter, make);
    if (!all) all.emplace(make(CookOptions{}));
    all->end_baseline();
    read_into(all, after, filter, make);
    return all->finish();
}

}  // namespace hkpd
