// Reads text logs: the CSV and TSV files that PerfMon, logman, relog, typeperf and Export-Counter write. Their values
// are cooked. PDH reads them as counters of the type PERF_DOUBLE_RAW, whose raw value is the cooked value, and relog
// converts a text log into a binary log of such counters. The reader below does the same: it returns the records of
// that binary log, so that nothing after it has to know text logs, and no value is cooked twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_writer.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/time.hpp"
#include "source/text_lines.hpp"

namespace hkpd {

/// Returns whether an input begins like a text log: `"(PDH-CSV 4.0) (Pacific Standard Time)(480)","\\host\...`. Other
/// names than `PDH-CSV`, a missing time zone, missing quotes, tabs or semicolons in place of commas, blank lines before
/// the text and UTF-16 are accepted.
bool is_text_log(StreamWindow& window);

/// The first cell of a text log: `(PDH-CSV 4.0) (Pacific Standard Time)(480)`. The first part, or the others, can be
/// missing.
struct TextLogHead {
    std::optional<TimeZone> zone;  ///< none if the log states no zone, as those of typeperf

    /// Returns none if the text is not the first cell of a text log.
    static std::optional<TextLogHead> parse(std::string_view cell);
};

/// A stream of the records of a text log: header with the time zone, catalogue, and a row for each line. Texts that
/// were concatenated are several logs.
class TextLogStream {
  public:
    /// Keeps references to the window, which must be at the beginning of the text, and to the limits.
    TextLogStream(StreamWindow& window, const Limits& limits) : lines_(window, limits) {}

    /// Returns the next record; none at the end. Offsets in a record are those of its line, plus the position in the
    /// record.
    std::optional<Record> next(const FaultSink& faults);

    /// Maximum number of columns; further ones are reported and left out. Windows' own limit for a query is far lower.
    static constexpr std::size_t most_columns = 1U << 17U;

  private:
    bool begin_log(const TextLines::Line& line, const FaultSink& faults);
    void add_column(std::string_view path, bool last, const TextLines::Line& line, const FaultSink& faults);
    bool read_row(const TextLines::Line& line, const FaultSink& faults);
    bool read_values(TextCells& cells, const TextLines::Line& line, const FaultSink& faults);
    Record record_of(Record::Kind kind, const ByteBuffer& bytes, const FaultSink& faults) const;

    TextLines lines_;
    char separator_ = ',';
    Guid log_{};
    std::optional<TimeZone> zone_;
    std::uint64_t offset_ = 0;           // of the current line
    std::optional<std::int64_t> time_;   // of the current row, nanoseconds since 1970
    std::vector<std::uint32_t> places_;  // for each column of the text, its entry of the catalogue, or `no_index`
    std::uint32_t entries_ = 0;          // number of entries of the catalogue
    bool begun_ = false;                 // whether a log has begun, so that lines are rows
    bool catalogue_due_ = false;         // whether the catalogue was read, but not yet returned
    ByteBuffer header_, catalogue_, row_;
};

}  // namespace hkpd
