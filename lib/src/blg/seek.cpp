// Finds the rows of a time in a performance log by bisection, and counts rows without reading them.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "blg/blg.hpp"
#include "blg/layout.hpp"

namespace hkpd {
namespace {

/// The rows of a buffer. Times are local, in 100 ns since 1601.
struct RowTimes {
    std::int64_t first = 0;               // of the first event of a row
    std::optional<std::int64_t> begun{};  // of the first row that begins in the buffer
};

/// Reads buffers of a log at any place.
class Buffers {
  public:
    Buffers(StreamWindow& window, std::uint64_t size, const Guid& log) : window_(window), size_(size), log_(log) {}

    /// Returns the times of the rows in the buffer at `offset`; none if the buffer has no row, or events of something
    /// other than this log.
    std::optional<RowTimes> look(std::uint64_t offset) {
        if (!window_.seek(offset)) return std::nullopt;
        const auto head = blg::wire_at<layout::WMI_BUFFER_HEADER>(window_.peek(header), 0);
        if (!head || head->BufferSize.value() != size_ || head->Filled.value() > size_) return std::nullopt;
        std::optional<RowTimes> found;
        for (std::uint64_t at = header; at + sizeof(layout::LOG_EVENT) <= head->Filled.value();) {
            const auto event = blg::wire_at<layout::LOG_EVENT>(window_.peek(at + sizeof(layout::LOG_EVENT)), at);
            if (!event || event->HeaderType < layout::full_header_32 || event->Marker != layout::event_marker ||
                event->Size.value() < sizeof *event || !std::ranges::equal(event->Log, log_.bytes))
                return std::nullopt;
            if (event->Class == layout::class_row) {
                if (!found) found = RowTimes{event->TimeStamp.value()};
                if (event->Fragment.value() == 1) {
                    found->begun = event->TimeStamp.value();
                    return found;
                }
            }
            at += blg::aligned(event->Size.value());
        }
        return found;
    }

  private:
    static constexpr std::uint64_t header = sizeof(layout::WMI_BUFFER_HEADER);

    StreamWindow& window_;
    std::uint64_t size_;
    const Guid& log_;
};

}  // namespace

namespace blg {

void EtlStream::continue_at(std::uint64_t offset) {
    window_.seek(offset);
    held_ = at_ = filled_ = 0;  // the next buffer is the one at the window's position
}

}  // namespace blg

std::uint64_t LogStream::count_rows(StreamWindow& window, std::uint64_t end) {
    blg::EtlStream trace(window);
    std::uint64_t rows = 0;
    while (const auto event = trace.next({})) {
        if (event->bytes.offset() >= end) break;
        const auto head = event->system ? std::nullopt : blg::wire_at<layout::LOG_EVENT>(event->bytes, 0);
        if (head && head->Class == layout::class_row && head->Fragment.value() == 1) ++rows;
    }
    return rows;
}

std::optional<std::uint64_t> LogStream::seek(StreamWindow& again, const Guid& log, std::int64_t from) {
    constexpr std::uint64_t places = 64, most_trailing = 64;
    const std::uint64_t buffer = trace_.buffer_size(), size = again.size().value_or(0);
    if (held_ || log_.begin != 0 || trace_.is_circular() || log_.circular() || log_.skipped_bytes != 0 ||
        sought_ != 0 || buffer == 0)
        return std::nullopt;
    Buffers buffers(again, buffer, log);
    const auto moment = [this](std::int64_t local) -> std::optional<std::int64_t> {
        const auto time = unix_time(local);
        return time ? std::optional(static_cast<std::int64_t>(*time)) : std::nullopt;
    };
    const auto time_at = [&](std::uint64_t number) -> std::optional<std::int64_t> {
        const auto rows = buffers.look(number * buffer);
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
        const auto rows = buffers.look(number * buffer);
        if (!rows || moment(rows->first).value_or(from) >= from) break;
        if (rows->begun && moment(*rows->begun).value_or(from) < from) target = number * buffer;
    }
    if (target == 0) return 0;
    const std::uint64_t passed = target - trace_.end();
    trace_.continue_at(target);
    partials_.clear();
    log_.resuming = true;
    sought_ = target;
    return passed;
}

}  // namespace hkpd
