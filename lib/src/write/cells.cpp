#include "write/cells.hpp"

#include <fmt/compile.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/time.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/v2.hpp"
#include "hkpd/write.hpp"

namespace hkpd {
namespace {

struct StatusWord {
    std::uint32_t status;
    std::string_view word;
};
// PDH_CSTATUS_NO_MACHINE and so on, PDH_INVALID_DATA (pdhmsg.h).
constexpr std::array status_words{
    StatusWord{0x8000'07D0, "no_machine"},    StatusWord{0x8000'07D1, "no_instance"},
    StatusWord{0x8000'07D3, "not_validated"}, StatusWord{0x8000'07D5, "no_data"},
    StatusWord{0xC000'0BB8, "no_object"},     StatusWord{0xC000'0BB9, "no_counter"},
    StatusWord{0xC000'0BBA, "invalid_data"},  StatusWord{0xC000'0BC6, "invalid_data"},
};

/// Appends what `std::to_chars` makes of its arguments.
template <class... Arguments>
void append_chars(std::string& out, Arguments... arguments) {
    std::array<char, 24> digits;  // -1.7976931348623157e+308
    const auto end = std::to_chars(digits.data(), std::next(digits.data(), digits.size()), arguments...).ptr;
    out.append(digits.data(), end);
}

/// Appends a whole number that has the same digits in all notations; false for any other. Counts are whole, and this
/// takes a tenth of the time.
bool append_whole(std::string& out, double number) {
    constexpr double most = 1e15;  // {fmt} shows 1e16 in scientific notation
    if (!(std::abs(number) < most)) return false;
    const auto whole = static_cast<std::int64_t>(number);
    const bool is_minus_zero = whole == 0 && std::signbit(number);
    if (static_cast<double>(whole) != number || is_minus_zero) return false;
    append_chars(out, whole);
    return true;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    append_printable(out, text);
    return out;
}

bool is_plain(std::string_view text, char without, char nor) noexcept {
    return std::ranges::none_of(text, [=](char c) { return c < ' ' || c > '~' || c == without || c == nor; });
}

bool is_hidden(const Column& column) noexcept { return (column.attributes & v2::attribute::no_displayable) != 0; }

bool shows_hex(std::uint32_t type, std::uint64_t attributes) noexcept {
    const bool real = (attributes & v2::attribute::display_as_real) != 0;
    return !real && (CounterType{type}.is_hex() || (attributes & v2::attribute::display_as_hex) != 0);
}

std::optional<double> real_value(const Column& column, std::size_t row) noexcept {
    // The bits of a rate's or a timer's count are no number of their own.
    const bool real = (column.attributes & v2::attribute::display_as_real) != 0 &&
                      CounterType{column.type}.form() == CounterType::Form::number;
    if (!real || column.storage != Storage::number || !column.is_valid(row)) return std::nullopt;
    const std::uint64_t bits = column.values[row];
    if (column.size == sizeof(double)) return std::bit_cast<double>(bits);
    if (column.size == sizeof(float)) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return std::nullopt;
}

void append_machine(std::string& out, const std::optional<std::string_view>& machine) {
    out += "machine ";
    if (!machine)
        out += "unknown";
    else if (machine->empty())
        out += "(no name)";
    else
        append_printable(out, *machine);
}

std::string count_of(std::uint64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string number_text(double value, bool hex) {
    constexpr double exact = 1e15, small = 0.1;
    const bool whole = value == std::floor(value);
    if (hex && whole && value >= 0 && value < 0x1p64) return fmt::format("{:#x}", static_cast<std::uint64_t>(value));
    if (whole && std::abs(value) < exact) return fmt::format("{:.0f}", value);
    return std::abs(value) < small ? fmt::format("{:.3g}", value) : fmt::format("{:.3f}", value);
}

void append_number(std::string& out, double value) {
    if (value == value && !append_whole(out, value)) fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), value);
}

void append_17_digits(std::string& out, double value) {
    if (!append_whole(out, value)) append_chars(out, value, std::chars_format::general, 17);
}

void append_digits(std::string& out, std::uint64_t value) { append_chars(out, value); }

void append_hex(std::string& out, std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += digits[byte >> 4U];
        out += digits[byte & 0xFU];
    }
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    out += '"';
}

void append_csv_cell(std::string& out, std::string_view text) {
    const std::size_t begin = out.size();
    // Source: OWASP, "CSV Injection". Tab and carriage return, which it names too, are escaped.
    if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) out += '\'';
    if (is_plain(text, ',', '"')) {
        out.append(text) += ',';
        return;
    }
    append_printable(out, text);
    if (out.find_first_of(",\"", begin) != std::string::npos) {
        const std::string bare = out.substr(begin);
        out.resize(begin);
        append_quoted(out, bare);
    }
    out += ',';
}

std::int64_t second_value(const Column& column, std::size_t row) noexcept {
    return static_cast<std::int64_t>(column.second[row]);
}

bool counts(const Column& column, std::size_t row) noexcept {
    return CounterType{column.type}.multi() || column.multi_count[row] != 1;
}

std::string status_number(ValueStatus status) {
    if (status == ValueStatus::damaged) return "damaged";
    return fmt::format("{:#010x}", std::to_underlying(status));
}

std::string status_word(ValueStatus status) {
    const auto found = std::ranges::find(status_words, std::to_underlying(status), &StatusWord::status);
    return found == status_words.end() ? status_number(status) : std::string(found->word);
}

std::optional<std::string> taken_apart(const Sample& sample, const Column& column, std::size_t row) {
    constexpr std::int64_t millisecond = 1'000'000;
    if (column.taken.empty()) return std::nullopt;
    const auto taken = unix_nanoseconds(static_cast<std::int64_t>(column.taken[row])), whole = unix_time(sample);
    if (!taken || (whole && *taken / millisecond == *whole / millisecond)) return std::nullopt;
    std::string text;
    append_filetime(text, column.taken[row]);
    return text;
}

}  // namespace hkpd
