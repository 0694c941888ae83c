// The rules of the system's zoneinfo files, read by Abseil's time library.
#include "base/zone_rules.hpp"

#include <absl/time/time.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <system_error>

namespace hkpd {
namespace {

constexpr const char* local_file = "/etc/localtime";

class SystemRules final : public ZoneRules {
  public:
    explicit SystemRules(absl::TimeZone zone) : zone_(zone) {}

    ZonePeriod at(std::int64_t seconds) const override {
        using Limits = std::numeric_limits<std::int64_t>;
        const absl::Time moment = absl::FromUnixSeconds(seconds);
        const absl::TimeZone::CivilInfo now = zone_.At(moment);
        ZonePeriod period{Limits::min(), Limits::max(), now.offset, now.is_dst};
        absl::TimeZone::CivilTransition change;
        if (zone_.NextTransition(moment, &change)) period.end = moment_of(change);
        // The change must be before the time given, and fractions of a second are ignored.
        if (zone_.PrevTransition(moment + absl::Seconds(1), &change)) {
            period.begin = moment_of(change);
            // Zoneinfo files may state winter as a daylight time that is earlier than standard time, as Irish law does.
            // For Windows and for people, the season with the later clock is daylight time.
            const absl::TimeZone::CivilInfo before = zone_.At(absl::FromUnixSeconds(period.begin - 1));
            if (before.is_dst != now.is_dst) period.daylight = now.offset > before.offset;
        }
        return period;
    }

  private:
    std::int64_t moment_of(const absl::TimeZone::CivilTransition& change) const {
        return absl::ToUnixSeconds(zone_.At(change.to).trans);
    }

    absl::TimeZone zone_;
};

std::shared_ptr<const ZoneRules> load(const std::string& name) {
    absl::TimeZone zone;
    if (!absl::LoadTimeZone(name, &zone)) return nullptr;
    return std::make_shared<const SystemRules>(zone);
}

/// Returns the folder in which Abseil looks for zones.
std::filesystem::path zone_folder() {
    const char* const given = std::getenv("TZDIR");
    return given != nullptr && *given != '\0' ? given : "/usr/share/zoneinfo";
}

/// Returns the name of the zone that a file in a folder of zones contains: `Europe/Berlin`; empty if the path has no
/// such folder.
std::string name_of(const std::string& path) {
    constexpr std::string_view folder = "/zoneinfo/";
    const auto at = path.rfind(folder);
    return at == std::string::npos ? "" : path.substr(at + folder.size());
}

}  // namespace

std::shared_ptr<const ZoneRules> system_rules(const std::string& iana, const std::string& /*windows*/) {
    // Abseil keeps each name that it was ever asked for, so it is asked only for names of files.
    std::error_code error;
    if (iana.empty() || !std::filesystem::is_regular_file(zone_folder() / iana, error)) return nullptr;
    return load(iana);
}

SystemZone local_zone() {
    const char* const given = std::getenv("TZ");
    std::string name = given == nullptr ? local_file : given;
    if (name.starts_with(':')) name.erase(0, 1);
    if (name.empty()) name = "UTC";  // as POSIX states
    std::error_code error;
    const std::string target = std::filesystem::canonical(name, error).string();
    SystemZone zone{name_of(target), nullptr};
    if (!zone.name.empty()) zone.rules = system_rules(zone.name, {});
    if (zone.rules != nullptr) return zone;
    // A system without /etc/localtime is in UTC, as for the C library.
    if (given == nullptr && error) name = "UTC";
    return {name.starts_with('/') ? "local" : name, load(name)};
}

}  // namespace hkpd
