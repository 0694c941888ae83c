// The formula of each counter type, over what two samples give for one value.
// Source: learn.microsoft.com "Counter types"; winperf.h. The order of the arithmetic is the one that reproduces the
// values of Windows' own PDH to the last bit, where such values are public (rates, 0x21510500, 0x20570500, 0x20020400);
// the others follow its pattern.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"

namespace hkpd {

enum class Formula : std::uint8_t {
    unknown,
    not_displayable,
    // of one sample
    raw,
    raw_double,
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

inline Formula formula_of(std::uint32_t type) noexcept {
    switch (type) {
        case 0x00000000:  // PERF_COUNTER_RAWCOUNT_HEX
        case 0x00000100:
        case 0x00010000:  // PERF_COUNTER_RAWCOUNT
        case 0x00010100:
            return Formula::raw;
        case 0x00012000:  // PERF_DOUBLE_RAW
            return Formula::raw_double;
        case 0x20020400:  // PERF_RAW_FRACTION
        case 0x20020500:
            return Formula::fraction;
        case 0x30240500:  // PERF_ELAPSED_TIME
            return Formula::elapsed;
        case 0x00400400:  // PERF_COUNTER_DELTA
        case 0x00400500:
            return Formula::delta;
        case 0x00410400:  // PERF_SAMPLE_COUNTER
        case 0x10410400:  // PERF_COUNTER_COUNTER
        case 0x10410500:  // PERF_COUNTER_BULK_COUNT
            return Formula::rate;
        case 0x00450400:  // PERF_COUNTER_QUEUELEN_TYPE and its kin
        case 0x00450500:
        case 0x00550500:
        case 0x00650500:
            return Formula::queue_length;
        case 0x20410500:  // PERF_COUNTER_TIMER, its precise form, and their kin
        case 0x20470500:
        case 0x20510500:
        case 0x20570500:
        case 0x20610500:
        case 0x20670500:
            return Formula::percent;
        case 0x21410500:  // PERF_COUNTER_TIMER_INV
        case 0x21510500:
            return Formula::percent_inverse;
        case 0x22410500:  // PERF_COUNTER_MULTI_TIMER
        case 0x22510500:
            return Formula::multi;
        case 0x23410500:  // PERF_COUNTER_MULTI_TIMER_INV
        case 0x23510500:
            return Formula::multi_inverse;
        case 0x20C20400:  // PERF_SAMPLE_FRACTION
            return Formula::sample_fraction;
        case 0x30020400:  // PERF_AVERAGE_TIMER
            return Formula::average_timer;
        case 0x40020500:  // PERF_AVERAGE_BULK
            return Formula::average_bulk;
        case 0x40000200:  // PERF_COUNTER_NODATA
        case 0x80000000:  // PERF_COUNTER_HISTOGRAM_TYPE: no formula was ever published
            return Formula::not_displayable;
        default: {
            const CounterType fields{type};
            return fields.is_base() || fields.is_text() ? Formula::not_displayable : Formula::unknown;
        }
    }
}

constexpr bool takes_two_samples(Formula formula) noexcept { return formula >= Formula::delta; }

/// Formulas as one function each. `before` is not looked at by those of one sample.
class Arithmetic {
  public:
    Arithmetic(std::uint32_t type, const CookOptions& options) noexcept
        : options_(options),
          ticks_(CounterType{type}.timer() == CounterType::Timer::tick),
          may_wrap_(options.unwrap && CounterType{type}.size() == CounterType::Size::dword) {}

