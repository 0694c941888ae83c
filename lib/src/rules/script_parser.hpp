// Reads statements and expressions of a script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
class ScriptParser {
  public:
    ScriptParser(Cursor& cursor, Script& script) noexcept : cursor_(cursor), script_(script) {}

    /// Names for the values of inputs; without them, the script is that of a threshold.
    void use_elements(const ElementNames& names) noexcept { elements_ = &names; }
    /// Collections in brackets are inputs, and are appended to `inputs`.
    void use_brackets(std::vector<std::string>& inputs) noexcept { bracketed_ = &inputs; }

    /// Reads statements up to `}` or the end.
    std::vector<Statement> statements();
    std::uint32_t expression();

    bool failed() const noexcept { return !reason_.empty(); }
    const std::string& reason() const noexcept { return reason_; }
    void fail(std::string reason);
    /// Fails because of the current token, and states the reason.
    void fail_here();

  private:
    class Nesting;

    std::optional<Statement> statement();
    std::optional<Statement> assignment();
    std::optional<Statement> result();
    Statement choice();
    Branch branch(bool has_condition);
    Statement comparison();
    void comparison_option(std::uint32_t& limit, Comparison& comparison);
    std::uint32_t limit();

    void skip_in_parentheses();
    std::uint32_t logical();
    std::uint32_t compared();
    std::uint32_t sum();
    std::uint32_t product();
    std::uint32_t unary();
    std::uint32_t primary();
    std::uint32_t type_or_function();
    std::uint32_t function(std::string_view name);
    std::uint32_t after_variable(std::string_view name);
    std::uint32_t in_brackets();
    std::optional<std::uint32_t> element(std::string_view name);
    std::uint32_t is_positive();

    std::uint32_t add(Expression expression);
    std::uint32_t add(Operation operation, std::uint32_t left, std::uint32_t right = no_index);
    std::uint32_t position_of(std::vector<std::string>& names, std::string_view name);

    Cursor& cursor_;
    Script& script_;
    const ElementNames* elements_ = nullptr;
    std::vector<std::string>* bracketed_ = nullptr;
    std::string reason_;
    unsigned nesting_ = 0, parentheses_ = 0;
    bool compares_ = false;
};

}  // namespace hkpd::pal
