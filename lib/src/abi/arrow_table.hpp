// Tables of values for the Arrow C data interface: one row for each value of a sample, names as dictionaries.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"

namespace hkpd::abi {

/// The texts of a dictionary as Arrow stores them: text i has the bytes from offset i to offset i + 1. Dictionaries of
/// later batches contain those of earlier batches at the same positions, unless `Dictionary::restart` was called.
struct Texts {
    std::vector<std::int32_t> offsets{0};
    std::string bytes;
};

/// A dictionary that grows over a run.
class Dictionary {
  public:
    /// Returns the position of a text, which is added if it is new.
    std::int32_t position(std::string_view text);
    /// Returns the texts so far. They stay as they are when more texts are added.
    std::shared_ptr<const Texts> texts();
    std::size_t bytes() const noexcept { return texts_.bytes.size(); }
    /// Removes all texts.
    void restart();

  private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard library's name
    };
    std::string_view text(std::size_t position) const noexcept {
        const auto begin = static_cast<std::size_t>(texts_.offsets[position]);
        return std::string_view(texts_.bytes)
            .substr(begin, static_cast<std::size_t>(texts_.offsets[position + 1]) - begin);
    }

    Texts texts_;
    std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> positions_;
    std::size_t expected_ = 0;  // position after that of the last text: texts come in the same order in each sample
    std::shared_ptr<const Texts> shared_;  // copy of `texts_`; null if texts were added since
};

/// Bits of Arrow: whether each row has a value. No bit is written as long as all rows have one.
class Validity {
  public:
    void append(std::size_t count, bool valid) {
        if (valid && nulls_ == 0)
            size_ += count;
        else
            append_bits(count, valid);
    }
    /// Appends the rows of another.
    void append(const Validity& other);
    /// Returns the bits; none if all rows have a value.
    const std::uint8_t* data() const noexcept { return bits_.data(); }
    std::size_t nulls() const noexcept { return nulls_; }
    std::size_t size() const noexcept { return size_; }
    /// Removes all rows, and keeps the memory.
    void clear() noexcept {
        bits_.clear();
        size_ = nulls_ = 0;
    }

  private:
    void append_bits(std::size_t count, bool valid);
    void write();

    std::vector<std::uint8_t> bits_;  // those beyond `size_` in the last byte are 0
    std::size_t size_ = 0, nulls_ = 0;
};

/// Appends copies of a value. `std::vector` does this too, in a loop over single values.
template <class Value>
void append_copies(std::vector<Value>& to, std::size_t count, Value value) {
    if (count == 1) return to.push_back(value);
    std::array<Value, 128> copies;
    std::fill_n(copies.begin(), std::min(count, copies.size()), value);
    while (count != 0) {
        const std::size_t part = std::min(count, copies.size());
        to.insert(to.end(), copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(part));
        count -= part;
    }
}

/// A column of numbers of 32 bits, or of positions in a dictionary. As long as all rows have the usual value, none is
/// written: such columns of a batch share their memory (`Batch::zeros` and `Batch::ones`).
class Words {
  public:
    /// `usual`: the value that rows usually have; none: usually they have no value.
    explicit Words(std::optional<std::uint32_t> usual = std::nullopt) : usual_(usual) {}

    /// Appends a number of rows with the same value.
    void append(std::size_t count, std::optional<std::uint32_t> value) {
        rows_ += count;
        if (!written_ && value == usual_) return;
        if (!written_) write(rows_ - count);
        append_copies(values_, count, value.value_or(0));
        validity_.append(count, value.has_value());
    }
    /// Appends the rows of another column, which has the same usual value, a number of times.
    void append(const Words& other, std::size_t times);
    /// Reserves space for rows, if the column has to be written.
    void reserve(std::size_t space) {
        space_ = space;
        if (written_) values_.reserve(space);
    }
    /// Removes all rows, and keeps the memory.
    void clear() noexcept {
        values_.clear();
        validity_.clear();
        rows_ = 0;
        written_ = false;
    }

