// A zone's rules, as Windows hands them on: from the local times of a log to UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/bytes.hpp"
#include "hkpd/time_text.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

/// TIME_ZONE_INFORMATION (learn.microsoft.com, timezoneapi.h).
struct TimeZoneRules {
    /// Standard or daylight time. `begins` is a date in the first form of the documentation (a year), or in the second:
    /// year 0, `day` the how-manieth `day_of_week` of the month, 5 the last one. Month 0: the zone has no daylight
    /// time.
    struct Season {
        std::string name;  ///< UTF-8, or a resource: `@tzres.dll,-212`
        SystemTime begins{};
        std::int32_t bias = 0;  ///< added to that of the zone while the season lasts, in minutes
    };
    std::int32_t bias = 0;  ///< UTC - local, in minutes
    Season standard, daylight;

    static constexpr std::size_t size = 172;  ///< bytes of the structure
    /// None where there are fewer bytes, or a bias is beyond a day.
    static std::optional<TimeZoneRules> read(Bytes bytes);

    /// The zone's name and UTC - local at a local time, in 100 ns since 1601. Of an hour that comes twice it is the
    /// first one.
    TimeZone at(std::int64_t local_filetime) const;
};

/// What tzres.dll of an English Windows has for a name that is a resource (`Pacific Standard Time` for
/// `@tzres.dll,-212`); the name itself for any other.
std::string_view zone_name(std::string_view name) noexcept;

}  // namespace hkpd
