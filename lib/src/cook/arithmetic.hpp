// The arithmetic of the formulas. A formula computes a cooked value (the value that users see) from the raw value,
// base, clock and frequency of a counter in one or two samples. Source: learn.microsoft.com "Counter types"; winperf.h.
// The order of the operations reproduces the values of Windows' own PDH to the last bit where such values are public
// (for rates and for the types 0x21510500, 0x20570500, 0x20020400). The other formulas use the same order.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cook/formula.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"

namespace hkpd {

/// The part of a formula's divisor that depends only on clocks and frequencies. Rows with the same clocks and
/// frequencies share one interval.
struct Interval {
    double ticks = 0;             ///< elapsed ticks
    double divisor = 0;           ///< elapsed ticks, elapsed seconds, or the frequency
    Reason fault = Reason::none;  ///< reason why `divisor` cannot be used
};

/// Computes the cooked values of counters of one type. The template parameter of the member functions is the formula.
/// Formulas that need only one sample ignore `before`.
class Arithmetic {
  public:
    Arithmetic(std::uint32_t type, const CookOptions& options) noexcept
        : options_(options),
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

    /// Returns whether the values of a plain formula (see `is_plain`) are limited to 100.
    bool limits(Formula formula) const noexcept { return options_.cap && formula == Formula::percent; }

    /// Returns the value of a plain formula (see `is_plain`), without the limit of 100. `counted` is the raw value or,
    /// for a formula of two samples, the increase of the raw value. The interval must have no fault.
    template <Formula F>
    double plain(double counted, const Interval& interval) const noexcept {
        static_assert(is_plain(F));
        if constexpr (F == Formula::rate || F == Formula::queue_length) return counted / interval.divisor;
        if constexpr (F == Formula::percent) return counted / interval.divisor * 100.0;
        return counted;
    }

    template <Formula F>
    CookedValue apply(const Reading& before, const Reading& now) const noexcept {
        return apply<F>(interval<F>(before, now), before, now);
    }
    /// Returns the cooked value. `interval` is the result of `interval<F>` for the same samples.
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
            if constexpr (F == percent) return capped(plain<F>(n.value, interval));
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

    /// Returns `no_value` and `reason`. With `CookOptions::clamp`, returns 0 and `reason` if the result would be
    /// negative: a number went backwards, or the idle time exceeds the interval.
    CookedValue failed(Reason reason) const noexcept {
        const bool backwards = reason == Reason::counter_went_back || reason == Reason::clock_went_back ||
                               reason == Reason::base_went_back || reason == Reason::idle_exceeds_interval;
        return {options_.clamp && backwards ? 0.0 : no_value, reason};
    }
    CookedValue finite(double value) const noexcept {
        return std::isfinite(value) ? CookedValue{value} : failed(Reason::not_a_number);
    }
    CookedValue capped(double percentage) const noexcept {
        constexpr double most = 100;
        return options_.cap && percentage > most ? CookedValue{most, Reason::capped} : CookedValue{percentage};
    }

    /// Returns the increase of a counter of `size` bytes from `before` to `now`. If the counter went backwards, returns
    /// the fault `backwards`. With `CookOptions::unwrap`, a 4-byte counter that went backwards counts as wrapped once
    /// if its increase is then less than half of its range.
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
        return capped(static_cast<double>(part) / static_cast<double>(whole) * 100.0);
    }

    /// Returns the elapsed time in seconds, with the guards of dotnet/runtime's CounterSampleCalculator: 0 if the
    /// start is 0 or in the future, or if the clock has no frequency.
    static CookedValue elapsed_time(const Reading& now) noexcept {
        if (const Reason fault = frequency_fault(now.frequency); fault != Reason::none) return {0, fault};
        if (now.value == 0 || now.clock <= 0 || now.value >= static_cast<std::uint64_t>(now.clock))
            return {0, Reason::not_started};
        return {static_cast<double>(static_cast<std::uint64_t>(now.clock) - now.value) /
                static_cast<double>(now.frequency)};
    }

    CookedValue inverse(double n, const Interval& d) const noexcept {
        if (n > d.ticks) return failed(Reason::idle_exceeds_interval);
        return capped(100.0 * (1.0 - n / d.divisor));
    }

    template <Formula F>
    CookedValue by_base(double n, const Interval& interval, const Reading& before, const Reading& now) const noexcept {
        constexpr std::uint32_t usual_size = 4;  // PERF_SAMPLE_BASE and PERF_AVERAGE_BASE
        const std::uint32_t size = now.base_size == 0 ? usual_size : now.base_size;
        const Difference b = counted(before.base, now.base, size, Reason::base_went_back);
        if (b.fault != Reason::none) return failed(b.fault);
        if (b.value == 0) {
            // Windows shows 0 for an average whose base has not increased (Microsoft's ntdebugging blog). What Windows
            // shows for other formulas is not known.
            return F == Formula::sample_fraction ? failed(Reason::zero_base) : CookedValue{0, Reason::zero_base};
        }
        if (F == Formula::sample_fraction) return capped(n / b.value * 100.0);
        if (F == Formula::average_timer) return {n / interval.divisor / b.value};
        return {n / b.value};
    }

    /// Returns whether elapsed ticks are converted to seconds, as `CookOptions::multi_timer` selects. Ticks of 100 ns
    /// clocks are never converted.
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
        if (F == Formula::multi) return capped(100.0 * (ratio / instances));
        if (ratio > instances) return failed(Reason::idle_exceeds_interval);
        const double busy = 100.0 * (instances - ratio);
        return capped(options_.multi_timer == MultiTimer::learn ? busy : busy / instances);
    }

    CookOptions options_;
    bool ticks_;
    std::uint32_t value_size_;
};

}  // namespace hkpd
