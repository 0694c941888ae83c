// The 32 bits of a counter type: its fields and its name. This header does not depend on block layouts or formulas, so
// every part of the library can include it. Source: winperf.h; learn.microsoft.com "Counter types".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hkpd {

/// Value for an unknown counter type. No type of Windows has all bits set.
inline constexpr std::uint32_t no_counter_type = 0xFFFF'FFFF;

/// PERF_DOUBLE_RAW: the raw value is a floating-point number, which is shown as it is. PDH gives this type to the
/// values of text logs, which are cooked already.
inline constexpr std::uint32_t perf_double_raw = 0x0001'2000;

/// A counter type: the 32 bits that Windows stores in the member CounterType of PERF_COUNTER_DEFINITION, and the fields
/// in these bits. All values of the bits are legal, and a type that has no name has these fields too.
struct CounterType {
    /// The value of CounterType in a counter definition (PERF_COUNTER_DEFINITION).
    std::uint32_t bits = 0;

    /// Bits 8-9, the size of a value. `dword`: 4 bytes. `large`: 8 bytes. `zero`: no value. `variable`: as many bytes
    /// as CounterSize states.
    enum class Size : std::uint8_t { dword, large, zero, variable };
    /// Bits 10-11, the form of a value. `number`: shown as it is. `counter`: cooked before it is shown. `text`:
    /// characters. `zero`: no value.
    enum class Form : std::uint8_t { number, counter, text, zero };
    /// Bits 20-21, the time base of rates. `tick`: PerfTime of the block. `hundred_ns`: PerfTime100nSec. `object`:
    /// PerfTime of the object. `unknown`: not defined in winperf.h.
    enum class Timer : std::uint8_t { tick, hundred_ns, object, unknown };

    constexpr Size size() const noexcept { return static_cast<Size>(bits >> 8 & 3); }
    constexpr Form form() const noexcept { return static_cast<Form>(bits >> 10 & 3); }
    /// Returns bits 16-19, whose meaning depends on `form`. Examples: hexadecimal or decimal, rate, fraction, base,
    /// elapsed time.
    constexpr std::uint32_t subtype() const noexcept { return bits >> 16 & 0xF; }
    constexpr Timer timer() const noexcept { return static_cast<Timer>(bits >> 20 & 3); }
    /// Returns whether the formula uses the difference between two samples (bit 22).
    constexpr bool delta() const noexcept { return bits & 1U << 22; }
    /// Returns whether the formula also uses the difference between the bases of two samples (bit 23).
    constexpr bool delta_base() const noexcept { return bits & 1U << 23; }
    /// Returns whether the counter measures the opposite of what is shown (bit 24). The cooked value is then 100 %
    /// minus the percentage that the counter measures. Example: a counter of idle time is shown as busy time.
    constexpr bool inverse() const noexcept { return bits & 1U << 24; }
    /// Returns whether the counter is a sum over several instances, such as the processors of a machine (bit 25).
    constexpr bool multi() const noexcept { return bits & 1U << 25; }
    /// Returns bits 28-31, the display suffix: 0 none, 1 "/sec", 2 "%", 3 " secs", 4 not shown.
    constexpr std::uint32_t display() const noexcept { return bits >> 28; }

    constexpr bool is_text() const noexcept { return form() == Form::text; }
    /// Returns whether text is 8-bit (PERF_TEXT_ASCII) rather than UTF-16. Meaningful only if `is_text` returns true.
    constexpr bool is_ansi() const noexcept { return subtype() == 1; }
    /// Returns whether the counter only serves as the base of another counter: PERF_RAW_BASE, PERF_AVERAGE_BASE, ...
    constexpr bool is_base() const noexcept { return form() == Form::counter && subtype() == 3; }
    /// Returns whether values of this type are numbers that are shown in hexadecimal.
    constexpr bool is_hex() const noexcept { return form() == Form::number && subtype() == 0; }

    /// Returns the size in bytes of a value of this type; none if CounterSize determines the size.
    constexpr std::optional<std::uint32_t> value_size() const noexcept {
        switch (size()) {
            case Size::dword:
                return 4;
            case Size::large:
                return 8;
            case Size::zero:
                return 0;
            default:
                return std::nullopt;
        }
    }
};

/// Returns the name of a counter type, such as `PERF_COUNTER_COUNTER`; empty for a type that has no name.
std::string_view counter_type_name(std::uint32_t type) noexcept;

/// Returns the counter type that has this name; none if the name is unknown. Ignores case, and also accepts names
/// without `PERF_`. If a type has several names, accepts each of them.
std::optional<std::uint32_t> counter_type_of(std::string_view name) noexcept;

/// Appends the fields of a type in words, such as `4 bytes, counter, rate, ticks, delta, /sec`. Appends `unknown` for
/// `no_counter_type`.
void append_counter_type(std::string& out, std::uint32_t type);

/// Returns the unit of a type's cooked value: `%`, `/sec` or `secs`; empty for values without a unit. The display bits
/// determine the unit, even if the type has no name.
std::string_view cooked_unit(std::uint32_t type) noexcept;

/// Returns the unit of a type's raw value, for display: `100 ns`, `ticks`, `object ticks`, `base`, `text`; empty for
/// values without a unit.
std::string_view raw_unit(std::uint32_t type) noexcept;

/// Appends a counter type's name, or the type in hexadecimal if it has no name. The text is printable ASCII.
void append_type(std::string& out, std::uint32_t type);
/// Returns a counter type's name, or the type in hexadecimal if it has no name. Returns `type unknown` for
/// `no_counter_type`.
std::string type_text(std::uint32_t type);

}  // namespace hkpd
