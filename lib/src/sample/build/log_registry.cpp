#include "sample/build/log_registry.hpp"

#include <algorithm>
#include <utility>

#include "base/time.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd {

std::optional<TimeZone> KnownLog::zone_at(std::int64_t filetime) const {
    if (!zone) return std::nullopt;
    const std::int64_t standard = (std::int64_t{zone->bias} + zone->standard.bias) * filetime_minute;
    const TimeZone first = zone->at(filetime - standard);
    return zone->at(filetime - first.bias * filetime_minute);
}

const KnownLog& KnownLogs::find(const Guid& log) { return find_or_add(log); }

KnownLog& KnownLogs::find_or_add(const Guid& log) {
    const auto found = std::ranges::find(logs_, log, &KnownLog::log);
    if (found != logs_.end()) {
        std::rotate(found, found + 1, logs_.end());
    } else {
        if (logs_.size() >= std::max<std::size_t>(limits_.tables, 1)) logs_.erase(logs_.begin());
        logs_.emplace_back().log = log;
    }
    return logs_.back();
}

void KnownLogs::take(const Record& record, const FaultSink& faults) {
    KnownLog& known = find_or_add(record.log);
    known.machines.clear();
    known.planned = false;
    if (record.kind == Record::Kind::log_header) {  // where a log begins; the catalogue is to follow
        known.zone.reset();
        auto header = blg::read_header(record.bytes);
        if (!header) return faults.add(Severity::error, header.error());
        known.zone = std::move(header->zone);
        return;
    }
    if (const auto opened = known.catalogue.open(record.bytes, faults); !opened)
        return faults.add(Severity::error, opened.error());
    known.machines = plan_log(known.catalogue, names_, faults);
    known.plan = ++plans_;
    known.planned = true;
}

}  // namespace hkpd
