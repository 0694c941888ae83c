// Aligned columns for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd {

/// A table of text. The first column labels the rows. Columns that do not fit the terminal's width follow below, with
/// the labels repeated. Text is used unchanged, so all of it must be printable and on one line.
class Grid {
  public:
    enum class Align : std::uint8_t { left, right };
    struct Column {
        std::string head;  ///< broken into lines at spaces
        std::string unit;  ///< below the heading
        Align align = Align::right;
        std::vector<std::string> cells;
        std::size_t least_width = 0;  ///< the cells may be those of one page of a longer table
    };

    /// Labels of the rows. Every column must have as many cells as there are labels.
    std::vector<std::string> labels;
    std::vector<Column> columns;
    std::size_t least_label_width = 0;
    bool has_heading = true;

    /// Maximum width of a column. Longer cells exceed it, so that one long name does not make every line long.
    static constexpr std::size_t widest = 64;
    static constexpr std::size_t gap = 2;  ///< blanks between columns

    /// Appends the table. `continued` is a line written above the columns that follow below because they do not fit.
    void append(std::string& out, std::size_t width, std::string_view continued = {}) const;
};

/// Appends text, padded with blanks to `width`.
void append_padded(std::string& out, std::string_view text, std::size_t width, Grid::Align align);

}  // namespace hkpd
