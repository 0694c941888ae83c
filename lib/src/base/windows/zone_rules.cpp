// The rules of Windows' registry, read by the functions of timezoneapi.h.
#include "base/zone_rules.hpp"

#include <windows.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/path.hpp"
#include "base/text/names.hpp"

namespace hkpd {
namespace {

SystemTime system_time(const SYSTEMTIME& time) noexcept {
    return {.year = time.wYear,
            .month = time.wMonth,
            .day_of_week = time.wDayOfWeek,
            .day = time.wDay,
            .hour = time.wHour,
            .minute = time.wMinute,
            .second = time.wSecond,
            .milliseconds = time.wMilliseconds};
}

/// Returns the rules in TIME_ZONE_INFORMATION or DYNAMIC_TIME_ZONE_INFORMATION. The names are left out: Windows has
/// them in the language of the user.
template <class Information>
TimeZoneRules rules_of(const Information& zone) {
    return {static_cast<std::int32_t>(zone.Bias),
            {{}, system_time(zone.StandardDate), static_cast<std::int32_t>(zone.StandardBias)},
            {{}, system_time(zone.DaylightDate), static_cast<std::int32_t>(zone.DaylightBias)}};
}

std::string key_of(const DYNAMIC_TIME_ZONE_INFORMATION& zone) { return path_text(&zone.TimeZoneKeyName[0]); }

std::shared_ptr<const ZoneRules> rules_by_year(const DYNAMIC_TIME_ZONE_INFORMATION& zone) {
    return std::make_shared<const YearlyRules>([zone](int year) {
        DYNAMIC_TIME_ZONE_INFORMATION of = zone;
        TIME_ZONE_INFORMATION information{};
        const bool found = GetTimeZoneInformationForYear(static_cast<USHORT>(year), &of, &information) != 0;
        return found ? rules_of(information) : rules_of(zone);
    });
}

}  // namespace

std::shared_ptr<const ZoneRules> system_rules(const std::string& /*iana*/, const std::string& windows) {
    if (windows.empty()) return nullptr;
    DYNAMIC_TIME_ZONE_INFORMATION zone{};
    for (DWORD i = 0; EnumDynamicTimeZoneInformation(i, &zone) == ERROR_SUCCESS; ++i)
        if (compare_names(key_of(zone), windows) == 0) return rules_by_year(zone);
    return nullptr;
}

SystemZone local_zone() {
    DYNAMIC_TIME_ZONE_INFORMATION zone{};
    if (GetDynamicTimeZoneInformation(&zone) == TIME_ZONE_ID_INVALID) return {};
    // Without a key, the zone is one that a program has set; it has the same rules in each year.
    const std::string name = key_of(zone);
    if (name.empty()) return {"local", std::make_shared<const YearlyRules>([zone](int) { return rules_of(zone); })};
    return {name, rules_by_year(zone)};
}

}  // namespace hkpd
