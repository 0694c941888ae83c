// Walks over the headers of a trace's events without reading the events.
#pragma once

#include <cstdint>
#include <optional>

#include "blg/blg.hpp"
#include "blg/layout.hpp"

namespace hkpd::blg {

/// Returns the events of a trace, as `EtlStream` does, but reads little else than their headers.
class EventHeads {
  public:
    /// Begins at the beginning of the trace. Keeps a reference to the window.
    explicit EventHeads(StreamWindow& window) : window_(window), size_(window.size()) {}
    /// Begins with the buffer at `offset`.
    EventHeads(StreamWindow& window, std::uint64_t offset, std::uint64_t buffer_size) : EventHeads(window) {
        next_buffer_ = offset;
        buffer_size_ = buffer_size;
        window_.seek(offset);
    }

    struct Head {
        std::uint64_t buffer = 0, offset = 0;  ///< offsets of the buffer and of the event in the trace
        EventHead event;
        bool begins_log = false;                 ///< whether the event is the header of a log
        std::optional<layout::LOG_EVENT> log{};  ///< none if the event is not one of a log

        bool begins_row() const noexcept {
            return log && log->Class == layout::class_row && log->Fragment.value() == 1;
        }
    };
    /// Returns the next event; none at the end.
    std::optional<Head> next();

  private:
    void move_to(std::uint64_t offset) { window_.skip(offset - window_.offset()); }
    bool open_buffer();
    std::optional<Head> take();

    StreamWindow& window_;
    std::optional<std::uint64_t> size_;
    std::uint64_t buffer_ = 0, buffer_size_ = 0, next_buffer_ = 0;  // offset and size of the current buffer
    std::uint64_t at_ = 0, filled_ = 0;  // in the buffer: of the next event, and the end of the last one
};

}  // namespace hkpd::blg
