// The cells of Windows' text logs, as `relog -f csv` and `relog -f tsv` write them. Each function appends one quoted
// cell. In these logs, quotes are doubled, and nothing else is escaped. A row is one line, so control characters become
// blanks.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/v1.hpp"
#include "hkpd/write.hpp"
#include "hkpd/zone.hpp"
#include "write/cells.hpp"

namespace hkpd {

/// Appends text as a quoted cell, with control characters replaced by blanks.
inline void append_pdh_cell(std::string& out, std::string_view text) {
    std::string line;
    append_one_line(line, text);
    append_quoted(out, line);
}

/// Appends the first cell of the header: `(PDH-CSV 4.0) (Pacific Standard Time)(480)`, with format and time zone.
inline void append_pdh_head(std::string& out, Format format, const TimeZone& zone) {
    const std::string_view name = format == Format::pdh_tsv ? "PDH-TSV" : "PDH-CSV";
    append_pdh_cell(out, fmt::format("({} 4.0) ({})({})", name, zone.name, zone.bias));
}

/// Appends the first cell of the header that typeperf shows, which states no time zone: `(PDH-CSV 4.0)`.
inline void append_console_head(std::string& out, Format format) {
    append_pdh_cell(out, format == Format::pdh_tsv ? "(PDH-TSV 4.0)" : "(PDH-CSV 4.0)");
}

/// Appends the heading of a column: `\\MACHINE\Object(parent/instance#n)\Counter`. Omits the machine if `machine` is
/// empty, and the parentheses if there is no instance.
inline void append_pdh_path(std::string& out, std::string_view machine, std::string_view object,
                            std::optional<std::string_view> instance, std::string_view counter) {
    std::string path;
    if (!machine.empty()) path.append("\\\\").append(machine);
    path.append("\\").append(object);
    if (instance) path.append("(").append(*instance).append(")");
    path.append("\\").append(counter);
    append_pdh_cell(out, path);
}

/// Appends a time as local time: `11/26/2016 13:46:30.874`. `offset` is local time minus UTC in seconds.
inline void append_pdh_time(std::string& out, const SystemTime& utc, std::int32_t offset) {
    const SystemTime t = local_time(utc, offset);
    fmt::format_to(std::back_inserter(out), "\"{:02}/{:02}/{:04} {:02}:{:02}:{:02}.{:03}\"", t.month, t.day, t.year,
                   t.hour, t.minute, t.second, t.milliseconds);
}

/// Appends a number in at most 17 significant digits, as `%.17g` of C does.
inline void append_pdh_number(std::string& out, double value) {
    out += '"';
    append_17_digits(out, value);
    out += '"';
}
/// Appends a number with six decimals, as typeperf shows it.
inline void append_console_number(std::string& out, double value) {
    fmt::format_to(std::back_inserter(out), "\"{:.6f}\"", value);
}
inline void append_pdh_number(std::string& out, std::uint64_t value) {
    out += '"';
    append_digits(out, value);
    out += '"';
}
/// The cell of a missing value.
inline constexpr std::string_view no_pdh_value = "\" \"";

}  // namespace hkpd
