#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rules/evaluation.hpp"

namespace hkpd::pal {

Evaluation::Evaluation(const Script& script, const Inputs& inputs, SampleResults* sample)
    : script_(script),
      inputs_(inputs),
      sample_(sample),
      variables_(inputs.variables.begin(), inputs.variables.end()),
      conversions_(inputs.variables.size(), Operation::number),
      store_(ScriptLimits::text_bytes, ScriptLimits::elements),
      steps_left_(ScriptLimits::steps) {
    for (const std::vector<Instance>& instances : inputs.instances)
        steps_left_ += ScriptLimits::steps_of_instance * instances.size();
    steps_ = steps_left_;
}

Outcome Evaluation::run() {
    execute(script_.statements);
    if (outcome_.failure == Failure::none && !has_result_) fail(Failure::no_result);
    return outcome_;
}

Outcome Evaluation::run_sample(std::uint32_t result) {
    execute(script_.statements);
    if (outcome_.failure != Failure::none && first_failure_.failure == Failure::none) first_failure_ = outcome_;
    if (outcome_.failure == Failure::none && result != no_index) read_series(variables_[result]);
    sample_->steps = steps_ - steps_left_;
    const bool ends = outcome_.failure == Failure::too_many_steps || outcome_.failure == Failure::too_large;
    if (ends || (sample_->turns == 0 && first_failure_.failure != Failure::none))
        return ends ? outcome_ : first_failure_;
    return {};
}

// Statements

void Evaluation::execute(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
        if (failed() || flow_ != Flow::on) return;
        line_ = statement.line;
        if (!step()) return;
        execute(statement);
    }
}

void Evaluation::execute(const Statement& statement) {
    switch (statement.kind) {
        case Statement::Kind::assign:
            return assign(statement);
        case Statement::Kind::assign_item:
            return assign_item(statement);
        case Statement::Kind::evaluate:
            value(statement.expression);
            return;
        case Statement::Kind::choose:
            return choose(statement);
        case Statement::Kind::select:
            return select(statement);
        case Statement::Kind::repeat:
            return repeat(statement);
        case Statement::Kind::each:
            return each(statement);
        case Statement::Kind::leave:
            flow_ = Flow::leaves;
            return;
        case Statement::Kind::next:
            flow_ = Flow::continues;
            return;
        case Statement::Kind::result:
            return add_result(number(statement.expression), statement);
        case Statement::Kind::alert:
            return raise_alert(statement);
    }
}

void Evaluation::assign(const Statement& statement) {
    Operation& conversion = conversions_[statement.variable];
    if (statement.operation != Operation::number) conversion = statement.operation;
    const Value assigned =
        conversion == Operation::number ? value(statement.expression) : converted(conversion, statement.expression);
    if (!failed()) variables_[statement.variable] = assigned;
}

void Evaluation::assign_item(const Statement& statement) {
    const Expression& target = script_.expressions[statement.target];
    const Value of = value(target.left), key = value(target.right), assigned = value(statement.expression);
    if (failed()) return;
    if (of.kind == Kind::map) {
        set_key(of, key, assigned);
    } else if (of.kind == Kind::list) {
        if (!store_.set(of, position_in(key, store_.list(of).size()), assigned)) fail(Failure::no_item);
    } else {
        fail(Failure::wrong_kind);
    }
}

void Evaluation::set_key(const Value& map, const Value& key, const Value& assigned) {
    constexpr std::size_t keys_of_step = 8;
    if (!step(store_.map(map).size() / keys_of_step)) return;
    const Value kept = key.kind == Kind::text ? key : store_.keep(to_text(key));
    if (kept.kind != Kind::text || !store_.set(map, kept.text, assigned)) fail(Failure::too_large);
}

void Evaluation::choose(const Statement& statement) {
    for (const Branch& branch : statement.branches) {
        const bool holds = branch.condition == no_index || truth(branch.condition);
        if (failed()) return;
        if (holds) return execute(branch.statements);
    }
}

void Evaluation::select(const Statement& statement) {
    const Value chosen = value(statement.expression);
    if (chosen.kind > Kind::truth) fail(Failure::wrong_kind);
    bool any = false;
    for (const Branch& branch : statement.branches) {
        if (branch.condition == no_index) continue;
        const Value one = value(branch.condition);
        if (failed() || flow_ != Flow::on) break;
        if (!are_equal(chosen, one)) continue;
        any = true;
        execute(branch.statements);
    }
    for (const Branch& branch : statement.branches)
        if (branch.condition == no_index && !any && !failed() && flow_ == Flow::on) execute(branch.statements);
    if (flow_ == Flow::leaves) flow_ = Flow::on;
}

// Loops

bool Evaluation::turn(const std::vector<Statement>& statements) {
    if (!step()) return false;
    const bool is_outermost = loops_++ == 0;
    if (is_outermost) held_.clear();
    execute(statements);
    --loops_;
    const bool leaves = flow_ == Flow::leaves;
    flow_ = Flow::on;
    if (is_outermost && sample_ != nullptr) end_turn();
    return !leaves && !failed();
}

void Evaluation::end_turn() {
    if (!failed()) {
        ++sample_->turns;
        return;
    }
    if (first_failure_.failure == Failure::none) first_failure_ = outcome_;
    const bool goes_on = outcome_.failure != Failure::too_many_steps && outcome_.failure != Failure::too_large;
    if (goes_on) outcome_ = {};
}

