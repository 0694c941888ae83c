// The columns of an object while it is being built: one stripe of numbers for each, all of one length, end to end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/reuse_vector.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

/// Lays columns, and behind them their companions (second numbers), into memory that the next sample uses again. Which
/// values are damaged is kept only where any is.
class Stripes {
  public:
    Stripes(std::vector<std::uint64_t>& numbers, std::vector<ValueStatus>& status) noexcept
        : numbers_(numbers), status_(status) {}

    /// Makes room for about so many rows; who fills a row that is `full` calls `grow` first.
    void begin(std::size_t columns, std::size_t companions, std::size_t rows) {
        columns_ = columns;
        stripes_ = columns + companions;
        rows_ = std::max<std::size_t>(rows, 1);
        status_.clear();
        make_room_anew(numbers_, stripes_ * rows_);
        if (numbers_.size() < stripes_ * rows_) numbers_.resize(stripes_ * rows_);
    }

    bool full(std::size_t row) const noexcept { return row >= rows_; }
    /// Doubles the rows: what an input says of their number is not believed in advance.
    void grow() {
        const std::size_t rows = rows_ * 2;
        move_apart(numbers_, stripes_, rows);
        if (!status_.empty()) {
            move_apart(status_, columns_, rows);
            for (std::size_t i = 0; i < columns_; ++i)
                std::ranges::fill(std::span(status_).subspan(i * rows + rows_, rows - rows_), ValueStatus::valid);
        }
        rows_ = rows;
    }

    /// Where a value of a column or companion lies.
    std::size_t place(std::size_t stripe, std::size_t row) const noexcept { return stripe * rows_ + row; }
    std::uint64_t& operator[](std::size_t place) noexcept { return numbers_[place]; }
    /// Some rows of a column.
    std::span<std::uint64_t> rows(std::size_t column, std::size_t first, std::size_t count) noexcept {
        return std::span(numbers_).subspan(place(column, first), count);
    }
    /// Of a column's value.
    void damaged(std::size_t place) { without_value(place, ValueStatus::damaged); }
    /// Likewise, with the reason why there is none.
    void without_value(std::size_t place, ValueStatus status) {
        if (status_.empty()) status_.assign(columns_ * rows_, ValueStatus::valid);
        status_[place] = status;
        numbers_[place] = 0;
    }

    /// Whether no value is damaged.
    bool sound() const noexcept { return status_.empty(); }

    /// Leaves no room behind the rows that are there, so that what comes next begins where a stripe would.
    void pack(std::size_t rows) noexcept {
        const auto move_together = [&](auto& cells, std::size_t stripes) {
            for (std::size_t i = 1; i < stripes; ++i)
                std::ranges::copy(std::span(cells).subspan(i * rows_, rows),
                                  std::span(cells).subspan(i * rows).begin());
        };
        if (rows == rows_) return;
        move_together(numbers_, stripes_);
        if (!status_.empty()) {
            move_together(status_, columns_);
            status_.resize(columns_ * rows);
        }
        rows_ = rows;
    }

    /// Takes up again what was packed, of columns without companions.
    void resume(std::size_t columns, std::size_t rows) noexcept {
        columns_ = stripes_ = columns;
        rows_ = rows;
    }
    /// Adds columns behind those that are there; both are packed, of as many rows, and without companions.
    void append(const Stripes& other) {
        const std::size_t mine = stripes_ * rows_, theirs = other.stripes_ * rows_;
        numbers_.resize(std::max(numbers_.size(), mine + theirs));
        std::ranges::copy(std::span(other.numbers_).first(theirs), std::span(numbers_).subspan(mine).begin());
        if (!status_.empty() || !other.status_.empty()) {
            status_.resize(mine, ValueStatus::valid);
            status_.insert(status_.end(), other.status_.begin(), other.status_.end());
            status_.resize(mine + theirs, ValueStatus::valid);
        }
        resume(stripes_ + other.stripes_, rows_);
    }

    std::span<const std::uint64_t> numbers(std::size_t stripe, std::size_t rows) const noexcept {
        return std::span(numbers_).subspan(stripe * rows_, rows);
    }
    /// One for each value of a column; empty where all are sound.
    std::span<const ValueStatus> status(std::size_t column, std::size_t rows) const noexcept {
        if (status_.empty()) return {};
        const auto status = std::span<const ValueStatus>(status_).subspan(column * rows_, rows);
        const bool sound = std::ranges::all_of(status, [](ValueStatus s) { return s == ValueStatus::valid; });
        return sound ? std::span<const ValueStatus>{} : status;
    }

  private:
    template <class T>
    void move_apart(std::vector<T>& cells, std::size_t stripes, std::size_t rows) const {
        cells.resize(std::max(cells.size(), stripes * rows));
        for (std::size_t i = stripes; i-- > 1;)
            std::ranges::copy_backward(std::span(cells).subspan(i * rows_, rows_),
                                       std::span(cells).subspan(i * rows, rows_).end());
    }

    std::vector<std::uint64_t>& numbers_;
    std::vector<ValueStatus>& status_;
    std::size_t columns_ = 0, stripes_ = 0;
    std::size_t rows_ = 0;  // the length of a stripe
};

}  // namespace hkpd
