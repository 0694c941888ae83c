#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "rules/evaluation.hpp"
#include "rules/exceedance.hpp"

namespace hkpd::pal {
namespace {

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
/// Returns the text with the letters of ASCII in the other case.
std::string in_case(std::string_view text, char first, char last, char to) {
    std::string made(text);
    for (char& c : made)
        if (c >= first && c <= last) c = static_cast<char>(c - first + to);
    return made;
}

}  // namespace

// Values

double Evaluation::number(std::uint32_t expression) {
    const Value operand = value(expression);
    const auto number = to_number(operand);
    if (number) return *number;
    const Expression& source = script_.expressions[expression];
    fail(Failure::not_a_number, source.operation == Operation::variable ? source.left : no_index);
    return 0;
}

std::string_view Evaluation::text(std::uint32_t expression) {
    const Value operand = value(expression);
    if (operand.kind == Kind::text) return operand.text;
    if (operand.kind > Kind::truth) fail(Failure::wrong_kind);
    return kept(to_text(operand)).text;
}

Value Evaluation::kept(std::string text) {
    constexpr std::size_t bytes_of_step = 64;
    if (failed() || !step(text.size() / bytes_of_step)) return {};
    const Value made = store_.keep(std::move(text));
    if (made.kind == Kind::nothing) fail(Failure::too_large);
    return made;
}

Value Evaluation::finite(double number) noexcept {
    if (!std::isfinite(number)) fail(Failure::not_finite);
    return Value::of(number);
}

// The parser bounds the depth of expressions and with it this recursion.
Value Evaluation::value(std::uint32_t position) {
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

Value Evaluation::converted(Operation operation, std::uint32_t expression) {
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

Value Evaluation::of_two(const Expression& e) {
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

Value Evaluation::equals(const Expression& e) {
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

Value Evaluation::relation(const Expression& e) {
    const Value first = value(e.left);
    const auto left = to_number(first);
    const Value second = value(e.right);
    const auto right = to_number(second);
    if (!left || !right) {
        const Expression& source = script_.expressions[left ? e.right : e.left];
        fail(Failure::not_a_number, source.operation == Operation::variable ? source.left : no_index);
    }
    if (failed() || !left || !right) return {};
    const bool holds = exceeds(e.operation, *left, *right);
    if (holds) {
        note(first, e.operation, *right);
        note(second, mirrored(e.operation), *left);
    }
    return Value::of_truth(holds);
}

Value Evaluation::sum(const Expression& e) {
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

Value Evaluation::leaf(const Expression& e) {
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

Value Evaluation::appended(const Value& list, const Value& element) {
    if (failed() || !step()) return {};
    if (list.kind != Kind::list) fail(Failure::wrong_kind);
    if (!failed() && !store_.add(list, element)) fail(Failure::too_large);
    return list;
}

Value Evaluation::as_list(const Value& of) {
    const Value made = failed() ? Value{} : store_.new_list();
    if (!failed() && made.kind == Kind::nothing) fail(Failure::too_large);
    if (of.kind != Kind::list) return appended(made, of);
    for (std::size_t i = 0; i < store_.list(of).size() && !failed(); ++i) appended(made, Value(store_.list(of)[i]));
    return made;
}

bool Evaluation::has(const Value& list, const Value& element) {
    if (list.kind != Kind::list) fail(Failure::wrong_kind);
    if (failed() || !step(store_.list(list).size())) return false;
    return std::ranges::any_of(store_.list(list), [&](const Value& one) { return are_equal(one, element); });
}

std::size_t Evaluation::position_in(const Value& key, std::size_t count) noexcept {
    const auto number = to_number(key);
    const bool is_position = number && *number >= 0 && *number < static_cast<double>(count);
    return is_position ? static_cast<std::size_t>(std::nearbyint(*number)) : count;
}

Value Evaluation::item(const Value& of, const Value& key) {
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

void Evaluation::require_sample(double position) noexcept {
    if (position != 0) fail(Failure::other_sample);
}

// Methods and functions

Value Evaluation::called(const Expression& e) {
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

Value Evaluation::of_text(const Expression& e) {
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

std::optional<PlainPattern> Evaluation::pattern_of(std::string_view text) {
    auto pattern = failed() ? std::nullopt : PlainPattern::parse(text);
    if (!pattern) fail(Failure::pattern);
    return pattern;
}

Value Evaluation::of_instance(Function function, const Value& object) {
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

Value Evaluation::length(const Value& of) {
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

Value Evaluation::add_element(const Value& to, const Expression& e) {
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

Value Evaluation::keys(const Value& of) {
    if (of.kind != Kind::map) fail(Failure::wrong_kind);
    const Value made = failed() ? Value{} : store_.new_list();
    for (std::size_t i = 0; !failed() && i < store_.map(of).size(); ++i)
        appended(made, Value::of(store_.map(of)[i].first));
    return made;
}

Value Evaluation::server_name(const Value& object) {
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

}  // namespace hkpd::pal
