// Reads binary performance logs (`.blg`, Windows Vista and later), which PerfMon, logman and Data Collector Sets write.
// A log is an event trace. The functions here split a trace into events, read the contents of the events, and return
// the log as a stream of records. `blg/layout.hpp` has the layout and its sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/stream_window.hpp"
#include "blg/layout.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/time.hpp"
#include "hkpd/v1.hpp"

namespace hkpd::blg {

/// Form in which a log stores a counter or a whole object. In a log, a row is one sample and consists of records. The
/// value of each enumerator is the type that records of this form have in the log.
enum class Form : std::uint16_t {
    raw = 0x0103,        ///< one raw counter
    instances = 0x0203,  ///< a raw counter of many instances, each with its name
    block = 0x0503,      ///< a PERF_DATA_BLOCK with one object, as HKEY_PERFORMANCE_DATA returned it
};

/// Returns whether an input begins as a log does. Other event traces begin in the same way. Returns false for fewer
/// than `first_bytes_needed` bytes.
bool is_log(Bytes first_bytes) noexcept;
/// Number of bytes that `is_log` needs.
inline constexpr std::size_t first_bytes_needed = 80;

/// The description of the log in the first event of the trace: TRACE_LOGFILE_HEADER.
struct Header {
    std::uint32_t buffer_size = 0;    ///< bytes
    std::uint32_t mode = 0;           ///< LogFileMode
    std::uint32_t buffers = 0;        ///< BuffersWritten; 0 while the log is being written
    std::uint32_t start_buffers = 0;  ///< StartBuffers: buffers at the start, which a circular log never overwrites
    std::uint32_t events_lost = 0, buffers_lost = 0;
    std::int64_t end_time = 0;  ///< 100 ns since 1601 (UTC); 0 if the log was not closed
    TimeZoneRules zone;         ///< zone of the machine that wrote the log

    static constexpr std::uint32_t circular = 0x2;  ///< in `mode`: EVENT_TRACE_FILE_MODE_CIRCULAR
    /// Returns whether the writer closed the log. If not, the log was truncated or is still being written.
    bool closed() const noexcept { return end_time != 0 && buffers != 0; }
};
/// Reads the content of a record of the kind `Record::Kind::log_header`: the first event of the trace, without the
/// event header.
std::expected<Header, Error> read_header(Bytes event);

/// The list of the counters and objects that a log records. Each row of the log is one sample. A row has one record for
/// each entry of the list, in the order of the entries.
class Catalogue {
  public:
    Catalogue() = default;
    Catalogue(Catalogue&&) noexcept = default;
    Catalogue& operator=(Catalogue&&) noexcept = default;
    Catalogue(const Catalogue&) = delete;  // the copy's views would point into the original
    Catalogue& operator=(const Catalogue&) = delete;
    ~Catalogue() = default;

    /// A recorded counter or object. Views are valid until the catalogue is opened again or destroyed.
    struct Entry {
        Form form = Form::raw;
        std::uint32_t type = 0;      ///< CounterType; meaningless if the form is `block`
        std::int64_t time_base = 0;  ///< ticks per second of the clock that the type uses
        std::int32_t scale = 0;      ///< DefaultScale
        std::uint64_t offset = 0;    ///< offset of the entry in the input
        std::string_view machine{};  ///< UTF-8, without the leading `\\`
        std::string_view object{};
        /// None if the entry states no such name. `*` stands for all instances or all parents.
        std::optional<std::string_view> instance{}, parent{};
        std::uint32_t index = 0;  ///< number among the instances of the same name: 1 in `name#1`
        std::string_view counter{};
    };

    /// Reads the content of a record of the kind `Record::Kind::log_catalogue`; fails if the event is too short for a
    /// catalogue. A damaged entry is reported and has no names. If the length of an entry is impossible, that entry and
    /// all later ones are lost, and `whole()` is false.
    std::expected<void, Error> open(Bytes event, const FaultSink& faults);

    /// Returns the entries in the order of the records of a row. The result is valid until the catalogue is opened
    /// again or destroyed.
    std::span<const Entry> entries() const noexcept { return entries_; }
    /// Returns whether all entries were read, so that there is an entry for each record of a row.
    bool whole() const noexcept { return whole_; }