    std::optional<std::uint32_t> usual() const noexcept { return usual_; }
    bool written() const noexcept { return written_; }
    /// The values and bits of the rows, if they are written.
    const std::uint32_t* values() const noexcept { return values_.data(); }
    const Validity& validity() const noexcept { return validity_; }
    std::size_t nulls() const noexcept { return written_ ? validity_.nulls() : usual_ ? 0 : rows_; }

  private:
    void write(std::size_t rows);

    std::optional<std::uint32_t> usual_;
    std::vector<std::uint32_t> values_;
    Validity validity_;
    std::size_t rows_ = 0, space_ = 0;
    bool written_ = false;
};

/// The columns of a table that have 32 bits a row, in the order of the table. All but pid, instance_id and life have a
/// dictionary.
enum class Key : std::uint8_t {
    machine,
    object,
    parent,
    instance,
    pid,
    instance_id,
    life,
    pdh_instance,
    counter,
    type,
    reason
};
inline constexpr std::size_t keys = 11;

/// Columns with 32 bits a row.
struct KeyColumns {
    std::array<Words, keys> words;

    KeyColumns() {
        (*this)[Key::machine] = Words(0);  // the first text of the dictionary
        (*this)[Key::life] = Words(1);
    }
    Words& operator[](Key key) noexcept { return words[static_cast<std::size_t>(key)]; }
    const Words& operator[](Key key) const noexcept { return words[static_cast<std::size_t>(key)]; }
};

/// A finished or growing batch of rows.
struct Batch {
    std::vector<std::int64_t> time;
    std::vector<std::uint64_t> raw;
    std::vector<double> value;
    Validity has_time, has_raw, has_value;
    KeyColumns columns;
    std::array<std::shared_ptr<const Texts>, keys> texts;
    // The values of columns that are not written. Zeros are also the bits of columns without values.
    std::shared_ptr<const std::vector<std::uint32_t>> zeros, ones;

    std::size_t rows() const noexcept { return raw.size(); }
    /// Reserves space for more rows: at least twice the space that there was, so that rows are seldom moved.
    void reserve(std::size_t more);
    /// Removes all rows, and keeps the memory.
    void clear() noexcept;
};

/// Batches whose memory is used again after their consumers have released them, in any thread.
class BatchPool {
  public:
    std::unique_ptr<Batch> take();
    void give_back(std::unique_ptr<Batch> batch) noexcept;

  private:
    std::mutex mutex_;
    std::unique_ptr<Batch> spare_;
};

/// Builds the batches of a run.
class TableBuilder {
  public:
    /// `filter` selects the values; null: all. It must outlive the builder.
    explicit TableBuilder(Filter* filter) : filter_(filter) {}

    /// Appends the values of the reader's current sample to the batch.
    void add(Reader& reader);
    /// Returns the number of rows in the batch so far.
    std::size_t rows() const noexcept { return batch_ ? batch_->rows() : 0; }
    /// Returns the batch. The next one is begun by `add`, which takes the memory of a batch that was released
    /// meanwhile.
    std::shared_ptr<const Batch> finish();

  private:
    void add_object(Reader& reader, std::size_t object, const Selected* selected);
    void add_column(const CookedColumn& cooked, const Column& column, const std::vector<std::uint32_t>* rows);
    void find_instances(const Sample& sample, std::size_t object, const std::vector<std::uint32_t>* rows);
    std::uint32_t position(Key key, std::string_view text) {
        return static_cast<std::uint32_t>(dictionaries_[static_cast<std::size_t>(key)].position(text));
    }

    Filter* filter_;
    std::shared_ptr<BatchPool> pool_ = std::make_shared<BatchPool>();
    std::unique_ptr<Batch> batch_;
    std::array<Dictionary, keys> dictionaries_;
    std::shared_ptr<const std::vector<std::uint32_t>> zeros_, ones_;
    std::vector<Selected> selected_;
    KeyColumns instances_;  // of the object: the columns that describe an instance, with a row for each
    std::string text_;
};

}  // namespace hkpd::abi
