// The memory of a sample's object while it is being built: columns, instances and their names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/encoding.hpp"
#include "hkpd/sample.hpp"
#include "sample/memory.hpp"

namespace hkpd {

/// Reserves space for `size` elements if the capacity is smaller. Reserves exactly `size` the first time, and later a
/// sixteenth more, because the instances of a machine come and go. Keeps the contents.
template <class T>
void reserve_amortized(std::vector<T>& cells, std::size_t size) {
    if (cells.capacity() < size) cells.reserve(size + (cells.capacity() == 0 ? 0 : size / 16));
}

/// Reserves as `reserve_amortized` does, but discards the contents, so that old and new memory are never held together.
template <class Cells>
void reserve_discarding(Cells& cells, std::size_t size) {
    if (cells.capacity() >= size) return;
    const std::size_t spare = cells.capacity() == 0 ? 0 : size / 16;
    cells = {};
    cells.reserve(size + spare);
}

/// Lays out columns in memory that the next sample uses again. After the columns come their companions: arrays with a
/// further number for each value, such as the instance count. Statuses of values are kept only if any value is damaged
/// or missing.
class ColumnStorage {
  public:
    ColumnStorage(NumberMemory& numbers, std::vector<ValueStatus>& status) noexcept
        : numbers_(numbers), status_(status) {}

    /// Reserves space for `rows` rows, but at least one. The caller must call `grow` before it fills a row for which
    /// `full` returns true.
    void begin(std::size_t columns, std::size_t companions, std::size_t rows) {
        columns_ = columns;
        arrays_ = columns + companions;
        rows_ = std::max<std::size_t>(rows, 1);
        status_.clear();
        reserve_discarding(numbers_, arrays_ * rows_);
        const std::size_t count = arrays_ * rows_;
        if (numbers_.size() >= count) return;
        // If the memory is large, zeros are written to it here, in ascending order. The operating system assigns
        // physical memory to each page of the process's memory when the page is first written. The values are copied
        // row by row or column by column, not in ascending order. If these copies were the first writes, neighbouring
        // pages would be scattered over the physical memory, and building each later sample would take up to a fifth
        // longer.
        constexpr std::size_t large = std::size_t{1} << 17;
        if (count > large)
            numbers_.resize(count, 0);
        else
            numbers_.resize(count);
    }

    bool full(std::size_t row) const noexcept { return row >= rows_; }
    /// Doubles the number of reserved rows. Space grows in steps, as the row count that an input states is not trusted.
    void grow() {
        const std::size_t rows = rows_ * 2;
        move_apart(numbers_, arrays_, rows);
        if (!status_.empty()) {
            move_apart(status_, columns_, rows);
            for (std::size_t i = 0; i < columns_; ++i)
                std::ranges::fill(std::span(status_).subspan(i * rows + rows_, rows - rows_), ValueStatus::valid);
        }
        rows_ = rows;
    }

    /// Returns the position in memory of one value. `array`: index of a column or companion; the indices of the
    /// companions follow those of the columns.
    std::size_t place(std::size_t array, std::size_t row) const noexcept { return array * rows_ + row; }
    std::uint64_t& operator[](std::size_t place) noexcept { return numbers_[place]; }
    /// Returns `count` rows of a column, beginning at row `first`.
    std::span<std::uint64_t> rows(std::size_t column, std::size_t first, std::size_t count) noexcept {
        return std::span(numbers_).subspan(place(column, first), count);
    }
    /// Marks a column's value as damaged.
    void damaged(std::size_t place) { without_value(place, ValueStatus::damaged); }
    /// Marks a column's value as missing, with the reason.
    void without_value(std::size_t place, ValueStatus status) {
        if (status_.empty()) status_.assign(columns_ * rows_, ValueStatus::valid);
        status_[place] = status;
        numbers_[place] = 0;
    }

    const std::uint64_t* data() const noexcept { return numbers_.data(); }
    /// Returns the number of reserved rows of a column.
    std::size_t capacity() const noexcept { return rows_; }
    /// Returns whether no value is damaged or missing.
    bool is_valid() const noexcept { return status_.empty(); }

    /// Removes the unused space at the end of each column, so that the next column follows without a gap. `rows`:
    /// number of rows that are filled.
    void pack(std::size_t rows) noexcept {
        const auto move_together = [&](auto& cells, std::size_t arrays) {
            for (std::size_t i = 1; i < arrays; ++i)
                std::ranges::copy(std::span(cells).subspan(i * rows_, rows),
                                  std::span(cells).subspan(i * rows).begin());
        };
        if (rows == rows_) return;
        move_together(numbers_, arrays_);
        if (!status_.empty()) {
            move_together(status_, columns_);
            status_.resize(columns_ * rows);
        }
        rows_ = rows;
    }

