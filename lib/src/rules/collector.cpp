#include "rules/collector.hpp"

#include "identity/instance_name.hpp"
#include "identity/twins.hpp"
#include "sample/display_name.hpp"

namespace hkpd {

/// Returns what rules need to know of a counter.
static RuleSeries of_counter(const RunCounter& counter, const EnglishCounter& names) {
    return {.machine = counter.machine,
            .object = counter.object,
            .counter = counter.name,
            .english_object = names.object,
            .english_counter = names.counter,
            .instance = {},
            .of_list = counter.of_list,
            .original_object = names.original,
            .has_twin = names.has_twin};
}

void RuleCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    any_local_ = english_.update();
    all_.add(sample, selected, cooker, this);
    if (rules_ != nullptr) rules_->end_sample(sample.machine.value_or(""), unix_time(sample));
}

bool RuleCollector::takes(std::size_t place) {
    const std::uint32_t number = all_.series(place).counter;
    if (names_.size() <= number) names_.resize(number + std::size_t{1});
    EnglishCounter& names = names_[number];
    if (names.object.empty() && names.counter.empty()) add_names(all_.counter(place), names);
    return names.used;
}

void RuleCollector::value(std::size_t place, CookedValue value) {
    if (uses_.size() <= place) uses_.resize(place + 1, Use::unknown);
    Use& use = uses_[place];
    if (use == Use::unknown) use = add_to_rules(place) ? Use::rules : Use::none;
    if (use == Use::rules && value.has_value()) rules_->add_value(static_cast<std::uint32_t>(place), value.value);
}

/// Finds the English names of a new counter, and whether rules may use it.
void RuleCollector::add_names(const RunCounter& counter, EnglishCounter& names) {
    names = {.object = std::string(english_object(counter)), .counter = std::string(english_name(counter))};
    std::vector<std::string_view> found;
    const auto english = [&](const std::string& name, std::optional<std::uint32_t> index, std::string& to) {
        if (!any_local_ || to != name) return;  // none, or the log is known to be in another language
        english_.find(Titles::Answer{name, no_index}, index, counter.machine, found);
        if (!found.empty()) to = found.front();
    };
    const bool by_title = id_kind(counter.source, counter.object_number) == IdKind::title;
    english(counter.object, object_number(counter.source, counter.object_number), names.object);
    english(counter.name, by_title ? counter_number(counter.source, counter.number) : std::nullopt, names.counter);
    names.original = original_of(names.object);
    names.has_twin = has_twin(names.object);
    names.used = rules_ != nullptr && rules_->may_use(of_counter(counter, names));
}

/// Offers a new series to the rules. Returns whether they use it.
bool RuleCollector::add_to_rules(std::size_t place) {
    const RunCounter& counter = all_.counter(place);
    const EnglishCounter& names = names_[all_.series(place).counter];
    const Identity identity = all_.identity(place);
    const std::string instance = all_.display(place);
    const std::optional<std::string_view> original =
        names.original.empty() ? std::nullopt : original_name(name_form(names.object), identity.name);
    std::string name;
    append_place(name, identity.parent, identity.name, 0);
    RuleSeries series = of_counter(counter, names);
    series.instance = instance;
    series.name = name;
    series.original_name = original.value_or("");
    if (!original) series.original_object = {};
    return rules_->add_series(static_cast<std::uint32_t>(place), series);
}

std::vector<RuleResults::NotEvaluated> not_evaluated(const RuleRun& run) {
    std::vector<RuleResults::NotEvaluated> all;
    const std::span<const RuleAnalysis> analyses = run.rules().analyses();
    for (std::uint32_t a = 0; a < analyses.size(); ++a) {
        if (!analyses[a].enabled) continue;
        for (std::uint32_t t = 0; t < analyses[a].thresholds.size(); ++t) {
            std::string why = analyses[a].not_evaluated;
            if (why.empty()) why = analyses[a].thresholds[t].not_evaluated;
            if (why.empty()) why = run.skipped(a, t);
            if (!why.empty()) all.push_back({a, t, std::move(why)});
        }
    }
    return all;
}

std::uint64_t count_thresholds(const Rules& rules) {
    std::uint64_t count = 0;
    for (const RuleAnalysis& analysis : rules.analyses()) count += analysis.enabled ? analysis.thresholds.size() : 0;
    return count;
}

}  // namespace hkpd
