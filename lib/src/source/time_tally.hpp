// Collects the times of the samples of a run: the first and the last one, the interval, and the gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/overview.hpp"
#include "hkpd/sample.hpp"
#include "source/head_and_tail.hpp"

namespace hkpd {

/// The times of a run. Samples of one machine and source form a stream; intervals are those of streams.
class TimeTally {
  public:
    /// Keeps a reference to `skipped`, which states the parts of the run that are not read. Intervals across them are
    /// not counted. At most `most_streams` streams are followed.
    TimeTally(const Skipped& skipped, std::size_t most_streams) : skipped_(skipped), most_streams_(most_streams) {}

    void add(const Sample& sample);
    /// Sets the times, zones, interval and gaps of the overview.
    void fill(Overview& overview) const;

  private:
    void add_interval(std::int64_t from, std::int64_t to);
    std::optional<std::int64_t> interval() const;

    const Skipped& skipped_;
    std::size_t most_streams_;
    std::map<std::pair<std::string, SampleSource>, std::int64_t> last_;  // time of the latest sample of each stream
    std::optional<Overview::Span> time_;
    std::optional<TimeZone> zone_, zone_at_end_;
    std::map<std::int64_t, std::uint64_t> intervals_;  // in milliseconds, and how often each occurs
    std::optional<Overview::Span> longest_;
};

}  // namespace hkpd
