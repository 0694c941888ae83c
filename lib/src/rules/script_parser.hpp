// Reads statements and expressions of a script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/script.hpp"
#include "rules/tokens.hpp"

namespace hkpd::pal {

/// The names by which the script of a computed data source refers to the values of its inputs.
struct ElementNames {
    struct Element {
        std::string_view
            variable;            // the collection in `$Collection[$i].Value[$v]`, the instance in `$Instance.Value[$v]`
        std::string_view index;  // `i`; empty in the second form
        std::uint32_t input;     // its position
    };
    std::vector<Element> elements;
    std::string_view value_index;  // `v`
    std::string_view list;         // of the values that are computed
};

/// Reads the parts of one script into a `Script`. After the first failure, all functions do nothing.
/// script_parser.cpp has the statements, expression_parser.cpp the expressions.
class ScriptParser {
  public:
    ScriptParser(Cursor& cursor, Script& script) noexcept : cursor_(cursor), script_(script) {}

    /// Names of the collections; without them, an unknown variable is one if its instances are counted or indexed.
    void use_collections(std::span<const std::string> names) noexcept { collections_ = names; }
    /// Names for the values of inputs. Only conditions, assignments and arithmetic are read then.
    void use_elements(const ElementNames& names) noexcept { elements_ = &names; }
    /// Collections in brackets are inputs, and are appended to `inputs`. The script is one expression.
    void use_brackets(std::vector<std::string>& inputs) noexcept { bracketed_ = &inputs; }

    /// Reads statements up to `}` or the end.
    std::vector<Statement> statements();
    std::uint32_t expression();

    bool failed() const noexcept { return !reason_.empty(); }
    const std::string& reason() const noexcept { return reason_; }
    void fail(std::string_view reason);
    /// Fails because of the current token, and states the reason.
    void fail_here();
    /// Fails if single values of a collection are used: a limit is the same for all samples.
    void refuse_single_values();

  private:
    class Nesting;

    bool is_restricted() const noexcept { return elements_ != nullptr || bracketed_ != nullptr; }

    std::optional<Statement> statement();
    std::optional<Statement> loop();
    Statement new_statement(Statement::Kind kind) const noexcept;
    std::optional<Statement> assignment();
    std::optional<Statement> typed_assignment();
    std::optional<Statement> changed(std::string_view name, Statement made);
    std::optional<Statement> item_or_call(std::string_view name, Statement made);
    std::optional<Statement> result();
    std::optional<Statement> effect();
    Statement choice();
    Statement selection();
    std::optional<Statement> for_loop();
    Statement each_loop();
    Statement while_loop();
    Statement do_loop();
    Branch branch(bool has_condition);
    std::uint32_t condition();
    std::vector<Statement> block();
    Statement comparison();
    void comparison_option(Statement& made, Comparison& comparison);
    std::optional<Statement> alert();
    std::uint32_t argument();
    std::uint32_t assign_to(std::string_view name);

    void skip_in_parentheses();
    std::uint32_t logical();
    std::uint32_t compared();
    std::uint32_t replaced(std::uint32_t text);
    std::uint32_t sum();
    std::uint32_t product();
    std::uint32_t unary();
    std::uint32_t primary();
    std::uint32_t in_parentheses();
    std::uint32_t listed(std::uint32_t first);
    std::uint32_t list_or_map();
    std::uint32_t type_or_function();
    std::string type_name();
    std::uint32_t function(std::string_view name);
    std::uint32_t command();
    std::uint32_t expanded();
    std::uint32_t expanded_part(std::string_view& rest, std::uint32_t line);
    std::uint32_t after_variable(std::string_view name);
    std::uint32_t named(std::string_view name);
    std::uint32_t with_members(std::uint32_t object);
    std::uint32_t member(std::uint32_t object);
    std::uint32_t method(std::uint32_t object, std::string_view name);
    std::uint32_t in_brackets();
    std::optional<std::uint32_t> element(std::string_view name);

    std::uint32_t add(Expression expression);
    std::uint32_t add(Operation operation, std::uint32_t left, std::uint32_t right = no_index);
    std::uint32_t add(Function function, std::uint32_t left, std::uint32_t right = no_index,
                      std::uint32_t third = no_index);
    std::uint32_t add_number(double number);
    std::uint32_t add_text(std::string_view text);
    std::uint32_t position_of(std::vector<std::string>& names, std::string_view name);
    bool is_collection(std::string_view name) const;
    bool is_assigned(std::string_view name) const;

    Cursor& cursor_;
    Script& script_;
    std::span<const std::string> collections_;
    const ElementNames* elements_ = nullptr;
    std::vector<std::string>* bracketed_ = nullptr;
    std::string reason_, single_values_;
    std::vector<bool> assigned_;  // for `Script::variables`
    unsigned nesting_ = 0, parentheses_ = 0, loops_ = 0;
    bool compares_ = false;
};

/// Returns the text for a reason: printable, and not long.
std::string shown_in_reason(std::string_view text);
/// Returns the operation that PowerShell calls by this operator, such as `-gt`; none if it is no comparison.
std::optional<Operation> comparison_named(std::string_view option);
/// Returns the conversion to a type: `to_integer`, `to_double` or `to_text`; none for other types.
std::optional<Operation> conversion_to(std::string_view type);

}  // namespace hkpd::pal
