#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/text/names.hpp"
#include "base/time.hpp"
#include "hkpd/identity.hpp"
#include "rules/computed_series.hpp"
#include "rules/data.hpp"
#include "rules/exceedance.hpp"
#include "rules/machine.hpp"
#include "rules/sample_scripts.hpp"
#include "rules/source_index.hpp"
#include "rules/tokens.hpp"
#include "statistics/statistics.hpp"

namespace hkpd {

/// Every series that rules use, of the input or computed, has a number in the order in which it was added. Values of a
/// sample are kept until its end, so that their order does not matter.
struct RuleRun::State {
    static constexpr std::size_t most_derived = 1'000'000;  // series that are computed

    State(Rules evaluated, pal::Answers answered)
        : rules(std::move(evaluated)),
          data(rules.data()),
          answers(std::move(answered)),
          index(data.sources),
          computed(data),
          scripts(data),
          thresholds_of(data.sources.size()),
          is_matched(data.thresholds.size()),
          has_values(data.thresholds.size()) {
        for (std::uint32_t i = 0; i < data.thresholds.size(); ++i)
            thresholds_of[data.thresholds[i].source].push_back(i);
        if (answers.memory != no_index) memory_path = pal::SeriesPath::parse(R"(\NUMA Node Memory(*)\Total MBytes)");
    }

    struct Series {
        std::uint32_t number;  // for the caller
        std::uint32_t machine;
        std::uint32_t first_check = 0, checks = 0;    // in `all_checks`
        std::uint32_t first_source = 0, sources = 0;  // in `all_counted`
        double value = 0;
        bool is_present = false;            // whether the current sample has a value
        bool is_memory = false;             // of the counter for physical memory
        bool is_total = false;              // of its instance _Total
        std::uint32_t original = no_index;  // position in `originals`, if it is evaluated in place of another object's
        std::uint64_t values = 0;
        std::int64_t time = 0;             // total
        std::int64_t first = 0, last = 0;  // times of the first and last value
    };
    /// A threshold that is compared with a series.
    struct Check {
        std::uint32_t threshold, series;
        std::uint32_t exceeding = no_index;  // position in `all_exceeding`, if a value pal::exceeds the limit
    };
    /// A value that waits for its limit.
    struct Waiting {
        std::uint32_t check, machine;
        double value;
        pal::Moment moment;
    };

    std::uint32_t machine_of(std::string_view name);
    bool add_input(std::uint32_t number, const RuleSeries& names);
    std::uint32_t original(std::string_view machine, std::string_view object, std::string_view instance);
    /// Returns whether a series was evaluated in place of one that the machine turned out to have.
    bool is_replaced(const Series& one) const;
    bool is_memory_counter(const RuleSeries& names) const;
    std::uint32_t add_series(std::uint32_t number, std::uint32_t machine);
    void add_checks(std::uint32_t series, std::uint32_t source);
    void add_computed(const pal::ComputedSeries::New& made, std::uint32_t machine);
    std::uint32_t add_derived(std::uint32_t source, RuleRun::Derived names, std::uint32_t machine);
    void add_to_scripts(std::uint32_t series, std::uint32_t source, const RuleSeries& names);
    void set_value(std::uint32_t series, double value);

    void end_sample(std::uint32_t machine, std::optional<std::int64_t> time);
    void settle(pal::Machine& machine);
    void find_memory(pal::Machine& machine);
    void compute(std::uint32_t machine, std::optional<std::int64_t> time);
    void compute_by_scripts(std::uint32_t machine, std::optional<std::int64_t> time);
    void set_computed(std::uint32_t series, double value, std::optional<std::int64_t> time);
    double value_in_sample(std::uint32_t series) const;
    bool compare_alert(Check& check, double value, const pal::Moment& moment);
    void exceed(Check& check, pal::Operation operation, double value, const pal::Moment& moment);
    void compare(std::uint32_t check, std::uint32_t machine, double value, const pal::Moment& moment);
    void compare_waiting(std::uint32_t machine);

