// The records that a source returns. Each record is one message of a producer, unchanged.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/guid.hpp"

namespace hkpd {

namespace v1 {
class Block;
}

/// One message of a producer, byte for byte. Views are valid until the source is asked for the next record.
struct Record {
    /// Kind of the message.
    enum class Kind : std::uint8_t {
        v1_block,         ///< result of RegQueryValueEx(HKEY_PERFORMANCE_DATA)
        titles,           ///< title database, in any form that `parse_titles` reads
        provenance,       ///< no data: entries of a capture that state its origin
        v2_block,         ///< result of PerfQueryCounterData
        v2_identifiers,   ///< result of PerfQueryCounterInfo; identifies the results in the machine's next v2_block
        v2_registration,  ///< result of PerfQueryCounterSetRegistrationInfo
        log_header,       ///< TRACE_LOGFILE_HEADER of a binary performance log, with its time zone
        log_catalogue,    ///< catalogue of a binary performance log: describes the content of its rows
        log_row,          ///< row of a binary performance log: one sample, of all machines of the log
        log_trailer,      ///< data after the last row of a binary performance log
    };
    Kind kind = Kind::v1_block;
    Bytes bytes;                  ///< the whole message, unchanged; empty for provenance
    Place place{};                ///< states the input and, in captures and logs, the record; `sample` is not set yet
    std::string_view machine{};   ///< titles and V2: machine that the record belongs to; empty: any, or unknown
    std::string_view name{};      ///< titles: name of the file with the titles; provenance: kind of provenance
    std::string_view language{};  ///< titles, v2_registration: language as Perflib numbers it (`009`); empty: unknown
    const std::map<std::string, std::string>* entries = nullptr;  ///< provenance: the entries
    Guid counterset{};                                            ///< v2_registration
    std::uint32_t request = 0;                                    ///< v2_registration: v2::RegistrationRequest
    std::optional<std::uint32_t> title_index{};  ///< v2_registration: the object's index in V1, where known
    Guid log{};                                  ///< log_*: identifies the log; several logs may be interleaved
    /// Time of the record in nanoseconds since 1970 (UTC). In a log: by the clock of the machine that wrote the log. In
    /// a capture: the time at which the record was taken.
    std::optional<std::uint64_t> time{};
    /// In a capture: number of samples that the capture's writer had completed before this record.
    std::optional<std::uint32_t> sequence{};
    /// True if the record is a V1 block that is known to be a complete sample. A reader then need not wait for the next
    /// block to find out whether the sample is complete.
    bool whole_sample = false;
    /// v1_block: the block, open, if the source has already opened it and found no fault in it; otherwise null. Valid
    /// as long as `bytes`.
    const v1::Block* opened = nullptr;
    /// For a block that was collected live: time that its producer took, in nanoseconds.
    std::optional<std::uint64_t> cost{};
};

/// The part of the input to read, bounded by time and by sample number. All bounds are inclusive.
struct Range {
    std::int64_t from = std::numeric_limits<std::int64_t>::min();  ///< nanoseconds since 1970 (UTC)
    std::int64_t to = std::numeric_limits<std::int64_t>::max();    ///< nanoseconds since 1970 (UTC)
    std::uint64_t first = 0;                                       ///< number of a sample, counted from 0
    std::uint64_t last = std::numeric_limits<std::uint64_t>::max();

    /// Returns whether the range is bounded by time.
    bool has_time() const noexcept {
        return from != std::numeric_limits<std::int64_t>::min() || to != std::numeric_limits<std::int64_t>::max();
    }
    /// Returns whether a time, in nanoseconds since 1970 (UTC), lies in the range.
    bool holds_time(std::int64_t time) const noexcept { return time >= from && time <= to; }
    /// Returns whether the number of a sample lies in the range.
    bool holds_number(std::uint64_t number) const noexcept { return number >= first && number <= last; }
};

}  // namespace hkpd
