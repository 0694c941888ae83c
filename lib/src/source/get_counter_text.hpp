// What Get-Counter of PowerShell shows, and what Export-Csv and ConvertTo-Json make of its samples, as a text log.
#pragma once

#include <string>
#include <string_view>

#include "base/stream_window.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"

namespace hkpd {

/// Returns whether an input begins like samples of Get-Counter: as shown (default view, Format-List of samples or sets
/// of samples), or as CSV or JSON.
bool is_get_counter(StreamWindow& window);

/// Returns samples of Get-Counter as a text log, in the form of PDH-CSV: a column for each path, and a row for each
/// time. Times are local times without a zone, or UTC if the text states that. The order of day and month follows from
/// all times: a number above 12 is a day; if there is none, it is month/day with AM or PM, and day/month without.
/// Values that are no numbers, samples without a time, and samples after so many paths and times that nearly all cells
/// of the log are blank, are reported and left out. `text` is in UTF-8.
std::string text_log_of_samples(std::string_view text, const Limits& limits, const FaultSink& faults);

}  // namespace hkpd
