#include "rules/script_parser.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace hkpd::pal {
namespace {

constexpr unsigned deepest_nesting = 32;  // of parentheses and blocks

constexpr std::string_view vbscript = "is written in VBScript, which PAL no longer runs either";

/// Returns whether a script that is no PowerShell is VBScript, the language of PAL's first version: blocks of
/// conditions end with `End If`.
bool is_vbscript(std::string_view code) {
    constexpr std::string_view end = "end if";
    for (std::size_t i = 0; i + end.size() <= code.size(); ++i)
        if (same_name(code.substr(i, end.size()), end)) return true;
    return false;
}

void find_assignments(const std::vector<Statement>& statements, std::uint32_t variable,
                      std::vector<std::uint32_t>& values) {
    for (const Statement& statement : statements) {
        const bool assigns = statement.kind == Statement::Kind::assign || statement.kind == Statement::Kind::each;
        if (assigns && statement.variable == variable) values.push_back(statement.expression);
        for (const Branch& branch : statement.branches) find_assignments(branch.statements, variable, values);
        find_assignments(statement.step, variable, values);
    }
}

/// Returns the first alert of a script.
const Statement* find_alert(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
        if (statement.kind == Statement::Kind::alert) return &statement;
        for (const Branch& branch : statement.branches)
            if (const Statement* const found = find_alert(branch.statements)) return found;
    }
    return nullptr;
}

}  // namespace

std::uint32_t collection_of(const Script& script, std::uint32_t expression, unsigned depth) {
    constexpr unsigned most = 8;
    if (expression == no_index || depth > most) return no_index;
    const Expression& e = script.expressions[expression];
    if (e.operation == Operation::collection) return e.left;
    if (e.operation == Operation::item || e.operation == Operation::to_list)
        return collection_of(script, e.left, depth + 1);
    if (e.operation != Operation::variable) return no_index;
    std::vector<std::uint32_t> values;
    find_assignments(script.statements, e.left, values);
    for (const std::uint32_t value : values)
        if (const std::uint32_t found = collection_of(script, value, depth + 1); found != no_index) return found;
    return no_index;
}

/// Counts the parentheses and blocks around a position.
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

void ScriptParser::fail(std::string_view reason) {
    if (reason_.empty()) reason_ = with_line(reason, cursor_.token().line);
}

void ScriptParser::fail_here() {
    const Token& token = cursor_.token();
    switch (token.kind) {
        case TokenKind::word:
            return fail(fmt::format("uses the script command {}", shown_in_reason(token.text)));
        case TokenKind::option:
            return fail(fmt::format("uses the operator {}", shown_in_reason(token.text)));
        case TokenKind::variable:
            return fail(
                fmt::format("uses the variable ${} in a way that is no arithmetic", shown_in_reason(token.text)));
        case TokenKind::text:
        case TokenKind::expandable:
            return fail("uses a text in a way that is no arithmetic");
        case TokenKind::end:
        case TokenKind::line_end:
            return fail("has an incomplete statement");
        case TokenKind::number:
        case TokenKind::symbol:
            return fail(fmt::format("uses \"{}\" in a way that is no arithmetic", shown_in_reason(token.text)));
    }
}

void ScriptParser::refuse_single_values() {
    if (reason_.empty()) reason_ = single_values_;
}

// Statements

Statement ScriptParser::new_statement(Statement::Kind kind) const noexcept {
    return {.kind = kind, .line = cursor_.token().line};
}

std::vector<Statement> ScriptParser::statements() {
    std::vector<Statement> all;
    const Nesting nesting(*this);
    for (cursor_.skip_line_ends(); !failed() && !cursor_.is(TokenKind::end) && !cursor_.is_symbol("}");
         cursor_.skip_line_ends()) {
        auto one = statement();
        if (!one) break;
        constexpr std::array blocks{Statement::Kind::choose, Statement::Kind::select, Statement::Kind::repeat,
                                    Statement::Kind::each};
        const bool is_block = std::ranges::find(blocks, one->kind) != blocks.end();
        all.push_back(*std::move(one));
        const bool ends = cursor_.is(TokenKind::line_end) || cursor_.is(TokenKind::end) || cursor_.is_symbol("}");
        if (!is_block && !ends) fail_here();
    }
    return all;
}

