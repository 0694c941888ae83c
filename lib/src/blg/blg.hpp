// Binary performance logs (`.blg`, Windows Vista and later), event by event: what PerfMon, logman and Data Collector
// Sets write. What is known of the layout, and from where, stands in `blg/layout.hpp`.
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

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/time.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {
class FaultSink;
}

namespace hkpd::blg {

/// How a counter, or a whole object, is recorded in each row of a log.
enum class Form : std::uint8_t {
    raw,        ///< 0x0103: one raw counter
    instances,  ///< 0x0203: a raw counter of many instances, each with its name
    block,      ///< 0x0503: a PERF_DATA_BLOCK with one object, as HKEY_PERFORMANCE_DATA gave it
};

/// Whether an input begins as a log does, or another event trace: told by `first_bytes_needed` bytes.
bool is_log(Bytes first_bytes) noexcept;
/// Bytes that `is_log` looks at.
inline constexpr std::size_t first_bytes_needed = 80;

/// What the trace itself says of the log: TRACE_LOGFILE_HEADER.
struct Header {
    std::uint32_t buffer_size = 0;    ///< bytes
    std::uint32_t build = 0;          ///< of the Windows that wrote it
    std::uint32_t mode = 0;           ///< LogFileMode
    std::uint32_t buffers = 0;        ///< BuffersWritten; 0 while the log is written
    std::uint32_t start_buffers = 0;  ///< StartBuffers: at the front, never written over by a circular log
    std::uint32_t events_lost = 0, buffers_lost = 0;
    std::int64_t start_time = 0, end_time = 0;  ///< 100 ns since 1601 (UTC); an end of 0: not closed
    TimeZoneRules zone;                         ///< of the machine that wrote it
    std::string file;                           ///< LogFileName; empty where it is damaged

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

/// What stands behind the last row of a log that was closed.
struct Trailer {
    std::int64_t first_time = 0, last_time = 0;  ///< of its rows: 100 ns since 1601, local
    std::uint32_t rows = 0;
    std::uint32_t objects = 0;  ///< recorded as blocks; what their instances and counters were follows
};
/// `event` is a record `log_trailer`.
std::expected<Trailer, Error> read_trailer(Bytes event);

/// Titles of one machine, as logs with blocks have them; a log has as many such events as its titles need.
struct Names {
    EncodedText machine;  ///< without the `\\` in front
    Bytes titles;         ///< index and title in turn, UTF-16 with NULs: a title database without the NUL that ends it
};
/// `event` is one of class 0x24.
std::expected<Names, Error> read_names(Bytes event);

}  // namespace hkpd::blg
