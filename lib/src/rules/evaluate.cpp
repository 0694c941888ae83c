#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text/names.hpp"
#include "rules/script.hpp"
#include "rules/script_text.hpp"

namespace hkpd::pal {
namespace {

using Failure = Outcome::Failure;
using Kind = Value::Kind;

bool compare(Operation operation, double a, double b) noexcept {
    switch (operation) {
        case Operation::greater:
            return a > b;
        case Operation::greater_equal:
            return a >= b;
        case Operation::less:
            return a < b;
        case Operation::less_equal:
            return a <= b;
        default:
            return a == b;
    }
}

/// Returns the comparison with exchanged operands.
Operation mirrored(Operation operation) noexcept {
    switch (operation) {
        case Operation::greater:
            return Operation::less;
        case Operation::greater_equal:
            return Operation::less_equal;
        case Operation::less:
            return Operation::greater;
        case Operation::less_equal:
            return Operation::greater_equal;
        default:
            return operation;
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

/// Evaluates one script. After a failure, all functions do nothing; in a sample, the next turn of an outermost loop
/// begins anew.
class Evaluation {
  public:
    Evaluation(const Script& script, const Inputs& inputs, SampleResults* sample)
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

    Outcome run() {
        execute(script_.statements);
        if (outcome_.failure == Failure::none && !has_result_) fail(Failure::no_result);
        return outcome_;
    }

    Outcome run_sample(std::uint32_t result) {
        execute(script_.statements);
        if (outcome_.failure != Failure::none && first_failure_.failure == Failure::none) first_failure_ = outcome_;
        if (outcome_.failure == Failure::none && result != no_index) read_series(variables_[result]);
        sample_->steps = steps_ - steps_left_;
        const bool ends = outcome_.failure == Failure::too_many_steps || outcome_.failure == Failure::too_large;
        if (ends || (sample_->turns == 0 && first_failure_.failure != Failure::none))
            return ends ? outcome_ : first_failure_;
        return {};
    }

  private:
    void fail(Failure failure, std::uint32_t place = no_index) noexcept {
        if (failed()) return;
        outcome_.failure = failure;
        outcome_.place = place;
        outcome_.line = line_;
    }
    bool failed() const noexcept { return outcome_.failure != Failure::none; }

    /// Counts a step, or several; fails if there were too many.
    bool step(std::uint64_t count = 1) noexcept {
        if (count > steps_left_) {
            steps_left_ = 0;
            fail(Failure::too_many_steps);
            return false;
        }
        steps_left_ -= count;
        return true;
    }

    // Statements

    enum class Flow : std::uint8_t { on, leaves, continues };  // of the loop around

    void execute(const std::vector<Statement>& statements) {
        for (const Statement& statement : statements) {
            if (failed() || flow_ != Flow::on) return;
            line_ = statement.line;
            if (!step()) return;
            execute(statement);
        }
    }

    void execute(const Statement& statement) {
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

    void assign(const Statement& statement) {
        Operation& conversion = conversions_[statement.variable];
        if (statement.operation != Operation::number) conversion = statement.operation;
        const Value assigned =
            conversion == Operation::number ? value(statement.expression) : converted(conversion, statement.expression);
        if (!failed()) variables_[statement.variable] = assigned;
    }

    void assign_item(const Statement& statement) {
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

    void set_key(const Value& map, const Value& key, const Value& assigned) {
        constexpr std::size_t keys_of_step = 8;
        if (!step(store_.map(map).size() / keys_of_step)) return;
        const Value kept = key.kind == Kind::text ? key : store_.keep(to_text(key));
        if (kept.kind != Kind::text || !store_.set(map, kept.text, assigned)) fail(Failure::too_large);
    }

    void choose(const Statement& statement) {
        for (const Branch& branch : statement.branches) {
            const bool holds = branch.condition == no_index || truth(branch.condition);
            if (failed()) return;
            if (holds) return execute(branch.statements);
        }
    }

    void select(const Statement& statement) {
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

    /// Takes a turn of a loop; returns whether the next may follow.
    bool turn(const std::vector<Statement>& statements) {
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

    /// Ends a turn of an outermost loop: if it has failed, the next one begins anew.
    void end_turn() {
        if (!failed()) {
            ++sample_->turns;
            return;
        }
        if (first_failure_.failure == Failure::none) first_failure_ = outcome_;
        const bool goes_on = outcome_.failure != Failure::too_many_steps && outcome_.failure != Failure::too_large;
        if (goes_on) outcome_ = {};
    }

    void repeat(const Statement& statement) {
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

    void each(const Statement& statement) {
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

    void add_result(double result, const Statement& statement) noexcept {
        if (failed()) return;
        const bool first = !std::exchange(has_result_, true);
        if (!first && !inputs_.elements.empty()) return fail(Failure::two_results);
        if (!first && outcome_.operation != statement.operation && statement.has_operation)
            return fail(Failure::two_ways);
        if (statement.has_operation) outcome_.operation = statement.operation;
        if (!first && outcome_.operation == Operation::equal && outcome_.result != result)
            return fail(Failure::two_ways);
        const bool is_upper = outcome_.operation <= Operation::greater_equal;
        outcome_.result = first      ? result
                          : is_upper ? std::min(outcome_.result, result)
                                     : std::max(outcome_.result, result);
    }

    void raise_alert(const Statement& statement) {
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

    /// Notes that a comparison of the value of a series holds.
    void note(const Value& compared, Operation operation, double limit) {
        if (sample_ == nullptr || compared.kind != Kind::number || compared.place == no_index) return;
        std::erase_if(held_, [&](const SampleResults::Alert& held) { return held.series == compared.place; });
        if (step(held_.size())) held_.push_back({compared.place, operation, limit});
    }

    /// Reads the computed series: a map of lists, which have the value of this sample.
    void read_series(const Value& map) {
        if (map.kind != Kind::map) return;
        for (const auto& [path, values] : store_.map(map)) {
            if (values.kind != Kind::list || store_.list(values).empty()) continue;
            const Value& value = store_.list(values).front();
            const auto number = to_number(value);
            if (store_.list(values).size() == 1 && number && std::isfinite(*number) && value.kind != Kind::text)
                sample_->computed.push_back({std::string(path), *number});
        }
    }

    // Values

    double number(std::uint32_t expression) {
        const Value operand = value(expression);
        const auto number = to_number(operand);
        if (number) return *number;
        const Expression& source = script_.expressions[expression];
        fail(Failure::not_a_number, source.operation == Operation::variable ? source.left : no_index);
        return 0;
    }

    bool truth(std::uint32_t expression) { return to_truth(value(expression), store_); }

    /// Returns the value as text, which is kept; fails for lists and instances.
    std::string_view text(std::uint32_t expression) {
        const Value operand = value(expression);
        if (operand.kind == Kind::text) return operand.text;
        if (operand.kind > Kind::truth) fail(Failure::wrong_kind);
        return kept(to_text(operand)).text;
    }

    Value kept(std::string text) {
        constexpr std::size_t bytes_of_step = 64;
        if (failed() || !step(text.size() / bytes_of_step)) return {};
        const Value made = store_.keep(std::move(text));
        if (made.kind == Kind::nothing) fail(Failure::too_large);
        return made;
    }

    /// Returns a finite number, or fails.
    Value finite(double number) noexcept {
        if (!std::isfinite(number)) fail(Failure::not_finite);
        return Value::of(number);
    }

    static Value instance(std::uint32_t collection, std::size_t position) noexcept {
        return {.kind = Kind::instance, .number = static_cast<double>(position), .text = {}, .place = collection};
    }

    // The parser bounds the depth of expressions and with it this recursion.
    Value value(std::uint32_t position) {
        const Expression& e = script_.expressions[position];
        if (failed() || !step()) return {};
        if (e.operation < Operation::negate) return leaf(e);
        if (e.operation >= Operation::add) return of_two(e);
        switch (e.operation) {
            case Operation::negate:
                return Value::of(-number(e.left));
            case Operation::invert:
                return Value::of_truth(!truth(e.left));
            case Operation::to_list:
                return as_list(value(e.left));
            case Operation::absolute:
                return Value::of(std::abs(number(e.left)));
            case Operation::round:
                return Value::of(round_to(number(e.left), e.right == no_index ? 0 : number(e.right)));
            case Operation::item:
                return item(value(e.left), value(e.right));
            case Operation::call:
                return called(e);
            case Operation::append:
                return appended(value(e.left), value(e.right));
            case Operation::join: {
                const std::string_view left = text(e.left), right = text(e.right);
                return kept(fmt::format("{}{}", left, right));
            }
            default:
                return converted(e.operation, e.left);
        }
    }

    Value converted(Operation operation, std::uint32_t expression) {
        if (operation == Operation::to_text) {
            const std::string_view converted = text(expression);
            return failed() ? Value{} : Value::of(converted);
        }
        if (operation == Operation::to_integer) return Value::of(std::nearbyint(number(expression)));
        const Value operand = value(expression);  // a value of a series stays one
        if (operand.kind == Kind::number) return operand;
        const auto number = to_number(operand);
        if (!number) {
            const Expression& source = script_.expressions[expression];
            fail(Failure::not_a_number, source.operation == Operation::variable ? source.left : no_index);
        }
        return Value::of(number.value_or(0));
    }

    Value of_two(const Expression& e) {
        switch (e.operation) {
            case Operation::both:
                return Value::of_truth(truth(e.left) && truth(e.right));
            case Operation::either:
                return Value::of_truth(truth(e.left) || truth(e.right));
            case Operation::equal:
            case Operation::not_equal:
                return equals(e);
            case Operation::matches:
            case Operation::not_matches: {
                const auto pattern = pattern_of(text(e.right));
                const std::string_view searched = text(e.left);
                if (!pattern || failed()) return {};
                return Value::of_truth(pattern->is_part_of(searched) == (e.operation == Operation::matches));
            }
            case Operation::contains:
            case Operation::not_contains:
                return Value::of_truth(has(value(e.left), value(e.right)) == (e.operation == Operation::contains));
            case Operation::add:
                return sum(e);
            default:
                break;
        }
        if (e.operation >= Operation::greater) return relation(e);
        const double left = number(e.left), right = number(e.right);
        return finite(calculate(e.operation, left, right));
    }

    Value equals(const Expression& e) {
        const Value left = value(e.left), right = value(e.right);
        if (failed()) return {};
        if (left.kind > Kind::truth || right.kind > Kind::truth) fail(Failure::wrong_kind);
        const bool are = are_equal(left, right);
        if (are && e.operation == Operation::equal) {
            note(left, Operation::equal, to_number(right).value_or(0));
            note(right, Operation::equal, to_number(left).value_or(0));
        }
        return Value::of_truth(are == (e.operation == Operation::equal));
    }

    Value relation(const Expression& e) {
        const Value first = value(e.left);
        const auto left = to_number(first);
        const Value second = value(e.right);
        const auto right = to_number(second);
        if (!left || !right) {
            const Expression& source = script_.expressions[left ? e.right : e.left];
            fail(Failure::not_a_number, source.operation == Operation::variable ? source.left : no_index);
        }
        if (failed() || !left || !right) return {};
        const bool holds = compare(e.operation, *left, *right);
        if (holds) {
            note(first, e.operation, *right);
            note(second, mirrored(e.operation), *left);
        }
        return Value::of_truth(holds);
    }

    /// Adds numbers, or texts and lists to the end of the first operand of that kind.
    Value sum(const Expression& e) {
        const Value left = value(e.left);
        if (left.kind == Kind::text) {
            const std::string_view right = text(e.right);
            return failed() ? Value{} : kept(fmt::format("{}{}", left.text, right));
        }
        if (left.kind == Kind::list) {
            const Value right = value(e.right);
            if (failed()) return {};
            const Value made = as_list(left);
            if (right.kind != Kind::list) return appended(made, right);
            for (std::size_t i = 0; i < store_.list(right).size() && !failed(); ++i)
                appended(made, Value(store_.list(right)[i]));
            return made;
        }
        const auto first = to_number(left);
        if (!first && !failed()) {
            const Expression& source = script_.expressions[e.left];
            fail(Failure::not_a_number, source.operation == Operation::variable ? source.left : no_index);
        }
        const double second = number(e.right);
        return failed() ? Value{} : finite(*first + second);
    }

    Value leaf(const Expression& e) {
        switch (e.operation) {
            case Operation::text:
                return Value::of(script_.texts[e.left]);
            case Operation::truth:
                return Value::of_truth(e.number != 0);
            case Operation::nothing:
                return {};
            case Operation::variable:
                if (variables_[e.left].kind == Kind::nothing) fail(Failure::unset, e.left);
                return variables_[e.left];
            case Operation::count:
                if (!inputs_.instances.empty()) return Value::of(static_cast<double>(inputs_.instances[e.left].size()));
                if (std::isnan(inputs_.counts[e.left])) fail(Failure::unknown_count, e.left);
                return Value::of(inputs_.counts[e.left]);
            case Operation::collection:
                if (inputs_.instances.empty()) fail(Failure::wrong_kind);
                return {.kind = Kind::collection, .text = {}, .place = e.left};
            case Operation::element:
                if (std::isnan(inputs_.elements[e.left])) fail(Failure::no_element, e.left);
                return Value::of(inputs_.elements[e.left]);
            case Operation::empty_list:
            case Operation::empty_map: {
                const Value made = e.operation == Operation::empty_list ? store_.new_list() : store_.new_map();
                if (made.kind == Kind::nothing) fail(Failure::too_large);
                return made;
            }
            default:
                return Value::of(e.number);
        }
    }

    // Lists, maps and instances

    Value appended(const Value& list, const Value& element) {
        if (failed() || !step()) return {};
        if (list.kind != Kind::list) fail(Failure::wrong_kind);
        if (!failed() && !store_.add(list, element)) fail(Failure::too_large);
        return list;
    }

    /// Returns a new list of the elements of a list, or of a single value.
    Value as_list(const Value& of) {
        const Value made = failed() ? Value{} : store_.new_list();
        if (!failed() && made.kind == Kind::nothing) fail(Failure::too_large);
        if (of.kind != Kind::list) return appended(made, of);
        for (std::size_t i = 0; i < store_.list(of).size() && !failed(); ++i) appended(made, Value(store_.list(of)[i]));
        return made;
    }

    bool has(const Value& list, const Value& element) {
        if (list.kind != Kind::list) fail(Failure::wrong_kind);
        if (failed() || !step(store_.list(list).size())) return false;
        return std::ranges::any_of(store_.list(list), [&](const Value& one) { return are_equal(one, element); });
    }

    /// Returns a position, or `count` if it is none below it.
    static std::size_t position_in(const Value& key, std::size_t count) noexcept {
        const auto number = to_number(key);
        const bool is_position = number && *number >= 0 && *number < static_cast<double>(count);
        return is_position ? static_cast<std::size_t>(std::nearbyint(*number)) : count;
    }

    Value item(const Value& of, const Value& key) {
        if (failed()) return {};
        switch (of.kind) {
            case Kind::map: {
                constexpr std::size_t keys_of_step = 8;
                if (!step(store_.map(of).size() / keys_of_step)) return {};
                const Value* const found = store_.find(of, key.kind == Kind::text ? key.text : kept(to_text(key)).text);
                if (found == nullptr) fail(Failure::no_item);
                return found == nullptr ? Value{} : *found;
            }
            case Kind::list: {
                const std::size_t position = position_in(key, store_.list(of).size());
                if (position >= store_.list(of).size()) fail(Failure::no_item);
                return failed() ? Value{} : store_.list(of)[position];
            }
            case Kind::collection: {
                const std::size_t count = inputs_.instances[of.place].size(), position = position_in(key, count);
                if (position >= count) fail(Failure::no_element);
                return instance(of.place, position);
            }
            case Kind::series: {
                require_sample(to_number(key).value_or(-1));
                const Instance& one = inputs_.instances[of.place][static_cast<std::size_t>(of.number)];
                if (std::isnan(one.value)) fail(Failure::no_element);
                return {.kind = Kind::number, .number = one.value, .text = {}, .place = one.series};
            }
            default:
                fail(Failure::wrong_kind);
                return {};
        }
    }

    /// Fails unless a position among the samples is that of the current one, the only one that there is.
    void require_sample(double position) noexcept {
        if (position != 0) fail(Failure::other_sample);
    }

    // Methods and functions

    Value called(const Expression& e) {
        const Function function = e.function;
        if (function <= Function::index_of) return of_text(e);
        const Value object = value(e.left);
        if (failed()) return {};
        if (function >= Function::instance_name && function <= Function::values) return of_instance(function, object);
        switch (function) {
            case Function::length:
                return length(object);
            case Function::add:
                return add_element(object, e);
            case Function::keys:
                return keys(object);
            case Function::contains_key: {
                const std::string_view key = text(e.right);
                if (!failed() && object.kind != Kind::map) fail(Failure::wrong_kind);
                return failed() ? Value{} : Value::of_truth(store_.find(object, key) != nullptr);
            }
            case Function::is_positive: {
                const auto number = to_number(object);
                const bool is_positive = object.kind != Kind::truth && number && *number > 0;
                if (is_positive) note(object, Operation::greater, 0);
                return Value::of_truth(is_positive);
            }
            case Function::is_number:
                return Value::of_truth(to_number(object).has_value());
            default:
                return server_name(object);
        }
    }

    Value of_text(const Expression& e) {
        const std::string_view of = text(e.left);
        if (failed()) return {};
        switch (e.function) {
            case Function::substring: {
                const double from = number(e.right);
                const auto count = e.third == no_index ? std::nullopt : std::optional(number(e.third));
                const auto part = part_of(of, from, count);
                if (!part) fail(Failure::no_item);
                return Value::of(part.value_or(std::string_view{}));
            }
            case Function::to_upper:
                return kept(in_case(of, 'a', 'z', 'A'));
            case Function::to_lower:
                return kept(in_case(of, 'A', 'Z', 'a'));
            case Function::trim: {
                const auto begin = of.find_first_not_of(" \t\r\n");
                if (begin == std::string_view::npos) return Value::of(std::string_view{});
                return Value::of(of.substr(begin, of.find_last_not_of(" \t\r\n") - begin + 1));
            }
            case Function::split: {
                const Value made = store_.new_list();
                if (made.kind == Kind::nothing) fail(Failure::too_large);
                const std::string_view separators = text(e.right);
                if (failed()) return {};
                for (const std::string_view part : split_at(of, separators)) appended(made, Value::of(part));
                return made;
            }
            case Function::replace: {
                const auto pattern = pattern_of(text(e.right));
                const std::string_view by = text(e.third);
                if (!failed() && by.find('$') != std::string_view::npos) fail(Failure::pattern);
                return failed() || !pattern ? Value{} : kept(pattern->replace(of, by));
            }
            default:
                break;
        }
        const std::string_view part = text(e.right);
        switch (e.function) {
            case Function::text_contains:
                return Value::of_truth(of.find(part) != std::string_view::npos);
            case Function::starts_with:
                return Value::of_truth(of.starts_with(part));
            case Function::ends_with:
                return Value::of_truth(of.ends_with(part));
            default:
                return Value::of(pal::position_in(of, part));
        }
    }

    /// Returns the text with the letters of ASCII in the other case.
    static std::string in_case(std::string_view text, char first, char last, char to) {
        std::string made(text);
        for (char& c : made)
            if (c >= first && c <= last) c = static_cast<char>(c - first + to);
        return made;
    }

    std::optional<PlainPattern> pattern_of(std::string_view text) {
        auto pattern = failed() ? std::nullopt : PlainPattern::parse(text);
        if (!pattern) fail(Failure::pattern);
        return pattern;
    }

    Value of_instance(Function function, const Value& object) {
        if (object.kind != Kind::instance) {
            fail(Failure::wrong_kind);
            return {};
        }
        const Instance& one = inputs_.instances[object.place][static_cast<std::size_t>(object.number)];
        switch (function) {
            case Function::instance_name:
                return Value::of(one.instance);
            case Function::object_name:
                return Value::of(one.object);
            case Function::counter_name:
                return Value::of(one.counter);
            case Function::machine_name:
                return Value::of(one.machine);
            default: {
                Value series = object;
                series.kind = Kind::series;
                return series;
            }
        }
    }

    Value length(const Value& of) {
        switch (of.kind) {
            case Kind::text:
                return Value::of(static_cast<double>(length_of(of.text)));
            case Kind::list:
                return Value::of(static_cast<double>(store_.list(of).size()));
            case Kind::map:
                return Value::of(static_cast<double>(store_.map(of).size()));
            case Kind::collection:
                return Value::of(static_cast<double>(inputs_.instances[of.place].size()));
            default:  // a single value, or that of the only sample
                return Value::of(1);
        }
    }

    Value add_element(const Value& to, const Expression& e) {
        const Value first = value(e.right);
        if (failed()) return {};
        if (to.kind == Kind::map && e.third != no_index) {
            const Value second = value(e.third);
            if (!failed()) set_key(to, first, second);
            return {};
        }
        if (e.third != no_index) fail(Failure::wrong_kind);
        return appended(to, first);
    }

    Value keys(const Value& of) {
        if (of.kind != Kind::map) fail(Failure::wrong_kind);
        const Value made = failed() ? Value{} : store_.new_list();
        for (std::size_t i = 0; !failed() && i < store_.map(of).size(); ++i)
            appended(made, Value::of(store_.map(of)[i].first));
        return made;
    }

    /// Returns the named instance of SQL Server in the name of an object: `NAME` of `MSSQL$NAME:Locks`, as PAL does.
    Value server_name(const Value& object) {
        if (object.kind != Kind::text) {
            fail(Failure::wrong_kind);
            return {};
        }
        const std::size_t begin = object.text.find('$');
        if (begin == std::string_view::npos) return Value::of(std::string_view{});
        const std::size_t end = object.text.find(':', begin);
        if (end == std::string_view::npos) fail(Failure::no_item);
        return Value::of(object.text.substr(begin + 1, end - begin - 1));
    }

    const Script& script_;
    const Inputs& inputs_;
    SampleResults* sample_;
    std::vector<Value> variables_;
    std::vector<Operation> conversions_;  // of variables with a type; `number` for others
    ValueStore store_;
    std::vector<SampleResults::Alert> held_;  // comparisons of values of series that held in the current turn
    Outcome outcome_, first_failure_;
    std::uint64_t steps_ = 0, steps_left_;
    std::uint32_t line_ = 0;
    unsigned loops_ = 0;
    Flow flow_ = Flow::on;
    bool has_result_ = false;
};

}  // namespace

Outcome evaluate(const Script& script, const Inputs& inputs) { return Evaluation(script, inputs, nullptr).run(); }

Outcome evaluate_sample(const Script& script, const Inputs& inputs, std::uint32_t result, SampleResults& results) {
    results = {};
    return Evaluation(script, inputs, &results).run_sample(result);
}

std::string describe(const Script& script, const Outcome& outcome) {
    const auto in_line = [&outcome](std::string_view text) {
        return outcome.line == 0 ? std::string(text) : fmt::format("{} (line {})", text, outcome.line);
    };
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
