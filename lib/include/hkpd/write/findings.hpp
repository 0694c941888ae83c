// The faults of a run as a document: for people, for programs, and for code scanners.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "hkpd/check.hpp"
#include "hkpd/error.hpp"

namespace hkpd {

/// Tells the first few faults of a kind from the others: a damaged list says the same of each instance.
class KindCounter {
  public:
    /// Counts a fault; whether it is among the first few of its kind: severity, code, field and object.
    bool is_among_first(const Diagnostic& diagnostic);
    /// A line for each kind of which there were more: `7 more of warning counter_size in object 238 (...)`.
    void append_rest(std::string& out, const Diagnostics& diagnostics) const;

  private:
    using Kind = std::tuple<Severity, Errc, std::string_view, std::uint32_t>;
    std::map<Kind, std::uint64_t> counts_;
};

/// How much was looked at.
struct CheckedInputs {
    std::uint64_t samples = 0, title_tables = 0, services = 0;  ///< each counts what was read of the kind
};

/// A line for each fault, and below it the rule that it breaks (once for each rule), the provider, the event that
/// Perflib logs and what repairs it; a summary in the end. With `notes` also what is odd but legal, and all of a kind.
void append_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes);

/// One JSON document: {"findings": [...], "summary": {...}}. All that was kept is in it.
void append_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked);

/// A log in the Static Analysis Results Interchange Format 2.1.0 (OASIS), which code scanners read: each code is a
/// rule, each fault a result with its byte offset. `version` is hkpd's own.
void append_findings_sarif(std::string& out, const Findings& findings, std::string_view version);

}  // namespace hkpd
