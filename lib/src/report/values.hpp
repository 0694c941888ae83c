// The values of the series of a page as compressed bytes in Base64. The form is described in
// lib/src/report/README.md.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "report/page.hpp"

namespace hkpd {

/// Returns the raw DEFLATE compression of bytes, in Base64 (RFC 1951, RFC 4648).
std::string compressed_text(std::string_view bytes);

/// Fills `Page::values`, the grids, and the place of each series in both, with all slots of all series.
void place_at_full_resolution(Page& page, const std::deque<ReportRun>& runs);

/// The compressed values of a page, and how many slots are joined of series that are not fine.
struct FittedValues {
    std::string text;
    std::uint32_t joined = 1;
};

/// Joins the slots of series that are not fine until the compressed values of all series have at most `most` bytes,
/// unless the fine series alone have more. `place_at_full_resolution` must have filled the page. Attempts that most
/// probably are too large, by an estimate, are left out.
FittedValues fit_values(Page& page, const std::deque<ReportRun>& runs, std::uint64_t most);

/// Joins neighbouring slots of a grid: `slots` is replaced by every `joined` of them.
std::vector<HistorySlot> joined_slots(std::span<const HistorySlot> slots, std::uint32_t joined);

}  // namespace hkpd
