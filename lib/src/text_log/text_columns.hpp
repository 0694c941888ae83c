// The counter path in the heading of a column.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hkpd {

/// The parts of a counter path.
struct ColumnPath {
    std::string machine, object;
    std::optional<std::string> instance;
    std::string counter;
};

/// Returns the parts of a heading; none if it is no path, or if a part is too long for a catalogue.
std::optional<ColumnPath> parse_column(std::string_view text);

}  // namespace hkpd
