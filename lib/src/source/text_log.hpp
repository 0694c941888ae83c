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
#include "source/text_lines.hpp"
#include "source/text_number.hpp"

namespace hkpd {

/// Returns whether an input begins like a text log: `"(PDH-CSV 4.0) (Pacific Standard Time)(480)","\\host\...`. Other
/// names than `PDH-CSV`, a missing time zone, missing quotes, tabs or semicolons in place of commas, blank lines before
/// the text and UTF-16 are accepted.
bool is_text_log(StreamWindow& window);

/// The first cell of a text log: `(PDH-CSV 4.0) (Pacific Standard Time)(480)`. The first part, or the others, can be
/// missing.
struct TextLogHead {
    std::optional<TimeZone> zone;  ///< none if the log states no zone, as those of typeperf, or a damaged one
    bool is_zone_damaged = false;  ///< a zone is stated, but its minutes are missing, no number or out of range
    std::optional<std::int32_t> minutes{};  ///< the number that is out of range
    /// UTC minus local time is at most so many minutes, in both directions: a day.
    static constexpr std::int32_t most_minutes = 1440;

    /// Returns none if the text is not the first cell of a text log.
    static std::optional<TextLogHead> parse(std::string_view cell);
};

/// A stream of the records of a text log: header with the time zone, catalogue, and a row for each line. Texts that
/// were concatenated are several logs.
class TextLogStream {
  public:
    /// Keeps references to the window, which must be at the beginning of the text, and to the limits.
    TextLogStream(StreamWindow& window, const Limits& limits) : limits_(limits), lines_(window, limits) {}

    /// Returns the next record; none at the end. Offsets in a record are those of its line, plus the position in the
    /// record.
    std::optional<Record> next(const FaultSink& faults);

    /// Makes `next` continue at the last row before the first one at `from` or later, in nanoseconds since 1970 (UTC).
    /// Bisects `again`, a window on the whole text. Must be called after `next` has returned a row. The times may run
    /// backwards by `LogStream::disorder`. Returns the number of bytes passed over. Returns none and has no effect if
    /// times run backwards by more, or rows have another number of cells than the header, at one of a few places.
    std::optional<std::uint64_t> seek(StreamWindow& again, std::int64_t from);
    /// Returns the offset at which `next` has continued after `seek`; 0 if it has not.
    std::uint64_t sought() const noexcept { return sought_; }
    /// Returns the time of the last row, in nanoseconds since 1970 (UTC), by the header that `next` has read; none if
    /// the last `most` bytes have no row with a time.
    std::optional<std::int64_t> last_time(StreamWindow& again, std::uint64_t most) const;

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
    void report_zone(const TextLogHead& head, const FaultSink& faults) const;
    void find_mark();
    void add_column(std::string_view path, bool last, const TextLines::Line& line, const FaultSink& faults);
    static bool begins_log(std::string_view line) noexcept;
    bool is_row(TextCells& cells, const TextLines::Line& line, const FaultSink& faults);
    std::optional<std::int64_t> time_of_row(std::string_view line) const;
    void read_values(TextCells& cells, const TextLines::Line& line, const FaultSink& faults);
    Record record_of(Record::Kind kind, const ByteBuffer& bytes, const FaultSink& faults) const;

    const Limits& limits_;
    TextLines lines_;
    char separator_ = ',';
    DecimalMark mark_ = DecimalMark::unknown;
    Guid log_{};
    std::optional<TimeZone> zone_;
    std::uint64_t offset_ = 0;           // of the current line
    std::optional<std::int64_t> time_;   // of the current row, nanoseconds since 1970
    std::vector<std::uint32_t> places_;  // for each column of the text, its entry of the catalogue, or `no_index`
    std::uint32_t entries_ = 0;          // number of entries of the catalogue
    bool begun_ = false;                 // whether a log has begun, so that lines are rows
    bool catalogue_due_ = false;         // whether the catalogue was read, but not yet returned
    ByteBuffer header_, catalogue_, row_;
    std::uint64_t rows_ = 0, to_pass_ = 0, passed_ = 0;
    std::uint64_t sought_ = 0;
    std::uint64_t stop_ = std::numeric_limits<std::uint64_t>::max();  // offset from which lines are not read
};

}  // namespace hkpd
