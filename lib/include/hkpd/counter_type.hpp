// The 32 bits of a counter type: its fields and its name. Knows no layout and no formula, so every layer may ask it.
// Source: winperf.h; learn.microsoft.com "Counter types".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hkpd {

/// Stands for the type of a counter of which nothing tells it. No type of Windows' has all bits set.
inline constexpr std::uint32_t no_counter_type = 0xFFFF'FFFF;

/// A CounterType, taken apart. Any value is legal; unknown ones are still described by their fields.
struct CounterType {
    /// As it stands in definitions.
    std::uint32_t bits = 0;

    /// Bits 8-9: 4 bytes, 8 bytes, none, or as many as CounterSize says.
    enum class Size : std::uint8_t { dword, large, zero, variable };
    /// Bits 10-11: a number that is shown as it is, one that is cooked, characters, or nothing.
    enum class Form : std::uint8_t { number, counter, text, zero };
    /// Bits 20-21, the clock of rates: PerfTime, PerfTime100nSec, or the object's PerfTime.
    enum class Timer : std::uint8_t { tick, hundred_ns, object, unknown };

    constexpr Size size() const noexcept { return static_cast<Size>(bits >> 8 & 3); }
    constexpr Form form() const noexcept { return static_cast<Form>(bits >> 10 & 3); }
    /// Meaning depends on `form`: hexadecimal or decimal, rate, fraction, base, elapsed time, ...
    constexpr std::uint32_t subtype() const noexcept { return bits >> 16 & 0xF; }
    constexpr Timer timer() const noexcept { return static_cast<Timer>(bits >> 20 & 3); }
    /// Bits 22 to 25: whether it takes the difference of two samples, of its base too, is 100 % less what it counts,
    /// and adds up several instances.
    constexpr bool delta() const noexcept { return bits & 1U << 22; }
    constexpr bool delta_base() const noexcept { return bits & 1U << 23; }
    constexpr bool inverse() const noexcept { return bits & 1U << 24; }
    constexpr bool multi() const noexcept { return bits & 1U << 25; }
    /// 0 none, 1 "/sec", 2 "%", 3 " secs", 4 not shown.
    constexpr std::uint32_t display() const noexcept { return bits >> 28; }

    constexpr bool is_text() const noexcept { return form() == Form::text; }
    /// Whether text is 8-bit (PERF_TEXT_ASCII) rather than UTF-16.
    constexpr bool is_ansi() const noexcept { return subtype() == 1; }
    /// Whether it only serves another counter: PERF_RAW_BASE, PERF_AVERAGE_BASE, ...
    constexpr bool is_base() const noexcept { return form() == Form::counter && subtype() == 3; }
    /// Whether a number is shown in hexadecimal.
    constexpr bool is_hex() const noexcept { return form() == Form::number && subtype() == 0; }

    /// The bytes that a value of this type has; none where the type leaves it open.
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

/// `PERF_COUNTER_COUNTER`; empty for a type that has no name.
std::string_view counter_type_name(std::uint32_t type) noexcept;

/// The type of a name, with or without `PERF_`, whatever its case. Of names that stand for one value each finds it.
std::optional<std::uint32_t> counter_type_of(std::string_view name) noexcept;

/// Appends the fields of any type in words: `4 bytes, counter, rate, ticks, delta, /sec`; of `no_counter_type`
/// `unknown`.
void append_counter_type(std::string& out, std::uint32_t type);

/// What a cooked value of a type is shown with: `%`, `/sec`, `secs`; empty for plain numbers. Whatever its display
/// bits say of unknown types.
std::string_view cooked_unit(std::uint32_t type) noexcept;

/// What the raw value of a type counts, in a word for people: `100 ns`, `ticks`, `base`, `text`; empty for plain
/// numbers.
std::string_view raw_unit(std::uint32_t type) noexcept;

/// Appends a counter type's name, or the type in hexadecimal where it has none. Printable ASCII.
void append_type(std::string& out, std::uint32_t type);
/// Returns a counter type's name, or the type in hexadecimal where it has none; `type unknown` for `no_counter_type`.
std::string type_text(std::uint32_t type);

}  // namespace hkpd
