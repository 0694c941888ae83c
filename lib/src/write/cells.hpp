// Text of single cells, as several forms of output have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/titles.hpp"

namespace hkpd {

std::string printable(std::string_view text);

/// The name of an index, or `#index` where no table knows one.
std::string title_text(const std::optional<Titles::Answer>& answer, std::uint32_t index);

/// `machine DEMO`, `machine (no name)`, `machine unknown`.
void append_machine(std::string& out, const std::optional<std::string_view>& machine);

/// A cooked value for people: whole numbers as such, others with three decimals, small ones with three digits.
std::string number_text(double value, std::uint32_t type);

/// A cell of RFC 4180, quoted where it has to be, and the comma behind it.
void append_csv_cell(std::string& out, std::string_view text);

}  // namespace hkpd
