#include "sample/real_value.hpp"

#include <bit>
#include <cstdint>

#include "hkpd/counter_type.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

std::optional<double> double_value(const Column& column, std::size_t row) noexcept {
    const bool is_double = column.type == perf_double_raw && column.size == sizeof(double);
    if (!is_double || column.storage != Storage::number || !column.is_valid(row)) return std::nullopt;
    return std::bit_cast<double>(column.values[row]);
}

std::optional<double> real_value(const Column& column, std::size_t row) noexcept {
    if (const auto value = double_value(column, row)) return value;
    // The attribute is valid only for plain numbers, whose raw value is the number that users see. The raw value of a
    // rate or a timer is a count, from which that number is computed.
    const bool real = (column.attributes & v2::attribute::display_as_real) != 0 &&
                      CounterType{column.type}.form() == CounterType::Form::number;
    if (!real || column.storage != Storage::number || !column.is_valid(row)) return std::nullopt;
    const std::uint64_t bits = column.values[row];
    if (column.size == sizeof(double)) return std::bit_cast<double>(bits);
    if (column.size == sizeof(float)) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return std::nullopt;
}

}  // namespace hkpd
