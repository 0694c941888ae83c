// Aligned columns for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd {

/// A table of text whose first column labels the rows. Columns that do not fit the terminal beside each other follow
/// below, with the labels again. All text is taken as it is: printable, on one line.
class Grid {
  public:
    enum class Align : std::uint8_t { left, right };
    struct Column {
        std::string head;  ///< broken into lines at spaces
        std::string unit;  ///< under the head
        Align align = Align::right;
        std::vector<std::string> cells;
    };

    /// Columns that share cells of the same rows; all have as many cells as `labels`.
    std::vector<std::string> labels;
    std::vector<Column> columns;

    /// `continued` is a line above columns that follow below.
    void append(std::string& out, std::size_t width, std::string_view continued = {}) const;
};

/// Appends text and blanks up to a width.
void append_padded(std::string& out, std::string_view text, std::size_t width, Grid::Align align);

}  // namespace hkpd
