// The values of the last samples of a run, handed on series by series instead of sample by sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

/// A value of a series, and the number of its sample in the block.
struct BlockValue {
    std::uint32_t sample;
    CookedValue value;
};

/// Values of up to 32 samples. What is known of a series has several hundred bytes in five places, and a sample has
/// thousands of series: if each value were added to its series at once, each would wait for memory. Here, a value is
/// written after the one before it, and a series is fetched once for all its values in the block.
class ValueBlock {
  public:
    /// Adds a value of the current sample. `place`: the number of the series.
    void add(std::uint32_t place, CookedValue value) {
        if (last_of_.size() <= place) last_of_.resize(place + std::size_t{1}, no_index);
        std::uint32_t& last = last_of_[place];
        if (last == no_index) places_.push_back(place);
        entries_.push_back({value.value, last, static_cast<std::uint8_t>(samples_), value.reason});
        last = static_cast<std::uint32_t>(entries_.size() - 1);
    }
    /// Ends the current sample. Returns whether the block is full.
    bool end_sample() noexcept { return ++samples_ >= most_samples || entries_.size() >= most_entries; }

    /// Calls `take` for each series with its place and its values in the order of the samples, and removes all values.
    template <class Take>
    void drain(const Take& take) {
        for (const std::uint32_t place : places_) {
            std::size_t begin = most_values(place);
            if (values_.size() < begin) values_.resize(begin);
            const std::size_t end = begin;
            for (std::uint32_t i = last_of_[place]; i != no_index; i = entries_[i].before)
                values_[--begin] = {entries_[i].sample, {entries_[i].value, entries_[i].reason}};
            take(place, std::span<const BlockValue>(values_).subspan(begin, end - begin));
        }
        clear();
    }
    void clear() noexcept {
        for (const std::uint32_t place : places_) last_of_[place] = no_index;
        places_.clear();
        entries_.clear();
        samples_ = 0;
        if (entries_.capacity() <= 2 * most_entries) return;
        entries_ = {};  // of a sample with a great number of series, such as the only one of a run
        places_ = {};
    }

  private:
    static constexpr std::uint32_t most_samples = 32;
    static constexpr std::size_t most_entries = std::size_t{1} << 16U;  // 1 MiB

    std::size_t most_values(std::uint32_t place) const noexcept {
        std::size_t count = 0;
        for (std::uint32_t i = last_of_[place]; i != no_index; i = entries_[i].before) ++count;
        return count;
    }

    struct Entry {
        double value;
        std::uint32_t before;  // the entry of the same series before this one, or `no_index`
        std::uint8_t sample;
        Reason reason;
    };
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> last_of_;  // by place: the last entry of the series, or `no_index`
    std::vector<std::uint32_t> places_;   // of the series with values, in the order of their first ones
    std::vector<BlockValue> values_;
    std::uint32_t samples_ = 0;
};

}  // namespace hkpd
