// Comparisons as people write them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

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
    static constexpr std::array<std::string_view, 12> signs{" + ",  " - ",  " * ", " / ",  " > ",   " >= ",
                                                            " < ", " <= ", " = ", " != ", " and ", " or "};
    return signs[static_cast<std::size_t>(operation) - static_cast<std::size_t>(Operation::add)];
}

class Wording {
  public:
    Wording(const Script& script, std::span<const std::string> paths) : script_(script), paths_(paths) {
        assignments_.resize(script.variables.size());
        collect(script.statements, true);
    }

    /// Returns an expression without the names of variables that have only one value.
    std::string expression(std::uint32_t position) {
        std::string out;
        append(out, position, 0, 0);
        return out;
    }

    /// Returns the positions of all results.
    const std::vector<std::uint32_t>& results() const noexcept { return results_; }

  private:
    struct Assignment {
        unsigned count = 0;
        std::uint32_t expression = no_index;  // of the last assignment, if it is in no branch
    };

    void collect(const std::vector<Statement>& statements, bool always) {
        for (const Statement& statement : statements) {
            if (statement.kind == Statement::Kind::result) results_.push_back(statement.expression);
            if (statement.kind == Statement::Kind::assign) {
                Assignment& assignment = assignments_[statement.variable];
                ++assignment.count;
                assignment.expression = always ? statement.expression : no_index;
            }
            for (const Branch& branch : statement.branches) collect(branch.statements, false);
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

    void append_variable(std::string& out, std::uint32_t variable, int around, unsigned inlined) {
        constexpr unsigned most = 8;  // an expression may contain its own variable
        const Assignment& assignment = assignments_[variable];
        if (assignment.count == 1 && assignment.expression != no_index && inlined < most)
            append(out, assignment.expression, around, inlined + 1);
        else
            out += script_.variables[variable];
    }

    const Script& script_;
    std::span<const std::string> paths_;
    std::vector<Assignment> assignments_;
    std::vector<std::uint32_t> results_;
};

}  // namespace

std::string describe_comparison(const Script& script, std::span<const std::string> paths) {
    Wording wording(script, paths);
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
    return script.comparison.is_trend ? fmt::format("slope {}{} per hour", sign, limits) : fmt::format("{}{}", sign, limits);
}

}  // namespace hkpd::pal
