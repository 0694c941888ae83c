// What of a sample becomes metrics: names, labels and values, for any text of metrics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/identity.hpp"
#include "hkpd/write/writer.hpp"
#include "metric_families.hpp"
#include "metric_names.hpp"
#include "metric_text.hpp"
#include "metric_values.hpp"

namespace hkpd {

/// Tells apart what has the same title. On one machine an index keeps its number for the whole run, so that no series
/// goes on with the values of another counter; titles of several machines are the same whatever their indices.
class TitleNumbers {
  public:
    /// A number for each of `all`, which stand in `scope` of a machine.
    void number(std::string_view scope, std::span<const Object> all, std::vector<std::uint32_t>& numbers);
    void number(std::string_view scope, std::span<const Column> all, std::vector<std::uint32_t>& numbers);

  private:
    template <class Titled>
    void number_all(std::string_view scope, std::span<const Titled> all, std::vector<std::uint32_t>& numbers);

    std::map<std::string, std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>> known_;
    std::map<std::uint32_t, std::uint32_t> seen_;  // of the list at hand
};

class SampleMetrics {
  public:
    /// `families` outlives this.
    SampleMetrics(const WriteOptions& options, MetricFamilies& families)
        : options_(options), families_(families), identities_(options.series) {}

    /// Adds the points of a sample to a text, at this time in milliseconds since 1970; none: they are left out, and
    /// counted.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::optional<std::int64_t> time,
             MetricText& text, std::string& out);

    /// Takes the instances of the next sample for the first ones.
    void forget_instances() { identities_ = Identities(options_.series); }
    std::size_t instances() const noexcept { return identities_.size(); }

    /// Points that were left out for want of a time.
    std::uint64_t timeless() const noexcept { return timeless_; }

  private:
    struct Row {
        std::uint32_t row, labels;  // labels: `no_index` where there are too many
    };
    void label_rows(const Sample& sample, const Selected& part, MetricText& text);
    void add_column(const MetricOrigin& from, std::optional<std::int64_t> time, MetricText& text, std::string& out);
    std::uint32_t family_of(const MetricOrigin& from, const Metric& metric, const MetricText& text);

    WriteOptions options_;
    MetricFamilies& families_;
    MetricNames names_;
    Identities identities_;
    TitleNumbers title_numbers_;
    std::vector<std::uint32_t> object_numbers_, column_numbers_;
    std::vector<Row> rows_;
    std::string labels_, value_;
    std::uint64_t timeless_ = 0;
};

/// Appends the label of a sample's machine; nothing where it has no name.
void append_machine_label(std::string& out, const Sample& sample);

}  // namespace hkpd
