// The families of metrics in a text, and what is said of each in front of its points.
// Sources: the OpenMetrics 1.0 specification; "Exposition formats",
// prometheus.io/docs/instrumenting/exposition_formats.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "hkpd/error.hpp"
#include "write/metrics/names.hpp"

namespace hkpd {

/// A metric family: a name and what is said of it.
struct MetricFamily {
    std::string name;
    Metric::Type type;
    std::string_view unit;  ///< empty: none
    std::string help;
};

/// The two forms of text that Prometheus reads. They agree on labels and values.
enum class MetricForm : std::uint8_t {
    openmetrics,
    prometheus,  ///< the older one: a counter goes by the name of its samples, with `_total`; there are no units
};

/// Appends text with backslash, quote and line feed escaped, and printable beyond that: the formats have no escapes for
/// other control characters, so that theirs are part of the text.
void append_escaped(std::string& out, std::string_view text);

class MetricFamilies {
  public:
    struct Shown {
        std::string head;         ///< the lines in front of its points
        std::string sample_name;  ///< what each point begins with
    };

    explicit MetricFamilies(MetricForm form) : form_(form) {}
    MetricForm form() const noexcept { return form_; }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(shown_.size()); }

    /// Whether there is no room for another.
    bool full() const noexcept;

    /// The number of a family, by any key of the caller's; `no_index` where it was not added. Numbers are the order in
    /// the text.
    std::uint32_t find(const std::string& key) const;
    /// Adds one. `no_index` where there are too many.
    std::uint32_t add(const std::string& key, MetricFamily family);

    const Shown& operator[](std::uint32_t number) const { return shown_[number]; }

  private:
    MetricForm form_;
    std::deque<Shown> shown_;
    std::map<std::string, std::uint32_t> by_key_;
};

}  // namespace hkpd
