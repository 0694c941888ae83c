// Cells of a text log that state that there is no value: blanks, words of programs, and -1 where it cannot be a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd {

/// Returns whether a cell is blank, or a word with which programs state that there is no value: `N/A`, `#NV`, `nan`,
/// `-1.#IND`.
bool is_without_value(std::string_view cell) noexcept;

/// Returns whether a cell is `-1` and nothing else: typeperf writes this where a counter has no value.
bool is_minus_one(std::string_view cell) noexcept;

/// Returns the first 8 characters of a cell as a number in little endian order; 0 if not all are visible ones of ASCII.
std::uint64_t packed_text(std::string_view cell) noexcept;
/// Returns the text of such a number.
std::string unpacked_text(std::uint64_t packed);

/// Decides in which columns of a log the cell `-1` means that there is no value. It does if the other numbers show that
/// a value would have decimals: all numbers of the log have six of them, as those of typeperf, or a number of the
/// column has some. In a column of integers, the name of the counter decides: percentages, bytes, counts and what
/// happens in a second are never negative. In any other column, -1 is a value.
class MinusOneEvidence {
  public:
    /// Adds a cell. Columns count from 0.
    void add(std::size_t column, std::string_view cell);
    /// Returns whether a column has -1 and neither the log nor the column shows what it means.
    bool is_open() const noexcept;
    /// Returns whether -1 in a column with such a counter is no value.
    bool is_without_value(std::size_t column, std::string_view counter) const;

  private:
    bool has_six_decimals() const noexcept { return numbers_ != 0 && numbers_ == with_six_; }

    struct Column {
        bool has_decimals = false, has_minus_one = false;
    };
    std::vector<Column> columns_;
    std::uint64_t numbers_ = 0, with_six_ = 0;  // without those that are -1
};

}  // namespace hkpd
