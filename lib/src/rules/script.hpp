// The part of PowerShell that rules are evaluated with: assignments, arithmetic, conditions, and one comparison with a
// number. It has no loops, and calls nothing. lib/src/rules/README.md has the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"

namespace hkpd::pal {

enum class Operation : std::uint8_t {
    number,
    text,        // `left`: position in `Script::texts`
    truth,       // `number` is 0 or 1
    variable,    // `left`: position in `Script::variables`
    count,       // of the instances of a collection; `left`: position in `Script::collections`
    element,     // the value of an input of a computed data source; `left`: its position
    negate,      // operand in `left`, as of the operations up to `absolute`
    invert,      // `-not`
    to_integer,  // rounds halves to the even integer, as PowerShell does
    to_double,
    absolute,
    round,  // `left` to a number of decimals (`right`)
    add,    // operands in `left` and `right`, as of all operations below
    subtract,
    multiply,
    divide,
    greater,
    greater_equal,
    less,
    less_equal,
    equal,
    not_equal,
    both,    // `-and`
    either,  // `-or`
};

struct Expression {
    Operation operation = Operation::number;
    std::uint32_t left = no_index, right = no_index;
    double number = 0;
    std::uint32_t depth = 1;
};

struct Statement;
struct Branch {
    std::uint32_t condition = no_index;  // `no_index`: `Else`
    std::vector<Statement> statements;
};
struct Statement {
    enum class Kind : std::uint8_t { assign, choose, result };
    Kind kind = Kind::result;
    bool is_integer = false;              // assign: the variable rounds what it is assigned, also by later statements
    std::uint32_t variable = no_index;    // assign
    std::uint32_t expression = no_index;  // assign, result
    std::vector<Branch> branches = {};    // choose: the first whose condition holds
};

/// The comparison of a threshold (`StaticThreshold`).
struct Comparison {
    std::string collection;  // variable of the data source
    Operation operation = Operation::greater;
    bool is_trend = false;
};

/// A script whose results are the limits of a comparison, or the values of a computed data source.
struct Script {
    std::vector<Expression> expressions;
    std::vector<std::string> texts, variables, collections;  // names of variables and collections are without `$`
    std::vector<Statement> statements;
    Comparison comparison;  // of a threshold
};

/// Reads the script of a threshold. On failure returns the reason, which continues `the threshold …`: `uses the script
/// command ForEach`.
std::expected<Script, std::string> parse_threshold(std::string_view code);

/// A data source whose values are computed from values of others in the same sample.
struct ComputedSource {
    Script script;
    /// The collections whose values the script uses. Each instance of the first gives one series.
    std::vector<std::string> inputs;
    /// Instances belong together if they are of the same named instance of SQL Server, which is part of the object's
    /// name (`MSSQL$NAME:Locks`); otherwise if they have the same name.
    bool by_server_instance = false;
};

/// Reads the script of a data source that computes values in PAL's loops. On failure returns the reason, which
/// continues `the script …`.
std::expected<ComputedSource, std::string> parse_computed(std::string_view code);
/// Reads the attribute EXPRESSION of a data source: `100 * [bytes] * 8 / [bandwidth]`.
std::expected<ComputedSource, std::string> parse_source_expression(std::string_view expression);

/// A value in a script. Texts that are numbers are numbers where they are used as numbers.
struct Value {
    enum class Kind : std::uint8_t { nothing, number, text, truth };
    Kind kind = Kind::nothing;
    double number = 0;      // of truth: 0 or 1
    std::string_view text;  // valid as long as what it was taken from

    static Value of(double number) noexcept { return {Kind::number, number, {}}; }
    static Value of(std::string_view text) noexcept { return {Kind::text, 0, text}; }
    static Value of_truth(bool truth) noexcept { return {Kind::truth, truth ? 1.0 : 0.0, {}}; }
};

/// The values with which a script is evaluated.
struct Inputs {
    std::span<const Value> variables;  // the values of `Script::variables` at the beginning; `nothing` if unset
    std::span<const double> counts;    // for `Script::collections`; NaN if unknown
    std::span<const double> elements;  // of the inputs of a computed data source; NaN if the sample has no value
};

/// The result of a script.
struct Outcome {
    enum class Failure : std::uint8_t {
        none,
        no_result,      // no branch with a result was taken
        two_results,    // of a computed data source
        unset,          // a variable has no value; `place`: its position
        unknown_count,  // `place`: position of the collection
        no_element,     // an input has no value in the sample
        not_a_number,   // a text that is no number; `place`: position of the variable that contains it, or none
        not_finite,     // a division by zero, or an overflow
    };
    Failure failure = Failure::none;
    std::uint32_t place = no_index;
    double result = 0;
};

/// Evaluates a script. If it has several results, the one that most values exceed is the limit.
Outcome evaluate(const Script& script, const Inputs& inputs);
/// Returns a failure as a short phrase: `the answer to PhysicalMemory is no number`.
std::string describe(const Script& script, const Outcome& outcome);

/// Returns the comparison as people write it: `> 80`, `slope < -PLEHealth * 0.3 per hour`. `paths`: the counter paths
/// of the script's collections. `questions`: for each variable, the question whose answer it has, or `no_index`.
std::string describe_comparison(const Script& script, std::span<const std::string> paths,
                                std::span<const std::uint32_t> questions);

}  // namespace hkpd::pal
