// What of a sample becomes metrics: names, labels and values, for any text of metrics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "sample/identity.hpp"
#include "write/metrics/exposition.hpp"
#include "write/metrics/names.hpp"
#include "write/series.hpp"

namespace hkpd {

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

/// A column and what its values are of.
struct MetricOrigin {
    const Sample& sample;
    const Object& object;
    std::size_t position;  ///< of the object
    const Column& column;
    std::uint32_t place;  ///< of the column
    Cooker* cooker;       ///< null: nothing was before
};

class SampleMetrics {
  public:
    /// `families` outlives this.
    SampleMetrics(const WriteOptions& options, MetricFamilies& families);

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
    std::size_t most_;  // of what is remembered of machines
    std::map<std::string, std::uint32_t> machines_;
    TitleNumbers object_numbers_, column_numbers_;
    std::uint32_t machine_ = no_index;
    TitleNumber object_number_, column_number_;
    std::vector<Row> rows_;
    std::string labels_, value_, key_;
    std::uint64_t timeless_ = 0;
};

/// Appends the label of a sample's machine; nothing where it has no name.
void append_machine_label(std::string& out, const Sample& sample);

}  // namespace hkpd
