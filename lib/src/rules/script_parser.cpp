#include "rules/script_parser.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace hkpd::pal {
namespace {

constexpr unsigned deepest_nesting = 32;     // of parentheses and branches
constexpr std::uint32_t deepest_tree = 128;  // of operations: a sum of n numbers has the depth n
constexpr std::size_t most_expressions = 4096;

struct NamedOperation {
    std::string_view name;
    Operation operation;
};

constexpr auto comparisons = std::to_array<NamedOperation>({{"-gt", Operation::greater},
                                                            {"-ge", Operation::greater_equal},
                                                            {"-lt", Operation::less},
                                                            {"-le", Operation::less_equal},
                                                            {"-eq", Operation::equal},
                                                            {"-ne", Operation::not_equal}});

const NamedOperation* find_comparison(std::string_view option) {
    const auto* const found =
        std::ranges::find_if(comparisons, [option](const NamedOperation& c) { return same_name(c.name, option); });
    return found == comparisons.end() ? nullptr : found;
}

/// Returns the text for a reason: printable, and not long.
std::string quoted(std::string_view text) {
    constexpr std::size_t most = 40;
    std::string name(text.substr(0, most));
    std::ranges::replace_if(name, [](char c) { return c < ' ' || c > '~'; }, '?');
    return name;
}

}  // namespace

