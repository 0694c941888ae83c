// Decides which chunks of a capture lie outside a range of samples, by the index of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/stream_window.hpp"
#include "hkpd/record.hpp"
#include "hkpd/time.hpp"
#include "mcap/file.hpp"

namespace hkpd {

/// The chunks of a capture that contain samples, and nothing that describes data.
class RangeChunks {
  public:
    /// Keeps references to the summary and to the window, which is that of the file. `limit`: `Limits::chunk`.
    RangeChunks(const mcap::Summary& summary, StreamWindow& window, std::uint64_t limit);

    /// Returns the places that need not be read, in the order of the file, each of one or more chunks: those without a
    /// sample in the range, except the first one, and except the last ones before the range that have samples of each
    /// channel, because the first values in the range are computed with these. `range` counts samples from the first
    /// one in the file. Returns none if the index is not that of this file.
    std::optional<std::vector<mcap::ChunkPlace>> outside(const Range& range);

    /// Returns the number of samples up to the last one in the file; 0 if it is not known.
    std::uint32_t count_samples();

  private:
    std::optional<std::size_t> chunk_of(std::uint64_t number);
    std::optional<std::uint32_t> first_number(const mcap::ChunkPlace& chunk);
    std::vector<mcap::ChunkPlace> joined(const std::vector<mcap::ChunkPlace>& places) const;
    void add_last_of_channels(const std::vector<bool>& before, std::size_t end, std::vector<bool>& read) const;

    const mcap::Summary& summary_;
    StreamWindow& window_;
    std::uint64_t limit_;
    std::vector<mcap::ChunkPlace> chunks_;
};

/// Returns the time of a block in nanoseconds since 1970 (UTC), as captures state it: SystemTime or, if SystemTime is
/// invalid or a local time, PerfTime100nSec. Returns none if neither is a usable time.
std::optional<std::uint64_t> time_of_block(const SystemTime& time, std::int64_t perf_time_100ns);

/// Returns whether the time of a capture's record is that of its sample. Recorders see to it; other writers need not.
bool has_time_of_sample(const Record& record);

}  // namespace hkpd
