// The text of metrics. OpenMetrics requires that all points of a series are consecutive, and that all series of a
// family are consecutive. But a sample has only one point of each series. So text is held back in memory, up to a
// limit. If the text exceeds this limit, it is written in several passes over the samples.
// Sources: the OpenMetrics 1.0 specification; "Exposition formats",
// prometheus.io/docs/instrumenting/exposition_formats.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/number_hash.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "write/metrics/names.hpp"

namespace hkpd {

/// Appends text. Escapes line feeds and the characters in `with_escape` (one or two), by default backslash and quote.
/// The formats have no escapes for other control characters, so these are first replaced by the escapes of
/// `append_printable`, which become part of the text.
inline void append_escaped(std::string& out, std::string_view text, std::string_view with_escape = R"(\")") {
    const auto escaped = [first = with_escape.front(), last = with_escape.back()](char c) {
        return c == first || c == last;
    };
    std::string line;
    while (true) {
        const std::size_t end = text.find('\n');  // line feed, for which the formats have an escape
        line.clear();
        append_printable(line, text.substr(0, end));
        for (auto from = line.begin(); from != line.end();) {
            const auto to = std::find_if(std::next(from), line.end(), escaped);
            if (escaped(*from)) out += '\\';
            out.append(from, to);
            from = to;
        }
        if (end == std::string_view::npos) return;
        out += "\\n";
        text.remove_prefix(end + 1);
    }
}

/// Appends a label, after a comma unless it is the first: `instance="a\"b"`.
inline void append_label(std::string& out, std::string_view name, std::string_view value) {
    if (!out.empty()) out += ',';
    out += name;
    out += "=\"";
    append_escaped(out, value);
    out += '"';
}

/// A metric family: its name and metadata.
struct MetricFamily {
    std::string name;
    Metric::Type type;
    std::string_view unit;  ///< empty if the family has no unit
    std::string help;
};

/// The two text formats that Prometheus reads. They share the syntax of labels and values.
enum class MetricForm : std::uint8_t {
    openmetrics,
    /// The older format. It has no units. The name of a counter family ends with `_total`, as the names of its points
    /// do. In OpenMetrics, only the names of the points have this ending.
    prometheus,
};

class MetricFamilies {
  public:
    struct Shown {
        std::string head;         ///< the lines before the family's points
        std::string sample_name;  ///< the start of each point's line
    };

    explicit MetricFamilies(MetricForm form) : form_(form) {}
    MetricForm form() const noexcept { return form_; }

    /// Returns whether the maximum number of families is reached.
    bool full() const noexcept { return shown_.size() >= most_families; }

    /// Returns the number of the family that was added with this key; `no_index` if there is none. The caller chooses
    /// the keys. The text has the families in the order of their numbers.
    std::uint32_t find(const std::string& key) const {
        const auto found = by_key_.find(key);
        return found == by_key_.end() ? no_index : found->second;
    }

    /// Adds a family. Returns the family's number, or `no_index` if there are too many families.
    std::uint32_t add(const std::string& key, MetricFamily family) {
        if (full()) return no_index;
        const bool openmetrics = form_ == MetricForm::openmetrics;
        const std::string sample_name = family.name + (family.type == Metric::Type::counter ? "_total" : "");
        const std::string& name = openmetrics ? family.name : sample_name;
        std::string head = fmt::format("# TYPE {} {}\n", name, type_name(family.type, form_));
        if (openmetrics && !family.unit.empty()) head += fmt::format("# UNIT {} {}\n", name, family.unit);
        head += fmt::format("# HELP {} ", name);
        // Quotes in help text are escaped only in OpenMetrics: parsers of Prometheus' text format reject escaped quotes
        // there.
        append_escaped(head, family.help, openmetrics ? R"(\")" : R"(\)");
        head += '\n';
        shown_.push_back({std::move(head), sample_name});
        const auto number = static_cast<std::uint32_t>(shown_.size() - 1);
        by_key_.emplace(key, number);
        return number;
    }

    const Shown& operator[](std::uint32_t number) const { return shown_[number]; }

  private:
    static constexpr std::size_t most_families = 65'536;

    static std::string_view type_name(Metric::Type type, MetricForm form) noexcept {
        if (type == Metric::Type::counter) return "counter";
        if (type == Metric::Type::gauge) return "gauge";
        return form == MetricForm::openmetrics ? "unknown" : "untyped";
    }

    MetricForm form_;
    std::deque<Shown> shown_;
    std::map<std::string, std::uint32_t> by_key_;
};

/// Numbers of points that were left out, by reason.
struct LeftOutPoints {
    std::uint64_t beyond_series = 0, beyond_buffer = 0;
    std::uint64_t out_of_order = 0;  ///< points without a time, or not newer than the previous point of their series