std::optional<Statement> ScriptParser::statement() {
    if (cursor_.is_word("If")) return choice();
    if (cursor_.is_word("StaticThreshold") && !is_restricted()) return comparison();
    if (cursor_.is_word("CreateAlert") && !is_restricted()) return alert();
    if (cursor_.is(TokenKind::word) && !is_restricted()) return loop();
    if (cursor_.is_symbol("[") && same_name(cursor_.ahead(1).text, "void"))
        return is_restricted() ? result() : effect();
    if (cursor_.is_symbol("[")) return typed_assignment();
    if (cursor_.is(TokenKind::variable)) return assignment();
    fail_here();
    return std::nullopt;
}

std::optional<Statement> ScriptParser::loop() {
    if (cursor_.is_word("switch")) return selection();
    if (cursor_.is_word("For")) return for_loop();
    if (cursor_.is_word("ForEach")) return each_loop();
    if (cursor_.is_word("While")) return while_loop();
    if (cursor_.is_word("Do")) return do_loop();
    Statement made = new_statement(Statement::Kind::leave);
    if (loops_ != 0 && cursor_.take_word("break")) return made;
    made.kind = Statement::Kind::next;
    if (loops_ != 0 && cursor_.take_word("continue")) return made;
    fail_here();
    return std::nullopt;
}

// Assignments

std::uint32_t ScriptParser::assign_to(std::string_view name) {
    const std::uint32_t variable = position_of(script_.variables, name);
    assigned_.resize(script_.variables.size());
    return variable;
}

/// `[Int] $Name = expression`
std::optional<Statement> ScriptParser::typed_assignment() {
    Statement made = new_statement(Statement::Kind::assign);
    cursor_.advance();
    const std::string type = type_name();
    const auto conversion = conversion_to(type);
    if (!conversion) fail(fmt::format("uses the type {}", shown_in_reason(type)));
    if (!cursor_.take_symbol("]")) fail_here();
    const std::string_view name = cursor_.take_any_variable();
    if (name.empty() || !cursor_.take_symbol("=")) fail_here();
    if (failed() || !conversion) return std::nullopt;
    made.operation = *conversion;
    made.variable = assign_to(name);
    made.expression = expression();
    if (failed()) return std::nullopt;
    assigned_[made.variable] = true;
    return made;
}

/// `$Name = expression`, `$Name++`, `$List[0] = expression`, `$List.Add(expression)`
std::optional<Statement> ScriptParser::assignment() {
    Statement made = new_statement(Statement::Kind::assign);
    const std::string_view name = cursor_.take_any_variable();
    if (is_restricted() && cursor_.is_symbol(".") && cursor_.ahead(1).kind == TokenKind::word)
        fail(fmt::format("calls the method {}", shown_in_reason(cursor_.ahead(1).text)));
    if (!is_restricted() && (cursor_.is_symbol(".") || cursor_.is_symbol("["))) return item_or_call(name, made);
    if (!is_restricted() && !cursor_.is_symbol("=")) return changed(name, made);
    if (!cursor_.take_symbol("=")) fail_here();
    if (!is_restricted()) cursor_.skip_new_lines();
    // The old value is read first, which may be that of a collection or question of the same name.
    made.expression = listed(expression());
    if (failed()) return std::nullopt;
    made.variable = assign_to(name);
    assigned_[made.variable] = true;
    return made;
}

/// `$Name++`, `$Name += expression`
std::optional<Statement> ScriptParser::changed(std::string_view name, Statement made) {
    static constexpr std::array<std::pair<std::string_view, Operation>, 6> changes{{{"++", Operation::add},
                                                                                    {"--", Operation::subtract},
                                                                                    {"+=", Operation::add},
                                                                                    {"-=", Operation::subtract},
                                                                                    {"*=", Operation::multiply},
                                                                                    {"/=", Operation::divide}}};
    const auto* const found =
        std::ranges::find_if(changes, [&](const auto& c) { return cursor_.take_symbol(c.first); });
    if (found == changes.end()) {
        fail_here();
        return std::nullopt;
    }
    const std::uint32_t old = named(name);
    const std::uint32_t by = found->first[1] == '=' ? expression() : add_number(1);
    made.variable = assign_to(name);
    made.expression = add(found->second, old, by);
    if (failed()) return std::nullopt;
    assigned_[made.variable] = true;
    return made;
}

