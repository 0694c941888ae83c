// Windows' own text log format. Each counter of an instance is a column. Each sample is a row. But if the input is a
// log, and a row of that log has samples of several machines, these samples together are one row.
#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "sample/display_name.hpp"
#include "sample/real_value.hpp"
#include "statistics/series_table.hpp"
#include "write/pdh/text.hpp"
#include "write/series.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// The columns of a text log, one for each series. The first line of the log lists all of them, so they are collected
/// before anything is written: over the whole run or, if samples can be passed only once, from the first sample. `fix`
/// then assigns each series its column.
class PdhColumns {
  public:
    static constexpr std::size_t none = SeriesTable::none;

    explicit PdhColumns(const WriteOptions& options) : table_(options.series, SeriesOf::places, options.names) {}

    SeriesTable& table() noexcept { return table_; }

    /// Assigns a column to each series collected so far; series that appear later get none. The columns are ordered by
    /// machine and object, then by counter, then by instance. Machines, objects, counters and instances that appeared
    /// earlier come first. Appends the headings, with a separator before each heading, and calls `drain` after each
    /// heading.
    template <class Drain>
    void fix(char separator, std::string& out, const Drain& drain) {
        fixed_ = true;
        overflowed_ = table_.overflowed();
        std::vector<std::size_t> order(table_.size());
        for (std::size_t series = 0; series < order.size(); ++series) order[series] = series;
        std::ranges::sort(order, {}, [this](std::size_t series) {
            return std::pair(table_.counter_of(series).group, table_.key(series));
        });
        columns_.resize(order.size());
        for (std::size_t column = 0; column < order.size(); ++column) {
            columns_[order[column]] = column;
            const RunCounter& counter = table_.counter_of(order[column]);
            out += separator;
            const std::string instance = counter.of_list ? table_.display(table_.key(order[column]).second) : "";
            append_pdh_path(out, counter.machine, title(counter.has_object_name, counter.object),
                            counter.of_list ? std::optional<std::string_view>(instance) : std::nullopt,
                            title(counter.has_name, counter.name));
            drain(out);
        }
    }
    bool fixed() const noexcept { return fixed_; }

    /// Returns the column of a series; `none` if it has none.
    std::size_t of(std::size_t series) const noexcept { return series < columns_.size() ? columns_[series] : none; }
    /// Returns the number of columns.
    std::size_t size() const noexcept { return columns_.size(); }
    /// Returns the number of series that first appeared after `fix`.
    std::uint64_t dropped() const noexcept { return table_.size() - columns_.size(); }
    bool overflowed() const noexcept { return overflowed_; }
    /// Returns the number of columns whose place had several processes one after another.
    std::uint64_t shared() const noexcept {
        std::uint64_t count = 0;
        for (std::size_t series = 0; series < columns_.size(); ++series)
            if (table_.is_shared(table_.key(series).second)) ++count;
        return count;
    }

  private:
    /// Returns a title or, if it is unknown, its number without `#`.
    static std::string_view title(bool is_known, std::string_view label) noexcept {
        for (const std::string_view prefix : {"#", "id "})
            if (!is_known && label.starts_with(prefix)) return label.substr(prefix.size());
        return label;
    }

    SeriesTable table_;
    std::vector<std::size_t> columns_;  // by series
    bool fixed_ = false, overflowed_ = false;
};

