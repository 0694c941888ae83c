// The formula of each counter type, and the operands that each formula takes.
// Source: learn.microsoft.com "Counter types"; winperf.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

enum class Formula : std::uint8_t {
    unknown,
    not_displayable,
    // formulas of one sample
    raw,
    raw_double,
    raw_float,
    fraction,
    elapsed,
    // formulas of two samples
    delta,
    rate,
    queue_length,
    percent,
    percent_inverse,
    multi,
    multi_inverse,
    sample_fraction,
    average_timer,
    average_bulk,
};

struct FormulaOfType {
    std::uint32_t type = 0;
    Formula formula = Formula::unknown;
};

// Sorted by type.
inline constexpr auto formulas = std::to_array<FormulaOfType>({
    {0x00000000, Formula::raw},  // PERF_COUNTER_RAWCOUNT_HEX
    {0x00000100, Formula::raw},
    {0x00010000, Formula::raw},  // PERF_COUNTER_RAWCOUNT
    {0x00010100, Formula::raw},
    {perf_double_raw, Formula::raw_double},
    {0x00400400, Formula::delta},  // PERF_COUNTER_DELTA
    {0x00400500, Formula::delta},
    {0x00410400, Formula::rate},          // PERF_SAMPLE_COUNTER
    {0x00450400, Formula::queue_length},  // PERF_COUNTER_QUEUELEN_TYPE and its variants
    {0x00450500, Formula::queue_length},
    {0x00550500, Formula::queue_length},
    {0x00650500, Formula::queue_length},
    {0x10410400, Formula::rate},      // PERF_COUNTER_COUNTER
    {0x10410500, Formula::rate},      // PERF_COUNTER_BULK_COUNT
    {0x20020400, Formula::fraction},  // PERF_RAW_FRACTION
    {0x20020500, Formula::fraction},
    {0x20410500, Formula::percent},  // PERF_COUNTER_TIMER, its precise form, and their variants
    {0x20470500, Formula::percent},
    {0x20510500, Formula::percent},
    {0x20570500, Formula::percent},
    {0x20610500, Formula::percent},
    {0x20670500, Formula::percent},
    {0x20C20400, Formula::sample_fraction},
    {0x21410500, Formula::percent_inverse},  // PERF_COUNTER_TIMER_INV
    {0x21510500, Formula::percent_inverse},
    {0x22410500, Formula::multi},  // PERF_COUNTER_MULTI_TIMER
    {0x22510500, Formula::multi},
    {0x23410500, Formula::multi_inverse},  // PERF_COUNTER_MULTI_TIMER_INV
    {0x23510500, Formula::multi_inverse},
    {0x30020400, Formula::average_timer},
    {0x30240500, Formula::elapsed},
    {0x40000200, Formula::not_displayable},  // PERF_COUNTER_NODATA
    {0x40020500, Formula::average_bulk},
    {0x80000000, Formula::not_displayable},  // PERF_COUNTER_HISTOGRAM_TYPE: no formula was ever published
});
static_assert(std::ranges::is_sorted(formulas, {}, &FormulaOfType::type));

/// A perfect hash table from counter types to formulas. Speed matters, because the table is used for each column of
/// each sample.
class FormulaTable {
  public:
    consteval FormulaTable() noexcept {
        while (!fill()) factor_ += 2;
    }
    /// Returns the formula of a type; `unknown` for a type that is not in `formulas`.
    constexpr Formula operator[](std::uint32_t type) const noexcept {
        const FormulaOfType& found = slots_[slot(type)];
        return found.type == type ? found.formula : Formula::unknown;
    }

  private:
    static constexpr std::uint32_t bits = 7;
    constexpr std::size_t slot(std::uint32_t type) const noexcept { return type * factor_ >> (32 - bits); }
    constexpr bool fill() noexcept {
        // An empty slot has type 0, so only a search for type 0 could mistake it for a match. That search uses the
        // first slot, which always has the formula of type 0.
        slots_ = {};
        for (const FormulaOfType& one : formulas) {
            FormulaOfType& to = slots_[slot(one.type)];
            if (to.formula != Formula::unknown) return false;
            to = one;
        }
        return true;
    }

