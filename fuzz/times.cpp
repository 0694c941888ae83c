// Times and zones: a zone's bias in two bytes, then a text that may be a time or a zone, or the bytes of a FILETIME, of
// a SYSTEMTIME and of TIME_ZONE_INFORMATION.
#include <chrono>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "hkpd/time.hpp"
#include "hkpd/zone.hpp"
#include "properties.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

constexpr std::int64_t second = 1'000'000'000, millisecond = 1'000'000;

/// Rounds down.
constexpr std::int64_t floor_to(std::int64_t time, std::int64_t unit) noexcept {
    const std::int64_t rest = time % unit;
    return time - (rest < 0 ? rest + unit : rest);
}

std::string seconds_text(std::int64_t time) {
    const std::uint64_t all = time < 0 ? 0 - static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
    std::string fraction = std::to_string(all % second);
    fraction.insert(0, 9 - fraction.size(), '0');
    return (time < 0 ? "@-" : "@") + std::to_string(all / second) + "." + fraction;
}

/// Requires that a time that was read is the same when it is written in each form and read again.
void require_time(std::string_view text, std::int32_t bias) {
    const auto time = parse_time(text, bias);
    const auto later = parse_time(text, bias + 1);
    if (time && later) require(*later == *time || *later == *time + 60 * second);
    if (!time) return;
    require(parse_time(seconds_text(*time)) == *time);
    if (*time < std::numeric_limits<std::int64_t>::min() + second) return;  // rounded down, it can be out of range
    const SystemTime system = system_time_at(*time);
    require(system.valid() && unix_time(system) == floor_to(*time, millisecond));
    std::string shown;
    append_time(shown, system);
    require(parse_time(shown, bias) == floor_to(*time, millisecond));
    shown.clear();
    const std::int64_t filetime = floor_to(*time, filetime_unit) / filetime_unit + filetime_of_1970;
    append_filetime(shown, static_cast<std::uint64_t>(filetime));
    require(parse_time(shown, bias) == floor_to(*time, filetime_unit));
    require(unix_nanoseconds(filetime) == floor_to(*time, filetime_unit));
}

/// Requires that each local time has moments that show it, and that a skipped one has the moment of the change.
void require_moments(const Zone& zone, std::int64_t local) {
    constexpr std::int64_t day = 86'400 * second;
    if (local < std::numeric_limits<std::int64_t>::min() + 2 * day) return;
    if (local > std::numeric_limits<std::int64_t>::max() - 2 * day) return;
    const LocalMoments moments = zone.moments_of(local);
    const auto shown = [&zone](std::int64_t moment) { return moment + zone.offset_at(moment) * second; };
    if (moments.kind == LocalMoments::Kind::skipped)
        require(moments.first == moments.last && shown(moments.first) > local && shown(moments.first - 1) < local);
    else
        require(shown(moments.first) == local && shown(moments.last) == local && moments.first <= moments.last);
}

void require_zone(std::string_view text, std::int64_t local) {
    require(zone_name(zone_name(text)) == zone_name(text));
    const auto zone = Zone::parse(text);
    if (!zone) return;
    require(!zone->name().empty() && std::abs(zone->offset_at(local)) <= 86'400);
    require_moments(*zone, local);
    const auto again = Zone::parse(zone->name() + "," + std::to_string(zone->at(local).bias));
    require(again && again->name() == zone->name() && again->at(local).bias == zone->at(local).bias);
}

/// Requires that a time that needs a zone, and only that, is no moment by itself.
void require_stated(std::string_view text) {
    const auto stated = parse_stated_time(text);
    if (!stated) return require(!parse_time(text));
    using Kind = StatedTime::Kind;
    const bool dated = stated->kind == Kind::utc || stated->kind == Kind::local;
    require(parse_time(text) == (dated ? std::optional(stated->time) : std::nullopt));
    if (stated->kind == Kind::time_of_day) require(stated->time >= 0 && stated->time < 86'400 * second);
    if (stated->kind == Kind::before_end) require(stated->time >= 0);
}

void require_system_time(const SystemTime& time, std::int64_t filetime) {
    const auto block = block_time(time, filetime);
    require(block.has_value() == time.valid());
    if (!block) return;
    require(block->valid() && compare_block_times(*block, filetime) != BlockTimes::local);
    if (time.year < 1678 || time.year > 2261) return;  // beyond nanoseconds in 64 bits
    SystemTime again = system_time_at(unix_time(time));
    again.day_of_week = time.day_of_week;
    std::string first, second_text;
    append_time(first, time);
    append_time(second_text, again);
    require(first == second_text && parse_time(first) == unix_time(time));
}

/// Requires that periods follow each other without gaps, and contain the moments for which they were found.
void require_periods(const Zone& zone, std::int64_t moment) {
    for (int i = 0; i < 8; ++i) {
        const ZonePeriod period = zone.period_at(moment);
        const std::int64_t at = moment / second - (moment % second < 0 ? 1 : 0);  // rounded down
        require(period.begin <= at && at < period.end && std::abs(period.offset) <= 2 * 86'400);
        if (period.end > std::numeric_limits<std::int64_t>::max() / second) return;
        moment = period.end * second;
    }
}

void require_rules(Bytes bytes, std::int64_t filetime) {
    const auto rules = TimeZoneRules::read(bytes);
    require(rules.has_value() ? bytes.size() >= TimeZoneRules::size : true);
    if (!rules) return;
    for (const std::int64_t time : {filetime, std::int64_t{0}, filetime_of_1970}) {
        const TimeZone zone = rules->at(time);
        require(!zone.name.empty());
        require(zone.bias == rules->bias || zone.bias == rules->bias + rules->standard.bias ||
                zone.bias == rules->bias + rules->daylight.bias);
        require(rules->at(time).name == zone.name);
        if (const auto moment = unix_nanoseconds(time)) require_periods(Zone(*rules), *moment);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t bias_size = 2, filetime_size = 8, system_time_size = 16;
    if (size < bias_size) return 0;
    const ExactCopy copy(std::as_bytes(std::span(data, size)));
    const Bytes input = copy.bytes(), rest = input.from(bias_size);
    const Budget budget(size, 0, 8);
    const auto bias = static_cast<std::int16_t>(load<std::uint16_t>(input.data(), ByteOrder::little));
    const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
    require_time(text, bias);
    require_stated(text);
    std::int64_t local = 0;
    if (rest.contains(0, filetime_size))
        local = static_cast<std::int64_t>(load<std::uint64_t>(rest.data(), ByteOrder::little));
    require_zone(text, local);
    if (!rest.contains(0, filetime_size)) return 0;
    const auto filetime = static_cast<std::int64_t>(load<std::uint64_t>(rest.data(), ByteOrder::little));
    const Bytes structures = rest.from(filetime_size);
    std::string shown;
    if (filetime >= 0) append_filetime(shown, static_cast<std::uint64_t>(filetime));
    if (structures.contains(0, system_time_size))
        require_system_time(read_system_time(structures, ByteOrder::little), filetime);
    require_rules(structures, filetime);
    return 0;
}
