// Values that are floating-point numbers, whose bits columns hold as integers.
#pragma once

#include <cstddef>
#include <optional>

#include "hkpd/sample.hpp"

namespace hkpd {

/// Returns the floating-point number in a row of a column that is marked PERF_ATTRIB_DISPLAY_AS_REAL. The integers of
/// such a column hold the bits of floating-point numbers. Returns none if the column is not marked, if its counter is a
/// rate or a timer instead of a plain number, or if the row has no valid value of 4 or 8 bytes.
std::optional<double> real_value(const Column& column, std::size_t row) noexcept;

/// Returns the floating-point number in a row of a column of the type PERF_DOUBLE_RAW, as values of text logs are;
/// none for other columns, and if the row has no valid value.
std::optional<double> double_value(const Column& column, std::size_t row) noexcept;

}  // namespace hkpd
