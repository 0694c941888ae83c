// Text of single cells, shared by several output formats.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/counter_type.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v2.hpp"
#include "quantity/quantity.hpp"
#include "write/digits.hpp"

namespace hkpd {

class Diagnostics;
class TitleTable;

/// Appends a text that identifies the object with the number `object` (`Diagnostic::object`). The text has the form
/// `object 238`, `counterset {b4fc721a-…}` or `result 2`.
void append_object_place(std::string& out, const Diagnostics& diagnostics, std::uint32_t object);

/// Appends the origin and language of a title table as printable text: `perfc009.dat (language 009)`.
void append_table_name(std::string& out, const TitleTable& table);

/// Appends text as one line, for formats without escapes. Characters without a shape of their own (as in
/// `append_printable`) and bytes that are not UTF-8 are replaced by blanks, except the zero-width joiner and
/// non-joiner.
void append_one_line(std::string& out, std::string_view text);

/// Replaces characters without a shape of their own, and bytes that are not UTF-8 (by U+FFFD), in `json`, from offset
/// `from` on, by escapes such as `\u009B`. JSON readers convert the escapes back. `json` is output of RapidJSON.
/// Characters below U+0020 are not changed: RapidJSON has already escaped them in strings, and outside strings they are
/// line ends.
void escape_json(std::string& json, std::size_t from);

std::string printable(std::string_view text);

/// Returns the number of terminal columns that a text needs: 2 for each wide character, 0 for a combining character.
std::size_t display_width(std::string_view text);

/// Returns whether text consists of printable ASCII characters only, and contains neither the character `without` nor
/// the character `nor`.
bool is_plain(std::string_view text, char without, char nor) noexcept;

/// Appends the word `machine` and a machine's name: `machine DEMO`. Instead of an empty name, appends `(no name)`; if
/// there is no name, `unknown`.
void append_machine(std::string& out, const std::optional<std::string_view>& machine);

/// Returns whether the provider has marked a column as not displayable (PERF_ATTRIB_NO_DISPLAYABLE).
inline bool is_hidden(const Column& column) noexcept {
    return (column.attributes & v2::attribute::no_displayable) != 0;
}
/// Returns whether the integers of a column are shown in hexadecimal. The column's type or PERF_ATTRIB_DISPLAY_AS_HEX
/// requests hexadecimal. PERF_ATTRIB_DISPLAY_AS_REAL overrides both.
bool shows_hex(std::uint32_t type, std::uint64_t attributes) noexcept;
/// Returns a cooked value as text for people. With `hex`, integers from 0 to 2^64 - 1 are hexadecimal.
std::string cooked_text(double value, Unit unit, bool hex);

/// Appends a number with the fewest digits from which the same double can be read back. Appends nothing for NaN.
void append_number(std::string& out, double value);
/// Appends a number in at most 17 significant digits, as `%.17g` of C does.
void append_17_digits(std::string& out, double value);
/// Appends the character `before`, unless it is NUL, and an integer in decimal digits.
void append_digits(std::string& out, std::integral auto value, char before = '\0') {
    std::array<char, most_digits + 2> text;  // also a character and a sign
    std::size_t size = 0;
    if (before != '\0') text[size++] = before;
    auto magnitude = static_cast<std::uint64_t>(value);
    if (value < 0) {
        text[size++] = '-';
        magnitude = 0 - magnitude;
    }
    out.append(text.data(), write_digits(std::next(text.data(), static_cast<std::ptrdiff_t>(size)), magnitude));
}
/// Appends bytes as lowercase hexadecimal digits.
void append_hex(std::string& out, std::string_view bytes);

/// Appends the character `before`, unless it is NUL, and text in double quotes, as it is.
void append_in_quotes(std::string& out, char before, std::string_view text);
/// Appends text in double quotes. Each double quote in the text is doubled (RFC 4180).
void append_quoted(std::string& out, std::string_view text);
/// Appends a CSV cell (RFC 4180) and a comma. Invisible characters in the text are escaped, and the cell is quoted if
/// necessary. Text that a spreadsheet would interpret as a formula gets an apostrophe at its start.
void append_csv_cell(std::string& out, std::string_view text);

/// Returns the PDH status of a value in hexadecimal, such as `0x800007d1`. Returns `damaged` for a damaged value, which
/// has no PDH status.
std::string status_number(ValueStatus status);
/// Returns the PDH status as a word, such as `no_instance`. If there is no word for a status, returns it as
/// `status_number` does.
std::string status_word(ValueStatus status);

}  // namespace hkpd
