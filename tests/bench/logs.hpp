// The performance logs that the benchmarks read: the small machine's blocks, object by object as Windows records them,
// and raw counters with as many values.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

enum class LogForm {
    blocks,     ///< 82 records of 0x0503 a row
    raw,        ///< 1,000 records of 0x0103 a row
    instances,  ///< 41 records of 0x0203 a row: Process with 250 instances of 28, Thread with 1,000 of 13
};
inline constexpr std::array log_forms{LogForm::blocks, LogForm::raw, LogForm::instances};
std::string_view form_name(LogForm form) noexcept;
std::optional<LogForm> log_form(std::string_view name) noexcept;

/// Returns a log of `rows` rows, a second apart. The same bytes every time.
std::string log_bytes(LogForm form, std::size_t rows);
/// Returns the number of values in a row.
std::size_t row_values(LogForm form);

}  // namespace bench
