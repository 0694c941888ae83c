// Reads text logs: the CSV and TSV files that PerfMon, logman, relog, typeperf and Export-Counter write. Their values
// are cooked. PDH reads them as counters of the type PERF_DOUBLE_RAW, whose raw value is the cooked value, and relog
// converts a text log into a binary log of such counters. The reader below does the same: it returns the records of
// that binary log, so that nothing after it has to know text logs, and no value is cooked twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_writer.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/time.hpp"
#include "hkpd/zone.hpp"
#include "text_log/log_clock.hpp"
#include "text_log/not_recorded.hpp"
#include "text_log/row_time.hpp"
#include "text_log/text_head.hpp"
#include "text_log/text_lines.hpp"
#include "text_log/text_number.hpp"

namespace hkpd {

/// The structure of faults in a text log.
inline constexpr std::string_view text_log_structure = "text log";

/// A stream of the records of a text log: header with the time zone, catalogue, and a row for each line. Texts that
/// were concatenated are several logs.
class TextLogStream {
  public:
    /// Keeps references to the window, which must be at the beginning of the text, and to the limits.
    TextLogStream(StreamWindow& window, const Limits& limits, GivenZone given = {}, const TextEncoding& encoding = {})
        : limits_(limits), given_(std::move(given)), lines_(window, limits, encoding) {}

    /// Returns the next record; none at the end. Offsets in a record are those of its line, plus the position in the
    /// record.
    std::optional<Record> next(const FaultSink& faults);

    /// Makes `next` continue at the last row before the first one at `from` or later, in nanoseconds since 1970 (UTC).
    /// Bisects `again`, a window on the whole text. Must be called after `next` has returned a row. The times may run
    /// backwards by `LogStream::disorder`. Returns the number of bytes passed over. Returns none and has no effect if
    /// times run backwards by more, or rows have another number of cells than the header, at one of a few places.
    std::optional<std::uint64_t> seek(StreamWindow& again, std::int64_t from);
    /// Makes `next` continue at row `row` of the log, counted from 0, or at the last one if there are fewer. Counts the
    /// lines of `again`, a window on the whole text. Must be called after `next` has returned a row. Returns false and
    /// has no effect after earlier calls of `seek` and `pass_rows`, and if another log begins before that row.
    bool seek_row(StreamWindow& again, std::uint64_t row);
    /// Returns the offset at which `next` has continued after `seek` or `seek_row`; 0 if it has not.
    std::uint64_t sought() const noexcept { return sought_; }
    /// Returns the time of the last row, in nanoseconds since 1970 (UTC), by the header that `next` has read; none if
    /// the last `most` bytes have no row with a time.
    std::optional<std::int64_t> last_time(StreamWindow& again, std::uint64_t most) const;

    /// Makes `next` continue at the first row of the last `tail` bytes. Must be called after `next` has returned a row.
    /// Returns the number of bytes passed over; none, without an effect, if the text is no longer than that, cannot
    /// seek, or does not end in a row with as many cells as the header.
    std::optional<std::uint64_t> skip_middle(std::uint64_t tail);

    /// Makes `next` pass over the next `rows` rows without reading their values.
    void pass_rows(std::uint64_t rows) noexcept { to_pass_ = rows; }
    /// Returns the number of rows that were passed over since the last call.
    std::uint64_t passed_rows() noexcept { return std::exchange(passed_, 0); }
    /// Returns the number of rows that `next` has read or passed over.
    std::uint64_t rows() const noexcept { return rows_; }
    /// Returns the number of rows that begin in the first `end` bytes of a text log.
    static std::uint64_t count_rows(StreamWindow& window, const Limits& limits, std::uint64_t end);

    /// Maximum number of columns; further ones are reported and left out. Windows' own limit for a query is far lower.
    static constexpr std::size_t most_columns = 1U << 17U;

  private:
    bool begin_log(const TextLines::Line& line, const FaultSink& faults);
    void find_mark();
    void find_time_form(bool second_is_counter, bool has_kind, const FaultSink& faults);
    void add_columns(const std::vector<std::string>& headings, const FaultSink& faults);
    std::vector<bool> columns_with_numbers(const std::vector<bool>& wanted);
    void make_row();
    void report_minus_ones(const FaultSink& faults);
    bool is_row(TextCells& cells, TextLines::Line& line, const FaultSink& faults);
    void begin_clock(const TextLogHead& head, const FaultSink& faults);
    std::int64_t take_time(const StatedTime& time, TextLines& lines, LogClock& clock) const;
    std::optional<StatedTime> time_of_line(std::string_view line) const;
    std::size_t all_cells() const noexcept { return places_.size() + time_form_.cells(); }
    bool has_all_cells(std::string_view line) const;
    std::optional<StatedTime> time_of_row(std::string_view line) const;
    std::int64_t near(const StatedTime& time) const;
    std::optional<LogClock> clock_before(TextLines& lines, std::uint64_t begin, std::uint64_t offset) const;
    void read_values(TextCells& cells, const TextLines::Line& line, const FaultSink& faults);
    bool is_last_without_end(const TextLines::Line& line) const;
    FaultCell fault_cell(const TextLines::Line& line) const;
    void report_cells(const TextLines::Line& line, const FaultSink& faults);
    Record record_of(Record::Kind kind, const ByteBuffer& bytes, const FaultSink& faults) const;

    const Limits& limits_;
    GivenZone given_;
    TextLines lines_;
    char separator_ = ',';
    RowTimeForm time_form_;
    std::optional<DateOrder> order_;  // of dates, as the rows of this log or of another one of the text show it
    bool order_sought_ = false;       // whether the first log has looked for it beyond its end
    DecimalMark mark_ = DecimalMark::unknown;
    Guid log_{};
    Zone zone_;                          // the zone in which the times of the log are shown
    LogClock clock_;                     // after the current row
    std::string kept_;                   // the current line, while lines after it are read
    std::uint64_t offset_ = 0;           // of the current line
    std::uint64_t row_offset_ = 0;       // of the last row
    std::optional<std::int64_t> time_;   // of the current row, nanoseconds since 1970
    std::vector<std::string> headings_;  // without those of the times
    MinusOneEvidence minus_ones_;
    std::vector<bool> minus_one_is_none_;                         // for each column of the text
    std::uint64_t minus_ones_left_out_ = 0, first_left_out_ = 0;  // their number, and the line of the first
    std::vector<std::uint32_t> places_;  // for each column of the text, its entry of the catalogue, or `no_index`
    static constexpr std::uint32_t comment_column = no_index - 1;  // in `places_`: a column without numbers
    std::uint32_t entries_ = 0;                                    // number of entries of the catalogue
    std::size_t last_counter_ = 0;  // number of columns up to the last one that each row must have
    bool has_blank_end_ = false;    // whether each row has an empty cell after those of the first line
    bool has_uneven_ = false;       // whether a row before has had more or fewer cells than the first line
    bool begun_ = false;            // whether a log has begun, so that lines are rows
    bool catalogue_due_ = false;    // whether the catalogue was read, but not yet returned
    ByteBuffer header_, catalogue_, row_;
    std::uint64_t rows_ = 0, to_pass_ = 0, passed_ = 0;
    std::uint64_t sought_ = 0;
    std::uint64_t stop_ = std::numeric_limits<std::uint64_t>::max();  // offset from which lines are not read
};

}  // namespace hkpd
