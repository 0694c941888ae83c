#include "write/metrics/values.hpp"

#include <bit>
#include <cmath>
#include <optional>

#include "hkpd/counter_type.hpp"
#include "write/append_number.hpp"
#include "write/cells.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// The value of a counter that serves another one, by its position; none where it is no sound number.
std::optional<std::uint64_t> served_by(const MetricOrigin& from, std::int32_t position, std::size_t row) noexcept {
    const Column& column = from.object.columns[static_cast<std::size_t>(position)];
    if (column.storage != Storage::number || !column.sound(row)) return std::nullopt;
    return column.values[row];
}

/// Ticks a second of the clock that the type of a column names; 0 where it is not known.
double ticks_per_second(const MetricOrigin& from, std::size_t row) noexcept {
    std::int64_t ticks = from.sample.perf.frequency;
    const auto timer = CounterType{from.column.type}.timer();
    if (timer == CounterType::Timer::hundred_ns)
        ticks = 10'000'000;
    else if (from.column.frequency >= 0)
        return static_cast<double>(served_by(from, from.column.frequency, row).value_or(0));
    else if (from.column.frequency == Column::not_there)
        return 0;
    else if (from.column.logged())
        ticks = *from.column.time_base;
    else if (timer == CounterType::Timer::object)
        ticks = from.object.clock.frequency;
    return ticks > 0 ? static_cast<double>(ticks) : 0;
}

/// The base of a value, or the instance count of a multi timer: what another column has, or the number beside it.
std::optional<std::uint64_t> base_of(const MetricOrigin& from, std::size_t row) noexcept {
    const bool multi = CounterType{from.column.type}.multi();
    if (multi && from.column.logged()) return from.column.multi_count[row];
    const bool counted = multi && from.column.multi >= 0;
    const std::int32_t base = counted ? from.column.multi : from.column.base;
    if (base >= 0) return served_by(from, base, row);
    return from.column.second.empty() ? std::nullopt : std::optional(from.column.second[row]);
}

bool append_real(std::string& out, double value) {
    if (std::isnan(value)) return false;
    if (std::isinf(value))
        out += value > 0 ? "+Inf" : "-Inf";
    else
        append_number(out, value);
    return true;
}

}  // namespace

bool has_seconds(const MetricOrigin& from) noexcept {
    return from.column.frequency >= 0 || ticks_per_second(from, 0) > 0;
}

bool append_metric_value(std::string& out, const MetricOrigin& from, const Metric& metric, std::size_t row) {
    if (!from.column.sound(row)) return false;
    const std::uint64_t raw = from.column.values[row];
    switch (metric.quantity) {
        case Metric::Quantity::number:
            if (const auto real = real_value(from.column, row)) return append_real(out, *real);
            append_digits(out, raw);
            return true;
        case Metric::Quantity::floating:
            return from.column.size == sizeof(double) && append_real(out, std::bit_cast<double>(raw));
        case Metric::Quantity::seconds: {
            const double ticks = ticks_per_second(from, row);
            return ticks > 0 && append_real(out, static_cast<double>(raw) / ticks);
        }
        case Metric::Quantity::ratio: {
            const auto base = base_of(from, row);
            return base.value_or(0) != 0 && append_real(out, static_cast<double>(raw) / static_cast<double>(*base));
        }
        case Metric::Quantity::base: {
            const auto base = base_of(from, row);
            if (base) append_digits(out, *base);
            return base.has_value();
        }
        case Metric::Quantity::cooked:
            break;
    }
    const CookedValue cooked =
        from.cooker != nullptr ? from.cooker->column(from.position, from.place)[row]
                               : cook(from.column.type, nullptr, read(from.sample, from.object, from.column, row), {});
    // The reason of a 0 by convention could not stand beside it; that nothing has elapsed yet needs none.
    return (cooked.reason == Reason::none || cooked.reason == Reason::not_started) && append_real(out, cooked.value);
}

}  // namespace hkpd