    template <Formula F>
    CookedValue apply(const Reading& before, const Reading& now) const noexcept {
        using enum Formula;
        if constexpr (F == raw) return {static_cast<double>(now.value)};
        if constexpr (F == raw_double) return finite(std::bit_cast<double>(now.value));
        if constexpr (F == fraction) return fraction_of(static_cast<double>(now.value), now.base, 0);
        if constexpr (F == elapsed) return elapsed_time(now);
        if constexpr (takes_two_samples(F)) {
            const Difference n = counted(before.value, now.value, Reason::counter_went_back);
            if constexpr (F == delta) return n.fault == Reason::none ? CookedValue{n.value} : failed(n.fault);
            if constexpr (F == sample_fraction || F == average_timer || F == average_bulk)
                return by_base<F>(n, before, now);
            else
                return by_clock<F>(n, before, now);
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
        return {options_.clamp && backwards ? 0.0 : std::numeric_limits<double>::quiet_NaN(), reason};
    }
    CookedValue finite(double value) const noexcept {
        return std::isfinite(value) ? CookedValue{value} : failed(Reason::not_a_number);
    }
    CookedValue percentage(double value) const noexcept { return {options_.cap && value > 100.0 ? 100.0 : value}; }

    /// What was counted between two samples. Counters only go up; a 32-bit one may have wrapped, once at most.
    Difference counted(std::uint64_t before, std::uint64_t now, Reason backwards) const noexcept {
        if (now >= before) return {static_cast<double>(now - before)};
        constexpr std::uint32_t half = 0x8000'0000;
        const auto wrapped = static_cast<std::uint32_t>(now - before);
        if (may_wrap_ && before <= 0xFFFF'FFFF && wrapped < half) return {static_cast<double>(wrapped)};
        return {0, backwards};
    }
    static Difference passed(std::int64_t before, std::int64_t now) noexcept {
        if (now < before) return {0, Reason::clock_went_back};
        const auto ticks = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(before);
        return {static_cast<double>(ticks), ticks == 0 ? Reason::zero_interval : Reason::none};
    }
    static Reason frequency_fault(std::int64_t frequency) noexcept {
        if (frequency < 0) return Reason::negative_frequency;
        return frequency == 0 ? Reason::no_frequency : Reason::none;
    }

    CookedValue fraction_of(double part, std::uint64_t now, std::uint64_t before) const noexcept {
        if (now == before) return failed(Reason::zero_base);
        return percentage(part / static_cast<double>(now - before) * 100.0);
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

    template <Formula F>
    CookedValue by_base(const Difference& n, const Reading& before, const Reading& now) const noexcept {
        if (F == Formula::average_timer) {
            if (const Reason fault = frequency_fault(now.frequency); fault != Reason::none) return failed(fault);
        }
        if (n.fault != Reason::none) return failed(n.fault);
        const Difference b = counted(before.base, now.base, Reason::base_went_back);
        if (b.fault != Reason::none) return failed(b.fault);
        if (b.value == 0) {
            // Windows shows an average over nothing as 0 (Microsoft's ntdebugging blog); of others nothing is known.
            return F == Formula::sample_fraction ? failed(Reason::zero_base) : CookedValue{0, Reason::zero_base};
        }
        if (F == Formula::sample_fraction) return percentage(n.value / b.value * 100.0);
        if (F == Formula::average_timer) return {n.value / static_cast<double>(now.frequency) / b.value};
        return {n.value / b.value};
    }

    template <Formula F>
    CookedValue by_clock(const Difference& n, const Reading& before, const Reading& now) const noexcept {
        const bool in_seconds =
            F == Formula::rate || ((F == Formula::multi || F == Formula::multi_inverse) && multi_in_seconds<F>());
        if (in_seconds) {
            if (const Reason fault = frequency_fault(now.frequency); fault != Reason::none) return failed(fault);
        }
        const Difference d = passed(before.clock, now.clock);
        if (d.fault != Reason::none) return failed(d.fault);
        if (n.fault != Reason::none) return failed(n.fault);
        const double ratio = in_seconds ? n.value / (d.value / static_cast<double>(now.frequency)) : n.value / d.value;
        if (F == Formula::percent) return percentage(ratio * 100.0);
        if (F == Formula::percent_inverse)
            return n.value > d.value ? failed(Reason::idle_exceeds_interval) : percentage(100.0 * (1.0 - ratio));
        if (F == Formula::multi || F == Formula::multi_inverse) return by_count<F>(ratio, now.base);
        return {ratio};
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
        if (F == Formula::multi) return percentage(100.0 * (ratio / instances));
        if (ratio > instances) return failed(Reason::idle_exceeds_interval);
        const double busy = 100.0 * (instances - ratio);
        return percentage(options_.multi_timer == MultiTimer::learn ? busy : busy / instances);
    }

    CookOptions options_;
    bool ticks_, may_wrap_;
};

/// Calls `with.template operator()<F>()` for the formula, once chosen.
template <class With>
auto choose(Formula formula, With&& with) {
    using enum Formula;
    switch (formula) {
        case raw_double:
            return with.template operator()<raw_double>();
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
