// The text of metrics. OpenMetrics requires that all points of a series are consecutive, and that all series of a
// family are consecutive. But a sample has only one point of each series. So text is held back in memory, up to a
// limit. If the text exceeds this limit, it is written in several passes over the samples.
// Sources: the OpenMetrics 1.0 specification; "Exposition formats",
// prometheus.io/docs/instrumenting/exposition_formats.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/number_hash.hpp"
#include "base/scratch_file.hpp"
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
    /// Points without a time or the name of their instance, or not newer than the previous point of their series.
    std::uint64_t out_of_order = 0;

    void report(Diagnostics& diagnostics) const {
        const auto add = [&diagnostics](Errc code, std::uint64_t points) {
            if (points != 0) diagnostics.add({code, 0, {}, {}, 0, points});
        };
        add(Errc::series_limit, beyond_series);
        add(Errc::output_limit, beyond_buffer);
        add(Errc::point_order, out_of_order);
    }
};

/// The text of points, of which those of one series must follow each other. Lines are held back, each without name and
/// labels: in memory and, beyond a number of bytes, in a scratch file.
class MetricText {
  public:
    struct Bounds {
        std::uint64_t series;   ///< maximum number of series
        std::uint64_t buffer;   ///< maximum number of bytes held back in memory
        bool may_spill = true;  ///< whether more is held back in a scratch file; otherwise it is left out
    };
    /// Keeps references to `families` and `left_out`.
    MetricText(const Bounds& bounds, const MetricFamilies& families, LeftOutPoints& left_out)
        : bounds_(bounds), families_(families), left_out_(left_out) {}

    /// Returns the number that identifies a set of labels. A new set gets the next number, or `no_index` if the limits
    /// allow no further set. `text` is the set as written by `append_label`.
    std::uint32_t labels(const std::string& text) {
        const auto found = label_numbers_.find(text);
        if (found != label_numbers_.end()) return found->second;
        if (labels_.size() >= bounds_.series || label_bytes_ + text.size() > most_label_bytes) return no_index;
        label_bytes_ += text.size();
        const auto number = static_cast<std::uint32_t>(labels_.size());
        labels_.push_back(&label_numbers_.emplace(text, number).first->first);
        return number;
    }

    /// Adds a point, at `time` in milliseconds since 1970, to the series with these labels. Text for Prometheus' older
    /// format has no times, so `time` is not written.
    void add(std::uint32_t family, std::uint32_t labels, std::int64_t time, std::string_view value) {
        Series* const series = find_series(family, labels);
        if (series == nullptr) {
            ++left_out_.beyond_series;
            return;
        }
        if (time <= series->last) {
            ++left_out_.out_of_order;
            return;
        }
        if (time != shown_time_) show_time(time);
        line_.assign(" ").append(value).append(time_text_);
        if (!make_space(*series)) {
            ++left_out_.beyond_buffer;
            return;
        }
        series->last = time;
        if (series->held.empty()) holding_.push_back(static_cast<std::uint32_t>(series - series_.data()));
        series->held += line_;
        held_ += line_.size();
    }

    /// Counts a point that is left out because it has no time, or its instance no name. Such a point is counted as out
    /// of order.
    void skip_unplaced() noexcept { ++left_out_.out_of_order; }

    /// Writes all points and the end of the text. Calls `drain` with `out` after each series.
    template <class Drain>
    void finish(std::string& out, const Drain& drain) {
        constexpr std::size_t enough = std::size_t{64} << 10U;
        std::vector<ScratchReader> readers;
        readers.reserve(spill_ends_.size());
        for (const std::uint64_t end : spill_ends_)
            readers.emplace_back(end, std::min(enough, static_cast<std::size_t>(bounds_.buffer / spill_ends_.size())));
        for (const std::uint32_t number : all_series()) {
            const Series& series = series_[number];
            if (series.held.empty() && series.spilled.empty()) continue;
            if (headed_ != series.family) out += families_[series.family].head;
            headed_ = series.family;
            for (const Spilled& part : series.spilled) {
                if (const auto lines = readers[part.spill].read(scratch_, part.offset, part.size))
                    write_lines(series, *lines, out);
                else
                    left_out_.beyond_buffer += part.points;
                drain(out);
            }
            write_lines(series, series.held, out);
            drain(out);
        }
        out += "# EOF\n";
    }

