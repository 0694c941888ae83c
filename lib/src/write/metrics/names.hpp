// Names and types of counters in OpenMetrics; README.md describes the rules under "Prometheus".
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

#include "hkpd/names.hpp"
#include "sample/title_repeats.hpp"
#include "write/series.hpp"

namespace hkpd {

/// A metric shows a counter or a part of it. An average needs two metrics: one for the counted amount, and one for the
/// number of events.
struct Metric {
    enum class Type : std::uint8_t { counter, gauge, unknown };
    enum class Quantity : std::uint8_t {
        number,    ///< the raw value
        floating,  ///< the raw value, as the bits of a double
        seconds,   ///< the raw value divided by the ticks per second
        ratio,     ///< the raw value divided by its base
        base,
        cooked,
    };
    Type type;
    Quantity quantity;
    std::string_view suffix{}, unit{};  ///< both are parts of the name
    std::string_view left_out = unit;   ///< word of the title to omit: the end of the name states the unit
};

/// Returns the metrics of a counter type; none if counters of this type are not displayed, such as bases.
/// `has_seconds` states whether the ticks per second of a timer's clock are known.
std::span<const Metric> metrics_of(std::uint32_t type, bool has_seconds) noexcept;
/// Returns the metric for the cooked value of a counter type; none if the type has no cooked value.
std::span<const Metric> cooked_metrics_of(std::uint32_t type) noexcept;

/// Returns a title as part of a metric's name: `% Processor Time` becomes `processor_time`. If there is no title, or
/// none of its characters can be used, `otherwise` is used instead: `index 6` becomes `index_6`.
std::string metric_words(const std::optional<Titles::Answer>& title, std::string_view otherwise);

/// Returns the number of a name. A new name gets the next number. Returns `no_index` for a new name if `most` names
/// already have numbers.
std::uint32_t name_number(std::map<std::string, std::uint32_t>& numbers, std::string&& name, std::uint64_t most);

/// Identifies an object or counter. `title` is a number for the text of the title; texts that differ only in case have
/// the same number. `number` distinguishes objects or counters whose titles have the same number.
struct TitleNumber {
    std::uint32_t title = no_index, number = no_index;  ///< both are `no_index` if there are too many titles
};

/// Numbers that distinguish objects or counters with the same title. Of the objects of a machine (or the counters of an
/// object) that have the same title, the first gets 0, the next one 1, and so on. An object or counter is recognised by
/// its title index and keeps its number for the whole run, so that no series continues with the values of another
/// counter. Equal titles of two machines get equal numbers even if their title indices differ.
class TitleNumbers {
  public:
    struct Scope {
        std::uint32_t machine, object;
    };

    /// Allows at most `most` numbers, for all machines together.
    explicit TitleNumbers(std::uint64_t most) : most_(most) {}

    /// Sets the current list of objects or columns.
    template <class Titled>
    void list(std::span<const Titled> all) {
        repeats_.count(all);
    }
    /// Returns the numbers that identify the entry at `place` in the current list (see `list`). `title` and `index` are
    /// the title and the title index of this entry. An entry that was not seen before gets a new number. Both numbers
    /// are `no_index` if there are too many titles.
    TitleNumber number(const Scope& scope, std::size_t place, const std::optional<Titles::Answer>& title,
                       std::uint32_t index);

  private:
    using Known = std::array<std::uint32_t, 5>;  // machine, object, title, index, repeat

    std::uint64_t most_;
    std::map<std::string, std::uint32_t> titles_;
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> counts_;  // by machine, object, title
    std::map<Known, std::uint32_t> numbers_;
    TitleRepeats repeats_;  // of the current list
};

/// The names of all metric families of a text. The name of a family differs from the names of all other families, and
/// from the names that OpenMetrics derives from the names of other families, such as `NAME_total` for a counter.
class MetricNames {
  public:
    /// Returns an unused name for a metric. `object` has the prefix and the words of the object's title; `counter` has
    /// the words of the counter's title. `index` is the counter's title index or id. It is added to the name if the
    /// name is already taken.
    std::string claim(std::string_view object, std::string_view counter, const Metric& metric, std::uint32_t index);

  private:
    bool take(const std::string& name, Metric::Type type);

    std::set<std::string> taken_;
    std::map<std::string, std::uint32_t> tries_;  // by name with index: number of variants tried
};

}  // namespace hkpd