/// `$List[0] = expression`, `$List.Add(expression)`
std::optional<Statement> ScriptParser::item_or_call(std::string_view name, Statement made) {
    made.target = with_members(named(name));
    if (failed()) return std::nullopt;
    const Expression target = script_.expressions[made.target];
    if (target.operation == Operation::item && cursor_.take_symbol("=")) {
        made.kind = Statement::Kind::assign_item;
        made.expression = expression();
    } else if (target.operation == Operation::call && target.function == Function::add) {
        made.kind = Statement::Kind::evaluate;
        made.expression = made.target;
    } else {
        fail_here();
    }
    return failed() ? std::nullopt : std::optional(std::move(made));
}

/// `[void] $List.Add(expression)`, a value of a computed data source
std::optional<Statement> ScriptParser::result() {
    Statement made = new_statement(Statement::Kind::result);
    cursor_.advance();
    cursor_.advance();
    if (!cursor_.take_symbol("]") || !cursor_.take_variable(elements_->list) || !cursor_.take_symbol(".") ||
        !cursor_.take_word("Add") || !cursor_.take_symbol("("))
        fail_here();
    made.expression = expression();
    if (!cursor_.take_symbol(")")) fail_here();
    return failed() ? std::nullopt : std::optional(std::move(made));
}

/// `[void] $List.Add(expression)`
std::optional<Statement> ScriptParser::effect() {
    Statement made = new_statement(Statement::Kind::evaluate);
    cursor_.advance();
    cursor_.advance();
    if (!cursor_.take_symbol("]")) fail_here();
    const std::string_view name = cursor_.take_any_variable();
    if (name.empty()) fail_here();
    return failed() ? std::nullopt : item_or_call(name, std::move(made));
}

// Conditions and loops

