// The text of metrics. OpenMetrics wants all points of a series behind each other, and all series of a family, while
// samples bring a point for each series: text is held back, within a bound, or written part by part in several passes
// over the samples.
// Sources: the OpenMetrics 1.0 specification; "Exposition formats",
// prometheus.io/docs/instrumenting/exposition_formats.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hkpd/error.hpp"
#include "write/metrics/names.hpp"

namespace hkpd {

class Diagnostics;

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

class MetricFamilies {
  public:
    struct Shown {
        std::string head;         ///< the lines in front of its points
        std::string sample_name;  ///< what each point begins with
    };

    explicit MetricFamilies(MetricForm form) : form_(form) {}
    MetricForm form() const noexcept { return form_; }

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

/// Appends a label, a comma before it where it is not the first: `instance="a\"b"`.
void append_label(std::string& out, std::string_view name, std::string_view value);

/// Points that were left out.
struct LeftOutPoints {
    std::uint64_t beyond_series = 0, beyond_buffer = 0;
    std::uint64_t out_of_order = 0;  ///< not newer than the one before, or without any time

    LeftOutPoints& operator+=(const LeftOutPoints& more) noexcept;
    void report(Diagnostics& diagnostics) const;
};

class MetricText {
  public:
    struct Bounds {
        std::uint64_t series;   ///< most series
        std::uint64_t buffer;   ///< most bytes that are held back
        bool one_pass = false;  ///< what does not fit is left out
    };
    /// `families` outlives this.
    MetricText(const Bounds& bounds, const MetricFamilies& families) : bounds_(bounds), families_(families) {}

    /// The number of a set of labels, as `append_label` writes them; `no_index` where there are too many.
    std::uint32_t labels(const std::string& text);

    /// Adds a point, in milliseconds since 1970, to the series of these labels. The older form does not show the time.
    /// A series that is too much for the bound by itself is written at once.
    void add(std::uint32_t family, std::uint32_t labels, std::int64_t time, std::string_view value, std::string& out);

    /// All points were added. Writes what was held back for this pass; whether all have to be added once more.
    bool next_pass(std::string& out);
    /// Writes what is left. The text is at its end.
    void finish(std::string& out);

    /// Instead of writing them: the lines of each family, in the order of families. Of a text in one pass.
    std::vector<std::pair<std::uint32_t, std::string>> take();
    /// Bytes of all text so far.
    std::uint64_t bytes() const noexcept { return bytes_; }
    std::uint64_t series() const noexcept { return series_.size(); }

    bool in_first_pass() const noexcept { return pass_ == 0; }
    const LeftOutPoints& left_out() const noexcept { return left_out_; }

  private:
    struct Series {
        std::uint32_t family, labels;
        std::int64_t last = -1;
        std::uint64_t bytes = 0;  // of its lines
        bool open = false;        // belongs to the batch of this pass
        std::string held;         // its lines, without name and labels
    };
    Series* find_series(std::uint32_t family, std::uint32_t labels);
    void show_time(std::int64_t time);
    bool add_first(Series& series, std::uint64_t bytes);
    void sort_series();
    bool open_batch(std::string& out);
    void write_head(std::uint32_t family, std::string& out);
    void write_start(const Series& series, std::string& out) const;
    void write_lines(const Series& series, std::string& out) const;
    void write_held(std::size_t from, std::size_t to, std::string& out);

    Bounds bounds_;
    const MetricFamilies& families_;
    std::vector<bool> has_points_;  // of families
    std::map<std::string, std::uint32_t> label_numbers_;
    std::vector<const std::string*> labels_;  // keys of label_numbers_
    std::uint64_t label_bytes_ = 0;
    std::vector<Series> series_;
    std::unordered_map<std::uint64_t, std::uint32_t> series_numbers_;  // by family and labels

    std::uint32_t pass_ = 0;
    bool holding_ = true;  // in the first pass: all is held back
    std::uint64_t bytes_ = 0;
    std::vector<std::uint32_t> order_;  // of series in the text
    std::size_t batch_ = 0, batch_end_ = 0;
    bool direct_ = false;              // the batch is one series, which is not held back
    std::uint32_t headed_ = no_index;  // the family whose head was written last
    LeftOutPoints left_out_;
    std::string line_, time_text_;
    std::int64_t shown_time_ = -1;  // the one of time_text_
};

}  // namespace hkpd
