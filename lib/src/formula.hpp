// The formula of each counter type, over what two samples give for one value.
// Source: learn.microsoft.com "Counter types"; winperf.h. The order of the arithmetic is the one that reproduces the
// values of Windows' own PDH to the last bit, where such values are public (rates, 0x21510500, 0x20570500, 0x20020400);
// the others follow its pattern.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

enum class Formula : std::uint8_t {
    unknown,
    not_displayable,
    // of one sample
    raw,
    raw_double,
    raw_float,
    fraction,
    elapsed,
    // of two samples
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
    std::uint32_t type;
    Formula formula;
};

// Sorted by type.
inline constexpr auto formulas = std::to_array<FormulaOfType>({
    {0x00000000, Formula::raw},  // PERF_COUNTER_RAWCOUNT_HEX
    {0x00000100, Formula::raw},
    {0x00010000, Formula::raw},  // PERF_COUNTER_RAWCOUNT
    {0x00010100, Formula::raw},
    {0x00012000, Formula::raw_double},  // PERF_DOUBLE_RAW
    {0x00400400, Formula::delta},       // PERF_COUNTER_DELTA
    {0x00400500, Formula::delta},
    {0x00410400, Formula::rate},          // PERF_SAMPLE_COUNTER
    {0x00450400, Formula::queue_length},  // PERF_COUNTER_QUEUELEN_TYPE and its kin
    {0x00450500, Formula::queue_length},
    {0x00550500, Formula::queue_length},
    {0x00650500, Formula::queue_length},
    {0x10410400, Formula::rate},      // PERF_COUNTER_COUNTER
    {0x10410500, Formula::rate},      // PERF_COUNTER_BULK_COUNT
    {0x20020400, Formula::fraction},  // PERF_RAW_FRACTION
    {0x20020500, Formula::fraction},
    {0x20410500, Formula::percent},  // PERF_COUNTER_TIMER, its precise form, and their kin
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

inline Formula formula_of(std::uint32_t type) noexcept {
    const auto found = std::ranges::lower_bound(formulas, type, {}, &FormulaOfType::type);
    if (found != formulas.end() && found->type == type) return found->formula;
    const CounterType fields{type};
    return fields.is_base() || fields.is_text() ? Formula::not_displayable : Formula::unknown;
}

/// The formula of a column: that of its type, unless its registration says that it is not to be shown, or that a number
/// is the bits of a floating-point one.
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
/// Whether it divides by what passed between two samples by the clock.
constexpr bool divides_by_time(Formula formula) noexcept {
    return takes_two_samples(formula) && formula != Formula::delta && (!takes_base(formula) || is_multi(formula));
}
constexpr bool takes_clock(Formula formula) noexcept { return formula == Formula::elapsed || divides_by_time(formula); }
/// Whether nothing but one number and what passed makes the value: see `Arithmetic::plain`.
constexpr bool is_plain(Formula formula) noexcept {
    return formula == Formula::raw || formula == Formula::delta || formula == Formula::rate ||
           formula == Formula::queue_length || formula == Formula::percent;
}

/// What a formula divides by, as far as clocks and frequencies alone tell it: one for all rows that have them in
/// common.
struct Interval {
    double ticks = 0;             ///< that passed
    double divisor = 0;           ///< the ticks, or the seconds that they are, or the frequency
    Reason fault = Reason::none;  ///< why there is no dividing by it
};

/// Formulas as one function each. `before` is not looked at by those of one sample.
class Arithmetic {
  public:
    Arithmetic(std::uint32_t type, const CookOptions& options) noexcept
        : options_(options),
          most_(options.cap ? 100.0 : std::numeric_limits<double>::infinity()),
          ticks_(CounterType{type}.timer() == CounterType::Timer::tick),
          value_size_(CounterType{type}.value_size().value_or(0)) {}

    template <Formula F>
    Interval interval(const Reading& before, const Reading& now) const noexcept {
        if constexpr (F == Formula::average_timer)
            return {0, static_cast<double>(now.frequency), frequency_fault(now.frequency)};
        if constexpr (!divides_by_time(F)) return {};
        const bool in_seconds = F == Formula::rate || (is_multi(F) && multi_in_seconds<F>());
        if (in_seconds) {
            if (const Reason fault = frequency_fault(now.frequency); fault != Reason::none) return {0, 0, fault};
        }
        if (now.clock < before.clock) return {0, 0, Reason::clock_went_back};
        if (now.clock == before.clock) return {0, 0, Reason::zero_interval};
        const auto ticks =
            static_cast<double>(static_cast<std::uint64_t>(now.clock) - static_cast<std::uint64_t>(before.clock));
        return {ticks, in_seconds ? ticks / static_cast<double>(now.frequency) : ticks};
    }

    /// A formula that is plain, of what was counted, where nothing stands against it.
    template <Formula F>
    double plain(double counted, const Interval& interval) const noexcept {
        static_assert(is_plain(F));
        if constexpr (F == Formula::rate || F == Formula::queue_length) return counted / interval.divisor;
        if constexpr (F == Formula::percent) return capped(counted / interval.divisor * 100.0);
        return counted;
    }

    template <Formula F>
    CookedValue apply(const Reading& before, const Reading& now) const noexcept {
        return apply<F>(interval<F>(before, now), before, now);
    }
    /// Likewise, where the interval between the two is known.
    template <Formula F>
    CookedValue apply(const Interval& interval, const Reading& before, const Reading& now) const noexcept {
        using enum Formula;
        if constexpr (F == raw) return {plain<F>(static_cast<double>(now.value), interval)};
        if constexpr (F == raw_double) return finite(std::bit_cast<double>(now.value));
        if constexpr (F == raw_float)
            return finite(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(now.value))));
        if constexpr (F == fraction) return fraction_of(now.value, now.base);
        if constexpr (F == elapsed) return elapsed_time(now);
        if constexpr (takes_two_samples(F)) {
            if (interval.fault != Reason::none) return failed(interval.fault);
            const std::uint32_t size = now.value_size == 0 ? value_size_ : now.value_size;
            const Difference n = counted(before.value, now.value, size, Reason::counter_went_back);
            if (n.fault != Reason::none) return failed(n.fault);
            if constexpr (is_plain(F)) return {plain<F>(n.value, interval)};
            if constexpr (F == percent_inverse) return inverse(n.value, interval);
            if constexpr (is_multi(F)) return by_count<F>(n.value / interval.divisor, now.base);
            if constexpr (F == sample_fraction || F == average_timer || F == average_bulk)
                return by_base<F>(n.value, interval, before, now);
        }
    }

  private:
    struct Difference {
        double value = 0;
        Reason fault = Reason::none;
    };

    /// No value, or 0 by convention.
    CookedValue failed(Reason reason) const noexcept {
        const bool backwards = reason == Reason::counter_went_back || reason == Reason::clock_went_back ||
                               reason == Reason::base_went_back || reason == Reason::idle_exceeds_interval;
        return {options_.clamp && backwards ? 0.0 : no_value, reason};
    }
    CookedValue finite(double value) const noexcept {
        return std::isfinite(value) ? CookedValue{value} : failed(Reason::not_a_number);
    }
    double capped(double percentage) const noexcept { return percentage > most_ ? most_ : percentage; }

    /// What was counted between two samples. Counters only go up; one of 4 bytes may have wrapped, once at most.
    Difference counted(std::uint64_t before, std::uint64_t now, std::uint32_t size, Reason backwards) const noexcept {
        if (now >= before) return {static_cast<double>(now - before)};
        constexpr std::uint32_t half = 0x8000'0000;
        const auto wrapped = static_cast<std::uint32_t>(now - before);
        if (options_.unwrap && size == sizeof wrapped && wrapped < half) return {static_cast<double>(wrapped)};
        return {0, backwards};
    }
    static Reason frequency_fault(std::int64_t frequency) noexcept {
        if (frequency < 0) return Reason::negative_frequency;
        return frequency == 0 ? Reason::no_frequency : Reason::none;
    }

    CookedValue fraction_of(std::uint64_t part, std::uint64_t whole) const noexcept {
        if (whole == 0) return failed(Reason::zero_base);
        return {capped(static_cast<double>(part) / static_cast<double>(whole) * 100.0)};
    }

    /// Guards as in dotnet/runtime's CounterSampleCalculator: a start that is 0 or to come, and one by a clock without
    /// a frequency, is 0 seconds ago.
    static CookedValue elapsed_time(const Reading& now) noexcept {
        if (const Reason fault = frequency_fault(now.frequency); fault != Reason::none) return {0, fault};
        if (now.value == 0 || now.clock <= 0 || now.value >= static_cast<std::uint64_t>(now.clock))
            return {0, Reason::not_started};
        return {static_cast<double>(static_cast<std::uint64_t>(now.clock) - now.value) /
                static_cast<double>(now.frequency)};
    }

    CookedValue inverse(double n, const Interval& d) const noexcept {
        if (n > d.ticks) return failed(Reason::idle_exceeds_interval);
        return {capped(100.0 * (1.0 - n / d.divisor))};
    }

    template <Formula F>
    CookedValue by_base(double n, const Interval& interval, const Reading& before, const Reading& now) const noexcept {
        constexpr std::uint32_t usual_size = 4;  // PERF_SAMPLE_BASE and PERF_AVERAGE_BASE
        const std::uint32_t size = now.base_size == 0 ? usual_size : now.base_size;
        const Difference b = counted(before.base, now.base, size, Reason::base_went_back);
        if (b.fault != Reason::none) return failed(b.fault);
        if (b.value == 0) {
            // Windows shows an average over nothing as 0 (Microsoft's ntdebugging blog); of others nothing is known.
            return F == Formula::sample_fraction ? failed(Reason::zero_base) : CookedValue{0, Reason::zero_base};
        }
        if (F == Formula::sample_fraction) return {capped(n / b.value * 100.0)};
        if (F == Formula::average_timer) return {n / interval.divisor / b.value};
        return {n / b.value};
    }

    /// Whether ticks count as seconds: see `MultiTimer`. Clocks of 100 ns never do.
    template <Formula F>
    bool multi_in_seconds() const noexcept {
        if (!ticks_) return false;
        return options_.multi_timer == MultiTimer::sdk ||
               (options_.multi_timer == MultiTimer::learn && F == Formula::multi);
    }
    template <Formula F>
    CookedValue by_count(double ratio, std::uint64_t count) const noexcept {
        if (count == 0) return failed(Reason::zero_base);
        const auto instances = static_cast<double>(count);
        if (F == Formula::multi) return {capped(100.0 * (ratio / instances))};
        if (ratio > instances) return failed(Reason::idle_exceeds_interval);
        const double busy = 100.0 * (instances - ratio);
        return {capped(options_.multi_timer == MultiTimer::learn ? busy : busy / instances)};
    }

    CookOptions options_;
    double most_;  // of a percentage
    bool ticks_;
    std::uint32_t value_size_;
};

/// Calls `with.template operator()<F>()` for the formula, once chosen.
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