/// `If (condition) { … } ElseIf (condition) { … } Else { … }`
Statement ScriptParser::choice() {
    Statement made = new_statement(Statement::Kind::choose);
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

/// `switch (expression) { 'a' { … } 2 { … } default { … } }`
Statement ScriptParser::selection() {
    Statement made = new_statement(Statement::Kind::select);
    const Nesting nesting(*this);
    cursor_.advance();
    made.expression = condition();
    cursor_.skip_line_ends();
    if (!cursor_.take_symbol("{")) fail_here();
    ++loops_;  // `break` leaves it
    for (cursor_.skip_line_ends(); !failed() && !cursor_.take_symbol("}"); cursor_.skip_line_ends()) {
        Branch one;
        if (!cursor_.take_word("default")) one.condition = argument();
        if (!failed()) one.statements = block();
        made.branches.push_back(std::move(one));
    }
    --loops_;
    return made;
}

/// `For ($i=0;$i -lt $Collection.Count;$i++) { … }`
std::optional<Statement> ScriptParser::for_loop() {
    Statement made = new_statement(Statement::Kind::repeat);
    cursor_.advance();
    if (!cursor_.take_symbol("(")) fail_here();
    const auto part = [this](std::vector<Statement>& to) {
        if (failed() || cursor_.is(TokenKind::line_end) || cursor_.is_symbol(")")) return;
        auto one = cursor_.is_symbol("[") ? typed_assignment() : assignment();
        if (one) to.push_back(*std::move(one));
    };
    const auto next = [this] {
        if (!cursor_.is(TokenKind::line_end)) fail_here();
        cursor_.advance();
    };
    // The assignment before the first turn and the loop are one statement: a choice that is always taken.
    Statement around = made;
    around.kind = Statement::Kind::choose;
    Branch whole;
    part(whole.statements);
    next();
    Branch turn;
    if (!cursor_.is(TokenKind::line_end)) turn.condition = expression();
    next();
    part(made.step);
    if (!cursor_.take_symbol(")")) fail_here();
    ++loops_;
    if (!failed()) turn.statements = block();
    --loops_;
    if (failed()) return std::nullopt;
    made.branches.push_back(std::move(turn));
    whole.statements.push_back(std::move(made));
    around.branches.push_back(std::move(whole));
    return around;
}

/// `ForEach ($one in $List) { … }`
Statement ScriptParser::each_loop() {
    Statement made = new_statement(Statement::Kind::each);
    cursor_.advance();
    if (!cursor_.take_symbol("(")) fail_here();
    const std::string_view name = cursor_.take_any_variable();
    if (name.empty() || !cursor_.take_word("in")) fail_here();
    if (failed()) return made;
    ++parentheses_;
    made.expression = expression();
    --parentheses_;
    if (!cursor_.take_symbol(")")) fail_here();
    if (failed()) return made;
    made.variable = assign_to(name);
    assigned_[made.variable] = true;
    ++loops_;
    made.branches.push_back({.statements = block()});
    --loops_;
    return made;
}

/// `While (condition) { … }`
Statement ScriptParser::while_loop() {
    Statement made = new_statement(Statement::Kind::repeat);
    cursor_.advance();
    Branch turn;
    turn.condition = condition();
    ++loops_;
    if (!failed()) turn.statements = block();
    --loops_;
    made.branches.push_back(std::move(turn));
    return made;
}

/// `Do { … } While (condition)`, `Do { … } Until (condition)`
Statement ScriptParser::do_loop() {
    Statement made = new_statement(Statement::Kind::repeat);
    made.runs_first = true;
    cursor_.advance();
    Branch turn;
    ++loops_;
    turn.statements = block();
    --loops_;
    cursor_.skip_line_ends();
    made.until = cursor_.take_word("Until");
    if (!made.until && !cursor_.take_word("While")) fail_here();
    if (!failed()) turn.condition = condition();
    made.branches.push_back(std::move(turn));
    return made;
}

/// An expression in parentheses.
std::uint32_t ScriptParser::condition() {
    if (!cursor_.take_symbol("(")) fail_here();
    ++parentheses_;
    const std::uint32_t read = failed() ? no_index : expression();
    skip_in_parentheses();
    --parentheses_;
    if (!cursor_.take_symbol(")")) fail_here();
    return read;
}

std::vector<Statement> ScriptParser::block() {
    const Nesting nesting(*this);
    cursor_.skip_line_ends();
    if (!cursor_.take_symbol("{")) fail_here();
    if (failed()) return {};
    // A block begins a statement, also between parentheses.
    const unsigned parentheses = std::exchange(parentheses_, 0);
    std::vector<Statement> read = statements();
    parentheses_ = parentheses;
    if (!cursor_.take_symbol("}")) fail_here();
    return read;
}

Branch ScriptParser::branch(bool has_condition) {
    Branch made;
    if (has_condition) made.condition = condition();
    if (!failed()) made.statements = block();
    return made;
}

// Functions of PAL that compare

/// `StaticThreshold -CollectionOfCounterInstances $C -Operator 'gt' -Threshold 80 -IsTrendOnly $True`
Statement ScriptParser::comparison() {
    Statement made = new_statement(Statement::Kind::result);
    cursor_.advance();
    Comparison read;
    while (!failed() && cursor_.is(TokenKind::option)) comparison_option(made, read);
    if (failed()) return made;
    if (read.collection.empty() || !made.has_operation || made.expression == no_index)
        fail("calls StaticThreshold without a collection, an operator or a threshold");
    read.is_trend = made.is_trend;
    Comparison& known = script_.comparison;
    const bool is_equal = same_name(known.collection, read.collection) && known.is_trend == read.is_trend;
    if (compares_ && (!is_equal || script_.raises_alerts)) fail("compares in more than one way");
    compares_ = true;
    known = std::move(read);
    return made;
}

void ScriptParser::comparison_option(Statement& made, Comparison& comparison) {
    if (cursor_.take_option("-CollectionOfCounterInstances")) {
        comparison.collection = cursor_.take_any_variable();
        if (comparison.collection.empty()) fail_here();
    } else if (cursor_.take_option("-Operator")) {
        const Token& token = cursor_.token();
        const bool is_name = token.kind == TokenKind::text || token.kind == TokenKind::word;
        const auto found = is_name ? comparison_named(fmt::format("-{}", token.text)) : std::nullopt;
        if (!found || *found > Operation::equal)
            return fail(fmt::format("compares by the operator {}{}", shown_in_reason(token.text),
                                    found == Operation::not_equal ? ", which PAL takes for gt" : ""));
        made.operation = *found;
        made.has_operation = true;
        cursor_.advance();
    } else if (cursor_.take_option("-Threshold")) {
        made.expression = argument();
    } else if (cursor_.take_option("-IsTrendOnly")) {
        made.is_trend = cursor_.take_variable("True");
        if (!made.is_trend && !cursor_.take_variable("False")) fail_here();
    } else {
        fail(fmt::format("calls StaticThreshold with {}", shown_in_reason(cursor_.token().text)));
    }
}

/// `CreateAlert -TimeSliceIndex $t -CounterInstanceObject $Instance -IsMaxThresholdBroken $True …`. Which averages of
/// PAL are beyond the threshold only decides the colours of its table.
std::optional<Statement> ScriptParser::alert() {
    Statement made = new_statement(Statement::Kind::alert);
    cursor_.advance();
    while (!failed() && cursor_.is(TokenKind::option)) {
        if (cursor_.take_option("-TimeSliceIndex")) {
            made.target = argument();
        } else if (cursor_.take_option("-CounterInstanceObject")) {
            made.expression = argument();
        } else if (same_name(cursor_.token().text.substr(0, 3), "-Is")) {
            cursor_.advance();
            argument();
        } else {
            fail(fmt::format("calls CreateAlert with {}", shown_in_reason(cursor_.token().text)));
        }
    }
    if (!failed() && (made.expression == no_index || made.target == no_index))
        fail("calls CreateAlert without an instance or a sample");
    if (compares_ && !script_.raises_alerts) fail("compares in more than one way");
    compares_ = script_.raises_alerts = true;
    return failed() ? std::nullopt : std::optional(std::move(made));
}

/// An argument: a number, a text, a variable with its members, or an expression in parentheses.
std::uint32_t ScriptParser::argument() {
    const Nesting nesting(*this);
    if (failed()) return no_index;
    if (cursor_.take_symbol("-")) return add(Operation::negate, argument());
    const bool begins = cursor_.is(TokenKind::number) || cursor_.is(TokenKind::variable) ||
                        cursor_.is(TokenKind::text) || cursor_.is_symbol("(") || cursor_.is_symbol("$(");
    if (begins) return primary();
    fail_here();
    return no_index;
}

// Complete scripts

std::expected<Script, std::string> parse_threshold(std::string_view code, std::span<const std::string> collections) {
    const auto tokens = split_script(code, collections);
    if (!tokens) return std::unexpected(is_vbscript(code) ? std::string(vbscript) : tokens.error());
    Script script;
    Cursor cursor(*tokens);
    ScriptParser parser(cursor, script);
    parser.use_collections(collections);
    script.statements = parser.statements();
    if (!cursor.is(TokenKind::end)) parser.fail_here();
    if (script.raises_alerts && !parser.failed()) {
        const Statement* const alert = find_alert(script.statements);
        const std::uint32_t collection = alert == nullptr ? no_index : collection_of(script, alert->expression);
        if (collection == no_index) return std::unexpected("raises alerts for something that is no counter");
        script.comparison.collection = script.collections[collection];
    } else {
        parser.refuse_single_values();
        if (script.comparison.collection.empty() && !parser.failed())
            return std::unexpected("does not call StaticThreshold");
    }
    if (parser.failed()) return std::unexpected(is_vbscript(code) ? std::string(vbscript) : parser.reason());
    return script;
}

std::expected<ComputedSource, std::string> parse_computed_loops(std::string_view code, std::string_view result,
                                                                std::span<const std::string> collections) {
    std::vector<std::string> others;  // the computed source is a variable of its own script
    for (const std::string& name : collections)
        if (!same_name(name, result)) others.push_back(name);
    const auto tokens = split_script(code, collections);
    if (!tokens) return std::unexpected(tokens.error());
    ComputedSource source;
    source.has_own_loops = true;
    Cursor cursor(*tokens);
    ScriptParser parser(cursor, source.script);
    parser.use_collections(others);
    source.script.statements = parser.statements();
    if (!cursor.is(TokenKind::end)) parser.fail_here();
    if (parser.failed()) return std::unexpected(parser.reason());
    if (source.script.raises_alerts || !source.script.comparison.collection.empty())
        return std::unexpected("compares values");
    const auto& variables = source.script.variables;
    const auto found = std::ranges::find_if(variables, [result](const auto& v) { return same_name(v, result); });
    if (found == variables.end()) return std::unexpected("computes no values");
    source.result = static_cast<std::uint32_t>(found - variables.begin());
    source.inputs = source.script.collections;
    if (source.inputs.empty()) return std::unexpected("uses no counter");
    return source;
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
