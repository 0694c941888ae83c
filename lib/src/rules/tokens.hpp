// The words, numbers, variables and symbols of a script in a rule file (PowerShell), as far as arithmetic needs them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd::pal {

enum class TokenKind : std::uint8_t {
    end,         // after the last token
    line_end,    // an end of line, or `;`
    number,      // `0.25`, `1GB`
    variable,    // `$PhysicalMemory`; the text is without `$`
    word,        // `StaticThreshold`, `New-Object`
    option,      // `-Threshold`, `-gt`; the text includes `-`
    text,        // `'gt'`, or `"gt"` without anything that PowerShell would replace; the text is without quotes
    expandable,  // `"$x"`
    symbol,      // one character, or `$(`, `::`, `++`, `--`, `+=`, `-=`, `*=`, `/=`
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;  // part of the script
    double number = 0;
    std::uint32_t line = 0;  // where it begins, from 1
};

/// Maximum size of a script in bytes. The largest of PAL has 9 KB.
inline constexpr std::size_t longest_script = std::size_t{64} << 10U;

/// Splits a script. Comments are left out. The last token is `end`. `names`: variables, without `$`, that are one token
/// although they contain other characters than names in PowerShell (PAL replaces them in the text of the script).
/// `first_line`: number of the first line. On failure returns why the script is not evaluated.
std::expected<std::vector<Token>, std::string> split_script(std::string_view script,
                                                            std::span<const std::string> names = {},
                                                            std::uint32_t first_line = 1);
/// Returns a reason with the line that it is about.
std::string with_line(std::string_view reason, std::uint32_t line);

/// A position in the tokens of a script.
class Cursor {
  public:
    explicit Cursor(std::span<const Token> tokens) noexcept : tokens_(tokens) {}

    const Token& token() const noexcept { return tokens_[position_]; }
    /// Returns the token `count` tokens after the current one, or the last token.
    const Token& ahead(std::size_t count) const noexcept;
    void advance() noexcept { position_ = std::min(position_ + 1, tokens_.size() - 1); }
    void skip_line_ends() noexcept;
    /// Skips ends of lines, but not `;`.
    void skip_new_lines() noexcept;

    bool is(TokenKind kind) const noexcept { return token().kind == kind; }
    bool is_symbol(std::string_view symbol) const noexcept;
    /// Returns whether the token is this word, ignoring case.
    bool is_word(std::string_view word) const;

    /// Each `take` function moves to the next token if the current one is as requested. Returns whether it is.
    bool take_symbol(std::string_view symbol) noexcept;
    bool take_word(std::string_view word);
    bool take_option(std::string_view option);
    bool take_variable(std::string_view name);
    /// Takes any variable; returns its name, or an empty text if the token is no variable.
    std::string_view take_any_variable() noexcept;

  private:
    bool take_if(bool condition) noexcept;

    std::span<const Token> tokens_;
    std::size_t position_ = 0;
};

/// Returns whether two names in a script are equal, ignoring case.
bool same_name(std::string_view a, std::string_view b);

}  // namespace hkpd::pal
