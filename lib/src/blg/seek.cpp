// Finds the rows of a time in a performance log by bisection, and counts rows without reading them.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "blg/blg.hpp"
#include "blg/event_heads.hpp"
#include "blg/layout.hpp"

namespace hkpd {
namespace {

/// The rows of a buffer. Times are local, in 100 ns since 1601.
struct RowTimes {
    std::int64_t first = 0;               // of the first event of a row
    std::optional<std::int64_t> begun{};  // of the first row that begins in the buffer
};

/// Returns the times of the rows in the buffer at `offset`; none if the buffer has no row, or events of something other
/// than the log `log`.
std::optional<RowTimes> row_times(StreamWindow& window, std::uint64_t offset, std::uint64_t size, const Guid& log) {
    std::optional<RowTimes> found;
    blg::EventHeads events(window, offset, size);
    while (const auto event = events.next()) {
        if (event->buffer != offset) break;
        if (!event->log || !std::ranges::equal(event->log->Log, log.bytes)) return std::nullopt;
        if (event->log->Class != layout::class_row) continue;
        if (!found) found = RowTimes{event->log->TimeStamp.value()};
        if (!event->begins_row()) continue;
        found->begun = event->log->TimeStamp.value();
        break;
    }
    return found;
}

}  // namespace

namespace blg {

void EtlStream::continue_at(std::uint64_t offset) {
    window_.seek(offset);
    held_ = at_ = filled_ = 0;  // the next buffer is the one at the window's position
}

}  // namespace blg

std::uint64_t LogStream::count_rows(StreamWindow& window, std::uint64_t end) {
    blg::EventHeads events(window);
    std::uint64_t rows = 0;
    while (const auto event = events.next()) {
        if (event->offset >= end) break;
        if (event->begins_row()) ++rows;
    }
    return rows;
}

/// Returns whether what `next` has returned was the beginning of the only log of a trace that is not circular.
bool LogStream::can_seek() const noexcept {
    return !held_ && log_.begin == 0 && !trace_.is_circular() && !log_.circular() && log_.skipped_bytes == 0 &&
           trace_.buffer_size() != 0;
}

/// Makes `next` continue at the first event that begins in the buffer at `offset` or later.
void LogStream::continue_at(std::uint64_t offset) {
    trace_.continue_at(offset);
    partials_.clear();
    log_.resuming = true;
    log_.last_row.reset();
    sought_ = offset;
}

bool LogStream::seek_row(StreamWindow& again, std::uint64_t row) {
    if (!can_seek() || sought_ != 0) return false;
    const std::uint64_t here = trace_.end();  // of the current buffer
    std::uint64_t buffer = here, before = 0;  // the buffer in which the last of the rows begins, and the rows before it
    std::uint64_t rows = 0;
    blg::EventHeads events(again);
    for (std::uint64_t begun = 0, current = 0; rows <= row;) {
        const auto event = events.next();
        if (!event) break;
        if (event->buffer != std::exchange(current, event->buffer)) begun = rows;
        if (event->begins_row()) {
            buffer = current;
            before = begun;
            ++rows;
        } else if (rows != 0 && (!event->log || (event->log->Class != layout::class_row &&
                                                 event->log->Class != layout::class_trailer))) {
            return false;
        }
    }
    const std::uint64_t target = rows - std::min<std::uint64_t>(rows, 1);
    if (buffer > here) {
        passed_ += before - log_.rows;
        log_.rows = before;
        continue_at(buffer);
    }
    to_pass_ = target - std::min(target, log_.rows);
    return true;
}

std::optional<std::uint64_t> LogStream::seek(StreamWindow& again, const Guid& log, std::int64_t from) {
    constexpr std::uint64_t places = 64, most_trailing = 64;
    const std::uint64_t buffer = trace_.buffer_size(), size = again.size().value_or(0);
    if (!can_seek()) return std::nullopt;
    const auto moment = [this](std::int64_t local) -> std::optional<std::int64_t> {
        const auto time = unix_time(local);
        return time ? std::optional(static_cast<std::int64_t>(*time)) : std::nullopt;
    };
    const auto time_at = [&](std::uint64_t number) -> std::optional<std::int64_t> {
        const auto rows = row_times(again, number * buffer, buffer, log);
        return rows ? moment(rows->first) : std::nullopt;
    };
    // The last buffers may have no row: those of the trailer, and reserved ones that were never written.
    const std::uint64_t here = trace_.end() / buffer + 1;
    std::uint64_t end = (size + buffer - 1) / buffer;
    for (std::uint64_t i = 0; end > here && !time_at(end - 1); ++i, --end)
        if (i == most_trailing) return std::nullopt;
    if (end <= here) return end == here ? std::optional<std::uint64_t>(0) : std::nullopt;
    std::optional<std::int64_t> before;
    for (std::uint64_t i = 0; i <= places; ++i) {
        const auto time = time_at(here + (end - 1 - here) * i / places);
        if (!time || (before && *time < *before - disorder)) return std::nullopt;
        before = time;
    }
    if (sought_ != 0) return 0;
    // All rows before a row that is earlier than `from` by more than the disorder are before `from`.
    std::uint64_t low = here, high = end;
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        const auto time = time_at(middle);
        if (!time) return std::nullopt;
        (*time < from && from - *time > disorder ? low : high) = middle;
    }
    std::uint64_t target = 0;
    for (std::uint64_t number = low; number < end; ++number) {
        const auto rows = row_times(again, number * buffer, buffer, log);
        if (!rows || moment(rows->first).value_or(from) >= from) break;
        if (rows->begun && moment(*rows->begun).value_or(from) < from) target = number * buffer;
    }
    if (target == 0) return 0;
    const std::uint64_t passed = target - trace_.end();
    continue_at(target);
    return passed;
}

}  // namespace hkpd
