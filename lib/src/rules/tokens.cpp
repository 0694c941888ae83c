#include "rules/tokens.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"

namespace hkpd::pal {
namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool begins_name(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool continues_name(char c) noexcept { return begins_name(c) || is_digit(c); }

class Splitter {
  public:
    Splitter(std::string_view script, std::span<const std::string> names, std::uint32_t first_line)
        : script_(script), line_(first_line) {
        for (const std::string& name : names)
            if (!std::ranges::all_of(name, continues_name) && !name.empty()) names_.push_back(name);
        std::ranges::sort(names_, std::ranges::greater(), &std::string_view::size);
    }

    std::expected<std::vector<Token>, std::string> split() {
        while (position_ < script_.size() && reason_.empty()) next();
        if (!reason_.empty()) return std::unexpected(with_line(reason_, line()));
        tokens_.push_back({.text = {}, .line = line()});
        return std::move(tokens_);
    }

  private:
    char at(std::size_t offset) const noexcept {
        return position_ + offset < script_.size() ? script_[position_ + offset] : '\0';
    }

    /// Appends a token of `size` bytes, of which the text is without the first `before` and the last `after` bytes.
    void add(TokenKind kind, std::size_t size, std::size_t before = 0, std::size_t after = 0) {
        tokens_.push_back({kind, script_.substr(position_ + before, size - before - after), 0, line()});
        position_ += size;
    }

    /// Returns the line of the current position.
    std::uint32_t line() noexcept {
        const std::string_view passed = script_.substr(counted_, position_ - counted_);
        line_ += static_cast<std::uint32_t>(std::ranges::count(passed, '\n'));
        counted_ = position_;
        return line_;
    }

    /// Returns the size of the variable that begins here with `$`.
    std::size_t variable_size() const {
        const std::string_view rest = script_.substr(position_ + 1);
        for (const std::string_view name : names_)
            if (same_name(rest.substr(0, name.size()), name)) return 1 + name.size();
        return run(2, [](char d) { return continues_name(d) || d == ':'; });
    }

    template <class Predicate>
    std::size_t run(std::size_t from, const Predicate& belongs) const noexcept {
        while (position_ + from < script_.size() && belongs(script_[position_ + from])) ++from;
        return from;
    }

    void next() {
        const char c = at(0);
        if (c == ' ' || c == '\t' || c == '\r') {
            ++position_;
        } else if (c == '`' && (at(1) == '\n' || (at(1) == '\r' && at(2) == '\n'))) {
            position_ = std::min(script_.find('\n', position_) + 1,
                                 script_.size());  // the statement continues in the next line
        } else if (c == '#') {
            position_ = std::min(script_.find('\n', position_), script_.size());
        } else if (c == '\n' || c == ';') {
            add(TokenKind::line_end, 1);
        } else if (is_digit(c) || (c == '.' && is_digit(at(1)))) {
            add_number();
        } else if (c == '$' && begins_name(at(1))) {
            add(TokenKind::variable, variable_size(), 1);
        } else if (begins_name(c)) {
            add_word();
        } else if (c == '-' && begins_name(at(1))) {
            add(TokenKind::option, run(2, continues_name));
        } else if (c == '\'' || c == '"') {
            add_text(c);
        } else {
            add_symbol();
        }
    }

    /// `New-Object` is one word, `Count-1` is not.
    void add_word() {
        std::size_t size = run(1, continues_name);
        while (at(size) == '-' && begins_name(at(size + 1))) size = run(size + 1, continues_name);
        add(TokenKind::word, size);
    }

    void add_number() {
        static constexpr std::array<std::pair<std::string_view, double>, 5> units{{{"kb", 1024.0},
                                                                                   {"mb", 1024.0 * 1024},
                                                                                   {"gb", 1024.0 * 1024 * 1024},
                                                                                   {"tb", 1024.0 * 1024 * 1024 * 1024},
                                                                                   {"pb", 0x1p50}}};
        std::size_t size = run(0, is_digit);
        if (at(size) == '.' && is_digit(at(size + 1))) size = run(size + 1, is_digit);
        const std::string_view digits = script_.substr(position_, size);
        const std::size_t end = run(size, continues_name);
        const std::string_view unit = script_.substr(position_ + size, end - size);
        const auto* const found =
            std::ranges::find_if(units, [unit](const auto& u) { return same_name(u.first, unit); });
        const auto number = parse_double(digits.starts_with('.') ? fmt::format("0{}", digits) : std::string(digits));
        if (!number || (!unit.empty() && found == units.end())) {
            reason_ = fmt::format("has the number {}", script_.substr(position_, std::min<std::size_t>(end, 20)));
            return;
        }
        add(TokenKind::number, end);
        tokens_.back().number = unit.empty() ? *number : *number * found->second;
    }

    void add_text(char quote) {
        const std::size_t end = script_.find(quote, position_ + 1);
        if (end == std::string_view::npos) {
            reason_ = "has a text without its closing quote";
            return;
        }
        const std::size_t size = end - position_ + 1;
        const std::string_view text = script_.substr(position_ + 1, size - 2);
        const bool is_plain = quote == '\'' || text.find_first_of("$`") == std::string_view::npos;
        add(is_plain ? TokenKind::text : TokenKind::expandable, size, 1, 1);
    }

    void add_symbol() {
        static constexpr std::array<std::string_view, 8> pairs{"$(", "::", "++", "--", "+=", "-=", "*=", "/="};
        const std::string_view two = script_.substr(position_, 2);
        add(TokenKind::symbol, std::ranges::find(pairs, two) == pairs.end() ? 1 : 2);
    }

    std::string_view script_;
    std::vector<std::string_view> names_;  // longer ones first
    std::size_t position_ = 0, counted_ = 0;
    std::uint32_t line_;  // at `counted_`
    std::vector<Token> tokens_;
    std::string reason_;
};

}  // namespace

bool same_name(std::string_view a, std::string_view b) { return compare_names(a, b) == 0; }

std::string with_line(std::string_view reason, std::uint32_t line) { return fmt::format("{} (line {})", reason, line); }

std::expected<std::vector<Token>, std::string> split_script(std::string_view script, std::span<const std::string> names,
                                                            std::uint32_t first_line) {
    if (script.size() > longest_script)
        return std::unexpected(fmt::format("is longer than {} KiB", longest_script / 1024));
    return Splitter(script, names, first_line).split();
}

const Token& Cursor::ahead(std::size_t count) const noexcept {
    return tokens_[std::min(position_ + count, tokens_.size() - 1)];
}

void Cursor::skip_line_ends() noexcept {
    while (is(TokenKind::line_end)) advance();
}

void Cursor::skip_new_lines() noexcept {
    while (is(TokenKind::line_end) && token().text != ";") advance();
}

bool Cursor::is_symbol(std::string_view symbol) const noexcept {
    return is(TokenKind::symbol) && token().text == symbol;
}

bool Cursor::is_word(std::string_view word) const { return is(TokenKind::word) && same_name(token().text, word); }

bool Cursor::take_if(bool condition) noexcept {
    if (condition) advance();
    return condition;
}

bool Cursor::take_symbol(std::string_view symbol) noexcept { return take_if(is_symbol(symbol)); }
bool Cursor::take_word(std::string_view word) { return take_if(is_word(word)); }

bool Cursor::take_option(std::string_view option) {
    return take_if(is(TokenKind::option) && same_name(token().text, option));
}

bool Cursor::take_variable(std::string_view name) {
    return take_if(is(TokenKind::variable) && same_name(token().text, name));
}

std::string_view Cursor::take_any_variable() noexcept {
    const std::string_view name = is(TokenKind::variable) ? token().text : std::string_view{};
    take_if(!name.empty());
    return name;
}

}  // namespace hkpd::pal
