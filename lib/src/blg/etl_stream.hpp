// An event trace (ETL file) as a stream of events, one buffer in memory at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "base/stream_window.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"

namespace hkpd::blg {

/// An event with its own header. Views are valid until the stream is asked for the next one.
struct EtlEvent {
    Bytes bytes;          ///< as long as it says
    bool system = false;  ///< of the trace itself, with a header of that kind
};

/// Cuts a trace into events. What is damaged costs the rest of its buffer; a trace that was cut gives what is complete.
class EtlStream {
  public:
    /// Keeps a reference. The window begins with the trace.
    explicit EtlStream(StreamWindow& window) noexcept : window_(window) {}

    std::optional<EtlEvent> next(const FaultSink& faults);

    /// Buffers from `kept` on were written over, round and round: from now on the oldest comes first. Nothing changes
    /// where the stream cannot seek, or where they are in order. To be called in the first buffer.
    void unroll(std::uint32_t kept);

    /// Whether a buffer was not as long as all are, or never filled.
    bool cut() const noexcept { return cut_; }
    /// Where the trace ended, as far as it was read.
    std::uint64_t end() const noexcept { return window_.offset(); }

  private:
    void open_buffer(const FaultSink& faults);
    bool next_buffer();
    bool next_of_loop();
    std::optional<EtlEvent> take_event(const FaultSink& faults);
    std::optional<std::int64_t> sequence_at(std::uint64_t offset);

    StreamWindow& window_;
    std::uint64_t buffer_size_ = 0;
    std::uint64_t held_ = 0;             // bytes of the buffer at hand
    std::uint64_t at_ = 0, filled_ = 0;  // in it
    // Of a trace whose buffers were written over: from `first` on, up to the end, and on from `first`; the oldest of
    // them is at `oldest`.
    struct Loop {
        std::uint64_t first = 0, oldest = 0;
        enum class Part : std::uint8_t { none, kept, older, newer } part = Part::none;
    };
    Loop loop_;
    bool cut_ = false;
};

}  // namespace hkpd::blg
