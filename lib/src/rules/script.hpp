// The part of PowerShell that rules are evaluated with, as a tree: assignments, arithmetic, texts, lists, conditions
// and loops. It has no side effects, and every evaluation is bounded. lib/src/rules/README.md has the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"
#include "rules/script_value.hpp"

namespace hkpd::pal {

enum class Operation : std::uint8_t {
    number,
    text,        // `left`: position in `Script::texts`
    truth,       // `number` is 0 or 1
    nothing,     // `$null`
    variable,    // `left`: position in `Script::variables`
    count,       // of the instances of a collection; `left`: position in `Script::collections`
    collection,  // its instances; `left` as of `count`
    element,     // the value of an input of a computed data source; `left`: its position
    empty_list,
    empty_map,
    negate,      // operand in `left`, as of the operations up to `absolute`
    invert,      // `-not`
    to_integer,  // rounds halves to the even integer, as PowerShell does
    to_double,
    to_text,
    to_list,   // `@(…)`
    absolute,  // `[math]::Abs`
    round,     // `left` to a number of decimals (`right`)
    item,      // of a list, map, collection or values (`left`), by its position or key (`right`)
    call,      // `function` with the arguments `left`, `right` and `third`
    append,    // the list `left` with `right` as a further element
    join,      // two texts
    add,       // operands in `left` and `right`, as of all operations below
    subtract,
    multiply,
    divide,
    greater,
    greater_equal,
    less,
    less_equal,
    equal,
    not_equal,
    matches,  // `-match`: a pattern is part of a text
    not_matches,
    contains,  // `-contains`: a list has an element
    not_contains,
    both,    // `-and`
    either,  // `-or`
};

/// Methods and properties of values, and functions of PAL. The value is `left`.
enum class Function : std::uint8_t {
    // of texts
    substring,
    to_upper,
    to_lower,
    trim,
    split,
    replace,  // `-replace` of a pattern (`right`) by a text (`third`)
    text_contains,
    starts_with,
    ends_with,
    index_of,
    // of lists, maps and other values
    length,
    add,  // an element, or a key (`right`) and a value (`third`)
    keys,
    contains_key,
    // of instances
    instance_name,
    object_name,
    counter_name,
    machine_name,
    values,  // in samples: `Value`, `QuantizedAvg`, `QuantizedMin`, `QuantizedMax`
    // of PAL
    is_positive,  // `IsGreaterThanZero`
    is_number,    // `IsNumeric`
    server_name,  // `ExtractSqlNamedInstanceFromCounterObjectPath`
};

struct Expression {
    Operation operation = Operation::number;
    Function function = Function::substring;
    std::uint32_t left = no_index, right = no_index, third = no_index;
    double number = 0;
    std::uint32_t depth = 1;
};

struct Statement;
struct Branch {
    std::uint32_t condition = no_index;  // `no_index`: `Else`, `default`
    std::vector<Statement> statements;
};
struct Statement {
    enum class Kind : std::uint8_t {
        assign,       // `expression` to `variable`
        assign_item,  // `expression` to the item `target`
        evaluate,     // `expression`, for its effect on a list or map of the script
        choose,       // the first of `branches` whose condition holds
        select,       // `switch`: all `branches` whose condition equals `expression`, otherwise the one without
        repeat,       // `For`, `While`, `Do`: the only branch while its condition holds; `step` after each turn
        each,         // `ForEach`: the only branch for each element of `expression`, which is assigned to `variable`
        leave,        // `break`
        next,         // `continue`
        result,       // `expression` is a limit, or a value of a computed data source
        alert,        // PAL's CreateAlert: the instance `expression` exceeds the threshold in the sample `target`
    };
    Kind kind = Kind::result;
    bool runs_first = false;     // repeat: the first turn is taken without its condition (`Do`)
    bool until = false;          // repeat: the condition ends the loop (`Until`)
    bool is_trend = false;       // result: of a threshold
    bool has_operation = false;  // result: whether `operation` is that of the threshold
    /// assign: the variable converts what it is assigned, also by later statements; `number`: it does not.
    /// result: how values are compared with the limit.
    Operation operation = Operation::number;
    std::uint32_t variable = no_index;
    std::uint32_t expression = no_index;
    std::uint32_t target = no_index;
    std::uint32_t line = 0;
    std::vector<Branch> branches = {};
    std::vector<Statement> step = {};
};

/// The comparison of a threshold (`StaticThreshold`).
struct Comparison {
    std::string collection;  // variable of the data source
    bool is_trend = false;
};

/// A script whose results are the limits of a comparison, the values of a computed data source, or alerts.
struct Script {
    std::vector<Expression> expressions;
    std::vector<std::string> texts, variables, collections;  // names of variables and collections are without `$`
    std::vector<Statement> statements;
    Comparison comparison;  // of a threshold with limits
    /// The script raises alerts (CreateAlert of PAL). It is then evaluated in each sample, and
    /// `comparison.collection` has the instances that it raises alerts for.
    bool raises_alerts = false;
};

/// Reads the script of a threshold. `collections`: the variables of the data sources, which may contain characters that
/// are not part of names in PowerShell. On failure returns the reason with its line, which continues `the threshold …`:
/// `uses the script command Get-Date (line 2)`.
std::expected<Script, std::string> parse_threshold(std::string_view code,
                                                   std::span<const std::string> collections = {});

/// Returns the collection that an instance, or a list of them, is of, by the assignments of the variables in the
/// expression; `no_index` if it is not known. `depth`: number of assignments that were followed.
std::uint32_t collection_of(const Script& script, std::uint32_t expression, unsigned depth = 0);

/// A data source whose values are computed from values of others in the same sample.
struct ComputedSource {
    Script script;
    /// The collections whose values the script uses. Each instance of the first gives one series.
    std::vector<std::string> inputs;
    /// Instances belong together if they are of the same named instance of SQL Server, which is part of the object's
    /// name (`MSSQL$NAME:Locks`); otherwise if they have the same name.
    bool by_server_instance = false;
    /// The script has its own loops over instances, and names the series itself. `inputs` are its collections.
    bool has_own_loops = false;
    std::uint32_t result = no_index;  // variable of the map with the computed series, of a script with its own loops
};

/// Reads the script of a data source that computes values in PAL's usual loops: these are recognised, and need not be
/// run. On failure returns the reason, which continues `the script …`.
std::expected<ComputedSource, std::string> parse_computed(std::string_view code);
/// Reads the script of a data source with loops of its own. `result`: the variable of the data source. `collections` as
/// of `parse_threshold`. On failure returns the reason.
std::expected<ComputedSource, std::string> parse_computed_loops(std::string_view code, std::string_view result,
                                                                std::span<const std::string> collections = {});
/// Reads the attribute EXPRESSION of a data source: `100 * [bytes] * 8 / [bandwidth]`.
std::expected<ComputedSource, std::string> parse_source_expression(std::string_view expression);

/// An instance of a collection, and its value in the current sample. Texts are valid during the evaluation.
struct Instance {
    std::uint32_t series = no_index;
    std::string_view machine, object, instance, counter;
    double value = 0;  // NaN if the sample has none
};

/// Results of a script in one sample.
struct SampleResults {
    /// An instance that exceeds a threshold, and the comparison of its value that held last before: none if its value
    /// was not compared with a number. The limit is then NaN.
    struct Alert {
        std::uint32_t series;
        Operation operation;
        double limit;
    };
    /// A value of a computed series. `path`: a counter path, which names it; valid until the next evaluation.
    struct Computed {
        std::string path;
        double value;
    };
    std::vector<Alert> alerts;
    std::vector<Computed> computed;
    std::uint32_t turns = 0;  // turns of outermost loops that came to their end
    std::uint64_t steps = 0;  // taken
};

/// The values with which a script is evaluated.
struct Inputs {
    std::span<const Value> variables;  // the values of `Script::variables` at the beginning; `nothing` if unset
    std::span<const double> counts;    // for `Script::collections`; NaN if unknown
    std::span<const double> elements;  // of the inputs of a computed data source; NaN if the sample has no value
    std::span<const std::vector<Instance>> instances = {};  // for `Script::collections`
};

/// The result of a script.
struct Outcome {
    enum class Failure : std::uint8_t {
        none,
        no_result,      // no branch with a result was taken
        two_results,    // of a computed data source
        two_ways,       // two comparisons with different operators
        unset,          // a variable has no value; `place`: its position
        unknown_count,  // `place`: position of the collection
        no_element,     // an input has no value in the sample
        not_a_number,   // a text that is no number; `place`: position of the variable that contains it, or none
        not_finite,     // a division by zero, or an overflow
        wrong_kind,     // a value is used as what it is not: an item of a number, a property of a text
        no_item,        // a position or key that a list, map or text does not have
        other_sample,   // a value of another sample than the current one
        pattern,        // a regular expression that is no plain text
        too_many_steps,
        too_large,  // more text or elements than allowed
    };
    Failure failure = Failure::none;
    std::uint32_t place = no_index;
    std::uint32_t line = 0;  // of the statement that failed, from 1; 0 if it is not known
    double result = 0;
    Operation operation = Operation::greater;  // how values are compared with a limit
};

/// Evaluates a script. If it has several results, the one that most values exceed is the limit.
Outcome evaluate(const Script& script, const Inputs& inputs);
/// Evaluates a script with loops of its own in one sample: every series has one value, that of the sample. A turn of an
/// outermost loop ends where it needs a value that is missing, or fails otherwise; what it has done before stands, and
/// the next turn begins. `result`: the variable with the computed series, if any. Fails with the first failure if no
/// turn came to its end, and always if there are too many steps.
Outcome evaluate_sample(const Script& script, const Inputs& inputs, std::uint32_t result, SampleResults& results);

/// Bounds of one evaluation.
struct ScriptLimits {
    static constexpr std::uint64_t steps = 100'000;          // statements and operations
    static constexpr std::uint64_t steps_of_instance = 200;  // more for each instance of the collections
    static constexpr std::size_t text_bytes = std::size_t{256} << 10U;
    static constexpr std::size_t elements = 50'000;  // of lists and maps
};

/// Returns a failure as a short phrase: `the answer to PhysicalMemory is no number`.
std::string describe(const Script& script, const Outcome& outcome);

/// Returns the comparison as people write it: `> 80`, `slope < -PLEHealth * 0.3 per hour`. `paths`: the counter paths
/// of the script's collections. `questions`: for each variable, the question whose answer it has, or `no_index`.
std::string describe_comparison(const Script& script, std::span<const std::string> paths,
                                std::span<const std::uint32_t> questions);

}  // namespace hkpd::pal
