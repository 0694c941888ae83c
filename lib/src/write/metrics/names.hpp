// What counters are called and what they are in OpenMetrics: README.md has the rules for people, under "Prometheus".
// Source: the OpenMetrics 1.0 specification (prometheus.io/docs/specs/om/open_metrics_spec).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "hkpd/names.hpp"

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

/// What of a title counts for names.
std::string_view title_start(std::string_view title) noexcept;

/// A title as part of a metric's name: `% Processor Time` is `processor_time`. Where there is none, or nothing of it
/// can stand in a name, `otherwise` takes its place: `index 6` is `index_6`.
std::string metric_words(const std::optional<Titles::Answer>& title, std::string_view otherwise);

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