  private:
    void read_entry(Bytes entry, const FaultSink& faults);

    std::vector<Entry> entries_;
    std::deque<std::string> texts_;  // the views in `entries_` point to these texts; a deque does not move them
    bool whole_ = false;
};

/// A record of a row: the values of one counter or object in one sample.
struct RowRecord {
    Form form = Form::raw;  ///< form of the body
    Bytes body;             ///< `block`: the PERF_DATA_BLOCK; other forms: input of `read_raw` or `RawInstances`
};

/// A row of a log: one sample of all counters and objects that the catalogue lists.
class Row {
  public:
    /// Reads a row. `event` is the content of a `Record` of the kind `log_row`. Fails if `event` is not a row. The row
    /// consists of row records (`RowRecord`). A row record of unknown type is reported and skipped. If a row record has
    /// a wrong length, this is reported, and this row record and all later ones are lost.
    std::expected<void, Error> open(Bytes event, const FaultSink& faults);

    /// Returns the entire event (`bytes`), or its records in the order of the catalogue (`records`). The results are
    /// views into the event.
    Bytes bytes() const noexcept { return bytes_; }
    std::span<const RowRecord> records() const noexcept { return records_; }
    /// Returns whether every record could be read.
    bool whole() const noexcept { return whole_; }
    /// Returns the number of records before the first one that could not be read: all, if every record could be.
    std::size_t known() const noexcept { return known_; }

  private:
    bool open_like_last(Bytes event) noexcept;

    Bytes bytes_;
    std::vector<RowRecord> records_;
    std::optional<std::uint64_t> head_;  // of the row; none if the row has a fault
    std::size_t known_ = 0;
    bool whole_ = false;
};

/// A raw counter of a log: the fields of PDH_RAW_COUNTER (pdh.h).
struct RawCounter {
    std::uint32_t status = 0;       ///< CStatus
    std::int64_t time = 0;          ///< 100 ns since 1601, local time of the machine that wrote the log
    std::int64_t first = 0;         ///< FirstValue: the raw value of the counter
    std::int64_t second = 0;        ///< SecondValue: base or clock, depending on the counter type
    std::uint32_t multi_count = 0;  ///< MultiCount

    /// Returns whether the status is PDH_CSTATUS_VALID_DATA or PDH_CSTATUS_NEW_DATA (pdhmsg.h).
    static constexpr bool is_valid(std::uint32_t status) noexcept { return status <= 1; }
};
/// Reads the body of a row record (`RowRecord`) whose form is `Form::raw`. Fails if the body is too short.
inline std::expected<RawCounter, Error> read_raw(Bytes body) {
    using Wire = layout::RAW_COUNTER;
    // The structure ends with four bytes of padding. The body must contain these bytes too.
    if (body.size() < sizeof(Wire))
        return std::unexpected(
            Error{Errc::log_record, body.offset(), "PDH_RAW_COUNTER", "", sizeof(Wire), body.size()});
    // Numbers are loaded from the body, one by one. From a copy of the structure, the processor would load them in
    // other pieces than it had stored, and wait for each.
    const auto u32 = [&body](std::size_t at) { return load<std::uint32_t>(body.at(at), ByteOrder::little); };
    const auto i64 = [&body](std::size_t at) {
        return static_cast<std::int64_t>(load<std::uint64_t>(body.at(at), ByteOrder::little));
    };
    return RawCounter{u32(offsetof(Wire, CStatus)), i64(offsetof(Wire, TimeLow)), i64(offsetof(Wire, FirstValue)),
                      i64(offsetof(Wire, SecondValue)), u32(offsetof(Wire, MultiCount))};
}

/// The raw counters of a record of form `instances`.
class RawInstances {
  public:
    /// Reads the record's header; fails if the counters do not fit into the record.
    std::expected<void, Error> open(Bytes body);

    /// Returns the CStatus of all counters, as in `RawCounter::status`.
    std::uint32_t status() const noexcept { return status_; }
    /// Returns the time of all counters, as in `RawCounter::time`.
    std::int64_t time() const noexcept { return time_; }
    /// Returns the number of counters.
    std::size_t size() const noexcept { return count_; }

