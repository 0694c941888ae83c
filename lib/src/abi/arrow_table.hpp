// Tables of values for the Arrow C data interface: one row for each value of a sample, names as dictionaries.
#pragma once

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

/// Bits of Arrow: whether each row has a value.
class Validity {
  public:
    void append(bool valid) {
        if (size_ % 8 == 0) bits_.push_back(0);
        if (valid)
            bits_.back() = static_cast<std::uint8_t>(bits_.back() | 1U << size_ % 8);
        else
            ++nulls_;
        ++size_;
    }
    void append(std::size_t count, bool valid);
    const std::uint8_t* data() const noexcept { return bits_.data(); }
    std::int64_t nulls() const noexcept { return nulls_; }
    /// Removes all rows, and keeps the memory.
    void clear() noexcept {
        bits_.clear();
        size_ = 0;
        nulls_ = 0;
    }

  private:
    std::vector<std::uint8_t> bits_;
    std::size_t size_ = 0;
    std::int64_t nulls_ = 0;
};

/// The columns of a table that have dictionaries, in the order of the table.
enum class Key : std::uint8_t { machine, object, instance, counter, type, reason };
inline constexpr std::size_t keys = 6;

/// A finished or growing batch of rows.
struct Batch {
    std::vector<std::int64_t> time;
    std::vector<std::uint64_t> raw;
    std::vector<double> value;
    std::array<std::vector<std::int32_t>, keys> positions;
    Validity has_time, has_machine, has_raw, has_value, has_reason;
    std::array<std::shared_ptr<const Texts>, keys> texts;

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
    std::size_t rows() const noexcept { return batch_->rows(); }
    /// Returns the batch, and begins the next one.
    std::shared_ptr<const Batch> finish();

  private:
    void add_rows(Reader& reader, const Object& object, const Column& column, std::int32_t name,
                  const std::vector<std::uint32_t>* rows);
    void find_instances(const Sample& sample, const Object& object);
    std::vector<std::int32_t>& positions(Key key) { return batch_->positions[static_cast<std::size_t>(key)]; }
    Dictionary& dictionary(Key key) { return dictionaries_[static_cast<std::size_t>(key)]; }

    Filter* filter_;
    std::shared_ptr<BatchPool> pool_ = std::make_shared<BatchPool>();
    std::unique_ptr<Batch> batch_ = pool_->take();
    std::array<Dictionary, keys> dictionaries_;
    std::vector<Selected> selected_;
    std::vector<std::int32_t> instances_;  // position of each instance of the object in its dictionary
    std::string text_;
};

}  // namespace hkpd::abi
