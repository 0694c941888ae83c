#include "quantity/times.hpp"

#include <fmt/compile.h>
#include <fmt/core.h>

#include <iterator>

#include "base/time.hpp"

namespace hkpd {

void append_date_time(std::string& out, const SystemTime& t, TimePart last) {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, FMT_COMPILE("{:04}-{:02}-{:02} {:02}:{:02}"), t.year, t.month, t.day, t.hour, t.minute);
    if (last != TimePart::minute) fmt::format_to(to, FMT_COMPILE(":{:02}"), t.second);
    if (last == TimePart::millisecond) fmt::format_to(to, FMT_COMPILE(".{:03}"), t.milliseconds);
}

std::string clock_text(const SystemTime& time, TimePart last) {
    std::string text = fmt::format("{:02}:{:02}", time.hour, time.minute);
    if (last != TimePart::minute) text += fmt::format(":{:02}", time.second);
    return text;
}

std::string offset_text(std::int32_t offset) {
    constexpr std::int32_t seconds_per_minute = 60;
    return offset == 0 ? "UTC" : offset_name(-offset / seconds_per_minute);
}

std::string zone_text(const TimeZone& zone) {
    const std::string offset = offset_name(zone.bias);
    if (zone == TimeZone{}) return "UTC";
    return zone.name.empty() || zone.name == offset ? offset : fmt::format("{} ({})", zone.name, offset);
}

std::string zone_text(const Zone& zone, std::int64_t time) {
    if (!zone.is_stated()) return std::string(unstated_zone_text);
    return zone.is_utc() ? "UTC" : zone_text(zone.at(time));
}

}  // namespace hkpd
