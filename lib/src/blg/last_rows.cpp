// Finds the last rows of a trace from its end, so that a summary of a large log need not read all of it.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "blg/blg.hpp"
#include "blg/event_heads.hpp"
#include "blg/layout.hpp"

namespace hkpd::blg {
namespace {

constexpr std::uint64_t buffer_header_size = sizeof(layout::WMI_BUFFER_HEADER);
constexpr std::uint64_t most_searched = std::uint64_t{64} << 20;

/// Returns the number of rows of the log `log` that begin in the buffer at `offset`. Returns none if the buffer has an
/// event of something other than this log: such a log must be read from its beginning.
std::optional<std::uint32_t> rows_in(StreamWindow& window, std::uint64_t offset, std::uint64_t size, const Guid& log) {
    std::uint32_t rows = 0;
    EventHeads events(window, offset, size);
    while (const auto event = events.next()) {
        if (event->buffer != offset) break;
        const bool is_own = event->log && std::ranges::equal(event->log->Log, log.bytes);
        if (event->begins_log || (!event->event.system && !is_own)) return std::nullopt;
        if (event->begins_row()) ++rows;
    }
    return rows;
}

}  // namespace

/// Returns the offset of the newest buffer of a trace of `size` bytes.
std::uint64_t EtlStream::last_buffer(std::uint64_t size) const {
    if (loop_.part != Loop::Part::none) return loop_.oldest - buffer_size_;
    return (size - 1) / buffer_size_ * buffer_size_;
}

/// Returns the offset of the buffer that was written before the one at `offset`. Returns `offset` itself if that is the
/// oldest one.
std::uint64_t EtlStream::buffer_before(std::uint64_t offset, std::uint64_t size) const {
    const bool loop = loop_.part != Loop::Part::none;
    if (loop && offset == loop_.first) return loop_.oldest + (size - 1 - loop_.oldest) / buffer_size_ * buffer_size_;
    const std::uint64_t oldest = loop ? loop_.oldest : 0;
    return offset == oldest ? offset : offset - buffer_size_;
}

/// Returns the offset of the last buffer from which `rows` rows of the log begin up to the end of the trace. Returns
/// none if there is no such buffer after the one at `here`.
std::optional<std::uint64_t> EtlStream::find_last(std::uint32_t rows, const Guid& log, std::uint64_t here,
                                                  std::uint64_t size) {
    std::uint64_t searched = 0;
    std::uint32_t found = 0;
    const auto is_later = [&](std::uint64_t offset) {
        return loop_.part == Loop::Part::none ? offset > here : offset != here;
    };
    for (std::uint64_t offset = last_buffer(size); is_later(offset) && searched <= most_searched;) {
        if (!window_.seek(offset)) return std::nullopt;
        const auto header = wire_at<layout::WMI_BUFFER_HEADER>(window_.peek(buffer_header_size), 0);
        // The file may end with buffers that were reserved, but never written: they have size 0 and are passed over.
        const std::uint64_t stated = header ? header->BufferSize.value() : 0;
        if (stated != 0 && stated != buffer_size_) return std::nullopt;
        if (stated != 0) {
            searched += buffer_size_;
            const auto begun = rows_in(window_, offset, buffer_size_, log);
            if (!begun) return std::nullopt;
            found += *begun;
            if (found >= rows) return offset;
        }
        const std::uint64_t before = buffer_before(offset, size);
        if (before == offset) return std::nullopt;
        offset = before;
    }
    return std::nullopt;
}

std::uint64_t EtlStream::skip_to_last(std::uint32_t rows, const Guid& log) {
    const auto size = window_.size();
    const std::uint64_t here = window_.offset();
    const bool loop = loop_.part != Loop::Part::none;
    if (!size || *size == 0 || buffer_size_ == 0 || loop_.part == Loop::Part::newer) return 0;
    // In a circular trace, the search ends at the oldest buffer, unless reading has already come further.
    const auto found = find_last(rows, log, loop_.part == Loop::Part::kept ? loop_.oldest : here, *size);
    if (!found) {
        window_.seek(here);
        held_ = window_.peek(buffer_size_).size();
        return 0;
    }
    continue_at(*found);
    if (!loop) return *found - here;
    const std::uint64_t from = loop_.part == Loop::Part::kept ? loop_.oldest : here;
    loop_.part = *found >= loop_.oldest ? Loop::Part::older : Loop::Part::newer;
    return loop_.part == Loop::Part::older ? *found - from : *size - from + *found - loop_.first;
}

}  // namespace hkpd::blg
