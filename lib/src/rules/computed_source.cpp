// Recognises the loops by which PAL's files compute a data source from others. All of them have this form:
//
//   for each instance A of the first collection:
//     for each other collection: find the instance that belongs to A
//     for each sample: compute a value from the values of these instances
//     add the values as a series
//
// Instances belong together by their names, or by the named instance of SQL Server in the name of their object. Only
// the statements for one sample are evaluated.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "rules/script_parser.hpp"

namespace hkpd::pal {
namespace {

class LoopReader {
  public:
    explicit LoopReader(std::span<const Token> tokens) : cursor_(tokens), parser_(cursor_, source_.script) {}

    std::expected<ComputedSource, std::string> read() {
        // The collection that is computed: `$Result = @{}`
        cursor_.skip_line_ends();
        result_ = cursor_.take_any_variable();
        require(!result_.empty() && cursor_.take_symbol("=") && cursor_.take_symbol("@") && cursor_.take_symbol("{") &&
                cursor_.take_symbol("}"));
        skip_declarations();
        const Loop outer = loop();
        first_ = {outer.collection, outer.index};
        add_element(outer.collection, outer.index, outer.collection);
        if (is_server_name()) {
            read_server_matches();
        } else {
            read_name_matches();
            read_samples();
        }
        end_block();
        cursor_.skip_line_ends();
        require(cursor_.is(TokenKind::end));
        if (parser_.failed()) return std::unexpected(parser_.reason());
        return std::move(source_);
    }

  private:
    struct Loop {
        std::string_view collection, index;
    };

    /// Fails unless the script has the form. A reason of the parser for the same place is more precise, and is kept.
    bool require(bool holds) {
        if (!holds) parser_.fail("is no loop of the known form");
        return holds && !parser_.failed();
    }

    void add_element(std::string_view variable, std::string_view index, std::string_view collection) {
        const auto found = std::ranges::find_if(
            source_.inputs, [collection](const std::string& input) { return same_name(input, collection); });
        const auto input = static_cast<std::uint32_t>(found - source_.inputs.begin());
        if (found == source_.inputs.end()) source_.inputs.emplace_back(collection);
        names_.elements.push_back({variable, index, input});
    }

    /// `[int] $i = ''`
    void skip_declarations() {
        cursor_.skip_line_ends();
        while (cursor_.is_symbol("[") && !parser_.failed()) {
            cursor_.advance();
            require(cursor_.take_word("int") && cursor_.take_symbol("]") && !cursor_.take_any_variable().empty() &&
                    cursor_.take_symbol("=") && cursor_.is(TokenKind::text));
            cursor_.advance();
            cursor_.skip_line_ends();
        }
    }

    /// `For ($i=0;$i -lt $Collection.Count;$i++) {`
    Loop loop() {
        Loop read;
        cursor_.skip_line_ends();
        if (!require(cursor_.take_word("For") && cursor_.take_symbol("("))) return read;
        read.index = begin_of_index();
        read.collection = cursor_.take_any_variable();
        require(cursor_.take_symbol(".") && cursor_.take_word("Count"));
        end_of_index(read.index);
        return read;
    }

    std::string_view begin_of_index() {
        const std::string_view index = cursor_.take_any_variable();
        require(!index.empty() && cursor_.take_symbol("=") && cursor_.is(TokenKind::number) &&
                cursor_.token().number == 0);
        cursor_.advance();
        require(cursor_.is(TokenKind::line_end));
        cursor_.advance();
        require(cursor_.take_variable(index) && cursor_.take_option("-lt"));
        return index;
    }

    void end_of_index(std::string_view index) {
        require(cursor_.is(TokenKind::line_end));
        cursor_.advance();
        require(cursor_.take_variable(index) && cursor_.take_symbol("++") && cursor_.take_symbol(")"));
        begin_block();
    }

    void begin_block() {
        cursor_.skip_line_ends();
        require(cursor_.take_symbol("{"));
        cursor_.skip_line_ends();
    }
    void end_block() {
        cursor_.skip_line_ends();
        require(cursor_.take_symbol("}"));
    }

    /// `$Collection[$i]`
    bool take_instance(const Loop& of) {
        return cursor_.take_variable(of.collection) && cursor_.take_symbol("[") && cursor_.take_variable(of.index) &&
               cursor_.take_symbol("]");
    }
    bool take_member(std::string_view member) { return cursor_.take_symbol(".") && cursor_.take_word(member); }

    // Instances of the same name

    /// Reads `$Instance = $First[$i]`, if it is there, and a loop for each further collection.
    void read_name_matches() {
        if (cursor_.is(TokenKind::variable) && cursor_.ahead(1).text == "=" &&
            cursor_.ahead(2).kind == TokenKind::variable) {
            alias_ = cursor_.take_any_variable();
            cursor_.advance();
            require(take_instance(first_));
            add_element(alias_, {}, first_.collection);
            cursor_.skip_line_ends();
        }
        while (cursor_.is_word("For") && !parser_.failed()) {
            read_name_match();
            cursor_.skip_line_ends();
        }
    }

