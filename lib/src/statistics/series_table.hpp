// The series of a run: one counter of one instance each. What a writer keeps of a series, it keeps at its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/series.hpp"
#include "identity/run_places.hpp"
#include "quantity/meaning.hpp"
#include "quantity/unit.hpp"
#include "sample/display_name.hpp"
#include "sample/title_repeats.hpp"
#include "statistics/key_index.hpp"

namespace hkpd {

/// Returns the English name of a counter's object, and that of the counter; if it is unknown, the name of the input.
inline std::string_view english_object(const RunCounter& counter) noexcept {
    return counter.english_object.empty() ? counter.object : counter.english_object;
}
inline std::string_view english_name(const RunCounter& counter) noexcept {
    return counter.english_name.empty() ? counter.name : counter.english_name;
}

/// Returns the unit of a counter's values.
inline Unit unit_of(const RunCounter& counter) noexcept {
    return unit_of(counter.source, counter.object_number, counter.number, counter.type, english_name(counter));
}

/// Returns what a larger value of a counter means.
inline Meaning meaning_of(const RunCounter& counter) noexcept {
    return meaning_of(counter.source, counter.object_number, counter.number, counter.type, english_name(counter));
}

/// Returns whether a column has cooked values that are numbers.
inline bool has_cooked_numbers(const Column& column) noexcept {
    return is_displayable(column) && column.storage == Storage::number;
}

/// The kind of thing that each series of a counter belongs to.
enum class SeriesOf : std::uint8_t {
    identities,  ///< one instance from its start to its end
    names,       ///< all instances of one name
    places,      ///< whatever is at one place `name#n`, as in Windows' text logs
};

/// Numbers the series of a run in the order of their appearance.
class SeriesTable {
  public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// Allows at most `most` counters, and at most `most` series.
    /// `name_bytes`: maximum number of bytes of the texts of places and names.
    explicit SeriesTable(std::uint64_t most, SeriesOf of = SeriesOf::identities,
                         std::uint64_t name_bytes = Limits{}.names)
        : most_(most), of_(of), run_places_(most, name_bytes) {}

    /// Calls `take` for each counter of `part` that `accepts` returns true for. `take` gets the position of the counter
    /// in the object, the number of the counter, and the place of the series of each row of `part`: `none` beyond a
    /// limit. Of several rows of one name, each has the same place.
    template <class Accept, class Take>
    void each_counter(const Sample& sample, const Selected& part, const Accept& accepts, const Take& take) {
        each_series(
            sample, part, accepts,
            [&](const Object& object, std::uint32_t position, std::uint32_t repeat) {
                return counter_number(sample, object, position, repeat);
            },
            take);
    }

    /// Does the same for a caller that numbers counters itself: `counter` gets an object, the position of a counter,
    /// and the number of earlier counters of the object with its title index, and returns the counter's number.
    template <class Accept, class Counter, class Take>
    void each_series(const Sample& sample, const Selected& part, const Accept& accepts, const Counter& counter_of,
                     const Take& take) {
        if (part.rows.empty()) return;
        const Object& object = sample.objects()[part.object];
        begin(sample, part.object);
        for (const std::uint32_t position : part.columns) {
            if (!accepts(object.columns[position])) continue;
            const std::uint32_t counter = counter_of(object, position, repeats_[position]);
            found_.resize(part.rows.size());
            find_column(counter, part.rows);
            take(position, counter, std::span<const std::size_t>(found_));
        }
    }

    std::size_t size() const noexcept { return series_.size(); }
    /// Returns the numbers of a series: of its counter and of its instance. They are in the order of appearance, too.
    std::pair<std::uint32_t, std::uint32_t> key(std::size_t place) const noexcept { return series_[place]; }
    const RunCounter& counter(std::uint32_t number) const noexcept { return *counters_[number]; }
    const RunCounter& counter_of(std::size_t place) const noexcept { return *counters_[series_[place].first]; }
    /// Returns a counter as a value, which may outlive the table.
    std::shared_ptr<const RunCounter> shared_counter(std::uint32_t number) const { return counters_[number]; }

    /// Returns the instances of the run; null before the first sample.
    RunInstances* run() const noexcept { return run_.get(); }
    /// Returns the identity of an instance; of several of one name, their name alone.
    Identity identity(std::uint32_t instance) const;
    /// Returns the text of an instance: `RunInstances::append_display`; `name#*` for several of one name; `name#n` for
    /// a place.
    std::string display(std::uint32_t instance) const;
    /// Returns the same of an identity, always with the process id if it has one.
    std::string display_with_pid(std::uint32_t instance) const;
    /// Returns whether a name or a place was that of several instances.
    bool is_shared(std::uint32_t instance) const noexcept;

    /// Returns whether there were more counters, instances or series than the limit allows.
    bool overflowed() const noexcept {
        return overflowed_ || run_places_.overflowed() || (run_ != nullptr && run_->overflowed());
    }
    /// Returns how many values had no series because of the limit.
    std::uint64_t left_out() const noexcept { return left_out_; }
    /// Removes all series, but not the counters.
    void clear();
    /// Makes the next samples those of another pass over the same run.
    void restart();

  private:
    struct Named {
        std::uint32_t identity;  // the first of this name
        bool several = false;
    };
    void begin(const Sample& sample, std::size_t object);
    std::uint32_t counter_number(const Sample& sample, const Object& object, std::uint32_t position,
                                 std::uint32_t repeat);
    std::uint32_t name_number(std::uint32_t identity);
    void find_column(std::uint32_t counter, std::span<const std::uint32_t> rows);
    std::size_t search(std::uint32_t counter, std::uint32_t instance);

    std::uint64_t most_;
    SeriesOf of_;
    bool overflowed_ = false;
    std::uint64_t left_out_ = 0;
    std::shared_ptr<RunInstances> run_;  // of the samples; null before the first
    RunPlaces run_places_;

    std::vector<KeyIndex::Key> series_;                // counter and instance
    KeyIndex places_;                                  // of these
    std::vector<std::vector<std::uint32_t>> columns_;  // by counter: places of its series in the sample before

    std::vector<std::shared_ptr<RunCounter>> counters_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t>
        counter_numbers_;                                      // by group, title index, repeat and type
    std::unordered_map<std::uint32_t, std::uint32_t> groups_;  // number of the object in the run → group
    std::vector<Named> names_;
    std::map<std::string, std::uint32_t> name_numbers_;  // object and folded name → position in `names_`
    std::vector<std::uint32_t> names_of_;                // identity → position in `names_`, or `no_index`

    // The current object.
    std::uint32_t object_ = no_index, group_ = 0;  // its numbers
    const std::vector<std::uint32_t>* numbers_ = nullptr;
    std::vector<std::uint32_t> name_of_rows_;
    TitleRepeats repeats_;
    std::vector<std::size_t> found_;
};

}  // namespace hkpd
