// The timeline: a line for each sample, and a column for each counter of an instance, as typeperf and vmstat show them.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "hkpd/diagnostics.hpp"
#include "quantity/times.hpp"
#include "sample/display_name.hpp"
#include "sample/real_value.hpp"
#include "statistics/series_table.hpp"
#include "write/cells.hpp"
#include "write/series.hpp"
#include "write/text/grid.hpp"
#include "write/text/series_labels.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

constexpr std::size_t time_width = std::string_view("2016-11-26 13:46:30.874").size();
/// Minimum width of a column. Most values fit, so that the widths rarely change.
constexpr std::size_t least_width = 10;

/// The value of a series in the current line, or the reason why there is none.
struct TimelineCell {
    enum class Form : std::uint8_t {
        real,     ///< `bits` is a floating-point number
        whole,    ///< `bits` is an integer
        waiting,  ///< the first sample of a stream has no rates
        missing,  ///< no value, for the reason `note`
    };
    std::uint32_t series = 0;
    std::uint8_t note = 0;  ///< position in the list of reasons of the line
    Form form = Form::missing;
    Unit unit = Unit::none;
    bool hex = false, capped = false;  ///< the value is an integer in hexadecimal; it was limited to 100
    std::uint64_t bits = 0;
};

/// The reasons for the missing values of a line. They are written after the last column, because a cell has no space
/// for them.
class TimelineNotes {
  public:
    void clear() noexcept { notes_.clear(); }
    /// Returns the position of a reason in the list, and adds it if necessary. Further reasons than the first 8 are
    /// summarised.
    std::uint8_t add(std::string_view reason, Mark mark) {
        constexpr std::size_t most = 8;
        auto found = std::ranges::find(notes_, reason, &Note::reason);
        if (found == notes_.end()) {
            if (notes_.size() >= most) reason = "other (--format jsonl shows all)";
            if (notes_.size() <= most) notes_.push_back({std::string(reason), mark});
            found = std::prev(notes_.end());
        }
        return static_cast<std::uint8_t>(found - notes_.begin());
    }
    /// Returns the sign of a reason: `!`, or with several reasons in the line `!1`, `!2`, …
    std::string sign(std::uint8_t note) const { return notes_.size() == 1 ? "!" : fmt::format("!{}", note + 1); }
    Mark mark(std::uint8_t note) const { return notes_[note].mark; }
    void append(std::string& out, bool color) const {
        for (std::size_t i = 0; i < notes_.size(); ++i) {
            out.append(Grid::gap, ' ');
            const std::size_t begin = out.size();
            out.append(sign(static_cast<std::uint8_t>(i))).append(" ").append(notes_[i].reason);
            if (color) color_from(out, begin, notes_[i].mark);
        }
    }

  private:
    struct Note {
        std::string reason;
        Mark mark;
    };
    std::vector<Note> notes_;
};

