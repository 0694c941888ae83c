// A summary of an input of any kind: what it is, which machines, times, objects and counters it has. The index of a
// capture and the beginning and end of a log are enough for it, so that large files take no longer than small ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/capture.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/log_zones.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/source.hpp"
#include "hkpd/text_encoding.hpp"
#include "hkpd/time.hpp"

namespace hkpd {

class Diagnostics;

/// The kind of an input, recognised by its content. A compressed input is of the kind of its content.
enum class InputKind : std::uint8_t {
    unknown,    ///< nothing that hkpd reads
    directory,  ///< a directory with inputs of any kind
    v1,         ///< V1 blocks
    capture,    ///< an MCAP file
    archive,    ///< a zip archive with inputs of any kind
    log,        ///< a binary performance log (.blg)
    text_log,   ///< a text log (.csv, .tsv), whose values are cooked
    titles,     ///< a title database, or a directory of these
    v2,         ///< V2 blocks
};
/// Returns the name of a kind: `v1`, `capture`.
std::string_view kind_name(InputKind kind) noexcept;

/// The summary of an input. Counts and lists cover the samples that were read. If `complete` is false, these are the
/// first and the last ones, and an instance or counter that only the others have is missing.
struct Overview {
    /// An object of one machine and source.
    struct Object {
        std::string machine;  ///< empty if unknown
        std::string name;     ///< the name; without one, what identifies the object: `#238` or a GUID
        SampleSource source = SampleSource::v1;
        bool is_list = false;         ///< whether the object has instances; otherwise `instances` is 1
        std::uint64_t instances = 0;  ///< the most in one sample
        std::uint64_t counters = 0;   ///< including bases
        /// Counters that have the same instances. Most objects have one part. An object of a log has several if its
        /// counters were logged for different instances.
        struct Part {
            std::vector<std::string> counters;   ///< those that have a cooked value or an unknown type, as in paths
            std::vector<std::string> instances;  ///< as in paths: `parent/name#1`; filled by `OverviewOptions::paths`
        };
        std::string path_name;  ///< the object as in paths: its name, or without one its index or GUID
        std::vector<Part> parts;
    };
    /// A title table of the input.
    struct Language {
        std::string language;  ///< such as `009`; empty if unknown
        std::string origin;    ///< name of the file
        std::uint64_t titles = 0;
    };
    /// A part of the run, in nanoseconds since 1970 (UTC).
    struct Span {
        std::int64_t from = 0, to = 0;
    };

    /// A time without samples in a stream: the samples of one machine and source.
    struct Gap {
        Span span;            ///< the last sample before the gap, and the first one after it
        std::string machine;  ///< empty if unknown
        SampleSource source = SampleSource::v1;
        std::string input;  ///< the file that has the sample before the gap
    };
    /// A part of a stream in which no gap is longer than ten intervals. A log to which a data collector appended its
    /// data each time that it was started has several.
    struct Run {
        Gap part;  ///< its first and last sample
        std::uint64_t samples = 0;
    };

    InputKind kind = InputKind::unknown;
    std::uint64_t bytes = 0;            ///< size of the file, or of all files of the directory; 0 for standard input
    std::vector<std::string> machines;  ///< in the order of their first samples, at most `Limits::named_machines`
    std::optional<Span> time;           ///< times of the first and last sample; none without samples that have times
    /// The time zone of the machine that wrote the log, at the first and at the last sample. None for other inputs,
    /// which state no zone.
    std::optional<TimeZone> zone, zone_at_end;
    /// False if the first sample is from a text log that states no zone: the times are local times of its machine.
    bool zone_stated = true;
    bool complete = true;       ///< whether all samples were read
    std::uint64_t samples = 0;  ///< as `Reader::count` counts them; an estimate if `samples_exact` is false
    bool samples_exact = true;
    std::optional<std::int64_t> interval;  ///< median time from one sample to the next, in nanoseconds
    /// Number of times that are longer than one and a half intervals and have no sample; a lower bound if `complete` is
    /// false.
    std::uint64_t gaps = 0;
    std::optional<Span> longest_gap;
    std::vector<Gap> gap_list;  ///< the gaps, but no more than the 100,000 longest ones, in the order of their times
    std::vector<Run> runs;      ///< in the order of their times, if each gap is in `gap_list`
    std::vector<Language> languages;
    std::vector<Object> objects;         ///< in the order of their first samples
    bool objects_exact = true;           ///< false if a limit left out objects, counters or instances
    std::optional<CaptureInfo> capture;  ///< captures in files
};

/// Options of `summarize`.
struct OverviewOptions {
    Limits limits{};
    LogZones log_zones{};     ///< as in `ReaderOptions`
    TextEncoding encoding{};  ///< as in `ReaderOptions`
    bool all = false;         ///< read all samples, however many there are
    bool paths = false;       ///< list the instances, for `visit_paths`
    Subdirectories subdirectories = Subdirectories::skipped;
    /// Maximum size in bytes up to which a log or the content of a capture is read completely.
    std::uint64_t sample_above_bytes = std::uint64_t{32} << 20;
    std::vector<std::string> languages{};  ///< as in `ReaderOptions`
    std::optional<Titles> titles{};        ///< as in `ReaderOptions`
};

/// Returns the summary of a file or directory, or of standard input (`-`). Faults of what was read are added to
/// `diagnostics`. An input that cannot be read, or that is of no known kind, is an error there.
Overview summarize(const std::string& path, const OverviewOptions& options, Diagnostics& diagnostics);
/// Returns the summary of bytes in memory that are the content of one file: V1 blocks end to end, a capture, or a log.
Overview summarize(std::span<const std::byte> bytes, const OverviewOptions& options, Diagnostics& diagnostics);

/// Returns the summary of the records of a source, such as a machine (hkpd/live.hpp). All are read.
Overview summarize(std::unique_ptr<Source> source, const OverviewOptions& options, Diagnostics& diagnostics);

/// Calls `take` with each counter path of the summary, such as `\\MACHINE\Process(svchost#1)\ID Process`, until `take`
/// returns false. The path is valid during the call. Requires `OverviewOptions::paths`.
void visit_paths(const Overview& overview, const std::function<bool(std::string_view)>& take);

}  // namespace hkpd