    /// Returns the counter at `position`, which is below `size()`. The counter has the record's status and time.
    RawCounter counter(std::size_t position) const noexcept;
    /// Returns the name of the instance at `position`; none if the name does not lie inside the record.
    std::optional<EncodedText> name(std::size_t position) const noexcept;

  private:
    const std::byte* at(std::size_t position) const noexcept;

    Bytes body_;
    std::uint32_t status_ = 0;
    std::int64_t time_ = 0;
    std::size_t count_ = 0;
};

/// Returns the number of rows that a trailer states. A trailer is the content of a record of the kind
/// `Record::Kind::log_trailer`. A closed log has a trailer after its last row.
std::expected<std::uint32_t, Error> read_trailer_rows(Bytes event);

/// Titles of one machine, from an event of a performance log that contains V1 blocks. If one event cannot hold all
/// titles, the log has several such events.
struct Names {
    EncodedText machine;  ///< without the leading `\\`
    Bytes titles;         ///< title database without its final NUL: index, title, index, ..., each UTF-16 with NUL
};
/// Reads an event with titles (class 0x24).
std::expected<Names, Error> read_names(Bytes event);

/// An event of a trace, including the event's header. The view is valid until the next call of `EtlStream::next`.
struct EtlEvent {
    Bytes bytes;          ///< as many bytes as the event's header states
    bool system = false;  ///< event of the trace itself, with a system header
};

/// The first bytes of an event, which state its size.
struct EventHead {
    std::uint64_t size = 0;  ///< of the event; below `least` if it is damaged
    bool system = false;     ///< event of the trace itself, with a system header
    static constexpr std::uint64_t least = 8;
};
/// Reads the head of an event, which has at least `EventHead::least` bytes.
EventHead read_event_head(Bytes event) noexcept;
/// Returns whether an event belongs to a performance log: whether PDH is its provider, and whether its header is of the
/// kind that PDH's events have. The bytes may end after the header.
bool is_log_event(Bytes event) noexcept;

/// A stream that splits a trace into events. A trace consists of buffers, and each buffer contains events. After a
/// damaged event, the remaining events of the same buffer are lost. An event that the end of the file truncates is not
/// returned.
class EtlStream {
  public:
    /// Keeps a reference to the window, which must be at the beginning of the trace.
    explicit EtlStream(StreamWindow& window) noexcept : window_(window) {}

    std::optional<EtlEvent> next(const FaultSink& faults);

    /// Makes `next` read the buffers of a circular trace from the oldest to the newest. `next` still begins with the
    /// first `kept` buffers, which the writer never overwrites. Has no effect if the stream cannot seek or all buffers
    /// are in order. Must be called while `next` reads the first buffer.
    void unroll(std::uint32_t kept);

    /// Makes `next` continue at a later buffer: at the last one from which at least `rows` rows of the log `log` begin
    /// up to the end of the trace. Searches from the end, so that the buffers between are not read. Returns the number
    /// of bytes that are skipped. Returns 0 and changes nothing if the stream cannot seek, if the rest of the trace is
    /// not longer than that, if events of another log follow, or if the search would read more than 64 MiB.
    std::uint64_t skip_to_last(std::uint32_t rows, const Guid& log);

    /// Makes `next` continue at the buffer at `offset`, which must not be before the current one.
    void continue_at(std::uint64_t offset);
    /// Returns the size of the trace's buffers in bytes; 0 before the first one was read.
    std::uint64_t buffer_size() const noexcept { return buffer_size_; }
    bool is_circular() const noexcept { return loop_.part != Loop::Part::none; }

    /// Returns whether a buffer was shorter than the others, or was never written.
    bool cut() const noexcept { return cut_; }
    /// Returns the offset up to which the trace was read.
    std::uint64_t end() const noexcept { return window_.offset(); }

