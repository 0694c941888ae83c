// Finds the rows of a time in a text log by bisection, and counts rows without reading their values.
#include <algorithm>

#include "blg/blg.hpp"
#include "hkpd/time.hpp"
#include "source/text_log.hpp"

namespace hkpd {
namespace {

/// A part of the text that is searched line by line.
constexpr std::uint64_t searched_at_once = std::uint64_t{64} * 1024;

struct Row {
    std::uint64_t offset = 0;
    std::int64_t time = 0;
};

}  // namespace

/// Returns the time of a line; none if it is no row with a time and as many cells as the log has columns.
std::optional<std::int64_t> TextLogStream::time_of_row(std::string_view line) const {
    TextCells cells(line, separator_);
    const auto first = cells.next();
    const auto time = first ? parse_time(first->text, zone_ ? zone_->bias : 0) : std::nullopt;
    std::size_t count = 0;
    while (time && cells.next()) ++count;
    return count == places_.size() ? time : std::nullopt;
}

std::optional<std::uint64_t> TextLogStream::seek(StreamWindow& again, std::int64_t from) {
    constexpr std::uint64_t places = 64;
    const std::uint64_t size = again.size().value_or(0), here = lines_.position();
    if (sought_ != 0 || to_pass_ != 0 || here > size) return std::nullopt;
    TextLines lines(again, limits_);
    // Returns the first row that begins after the line at an offset. `wrong` becomes true if a line there is no row.
    bool wrong = false;
    const auto row_after = [&](std::uint64_t offset) -> std::optional<Row> {
        if (!lines.seek(offset) || !lines.next({})) return std::nullopt;
        while (const auto line = lines.next({})) {
            if (line->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
            const auto time = time_of_row(line->text);
            wrong = wrong || !time;
            return time ? std::optional(Row{line->offset, *time}) : std::nullopt;
        }
        return std::nullopt;
    };
    std::optional<std::int64_t> before;
    for (std::uint64_t i = 0; i < places; ++i) {
        const auto row = row_after(here + (size - here) / places * i);
        if (wrong || (row && before && row->time < *before - LogStream::disorder)) return std::nullopt;
        if (row) before = row->time;
    }
    // All rows before a row that is earlier than `from` by more than the disorder are before `from`.
    std::uint64_t low = here, high = size;
    while (high - low > searched_at_once) {
        const std::uint64_t middle = low + (high - low) / 2;
        const auto row = row_after(middle);
        if (wrong) return std::nullopt;
        if (row && row->offset < high && row->time < from && from - row->time > LogStream::disorder)
            low = row->offset;
        else
            high = middle;
    }
    std::uint64_t target = here;
    lines.seek(low);
    while (const auto line = lines.next({})) {
        if (begins_log(line->text)) return std::nullopt;
        const auto time = time_of_row(line->text);
        if (time && *time >= from) break;
        if (time) target = line->offset;
    }
    if (target == here) return 0;
    lines_.seek(target);
    sought_ = target;
    return target - here;
}

std::optional<std::int64_t> TextLogStream::last_time(StreamWindow& again, std::uint64_t most) const {
    const std::uint64_t size = again.size().value_or(0);
    for (std::uint64_t length = std::min(searched_at_once, size); length != 0; length = std::min(2 * length, size)) {
        TextLines lines(again, limits_);
        lines.seek(size - length);
        if (length != size) lines.next({});
        std::optional<std::int64_t> last;
        while (const auto line = lines.next({}))
            if (const auto cell = TextCells(line->text, separator_).next(); cell && line->text.size() >= places_.size())
                if (const auto time = parse_time(cell->text, zone_ ? zone_->bias : 0)) last = time;
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
