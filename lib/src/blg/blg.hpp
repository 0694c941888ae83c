// Binary performance logs (`.blg`, Windows Vista and later): what PerfMon, logman and Data Collector Sets write. The
// events of the trace, what is in them, and the log as a stream of records. What is known of the layout, and from
// where, stands in `blg/layout.hpp`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream_window.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/time.hpp"
#include "hkpd/v1.hpp"

namespace hkpd::blg {

/// How a counter, or a whole object, is recorded in each row of a log: types of records.
enum class Form : std::uint16_t {
    raw = 0x0103,        ///< one raw counter
    instances = 0x0203,  ///< a raw counter of many instances, each with its name
    block = 0x0503,      ///< a PERF_DATA_BLOCK with one object, as HKEY_PERFORMANCE_DATA gave it
};

/// Whether an input begins as a log does, or another event trace: told by `first_bytes_needed` bytes.
bool is_log(Bytes first_bytes) noexcept;
/// Bytes that `is_log` looks at.
inline constexpr std::size_t first_bytes_needed = 80;

/// What the trace itself says of the log: TRACE_LOGFILE_HEADER.
struct Header {
    std::uint32_t buffer_size = 0;    ///< bytes
    std::uint32_t mode = 0;           ///< LogFileMode
    std::uint32_t buffers = 0;        ///< BuffersWritten; 0 while the log is written
    std::uint32_t start_buffers = 0;  ///< StartBuffers: at the front, never written over by a circular log
    std::uint32_t events_lost = 0, buffers_lost = 0;
    std::int64_t end_time = 0;  ///< 100 ns since 1601 (UTC); 0: not closed
    TimeZoneRules zone;         ///< of the machine that wrote it

    static constexpr std::uint32_t circular = 0x2;  ///< of `mode`: EVENT_TRACE_FILE_MODE_CIRCULAR
    /// Whether its writer has ended it; else it was cut, or is being written.
    bool closed() const noexcept { return end_time != 0 && buffers != 0; }
};
/// `event` is the trace's first event, from behind its own header on (a record `log_header`).
std::expected<Header, Error> read_header(Bytes event);

/// What the rows of a log hold, in their order: one entry for each record of a row.
class Catalogue {
  public:
    Catalogue() = default;
    Catalogue(Catalogue&&) noexcept = default;
    Catalogue& operator=(Catalogue&&) noexcept = default;
    Catalogue(const Catalogue&) = delete;  // views would point into the other
    Catalogue& operator=(const Catalogue&) = delete;
    ~Catalogue() = default;

    /// Views are valid as long as the catalogue is, and until it is opened again.
    struct Entry {
        Form form = Form::raw;
        std::uint32_t type = 0;      ///< CounterType; of blocks meaningless
        std::int64_t time_base = 0;  ///< ticks a second of the clock that the type asks for
        std::int32_t scale = 0;      ///< DefaultScale
        std::uint64_t offset = 0;    ///< where it stands in the event
        std::string_view machine{};  ///< UTF-8, without the `\\` in front
        std::string_view object{};
        std::optional<std::string_view> instance{},
            parent{};             ///< none where the object is no list; `*` may stand for any
        std::uint32_t index = 0;  ///< of instances of one name: `name#1`
        std::string_view counter{};
    };

    /// `event` is a record `log_catalogue`. Fails where it is none. An entry that is damaged is reported and has no
    /// names; where its length is lost, so are those behind it, and `whole` is false.
    std::expected<void, Error> open(Bytes event, const FaultSink& faults);

    /// In the order of the records of a row. Valid as long as the texts in them.
    std::span<const Entry> entries() const noexcept { return entries_; }
    /// Whether there is an entry for each record of a row.
    bool whole() const noexcept { return whole_; }

  private:
    void read_entry(Bytes entry, const FaultSink& faults);

    std::vector<Entry> entries_;
    std::deque<std::string> texts_;  // what entries show; they never move
    bool whole_ = false;
};

/// One record of a row.
struct RowRecord {
    Form form = Form::raw;  ///< how to read it
    Bytes body;             ///< `block`: the PERF_DATA_BLOCK; else for `read_raw` or `RawInstances`
};

/// One sample of all that the catalogue lists.
class Row {
  public:
    /// `event` is a record `log_row`. Fails where it is none. Records of an unknown type are reported and passed over;
    /// one whose length is wrong ends the row.
    std::expected<void, Error> open(Bytes event, const FaultSink& faults);

    /// The whole event, and its records in the order of the catalogue. Views into the event.
    Bytes bytes() const noexcept { return bytes_; }
    std::span<const RowRecord> records() const noexcept { return records_; }
    /// Whether every record could be read.
    bool whole() const noexcept { return whole_; }

  private:
    Bytes bytes_;
    std::vector<RowRecord> records_;
    bool whole_ = false;
};

/// PDH_RAW_COUNTER (pdh.h), as a log has it.
struct RawCounter {
    std::uint32_t status = 0;       ///< CStatus
    std::int64_t time = 0;          ///< 100 ns since 1601, by the local time of the machine that wrote the log
    std::int64_t first = 0;         ///< FirstValue: the counter
    std::int64_t second = 0;        ///< SecondValue: its base or its clock, whichever the type asks for
    std::uint32_t multi_count = 0;  ///< MultiCount

    /// PDH_CSTATUS_VALID_DATA and PDH_CSTATUS_NEW_DATA (pdhmsg.h).
    static constexpr bool is_valid(std::uint32_t status) noexcept { return status <= 1; }
};
/// Of a record of form `raw`.
std::expected<RawCounter, Error> read_raw(Bytes body);

/// The raw counters of a record of form `instances`.
class RawInstances {
  public:
    /// Fails where their number or their fields do not fit the record.
    std::expected<void, Error> open(Bytes body);

    /// CStatus and time of all of them (as in `RawCounter`), and how many there are.
    std::uint32_t status() const noexcept { return status_; }
    std::int64_t time() const noexcept { return time_; }
    std::size_t size() const noexcept { return count_; }

    /// Of one of `size()`; with the record's status and time.
    RawCounter counter(std::size_t position) const noexcept;
    /// None where it does not lie inside the record.
    std::optional<EncodedText> name(std::size_t position) const noexcept;

  private:
    const std::byte* at(std::size_t position) const noexcept;

    Bytes body_;
    std::uint32_t status_ = 0;
    std::int64_t time_ = 0;
    std::size_t count_ = 0;
};

/// Returns how many rows the trailer says that there are, which stands behind the last of a log that was closed.
/// `event` is a record `log_trailer`.
std::expected<std::uint32_t, Error> read_trailer_rows(Bytes event);

/// Titles of one machine, as logs with blocks have them; a log has as many such events as its titles need.
struct Names {
    EncodedText machine;  ///< without the `\\` in front
    Bytes titles;         ///< index and title in turn, UTF-16 with NULs: a title database without the NUL that ends it
};
/// `event` is one of class 0x24.
std::expected<Names, Error> read_names(Bytes event);

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
