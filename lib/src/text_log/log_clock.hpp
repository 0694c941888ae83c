// Turns the local times of the rows of a text log into UTC. The first line of a log states one offset from UTC, and PDH
// writes each row by the local clock. When the clocks of the zone change, the rows themselves show what the log is:
// written live, so that its times jump with the clock, or converted later (relog), so that all times have the offset of
// the first line. lib/FORMATS.md states the rule.
#pragma once

#include <cstdint>
#include <optional>

#include "hkpd/time.hpp"
#include "hkpd/zone.hpp"

namespace hkpd {

/// The zone of a text log as the caller states it.
struct GivenZone {
    std::optional<Zone> zone{};  ///< none: the caller does not know it
    bool always = false;  ///< whether it also replaces a zone that the first line states and whose rules are known
};

/// The clock of a log. Gets the local times of its rows in their order. Times are in nanoseconds; a local one counts
/// from 1970-01-01 00:00 of local time. What the clock knows depends only on the first line, on the interval, and on
/// the rows around each change of the zone's clocks, so that a reader in the middle of a log can find it again.
class LogClock {
  public:
    /// Creates the clock of a log whose local times always have the same offset: local time minus UTC.
    explicit LogClock(std::int64_t offset = 0) noexcept : offset_(offset) {}
    /// Creates the clock of a log by the rules of its zone. `offset`: what the first line states, or the offset of the
    /// first row. `interval`: usual time between rows, 0 if unknown.
    LogClock(Zone zone, std::int64_t offset, std::int64_t interval) noexcept
        : zone_(std::move(zone)), has_rules_(true), offset_(offset), interval_(interval) {}

    /// Returns whether a zone has this offset at a local time, or had it until shortly before.
    static bool fits_offset(const Zone& zone, std::int64_t offset, std::int64_t local, std::int64_t interval);

    /// Returns whether times follow the rules of the zone. False after a change of clocks that the rows do not show.
    bool has_rules() const noexcept { return has_rules_; }

    /// Returns the end of the local times that the clocks showed twice, if it depends on the rows up to that end
    /// whether a row at `local` is before or after the change. None if the rows before suffice.
    std::optional<std::int64_t> needs_rows_until(std::int64_t local) const;
    /// Returns the time of the next row in UTC. `goes_back`: whether the local times go back in the rows after it, up
    /// to the time that `needs_rows_until` has returned.
    std::int64_t take(std::int64_t local, bool goes_back = false);

    /// Returns a time in UTC that differs from what `take` returns by at most the length of a change.
    std::int64_t near(std::int64_t local) const;

    /// The local times around a change that clocks show twice or not at all.
    struct Change {
        std::int64_t begin = 0, end = 0;
    };
    /// Returns the next change after the row taken last; none if no row was taken, if the times do not follow rules, or
    /// if the clocks are never changed again.
    std::optional<Change> next_change() const;
    /// Returns whether the rows have shown that the log was written live.
    bool is_live() const noexcept { return is_live_; }
    /// Continues after the next change as if a row at its end had been taken.
    void pass_change();

  private:
    struct Repeated;
    Repeated repeated_at(const LocalMoments& moments) const;
    bool is_step(std::int64_t shown, std::int64_t passed) const noexcept;
    bool is_usual(std::int64_t length) const noexcept;
    bool is_repeat(std::int64_t shown, std::int64_t change) const noexcept;
    bool is_outage(std::int64_t length, std::int64_t change) const noexcept;
    bool is_second(std::int64_t local, const LocalMoments& moments, bool goes_back);
    void cross(std::int64_t local, std::int64_t moment);

    Zone zone_{};
    bool has_rules_ = false, is_live_ = false;
    std::int64_t offset_ = 0, interval_ = 0;
    // Local times that have one offset for certain if the row before has it: those of a period of the zone.
    std::int64_t plain_begin_ = 0, plain_end_ = 0, plain_offset_ = 0;
    std::optional<std::int64_t> before_{};  // local time of the row before
    std::int64_t moment_before_ = 0;        // and its time in UTC
    std::int64_t widest_ = 0;  // longest time between rows since the last one that is not in repeated times
};

}  // namespace hkpd
