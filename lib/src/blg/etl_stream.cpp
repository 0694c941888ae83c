#include "blg/etl_stream.hpp"

#include <algorithm>
#include <utility>

#include "blg/blg.hpp"
#include "blg/decode.hpp"

namespace hkpd::blg {
namespace {

constexpr std::uint64_t header_size = sizeof(layout::WMI_BUFFER_HEADER);
// learn.microsoft.com, EVENT_TRACE_PROPERTIES: BufferSize is in KB, at most 16,384 of them; with some room.
constexpr std::uint64_t least_buffer = 512, most_buffer = std::uint64_t{64} << 20;
constexpr std::uint64_t least_event = 8;

bool is_system_header(std::uint8_t type) noexcept {
    return type >= layout::first_system_header && type <= layout::last_system_header;
}

bool is_buffer_size(std::uint64_t size) noexcept {
    return size >= least_buffer && size <= most_buffer && size % 8 == 0;
}

}  // namespace

bool is_log(Bytes first_bytes) noexcept {
    const auto buffer = wire_at<layout::WMI_BUFFER_HEADER>(first_bytes, 0);
    if (!buffer || !first_bytes.contains(header_size, least_event)) return false;
    const auto type = first_bytes.span()[header_size + 2], marker = first_bytes.span()[header_size + 3];
    return is_buffer_size(buffer->BufferSize.value()) && buffer->Filled.value() <= buffer->BufferSize.value() &&
           marker == std::byte{layout::event_marker} && is_system_header(std::to_integer<std::uint8_t>(type));
}

std::optional<EtlEvent> EtlStream::next(const FaultSink& faults) {
    while (true) {
        if (at_ < filled_) {
            if (const auto event = take_event(faults)) return event;
            continue;
        }
        if (!next_buffer()) return std::nullopt;
        open_buffer(faults);
    }
}

/// Moves the window to the next buffer; false behind the last.
bool EtlStream::next_buffer() {
    at_ = filled_ = 0;
    if (buffer_size_ == 0) {
        const auto head = wire_at<layout::WMI_BUFFER_HEADER>(window_.peek(header_size), 0);
        if (!head || !is_buffer_size(head->BufferSize.value())) return false;
        buffer_size_ = head->BufferSize.value();
    } else {
        window_.skip(held_);
    }
    if (!next_of_loop()) return false;
    // Where files were put end to end, another one begins.
    const Bytes first = window_.peek(first_bytes_needed);
    if (const auto head = wire_at<layout::WMI_BUFFER_HEADER>(first, 0); head && is_log(first))
        buffer_size_ = head->BufferSize.value();
    held_ = window_.peek(buffer_size_).size();
    if (held_ != 0 || loop_.part != Loop::Part::older) return held_ != 0;
    loop_.part = Loop::Part::newer;
    window_.seek(loop_.first);
    held_ = window_.peek(buffer_size_).size();
    return held_ != 0;
}

/// Behind the buffers that are kept the oldest comes; false behind the newest.
bool EtlStream::next_of_loop() {
    if (loop_.part == Loop::Part::kept && window_.offset() >= loop_.first) {
        loop_.part = Loop::Part::older;
        window_.seek(loop_.oldest);
    }
    return loop_.part != Loop::Part::newer || window_.offset() < loop_.oldest;
}

std::optional<std::int64_t> EtlStream::sequence_at(std::uint64_t offset) {
    if (!window_.seek(offset)) return std::nullopt;
    const auto header = wire_at<layout::WMI_BUFFER_HEADER>(window_.peek(header_size), 0);
    if (!header || header->BufferSize.value() != buffer_size_) return std::nullopt;
    return header->Sequence.value();
}

void EtlStream::unroll(std::uint32_t kept) {
    const std::uint64_t here = window_.offset(), first = std::max<std::uint64_t>(kept, 1) * buffer_size_;
    const auto size = window_.size();
    if (!size || buffer_size_ == 0 || loop_.part != Loop::Part::none) return;
    std::optional<std::int64_t> before;
    for (std::uint64_t offset = first; offset < *size && loop_.part == Loop::Part::none; offset += buffer_size_) {
        const auto sequence = sequence_at(offset);
        if (before && sequence && *sequence < *before) loop_ = {first, offset, Loop::Part::kept};
        if (sequence) before = sequence;
    }
    window_.seek(here);
    held_ = window_.peek(buffer_size_).size();
}

/// Finds out how much of the buffer counts.
void EtlStream::open_buffer(const FaultSink& faults) {
    const Bytes buffer = window_.held().clip(0, buffer_size_);
    if (buffer.size() < buffer_size_) cut_ = true;
    const auto header = wire_at<layout::WMI_BUFFER_HEADER>(buffer, 0);
    if (!header) return;
    const auto zero = [](std::byte b) { return b == std::byte{0}; };
    if (std::ranges::all_of(buffer.clip(0, header_size).span(), zero)) {
        cut_ = true;  // room was made for it, and it was never written
        return;
    }
    const std::uint64_t filled = header->Filled.value();
    const auto damaged = [&](std::string_view field, std::uint64_t need, std::uint64_t have) {
        faults.add(Severity::error, {Errc::log_buffer, buffer.offset(), "WMI_BUFFER_HEADER", field, need, have});
    };
    if (header->BufferSize.value() != buffer_size_)
        return damaged("BufferSize", buffer_size_, header->BufferSize.value());
    if (filled < header_size || filled > buffer_size_) return damaged("Filled", buffer_size_, filled);
    at_ = header_size;
    filled_ = std::min<std::uint64_t>(filled, buffer.size());
}

/// The event at hand; none where it is damaged or cut, and then the rest of the buffer is passed over.
std::optional<EtlEvent> EtlStream::take_event(const FaultSink& faults) {
    const Bytes rest = window_.held().clip(at_, filled_ - at_);
    const bool all = window_.held().size() >= buffer_size_;
    const auto lost = [&](std::uint64_t need, std::uint64_t have) -> std::optional<EtlEvent> {
        if (all)
            faults.add(Severity::error, {Errc::log_event, rest.offset(), "EVENT_TRACE_HEADER", "Size", need, have});
        at_ = filled_;
        return std::nullopt;
    };
    if (rest.size() < least_event) return lost(least_event, rest.size());
    const auto type = std::to_integer<std::uint8_t>(rest.span()[2]);
    const bool system = rest.span()[3] == std::byte{layout::event_marker} && is_system_header(type);
    const std::uint64_t size = load<std::uint16_t>(rest.at(system ? 4 : 0), ByteOrder::little);
    if (size < least_event || size > rest.size()) return lost(size, rest.size());
    at_ += aligned(size);
    return EtlEvent{rest.clip(0, size), system};
}

}  // namespace hkpd::blg
