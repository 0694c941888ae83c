// The rules of time zones: of the system, and rules that state changes by month and weekday, as Windows keeps them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "hkpd/time.hpp"
#include "hkpd/zone.hpp"

namespace hkpd {

/// The rules of a time zone. Immutable, so that several zones and threads can share them.
class ZoneRules {
  public:
    ZoneRules() = default;
    ZoneRules(const ZoneRules&) = delete;
    ZoneRules& operator=(const ZoneRules&) = delete;
    virtual ~ZoneRules() = default;

    /// Returns a period that contains a moment, given in seconds since 1970 (UTC). The moment must be in the years 1601
    /// to 9999.
    virtual ZonePeriod at(std::int64_t seconds) const = 0;
};

/// Rules that Windows states separately for each year. If daylight time lasts over the turn of the year, it continues
/// into the next year by the rules of that year.
class YearlyRules final : public ZoneRules {
  public:
    using OfYear = std::function<TimeZoneRules(int year)>;
    /// `of_year` returns the rules of a year. It must always return the same rules for the same year.
    explicit YearlyRules(OfYear of_year) : of_year_(std::move(of_year)) {}

    ZonePeriod at(std::int64_t seconds) const override;

  private:
    OfYear of_year_;
};

/// A zone of the system: its name and its rules. The rules are null if the system does not have them.
struct SystemZone {
    std::string name;
    std::shared_ptr<const ZoneRules> rules;
};

/// Returns the rules of a zone; null if the system does not have them. `iana` and `windows` are names of the zone; the
/// system uses one of them. Either may be empty. `iana` must not be able to leave a folder: no `..`, and no `/` in
/// front.
std::shared_ptr<const ZoneRules> system_rules(const std::string& iana, const std::string& windows);
/// Returns the local time zone of this system.
SystemZone local_zone();

}  // namespace hkpd
