// Raw values in the form of PDH_RAW_COUNTER (pdh.h), and the counters that formats with a column for each series have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cook/formula.hpp"
#include "cook/operands.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/write.hpp"

namespace hkpd {

/// Names of counters and instances are cut to this number of characters. It is the width of the name columns in the
/// tables of Windows' SQL logs, which `relog -f SQL` makes.
inline constexpr std::size_t longest_name = 1024;

/// Returns a test for the columns that can be written: those that have cooked values or, if raw values are written,
/// those whose raw values are numbers.
inline auto accepts(const WriteOptions& options) {
    return [cooked = options.cooked](const Column& column) {
        return cooked ? is_displayable(column) : column.storage == Storage::number;
    };
}

/// PDH_RAW_COUNTER (pdh.h) without time and status.
struct PdhRawCounter {
    std::uint64_t first = 0;
    std::optional<std::uint64_t> second{};  ///< base or clock; none if it is damaged, or if the formula uses neither
    std::uint64_t multi_count = 1;
};

/// The raw counters of a column, one for each row. Must be used only for rows in which the column has a valid value.
class PdhRawCounters {
  public:
    PdhRawCounters(const Sample& sample, const Object& object, const Column& column) noexcept
        : column_(column), formula_(formula_of(column)), operands_(sample, object, column, formula_) {}

    PdhRawCounter operator[](std::size_t row) const noexcept {
        if (column_.logged()) return {column_.values[row], column_.second[row], column_.multi_count[row]};
        PdhRawCounter raw{column_.values[row]};
        if (!takes_clock(formula_) && !takes_base(formula_)) return raw;
        const Reading reading = operands_[row];
        if (reading.fault != Reason::none) return raw;
        raw.second = takes_clock(formula_) ? static_cast<std::uint64_t>(reading.clock) : reading.base;
        if (is_multi(formula_)) raw.multi_count = reading.base;
        return raw;
    }

    /// Returns the time base (ticks per second) as PdhGetCounterTimeBase does. Returns none if the formula uses no time
    /// base, or if the time base is unknown.
    std::optional<std::int64_t> time_base() const noexcept {
        if (!column_.logged() && !takes_clock(formula_) && formula_ != Formula::average_timer) return std::nullopt;
        if (column_.values.empty()) return std::nullopt;
        const std::int64_t frequency = operands_[0].frequency;
        return frequency != 0 ? std::optional(frequency) : std::nullopt;
    }

  private:
    const Column& column_;
    Formula formula_;
    Operands operands_;
};

}  // namespace hkpd
