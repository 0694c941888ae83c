// A comparison as text.
#pragma once

#include <span>
#include <string>

#include "hkpd/compare.hpp"

namespace hkpd {

/// For people: a line for each difference with its first example, then how many agree and what only one door has.
/// `all`: also a line for each counter that agrees or that only one door has.
void append_comparison(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs, bool all);

/// One JSON document with everything.
void append_comparison_json(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs);

}  // namespace hkpd
