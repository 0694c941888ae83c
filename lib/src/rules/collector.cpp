#include "rules/collector.hpp"

#include "identity/instance_name.hpp"
#include "identity/twins.hpp"
#include "sample/display_name.hpp"

namespace hkpd {

void RuleCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker,
                        SeriesListener* listener) {
    any_local_ = english_.update();
    listener_ = listener;
    all_.add(sample, selected, cooker, this);
    listener_ = nullptr;
    if (rules_ != nullptr) rules_->end_sample(sample.machine.value_or(""), unix_time(sample));
}

void RuleCollector::value(std::size_t place, CookedValue value) {
    if (place == used_by_rules_.size()) add_names(place);
    if (used_by_rules_[place] && value.has_value()) rules_->add_value(static_cast<std::uint32_t>(place), value.value);
    if (listener_ != nullptr) listener_->value(place, value);
}

/// Finds the English names of a new series, and offers it to the rules.
void RuleCollector::add_names(std::size_t place) {
    const RunCounter& counter = all_.counter(place);
    const std::uint32_t number = all_.series(place).counter;
    if (names_.size() <= number) names_.resize(number + 1);
    EnglishCounter& names = names_[number];
    if (names.object.empty() && names.counter.empty()) {
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
    }
    const Identity identity = all_.identity(place);
    const std::string instance = all_.display(place);
    const std::optional<std::string_view> original =
        names.original.empty() ? std::nullopt : original_name(name_form(names.object), identity.name);
    std::string name;
    append_place(name, identity.parent, identity.name, 0);
    const RuleSeries series{.machine = counter.machine,
                            .object = counter.object,
                            .counter = counter.name,
                            .english_object = names.object,
                            .english_counter = names.counter,
                            .instance = instance,
                            .of_list = counter.of_list,
                            .name = name,
                            .original_object = original ? names.original : std::string_view(),
                            .original_name = original.value_or(""),
                            .has_twin = names.has_twin};
    used_by_rules_.push_back(rules_ != nullptr && rules_->add_series(static_cast<std::uint32_t>(place), series));
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
