// Expressions: each function reads the operators of one precedence.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "rules/script_parser.hpp"

namespace hkpd::pal {
namespace {

constexpr std::uint32_t deepest_tree = 128;  // of operations: a sum of n numbers has the depth n
constexpr std::size_t most_expressions = 4096;
constexpr unsigned deepest_expression = 32;  // of parentheses, together with the blocks around

template <class What>
struct Named {
    std::string_view name;
    What what;
};

template <class What, std::size_t Size>
std::optional<What> find_named(const std::array<Named<What>, Size>& all, std::string_view name) {
    const auto* const found = std::ranges::find_if(all, [name](const auto& one) { return same_name(one.name, name); });
    return found == all.end() ? std::nullopt : std::optional(found->what);
}

constexpr auto comparisons = std::to_array<Named<Operation>>({{"-gt", Operation::greater},
                                                              {"-ge", Operation::greater_equal},
                                                              {"-lt", Operation::less},
                                                              {"-le", Operation::less_equal},
                                                              {"-eq", Operation::equal},
                                                              {"-ne", Operation::not_equal}});
constexpr auto text_operators = std::to_array<Named<Operation>>({{"-match", Operation::matches},
                                                                 {"-notmatch", Operation::not_matches},
                                                                 {"-contains", Operation::contains},
                                                                 {"-notcontains", Operation::not_contains}});

constexpr auto types = std::to_array<Named<Operation>>({{"int", Operation::to_integer},
                                                        {"int32", Operation::to_integer},
                                                        {"int64", Operation::to_integer},
                                                        {"long", Operation::to_integer},
                                                        {"System.Int32", Operation::to_integer},
                                                        {"System.Int64", Operation::to_integer},
                                                        {"double", Operation::to_double},
                                                        {"System.Double", Operation::to_double},
                                                        {"string", Operation::to_text},
                                                        {"System.String", Operation::to_text}});

constexpr auto properties = std::to_array<Named<Function>>({{"Count", Function::length},
                                                            {"Length", Function::length},
                                                            {"Keys", Function::keys},
                                                            {"CounterInstance", Function::instance_name},
                                                            {"CounterObject", Function::object_name},
                                                            {"CounterName", Function::counter_name},
                                                            {"CounterComputer", Function::machine_name},
                                                            {"Value", Function::values},
                                                            {"QuantizedAvg", Function::values},
                                                            {"QuantizedMin", Function::values},
                                                            {"QuantizedMax", Function::values}});

struct Method {
    Function function;
    unsigned least, most;  // number of arguments
};
constexpr auto methods = std::to_array<Named<Method>>({{"Substring", {Function::substring, 1, 2}},
                                                       {"ToUpper", {Function::to_upper, 0, 0}},
                                                       {"ToLower", {Function::to_lower, 0, 0}},
                                                       {"Trim", {Function::trim, 0, 0}},
                                                       {"Split", {Function::split, 1, 1}},
                                                       {"Contains", {Function::text_contains, 1, 1}},
                                                       {"StartsWith", {Function::starts_with, 1, 1}},
                                                       {"EndsWith", {Function::ends_with, 1, 1}},
                                                       {"IndexOf", {Function::index_of, 1, 1}},
                                                       {"Add", {Function::add, 1, 2}},
                                                       {"ContainsKey", {Function::contains_key, 1, 1}}});

}  // namespace

std::string shown_in_reason(std::string_view text) {
    constexpr std::size_t most = 40;
    std::string name(text.substr(0, most));
    std::ranges::replace_if(name, [](char c) { return c < ' ' || c > '~'; }, '?');
    return name;
}

std::optional<Operation> comparison_named(std::string_view option) { return find_named(comparisons, option); }
std::optional<Operation> conversion_to(std::string_view type) { return find_named(types, type); }

// The tree

std::uint32_t ScriptParser::add(Expression expression) {
    if (failed()) return no_index;
    for (const std::uint32_t operand : {expression.left, expression.right, expression.third})
        if (expression.operation >= Operation::negate && operand != no_index)
            expression.depth = std::max(expression.depth, script_.expressions[operand].depth + 1);
    if (expression.depth > deepest_tree || script_.expressions.size() >= most_expressions) {
        fail("has too long an expression");
        return no_index;
    }
    script_.expressions.push_back(expression);
    return static_cast<std::uint32_t>(script_.expressions.size() - 1);
}

std::uint32_t ScriptParser::add(Operation operation, std::uint32_t left, std::uint32_t right) {
    return add(Expression{.operation = operation, .left = left, .right = right});
}

std::uint32_t ScriptParser::add(Function function, std::uint32_t left, std::uint32_t right, std::uint32_t third) {
    return add(
        Expression{.operation = Operation::call, .function = function, .left = left, .right = right, .third = third});
}

std::uint32_t ScriptParser::add_number(double number) {
    return add(Expression{.operation = Operation::number, .number = number});
}

std::uint32_t ScriptParser::add_text(std::string_view text) {
    const auto& texts = script_.texts;
    const auto found = std::ranges::find(texts, text);
    const auto position = static_cast<std::uint32_t>(found - texts.begin());
    if (found == texts.end()) script_.texts.emplace_back(text);
    return add(Operation::text, position);
}

std::uint32_t ScriptParser::position_of(std::vector<std::string>& names, std::string_view name) {
    const auto found = std::ranges::find_if(names, [name](const std::string& n) { return same_name(n, name); });
    if (found == names.end()) {
        names.emplace_back(name);
        return static_cast<std::uint32_t>(names.size() - 1);
    }
    return static_cast<std::uint32_t>(found - names.begin());
}

bool ScriptParser::is_assigned(std::string_view name) const {
    for (std::size_t i = 0; i < script_.variables.size() && i < assigned_.size(); ++i)
        if (assigned_[i] && same_name(script_.variables[i], name)) return true;
    return false;
}

bool ScriptParser::is_collection(std::string_view name) const {
    return std::ranges::any_of(collections_, [name](const std::string& known) { return same_name(known, name); });
}

// Operators

/// In parentheses, an expression goes on in the next line even if it could end here.
void ScriptParser::skip_in_parentheses() {
    if (parentheses_ != 0) cursor_.skip_new_lines();
}

std::uint32_t ScriptParser::expression() {
    if (++nesting_ > deepest_expression) fail("is nested too deeply");
    const std::uint32_t read = failed() ? no_index : logical();
    --nesting_;
    return read;
}

std::uint32_t ScriptParser::logical() {
    std::uint32_t left = compared();
    while (!failed()) {
        skip_in_parentheses();
        const bool is_both = cursor_.take_option("-and");
        if (!is_both && !cursor_.take_option("-or")) break;
        cursor_.skip_new_lines();
        left = add(is_both ? Operation::both : Operation::either, left, compared());
    }
    return left;
}

std::uint32_t ScriptParser::compared() {
    std::uint32_t left = sum();
    while (!failed()) {
        skip_in_parentheses();
        if (!cursor_.is(TokenKind::option)) break;
        if (!is_restricted() && cursor_.take_option("-replace")) {
            left = replaced(left);
            continue;
        }
        auto found = comparison_named(cursor_.token().text);
        if (!found && !is_restricted()) found = find_named(text_operators, cursor_.token().text);
        if (!found) break;
        cursor_.advance();
        cursor_.skip_new_lines();
        left = add(*found, left, sum());
    }
    return left;
}

/// After `-replace`: `('pattern', 'text')`, or the same without parentheses
std::uint32_t ScriptParser::replaced(std::uint32_t text) {
    const bool has_parentheses = cursor_.take_symbol("(");
    const std::uint32_t pattern = sum();
    if (!cursor_.take_symbol(",")) fail_here();
    const std::uint32_t by = failed() ? no_index : sum();
    if (has_parentheses && !cursor_.take_symbol(")")) fail_here();
    return add(Function::replace, text, pattern, by);
}

std::uint32_t ScriptParser::sum() {
    std::uint32_t left = product();
    while (!failed()) {
        skip_in_parentheses();
        const bool is_sum = cursor_.take_symbol("+");
        if (!is_sum && !cursor_.take_symbol("-")) break;
        cursor_.skip_new_lines();
        left = add(is_sum ? Operation::add : Operation::subtract, left, product());
    }
    return left;
}

std::uint32_t ScriptParser::product() {
    std::uint32_t left = unary();
    while (!failed()) {
        skip_in_parentheses();
        const bool is_product = cursor_.take_symbol("*");
        if (!is_product && !cursor_.take_symbol("/")) break;
        cursor_.skip_new_lines();
        left = add(is_product ? Operation::multiply : Operation::divide, left, unary());
    }
    return left;
}

std::uint32_t ScriptParser::unary() {
    if (++nesting_ > deepest_expression) fail("is nested too deeply");
    std::uint32_t read = no_index;
    if (failed()) {
    } else if (cursor_.take_symbol("-")) {
        read = add(Operation::negate, unary());
    } else if (cursor_.take_option("-not") || cursor_.take_symbol("!")) {
        read = add(Operation::invert, unary());
    } else {
        read = primary();
    }
    --nesting_;
    return read;
}

// Operands

std::uint32_t ScriptParser::primary() {
    const Token& token = cursor_.token();
    switch (token.kind) {
        case TokenKind::number:
            cursor_.advance();
            return add_number(token.number);
        case TokenKind::text: {
            cursor_.advance();
            const std::uint32_t text = add_text(token.text);
            return is_restricted() ? text : with_members(text);
        }
        case TokenKind::variable:
            cursor_.advance();
            return after_variable(token.text);
        case TokenKind::expandable:
            if (!is_restricted()) return expanded();
            break;
        case TokenKind::word:
            if (!is_restricted()) return command();
            break;
        default:
            break;
    }
    if (cursor_.is_symbol("[")) return bracketed_ == nullptr ? type_or_function() : in_brackets();
    if (cursor_.is_symbol("@") && !is_restricted()) return with_members(list_or_map());
    if (cursor_.is_symbol("(") && elements_ != nullptr && same_name(cursor_.ahead(1).text, "IsGreaterThanZero")) {
        cursor_.advance();
        cursor_.advance();
        const std::uint32_t operand = unary();
        if (!cursor_.take_symbol(")")) fail_here();
        return add(Operation::greater, operand, add_number(0));
    }
    const std::uint32_t inner = in_parentheses();
    return is_restricted() ? inner : with_members(inner);
}

/// `(expression)`, `$(expression)`, `('a', 'b')`
std::uint32_t ScriptParser::in_parentheses() {
    if (!cursor_.take_symbol("(") && !cursor_.take_symbol("$(")) {
        fail_here();
        return no_index;
    }
    ++parentheses_;
    cursor_.skip_new_lines();
    const std::uint32_t inner = listed(expression());
    skip_in_parentheses();
    --parentheses_;
    if (!cursor_.take_symbol(")")) fail_here();
    return inner;
}

/// Further elements of a list: `, 'b', 'c'`
std::uint32_t ScriptParser::listed(std::uint32_t first) {
    if (is_restricted() || failed() || !cursor_.is_symbol(",")) return first;
    std::uint32_t list = add(Operation::append, add(Expression{.operation = Operation::empty_list}), first);
    while (!failed() && cursor_.take_symbol(",")) {
        cursor_.skip_new_lines();
        list = add(Operation::append, list, expression());
    }
    return list;
}

/// `@{}`, `@('a', 'b')`
std::uint32_t ScriptParser::list_or_map() {
    cursor_.advance();
    if (cursor_.take_symbol("{")) {
        cursor_.skip_line_ends();
        if (!cursor_.take_symbol("}")) fail_here();
        return add(Expression{.operation = Operation::empty_map});
    }
    if (cursor_.is_symbol("(") && cursor_.ahead(1).text == ")") {
        cursor_.advance();
        cursor_.advance();
        return add(Expression{.operation = Operation::empty_list});
    }
    return add(Operation::to_list, in_parentheses());
}

/// The name of a type: `int`, `System.Int64`
std::string ScriptParser::type_name() {
    std::string name(cursor_.token().text);
    if (!cursor_.is(TokenKind::word)) fail_here();
    cursor_.advance();
    while (!failed() && cursor_.take_symbol(".")) {
        name.append(".").append(cursor_.token().text);
        if (!cursor_.is(TokenKind::word)) fail_here();
        cursor_.advance();
    }
    return name;
}

/// `[int] operand`, `[double] operand`, `[math]::Abs(…)`
std::uint32_t ScriptParser::type_or_function() {
    cursor_.advance();
    const std::string type = type_name();
    if (!failed() && !cursor_.take_symbol("]")) fail_here();
    if (failed()) return no_index;
    const auto conversion = conversion_to(type);
    if (conversion && (!is_restricted() || *conversion != Operation::to_text)) return add(*conversion, unary());
    const bool is_math = same_name(type, "math") || same_name(type, "System.Math");
    if (is_math && cursor_.take_symbol("::")) {
        const Token& name = cursor_.token();
        cursor_.advance();
        return function(name.text);
    }
    fail(fmt::format("uses the type {}", shown_in_reason(type)));
    return no_index;
}

/// The arithmetic functions that PAL's files use.
std::uint32_t ScriptParser::function(std::string_view name) {
    const bool is_absolute = same_name(name, "Abs"), is_round = same_name(name, "Round");
    if (!is_absolute && !is_round) fail(fmt::format("calls the method {}", shown_in_reason(name)));
    if (!cursor_.take_symbol("(")) fail_here();
    const std::uint32_t operand = expression();
    std::uint32_t decimals = no_index;
    if (is_round && cursor_.take_symbol(",")) decimals = expression();
    if (!cursor_.take_symbol(")")) fail_here();
    return is_absolute ? add(Operation::absolute, operand) : add(Operation::round, operand, decimals);
}

/// A command without side effects: functions of PAL, and new lists and maps.
std::uint32_t ScriptParser::command() {
    if (cursor_.is_word("New-Object")) {
        const Cursor before = cursor_;
        cursor_.advance();
        cursor_.take_option("-TypeName");
        const std::string type = type_name();
        if (same_name(type, "System.Collections.ArrayList")) return add(Expression{.operation = Operation::empty_list});
        if (same_name(type, "System.Collections.Hashtable")) return add(Expression{.operation = Operation::empty_map});
        cursor_ = before;
    }
    static constexpr auto commands =
        std::to_array<Named<Function>>({{"IsGreaterThanZero", Function::is_positive},
                                        {"IsNumeric", Function::is_number},
                                        {"ExtractSqlNamedInstanceFromCounterObjectPath", Function::server_name}});
    const auto found = find_named(commands, cursor_.token().text);
    if (!found) {
        fail_here();
        return no_index;
    }
    cursor_.advance();
    if (!cursor_.take_option("-Value")) cursor_.take_option("-sCounterObjectPath");
    return add(*found, argument());
}

// Texts with values in them

/// `"text $Name text $(expression) text"`
std::uint32_t ScriptParser::expanded() {
    const Token token = cursor_.token();
    std::string_view rest = token.text;
    std::uint32_t text = no_index;
    while (!failed() && !rest.empty()) {
        const std::uint32_t part = expanded_part(rest, token.line);
        text = text == no_index ? add(Operation::to_text, part) : add(Operation::join, text, part);
    }
    cursor_.advance();
    return text;
}

/// Reads the next part, and removes it from the text.
std::uint32_t ScriptParser::expanded_part(std::string_view& rest, std::uint32_t line) {
    const auto is_of_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    std::size_t size = 0;
    if (rest.starts_with("$(")) {
        std::size_t open = 0;
        do {
            if (rest[size] == '(') ++open;
            if (rest[size] == ')') --open;
            ++size;
        } while (size < rest.size() && (size < 2 || open != 0));
        const auto tokens = split_script(rest.substr(0, size), collections_, line);
        rest.remove_prefix(size);
        if (!tokens) {
            if (reason_.empty()) reason_ = tokens.error();
            return no_index;
        }
        Cursor inner(*tokens);
        std::swap(cursor_, inner);
        const std::uint32_t part = in_parentheses();
        if (!failed() && !cursor_.is(TokenKind::end)) fail_here();
        std::swap(cursor_, inner);
        return part;
    }
    if (rest.starts_with('$') && rest.size() > 1 && is_of_name(rest[1])) {
        for (size = 1; size < rest.size() && is_of_name(rest[size]);) ++size;
        const std::string_view name = rest.substr(1, size - 1);
        rest.remove_prefix(size);
        return add(Operation::variable, position_of(script_.variables, name));
    }
    size = rest.starts_with('$') ? 1 : std::min(rest.find('$'), rest.size());
    const std::string_view text = rest.substr(0, size);
    rest.remove_prefix(size);
    if (text.find('`') != std::string_view::npos) fail("uses a text with an escape");
    return add_text(text);
}

// Variables and their members

std::uint32_t ScriptParser::after_variable(std::string_view name) {
    if (!is_restricted()) return with_members(named(name));
    if (const auto input = element(name)) return *input;
    const bool is_count = cursor_.is_symbol(".") && same_name(cursor_.ahead(1).text, "Count");
    if (is_count && elements_ != nullptr) fail("uses the number of instances");
    if (cursor_.is_symbol(".")) fail(fmt::format("calls the method {}", shown_in_reason(cursor_.ahead(1).text)));
    if (cursor_.is_symbol("[")) fail(fmt::format("uses single values of ${}", shown_in_reason(name)));
    if (cursor_.is_symbol("++") || cursor_.is_symbol("--")) fail_here();
    return named(name);
}

/// The value of a variable without its members, but for the number of instances of a collection.
std::uint32_t ScriptParser::named(std::string_view name) {
    if (same_name(name, "True")) return add(Expression{.operation = Operation::truth, .number = 1});
    if (same_name(name, "False")) return add(Expression{.operation = Operation::truth});
    if (same_name(name, "null") && !is_restricted()) return add(Expression{.operation = Operation::nothing});
    const bool is_count =
        cursor_.is_symbol(".") && same_name(cursor_.ahead(1).text, "Count") && !cursor_.ahead(2).text.starts_with('(');
    if (!is_restricted() && !is_assigned(name)) {
        // The times of all samples, of which there is one.
        const bool is_pal = same_name(name, "oPal") || same_name(name, "global:oPal");
        if (is_pal && same_name(cursor_.ahead(1).text, "QuantizedTime") && same_name(cursor_.ahead(3).text, "Count")) {
            for (int i = 0; i < 4; ++i) cursor_.advance();
            return add_number(1);
        }
        if (same_name(name, "alQuantizedTime") && is_count) {
            cursor_.advance();
            cursor_.advance();
            return add_number(1);
        }
        const bool is_indexed = cursor_.is_symbol("[");
        if (is_count) {
            cursor_.advance();
            cursor_.advance();
            return add(Operation::count, position_of(script_.collections, name));
        }
        if (is_indexed || is_collection(name)) {
            if (single_values_.empty())
                single_values_ =
                    with_line(fmt::format("uses single values of ${}", shown_in_reason(name)), cursor_.token().line);
            return add(Operation::collection, position_of(script_.collections, name));
        }
    }
    return add(Operation::variable, position_of(script_.variables, name));
}

/// Reads `.Member`, `.Method(…)` and `[position]` after a value.
std::uint32_t ScriptParser::with_members(std::uint32_t object) {
    while (!failed()) {
        if (cursor_.is_symbol(".") && cursor_.ahead(1).kind == TokenKind::word) {
            object = member(object);
        } else if (cursor_.take_symbol("[")) {
            ++parentheses_;
            const std::uint32_t position = expression();
            --parentheses_;
            if (!cursor_.take_symbol("]")) fail_here();
            object = add(Operation::item, object, position);
        } else {
            break;
        }
    }
    return object;
}

std::uint32_t ScriptParser::member(std::uint32_t object) {
    cursor_.advance();
    const std::string_view name = cursor_.token().text;
    if (cursor_.ahead(1).kind == TokenKind::symbol && cursor_.ahead(1).text == "(") return method(object, name);
    const auto found = find_named(properties, name);
    if (!found) fail(fmt::format("uses the property {}", shown_in_reason(name)));
    cursor_.advance();
    return failed() || !found ? no_index : add(*found, object);
}

std::uint32_t ScriptParser::method(std::uint32_t object, std::string_view name) {
    const auto found = find_named(methods, name);
    if (!found) fail(fmt::format("calls the method {}", shown_in_reason(name)));
    cursor_.advance();
    cursor_.advance();
    std::array<std::uint32_t, 2> arguments{no_index, no_index};
    unsigned count = 0;
    ++parentheses_;
    while (!failed() && !cursor_.is_symbol(")")) {
        if (count == arguments.size() || (count != 0 && !cursor_.take_symbol(","))) {
            fail_here();
            break;
        }
        arguments[count++] = expression();
    }
    --parentheses_;
    if (!failed() && found && (count < found->least || count > found->most))
        fail(fmt::format("calls the method {} with {} arguments", shown_in_reason(name), count));
    cursor_.take_symbol(")");
    return failed() || !found ? no_index : add(found->function, object, arguments[0], arguments[1]);
}

/// `[name of a collection]`, in the attribute EXPRESSION
std::uint32_t ScriptParser::in_brackets() {
    cursor_.advance();
    const Token& name = cursor_.token();
    cursor_.advance();
    if (name.kind != TokenKind::word || !cursor_.take_symbol("]")) fail_here();
    return failed() ? no_index : add(Operation::element, position_of(*bracketed_, name.text));
}

/// After `$Collection` or `$Instance` of an input: `[$i].Value[$v]`, or `.Value[$v]`. PAL's averages over an interval
/// (`QuantizedAvg`) are the value of the sample, because every sample is evaluated. Returns none for other variables.
std::optional<std::uint32_t> ScriptParser::element(std::string_view name) {
    if (elements_ == nullptr) return std::nullopt;
    for (const ElementNames::Element& known : elements_->elements) {
        if (!same_name(known.variable, name)) continue;
        if (!known.index.empty() && !(cursor_.is_symbol("[") && same_name(cursor_.ahead(1).text, known.index)))
            continue;
        if (!known.index.empty() &&
            (!cursor_.take_symbol("[") || !cursor_.take_variable(known.index) || !cursor_.take_symbol("]")))
            fail_here();
        if (!cursor_.take_symbol(".") || (!cursor_.take_word("Value") && !cursor_.take_word("QuantizedAvg")) ||
            !cursor_.take_symbol("[") || !cursor_.take_variable(elements_->value_index) || !cursor_.take_symbol("]"))
            fail_here();
        return add(Operation::element, known.input);
    }
    return std::nullopt;
}

}  // namespace hkpd::pal
