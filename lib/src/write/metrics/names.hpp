// What counters are called and what they are in OpenMetrics: README.md has the rules for people, under "Prometheus".
// Source: the OpenMetrics 1.0 specification (prometheus.io/docs/specs/om/open_metrics_spec).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/names.hpp"
#include "write/series.hpp"

namespace hkpd {

/// A metric that shows a counter, or one side of it: of an average there are two, what was counted and how often.
struct Metric {
    enum class Type : std::uint8_t { counter, gauge, unknown };
    enum class Quantity : std::uint8_t {
        number,    ///< the raw value
        floating,  ///< the raw value, as the bits of a double
        seconds,   ///< the raw value by the ticks of a second
        ratio,     ///< the raw value by its base
        base,
        cooked,
    };
    Type type;
    Quantity quantity;
    std::string_view suffix{}, unit{};  ///< both are parts of the name
    std::string_view left_out = unit;   ///< the word of a title that the name does without, for its end says so
};

/// The metrics of a counter type; none where it has no number of its own. `has_seconds` says whether the clock of a
/// timer is known to have ticks a second.
std::span<const Metric> metrics_of(std::uint32_t type, bool has_seconds) noexcept;
/// The metric of its cooked value; none where it has none.
std::span<const Metric> cooked_metrics_of(std::uint32_t type) noexcept;

/// A title as part of a metric's name: `% Processor Time` is `processor_time`. Where there is none, or nothing of it
/// can stand in a name, `otherwise` takes its place: `index 6` is `index_6`.
std::string metric_words(const std::optional<Titles::Answer>& title, std::string_view otherwise);

/// The number of a name, which it gets here where it is new; `no_index` where `most` others have one.
std::uint32_t name_number(std::map<std::string, std::uint32_t>& numbers, std::string&& name, std::size_t most);

/// What tells titles apart: the text, in which case does not count, and a number among those of the same text.
struct TitleNumber {
    std::uint32_t title = no_index, number = no_index;  ///< both `no_index` where there are too many
};

/// Tells apart what has the same title. On one machine an index keeps its number for the whole run, so that no series
/// goes on with the values of another counter; titles of several machines are the same whatever their indices.
class TitleNumbers {
  public:
    struct Scope {
        std::uint32_t machine, object;
    };

    /// At most so many numbers over all machines.
    explicit TitleNumbers(std::size_t most) : most_(most) {}

    /// Takes in a list of objects, or of columns.
    template <class Titled>
    void list(std::span<const Titled> all) {
        repeats_.count(all);
    }
    /// The number of what stands at a place of that list.
    TitleNumber number(const Scope& scope, std::size_t place, const std::optional<Titles::Answer>& title,
                       std::uint32_t index);

  private:
    using Known = std::array<std::uint32_t, 5>;  // machine, object, title, index, repeat

    std::size_t most_;
    std::map<std::string, std::uint32_t> titles_;
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> counts_;  // by machine, object, title
    std::map<Known, std::uint32_t> numbers_;
    TitleRepeats repeats_;  // of the current list
};

/// The names of all metric families of a text. None clashes with another, nor do the names of their samples.
class MetricNames {
  public:
    /// A name for a metric: `object`, the prefix and the words of the object, and `counter`, the words of the counter.
    /// Where it is taken, `index`, the counter's title index or id, sets it apart.
    std::string claim(std::string_view object, std::string_view counter, const Metric& metric, std::uint32_t index);

  private:
    bool take(const std::string& name, Metric::Type type);

    std::set<std::string> taken_;
    std::map<std::string, std::uint32_t> tries_;  // how often a name was asked for in vain
};

}  // namespace hkpd
