// Numbers in the cells of a text log, and the decimal mark that a log has.
#pragma once

#include <cstdint>
#include <string_view>

namespace hkpd {

/// The character between the whole and the fractional digits of a log's numbers.
enum class DecimalMark : std::uint8_t {
    unknown,  ///< no cell so far shows which one it is
    point,    ///< as PDH writes it
    comma,
};

/// Returns the decimal mark that a cell shows by itself; `unknown` if the cell could have either, as `12` and `1,234`
/// have, or is no number. `0,5`, `12,3456` and `1.234,5` show a comma, and so does `1.234.567`, whose points are
/// thousands separators.
DecimalMark mark_shown_by(std::string_view cell) noexcept;

/// Decides which decimal mark a log has, from all cells that show one.
class DecimalEvidence {
  public:
    void add(std::string_view cell) noexcept;
    /// Returns the mark that most cells show; the point if both are equally frequent; `unknown` if no cell shows one.
    DecimalMark mark() const noexcept;

  private:
    std::uint64_t points_ = 0, commas_ = 0;
};

/// A cell of a row that should hold a number.
struct TextNumber {
    enum class Kind : std::uint8_t {
        number,
        missing,  ///< `is_without_value`, or not a finite number
        damaged,  ///< any other text, also a number with another decimal mark than the log's, or thousands separators
    };
    Kind kind = Kind::missing;
    double value = 0;

    /// Reads a number with the decimal mark of its log. If that is unknown, a point is one, and a comma is one only if
    /// the cell shows that it is.
    static TextNumber read(std::string_view text, DecimalMark mark);
    /// Returns whether a cell is a number with any decimal mark.
    static bool is_number(std::string_view text) {
        return mark_shown_by(text) != DecimalMark::unknown || read(text, DecimalMark::unknown).kind == Kind::number;
    }
};

}  // namespace hkpd
