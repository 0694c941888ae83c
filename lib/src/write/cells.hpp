// Text of single cells, as several forms of output have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/counter_type.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

std::string printable(std::string_view text);

/// Columns that a terminal needs for text: 2 for wide characters, 0 for combining ones.
std::size_t display_width(std::string_view text);

/// Whether text is printable ASCII, as nearly all is, and has none of two characters that mean something where it goes.
bool is_plain(std::string_view text, char without, char nor) noexcept;

/// `machine DEMO`, `machine (no name)`, `machine unknown`.
void append_machine(std::string& out, const std::optional<std::string_view>& machine);

/// Whether its provider says that it is not to be shown (PERF_ATTRIB_NO_DISPLAYABLE).
inline bool is_hidden(const Column& column) noexcept {
    return (column.attributes & v2::attribute::no_displayable) != 0;
}
/// Whether whole numbers of a column are shown in hexadecimal: its type says so, or PERF_ATTRIB_DISPLAY_AS_HEX, and
/// not PERF_ATTRIB_DISPLAY_AS_REAL.
bool shows_hex(std::uint32_t type, std::uint64_t attributes) noexcept;
/// The floating-point number whose bits a column holds as plain numbers (PERF_ATTRIB_DISPLAY_AS_REAL); none of other
/// columns.
std::optional<double> real_value(const Column& column, std::size_t row) noexcept;

/// `1 counter`, `2 counters`.
std::string count_of(std::uint64_t count, std::string_view thing);
/// A cooked value for people: whole numbers as such, others with three decimals, small ones with three digits.
std::string number_text(double value, bool hex);

/// A double in as few digits as give it back; nothing where it is not a number.
void append_number(std::string& out, double value);
/// A number in at most 17 significant digits, as C's `%.17g`.
void append_17_digits(std::string& out, double value);
void append_digits(std::string& out, std::uint64_t value);
/// Bytes as lowercase hexadecimal digits.
void append_hex(std::string& out, std::string_view bytes);

/// Text in quotes, those in it doubled (RFC 4180).
void append_quoted(std::string& out, std::string_view text);
/// A cell of RFC 4180, printable, quoted where it has to be, and the comma behind it. Text that a spreadsheet would
/// take for a formula has an apostrophe before it.
void append_csv_cell(std::string& out, std::string_view text);

/// The PDH status of a value in hexadecimal, `0x800007d1`; `damaged`.
std::string status_number(ValueStatus status);
/// The same for people: `no_instance`; the number where there is no word.
std::string status_word(ValueStatus status);

}  // namespace hkpd