/// Counts the parentheses and branches around a position.
class ScriptParser::Nesting {
  public:
    explicit Nesting(ScriptParser& parser) : parser_(parser) {
        if (++parser_.nesting_ > deepest_nesting) parser_.fail("is nested too deeply");
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

  private:
    ScriptParser& parser_;
};

void ScriptParser::fail(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
}

void ScriptParser::fail_here() {
    const Token& token = cursor_.token();
    switch (token.kind) {
        case TokenKind::word:
            return fail(fmt::format("uses the script command {}", quoted(token.text)));
        case TokenKind::option:
            return fail(fmt::format("uses the operator {}", quoted(token.text)));
        case TokenKind::variable:
            return fail(fmt::format("uses the variable ${} in a way that is no arithmetic", quoted(token.text)));
        case TokenKind::text:
        case TokenKind::expandable:
            return fail("uses a text in a way that is no arithmetic");
        case TokenKind::end:
        case TokenKind::line_end:
            return fail("has an incomplete statement");
        case TokenKind::number:
        case TokenKind::symbol:
            return fail(fmt::format("uses \"{}\" in a way that is no arithmetic", quoted(token.text)));
    }
}

std::uint32_t ScriptParser::add(Expression expression) {
    if (failed()) return no_index;
    for (const std::uint32_t operand : {expression.left, expression.right})
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

std::uint32_t ScriptParser::position_of(std::vector<std::string>& names, std::string_view name) {
    const auto found = std::ranges::find_if(names, [name](const std::string& n) { return same_name(n, name); });
    if (found == names.end()) {
        names.emplace_back(name);
        return static_cast<std::uint32_t>(names.size() - 1);
    }
    return static_cast<std::uint32_t>(found - names.begin());
}

// Statements

std::vector<Statement> ScriptParser::statements() {
    std::vector<Statement> all;
    const Nesting nesting(*this);
    for (cursor_.skip_line_ends(); !failed() && !cursor_.is(TokenKind::end) && !cursor_.is_symbol("}");
         cursor_.skip_line_ends()) {
        auto one = statement();
        if (!one) break;
        const bool is_block = one->kind == Statement::Kind::choose;
        all.push_back(*std::move(one));
        const bool ends = cursor_.is(TokenKind::line_end) || cursor_.is(TokenKind::end) || cursor_.is_symbol("}");
        if (!is_block && !ends) fail_here();
    }
    return all;
}

std::optional<Statement> ScriptParser::statement() {
    if (cursor_.is_word("If")) return choice();
    if (cursor_.is_word("StaticThreshold") && elements_ == nullptr) return comparison();
    if (cursor_.is_symbol("[") && same_name(cursor_.ahead(1).text, "void")) return result();
    if (cursor_.is_symbol("[") || cursor_.is(TokenKind::variable)) return assignment();
    fail_here();
    return std::nullopt;
}

/// `[Int] $Name = expression`
std::optional<Statement> ScriptParser::assignment() {
    Statement made{.kind = Statement::Kind::assign};
    if (cursor_.take_symbol("[")) {
        const bool is_double = cursor_.take_word("double");
        made.is_integer = !is_double && cursor_.take_word("int");
        if (!is_double && !made.is_integer) {
            fail(fmt::format("uses the type {}", quoted(cursor_.token().text)));
            return std::nullopt;
        }
        if (!cursor_.take_symbol("]")) fail_here();
    }
    const std::string_view name = cursor_.take_any_variable();
    if (name.empty()) fail_here();
    if (cursor_.is_symbol(".") && cursor_.ahead(1).kind == TokenKind::word)
        fail(fmt::format("calls the method {}", quoted(cursor_.ahead(1).text)));
    if (!cursor_.take_symbol("=")) fail_here();
    made.variable = position_of(script_.variables, name);
    made.expression = expression();
    return failed() ? std::nullopt : std::optional(std::move(made));
}

/// `[void] $List.Add(expression)`
std::optional<Statement> ScriptParser::result() {
    if (elements_ == nullptr) {
        fail("uses the type void");
        return std::nullopt;
    }
    cursor_.advance();
    cursor_.advance();
    if (!cursor_.take_symbol("]") || !cursor_.take_variable(elements_->list) || !cursor_.take_symbol(".") ||
        !cursor_.take_word("Add") || !cursor_.take_symbol("("))
        fail_here();
    Statement made{.kind = Statement::Kind::result};
    made.expression = expression();
    if (!cursor_.take_symbol(")")) fail_here();
    return failed() ? std::nullopt : std::optional(std::move(made));
}

/// `If (condition) { … } ElseIf (condition) { … } Else { … }`
Statement ScriptParser::choice() {
    Statement made{.kind = Statement::Kind::choose};
    cursor_.advance();
    made.branches.push_back(branch(true));
    while (!failed()) {
        // The next word may follow after ends of lines; if it does not belong to the choice, these end the statement.
        const Cursor before = cursor_;
        cursor_.skip_line_ends();
        const bool is_alternative = cursor_.take_word("ElseIf"), is_last = !is_alternative && cursor_.take_word("Else");
        if (!is_alternative && !is_last) {
            cursor_ = before;
            break;
        }
        made.branches.push_back(branch(is_alternative));
        if (is_last) break;
    }
    return made;
}

Branch ScriptParser::branch(bool has_condition) {
    Branch made;
    const Nesting nesting(*this);
    if (has_condition) {
        if (!cursor_.take_symbol("(")) fail_here();
        ++parentheses_;
        made.condition = expression();
        --parentheses_;
        if (!cursor_.take_symbol(")")) fail_here();
    }
    cursor_.skip_line_ends();
    if (!cursor_.take_symbol("{")) fail_here();
    if (failed()) return made;
    made.statements = statements();
    if (!cursor_.take_symbol("}")) fail_here();
    return made;
}

/// `StaticThreshold -CollectionOfCounterInstances $C -Operator 'gt' -Threshold 80 -IsTrendOnly $True`
Statement ScriptParser::comparison() {
    cursor_.advance();
    Statement made{.kind = Statement::Kind::result};
    Comparison read;
    read.operation = Operation::number;
    while (!failed() && cursor_.is(TokenKind::option)) comparison_option(made.expression, read);
    if (failed()) return made;
    if (read.collection.empty() || read.operation == Operation::number || made.expression == no_index)
        fail("calls StaticThreshold without a collection, an operator or a threshold");
    Comparison& known = script_.comparison;
    const bool is_equal = same_name(known.collection, read.collection) && known.operation == read.operation &&
                          known.is_trend == read.is_trend;
    if (compares_ && !is_equal) fail("compares in more than one way");
    compares_ = true;
    known = std::move(read);
    return made;
}

void ScriptParser::comparison_option(std::uint32_t& limit, Comparison& comparison) {
    if (cursor_.take_option("-CollectionOfCounterInstances")) {
        comparison.collection = cursor_.take_any_variable();
        if (comparison.collection.empty()) fail_here();
    } else if (cursor_.take_option("-Operator")) {
        const Token& token = cursor_.token();
        const bool is_name = token.kind == TokenKind::text || token.kind == TokenKind::word;
        const NamedOperation* const found = is_name ? find_comparison(fmt::format("-{}", token.text)) : nullptr;
        if (found == nullptr || found->operation >= Operation::equal)
            return fail(fmt::format("compares by the operator {}", quoted(token.text)));
        comparison.operation = found->operation;
        cursor_.advance();
    } else if (cursor_.take_option("-Threshold")) {
        limit = this->limit();
    } else if (cursor_.take_option("-IsTrendOnly")) {
        comparison.is_trend = cursor_.take_variable("True");
        if (!comparison.is_trend && !cursor_.take_variable("False")) fail_here();
    } else {
        fail(fmt::format("calls StaticThreshold with {}", quoted(cursor_.token().text)));
    }
}

/// An argument: a number, a variable, or an expression in parentheses.
std::uint32_t ScriptParser::limit() {
    if (cursor_.take_symbol("-")) return add(Operation::negate, limit());
    if (cursor_.is(TokenKind::number) || cursor_.is(TokenKind::variable) || cursor_.is_symbol("(") ||
        cursor_.is_symbol("$("))
        return primary();
    fail_here();
    return no_index;
}

// Expressions: each function reads the operators of one precedence.

/// In parentheses, an expression goes on in the next line even if it could end here.
void ScriptParser::skip_in_parentheses() {
    if (parentheses_ != 0) cursor_.skip_new_lines();
}

std::uint32_t ScriptParser::expression() {
    const Nesting nesting(*this);
    if (failed()) return no_index;
    return logical();
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
        const NamedOperation* const found =
            cursor_.is(TokenKind::option) ? find_comparison(cursor_.token().text) : nullptr;
        if (found == nullptr) break;
        cursor_.advance();
        cursor_.skip_new_lines();
        left = add(found->operation, left, sum());
    }
    return left;
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
    const Nesting nesting(*this);
    if (failed()) return no_index;
    if (cursor_.take_symbol("-")) return add(Operation::negate, unary());
    if (cursor_.take_option("-not")) return add(Operation::invert, unary());
    return primary();
}

std::uint32_t ScriptParser::primary() {
    const Token& token = cursor_.token();
    if (token.kind == TokenKind::number) {
        cursor_.advance();
        return add(Expression{.operation = Operation::number, .number = token.number});
    }
    if (token.kind == TokenKind::text) {
        cursor_.advance();
        return add(Operation::text, position_of(script_.texts, token.text));
    }
    if (token.kind == TokenKind::variable) {
        cursor_.advance();
        return after_variable(token.text);
    }
    if (cursor_.is_symbol("[")) return bracketed_ == nullptr ? type_or_function() : in_brackets();
    if (cursor_.is_symbol("(") && elements_ != nullptr && same_name(cursor_.ahead(1).text, "IsGreaterThanZero"))
        return is_positive();
    if (!cursor_.take_symbol("(") && !cursor_.take_symbol("$(")) {
        fail_here();
        return no_index;
    }
    ++parentheses_;
    cursor_.skip_new_lines();
    const std::uint32_t inner = expression();
    skip_in_parentheses();
    --parentheses_;
    if (!cursor_.take_symbol(")")) fail_here();
    return inner;
}

/// `[int] operand`, `[double] operand`, `[math]::Abs(…)`
std::uint32_t ScriptParser::type_or_function() {
    cursor_.advance();
    const Token& type = cursor_.token();
    cursor_.advance();
    if (type.kind != TokenKind::word || !cursor_.take_symbol("]")) fail_here();
    if (failed()) return no_index;
    if (same_name(type.text, "int")) return add(Operation::to_integer, unary());
    if (same_name(type.text, "double")) return add(Operation::to_double, unary());
    if (same_name(type.text, "math") && cursor_.take_symbol("::")) {
        const Token& name = cursor_.token();
        cursor_.advance();
        return function(name.text);
    }
    fail(fmt::format("uses the type {}", quoted(type.text)));
    return no_index;
}

/// The arithmetic functions that PAL's files use.
std::uint32_t ScriptParser::function(std::string_view name) {
    const bool is_absolute = same_name(name, "Abs"), is_round = same_name(name, "Round");
    if (!is_absolute && !is_round) fail(fmt::format("calls the method {}", quoted(name)));
    if (!cursor_.take_symbol("(")) fail_here();
    const std::uint32_t operand = expression();
    std::uint32_t decimals = no_index;
    if (is_round && cursor_.take_symbol(",")) decimals = expression();
    if (!cursor_.take_symbol(")")) fail_here();
    return is_absolute ? add(Operation::absolute, operand) : add(Operation::round, operand, decimals);
}

std::uint32_t ScriptParser::after_variable(std::string_view name) {
    if (same_name(name, "True")) return add(Expression{.operation = Operation::truth, .number = 1});
    if (same_name(name, "False")) return add(Expression{.operation = Operation::truth});
    if (const auto input = element(name)) return *input;
    if (cursor_.is_symbol(".") && same_name(cursor_.ahead(1).text, "Count") &&
        !cursor_.ahead(2).text.starts_with('(')) {
        cursor_.advance();
        cursor_.advance();
        if (elements_ == nullptr) return add(Operation::count, position_of(script_.collections, name));
        fail("uses the number of instances");
    }
    if (cursor_.is_symbol(".")) fail(fmt::format("calls the method {}", quoted(cursor_.ahead(1).text)));
    if (cursor_.is_symbol("[")) fail(fmt::format("uses single values of ${}", quoted(name)));
    if (cursor_.is_symbol("++") || cursor_.is_symbol("--")) fail_here();
    return add(Operation::variable, position_of(script_.variables, name));
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

/// `(IsGreaterThanZero operand)`, a function of PAL
std::uint32_t ScriptParser::is_positive() {
    cursor_.advance();
    cursor_.advance();
    const std::uint32_t operand = unary();
    if (!cursor_.take_symbol(")")) fail_here();
    return add(Operation::greater, operand, add(Expression{.operation = Operation::number}));
}

// Complete scripts

std::expected<Script, std::string> parse_threshold(std::string_view code) {
    const auto tokens = split_script(code);
    if (!tokens) return std::unexpected(tokens.error());
    Script script;
    Cursor cursor(*tokens);
    ScriptParser parser(cursor, script);
    script.statements = parser.statements();
    if (!cursor.is(TokenKind::end)) parser.fail_here();
    if (script.comparison.collection.empty()) parser.fail("does not call StaticThreshold");
    if (parser.failed()) return std::unexpected(parser.reason());
    return script;
}

std::expected<ComputedSource, std::string> parse_source_expression(std::string_view expression) {
    const auto tokens = split_script(expression);
    if (!tokens) return std::unexpected(tokens.error());
    ComputedSource source;
    Cursor cursor(*tokens);
    ScriptParser parser(cursor, source.script);
    parser.use_brackets(source.inputs);
    Statement statement{.kind = Statement::Kind::result};
    statement.expression = parser.expression();
    if (!cursor.is(TokenKind::end)) parser.fail_here();
    if (source.inputs.empty()) parser.fail("uses no counter");
    if (parser.failed()) return std::unexpected(parser.reason());
    source.script.statements.push_back(std::move(statement));
    return source;
}

}  // namespace hkpd::pal
