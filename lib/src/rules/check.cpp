#include "hkpd/counter_type.hpp"
#include "hkpd/rule_check.hpp"
#include "rules/collector.hpp"

namespace hkpd {

struct RuleCheck::State {
    State(RuleRun evaluation, const Titles& titles, const SeriesOptions& options, const CookOptions& cook)
        : rules(std::move(evaluation)), series(options, cook, &rules, titles) {}

    RuleRun rules;
    RuleCollector series;
};

RuleCheck::RuleCheck(RuleRun rules, const Titles& titles, const Limits& limits, const CookOptions& cook)
    : state_(std::make_unique<State>(
          std::move(rules), titles,
          SeriesOptions{.series = limits.series, .statistics = limits.statistics, .percentiles = false}, cook)) {}
RuleCheck::RuleCheck(RuleCheck&&) noexcept = default;
RuleCheck& RuleCheck::operator=(RuleCheck&&) noexcept = default;
RuleCheck::~RuleCheck() = default;

void RuleCheck::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    state_->series.add(sample, selected, cooker);
}

RuleResults RuleCheck::finish(Diagnostics& diagnostics) {
    SeriesCollector& all = state_->series.all();
    all.report(diagnostics);
    RuleResults results{.input = {},
                        .rules = state_->rules.rules(),
                        .findings = {},
                        .not_evaluated = {},
                        .answers = {},
                        .zone = all.zone()};
    for (RuleFinding& finding :
         state_->rules.finish([&all](std::uint32_t series) { return all[series].statistics.slope; })) {
        RuleResults::Item item{
            .finding = finding, .machine = {}, .object = {}, .instance = {}, .counter = {}, .unit = {}};
        if (finding.series >= RuleRun::first_derived) {
            const RuleRun::Derived& derived = state_->rules.derived()[finding.series - RuleRun::first_derived];
            item.machine = derived.machine;
            item.object = derived.object;
            item.instance = derived.instance;
            item.counter = derived.counter;
            item.of_list = !derived.instance.empty();
        } else {
            const RunCounter& counter = all.counter(finding.series);
            item.machine = counter.machine;
            item.object = counter.object;
            item.instance = all.display(finding.series);
            item.counter = counter.name;
            item.english_counter = counter.english_name;
            item.unit = cooked_unit(counter.type);
            item.type = counter.type;
            item.of_list = counter.of_list;
        }
        results.findings.push_back(std::move(item));
    }
    results.thresholds = count_thresholds(results.rules);
    results.not_evaluated = not_evaluated(state_->rules);
    results.answers = state_->rules.answers();
    return results;
}

}  // namespace hkpd
