// The series of a database.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/number_hash.hpp"
#include "cook/formula.hpp"
#include "cook/operands.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "sample/title_repeats.hpp"

namespace hkpd {

/// Assigns a place to each series of a run, that is, to each counter of each instance. The place is the number under
/// which a writer stores the values of the series: a column of a text log, or a CounterID of a database.
class ValuePlaces {
  public:
    static constexpr std::int64_t none = -1;

    /// Allows at most `most` counters, and at most `most` places.
    explicit ValuePlaces(std::uint64_t most) : most_(most) {}
    virtual ~ValuePlaces() = default;

    /// Calls `take` for each counter of `part` that can be written. If `cooked` is true, these are the counters that
    /// have cooked values; otherwise, the counters whose raw values are numbers. `take` gets the position of the
    /// counter in the object, and a list of places with one element for each row of `part`. The element is the place of
    /// this counter's series in this row, or `none` if the series has no place.
    template <class Take>
    void each_counter(const Sample& sample, const Selected& part, bool cooked, const Take& take) {
        if (part.rows.empty()) return;
        const Object& object = sample.objects()[part.object];
        repeats_.count(std::span<const Column>(object.columns));
        const std::vector<std::uint32_t>& numbers = instance_numbers(sample, part.object);
        for (const std::uint32_t position : part.columns) {
            const Column& column = object.columns[position];
            if (!(cooked ? is_displayable(column) : column.storage == Storage::number)) continue;
            const std::uint32_t number = counter(sample, object, column, repeats_[position]);
            found_.clear();
            for (const std::uint32_t row : part.rows) found_.push_back(place(number, numbers[row]));
            take(position, std::span<const std::int64_t>(found_));
        }
    }

    /// Returns whether there were more counters, instances or places than the limit allows.
    bool overflowed() const noexcept { return overflowed_ || (run_ != nullptr && run_->overflowed()); }

  protected:
    using Key = std::pair<std::uint32_t, std::uint32_t>;  // a counter's number and an instance's number
    /// Returns the numbers of the instances of an object: those of their identities, unless a class has others.
    virtual const std::vector<std::uint32_t>& instance_numbers(const Sample& sample, std::size_t object) {
        if (run_ == nullptr) {
            run_ = RunInstances::of(sample);
            run_->keep();
        }
        return run_->instances(sample, object).numbers;
    }
    /// Returns the number that identifies a counter, or `no_index` if there are too many counters. `repeat` is the
    /// number of earlier counters in the same object that have the same title index.
    virtual std::uint32_t counter(const Sample& sample, const Object& object, const Column& column,
                                  std::uint32_t repeat) = 0;
    /// Assigns a place to a series that has none yet. `key` identifies the series by its counter and its instance.
    /// Returns the place, or `none` if the series gets no place.
    virtual std::int64_t add(Key key) = 0;

    bool has_space(std::size_t count) noexcept {
        if (count < most_ && count < no_index) return true;
        overflowed_ = true;
        return false;
    }
    RunInstances& run() const noexcept { return *run_; }
    bool has_run() const noexcept { return run_ != nullptr; }
    std::unordered_map<std::uint64_t, std::int64_t, NumberHash>& places() noexcept { return places_; }
    static Key key_of(std::uint64_t place) noexcept {
        return {static_cast<std::uint32_t>(place >> 32U), static_cast<std::uint32_t>(place)};
    }

  private:
    std::int64_t place(std::uint32_t counter, std::uint32_t identity) {
        if (counter == no_index || identity == no_index) return none;
        const std::uint64_t key = std::uint64_t{counter} << 32U | identity;
        if (const auto found = places_.find(key); found != places_.end()) return found->second;
        if (!has_space(places_.size())) return none;
        return places_[key] = add({counter, identity});
    }

    std::uint64_t most_;
    std::shared_ptr<RunInstances> run_;  // of the samples; null before the first
    bool overflowed_ = false;
    std::unordered_map<std::uint64_t, std::int64_t, NumberHash>
        places_;            // by `Key` as one number: the counter in the upper half
    TitleRepeats repeats_;  // of the counters of the current object
    std::vector<std::int64_t> found_;
};

}  // namespace hkpd