  private:
    void open_buffer(const FaultSink& faults);
    bool next_buffer();
    bool next_of_loop();
    std::optional<EtlEvent> take_event(const FaultSink& faults);
    std::optional<std::int64_t> sequence_at(std::uint64_t offset);
    std::uint64_t last_buffer(std::uint64_t size) const;
    std::uint64_t buffer_before(std::uint64_t offset, std::uint64_t size) const;
    std::optional<std::uint64_t> find_last(std::uint32_t rows, const Guid& log, std::uint64_t here, std::uint64_t size);

    StreamWindow& window_;
    std::uint64_t buffer_size_ = 0;
    std::uint64_t held_ = 0;  // number of bytes of the current buffer
    // Offsets in the current buffer: of the next event (`at_`), and of the end of the last event (`filled_`).
    std::uint64_t at_ = 0, filled_ = 0;
    // The buffers that the writer of a circular trace overwrites. They lie between offset `first` and the end; the
    // oldest of them is at offset `oldest`. `part` states which buffers are being read: those before `first` (`kept`),
    // those from `oldest` to the end (`older`), those from `first` to `oldest` (`newer`), or all in the order of the
    // file (`none`).
    struct Loop {
        std::uint64_t first = 0, oldest = 0;
        enum class Part : std::uint8_t { none, kept, older, newer } part = Part::none;
    };
    Loop loop_;
    bool cut_ = false;
};

}  // namespace hkpd::blg

namespace hkpd {

/// A stream of the records of a log. A log can store an event in several fragments; the stream joins them and returns
/// the event as one record. Consecutive events with titles of one machine become one record, a title database of that
/// machine. The stream holds in memory only one buffer of the trace, and the events and titles that are being joined.
class LogStream {
  public:
    /// Keeps references to the limits and to the window, which must be at the beginning of the log. Records of titles
    /// get the name `name`.
    LogStream(StreamWindow& window, std::string_view name, const Limits& limits)
        : trace_(window), name_(name), limits_(limits) {}

    /// Returns the next record; none at the end. If a record is made of one fragment, offsets in the record count from
    /// the start of the file. In other records, offsets count from the start of the record, and `Record::place` has the
    /// number of the record.
    std::optional<Record> next(const FaultSink& faults);

    /// Makes `next` skip the middle of the log `log`: of the rows that were not yet returned, only about the last
    /// `rows` are. Must be called after `next` has returned a row of that log, which is then no longer valid. Returns
    /// false and has no effect where `blg::EtlStream::skip_to_last` has none, and if the log was skipped before.
    bool skip_middle(std::uint32_t rows, const Guid& log);
    /// Makes `next` continue before the first row at `from` or later, in nanoseconds since 1970 (UTC), so that at least
    /// one row precedes that row. Bisects `again`, a window on the whole file. Must be called after `next` has returned
    /// a row of the log `log`, which is then no longer valid. The times of a log may run backwards by `disorder`, as
    /// when daylight time ends. Returns the number of bytes passed over. Returns none and has no effect if times run
    /// backwards by more at one of a few places, in circular logs, if other events follow, and after earlier skips.
    std::optional<std::uint64_t> seek(StreamWindow& again, const Guid& log, std::int64_t from);
    /// Longest time in nanoseconds by which the times of a log may run backwards.
    static constexpr std::int64_t disorder = 3'660'000'000'000;
    /// Returns the offset at which `next` has continued after `seek` or `seek_row`; 0 if it has not.
    std::uint64_t sought() const noexcept { return sought_; }

    /// Makes `next` pass over the next `rows` rows, without joining their fragments.
    void pass_rows(std::uint64_t rows) noexcept { to_pass_ = rows; }
    /// Returns the number of rows that were passed over since the last call.
    std::uint64_t passed_rows() noexcept { return std::exchange(passed_, 0); }
    /// Returns the number of rows that `next` has read or passed over.
    std::uint64_t rows() const noexcept { return log_.rows; }
    /// Returns the number of rows that begin in the first `end` bytes of a log. Reads the headers of events only.
    static std::uint64_t count_rows(StreamWindow& window, std::uint64_t end);
    /// Makes `next` continue at row `row` of the log, counted from 0, or at the last one if there are fewer. Reads the
    /// headers of events in `again`, a window on the whole file: a log states nowhere else which row is the n-th. Must
    /// be called after `next` has returned a row, which is then no longer valid. Returns false and has no effect where
    /// `seek` has none, and if an event other than rows and the trailer would be passed over.
    bool seek_row(StreamWindow& again, std::uint64_t row);

