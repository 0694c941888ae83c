// The evaluation of one script. evaluate.cpp has its statements, evaluate_expressions.cpp its expressions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"
#include "rules/script.hpp"
#include "rules/script_text.hpp"
#include "rules/script_value.hpp"

namespace hkpd::pal {

/// Evaluates one script. After a failure, all functions do nothing; in a sample, the next turn of an outermost loop
/// begins anew.
class Evaluation {
  public:
    /// Begins an evaluation. The script and the inputs must outlive it. `sample`: null outside of samples.
    Evaluation(const Script& script, const Inputs& inputs, SampleResults* sample);
    /// Runs the script; fails if it has no result.
    Outcome run();
    /// Runs the script in one sample, as `evaluate_sample` does.
    Outcome run_sample(std::uint32_t result);

  private:
    using Failure = Outcome::Failure;
    using Kind = Value::Kind;

    /// Notes a failure in the current line, unless there was one before.
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

    void execute(const std::vector<Statement>& statements);
    void execute(const Statement& statement);
    void assign(const Statement& statement);
    void assign_item(const Statement& statement);
    void set_key(const Value& map, const Value& key, const Value& assigned);
    void choose(const Statement& statement);
    void select(const Statement& statement);

    // Loops

    /// Takes a turn of a loop; returns whether the next may follow.
    bool turn(const std::vector<Statement>& statements);
    /// Ends a turn of an outermost loop: if it has failed, the next one begins anew.
    void end_turn();
    void repeat(const Statement& statement);
    void each(const Statement& statement);

    // Results

    void add_result(double result, const Statement& statement) noexcept;
    void raise_alert(const Statement& statement);
    /// Notes that a comparison of the value of a series holds.
    void note(const Value& compared, Operation operation, double limit);
    /// Reads the computed series: a map of lists, which have the value of this sample.
    void read_series(const Value& map);

    // Values

    double number(std::uint32_t expression);
    bool truth(std::uint32_t expression) { return to_truth(value(expression), store_); }
    /// Returns the value as text, which is kept; fails for lists and instances.
    std::string_view text(std::uint32_t expression);
    /// Returns the text as a value, and keeps it.
    Value kept(std::string text);
    /// Returns a finite number, or fails.
    Value finite(double number) noexcept;
    static Value instance(std::uint32_t collection, std::size_t position) noexcept {
        return {.kind = Kind::instance, .number = static_cast<double>(position), .text = {}, .place = collection};
    }
    Value value(std::uint32_t position);
    Value converted(Operation operation, std::uint32_t expression);
    Value of_two(const Expression& e);
    Value equals(const Expression& e);
    Value relation(const Expression& e);
    /// Adds numbers, or texts and lists to the end of the first operand of that kind.
    Value sum(const Expression& e);
    Value leaf(const Expression& e);

    // Lists, maps and instances

    Value appended(const Value& list, const Value& element);
    /// Returns a new list of the elements of a list, or of a single value.
    Value as_list(const Value& of);
    bool has(const Value& list, const Value& element);
    /// Returns a position, or `count` if it is none below it.
    static std::size_t position_in(const Value& key, std::size_t count) noexcept;
    Value item(const Value& of, const Value& key);
    /// Fails unless a position among the samples is that of the current one, the only one that there is.
    void require_sample(double position) noexcept;

    // Methods and functions

    Value called(const Expression& e);
    Value of_text(const Expression& e);
    std::optional<PlainPattern> pattern_of(std::string_view text);
    Value of_instance(Function function, const Value& object);
    Value length(const Value& of);
    Value add_element(const Value& to, const Expression& e);
    Value keys(const Value& of);
    /// Returns the named instance of SQL Server in the name of an object: `NAME` of `MSSQL$NAME:Locks`, as PAL does.
    Value server_name(const Value& object);

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

}  // namespace hkpd::pal
