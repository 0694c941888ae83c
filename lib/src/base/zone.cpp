#include "hkpd/zone.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "base/time.hpp"
#include "base/windows_zones.hpp"
#include "base/zone_rules.hpp"
#include "hkpd/log_zones.hpp"

namespace hkpd {

struct Zone::State {
    std::string name{};
    std::string standard{}, daylight{};        ///< names in text logs; empty: the offset is the name
    std::int32_t offset = 0;                   ///< local time minus UTC in seconds, if there are no rules
    std::shared_ptr<const ZoneRules> rules{};  ///< null: the offset never changes
    bool is_stated = true;
};

namespace {

constexpr std::int64_t per_second = 1'000'000'000;
constexpr ZonePeriod always{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), 0,
                            false};

/// Returns a moment in nanoseconds; the first or last one of 64 bits if it is outside their range.
std::int64_t nanoseconds_of(std::int64_t seconds, std::int64_t rest) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / per_second;
    if (seconds >= most) return std::numeric_limits<std::int64_t>::max();
    if (seconds < -most) return std::numeric_limits<std::int64_t>::min();
    return seconds * per_second + rest;
}

std::int64_t whole_seconds(std::int64_t nanoseconds) noexcept {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds{nanoseconds}).count();
}

/// The names of one zone on both kinds of systems. Either can be empty.
struct ZoneNames {
    std::vector<std::string> iana;  // the name that was looked for first, if it is one of them
    std::string windows;
};

/// Calls `use` with each part of a list that is separated by `separator`, until `use` returns true.
template <class Use>
void each_part(std::string_view list, char separator, const Use& use) {
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(separator), list.size());
        if (use(list.substr(0, end))) return;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
}

/// Returns the names of a zone by one of them, ignoring case; none if CLDR has no zone with this name.
std::optional<ZoneNames> find_names(std::string_view text) {
    for (const WindowsZone& zone : windows_zones()) {
        const bool by_windows = compare_names(zone.windows, text) == 0;
        std::optional<ZoneNames> found;
        each_part(zone.iana, ' ', [&](std::string_view names) {
            ZoneNames of_zone{{}, std::string(zone.windows)};
            bool is_it = by_windows;
            each_part(names, '=', [&](std::string_view name) {
                const bool equal = compare_names(name, text) == 0;
                is_it = is_it || equal;
                of_zone.iana.emplace(equal ? of_zone.iana.begin() : of_zone.iana.end(), name);
                return false;
            });
            if (is_it) found = std::move(of_zone);
            return is_it;
        });
        if (found) return found;
    }
    return std::nullopt;
}

/// Returns the rules of a zone by the first of its names that the system knows; null if it knows none.
std::shared_ptr<const ZoneRules> rules_of(const ZoneNames& names) {
    std::shared_ptr<const ZoneRules> rules;
    for (const std::string& iana : names.iana)
        if (rules == nullptr) rules = system_rules(iana, names.windows);
    return rules;
}

/// Returns whether a text can be the name of a zone that CLDR does not know. Such a name becomes part of a path.
bool is_plain_name(std::string_view text) noexcept {
    constexpr std::size_t longest = 64;
    const auto plain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view("/_+-").find(c) != std::string_view::npos;
    };
    return !text.empty() && text.size() <= longest && !text.starts_with('/') && std::ranges::all_of(text, plain);
}

std::optional<TimeZone> parse_fixed(std::string_view text) {
    const auto comma = text.rfind(',');
    if (comma == std::string_view::npos || comma == 0) return std::nullopt;
    const auto bias = parse_number<std::int32_t>(text.substr(comma + 1));
    constexpr std::int32_t day = 1440;
    if (!bias || *bias < -day || *bias > day) return std::nullopt;
    return TimeZone{std::string(text.substr(0, comma)), *bias};
}

/// Returns the name of a zone's daylight time by Windows' convention: `Pacific Daylight Time` for `Pacific Standard
/// Time`.
std::string daylight_name(std::string name) {
    constexpr std::string_view standard = "Standard Time", daylight = "Daylight Time";
    if (const auto at = name.find(standard); at != std::string::npos) name.replace(at, standard.size(), daylight);
    return name;
}

}  // namespace

Zone::Zone(const TimeZone& fixed) {
    if (fixed == TimeZone{}) return;
    state_ = std::make_shared<const State>(
        State{.name = fixed.name, .standard = fixed.name, .daylight = fixed.name, .offset = -60 * fixed.bias});
}

Zone::Zone(const TimeZoneRules& rules) {
    State state{.standard = std::string(zone_name(rules.standard.name)),
                .daylight = std::string(zone_name(rules.daylight.name)),
                .rules = std::make_shared<const YearlyRules>([rules](int) { return rules; })};
    state.name = state.standard.empty() ? offset_name(rules.bias + rules.standard.bias) : state.standard;
    state_ = std::make_shared<const State>(std::move(state));
}

Zone Zone::unstated() {
    static const auto state = std::make_shared<const State>(State{.name = "local time", .is_stated = false});
    return Zone(state);
}

bool Zone::is_stated() const noexcept { return state_ == nullptr || state_->is_stated; }