    /// Continues with the columns that another ColumnStorage has left in the same memory. These columns must follow
    /// each other without gaps (see `pack`), and must have no companions.
    void resume(std::size_t columns, std::size_t rows) noexcept {
        columns_ = arrays_ = columns;
        rows_ = rows;
    }
    /// Adds the columns of `other`. In both storages, the columns must follow each other without gaps (see `pack`).
    /// Both must have the same number of rows, and no companions.
    void append(const ColumnStorage& other) {
        const std::size_t mine = arrays_ * rows_, theirs = other.arrays_ * rows_;
        numbers_.resize(std::max(numbers_.size(), mine + theirs));
        std::ranges::copy(std::span(other.numbers_).first(theirs), std::span(numbers_).subspan(mine).begin());
        if (!status_.empty() || !other.status_.empty()) {
            status_.resize(mine, ValueStatus::valid);
            status_.insert(status_.end(), other.status_.begin(), other.status_.end());
            status_.resize(mine + theirs, ValueStatus::valid);
        }
        resume(arrays_ + other.arrays_, rows_);
    }

    std::span<const std::uint64_t> numbers(std::size_t array, std::size_t rows) const noexcept {
        return std::span(numbers_).subspan(array * rows_, rows);
    }
    /// Returns the status of each value of a column; empty if all are valid.
    std::span<const ValueStatus> status(std::size_t column, std::size_t rows) const noexcept {
        if (status_.empty()) return {};
        const auto status = std::span<const ValueStatus>(status_).subspan(column * rows_, rows);
        const bool valid = std::ranges::all_of(status, [](ValueStatus s) { return s == ValueStatus::valid; });
        return valid ? std::span<const ValueStatus>{} : status;
    }

  private:
    template <class Cells>
    void move_apart(Cells& cells, std::size_t arrays, std::size_t rows) const {
        cells.resize(std::max(cells.size(), arrays * rows));
        for (std::size_t i = arrays; i-- > 1;)
            std::ranges::copy_backward(std::span(cells).subspan(i * rows_, rows_),
                                       std::span(cells).subspan(i * rows, rows_).end());
    }

    NumberMemory& numbers_;
    std::vector<ValueStatus>& status_;
    std::size_t columns_ = 0, arrays_ = 0;
    std::size_t rows_ = 0;  // capacity of a column
};

/// Fills the instances of an object: first a group of rows, then the names of these rows, then the next group. Names
/// are kept as long as each one equals the name of the same row in the previous sample. From the first row with a
/// different name on, all names are written anew.
class InstanceFiller {
  public:
    /// `scratch`: memory for converting names; its content is overwritten.
    InstanceFiller(Object& object, std::string& scratch, const FaultSink& faults) noexcept
        : object_(object),
          memory_(object.memory()),
          name_(scratch),
          faults_(faults),
          rows_before_(object.instances.size()) {
        memory_.parents = {};
    }

    /// Reserves space for up to `rows` rows.
    void begin(std::size_t rows) {
        reserve_amortized(object_.instances, rows);
        constexpr std::size_t usual_name = 8;
        if (rows_before_ == 0) memory_.names.reserve(usual_name * rows);
    }

    /// Returns the next rows. The caller sets all their fields except the name, and then sets or keeps the name of each
    /// row in order, with the functions below.
    std::span<Instance> next(std::size_t count) {
        if (object_.instances.size() < row_ + count) object_.instances.resize(row_ + count);
        return std::span(object_.instances).subspan(std::exchange(row_, row_ + count), count);
    }
    /// Returns the number of rows that `next` has returned so far.
    std::size_t rows() const noexcept { return row_; }

