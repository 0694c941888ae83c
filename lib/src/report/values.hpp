// The values of the series of a page as compressed bytes in Base64. The form is described in
// lib/src/report/README.md.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/page.hpp"

namespace hkpd {

/// Returns the raw DEFLATE compression of bytes, in Base64 (RFC 1951, RFC 4648).
std::string compressed_text(std::string_view bytes);

/// The compressed values and index of a page.
struct FittedValues {
    std::string values, index;
};

/// Fills `Page::values`, the grids, and the place of each series in both. Slots of series that are not fine are joined
/// until the compressed values and the index have at most `most` bytes together, unless the fine series alone have
/// more. Attempts that most probably are too large, by an estimate, are left out. `index` returns the index of the page
/// as it is then.
FittedValues fit_values(Page& page, const std::deque<ReportRun>& runs, std::uint64_t most,
                        const std::function<std::string()>& index);

/// Joins neighbouring slots of a grid: `slots` is replaced by every `joined` of them.
std::vector<HistorySlot> joined_slots(std::span<const HistorySlot> slots, std::uint32_t joined);

}  // namespace hkpd
