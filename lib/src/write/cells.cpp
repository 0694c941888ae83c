#include "write/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "hkpd/counter_type.hpp"
#include "hkpd/v2.hpp"
#include "hkpd/write.hpp"

namespace hkpd {

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
    if (!real || column.storage != Storage::number || !column.sound(row)) return std::nullopt;
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

std::string number_text(double value, bool hex) {
    constexpr double exact = 1e15, small = 0.1;
    const bool whole = value == std::floor(value);
    if (hex && whole && value >= 0 && value < 0x1p64) return fmt::format("{:#x}", static_cast<std::uint64_t>(value));
    if (whole && std::abs(value) < exact) return fmt::format("{:.0f}", value);
    return std::abs(value) < small ? fmt::format("{:.3g}", value) : fmt::format("{:.3f}", value);
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

}  // namespace hkpd