std::expected<Zone, ZoneError> Zone::parse(std::string_view text) {
    if (compare_names(text, "UTC") == 0) return Zone();
    if (const auto fixed = parse_fixed(text)) return Zone(*fixed);
    const bool is_local = compare_names(text, "local") == 0;
    SystemZone system = is_local ? local_zone() : SystemZone{};
    if (is_local && system.rules == nullptr) return std::unexpected(ZoneError::no_rules);
    if (!is_local) system.name = text;
    auto names = find_names(system.name);
    if (!is_local && !names && !is_plain_name(text)) return std::unexpected(ZoneError::unknown);
    if (names && names->windows == "UTC") return Zone();  // `Etc/UTC`
    if (!is_local && names)
        system.name = compare_names(names->windows, text) == 0 ? names->windows : names->iana.front();
    if (!is_local) system.rules = names ? rules_of(*names) : system_rules(system.name, {});
    if (system.rules == nullptr) return std::unexpected(names ? ZoneError::no_rules : ZoneError::unknown);
    State state{.name = std::move(system.name), .rules = std::move(system.rules)};
    state.standard = names ? std::move(names->windows) : state.name;
    state.daylight = daylight_name(state.standard);
    return Zone(std::make_shared<const State>(std::move(state)));
}

std::string Zone::similar_name(std::string_view text) {
    Nearest nearest(text);
    for (const WindowsZone& zone : windows_zones()) {
        nearest.offer(zone.windows);
        each_iana_name(zone, [&nearest](std::string_view name) { nearest.offer(name); });
    }
    return nearest.name();
}

const std::string& Zone::name() const noexcept {
    static const std::string utc = "UTC";
    return state_ == nullptr ? utc : state_->name;
}

const ZonePeriod& Zone::period_at(std::int64_t unix_nanoseconds) const {
    if (state_ == nullptr) return always;
    const std::int64_t seconds = whole_seconds(unix_nanoseconds);
    if (seconds >= period_.begin && seconds < period_.end) return period_;
    if (state_->rules != nullptr) {
        period_ = state_->rules->at(seconds);
    } else {
        period_ = always;
        period_.offset = state_->offset;
    }
    return period_;
}

TimeZone Zone::at(std::int64_t unix_nanoseconds) const {
    if (state_ == nullptr) return {};
    const ZonePeriod& period = period_at(unix_nanoseconds);
    using std::chrono::minutes, std::chrono::seconds;
    const auto bias = static_cast<std::int32_t>(-std::chrono::floor<minutes>(seconds{period.offset}).count());
    const std::string& name = period.daylight ? state_->daylight : state_->standard;
    return {name.empty() ? offset_name(bias) : name, bias};
}

LocalMoments Zone::moments_of(std::int64_t local_nanoseconds) const {
    const std::int64_t local = whole_seconds(local_nanoseconds);
    const std::int64_t rest = (local_nanoseconds % per_second + per_second) % per_second;
    constexpr std::int64_t furthest = 172'800;  // 2 days: no clock differs more from UTC
    // Each period that can contain the moment is tried. The first one that begins after it ends the search.
    std::optional<std::int64_t> first;
    std::int64_t last = 0;
    std::int64_t after = local;  // begin of the period after a gap
    for (std::int64_t at = local - furthest; at <= local + furthest;) {
        const ZonePeriod period = period_at(nanoseconds_of(at, 0));
        const std::int64_t moment = local - period.offset;
        if (moment >= period.begin && moment < period.end) {
            if (!first) first = moment;
            last = moment;
        } else if (moment < period.begin) {
            after = period.begin;
            break;
        }
        if (period.end <= at) break;  // only for moments outside the range of 64 bits
        at = period.end;
    }
    using Kind = LocalMoments::Kind;
    if (!first) return {Kind::skipped, nanoseconds_of(after, 0), nanoseconds_of(after, 0)};
    return {*first == last ? Kind::unique : Kind::ambiguous, nanoseconds_of(*first, rest), nanoseconds_of(last, rest)};
}

std::expected<LogZone, ZoneError> parse_log_zone(std::string_view text) {
    const auto equals = text.rfind('=');
    const bool has_file = equals != std::string_view::npos;
    if (equals == 0) return std::unexpected(ZoneError::unknown);
    auto zone = Zone::parse(has_file ? text.substr(equals + 1) : text);
    if (!zone) return std::unexpected(zone.error());
    return LogZone{std::string(text.substr(0, has_file ? equals : 0)), *std::move(zone)};
}

Zone utc_if_stated(const Zone& zone) { return zone.is_stated() ? Zone() : zone; }

SystemTime local_time(const SystemTime& utc, std::int32_t offset) noexcept {
    namespace chrono = std::chrono;
    const chrono::sys_days day{chrono::year{utc.year} / chrono::month{utc.month} / chrono::day{utc.day}};
    return system_time_of(day + chrono::hours{utc.hour} + chrono::minutes{utc.minute} + chrono::seconds{utc.second} +
                          chrono::milliseconds{utc.milliseconds} + chrono::seconds{offset});
}

void append_time(std::string& out, const SystemTime& utc, const Zone& zone) {
    if (zone.is_utc()) return append_time(out, utc);
    const std::int32_t offset = zone.offset_at(unix_time(utc));
    append_time(out, local_time(utc, offset));
    out.pop_back();  // the Z of UTC
    if (!zone.is_stated()) return;
    const std::int32_t ahead = std::abs(offset);
    fmt::format_to(std::back_inserter(out), "{}{:02}:{:02}", offset < 0 ? '-' : '+', ahead / 3600, ahead / 60 % 60);
    if (ahead % 60 != 0) fmt::format_to(std::back_inserter(out), ":{:02}", ahead % 60);
}

}  // namespace hkpd