class TimelineWriter final : public Writer {
  public:
    explicit TimelineWriter(const WriteOptions& options) : options_(options), series_(options.series) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        // All samples of a log row, which are of several machines, are one line. They have the same origin.
        if (pending_ != sample.origin) begin_line(sample, out);
        for (const Selected& part : selected)
            series_.each_counter(
                sample, part, accepts(options_),
                [&](std::uint32_t position, std::uint32_t /*counter*/, std::span<const std::size_t> places) {
                    read(sample, part, position, places, cooker);
                });
        streams_.emplace(sample.machine.value_or(""), sample.source);
        if (sample.source != SampleSource::log) write_line(out);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        write_line(out);
        if (series_.overflowed()) diagnostics.add({Errc::series_limit, 0, "", "", options_.series, options_.series});
    }

    /// Returns the width of the lines in columns, with the values of the samples so far.
    std::size_t width() {
        if (pending_ && has_other_series()) set_columns();
        if (pending_) set_cells();
        std::size_t width = time_width;
        for (const Shown& column : columns_) width += Grid::gap + column.width;
        return width;
    }

  private:
    using Form = TimelineCell::Form;

    struct Shown {
        std::uint32_t series;
        std::vector<std::string> head;
        std::size_t width;
    };

    void begin_line(const Sample& sample, std::string& out) {
        write_line(out);
        pending_ = sample.origin;
        time_ = sample.system_time;
        is_stated_ = sample.is_zone_stated();
        const std::int32_t offset = time_ ? sample.shown_zone(options_.zone).offset_at(unix_time(*time_)) : offset_;
        if (std::exchange(offset_, offset) != offset && begun_) heading_due_ = true;  // clocks were changed
        cells_.clear();
        notes_.clear();
        streams_.clear();
    }

    void read(const Sample& sample, const Selected& part, std::uint32_t position, std::span<const std::size_t> places,
              Cooker* cooker) {
        const Column& column = sample.objects()[part.object].columns[position];
        if (options_.cooked && cooker == nullptr) return;
        const CookedColumn cooked = options_.cooked ? cooker->column(part.object, position) : CookedColumn{};
        const bool first = options_.cooked && cooker->before() == nullptr;
        const Unit unit = options_.cooked ? unit_of(sample.source, sample.objects()[part.object], column) : Unit::none;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i] == SeriesTable::none) continue;
            const std::uint32_t row = part.rows[i];
            TimelineCell cell = options_.cooked ? cell_of(column, row, cooked[row], first) : raw_cell(column, row);
            cell.series = static_cast<std::uint32_t>(places[i]);
            cell.unit = unit;
            cells_.push_back(cell);
        }
    }

    TimelineCell raw_cell(const Column& column, std::uint32_t row) {
        if (!column.is_valid(row)) return status_cell(column.status[row]);
        if (const auto real = real_value(column, row))
            return {.form = Form::real, .bits = std::bit_cast<std::uint64_t>(*real)};
        return {.form = Form::whole, .hex = shows_hex(column.type, column.attributes), .bits = column.values[row]};
    }

    TimelineCell cell_of(const Column& column, std::uint32_t row, CookedValue cooked, bool first) {
        if (cooked.has_value())
            return {.form = Form::real,
                    .hex = shows_hex(column.type, column.attributes),
                    .capped = cooked.reason == Reason::capped,
                    .bits = std::bit_cast<std::uint64_t>(cooked.value)};
        if (cooked.reason == Reason::first_sample && first) return {.form = Form::waiting};
        if (!column.is_valid(row)) return status_cell(column.status[row]);
        return {.note = notes_.add(reason_name(cooked.reason), Mark::missing)};
    }

    TimelineCell status_cell(ValueStatus status) {
        const Mark mark = status == ValueStatus::damaged ? Mark::damaged : Mark::missing;
        return {.note = notes_.add(status_word(status), mark)};
    }

    /// Returns whether the columns must change: the line has a series without a column, or most columns have no series
    /// in the line. Without the second condition, a small sample after a large one would make a long line.
    bool has_other_series() const {
        if (columns_.size() > most_idle + 2 * cells_.size()) return true;
        return std::ranges::any_of(cells_,
                                   [this](const TimelineCell& cell) { return place_of(cell.series) == no_index; });
    }
    /// Returns the machine and the interface of a series. Only samples of the same stream have the same series.
    std::pair<std::string, SampleSource> stream_of(std::uint32_t series) const {
        const RunCounter& counter = series_.counter_of(series);
        return {counter.machine, counter.source};
    }
    SeriesPath path_of(std::uint32_t series) const {
        const RunCounter& counter = series_.counter_of(series);
        return {source_name(counter.source), counter.machine, counter.object,
                series_.display_with_pid(series_.key(series).second), counter.name};
    }
    std::uint32_t place_of(std::uint32_t series) const { return series < places_.size() ? places_[series] : no_index; }

    /// Sets the columns: those of the series in the line. Columns of other streams stay, unless there are many.
    void set_columns() {
        std::vector<std::uint32_t> shown;
        for (const Shown& column : columns_)
            if (!streams_.contains(stream_of(column.series))) shown.push_back(column.series);
        if (shown.size() > most_idle) shown.clear();
        for (const TimelineCell& cell : cells_) shown.push_back(cell.series);
        std::ranges::sort(shown, {}, [this](std::uint32_t series) { return series_.key(series); });
        std::vector<SeriesPath> paths;
        paths.reserve(shown.size());
        for (const std::uint32_t series : shown) paths.push_back(path_of(series));
        SeriesLabels labels = label_series(paths);
        common_ = std::move(labels.common);
        columns_.clear();
        places_.clear();
        for (std::size_t i = 0; i < shown.size(); ++i) {
            Shown column{shown[i], break_lines(labels.labels[i], heading_width), least_width};
            for (const std::string& line : column.head) column.width = std::max(column.width, display_width(line));
            columns_.push_back(std::move(column));
            if (shown[i] >= places_.size()) places_.resize(shown[i] + std::size_t{1}, no_index);
            places_[shown[i]] = static_cast<std::uint32_t>(i);
        }
        columns_changed_ = heading_due_ = true;
    }

    std::string text_of(const TimelineCell& cell) const {
        switch (cell.form) {
            case Form::real:
                return cooked_text(std::bit_cast<double>(cell.bits), cell.unit, cell.hex) + (cell.capped ? "^" : "");
            case Form::whole:
                return cell.hex ? fmt::format("{:#x}", cell.bits) : std::to_string(cell.bits);
            case Form::waiting:
                return "-";
            default:
                return notes_.sign(cell.note);
        }
    }

    /// Sets the texts of the line, and widens columns whose text does not fit. The heading is then due, so that it
    /// stays above its column.
    void set_cells() {
        texts_.assign(columns_.size(), {});
        marks_.assign(columns_.size(), Mark::none);
        capped_ = false;
        set_missing();
        for (const TimelineCell& cell : cells_) {
            const std::uint32_t place = place_of(cell.series);
            texts_[place] = text_of(cell);
            marks_[place] = cell.form == Form::missing ? notes_.mark(cell.note) : Mark::none;
            capped_ = capped_ || cell.capped;
        }
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::size_t needed = std::min(texts_[i].size(), Grid::widest);
            if (needed <= columns_[i].width) continue;
            columns_[i].width = needed;
            heading_due_ = true;
        }
    }

    /// Marks the columns of instances that were in earlier samples of a stream of this line, but are not in this one.
    /// Columns of other streams stay empty: their values are in other lines.
    void set_missing() {
        std::vector<std::uint8_t> found(columns_.size(), 0);
        for (const TimelineCell& cell : cells_) found[place_of(cell.series)] = 1;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (found[i] != 0 || !streams_.contains(stream_of(columns_[i].series))) continue;
            cells_.push_back({.series = columns_[i].series,
                              .note = notes_.add(status_word(ValueStatus::no_instance), Mark::missing)});
        }
    }

    /// Writes the current line, if there is one. Before the first value, there are no lines.
    void write_line(std::string& out) {
        if (!std::exchange(pending_, std::nullopt) || (columns_.empty() && cells_.empty())) return;
        if (has_other_series()) set_columns();
        set_cells();
        if (heading_due_ || (options_.height != 0 && lines_left_ == 0)) write_heading(out);
        if (lines_left_ != 0) --lines_left_;
        const std::size_t begin = out.size();
        if (time_)
            append_date_time(out, local_time(*time_, offset_), TimePart::millisecond);
        else
            out += "time unknown";
        out.append(time_width - std::min(time_width, out.size() - begin), ' ');
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            out.append(Grid::gap, ' ');
            const std::size_t cell = out.size();
            append_padded(out, texts_[i], columns_[i].width, Grid::Align::right);
            if (options_.color) color_from(out, cell, marks_[i]);
            drain_much(options_, out);
        }
        notes_.append(out, options_.color);
        if (capped_) out.append(Grid::gap, ' ').append("^ capped");
        end_line(out);
    }

    void write_heading(std::string& out) {
        heading_due_ = false;
        if (begun_) out += '\n';
        begun_ = true;
        if (std::exchange(columns_changed_, false)) out.append(common_).append("\n");
        std::size_t height = 1;
        for (const Shown& column : columns_) height = std::max(height, column.head.size());
        // A screen has an empty line, the common path and the heading, in addition to the lines of samples. On a small
        // terminal, the heading still takes less space than the samples.
        constexpr std::size_t other_lines = 2, least_lines = 10;
        lines_left_ = std::max(options_.height, height + other_lines + least_lines) - height - other_lines;
        const std::string zone = is_stated_ ? offset_text(offset_) : "local";
        for (std::size_t line = 0; line < height; ++line) {
            append_padded(out, line + 1 == height ? fmt::format("time ({})", zone) : "", time_width, Grid::Align::left);
            for (const Shown& column : columns_) {
                const std::size_t blank = height - column.head.size();  // headings are aligned to the bottom
                out.append(Grid::gap, ' ');
                append_padded(out, line < blank ? std::string_view() : std::string_view(column.head[line - blank]),
                              column.width, Grid::Align::right);
                drain_much(options_, out);
            }
            end_line(out);
        }
    }

    static void end_line(std::string& out) {
        out.erase(out.find_last_not_of(' ') + 1);
        out += '\n';
    }

    /// Maximum number of columns that stay although the current line has no values for them.
    static constexpr std::size_t most_idle = 64;

    WriteOptions options_;
    SeriesTable series_;
    std::vector<Shown> columns_;
    std::vector<std::uint32_t> places_;  // by series: its position in `columns_`; `no_index` if it has no column
    std::string common_;                 // the common path of all columns
    bool columns_changed_ = false, heading_due_ = false, begun_ = false, capped_ = false;
    std::size_t lines_left_ = 0;  // number of lines until the heading is repeated
    // The current line, which is not written yet.
    std::optional<Sample::Origin> pending_;
    std::optional<SystemTime> time_;
    bool is_stated_ = true;                                   // whether the zone of the times is known
    std::int32_t offset_ = 0;                                 // local time minus UTC, in seconds
    std::set<std::pair<std::string, SampleSource>> streams_;  // those with samples in the line
    std::vector<TimelineCell> cells_;
    TimelineNotes notes_;
    std::vector<std::string> texts_;  // for each column
    std::vector<Mark> marks_;         // for each column
};

