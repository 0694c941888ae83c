// Aligned columns for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd {

/// A table of text whose first column labels the rows. Columns that do not fit the width of the terminal follow below,
/// with the labels repeated. All text is used unchanged: it must be printable, on one line.
class Grid {
  public:
    enum class Align : std::uint8_t { left, right };
    struct Column {
        std::string head;  ///< broken into lines at spaces
        std::string unit;  ///< below the heading
        Align align = Align::right;
        std::vector<std::string> cells;
    };

    /// Labels of the rows. Every column has as many cells.
    std::vector<std::string> labels;
    std::vector<Column> columns;

    /// Appends the table. `continued` is a line above columns that follow below.
    void append(std::string& out, std::size_t width, std::string_view continued = {}) const;
};

/// Appends text, padded with blanks to `width`.
void append_padded(std::string& out, std::string_view text, std::size_t width, Grid::Align align);

}  // namespace hkpd
