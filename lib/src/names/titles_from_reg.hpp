// Title tables out of what `reg export` and regedit write.
#pragma once

#include <string_view>
#include <vector>

#include "base/text/located_text.hpp"
#include "hkpd/error.hpp"
#include "hkpd/names.hpp"

namespace hkpd {

class FaultSink;

/// The tables of an export, one for each language and value (names, help), in the order in which they come.
std::vector<TitleTable> read_registry_export(const RawText& text, std::string_view origin, const FaultSink& faults);

}  // namespace hkpd
