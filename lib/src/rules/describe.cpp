// Comparisons as people write them.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "rules/description.hpp"
#include "rules/script.hpp"

namespace hkpd::pal {
namespace {

/// Precedence of the operations with two operands; 9 for all others.
int precedence_of(Operation operation) noexcept {
    if (operation >= Operation::both) return 1;
    if (operation >= Operation::greater) return 2;
    if (operation >= Operation::multiply) return 4;
    return operation >= Operation::add ? 3 : 9;
}

std::string_view sign_of(Operation operation) noexcept {
    static constexpr std::array<std::string_view, 16> signs{" + ",        " - ",
                                                            " * ",        " / ",
                                                            " > ",        " >= ",
                                                            " < ",        " <= ",
                                                            " = ",        " != ",
                                                            " matches ",  " does not match ",
                                                            " contains ", " does not contain ",
                                                            " and ",      " or "};
    return signs[static_cast<std::size_t>(operation) - static_cast<std::size_t>(Operation::add)];
}

class Wording {
  public:
    Wording(const Script& script, std::span<const std::string> paths, std::span<const std::uint32_t> questions)
        : script_(script), paths_(paths), questions_(questions), assigned_(script.variables.size()) {
        collect(script.statements);
    }

    /// Returns an expression, with the values of variables in place of their names.
    std::string expression(std::uint32_t position) {
        std::string out;
        append(out, position, 0, 0);
        return out;
    }

    /// Returns the limits of a threshold, each with the sign of its comparison.
    std::vector<std::string> limits() {
        std::vector<std::string> all;
        for (const Statement* const result : results_) {
            std::string limit = expression(result->expression);
            if (result->has_operation) limit.insert(0, sign_of(result->operation).substr(1));
            all.push_back(std::move(limit));
        }
        return all;
    }

    /// Returns the comparisons of values of counters in conditions.
    std::vector<std::string> comparisons() {
        std::vector<std::string> all;
        for (const std::uint32_t condition : conditions_) add_comparisons(all, condition);
        return all;
    }

  private:
    void collect(const std::vector<Statement>& statements) {
        for (const Statement& statement : statements) {
            if (statement.kind == Statement::Kind::result) results_.push_back(&statement);
            if (statement.kind == Statement::Kind::assign)
                assigned_[statement.variable].push_back(statement.expression);
            const bool is_choice = statement.kind == Statement::Kind::choose;
            for (const Branch& branch : statement.branches) {
                if (is_choice && branch.condition != no_index) conditions_.push_back(branch.condition);
                collect(branch.statements);
            }
        }
    }

    /// Returns whether the expression is the value of a counter.
    bool is_value(const Expression& e) const noexcept {
        if (e.operation != Operation::item) return false;
        const Expression& of = script_.expressions[e.left];
        return of.operation == Operation::call && of.function == Function::values;
    }
    bool has_value(std::uint32_t position) const noexcept {
        if (position == no_index) return false;
        const Expression& e = script_.expressions[position];
        return is_value(e) ||
               (e.operation >= Operation::negate && (has_value(e.left) || has_value(e.right) || has_value(e.third)));
    }

    void add_comparisons(std::vector<std::string>& all, std::uint32_t position) {
        const Expression& e = script_.expressions[position];
        if (e.operation < Operation::add) return;
        if (e.operation < Operation::greater || e.operation > Operation::equal) {
            add_comparisons(all, e.left);
            return add_comparisons(all, e.right);
        }
        if (!has_value(e.left) && !has_value(e.right)) return;
        const bool is_limit = is_value(script_.expressions[e.left]) && !has_value(e.right);
        std::string text = is_limit ? std::string(sign_of(e.operation).substr(1)) : std::string{};
        append(text, is_limit ? e.right : position, 0, 0);
        all.push_back(std::move(text));
    }

