// Collects the times of the samples of a run: the first and the last one, the interval, and the gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "hkpd/diagnostics.hpp"
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
    /// Sets the times, zones, interval, gaps and runs of the overview. `diagnostics` names the inputs.
    void fill(Overview& overview, const Diagnostics& diagnostics) const;

  private:
    /// The samples of a stream so far.
    struct Stream {
        std::uint32_t number = 0;  // of the stream, in the order of the first samples
        std::int64_t first = 0, last = 0;
        std::uint32_t first_input = 0, input = 0;
        std::uint64_t samples = 0;
    };
    /// A time between two samples of a stream.
    struct Interval {
        std::int64_t from = 0, to = 0;
        std::uint32_t stream = 0, input = 0, next_input = 0;
        std::uint64_t samples = 0;  // of the stream, before it
        std::int64_t length() const noexcept { return time_between(from, to); }
    };
    /// Maximum number of intervals of which each is listed.
    static constexpr std::size_t most_listed = 100'000;

    void add_interval(const Stream& stream, std::int64_t to, std::uint32_t input);
    void list_gaps(Overview& overview, const Diagnostics& diagnostics, std::int64_t usual) const;
    std::optional<std::int64_t> interval() const;

    const Skipped& skipped_;
    std::size_t most_streams_;
    std::map<std::pair<std::string, SampleSource>, Stream> streams_;
    std::vector<Interval> longest_intervals_;
    std::int64_t longest_dropped_ = 0;  // longest interval that is no longer in `longest_intervals_`
    bool zone_stated_ = true;
    std::optional<Overview::Span> time_;
    std::optional<TimeZone> zone_, zone_at_end_;
    std::map<std::int64_t, std::uint64_t> intervals_;  // in milliseconds, and how often each occurs
    std::optional<Overview::Span> longest_;
};

}  // namespace hkpd
