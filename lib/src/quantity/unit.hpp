// The units of counters: what the number of a cooked value counts.
#pragma once

#include <cstdint>
#include <string_view>

namespace hkpd {

/// The unit of a cooked value.
enum class Unit : std::uint8_t {
    none,        ///< a count without a unit: threads, a queue length
    identifier,  ///< a number that names something, such as a process id: all of its digits matter
    per_second,
    percent,
    seconds,
    bytes,
    bytes_per_second,
};

/// Returns the unit of a counter's cooked value. Windows states one in the display bits of a type, but has no bits for
/// bytes, and a value of a text log has no type at all; then the name states the unit. `type`: the counter type.
/// `name`: the counter's English name, in any case; a name in another language, or an empty one, leaves the type alone.
/// The default scale of a counter is that of a chart in PerfMon, and changes no unit.
Unit unit_of(std::uint32_t type, std::string_view name) noexcept;

/// The number of bytes of a mebibyte, as the factor or limit of a quantity.
inline constexpr double bytes_of_mebibyte = 0x1p20;

/// A unit, and how many of it one of a counter's values counts.
struct ScaledUnit {
    Unit unit = Unit::none;
    double factor = 1;
    bool operator==(const ScaledUnit&) const = default;
};
/// Returns the unit in which people read a counter. That is `unit`, except for multiples of bytes that the English name
/// states: `Available MBytes` counts 2^20 bytes, and `Total Server Memory (KB)` 2^10.
ScaledUnit scaled_unit(Unit unit, std::string_view name) noexcept;

/// Returns the name of a unit: `/s`, `%`, `s`, `bytes`, `bytes/s`, `id`; empty for `Unit::none`. Formats for programs
/// have Windows' suffix of the type (`cooked_unit`) instead.
std::string_view unit_name(Unit unit) noexcept;

}  // namespace hkpd
