// The cells of Windows' text logs, as `relog -f csv` and `relog -f tsv` write them. Each function appends one quoted
// cell. In these logs, quotes are doubled, and nothing else is escaped. A row is one line, so control characters become
// blanks.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/v1.hpp"
#include "hkpd/write.hpp"
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

/// Appends a time as local time: `11/26/2016 13:46:30.874`. `bias` is UTC - local in minutes.
inline void append_pdh_time(std::string& out, const SystemTime& utc, std::int32_t bias) {
    namespace chrono = std::chrono;
    const chrono::sys_days day{chrono::year{utc.year} / chrono::month{utc.month} / chrono::day{utc.day}};
    const chrono::sys_time<chrono::milliseconds> local = day + chrono::hours{utc.hour} + chrono::minutes{utc.minute} -
                                                         chrono::minutes{bias} + chrono::seconds{utc.second} +
                                                         chrono::milliseconds{utc.milliseconds};
    const auto local_day = chrono::floor<chrono::days>(local);
    const chrono::year_month_day date{local_day};
    const chrono::hh_mm_ss time{local - local_day};
    fmt::format_to(std::back_inserter(out), "\"{:02}/{:02}/{:04} {:02}:{:02}:{:02}.{:03}\"",
                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                   static_cast<int>(date.year()), time.hours().count(), time.minutes().count(), time.seconds().count(),
                   time.subseconds().count());
}

/// Appends a number in at most 17 significant digits, as `%.17g` of C does.
inline void append_pdh_number(std::string& out, double value) {
    out += '"';
    append_17_digits(out, value);
    out += '"';
}
inline void append_pdh_number(std::string& out, std::uint64_t value) {
    out += '"';
    append_digits(out, value);
    out += '"';
}
/// The cell of a missing value.
inline constexpr std::string_view no_pdh_value = "\" \"";

}  // namespace hkpd
