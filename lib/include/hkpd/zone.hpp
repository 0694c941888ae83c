// Time zones with their rules: the offset from UTC at each moment, and the moments of a local time.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hkpd/time.hpp"

namespace hkpd {

/// A span of time in which the offset of a zone from UTC does not change. Times are in seconds since 1970 (UTC).
struct ZonePeriod {
    std::int64_t begin = 0, end = 0;  ///< the period ends before `end`; empty if both are equal
    std::int32_t offset = 0;          ///< local time minus UTC, in seconds
    bool daylight = false;            ///< whether the zone has daylight time (summer time)
    bool operator==(const ZonePeriod&) const = default;
};

/// The moments at which the clocks of a zone show a local time, in nanoseconds since 1970 (UTC).
struct LocalMoments {
    /// The number of these moments.
    enum class Kind : std::uint8_t {
        unique,     ///< one moment: `first`, equal to `last`
        ambiguous,  ///< two moments, because clocks were set back: `first` and `last`
        skipped,    ///< no moment, because clocks were set forward: `first` and `last` are the moment of the change
    };
    Kind kind = Kind::unique;
    std::int64_t first = 0, last = 0;
    bool operator==(const LocalMoments&) const = default;
};

/// The reason why a text specifies no zone.
enum class ZoneError : std::uint8_t {
    unknown,   ///< not the name of a zone
    no_rules,  ///< the name of a zone whose rules this system does not have
};

/// A time zone: UTC, a zone with one offset, a zone of the system with its rules for each date, the zone of a log, or a
/// zone that nothing states, whose local times are used in place of UTC.
/// The rules of zones come from the system: from its zoneinfo files (Debian's package tzdata) or from Windows'
/// registry. Copies share their rules. As in all classes of hkpd, one object must be used by one thread at a time.
class Zone {
  public:
    /// Creates UTC.
    Zone() noexcept = default;
    /// Creates a zone that always has the same offset.
    Zone(const TimeZone& fixed);
    /// Creates the zone of a log. The rules apply to all years.
    explicit Zone(const TimeZoneRules& rules);

    /// Returns the zone of local times of which no zone is known, as in logs of typeperf. Its offset is 0, and its
    /// times are written without `Z` and without an offset.
    static Zone unstated();
    /// Returns whether the zone is known. False only for `unstated`.
    bool is_stated() const noexcept;

    /// Returns the zone that a text specifies. Case is ignored. The text has one of these forms:
    ///
    /// - `UTC`
    /// - `local`: the zone of this system (on POSIX systems of the variable TZ, if it is set)
    /// - an IANA name: `America/New_York`
    /// - the name of a key of Windows: `Eastern Standard Time`. On other systems, and for IANA names on Windows, CLDR
    ///   supplies the corresponding name.
    /// - a name and UTC minus local time in minutes (-1440 to 1440), for a zone with one offset:
    ///   `Pacific Standard Time,480`
    static std::expected<Zone, ZoneError> parse(std::string_view text);
    /// Returns the IANA or Windows name most similar to a mistyped one; empty if none is similar.
    static std::string similar_name(std::string_view text);

    /// Returns the name of the zone for display, without a season: `America/New_York`.
    const std::string& name() const noexcept;
    /// Returns whether this is UTC itself. Other zones with an offset of 0, such as `Europe/London` in winter, are not.
    bool is_utc() const noexcept { return state_ == nullptr; }

    /// Returns local time minus UTC in seconds, at a moment in nanoseconds since 1970 (UTC). Fast for moments in the
    /// same period as that of the previous call.
    std::int32_t offset_at(std::int64_t unix_nanoseconds) const { return period_at(unix_nanoseconds).offset; }
    /// Returns the period that contains a moment. The period can be a part of a longer period with the same offset.
    const ZonePeriod& period_at(std::int64_t unix_nanoseconds) const;
    /// Returns the name and the bias of the zone at a moment, as the header of Windows' text logs states them: Windows'
    /// name for the season, such as `Pacific Daylight Time`, or the IANA name if the zone has no name in Windows. Local
    /// mean times of the 19th century are rounded down to whole minutes.
    TimeZone at(std::int64_t unix_nanoseconds) const;
    /// Returns the moments of a local time, given in nanoseconds since 1970-01-01 00:00 of local time. Moments outside
    /// the range of 64 bits become the first or last moment of the range.
    LocalMoments moments_of(std::int64_t local_nanoseconds) const;

  private:
    struct State;
    explicit Zone(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

    std::shared_ptr<const State> state_;  // null: UTC
    mutable ZonePeriod period_{};         // that of the last moment
};

/// Returns UTC; for a zone that is not stated, this zone. For texts whose times are in UTC wherever it is known.
Zone utc_if_stated(const Zone& zone);

/// Returns a time of UTC as local time. `offset` is local time minus UTC in seconds. `utc` must be valid
/// (`SystemTime::valid`).
SystemTime local_time(const SystemTime& utc, std::int32_t offset) noexcept;

/// Appends a time as local time with its offset from UTC, as in ISO 8601: `2016-11-26T13:46:30.874-08:00`. In UTC:
/// `2016-11-26T21:46:30.874Z`. In a zone that is not stated: `2016-11-26T13:46:30.874`. `utc` must be valid
/// (`SystemTime::valid`).
void append_time(std::string& out, const SystemTime& utc, const Zone& zone);

}  // namespace hkpd