void Evaluation::repeat(const Statement& statement) {
    const Branch& body = statement.branches.front();
    const std::uint32_t line = line_;
    for (bool is_first = true;; is_first = false) {
        line_ = line;
        const bool is_asked = body.condition != no_index && !(is_first && statement.runs_first);
        if (is_asked && truth(body.condition) == statement.until) return;
        if (failed() || !turn(body.statements)) return;
        line_ = line;
        execute(statement.step);
    }
}

void Evaluation::each(const Statement& statement) {
    const Value of = value(statement.expression);
    if (failed()) return;
    const std::vector<Statement>& body = statement.branches.front().statements;
    const auto take = [&](const Value& one) {
        variables_[statement.variable] = one;
        return turn(body);
    };
    if (of.kind == Kind::list) {
        // The body may add to the list.
        for (std::size_t i = 0, size = store_.list(of).size(); i < size; size = store_.list(of).size(), ++i)
            if (!take(store_.list(of)[i])) return;
    } else if (of.kind == Kind::collection) {
        for (std::size_t i = 0; i < inputs_.instances[of.place].size(); ++i)
            if (!take(instance(of.place, i))) return;
    } else if (of.kind == Kind::map || of.kind == Kind::series) {
        fail(Failure::wrong_kind);
    } else if (of.kind != Kind::nothing) {
        take(of);
    }
}

// Results

void Evaluation::add_result(double result, const Statement& statement) noexcept {
    if (failed()) return;
    const bool first = !std::exchange(has_result_, true);
    if (!first && !inputs_.elements.empty()) return fail(Failure::two_results);
    if (!first && outcome_.operation != statement.operation && statement.has_operation) return fail(Failure::two_ways);
    if (statement.has_operation) outcome_.operation = statement.operation;
    if (!first && outcome_.operation == Operation::equal && outcome_.result != result) return fail(Failure::two_ways);
    const bool is_upper = outcome_.operation <= Operation::greater_equal;
    outcome_.result = first ? result : is_upper ? std::min(outcome_.result, result) : std::max(outcome_.result, result);
}

void Evaluation::raise_alert(const Statement& statement) {
    const Value raised = value(statement.expression);
    require_sample(number(statement.target));
    if (!failed() && raised.kind != Kind::instance) fail(Failure::wrong_kind);
    if (failed() || sample_ == nullptr) return;
    const std::uint32_t series = inputs_.instances[raised.place][static_cast<std::size_t>(raised.number)].series;
    SampleResults::Alert alert{series, Operation::greater, std::nan("")};
    for (const SampleResults::Alert& held : held_)
        if (held.series == series) alert = held;
    sample_->alerts.push_back(alert);
}

void Evaluation::note(const Value& compared, Operation operation, double limit) {
    if (sample_ == nullptr || compared.kind != Kind::number || compared.place == no_index) return;
    std::erase_if(held_, [&](const SampleResults::Alert& held) { return held.series == compared.place; });
    if (step(held_.size())) held_.push_back({compared.place, operation, limit});
}

void Evaluation::read_series(const Value& map) {
    if (map.kind != Kind::map) return;
    for (const auto& [path, values] : store_.map(map)) {
        if (values.kind != Kind::list || store_.list(values).empty()) continue;
        const Value& value = store_.list(values).front();
        const auto number = to_number(value);
        if (store_.list(values).size() == 1 && number && std::isfinite(*number) && value.kind != Kind::text)
            sample_->computed.push_back({std::string(path), *number});
    }
}

Outcome evaluate(const Script& script, const Inputs& inputs) { return Evaluation(script, inputs, nullptr).run(); }

Outcome evaluate_sample(const Script& script, const Inputs& inputs, std::uint32_t result, SampleResults& results) {
    results = {};
    return Evaluation(script, inputs, &results).run_sample(result);
}

std::string describe(const Script& script, const Outcome& outcome) {
    const auto in_line = [&outcome](std::string_view text) {
        return outcome.line == 0 ? std::string(text) : fmt::format("{} (line {})", text, outcome.line);
    };
    using Failure = Outcome::Failure;
    switch (outcome.failure) {
        case Failure::none:
            return {};
        case Failure::no_result:
            return "no condition of its script holds";
        case Failure::two_results:
            return "its script computes two values for one sample";
        case Failure::two_ways:
            return "its script compares in two ways at once";
        case Failure::unset:
            return fmt::format("the variable {} has no value", script.variables[outcome.place]);
        case Failure::unknown_count:
            return "no value of the counter whose instances it counts";
        case Failure::no_element:
            return "no value in the same sample";
        case Failure::not_a_number:
            return outcome.place == no_index
                       ? std::string("a text in its script is no number")
                       : fmt::format("the answer to {} is no number", script.variables[outcome.place]);
        case Failure::not_finite:
            return "its script divides by zero or overflows";
        case Failure::wrong_kind:
            return in_line("its script uses a value as what it is not");
        case Failure::no_item:
            return in_line("its script uses an element or a part of a text that does not exist");
        case Failure::other_sample:
            return in_line("its script uses values of other samples");
        case Failure::pattern:
            return in_line("its script uses a regular expression that is no plain text");
        case Failure::too_many_steps:
            return in_line("its script takes too many steps in one sample");
        case Failure::too_large:
            return in_line("its script makes too many texts or elements");
    }
    return {};
}

}  // namespace hkpd::pal
