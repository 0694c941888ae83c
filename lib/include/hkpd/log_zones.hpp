// The time zones of text logs, as a caller states them.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/zone.hpp"

namespace hkpd {

/// The zone of the local times in a text log (CSV or TSV), whose first line may state none, as in logs of typeperf.
struct LogZone {
    /// The file: its path as it was given, or its name without folders. Its zone then replaces what the file states. If
    /// empty, the zone is that of all logs that state none, or one whose rules are unknown.
    std::string input{};
    Zone zone{};
};

/// Of several that fit a file, the last one counts, and one with the file's name before one without.
using LogZones = std::vector<LogZone>;

/// Returns what a text states: `ZONE` for all logs that state none, or `FILE=ZONE`. The forms of a zone are those of
/// `Zone::parse`.
std::expected<LogZone, ZoneError> parse_log_zone(std::string_view text);

}  // namespace hkpd
