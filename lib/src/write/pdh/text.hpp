// The cells of Windows' text logs, as `relog -f csv` and `relog -f tsv` write them. Each function appends one cell with
// its quotes. Such logs have no escapes but the doubled quote, and a row is one line: control characters become blanks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/v1.hpp"
#include "hkpd/write.hpp"

namespace hkpd {

/// The first cell: `(PDH-CSV 4.0) (Pacific Standard Time)(480)`.
void append_pdh_head(std::string& out, Format format, const TimeZone& zone);

/// The head of a column: `\\MACHINE\Object(parent/instance#n)\Counter`. No machine where it is empty, no parentheses
/// where there is no instance.
void append_pdh_path(std::string& out, std::string_view machine, std::string_view object,
                     std::optional<std::string_view> instance, std::string_view counter);

/// The local time: `11/26/2016 13:46:30.874`.
void append_pdh_time(std::string& out, const SystemTime& utc, std::int32_t bias);

/// 17 significant digits at most, as C's `%.17g` has them.
void append_pdh_number(std::string& out, double value);
void append_pdh_number(std::string& out, std::uint64_t value);
/// What stands where there is no value.
inline constexpr std::string_view no_pdh_value = "\" \"";

}  // namespace hkpd
