#include "write/report/run.hpp"

#include <algorithm>

#include "hkpd/counter_type.hpp"
#include "sample/display_name.hpp"

namespace hkpd {

ReportRun::ReportRun(const SeriesOptions& options, const CookOptions& cook, RuleRun* rules, const Titles& titles)
    : all_(options, cook), rules_(rules), english_(titles), times_(nothing_skipped(), Limits{}.machines) {}

const Skipped& ReportRun::nothing_skipped() {
    static const Skipped nothing;
    return nothing;
}

void ReportRun::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    const std::string machine = sample.machine.value_or("");
    const auto stream = machines_.try_emplace(machine, static_cast<std::uint32_t>(machines_.size())).first->second;
    const std::optional<std::int64_t> time = unix_time(sample);
    has_time_ = time.has_value();
    time_ = time.value_or(0);
    times_.add(sample);
    any_local_ = english_.update();
    if (has_time_) {
        history_.begin(stream, time_);
        derived_history_.begin(stream, time_);
    }
    all_.add(sample, selected, cooker, this);
    if (rules_ == nullptr) return;
    rules_->end_sample(machine, time);
    add_derived();
}

void ReportRun::value(std::size_t place, CookedValue value) {
    if (place == used_by_rules_.size()) add_names(place);
    if (has_time_) history_.add(place, value);
    if (used_by_rules_[place] && value.has_value()) rules_->add_value(static_cast<std::uint32_t>(place), value.value);
}

/// Finds the English names of a new series, and offers it to the rules.
void ReportRun::add_names(std::size_t place) {
    const RunCounter& counter = all_.counter(place);
    const std::uint32_t number = all_.series(place).counter;
    if (names_.size() <= number) names_.resize(number + 1);
    EnglishCounter& names = names_[number];
    if (names.object.empty() && names.counter.empty()) {
        names = {counter.object, counter.name};
        std::vector<std::string_view> found;
        const auto english = [&](const std::string& name, std::optional<std::uint32_t> index, std::string& to) {
            if (!any_local_) return;
            english_.find(Titles::Answer{name, no_index}, index, counter.machine, found);
            if (!found.empty()) to = found.front();
        };
        english(counter.object, object_number(counter.source, counter.object_number), names.object);
        english(counter.name,
                known_by(counter.source, counter.object_number) == KnownBy::title
                    ? hkpd::counter_number(counter.source, counter.number)
                    : std::nullopt,
                names.counter);
    }
    const std::string instance = all_.identity(place).path();
    used_by_rules_.push_back(rules_ != nullptr &&
                             rules_->add_series(static_cast<std::uint32_t>(place), {.machine = counter.machine,
                                                                                    .object = counter.object,
                                                                                    .counter = counter.name,
                                                                                    .english_object = names.object,
                                                                                    .english_counter = names.counter,
                                                                                    .instance = instance,
                                                                                    .of_list = counter.of_list}));
}

void ReportRun::add_derived() {
    for (const auto& [number, value] : rules_->derived_values()) {
        const std::uint32_t place = derived_place(number);
        if (has_time_) derived_history_.add(place, {value, Reason::none});
        if (derived_.size() <= place) derived_.resize(place + 1);
        constexpr std::size_t exact = static_cast<std::size_t>(-1) / sizeof(double);
        derived_[place].add(value, has_time_ ? time_ : SeriesStatistics::no_time, exact);
    }
}

ReportSeries ReportRun::series(std::uint32_t number) {
    if (!is_derived(number)) {
        const SeriesSummary summary = all_[number];
        return {.machine = summary.counter.machine,
                .object = summary.counter.object,
                .counter = summary.counter.name,
                .instance = summary.identity.path(),
                .unit = cooked_unit(summary.counter.type),
                .of_list = summary.counter.of_list,
                .process_id = summary.process_id,
                .statistics = summary.statistics};
    }
    const RuleRun::Derived& derived = rules_->derived()[derived_place(number)];
    return {.machine = derived.machine,
            .object = derived.object,
            .counter = derived.counter,
            .instance = derived.instance,
            .unit = {},
            .of_list = !derived.instance.empty(),
            .statistics = derived_[derived_place(number)].finish()};
}

bool ReportRun::varied(std::uint32_t number) const {
    if (is_derived(number)) return derived_history_.varied(derived_place(number));
    return number < history_.size() && history_.varied(number);
}

std::int64_t ReportRun::time_of_max(std::uint32_t number) const {
    return is_derived(number) ? derived_history_.time_of_max(derived_place(number)) : history_.time_of_max(number);
}

std::uint32_t ReportRun::stream(std::uint32_t number) const {
    return is_derived(number) ? derived_history_.stream(derived_place(number)) : history_.stream(number);
}

void ReportRun::read(std::uint32_t number, std::vector<ReducedValues>& values) const {
    if (is_derived(number)) return derived_history_.read(derived_place(number), values);
    history_.read(number, values);
}

Overview ReportRun::overview() const {
    Overview overview;
    times_.fill(overview);
    overview.samples = all_.samples();
    overview.machines.resize(machines_.size());
    for (const auto& [name, stream] : machines_) overview.machines[stream] = name;
    return overview;
}

}  // namespace hkpd
