#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "rules/script.hpp"

namespace hkpd::pal {
namespace {

using Failure = Outcome::Failure;

std::string_view trimmed(std::string_view text) noexcept {
    const auto begin = text.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view{}
                                           : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Returns the value as a number; an empty text is 0, as in PowerShell. Returns none for a text that is no number.
std::optional<double> to_number(const Value& value) noexcept {
    if (value.kind != Value::Kind::text) return value.number;
    const std::string_view text = trimmed(value.text);
    if (text.empty()) return 0.0;
    const auto number = parse_double(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

bool to_truth(const Value& value) noexcept {
    return value.kind == Value::Kind::text ? !value.text.empty() : value.number != 0;
}

std::string_view text_of(const Value& value) noexcept {
    if (value.kind == Value::Kind::truth) return value.number != 0 ? "True" : "False";
    return value.text;
}

bool are_equal(const Value& a, const Value& b) {
    const auto first = to_number(a), second = to_number(b);
    const bool has_truth = a.kind == Value::Kind::truth || b.kind == Value::Kind::truth;
    const bool has_text = a.kind == Value::Kind::text || b.kind == Value::Kind::text;
    if (first && second && !(has_truth && has_text)) return *first == *second;
    return compare_names(text_of(a), text_of(b)) == 0;
}

bool compare(Operation operation, double a, double b) noexcept {
    switch (operation) {
        case Operation::greater:
            return a > b;
        case Operation::greater_equal:
            return a >= b;
        case Operation::less:
            return a < b;
        default:
            return a <= b;
    }
}

double calculate(Operation operation, double a, double b) noexcept {
    switch (operation) {
        case Operation::add:
            return a + b;
        case Operation::subtract:
            return a - b;
        case Operation::multiply:
            return a * b;
        default:
            return a / b;
    }
}

/// Rounds to a number of decimals, halves to the even digit.
double round_to(double number, double decimals) noexcept {
    const double scale = std::pow(10.0, std::clamp(std::nearbyint(decimals), 0.0, 15.0));
    const double scaled = number * scale;
    return std::isfinite(scaled) ? std::nearbyint(scaled) / scale : number;
}

/// Evaluates one script. After the first failure, all functions do nothing.
class Evaluation {
  public:
    Evaluation(const Script& script, const Inputs& inputs)
        : script_(script),
          inputs_(inputs),
          variables_(inputs.variables.begin(), inputs.variables.end()),
          integers_(inputs.variables.size()) {}

    Outcome run() {
        execute(script_.statements);
        if (outcome_.failure == Failure::none && !has_result_) fail(Failure::no_result);
        return outcome_;
    }

  private:
    void fail(Failure failure, std::uint32_t place = no_index) noexcept {
        if (outcome_.failure != Failure::none) return;
        outcome_.failure = failure;
        outcome_.place = place;
    }
    bool failed() const noexcept { return outcome_.failure != Failure::none; }

    void execute(const std::vector<Statement>& statements) {
        for (const Statement& statement : statements) {
            if (failed()) return;
            switch (statement.kind) {
                case Statement::Kind::assign:
                    assign(statement);
                    break;
                case Statement::Kind::choose:
                    choose(statement);
                    break;
                case Statement::Kind::result:
                    add_result(number(statement.expression));
                    break;
            }
        }
    }

    void assign(const Statement& statement) {
        if (statement.is_integer) integers_[statement.variable] = true;
        if (integers_[statement.variable])
            variables_[statement.variable] = Value::of(std::nearbyint(number(statement.expression)));
        else
            variables_[statement.variable] = value(statement.expression);
    }

    void choose(const Statement& statement) {
        for (const Branch& branch : statement.branches) {
            const bool holds = branch.condition == no_index || to_truth(value(branch.condition));
            if (failed()) return;
            if (holds) return execute(branch.statements);
        }
    }

    void add_result(double result) noexcept {
        if (failed()) return;
        const bool first = !std::exchange(has_result_, true);
        if (!first && !inputs_.elements.empty()) return fail(Failure::two_results);
        const bool is_upper = script_.comparison.operation <= Operation::greater_equal;
        outcome_.result = first      ? result
                          : is_upper ? std::min(outcome_.result, result)
                                     : std::max(outcome_.result, result);
    }

    double number(std::uint32_t expression) {
        const Value operand = value(expression);
        const auto number = to_number(operand);
        if (number) return *number;
        const Expression& source = script_.expressions[expression];
        fail(Failure::not_a_number, source.operation == Operation::variable ? source.left : no_index);
        return 0;
    }

    /// Returns a finite number, or fails.
    Value finite(double number) noexcept {
        if (!std::isfinite(number)) fail(Failure::not_finite);
        return Value::of(number);
    }

    // The parser bounds the depth of expressions and with it this recursion.
    Value value(std::uint32_t position) {
        const Expression& e = script_.expressions[position];
        if (failed()) return {};
        if (e.operation < Operation::negate) return leaf(e);
        switch (e.operation) {
            case Operation::negate:
                return Value::of(-number(e.left));
            case Operation::invert:
                return Value::of_truth(!to_truth(value(e.left)));
            case Operation::to_integer:
                return Value::of(std::nearbyint(number(e.left)));
            case Operation::to_double:
                return Value::of(number(e.left));
            case Operation::absolute:
                return Value::of(std::abs(number(e.left)));
            case Operation::round:
                return Value::of(round_to(number(e.left), e.right == no_index ? 0 : number(e.right)));
            case Operation::both:
                return Value::of_truth(to_truth(value(e.left)) && to_truth(value(e.right)));
            case Operation::either:
                return Value::of_truth(to_truth(value(e.left)) || to_truth(value(e.right)));
            case Operation::equal:
            case Operation::not_equal: {
                const Value left = value(e.left), right = value(e.right);
                return Value::of_truth(are_equal(left, right) == (e.operation == Operation::equal));
            }
            default:
                break;
        }
        const double left = number(e.left), right = number(e.right);
        if (e.operation >= Operation::greater) return Value::of_truth(compare(e.operation, left, right));
        return finite(calculate(e.operation, left, right));
    }

    Value leaf(const Expression& e) noexcept {
        switch (e.operation) {
            case Operation::text:
                return Value::of(script_.texts[e.left]);
            case Operation::truth:
                return Value::of_truth(e.number != 0);
            case Operation::variable:
                if (variables_[e.left].kind == Value::Kind::nothing) fail(Failure::unset, e.left);
                return variables_[e.left];
            case Operation::count:
                if (std::isnan(inputs_.counts[e.left])) fail(Failure::unknown_count, e.left);
                return Value::of(inputs_.counts[e.left]);
            case Operation::element:
                if (std::isnan(inputs_.elements[e.left])) fail(Failure::no_element, e.left);
                return Value::of(inputs_.elements[e.left]);
            default:
                return Value::of(e.number);
        }
    }

    const Script& script_;
    const Inputs& inputs_;
    std::vector<Value> variables_;
    std::vector<bool> integers_;
    Outcome outcome_;
    bool has_result_ = false;
};

}  // namespace

Outcome evaluate(const Script& script, const Inputs& inputs) { return Evaluation(script, inputs).run(); }

std::string describe(const Script& script, const Outcome& outcome) {
    switch (outcome.failure) {
        case Failure::none:
            return {};
        case Failure::no_result:
            return "no condition of its script holds";
        case Failure::two_results:
            return "its script computes two values for one sample";
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
    }
    return {};
}

}  // namespace hkpd::pal
