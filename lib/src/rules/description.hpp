// Descriptions in rule files: HTML of other people, of which only an allow list of elements is kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hkpd::pal {

/// A description in both forms. Neither has control characters (but the line feeds of the second), marks that change
/// the direction of text, or bytes that are not UTF-8.
struct Description {
    /// HTML of the elements b, strong, i, em, br, p, ul, ol, li, code and pre without attributes. Every element is
    /// closed and is where HTML allows it; `&`, `<`, `>` and quotes in text are escaped.
    std::string html;
    std::string text;  // a line for each paragraph and each item of a list (`- item`)
};

/// Maximum size of a description before it is read, in bytes. The rest is left out.
inline constexpr std::size_t longest_description = std::size_t{64} << 10U;

/// Reads a description. A link becomes its text with the address after it in parentheses; other elements that are not
/// in the list are left out, their text remains; elements whose content is no text (script, style, iframe) are left out
/// with it.
Description read_description(std::string_view html);

/// Appends text with visible escapes in place of invisible characters (`\x1B`, `\u202E`) and of bytes that are not
/// UTF-8.
void append_visible(std::string& out, std::string_view text);

/// Returns the text in one line: without white space at both ends, and with one space in place of other white space.
/// Longer text than `most` bytes is cut, and ends in `…`.
std::string one_line(std::string_view text, std::size_t most);

}  // namespace hkpd::pal
