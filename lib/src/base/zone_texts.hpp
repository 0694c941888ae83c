// The names of time zones as Windows shows them and writes them to text logs.
#pragma once

#include <optional>
#include <string_view>

#include "hkpd/zone.hpp"

namespace hkpd {

/// Returns the zone that the first line of a text log names, with the rules that the system has for it: by Windows'
/// name for standard time or daylight time, in English (`W. Europe Daylight Time`) or one of the main languages
/// (`Mitteleuropäische Sommerzeit`), or by an IANA name. Case is ignored, and what stands after a name that was cut at
/// a parenthesis. Returns none if the name is unknown, or if the system has no rules for the zone.
std::optional<Zone> zone_of_text(std::string_view text);

/// Returns the zone of Windows whose name begins with the text, or whose name the text begins with, up to a season in
/// parentheses. Returns none if it is none, or if it may be the beginning of the names of several.
std::optional<Zone> zone_of_cut_text(std::string_view text);

}  // namespace hkpd
