// Texts in scripts: parts of them, and patterns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd::pal {

/// Returns the number of characters (code points) of a text in UTF-8.
std::size_t length_of(std::string_view text) noexcept;

/// Returns the characters from a position, at most `count`; none if the text has fewer. Positions are from 0.
std::optional<std::string_view> part_of(std::string_view text, double position, std::optional<double> count) noexcept;

/// Returns the parts between the characters of `separators`, also empty ones: at least one.
std::vector<std::string_view> split_at(std::string_view text, std::string_view separators);

/// Returns the position of the first occurrence in characters, by case; -1 if there is none.
double position_in(std::string_view text, std::string_view part) noexcept;

/// A regular expression without repetitions, groups and classes: characters, escaped punctuation, `.` for any
/// character, `^` at the begin and `$` at the end. Matching it takes at most the product of both lengths. Ignores case,
/// as `-match` and `-replace` do.
class PlainPattern {
  public:
    /// Returns none for other regular expressions.
    static std::optional<PlainPattern> parse(std::string_view pattern);

    bool is_part_of(std::string_view text) const;
    /// Returns the text with every match replaced.
    std::string replace(std::string_view text, std::string_view by) const;

  private:
    /// Returns the size of a match at a position in bytes; none if there is none.
    std::optional<std::size_t> match_at(std::string_view text, std::size_t position) const noexcept;

    struct Character {
        char byte;
        bool is_any;
    };
    std::vector<Character> characters_;
    bool at_begin_ = false, at_end_ = false;
};

}  // namespace hkpd::pal
