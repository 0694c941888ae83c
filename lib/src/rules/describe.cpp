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
    static constexpr std::array<std::string_view, 12> signs{
        " + ", " - ", " * ", " / ", " > ", " >= ", " < ", " <= ", " = ", " != ", " and ", " or "};
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

    /// Returns the positions of all results.
    const std::vector<std::uint32_t>& results() const noexcept { return results_; }

  private:
    void collect(const std::vector<Statement>& statements) {
        for (const Statement& statement : statements) {
            if (statement.kind == Statement::Kind::result) results_.push_back(statement.expression);
            if (statement.kind == Statement::Kind::assign)
                assigned_[statement.variable].push_back(statement.expression);
            for (const Branch& branch : statement.branches) collect(branch.statements);
        }
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
            case Operation::negate:
            case Operation::invert:
                out += e.operation == Operation::negate ? "-" : "not ";
                append(out, e.left, 8, inlined);
                break;
            case Operation::absolute:
                out += "absolute value of ";
                append(out, e.left, 8, inlined);
                break;
            default:  // conversions
                append(out, e.left, around, inlined);
        }
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
    std::vector<std::uint32_t> results_;
};

}  // namespace

std::string describe_comparison(const Script& script, std::span<const std::string> paths,
                                std::span<const std::uint32_t> questions) {
    Wording wording(script, paths, questions);
    std::string limits;
    std::vector<std::string> seen;
    for (const std::uint32_t result : wording.results()) {
        std::string limit = wording.expression(result);
        if (std::ranges::find(seen, limit) != seen.end()) continue;
        limits += fmt::format("{}{}", seen.empty() ? "" : " or ", limit);
        seen.push_back(std::move(limit));
        if (seen.size() == 4) break;
    }
    const std::string_view sign = sign_of(script.comparison.operation).substr(1);
    constexpr std::size_t longest = 500;
    const std::string text = one_line(fmt::format("{}{}", sign, limits), longest);
    return script.comparison.is_trend ? fmt::format("slope {} per hour", text) : text;
}

}  // namespace hkpd::pal
