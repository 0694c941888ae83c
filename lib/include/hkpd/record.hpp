// Records: the units of data that a source, such as a file or a live machine, returns. A record contains, for example,
// a block or a title database, byte for byte as Windows or another program produced it.
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
class Zone;
enum class InputKind : std::uint8_t;  // hkpd/overview.hpp

/// One unit of the data that a source returns, such as a block or a title database, byte for byte as Windows or another
/// program produced it. Views are valid until the source returns the next record.
struct Record {
    /// The kind of message that a record contains. The kind determines which of the members below are set.
    enum class Kind : std::uint8_t {
        v1_block,         ///< result of RegQueryValueEx(HKEY_PERFORMANCE_DATA)
        titles,           ///< title database, in any form that `parse_titles` reads
        provenance,       ///< no message: `entries` states the origin of a capture
        v2_block,         ///< result of PerfQueryCounterData
        v2_identifiers,   ///< result of PerfQueryCounterInfo; identifies the results in later blocks of the machine
        v2_registration,  ///< result of PerfQueryCounterSetRegistrationInfo
        log_header,       ///< TRACE_LOGFILE_HEADER of a binary performance log, with its time zone
        log_catalogue,    ///< catalogue of a binary performance log: describes the content of its rows
        log_row,          ///< row of a binary performance log: the values of all machines of the log at one time
        log_trailer,      ///< data after the last row of a binary performance log
    };
    Kind kind = Kind::v1_block;
    Bytes bytes;    ///< the whole message, unchanged; empty for provenance
    Place place{};  ///< the input and, in captures and logs, the record; `Place::sample` is `no_index`
    /// Titles: the machine to which the titles apply; empty if they apply to any machine. V2: the machine of the
    /// counters; empty if unknown.
    std::string_view machine{};
    std::string_view name{};      ///< titles: name of the file with the titles; provenance: kind of provenance
    std::string_view language{};  ///< titles, v2_registration: language as three digits (`009`); empty if unknown
    const std::map<std::string, std::string>* entries = nullptr;  ///< provenance: the entries; otherwise null
    Guid counterset{};                                            ///< v2_registration: the counterset
    std::uint32_t request = 0;                                    ///< v2_registration: a `v2::RegistrationRequest`
    std::optional<std::uint32_t> title_index{};  ///< v2_registration: the object's title index in V1, if known
    Guid log{};                                  ///< log_*: identifies the log; several logs may be interleaved
    /// Header and catalogue of a text log: the zone in which the log's times are shown, with its rules; null for other
    /// records. A log whose zone is not stated has no header, and its times are local times (`Zone::unstated`).
    const Zone* zone = nullptr;
    /// Time of the record in nanoseconds since 1970 (UTC). In a log: by the clock of the machine that wrote the log. In
    /// a capture: the time at which the program that wrote the capture received the record.
    std::optional<std::uint64_t> time{};
    /// In a capture: number of complete samples that precede this record. Blocks with the same number belong to the
    /// same sample.
    std::optional<std::uint32_t> sequence{};
    /// True if the record is a V1 block that is known to be a complete sample. If false, the blocks that follow can
    /// belong to the same sample, and a reader must wait for the next block to find out.
    bool whole_sample = false;
    /// v1_block: the block as opened by the source, if the source has found no fault in it; otherwise null. Valid as
    /// long as `bytes`.
    const v1::Block* opened = nullptr;
    /// The format of the file that the record is from, as `open_files` and `open_bytes` recognised its content;
    /// `InputKind::unknown` (0) for records of other sources, and those that a manifest lists.
    InputKind format{};
    /// For a block that was collected live: the time that Windows took to return the block, in nanoseconds.
    std::optional<std::uint64_t> cost{};
    /// The number of samples that the source has passed over directly before this record (`Source::seek`), or
    /// `uncounted`: `Source::count_passed` then counts them.
    std::uint64_t passed = 0;
    static constexpr std::uint64_t uncounted = std::numeric_limits<std::uint64_t>::max();
};

/// The part of the input to read, bounded by time and by sample number. All bounds are inclusive.
struct Range {
    std::int64_t from = std::numeric_limits<std::int64_t>::min();    ///< nanoseconds since 1970 (UTC)
    std::int64_t to = std::numeric_limits<std::int64_t>::max();      ///< nanoseconds since 1970 (UTC)
    std::uint64_t first = 0;                                         ///< number of the first sample, counted from 0
    std::uint64_t last = std::numeric_limits<std::uint64_t>::max();  ///< number of the last sample, counted from 0

    /// Returns whether the range is bounded, by time or by number.
    bool is_bounded() const noexcept { return has_time() || has_numbers(); }
    /// Returns whether the range is bounded by number.
    bool has_numbers() const noexcept { return first != 0 || last != std::numeric_limits<std::uint64_t>::max(); }
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
