#include "cells.hpp"

#include <fmt/format.h>

#include <cmath>

#include "hkpd/counter_type.hpp"
#include "hkpd/write/writer.hpp"

namespace hkpd {

std::string printable(std::string_view text) {
    std::string out;
    append_printable(out, text);
    return out;
}

std::string title_text(const std::optional<Titles::Answer>& answer, std::uint32_t index) {
    return answer ? std::string(answer->text) : fmt::format("#{}", index);
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

std::string number_text(double value, std::uint32_t type) {
    constexpr double exact = 1e15, small = 0.1;
    if (CounterType{type}.is_hex() && value >= 0 && value < 0x1p64)
        return fmt::format("{:#x}", static_cast<std::uint64_t>(value));
    if (value == std::floor(value) && std::abs(value) < exact) return fmt::format("{:.0f}", value);
    return std::abs(value) < small ? fmt::format("{:.3g}", value) : fmt::format("{:.3f}", value);
}

void append_csv_cell(std::string& out, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        out += text;
    } else {
        out += '"';
        for (const char c : text) {
            if (c == '"') out += '"';
            out += c;
        }
        out += '"';
    }
    out += ',';
}

}  // namespace hkpd
