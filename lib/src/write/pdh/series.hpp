// The series of a run (one counter of one instance each), and where the values of a sample go among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "sample/identity.hpp"

namespace hkpd {

/// As much of a name as is kept for a counter or an instance: characters, as in the tables of Windows' logs, and what
/// they are in UTF-8 at most.
inline constexpr std::size_t longest_name = 1024, longest_name_bytes = 4 * longest_name;

/// Places for the values of a whole run, one for each counter of each instance.
class ValuePlaces {
  public:
    virtual ~ValuePlaces() = default;

    /// The number of a counter; `ordinal` counts the counters before it in its object that have the same title.
    /// `no_index` where there are too many.
    virtual std::uint32_t counter(const Sample& sample, const Object& object, const Column& column,
                                  std::uint32_t ordinal) = 0;
    /// The place of a counter's instance (a number of `Identities`); `no_index` where it has none.
    virtual std::uint32_t place(std::uint32_t counter, std::uint32_t identity) = 0;
};

/// Finds the places of values. Most instances and counters are what and where they were in the sample before; only for
/// others `ValuePlaces` is asked.
class PdhCells {
  public:
    /// Keeps references to both. `cooked`: only counters with cooked values have places.
    PdhCells(ValuePlaces& columns, const Identities& identities, bool cooked)
        : columns_(columns), identities_(identities), cooked_(cooked) {}

    struct Counter {
        std::uint32_t position;  ///< in `Object::columns`
        std::uint32_t number;    ///< of `ValuePlaces`
    };
    /// The values of a selected part of a sample.
    class Part {
      public:
        /// Those of its counters that are columns of a log.
        std::span<const Counter> counters() const noexcept { return counters_; }
        /// The place in a row of each value of a counter, which is the nth of `counters`; `no_index` where it has none.
        std::span<const std::uint32_t> places(std::size_t counter) const noexcept {
            return std::span(places_).subspan(counter * rows_.size(), rows_.size());
        }

      private:
        friend class PdhCells;
        /// What the number of a counter, and what is learnt of it, depend on.
        struct Head {
            std::uint32_t title_index, type;
            std::int32_t scale;
            bool is_shown;
            std::optional<std::int64_t> own_time_base;
            std::optional<std::string> name;
        };
        std::string machine_;
        std::uint32_t object_ = no_index;  // its title index
        Kind kind_{};
        std::int64_t perf_frequency_ = 0, frequency_ = 0;  // of the sample and of the object
        std::optional<std::string> object_name_;
        std::vector<Head> heads_;               // of all columns of the object
        std::vector<std::uint32_t> positions_;  // those that are selected
        std::vector<Counter> counters_;
        std::vector<std::uint32_t> rows_;    // their identities
        std::vector<std::uint32_t> places_;  // counter after counter
    };

    /// The part that has a place in the list of those that are selected, and has rows. Before the columns are fixed,
    /// they take note of what is there. Valid until the next call.
    const Part& find(std::size_t place, const Sample& sample, const Selected& selected);

    /// To be called when the columns have been fixed: what had no place may have one.
    void forget() noexcept { parts_.clear(); }

  private:
    bool find_counters(Part& part, const Sample& sample, const Selected& selected);
    bool has_same_counters(const Part& part, const Sample& sample, const Selected& selected) const;
    bool is_shown(const Column& column) const;
    void find_places(Part& part, bool same_counters);

    ValuePlaces& columns_;
    const Identities& identities_;
    bool cooked_;
    std::vector<Part> parts_;
    // Of the part at hand, while it is being found.
    std::vector<std::uint32_t> rows_, places_;
    std::vector<std::uint32_t> row_before_;  // of an identity, if `Part::rows_` says so; else anything
    std::unordered_map<std::uint32_t, std::uint32_t> same_title_;
};

}  // namespace hkpd