    /// The rows that `skip_middle` skipped.
    struct SkippedRows {
        std::uint64_t count = 0;
        bool exact = false;  ///< whether the log states the number of its rows; otherwise `count` is an estimate
    };
    /// Returns the number of rows that were skipped; none if nothing was. Must be called at the end of the log.
    std::optional<SkippedRows> skipped() const;

  private:
    struct Event {
        std::uint8_t kind = 0;
        std::int64_t time = 0;  // local time, 100 ns since 1601
        Guid log;
        Bytes content;
        bool whole = true;  // whether the event consists of one fragment
    };
    /// An event of which only some of the fragments have been read so far.
    struct Partial {
        Event event;  // `content` is no longer valid, except for its offset
        std::uint32_t next = 0, total = 0;
        std::vector<std::byte> bytes;

        std::uint64_t offset() const noexcept { return event.content.offset(); }
    };
    std::optional<Event> next_event(const FaultSink& faults);
    std::optional<blg::EtlEvent> next_of_trace(const FaultSink& faults);
    FaultCell row_at(std::int64_t local) const;
    FaultCell row_after_last() const;
    void report_lost_event(Severity severity, const Error& error, const Event& event, const FaultSink& faults) const;
    void take_system(const blg::EtlEvent& event, const FaultSink& faults);
    std::optional<Event> take_fragment(const blg::EtlEvent& event, const FaultSink& faults);
    std::optional<Event> join(const Event& event, std::uint32_t fragment, std::uint32_t total, const FaultSink& faults);
    bool gather_titles(const Event& event, const FaultSink& faults);
    Place place_of(const Event& event, const FaultSink& faults) const;
    Record record_of(const Event& event, Record::Kind kind, const FaultSink& faults);
    Record header_record(const Event& before, const FaultSink& faults);
    Record titles_record(const FaultSink& faults);
    std::optional<Record> to_record(const Event& event, const FaultSink& faults);
    std::optional<std::uint64_t> unix_time(std::int64_t local) const;
    bool can_seek() const noexcept;
    void continue_at(std::uint64_t offset);
    void end(const FaultSink& faults);
    void end_log(std::uint64_t end, const FaultSink& faults);

    blg::EtlStream trace_;
    std::string name_;
    const Limits& limits_;
    /// State of the current log.
    struct Log {
        std::uint64_t begin = 0;  // offset in the file
        bool has_header = false;  // whether a header was read, valid or not
        std::optional<blg::Header> header{};
        bool own = false, others = false;  // whether events of a performance log, and whether other events, were read
        std::uint64_t rows = 0, row_bytes = 0;  // of the rows that were read; bytes with the headers of their fragments
        std::optional<std::int64_t> last_row{};  // local time of the row before the current event, if it is known
        std::optional<std::uint32_t> stated_rows{};
        std::uint64_t skipped_bytes = 0;  // by `skip_middle`
        bool resuming = false;            // whether no event began since rows were skipped

        bool circular() const noexcept { return header && (header->mode & blg::Header::circular) != 0; }
    };
    Log log_;
    std::optional<Event> held_;  // event to return after the titles or the header
    // The log's header. It is returned as a record only when the next event is known, because that event states the
    // GUID and the time of this record.
    std::vector<std::byte> header_bytes_;
    std::vector<Partial> partials_;
    std::vector<std::byte> joined_;  // the event that was joined last
    std::vector<std::byte> titles_;  // the titles gathered so far
    std::string titles_machine_;
    std::vector<std::byte> returned_;  // the header or the titles that were returned last
    std::string returned_machine_;
    Event titles_event_;  // the first event whose titles are in `titles_`
    std::uint32_t records_ = 0;
    std::uint64_t to_pass_ = 0, passed_ = 0;  // rows to pass over, and those that `passed_rows` returns next
    std::uint64_t sought_ = 0;                // offset at which `seek` has continued
    bool ended_ = false;
};

}  // namespace hkpd