    std::vector<RuleFinding> finish(const std::function<double(std::uint32_t)>& slope_of);
    std::optional<RuleFinding> finding_of(const Check& check) const;
    std::optional<RuleFinding> trend_of(const Check& check, double slope) const;
    double slope_of(std::uint32_t series, const std::function<double(std::uint32_t)>& of_caller);
    std::string reason_of(std::uint32_t threshold) const;

    Rules rules;
    const Rules::Data& data;
    pal::Answers answers;
    pal::SourceIndex index;
    pal::ComputedSeries computed;
    pal::SampleScripts scripts;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::uint32_t>
        of_scripts;  // series that scripts compute, by machine, source and folded instance
    std::vector<std::vector<std::uint32_t>> thresholds_of;  // for each source
    std::optional<pal::SeriesPath> memory_path;

    std::vector<std::unique_ptr<pal::Machine>> machines;
    std::unordered_map<std::string, std::uint32_t> machine_positions;  // by folded names
    std::string last_machine;  // as it was named, and its position; consecutive series have the same one
    std::uint32_t last_position = no_index;
    std::vector<std::uint32_t> by_number;  // for each number of the caller: position in `series`, or `no_index`
    std::vector<Series> series;
    std::vector<Check> all_checks, trends;
    std::vector<std::uint32_t> all_counted;
    std::vector<pal::Exceedance> all_exceeding;
    std::vector<Derived> derived;
    std::vector<SeriesStatistics> derived_statistics;
    std::vector<std::uint32_t> derived_series;  // for each, the position in `series`

    std::vector<std::uint32_t> present;  // series with a value in the current sample
    std::vector<DerivedValue> derived_values;
    std::vector<Waiting> waiting;
    std::vector<pal::ComputedSeries::New> added;

    /// The objects that another can replace, by machine, folded name and whether an instance is a total, and whether
    /// the machine has them.
    std::vector<bool> originals;
    std::map<std::tuple<std::uint32_t, std::string, bool>, std::uint32_t> original_positions;

