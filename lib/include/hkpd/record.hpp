// What a source gives: one message of a producer at a time, as it came.
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

/// One message of a producer, byte for byte. Views are valid until the source is asked for the next one.
struct Record {
    /// What it is.
    enum class Kind : std::uint8_t {
        v1_block,         ///< what RegQueryValueEx(HKEY_PERFORMANCE_DATA) returned
        titles,           ///< a title database, in any form that `parse_titles` knows
        provenance,       ///< no data, but what a capture says of where it comes from
        v2_block,         ///< what PerfQueryCounterData returned
        v2_identifiers,   ///< what PerfQueryCounterInfo returned: the query that the next v2_block of the machine
                          ///< answers
        v2_registration,  ///< what PerfQueryCounterSetRegistrationInfo returned
        log_header,       ///< of a binary performance log: its TRACE_LOGFILE_HEADER, which has its time zone
        log_catalogue,    ///< likewise: what its rows hold
        log_row,          ///< likewise: one sample, of all machines of the log
        log_trailer,      ///< likewise: what stands behind the last row
    };
    Kind kind = Kind::v1_block;
    Bytes bytes;                  ///< all of it, as it came; empty of provenance
    Place place{};                ///< its input, and of captures and logs its number; of a sample nothing is known yet
    std::string_view machine{};   ///< titles and V2: the machine that they belong to; empty: any, or unknown
    std::string_view name{};      ///< titles: the name of the file that they were; provenance: what kind it is
    std::string_view language{};  ///< titles, v2_registration: as Perflib numbers them (`009`); empty: unknown
    const std::map<std::string, std::string>* entries = nullptr;  ///< provenance
    Guid counterset{};                                            ///< v2_registration
    std::uint32_t request = 0;                                    ///< v2_registration: v2::RegistrationRequest
    std::optional<std::uint32_t> title_index{};  ///< v2_registration: the object's index in V1, where it is known
    Guid log{};                                  ///< log_*: which log, as several may come mixed
    /// Of a row and what belongs to its log: by the clock of the machine that wrote it. Of a capture: when it was
    /// taken, in nanoseconds since 1970 (UTC).
    std::optional<std::uint64_t> time{};
    /// Of a capture: how many samples its writer had ended before.
    std::optional<std::uint32_t> sequence{};
    /// Of a V1 block: it is a sample by itself, so that nobody has to wait for the next one to know.
    bool whole_sample = false;
    /// Of a block that was collected just now: nanoseconds that its producer took for it.
    std::optional<std::uint64_t> cost{};
};

/// A part of a run, by time and by number; all ends are included.
struct Range {
    std::int64_t from = std::numeric_limits<std::int64_t>::min();  ///< nanoseconds since 1970 (UTC)
    std::int64_t to = std::numeric_limits<std::int64_t>::max();
    std::uint64_t first = 0;  ///< samples, counted from 0
    std::uint64_t last = std::numeric_limits<std::uint64_t>::max();

    /// Whether it is bounded by time, and whether a time or the number of a sample is in it.
    bool has_time() const noexcept {
        return from != std::numeric_limits<std::int64_t>::min() || to != std::numeric_limits<std::int64_t>::max();
    }
    bool holds_time(std::int64_t time) const noexcept { return time >= from && time <= to; }
    bool holds_number(std::uint64_t number) const noexcept { return number >= first && number <= last; }
};

}  // namespace hkpd
