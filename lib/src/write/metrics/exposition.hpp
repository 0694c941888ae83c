// The text of metrics. OpenMetrics requires that all points of a series are consecutive, and that all series of a
// family are consecutive. But a sample has only one point of each series. So points are held back: in memory, up to a
// limit, and beyond it in a scratch file.
// Sources: the OpenMetrics 1.0 specification; "Exposition formats",
// prometheus.io/docs/instrumenting/exposition_formats.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/scratch_file.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "statistics/key_index.hpp"
#include "write/cells.hpp"
#include "write/metrics/held_points.hpp"
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

/// The text of points, of which those of one series must follow each other. Points are held back: in memory and, beyond
/// a number of bytes, in a scratch file.
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
        const std::uint32_t number = find_series({family, labels});
        if (number == no_index) {
            ++left_out_.beyond_series;
            return;
        }
        if (time <= series_[number].last) {
            ++left_out_.out_of_order;
            return;
        }
        if (time != shown_time_) show_time(time);
        if (!make_space(keys_[number], value.size())) {
            ++left_out_.beyond_buffer;
            return;
        }
        Series& series = series_[number];
        const std::size_t before = series.held.size();
        if (before == 0) holding_.push_back(number);
        append_point(series.held, {static_cast<std::uint64_t>(before == 0 ? time : time - series.last), value});
        series.last = time;
        ++series.points;
        held_ += series.held.size() - before;
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
            const KeyIndex::Key& key = keys_[number];
            if (headed_ != key.first) out += families_[key.first].head;
            headed_ = key.first;
            for (const Spilled& part : series.spilled) {
                if (const auto points = readers[part.spill].read(scratch_, part.offset, part.size))
                    write_points(key, *points, out);
                else
                    left_out_.beyond_buffer += part.points;
                drain(out);
            }
            write_points(key, series.held, out);
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
            const KeyIndex::Key& key = keys_[number];
            if (taken.empty() || taken.back().first != key.first) taken.emplace_back(key.first, "");
            write_points(key, series.held, taken.back().second);
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

    /// Points of a series in the scratch file.
    struct Spilled {
        std::uint32_t spill;  // number of the spill that wrote them
        std::uint32_t points;
        std::uint64_t offset;
        std::size_t size;
    };
    struct Series {
        std::int64_t last = -1;
        std::uint32_t points = 0;      // number of points in memory
        std::string held;              // these points; the time of the first is since 1970
        std::vector<Spilled> spilled;  // points in the scratch file
    };
    /// Returns the number of a series, which is new if there is none with this key yet; `no_index` if the limits allow
    /// no further one.
    std::uint32_t find_series(const KeyIndex::Key& key) {
        if (key.first == no_index || key.second == no_index) return no_index;
        if (const std::uint32_t found = places_.find(keys_, key); found != no_index) return found;
        if (keys_.size() >= std::min<std::uint64_t>(bounds_.series, no_index)) return no_index;
        keys_.push_back(key);
        places_.add_last(keys_);
        series_.emplace_back();
        return static_cast<std::uint32_t>(keys_.size() - 1);
    }

    void show_time(std::int64_t time) {
        constexpr std::uint64_t second = 1000;
        shown_time_ = time;
        time_text_.front() = ' ';
        char* end = time_text_.data();
        if (families_.form() == MetricForm::openmetrics) {
            const auto milliseconds = static_cast<std::uint64_t>(time);
            char* const part = write_digits(std::next(end), milliseconds / second);
            end = write_digits(part, second + milliseconds % second);
            *part = '.';  // in place of the 1 of 1000
            // Without `e0`, the reference parser of OpenMetrics (python3-prometheus-client 0.16 in Debian 12) compares
            // times wrongly: it takes 11.100 to be before 10.200, and rejects the text. With `e0` the parser reads the
            // time as a floating-point number.
            end = std::ranges::copy(std::string_view("e0"), end).out;
        }
        *end = '\n';
        time_size_ = static_cast<std::size_t>(std::next(end) - time_text_.data());
    }
    std::string_view time_text() const noexcept { return {time_text_.data(), time_size_}; }

    /// Makes space for a point of a series at `shown_time_`. Returns false if there is none: in memory, if a scratch
    /// file is not allowed; otherwise, if the scratch file cannot be written. `size`: that of the value's text.
    bool make_space(const KeyIndex::Key& key, std::size_t size) {
        const auto [family, labels] = key;
        if (has_points_.size() <= family) has_points_.resize(family + 1);
        const std::uint64_t bytes = families_[family].sample_name.size() +
                                    (labels_[labels]->empty() ? 0 : labels_[labels]->size() + 2) + 1 + size +
                                    time_size_ + (has_points_[family] ? 0 : families_[family].head.size());
        const bool fits = bounds_.may_spill ? held_ + size + HeldPoint::most_more <= bounds_.buffer || spill()
                                            : bytes_ + bytes <= bounds_.buffer;
        if (!fits) return false;
        bytes_ += bytes;
        has_points_[family] = true;
        return true;
    }

    /// Moves all points that are held back from memory to the scratch file, in the order in which `finish` reads them.
    bool spill() {
        if (scratch_.has_failed()) return false;
        sort_series(holding_);
        const auto number = static_cast<std::uint32_t>(spill_ends_.size());
        for (const std::uint32_t i : holding_) {
            Series& series = series_[i];
            const std::uint64_t offset = scratch_.size();
            if (!scratch_.append(series.held)) break;
            series.spilled.push_back({number, series.points, offset, series.held.size()});
            series.points = 0;
            held_ -= series.held.size();
            std::string().swap(series.held);
        }
        holding_.clear();
        spill_ends_.push_back(scratch_.size());
        return !scratch_.has_failed();
    }

    /// Sorts numbers of series into the order of the text.
    void sort_series(std::vector<std::uint32_t>& numbers) const {
        std::ranges::sort(numbers, {}, [this](std::uint32_t number) { return keys_[number]; });
    }

    /// Returns the numbers of all series, in the order of the text.
    std::vector<std::uint32_t> all_series() const {
        const auto all = std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(series_.size()));
        std::vector<std::uint32_t> numbers(all.begin(), all.end());
        sort_series(numbers);
        return numbers;
    }

    void write_points(const KeyIndex::Key& key, std::string_view points, std::string& out) {
        const std::string& labels = *labels_[key.second];
        std::int64_t time = 0;
        while (!points.empty()) {
            const HeldPoint point = take_point(points);
            time += static_cast<std::int64_t>(point.since);
            if (time != shown_time_) show_time(time);
            out += families_[key.first].sample_name;
            if (!labels.empty()) out.append("{").append(labels).append("}");
            out.append(" ").append(point.value).append(time_text());
        }
    }

    Bounds bounds_;
    const MetricFamilies& families_;
    LeftOutPoints& left_out_;
    std::vector<bool> has_points_;  // by family
    std::map<std::string, std::uint32_t> label_numbers_;
    std::vector<const std::string*> labels_;  // by number: the keys of label_numbers_
    std::uint64_t label_bytes_ = 0;
    std::vector<KeyIndex::Key> keys_;  // by number of a series: its family and its labels
    KeyIndex places_;
    std::deque<Series> series_;  // by number

    std::uint64_t bytes_ = 0, held_ = 0;
    ScratchFile scratch_;
    std::vector<std::uint64_t> spill_ends_;  // where each spill ends in the scratch file
    std::vector<std::uint32_t> holding_;     // numbers of the series that have points in memory, until a spill fails
    std::uint32_t headed_ = no_index;        // the family whose head was written last
    std::array<char, 2 * most_digits + 4> time_text_{};  // of `shown_time_`: what comes after the value
    std::size_t time_size_ = 0;
    std::int64_t shown_time_ = -1;  // the time in time_text_
};

}  // namespace hkpd
