// Finds the rows of a time in a text log by bisection, and counts rows without reading their values.
#include <algorithm>
#include <utility>

#include "blg/blg.hpp"
#include "hkpd/time.hpp"
#include "text_log/text_log.hpp"

namespace hkpd {
namespace {

/// A part of the text that is searched line by line.
constexpr std::uint64_t searched_at_once = std::uint64_t{64} * 1024;

struct SoughtRow {
    std::uint64_t offset = 0;
    StatedTime time;
};

/// Finds places in a text log by its rows. `TimeOfRow` returns the time of a line; none if it is no row.
template <class TimeOfRow>
class RowSearch {
  public:
    RowSearch(TextLines& lines, TimeOfRow time_of_row) : lines_(lines), time_of_row_(std::move(time_of_row)) {}

    /// Returns the first row that begins after the line at an offset. Notes whether a line there is no row.
    std::optional<SoughtRow> row_after(std::uint64_t offset) {
        if (!lines_.seek(offset) || !lines_.next({})) return std::nullopt;
        while (const auto line = lines_.next({})) {
            if (line->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
            const auto time = time_of_row_(line->text);
            is_wrong_ = is_wrong_ || !time;
            return time ? std::optional(SoughtRow{line->offset, *time}) : std::nullopt;
        }
        return std::nullopt;
    }
    /// Returns an offset from which the first row that is not before a moment is soon found. `is_before` must be true
    /// for all rows up to that row and false after it.
    template <class IsBefore>
    std::uint64_t bisect(std::uint64_t low, std::uint64_t high, const IsBefore& is_before) {
        while (high - low > searched_at_once && !is_wrong_) {
            const std::uint64_t middle = low + (high - low) / 2;
            const auto row = row_after(middle);
            if (row && row->offset < high && is_before(row->time))
                low = row->offset;
            else
                high = middle;
        }
        return low;
    }
    bool is_wrong() const noexcept { return is_wrong_; }

  private:
    TextLines& lines_;
    TimeOfRow time_of_row_;
    bool is_wrong_ = false;
};

}  // namespace

/// Returns the time at the beginning of a line.
std::optional<StatedTime> TextLogStream::time_of_line(std::string_view line) const {
    TextCells cells(line, separator_);
    return take_row_time(cells, time_form_).time;
}

/// Returns whether a line has a time and as many cells as the log has columns.
bool TextLogStream::has_all_cells(std::string_view line) const {
    TextCells cells(line, separator_);
    std::size_t count = 0;
    while (cells.next()) ++count;
    return count == all_cells();
}

/// Returns the time of a line; none if it is no row with a time and all cells.
std::optional<StatedTime> TextLogStream::time_of_row(std::string_view line) const {
    const auto time = time_of_line(line);
    return time && has_all_cells(line) ? time : std::nullopt;
}

/// Returns the clock of the log as it is when all rows before the one at `offset` have been read. Reads only the rows
/// around each change of the clocks. `begin`: offset up to which `next` has read. Returns none if that cannot be found.
std::optional<LogClock> TextLogStream::clock_before(TextLines& lines, std::uint64_t begin, std::uint64_t offset) const {
    constexpr int most_changes = 64;
    LogClock clock = clock_;
    RowSearch search(lines, [this](std::string_view line) { return time_of_row(line); });
    if (!lines.seek(offset)) return std::nullopt;
    const auto at = lines.next({});
    const auto last = at ? time_of_row(at->text) : std::nullopt;
    if (!last || last->kind != StatedTime::Kind::local || offset <= begin) return clock;
    for (int i = 0; i < most_changes; ++i) {
        const auto change = clock.next_change();
        if (!change || last->time < change->begin) return clock;
        if (clock.is_live() && last->time >= change->end) {
            clock.pass_change();
            continue;
        }
        const auto is_before = [&](const StatedTime& time) { return time.time < change->begin; };
        begin = search.bisect(begin, offset, is_before);
        if (search.is_wrong() || !lines.seek(begin)) return std::nullopt;
        while (const auto line = lines.next({})) {
            if (line->offset >= offset) return clock;
            if (is_first_line(line->text)) return std::nullopt;
            const std::uint64_t here = line->offset;
            const auto time = time_of_line(line->text);
            if (!time || time->kind != StatedTime::Kind::local) continue;
            static_cast<void>(take_time(*time, lines, clock));
            begin = here;
            const auto next = clock.next_change();
            if (!next || next->begin != change->begin) break;
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> TextLogStream::seek(StreamWindow& again, std::int64_t from) {
    constexpr std::uint64_t places = 64;
    const std::uint64_t size = again.size().value_or(0), here = lines_.position();
    if (to_pass_ != 0 || here > size) return std::nullopt;
    TextLines lines(again, limits_);
    RowSearch search(lines, [this](std::string_view line) { return time_of_row(line); });
    // Near a change of the clocks, the time of a single row is known only up to the length of the change.
    const std::int64_t disorder = clock_.has_rules() ? 2 * LogStream::disorder : LogStream::disorder;
    std::optional<std::int64_t> before;
    for (std::uint64_t i = 0; i < places; ++i) {
        const auto row = search.row_after(here + (size - here) / places * i);
        const auto time = row ? std::optional(near(row->time)) : std::nullopt;
        if (search.is_wrong() || (time && before && *time < *before - disorder)) return std::nullopt;
        if (time) before = time;
    }
    if (sought_ != 0) return 0;
    // All rows before a row that is earlier than `from` by more than the disorder are before `from`.
    const std::uint64_t low = search.bisect(here, size, [&](const StatedTime& stated) {
        const std::int64_t time = near(stated);
        return time < from && from - time > disorder;
    });
    if (search.is_wrong()) return std::nullopt;
    auto clock = clock_before(lines, here, low);
    if (!clock) return std::nullopt;
    std::uint64_t target = here;
    LogClock at_target = *clock;
    lines.seek(low);
    while (const auto line = lines.next({})) {
        if (is_first_line(line->text)) return std::nullopt;
        const std::uint64_t offset = line->offset;
        const auto stated = time_of_line(line->text);
        if (!stated) continue;
        const bool is_whole = has_all_cells(line->text);
        LogClock unchanged = *clock;
        const std::int64_t time = take_time(*stated, lines, *clock);
        if (!is_whole) continue;
        if (time >= from) break;
        at_target = std::move(unchanged);
        target = offset;
    }
    if (target == here) return 0;
    clock_ = std::move(at_target);
    lines_.seek(target);
    sought_ = target;
    return target - here;
}

bool TextLogStream::seek_row(StreamWindow& again, std::uint64_t row) {
    if (sought_ != 0 || to_pass_ != 0) return false;
    TextLogStream log(again, limits_);
    log.pass_rows(row);
    std::size_t logs = 0;
    while (const auto record = log.next({})) {
        if (record->kind == Record::Kind::log_catalogue && ++logs > 1) return false;
        if (record->kind == Record::Kind::log_row) break;
    }
    if (log.rows_ <= rows_ || !again.seek(0)) return log.rows_ == rows_;
    TextLines lines(again, limits_);
    auto clock = clock_before(lines, lines_.position(), log.row_offset_);
    if (!clock || !lines_.seek(log.row_offset_)) return false;
    clock_ = std::move(*clock);
    sought_ = log.row_offset_;
    passed_ += log.rows_ - 1 - rows_;
    rows_ = log.rows_ - 1;
    return true;
}

std::optional<std::uint64_t> TextLogStream::skip_middle(std::uint64_t tail) {
    const std::uint64_t here = lines_.position(), size = lines_.size().value_or(0);
    if (size <= tail || size - tail <= here || !lines_.seek(size - tail)) return std::nullopt;
    lines_.next({});
    const std::uint64_t target = lines_.position();
    const auto row = lines_.next({});
    auto clock = row && time_of_row(row->text) ? clock_before(lines_, here, target) : std::nullopt;
    lines_.seek(clock ? target : here);
    if (!clock) return std::nullopt;
    clock_ = *std::move(clock);
    return target - here;
}

std::optional<std::int64_t> TextLogStream::last_time(StreamWindow& again, std::uint64_t most) const {
    const std::uint64_t size = again.size().value_or(0);
    for (std::uint64_t length = std::min(searched_at_once, size); length != 0; length = std::min(2 * length, size)) {
        TextLines lines(again, limits_);
        lines.seek(size - length);
        if (length != size) lines.next({});
        std::optional<std::int64_t> last;
        std::optional<LogClock> clock;
        while (const auto line = lines.next({})) {
            const std::uint64_t offset = line->offset;
            const auto time = line->text.size() >= places_.size() ? time_of_line(line->text) : std::nullopt;
            if (!time) continue;
            if (offset < lines_.position()) {  // `next` has returned it
                last = near(*time);
                continue;
            }
            if (!clock) {
                clock = clock_before(lines, lines_.position(), offset).value_or(clock_);
                lines.seek(offset);
                lines.next({});
            }
            last = take_time(*time, lines, *clock);
        }
        if (last || length == size || length > most) return last;
        again.seek(0);
    }
    return std::nullopt;
}

std::uint64_t TextLogStream::count_rows(StreamWindow& window, const Limits& limits, std::uint64_t end) {
    TextLogStream log(window, limits);
    log.stop_ = end;
    log.to_pass_ = std::numeric_limits<std::uint64_t>::max();
    while (log.next({})) {
    }
    return log.passed_;
}

}  // namespace hkpd
