// The operands that a formula takes from a column, row by row: the raw value, base, clock and frequency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cook/formula.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"

namespace hkpd {

inline Reason status_fault(const Column& column, std::size_t row) noexcept {
    if (column.is_valid(row)) return Reason::none;
    switch (column.status[row]) {
        case ValueStatus::damaged:
            return Reason::damaged;
        case ValueStatus::not_recorded:
            return Reason::not_recorded;
        default:
            return Reason::pdh_status;
    }
}

/// The sources from which a formula reads the operands of a column. They are found once and then read row by row.
class Operands {
  public:
    Operands(const Sample& sample, const Object& object, const Column& column, Formula formula) noexcept
        : column_(column), formula_(formula) {
        common_.frequency = sample.perf.frequency;
        if (column.storage != Storage::number) common_.fault = Reason::not_a_number;
        if (column.logged()) {
            open_logged();
            return;
        }
        if (is_multi(formula_)) base_ = number_at(object, column.multi);
        // A multi timer is divided by the number of instances. If MultiId refers to a counter that is not in the sample
        // (`not_there`), the base counter must not be used instead.
        if (base_ == nullptr && !(is_multi(formula_) && column.multi == Column::not_there))
            base_ = number_at(object, column.base);
        if (takes_clock(formula_)) find_clock(sample, object);
        if (takes_clock(formula_) || formula_ == Formula::average_timer) find_frequency(object);
        if (takes_base(formula_) && base_ == nullptr && column.second.empty()) fault(Reason::no_base);
        common_.value_size = column.size;
        if (base_ != nullptr) common_.base_size = base_->size;
    }

    Reading operator[](std::size_t row) const noexcept {
        Reading reading = common_;
        if (common_.fault == Reason::none) reading.fault = status_fault(column_, row);
        if (reading.fault != Reason::none) return reading;
        reading.value = column_.values[row];
        if (column_.logged()) {
            take_logged(row, reading);
            return reading;
        }
        if (base_ != nullptr) {
            if (takes_base(formula_) || by_base_) reading.fault = status_fault(*base_, row);
            reading.base = base_->values[row];
        } else if (!column_.second.empty()) {
            reading.base = column_.second[row];
            // The instance count of a multi timer reads as 0 if the counter block does not contain it. A timer of no
            // instances has no value.
            if (reading.base == 0 && is_multi(formula_)) reading.fault = Reason::no_base;
        }
        if (by_base_) reading.clock = static_cast<std::int64_t>(reading.base);
        take(time_, row, reading.clock, reading);
        take(frequency_, row, reading.frequency, reading);
        return reading;
    }

    /// Returns whether the readings of all rows differ only in value and base: nothing is damaged, and no counter
    /// serves as clock or frequency. The reading of a row is then a copy of `common()` with the row's value from
    /// `values()` and, if the formula takes a base, with the row's base from `bases()`.
    bool uniform() const noexcept {
        return common_.fault == Reason::none && column_.status.empty() && column_.second.empty() && !by_base_ &&
               time_ == nullptr && frequency_ == nullptr && (base_ == nullptr || base_->status.empty());
    }
    const Reading& common() const noexcept { return common_; }
    std::span<const std::uint64_t> values() const noexcept { return column_.values; }
    std::span<const std::uint64_t> bases() const noexcept {
        return base_ == nullptr ? std::span<const std::uint64_t>() : base_->values;
    }

  private:
    /// Prepares to read a column of raw counters (PDH_RAW_COUNTER) from a log. Each raw counter contains its own
    /// instance count (MultiCount), and the base or clock that the counter's type needs (SecondValue).
    void open_logged() noexcept {
        common_.frequency = column_.time_base.value_or(common_.frequency);
        common_.value_size = column_.size;
    }
    void take_logged(std::size_t row, Reading& reading) const noexcept {
        const std::uint64_t second = column_.second[row];
        reading.base = is_multi(formula_) ? column_.multi_count[row] : second;
        if (takes_clock(formula_)) reading.clock = static_cast<std::int64_t>(second);
    }
    void fault(Reason reason) noexcept {
        if (common_.fault == Reason::none) common_.fault = reason;
    }
    /// Returns the counter at a position; null if there is no counter or its values are not numbers.
    static const Column* number_at(const Object& object, std::int32_t position) noexcept {
        if (position < 0) return nullptr;
        const Column& column = object.columns[static_cast<std::size_t>(position)];
        return column.storage == Storage::number ? &column : nullptr;
    }
    /// Sets `to` to the value that the counter `from` has in a row. `from` serves as clock or frequency. If the value
    /// is not valid, also sets `reading.fault`, unless it is already set. If `from` is null, changes nothing.
    static void take(const Column* from, std::size_t row, std::int64_t& to, Reading& reading) noexcept {
        if (from == nullptr) return;
        to = static_cast<std::int64_t>(from->values[row]);
        if (reading.fault == Reason::none) reading.fault = status_fault(*from, row);
    }
    void find_frequency(const Object& object) noexcept {
        frequency_ = number_at(object, column_.frequency);
        if (column_.frequency != Column::not_there) return;
        common_.frequency = 0;
        if (formula_ == Formula::elapsed) fault(Reason::no_frequency);
    }
    void find_clock(const Sample& sample, const Object& object) noexcept {
        const CounterType type{column_.type};
        constexpr std::uint32_t precision = 7;  // PERF_PRECISION_TIMESTAMP: the base serves as the clock
        if (type.subtype() == precision) {
            by_base_ = true;
            if (base_ == nullptr) fault(Reason::no_base);
            return;
        }
        time_ = number_at(object, column_.time);
        if (column_.time == Column::not_there) fault(Reason::no_clock);
        Clock clock;
        if (type.timer() == CounterType::Timer::object)
            clock = object.clock;
        else if (type.timer() == CounterType::Timer::hundred_ns)
            clock = {sample.perf_time_100ns, 10'000'000};
        else
            clock = sample.perf;
        if (time_ == nullptr && clock.time == 0 &&
            (clock.frequency == 0 || type.timer() == CounterType::Timer::hundred_ns))
            fault(Reason::no_clock);
        common_.clock = clock.time;
        common_.frequency = clock.frequency;
    }

    const Column& column_;
    const Column *base_ = nullptr, *time_ = nullptr, *frequency_ = nullptr;
    Formula formula_;
    bool by_base_ = false;  // whether the base serves as the clock
    Reading common_;
};

}  // namespace hkpd