    void report(Diagnostics& diagnostics) const {
        const auto add = [&diagnostics](Errc code, std::uint64_t points) {
            if (points != 0) diagnostics.add({code, 0, {}, {}, 0, points});
        };
        add(Errc::series_limit, beyond_series);
        add(Errc::output_limit, beyond_buffer);
        add(Errc::point_order, out_of_order);
    }
};

class MetricText {
  public:
    struct Bounds {
        std::uint64_t series;   ///< maximum number of series
        std::uint64_t buffer;   ///< maximum number of bytes held back
        bool one_pass = false;  ///< there is no second pass, so points that do not fit the buffer are left out
    };
    /// Keeps references to `families` and `left_out`. A point that is left out is counted only once, even in several
    /// passes.
    MetricText(const Bounds& bounds, const MetricFamilies& families, LeftOutPoints& left_out)
        : bounds_(bounds), families_(families), left_out_(left_out) {}

    /// Returns the number that identifies a set of labels. A new set gets the next number, or `no_index` if the limits
    /// allow no further set or the first pass is over. `text` is the set as written by `append_label`.
    std::uint32_t labels(const std::string& text) {
        const auto found = label_numbers_.find(text);
        if (found != label_numbers_.end()) return found->second;
        if (!in_first_pass() || labels_.size() >= bounds_.series || label_bytes_ + text.size() > most_label_bytes)
            return no_index;
        label_bytes_ += text.size();
        const auto number = static_cast<std::uint32_t>(labels_.size());
        labels_.push_back(&label_numbers_.emplace(text, number).first->first);
        return number;
    }

    /// Adds a point, at `time` in milliseconds since 1970, to the series with these labels. Text for Prometheus' older
    /// format has no times, so `time` is not written. If one series alone exceeds the buffer, its points are not held
    /// back: they are written to `out` immediately.
    void add(std::uint32_t family, std::uint32_t labels, std::int64_t time, std::string_view value, std::string& out) {
        Series* const series = find_series(family, labels);
        if (series == nullptr) {
            if (in_first_pass()) ++left_out_.beyond_series;
            return;
        }
        if (!in_first_pass() && !series->open) return;
        if (time <= series->last) {
            if (in_first_pass()) ++left_out_.out_of_order;
            return;
        }
        if (time != shown_time_) show_time(time);
        line_.assign(" ").append(value).append(time_text_);
        const std::uint64_t bytes = families_[family].sample_name.size() +
                                    (labels_[labels]->empty() ? 0 : labels_[labels]->size() + 2) + line_.size();
        if (in_first_pass()) {
            if (!add_first(*series, bytes)) return;
        } else {
            // If an input file has grown since the first pass, it has more points than the first pass counted. The
            // additional points are left out.
            if (bytes > series->bytes) return;
            series->bytes -= bytes;
        }
        series->last = time;
        if (direct_) {
            write_start(*series, out);
            out += line_;
        } else if (holding_ || !in_first_pass()) {
            series->held += line_;
        }
    }

    /// Counts a point that is left out because it has no time. Such a point is counted as out of order.
    void skip_timeless() noexcept {
        if (in_first_pass()) ++left_out_.out_of_order;
    }

    /// Ends a pass. Must be called after all points were added. Returns whether another pass is needed; all points must
    /// then be added again. The first pass writes nothing: if its text fits the buffer, `finish` writes the text,
    /// otherwise the text is discarded. At the end of each later pass, this function writes the text that the pass held
    /// back.
    bool next_pass(std::string& out) {
        if (in_first_pass()) {
            if (holding_) return false;
            sort_series();
        } else {
            write_held(batch_, batch_end_, out);
        }
        ++pass_;
        return open_batch(out);
    }

    /// Writes the remaining points and the end of the text.
    void finish(std::string& out) {
        if (in_first_pass()) {
            sort_series();
            write_held(0, order_.size(), out);
        }
        out += "# EOF\n";
    }

    /// Returns the number and the lines of each family, in the order of the numbers. Must be called instead of
    /// `finish`, and only for text that is made in one pass.
    std::vector<std::pair<std::uint32_t, std::string>> take() {
        sort_series();
        std::vector<std::pair<std::uint32_t, std::string>> taken;
        for (const std::uint32_t number : order_) {
            const Series& series = series_[number];
            if (series.held.empty()) continue;
            if (taken.empty() || taken.back().first != series.family) taken.emplace_back(series.family, "");
            write_lines(series, taken.back().second);
        }
        return taken;
    }

    /// Returns the size of the whole text so far, in bytes.
    std::uint64_t bytes() const noexcept { return bytes_; }
    std::uint64_t series() const noexcept { return series_.size(); }

    bool in_first_pass() const noexcept { return pass_ == 0; }

  private:
    // No real machine has so many bytes of labels. The limit keeps hostile input from filling the memory, because
    // labels are kept until the run ends.
    static constexpr std::uint64_t most_label_bytes = std::uint64_t{256} << 20U;

