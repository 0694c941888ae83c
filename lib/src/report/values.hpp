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

/// Fills `Page::values`, the grids, and the place of each series in both. Series that are not fine get as many slots as
/// fit: the compressed values of all series have at most `most` bytes, unless the fine series alone have more. Returns
/// the compressed values.
std::string place_values(Page& page, std::deque<ReportRun>& runs, std::uint64_t most);

/// Joins neighbouring slots of a grid: `slots` is replaced by every `joined` of them.
std::vector<HistorySlot> joined_slots(std::span<const HistorySlot> slots, std::uint32_t joined);

}  // namespace hkpd
