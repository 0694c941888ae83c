// The time at the beginning of a row of a text log. PDH writes it to one cell, as 11/26/2016 13:46:30.874. Scripts and
// spreadsheets write dates in other orders, and some split them into a cell with the date and one with the time of day.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hkpd/time.hpp"
#include "text_log/text_lines.hpp"

namespace hkpd {

/// The order of the parts of a date. A date whose year comes first has one order in any log.
enum class DateOrder : std::uint8_t { month_first, day_first };

/// The form in which the rows of a log state their times.
struct RowTimeForm {
    bool in_two_cells = false;  ///< the date in the first cell, the time of day in the second
    DateOrder order = DateOrder::month_first;

    /// Returns the number of cells of a time.
    std::size_t cells() const noexcept { return in_two_cells ? 2 : 1; }
};

/// The time of a row.
struct RowTime {
    std::optional<StatedTime> time;  ///< a local time or, if the row states an offset, a moment; none if it is no time
    bool is_blank = false;           ///< whether its cells are blank or missing
};

/// Takes the time of a row, which is in the first of its cells.
RowTime take_row_time(TextCells& cells, const RowTimeForm& form);

/// Decides from many rows of a log how all of them state their times.
class RowTimeEvidence {
  public:
    /// Adds a row, from its first cells. The heading of the second cell decides whether it can be a part of the time.
    void add(TextCells& cells, bool second_is_counter);

    /// The reason for the order of dates.
    enum class Basis : std::uint8_t {
        usual,    ///< most rows have the form that PDH writes
        year,     ///< the year comes first
        shown,    ///< numbers that are no months, points, or which number changes from day to day
        assumed,  ///< nothing: both orders are possible
    };
    RowTimeForm form() const noexcept;
    Basis basis() const noexcept;
    /// Returns whether the rows show the order of day and month, in whichever form.
    bool shows_order() const noexcept { return days_ != months_ || day_steps_ != month_steps_ || points_ != 0; }

  private:
    bool goes_by_day() const noexcept { return days_ != months_ ? days_ > months_ : day_steps_ > month_steps_; }

    // Numbers of rows that show that the day, or the month, is first; of steps between dates that do; of dates with
    // points, which no country writes with the month first.
    std::uint64_t days_ = 0, months_ = 0, day_steps_ = 0, month_steps_ = 0, points_ = 0;
    std::uint64_t split_ = 0, whole_ = 0, usual_ = 0, years_ = 0, rows_ = 0;
    int first_ = 0, second_ = 0;  // of the last date
};

}  // namespace hkpd
