// A binary performance log (.blg) as a stream of records: the events of its trace, one buffer in memory at a time, and
// what is made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream_window.hpp"
#include "blg/blg.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"

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

namespace hkpd {

/// Puts the fragments of events together and tells what each event is. Titles of one machine that follow each other are
/// one record, as a title database of that machine. Memory: a buffer, and the events whose fragments have begun.
class LogStream {
  public:
    /// Keeps a reference to the window, which begins with the log. `name` is that of titles out of the log.
    LogStream(StreamWindow& window, std::string_view name, const Limits& limits)
        : trace_(window), name_(name), limits_(limits) {}

    /// Returns the next record; none at the end. Offsets in one that is whole in one fragment count from the start of
    /// the file; any other is a record of its own, whose number is in `Record::place`.
    std::optional<Record> next(const FaultSink& faults);

  private:
    struct Event {
        std::uint8_t kind = 0;
        std::int64_t time = 0;  // local
        Guid log;
        Bytes content;
        bool whole = true;  // in one fragment
    };
    /// An event of which not all fragments have come.
    struct Partial {
        Event event;  // its content is of the first fragment, and no longer there
        std::uint32_t next = 0, total = 0;
        std::vector<std::byte> bytes;

        std::uint64_t offset() const noexcept { return event.content.offset(); }
    };
    std::optional<Event> next_event(const FaultSink& faults);
    void take_system(const blg::EtlEvent& event, const FaultSink& faults);
    std::optional<Event> take_fragment(const blg::EtlEvent& event, const FaultSink& faults);
    std::optional<Event> join(const Event& event, std::uint32_t fragment, std::uint32_t total, const FaultSink& faults);
    bool gather_titles(const Event& event, const FaultSink& faults);
    Place place_of(const Event& event, const FaultSink& faults) const;
    Record record_of(const Event& event, Record::Kind kind, const FaultSink& faults);
    Record give_header(const Event& before, const FaultSink& faults);
    Record give_titles(const FaultSink& faults);
    std::optional<Record> give(const Event& event, const FaultSink& faults);
    std::optional<std::uint64_t> unix_time(std::int64_t local) const;
    void end(const FaultSink& faults);
    void end_log(std::uint64_t end, const FaultSink& faults);

    blg::EtlStream trace_;
    std::string name_;
    const Limits& limits_;
    /// What was met of the log at hand.
    struct Log {
        std::uint64_t begin = 0;  // in the file
        bool has_header = false;  // sound or not
        std::optional<blg::Header> header{};
        bool own = false, others = false;  // whether there were events of a performance log, and others
        std::uint64_t rows = 0;
        std::optional<std::uint32_t> stated_rows{};

        bool circular() const noexcept { return header && (header->mode & blg::Header::circular) != 0; }
    };
    Log log_;
    std::optional<Event> held_;            // behind the titles that are given first
    std::vector<std::byte> header_bytes_;  // until the first event of the log tells which log it is
    std::vector<Partial> partials_;
    std::vector<std::byte> joined_;  // the event whose last fragment came last
    std::vector<std::byte> titles_;  // gathered so far
    std::string titles_machine_;
    std::vector<std::byte> given_;  // the header or the titles that were given last
    std::string given_machine_;
    Event titles_event_;  // the first of those that were gathered
    std::uint32_t records_ = 0;
    bool ended_ = false;
};

}  // namespace hkpd
