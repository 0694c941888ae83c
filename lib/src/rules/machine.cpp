#include "rules/machine.hpp"

#include <algorithm>
#include <limits>

#include "rules/tokens.hpp"

namespace hkpd::pal {

Machine::Machine(const Rules::Data& data, const Answers& answers, std::string_view name)
    : data_(data),
      answers_(answers),
      name_(name),
      limits_(data.thresholds.size()),
      open_limits_(data.thresholds.size()),
      counts_(data.sources.size(), no_index),
      knows_memory_(answers.memory == no_index) {}

bool Machine::knows_count(std::uint32_t source) const noexcept { return counts_[source] != no_index; }

void Machine::set_count(std::uint32_t source, std::uint32_t count) {
    counts_[source] = count;
    is_changed_ = true;
}

void Machine::set_memory(std::optional<double> gigabytes) {
    memory_ = gigabytes;
    knows_memory_ = true;
    is_changed_ = true;
}

Value Machine::answer(std::uint32_t question) const noexcept {
    if (question == answers_.memory && memory_) return Value::of(*memory_);
    const std::string& value = answers_.values[question].value;
    return data_.is_boolean[question] ? Value::of_truth(same_name(value, "True")) : Value::of(value);
}

std::span<const Value> Machine::values_of(const Rules::Data::Variables& variables) {
    values_.clear();
    for (const std::uint32_t question : variables) values_.push_back(question == no_index ? Value{} : answer(question));
    return values_;
}

bool Machine::depends_on_memory(const Rules::Data::Variables& variables) const noexcept {
    return answers_.memory != no_index && std::ranges::find(variables, answers_.memory) != variables.end();
}

void Machine::compute_limits() {
    if (!is_changed_) return;
    is_changed_ = false;
    std::vector<double> counts;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
        Limit& limit = limits_[i];
        const Rules::Data::Threshold& threshold = data_.thresholds[i];
        if (limit.state != Limit::State::unknown) continue;
        if (threshold.script.raises_alerts) {
            limit.state = Limit::State::known;
            --open_limits_;
            continue;
        }
        if (!knows_memory_ && depends_on_memory(threshold.variables)) continue;
        counts.clear();
        for (const std::uint32_t source : threshold.counted)
            counts.push_back(knows_count(source) ? counts_[source] : std::numeric_limits<double>::quiet_NaN());
        limit.outcome = evaluate(threshold.script, {values_of(threshold.variables), counts, {}});
        if (limit.outcome.failure == Outcome::Failure::unknown_count) continue;
        limit.state = limit.outcome.failure == Outcome::Failure::none ? Limit::State::known : Limit::State::failed;
        limit.value = limit.outcome.result;
        --open_limits_;
    }
}

void Machine::give_up() noexcept {
    for (Limit& limit : limits_)
        if (limit.state == Limit::State::unknown) {
            limit.state = Limit::State::failed;
            limit.outcome.failure = Outcome::Failure::unknown_count;
        }
    open_limits_ = 0;
}

}  // namespace hkpd::pal
