// The index of a page: everything that its scripts need besides the values, as JSON.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "report/page.hpp"

namespace hkpd {

/// Returns the index. Its members are described in lib/src/report/README.md.
std::string page_index(const Page& page, std::deque<ReportRun>& runs);

}  // namespace hkpd