/// A writer that becomes a timeline or a table when it has seen the first sample with selected counters.
class TerminalWriter final : public Writer {
  public:
    explicit TerminalWriter(WriteOptions options) : options_(std::move(options)) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        if (writer_ != nullptr) return writer_->sample(sample, selected, cooker, out);
        if (selected.empty() && !sample.objects().empty()) return;
        std::string text;
        if (may_fit(sample, selected)) {
            auto timeline = std::make_unique<TimelineWriter>(options_);
            timeline->sample(sample, selected, cooker, text);
            if (timeline->width() <= options_.width) writer_ = std::move(timeline);
        }
        out += writer_ != nullptr ? text : "";
        if (writer_ != nullptr) return;
        writer_ = make_table_writer(options_);
        writer_->sample(sample, selected, cooker, out);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        if (writer_ != nullptr) writer_->end(diagnostics, out);
    }

  private:
    /// Returns whether as many columns as there are values can fit into a line.
    bool may_fit(const Sample& sample, std::span<const Selected> selected) const {
        std::size_t values = 0;
        for (const Selected& part : selected) {
            const Object& object = sample.objects()[part.object];
            values += part.rows.size() *
                      static_cast<std::size_t>(std::ranges::count_if(part.columns, [&](std::uint32_t position) {
                          return is_displayable(object.columns[position]);
                      }));
        }
        return values != 0 && time_width + values * (Grid::gap + least_width) <= options_.width;
    }

    WriteOptions options_;
    std::unique_ptr<Writer> writer_;
};

}  // namespace

std::unique_ptr<Writer> make_timeline_writer(const WriteOptions& options) {
    return std::make_unique<TimelineWriter>(options);
}

std::unique_ptr<Writer> make_terminal_writer(const WriteOptions& options) {
    return with_name_limit(std::make_unique<TerminalWriter>(options), options);
}

}  // namespace hkpd
