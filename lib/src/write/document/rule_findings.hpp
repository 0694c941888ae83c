// The findings of rules as text, JSON and SARIF.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hkpd/rule_check.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {

/// Appends a line for each finding and a summary of each input. If `all` is false, only the first findings of each
/// threshold, and not which thresholds were not evaluated.
void append_rule_findings(std::string& out, std::span<const RuleResults> results, bool all);
/// Writes the members of the results of an input.
void write_rule_results(JsonStream& json, const RuleResults& results);
/// Writes the members of a SARIF run with the results of an input. `uri`: that of the input; empty if it has none.
void write_rule_sarif(JsonStream& json, const RuleResults& results, std::string_view uri, std::string_view version);

}  // namespace hkpd