    struct Series {
        std::uint32_t family, labels;
        std::int64_t last = -1;
        std::uint64_t bytes = 0;  // size of the series' lines
        bool open = false;        // whether this pass writes the series
        std::string held;         // lines that are held back, each without name and labels
    };
    Series* find_series(std::uint32_t family, std::uint32_t labels) {
        if (family == no_index || labels == no_index) return nullptr;
        const std::uint64_t key = std::uint64_t{family} << 32U | labels;
        const auto found = series_numbers_.find(key);
        if (found != series_numbers_.end()) return &series_[found->second];
        if (!in_first_pass() || series_.size() >= std::min<std::uint64_t>(bounds_.series, no_index)) return nullptr;
        series_numbers_.emplace(key, static_cast<std::uint32_t>(series_.size()));
        return &series_.emplace_back(Series{.family = family, .labels = labels, .held = {}});
    }

    void show_time(std::int64_t time) {
        shown_time_ = time;
        if (families_.form() == MetricForm::prometheus) {
            time_text_ = "\n";
            return;
        }
        // Without `e0`, the reference parser of OpenMetrics (python3-prometheus-client 0.16 in Debian 12) compares
        // times wrongly: it takes 11.100 to be before 10.200, and rejects the text. With `e0` the parser reads the time
        // as a floating-point number.
        time_text_ = fmt::format(" {}.{:03}e0\n", time / 1000, time % 1000);
    }

    /// Counts a line in the first pass, and decides whether text can still be held back. Returns false if the line must
    /// be left out.
    bool add_first(Series& series, std::uint64_t bytes) {
        if (has_points_.size() <= series.family) has_points_.resize(series.family + 1);
        const std::uint64_t more = bytes + (has_points_[series.family] ? 0 : families_[series.family].head.size());
        const bool fits = bytes_ + more <= bounds_.buffer;
        if (bounds_.one_pass && !fits) {
            ++left_out_.beyond_buffer;
            return false;
        }
        bytes_ += more;
        series.bytes += bytes;
        has_points_[series.family] = true;
        if (!fits && holding_) {
            holding_ = false;
            for (Series& other : series_) std::string().swap(other.held);
        }
        return true;
    }

    void sort_series() {
        for (std::uint32_t i = 0; i < series_.size(); ++i) order_.push_back(i);
        std::ranges::sort(order_, {},
                          [this](std::uint32_t i) { return std::pair(series_[i].family, series_[i].labels); });
    }

    /// Selects the series that the next pass writes: as many as fit the buffer, but at least one. Returns false if no
    /// series is left.
    bool open_batch(std::string& out) {
        for (; batch_ < batch_end_; ++batch_) series_[order_[batch_]].open = false;
        std::uint64_t bytes = 0;
        std::uint32_t family = headed_;
        for (; batch_end_ < order_.size(); ++batch_end_) {
            Series& series = series_[order_[batch_end_]];
            bytes += series.bytes + (series.family == family ? 0 : families_[series.family].head.size());
            if (bytes > bounds_.buffer && batch_end_ != batch_) break;
            direct_ = bytes > bounds_.buffer;
            family = series.family;
            series.open = true;
            series.last = -1;
        }
        if (direct_ && batch_ != batch_end_) write_head(series_[order_[batch_]].family, out);
        return batch_ != batch_end_;
    }

    void write_head(std::uint32_t family, std::string& out) {
        if (headed_ == family) return;
        headed_ = family;
        out += families_[family].head;
    }

    void write_start(const Series& series, std::string& out) const {
        out += families_[series.family].sample_name;
        const std::string& labels = *labels_[series.labels];
        if (!labels.empty()) out.append("{").append(labels).append("}");
    }

    void write_lines(const Series& series, std::string& out) const {
        for (std::string_view lines = series.held; !lines.empty();) {
            const std::string_view line = lines.substr(0, lines.find('\n') + 1);
            write_start(series, out);
            out += line;
            lines.remove_prefix(line.size());
        }
    }

    void write_held(std::size_t from, std::size_t to, std::string& out) {
        for (; from < to; ++from) {
            Series& series = series_[order_[from]];
            if (series.held.empty()) continue;
            write_head(series.family, out);
            write_lines(series, out);
            std::string().swap(series.held);
        }
    }

    Bounds bounds_;
    const MetricFamilies& families_;
    LeftOutPoints& left_out_;
    std::vector<bool> has_points_;  // by family
    std::map<std::string, std::uint32_t> label_numbers_;
    std::vector<const std::string*> labels_;  // by number: the keys of label_numbers_
    std::uint64_t label_bytes_ = 0;
    std::vector<Series> series_;
    std::unordered_map<std::uint64_t, std::uint32_t, NumberHash> series_numbers_;  // by family and labels

    std::uint32_t pass_ = 0;
    bool holding_ = true;  // in the first pass: whether all text so far fits the buffer
    std::uint64_t bytes_ = 0;
    std::vector<std::uint32_t> order_;  // numbers of the series, in the order of the text
    std::size_t batch_ = 0, batch_end_ = 0;
    bool direct_ = false;              // this pass writes only one series, and does not hold it back
    std::uint32_t headed_ = no_index;  // the family whose head was written last
    std::string line_, time_text_;
    std::int64_t shown_time_ = -1;  // the time in time_text_
};

}  // namespace hkpd