    std::uint32_t factor_ = 0x9E37'79B9;
    std::array<FormulaOfType, 1U << bits> slots_{};
};
inline constexpr FormulaTable formula_table;
static_assert(std::ranges::all_of(formulas,
                                  [](const FormulaOfType& one) { return formula_table[one.type] == one.formula; }));

inline Formula formula_of(std::uint32_t type) noexcept {
    const Formula formula = formula_table[type];
    if (formula != Formula::unknown) return formula;
    const CounterType fields{type};
    return fields.is_base() || fields.is_text() ? Formula::not_displayable : Formula::unknown;
}

/// Returns the formula of a column. This is the formula of its counter type, unless the counter's registration states
/// that the counter must not be shown, or that its raw value is a floating-point number.
inline Formula formula_of(const Column& column) noexcept {
    if ((column.attributes & v2::attribute::no_displayable) != 0) return Formula::not_displayable;
    const Formula formula = formula_of(column.type);
    if (formula != Formula::raw || (column.attributes & v2::attribute::display_as_real) == 0) return formula;
    return column.size == sizeof(float) ? Formula::raw_float : Formula::raw_double;
}

inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

constexpr bool has_value(Formula formula) noexcept {
    return formula != Formula::unknown && formula != Formula::not_displayable;
}
constexpr bool takes_two_samples(Formula formula) noexcept { return formula >= Formula::delta; }
constexpr bool is_multi(Formula formula) noexcept {
    return formula == Formula::multi || formula == Formula::multi_inverse;
}
constexpr bool takes_base(Formula formula) noexcept {
    return formula == Formula::fraction || formula == Formula::sample_fraction || formula == Formula::average_timer ||
           formula == Formula::average_bulk || is_multi(formula);
}
/// Returns whether the formula divides by the time that elapsed between two samples, in ticks or seconds.
constexpr bool divides_by_time(Formula formula) noexcept {
    return takes_two_samples(formula) && formula != Formula::delta && (!takes_base(formula) || is_multi(formula));
}
constexpr bool takes_clock(Formula formula) noexcept { return formula == Formula::elapsed || divides_by_time(formula); }
/// Returns whether the result depends only on values of the counter, values of its base, and the interval.
constexpr bool is_timeless(Formula formula) noexcept {
    return has_value(formula) && formula != Formula::elapsed && !is_multi(formula);
}
/// Returns whether the result depends only on the interval and one number: the raw value or, if the formula needs two
/// samples, the increase of the raw value. See `Arithmetic::plain`.
constexpr bool is_plain(Formula formula) noexcept {
    return formula == Formula::raw || formula == Formula::delta || formula == Formula::rate ||
           formula == Formula::queue_length || formula == Formula::percent;
}

/// Calls `with.template operator()<F>()`, where `F` is the formula. For a formula without a value, `F` is `raw`.
template <class With>
auto choose(Formula formula, With&& with) {
    using enum Formula;
    switch (formula) {
        case raw_double:
            return with.template operator()<raw_double>();
        case raw_float:
            return with.template operator()<raw_float>();
        case fraction:
            return with.template operator()<fraction>();
        case elapsed:
            return with.template operator()<elapsed>();
        case delta:
            return with.template operator()<delta>();
        case rate:
            return with.template operator()<rate>();
        case queue_length:
            return with.template operator()<queue_length>();
        case percent:
            return with.template operator()<percent>();
        case percent_inverse:
            return with.template operator()<percent_inverse>();
        case multi:
            return with.template operator()<multi>();
        case multi_inverse:
            return with.template operator()<multi_inverse>();
        case sample_fraction:
            return with.template operator()<sample_fraction>();
        case average_timer:
            return with.template operator()<average_timer>();
        case average_bulk:
            return with.template operator()<average_bulk>();
        default:
            return with.template operator()<raw>();
    }
}

}  // namespace hkpd
