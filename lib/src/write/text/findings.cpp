
#include <fmt/format.h>

#include <bitset>
#include <iterator>

#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "write/cells.hpp"

namespace hkpd {
namespace {

/// More of one kind in one object are counted, not shown.
constexpr std::uint64_t most_of_a_kind = 5;

class FindingsText {
  public:
    FindingsText(std::string& out, const Findings& findings, bool notes)
        : out_(out), findings_(findings), diagnostics_(findings.diagnostics()), notes_(notes) {}

    void write() {
        for (std::size_t i = 0; i < diagnostics_.kept().size(); ++i) {
            const Diagnostic& diagnostic = diagnostics_.kept()[i];
            if (!notes_ && diagnostic.severity == Severity::note) continue;
            if (!kinds_.is_among_first(diagnostic) && !notes_) continue;
            write_finding(diagnostic, findings_.all()[i]);
        }
        if (!notes_) kinds_.append_rest(out_, diagnostics_);
        std::uint64_t all = 0;
        for (const Severity severity : {Severity::note, Severity::warning, Severity::error})
            all += diagnostics_.count(severity);
        if (all > diagnostics_.kept().size())
            fmt::format_to(std::back_inserter(out_), "{} more findings are not listed\n",
                           all - diagnostics_.kept().size());
    }

    void write_summary(const CheckedInputs& checked) {
        const auto counted = [this](Severity severity) {
            return count_of(diagnostics_.count(severity), severity_name(severity));
        };
        out_ += diagnostics_.any_fault() ? "faults: " : "no faults: ";
        if (diagnostics_.any_fault()) out_ += counted(Severity::error) + ", " + counted(Severity::warning) + ", ";
        out_ += counted(Severity::note);
        if (!notes_ && diagnostics_.count(Severity::note) != 0) out_ += " (--verbose shows notes)";
        out_ += "; checked: " + count_of(checked.samples, "sample");
        if (checked.title_tables != 0) out_ += ", " + count_of(checked.title_tables, "title table");
        if (checked.services != 0) out_ += ", " + count_of(checked.services, "provider");
        out_ += '\n';
    }

  private:
    void write_finding(const Diagnostic& diagnostic, const Finding& finding) {
        append_diagnostic(out_, diagnostics_, diagnostic);
        out_ += '\n';
        write_place(finding);
        write_rule(diagnostic.error.code);
        write_provider(diagnostic, finding);
    }

    void write_place(const Finding& finding) {
        std::string place;
        if (!finding.object.empty()) place += fmt::format("object \"{}\"", printable(finding.object));
        if (!finding.instance.empty())
            place += fmt::format("{}instance \"{}\"", place.empty() ? "" : ", ", printable(finding.instance));
        if (place.empty()) return;
        if (!finding.machine.empty()) place += fmt::format(" of {}", printable(finding.machine));
        line("in", place);
    }

    /// Once for each rule: a list of the same says no more.
    void write_rule(Errc code) {
        if (reported_[static_cast<std::size_t>(code)]) return;
        reported_.set(static_cast<std::size_t>(code));
        if (const auto rule = rule_of(code); !rule.empty()) line("rule", rule);
        if (const auto repair = repair_of(code); !repair.empty()) line("repair", repair);
    }

    void write_provider(const Diagnostic& diagnostic, const Finding& finding) {
        if (finding.service != nullptr)
            line("provider",
                 fmt::format("service {}, {}", printable(finding.service->name),
                             finding.service->library.empty() ? "no DLL" : printable(finding.service->library)));
        if (const auto event = perflib_event(diagnostic.error); event && diagnostic.severity != Severity::note)
            line("event", fmt::format("Perflib event {} in the Windows application log", *event));
    }

    void line(std::string_view what, std::string_view text) {
        fmt::format_to(std::back_inserter(out_), "    {}: {}\n", what, text);
    }

    std::string& out_;
    const Findings& findings_;
    const Diagnostics& diagnostics_;
    bool notes_;
    KindCounter kinds_;
    std::bitset<256> reported_;  // by code, which is a byte
};

}  // namespace

bool KindCounter::is_among_first(const Diagnostic& diagnostic) {
    const Error& error = diagnostic.error;
    return ++counts_[{diagnostic.severity, error.code, error.field, diagnostic.object}] <= most_of_a_kind;
}

void KindCounter::append_rest(std::string& out, const Diagnostics& diagnostics) const {
    for (const auto& [kind, count] : counts_) {
        if (count <= most_of_a_kind) continue;
        const auto& [severity, code, field, object] = kind;
        std::string where;
        if (object != no_index) append_object_place(where = " in ", diagnostics, object);
        fmt::format_to(std::back_inserter(out), "{} more: {} {}{} (--verbose shows them)\n", count - most_of_a_kind,
                       severity_name(severity), code_name(code), where);
    }
}

void append_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes) {
    FindingsText text(out, findings, notes);
    text.write();
    text.write_summary(checked);
}

}  // namespace hkpd
