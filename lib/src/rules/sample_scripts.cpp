#include "rules/sample_scripts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/names.hpp"
#include "rules/tokens.hpp"

namespace hkpd::pal {
namespace {

constexpr std::uint64_t key_of(std::uint32_t threshold, std::uint32_t series) noexcept {
    return std::uint64_t{threshold} << 32U | series;
}

bool is_final(Outcome::Failure failure) noexcept {
    return failure == Outcome::Failure::too_many_steps || failure == Outcome::Failure::too_large;
}

}  // namespace

SampleScripts::SampleScripts(const Rules::Data& data)
    : data_(data), is_listed_(data.sources.size()), evaluated_(data.thresholds.size()) {
    for (std::uint32_t i = 0; i < data.sources.size(); ++i) {
        const Rules::Data::Source& source = data.sources[i];
        if (!source.computed || !source.computed->has_own_loops) continue;
        computing_.push_back({.source = i,
                              .script = &source.computed->script,
                              .variables = &source.variables,
                              .sources = &source.inputs,
                              .result = source.computed->result});
    }
    for (std::uint32_t i = 0; i < data.thresholds.size(); ++i) {
        const Rules::Data::Threshold& threshold = data.thresholds[i];
        if (!threshold.script.raises_alerts) continue;
        const auto& names = threshold.script.collections;
        const auto primary = std::ranges::find_if(
            names, [&](const std::string& name) { return same_name(name, threshold.script.comparison.collection); });
        alerting_.push_back({.threshold = i,
                             .script = &threshold.script,
                             .variables = &threshold.variables,
                             .sources = &threshold.counted,
                             .primary = static_cast<std::size_t>(primary - names.begin())});
    }
    for (const std::vector<Task>* tasks : {&computing_, &alerting_})
        for (const Task& task : *tasks)
            for (const std::uint32_t source : *task.sources) is_listed_[source] = true;
}

void SampleScripts::add_series(std::uint32_t machine, std::uint32_t source, const Names& names, std::uint32_t series) {
    if (!is_listed_[source] || members_ >= most_series) return;
    ++members_;
    if (machines_.size() <= machine) machines_.resize(std::size_t{machine} + 1);
    OfMachine& of = machines_[machine];
    of.members.resize(data_.sources.size());
    const auto [found, is_new] =
        of.names.emplace(fold_case(names.instance), static_cast<std::uint32_t>(of.seen.size()));
    if (is_new) of.seen.push_back(0);
    of.members[source].push_back({names, series, found->second});
}

void SampleScripts::begin(std::uint32_t machine, const ValueOf& value_of) {
    computed_.clear();
    alerts_.clear();
    machine_ = machine;
    ++sample_;
    steps_left_ = most_steps;
    evaluated_.assign(evaluated_.size(), false);
    if (machine >= machines_.size()) return;
    OfMachine& of = machines_[machine];
    for (const std::vector<Member>& members : of.members)
        for (const Member& member : members)
            if (!std::isnan(value_of(member.series))) of.seen[member.name] = sample_;
}

/// Evaluates a script, whose results are then in `results_`. Its collections have the instances whose names have a
/// value of any counter in the sample: those of ended processes are left out, but not those of which single counters
/// have no value. Returns whether there are results.
bool SampleScripts::evaluate(Task& task, Machine& machine, const ValueOf& value_of) {
    if (task.has_stopped || machine_ >= machines_.size()) return false;
    const OfMachine& of = machines_[machine_];
    instances_.resize(task.sources->size());
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        instances_[i].clear();
        const std::uint32_t source = (*task.sources)[i];
        if (source >= of.members.size()) continue;
        for (const Member& member : of.members[source])
            if (of.seen[member.name] == sample_)
                instances_[i].push_back({member.series, member.names.machine, member.names.object,
                                         member.names.instance, member.names.counter, value_of(member.series)});
    }
    if (task.primary >= instances_.size() || instances_[task.primary].empty()) return false;
    const Inputs inputs{machine.values_of(*task.variables), {}, {}, instances_};
    const Outcome outcome = evaluate_sample(*task.script, inputs, task.result, results_);
    const bool is_over = results_.steps > steps_left_;
    steps_left_ -= std::min(results_.steps, steps_left_);
    if (outcome.failure != Outcome::Failure::none) task.failure = outcome;
    if (is_over && !is_final(outcome.failure)) task.failure = {.failure = Outcome::Failure::too_many_steps};
    task.has_stopped = is_over || is_final(outcome.failure);
    return !task.has_stopped && outcome.failure == Outcome::Failure::none;
}

/// Returns the instance in a counter path, between the first parenthesis of the object and the last: `c:` in
/// `\\PC\LogicalDisk(c:)\Ratio`.
std::string SampleScripts::instance_in(std::string_view path) {
    const std::size_t end = path.rfind('\\');
    std::string_view object = path.substr(0, end);
    if (object.starts_with("\\\\")) object.remove_prefix(std::min(object.find('\\', 2), object.size()));
    const std::size_t open = object.find('('), close = object.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    return std::string(object.substr(open + 1, close - open - 1));
}

const std::vector<SampleScripts::Computed>& SampleScripts::compute(Machine& machine, const ValueOf& value_of) {
    for (Task& task : computing_) {
        if (!evaluate(task, machine, value_of)) continue;
        for (const SampleResults::Computed& one : results_.computed)
            computed_.push_back({task.source, instance_in(one.path), one.value});
    }
    return computed_;
}

void SampleScripts::raise_alerts(Machine& machine, const ValueOf& value_of) {
    for (Task& task : alerting_) {
        if (!evaluate(task, machine, value_of)) continue;
        evaluated_[task.threshold] = true;
        for (const SampleResults::Alert& alert : results_.alerts)
            alerts_.insert_or_assign(key_of(task.threshold, alert.series), alert);
    }
}

const SampleResults::Alert* SampleScripts::alert(std::uint32_t threshold, std::uint32_t series) const {
    const auto found = alerts_.find(key_of(threshold, series));
    return found == alerts_.end() ? nullptr : &found->second;
}

const SampleScripts::Task* SampleScripts::task_of_source(std::uint32_t source) const noexcept {
    const auto found = std::ranges::find(computing_, source, &Task::source);
    return found == computing_.end() ? nullptr : &*found;
}

std::string SampleScripts::stop_of(const Task& task) {
    return task.has_stopped ? describe(*task.script, task.failure) : std::string{};
}

std::string SampleScripts::reason_to_stop(std::uint32_t threshold) const {
    if (const Task* const source = task_of_source(data_.thresholds[threshold].source))
        if (source->has_stopped) return stop_of(*source);
    const auto found = std::ranges::find(alerting_, threshold, &Task::threshold);
    return found == alerting_.end() ? std::string{} : stop_of(*found);
}

std::string SampleScripts::newest_failure(std::uint32_t threshold) const {
    const auto found = std::ranges::find(alerting_, threshold, &Task::threshold);
    const Task* const task = found == alerting_.end() ? task_of_source(data_.thresholds[threshold].source) : &*found;
    return task == nullptr ? std::string{} : describe(*task->script, task->failure);
}

}  // namespace hkpd::pal