    /// Keeps the names of up to `count` next rows. Stops before the first name that is not ASCII or differs from the
    /// name of the same row in the previous sample. Keeps no name if an earlier name has changed. Returns the number of
    /// names kept. `field(i)` returns, for the i-th of these rows, the bytes that start with the name in UTF-16, and
    /// the size of the name in bytes. `host`: whether these bytes have the host's byte order.
    template <bool host, class Field>
    std::size_t keep_names(std::size_t count, Field&& field) noexcept {
        if (changed_) return 0;
        count = std::min(count, rows_before_ - std::min(rows_before_, named_));
        const auto rows = std::span(object_.instances).subspan(named_, count);
        std::size_t kept = 0, size = 0;
        for (; kept < count && rows[kept].name; ++kept) {
            const auto [bytes, length] = field(kept);
            const std::string_view before = *rows[kept].name;
            if (!is_ascii_text<host>(bytes, length, before)) break;
            size += before.size();
        }
        named_ += kept;
        names_end_ += size;
        return kept;
    }
    /// Sets the next names to empty ones.
    void set_empty_names(std::size_t count) noexcept {
        for (Instance& row : std::span(object_.instances).subspan(named_, count)) row.name = OptionalName("");
        named_ += count;
    }
    /// Sets the next name if it is ASCII, as nearly all names are, and returns true. `field` begins with the name:
    /// `size` bytes of UTF-16, or fewer if a NUL ends the name earlier. In the following cases, returns false and sets
    /// no name, and the caller must call `set_name`:
    ///
    /// - The name is not ASCII, or `size` is odd or larger than `field`.
    /// - All names so far were kept from the previous sample, and the previous sample has a row for the next name too.
    ///   `set_name` then compares the two names and keeps the old one if they are equal.
    template <bool host>
    bool set_ascii_name(Bytes field, std::size_t size) {
        if (may_keep() || size % 2 != 0 || field.size() < size) return false;
        change();
        bool ascii = true;
        memory_.names.resize_and_overwrite(names_end_ + size / 2, [&](char* data, std::size_t length) noexcept {
            const std::span names(data, length);
            std::size_t end = names_end_;
            for (std::size_t at = 0; at < size; at += 2) {
                const auto unit = load<std::uint16_t, host>(field.at(at));
                if (unit == 0) break;
                ascii = ascii && unit < 0x80;
                names[end++] = static_cast<char>(unit);
            }
            return ascii ? end : names_end_;
        });
        if (ascii) set_next(names_end_);
        return ascii;
    }
    /// Sets the next name. Faults in the name are reported for the instance with this ordinal.
    void set_name(const EncodedText& text, std::string_view structure, std::uint32_t ordinal) {
        name_.clear();
        append_text(name_, text, structure, "name", object_.title_index, ordinal, faults_);
        set_name(name_);
    }
    void set_name(std::string_view name) {
        if (may_keep() && object_.instances[named_].name == name) {
            names_end_ += name.size();
            ++named_;
            return;
        }
        change();
        memory_.names += name;
        set_next(names_end_);
    }
    /// Marks the next name as damaged.
    void set_damaged_name() {
        OptionalName& to = object_.instances[named_].name;
        if (!may_keep() || to) {
            change();
            to = {};
        }
        ++named_;
    }
    /// Records the parents of the rows that `next` returned last. The caller must have set the fields of these rows.
    void note_parents(std::span<const Instance> rows) noexcept {
        Object::Memory::Parents& parents = memory_.parents;
        if (row_ == rows.size()) parents.object = rows.front().parent_object;
        std::uint32_t difference = 0, last = 0;
        for (const Instance& row : rows) {
            difference |= row.parent_object ^ parents.object;
            last = std::max(last, row.parent_instance);
        }
        parents.last = std::max(parents.last, last);
        parents.differ = parents.differ || difference != 0;
    }

    /// Finishes the instances after the last row: removes the rows and names that remain from the previous sample, and
    /// sets the views of the names again if `Memory::names` was reallocated.
    void end() {
        object_.instances.resize(row_);
        memory_.names.resize(names_end_);
        if (!changed_ || memory_.names.capacity() == capacity_) return;
        std::string_view names(memory_.names);
        for (Instance& instance : object_.instances) {
            if (!instance.name) continue;
            const std::size_t size = (*instance.name).size();
            instance.name = OptionalName(names.substr(0, size));
            names.remove_prefix(size);
        }
    }

  private:
    /// Sets the next name to a view of `Memory::names`, from position `begin` to its last character. If `Memory::names`
    /// is reallocated later, the function `end` sets all these views again.
    void set_next(std::size_t begin) noexcept {
        names_end_ = memory_.names.size();
        object_.instances[named_++].name = OptionalName(std::string_view(memory_.names).substr(begin));
    }
    bool may_keep() const noexcept { return !changed_ && named_ < rows_before_; }
    void change() {
        if (std::exchange(changed_, true)) return;
        memory_.names.resize(names_end_);
        capacity_ = memory_.names.capacity();
    }

    Object& object_;
    Object::Memory& memory_;
    std::string& name_;
    FaultSink faults_;
    std::size_t rows_before_, row_ = 0, named_ = 0;
    std::size_t names_end_ = 0;  // position in `Memory::names` after the last name that was kept or set
    bool changed_ = false;       // whether names are written anew
    // The capacity of `Memory::names` when `changed_` was set. If the capacity is different at the end, the names have
    // moved, and `end` must set all views again.
    std::size_t capacity_ = 0;
};

}  // namespace hkpd