    /// Returns the number and the lines of each family, in the order of the numbers. Must be called instead of
    /// `finish`, and only for text without a scratch file.
    std::vector<std::pair<std::uint32_t, std::string>> take() {
        std::vector<std::pair<std::uint32_t, std::string>> taken;
        for (const std::uint32_t number : all_series()) {
            const Series& series = series_[number];
            if (series.held.empty()) continue;
            if (taken.empty() || taken.back().first != series.family) taken.emplace_back(series.family, "");
            write_lines(series, series.held, taken.back().second);
        }
        return taken;
    }

    /// Returns the size of the whole text so far, in bytes.
    std::uint64_t bytes() const noexcept { return bytes_; }
    std::uint64_t series() const noexcept { return series_.size(); }

  private:
    // No real machine has so many bytes of labels. The limit keeps hostile input from filling the memory, because
    // labels are kept until the run ends.
    static constexpr std::uint64_t most_label_bytes = std::uint64_t{256} << 20U;

    /// Lines of a series in the scratch file.
    struct Spilled {
        std::uint32_t spill;  // number of the spill that wrote them
        std::uint64_t offset;
        std::size_t size, points;
    };
    struct Series {
        std::uint32_t family, labels;
        std::int64_t last = -1;
        std::string held;                // lines in memory
        std::vector<Spilled> spilled{};  // lines in the scratch file
    };
    Series* find_series(std::uint32_t family, std::uint32_t labels) {
        if (family == no_index || labels == no_index) return nullptr;
        const std::uint64_t key = std::uint64_t{family} << 32U | labels;
        const auto found = series_numbers_.find(key);
        if (found != series_numbers_.end()) return &series_[found->second];
        if (series_.size() >= std::min<std::uint64_t>(bounds_.series, no_index)) return nullptr;
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

    /// Makes space for the current line of a series. Returns false if there is none: in memory, if a scratch file is
    /// not allowed; otherwise, if the scratch file cannot be written.
    bool make_space(const Series& series) {
        if (has_points_.size() <= series.family) has_points_.resize(series.family + 1);
        const std::uint64_t bytes = families_[series.family].sample_name.size() +
                                    (labels_[series.labels]->empty() ? 0 : labels_[series.labels]->size() + 2) +
                                    line_.size() +
                                    (has_points_[series.family] ? 0 : families_[series.family].head.size());
        if (bounds_.may_spill ? held_ + line_.size() > bounds_.buffer && !spill() : bytes_ + bytes > bounds_.buffer)
            return false;
        bytes_ += bytes;
        has_points_[series.family] = true;
        return true;
    }

    /// Moves all lines that are held back from memory to the scratch file, in the order in which `finish` reads them.
    bool spill() {
        if (scratch_.has_failed()) return false;
        sort_series(holding_);
        const auto number = static_cast<std::uint32_t>(spill_ends_.size());
        for (const std::uint32_t i : holding_) {
            Series& series = series_[i];
            const std::uint64_t offset = scratch_.size();
            if (!scratch_.append(series.held)) break;
            const auto points = static_cast<std::size_t>(std::ranges::count(series.held, '\n'));
            series.spilled.push_back({number, offset, series.held.size(), points});
            held_ -= series.held.size();
            std::string().swap(series.held);
        }
        holding_.clear();
        spill_ends_.push_back(scratch_.size());
        return !scratch_.has_failed();
    }

    /// Sorts numbers of series into the order of the text.
    void sort_series(std::vector<std::uint32_t>& numbers) const {
        std::ranges::sort(numbers, {},
                          [this](std::uint32_t i) { return std::pair(series_[i].family, series_[i].labels); });
    }

    /// Returns the numbers of all series, in the order of the text.
    std::vector<std::uint32_t> all_series() const {
        const auto all = std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(series_.size()));
        std::vector<std::uint32_t> numbers(all.begin(), all.end());
        sort_series(numbers);
        return numbers;
    }

    void write_lines(const Series& series, std::string_view lines, std::string& out) const {
        const std::string& labels = *labels_[series.labels];
        while (!lines.empty()) {
            const std::string_view line = lines.substr(0, lines.find('\n') + 1);
            out += families_[series.family].sample_name;
            if (!labels.empty()) out.append("{").append(labels).append("}");
            out += line;
            lines.remove_prefix(line.size());
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

    std::uint64_t bytes_ = 0, held_ = 0;
    ScratchFile scratch_;
    std::vector<std::uint64_t> spill_ends_;  // where each spill ends in the scratch file
    std::vector<std::uint32_t> holding_;     // numbers of the series that have lines in memory, until a spill fails
    std::uint32_t headed_ = no_index;        // the family whose head was written last
    std::string line_, time_text_;
    std::int64_t shown_time_ = -1;  // the time in time_text_
};

}  // namespace hkpd
