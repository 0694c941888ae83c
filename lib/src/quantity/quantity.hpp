// Quantities as text for people: at most four significant digits, in the unit that needs the fewest. Formats for
// programs write all digits and Windows' own units instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quantity/unit.hpp"

namespace hkpd {

/// Appends a number with its unit, scaled: `11.77 MiB`, `3.168 KiB/s`, `47.6 ms`, `2.5 h`, `17.51 %`, `43.63/s`,
/// `12.35k`. Bytes are in powers of 1024; seconds are minutes, hours or days if these are at least two; other numbers
/// have a letter from 10,000 on. Numbers below a thousandth have an exponent: `1.5e-6`. An identifier has all its
/// digits. Appends `-` for NaN. The page of a report has the same rules in JavaScript (`short` in `data.js`), and both
/// are tested with testdata/quantities.tsv.
void append_quantity(std::string& out, double value, Unit unit);
/// Returns the text that `append_quantity` appends.
std::string quantity_text(double value, Unit unit);

/// A multiple of a unit: a number of it, then `suffix` and `end`, is a quantity.
struct UnitStep {
    double factor = 1;
    std::string_view suffix{};  ///< ` GiB`, ` ms`, `k`
    std::string_view end{};     ///< ` %` or `/s`
};
/// Returns the multiple in which `append_quantity` shows a quantity of this size, which is not negative.
UnitStep unit_step(double size, Unit unit) noexcept;

/// Returns a size: `28.64 KiB`.
std::string size_text(std::uint64_t bytes);
/// Returns a duration: `47.6 ms`, `90 s`, `2.5 h`.
std::string duration_text(std::int64_t nanoseconds);
/// Returns a count followed by its noun: `1 counter`, `2 counters`. A count is exact.
std::string count_of(std::uint64_t count, std::string_view noun);

}  // namespace hkpd
