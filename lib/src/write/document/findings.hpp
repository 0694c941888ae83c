// Documents of findings with a place for what other checks have found, such as rules, of which this module knows
// nothing.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hkpd/check.hpp"
#include "hkpd/input_check.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {

/// As the functions of write.hpp. `further` appends the findings of other checks: lines in front of the summary,
/// members of the document in front of it, or runs of SARIF after that of the faults. It may be empty.
void write_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes,
                         const std::function<void()>& further);
void write_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked,
                         const std::function<void(JsonStream&)>& further);
void write_findings_sarif(std::string& out, const Findings& findings, std::string_view version,
                          const std::function<void(JsonStream&)>& further);

/// Returns a path as a URI: an absolute path as a file URI, any other path as a relative reference (RFC 3986; for
/// Windows paths RFC 8089, appendix E). Percent-encodes all bytes except unreserved characters, the separators of the
/// path and the colon of a drive.
std::string uri_of(std::string_view path);

}  // namespace hkpd
