#include "blg/event_heads.hpp"

#include <algorithm>

namespace hkpd::blg {

std::optional<EventHeads::Head> EventHeads::next() {
    while (true) {
        if (at_ < filled_) {
            if (auto head = take()) return head;
            at_ = filled_ = 0;  // the rest of the buffer is damaged
        } else if (!open_buffer()) {
            return std::nullopt;
        }
    }
}

/// Moves to the next buffer. Sets `at_` and `filled_`, between which its events lie; both are 0 if its header is
/// damaged. Returns false at the end of the trace.
bool EventHeads::open_buffer() {
    constexpr std::uint64_t header = sizeof(layout::WMI_BUFFER_HEADER);
    at_ = filled_ = 0;
    move_to(next_buffer_);
    buffer_ = window_.offset();
    const Bytes first = window_.peek(first_bytes_needed);
    const auto head = wire_at<layout::WMI_BUFFER_HEADER>(first, 0);
    if (head && is_log(first)) buffer_size_ = head->BufferSize.value();
    if (!head || buffer_size_ == 0) return false;
    next_buffer_ = buffer_ + buffer_size_;
    const std::uint64_t filled = head->Filled.value();
    if (head->BufferSize.value() != buffer_size_ || filled < header || filled > buffer_size_) return true;
    at_ = header;
    filled_ = size_ ? std::min(filled, *size_ - std::min(*size_, buffer_)) : filled;
    return true;
}

/// Returns the current event; none if it is damaged or truncated.
std::optional<EventHeads::Head> EventHeads::take() {
    move_to(buffer_ + at_);
    const Bytes bytes = window_.peek(std::min<std::uint64_t>(sizeof(layout::LOG_EVENT), filled_ - at_));
    if (bytes.size() < EventHead::least) return std::nullopt;
    Head head{.buffer = buffer_, .offset = buffer_ + at_, .event = read_event_head(bytes)};
    const std::uint64_t size = head.event.size;
    if (size < EventHead::least || size > filled_ - at_) return std::nullopt;
    if (!size_ && window_.peek(size).size() < size) return std::nullopt;
    if (head.event.system) {
        const auto system = wire_at<layout::SYSTEM_TRACE_HEADER>(window_.held().clip(0, size), 0);
        head.begins_log = system && system->Hook.value() == 0;
    } else if (size >= sizeof(layout::LOG_EVENT) && is_log_event(window_.held())) {
        head.log = wire_at<layout::LOG_EVENT>(window_.held(), 0);
    }
    at_ += aligned(size);
    return head;
}

}  // namespace hkpd::blg
