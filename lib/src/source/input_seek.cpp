#include "source/input_seek.hpp"

#include <algorithm>
#include <limits>

#include "base/stream_window.hpp"

namespace hkpd {
namespace {

/// A performance log whose middle cannot be skipped is read whole up to this size, to find its last row.
constexpr std::uint64_t small_log = std::uint64_t{4} << 20U;
/// Longest end of a text log that is searched for a row.
constexpr std::uint64_t most_searched = std::uint64_t{16} << 20U;

/// Returns a time as samples have it: in nanoseconds, of whole milliseconds.
std::int64_t sample_time(std::uint64_t time) noexcept {
    constexpr std::uint64_t millisecond = 1'000'000;
    const std::uint64_t known = std::min<std::uint64_t>(time, std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(known - known % millisecond);
}

/// A row of a log, with the id of the log.
struct TimedRow {
    std::uint64_t time = 0;
    Guid log;
};

/// Returns the next row that has a time; none at the end.
template <class Rows>
std::optional<TimedRow> next_row(Rows& rows) {
    while (const auto record = rows.next({}))
        if (record->kind == Record::Kind::log_row && record->time) return TimedRow{*record->time, record->log};
    return std::nullopt;
}

std::optional<Source::Span> span_of_log(StreamWindow& window, const Limits& limits) {
    const std::uint64_t size = window.size().value_or(0);
    LogStream log(window, "", limits);
    const auto first = next_row(log);
    if (!first) return std::nullopt;
    std::uint64_t begin = first->time, end = begin;
    constexpr std::uint32_t last_rows = 2;  // the last one may be incomplete
    if (!log.skip_middle(last_rows, first->log) && size > small_log) return std::nullopt;
    while (const auto row = next_row(log)) {
        begin = std::min(begin, row->time);
        end = std::max(end, row->time);
    }
    return Source::Span{sample_time(begin), sample_time(end)};
}

std::optional<Source::Span> span_of_text(std::istream& stream, const Limits& limits) {
    StreamWindow window(stream);
    TextLogStream log(window, limits);
    const auto first = next_row(log);
    if (!first) return std::nullopt;
    stream.clear();
    stream.seekg(0);
    StreamWindow again(stream);
    const auto last = log.last_time(again, most_searched);
    if (!last || *last < 0) return std::nullopt;
    const std::uint64_t begin = first->time, end = static_cast<std::uint64_t>(*last);
    return Source::Span{sample_time(std::min(begin, end)), sample_time(std::max(begin, end))};
}

}  // namespace

std::optional<Source::Span> span_of(std::istream& stream, const Limits& limits) {
    if (stream.tellg() != std::istream::pos_type(0)) return std::nullopt;
    if (CaptureReader::is_capture(stream)) {
        const auto times = CaptureReader::times(stream, limits);
        return times ? std::optional(Source::Span{sample_time(times->first), sample_time(times->last)}) : std::nullopt;
    }
    StreamWindow window(stream);
    if (blg::is_log(window.peek(blg::first_bytes_needed))) return span_of_log(window, limits);
    if (!is_text_log(window)) return std::nullopt;
    stream.clear();
    stream.seekg(0);
    return span_of_text(stream, limits);
}

void InputSeek::seek(CaptureReader& capture, const Range& range, std::uint64_t first) const {
    if (const auto again = again_()) capture.seek(*again, range, first);
}

void InputSeek::end(const CaptureReader& capture) {
    const auto read = capture.cut_at();
    if (!read) return;
    tail_passed_ = later([again = again_, before = *read, limits = limits_]() -> std::uint64_t {
        const auto stream = again();
        const std::uint32_t all = stream ? CaptureReader::count_samples(*stream, limits) : 0;
        return all - std::min(all, before);
    });
}

/// Ends an input of rows, of which `rows` were read, and others passed over up to the offset `sought`.
void InputSeek::end_rows(std::uint64_t rows, std::uint64_t sought) {
    tail_passed_ = later([again = again_, count = count_rows_, known = rows, sought, before = rows_before_] {
        std::uint64_t counted = 0, passed = before;
        if (const auto stream = again()) {
            StreamWindow whole(*stream);
            counted = count(whole, std::numeric_limits<std::uint64_t>::max());
        }
        if (const auto stream = sought == 0 ? nullptr : again()) {
            StreamWindow whole(*stream);
            passed = count(whole, sought);
        }
        const std::uint64_t up_to_end = known + (passed - std::min(passed, before));
        return counted - std::min(counted, up_to_end);
    });
}

/// Returns what a record states about samples that `count` counts: that they are not counted yet or, if the input
/// cannot be opened again later, their number.
std::uint64_t InputSeek::later(std::function<std::uint64_t()> count) {
    if (!stays_) return count();
    uncounted_.push_back(std::move(count));
    return Record::uncounted;
}

/// Makes a stream of rows pass over rows. `find` moves it to a time in a window on the whole input, and returns the
/// bytes passed over; `count` counts the rows in the first bytes of the input.
template <class Rows, class Find>
void InputSeek::seek_rows(Rows& rows, const Find& find, Count count, const Range& range, std::uint64_t first) {
    if (const auto whole = range.first == 0 ? nullptr : again_()) {
        // The last row before the range is read, also if it is the last one of the input.
        StreamWindow all(*whole);
        const std::uint64_t rows_in_all = count(all, std::numeric_limits<std::uint64_t>::max());
        const std::uint64_t end = std::min(range.first - std::min(range.first, first), rows_in_all);
        if (end > rows.rows() + 1) rows.pass_rows(end - rows.rows() - 1);
    }
    if (!range.has_time()) return;
    const auto stream = again_();
    if (!stream) return;
    rows_before_ = rows.rows();
    StreamWindow window(*stream);
    const std::optional<std::uint64_t> passed = find(window);
    if (!passed) return;
    count_rows_ = std::move(count);
    constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();
    if (range.to < latest - LogStream::disorder)
        end_ = static_cast<std::uint64_t>(std::max<std::int64_t>(range.to + LogStream::disorder, 0));
    if (*passed == 0) return;
    rows_passed_ = later([again = again_, counted = count_rows_, before = rows_before_, end = rows.sought()] {
        const auto whole = again();
        if (!whole) return std::uint64_t{0};
        StreamWindow all(*whole);
        const std::uint64_t rows_up_to_end = counted(all, end);
        return rows_up_to_end - std::min(rows_up_to_end, before);
    });
}

void InputSeek::seek(LogStream& log, const Guid& guid, const Range& range, std::uint64_t first) {
    seek_rows(
        log, [&](StreamWindow& window) { return log.seek(window, guid, range.from); }, &LogStream::count_rows, range,
        first);
}

void InputSeek::seek(TextLogStream& log, const Range& range, std::uint64_t first) {
    seek_rows(
        log, [&](StreamWindow& window) { return log.seek(window, range.from); },
        [limits = limits_](StreamWindow& window, std::uint64_t end) {
            return TextLogStream::count_rows(window, limits, end);
        },
        range, first);
}

std::uint64_t InputSeek::count_passed() {
    std::uint64_t passed = 0;
    for (const auto& count : std::exchange(uncounted_, {})) passed += count();
    return passed;
}

}  // namespace hkpd
