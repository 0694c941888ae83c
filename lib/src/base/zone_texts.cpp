#include "base/zone_texts.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/text/names.hpp"
#include "base/text/trimmed.hpp"
#include "base/windows_zones.hpp"

namespace hkpd {
namespace {

/// A name that Windows shows, and the name of the zone's key. A name of a season stands for the zone.
struct ZoneText {
    std::string_view shown, key;
};

// English names that differ from the key (the names of the keys are older than some zones' names), then names in other
// languages, as users' logs and scripts have them and as Windows' clock settings show them. Zones of one language that
// have the same rules may share a name.
constexpr std::array zone_texts{
    // English
    ZoneText{"Coordinated Universal Time", "UTC"},
    ZoneText{"Greenwich Mean Time", "GMT Standard Time"},
    ZoneText{"Jerusalem Standard Time", "Israel Standard Time"},
    ZoneText{"Malay Peninsula Standard Time", "Singapore Standard Time"},
    ZoneText{"Russia TZ 1 Standard Time", "Kaliningrad Standard Time"},
    ZoneText{"Russia TZ 2 Standard Time", "Russian Standard Time"},
    ZoneText{"Russia TZ 3 Standard Time", "Russia Time Zone 3"},
    ZoneText{"Russia TZ 4 Standard Time", "Ekaterinburg Standard Time"},
    ZoneText{"Russia TZ 5 Standard Time", "N. Central Asia Standard Time"},
    ZoneText{"Russia TZ 6 Standard Time", "North Asia Standard Time"},
    ZoneText{"Russia TZ 7 Standard Time", "North Asia East Standard Time"},
    ZoneText{"Russia TZ 8 Standard Time", "Yakutsk Standard Time"},
    ZoneText{"Russia TZ 9 Standard Time", "Vladivostok Standard Time"},
    ZoneText{"Russia TZ 10 Standard Time", "Russia Time Zone 10"},
    ZoneText{"Russia TZ 11 Standard Time", "Russia Time Zone 11"},
    ZoneText{"Novosibirsk Standard Time", "N. Central Asia Standard Time"},
    ZoneText{"Cabo Verde Standard Time", "Cape Verde Standard Time"},
    // German
    ZoneText{"Mitteleuropäische Zeit", "W. Europe Standard Time"},
    ZoneText{"Mitteleuropäische Sommerzeit", "W. Europe Standard Time"},
    ZoneText{"Westeuropäische Zeit", "GMT Standard Time"},
    ZoneText{"Westeuropäische Sommerzeit", "GMT Standard Time"},
    ZoneText{"Osteuropäische Zeit", "FLE Standard Time"},
    ZoneText{"Osteuropäische Sommerzeit", "FLE Standard Time"},
    // French
    ZoneText{"Paris, Madrid", "Romance Standard Time"},
    ZoneText{"Europe de l'Ouest", "W. Europe Standard Time"},
    ZoneText{"Europe centrale", "Central Europe Standard Time"},
    ZoneText{"Maroc", "Morocco Standard Time"},
    ZoneText{"Est", "Eastern Standard Time"},
    // Spanish
    ZoneText{"Hora estándar romance", "Romance Standard Time"},
    ZoneText{"Hora de verano romance", "Romance Standard Time"},
    ZoneText{"Hora estándar GMT", "GMT Standard Time"},
    ZoneText{"Hora de verano GMT", "GMT Standard Time"},
    ZoneText{"Hora est. Pacífico, Sudamérica", "SA Pacific Standard Time"},
    // Italian
    ZoneText{"ora solare Europa occidentale", "W. Europe Standard Time"},
    ZoneText{"ora legale Europa occidentale", "W. Europe Standard Time"},
    // Portuguese
    ZoneText{"Hora oficial do Brasil", "E. South America Standard Time"},
    ZoneText{"Horário brasileiro de verão", "E. South America Standard Time"},
    ZoneText{"Hora Padrão de Caracas", "Venezuela Standard Time"},
    ZoneText{"Hora padrão de GMT", "GMT Standard Time"},
    ZoneText{"Hora de Verão de GMT", "GMT Standard Time"},
    // Dutch, Swedish, Norwegian, Danish
    ZoneText{"West-Europa", "W. Europe Standard Time"},
    ZoneText{"Västeuropa, normaltid", "W. Europe Standard Time"},
    ZoneText{"Västeuropa, sommartid", "W. Europe Standard Time"},
    ZoneText{"Vest-Europa", "W. Europe Standard Time"},
    ZoneText{"Romance", "Romance Standard Time"},
    // Polish, Czech, Hungarian
    ZoneText{"Środkowoeuropejski czas stand.", "Central European Standard Time"},
    ZoneText{"Środkowoeuropejski czas letni", "Central European Standard Time"},
    ZoneText{"Střední Evropa", "Central Europe Standard Time"},
    ZoneText{"Közép-európai téli idő", "Central Europe Standard Time"},
    ZoneText{"Közép-európai nyári idő", "Central Europe Standard Time"},
    // Turkish, Russian
    ZoneText{"Türkiye Standart Saati", "Turkey Standard Time"},
    ZoneText{"Türkiye Yaz Saati", "Turkey Standard Time"},
    ZoneText{"RTZ 1", "Kaliningrad Standard Time"},
    ZoneText{"RTZ 2", "Russian Standard Time"},
    ZoneText{"RTZ 3", "Russia Time Zone 3"},
    ZoneText{"RTZ 4", "Ekaterinburg Standard Time"},
    ZoneText{"RTZ 5", "N. Central Asia Standard Time"},
    ZoneText{"RTZ 6", "North Asia Standard Time"},
    ZoneText{"RTZ 7", "North Asia East Standard Time"},
    ZoneText{"RTZ 8", "Yakutsk Standard Time"},
    ZoneText{"RTZ 9", "Vladivostok Standard Time"},
    ZoneText{"RTZ 10", "Russia Time Zone 10"},
    ZoneText{"RTZ 11", "Russia Time Zone 11"},
    ZoneText{"Московское время", "Russian Standard Time"},
    // Japanese, Chinese, Korean
    ZoneText{"東京", "Tokyo Standard Time"},
    ZoneText{"中国标准时间", "China Standard Time"},
    ZoneText{"台北標準時間", "Taipei Standard Time"},
    ZoneText{"대한민국 표준시", "Korea Standard Time"},
};

/// Returns a name with the apostrophe of typewriters and without blanks around it.
std::string plain_zone_text(std::string_view text) {
    constexpr std::string_view curly = "\xE2\x80\x99";
    std::string plain(trimmed(text));
    if (const auto at = plain.find(curly); at != std::string::npos) plain.replace(at, curly.size(), "'");
    return plain;
}

constexpr std::string_view standard_time = "Standard Time", daylight_time = "Daylight Time",
                           summer_time = "Summer Time";

/// Returns the keys of zones by the names that Windows shows in each season, folded.
const std::map<std::string, std::string_view, std::less<>>& zones_by_name() {
    static const auto by_name = [] {
        std::map<std::string, std::string_view, std::less<>> made;
        const auto add = [&made](std::string_view shown, std::string_view key) {
            made.try_emplace(fold_case(shown), key);
            const std::size_t season = shown.find(standard_time);
            if (season == std::string_view::npos) return;
            for (const std::string_view other : {daylight_time, summer_time})
                made.try_emplace(fold_case(std::string(shown).replace(season, standard_time.size(), other)), key);
        };
        for (const ZoneText& each : zone_texts) add(each.shown, each.key);
        for (const WindowsZone& each : windows_zones()) add(each.windows, each.windows);
        return made;
    }();
    return by_name;
}

/// Returns the IANA names of CLDR, folded. No other one is known: a log could otherwise name any file of zones.
const std::unordered_map<std::string, std::string_view>& iana_names() {
    static const auto names = [] {
        std::unordered_map<std::string, std::string_view> made;
        for (const WindowsZone& zone : windows_zones())
            each_iana_name(zone, [&made](std::string_view name) { made.try_emplace(fold_case(name), name); });
        return made;
    }();
    return names;
}

/// Returns a known zone; none if the system has no rules for it. Keeps the zone: its rules are in a file of the system,
/// and many logs are of one zone.
std::optional<Zone> zone_of_key(std::string_view key) {
    static std::mutex mutex;
    static std::unordered_map<std::string_view, std::optional<Zone>> kept;
    const std::scoped_lock lock(mutex);
    const auto [place, is_new] = kept.try_emplace(key);
    if (is_new)
        if (auto zone = Zone::parse(key)) place->second = *std::move(zone);
    return place->second;
}

std::optional<Zone> zone_of_whole(const std::string& text) {
    const std::string folded = fold_case(text);
    if (const auto found = zones_by_name().find(folded); found != zones_by_name().end())
        return zone_of_key(found->second);
    const auto found = iana_names().find(folded);
    return found == iana_names().end() ? std::nullopt : zone_of_key(found->second);
}

}  // namespace

std::optional<Zone> zone_of_text(std::string_view text) {
    const std::string plain = plain_zone_text(text);
    if (plain.empty()) return std::nullopt;
    if (auto zone = zone_of_whole(plain)) return zone;
    // The season in parentheses: `Paris, Madrid (heure d'été)`.
    const auto open = plain.find('(');
    return open == std::string::npos || open == 0 ? std::nullopt
                                                  : zone_of_whole(plain_zone_text(plain.substr(0, open)));
}

std::optional<Zone> zone_of_cut_text(std::string_view text) {
    const std::string plain = fold_case(plain_zone_text(text));
    if (plain.empty()) return std::nullopt;
    const auto& names = zones_by_name();
    std::string_view key;
    for (auto zone = names.lower_bound(plain); zone != names.end() && zone->first.starts_with(plain); ++zone) {
        if (!key.empty() && key != zone->second) return std::nullopt;
        key = zone->second;
    }
    // The name is whole, and the season in parentheses is cut.
    if (const auto open = plain.find(" ("); key.empty() && open != std::string::npos)
        if (const auto zone = names.find(plain.substr(0, open)); zone != names.end()) key = zone->second;
    return key.empty() ? std::nullopt : zone_of_key(key);
}

}  // namespace hkpd