    std::vector<bool> is_matched, has_values;  // for each threshold: whether it has a series, and a value or slope
    std::vector<std::string> reasons;          // for each threshold, after `finish`
};

std::uint32_t RuleRun::State::machine_of(std::string_view name) {
    if (last_position != no_index && name == last_machine) return last_position;
    const auto [found, is_new] =
        machine_positions.emplace(fold_case(name), static_cast<std::uint32_t>(machines.size()));
    if (is_new) machines.push_back(std::make_unique<pal::Machine>(data, answers, name));
    last_machine = name;
    return last_position = found->second;
}

// Series

std::uint32_t RuleRun::State::add_series(std::uint32_t number, std::uint32_t machine) {
    series.push_back({.number = number, .machine = machine});
    series.back().first_check = static_cast<std::uint32_t>(all_checks.size());
    series.back().first_source = static_cast<std::uint32_t>(all_counted.size());
    return static_cast<std::uint32_t>(series.size() - 1);
}

void RuleRun::State::add_checks(std::uint32_t position, std::uint32_t source) {
    for (const std::uint32_t threshold : thresholds_of[source]) {
        is_matched[threshold] = true;
        const bool is_trend = data.thresholds[threshold].script.comparison.is_trend;
        (is_trend ? trends : all_checks).push_back({threshold, position});
        series[position].checks += is_trend ? 0 : 1;
    }
}

std::uint32_t RuleRun::State::original(std::string_view machine, std::string_view object, std::string_view instance) {
    const auto [found, is_new] = original_positions.try_emplace(
        {machine_of(machine), fold_case(object), is_total(instance)}, static_cast<std::uint32_t>(originals.size()));
    if (is_new) originals.push_back(false);
    return found->second;
}

bool RuleRun::State::is_replaced(const Series& one) const {
    return one.original != no_index && originals[one.original];
}

/// Returns whether a counter has the name of that of the memory.
bool RuleRun::State::is_memory_counter(const RuleSeries& names) const {
    return memory_path &&
           (memory_path->counter().matches(names.counter) || memory_path->counter().matches(names.english_counter));
}

bool RuleRun::State::add_input(std::uint32_t number, const RuleSeries& names) {
    if (number >= first_derived) return false;
    if (by_number.size() <= number) by_number.resize(std::size_t{number} + 1, no_index);
    if (names.has_twin) {
        const std::string_view english = names.english_object.empty() ? names.object : names.english_object;
        originals[original(names.machine, english, names.matched())] = true;
    }
    std::span<const std::uint32_t> sources = index.find(names);
    std::uint32_t replaced = no_index;
    if (sources.empty() && !names.original_object.empty()) {
        replaced = original(names.machine, names.original_object, names.original_name);
        if (!originals[replaced]) sources = index.find(names, true);
    }
    const bool is_memory = memory_path && is_memory_counter(names) && memory_path->matches(names);
    if (sources.empty() && !is_memory) return false;
    const std::uint32_t machine = machine_of(names.machine);
    const std::uint32_t position = by_number[number] = add_series(number, machine);
    series[position].is_memory = is_memory;
    series[position].original = replaced;
    series[position].is_total = is_memory && is_total(names.instance);
    machines[machine]->has_memory_counter |= is_memory;
    added.clear();
    computed.set_machine_of_next(machine);
    for (const std::uint32_t source : sources) {
        add_checks(position, source);
        if (data.sources[source].is_counted) {
            all_counted.push_back(source);
            ++series[position].sources;
        }
        computed.add_input(source, names, position, added);
        add_to_scripts(position, source, names);
    }
    for (const pal::ComputedSeries::New& made : added) add_computed(made, machine);
    return true;
}

void RuleRun::State::add_computed(const pal::ComputedSeries::New& made, std::uint32_t machine) {
    computed.add(add_derived(made.source, made.names, machine));
}

/// Adds a series that is computed, of a data source; returns its position.
std::uint32_t RuleRun::State::add_derived(std::uint32_t source, RuleRun::Derived names, std::uint32_t machine) {
    const auto number = first_derived + static_cast<std::uint32_t>(derived.size());
    const std::uint32_t position = add_series(number, machine);
    names.number = number;
    derived.push_back(std::move(names));
    derived_statistics.emplace_back();
    derived_series.push_back(position);
    add_checks(position, source);
    const RuleRun::Derived& added_names = derived.back();
    scripts.add_series(machine, source,
                       {added_names.machine, added_names.object, added_names.instance, added_names.counter}, position);
    return position;
}

void RuleRun::State::add_to_scripts(std::uint32_t position, std::uint32_t source, const RuleSeries& names) {
    const std::string_view object = names.english_object.empty() ? names.object : names.english_object;
    const std::string_view counter = names.english_counter.empty() ? names.counter : names.english_counter;
    scripts.add_series(
        series[position].machine, source,
        {std::string(names.machine), std::string(object), std::string(names.instance), std::string(counter)}, position);
}

void RuleRun::State::set_value(std::uint32_t position, double value) {
    Series& one = series[position];
    one.value = value;
    if (!std::exchange(one.is_present, true)) present.push_back(position);
}

// Samples

void RuleRun::State::end_sample(std::uint32_t position, std::optional<std::int64_t> time) {
    pal::Machine& machine = *machines[position];
    pal::Moment moment;
    if (time) moment = {std::min(machine.previous_sample.value_or(*time), *time), *time};
    moment.sample = machine.samples++;
    derived_values.clear();
    settle(machine);
    compute(position, time);
    compute_by_scripts(position, time);
    compare_waiting(position);
    for (const std::uint32_t one : present) {
        Series& current = series[one];
        current.is_present = false;
        current.machine = position;
        if (current.values++ == 0) current.first = moment.time;
        current.last = moment.time;
        current.time = moved_time(current.time, moment.length());
        for (std::uint32_t i = 0; i < current.checks; ++i)
            compare(current.first_check + i, position, current.value, moment);
    }
    present.clear();
    if (time) machine.previous_sample = time;
}

/// Sets what limits depend on, as far as the current sample has it.
void RuleRun::State::settle(pal::Machine& machine) {
    if (machine.is_settled()) return;
    if (!machine.knows_memory()) find_memory(machine);
    std::unordered_map<std::uint32_t, std::uint32_t> counts;
    for (const std::uint32_t position : present)
        for (std::uint32_t i = 0; i < series[position].sources && !is_replaced(series[position]); ++i)
            ++counts[all_counted[series[position].first_source + i]];
    for (const auto& [source, count] : counts)
        if (!machine.knows_count(source)) machine.set_count(source, count);
    machine.compute_limits();
}

/// Sets the physical memory: that of the instance _Total, or the sum of all nodes. If the machine has the counter, but
/// no value yet, waits for a value.
void RuleRun::State::find_memory(pal::Machine& machine) {
    constexpr double megabytes = 1024;
    std::optional<double> total, sum;
    for (const std::uint32_t position : present) {
        const Series& one = series[position];
        if (one.is_memory && one.is_total) total = one.value;
        if (one.is_memory && !one.is_total) sum = sum.value_or(0) + one.value;
    }
    const std::optional<double> found = total ? total : sum;
    if (found || !machine.has_memory_counter)
        machine.set_memory(found ? std::optional(*found / megabytes) : std::nullopt);
}

void RuleRun::State::compute(std::uint32_t machine, std::optional<std::int64_t> time) {
    const auto value_of = [this](std::uint32_t position) { return value_in_sample(position); };
    computed.compute(*machines[machine], machine, value_of,
                     [&](std::uint32_t position, double value) { set_computed(position, value, time); });
}

/// Evaluates the scripts with loops of their own: first those of data sources, then those of thresholds.
void RuleRun::State::compute_by_scripts(std::uint32_t position, std::optional<std::int64_t> time) {
    if (!scripts.any()) return;
    const auto value_of = [this](std::uint32_t one) {
        return is_replaced(series[one]) ? std::numeric_limits<double>::quiet_NaN() : value_in_sample(one);
    };
    scripts.begin(position, value_of);
    pal::Machine& machine = *machines[position];
    for (const pal::SampleScripts::Computed& one : scripts.compute(machine, value_of)) {
        const Rules::Data::Source& source = data.sources[one.source];
        const pal::SeriesPath& path = source.paths.front();
        const std::string instance = path.has_instance() ? one.instance : std::string{};
        if (std::ranges::any_of(source.excluded, [&](const Pattern& p) { return p.matches(instance); })) continue;
        const auto [found, is_new] = of_scripts.try_emplace({position, one.source, fold_case(instance)}, no_index);
        if (is_new && derived.size() < most_derived)
            found->second = add_derived(one.source,
                                        {.machine = machine.name(),
                                         .object = path.object_text(),
                                         .instance = instance,
                                         .counter = path.counter().text()},
                                        position);
        if (found->second != no_index && !series[found->second].is_present)
            set_computed(found->second, one.value, time);
    }
    scripts.raise_alerts(machine, value_of);
}

double RuleRun::State::value_in_sample(std::uint32_t position) const {
    return series[position].is_present ? series[position].value : std::numeric_limits<double>::quiet_NaN();
}

void RuleRun::State::set_computed(std::uint32_t position, double value, std::optional<std::int64_t> time) {
    const std::uint32_t number = series[position].number;
    set_value(position, value);
    derived_values.push_back({number, value});
    derived_statistics[number - first_derived].add(value, time.value_or(SeriesStatistics::no_time),
                                                   Percentiles::least_entries);
}

void RuleRun::State::compare(std::uint32_t position, std::uint32_t machine, double value, const pal::Moment& moment) {
    constexpr std::size_t most_waiting = 250'000;
    Check& check = all_checks[position];
    const pal::Limit& limit = machines[machine]->limit(check.threshold);
    if (limit.state == pal::Limit::State::unknown) {
        waiting.push_back({position, machine, value, moment});
        if (waiting.size() >= most_waiting) machines[machine]->give_up();
    }
    if (limit.state != pal::Limit::State::known || compare_alert(check, value, moment)) return;
    has_values[check.threshold] = true;
    if (pal::exceeds(limit.outcome.operation, value, limit.value))
        exceed(check, limit.outcome.operation, value, moment);
}

/// Notes whether the script of a threshold has raised an alert in the current sample. Returns whether it has one that
/// raises alerts.
bool RuleRun::State::compare_alert(Check& check, double value, const pal::Moment& moment) {
    if (!data.thresholds[check.threshold].script.raises_alerts) return false;
    if (!scripts.was_evaluated(check.threshold)) return true;
    has_values[check.threshold] = true;
    const pal::SampleResults::Alert* const alert = scripts.alert(check.threshold, check.series);
    if (alert == nullptr) return true;
    exceed(check, alert->operation, value, moment);
    all_exceeding[check.exceeding].note_limit(alert->operation, alert->limit);
    return true;
}

void RuleRun::State::exceed(Check& check, pal::Operation operation, double value, const pal::Moment& moment) {
    if (check.exceeding == no_index) {
        check.exceeding = static_cast<std::uint32_t>(all_exceeding.size());
        all_exceeding.emplace_back();
    }
    all_exceeding[check.exceeding].add(operation, value, moment);
}

/// Compares the values whose limits are known by now, in the order of their samples.
void RuleRun::State::compare_waiting(std::uint32_t machine) {
    if (waiting.empty()) return;
    std::vector<Waiting> before = std::exchange(waiting, {});
    for (const Waiting& value : before) {
        if (value.machine == machine)
            compare(value.check, machine, value.value, value.moment);
        else
            waiting.push_back(value);
    }
}

// Findings

std::optional<RuleFinding> RuleRun::State::finding_of(const Check& check) const {
    const Rules::Data::Threshold& threshold = data.thresholds[check.threshold];
    const Series& compared = series[check.series];
    if (check.exceeding == no_index || !scripts.reason_to_stop(check.threshold).empty()) return std::nullopt;
    const pal::Exceedance& exceeding = all_exceeding[check.exceeding];
    const RuleThreshold& rule = data.analyses[threshold.analysis].thresholds[threshold.threshold];
    if (exceeding.longest() < rule.least_time) return std::nullopt;
    RuleFinding finding;
    finding.analysis = threshold.analysis;
    finding.threshold = threshold.threshold;
    finding.series = compared.number;
    finding.limit =
        threshold.script.raises_alerts ? exceeding.limit() : machines[compared.machine]->limit(check.threshold).value;
    finding.values = compared.values;
    finding.time = compared.time;
    exceeding.copy_to(finding);
    return finding;
}

std::optional<RuleFinding> RuleRun::State::trend_of(const Check& check, double slope) const {
    const Rules::Data::Threshold& threshold = data.thresholds[check.threshold];
    const Series& compared = series[check.series];
    const pal::Limit& limit = machines[compared.machine]->limit(check.threshold);
    const RuleThreshold& rule = data.analyses[threshold.analysis].thresholds[threshold.threshold];
    const bool is_long = time_between(compared.first, compared.last) >= rule.least_time;
    if (limit.state != pal::Limit::State::known || !is_long) return std::nullopt;
    if (!pal::exceeds(limit.outcome.operation, slope, limit.value)) return std::nullopt;
    return RuleFinding{.analysis = threshold.analysis,
                       .threshold = threshold.threshold,
                       .series = compared.number,
                       .limit = limit.value,
                       .slope = slope};
}

double RuleRun::State::slope_of(std::uint32_t position, const std::function<double(std::uint32_t)>& of_caller) {
    const std::uint32_t number = series[position].number;
    if (number < first_derived) return of_caller ? of_caller(number) : std::numeric_limits<double>::quiet_NaN();
    return derived_statistics[number - first_derived].finish().slope;
}

/// Orders findings as `RuleRun::finish` states.
static bool comes_before(const Rules::Data& data, const RuleFinding& a, const RuleFinding& b) {
    const auto severity_of = [&data](const RuleFinding& f) {
        return data.analyses[f.analysis].thresholds[f.threshold].severity;
    };
    const auto steepness_of = [](const RuleFinding& f) {
        if (!f.slope) return 0.0;
        return f.limit == 0 ? std::numeric_limits<double>::infinity() : std::abs(*f.slope / f.limit);
    };
    if (severity_of(a) != severity_of(b)) return severity_of(a) > severity_of(b);
    if (a.slope.has_value() != b.slope.has_value()) return b.slope.has_value();
    if (a.exceeding_time != b.exceeding_time) return a.exceeding_time > b.exceeding_time;
    if (a.exceeding != b.exceeding) return a.exceeding > b.exceeding;
    if (steepness_of(a) != steepness_of(b)) return steepness_of(a) > steepness_of(b);
    if (a.analysis != b.analysis) return a.analysis < b.analysis;
    return a.threshold != b.threshold ? a.threshold < b.threshold : a.series < b.series;
}

std::vector<RuleFinding> RuleRun::State::finish(const std::function<double(std::uint32_t)>& of_caller) {
    for (std::uint32_t i = 0; i < machines.size(); ++i) {
        if (!machines[i]->knows_memory()) machines[i]->set_memory(std::nullopt);
        machines[i]->compute_limits();
        compare_waiting(i);
    }
    std::vector<RuleFinding> findings;
    for (const Check& check : all_checks)
        if (const auto finding = is_replaced(series[check.series]) ? std::nullopt : finding_of(check))
            findings.push_back(*finding);
    for (const Check& check : trends) {
        if (is_replaced(series[check.series])) continue;
        const double slope = slope_of(check.series, of_caller);
        if (!std::isfinite(slope)) continue;
        has_values[check.threshold] = true;
        if (const auto finding = trend_of(check, slope)) findings.push_back(*finding);
    }
    std::ranges::sort(findings, [this](const auto& a, const auto& b) { return comes_before(data, a, b); });
    reasons.clear();
    for (std::uint32_t i = 0; i < data.thresholds.size(); ++i) reasons.push_back(reason_of(i));
    return findings;
}

std::string RuleRun::State::reason_of(std::uint32_t position) const {
    const bool is_trend = data.thresholds[position].script.comparison.is_trend;
    if (std::string reason = scripts.reason_to_stop(position); !reason.empty()) return reason;
    if (!has_values[position])
        if (std::string reason = scripts.newest_failure(position); !reason.empty()) return reason;
    if (!is_matched[position])
        return index.gave_up() ? "comparing counter paths with wildcards takes too long"
                               : "no such counter in the input";
    for (const auto& machine : machines)
        if (machine->limit(position).state == pal::Limit::State::known && has_values[position]) return {};
    for (const auto& machine : machines)
        if (machine->limit(position).state != pal::Limit::State::known)
            return pal::describe(data.thresholds[position].script, machine->limit(position).outcome);
    return is_trend ? "too few values for a slope" : "no value in the input";
}

// The public interface

std::expected<RuleRun, std::string> RuleRun::create(Rules rules, std::span<const RuleAnswer> given) {
    const std::span<const RuleQuestion> questions = rules.questions();
    pal::Answers answers;
    for (std::uint32_t i = 0; i < questions.size(); ++i) {
        answers.values.push_back({questions[i].default_value});
        if (pal::same_name(questions[i].name, "PhysicalMemory")) answers.memory = i;
    }
    for (const RuleAnswer& answer : given) {
        Nearest nearest(answer.name);
        std::string all;
        std::size_t position = 0;
        for (; position < questions.size() && !pal::same_name(questions[position].name, answer.name); ++position) {
            nearest.offer(questions[position].name);
            all += fmt::format("{}{}", all.empty() ? "" : ", ", questions[position].name);
        }
        if (position == questions.size()) {
            if (all.empty()) all = "no question";
            std::string message = fmt::format("no question is called \"{}\"; the rules ask {}", answer.name, all);
            if (!nearest.name().empty()) message += fmt::format("; did you mean \"{}\"?", nearest.name());
            return std::unexpected(std::move(message));
        }
        const RuleQuestion& question = questions[position];
        const auto option = std::ranges::find_if(question.options,
                                                 [&](const std::string& o) { return pal::same_name(o, answer.value); });
        if (!question.options.empty() && option == question.options.end()) {
            std::string options;
            for (const std::string& one : question.options) options.append(options.empty() ? "" : ", ").append(one);
            return std::unexpected(fmt::format("\"{}\" is no answer to the question {}; expected one of: {}",
                                               answer.value, question.name, options));
        }
        answers.values[position] = {question.options.empty() ? answer.value : *option, true};
        if (answers.memory == position) answers.memory = no_index;
    }
    return RuleRun(std::make_unique<State>(std::move(rules), std::move(answers)));
}

RuleRun::RuleRun(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
RuleRun::RuleRun(RuleRun&&) noexcept = default;
RuleRun& RuleRun::operator=(RuleRun&&) noexcept = default;
RuleRun::~RuleRun() = default;

bool RuleRun::may_use(const RuleSeries& counter) const {
    return counter.has_twin || state_->index.may_find(counter) || state_->is_memory_counter(counter);
}

bool RuleRun::add_series(std::uint32_t number, const RuleSeries& series) { return state_->add_input(number, series); }

void RuleRun::add_value(std::uint32_t number, double value) {
    const std::uint32_t position = number < state_->by_number.size() ? state_->by_number[number] : no_index;
    if (position != no_index && std::isfinite(value)) state_->set_value(position, value);
}

void RuleRun::end_sample(std::string_view machine, std::optional<std::int64_t> time) {
    state_->end_sample(state_->machine_of(machine), time);
}

std::span<const RuleRun::Derived> RuleRun::derived() const noexcept { return state_->derived; }
std::span<const RuleRun::DerivedValue> RuleRun::derived_values() const noexcept { return state_->derived_values; }

std::vector<RuleFinding> RuleRun::finish(const std::function<double(std::uint32_t number)>& slope_of) {
    return state_->finish(slope_of);
}

const Rules& RuleRun::rules() const noexcept { return state_->rules; }

std::string_view RuleRun::skipped(std::uint32_t analysis, std::uint32_t threshold) const noexcept {
    const Rules::Data& data = state_->data;
    if (analysis >= data.analyses.size() || threshold >= data.analyses[analysis].thresholds.size()) return {};
    if (!data.analyses[analysis].thresholds[threshold].not_evaluated.empty()) return {};
    if (!data.analyses[analysis].enabled) return "the analysis is disabled in its file";
    for (std::size_t i = 0; i < state_->reasons.size(); ++i)
        if (data.thresholds[i].analysis == analysis && data.thresholds[i].threshold == threshold)
            return state_->reasons[i];
    return {};
}

std::vector<RuleRun::Answered> RuleRun::answers() const {
    std::vector<Answered> all;
    for (std::uint32_t i = 0; i < state_->answers.values.size(); ++i) {
        const pal::Answers::Answer& answer = state_->answers.values[i];
        all.push_back({state_->rules.questions()[i].name, answer.value, answer.is_given ? "given" : "default"});
        if (i != state_->answers.memory) continue;
        std::string known;
        unsigned machines = 0;
        for (const auto& machine : state_->machines)
            if (const auto memory = machine->memory()) {
                known += fmt::format("{}{:.6g}", machines++ == 0 ? "" : ", ", *memory);
                if (state_->machines.size() > 1) known += fmt::format(" ({})", machine->name());
            }
        if (machines != 0) all.back() = {state_->rules.questions()[i].name, known, "from the input"};
    }
    return all;
}

}  // namespace hkpd