class PdhWriter final : public Writer {
  public:
    PdhWriter(Format format, const WriteOptions& options) : format_(format), options_(options), columns_(options) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        if (!columns_.fixed()) {
            find_head_zone(sample);
            for (const Selected& part : selected)
                columns_.table().each_counter(sample, part, accepts(options_),
                                              [](std::uint32_t, std::uint32_t, std::span<const std::size_t>) {});
            if (!options_.one_pass) return;
            write_header(out);
        }
        if (pending_ != sample.origin) begin_row(sample, out);  // samples of one log row have the same origin
        for (const Selected& part : selected)
            columns_.table().each_counter(
                sample, part, accepts(options_),
                [&](std::uint32_t position, std::uint32_t /*counter*/, std::span<const std::size_t> series) {
                    read(sample, part, position, series, cooker);
                });
        // Only a row of a log can continue in the next sample. All other rows are written at once, so that the values
        // of a live machine appear without delay.
        if (sample.source != SampleSource::log) write_row(out);
    }

    bool again(std::string& out) override {
        if (options_.one_pass || columns_.fixed()) return false;
        write_header(out);
        columns_.table().restart();
        return true;
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        if (!columns_.fixed()) write_header(out);
        write_row(out);
        if (overflowed_) diagnostics.add({Errc::series_limit, 0, "", "", options_.series, options_.series});
        if (columns_.dropped() != 0) diagnostics.add({Errc::columns_fixed, 0, "", "", 0, columns_.dropped()});
        if (const std::uint64_t shared = columns_.shared(); shared != 0)
            diagnostics.add({Errc::columns_shared, 0, "", "", 0, shared});
    }

  private:
    char separator() const noexcept { return format_ == Format::pdh_tsv ? '\t' : ','; }

    /// Sets the zone of the header: none if the first log states none, the requested zone at the first time of the run,
    /// or the zone of the first log.
    void find_head_zone(const Sample& sample) {
        if (head_zone_ || is_local_) return;
        is_local_ = !sample.is_zone_stated();
        if (is_local_) return;
        if (options_.zone && sample.system_time) {
            head_zone_ = options_.zone->at(unix_time(*sample.system_time));
        } else if (!options_.zone && sample.zone) {
            head_zone_ = sample.zone;
            head_input_ = sample.origin.input;
        }
    }

    /// Returns the offset of the current row from UTC, in seconds. The header can state only one offset. The requested
    /// zone, and the zone of the log that the header names, have other offsets when daylight time begins or ends. All
    /// other rows have the offset of the header.
    std::int32_t offset_of(const Sample& sample) const {
        if (!sample.is_zone_stated()) return 0;
        if (options_.zone && sample.system_time) return options_.zone->offset_at(unix_time(*sample.system_time));
        const auto& zone = sample.zone && head_input_ == sample.origin.input ? sample.zone : head_zone_;
        return zone ? -60 * zone->bias : 0;
    }

    void begin_row(const Sample& sample, std::string& out) {
        write_row(out);
        pending_ = sample.origin;
        time_ = sample.system_time;
        offset_ = offset_of(sample);
        row_.assign(columns_.size(), {});
        cells_.assign(columns_.size(), Cell::empty);
    }

    /// Stores the values of a counter at their places in the row.
    void read(const Sample& sample, const Selected& part, std::uint32_t position, std::span<const std::size_t> series,
              Cooker* cooker) {
        if (options_.cooked && cooker == nullptr) return;
        const Column& column = sample.objects()[part.object].columns[position];
        const CookedColumn cooked = options_.cooked ? cooker->column(part.object, position) : CookedColumn{};
        for (std::size_t i = 0; i < series.size(); ++i) {
            const std::uint32_t row = part.rows[i];
            const std::size_t place = columns_.of(series[i]);
            if (place == PdhColumns::none) continue;
            if (!(options_.cooked ? cooked[row].has_value() : column.is_valid(row))) continue;
            row_[place] = options_.cooked ? std::bit_cast<std::uint64_t>(cooked[row].value) : column.values[row];
            cells_[place] = options_.cooked || double_value(column, row) ? Cell::real : Cell::integer;
        }
    }

    void write_header(std::string& out) {
        // Without a sample, the requested zone is that of the year 1970.
        if (!head_zone_ && options_.zone) head_zone_ = options_.zone->at(0);
        if (options_.console || is_local_)
            append_console_head(out, format_);
        else
            append_pdh_head(out, format_, head_zone_.value_or(TimeZone{}));
        columns_.fix(separator(), out, [this](std::string& text) { drain_much(options_, text); });
        overflowed_ = columns_.overflowed();
        end_line(out);
    }

    /// Writes the current row, if there is one.
    void write_row(std::string& out) {
        if (!pending_) return;
        pending_.reset();
        if (time_)
            append_pdh_time(out, *time_, offset_);
        else
            out += no_pdh_value;
        for (std::size_t place = 0; place < row_.size(); ++place) {
            out += separator();
            if (cells_[place] == Cell::empty)
                out += no_pdh_value;
            else if (cells_[place] == Cell::real && options_.console)
                append_console_number(out, std::bit_cast<double>(row_[place]));
            else if (cells_[place] == Cell::real)
                append_pdh_number(out, std::bit_cast<double>(row_[place]));
            else
                append_pdh_number(out, row_[place]);
        }
        end_line(out);
    }

    void end_line(std::string& out) const { out += options_.crlf ? "\r\n" : "\n"; }

    Format format_;
    WriteOptions options_;
    std::optional<TimeZone> head_zone_;  // requested time zone, or that of the first log
    bool is_local_ = false;  // whether the first sample is from a log that states no zone; then the header states none
    std::optional<std::uint32_t> head_input_;  // the log that supplied the zone; none if it was requested
    PdhColumns columns_;
    bool overflowed_ = false;
    std::optional<Sample::Origin> pending_;  // origin of the current row, which is not written yet
    std::optional<SystemTime> time_;         // time of the current row
    std::int32_t offset_ = 0;                // time zone of the current row: local - UTC, in seconds
    /// States what a value of `row_` is: an integer, the bits of a floating-point number, or nothing.
    enum class Cell : std::uint8_t { empty, integer, real };
    std::vector<std::uint64_t> row_;  // values of the current row
    std::vector<Cell> cells_;         // for each value of `row_`
};

}  // namespace

std::unique_ptr<Writer> make_pdh_writer(Format format, const WriteOptions& options) {
    return std::make_unique<PdhWriter>(format, options);
}

}  // namespace hkpd
