// A source that reads only the beginning and the end of large captures and logs, and reports what it skipped. A summary
// of an input needs no more: the first and last samples, and what index and trailer state about those between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/source.hpp"

namespace hkpd {

/// The parts of all inputs of a source that were skipped.
struct Skipped {
    std::uint64_t v1_blocks = 0, v2_blocks = 0, log_rows = 0;
    bool rows_estimated = false;  ///< whether `log_rows` is an estimate: a log did not state the number of its rows
    bool any = false;             ///< whether anything was skipped
    /// A part of a run, in nanoseconds since 1970 (UTC).
    struct Part {
        std::uint64_t from = 0, to = 0;
    };
    /// The skipped parts: in a capture from the first to the last skipped message, in a log from the last row that was
    /// read before to the first one after.
    std::vector<Part> parts;
    std::vector<Part> pauses;  ///< in skipped parts of captures: times without any message, between two chunks
};

/// Opens files and directories as `open_files` does, and skips the middle of each capture with more than
/// `sample_above_bytes` bytes of content and of each log with more than `sample_above_bytes` bytes. What is skipped is
/// added to `skipped`: the parts before the first record after them, the counts at the end of each input. `skipped`
/// must outlive the source. Inputs without an index, and standard input, are read completely.
std::unique_ptr<Source> open_head_and_tail(std::vector<std::string> paths, const Limits& limits,
                                           Subdirectories subdirectories, std::uint64_t sample_above_bytes,
                                           Skipped& skipped, LogZones log_zones, TextEncoding encoding);
/// Opens bytes in memory as `open_bytes` does, and skips as `open_head_and_tail` of files does.
std::unique_ptr<Source> open_head_and_tail(std::span<const std::byte> bytes, const Limits& limits,
                                           std::uint64_t sample_above_bytes, Skipped& skipped, LogZones log_zones,
                                           TextEncoding encoding);

}  // namespace hkpd
