// Raw values as PDH hands them on, whichever door they came through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cook/formula.hpp"
#include "cook/operands.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

/// PDH_RAW_COUNTER (pdh.h) without time and status.
struct PdhRawCounter {
    std::uint64_t first = 0;
    std::optional<std::uint64_t> second{};  ///< base or clock; none where the formula takes neither, or it is damaged
    std::uint64_t multi_count = 1;
};

/// Those of a column, row by row; of sound values only.
class PdhRawCounters {
  public:
    PdhRawCounters(const Sample& sample, const Object& object, const Column& column) noexcept
        : column_(column), formula_(formula_of(column)), readings_(sample, object, column, formula_) {}

    PdhRawCounter operator[](std::size_t row) const noexcept {
        if (column_.logged()) return {column_.values[row], column_.second[row], column_.multi_count[row]};
        PdhRawCounter raw{column_.values[row]};
        if (!takes_clock(formula_) && !takes_base(formula_)) return raw;
        const Reading reading = readings_[row];
        if (reading.fault != Reason::none) return raw;
        raw.second = takes_clock(formula_) ? static_cast<std::uint64_t>(reading.clock) : reading.base;
        if (is_multi(formula_)) raw.multi_count = reading.base;
        return raw;
    }

    /// What PdhGetCounterTimeBase says, as far as the formula takes one.
    std::optional<std::int64_t> time_base() const noexcept {
        if (!column_.logged() && !takes_clock(formula_) && formula_ != Formula::average_timer) return std::nullopt;
        if (column_.values.empty()) return std::nullopt;
        const std::int64_t frequency = readings_[0].frequency;
        return frequency != 0 ? std::optional(frequency) : std::nullopt;
    }

  private:
    const Column& column_;
    Formula formula_;
    Readings readings_;
};

}  // namespace hkpd