    /// `If ($First[$i].CounterInstance -eq $Other[$a].CounterInstance) { $b = $a }`, or `{ $Instance = $Other[$a] }`
    void read_name_match() {
        const Loop other = loop();
        require(cursor_.take_word("If") && cursor_.take_symbol("("));
        if (alias_.empty() || !cursor_.take_variable(alias_)) require(take_instance(first_));
        require(take_member("CounterInstance") && cursor_.take_option("-eq") && take_instance(other) &&
                take_member("CounterInstance") && cursor_.take_symbol(")"));
        begin_block();
        const std::string_view target = cursor_.take_any_variable();
        require(!target.empty() && cursor_.take_symbol("="));
        if (cursor_.take_variable(other.index)) {
            add_element(other.collection, target, other.collection);
        } else {
            require(take_instance(other));
            add_element(target, {}, other.collection);
        }
        end_block();
        end_block();
    }

    // Instances of one server instance

    /// Returns whether the next statement is `$s = ExtractSqlNamedInstanceFromCounterObjectPath …`.
    bool is_server_name() const {
        return cursor_.is(TokenKind::variable) && cursor_.ahead(1).text == "=" &&
               same_name(cursor_.ahead(2).text, "ExtractSqlNamedInstanceFromCounterObjectPath");
    }

    /// Reads the two statements that compute a text from machine and server instance. Returns the text's variable.
    std::string_view server_name(const Loop& of) {
        require(is_server_name());
        const std::string_view name = cursor_.take_any_variable();
        cursor_.advance();
        cursor_.advance();
        require(cursor_.take_option("-sCounterObjectPath") && take_instance(of) && take_member("CounterObject"));
        cursor_.skip_line_ends();
        // `$both = "$($Collection[$i].CounterComputer)" + '/' + "$name"`
        const std::string_view both = cursor_.take_any_variable();
        require(!name.empty() && !both.empty() && cursor_.take_symbol("="));
        require(take_text(fmt::format("$(${}[${}].CounterComputer)", of.collection, of.index)) &&
                cursor_.take_symbol("+") && take_text("/") && cursor_.take_symbol("+") &&
                take_text(fmt::format("${}", name)));
        cursor_.skip_line_ends();
        return both;
    }

    bool take_text(std::string_view text) {
        const bool is_text = cursor_.is(TokenKind::text) || cursor_.is(TokenKind::expandable);
        if (!is_text || !same_name(cursor_.token().text, text)) return false;
        cursor_.advance();
        return true;
    }

    void read_server_matches() {
        source_.by_server_instance = true;
        const std::string_view first_name = server_name(first_);
        // `$m = -1`: the position of the instance that belongs to the first one
        const std::string_view match = cursor_.take_any_variable();
        require(!match.empty() && cursor_.take_symbol("=") && cursor_.take_symbol("-") &&
                cursor_.is(TokenKind::number));
        cursor_.advance();
        const Loop other = loop();
        const std::string_view other_name = server_name(other);
        require(cursor_.take_word("If") && cursor_.take_symbol("(") && cursor_.take_variable(first_name) &&
                cursor_.take_option("-eq") && cursor_.take_variable(other_name) && cursor_.take_symbol(")"));
        begin_block();
        require(cursor_.take_variable(match) && cursor_.take_symbol("=") && cursor_.take_variable(other.index));
        end_block();
        end_block();
        add_element(other.collection, match, other.collection);
        cursor_.skip_line_ends();
        // `If ($m -ge 0) {`
        require(cursor_.take_word("If") && cursor_.take_symbol("(") && cursor_.take_variable(match) &&
                cursor_.take_option("-ge") && cursor_.is(TokenKind::number) && cursor_.token().number == 0);
        cursor_.advance();
        require(cursor_.take_symbol(")"));
        begin_block();
        read_samples();
        end_block();
    }

    // Samples

    /// `$list = New-Object System.Collections.ArrayList`, a loop over the samples, and two statements that add the list
    /// as a series
    void read_samples() {
        cursor_.skip_line_ends();
        names_.list = cursor_.take_any_variable();
        require(!names_.list.empty() && cursor_.take_symbol("=") && cursor_.take_word("New-Object") &&
                cursor_.take_word("System") && take_member("Collections") && take_member("ArrayList"));
        cursor_.skip_line_ends();
        require(cursor_.take_word("For") && cursor_.take_symbol("("));
        names_.value_index = begin_of_index();
        if (alias_.empty() || !cursor_.take_variable(alias_)) require(take_instance(first_));
        require(take_member("Value") && take_member("Count"));
        end_of_index(names_.value_index);
        parser_.use_elements(names_);
        if (!parser_.failed()) source_.script.statements = parser_.statements();
        end_block();
        read_end();
    }

    /// `$name = "…"` and `$Result.Add($name,$list)`. Series are named by the data source's path, not by this text.
    void read_end() {
        cursor_.skip_line_ends();
        const std::string_view name = cursor_.take_any_variable();
        require(!name.empty() && cursor_.take_symbol("=") &&
                (cursor_.is(TokenKind::text) || cursor_.is(TokenKind::expandable)));
        cursor_.advance();
        cursor_.skip_line_ends();
        require(cursor_.take_variable(result_) && take_member("Add") && cursor_.take_symbol("(") &&
                cursor_.take_variable(name) && cursor_.take_symbol(",") && cursor_.take_variable(names_.list) &&
                cursor_.take_symbol(")"));
    }

    Cursor cursor_;
    ComputedSource source_;
    ScriptParser parser_;
    ElementNames names_;
    std::string_view result_, alias_;
    Loop first_;
};

}  // namespace

std::expected<ComputedSource, std::string> parse_computed(std::string_view code) {
    const auto tokens = split_script(code);
    if (!tokens) return std::unexpected(tokens.error());
    return LoopReader(*tokens).read();
}

}  // namespace hkpd::pal