    void append(std::string& out, std::uint32_t position, int around, unsigned inlined) {
        constexpr std::size_t longest = 300;
        if (out.size() > longest) return;
        const Expression& e = script_.expressions[position];
        const bool is_binary = e.operation >= Operation::add;
        if (is_binary) return append_binary(out, e, around, inlined);
        switch (e.operation) {
            case Operation::number:
            case Operation::truth:
                out += fmt::format("{}", e.number);
                break;
            case Operation::text:
                out += fmt::format("'{}'", script_.texts[e.left]);
                break;
            case Operation::variable:
                append_variable(out, e.left, around, inlined);
                break;
            case Operation::count:
                out += fmt::format("number of {}", paths_[e.left]);
                break;
            case Operation::collection:
                out += paths_[e.left];
                break;
            case Operation::nothing:
                out += "nothing";
                break;
            case Operation::empty_list:
            case Operation::empty_map:
                out += "()";
                break;
            case Operation::item: {
                const std::uint32_t collection = is_value(e) ? value_of(e) : no_index;
                if (collection != no_index)
                    out += paths_[collection];
                else
                    append(out, e.left, around, inlined);
                break;
            }
            case Operation::negate:
            case Operation::invert:
                out += e.operation == Operation::negate ? "-" : "not ";
                append(out, e.left, 8, inlined);
                break;
            case Operation::absolute:
                out += "absolute value of ";
                append(out, e.left, 8, inlined);
                break;
            default:  // conversions and parts
                append(out, e.left, around, inlined);
        }
    }

    /// Returns the collection whose value an expression is; `no_index` if it is not known.
    std::uint32_t value_of(const Expression& item) const {
        return collection_of(script_, script_.expressions[item.left].left);
    }

    void append_binary(std::string& out, const Expression& e, int around, unsigned inlined) {
        const int precedence = precedence_of(e.operation);
        const bool has_parentheses = precedence < around;
        if (has_parentheses) out += '(';
        append(out, e.left, precedence, inlined);
        out += sign_of(e.operation);
        append(out, e.right, precedence + 1, inlined);
        if (has_parentheses) out += ')';
    }

    /// Appends the values that a variable may have, or its name: if it has the answer to a question, or too many
    /// values.
    void append_variable(std::string& out, std::uint32_t variable, int around, unsigned inlined) {
        constexpr unsigned most = 8;  // an expression may contain its own variable
        constexpr std::size_t most_values = 3;
        const std::vector<std::uint32_t>& values = assigned_[variable];
        const bool is_name =
            questions_[variable] != no_index || values.empty() || values.size() > most_values || inlined >= most;
        if (is_name) {
            out += script_.variables[variable];
            return;
        }
        const bool has_parentheses = values.size() > 1 && around > 0;
        if (has_parentheses) out += '(';
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i != 0) out += " or ";
            append(out, values[i], values.size() > 1 ? 1 : around, inlined + 1);
        }
        if (has_parentheses) out += ')';
    }

    const Script& script_;
    std::span<const std::string> paths_;
    std::span<const std::uint32_t> questions_;
    std::vector<std::vector<std::uint32_t>> assigned_;  // for each variable, the expressions of its assignments
    std::vector<const Statement*> results_;
    std::vector<std::uint32_t> conditions_;
};

}  // namespace

std::string describe_comparison(const Script& script, std::span<const std::string> paths,
                                std::span<const std::uint32_t> questions) {
    constexpr std::size_t longest = 500, most = 4;
    Wording wording(script, paths, questions);
    std::string text, sign;
    std::vector<std::string> seen;
    for (const std::string& one : script.raises_alerts ? wording.comparisons() : wording.limits()) {
        if (std::ranges::find(seen, one) != seen.end()) continue;
        // The sign is written once for limits that are compared in the same way.
        const std::string_view own = std::string_view(one).substr(0, one.find(' ') + 1);
        const bool is_same = !seen.empty() && own == sign && !script.raises_alerts;
        text += seen.empty() ? "" : " or ";
        text += is_same ? std::string_view(one).substr(own.size()) : std::string_view(one);
        sign = own;
        seen.push_back(one);
        if (seen.size() == most) break;
    }
    if (text.empty()) text = "as its script states";
    text = one_line(text, longest);
    return script.comparison.is_trend ? fmt::format("slope {} per hour", text) : text;
}

}  // namespace hkpd::pal
