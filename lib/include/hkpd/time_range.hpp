// Ranges of time as people state them, such as 10:00 or the last five minutes: they depend on the input.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hkpd/reader.hpp"
#include "hkpd/record.hpp"
#include "hkpd/source.hpp"
#include "hkpd/time.hpp"
#include "hkpd/zone.hpp"

namespace hkpd {

/// A range of time as it was stated.
struct StatedRange {
    /// An end of the range.
    struct Bound {
        std::string text;  ///< as it was given, for notes: `--from 10:00`
        StatedTime time;
    };
    std::optional<Bound> from{}, to{};
    std::optional<Zone> zone{};  ///< zone of times without one; none: that of the first sample
    Range range{};               ///< the bounds that are not stated above, such as numbers of samples
};

/// Returns the range to read when the first sample of a run is known (`ReaderOptions::range_of`).
class RangeFinder {
  public:
    /// The functions that a `RangeFinder` calls.
    struct Calls {
        /// Returns the time of the latest sample of the run, in nanoseconds since 1970 (UTC); none if it is not known.
        /// Called at most once, and only if the range depends on it.
        std::function<std::optional<std::int64_t>()> latest{};
        /// Receives a sentence about a time that the clocks showed twice or skipped, or that is on a later day.
        std::function<void(const std::string&)> note{};
    };
    /// Constructs a finder of a stated range. `is_endless`: whether the run, such as that of a machine, has no end.
    RangeFinder(StatedRange stated, Calls calls, bool is_endless);

    /// Returns the range of a run with this first sample. A time of day is on the day of the first sample or, if it has
    /// passed by then and the run crosses midnight, on the next day. Later calls return the same.
    const Range& find(const Sample& first);

  private:
    std::int64_t moment_of(const StatedRange::Bound& bound, std::int64_t begin);
    std::int64_t on_a_day(const StatedRange::Bound& bound, std::int64_t begin);
    std::int64_t day_of(std::int64_t moment) const;
    bool crosses_midnight(std::int64_t begin);
    std::optional<std::int64_t> latest();
    std::string shown(std::int64_t moment) const;
    void note(const std::string& text) const;

    StatedRange stated_;
    Calls calls_;
    bool is_endless_;
    Zone zone_;
    std::optional<Range> range_;
    std::optional<std::int64_t> latest_;
    bool is_latest_sought_ = false;
};

/// Returns the time of the latest sample of a source, in nanoseconds since 1970 (UTC); none if no sample has a time.
/// Reads the whole source only if `Source::span` returns none. `how`: as the source is read afterwards; its range is
/// not used.
std::optional<std::int64_t> latest_time(std::unique_ptr<Source> source, ReaderOptions how);

}  // namespace hkpd
