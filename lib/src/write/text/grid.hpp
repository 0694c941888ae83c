// Aligned columns for a terminal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd {

/// The meaning of the colour of a text: a value is missing, or it is damaged.
enum class Mark : std::uint8_t { none, missing, damaged };

/// A table of text. The first column labels the rows. Columns that do not fit the terminal's width are written below
/// the others, with the labels repeated. All text must be printable and on one line, because it is written unchanged.
class Grid {
  public:
    enum class Align : std::uint8_t { left, right };
    struct Column {
        std::string head;  ///< broken into lines at spaces
        std::string unit;  ///< below the heading
        Align align = Align::right;
        std::vector<std::string> cells;
        std::size_t least_width = 0;  ///< minimum width of the column: other pages of the table can have longer cells
        std::vector<Mark> marks{};    ///< colours of the cells; empty if no cell has a colour
    };

    /// Labels of the rows. Every column must have as many cells as there are labels.
    std::vector<std::string> labels;
    std::vector<Column> columns;
    std::size_t least_label_width = 0;
    bool has_heading = true;

    /// Maximum width of a column. A longer cell makes only its own line longer, not all lines.
    static constexpr std::size_t widest = 64;
    static constexpr std::size_t gap = 2;  ///< blanks between columns

    /// Appends the table. `width` is the width of the terminal. If `drain` is set, it is called after each line.
    /// `continued` is a heading for the columns that are written below the others.
    void append(std::string& out, std::size_t width, std::string_view continued = {},
                const std::function<void(std::string&)>& drain = {}) const;
};

/// Appends text, padded with blanks to `width`.
void append_padded(std::string& out, std::string_view text, std::size_t width, Grid::Align align);

/// Shows the text from offset `from` on in the colour of a mark, with ANSI escape sequences (ECMA-48, SGR).
void color_from(std::string& out, std::size_t from, Mark mark);

/// Splits a heading at spaces into lines of at most `width` columns. A longer word has a line of its own.
std::vector<std::string> break_lines(std::string_view text, std::size_t width);
/// Approximate width at which headings are broken into lines. A longer word widens the column.
inline constexpr std::size_t heading_width = 12;

}  // namespace hkpd
