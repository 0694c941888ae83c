// The first line of a text log: how it is recognised, and what its first cell states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/stream_window.hpp"
#include "hkpd/time.hpp"

namespace hkpd {

/// Returns whether an input begins like a text log: `"(PDH-CSV 4.0) (Pacific Standard Time)(480)","\\host\...`. If its
/// first cell is another one, one of those after it must be a counter path. Missing quotes, tabs or semicolons in place
/// of commas, blank lines before the text and UTF-16 are accepted.
bool is_text_log(StreamWindow& window);

/// Returns whether a line can be the first one of a text log: it begins with the kind of a log, or a cell after the
/// first one is a counter path.
bool is_first_line(std::string_view line);

/// Returns the separator of cells in the first line of a log: the one with which most cells are counter paths.
char separator_in(std::string_view line);

/// The first cell of a text log: `(PDH-CSV 4.0) (Pacific Standard Time)(480)`. The first part, or the others, can be
/// missing, and programs that wrote the log again put other text around them, or in their place.
struct TextLogHead {
    std::optional<TimeZone> zone;           ///< none if the log states no zone, as those of typeperf, or a damaged one
    bool is_zone_damaged = false;           ///< a zone is stated, but its minutes are no number or out of range
    std::optional<std::int32_t> minutes{};  ///< the number that is out of range
    /// The rest of the name of the zone if the cell ends before the minutes: Windows cuts it in some languages.
    std::optional<std::string> cut_name{};
    bool is_name_cut = false;     ///< whether the cell ends in that name
    bool has_kind = false;        ///< whether it begins with the kind of the log or a zone
    bool has_other_text = false;  ///< whether there is text in front of the zone or after it
    /// UTC minus local time is at most so many minutes, in both directions: a day.
    static constexpr std::int32_t most_minutes = 1440;

    static TextLogHead parse(std::string_view cell);
};

}  // namespace hkpd
